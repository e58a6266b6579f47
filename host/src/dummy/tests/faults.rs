use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde_json::json;

use crate::a2a::{Message, StreamResponse};
use crate::dummy::test_support::{Harness, message, outline};
use crate::dummy::{Agent, Call, EncodedReplies, Fault, Replies, Reply, Target};

/// Leaves the first item of a stream out, before anything is encoded.
struct LosesTheFirst;

impl Fault for LosesTheFirst {
    fn model(&self, call: &Call, replies: Replies) -> Replies {
        match call.streamed {
            true => replies.skip(1).chain(stream::iter([Ok(late())])).boxed(),
            false => replies,
        }
    }
}

fn late() -> Reply {
    Reply::Event(StreamResponse::Message(Message { message_id: "late".into(), ..Message::agent("too late") }))
}

/// Makes every id a string.
struct TextIds;

impl Fault for TextIds {
    fn encoded(&self, call: &Call, replies: EncodedReplies) -> EncodedReplies {
        if call.target == Target::Card {
            return replies.map(|_| json!({})).boxed();
        }
        replies
            .map(|mut reply| {
                reply["id"] = reply["id"].to_string().into();
                reply
            })
            .boxed()
    }
}

/// Cuts the body after some bytes and calls it HTML.
struct CutsOff;

impl Fault for CutsOff {
    fn bytes(&self, _: &Call, response: Response) -> Response {
        let (mut head, body) = response.into_parts();
        head.headers.insert("content-type", "text/html".parse().unwrap());
        let frames = body.into_data_stream().map(|frame| frame.map(|frame| frame.slice(..frame.len().min(20))));
        Response::from_parts(
            head,
            Body::from_stream(frames.take(1).chain(stream::iter([Ok(Bytes::from_static(b"!"))]))),
        )
    }
}

#[tokio::test]
async fn the_model_can_be_spoiled() {
    let harness = Harness::with(Agent::builder().fault(Arc::new(LosesTheFirst))).await;
    let items = harness.stream("echo x").await;
    assert_eq!(outline(&items), ["statusUpdate WORKING", "artifactUpdate", "statusUpdate COMPLETED", "message"]);
    assert_eq!(harness.send("echo x").await["status"]["state"], "TASK_STATE_COMPLETED", "plain answers are left alone");
}

#[tokio::test]
async fn the_encoded_reply_can_be_spoiled() {
    let harness = Harness::with(Agent::builder().fault(Arc::new(TextIds))).await;
    assert_eq!(harness.call("ListTasks", json!({})).await["id"], "1");
    let card = harness.http.get(harness.agent.card_url()).send().await.unwrap().text().await.unwrap();
    assert_eq!(card, "{}");
}

#[tokio::test]
async fn the_bytes_can_be_spoiled() {
    let harness = Harness::with(Agent::builder().fault(Arc::new(CutsOff)).fault(Arc::new(TextIds))).await;
    for (method, expected) in
        [("SendMessage", "{\"jsonrpc\":\"2.0\",\"id!"), ("SendStreamingMessage", "data: {\"jsonrpc\":\"2.!")]
    {
        let response = harness.response(method, &message("echo x"), &[]).await;
        assert_eq!(response.headers()["content-type"], "text/html");
        assert_eq!(response.text().await.unwrap(), expected);
    }
}
