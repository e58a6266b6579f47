//! Every command over real HTTP, blocking and streaming.

use serde_json::{Value, json};

use crate::dummy::test_support::{Harness, follow_up, message, normal, outline};

/// What each state of a status must look like.
fn status(state: &str, text: Option<&str>) -> Value {
    let mut status = json!({"state": format!("TASK_STATE_{state}"), "timestamp": "<time>"});
    if let Some(text) = text {
        status["message"] = said(text);
    }
    status
}

fn said(text: &str) -> Value {
    json!({"messageId": "<uuid>", "contextId": "<uuid>", "taskId": "<uuid>", "role": "ROLE_AGENT", "parts": [{"text": text}]})
}

fn asked(text: &str) -> Value {
    json!({"messageId": "msg-1", "contextId": "<uuid>", "taskId": "<uuid>", "role": "ROLE_USER", "parts": [{"text": text}]})
}

fn update(status: Value) -> Value {
    json!({"statusUpdate": {"taskId": "<uuid>", "contextId": "<uuid>", "status": status}})
}

fn artifact(artifact: &Value, flags: Value) -> Value {
    let mut event = json!({"taskId": "<uuid>", "contextId": "<uuid>", "artifact": artifact});
    event.as_object_mut().unwrap().extend(flags.as_object().unwrap().clone());
    json!({"artifactUpdate": event})
}

/// What a command makes of one text: the events in between the first snapshot and the end, and the task that remains.
struct Expected {
    text: &'static str,
    events: Vec<Value>,
    end: Value,
    artifacts: Vec<Value>,
}

async fn check(expected: Expected) {
    let harness = Harness::start().await;
    let Expected { text, events, end, artifacts } = expected;
    let history = json!([asked(text)]);
    let mut task = json!({"id": "<uuid>", "contextId": "<uuid>", "status": end, "history": history});
    if !artifacts.is_empty() {
        task["artifacts"] = artifacts.into();
    }

    let blocking = harness.send(text).await;
    assert_eq!(normal(&blocking), task, "blocking");
    assert_eq!(harness.task(&blocking["id"]).await, blocking, "GetTask shows what was answered");

    let first = json!({"task": {"id": "<uuid>", "contextId": "<uuid>", "status": status("SUBMITTED", None), "history": history}});
    let mut all = vec![first];
    all.extend(events);
    all.push(update(end));
    let streamed = harness.stream(text).await;
    assert_eq!(streamed.iter().map(normal).collect::<Vec<_>>(), all, "streaming");
    let id = &streamed[0]["task"]["id"];
    assert_eq!(normal(&harness.task(id).await), task, "the stream adds up to the task");
}

/// One artifact in one piece between WORKING and COMPLETED.
async fn check_single(text: &'static str, content: Value) {
    check(Expected {
        text,
        events: vec![update(status("WORKING", None)), artifact(&content, json!({"lastChunk": true}))],
        end: status("COMPLETED", None),
        artifacts: vec![content],
    })
    .await;
}

fn echoed(text: &str) -> Value {
    json!({"artifactId": "<uuid>", "name": "echo", "parts": [{"text": text}]})
}

#[tokio::test]
async fn echo() {
    check_single("echo hello world", echoed("hello world")).await;
    check_single("  ECHO   Mixed  Case  ", echoed("Mixed  Case")).await;
}

#[tokio::test]
async fn anything_else_is_echoed_whole() {
    check_single("please stream x", echoed("please stream x")).await;
    check_single("héllo 日本\u{2028}", echoed("héllo 日本")).await;
    check_single("", echoed("")).await;
}

#[tokio::test]
async fn stream() {
    let chunk = |n: usize| json!({"artifactId": "<uuid>-stream", "name": "stream", "parts": [{"text": format!("[{n}/5] hello")}]});
    let mut events = vec![update(status("WORKING", None)), artifact(&chunk(1), json!({}))];
    events.extend((2..=4).map(|n| artifact(&chunk(n), json!({"append": true}))));
    events.push(artifact(&chunk(5), json!({"append": true, "lastChunk": true})));
    let parts: Vec<Value> = (1..=5).map(|n| json!({"text": format!("[{n}/5] hello")})).collect();
    check(Expected {
        text: "stream hello",
        events,
        end: status("COMPLETED", None),
        artifacts: vec![json!({"artifactId": "<uuid>-stream", "name": "stream", "parts": parts})],
    })
    .await;
}

#[tokio::test]
async fn stream_takes_its_time_and_has_a_text_of_its_own() {
    let harness = Harness::start().await;
    let began = std::time::Instant::now();
    let task = harness.send("stream").await;
    // A lower bound only: four gaps of a tenth of a second, which no fast machine makes shorter.
    assert!(began.elapsed() >= std::time::Duration::from_millis(400), "{:?}", began.elapsed());
    assert_eq!(task["artifacts"][0]["parts"][4]["text"], "[5/5] streaming response");
}

#[tokio::test]
async fn fail() {
    check(Expected {
        text: "FAIL\nrest",
        events: vec![update(status("WORKING", None))],
        end: status("FAILED", Some("Deliberate failure for testing purposes.")),
        artifacts: vec![],
    })
    .await;
}

#[tokio::test]
async fn data() {
    let content = json!({
        "artifactId": "<uuid>-data", "name": "sample-data", "description": "Sample structured JSON data",
        "parts": [{"mediaType": "application/json", "data": {
            "agent": "dummy-a2a", "version": "1.0.0", "status": "ok", "count": 42, "items": ["alpha", "beta", "gamma"]}}]});
    check_single("data", content.clone()).await;
    assert!(content["parts"][0]["data"]["count"].is_u64(), "a whole number stays one");
}

#[tokio::test]
async fn ask() {
    check(Expected {
        text: "ask",
        events: vec![],
        end: status("INPUT_REQUIRED", Some("What is your name?")),
        artifacts: vec![],
    })
    .await;
}

#[tokio::test]
async fn the_answer_to_ask_is_greeted_whatever_it_says() {
    let harness = Harness::start().await;
    for (answer, greeting) in [("  Ada  ", "Hello, Ada!"), ("fail", "Hello, fail!"), ("", "Hello, !")] {
        let task = harness.send("ask").await;
        let answered = harness.result("SendMessage", follow_up(answer, &task["id"])).await["task"].take();
        assert_eq!((&answered["id"], &answered["contextId"]), (&task["id"], &task["contextId"]));
        let mut reply = asked(answer);
        reply["messageId"] = "msg-2".into();
        assert_eq!(
            normal(&answered),
            json!({"id": "<uuid>", "contextId": "<uuid>", "status": status("COMPLETED", None),
                "artifacts": [{"artifactId": "<uuid>", "name": "greeting", "parts": [{"text": greeting}]}],
                "history": [asked("ask"), said("What is your name?"), reply]})
        );
    }
}

#[tokio::test]
async fn a_streamed_follow_up_begins_with_the_task() {
    let harness = Harness::start().await;
    let task = harness.send("ask").await;
    let items = harness.open("SendStreamingMessage", follow_up("Ada", &task["id"])).await.rest().await;
    assert_eq!(outline(&items), ["task WORKING", "statusUpdate WORKING", "artifactUpdate", "statusUpdate COMPLETED"]);
    let history = &items[0]["task"]["history"];
    assert_eq!(history.as_array().unwrap().len(), 3, "the snapshot has the answer already: {history}");
    for item in &items {
        let body = item.as_object().unwrap().values().next().unwrap();
        assert_eq!(body["contextId"], task["contextId"], "every event is in the context of the task");
    }
}

#[tokio::test]
async fn only_text_parts_count_and_they_are_lines() {
    let harness = Harness::start().await;
    let mut request = message("");
    request["message"]["parts"] = json!([{"text": "echo a"}, {"data": {"x": 1}}, {"text": "b  c"}]);
    let task = harness.result("SendMessage", request).await["task"].take();
    assert_eq!(task["artifacts"][0]["parts"][0]["text"], "a\nb  c");
    assert_eq!(task["history"][0]["parts"][1], json!({"data": {"x": 1}}), "what was sent is kept as it was");
}

#[tokio::test]
async fn ext_without_any_extension() {
    let content = json!({"artifactId": "<uuid>-ext", "name": "extension-metadata",
        "parts": [{"data": {"requested": null, "activated": null}, "mediaType": "application/json"}]});
    check_single("ext", content).await;
}
