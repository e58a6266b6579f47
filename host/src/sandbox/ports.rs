//! The ports between guests and the rest of the program, as plain Rust: what guests call ([`TaskPort`], [`AgentPort`],
//! [`StimuliPort`], [`WebhookPort`]) is implemented by later stages; what later stages call ([`ExtensionHandler`]) is
//! implemented by the sandbox. Nothing here knows wasm, so both sides can be tested without it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::a2a::{A2aError, Artifact, Binding, Ending, Event, Message, Part, Response, TaskState};

/// A future that a port returns; boxed, because the ports are used as trait objects.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

// ---- extensions -----------------------------------------------------------------------------------------------------

/// An A2A extension that a plugin serves.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtensionInfo {
    /// Its URI, exactly as clients ask for it.
    pub uri: String,
    /// One sentence for the card.
    pub description: String,
    /// Clients must activate it.
    pub required: bool,
    /// Configuration shown in the card.
    pub params: Option<Map<String, Value>>,
    /// The keyword that the dummy agent routes to the plugin.
    pub command: Option<String>,
    /// The card's entry for the command.
    pub skill: Option<SkillInfo>,
}

/// An entry of the card's `skills` (§4.4.5).
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names are the specification's")]
pub struct SkillInfo {
    pub id: String,
    pub name: String,
    pub description: String,
    pub tags: Vec<String>,
    pub examples: Vec<String>,
    pub input_modes: Vec<String>,
    pub output_modes: Vec<String>,
}

/// What the client sent to an extension's command, or together with its activation.
#[derive(Clone, Debug)]
pub struct ExtensionRequest {
    /// The message under work.
    pub message: Message,
    /// Its text parts joined with newlines.
    pub text: String,
    /// URIs in `A2A-Extensions`, sorted.
    pub requested: Vec<String>,
    /// Those of them that the agent knows, sorted.
    pub activated: Vec<String>,
    /// Request headers without credentials.
    pub headers: Vec<(String, String)>,
    /// Tenant of the request.
    pub tenant: Option<String>,
    /// Metadata of the request.
    pub metadata: Option<Map<String, Value>>,
    /// The whole A2A request.
    pub raw: Value,
    /// The stored task where this is a follow-up.
    pub task: Option<Value>,
}

/// How a handler ended badly.
#[derive(Clone, Debug, PartialEq)]
pub enum HandlerError {
    /// The client gets this error.
    A2a(A2aError),
    /// The task fails with this status message.
    Failed(String),
    /// The plugin broke (trap, budget, limit); one line naming plugin, version, function and limit. The task fails with it.
    Plugin(String),
}

/// What an activated extension adds to the artifact of the `ext` command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contribution {
    /// Members merged into the data part.
    pub fields: Map<String, Value>,
    /// Metadata for the artifact.
    pub metadata: Option<Map<String, Value>>,
}

/// The task that a handler drives. The dummy agent implements it; native commands and plugins write to the same handle.
pub trait TaskPort: Send + Sync {
    /// The task's id.
    fn id(&self) -> String;
    /// The task's context.
    fn context_id(&self) -> String;
    /// Oldest first; the message under work is the last.
    fn history(&self) -> Vec<Message>;
    /// Records and publishes a status. The error says what was not allowed; nothing is stored then.
    fn status(&self, state: TaskState, message: Option<Message>) -> Result<(), String>;
    /// Records and publishes an artifact or a piece of one.
    fn artifact(&self, artifact: Artifact, append: bool, last_chunk: bool) -> Result<(), String>;
    /// Answers with a bare message in place of a task.
    fn reply(&self, message: Message) -> Result<(), String>;
    /// Waits; true as soon as the client cancels the task.
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, bool>;
}

/// An extension plugin, as the dummy agent sees it.
pub trait ExtensionHandler: Send + Sync {
    /// Name and version of the plugin, for messages: `timestamp.wasm 0.1.0`.
    fn label(&self) -> String;
    /// What it offers.
    fn extensions(&self) -> &[ExtensionInfo];
    /// Runs the command of an extension. Success without a terminal or interrupted state completes the task.
    fn handle<'a>(
        &'a self,
        uri: &'a str,
        request: ExtensionRequest,
        task: Arc<dyn TaskPort>,
    ) -> BoxFuture<'a, Result<(), HandlerError>>;
    /// What the activated extension adds to the `ext` artifact. The error is one line that names the plugin.
    fn activate<'a>(&'a self, uri: &'a str, request: ExtensionRequest) -> BoxFuture<'a, Result<Contribution, String>>;
}

// ---- packs ----------------------------------------------------------------------------------------------------------

/// The interface of the card that a run speaks to.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Its binding.
    pub binding: Binding,
    /// Its URL as the card has it.
    pub url: String,
    /// The path of that URL.
    pub path: String,
    /// `protocolVersion` of the interface.
    pub protocol_version: String,
    /// `tenant` of the interface.
    pub tenant: Option<String>,
}

/// What goes into `A2A-Version`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum VersionHeader {
    /// The version of this program.
    #[default]
    Current,
    /// No header.
    Absent,
    /// This value.
    Value(String),
}

/// How to send a request.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// Added to the host's own; one of the same name replaces it.
    pub headers: Vec<(String, String)>,
    /// URIs for `A2A-Extensions`.
    pub extensions: Vec<String>,
    /// What goes into `A2A-Version`.
    pub version: VersionHeader,
    /// Send the configured credentials.
    pub credentials: bool,
    /// Within the limit of the run.
    pub timeout: Option<Duration>,
}

/// An answer below A2A.
#[derive(Clone, Debug, Default)]
pub struct RawResponse {
    /// Status and headers.
    pub head: Response,
    /// The body.
    pub raw: Vec<u8>,
    /// From sending to its end.
    pub elapsed: Duration,
}

/// An answer that could be read.
#[derive(Clone, Debug)]
pub struct AgentReply {
    /// The A2A response.
    pub body: Value,
    /// What it came in.
    pub response: RawResponse,
    /// What was tolerated, as sentences.
    pub deviations: Vec<String>,
}

/// Why a call of a pack came to nothing.
#[derive(Clone, Debug)]
pub enum AgentFailure {
    /// An error of the protocol.
    Protocol {
        /// JSON-RPC code.
        code: Option<i64>,
        /// `ErrorInfo.reason`.
        reason: Option<String>,
        /// The agent's sentence.
        message: String,
        /// The whole error object.
        details: Value,
        /// What it came in.
        response: RawResponse,
    },
    /// An answer that is no A2A answer.
    Unreadable {
        /// What is wrong with it.
        why: String,
        /// What came.
        response: RawResponse,
    },
    /// The connection failed.
    Transport(String),
    /// The deadline passed.
    Timeout,
    /// The host does not do this.
    Refused(String),
    /// Anything else.
    Other(String),
}

/// A plain HTTP request to the agent's own origin.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// Method.
    pub method: String,
    /// Absolute path and query.
    pub path: String,
    /// Sent as given.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// Send the configured credentials.
    pub credentials: bool,
    /// Within the limit of the run.
    pub timeout: Option<Duration>,
    /// More is cut off.
    pub max_bytes: usize,
}

/// The next event of a stream with its raw bytes; none once the stream ended.
pub type NextEvent = Result<Option<(Event, Vec<u8>)>, AgentFailure>;

/// A stream that a pack reads.
pub trait EventStreamPort: Send {
    /// Status and headers.
    fn opening(&self) -> RawResponse;
    /// Waits for the next event.
    fn next(&mut self, timeout: Duration) -> BoxFuture<'_, NextEvent>;
    /// How it ended.
    fn ending(&self) -> Ending;
}

/// The agent under test, as packs see it. Masks secrets in whatever it returns.
pub trait AgentPort: Send + Sync {
    /// The interface in use.
    fn endpoint(&self) -> Endpoint;
    /// Fetches the public card anew.
    fn card(&self) -> BoxFuture<'_, Result<AgentReply, AgentFailure>>;
    /// Calls an operation.
    fn call<'a>(
        &'a self,
        operation: &'a str,
        request: Value,
        options: CallOptions,
    ) -> BoxFuture<'a, Result<AgentReply, AgentFailure>>;
    /// Opens a stream.
    fn open<'a>(
        &'a self,
        operation: &'a str,
        request: Value,
        options: CallOptions,
    ) -> BoxFuture<'a, Result<Box<dyn EventStreamPort>, AgentFailure>>;
    /// Sends exact bytes.
    fn http(&self, request: HttpRequest) -> BoxFuture<'_, Result<RawResponse, AgentFailure>>;
}

/// What makes an agent show a behaviour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stimulus {
    /// What to send.
    pub parts: Vec<Part>,
    /// Metadata of the message.
    pub metadata: Option<Map<String, Value>>,
    /// Extensions to activate.
    pub extensions: Vec<String>,
    /// The text to expect, where it is known.
    pub expected_text: Option<String>,
}

/// The behaviours that the agent under test is known to have.
pub trait StimuliPort: Send + Sync {
    /// None where the agent is not known to have the behaviour.
    fn get(&self, behaviour: &str) -> Option<Stimulus>;
}

/// A request that a webhook received.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// Since the receiver was opened.
    pub at: Duration,
}

/// An address of the host's own; dropping it closes the address.
pub trait ReceiverPort: Send {
    /// The URL to give to the agent.
    fn url(&self) -> String;
    /// The next delivery.
    fn wait(&mut self, timeout: Duration) -> BoxFuture<'_, Option<Delivery>>;
}

/// Webhooks for packs.
pub trait WebhookPort: Send + Sync {
    /// The error says why the agent cannot reach a receiver here.
    fn open(&self) -> BoxFuture<'_, Result<Box<dyn ReceiverPort>, String>>;
}
