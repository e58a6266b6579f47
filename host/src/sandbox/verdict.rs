//! What guests answer and what assertions see, as plain Rust.

use bytes::Bytes;
use serde_json::Value;

/// Why a check or a contract failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finding {
    /// Stable word in kebab case.
    pub code: String,
    /// A sentence for people, without a full stop.
    pub message: String,
    /// JSON Pointer into the check's config.
    pub config_path: String,
    /// Index of the part concerned.
    pub part: Option<u32>,
    /// Index of the event concerned.
    pub event: Option<u32>,
    /// JSON Pointer into the reply.
    pub path: Option<String>,
    /// What should have been there.
    pub expected: Option<String>,
    /// What was there.
    pub actual: Option<String>,
    /// Section of the specification that the agent broke.
    pub rule: Option<String>,
    /// What would mend it.
    pub fix: Option<String>,
    /// Anything else, as name and value.
    pub more: Vec<(String, String)>,
}

impl Finding {
    /// Applies a function to every text.
    pub(crate) fn map_texts(&mut self, mut change: impl FnMut(&mut String)) {
        [&mut self.code, &mut self.message, &mut self.config_path].into_iter().for_each(&mut change);
        let optional = [&mut self.path, &mut self.expected, &mut self.actual, &mut self.rule, &mut self.fix];
        optional.into_iter().flatten().for_each(&mut change);
        self.more.iter_mut().for_each(|(name, value)| {
            change(name);
            change(value);
        });
    }
}

/// What a contract of a pack came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The agent keeps it.
    Passed {
        /// Worth showing, judging nothing.
        notes: Vec<String>,
    },
    /// The agent breaks it.
    Failed(Vec<Finding>),
    /// It has no meaning for this agent; the reason.
    Skipped(String),
}

/// A check that an assertion plugin offers.
#[derive(Clone, Debug, PartialEq)]
pub struct AssertionInfo {
    /// The name in contract files.
    pub name: String,
    /// One line for people.
    pub summary: String,
    /// JSON Schema of the config, as text.
    pub config_schema: String,
}

/// What is wrong with the config of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigProblem {
    /// JSON Pointer into the config.
    pub path: String,
    /// What was found and what was expected.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// A contract that a pack holds.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "wit/contracts.wit documents each member")]
pub struct ContractInfo {
    pub id: String,
    pub category: String,
    pub title: String,
    pub level: String,
    pub spec: Option<String>,
    pub stimuli: Vec<String>,
    pub capabilities: Vec<String>,
    pub bindings: Vec<crate::a2a::Binding>,
    pub once_per_server: bool,
    pub attributes: Vec<(String, String)>,
}

/// What a pack says of itself.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "wit/contracts.wit documents each member")]
pub struct PackInfo {
    pub name: String,
    pub version: String,
    pub description: String,
    pub contracts: Vec<ContractInfo>,
}

/// Where a part was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words of the contract language")]
pub enum PartSource {
    Message,
    Artifact,
    Status,
}

/// What a part holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words of the contract language")]
pub enum PartKind {
    Text,
    Raw,
    Url,
    Data,
}

/// A part of a folded reply.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedPart {
    /// Where it was found.
    pub source: PartSource,
    /// Of the message that holds it.
    pub message_id: Option<String>,
    /// Of the artifact that holds it.
    pub artifact_id: Option<String>,
    /// Of the artifact, as known when the part came.
    pub artifact_name: Option<String>,
    /// What it holds.
    pub kind: PartKind,
    /// `mediaType`, as sent.
    pub media_type: Option<String>,
    /// `filename`, as sent; never a path.
    pub filename: Option<String>,
    /// The URL of a URL part; never fetched.
    pub url: Option<String>,
    /// The text of a text part as a string, the value of a data part, none otherwise.
    pub value: Option<Value>,
    /// `metadata`, an object.
    pub metadata: Option<Value>,
    /// Decoded size of a raw part in bytes.
    pub size: Option<u64>,
    /// SHA-256 of a raw part's decoded bytes, in lower-case hex.
    pub sha256: Option<String>,
    /// The decoded bytes of a raw part.
    pub raw: Option<Bytes>,
}

/// An event as assertions see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedEvent {
    /// Its bytes.
    pub raw: Vec<u8>,
    /// Its JSON.
    pub body: Option<String>,
    /// Microseconds since the request was sent.
    pub at_us: u64,
}

/// A turn as assertions see it. Whoever makes it has replaced secrets by the marker.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "wit/assertions.wit documents each member")]
pub struct ObservedTurn {
    pub text: String,
    pub state: String,
    pub states: Vec<String>,
    pub parts: Vec<ObservedPart>,
    pub first_event_us: Option<u64>,
    pub elapsed_us: u64,
    /// The request as JSON.
    pub request: String,
    pub events: Vec<ObservedEvent>,
    /// The task or message after all events, as JSON.
    pub folded: String,
    /// The agent's error object, as JSON.
    pub error: Option<String>,
}
