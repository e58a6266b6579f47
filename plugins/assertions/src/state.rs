use a2a_host_sdk::assertion::{Assertion, Problem, Turn};
use a2a_host_sdk::{Finding, Value, json};
use unicase::UniCase;

use crate::config::{Place, Problems, nearest};

/// `expect.state`, and the rule that a failed, canceled or rejected turn fails unless just that was expected. The rule
/// holds for every turn, so the config is null where a contract names no state.
pub(crate) struct State {
    expected: Option<String>,
}

/// Longer than any state's name by far; the contract language says so.
pub(crate) const MAX_STATE_CHARS: usize = 64;
/// The states of A2A 1.0 as contracts write them, and the one of a bare message.
const KNOWN: [&str; 9] = [
    "submitted",
    "working",
    "completed",
    "failed",
    "canceled",
    "input_required",
    "rejected",
    "auth_required",
    "message",
];
const FAILURES: [&str; 3] = ["failed", "canceled", "rejected"];

impl Assertion for State {
    const NAME: &'static str = "state";
    const SUMMARY: &'static str = "the state in which the turn ends";

    fn config_schema() -> Value {
        json!({
            "description": "State in which the turn ends: submitted, working, completed, failed, canceled, \
                input_required, rejected, auth_required, or message for a bare message. Case, hyphens and blanks do not \
                matter. Without it a failed, canceled or rejected turn fails.",
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": MAX_STATE_CHARS,
            "examples": KNOWN,
        })
    }

    fn prepare(config: &Value) -> Result<Self, Vec<Problem>> {
        if config.is_null() {
            return Ok(State { expected: None });
        }
        let mut problems = Problems::default();
        let expected = Place::root(config).string(1..=MAX_STATE_CHARS, &mut problems);
        problems.finish(expected.map(|text| State { expected: Some(text.to_owned()) }))
    }

    fn evaluate(&self, turn: &Turn) -> Result<Vec<Finding>, String> {
        let actual = normal(&turn.state);
        let expected = self.expected.as_deref().map(normal);
        let matches = expected.as_ref() == Some(&actual);
        let mut findings = Vec::new();
        if FAILURES.contains(&actual.as_str()) && !matches {
            let finding = Finding::new("turn-failed", format!("the turn ended as {actual}"))
                .actual(&turn.state)
                .fix(format!("write `state: {actual}` where that is meant"));
            findings.push(finding);
        }
        if let (Some(written), false) = (&self.expected, matches) {
            let finding = Finding::new("state-differs", format!("the state is {}, not {}", turn.state, written.trim()))
                .expected(written)
                .actual(&turn.state);
            findings.push(match slip(written) {
                Some(fix) => finding.fix(fix),
                None => finding,
            });
        }
        Ok(findings)
    }
}

/// A state for comparison: case, hyphens and blanks do not matter.
pub(crate) fn normal(state: &str) -> String {
    UniCase::unicode(state.trim()).to_folded_case().replace(['-', ' '], "_")
}

/// What to write in place of a state that no agent reports.
pub(crate) fn slip(written: &str) -> Option<String> {
    let written = normal(written);
    if KNOWN.contains(&written.as_str()) {
        return None;
    }
    let name = written.strip_prefix("task_state_").unwrap_or(&written);
    let meant = nearest(name, &KNOWN)?;
    Some(format!("A2A has no state `{written}`: write `{meant}`"))
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::testing::RecordedTurn;

    use super::*;

    fn codes(config: &Value, state: &str) -> Vec<String> {
        let findings = State::prepare(config).unwrap().evaluate(&RecordedTurn::new().state(state).turn()).unwrap();
        findings.into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_failed_turn_fails_unless_it_was_expected() {
        for state in FAILURES {
            assert_eq!(codes(&Value::Null, state), ["turn-failed"]);
            assert_eq!(codes(&json!(state), state), [""; 0]);
            assert_eq!(codes(&json!("completed"), state), ["turn-failed", "state-differs"]);
        }
        // Another failure is a failure all the same.
        assert_eq!(codes(&json!("failed"), "rejected"), ["turn-failed", "state-differs"]);
        for state in ["completed", "working", "input_required", "auth_required", "message"] {
            assert_eq!(codes(&Value::Null, state), [""; 0]);
        }
        assert_eq!(codes(&json!("failed"), "completed"), ["state-differs"]);
    }

    #[test]
    fn spelling_matters_only_in_letters() {
        for written in ["input_required", "Input-Required", " INPUT REQUIRED ", "input-required"] {
            assert_eq!(codes(&json!(written), "input_required"), [""; 0], "{written}");
        }
        assert_eq!(codes(&json!("TASK_STATE_COMPLETED"), "completed"), ["state-differs"]);
        assert_eq!(codes(&json!("message"), "message"), [""; 0]);
        // What is no state of A2A stands verbatim.
        assert_eq!(codes(&json!("STRANGE"), "strange"), [""; 0]);
    }

    #[test]
    fn slips_are_named() {
        let fix = |written: &str| {
            let turn = RecordedTurn::new();
            State::prepare(&json!(written)).unwrap().evaluate(&turn.turn()).unwrap().remove(0).fix
        };
        assert!(fix("TASK_STATE_COMPLETED").unwrap().ends_with("write `completed`"));
        assert!(fix("compelted").unwrap().ends_with("write `completed`"));
        assert!(fix("cancelled").unwrap().ends_with("write `canceled`"));
        assert_eq!(fix("working"), None);
        assert_eq!(fix("zzz"), None);
    }

    #[test]
    fn the_config_is_a_short_string_or_null() {
        assert!(State::prepare(&json!("x".repeat(64))).is_ok());
        for config in [json!(""), json!("x".repeat(65)), json!(false), json!(["completed"])] {
            assert_eq!(State::prepare(&config).err().unwrap().len(), 1, "{config}");
        }
    }
}
