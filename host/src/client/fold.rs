//! Events → what assertions read.

use serde_json::{Map, Value};

use super::content::{Content, Totals};
use super::decode::{self, Payload};
use super::excerpt::clean;
use super::notes::Notes;
use super::options::Limits;
use super::order::Order;
use super::reply::Reply;
use super::snapshot::Snapshot;
use crate::a2a::{Exchange, ExchangeError, Operation, StateClass, TaskState};
use crate::sandbox::PartSource;

/// Folds an exchange within the default limits; see [`fold_within`].
pub fn fold(exchange: &Exchange) -> Result<Reply, ExchangeError> {
    fold_within(exchange, &Limits::default())
}

/// Folds the events of an exchange into a reply. Fails with the exchange's own error where it has one, with `Unreadable`
/// where an event is no A2A event or the reply ends in a state that ends no turn, and with `Limit` where it is too much.
/// GetTask, CancelTask and a send that asked to return at once may end in any state.
pub fn fold_within(exchange: &Exchange, limits: &Limits) -> Result<Reply, ExchangeError> {
    if let Some(error) = &exchange.error {
        return Err(error.clone());
    }
    let streamed = exchange.response.as_ref().is_some_and(|response| response.streamed);
    let mut fold = Fold::new(&exchange.operation, streamed, limits.clone());
    let mut notes = Notes::default();
    for event in &exchange.events {
        fold.push(&event.body, &mut notes)?;
    }
    let unreadable = |why: String| Err(ExchangeError::Unreadable { why });
    if exchange.events.is_empty() {
        return unreadable("the agent answered without a single event".into());
    }
    if fold.foreign {
        return unreadable(format!("{} answers with neither a task nor a message", clean(&exchange.operation)));
    }
    let any_state =
        matches!(Operation::from_name(&exchange.operation), Some(Operation::GetTask | Operation::CancelTask))
            || exchange.request.body["configuration"]["returnImmediately"] == Value::Bool(true);
    if !any_state && matches!(fold.state.as_str(), "submitted" | "working" | "unspecified") {
        return unreadable(format!(
            "the reply ended in state {}, which neither ends the task nor waits for the client",
            fold.state
        ));
    }
    let mut deviations = exchange.deviations.clone();
    deviations.extend(notes.into_list().into_iter().filter(|note| !exchange.deviations.contains(note)));
    let texts: Vec<&str> =
        fold.contents().map(|content| content.text.as_str()).filter(|text| !text.is_empty()).collect();
    let text = texts.join("\n");
    let parts = fold.contents().flat_map(|content| content.parts.iter().cloned()).collect();
    if fold.states.is_empty() {
        fold.states.push(fold.state.clone());
    }
    Ok(Reply {
        state: fold.state,
        states: fold.states,
        text,
        parts,
        task_id: fold.task_id,
        context_id: fold.context_id,
        folded: fold.snapshot.into_value(),
        first_event: exchange.events.first().map(|event| event.at),
        elapsed: exchange.elapsed,
        deviations,
    })
}

/// What tells one message or artifact from another.
#[derive(Debug, PartialEq)]
enum Key {
    Id(String),
    /// Without an id: the place in a list of a task.
    Place(PartSource, usize),
    /// Without an id: the number of the arrival.
    Arrival(usize),
}

/// The fold under way. The client runs it while it reads, so that a limit ends the exchange at once.
#[derive(Debug)]
pub(crate) struct Fold {
    operation: String,
    limits: Limits,
    order: Option<Order>,
    events: usize,
    state: String,
    states: Vec<String>,
    messages: Vec<(Key, Content)>,
    artifacts: Vec<(Key, Content)>,
    task_id: Option<String>,
    context_id: Option<String>,
    snapshot: Snapshot,
    /// The operation answers with something that is no reply.
    foreign: bool,
    arrivals: usize,
}

impl Fold {
    pub(crate) fn new(operation: &str, streamed: bool, limits: Limits) -> Self {
        Fold {
            operation: operation.to_owned(),
            limits,
            order: streamed.then(Order::default),
            events: 0,
            // The contract language's word for a reply without a task.
            state: "message".into(),
            states: Vec::new(),
            messages: Vec::new(),
            artifacts: Vec::new(),
            task_id: None,
            context_id: None,
            snapshot: Snapshot::default(),
            foreign: false,
            arrivals: 0,
        }
    }

    /// Takes the next event. An error leaves what was folded before as it is.
    pub(crate) fn push(&mut self, body: &Value, notes: &mut Notes) -> Result<(), ExchangeError> {
        if self.events == self.limits.events {
            return Err(self.limit(format!("the reply has more than {} events", self.limits.events)));
        }
        // A plain reply is one event, whose index says nothing.
        let index = self.order.is_some().then_some(self.events);
        notes.event = index;
        self.events += 1;
        let payload = decode::read(&self.operation, body, notes).map_err(|why| ExchangeError::Unreadable {
            why: index.map_or_else(|| why.clone(), |index| format!("event {index}: {why}")),
        })?;
        if let Some(order) = &mut self.order {
            order.push(&payload, notes);
        }
        self.take(&payload, notes).map_err(|what| self.limit(what))?;
        self.snapshot.apply(&payload);
        Totals::of(self.contents()).check(&self.limits).map_err(|what| self.limit(what))?;
        notes.event = None;
        Ok(())
    }

    /// What the last state means for the stream; a bare message ends it like a terminal state.
    pub(crate) fn class(&self) -> StateClass {
        match (self.events, self.states.last().map(String::as_str)) {
            (0, _) | (_, None) => StateClass::Running,
            (_, Some("message")) => StateClass::Terminal,
            (_, Some(word)) => {
                let state = TaskState::ALL.into_iter().find(|state| state.word() == word);
                state.map_or(StateClass::Running, TaskState::class)
            }
        }
    }

    fn limit(&self, what: String) -> ExchangeError {
        let state = match self.states.last() {
            Some(state) => format!("; the last state was {}", clean(state)),
            None => String::new(),
        };
        ExchangeError::Limit { what: format!("{what}{state}") }
    }

    fn contents(&self) -> impl Iterator<Item = &Content> {
        self.messages.iter().chain(&self.artifacts).map(|(_, content)| content)
    }

    fn take(&mut self, payload: &Payload, notes: &mut Notes) -> Result<(), String> {
        match payload {
            Payload::Other => self.foreign = true,
            Payload::Message(message) => {
                self.record("message".into());
                self.message(message, PartSource::Message, None)?;
            }
            Payload::Task(task) => {
                self.status(task)?;
                for (index, message) in objects(task, "history").enumerate() {
                    self.message(message, PartSource::Message, Some(index))?;
                }
                for (index, artifact) in objects(task, "artifacts").enumerate() {
                    self.whole_artifact(artifact, index)?;
                }
                self.ids(task, "id");
            }
            Payload::StatusUpdate(update) => {
                self.status(update)?;
                self.ids(update, "taskId");
            }
            Payload::ArtifactUpdate(update) => {
                self.artifact_update(update, notes)?;
                self.ids(update, "taskId");
            }
        }
        Ok(())
    }

    fn status(&mut self, holder: &Map<String, Value>) -> Result<(), String> {
        let status = holder.get("status").and_then(Value::as_object);
        let state = status.and_then(|status| status.get("state")).and_then(Value::as_str);
        self.record(match state {
            None | Some("TASK_STATE_UNSPECIFIED") => "unspecified".into(),
            Some(name) => TaskState::from_wire(name).map_or_else(|| name.to_owned(), |state| state.word().to_owned()),
        });
        match status.and_then(|status| status.get("message")).and_then(Value::as_object) {
            Some(message) => self.message(message, PartSource::Status, None),
            None => Ok(()),
        }
    }

    fn record(&mut self, state: String) {
        if self.states.last() != Some(&state) {
            self.states.push(state.clone());
        }
        self.state = state;
    }

    fn ids(&mut self, holder: &Map<String, Value>, task_key: &str) {
        let id = |key: &str| text(holder, key);
        self.task_id = id(task_key).or(self.task_id.take());
        self.context_id = id("contextId").or(self.context_id.take());
    }

    /// A message of the agent's; those of the user are no part of the reply. The same id keeps its place.
    fn message(
        &mut self,
        message: &Map<String, Value>,
        source: PartSource,
        place: Option<usize>,
    ) -> Result<(), String> {
        if message.get("role").and_then(Value::as_str) == Some("ROLE_USER") {
            return Ok(());
        }
        self.ids(message, "taskId");
        let id = text(message, "messageId");
        let key = self.key(&id, source, place);
        let known = self.messages.iter().position(|(known, _)| *known == key);
        // A status message that also stands in the history is still a status message.
        let source = known.map_or(source, |at| self.messages[at].1.source);
        let mut content = Content::new(source, id, None);
        content.add(message, &self.limits)?;
        match known {
            Some(at) => self.messages[at].1 = content,
            None => {
                holders("messages", self.messages.len(), &self.limits)?;
                self.messages.push((key, content));
            }
        }
        Ok(())
    }

    /// An artifact of a snapshot.
    fn whole_artifact(&mut self, artifact: &Map<String, Value>, place: usize) -> Result<(), String> {
        let id = text(artifact, "artifactId");
        let key = self.key(&id, PartSource::Artifact, Some(place));
        let mut content = Content::new(PartSource::Artifact, id, text(artifact, "name"));
        content.add(artifact, &self.limits)?;
        match self.artifacts.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => {
                content.finished = known.finished;
                *known = content;
            }
            None => {
                holders("artifacts", self.artifacts.len(), &self.limits)?;
                self.artifacts.push((key, content));
            }
        }
        Ok(())
    }

    fn artifact_update(&mut self, update: &Map<String, Value>, notes: &mut Notes) -> Result<(), String> {
        let Some(artifact) = update.get("artifact").and_then(Value::as_object) else {
            return Ok(());
        };
        let flag = |key: &str| update.get(key).and_then(Value::as_bool).unwrap_or(false);
        let append = flag("append");
        let id = text(artifact, "artifactId");
        let label = id.as_deref().map_or_else(|| "without an id".to_owned(), |id| format!("`{}`", clean(id)));
        let name = text(artifact, "name");
        let key = self.key(&id, PartSource::Artifact, None);
        let known = self.artifacts.iter().position(|(known, _)| *known == key);
        if known.is_some_and(|at| self.artifacts[at].1.finished) {
            notes.whole("after-last-chunk", format!("artifact {label} changes after its last chunk"));
        }
        let at = match known {
            Some(at) if append => at,
            Some(at) => {
                let chunks = self.artifacts[at].1.chunks;
                if chunks > 1 {
                    let message = format!("artifact {label} came without `append` and replaced {chunks} chunks");
                    notes.whole("artifact-replaced", message);
                }
                self.artifacts[at].1 = Content::new(PartSource::Artifact, id, name.clone());
                at
            }
            None => {
                if append {
                    notes.whole(
                        "append-to-unknown",
                        format!("a chunk is appended to artifact {label}, which never began"),
                    );
                }
                holders("artifacts", self.artifacts.len(), &self.limits)?;
                self.artifacts.push((key, Content::new(PartSource::Artifact, id, name.clone())));
                self.artifacts.len() - 1
            }
        };
        let content = &mut self.artifacts[at].1;
        if name.is_some() {
            content.name = name;
        }
        content.add(artifact, &self.limits)?;
        content.finished |= flag("lastChunk");
        Ok(())
    }

    fn key(&mut self, id: &Option<String>, source: PartSource, place: Option<usize>) -> Key {
        match (id, place) {
            (Some(id), _) => Key::Id(id.clone()),
            (None, Some(place)) => Key::Place(source, place),
            (None, None) => {
                self.arrivals += 1;
                Key::Arrival(self.arrivals)
            }
        }
    }
}

/// A member that is a string and not empty.
fn text(holder: &Map<String, Value>, key: &str) -> Option<String> {
    holder.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn objects<'a>(holder: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a Map<String, Value>> {
    holder.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

/// The last state that the events of an exchange show, whatever became of it; for the words around an error.
pub fn last_state(exchange: &Exchange) -> Option<String> {
    let mut fold = Fold::new(&exchange.operation, false, Limits::default());
    let mut notes = Notes::default();
    for event in &exchange.events {
        if fold.push(&event.body, &mut notes).is_err() {
            break;
        }
    }
    fold.states.pop()
}

/// Whether one more message or artifact may be kept.
fn holders(what: &str, kept: usize, limits: &Limits) -> Result<(), String> {
    if kept < limits.holders { Ok(()) } else { Err(format!("the reply has more than {} {what}", limits.holders)) }
}
