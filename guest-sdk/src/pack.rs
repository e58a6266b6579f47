//! Packs of contracts about A2A servers.
//!
//! A contract is a function from the [`Agent`] under test to a verdict. It is written once and runs over every binding
//! that the server offers: a fresh instance of the component serves each contract on each binding.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::Finding;
use crate::bindings::pack::a2a_host::plugin::{agent as wit_agent, stimuli as wit_stimuli, webhook as wit_webhook};
use crate::bindings::pack::exports::a2a_host::plugin::contracts as wit;
use crate::value::{Binding, Event, Header, from_json};

pub use wit::Verdict;
pub use wit_agent::{Ending, Endpoint, Failure, HttpRequest, Options, Response, VersionHeader};
pub use wit_stimuli::Stimulus;
pub use wit_webhook::Delivery;

/// What a contract comes to: a verdict, or a sentence saying why the pack could not judge.
pub type Outcome = Result<Verdict, String>;

/// A pack.
pub trait Pack: 'static {
    /// Its name, as `packs: [{use: NAME}]` has it.
    const NAME: &'static str;
    /// Its version; usually `env!("CARGO_PKG_VERSION")`.
    const VERSION: &'static str;
    /// One line for people.
    const DESCRIPTION: &'static str;
    /// Its contracts in the order of the report.
    fn contracts() -> Vec<Contract>;
}

/// One contract, built up member by member:
///
/// ```
/// use a2a_host_sdk::pack::{Agent, Contract, Outcome, passed};
/// fn has_a_card(agent: &Agent) -> Outcome {
///     agent.card()?;
///     passed()
/// }
/// let contract = Contract::must("card.exists", "agent-card", "serves a card", has_a_card).spec("§8.2").once_per_server();
/// assert_eq!(contract.id, "card.exists");
/// ```
#[derive(Clone, Debug)]
pub struct Contract {
    /// Unique in the pack: word, dot, words in kebab case.
    pub id: &'static str,
    /// The group it is reported in.
    pub category: &'static str,
    /// What a server that passes does, as a fragment after "the agent".
    pub title: &'static str,
    /// must, should, may or derived.
    pub level: &'static str,
    /// Section of the specification.
    pub spec: Option<&'static str>,
    /// Behaviours without which it is skipped.
    pub stimuli: &'static [&'static str],
    /// Capabilities of the card without which it is skipped.
    pub capabilities: &'static [&'static str],
    /// Bindings on which it has a meaning; empty means all.
    pub bindings: &'static [Binding],
    /// Run once for the server, not once per binding.
    pub once_per_server: bool,
    /// The judgement.
    pub verify: fn(&Agent) -> Outcome,
}

impl Contract {
    fn new(
        level: &'static str,
        id: &'static str,
        category: &'static str,
        title: &'static str,
        verify: fn(&Agent) -> Outcome,
    ) -> Contract {
        Contract {
            id,
            category,
            title,
            level,
            spec: None,
            stimuli: &[],
            capabilities: &[],
            bindings: &[],
            once_per_server: false,
            verify,
        }
    }

    /// The specification says MUST.
    pub fn must(
        id: &'static str,
        category: &'static str,
        title: &'static str,
        verify: fn(&Agent) -> Outcome,
    ) -> Contract {
        Contract::new("must", id, category, title, verify)
    }

    /// The specification says SHOULD.
    pub fn should(
        id: &'static str,
        category: &'static str,
        title: &'static str,
        verify: fn(&Agent) -> Outcome,
    ) -> Contract {
        Contract::new("should", id, category, title, verify)
    }

    /// It follows from the specification without standing there in so many words.
    pub fn derived(
        id: &'static str,
        category: &'static str,
        title: &'static str,
        verify: fn(&Agent) -> Outcome,
    ) -> Contract {
        Contract::new("derived", id, category, title, verify)
    }

    /// Section of the specification.
    pub fn spec(mut self, section: &'static str) -> Contract {
        self.spec = Some(section);
        self
    }

    /// Behaviours without which it is skipped.
    pub fn stimuli(mut self, behaviours: &'static [&'static str]) -> Contract {
        self.stimuli = behaviours;
        self
    }

    /// Capabilities of the card without which it is skipped.
    pub fn capabilities(mut self, names: &'static [&'static str]) -> Contract {
        self.capabilities = names;
        self
    }

    /// The only bindings on which it has a meaning.
    pub fn bindings(mut self, bindings: &'static [Binding]) -> Contract {
        self.bindings = bindings;
        self
    }

    /// Run once for the server.
    pub fn once_per_server(mut self) -> Contract {
        self.once_per_server = true;
        self
    }
}

/// The agent keeps the contract.
#[allow(clippy::unnecessary_wraps, reason = "contracts end with `passed()`")]
pub fn passed() -> Outcome {
    Ok(Verdict::Passed(wit::Passed { notes: Vec::new() }))
}

/// The agent keeps the contract, and these notes are worth showing.
#[allow(clippy::unnecessary_wraps, reason = "contracts end with `passed_noting(…)`")]
pub fn passed_noting(notes: Vec<String>) -> Outcome {
    Ok(Verdict::Passed(wit::Passed { notes }))
}

/// The agent breaks the contract.
#[allow(clippy::unnecessary_wraps, reason = "contracts end with `failed(…)`")]
pub fn failed(finding: Finding) -> Outcome {
    Ok(Verdict::Failed(vec![finding]))
}

/// Passed where there are no findings, else failed with them.
#[allow(clippy::unnecessary_wraps, reason = "contracts end with `judged(…)`")]
pub fn judged(findings: Vec<Finding>) -> Outcome {
    if findings.is_empty() { passed() } else { Ok(Verdict::Failed(findings)) }
}

/// The contract has no meaning for this agent.
#[allow(clippy::unnecessary_wraps, reason = "contracts end with `skipped(…)`")]
pub fn skipped(reason: impl Into<String>) -> Outcome {
    Ok(Verdict::Skipped(reason.into()))
}

/// An answer that could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The A2A response: over JSON-RPC the content of `result`.
    pub body: Value,
    /// Status, headers and bytes.
    pub response: Response,
    /// What was tolerated while reading, as sentences.
    pub deviations: Vec<String>,
}

/// The agent under test. Besides [`Agent::sleep`] it is all that a pack can reach.
pub struct Agent<'a>(&'a dyn AgentApi);

impl<'a> Agent<'a> {
    pub(crate) fn new(api: &'a dyn AgentApi) -> Agent<'a> {
        Agent(api)
    }

    /// The interface that this run speaks to.
    pub fn endpoint(&self) -> Endpoint {
        self.0.endpoint()
    }

    /// Fetches the public card anew.
    ///
    /// # Errors
    /// The card could not be fetched, or is no JSON.
    pub fn card(&self) -> Result<Reply, Failure> {
        self.0.card().map(Reply::from)
    }

    /// Calls an operation, such as `SendMessage`, with its ProtoJSON request.
    ///
    /// # Errors
    /// The agent's error, or why there was no answer.
    pub fn call(&self, operation: &str, request: &Value, options: &Options) -> Result<Reply, Failure> {
        self.0.call(operation, &request.to_string(), options).map(Reply::from)
    }

    /// Opens a stream.
    ///
    /// # Errors
    /// The agent's error, or why there was no stream.
    pub fn open(&self, operation: &str, request: &Value, options: &Options) -> Result<EventStream, Failure> {
        self.0.open(operation, &request.to_string(), options).map(EventStream)
    }

    /// Sends a plain HTTP request to the agent's own origin.
    ///
    /// # Errors
    /// Why there was no answer.
    pub fn http(&self, request: &HttpRequest) -> Result<Response, Failure> {
        self.0.http(request)
    }

    /// What makes this agent show a behaviour; none where it is not known to have it. Behaviours that a contract declares
    /// in [`Contract::stimuli`] are there.
    pub fn stimulus(&self, behaviour: &str) -> Option<Stimulus> {
        self.0.stimulus(behaviour)
    }

    /// A message request for a declared behaviour: fresh `messageId`, role, the parts, metadata and extensions of the
    /// stimulus.
    ///
    /// # Errors
    /// A sentence naming the behaviour, where the agent is not known to have it.
    pub fn message(&self, behaviour: &str) -> Result<Value, String> {
        let stimulus = self.stimulus(behaviour).ok_or_else(|| format!("no stimulus for {behaviour} is known"))?;
        Ok(stimulus.to_request())
    }

    /// Opens a webhook.
    ///
    /// # Errors
    /// Why the agent cannot reach one here.
    pub fn webhook(&self) -> Result<Receiver, String> {
        self.0.webhook().map(Receiver)
    }

    /// Waits.
    pub fn sleep(&self, milliseconds: u32) {
        self.0.sleep(milliseconds);
    }
}

impl Stimulus {
    /// A `SendMessageRequest` with a fresh message id.
    pub fn to_request(&self) -> Value {
        let parts: Vec<Value> = self
            .parts
            .iter()
            .map(|part| {
                let mut object = serde_json::Map::new();
                let (name, value) = match &part.content {
                    crate::value::Content::Text(text) => ("text", Value::String(text.clone())),
                    crate::value::Content::Raw(bytes) => ("raw", Value::String(STANDARD.encode(bytes))),
                    crate::value::Content::Url(url) => ("url", Value::String(url.clone())),
                    crate::value::Content::Data(json) => ("data", from_json(json)),
                };
                object.insert(name.into(), value);
                for (key, value) in [("mediaType", &part.media_type), ("filename", &part.filename)] {
                    if let Some(value) = value {
                        object.insert(key.into(), Value::String(value.clone()));
                    }
                }
                if let Some(metadata) = &part.metadata {
                    object.insert("metadata".into(), from_json(metadata));
                }
                Value::Object(object)
            })
            .collect();
        let mut message = serde_json::json!({"messageId": crate::host::uuid(), "role": "ROLE_USER", "parts": parts});
        if let Some(metadata) = &self.metadata {
            message["metadata"] = from_json(metadata);
        }
        serde_json::json!({"message": message})
    }
}

impl Default for Options {
    /// The protocol's version and the user's credentials, nothing else.
    fn default() -> Options {
        Options {
            headers: Vec::new(),
            extensions: Vec::new(),
            version: VersionHeader::Current,
            credentials: true,
            timeout_ms: None,
        }
    }
}

impl Options {
    /// Activates these extensions.
    pub fn extensions<I: IntoIterator<Item = S>, S: Into<String>>(mut self, uris: I) -> Options {
        self.extensions.extend(uris.into_iter().map(Into::into));
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Options {
        self.headers.push(Header { name: name.into(), value: value.into() });
        self
    }

    /// Asks for another version of the protocol.
    pub fn version(mut self, version: VersionHeader) -> Options {
        self.version = version;
        self
    }

    /// Leaves out the user's credentials.
    pub fn without_credentials(mut self) -> Options {
        self.credentials = false;
        self
    }
}

impl Response {
    /// The first header of that name, compared without case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value.as_str())
    }
}

impl Failure {
    /// The failure as a fragment for people, fit for a finding.
    pub fn words(&self) -> String {
        match self {
            Failure::Protocol(error) => {
                let code = error.code.map(|code| format!(" {code}")).unwrap_or_default();
                let reason = error.reason.as_ref().map(|reason| format!(" {reason}")).unwrap_or_default();
                format!("the agent answered with an error{code}{reason}: {}", error.message)
            }
            Failure::Unreadable(unreadable) => format!("the answer cannot be read: {}", unreadable.why),
            Failure::Transport(why) => format!("the connection failed: {why}"),
            Failure::Timeout => "no answer came in time".into(),
            Failure::Refused(why) => format!("not possible here: {why}"),
            Failure::Other(why) => why.clone(),
        }
    }
}

/// So that `?` turns a failure into the sentence of an [`Outcome`].
impl From<Failure> for String {
    fn from(failure: Failure) -> String {
        failure.words()
    }
}

/// A stream of events; dropping it closes the connection.
pub struct EventStream(Box<dyn StreamApi>);

impl EventStream {
    /// Status and headers.
    pub fn opening(&self) -> Response {
        self.0.opening()
    }

    /// The next event, none once the stream ended.
    ///
    /// # Errors
    /// `Failure::Timeout` where none came in time, after which it may be called again.
    pub fn next(&self, timeout_ms: u32) -> Result<Option<Event>, Failure> {
        self.0.next(timeout_ms)
    }

    /// How it ended.
    pub fn how_ended(&self) -> Ending {
        self.0.how_ended()
    }
}

/// An address of the host's own that receives notifications.
pub struct Receiver(Box<dyn ReceiverApi>);

impl Receiver {
    /// The URL to give to the agent.
    pub fn url(&self) -> String {
        self.0.url()
    }

    /// The next delivery, none when the time is over.
    pub fn wait(&self, timeout_ms: u32) -> Option<Delivery> {
        self.0.wait(timeout_ms)
    }
}

/// What a pack reaches; the host and the scripted agent of [`crate::testing`] implement it.
pub(crate) trait AgentApi {
    fn endpoint(&self) -> Endpoint;
    fn card(&self) -> Result<wit_agent::Reply, Failure>;
    fn call(&self, operation: &str, request: &str, options: &Options) -> Result<wit_agent::Reply, Failure>;
    fn open(&self, operation: &str, request: &str, options: &Options) -> Result<Box<dyn StreamApi>, Failure>;
    fn http(&self, request: &HttpRequest) -> Result<Response, Failure>;
    fn stimulus(&self, behaviour: &str) -> Option<Stimulus>;
    fn webhook(&self) -> Result<Box<dyn ReceiverApi>, String>;
    fn sleep(&self, milliseconds: u32);
}

pub(crate) trait StreamApi {
    fn opening(&self) -> Response;
    fn next(&self, timeout_ms: u32) -> Result<Option<Event>, Failure>;
    fn how_ended(&self) -> Ending;
}

pub(crate) trait ReceiverApi {
    fn url(&self) -> String;
    fn wait(&self, timeout_ms: u32) -> Option<Delivery>;
}

impl From<wit_agent::Reply> for Reply {
    fn from(reply: wit_agent::Reply) -> Reply {
        Reply { body: from_json(&reply.body), response: reply.response, deviations: reply.deviations }
    }
}

/// The host's answers.
struct Host;

impl AgentApi for Host {
    fn endpoint(&self) -> Endpoint {
        wit_agent::current_endpoint()
    }
    fn card(&self) -> Result<wit_agent::Reply, Failure> {
        wit_agent::card()
    }
    fn call(&self, operation: &str, request: &str, options: &Options) -> Result<wit_agent::Reply, Failure> {
        wit_agent::call(operation, request, options)
    }
    fn open(&self, operation: &str, request: &str, options: &Options) -> Result<Box<dyn StreamApi>, Failure> {
        let stream = wit_agent::open(operation, request, options)?;
        Ok(Box::new(stream))
    }
    fn http(&self, request: &HttpRequest) -> Result<Response, Failure> {
        wit_agent::http(request)
    }
    fn stimulus(&self, behaviour: &str) -> Option<Stimulus> {
        wit_stimuli::get(behaviour)
    }
    fn webhook(&self) -> Result<Box<dyn ReceiverApi>, String> {
        let receiver = wit_webhook::open()?;
        Ok(Box::new(receiver))
    }
    fn sleep(&self, milliseconds: u32) {
        wit_agent::sleep(milliseconds);
    }
}

impl StreamApi for wit_agent::EventStream {
    fn opening(&self) -> Response {
        wit_agent::EventStream::opening(self)
    }
    fn next(&self, timeout_ms: u32) -> Result<Option<Event>, Failure> {
        wit_agent::EventStream::next(self, timeout_ms)
    }
    fn how_ended(&self) -> Ending {
        wit_agent::EventStream::how_ended(self)
    }
}

impl ReceiverApi for wit_webhook::Receiver {
    fn url(&self) -> String {
        wit_webhook::Receiver::url(self)
    }
    fn wait(&self, timeout_ms: u32) -> Option<Delivery> {
        wit_webhook::Receiver::wait(self, timeout_ms)
    }
}

/// Registers the pack of a component: `register_pack!(Core);`
#[macro_export]
macro_rules! register_pack {
    ($pack:ty) => {
        // Holds the types to the trait, and keeps them in use where nothing is exported.
        const _: () = {
            const fn registered<T: $crate::pack::Pack>() {}
            registered::<$pack>();
        };
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            use $crate::pack::__private as private;
            struct Component;
            impl private::Guest for Component {
                fn describe() -> private::Description {
                    $crate::host::install_panic_hook();
                    private::describe::<$pack>()
                }
                fn verify(id: String) -> $crate::pack::Outcome {
                    $crate::host::install_panic_hook();
                    private::verify::<$pack>(&id)
                }
            }
    $crate::bindings::pack::export_contracts!(Component with_types_in $crate::bindings::pack);
        };
    };
}

/// What the macro needs; no part of the face of this crate.
#[doc(hidden)]
pub mod __private {
    use super::{Agent, Host, Outcome, Pack};
    use crate::bindings::pack::exports::a2a_host::plugin::contracts as wit;
    pub use wit::{Guest, Pack as Description};

    pub fn describe<P: Pack>() -> Description {
        let strings = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let contracts = P::contracts().into_iter().map(|contract| wit::Contract {
            id: contract.id.into(),
            category: contract.category.into(),
            title: contract.title.into(),
            level: contract.level.into(),
            spec: contract.spec.map(Into::into),
            stimuli: strings(contract.stimuli),
            capabilities: strings(contract.capabilities),
            bindings: contract.bindings.to_vec(),
            once_per_server: contract.once_per_server,
            attributes: Vec::new(),
        });
        Description {
            name: P::NAME.into(),
            version: P::VERSION.into(),
            description: P::DESCRIPTION.into(),
            contracts: contracts.collect(),
        }
    }

    pub fn verify<P: Pack>(id: &str) -> Outcome {
        match P::contracts().iter().find(|contract| contract.id == id) {
            Some(contract) => (contract.verify)(&Agent::new(&Host)),
            None => Err(format!("this pack has no contract {id}")),
        }
    }
}
