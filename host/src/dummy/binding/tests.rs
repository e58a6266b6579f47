use std::cell::RefCell;

use serde_json::{Value, json};

use super::body::MAX_BODY;
use super::envelope::{Envelope, Refused};
use crate::dummy::Agent;
use crate::dummy::test_support::{Harness, OpenStream, follow_up, message, plain};

// ---- the order of the checks ----------------------------------------------------------------------------------------

/// Each row breaks one rule and every rule below it, so that only the order decides.
#[test]
fn the_first_broken_rule_of_the_envelope_decides() {
    for (body, id, code, words) in [
        ("", json!(null), -32700, "not JSON"),
        (r#"{"jsonrpc": "2.0", "id": 1, "#, json!(null), -32700, "not JSON"),
        ("\"\u{1}\"", json!(null), -32700, "not JSON"),
        ("[]", json!(null), -32600, "empty batch"),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}]"#, json!(null), -32600, "batches"),
        ("null", json!(null), -32600, "must be an object"),
        (r#""hi""#, json!(null), -32600, "must be an object"),
        (r#"{"id":1.5}"#, json!(null), -32600, "id must be"),
        (r#"{"id":{}}"#, json!(null), -32600, "id must be"),
        (r#"{"id":true}"#, json!(null), -32600, "id must be"),
        (r#"{"id":1,"method":5,"params":"x"}"#, json!(1), -32600, "jsonrpc is missing"),
        (r#"{"id":"a","jsonrpc":2.0,"params":"x"}"#, json!("a"), -32600, "jsonrpc must be the string"),
        (r#"{"id":1,"jsonrpc":"1.0","params":"x"}"#, json!(1), -32600, "method is missing"),
        (r#"{"id":1,"jsonrpc":"1.0","method":5,"params":"x"}"#, json!(1), -32600, "method must be a string"),
        (r#"{"id":1,"jsonrpc":"1.0","method":"","params":"x"}"#, json!(1), -32600, "params must be"),
        (r#"{"id":1,"jsonrpc":"1.0","method":"","params":{}}"#, json!(1), -32600, "exactly \"2.0\""),
        (r#"{"id":1,"jsonrpc":"2.0","method":"","params":[]}"#, json!(1), -32600, "must not be empty"),
        (r#"{"id":-7,"jsonrpc":"2.0","method":"Nope","params":[]}"#, json!(-7), -32601, "SendMessage"),
        (r#"{"jsonrpc":"2.0","method":"message/send"}"#, json!(null), -32601, "0.3"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"sendMessage"}"#, json!(1), -32601, "the name is SendMessage"),
    ] {
        let Refused { id: found, error } = *Envelope::read(body.as_bytes()).unwrap_err();
        assert_eq!((&found, error.code), (&id, code), "{body}");
        assert!(error.message.contains(words), "{body}: {}", error.message);
    }
    assert_eq!(Envelope::read(b"{\"id\": \"\xff\"}").unwrap_err().error.code, -32700, "invalid UTF-8");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(Envelope::read(deep.as_bytes()).unwrap_err().error.code, -32700, "no deep stack");
}

#[test]
fn what_the_envelope_allows_is_taken() {
    for (body, id) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{},"extra":1}"#, json!(1)),
        (r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"GetTask"}"#, json!(u64::MAX)),
        (r#"{"jsonrpc":"2.0","id":"x","method":"GetTask"}"#, json!("x")),
        (r#"{"jsonrpc":"2.0","id":null,"method":"GetTask","params":[]}"#, json!(null)),
        (r#"{"jsonrpc":"2.0","method":"GetTask","params":null}"#, json!(null)),
    ] {
        assert_eq!(Envelope::read(body.as_bytes()).unwrap().id, id, "{body}");
    }
}

/// The rest of the order, over HTTP: params, version, members, operation.
#[tokio::test]
async fn params_version_members_and_operation_follow() {
    let harness = Harness::start().await;
    for (params, version, code) in [
        (json!([]), None, -32602),
        (json!(null), None, -32602),
        (json!({"id": 7}), None, -32602),
        (json!({"id": "x", "historyLength": "many"}), Some("2.0"), -32602),
        (json!({}), None, -32009),
        (json!({}), Some(""), -32009),
        (json!({}), Some("0.3"), -32009),
        (json!({}), Some("1.7"), -32009),
        (json!({}), Some("1.0"), -32602),
        (json!({"id": "x", "historyLength": -1}), Some("1.0"), -32602),
        (json!({"id": "x"}), Some("1.0"), -32001),
        (json!({"id": "x"}), Some("1.0.5"), -32001),
    ] {
        let body = json!({"jsonrpc": "2.0", "id": "q", "method": "GetTask", "params": params});
        let mut request = harness.bare_post(body.to_string());
        if let Some(version) = version {
            request = request.header("A2A-Version", version);
        }
        let envelope = plain(request.send().await.unwrap()).await;
        assert_eq!(envelope["error"]["code"], code, "{body} {version:?}: {envelope}");
        assert_eq!(envelope["id"], "q");
    }
}

#[tokio::test]
async fn a_refusal_is_a_plain_answer_with_typed_details() {
    let harness = Harness::start().await;
    let envelope = plain(harness.post("{").send().await.unwrap()).await;
    assert_eq!((&envelope["id"], &envelope["error"]["code"]), (&Value::Null, &json!(-32700)));
    for method in ["GetTask", "SubscribeToTask", "CancelTask"] {
        let error = harness.error(method, json!({"id": "nope"})).await;
        assert_eq!(
            error["data"],
            json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org"}]),
            "{method}"
        );
    }
    let error = harness.error("SendStreamingMessage", json!({"message": {}})).await;
    let fields: Vec<&Value> =
        error["data"][0]["fieldViolations"].as_array().unwrap().iter().map(|v| &v["field"]).collect();
    assert_eq!(fields, ["message.messageId", "message.role", "message.parts"]);
}

#[tokio::test]
async fn the_version_may_stand_in_the_query() {
    let harness = Harness::start().await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}).to_string();
    let url = format!("{}/?A2A-Version=1.0", harness.agent.url());
    let envelope = plain(harness.http.post(url).body(body).send().await.unwrap()).await;
    assert_eq!(envelope["result"]["totalSize"], 0, "{envelope}");
}

// ---- HTTP -----------------------------------------------------------------------------------------------------------

#[tokio::test]
async fn a_body_may_be_as_large_as_the_limit_and_no_larger() {
    let harness = Harness::start().await;
    let bytes = |length: usize| {
        let (head, tail) = (r#"{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"x":""#, r#""}}"#);
        format!("{head}{}{tail}", "x".repeat(length - head.len() - tail.len()))
    };
    let envelope = plain(harness.post(bytes(MAX_BODY)).send().await.unwrap()).await;
    assert_eq!(envelope["result"]["totalSize"], 0);
    let response = harness.post(bytes(MAX_BODY + 1)).send().await.unwrap();
    assert_eq!(response.status(), 413);
    assert_eq!(response.headers()["content-type"], "application/json");
    let envelope: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
    assert_eq!((&envelope["id"], &envelope["error"]["code"]), (&Value::Null, &json!(-32600)));
    assert!(envelope["error"]["message"].as_str().unwrap().contains("10485760 bytes"));
}

#[tokio::test]
async fn other_verbs_and_paths_are_refused() {
    let harness = Harness::start().await;
    let response = harness.http.get(harness.agent.url()).send().await.unwrap();
    assert_eq!(response.status(), 405);
    assert_eq!(response.headers()["allow"], "POST");
    let response = harness.http.get(format!("{}/.well-known/agent.json", harness.agent.url())).send().await.unwrap();
    assert_eq!(response.status(), 404);
    assert!(response.text().await.unwrap().contains("/.well-known/agent-card.json"));
}

#[tokio::test]
async fn streams_are_event_streams_that_nobody_may_hold_back() {
    let harness = Harness::start().await;
    let response = harness.response("SendStreamingMessage", &message("echo x"), &[]).await;
    assert_eq!(response.headers()["cache-control"], "no-cache");
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    assert_eq!(OpenStream::new(response).rest().await.len(), 4);
}

// ---- the card -------------------------------------------------------------------------------------------------------

#[tokio::test]
async fn the_card_declares_what_is_served() {
    let harness = Harness::start().await;
    let response = harness.http.get(harness.agent.card_url()).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/json");
    assert_eq!(response.headers()["cache-control"], "public, max-age=60");
    let card: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
    assert_eq!(card["name"], "Dummy A2A Test Agent");
    assert_eq!(card["version"], "1.0.0");
    let url = harness.agent.url();
    assert_eq!(url, format!("http://{}", harness.agent.addr()));
    assert_eq!(
        card["supportedInterfaces"],
        json!([{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}])
    );
    assert_eq!(
        card["capabilities"],
        json!({"streaming": true, "pushNotifications": false, "extendedAgentCard": false})
    );
    assert_eq!(card["provider"], json!({"organization": "a2a-host", "url": url}));
    assert_eq!(
        (&card["defaultInputModes"], &card["defaultOutputModes"]),
        (&json!(["text/plain"]), &json!(["text/plain"]))
    );
    let ids: Vec<&Value> = card["skills"].as_array().unwrap().iter().map(|skill| &skill["id"]).collect();
    assert_eq!(ids, ["echo", "stream", "ask", "fail", "data", "ext"]);
    assert_eq!(
        card["skills"][2],
        json!({"id": "ask", "name": "Multi-Turn", "tags": ["test", "multi-turn", "input-required"], "examples": ["ask"],
            "description": card["skills"][2]["description"], "inputModes": ["text/plain"], "outputModes": ["text/plain"]})
    );
    for skill in card["skills"].as_array().unwrap() {
        let task = harness.send(skill["examples"][0].as_str().unwrap()).await;
        let fallback = task["artifacts"][0]["name"] == "echo" && skill["id"] != "echo";
        assert!(!fallback, "the example of {} shows its command", skill["id"]);
    }
}

#[tokio::test]
async fn a_card_that_the_client_has_is_not_sent_again() {
    let harness = Harness::start().await;
    let get = async |tag: Option<&str>| {
        let request = harness.http.get(harness.agent.card_url());
        let request = tag.iter().fold(request, |request, tag| request.header("If-None-Match", *tag));
        request.send().await.unwrap()
    };
    let first = get(None).await;
    let tag = first.headers()["etag"].to_str().unwrap().to_owned();
    assert!(tag.starts_with('"') && tag.ends_with('"'), "{tag}");
    for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".into()] {
        let response = get(Some(&known)).await;
        assert_eq!(response.status(), 304, "{known}");
        assert_eq!(response.headers()["etag"], tag.as_str());
        assert!(response.headers().contains_key("cache-control"));
        assert!(response.bytes().await.unwrap().is_empty());
    }
    assert_eq!(get(Some("\"other\"")).await.status(), 200);
    let head = harness.http.head(harness.agent.card_url()).send().await.unwrap();
    assert_eq!((head.status().as_u16(), &head.headers()["etag"]), (200, &first.headers()["etag"]));

    let other = Harness::with(Agent::builder().public_url("https://agent.example/a2a")).await;
    let response =
        other.http.get(format!("http://{}/.well-known/agent-card.json", other.agent.addr())).send().await.unwrap();
    assert_ne!(response.headers()["etag"], tag.as_str(), "another card has another tag");
}

// ---- the request line -----------------------------------------------------------------------------------------------

thread_local! {
    static LOG: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Writes to the log of this thread: a test and the agent that it starts have one to themselves.
struct ThreadLog;

impl std::io::Write for ThreadLog {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LOG.with_borrow_mut(|log| log.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The subscriber is that of the whole process. With one of this thread alone, what other tests meet first beside it counts
/// as unwanted for good.
#[tokio::test]
async fn each_request_leaves_one_line() {
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(|| ThreadLog).finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let harness = Harness::start().await;
    let task = harness.send("ask").await;
    harness.open("SendStreamingMessage", follow_up("Ada", &task["id"])).await.rest().await;
    harness.error("GetTask", json!({"id": "nope"})).await;
    let log = String::from_utf8(LOG.take()).unwrap();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("binding=JSONRPC")).collect();
    let id = task["id"].as_str().unwrap();
    for (line, words) in lines.iter().zip([
        vec!["operation=\"SendMessage\"", id, "state=\"input_required\"", "microseconds="],
        vec!["operation=\"SendStreamingMessage\"", id, "state=\"completed\""],
        vec!["operation=\"GetTask\"", "error=-32001"],
    ]) {
        for word in words {
            assert!(line.contains(word), "{word} is missing in {line}");
        }
    }
    assert_eq!(lines.len(), 3, "{log}");
}
