use std::time::Duration;

use serde_json::{Value, json};

use super::peer::{Peer, Step, answer, codes, hello, result, send, task};
use crate::a2a::{Ending, Exchange, ExchangeError, FrameKind};
use crate::client::{Client, ClientError, fold};
use crate::sandbox::{CallOptions, HttpRequest};

const DONE: &str = "TASK_STATE_COMPLETED";

fn why(exchange: &Exchange) -> &str {
    match exchange.error.as_ref() {
        Some(ExchangeError::Unreadable { why } | ExchangeError::Transport { why }) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_call_sends_the_envelope_and_keeps_everything() {
    let peer = Peer::agent(|_| result(&task(DONE))).await;
    let mut options = peer.options();
    options.headers = vec![("Authorization".into(), "Bearer x".into())];
    options.extensions = vec!["urn:b".into(), "urn:a".into()];
    let client = Client::connect(options).await.unwrap();
    let exchange = client.call("SendMessage", hello(), &client.call_options()).await;
    assert_eq!(exchange.error, None);
    assert_eq!(exchange.deviations, []);
    assert_eq!(exchange.events[0].body, task(DONE));
    assert_eq!(exchange.frames.len(), 1);
    assert_eq!((exchange.frames[0].kind, exchange.frames[0].length), (FrameKind::Body, exchange.raw.len()));
    assert_eq!(exchange.ending, Ending::Clean);
    assert_eq!(exchange.response.as_ref().unwrap().http_status, Some(200));
    assert!(exchange.elapsed >= exchange.events[0].at && exchange.elapsed > Duration::ZERO);

    let calls = peer.calls();
    assert_eq!(calls.len(), 1);
    let call = &calls[0];
    assert_eq!((call.method.as_str(), call.path.as_str()), ("POST", "/rpc"));
    let body = call.json();
    assert_eq!((&body["jsonrpc"], &body["method"], &body["params"]), (&json!("2.0"), &json!("SendMessage"), &hello()));
    assert_eq!(exchange.request.raw, call.body);
    assert_eq!(exchange.request.body, hello());
    for (name, value) in [
        ("content-type", "application/json"),
        ("accept", "application/json"),
        ("accept-encoding", "identity"),
        ("a2a-version", "1.0"),
        ("a2a-extensions", "urn:a,urn:b"),
        ("authorization", "Bearer x"),
    ] {
        assert_eq!(call.header(name), Some(value));
        assert!(exchange.request.headers.contains(&(name.into(), value.into())), "{name}");
    }
    // The card is asked for with the user's headers and without a version.
    let card = &peer.all()[0];
    assert_eq!((card.header("authorization"), card.header("a2a-version")), (Some("Bearer x"), None));
    assert_eq!(card.header("a2a-extensions"), None);

    client.call("GetTask", json!({"id": "t"}), &CallOptions::default()).await;
    assert_eq!(peer.calls()[1].header("authorization"), None);
}

#[tokio::test]
async fn the_tenant_goes_into_every_request_that_has_none() {
    let peer = Peer::agent_with(json!({"tenant": "acme"}), |_| result(&task(DONE))).await;
    let client = peer.client().await;
    for (request, tenant) in [(json!({"id": "t"}), "acme"), (json!({"tenant": "own"}), "own"), (Value::Null, "acme")] {
        let exchange = client.call("GetTask", request, &CallOptions::default()).await;
        assert_eq!(exchange.request.body["tenant"], tenant);
        assert_eq!(peer.calls().last().unwrap().json()["params"]["tenant"], tenant);
    }
    let peer = Peer::agent(|_| result(&task(DONE))).await;
    peer.client().await.call("GetTask", Value::Null, &CallOptions::default()).await;
    assert_eq!(peer.calls()[0].json()["params"], json!({}));
}

// C001, C003, C005, C007 over the wire.
#[tokio::test]
async fn what_was_tolerated_stands_in_the_exchange() {
    let legacy = send(answer(
        "200 OK",
        "application/json",
        br#"{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t1","contextId":"c1","status":{"state":"completed"}}}}"#,
    ))
    .await;
    assert_eq!(codes(&legacy), [("response-id", None), ("legacy-enum", None)]);
    assert_eq!(legacy.deviations[1].path.as_deref(), Some("/task/status/state"));
    let bare = send(answer(
        "200 OK",
        "application/json",
        br#"{"jsonrpc":"2.0","id":$ID,"result":{"id":"t1","status":{"state":"TASK_STATE_COMPLETED"}}}"#,
    ))
    .await;
    assert_eq!(codes(&bare), [("unwrapped-task", None)]);
    let unrecognized = json!({"task": {"id": "t", "status": {"state": DONE}, "history":
        [{"messageId": "m", "role": "UNRECOGNIZED", "parts": [{"text": "x"}]}]}});
    assert_eq!(codes(&send(result(&unrecognized)).await), [("unknown-enum", None)]);
    let two = json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "a", "url": "https://x.test/a"}]}});
    let exchange = send(result(&two)).await;
    assert!(why(&exchange).contains("`text` and `url`"));
    assert_eq!(exchange.events.len(), 1);
    assert!(fold(&exchange).is_err());
}

#[tokio::test]
async fn errors_of_the_protocol_keep_their_body() {
    let body = br#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32001,"message":"no task t-9","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}"#;
    for status in ["200 OK", "404 Not Found"] {
        let exchange = send(answer(status, "application/json", body)).await;
        let Some(ExchangeError::Protocol { code, reason, message, body }) = &exchange.error else {
            panic!("{:?}", exchange.error)
        };
        assert_eq!((*code, reason.as_deref(), message.as_str()), (Some(-32001), Some("TASK_NOT_FOUND"), "no task t-9"));
        assert_eq!(body["data"][0]["domain"], "a2a-protocol.org");
        assert_eq!(exchange.deviations, []);
        assert_eq!(fold(&exchange).unwrap_err(), exchange.error.unwrap());
    }
}

// C015.
#[tokio::test]
async fn an_error_in_the_shape_of_http_json_is_read() {
    let exchange = send(answer("400 Bad Request", "application/json", br#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Validation failed","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_PARAMS","domain":"a2a-protocol.org","metadata":{"errors":[{"field":"message"}]}}]}}"#)).await;
    let Some(ExchangeError::Protocol { code, reason, message, .. }) = &exchange.error else {
        panic!("{:?}", exchange.error)
    };
    assert_eq!((*code, reason.as_deref(), message.as_str()), (Some(400), Some("INVALID_PARAMS"), "Validation failed"));
    assert!(
        exchange
            .deviations
            .iter()
            .any(|d| d.code == "error-metadata" && d.path.as_deref() == Some("/error/details/0/metadata/errors"))
    );
}

// C019.
#[tokio::test]
async fn bodies_of_other_kinds_are_shown_with_their_status() {
    let problem = br#"{"type":"https://a2a-protocol.org/errors/task-not-found","title":"No","status":404}"#;
    for (status, kind, body, expected) in [
        (
            "404 Not Found",
            "application/problem+json",
            &problem[..],
            "HTTP 404 with a body that is no A2A answer (it has neither `result` nor `error`): {\"type\":",
        ),
        (
            "404 Not Found",
            "application/json",
            br#"{"detail":"Not Found"}"#,
            "HTTP 404 with a body that is no A2A answer (it has neither `result` nor `error`): {\"detail\":\"Not Found\"}",
        ),
        (
            "404 Not Found",
            "text/html",
            b"<!DOCTYPE html><pre>Cannot GET</pre>",
            "HTTP 404: it is no JSON (expected value at line 1 column 1): <!DOCTYPE html><pre>Cannot GET</pre>",
        ),
        ("404 Not Found", "text/plain", b"", "HTTP 404 with an empty body"),
        (
            "401 Unauthorized",
            "application/json",
            br#"{"error":"unauthorized"}"#,
            "HTTP 401 with a body that is no A2A answer (`error` is a string, expected an object): {\"error\":\"unauthorized\"}",
        ),
        (
            "500 Oops",
            "text/plain",
            b"\x1b[2Jbad\xe2\x80\xae",
            "HTTP 500: it is no JSON (expected value at line 1 column 1): \\u{1b}[2Jbad\\u{202e}",
        ),
        ("200 OK", "text/plain", b"hi\xff\xfe", "HTTP 200: invalid UTF-8 at byte 2 of the body (ff fe)"),
        (
            "200 OK",
            "application/json",
            b"[]",
            "HTTP 200 with a body that is no A2A answer (it is a list, expected a JSON-RPC response): []",
        ),
    ] {
        let exchange = send(answer(status, kind, body)).await;
        assert!(matches!(exchange.error, Some(ExchangeError::Unreadable { .. })));
        assert!(why(&exchange).starts_with(expected), "{}", why(&exchange));
        assert_eq!(exchange.raw, body);
        assert!(exchange.response.is_some());
    }
    let long = format!("<{}", "é".repeat(500));
    let exchange = send(answer("502 Bad Gateway", "text/html", long.as_bytes())).await;
    assert!(why(&exchange).ends_with(&format!(": <{}…", "é".repeat(199))), "{}", why(&exchange));
}

#[tokio::test]
async fn status_and_content_type_of_a_result_are_noted() {
    let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{}}}", task(DONE));
    let exchange = send(answer("202 Accepted", "Application/JSON; charset=utf-8", body.as_bytes())).await;
    assert_eq!(codes(&exchange), []);
    let exchange = send(answer("400 Bad Request", "text/plain", body.as_bytes())).await;
    assert_eq!(codes(&exchange), [("content-type", None), ("http-status", None)]);
    assert_eq!(exchange.error, None);
}

#[tokio::test]
async fn redirects_and_compression_are_refused() {
    let head = b"HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/x\r\ncontent-length: 0\r\n\r\n";
    let exchange = send(vec![Step::Send(head.to_vec())]).await;
    assert_eq!(why(&exchange), "HTTP 307 redirects to http://127.0.0.1:1/x; redirects are not followed");
    let head =
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-type: text/event-stream\r\ncontent-length: 1\r\n\r\nx";
    let exchange = send(vec![Step::Send(head.to_vec())]).await;
    assert_eq!(why(&exchange), "the body is compressed (gzip), though `Accept-Encoding: identity` was sent");
}

#[tokio::test]
async fn broken_connections_are_named_and_nothing_is_sent_twice() {
    let short = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"jsonrpc\":";
    let exchange = send(vec![Step::Send(short.to_vec())]).await;
    assert!(why(&exchange).starts_with("the connection was closed before the answer was complete, after 11 bytes"));
    assert_eq!((exchange.ending, exchange.raw.len()), (Ending::Cut, 11));

    let peer = Peer::agent(|_| vec![Step::Reset]).await;
    let client = peer.client().await;
    let exchange = client.call("SendMessage", hello(), &client.call_options()).await;
    assert!(matches!(exchange.error, Some(ExchangeError::Transport { .. })), "{:?}", exchange.error);
    assert!(exchange.response.is_none());
    assert_eq!(peer.calls().len(), 1);

    let peer = Peer::agent(|_| vec![]).await;
    let client = peer.client().await;
    let exchange = client.call("SendMessage", hello(), &client.call_options()).await;
    assert!(why(&exchange).starts_with(&format!("http://127.0.0.1:{}/rpc: ", peer.port)), "{}", why(&exchange));
    assert_eq!(peer.calls().len(), 1);
}

#[tokio::test]
async fn one_deadline_holds_for_the_whole_call() {
    let slow = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{";
    for steps in [vec![Step::Hold], vec![Step::Send(slow.to_vec()), Step::Hold]] {
        let peer = Peer::agent(move |_| steps.clone()).await;
        let client = peer.client().await;
        let limit = Duration::from_millis(150);
        let options = CallOptions { timeout: Some(limit), ..client.call_options() };
        let exchange = client.call("SendMessage", hello(), &options).await;
        assert_eq!(exchange.error, Some(ExchangeError::Timeout { limit }));
        assert!(exchange.elapsed >= limit);
    }
}

#[tokio::test]
async fn a_plain_body_has_a_limit() {
    let body = br#"{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","status":{"state":"TASK_STATE_COMPLETED"}}}}"#;
    let peer = Peer::agent(move |_| answer("200 OK", "application/json", body)).await;
    for (limit, ok) in [(body.len(), true), (body.len() - 1, false)] {
        let mut options = peer.options();
        options.limits.body_bytes = limit;
        let client = Client::connect(options).await.unwrap();
        let exchange = client.call("SendMessage", hello(), &client.call_options()).await;
        assert_eq!(exchange.error.is_none(), ok);
        assert_eq!(exchange.raw.len(), limit);
        assert!(ok || matches!(exchange.error, Some(ExchangeError::Limit { .. })));
    }
}

#[tokio::test]
async fn an_unknown_operation_is_sent_and_not_looked_into() {
    let peer = Peer::agent(|_| result(&json!({"anything": [1]}))).await;
    let client = peer.client().await;
    let exchange = client.call("x/y", json!({"a": 1}), &CallOptions::default()).await;
    assert_eq!((exchange.error.clone(), exchange.deviations.len()), (None, 0));
    assert_eq!(exchange.events[0].body, json!({"anything": [1]}));
    assert_eq!(peer.calls()[0].json()["method"], "x/y");
    assert!(fold(&exchange).is_err());
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_named() {
    let peer = Peer::agent(|_| result(&task(DONE))).await;
    let client = peer.client().await;
    let options = CallOptions { headers: vec![("X-Key".into(), "sec\nret".into())], ..CallOptions::default() };
    let exchange = client.call("GetTask", json!({}), &options).await;
    assert_eq!(
        why(&exchange),
        "header `X-Key` cannot be sent: the value has a line break or another control character"
    );
    assert!(peer.calls().is_empty());
}

// C025.
#[tokio::test]
async fn an_agent_that_only_says_that_it_speaks_1_0_is_found_out_once() {
    let unknown = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"Method not found"}}"#;
    for old in [true, false] {
        let peer = Peer::agent(move |request| {
            let known = old && request.json()["method"] == "tasks/get";
            let body = if known { unknown.replace("-32601", "-32001") } else { unknown.to_owned() };
            answer("200 OK", "application/json", body.as_bytes())
        })
        .await;
        let client = peer.client().await;
        for _ in 0..2 {
            let exchange = client.call("SendMessage", hello(), &client.call_options()).await;
            assert!(matches!(exchange.error, Some(ExchangeError::Protocol { code: Some(-32601), .. })));
            assert_eq!(codes(&exchange).contains(&("speaks-0.3", None)), old);
        }
        assert_eq!(peer.calls().len(), 3);
        // A method that A2A does not have is no reason to ask.
        client.call("nonsense", json!({}), &client.call_options()).await;
        assert_eq!(peer.calls().len(), 4);
    }
}

#[tokio::test]
async fn plain_http_goes_to_the_agents_origin_only() {
    let peer = Peer::agent(|request| {
        let body = format!("{} {}", request.method, request.path);
        answer("418 Teapot", "text/plain", body.as_bytes())
    })
    .await;
    let mut options = peer.options();
    options.headers = vec![("X-Key".into(), "k".into())];
    let client = Client::connect(options).await.unwrap();
    let request = |path: &str, credentials| HttpRequest {
        method: "PUT".into(),
        path: path.into(),
        headers: vec![("x-own".into(), "1".into())],
        body: b"exact".to_vec(),
        credentials,
        timeout: None,
        max_bytes: 6,
    };
    let response = client.http(request("/any?q=1", true)).await.unwrap();
    assert_eq!((response.head.http_status, response.raw.as_slice()), (Some(418), &b"PUT /a"[..]));
    client.http(request("/any", false)).await.unwrap();
    let calls = peer.calls();
    assert_eq!((calls[0].path.as_str(), calls[0].body.as_slice()), ("/any?q=1", &b"exact"[..]));
    assert_eq!((calls[0].header("x-key"), calls[0].header("x-own")), (Some("k"), Some("1")));
    assert_eq!((calls[1].header("x-key"), calls[1].header("content-type")), (None, None));
    let refused = client.http(request("http://127.0.0.1:1/", true)).await.unwrap_err();
    assert!(matches!(refused, ClientError::Refused { .. }));
    let peer = Peer::agent(|_| vec![Step::Hold]).await;
    let limit = Duration::from_millis(100);
    let waited = peer.client().await.http(HttpRequest { timeout: Some(limit), ..request("/", false) }).await;
    assert!(matches!(waited, Err(ClientError::Timeout { limit: found, .. }) if found == limit));
}
