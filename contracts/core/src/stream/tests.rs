use a2a_host_sdk::testing::{ScriptedAgent, protocol_failure};

use super::*;
use crate::test_support::{card, changed, codes, findings, notes, places};

fn snapshot(state: &str) -> Value {
    json!({"task": {"id": "t", "contextId": "c", "status": {"state": state}}})
}

fn status(state: &str) -> Value {
    json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": state}}})
}

fn chunk(text: &str, append: bool, last: bool) -> Value {
    json!({"artifactUpdate": {"taskId": "t", "contextId": "c", "append": append, "lastChunk": last,
        "artifact": {"artifactId": "a", "parts": [{"text": text}]}}})
}

fn message() -> Value {
    json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "x"}]}})
}

/// A stream that keeps every rule.
fn good() -> Vec<Value> {
    vec![
        snapshot("TASK_STATE_SUBMITTED"),
        status("TASK_STATE_WORKING"),
        chunk("one ", false, false),
        chunk("two", true, true),
        status("TASK_STATE_COMPLETED"),
    ]
}

/// The task as it is fetched after that stream.
fn fetched() -> Value {
    json!({"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"},
        "artifacts": [{"artifactId": "a", "parts": [{"text": "one "}, {"text": "two"}]}]})
}

fn agent(items: Vec<Value>) -> ScriptedAgent {
    ScriptedAgent::new(card()).streaming(items).answering(|_, _, _| Ok(fetched())).stimulus("streams", "stream", None)
}

fn verdict(items: Vec<Value>) -> Outcome {
    sse_events(&agent(items).agent())
}

/// Code and index of each finding.
fn events(items: Vec<Value>) -> Vec<(String, Option<u32>)> {
    findings(&verdict(items)).into_iter().map(|finding| (finding.code, finding.event)).collect()
}

#[test]
fn a_good_stream_passes_over_every_binding() {
    for binding in [Binding::Jsonrpc, Binding::HttpJson, Binding::Grpc] {
        assert_eq!(notes(&sse_events(&agent(good()).binding(binding).agent())), [""; 0]);
    }
    // An agent may keep its chunks as one part.
    let scripted = agent(good()).answering(|operation, request, options| {
        assert_eq!((operation, request), ("GetTask", &json!({"id": "t"})));
        assert_eq!(options.extensions, ["urn:required"]);
        Ok(changed(&fetched(), "/artifacts/0/parts", Some(json!([{"text": "one two"}]))))
    });
    assert_eq!(notes(&sse_events(&scripted.agent())), [""; 0]);
}

#[test]
fn one_message_is_an_answer_and_nothing_may_follow() {
    assert!(notes(&verdict(vec![message()]))[0].contains("single message"));
    assert_eq!(events(vec![message(), message()]), [("after-message".into(), Some(1))]);
    assert_eq!(events(vec![message(), status("TASK_STATE_WORKING")])[0], ("after-message".into(), Some(1)));
    let mut items = good();
    items.insert(1, message());
    assert_eq!(events(items)[0], ("message-in-task".into(), Some(1)));
}

#[test]
fn the_task_comes_first_and_once() {
    assert_eq!(events(good()[1..].to_vec()), [("task-not-first".into(), Some(0))]);
    let mut items = good();
    items.insert(1, snapshot("TASK_STATE_WORKING"));
    assert_eq!(events(items), [("task-again".into(), Some(1))]);
}

#[test]
fn a_final_snapshot_is_allowed_over_http_json_only() {
    let mut items = good();
    items.push(json!({"task": fetched()}));
    assert_eq!(events(items.clone()), [("after-the-end".into(), Some(5))]);
    assert_eq!(codes(&sse_events(&agent(items).binding(Binding::HttpJson).agent())), [""; 0]);
}

#[test]
fn nothing_follows_the_end() {
    let mut items = good();
    items.push(status("TASK_STATE_COMPLETED"));
    assert_eq!(events(items), [("after-the-end".into(), Some(5))]);
}

#[test]
fn ids_stay_the_same() {
    for pointer in ["/statusUpdate/taskId", "/statusUpdate/contextId"] {
        let mut items = good();
        items[1] = changed(&items[1], pointer, Some(json!("other")));
        assert_eq!(places(&verdict(items)), [("other-id".into(), pointer.into())]);
    }
    let mut items = good();
    items[1] = changed(&items[1], "/statusUpdate/taskId", None);
    assert_eq!(events(items), [("missing-member".into(), Some(1))]);
}

#[test]
fn chunks_have_rules() {
    let mut items = good();
    items[2] = chunk("one ", true, false);
    assert_eq!(events(items), [("append-to-unknown".into(), Some(2))]);
    let mut items = good();
    items[2] = chunk("one ", false, true);
    assert_eq!(events(items), [("after-last-chunk".into(), Some(3))]);
    // Without `append` an artifact is replaced.
    let mut items = good();
    items[2] = chunk("other", false, false);
    items.insert(3, chunk("one ", false, false));
    assert_eq!(events(items), []);
}

#[test]
fn the_task_is_told_to_its_end() {
    let mut items = good();
    items.pop();
    assert_eq!(codes(&verdict(items)), ["no-end", "other-state"]);
    let mut items = good();
    items[4] = status("TASK_STATE_FAILED");
    assert_eq!(codes(&verdict(items)), ["not-completed", "other-state"]);
    let short = verdict(vec![snapshot("TASK_STATE_WORKING"), status("TASK_STATE_COMPLETED")]);
    assert_eq!(codes(&short), ["artifact-not-streamed"]);
}

#[test]
fn a_stream_without_artifacts_passes_with_a_note() {
    let scripted = agent(vec![snapshot("TASK_STATE_COMPLETED")]);
    let scripted = scripted.answering(|_, _, _| Ok(changed(&fetched(), "/artifacts", None)));
    assert!(notes(&sse_events(&scripted.agent()))[0].contains("no artifact was streamed"));
}

#[test]
fn the_stream_closes() {
    for (ending, code) in
        [(Ending::Cut, "not-closed-cleanly"), (Ending::Reset, "not-closed-cleanly"), (Ending::Open, "not-closed")]
    {
        assert_eq!(codes(&sse_events(&agent(good()).ending(ending).agent())), [code]);
    }
    let stalled = agent(good()[..2].to_vec()).ending(Ending::Open);
    assert_eq!(codes(&sse_events(&stalled.agent()))[0], "silent");
    let waiting = vec![snapshot("TASK_STATE_WORKING"), status("TASK_STATE_INPUT_REQUIRED")];
    assert_eq!(codes(&sse_events(&agent(waiting).ending(Ending::Open).agent()))[0], "not-completed");
}

#[test]
fn a_stream_ends_at_some_point() {
    let endless = |count: usize| {
        let mut items = vec![snapshot("TASK_STATE_WORKING")];
        items.resize(count - 1, status("TASK_STATE_WORKING"));
        items.push(status("TASK_STATE_COMPLETED"));
        let scripted = agent(items).answering(|_, _, _| Ok(changed(&fetched(), "/artifacts", None)));
        codes(&sse_events(&scripted.agent()))
    };
    assert_eq!(endless(MAX_EVENTS - 1), [""; 0]);
    assert_eq!(endless(MAX_EVENTS), ["endless"]);
}

#[test]
fn it_comes_as_an_event_stream() {
    let html = agent(good()).stream_response(200, &[("content-type", "text/html")]);
    assert_eq!(codes(&sse_events(&html.agent())), ["content-type"]);
    let charset = agent(good()).stream_response(200, &[("Content-Type", "Text/Event-Stream; charset=utf-8")]);
    assert_eq!(codes(&sse_events(&charset.agent())), [""; 0]);
    let status = agent(good()).stream_response(202, &[("content-type", "text/event-stream")]);
    assert_eq!(codes(&sse_events(&status.agent())), ["http-status"]);
    // gRPC has neither.
    let grpc = agent(good()).stream_response(0, &[]).binding(Binding::Grpc);
    assert_eq!(codes(&sse_events(&grpc.agent())), [""; 0]);
}

#[test]
fn every_envelope_has_the_version_and_one_id() {
    let last = |raw: &str| {
        let mut items = good();
        let body = items.pop().map(|body| body.to_string());
        let event = Event { raw: raw.replace("BODY", body.as_deref().unwrap()).into_bytes(), body, at_us: 0 };
        sse_events(&agent(items).event(event).agent())
    };
    assert_eq!(codes(&last("data:{\"jsonrpc\":\"2.0\",\ndata: \"id\":\"1\",\"result\":BODY}\n\n")), [""; 0]);
    assert_eq!(codes(&last("{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":BODY}")), [""; 0]);
    assert_eq!(codes(&last("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":BODY}\n\n")), ["response-id"]);
    assert_eq!(codes(&last("data: {\"jsonrpc\":\"2.0\",\"result\":BODY}\n\n")), ["response-id"]);
    assert_eq!(codes(&last("data: {\"id\":\"1\",\"result\":BODY}\n\n")), ["jsonrpc-version"]);
    let bytes = Event { raw: vec![0xff], body: Some(status("TASK_STATE_COMPLETED").to_string()), at_us: 0 };
    let mut items = good();
    items.pop();
    assert_eq!(codes(&sse_events(&agent(items).event(bytes).agent())), ["no-utf-8"]);
}

#[test]
fn the_fetched_task_is_the_streamed_one() {
    for (pointer, replacement, code, place) in [
        ("/status/state", Some(json!("TASK_STATE_WORKING")), "other-state", "/status/state"),
        ("/artifacts", Some(json!([])), "artifact-lost", "/artifacts"),
        ("/artifacts/0/parts", Some(json!([{"text": "one"}])), "other-artifact", "/artifacts/0/parts"),
    ] {
        let scripted = agent(good());
        let scripted = scripted.answering(move |_, _, _| Ok(changed(&fetched(), pointer, replacement.clone())));
        assert_eq!(places(&sse_events(&scripted.agent())), [(code.into(), place.into())]);
    }
    let lost = agent(good()).answering(|_, _, _| Err(protocol_failure(-32001, "TASK_NOT_FOUND", "no such task")));
    assert_eq!(codes(&sse_events(&lost.agent())), ["unexpected-error"]);
}

#[test]
fn what_is_no_event_is_a_finding() {
    let event = Event { raw: b"data: x\n\n".to_vec(), body: None, at_us: 0 };
    let mut scripted = agent(good()[..4].to_vec()).event(event);
    scripted =
        scripted.answering(|_, _, _| Ok(changed(&fetched(), "/status/state", Some(json!("TASK_STATE_WORKING")))));
    assert_eq!(codes(&sse_events(&scripted.agent())), ["no-json", "no-end"]);
    let refusing = ScriptedAgent::new(card()).stimulus("streams", "stream", None);
    let refusing = refusing.answering(|_, _, _| Err(protocol_failure(-32004, "UNSUPPORTED_OPERATION", "no streams")));
    assert_eq!(codes(&sse_events(&refusing.agent())), ["unexpected-error"]);
    let empty = ScriptedAgent::new(card()).stimulus("streams", "stream", None).answering(|_, _, _| Ok(json!({})));
    assert_eq!(codes(&sse_events(&empty.agent())), ["empty-stream"]);
    assert_eq!(events(vec![json!({"kind": "status-update", "final": true})])[0], ("no-payload".into(), Some(0)));
}
