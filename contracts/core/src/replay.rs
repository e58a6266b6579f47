//! The events of a stream, put together to the task that they tell of, and judged on the way.

use a2a_host_sdk::value::Binding;
use a2a_host_sdk::{Finding, Value};

use crate::judgement::Judgement;
use crate::shape::{Item, of_event};

/// What the events came to so far.
#[derive(Default)]
pub(crate) struct Replay {
    /// How many there were.
    pub(crate) count: usize,
    pub(crate) task_id: Option<String>,
    context_id: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) artifacts: Vec<Artifact>,
    /// How many of the events were updates of an artifact.
    pub(crate) artifact_updates: usize,
    over: Option<Over>,
}

/// Why nothing more is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Over {
    /// A bare message was the answer.
    Message,
    /// The task ended.
    Terminal,
    /// The task waits for the client; whether the stream closes then, the specification says both ways.
    Interrupted,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Artifact {
    pub(crate) id: String,
    pub(crate) parts: Vec<Value>,
    finished: bool,
}

impl Replay {
    pub(crate) fn over(&self) -> Option<Over> {
        self.over
    }

    /// Takes the next event.
    pub(crate) fn event(&mut self, body: &Value, binding: Binding, judgement: &mut Judgement) {
        let index = self.count;
        self.count += 1;
        let Some(item) = of_event(judgement, index).item(body) else { return };
        self.order(item, binding, index, judgement);
        self.ids(item, index, judgement);
        match item {
            Item::Message(_) => self.over = Some(Over::Message),
            Item::Task(task) => {
                self.state(&task["status"]);
                let artifacts = task["artifacts"].as_array().map(Vec::as_slice).unwrap_or_default();
                self.artifacts = artifacts.iter().map(Artifact::whole).collect();
            }
            Item::Status(update) => self.state(&update["status"]),
            Item::Artifact(update) => {
                self.artifact_updates += 1;
                self.artifact(update, index, judgement);
            }
        }
    }

    /// First the task or a single message, then updates, and nothing after the end (§3.1.2).
    fn order(&self, item: Item, binding: Binding, index: usize, judgement: &mut Judgement) {
        let what = word(item);
        let finding = match (index, item, self.over) {
            (0, Item::Task(_) | Item::Message(_), _) => return,
            (0, ..) => Finding::new("task-not-first", format!("the first event is a {what}"))
                .expected("task, or a single message")
                .fix("send the task before its updates"),
            (_, _, Some(Over::Message)) => {
                Finding::new("after-message", format!("a {what} follows a message, which is the whole answer"))
                    .expected("the end of the stream")
            }
            // Over HTTP+JSON a snapshot of the finished task may close the stream (§11.7).
            (_, Item::Task(_), _) if binding == Binding::HttpJson => return,
            (_, _, Some(Over::Terminal)) => {
                let state = self.state.as_deref().unwrap_or_default();
                Finding::new("after-the-end", format!("a {what} follows {state}, after which nothing changes"))
                    .expected("the end of the stream")
            }
            (_, Item::Message(_), _) => Finding::new("message-in-task", "a message stands in the stream of a task")
                .expected("statusUpdate or artifactUpdate")
                .fix("send it as the message of a status"),
            (_, Item::Task(_), _) => {
                Finding::new("task-again", "the task is sent again").expected("statusUpdate or artifactUpdate")
            }
            _ => return,
        };
        judgement.fail(finding.event(index).actual(what).rule("§3.1.2"));
    }

    /// All events are about one task in one context.
    fn ids(&mut self, item: Item, index: usize, judgement: &mut Judgement) {
        let (value, arm, task_member) = match item {
            Item::Task(task) => (task, "task", "id"),
            Item::Status(update) => (update, "statusUpdate", "taskId"),
            Item::Artifact(update) => (update, "artifactUpdate", "taskId"),
            // A message has ids only where it belongs to a task.
            Item::Message(_) => return,
        };
        let known = [(&mut self.task_id, task_member), (&mut self.context_id, "contextId")];
        for (known, member) in known {
            let Some(found) = value[member].as_str().filter(|id| !id.is_empty()) else { continue };
            match known {
                None => *known = Some(found.to_owned()),
                Some(known) if known == found => {}
                Some(known) => {
                    let finding = Finding::new("other-id", format!("the `{member}` changes within the stream"));
                    let finding = finding.event(index).path(format!("/{arm}/{member}"));
                    judgement.fail(finding.expected(known.as_str()).actual(found).rule("§4.2"));
                }
            }
        }
    }

    fn state(&mut self, status: &Value) {
        let Some(state) = status["state"].as_str() else { return };
        self.state = Some(state.to_owned());
        self.over = match state {
            "TASK_STATE_COMPLETED" | "TASK_STATE_FAILED" | "TASK_STATE_CANCELED" | "TASK_STATE_REJECTED" => {
                Some(Over::Terminal)
            }
            "TASK_STATE_INPUT_REQUIRED" | "TASK_STATE_AUTH_REQUIRED" => Some(Over::Interrupted),
            _ => None,
        };
    }

    /// `append` adds to an artifact that was announced; after `lastChunk` it does not change any more (§4.2.2).
    fn artifact(&mut self, update: &Value, index: usize, judgement: &mut Judgement) {
        let mut chunk = Artifact::whole(&update["artifact"]);
        chunk.finished = update["lastChunk"].as_bool().unwrap_or(false);
        let append = update["append"].as_bool().unwrap_or(false);
        let finding = |code: &str, message: String| Finding::new(code, message).event(index).rule("§4.2.2");
        let known = self.artifacts.iter_mut().find(|artifact| artifact.id == chunk.id);
        if known.as_ref().is_some_and(|artifact| artifact.finished) {
            let message = format!("artifact {} changes after its last chunk", chunk.id);
            judgement.fail(finding("after-last-chunk", message).path("/artifactUpdate/artifact/artifactId"));
        }
        match known {
            Some(artifact) if append => {
                artifact.parts.append(&mut chunk.parts);
                artifact.finished |= chunk.finished;
            }
            Some(artifact) => *artifact = chunk,
            None => {
                if append {
                    let message = format!("a chunk is appended to artifact {}, which never began", chunk.id);
                    let finding = finding("append-to-unknown", message).path("/artifactUpdate/append");
                    judgement.fail(finding.fix("send the first chunk without `append`"));
                }
                self.artifacts.push(chunk);
            }
        }
    }

    /// Complains where the task, fetched afterwards, is not what the stream told.
    pub(crate) fn compare(&self, task: &Value, judgement: &mut Judgement) {
        let state = task["status"]["state"].as_str();
        if state != self.state.as_deref() {
            let finding =
                Finding::new("other-state", "GetTask tells another state than the stream").path("/status/state");
            let finding = finding.expected(self.state.clone().unwrap_or_default());
            judgement.fail(finding.actual(state.unwrap_or_default()).rule("§3.1.3"));
        }
        let fetched = task["artifacts"].as_array().map(Vec::as_slice).unwrap_or_default();
        let fetched: Vec<Artifact> = fetched.iter().map(Artifact::whole).collect();
        for streamed in &self.artifacts {
            let Some(index) = fetched.iter().position(|artifact| artifact.id == streamed.id) else {
                let message = format!("GetTask does not have artifact {}, which was streamed", streamed.id);
                judgement.fail(Finding::new("artifact-lost", message).path("/artifacts").rule("§3.1.3"));
                continue;
            };
            let (one, two) = (contents(&streamed.parts), contents(&fetched[index].parts));
            if one != two {
                let message = format!("artifact {} is another in GetTask than in the stream", streamed.id);
                let finding = Finding::new("other-artifact", message).path(format!("/artifacts/{index}/parts"));
                judgement.fail(finding.expected(shown(&one)).actual(shown(&two)).rule("§3.1.3"));
            }
        }
        for artifact in fetched.iter().filter(|fetched| !self.artifacts.iter().any(|known| known.id == fetched.id)) {
            let message = format!("GetTask has artifact {}, which was not streamed", artifact.id);
            judgement.fail(Finding::new("artifact-not-streamed", message).path("/artifacts").rule("§3.1.2"));
        }
    }
}

impl Artifact {
    fn whole(value: &Value) -> Artifact {
        let id = value["artifactId"].as_str().unwrap_or_default().to_owned();
        Artifact { id, parts: value["parts"].as_array().cloned().unwrap_or_default(), finished: false }
    }
}

/// The contents of parts. Texts in a row count as one: whether an agent keeps chunks apart is its own affair.
fn contents(parts: &[Value]) -> Vec<Value> {
    let mut contents: Vec<Value> = Vec::new();
    for part in parts {
        let content = ["text", "raw", "url", "data"].into_iter().find_map(|arm| {
            let value = part.get(arm).filter(|value| arm == "data" || !value.is_null())?;
            Some(a2a_host_sdk::json!({arm: value}))
        });
        let Some(content) = content else { continue };
        let text = content["text"].as_str();
        match (contents.last_mut().and_then(|last| last.get_mut("text")), text) {
            (Some(Value::String(before)), Some(text)) => before.push_str(text),
            _ => contents.push(content),
        }
    }
    contents
}

fn shown(contents: &[Value]) -> String {
    /// Enough to see what differs in most cases.
    const CHARS: usize = 500;
    let text = Value::from(contents.to_vec()).to_string();
    match text.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn word(item: Item) -> &'static str {
    match item {
        Item::Task(_) => "task",
        Item::Message(_) => "message",
        Item::Status(_) => "statusUpdate",
        Item::Artifact(_) => "artifactUpdate",
    }
}
