use serde_json::{Map, Value};

use super::decode::Payload;
use super::excerpt::clean;
use super::notes::Notes;
use crate::a2a::TaskState;

/// Holds the events of a stream against the order that the specification allows (§3.1.2, §4.2): a task stream begins with
/// a task, a message stream is one message, nothing but a repeated snapshot follows a terminal state, and ids stay.
#[derive(Debug, Default)]
pub(crate) struct Order {
    seen: usize,
    message: bool,
    terminal: Option<TaskState>,
    task_id: Option<String>,
    context_id: Option<String>,
}

impl Order {
    /// Takes the next event; `notes.event` is its index.
    pub(crate) fn push(&mut self, payload: &Payload, notes: &mut Notes) {
        let (what, map, task_key) = match payload {
            Payload::Task(map) => ("task", map, "id"),
            Payload::Message(map) => ("message", map, "taskId"),
            Payload::StatusUpdate(map) => ("statusUpdate", map, "taskId"),
            Payload::ArtifactUpdate(map) => ("artifactUpdate", map, "taskId"),
            Payload::Other => return,
        };
        let is_message = what == "message";
        let state = map.get("status").and_then(|status| status["state"].as_str()).and_then(TaskState::from_wire);
        if self.seen == 0 {
            if !is_message && what != "task" {
                notes.whole("first-event", format!("the first event is a `{what}`, expected a `task` or a `message`"));
            }
        } else if self.message {
            notes.whole("after-message", format!("a `{what}` follows a bare message, which must be the only event"));
        } else if is_message {
            notes.whole("message-in-task-stream", "a bare message stands in the stream of a task".into());
        }
        if let Some(terminal) = self.terminal {
            // An agent may repeat the final task before it closes (§11.7).
            if what != "task" || state != Some(terminal) {
                notes.whole("after-terminal", format!("a `{what}` follows the terminal state {terminal}"));
            }
        }
        same(&mut self.task_id, map, task_key, "task id", notes);
        same(&mut self.context_id, map, "contextId", "context id", notes);
        self.seen += 1;
        self.message |= is_message;
        self.terminal = self.terminal.or(state.filter(|state| state.is_terminal()));
    }
}

fn same(seen: &mut Option<String>, map: &Map<String, Value>, key: &str, what: &str, notes: &mut Notes) {
    let Some(id) = map.get(key).and_then(Value::as_str).filter(|id| !id.is_empty()) else {
        return;
    };
    match seen {
        Some(seen) if seen != id => {
            let message = format!("the {what} is {}, it was {} before", clean(id), clean(seen));
            notes.whole("id-changed", message);
        }
        _ => *seen = Some(id.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn notes(events: &[Value]) -> Vec<(&'static str, Option<usize>)> {
        let mut order = Order::default();
        let mut notes = Notes::default();
        for (index, event) in events.iter().enumerate() {
            notes.event = Some(index);
            let payload = crate::client::decode::read("SendStreamingMessage", event, &mut Notes::default()).unwrap();
            order.push(&payload, &mut notes);
        }
        notes.into_list().iter().map(|note| (note.code, note.event)).collect()
    }

    fn task(state: &str) -> Value {
        json!({"task": {"id": "t", "contextId": "c", "status": {"state": state}}})
    }

    fn update(state: &str) -> Value {
        json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": state}}})
    }

    fn message() -> Value {
        json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "x"}]}})
    }

    // C041.
    #[test]
    fn each_bad_event_is_named_by_its_index() {
        let (working, done) = ("TASK_STATE_WORKING", "TASK_STATE_COMPLETED");
        assert_eq!(notes(&[task(working), update(working), update(done)]), []);
        assert_eq!(notes(&[message()]), []);
        assert_eq!(notes(&[update(working), update(done)]), [("first-event", Some(0))]);
        assert_eq!(notes(&[message(), message()]), [("after-message", Some(1))]);
        assert_eq!(notes(&[message(), update(done)]), [("after-message", Some(1))]);
        assert_eq!(notes(&[task(working), message()]), [("message-in-task-stream", Some(1))]);
    }

    #[test]
    fn only_the_same_snapshot_may_follow_a_terminal_state() {
        let done = "TASK_STATE_COMPLETED";
        assert_eq!(notes(&[task(done), task(done)]), []);
        assert_eq!(notes(&[task(done), update(done)]), [("after-terminal", Some(1))]);
        assert_eq!(notes(&[task(done), task("TASK_STATE_WORKING")]), [("after-terminal", Some(1))]);
        let other =
            json!({"statusUpdate": {"taskId": "u", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}});
        assert_eq!(notes(&[task("TASK_STATE_WORKING"), other]), [("id-changed", Some(1))]);
    }
}
