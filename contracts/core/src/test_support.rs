//! What the tests of all contracts share: an agent that keeps every rule, and short looks at outcomes.

use a2a_host_sdk::pack::{Outcome, Verdict};
use a2a_host_sdk::testing::ScriptedAgent;
use a2a_host_sdk::{Finding, Value, json};

/// A card without a fault.
pub(crate) fn card() -> Value {
    json!({
        "name": "Good",
        "description": "",
        "version": "1.0.0",
        "supportedInterfaces": [
            {"url": "http://127.0.0.1:9000/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
        ],
        "provider": {"organization": "o", "url": "https://example.com"},
        "capabilities": {
            "streaming": true,
            "extensions": [
                {"uri": "urn:required", "required": true},
                {"uri": "urn:one", "description": "one"},
                {"uri": "urn:two", "description": "two"},
            ],
        },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "echo", "name": "Echo", "description": "", "tags": ["test"]}],
    })
}

/// A completed task without a fault.
pub(crate) fn task(text: &str) -> Value {
    json!({
        "id": "t-1",
        "contextId": "c-1",
        "status": {"state": "TASK_STATE_COMPLETED", "timestamp": "2026-01-02T03:04:05.678Z"},
        "artifacts": [{"artifactId": "a-1", "name": "echo", "parts": [{"text": text}]}],
        "history": [{"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": text}]}],
    })
}

/// An agent with that card that answers every call with this.
pub(crate) fn answering(body: Value) -> ScriptedAgent {
    ScriptedAgent::new(card()).answering(move |_, _, _| Ok(body.clone()))
}

/// A value with something else at a place; `None` takes the member away.
pub(crate) fn changed(value: &Value, pointer: &str, replacement: Option<Value>) -> Value {
    let mut value = value.clone();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = value.pointer_mut(parent).unwrap();
    match (parent, replacement) {
        (Value::Object(object), Some(new)) => drop(object.insert(name.into(), new)),
        (Value::Object(object), None) => drop(object.remove(name).unwrap()),
        (parent, Some(new)) => parent[name.parse::<usize>().unwrap()] = new,
        (_, None) => panic!("only members can be taken away"),
    }
    value
}

pub(crate) fn findings(outcome: &Outcome) -> Vec<Finding> {
    match outcome {
        Ok(Verdict::Failed(findings)) => findings.clone(),
        Ok(Verdict::Passed(_)) => Vec::new(),
        other => panic!("neither passed nor failed: {other:?}"),
    }
}

pub(crate) fn codes(outcome: &Outcome) -> Vec<String> {
    findings(outcome).into_iter().map(|finding| finding.code).collect()
}

/// Code and path of each finding.
pub(crate) fn places(outcome: &Outcome) -> Vec<(String, String)> {
    findings(outcome).into_iter().map(|finding| (finding.code, finding.path.unwrap_or_default())).collect()
}

pub(crate) fn notes(outcome: &Outcome) -> Vec<String> {
    match outcome {
        Ok(Verdict::Passed(passed)) => passed.notes.clone(),
        other => panic!("not passed: {other:?}"),
    }
}
