//! What the bindings over HTTP differ in. Sending, reading and timing are the same for all of them.

use bytes::Bytes;
use serde_json::Value;
use url::Url;

use super::jsonrpc::JsonRpc;
use super::notes::Notes;
use crate::a2a::{Binding, ExchangeError};

/// A request as a binding puts it on the wire.
#[derive(Clone, Debug)]
pub(crate) struct Encoded {
    pub(crate) method: reqwest::Method,
    pub(crate) url: Url,
    pub(crate) content_type: &'static str,
    pub(crate) body: Bytes,
    /// What the answer must carry to be taken for the answer to this request; null where the binding has no such thing.
    pub(crate) id: Value,
}

/// An answer that could not be decoded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Undecoded {
    /// The agent's own error.
    Error(ExchangeError),
    /// No answer of the binding; says why, without the bytes.
    Odd(String),
}

/// One binding.
pub(crate) trait Codec: Send + Sync {
    /// Builds the request. The error says why the binding cannot carry the operation.
    fn encode(&self, endpoint: &Url, operation: &str, request: &Value) -> Result<Encoded, String>;
    /// Takes the A2A response out of a body or the data of an event, noting what the binding does not allow.
    fn decode(&self, sent: &Encoded, answer: Value, notes: &mut Notes) -> Result<Value, Undecoded>;
    /// The media types that an answer may have, the usual one first.
    fn media_types(&self) -> &'static [&'static str];
}

/// The codec of a binding; none where this build does not speak it.
pub(crate) fn of(binding: Binding) -> Option<&'static dyn Codec> {
    match binding {
        Binding::JsonRpc => Some(&JsonRpc),
        Binding::HttpJson | Binding::Grpc => None,
    }
}

/// The bindings that this build speaks.
pub(crate) fn spoken() -> impl Iterator<Item = Binding> {
    Binding::ALL.into_iter().filter(|binding| of(*binding).is_some())
}
