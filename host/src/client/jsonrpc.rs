//! JSON-RPC 2.0 (§9): the envelope of a request and of an answer.

use serde_json::{Map, Value, json};
use url::Url;

use super::codec::{Codec, Encoded, Undecoded};
use super::decode::{kind_of, quoted};
use super::excerpt::clean;
use super::notes::Notes;
use crate::a2a::{ErrorKind, ExchangeError};

pub(crate) struct JsonRpc;

impl Codec for JsonRpc {
    fn encode(&self, endpoint: &Url, operation: &str, request: &Value) -> Result<Encoded, String> {
        let id = Value::from(uuid::Uuid::new_v4().to_string());
        let envelope = json!({"jsonrpc": "2.0", "id": id, "method": operation, "params": request});
        Ok(Encoded {
            method: reqwest::Method::POST,
            url: endpoint.clone(),
            content_type: "application/json",
            body: envelope.to_string().into(),
            id,
        })
    }

    fn decode(&self, sent: &Encoded, answer: Value, notes: &mut Notes) -> Result<Value, Undecoded> {
        let Value::Object(mut envelope) = answer else {
            return Err(Undecoded::Odd(format!("it is {}, expected a JSON-RPC response", kind_of(&answer))));
        };
        let error = envelope.remove("error").filter(|error| !error.is_null());
        let result = envelope.remove("result");
        let answer = match (error, result) {
            (Some(error), result) => {
                if result.is_some() {
                    let message = "the answer has both `result` and `error`; the error counts";
                    notes.whole("result-and-error", message.into());
                }
                Err(error)
            }
            (None, Some(result)) => Ok(result),
            (None, None) => return Err(Undecoded::Odd("it has neither `result` nor `error`".into())),
        };
        let code = answer.as_ref().err().and_then(|error| error["code"].as_i64());
        check_envelope(sent, &envelope, code, notes);
        answer.map_err(|error| protocol_error(error, notes))
    }

    fn media_types(&self) -> &'static [&'static str] {
        &["application/json"]
    }
}

/// `jsonrpc` must be "2.0" and `id` the very value that was sent, of the same type (JSON-RPC 2.0 §5). `code` is that of
/// an error answer.
fn check_envelope(sent: &Encoded, envelope: &Map<String, Value>, code: Option<i64>, notes: &mut Notes) {
    match envelope.get("jsonrpc") {
        Some(Value::String(version)) if version == "2.0" => {}
        Some(other) => notes.whole("jsonrpc-version", format!("`jsonrpc` is {}, expected \"2.0\"", quoted(other))),
        None => notes.whole("jsonrpc-version", "`jsonrpc` is missing, expected \"2.0\"".into()),
    }
    match envelope.get("id") {
        Some(id) if *id == sent.id => {}
        // A server that could not read the request cannot know its id.
        Some(Value::Null) if code.is_some_and(unread) => {}
        Some(id) => notes.whole(
            "response-id",
            format!("sent id {} ({}), got {} ({})", sent.id, type_of(&sent.id), quoted(id), type_of(id)),
        ),
        None => notes.whole("response-id", format!("sent id {}, got none", sent.id)),
    }
}

fn unread(code: i64) -> bool {
    [ErrorKind::ParseError, ErrorKind::InvalidRequest].iter().any(|kind| i64::from(kind.code()) == code)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

/// Reads an error object. What is odd about its details is noted and never hides the error itself.
fn protocol_error(error: Value, notes: &mut Notes) -> Undecoded {
    let Some(object) = error.as_object() else {
        return Undecoded::Odd(format!("`error` is {}, expected an object", kind_of(&error)));
    };
    let code = match object.get("code") {
        Some(code) => integer(code, notes).or_else(|| {
            notes.at("error-code", "/error/code", format!("it is {}, expected an integer", quoted(code)));
            None
        }),
        None => {
            notes.at("error-code", "/error/code", "the error has no code".into());
            None
        }
    };
    let message = match object.get("message") {
        Some(Value::String(message)) => message.clone(),
        other => {
            let found = other.map_or("missing", kind_of);
            notes.at("error-message", "/error/message", format!("it is {found}, expected a string"));
            String::new()
        }
    };
    if code.is_none() && message.is_empty() {
        return Undecoded::Odd("`error` has neither a code nor a message".into());
    }
    // Over JSON-RPC the details are in `data`; some agents send the shape of HTTP+JSON, which has `details`.
    let mut reason = None;
    for member in ["data", "details"] {
        match object.get(member) {
            None | Some(Value::Null) => {}
            Some(Value::Array(details)) => {
                for (index, detail) in details.iter().enumerate() {
                    let found = error_info(detail, &format!("/error/{member}/{index}"), notes);
                    reason = reason.or(found);
                }
            }
            Some(other) => {
                notes.at(
                    "error-details",
                    &format!("/error/{member}"),
                    format!("it is {}, expected a list", kind_of(other)),
                );
                reason = reason.or(error_info(other, &format!("/error/{member}"), notes));
            }
        }
    }
    Undecoded::Error(ExchangeError::Protocol { code, reason, message, body: error })
}

/// An integer, also as an integral float or as a decimal string.
fn integer(value: &Value, notes: &mut Notes) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            // Beyond this a float is no exact integer any more.
            number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15).map(|float| float as i64)
        }),
        Value::String(text) => {
            let number = text.parse().ok()?;
            notes.at("string-number", "/error/code", format!("the number {} is a string", clean(text)));
            Some(number)
        }
        _ => None,
    }
}

/// The reason of a `google.rpc.ErrorInfo`; its metadata is a map of strings, which not all agents heed.
fn error_info(detail: &Value, path: &str, notes: &mut Notes) -> Option<String> {
    let kind = detail.get("@type").and_then(Value::as_str)?;
    if kind.rsplit('/').next() != Some("google.rpc.ErrorInfo") {
        return None;
    }
    if let Some(metadata) = detail.get("metadata").and_then(Value::as_object) {
        for (key, value) in metadata.iter().filter(|(_, value)| !value.is_string()) {
            notes.at(
                "error-metadata",
                &format!("{path}/metadata/{}", super::decode::escape(key)),
                format!("metadata value is not a string but {}", kind_of(value)),
            );
        }
    }
    detail.get("reason").and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(id: Value) -> Encoded {
        Encoded { id, ..JsonRpc.encode(&Url::parse("http://h/rpc").unwrap(), "GetTask", &json!({"id": "t"})).unwrap() }
    }

    fn decode(answer: Value) -> (Result<Value, Undecoded>, Vec<(&'static str, String)>) {
        let mut notes = Notes::default();
        let result = JsonRpc.decode(&sent(json!(7)), answer, &mut notes);
        (result, notes.into_list().into_iter().map(|note| (note.code, note.message)).collect())
    }

    #[test]
    fn the_request_is_an_envelope_with_a_string_uuid() {
        let encoded = JsonRpc.encode(&Url::parse("http://h/rpc").unwrap(), "GetTask", &json!({"id": "t"})).unwrap();
        let envelope: Value = serde_json::from_slice(&encoded.body).unwrap();
        assert_eq!(envelope, json!({"jsonrpc": "2.0", "id": encoded.id, "method": "GetTask", "params": {"id": "t"}}));
        assert!(uuid::Uuid::parse_str(encoded.id.as_str().unwrap()).is_ok());
    }

    #[test]
    fn a_result_may_be_anything_even_null() {
        assert_eq!(decode(json!({"jsonrpc": "2.0", "id": 7, "result": null})), (Ok(Value::Null), vec![]));
        assert_eq!(decode(json!({"jsonrpc": "2.0", "id": 7, "result": 1, "error": null})), (Ok(json!(1)), vec![]));
    }

    // C009.
    #[test]
    fn the_id_must_keep_its_value_and_type() {
        let note = |answer| decode(answer).1;
        assert_eq!(
            note(json!({"jsonrpc": "2.0", "id": "7", "result": 1})),
            [("response-id", "sent id 7 (number), got \"7\" (string)".into())]
        );
        assert_eq!(note(json!({"jsonrpc": "2.0", "id": 8, "result": 1}))[0].1, "sent id 7 (number), got 8 (number)");
        assert_eq!(note(json!({"jsonrpc": "2.0", "result": 1}))[0].1, "sent id 7, got none");
        let error = |code: i64| json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": "m"}});
        assert_eq!(note(error(-32700)), []);
        assert_eq!(note(error(-32001)).len(), 1);
    }

    #[test]
    fn the_version_member_is_checked() {
        assert_eq!(
            decode(json!({"id": 7, "jsonrpc": "1.0", "result": 1})).1,
            [("jsonrpc-version", "`jsonrpc` is \"1.0\", expected \"2.0\"".into())]
        );
        assert_eq!(decode(json!({"id": 7, "result": 1})).1.len(), 1);
    }

    #[test]
    fn errors_are_read_with_their_reason() {
        let error = json!({"code": -32001, "message": "no task", "data": [
            {"@type": "type.googleapis.com/google.rpc.BadRequest"},
            {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org"}]});
        let expected = ExchangeError::Protocol {
            code: Some(-32001),
            reason: Some("TASK_NOT_FOUND".into()),
            message: "no task".into(),
            body: error.clone(),
        };
        assert_eq!(
            decode(json!({"jsonrpc": "2.0", "id": 7, "error": error})),
            (Err(Undecoded::Error(expected)), vec![])
        );
    }

    // C015.
    #[test]
    fn odd_details_never_hide_the_error() {
        let (result, notes) = decode(json!({"error": {"code": 400, "status": "INVALID_ARGUMENT",
            "message": "Validation failed", "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "INVALID_PARAMS", "domain": "a2a-protocol.org", "metadata": {"errors": [{"field": "message"}]}}]}}));
        let Err(Undecoded::Error(ExchangeError::Protocol { code, reason, message, .. })) = result else {
            panic!("{result:?}")
        };
        assert_eq!(
            (code, reason.as_deref(), message.as_str()),
            (Some(400), Some("INVALID_PARAMS"), "Validation failed")
        );
        assert!(notes.contains(&("error-metadata", "metadata value is not a string but a list".into())));
        let (result, notes) = decode(json!({"jsonrpc": "2.0", "id": 7, "error": {"code": "-32001", "data": {"a": 1}}}));
        assert!(matches!(result, Err(Undecoded::Error(ExchangeError::Protocol { code: Some(-32001), .. }))));
        let codes: Vec<&str> = notes.iter().map(|note| note.0).collect();
        assert_eq!(codes, ["string-number", "error-message", "error-details"]);
    }

    #[test]
    fn an_error_beside_a_result_counts() {
        let (result, notes) =
            decode(json!({"jsonrpc": "2.0", "id": 7, "result": 1, "error": {"code": 1, "message": "m"}}));
        assert!(matches!(result, Err(Undecoded::Error(_))));
        assert_eq!(notes[0].0, "result-and-error");
    }

    #[test]
    fn what_is_no_response_is_odd() {
        for (answer, why) in [
            (json!([1]), "it is a list, expected a JSON-RPC response"),
            (json!({"task": {}}), "it has neither `result` nor `error`"),
            (json!({"error": "unauthorized"}), "`error` is a string, expected an object"),
            (json!({"error": {}}), "`error` has neither a code nor a message"),
        ] {
            assert_eq!(decode(answer).0, Err(Undecoded::Odd(why.into())));
        }
    }
}
