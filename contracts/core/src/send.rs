//! Category send-message: the plain call (§3.1.1).

use a2a_host_sdk::pack::{Agent, Contract, Outcome};
use a2a_host_sdk::{Finding, Value};

use crate::judgement::Judgement;
use crate::request::options;
use crate::shape::{Item, of_answer, texts};

pub(crate) fn contracts() -> Vec<Contract> {
    vec![
        Contract::must(
            "send.completed",
            "send-message",
            "completes a message and answers with the finished work",
            completed,
        )
        .spec("§3.1.1")
        .stimuli(&["completes"]),
    ]
}

/// A blocking call answers with a completed task, or with a message; both are well formed, and say the text that is known.
fn completed(agent: &Agent) -> Outcome {
    let mut judgement = Judgement::default();
    let request = agent.message("completes")?;
    let options = options(agent, "completes")?;
    let Some(reply) = judgement.answer("SendMessage", agent.call("SendMessage", &request, &options))? else {
        return judgement.outcome();
    };
    judgement.deviations(&reply.deviations);
    let (text, path) = match of_answer(&mut judgement).answer(&reply.body) {
        Some(Item::Task(task)) => {
            state(task, &mut judgement);
            (task_text(task), "/task/artifacts")
        }
        Some(Item::Message(message)) => {
            judgement.note("the answer is a message, so there was no state to look at");
            (texts(message), "/message/parts")
        }
        // An answer has no other arms, and one that is malformed was told.
        _ => return judgement.outcome(),
    };
    let expected = agent.stimulus("completes").and_then(|stimulus| stimulus.expected_text);
    if let Some(expected) = expected
        && !text.contains(&expected)
    {
        let finding = Finding::new("other-text", format!("the answer does not say \"{expected}\"")).path(path);
        judgement.fail(finding.expected(expected).actual(text));
    }
    judgement.outcome()
}

fn state(task: &Value, judgement: &mut Judgement) {
    let state = task["status"]["state"].as_str().unwrap_or_default();
    let finding = match state {
        "TASK_STATE_COMPLETED" => return,
        "TASK_STATE_SUBMITTED" | "TASK_STATE_WORKING" => {
            let message = "the call answered before the work was done, though it was not asked to return at once";
            Finding::new("not-waited", message).rule("§3.2.2").fix("answer when the task is terminal or interrupted")
        }
        // No state, or no name of one, was told by its shape.
        other if !other.starts_with("TASK_STATE_") || other == "TASK_STATE_UNSPECIFIED" => return,
        other => {
            let finding = Finding::new("not-completed", format!("the task ended as {other}"));
            match texts(&task["status"]["message"]) {
                said if said.is_empty() => finding,
                said => finding.more("status message", said),
            }
        }
    };
    judgement.fail(finding.path("/task/status/state").expected("TASK_STATE_COMPLETED").actual(state));
}

/// What a task says: in its artifacts, or where it has none in its status.
fn task_text(task: &Value) -> String {
    let artifacts = task["artifacts"].as_array().map(Vec::as_slice).unwrap_or_default();
    if artifacts.is_empty() {
        return texts(&task["status"]["message"]);
    }
    artifacts.iter().map(texts).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::json;
    use a2a_host_sdk::pack::Failure;
    use a2a_host_sdk::testing::{ScriptedAgent, protocol_failure};

    use super::*;
    use crate::test_support::{answering, card, changed, codes, findings, notes, places, task};

    fn verdict(body: Value) -> Outcome {
        completed(&answering(body).stimulus("completes", "echo hello", Some("hello")).agent())
    }

    #[test]
    fn a_completed_task_passes_and_the_request_is_well_formed() {
        let good = json!({"task": task("hello")});
        assert_eq!(notes(&verdict(good.clone())), [""; 0]);
        let scripted = ScriptedAgent::new(card())
            .answering(move |operation, request, options| {
                assert_eq!(operation, "SendMessage");
                assert_eq!(request["message"]["role"], "ROLE_USER");
                assert_eq!(request["message"]["parts"], json!([{"text": "echo hello"}]));
                assert_eq!(options.extensions, ["urn:required"]);
                Ok(good.clone())
            })
            .stimulus("completes", "echo hello", None);
        assert_eq!(codes(&completed(&scripted.agent())), [""; 0]);
    }

    #[test]
    fn a_message_passes_with_a_note() {
        let message = json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "hello"}]}});
        assert!(notes(&verdict(message.clone()))[0].contains("no state"));
        let other = changed(&message, "/message/parts/0/text", Some(json!("bye")));
        assert_eq!(places(&verdict(other)), [("other-text".into(), "/message/parts".into())]);
    }

    #[test]
    fn the_state_is_completed() {
        let good = json!({"task": task("hello")});
        for (state, code) in [
            ("TASK_STATE_SUBMITTED", "not-waited"),
            ("TASK_STATE_WORKING", "not-waited"),
            ("TASK_STATE_FAILED", "not-completed"),
            ("TASK_STATE_INPUT_REQUIRED", "not-completed"),
            ("completed", "unknown-name"),
        ] {
            let outcome = verdict(changed(&good, "/task/status/state", Some(json!(state))));
            assert_eq!(places(&outcome), [(code.into(), "/task/status/state".into())], "{state}");
        }
        let said = json!({"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "out of order"}]});
        let failed = changed(&good, "/task/status", Some(json!({"state": "TASK_STATE_FAILED", "message": said})));
        assert_eq!(findings(&verdict(failed))[0].more, [("status message".into(), "out of order".into())]);
    }

    #[test]
    fn the_text_is_looked_for_where_answers_are() {
        let other = verdict(json!({"task": task("bye")}));
        assert_eq!(places(&other), [("other-text".into(), "/task/artifacts".into())]);
        assert_eq!(findings(&other)[0].actual.as_deref(), Some("bye"));
        let said = json!({"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "hello"}]});
        let bare = changed(&json!({"task": task("hello")}), "/task/artifacts", None);
        assert_eq!(codes(&verdict(bare.clone())), ["other-text"]);
        assert_eq!(codes(&verdict(changed(&bare, "/task/status/message", Some(said)))), [""; 0]);
    }

    #[test]
    fn malformed_answers_are_findings() {
        assert_eq!(codes(&verdict(task("hello"))), ["missing-wrapper"]);
        assert_eq!(codes(&verdict(json!({}))), ["no-payload"]);
        let text_null = changed(&json!({"task": task("hello")}), "/task/artifacts/0/parts/0/text", Some(json!(null)));
        assert_eq!(codes(&verdict(text_null)), ["no-content", "other-text"]);
    }

    #[test]
    fn errors_are_findings_and_an_unreachable_agent_is_not_judged() {
        let failing = |failure: Failure| {
            let scripted = ScriptedAgent::new(card()).answering(move |_, _, _| Err(failure.clone()));
            completed(&scripted.stimulus("completes", "hi", None).agent())
        };
        assert_eq!(codes(&failing(protocol_failure(-32603, "INTERNAL", "boom"))), ["unexpected-error"]);
        assert_eq!(codes(&failing(Failure::Timeout)), ["no-answer"]);
        assert!(failing(Failure::Transport("refused".into())).is_err());
        assert!(completed(&ScriptedAgent::new(card()).agent()).unwrap_err().contains("completes"));
    }

    #[test]
    fn what_the_host_tolerated_counts() {
        let scripted = answering(json!({"task": task("hello")})).stimulus("completes", "hi", None);
        let scripted = scripted.deviation("sent id 7 (number), got \"7\" (string)");
        assert_eq!(codes(&completed(&scripted.agent())), ["deviation"]);
    }
}
