//! Stand-ins for the host, so that plugins are tested with plain `cargo test`: a recorded turn for assertions, a recording
//! task for extensions, a scripted agent for packs.

mod agent;

use std::cell::RefCell;

use serde_json::Value;

use crate::assertion::{ExchangeApi, ObservedPart, PartKind, Source, Turn, TurnData};
use crate::extension::{Request, Task, TaskApi};
use crate::value::{Artifact, Event, Message, Role, TaskState};

pub use agent::{ScriptedAgent, protocol_failure};

// ---- assertions -----------------------------------------------------------------------------------------------------

/// A turn with all that an assertion may fetch.
#[derive(Clone, Debug)]
pub struct RecordedTurn {
    /// The plain members.
    pub data: TurnData,
    /// The request.
    pub request: Value,
    /// The events.
    pub events: Vec<Event>,
    /// The task or message after all events.
    pub folded: Value,
    /// The agent's error.
    pub error: Option<Value>,
    /// Bytes of the raw parts, by index.
    pub bytes: Vec<Option<Vec<u8>>>,
}

impl RecordedTurn {
    /// A completed turn that took ten milliseconds and brought nothing.
    pub fn new() -> RecordedTurn {
        RecordedTurn {
            data: TurnData {
                text: String::new(),
                state: "completed".into(),
                states: vec!["completed".into()],
                parts: Vec::new(),
                first_event_us: Some(10_000),
                elapsed_us: 10_000,
            },
            request: Value::Null,
            events: Vec::new(),
            folded: Value::Null,
            error: None,
            bytes: Vec::new(),
        }
    }

    /// A completed turn with this text in an artifact.
    pub fn with_text(text: &str) -> RecordedTurn {
        let mut recorded = RecordedTurn::new();
        recorded.data.text = text.into();
        recorded.data.parts.push(artifact_part(PartKind::Text, text));
        recorded
    }

    /// Adds a data part of an artifact.
    pub fn data(mut self, value: &Value) -> RecordedTurn {
        self.data.parts.push(artifact_part(PartKind::Data, &value.to_string()));
        self
    }

    /// With this state alone.
    pub fn state(mut self, state: &str) -> RecordedTurn {
        self.data.state = state.into();
        self.data.states = vec![state.into()];
        self
    }

    /// The turn to hand to [`Assertion::evaluate`](crate::assertion::Assertion::evaluate).
    pub fn turn(&self) -> Turn<'_> {
        Turn::new(&self.data, self)
    }
}

impl Default for RecordedTurn {
    fn default() -> Self {
        RecordedTurn::new()
    }
}

fn artifact_part(kind: PartKind, value: &str) -> ObservedPart {
    ObservedPart {
        source: Source::Artifact,
        message_id: None,
        artifact_id: Some("artifact".into()),
        artifact_name: Some("answer".into()),
        kind,
        media_type: None,
        filename: None,
        url: None,
        value: Some(value.into()),
        metadata: None,
        size: None,
        sha256: None,
    }
}

impl ExchangeApi for RecordedTurn {
    fn request(&self) -> String {
        self.request.to_string()
    }
    fn event_count(&self) -> u32 {
        u32::try_from(self.events.len()).unwrap_or(u32::MAX)
    }
    fn get_event(&self, index: u32) -> Option<Event> {
        self.events.get(index as usize).cloned()
    }
    fn folded(&self) -> String {
        self.folded.to_string()
    }
    fn error(&self) -> Option<String> {
        self.error.as_ref().map(Value::to_string)
    }
    fn bytes(&self, part: u32, offset: u64, length: u32) -> Option<Vec<u8>> {
        let bytes = self.bytes.get(part as usize)?.as_ref()?;
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let end = start.saturating_add(length as usize).min(bytes.len());
        Some(bytes[start..end].to_vec())
    }
}

// ---- extensions -----------------------------------------------------------------------------------------------------

/// A request with this text and these activated extensions.
pub fn request(text: &str, activated: &[&str]) -> Request {
    let uris: Vec<String> = activated.iter().map(|uri| (*uri).to_owned()).collect();
    Request {
        message: Message::new(Role::User, vec![crate::value::Part::text(text)]),
        text: text.into(),
        requested: uris.clone(),
        activated: uris,
        headers: Vec::new(),
        tenant: None,
        metadata: None,
        raw: "{}".into(),
        task: None,
    }
}

/// What a handler did to its task.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskEvent {
    /// It set a state, with these words.
    Status(TaskState, Option<Message>),
    /// It sent an artifact or a piece.
    Artifact(Artifact, bool, bool),
    /// It answered with a bare message.
    Reply(Message),
    /// It waited so many milliseconds.
    Sleep(u32),
}

/// A task that allows everything and remembers it.
#[derive(Default)]
pub struct RecordingTask {
    events: RefCell<Vec<TaskEvent>>,
    /// What [`Task::history`] answers.
    pub history: Vec<Message>,
    /// Whether [`Task::sleep`] says that the client cancelled.
    pub canceled: bool,
}

impl RecordingTask {
    /// The handle for [`Extension::handle`](crate::extension::Extension::handle).
    pub fn task(&self) -> Task<'_> {
        Task::new(self)
    }

    /// What happened so far.
    pub fn events(&self) -> Vec<TaskEvent> {
        self.events.borrow().clone()
    }
}

impl TaskApi for RecordingTask {
    fn id(&self) -> String {
        "task".into()
    }
    fn context_id(&self) -> String {
        "context".into()
    }
    fn history(&self) -> Vec<Message> {
        self.history.clone()
    }
    fn status(&self, state: TaskState, message: Option<&Message>) -> Result<(), String> {
        self.events.borrow_mut().push(TaskEvent::Status(state, message.cloned()));
        Ok(())
    }
    fn artifact(&self, artifact: &Artifact, append: bool, last_chunk: bool) -> Result<(), String> {
        self.events.borrow_mut().push(TaskEvent::Artifact(artifact.clone(), append, last_chunk));
        Ok(())
    }
    fn reply(&self, message: &Message) -> Result<(), String> {
        self.events.borrow_mut().push(TaskEvent::Reply(message.clone()));
        Ok(())
    }
    fn sleep(&self, milliseconds: u32) -> bool {
        self.events.borrow_mut().push(TaskEvent::Sleep(milliseconds));
        self.canceled
    }
}
