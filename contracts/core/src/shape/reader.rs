//! Reading the members of an object, complaining of what is amiss with its place.

use a2a_host_sdk::{Finding, Map, Value};

use crate::judgement::Judgement;

/// Reads values and reports to a judgement.
pub(crate) struct Shape<'j> {
    judgement: &'j mut Judgement,
    event: Option<usize>,
}

impl<'j> Shape<'j> {
    pub(crate) fn new(judgement: &'j mut Judgement, event: Option<usize>) -> Shape<'j> {
        Shape { judgement, event }
    }

    pub(crate) fn fail(&mut self, finding: Finding) {
        let finding = match self.event {
            Some(index) => finding.event(index),
            None => finding,
        };
        self.judgement.fail(finding);
    }

    fn wrong(&mut self, value: &Value, path: &str, expected: &str) {
        let message = format!("it is {}, expected {expected}", kind(value));
        self.fail(Finding::new("wrong-type", message).path(path).expected(expected).actual(short(value)));
    }

    pub(crate) fn object<'v>(&mut self, value: &'v Value, path: &str, what: &str) -> Option<&'v Map<String, Value>> {
        if !value.is_object() {
            self.wrong(value, path, &format!("{what}, which is an object"));
        }
        value.as_object()
    }

    /// Complains of members that are known, but in camelCase (§5.5).
    pub(crate) fn spelling(&mut self, object: &Map<String, Value>, path: &str, known: &[&str]) {
        for key in object.keys().filter(|key| key.contains('_')) {
            let camel = camel_case(key);
            if known.contains(&camel.as_str()) {
                let finding = Finding::new("snake-case-member", format!("`{key}` should be spelled `{camel}`"));
                let finding = finding.path(format!("{path}/{key}")).expected(camel).actual(key);
                self.fail(finding.rule("§5.5"));
            }
        }
    }

    /// A required member (§5.7); null counts as none.
    pub(crate) fn required<'v>(
        &mut self,
        object: &'v Map<String, Value>,
        path: &str,
        name: &str,
        what: &str,
    ) -> Option<&'v Value> {
        let value = object.get(name).filter(|value| !value.is_null());
        if value.is_none() {
            let null = if object.contains_key(name) { " but null" } else { "" };
            let message = format!("{what} has no `{name}`{null}, which is required");
            let finding = Finding::new("missing-member", message).path(format!("{path}/{name}"));
            self.fail(finding.rule("§5.7").fix(format!("send `{name}`")));
        }
        value
    }

    /// A required string that says something.
    pub(crate) fn required_text<'v>(
        &mut self,
        object: &'v Map<String, Value>,
        path: &str,
        name: &str,
        what: &str,
    ) -> Option<&'v str> {
        let at = format!("{path}/{name}");
        let value = self.required(object, path, name, what)?;
        let text = self.text(value, &at)?;
        if text.is_empty() {
            self.fail(Finding::new("empty-member", format!("`{name}` is empty")).path(at).rule("§5.7"));
            return None;
        }
        Some(text)
    }

    /// A required list that has something in it (§5.7).
    pub(crate) fn filled_list<'v>(
        &mut self,
        object: &'v Map<String, Value>,
        path: &str,
        name: &str,
        what: &str,
    ) -> Vec<(String, &'v Value)> {
        let at = format!("{path}/{name}");
        let Some(value) = self.required(object, path, name, what) else { return Vec::new() };
        let items = self.list(value, &at);
        if value.as_array().is_some_and(Vec::is_empty) {
            let finding = Finding::new("empty-list", format!("`{name}` is empty, and at least one is required"));
            self.fail(finding.path(at).rule("§5.7"));
        }
        items
    }

    pub(crate) fn optional<'v>(&mut self, object: &'v Map<String, Value>, path: &str, name: &str) -> Option<&'v Value> {
        let value = object.get(name)?;
        if value.is_null() {
            self.judgement.note(format!("{path}/{name} is null; what is not set is better left out"));
            return None;
        }
        Some(value)
    }

    pub(crate) fn text<'v>(&mut self, value: &'v Value, path: &str) -> Option<&'v str> {
        if !value.is_string() {
            self.wrong(value, path, "a string");
        }
        value.as_str()
    }

    pub(crate) fn optional_text<'v>(
        &mut self,
        object: &'v Map<String, Value>,
        path: &str,
        name: &str,
    ) -> Option<&'v str> {
        let value = self.optional(object, path, name)?;
        self.text(value, &format!("{path}/{name}"))
    }

    pub(crate) fn optional_flag(&mut self, object: &Map<String, Value>, path: &str, name: &str) {
        if let Some(value) = self.optional(object, path, name)
            && !value.is_boolean()
        {
            self.wrong(value, &format!("{path}/{name}"), "true or false");
        }
    }

    pub(crate) fn optional_object(&mut self, object: &Map<String, Value>, path: &str, name: &str) {
        if let Some(value) = self.optional(object, path, name)
            && !value.is_object()
        {
            self.wrong(value, &format!("{path}/{name}"), "an object");
        }
    }

    pub(crate) fn list<'v>(&mut self, value: &'v Value, path: &str) -> Vec<(String, &'v Value)> {
        let Some(items) = value.as_array() else {
            self.wrong(value, path, "a list");
            return Vec::new();
        };
        items.iter().enumerate().map(|(index, item)| (format!("{path}/{index}"), item)).collect()
    }

    pub(crate) fn optional_list<'v>(
        &mut self,
        object: &'v Map<String, Value>,
        path: &str,
        name: &str,
    ) -> Vec<(String, &'v Value)> {
        match self.optional(object, path, name) {
            Some(value) => self.list(value, &format!("{path}/{name}")),
            None => Vec::new(),
        }
    }

    pub(crate) fn optional_texts(&mut self, object: &Map<String, Value>, path: &str, name: &str) {
        for (path, value) in self.optional_list(object, path, name) {
            self.text(value, &path);
        }
    }

    /// An enum, which travels by its name (§5.5): the names by number, from 1, each beside what A2A 0.3 wrote.
    pub(crate) fn name_of<'v>(
        &mut self,
        value: &'v Value,
        path: &str,
        what: &str,
        names: &[(&'static str, &str)],
        rule: &str,
    ) -> Option<&'v str> {
        if let Some(text) = value.as_str()
            && names.iter().any(|(name, _)| *name == text)
        {
            return Some(text);
        }
        let number = value.as_u64().and_then(|number| usize::try_from(number).ok()?.checked_sub(1));
        let old =
            value.as_str().map(|text| text.to_ascii_lowercase().replace('_', "-").replace("cancelled", "canceled"));
        let meant = number
            .and_then(|index| names.get(index))
            .or_else(|| names.iter().find(|(_, legacy)| Some(*legacy) == old.as_deref()));
        let legacy = if old.is_some() && meant.is_some() { "; this looks like A2A 0.3" } else { "" };
        let message = format!("the {what} is {}, which is no name of A2A 1.0{legacy}", short(value));
        let finding = Finding::new("unknown-name", message).path(path).actual(short(value)).rule(rule);
        let all = || names.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        self.fail(match meant {
            Some((name, _)) => finding.expected(*name).fix(format!("send \"{name}\"")),
            None => finding.expected(format!("one of {}", all())),
        });
        None
    }
}

/// A value as a few words.
fn short(value: &Value) -> String {
    /// Enough to recognise it.
    const CHARS: usize = 200;
    let text = value.to_string();
    match text.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut camel, word| {
        let mut chars = word.chars();
        camel.extend(chars.next().map(|char| char.to_ascii_uppercase()));
        camel.push_str(chars.as_str());
        camel
    })
}
