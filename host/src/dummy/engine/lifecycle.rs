use crate::a2a::{StateClass, TaskState};

/// Whether a task may go from one state to another (§4.1.3, §3.4.3). This is the only place that knows.
///
/// | from                          | to                                    |
/// |-------------------------------|---------------------------------------|
/// | SUBMITTED, WORKING            | anything but SUBMITTED                |
/// | INPUT_REQUIRED, AUTH_REQUIRED | anything but SUBMITTED                |
/// | a terminal state              | nothing                               |
///
/// Repeating a state is allowed, that is how progress is told. An interrupted task may move on by itself: the credential of
/// AUTH_REQUIRED can arrive by another way (§7.6.1), and no rule forbids it for INPUT_REQUIRED.
pub(crate) fn allows(from: TaskState, to: TaskState) -> bool {
    match from.class() {
        StateClass::Running | StateClass::Interrupted => to != TaskState::Submitted,
        StateClass::Terminal => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_follows_a_terminal_state_and_nothing_leads_back_to_submitted() {
        for from in TaskState::ALL {
            for to in TaskState::ALL {
                assert_eq!(allows(from, to), !from.is_terminal() && to != TaskState::Submitted, "{from} to {to}");
            }
        }
    }
}
