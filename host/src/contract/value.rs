use serde_json::{Map, Number, Value};

use super::source::{Span, Spanned};

/// A YAML value with its place, and each of its members with theirs.
#[derive(Clone, Debug, PartialEq)]
pub struct SpannedValue {
    /// What it is.
    pub kind: Kind,
    /// Where it stands; for a value that came through an alias, where it was written. A block list or map has the span of
    /// its first dash or key, a list or map in brackets that of the opening bracket.
    pub span: Span,
    /// The alias through which it came here.
    pub alias: Option<Box<Span>>,
    /// How it was written.
    pub(crate) origin: Origin,
}

/// The kinds of values; YAML 1.2 core schema.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Nothing, `null` or `~`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer of 64 bits, exact, or a finite double.
    Number(Number),
    /// A number that JSON cannot hold: infinite, not a number, or an integer beyond 64 bits. A diagnostic is due wherever
    /// such a value is used.
    Unrepresentable,
    /// A text.
    String(String),
    /// A list.
    List(Vec<SpannedValue>),
    /// A map, in the order of the file. No key stands twice.
    Map(Vec<Entry>),
    /// A value that could not be read and has been reported.
    Broken,
}

/// One member of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Spanned<String>,
    /// The value.
    pub value: SpannedValue,
}

/// How a scalar was written, as far as it matters later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Without quotes and tag: its type follows from its text.
    Plain,
    /// With quotes, a tag, or as a block: its type was chosen.
    Explicit,
    /// Text in which `${NAME}` was replaced.
    Environment,
}

impl SpannedValue {
    /// The member with a key, where this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key.value == key)
    }

    /// The members of a map; none for anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The same value as JSON. Values that JSON cannot hold become null; they have been reported when the file was read.
    pub fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Null | Kind::Unrepresentable | Kind::Broken => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(value) => Value::Number(value.clone()),
            Kind::String(value) => Value::String(value.clone()),
            Kind::List(items) => Value::Array(items.iter().map(SpannedValue::to_json).collect()),
            Kind::Map(entries) => {
                let members = entries.iter().map(|entry| (entry.key.value.clone(), entry.value.to_json()));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }

    /// Where a JSON Pointer (RFC 6901) leads: a member of a map with its key and, on the same line, its value; an item of
    /// a list; this value itself for the empty pointer. A pointer into something that is not there leads to the key of
    /// the nearest ancestor that is. None where not even the first step exists: the caller knows the key above.
    pub fn at(&self, pointer: &str) -> Option<Span> {
        let mut value = self;
        let mut nearest = None;
        let mut here = Some(self.span);
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let (next, span, key) = match &value.kind {
                Kind::Map(entries) => {
                    let Some(entry) = entries.iter().find(|entry| entry.key.value == step) else { return nearest };
                    (&entry.value, entry.span(), entry.key.span)
                }
                Kind::List(items) => {
                    let Some(item) = step.parse::<usize>().ok().and_then(|index| items.get(index)) else {
                        return nearest;
                    };
                    (item, item.span, item.span)
                }
                _ => return nearest,
            };
            value = next;
            here = Some(span);
            nearest = Some(key);
        }
        here
    }

    /// What to call the value in a message.
    pub(crate) fn noun(&self) -> &'static str {
        match &self.kind {
            Kind::Null => "nothing",
            Kind::Bool(_) => "a boolean",
            Kind::Number(number) if number.is_f64() => "a decimal number",
            Kind::Number(_) => "an integer",
            Kind::Unrepresentable => "a number that is not finite or too large",
            Kind::String(_) => "a string",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a map",
            Kind::Broken => "an unreadable value",
        }
    }
}

impl Entry {
    /// The key, and the value too where it is a scalar on the same line.
    pub fn span(&self) -> Span {
        let key = self.key.span;
        let value = self.value.span;
        let scalar = !matches!(self.value.kind, Kind::List(_) | Kind::Map(_));
        if scalar && value.line == key.line && value.start >= key.end { key.to(value) } else { key }
    }
}
