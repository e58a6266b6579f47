use std::time::{Duration, Instant};

use serde_json::json;

use super::peer::{
    Peer, Step, bytes, chunk, chunked_head, codes, event, events, hello, result, says, stream, stream_head, task,
    update,
};
use crate::a2a::{Ending, ExchangeError, FrameKind};
use crate::client::{fold, last_state};

const WORKING: &str = "TASK_STATE_WORKING";
const DONE: &str = "TASK_STATE_COMPLETED";

#[tokio::test]
async fn a_stream_is_kept_raw_and_decoded_with_times() {
    let text = [": ping\n\n".to_owned(), event(&task(WORKING)), event(&says("hi"))].concat();
    let mut steps =
        vec![stream_head(), Step::Send(text.as_bytes()[..30].to_vec()), Step::Pause(Duration::from_millis(60))];
    steps.push(Step::Send(text.as_bytes()[30..].to_vec()));
    // The id is put in per write, and the cut must not go through its placeholder.
    assert!(!text[..30].ends_with('$') && !text[..30].ends_with("$I"));
    let exchange = stream(steps).await;
    assert_eq!(exchange.error, None);
    assert_eq!(exchange.ending, Ending::Clean);
    assert_eq!(exchange.deviations, []);
    let kinds: Vec<FrameKind> = exchange.frames.iter().map(|frame| frame.kind).collect();
    assert_eq!(kinds, [FrameKind::Comment, FrameKind::Event, FrameKind::Event]);
    assert!(exchange.raw.starts_with(b": ping\n\ndata: "));
    let second = &exchange.frames[1];
    assert!(exchange.raw[second.offset..second.offset + second.length].ends_with(b"}\n\n"));
    assert_eq!(exchange.events[0].frame, 1);
    assert!(exchange.frames[0].at <= second.at && second.at <= exchange.elapsed);
    assert!(exchange.frames[0].at > Duration::ZERO);
    let reply = fold(&exchange).unwrap();
    assert_eq!((reply.text.as_str(), reply.states), ("hi", vec!["working".to_owned(), "completed".into()]));
    assert_eq!(reply.first_event, Some(second.at));
}

// C027.
#[tokio::test]
async fn every_line_end_gives_the_same_events() {
    let text = [event(&task(WORKING)), event(&says("hi"))].concat();
    let (crlf, cr) = (text.replace('\n', "\r\n"), text.replace('\n', "\r"));
    let at = crlf.find("\r\n").unwrap() + 1;
    let split = vec![
        stream_head(),
        Step::Send(crlf.as_bytes()[..at].to_vec()),
        Step::Pause(Duration::from_millis(30)),
        Step::Send(crlf.as_bytes()[at..].to_vec()),
    ];
    for steps in [bytes(&crlf), bytes(&cr), split] {
        let exchange = stream(steps).await;
        assert_eq!((exchange.error.clone(), exchange.events.len()), (None, 2));
        assert_eq!(fold(&exchange).unwrap().text, "hi");
        assert_eq!(exchange.deviations, []);
    }
}

// C029.
#[tokio::test]
async fn other_fields_are_ignored() {
    let data = event(&task(DONE)).replace("data: ", "data:");
    let exchange = stream(bytes(format!("id: 1\nretry: 5000\nevent: message\nfoo: bar\n{data}"))).await;
    assert_eq!((exchange.error, exchange.events.len(), exchange.deviations), (None, 1, vec![]));
}

// C031.
#[tokio::test]
async fn two_documents_in_one_event_fail() {
    let text = format!("{}{}", event(&task(WORKING)).trim_end(), "\n") + &event(&update(DONE));
    let exchange = stream(bytes(text)).await;
    assert_eq!(
        exchange.error,
        Some(ExchangeError::Unreadable {
            why: "event 0: two JSON documents in one event; the blank line between them is missing".into()
        })
    );
}

// C033.
#[tokio::test]
async fn characters_may_be_cut_by_writes() {
    let text = event(&says("naïve 日本 🚀"));
    let (head, tail) = text.split_once("$ID").unwrap();
    let mut steps = vec![stream_head(), Step::Send(format!("{head}$ID").into_bytes())];
    steps.extend(tail.bytes().map(|byte| Step::Send(vec![byte])));
    let exchange = stream(steps).await;
    assert_eq!(fold(&exchange).unwrap().text, "naïve 日本 🚀");
}

// C035.
#[tokio::test]
async fn invalid_utf8_is_placed_in_the_body() {
    let mut text = event(&task(WORKING)).into_bytes();
    text.extend_from_slice(b"data: {\"text\":\"hi\xff\xfe\"}\n\n");
    let exchange = stream(bytes(&text)).await;
    let offset = exchange.raw.iter().position(|byte| *byte == 0xff).unwrap();
    assert_eq!(
        exchange.error,
        Some(ExchangeError::Unreadable {
            why: format!("event 1: invalid UTF-8 at byte {offset} of the body (ff fe 22 7d)")
        })
    );
    assert_eq!(exchange.events.len(), 1);
}

// C037.
#[tokio::test]
async fn an_endless_stream_ends_at_the_deadline_and_at_the_limit() {
    let endless = || {
        let mut steps = vec![stream_head(), Step::Send(event(&task(WORKING)).into_bytes())];
        for _ in 0..3000 {
            steps.push(Step::Send(event(&update(WORKING)).into_bytes()));
            steps.push(Step::Pause(Duration::from_millis(2)));
        }
        steps
    };
    let peer = Peer::agent(move |_| endless()).await;
    let mut options = peer.options();
    options.timeout = Duration::from_secs(1);
    let client = crate::client::Client::connect(options.clone()).await.unwrap();
    let exchange = client.call("SendStreamingMessage", hello(), &client.call_options()).await;
    assert_eq!(exchange.error, Some(ExchangeError::Timeout { limit: Duration::from_secs(1) }));
    assert_eq!(exchange.ending, Ending::Open);
    assert!(exchange.events.len() > 1);
    assert_eq!(last_state(&exchange).as_deref(), Some("working"));

    options.timeout = Duration::from_secs(20);
    options.limits.events = 10;
    let client = crate::client::Client::connect(options).await.unwrap();
    let exchange = client.call("SendStreamingMessage", hello(), &client.call_options()).await;
    assert_eq!(
        exchange.error,
        Some(ExchangeError::Limit { what: "the reply has more than 10 events; the last state was working".into() })
    );
    assert_eq!(exchange.events.len(), 10);
}

#[tokio::test]
async fn comments_have_a_limit() {
    let peer = Peer::agent(|_| bytes(":\n".repeat(5) + &event(&task(DONE)))).await;
    for (frames, ok) in [(6, true), (5, false)] {
        let mut options = peer.options();
        options.limits.frames = frames;
        let client = crate::client::Client::connect(options).await.unwrap();
        let exchange = client.call("SendStreamingMessage", hello(), &client.call_options()).await;
        let what = "the stream has more than 5 events and comments".into();
        assert_eq!(exchange.error, if ok { None } else { Some(ExchangeError::Limit { what }) });
    }
}

#[tokio::test]
async fn an_event_of_another_shape_is_kept_as_evidence() {
    let exchange = stream(events(&[task(WORKING), json!({"x": 1}), update(DONE)])).await;
    let why = "event 1: the response has none of `task`, `message`, `statusUpdate` and `artifactUpdate`; it has `x`";
    assert_eq!(exchange.error, Some(ExchangeError::Unreadable { why: why.into() }));
    assert_eq!(exchange.events.len(), 2);
}

#[tokio::test]
async fn lines_and_bodies_have_a_limit() {
    let peer = Peer::agent(|_| bytes([event(&task(WORKING)), event(&says(&"x".repeat(2000)))].concat())).await;
    for (event_bytes, body_bytes, ok, words) in [
        (3000, 100_000, true, ""),
        (1000, 100_000, false, "of the stream is longer than 1000 bytes"),
        (3000, 2000, false, "the answer is longer than the limit of 2000 bytes"),
    ] {
        let mut options = peer.options();
        options.limits.event_bytes = event_bytes;
        options.limits.body_bytes = body_bytes;
        let client = crate::client::Client::connect(options).await.unwrap();
        let exchange = client.call("SendStreamingMessage", hello(), &client.call_options()).await;
        match exchange.error {
            None => assert!(ok),
            Some(ExchangeError::Limit { what }) => assert!(!ok && what.contains(words), "{what}"),
            Some(other) => panic!("{other:?}"),
        }
    }
}

// C039.
#[tokio::test]
async fn a_stream_left_open_after_the_end_is_noted_and_not_waited_for() {
    let message = json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "x"}]}});
    for (last, noted) in [
        (vec![task(WORKING), update(DONE)], true),
        (vec![message], true),
        (vec![task(WORKING), update("TASK_STATE_INPUT_REQUIRED")], false),
        (vec![task(WORKING), update("TASK_STATE_AUTH_REQUIRED")], false),
    ] {
        let mut steps = events(&last);
        steps.push(Step::Hold);
        let started = Instant::now();
        let exchange = stream(steps).await;
        assert!(started.elapsed() < Duration::from_secs(15));
        assert_eq!(exchange.error, None);
        assert_eq!(exchange.ending, Ending::Open);
        let codes = codes(&exchange);
        assert_eq!(codes, if noted { vec![("stream-left-open", None)] } else { vec![] }, "{last:?}");
        assert_eq!(exchange.elapsed, exchange.events.last().unwrap().at);
        assert!(fold(&exchange).is_ok());
    }
}

#[tokio::test]
async fn the_grace_ends_when_work_goes_on() {
    let peer = Peer::agent(|_| {
        let mut steps = events(&[task(WORKING), update("TASK_STATE_AUTH_REQUIRED"), update(WORKING)]);
        steps.push(Step::Pause(Duration::from_millis(600)));
        steps.push(Step::Send(event(&update(DONE)).into_bytes()));
        steps
    })
    .await;
    let client = peer.client().await;
    let exchange = client.call("SendStreamingMessage", hello(), &client.call_options()).await;
    assert_eq!(fold(&exchange).unwrap().states, ["working", "auth_required", "working", "completed"]);
    assert_eq!(exchange.ending, Ending::Clean);
}

// C041.
#[tokio::test]
async fn events_out_of_order_are_named_by_their_index() {
    let message = json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "x"}]}});
    for (sequence, expected) in [
        (vec![update(WORKING), update(DONE)], ("first-event", Some(0))),
        (vec![message.clone(), message.clone()], ("after-message", Some(1))),
        (vec![message.clone(), update(DONE)], ("after-message", Some(1))),
        (vec![task(WORKING), message], ("message-in-task-stream", Some(1))),
    ] {
        let exchange = stream(events(&sequence)).await;
        assert_eq!(exchange.error, None);
        assert_eq!(codes(&exchange), [expected], "{sequence:?}");
    }
}

// C009, second half.
#[tokio::test]
async fn every_event_carries_the_id() {
    let wrong = event(&update(DONE)).replace("$ID", "8");
    let exchange = stream(bytes(event(&task(WORKING)) + &wrong)).await;
    assert_eq!(codes(&exchange), [("response-id", Some(1))]);
    assert_eq!(exchange.error, None);
}

#[tokio::test]
async fn an_error_in_the_stream_is_the_agents_error() {
    let error = "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"error\":{\"code\":-32004,\"message\":\"x\"}}\n\n";
    let exchange = stream(bytes(event(&task(WORKING)) + error)).await;
    assert!(matches!(exchange.error, Some(ExchangeError::Protocol { code: Some(-32004), .. })), "{:?}", exchange.error);
    assert_eq!(exchange.events.len(), 1);
}

#[tokio::test]
async fn the_ways_of_ending_are_told_apart() {
    // Inside an event.
    let exchange = stream(bytes(event(&task(DONE)) + "data: {\"half\"")).await;
    assert_eq!((exchange.ending, exchange.error.clone()), (Ending::Cut, None));
    assert_eq!(codes(&exchange), [("unfinished-event", None)]);
    assert_eq!(exchange.frames.last().unwrap().kind, FrameKind::Unfinished);
    // Chunked with and without its terminator.
    let text = event(&task(WORKING)).replace("$ID", "1");
    let whole = stream(vec![chunked_head(), chunk(&text), Step::Send(b"0\r\n\r\n".to_vec())]).await;
    assert_eq!((whole.ending, whole.error), (Ending::Clean, None));
    let cut = stream(vec![chunked_head(), chunk(&text)]).await;
    assert_eq!(cut.ending, Ending::Cut);
    assert_eq!(cut.events.len(), 1);
    let Some(ExchangeError::Transport { why }) = &cut.error else { panic!("{:?}", cut.error) };
    assert!(why.starts_with("the connection was closed before the answer was complete, after"), "{why}");
    // A reset.
    // Time to read what came before: a reset throws away what is unread.
    let pause = Step::Pause(Duration::from_secs(1));
    let reset = stream(vec![chunked_head(), chunk(&text), pause, Step::Reset]).await;
    assert_eq!(reset.ending, Ending::Reset, "{:?}", reset.error);
    let Some(ExchangeError::Transport { why }) = &reset.error else { panic!("{:?}", reset.error) };
    assert!(why.starts_with("the connection broke"), "{why}");
    assert_eq!(reset.events.len(), 1);
}

#[tokio::test]
async fn oddities_of_the_stream_are_noted() {
    let text = "\u{feff}".to_owned() + "data\n\nid: a\0b\n" + &event(&task(DONE));
    let exchange = stream(bytes(text)).await;
    assert_eq!(codes(&exchange), [("empty-event", Some(0)), ("sse-id", Some(0)), ("byte-order-mark", None)]);
    assert_eq!(exchange.events.len(), 1);
}

#[tokio::test]
async fn a_stream_can_be_read_event_by_event() {
    let peer = Peer::agent(|_| {
        let mut steps = events(&[task(WORKING)]);
        steps.push(Step::Send(b"data: {\n\n".to_vec()));
        steps.push(Step::Pause(Duration::from_millis(1500)));
        steps.push(Step::Send(event(&update(DONE)).into_bytes()));
        steps
    })
    .await;
    let client = peer.client().await;
    let mut stream = client.open("SendStreamingMessage", hello(), &client.call_options()).await.ok().unwrap();
    assert_eq!(peer.calls()[0].header("accept"), Some("text/event-stream"));
    assert_eq!(stream.opening().header("content-type"), Some("text/event-stream"));
    let long = Duration::from_secs(15);
    let (first, raw) = stream.next(long).await.unwrap().unwrap();
    assert_eq!(first.body, task(WORKING));
    assert!(raw.starts_with(b"data: {") && raw.ends_with(b"\n\n"));
    assert!(matches!(stream.next(long).await, Err(ExchangeError::Unreadable { .. })));
    let short = Duration::from_millis(20);
    assert_eq!(stream.next(short).await.unwrap_err(), ExchangeError::Timeout { limit: short });
    assert_eq!(stream.ending(), Ending::Open);
    assert_eq!(stream.next(long).await.unwrap().unwrap().0.body, update(DONE));
    assert!(stream.next(long).await.unwrap().is_none());
    assert!(stream.next(long).await.unwrap().is_none());
    assert_eq!(stream.ending(), Ending::Clean);
    let exchange = stream.finish();
    assert_eq!(exchange.events.len(), 2);
    assert_eq!(exchange.frames.len(), 3);
    assert!(matches!(exchange.error, Some(ExchangeError::Unreadable { .. })));
}

#[tokio::test]
async fn a_stream_read_by_hand_has_the_deadline_of_its_call() {
    let peer = Peer::agent(|_| {
        let mut steps = events(&[task(WORKING)]);
        steps.push(Step::Hold);
        steps
    })
    .await;
    let client = peer.client().await;
    let mut options = client.call_options();
    options.timeout = Some(Duration::from_millis(200));
    let mut stream = client.open("SendStreamingMessage", hello(), &options).await.ok().unwrap();
    stream.next(Duration::from_secs(15)).await.unwrap().unwrap();
    let limit = Duration::from_millis(200);
    assert_eq!(stream.next(Duration::from_secs(15)).await.unwrap_err(), ExchangeError::Timeout { limit });
    assert!(stream.next(Duration::from_secs(15)).await.unwrap().is_none());
    assert_eq!(stream.finish().error, Some(ExchangeError::Timeout { limit }));
}

#[tokio::test]
async fn a_plain_answer_to_a_streaming_call_is_one_reply() {
    let exchange = stream(result(&task(DONE))).await;
    assert_eq!((exchange.error.clone(), exchange.events.len()), (None, 1));
    assert_eq!(codes(&exchange), [("not-streamed", None)]);
    assert!(!exchange.response.as_ref().unwrap().streamed);
    assert_eq!(fold(&exchange).unwrap().state, "completed");
    let peer = Peer::agent(|_| result(&task(DONE))).await;
    let client = peer.client().await;
    let exchange = client.open("SendStreamingMessage", hello(), &client.call_options()).await.err().unwrap();
    assert_eq!((exchange.error, exchange.events.len()), (None, 1));
}

#[tokio::test]
async fn a_stream_that_nobody_asked_for_is_read_all_the_same() {
    let exchange = super::peer::send(events(&[task(WORKING), update(DONE)])).await;
    assert_eq!(codes(&exchange), [("unexpected-stream", None)]);
    assert_eq!(fold(&exchange).unwrap().state, "completed");
}

#[test]
fn clients_and_streams_may_move_between_threads() {
    fn shared<T: Send + Sync + Clone>() {}
    fn moved<T: Send>(_: &T) {}
    shared::<crate::client::Client>();
    let future = async {
        let client =
            crate::client::Client::connect(crate::client::ClientOptions::new("http://h/".parse().unwrap())).await;
        let client = client.ok()?;
        let mut stream = client.open("SendStreamingMessage", hello(), &client.call_options()).await.ok()?;
        stream.next(Duration::ZERO).await.ok()?;
        client.call("GetTask", json!({}), &client.call_options()).await.error
    };
    moved(&future);
}
