//! What was sent and everything that came back. The client makes an [`Exchange`] once; afterwards it is only read.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use super::{Binding, ErrorKind};

/// One call of an operation, raw and decoded, with times.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The operation's name as sent; it need not be one that A2A knows.
    pub operation: String,
    /// How it travelled.
    pub binding: Binding,
    /// Where to.
    pub url: String,
    /// What was sent.
    pub request: SentRequest,
    /// Status and headers; none where no answer came.
    pub response: Option<Response>,
    /// The body as received, up to the client's limit.
    pub raw: Bytes,
    /// The pieces of the body: one per event or comment of a stream, one in all for a plain answer.
    pub frames: Vec<Frame>,
    /// What the frames said, decoded: stream responses, or the one result of a plain call.
    pub events: Vec<Event>,
    /// How the body ended.
    pub ending: Ending,
    /// From just before sending to the end of the answer.
    pub elapsed: Duration,
    /// What was tolerated while reading.
    pub deviations: Vec<Deviation>,
    /// Why the call came to nothing, or was cut short; the events before it are kept.
    pub error: Option<ExchangeError>,
}

/// What was sent.
#[derive(Clone, Debug)]
pub struct SentRequest {
    /// The A2A request: over JSON-RPC the content of `params`.
    pub body: Value,
    /// The bytes of the body.
    pub raw: Bytes,
    /// Headers, those with secrets included; redact before showing them.
    pub headers: Vec<(String, String)>,
}

/// The head of an answer.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// HTTP status.
    pub http_status: Option<u16>,
    /// gRPC status.
    pub grpc_status: Option<u8>,
    /// Headers in order of arrival, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Trailers, likewise.
    pub trailers: Vec<(String, String)>,
    /// The answer is an event stream.
    pub streamed: bool,
}

impl Response {
    /// The first header of that name; the name is given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A piece of the body: where it stands in `raw` and when its last byte came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Offset of the first byte in `raw`.
    pub offset: usize,
    /// Length in bytes, line ends included.
    pub length: usize,
    /// Since the request was sent.
    pub at: Duration,
    /// What it is.
    pub kind: FrameKind,
}

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// The whole body of a plain answer.
    Body,
    /// An event of a stream.
    Event,
    /// A comment line of a stream, such as a keep-alive.
    Comment,
    /// An event that the end of the stream cut off: no blank line came.
    Unfinished,
}

/// One decoded event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Index of its frame.
    pub frame: usize,
    /// Since the request was sent.
    pub at: Duration,
    /// The A2A value: over JSON-RPC the content of `result`.
    pub body: Value,
}

/// How the body of an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The client stopped reading, or has not finished.
    Open,
    /// The agent closed it as the transport asks for.
    Clean,
    /// The stream ended inside an event.
    Cut,
    /// The connection broke.
    Reset,
}

/// Something about the answer that the specification does not allow and that was tolerated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// Stable word in kebab case.
    pub code: &'static str,
    /// A sentence: what was found and what was expected.
    pub message: String,
    /// JSON Pointer into the event, where there is one.
    pub path: Option<String>,
    /// Index of the event, where there is one.
    pub event: Option<usize>,
}

/// Why a call came to nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum ExchangeError {
    /// The agent answered with an error of the protocol.
    Protocol {
        /// JSON-RPC code.
        code: Option<i64>,
        /// `ErrorInfo.reason`.
        reason: Option<String>,
        /// The agent's sentence.
        message: String,
        /// The whole error object as received.
        body: Value,
    },
    /// An answer came that is no A2A answer.
    Unreadable {
        /// What is wrong with it, with the place.
        why: String,
    },
    /// The connection could not be made, or broke.
    Transport {
        /// In words.
        why: String,
    },
    /// The deadline passed.
    Timeout {
        /// The deadline.
        limit: Duration,
    },
    /// A limit of the client was passed.
    Limit {
        /// Which, and its number.
        what: String,
    },
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(index) = self.event {
            write!(f, "event {index}")?;
        }
        if let Some(path) = &self.path {
            write!(f, "{}{path}", if self.event.is_some() { " at " } else { "at " })?;
        }
        if self.event.is_some() || self.path.is_some() {
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

impl fmt::Display for ExchangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExchangeError::Protocol { code, reason, message, .. } => {
                let name = code.and_then(ErrorKind::from_code).map(ErrorKind::name);
                match (name.or(reason.as_deref()), code) {
                    (Some(name), Some(code)) => write!(f, "the agent answered with {name} ({code})")?,
                    (Some(name), None) => write!(f, "the agent answered with {name}")?,
                    (None, Some(code)) => write!(f, "the agent answered with error {code}")?,
                    (None, None) => f.write_str("the agent answered with an error")?,
                }
                if message.is_empty() { Ok(()) } else { write!(f, ": {message}") }
            }
            ExchangeError::Unreadable { why } | ExchangeError::Transport { why } => f.write_str(why),
            ExchangeError::Timeout { limit } => {
                write!(f, "no complete answer within {} s", limit.as_secs_f64())
            }
            ExchangeError::Limit { what } => f.write_str(what),
        }
    }
}

impl std::error::Error for ExchangeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_deviations_read_as_sentences() {
        let error = |code, reason: Option<&str>, message: &str| {
            let reason = reason.map(str::to_owned);
            ExchangeError::Protocol { code, reason, message: message.into(), body: Value::Null }.to_string()
        };
        assert_eq!(
            error(Some(-32001), None, "no task t-9"),
            "the agent answered with TaskNotFoundError (-32001): no task t-9"
        );
        assert_eq!(error(None, Some("QUOTA"), ""), "the agent answered with QUOTA");
        assert_eq!(error(Some(7), None, "x"), "the agent answered with error 7: x");
        let timeout = ExchangeError::Timeout { limit: Duration::from_millis(1500) };
        assert_eq!(timeout.to_string(), "no complete answer within 1.5 s");
        let mut deviation = Deviation { code: "x", message: "odd".into(), path: None, event: None };
        assert_eq!(deviation.to_string(), "odd");
        deviation.path = Some("/a".into());
        assert_eq!(deviation.to_string(), "at /a: odd");
        deviation.event = Some(2);
        assert_eq!(deviation.to_string(), "event 2 at /a: odd");
    }
}
