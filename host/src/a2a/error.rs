use std::fmt;

use serde_json::{Value, json};

/// Every error that an A2A agent answers with: the nine of the protocol (§3.3.2) and the five of JSON-RPC 2.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the specification's; the table below holds what there is to know")]
pub enum ErrorKind {
    TaskNotFound,
    TaskNotCancelable,
    PushNotificationNotSupported,
    UnsupportedOperation,
    ContentTypeNotSupported,
    InvalidAgentResponse,
    ExtendedAgentCardNotConfigured,
    ExtensionSupportRequired,
    VersionNotSupported,
    ParseError,
    InvalidRequest,
    MethodNotFound,
    InvalidParams,
    Internal,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [ErrorKind; 14] = [
        ErrorKind::TaskNotFound,
        ErrorKind::TaskNotCancelable,
        ErrorKind::PushNotificationNotSupported,
        ErrorKind::UnsupportedOperation,
        ErrorKind::ContentTypeNotSupported,
        ErrorKind::InvalidAgentResponse,
        ErrorKind::ExtendedAgentCardNotConfigured,
        ErrorKind::ExtensionSupportRequired,
        ErrorKind::VersionNotSupported,
        ErrorKind::ParseError,
        ErrorKind::InvalidRequest,
        ErrorKind::MethodNotFound,
        ErrorKind::InvalidParams,
        ErrorKind::Internal,
    ];

    /// The `code` of a JSON-RPC error (§5.4, §9.5).
    pub fn code(self) -> i32 {
        match self {
            ErrorKind::TaskNotFound => -32001,
            ErrorKind::TaskNotCancelable => -32002,
            ErrorKind::PushNotificationNotSupported => -32003,
            ErrorKind::UnsupportedOperation => -32004,
            ErrorKind::ContentTypeNotSupported => -32005,
            ErrorKind::InvalidAgentResponse => -32006,
            ErrorKind::ExtendedAgentCardNotConfigured => -32007,
            ErrorKind::ExtensionSupportRequired => -32008,
            ErrorKind::VersionNotSupported => -32009,
            ErrorKind::ParseError => -32700,
            ErrorKind::InvalidRequest => -32600,
            ErrorKind::MethodNotFound => -32601,
            ErrorKind::InvalidParams => -32602,
            ErrorKind::Internal => -32603,
        }
    }

    /// The `reason` of `google.rpc.ErrorInfo`; none for the errors of JSON-RPC itself.
    pub fn reason(self) -> Option<&'static str> {
        Some(match self {
            ErrorKind::TaskNotFound => "TASK_NOT_FOUND",
            ErrorKind::TaskNotCancelable => "TASK_NOT_CANCELABLE",
            ErrorKind::PushNotificationNotSupported => "PUSH_NOTIFICATION_NOT_SUPPORTED",
            ErrorKind::UnsupportedOperation => "UNSUPPORTED_OPERATION",
            ErrorKind::ContentTypeNotSupported => "CONTENT_TYPE_NOT_SUPPORTED",
            ErrorKind::InvalidAgentResponse => "INVALID_AGENT_RESPONSE",
            ErrorKind::ExtendedAgentCardNotConfigured => "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
            ErrorKind::ExtensionSupportRequired => "EXTENSION_SUPPORT_REQUIRED",
            ErrorKind::VersionNotSupported => "VERSION_NOT_SUPPORTED",
            _ => return None,
        })
    }

    /// The specification's name of the error, such as `TaskNotFoundError`.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::TaskNotFound => "TaskNotFoundError",
            ErrorKind::TaskNotCancelable => "TaskNotCancelableError",
            ErrorKind::PushNotificationNotSupported => "PushNotificationNotSupportedError",
            ErrorKind::UnsupportedOperation => "UnsupportedOperationError",
            ErrorKind::ContentTypeNotSupported => "ContentTypeNotSupportedError",
            ErrorKind::InvalidAgentResponse => "InvalidAgentResponseError",
            ErrorKind::ExtendedAgentCardNotConfigured => "ExtendedAgentCardNotConfiguredError",
            ErrorKind::ExtensionSupportRequired => "ExtensionSupportRequiredError",
            ErrorKind::VersionNotSupported => "VersionNotSupportedError",
            ErrorKind::ParseError => "JSONParseError",
            ErrorKind::InvalidRequest => "InvalidRequestError",
            ErrorKind::MethodNotFound => "MethodNotFoundError",
            ErrorKind::InvalidParams => "InvalidParamsError",
            ErrorKind::Internal => "InternalError",
        }
    }

    /// The kind of a JSON-RPC code.
    pub fn from_code(code: i64) -> Option<ErrorKind> {
        ErrorKind::ALL.into_iter().find(|kind| i64::from(kind.code()) == code)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An error as an agent answers it, before a binding gives it its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct A2aError {
    /// JSON-RPC code; a plugin may use one that the protocol does not know.
    pub code: i32,
    /// `ErrorInfo.reason`; none leaves the detail out.
    pub reason: Option<String>,
    /// For people.
    pub message: String,
    /// Further typed details; each is an object with `@type`.
    pub details: Vec<Value>,
}

impl A2aError {
    /// An error of a known kind with its own sentence.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        A2aError {
            code: kind.code(),
            reason: kind.reason().map(str::to_owned),
            message: message.into(),
            details: Vec::new(),
        }
    }

    /// InvalidParams naming each offending field as `google.rpc.BadRequest` (§9.5).
    pub fn invalid_params(message: impl Into<String>, violations: &[(String, String)]) -> Self {
        let mut error = A2aError::new(ErrorKind::InvalidParams, message);
        if !violations.is_empty() {
            let list: Vec<Value> = violations
                .iter()
                .map(|(field, description)| json!({"field": field, "description": description}))
                .collect();
            error.details.push(json!({"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": list}));
        }
        error
    }

    /// The details as they stand on the wire: `ErrorInfo` first where there is a reason, then the others.
    pub fn wire_details(&self) -> Vec<Value> {
        let info = self.reason.as_ref().map(|reason| {
            json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "a2a-protocol.org"})
        });
        info.into_iter().chain(self.details.iter().cloned()).collect()
    }

    /// The `error` member of a JSON-RPC response (§9.5).
    pub fn to_jsonrpc(&self) -> Value {
        let details = self.wire_details();
        let mut error = json!({"code": self.code, "message": self.message});
        if !details.is_empty() {
            error["data"] = Value::Array(details);
        }
        error
    }
}

impl fmt::Display for A2aError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match ErrorKind::from_code(i64::from(self.code)) {
            Some(kind) => write!(f, "{kind} ({}): {}", self.code, self.message),
            None => write!(f, "error {}: {}", self.code, self.message),
        }
    }
}

impl std::error::Error for A2aError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_reasons_are_unique() {
        for (index, kind) in ErrorKind::ALL.iter().enumerate() {
            assert_eq!(ErrorKind::from_code(i64::from(kind.code())), Some(*kind));
            for other in &ErrorKind::ALL[index + 1..] {
                assert_ne!(kind.code(), other.code());
                assert!(kind.reason().is_none() || kind.reason() != other.reason());
            }
        }
    }

    #[test]
    fn the_jsonrpc_shape_has_error_info_first() {
        let error = A2aError::new(ErrorKind::TaskNotFound, "no task t-9");
        assert_eq!(
            error.to_jsonrpc(),
            json!({"code": -32001, "message": "no task t-9", "data": [{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org"}]})
        );
    }
}
