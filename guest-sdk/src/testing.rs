//! Stand-ins for the host, so that plugins are tested with plain `cargo test`: a recorded turn for assertions, a recording
//! task for extensions, a scripted agent for packs.

#![allow(clippy::result_large_err, reason = "a failure carries the agent's answer, and its type is the interface's")]

use std::cell::RefCell;
use std::collections::VecDeque;

use serde_json::Value;

use crate::assertion::{ExchangeApi, ObservedPart, PartKind, Source, Turn, TurnData};
use crate::bindings::pack::a2a_host::plugin::agent as wit_agent;
use crate::extension::{Request, Task, TaskApi};
use crate::pack::{
    Agent, AgentApi, Delivery, Ending, Endpoint, Failure, HttpRequest, Options, ReceiverApi, Response, Stimulus,
    StreamApi,
};
use crate::value::{Artifact, Binding, Event, Message, Role, TaskState};

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

// ---- packs ----------------------------------------------------------------------------------------------------------

type Answer = Box<dyn Fn(&str, &Value, &Options) -> Result<Value, Failure>>;

/// An agent that answers what the test says.
///
/// ```
/// use a2a_host_sdk::testing::ScriptedAgent;
/// use a2a_host_sdk::json;
/// let scripted = ScriptedAgent::new(json!({"name": "a"})).answering(|operation, _, _| Ok(json!({"asked": operation})));
/// let reply = scripted.agent().call("GetTask", &json!({"id": "t"}), &Default::default()).unwrap();
/// assert_eq!(reply.body, json!({"asked": "GetTask"}));
/// ```
pub struct ScriptedAgent {
    card: Result<Value, Failure>,
    card_response: Response,
    answer: Answer,
    response_headers: Vec<(String, String)>,
    stream: Vec<Value>,
    stimuli: Vec<(String, Stimulus)>,
}

impl ScriptedAgent {
    /// With this card, answering every call with an error.
    pub fn new(card: Value) -> ScriptedAgent {
        let response = response(200, &[("content-type", "application/json")], card.to_string().into_bytes());
        ScriptedAgent {
            card: Ok(card),
            card_response: response,
            answer: Box::new(|operation, _, _| Err(Failure::Other(format!("no answer was scripted for {operation}")))),
            response_headers: Vec::new(),
            stream: Vec::new(),
            stimuli: Vec::new(),
        }
    }

    /// With this failure in place of a card.
    pub fn without_card(failure: Failure) -> ScriptedAgent {
        ScriptedAgent { card: Err(failure), ..ScriptedAgent::new(Value::Null) }
    }

    /// The HTTP answer that the card comes in.
    pub fn card_response(mut self, status: u16, headers: &[(&str, &str)]) -> ScriptedAgent {
        self.card_response = response(status, headers, self.card_response.raw);
        self
    }

    /// Answers calls and streams: operation, request, options.
    pub fn answering(
        mut self,
        answer: impl Fn(&str, &Value, &Options) -> Result<Value, Failure> + 'static,
    ) -> ScriptedAgent {
        self.answer = Box::new(answer);
        self
    }

    /// Headers of every answer.
    pub fn response_header(mut self, name: &str, value: &str) -> ScriptedAgent {
        self.response_headers.push((name.into(), value.into()));
        self
    }

    /// The items of every stream.
    pub fn streaming(mut self, items: Vec<Value>) -> ScriptedAgent {
        self.stream = items;
        self
    }

    /// A behaviour and the text that shows it.
    pub fn stimulus(mut self, behaviour: &str, text: &str, expected_text: Option<&str>) -> ScriptedAgent {
        let stimulus = Stimulus {
            parts: vec![crate::value::Part::text(text)],
            metadata: None,
            extensions: Vec::new(),
            expected_text: expected_text.map(Into::into),
        };
        self.stimuli.push((behaviour.into(), stimulus));
        self
    }

    /// The agent to hand to a contract.
    pub fn agent(&self) -> Agent<'_> {
        Agent::new(self)
    }

    fn reply(&self, body: &Value) -> wit_agent::Reply {
        let headers: Vec<(&str, &str)> =
            self.response_headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        wit_agent::Reply {
            body: body.to_string(),
            response: response(200, &headers, body.to_string().into_bytes()),
            deviations: Vec::new(),
        }
    }
}

fn response(status: u16, headers: &[(&str, &str)], raw: Vec<u8>) -> Response {
    Response {
        http_status: Some(status),
        grpc_status: None,
        headers: headers
            .iter()
            .map(|(name, value)| crate::value::Header { name: (*name).into(), value: (*value).into() })
            .collect(),
        trailers: Vec::new(),
        raw,
        elapsed_us: 1_000,
    }
}

impl AgentApi for ScriptedAgent {
    fn endpoint(&self) -> Endpoint {
        Endpoint {
            binding: Binding::Jsonrpc,
            url: "http://127.0.0.1:9000/".into(),
            path: "/".into(),
            protocol_version: "1.0".into(),
            tenant: None,
        }
    }
    fn card(&self) -> Result<wit_agent::Reply, Failure> {
        let card = self.card.clone()?;
        Ok(wit_agent::Reply { body: card.to_string(), response: self.card_response.clone(), deviations: Vec::new() })
    }
    fn call(&self, operation: &str, request: &str, options: &Options) -> Result<wit_agent::Reply, Failure> {
        let body = (self.answer)(operation, &crate::value::from_json(request), options)?;
        Ok(self.reply(&body))
    }
    fn open(&self, operation: &str, request: &str, options: &Options) -> Result<Box<dyn StreamApi>, Failure> {
        if self.stream.is_empty() {
            (self.answer)(operation, &crate::value::from_json(request), options)?;
        }
        let opening = self.reply(&Value::Null).response;
        Ok(Box::new(ScriptedStream { opening, items: RefCell::new(self.stream.iter().cloned().collect()) }))
    }
    fn http(&self, request: &HttpRequest) -> Result<Response, Failure> {
        Err(Failure::Other(format!("no answer was scripted for {} {}", request.method, request.path)))
    }
    fn stimulus(&self, behaviour: &str) -> Option<Stimulus> {
        self.stimuli.iter().find(|(name, _)| name == behaviour).map(|(_, stimulus)| stimulus.clone())
    }
    fn webhook(&self) -> Result<Box<dyn ReceiverApi>, String> {
        Ok(Box::new(SilentReceiver))
    }
    fn sleep(&self, _milliseconds: u32) {}
}

struct ScriptedStream {
    opening: Response,
    items: RefCell<VecDeque<Value>>,
}

impl StreamApi for ScriptedStream {
    fn opening(&self) -> Response {
        self.opening.clone()
    }
    fn next(&self, _timeout_ms: u32) -> Result<Option<Event>, Failure> {
        let item = self.items.borrow_mut().pop_front();
        Ok(item.map(|body| Event { raw: body.to_string().into_bytes(), body: Some(body.to_string()), at_us: 0 }))
    }
    fn how_ended(&self) -> Ending {
        if self.items.borrow().is_empty() { Ending::Clean } else { Ending::Open }
    }
}

/// A webhook that nobody calls.
struct SilentReceiver;

impl ReceiverApi for SilentReceiver {
    fn url(&self) -> String {
        "http://127.0.0.1:9/hook".into()
    }
    fn wait(&self, _timeout_ms: u32) -> Option<Delivery> {
        None
    }
}
