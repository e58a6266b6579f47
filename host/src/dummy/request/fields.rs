//! Reads the members of a JSON object by the rules of ProtoJSON: both spellings of a name, `null` is "not set", numbers as
//! decimal strings; members that nobody asks for are ignored (§5.5, §5.7).

use serde_json::{Map, Value};

use super::violations::Violations;

/// An object of the request and its place in it.
pub(super) struct Fields<'a> {
    map: &'a Map<String, Value>,
    path: String,
    /// A name with an underscore is there at all. Few clients use the second spelling, so it is looked for only then.
    snake: bool,
}

impl<'a> Fields<'a> {
    /// Takes `value` as an object standing at `path`; empty for the request itself.
    pub(super) fn new(value: &'a Value, path: String, out: &mut Violations) -> Option<Self> {
        match value {
            Value::Object(map) => Some(Fields { map, snake: map.keys().any(|key| key.contains('_')), path }),
            other => {
                out.malformed(&path, format!("expected an object, found {}", kind(other)));
                None
            }
        }
    }

    /// The full name of a member, such as `message.parts`.
    pub(super) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// The place of this object.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The member of that camelCase name, in either spelling, `null` included.
    pub(super) fn raw(&self, name: &str, out: &mut Violations) -> Option<&'a Value> {
        let camel = self.map.get(name);
        let snake =
            if self.snake { self.map.get(&snake_case(name)).filter(|_| snake_case(name) != name) } else { None };
        if camel.is_some() && snake.is_some() {
            out.malformed(&self.path_of(name), format!("is given twice, also as {}", snake_case(name)));
        }
        camel.or(snake)
    }

    /// The member, where it is set.
    pub(super) fn value(&self, name: &str, out: &mut Violations) -> Option<&'a Value> {
        self.raw(name, out).filter(|value| !value.is_null())
    }

    /// A string. Absent and empty are the same thing in proto3.
    pub(super) fn string(&self, name: &str, out: &mut Violations) -> Option<String> {
        self.text(name, out).filter(|text| !text.is_empty())
    }

    /// A member of a oneof that is a string: present even when it is empty.
    pub(super) fn text(&self, name: &str, out: &mut Violations) -> Option<String> {
        match self.value(name, out)? {
            Value::String(text) => Some(text.clone()),
            other => self.wrong(name, "a string", other, out),
        }
    }

    /// A string that must be there and not empty; reported and given as empty if it is not.
    pub(super) fn required_string(&self, name: &str, out: &mut Violations) -> String {
        match self.value(name, out) {
            Some(Value::String(text)) if !text.is_empty() => text.clone(),
            Some(Value::String(_)) => {
                out.invalid(&self.path_of(name), "is required and must not be empty");
                String::new()
            }
            Some(other) => self.wrong(name, "a string", other, out).unwrap_or_default(),
            None => {
                out.invalid(&self.path_of(name), "is required");
                String::new()
            }
        }
    }

    /// An int32: a number without a fraction, or one in a decimal string.
    pub(super) fn int32(&self, name: &str, out: &mut Violations) -> Option<i32> {
        let value = self.value(name, out)?;
        let number = match value {
            Value::Number(number) => number.as_f64(),
            // Rust's parser also takes words such as "inf" and "nan"; they have no place in an integer.
            Value::String(text) if text.bytes().any(|byte| byte.is_ascii_digit()) => text.parse().ok(),
            _ => None,
        };
        match number {
            // Every int32 is exact as a double.
            Some(number) if number.fract() == 0.0 && (i32::MIN.into()..=i32::MAX.into()).contains(&number) => {
                Some(number as i32)
            }
            _ => self.wrong(name, "a whole number of 32 bits", value, out),
        }
    }

    /// A number of messages (§3.2.4): absent is "no limit", 0 is "none", less is refused.
    pub(super) fn history_length(&self, out: &mut Violations) -> Option<usize> {
        let length = self.int32("historyLength", out)?;
        usize::try_from(length)
            .map_err(|_| out.invalid(&self.path_of("historyLength"), format!("must not be negative, found {length}")))
            .ok()
    }

    /// A boolean; absent is false.
    pub(super) fn boolean(&self, name: &str, out: &mut Violations) -> bool {
        match self.value(name, out) {
            None => false,
            Some(Value::Bool(value)) => *value,
            Some(other) => self.wrong(name, "true or false", other, out).unwrap_or_default(),
        }
    }

    /// A message of its own.
    pub(super) fn object(&self, name: &str, out: &mut Violations) -> Option<Fields<'a>> {
        let value = self.value(name, out)?;
        Fields::new(value, self.path_of(name), out)
    }

    /// A free object (`Struct`).
    pub(super) fn structure(&self, name: &str, out: &mut Violations) -> Option<Map<String, Value>> {
        match self.value(name, out)? {
            Value::Object(map) => Some(map.clone()),
            other => self.wrong(name, "an object", other, out),
        }
    }

    /// The elements of a list; absent is empty.
    pub(super) fn list(&self, name: &str, out: &mut Violations) -> &'a [Value] {
        match self.value(name, out) {
            None => &[],
            Some(Value::Array(list)) => list,
            Some(other) => self.wrong(name, "an array", other, out).unwrap_or_default(),
        }
    }

    /// A list of strings.
    pub(super) fn strings(&self, name: &str, out: &mut Violations) -> Vec<String> {
        let mut strings = Vec::new();
        for (index, value) in self.list(name, out).iter().enumerate() {
            match value {
                Value::String(text) => strings.push(text.clone()),
                other => out.malformed(
                    &format!("{}[{index}]", self.path_of(name)),
                    format!("expected a string, found {}", kind(other)),
                ),
            }
        }
        strings
    }

    /// An enum: its name or its number. The outer none means "absent or reported".
    pub(super) fn enumeration<T>(
        &self,
        name: &str,
        allowed: &str,
        by_name: impl Fn(&str) -> Option<T>,
        by_number: impl Fn(i64) -> Option<T>,
        out: &mut Violations,
    ) -> Option<T> {
        let value = self.value(name, out)?;
        let found = match value {
            Value::String(text) => by_name(text),
            Value::Number(number) => number.as_i64().and_then(by_number),
            _ => None,
        };
        found.or_else(|| self.wrong(name, allowed, value, out))
    }

    /// Reports a value of the wrong type.
    fn wrong<T>(&self, name: &str, expected: &str, found: &Value, out: &mut Violations) -> Option<T> {
        out.malformed(&self.path_of(name), format!("expected {expected}, found {}", kind(found)));
        None
    }
}

/// A value in a few words. Long strings are cut: the client knows what it sent.
fn kind(value: &Value) -> String {
    /// Enough for any enum name and any number.
    const SHOWN: usize = 40;
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.chars().count() > SHOWN => {
            format!("{:?}…", text.chars().take(SHOWN).collect::<String>())
        }
        Value::String(text) => format!("{text:?}"),
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
    }
}

/// `historyLength` → `history_length`.
fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
