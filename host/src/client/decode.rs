//! Lenient reading of replies: foreign JSON becomes JSON as the specification writes it (camelCase names, enum names,
//! no `null`), and each thing that had to be tolerated is noted with its place. Members that nobody knows stay.

use serde_json::{Map, Value};

use super::excerpt::clean;
use super::notes::Notes;
use super::shape::{ARTIFACT_UPDATE, Field, Kind, LIST_TASKS_RESPONSE, MESSAGE, PART, STATUS_UPDATE, Shape, TASK};
use super::{enums, part};
use crate::a2a::Operation;

/// What one event says, in canonical form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Payload {
    Task(Map<String, Value>),
    Message(Map<String, Value>),
    StatusUpdate(Map<String, Value>),
    ArtifactUpdate(Map<String, Value>),
    /// The response of an operation that answers with none of these.
    Other,
}

/// The members of `StreamResponse` (§3.2.3); the first two are those of `SendMessageResponse`.
const ARMS: [(&str, &Shape); 4] =
    [("task", &TASK), ("message", &MESSAGE), ("statusUpdate", &STATUS_UPDATE), ("artifactUpdate", &ARTIFACT_UPDATE)];

/// Reads the response of an operation. The error says what cannot be read, with its place; an operation that A2A does
/// not know is not looked into.
pub(crate) fn read(operation: &str, body: &Value, notes: &mut Notes) -> Result<Payload, String> {
    let Some(operation) = Operation::from_name(operation) else {
        return Ok(Payload::Other);
    };
    match operation.spec().response {
        "SendMessageResponse" | "StreamResponse" => wrapped(body, notes),
        "Task" => bare_task(body, notes),
        "ListTasksResponse" => object(body, &LIST_TASKS_RESPONSE, "", notes).map(|_| Payload::Other),
        _ => Ok(Payload::Other),
    }
}

/// A response with one member that says what it is.
fn wrapped(body: &Value, notes: &mut Notes) -> Result<Payload, String> {
    let Some(members) = body.as_object() else {
        return Err(format!("the response is {}, expected an object", kind_of(body)));
    };
    let mut found: Option<(usize, String)> = None;
    for (index, (arm, _)) in ARMS.iter().enumerate() {
        for spelling in [(*arm).to_owned(), snake(arm)] {
            if members.get(&spelling).is_none_or(Value::is_null) || found.as_ref().is_some_and(|(_, s)| *s == spelling)
            {
                continue;
            }
            if let Some((_, other)) = &found {
                return Err(format!("the response has both `{other}` and `{spelling}`, expected exactly one"));
            }
            found = Some((index, spelling));
        }
    }
    let Some((index, spelling)) = found else {
        return unwrapped(body, members, notes);
    };
    let (name, shape) = ARMS[index];
    if spelling != name {
        notes.at("snake-case-field", &format!("/{spelling}"), format!("`{spelling}` should be spelled `{name}`"));
    }
    for (key, value) in members.iter().filter(|(key, _)| **key != spelling) {
        if value.is_null() && ARMS.iter().any(|(arm, _)| arm == key) {
            notes.at("null-field", &format!("/{key}"), "it is null, expected to be left out".into());
        } else {
            unknown(key, "", notes);
        }
    }
    let map = object(&members[&spelling], shape, &format!("/{spelling}"), notes)?;
    Ok(payload(index, map))
}

/// A response without its wrapper: told by the `kind` of 0.3, or by the members that are there.
fn unwrapped(body: &Value, members: &Map<String, Value>, notes: &mut Notes) -> Result<Payload, String> {
    let has = |name: &str| members.contains_key(name) || members.contains_key(&snake(name));
    let index = match members.get("kind").and_then(Value::as_str) {
        Some("task") => 0,
        Some("message") => 1,
        Some("status-update") => 2,
        Some("artifact-update") => 3,
        _ if has("artifact") => 3,
        _ if has("status") && has("taskId") => 2,
        _ if has("status") => 0,
        _ if has("parts") => 1,
        _ => {
            let names: Vec<String> = members.keys().take(8).map(|name| format!("`{}`", clean(name))).collect();
            let names = if names.is_empty() { "no members".into() } else { names.join(", ") };
            return Err(format!(
                "the response has none of `task`, `message`, `statusUpdate` and `artifactUpdate`; it has {names}"
            ));
        }
    };
    let (name, shape) = ARMS[index];
    let code = if index == 0 { "unwrapped-task" } else { "unwrapped-response" };
    notes.at(code, "", format!("missing `{name}` wrapper: a bare {} was sent, expected {{\"{name}\": …}}", shape.name));
    Ok(payload(index, object(body, shape, "", notes)?))
}

/// A bare task; one in a wrapper is taken out of it.
fn bare_task(body: &Value, notes: &mut Notes) -> Result<Payload, String> {
    match body.get("task") {
        Some(task) if body.get("status").is_none() => {
            notes.at("wrapped-task", "/task", "the task is wrapped in `task`, expected a bare Task".into());
            object(task, &TASK, "/task", notes).map(Payload::Task)
        }
        _ => object(body, &TASK, "", notes).map(Payload::Task),
    }
}

fn payload(index: usize, map: Map<String, Value>) -> Payload {
    match index {
        0 => Payload::Task(map),
        1 => Payload::Message(map),
        2 => Payload::StatusUpdate(map),
        _ => Payload::ArtifactUpdate(map),
    }
}

/// Reads a message of the protocol.
fn object(value: &Value, shape: &Shape, path: &str, notes: &mut Notes) -> Result<Map<String, Value>, String> {
    let Some(members) = value.as_object() else {
        return Err(wrong(path, value, "an object"));
    };
    let converted = if std::ptr::eq(shape, &PART) { part::from_legacy(members, path, notes) } else { None };
    let members = converted.as_ref().unwrap_or(members);
    let mut out = Map::new();
    for (key, value) in members {
        let at = format!("{path}/{}", escape(key));
        let Some(field) = shape.fields.iter().find(|field| field.name == key || snake(field.name) == *key) else {
            if shape.dropped.contains(&key.as_str()) {
                let code = if key == "kind" { "kind-discriminator" } else { "legacy-field" };
                notes.at(code, &at, format!("`{}` belongs to A2A 0.3 and has no place in {}", clean(key), shape.name));
            } else {
                unknown(key, path, notes);
                out.insert(key.clone(), value.clone());
            }
            continue;
        };
        if field.name != key {
            if members.contains_key(field.name) {
                notes.at("both-spellings", &at, format!("`{key}` stands beside `{}`, which counts", field.name));
                continue;
            }
            notes.at("snake-case-field", &at, format!("`{key}` should be spelled `{}`", field.name));
        }
        if value.is_null() && !matches!(field.kind, Kind::Any) {
            if !field.required {
                notes.at("null-field", &at, "it is null, expected to be left out".into());
            }
            continue;
        }
        out.insert(field.name.to_owned(), member(value, field, &at, notes)?);
    }
    for field in shape.fields.iter().filter(|field| field.required && !out.contains_key(field.name)) {
        let at = format!("{path}/{}", field.name);
        notes.at("missing-field", &at, format!("{} has no `{}`, which is required", shape.name, field.name));
    }
    if std::ptr::eq(shape, &PART) {
        part::check(&out, path, notes)?;
    }
    Ok(out)
}

fn member(value: &Value, field: &Field, at: &str, notes: &mut Notes) -> Result<Value, String> {
    Ok(match field.kind {
        Kind::Any => value.clone(),
        Kind::Text => Value::from(text(value, at)?),
        Kind::Time => {
            let text = text(value, at)?;
            if !text.ends_with('Z') || text.parse::<jiff::Timestamp>().is_err() {
                let message = format!("{} is no RFC 3339 time in UTC that ends in Z", quoted(value));
                notes.at("timestamp", at, message);
            }
            Value::from(text)
        }
        Kind::State => enums::state(value, at, notes)?,
        Kind::Role => enums::role(value, at, notes)?,
        Kind::Free => match value {
            Value::Object(_) => value.clone(),
            other => return Err(wrong(at, other, "an object")),
        },
        Kind::Bool => match value {
            Value::Bool(_) => value.clone(),
            Value::String(text) if text == "true" || text == "false" => {
                notes.at("string-bool", at, format!("\"{text}\" is a string, expected {text}"));
                Value::Bool(text == "true")
            }
            other => return Err(wrong(at, other, "true or false")),
        },
        Kind::Int => match value {
            Value::Number(number) if number.as_f64().is_some_and(|float| float.fract() == 0.0) => value.clone(),
            Value::String(text) if text.parse::<i32>().is_ok() => {
                notes.at("string-number", at, format!("\"{text}\" is a string, expected {text}"));
                text.parse::<i32>().map_or(Value::Null, Value::from)
            }
            other => return Err(wrong(at, other, "an integer")),
        },
        Kind::Texts => {
            let list = list(value, at)?;
            let texts: Result<Vec<String>, String> =
                list.iter().enumerate().map(|(index, value)| text(value, &format!("{at}/{index}"))).collect();
            Value::from(texts?)
        }
        Kind::One(shape) => Value::Object(object(value, shape, at, notes)?),
        Kind::Many(shape) => {
            let list = list(value, at)?;
            if list.is_empty() && std::ptr::eq(shape, &PART) {
                notes.at("no-parts", at, "the list of parts is empty, expected at least one".into());
            }
            let mut out = Vec::with_capacity(list.len());
            for (index, value) in list.iter().enumerate() {
                out.push(Value::Object(object(value, shape, &format!("{at}/{index}"), notes)?));
            }
            Value::Array(out)
        }
    })
}

fn text(value: &Value, at: &str) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| wrong(at, value, "a string"))
}

fn list<'a>(value: &'a Value, at: &str) -> Result<&'a [Value], String> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| wrong(at, value, "a list"))
}

fn unknown(key: &str, path: &str, notes: &mut Notes) {
    let at = format!("{path}/{}", escape(key));
    notes.at("unknown-field", &at, format!("`{}` is no member that A2A 1.0 knows", clean(key)));
}

fn wrong(path: &str, value: &Value, expected: &str) -> String {
    let place = if path.is_empty() { "the response" } else { path };
    format!("{place} is {}, expected {expected}", kind_of(value))
}

/// The kind of a value, for a message.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A value as JSON, cut and escaped, for a message.
pub(crate) fn quoted(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => kind_of(value).to_owned(),
        scalar => clean(&scalar.to_string()),
    }
}

/// The snake_case name of a member, as the protocol's .proto spells it.
pub(crate) fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(character.to_ascii_lowercase());
    }
    out
}

/// A member's name as a token of a JSON Pointer (RFC 6901), fit for a message.
pub(crate) fn escape(key: &str) -> String {
    clean(&key.replace('~', "~0").replace('/', "~1"))
}
