//! Category streaming: the stream of a message (§3.1.2).

use a2a_host_sdk::pack::{Agent, Contract, Ending, EventStream, Failure, Outcome, Response};
use a2a_host_sdk::value::{Binding, Event};
use a2a_host_sdk::{Finding, Value, json, serde_json};

use crate::judgement::Judgement;
use crate::replay::{Over, Replay};
use crate::request::options;

/// An agent that works sends something within this time; what it has at heart is another contract's matter.
const EVENT_MS: u32 = 30_000;
/// After the last event the stream closes at once; this much is granted for the network.
const GRACE_MS: u32 = 2_000;
/// As many events as a turn of a contract file may have.
const MAX_EVENTS: usize = 1_000;

pub(crate) fn contracts() -> Vec<Contract> {
    vec![
        Contract::must(
            "stream.sse-events",
            "streaming",
            "streams a task from its start to its end, then closes",
            sse_events,
        )
        .spec("§3.1.2")
        .stimuli(&["streams"])
        .capabilities(&["streaming"]),
    ]
}

/// The stream begins with the task (or is one message), its events are well formed and in order, the last tells that the
/// task is completed, the stream closes, and GetTask tells the same afterwards.
fn sse_events(agent: &Agent) -> Outcome {
    let mut judgement = Judgement::default();
    let request = agent.message("streams")?;
    let options = options(agent, "streams")?;
    let opened = agent.open("SendStreamingMessage", &request, &options);
    let Some(stream) = judgement.answer("SendStreamingMessage", opened)? else { return judgement.outcome() };
    let binding = agent.endpoint().binding;
    if binding != Binding::Grpc {
        opening(&stream.opening(), &mut judgement);
    }
    let replay = read(&stream, binding, &mut judgement);
    if replay.over() == Some(Over::Message) {
        judgement.note("the stream is a single message, so there was no task to follow");
        return judgement.outcome();
    }
    end(&replay, &mut judgement);
    if let Some(id) = &replay.task_id
        && let Some(reply) = judgement.answer("GetTask", agent.call("GetTask", &json!({"id": id}), &options))?
    {
        replay.compare(&reply.body, &mut judgement);
    }
    judgement.outcome()
}

/// Status 200 and the media type of event streams (§9.4.2, §11.7).
fn opening(response: &Response, judgement: &mut Judgement) {
    if response.http_status != Some(200) {
        let actual = response.http_status.map_or_else(|| "none".to_owned(), |status| status.to_string());
        let finding = Finding::new("http-status", format!("the stream comes with HTTP status {actual}"));
        judgement.fail(finding.expected("200").actual(actual));
    }
    let given = response.header("content-type").unwrap_or_default();
    if !given.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/event-stream") {
        let shown = if given.is_empty() { "no media type" } else { given };
        let finding = Finding::new("content-type", format!("the stream comes as {shown}"));
        judgement.fail(finding.expected("text/event-stream").actual(given));
    }
}

/// Reads to the end, or to where reading on makes no sense.
fn read(stream: &EventStream, binding: Binding, judgement: &mut Judgement) -> Replay {
    let mut replay = Replay::default();
    let mut envelope_id = None;
    loop {
        let index = replay.count;
        if index == MAX_EVENTS {
            let finding = Finding::new("endless", format!("the stream goes on after {MAX_EVENTS} events"));
            judgement.fail(finding.event(index).rule("§3.1.2"));
            return replay;
        }
        let wait = if replay.over().is_some() { GRACE_MS } else { EVENT_MS };
        match stream.next(wait) {
            Ok(Some(event)) => {
                if binding == Binding::Jsonrpc {
                    envelope(&event, index, &mut envelope_id, judgement);
                }
                match event.body.as_deref().map(serde_json::from_str::<Value>) {
                    Some(Ok(body)) => replay.event(&body, binding, judgement),
                    _ => {
                        replay.count += 1;
                        judgement.fail(Finding::new("no-json", "the event is no JSON").event(index));
                    }
                }
            }
            Ok(None) => {
                ended(stream.how_ended(), index, judgement);
                return replay;
            }
            Err(Failure::Timeout) => {
                silent(&replay, judgement);
                return replay;
            }
            Err(failure) => {
                let finding = Finding::new("broken-stream", format!("after {index} events: {}", failure.words()));
                judgement.fail(finding.event(index));
                return replay;
            }
        }
    }
}

fn ended(ending: Ending, events: usize, judgement: &mut Judgement) {
    let message = match ending {
        Ending::Clean => return,
        Ending::Cut => "the stream ends within an event, or without the end that its transport has",
        Ending::Reset => "the connection broke",
        Ending::Open => "the stream was left open",
    };
    let finding = Finding::new("not-closed-cleanly", format!("{message}, after {events} events"));
    judgement.fail(finding.rule("§3.1.2").fix("end the response as HTTP or gRPC has it"));
}

/// Nothing came in time.
fn silent(replay: &Replay, judgement: &mut Judgement) {
    match replay.over() {
        Some(Over::Interrupted) => {
            judgement.note("the stream stays open while the task waits, which §7.6.1 wants and §11.7 does not");
        }
        Some(Over::Terminal | Over::Message) => {
            let message = format!("the stream is still open {} s after its last event", GRACE_MS / 1_000);
            let finding = Finding::new("not-closed", message).rule("§3.1.2");
            judgement.fail(finding.fix("close the stream when the task reaches a terminal state"));
        }
        None => {
            let message = format!("no event for {} s, after {} events", EVENT_MS / 1_000, replay.count);
            judgement.fail(Finding::new("silent", message).event(replay.count));
        }
    }
}

/// The task was told to its end.
fn end(replay: &Replay, judgement: &mut Judgement) {
    if replay.count == 0 {
        let finding = Finding::new("empty-stream", "the stream has no event").rule("§3.1.2");
        judgement.fail(finding.expected("the task, then its updates"));
        return;
    }
    // A state that has no name was told by its shape.
    if let Some(state) = replay.state.as_deref().filter(|state| state.starts_with("TASK_STATE_"))
        && state != "TASK_STATE_COMPLETED"
    {
        let (code, message) = match replay.over() {
            Some(_) => ("not-completed", format!("the task ended as {state}")),
            None => ("no-end", format!("the stream ends while the task is {state}")),
        };
        let finding = Finding::new(code, message).expected("TASK_STATE_COMPLETED").actual(state);
        judgement.fail(finding.event(replay.count - 1).rule("§3.1.2"));
    }
    if replay.artifact_updates == 0 {
        judgement.note("no artifact was streamed, so the rules about chunks were not exercised");
    }
}

/// Every item is a response of its own (§9.4.2): JSON-RPC 2.0, with the id of the request, which is the same throughout.
fn envelope(event: &Event, index: usize, first: &mut Option<Value>, judgement: &mut Judgement) {
    let Ok(text) = std::str::from_utf8(&event.raw) else {
        judgement.fail(Finding::new("no-utf-8", "the event is no UTF-8").event(index).rule("§14.1.1"));
        return;
    };
    let data: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    let data = if data.is_empty() { text.to_owned() } else { data.join("\n") };
    // What is no envelope at all, the host has not taken for an event.
    let Ok(Value::Object(envelope)) = serde_json::from_str(&data) else { return };
    let version = envelope.get("jsonrpc").cloned().unwrap_or_default();
    if version != "2.0" {
        let finding = Finding::new("jsonrpc-version", "`jsonrpc` is not \"2.0\"").event(index);
        judgement.fail(finding.expected("2.0").actual(version.to_string()).rule("§9.1"));
    }
    let id = envelope.get("id").cloned().unwrap_or_default();
    let first = first.get_or_insert_with(|| id.clone());
    if id.is_null() || id != *first {
        let finding = Finding::new("response-id", "the event does not have the id of the request").event(index);
        judgement.fail(finding.expected(first.to_string()).actual(id.to_string()).rule("§9.4.2"));
    }
}

#[cfg(test)]
mod tests;
