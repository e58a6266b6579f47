//! The seams at which a reply can be spoiled on purpose. The good path passes through them and knows no fault by name.
//!
//! ```text
//! service ──► model ──► encode ──► encoded ──► frame ──► bytes ──► connection
//! ```
//!
//! Each hook gets the whole sequence that passes its seam and returns the one that goes on: a hook can change items, drop,
//! repeat, reorder and delay them, add some behind the last, or never end. A plain answer is a sequence of one.

use std::sync::Arc;

use axum::response::Response;
use futures_util::stream::BoxStream;
use serde_json::Value;

use super::service::Reply;
use crate::a2a::{A2aError, Operation};

/// Replies before they are encoded.
pub type Replies = BoxStream<'static, Result<Reply, A2aError>>;
/// Replies as JSON: whole JSON-RPC responses, or the card.
pub type EncodedReplies = BoxStream<'static, Value>;

/// What is being answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The public card.
    Card,
    /// An operation.
    Operation(Operation),
    /// A request that names no operation.
    Unknown,
}

/// The call whose reply passes.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// What is being answered.
    pub target: Target,
    /// The reply is an event stream.
    pub streamed: bool,
}

/// A wrong behaviour on demand. Every hook passes on what it gets unless a fault overrides it. Called once per reply each,
/// in the order of the seams; several faults take part in the order in which they were given to the agent.
pub trait Fault: Send + Sync {
    /// First seam: values of the protocol, before any binding. The card does not pass here, it is JSON from the start.
    fn model(&self, call: &Call, replies: Replies) -> Replies {
        let _ = call;
        replies
    }

    /// Second seam: the JSON that the binding made of them.
    fn encoded(&self, call: &Call, replies: EncodedReplies) -> EncodedReplies {
        let _ = call;
        replies
    }

    /// Third seam: the HTTP response with its status, its headers and the frames of its body.
    fn bytes(&self, call: &Call, response: Response) -> Response {
        let _ = call;
        response
    }
}

/// The faults of an agent; mostly none.
#[derive(Default)]
pub(crate) struct Faults(pub(crate) Vec<Arc<dyn Fault>>);

impl Faults {
    pub(crate) fn model(&self, call: &Call, replies: Replies) -> Replies {
        self.0.iter().fold(replies, |replies, fault| fault.model(call, replies))
    }

    pub(crate) fn encoded(&self, call: &Call, replies: EncodedReplies) -> EncodedReplies {
        self.0.iter().fold(replies, |replies, fault| fault.encoded(call, replies))
    }

    pub(crate) fn bytes(&self, call: &Call, response: Response) -> Response {
        self.0.iter().fold(response, |response, fault| fault.bytes(call, response))
    }
}
