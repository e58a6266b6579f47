use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use crate::a2a::Deviation;
use crate::sandbox::{PartKind, PartSource};

/// What a turn came to: the events of an exchange folded into what assertions read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The last state in lower case with underscores, such as `input_required`; `message` for a bare message. A spelling
    /// that is no A2A state stands as it came.
    pub state: String,
    /// Every state in order, consecutive repetitions collapsed; never empty.
    pub states: Vec<String>,
    /// All texts, message by message, then artifact by artifact, joined with newlines.
    pub text: String,
    /// All parts in the same order.
    pub parts: Vec<ObservedPart>,
    /// The last task id that was not empty.
    pub task_id: Option<String>,
    /// The last context id that was not empty.
    pub context_id: Option<String>,
    /// The task, or the bare message, after all events; in canonical form, members that A2A does not know included.
    pub folded: Value,
    /// From just before sending to the first event.
    pub first_event: Option<Duration>,
    /// From just before sending to the end of the reply.
    pub elapsed: Duration,
    /// What was tolerated.
    pub deviations: Vec<Deviation>,
}

/// A part of the reply.
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
