use a2a_host_sdk::json;

use super::*;
use crate::test_support::{changed, notes, places, task};

fn judged(body: &Value) -> Vec<(String, String)> {
    let mut judgement = Judgement::default();
    of_answer(&mut judgement).answer(body);
    places(&judgement.outcome())
}

fn item(body: &Value) -> Vec<(String, String)> {
    let mut judgement = Judgement::default();
    of_event(&mut judgement, 3).item(body);
    places(&judgement.outcome())
}

fn one(code: &str, path: &str) -> Vec<(String, String)> {
    vec![(code.into(), path.into())]
}

#[test]
fn good_values_have_no_findings() {
    assert_eq!(judged(&json!({"task": task("hi")})), []);
    let full = json!({"message": {
        "messageId": "m", "contextId": "c", "taskId": "t", "role": "ROLE_AGENT", "metadata": {"snake_case": 1},
        "extensions": ["urn:x"], "referenceTaskIds": [], "parts": [
            {"text": ""}, {"raw": "AAEC", "filename": "", "mediaType": ""}, {"raw": "AA=="}, {"url": "https://x.test/a"},
            {"data": null}, {"data": [1], "metadata": {}}, {"text": "a", "raw": null},
        ],
    }});
    assert_eq!(judged(&full), []);
    let status = json!({"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}, "metadata": {}});
    assert_eq!(item(&json!({"statusUpdate": status})), []);
    let artifact = json!({"taskId": "t", "contextId": "c", "append": false, "lastChunk": true,
        "artifact": {"artifactId": "a", "parts": [{"text": "x"}]}});
    assert_eq!(item(&json!({"artifactUpdate": artifact})), []);
}

#[test]
fn wrappers_are_wanted_and_only_one() {
    assert_eq!(judged(&task("hi")), one("missing-wrapper", ""));
    assert_eq!(judged(&json!({"messageId": "m", "role": "ROLE_AGENT", "parts": []})), one("missing-wrapper", ""));
    assert_eq!(judged(&json!({})), one("no-payload", ""));
    assert_eq!(judged(&json!({"task": null})), one("no-payload", ""));
    assert_eq!(judged(&json!("x")), one("wrong-type", ""));
    assert_eq!(judged(&json!({"task": task("a"), "message": {}})), one("two-payloads", ""));
    let mut judgement = Judgement::default();
    of_answer(&mut judgement).answer(&json!({"kind": "status-update", "taskId": "t", "status": {}}));
    assert!(crate::test_support::findings(&judgement.outcome())[0].message.ends_with("looks like A2A 0.3"));
    // Updates are no answer to a plain call.
    assert_eq!(judged(&json!({"statusUpdate": {}})), one("no-payload", ""));
}

#[test]
fn each_member_of_a_task_is_judged() {
    let good = json!({"task": task("hi")});
    for (pointer, replacement, code, place) in [
        ("/task", Some(json!([])), "wrong-type", "/task"),
        ("/task/id", None, "missing-member", "/task/id"),
        ("/task/id", Some(json!(null)), "missing-member", "/task/id"),
        ("/task/id", Some(json!("")), "empty-member", "/task/id"),
        ("/task/id", Some(json!(7)), "wrong-type", "/task/id"),
        ("/task/contextId", Some(json!(7)), "wrong-type", "/task/contextId"),
        ("/task/context_id", Some(json!("c")), "snake-case-member", "/task/context_id"),
        ("/task/status", None, "missing-member", "/task/status"),
        ("/task/status", Some(json!("done")), "wrong-type", "/task/status"),
        ("/task/status/state", None, "missing-member", "/task/status/state"),
        ("/task/status/state", Some(json!("completed")), "unknown-name", "/task/status/state"),
        ("/task/status/state", Some(json!(3)), "unknown-name", "/task/status/state"),
        ("/task/status/state", Some(json!("TASK_STATE_UNSPECIFIED")), "unknown-name", "/task/status/state"),
        ("/task/status/message", Some(json!("bare")), "wrong-type", "/task/status/message"),
        ("/task/status/timestamp", Some(json!("2026-01-02T03:04:05")), "timestamp", "/task/status/timestamp"),
        ("/task/status/timestamp", Some(json!("2026-01-02T03:04:05+00:00")), "timestamp", "/task/status/timestamp"),
        ("/task/status/timestamp", Some(json!(5)), "wrong-type", "/task/status/timestamp"),
        ("/task/artifacts", Some(json!({})), "wrong-type", "/task/artifacts"),
        ("/task/artifacts/0", Some(json!(0)), "wrong-type", "/task/artifacts/0"),
        ("/task/artifacts/0/artifactId", None, "missing-member", "/task/artifacts/0/artifactId"),
        ("/task/artifacts/0/name", Some(json!(1)), "wrong-type", "/task/artifacts/0/name"),
        ("/task/artifacts/0/extensions", Some(json!([1])), "wrong-type", "/task/artifacts/0/extensions/0"),
        ("/task/artifacts/0/metadata", Some(json!(1)), "wrong-type", "/task/artifacts/0/metadata"),
        ("/task/artifacts/0/parts", Some(json!([])), "empty-list", "/task/artifacts/0/parts"),
        ("/task/artifacts/0/parts", None, "missing-member", "/task/artifacts/0/parts"),
        ("/task/artifacts/0/parts/0", Some(json!({})), "no-content", "/task/artifacts/0/parts/0"),
        ("/task/artifacts/0/parts/0/text", Some(json!(null)), "no-content", "/task/artifacts/0/parts/0"),
        ("/task/artifacts/0/parts/0/text", Some(json!(1)), "wrong-type", "/task/artifacts/0/parts/0/text"),
        ("/task/artifacts/0/parts/0/url", Some(json!("https://x.test/a")), "two-contents", "/task/artifacts/0/parts/0"),
        ("/task/artifacts/0/parts/0", Some(json!({"raw": "A"})), "base64", "/task/artifacts/0/parts/0/raw"),
        ("/task/artifacts/0/parts/0", Some(json!({"raw": "-_8="})), "base64", "/task/artifacts/0/parts/0/raw"),
        ("/task/artifacts/0/parts/0/filename", Some(json!(1)), "wrong-type", "/task/artifacts/0/parts/0/filename"),
        ("/task/history/0/role", Some(json!("user")), "unknown-name", "/task/history/0/role"),
        ("/task/history/0/role", Some(json!("UNRECOGNIZED")), "unknown-name", "/task/history/0/role"),
        ("/task/history/0/messageId", None, "missing-member", "/task/history/0/messageId"),
        ("/task/metadata", Some(json!([])), "wrong-type", "/task/metadata"),
    ] {
        assert_eq!(judged(&changed(&good, pointer, replacement)), one(code, place), "{pointer}");
    }
}

#[test]
fn artifacts_have_ids_of_their_own() {
    let good = json!({"task": task("hi")});
    let artifact = good["task"]["artifacts"][0].clone();
    let twice = changed(&good, "/task/artifacts", Some(json!([artifact, artifact])));
    assert_eq!(judged(&twice), one("artifact-id-twice", "/task/artifacts/1/artifactId"));
}

#[test]
fn the_agents_messages_have_the_agents_role() {
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x"}]});
    assert_eq!(judged(&json!({"message": message})), one("wrong-role", "/message/role"));
    let good = json!({"task": task("hi")});
    let asked = changed(&good, "/task/status/message", Some(message));
    assert_eq!(judged(&asked), one("wrong-role", "/task/status/message/role"));
}

#[test]
fn updates_carry_their_ids_and_flags() {
    let status = json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}});
    let artifact = json!({"artifactUpdate": {
        "taskId": "t", "contextId": "c", "artifact": {"artifactId": "a", "parts": [{"text": "x"}]}}});
    for (good, pointer, replacement, code) in [
        (&status, "/statusUpdate/taskId", None, "missing-member"),
        (&status, "/statusUpdate/contextId", None, "missing-member"),
        (&status, "/statusUpdate/status", None, "missing-member"),
        (&artifact, "/artifactUpdate/taskId", None, "missing-member"),
        (&artifact, "/artifactUpdate/contextId", Some(json!("")), "empty-member"),
        (&artifact, "/artifactUpdate/artifact", None, "missing-member"),
        (&artifact, "/artifactUpdate/append", Some(json!("true")), "wrong-type"),
        (&artifact, "/artifactUpdate/lastChunk", Some(json!(1)), "wrong-type"),
        (&artifact, "/artifactUpdate/last_chunk", Some(json!(true)), "snake-case-member"),
    ] {
        assert_eq!(item(&changed(good, pointer, replacement)), one(code, pointer));
    }
}

#[test]
fn findings_say_what_to_send() {
    let mut judgement = Judgement::default();
    of_event(&mut judgement, 3).item(&json!({"statusUpdate": {
        "taskId": "t", "contextId": "c", "status": {"state": "input-required"}}}));
    let finding = crate::test_support::findings(&judgement.outcome()).remove(0);
    assert_eq!(finding.event, Some(3));
    assert!(finding.message.ends_with("this looks like A2A 0.3"), "{}", finding.message);
    assert_eq!(finding.expected.as_deref(), Some("TASK_STATE_INPUT_REQUIRED"));
    assert_eq!(finding.rule.as_deref(), Some("§4.1.3"));
    assert!(finding.fix.is_some());
}

#[test]
fn an_optional_null_is_a_note() {
    let mut judgement = Judgement::default();
    of_answer(&mut judgement).answer(&changed(&json!({"task": task("hi")}), "/task/metadata", Some(json!(null))));
    assert_eq!(notes(&judgement.outcome()), ["/task/metadata is null; what is not set is better left out"]);
}

#[test]
fn timestamps_and_base64_are_told() {
    for good in ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.6Z", "2026-01-02T03:04:05.123456789Z"] {
        assert!(is_timestamp(good), "{good}");
    }
    for bad in
        ["", "Z", "2026-01-02", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05.1234567890Z", "2026-01-02 03:04:05Z"]
    {
        assert!(!is_timestamp(bad), "{bad}");
    }
    for good in ["", "AAEC", "AA==", "AAE="] {
        assert!(is_base64(good), "{good}");
    }
    for bad in ["A", "AAA", "A===", "AA=A", "AA-_", "A A="] {
        assert!(!is_base64(bad), "{bad}");
    }
}
