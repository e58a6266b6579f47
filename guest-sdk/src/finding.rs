use crate::bindings::shared::a2a_host::plugin::types;

pub use types::Finding;

/// Built up member by member:
///
/// ```
/// use a2a_host_sdk::Finding;
/// let finding = Finding::new("state-mismatch", "the task ended as failed")
///     .expected("completed").actual("failed").path("/status/state").rule("§4.1.3");
/// assert_eq!(finding.code, "state-mismatch");
/// ```
impl Finding {
    /// `code` is a stable word in kebab case; `message` a sentence for people, without a full stop.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding {
            code: code.into(),
            message: message.into(),
            config_path: String::new(),
            part: None,
            event: None,
            path: None,
            expected: None,
            actual: None,
            rule: None,
            fix: None,
            more: Vec::new(),
        }
    }

    /// JSON Pointer into the check's config, so that the host can show the place in the contract file.
    pub fn config_path(mut self, pointer: impl Into<String>) -> Finding {
        self.config_path = pointer.into();
        self
    }

    /// Index of the part concerned, in the order of `turn.parts`.
    pub fn part(mut self, index: usize) -> Finding {
        self.part = u32::try_from(index).ok();
        self
    }

    /// Index of the event concerned.
    pub fn event(mut self, index: usize) -> Finding {
        self.event = u32::try_from(index).ok();
        self
    }

    /// JSON Pointer into the reply.
    pub fn path(mut self, pointer: impl Into<String>) -> Finding {
        self.path = Some(pointer.into());
        self
    }

    /// What should have been there.
    pub fn expected(mut self, text: impl Into<String>) -> Finding {
        self.expected = Some(text.into());
        self
    }

    /// What was there.
    pub fn actual(mut self, text: impl Into<String>) -> Finding {
        self.actual = Some(text.into());
        self
    }

    /// Section of the specification that the agent broke.
    pub fn rule(mut self, section: impl Into<String>) -> Finding {
        self.rule = Some(section.into());
        self
    }

    /// What would mend it.
    pub fn fix(mut self, text: impl Into<String>) -> Finding {
        self.fix = Some(text.into());
        self
    }

    /// Anything else worth showing.
    pub fn more(mut self, name: impl Into<String>, value: impl Into<String>) -> Finding {
        self.more.push((name.into(), value.into()));
        self
    }
}
