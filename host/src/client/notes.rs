use crate::a2a::Deviation;

/// More deviations than this say nothing new, and an agent must not be able to fill the memory with them.
const MOST: usize = 200;

/// Collects what was tolerated in the event under work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// Index of the event under work.
    pub(crate) event: Option<usize>,
    list: Vec<Deviation>,
}

impl Notes {
    /// Notes a deviation at a place in the event.
    pub(crate) fn at(&mut self, code: &'static str, path: &str, message: String) {
        self.push(Deviation { code, message, path: Some(path.to_owned()), event: self.event });
    }

    /// Notes a deviation of the event as a whole, or of the answer where no event is under work.
    pub(crate) fn whole(&mut self, code: &'static str, message: String) {
        self.push(Deviation { code, message, path: None, event: self.event });
    }

    fn push(&mut self, deviation: Deviation) {
        match self.list.len() {
            ..MOST => self.list.push(deviation),
            MOST => self.list.push(Deviation {
                code: "more-deviations",
                message: format!("more than {MOST} deviations; the rest is left out"),
                path: None,
                event: None,
            }),
            _ => {}
        }
    }

    /// What was noted, in order.
    pub(crate) fn into_list(self) -> Vec<Deviation> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_bounded() {
        let mut notes = Notes::default();
        for index in 0..MOST {
            notes.whole("x", index.to_string());
        }
        assert_eq!(notes.list.len(), MOST);
        notes.whole("x", "one more".into());
        notes.whole("x", "and one".into());
        let list = notes.into_list();
        assert_eq!(list.len(), MOST + 1);
        assert_eq!(list.last().map(|last| last.code), Some("more-deviations"));
    }
}
