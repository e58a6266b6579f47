use serde_json::{Map, Value, json};

use crate::a2a::{A2aError, ErrorKind, Operation};

/// The JSON-RPC request around an A2A request (§9.3).
#[derive(Debug)]
pub(super) struct Envelope {
    /// Echoed with its type; null where the client gave none.
    pub(super) id: Value,
    pub(super) operation: Operation,
    pub(super) params: Value,
}

/// A request that is not one, and the id to answer it with.
#[derive(Debug, PartialEq)]
pub(super) struct Refused {
    pub(super) id: Value,
    pub(super) error: A2aError,
}

impl Envelope {
    /// Reads a body. The first check that fails decides; they stand in the order in which they are made. Members that
    /// JSON-RPC does not know are ignored (§5.7).
    pub(super) fn read(body: &[u8]) -> Result<Self, Box<Refused>> {
        let refuse = |id: &Value, kind, message: String| {
            Box::new(Refused { id: id.clone(), error: A2aError::new(kind, message) })
        };
        let invalid = |id: &Value, message: &str| refuse(id, ErrorKind::InvalidRequest, message.to_owned());
        let null = Value::Null;

        let body: Value = serde_json::from_slice(body)
            .map_err(|why| refuse(&null, ErrorKind::ParseError, format!("the body is not JSON: {why}")))?;
        let mut members = match body {
            Value::Object(members) => members,
            Value::Array(list) if list.is_empty() => return Err(invalid(&null, "an empty batch is no request")),
            Value::Array(_) => return Err(invalid(&null, "batches are not supported: send one request at a time")),
            _ => return Err(invalid(&null, "a request must be an object")),
        };
        let id = id(&members).ok_or_else(|| invalid(&null, "id must be a string, a whole number or null"))?;
        match members.get("jsonrpc") {
            None => return Err(invalid(&id, "member jsonrpc is missing: it must be \"2.0\"")),
            Some(Value::String(_)) => {}
            Some(_) => return Err(invalid(&id, "jsonrpc must be the string \"2.0\"")),
        }
        let method = match members.get("method") {
            Some(Value::String(method)) => method.clone(),
            Some(_) => return Err(invalid(&id, "method must be a string")),
            None => return Err(invalid(&id, "member method is missing")),
        };
        let params = members.remove("params").unwrap_or_else(|| Value::Object(Map::new()));
        if !matches!(params, Value::Object(_) | Value::Array(_) | Value::Null) {
            return Err(invalid(&id, "params must be an object"));
        }
        if members["jsonrpc"] != "2.0" {
            return Err(invalid(&id, "jsonrpc must be exactly \"2.0\""));
        }
        if method.is_empty() {
            return Err(invalid(&id, "method must not be empty"));
        }
        let operation = Operation::from_name(&method)
            .ok_or_else(|| refuse(&id, ErrorKind::MethodNotFound, unknown_method(&method)))?;
        Ok(Envelope { id, operation, params })
    }
}

/// The id to answer with; none if it is of a type that JSON-RPC does not have.
fn id(members: &Map<String, Value>) -> Option<Value> {
    match members.get("id") {
        None | Some(Value::Null) => Some(Value::Null),
        Some(id @ Value::String(_)) => Some(id.clone()),
        Some(Value::Number(number)) if number.is_i64() || number.is_u64() => Some(number.clone().into()),
        Some(_) => None,
    }
}

/// Names with a slash are those of 0.3.
fn unknown_method(method: &str) -> String {
    let names: Vec<&str> = Operation::table().iter().map(|row| row.name).collect();
    let near = names.iter().find(|name| name.eq_ignore_ascii_case(method));
    match near {
        Some(name) => format!("no method {method:?}; the name is {name}"),
        None if method.contains('/') => {
            format!(
                "no method {method:?}: names with a slash are those of A2A 0.3; expected one of {}",
                names.join(", ")
            )
        }
        None => format!("no method {method:?}; expected one of {}", names.join(", ")),
    }
}

/// A JSON-RPC response (§9.3).
pub(super) fn response(id: &Value, outcome: Result<Value, A2aError>) -> Value {
    match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error.to_jsonrpc()}),
    }
}
