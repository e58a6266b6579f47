//! Enums of a reply: names of 1.0, numbers, names of 0.3. Whatever else comes stays as it is, with a note.

use serde_json::Value;

use super::decode::quoted;
use super::notes::Notes;
use crate::a2a::TaskState;

const UNSPECIFIED: &str = "TASK_STATE_UNSPECIFIED";

/// A task state under its name of 1.0.
pub(crate) fn state(value: &Value, at: &str, notes: &mut Notes) -> Result<Value, String> {
    let names = TaskState::ALL.map(TaskState::wire_name);
    let legacy = |text: &str| match text {
        "unknown" => Some(UNSPECIFIED),
        _ => TaskState::ALL.into_iter().find(|state| state.word().replace('_', "-") == text).map(TaskState::wire_name),
    };
    let number = |number: i64| match number {
        0 => Some(UNSPECIFIED),
        _ => TaskState::from_number(number).map(TaskState::wire_name),
    };
    let name = match value.as_str() {
        Some(UNSPECIFIED) => UNSPECIFIED.to_owned(),
        _ => read(value, at, "task state", &names, &legacy, &number, notes)?,
    };
    if name == UNSPECIFIED {
        notes.at("unspecified-state", at, "a status must have a state, and this one says none".into());
    }
    Ok(Value::from(name))
}

/// A role under its name of 1.0.
pub(crate) fn role(value: &Value, at: &str, notes: &mut Notes) -> Result<Value, String> {
    let names = ["ROLE_USER", "ROLE_AGENT"];
    let legacy = |text: &str| match text {
        "user" => Some("ROLE_USER"),
        "agent" => Some("ROLE_AGENT"),
        _ => None,
    };
    let number = |number: i64| match number {
        1 => Some("ROLE_USER"),
        2 => Some("ROLE_AGENT"),
        _ => None,
    };
    read(value, at, "role", &names, &legacy, &number, notes).map(Value::from)
}

fn read(
    value: &Value,
    at: &str,
    what: &str,
    names: &[&'static str],
    legacy: &dyn Fn(&str) -> Option<&'static str>,
    number: &dyn Fn(i64) -> Option<&'static str>,
    notes: &mut Notes,
) -> Result<String, String> {
    let (text, digits) = match value {
        Value::String(text) => (text.clone(), text.parse::<i64>().ok()),
        Value::Number(number) => (number.to_string(), number.as_i64()),
        other => return Err(format!("{at} is {}, expected the name of a {what}", super::decode::kind_of(other))),
    };
    if names.contains(&text.as_str()) {
        return Ok(text);
    }
    if let Some(name) = digits.and_then(number) {
        notes.at("enum-number", at, format!("{what} is the number {}, expected \"{name}\"", quoted(value)));
        return Ok(name.to_owned());
    }
    if let Some(name) = legacy(&text) {
        notes.at("legacy-enum", at, format!("{what} is \"{text}\", expected \"{name}\"; this looks like A2A 0.3"));
        return Ok(name.to_owned());
    }
    notes.at("unknown-enum", at, format!("{what} is {}, expected one of {}", quoted(value), names.join(", ")));
    Ok(text)
}
