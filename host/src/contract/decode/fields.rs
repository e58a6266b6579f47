use super::Decoder;
use crate::contract::diagnostic::Diagnostic;
use crate::contract::source::Span;
use crate::contract::suggest::nearest;
use crate::contract::value::{Entry, Kind, SpannedValue};
use crate::printable::quoted;

/// The keys of one object of the language.
pub(super) struct Shape {
    /// What the object is called in messages, with its article.
    pub name: &'static str,
    /// The keys that this version knows.
    pub keys: &'static [&'static str],
    /// The keys of the language that this version does not know yet.
    pub later: &'static [&'static str],
}

/// The members of a map that was held against its shape.
pub(super) struct Fields<'v> {
    value: &'v SpannedValue,
    /// True where a key is there that this version does not know: rules that need all keys say nothing then.
    pub incomplete: bool,
    /// Known keys that unknown ones were probably meant to be.
    meant: Vec<&'static str>,
}

impl<'v> Fields<'v> {
    /// The member with a key.
    pub fn get(&self, key: &str) -> Option<&'v Entry> {
        self.value.get(key)
    }

    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<&'v SpannedValue> {
        self.get(key).map(|entry| &entry.value)
    }

    /// The value of a key where it is something: `key: null` is as good as no key.
    pub fn present(&self, key: &str) -> Option<&'v SpannedValue> {
        self.value(key).filter(|value| value.kind != Kind::Null)
    }

    /// Where the object stands.
    pub fn span(&self) -> Span {
        self.value.span
    }
}

impl Decoder<'_> {
    /// Takes a value as an object and reports the keys that it must not have. None where it is no map.
    pub(super) fn fields<'v>(&mut self, value: &'v SpannedValue, shape: &Shape) -> Option<Fields<'v>> {
        match &value.kind {
            Kind::Map(_) => {}
            Kind::Broken => return None,
            _ => {
                let diagnostic = Diagnostic::error("wrong-type", format!("{} is a map", shape.name));
                let label = format!("found {}", value.noun());
                self.report(value, diagnostic.label(label).help(known(shape.keys)));
                return None;
            }
        }
        let mut incomplete = false;
        let mut meant = Vec::new();
        for entry in value.entries() {
            let key = entry.key.value.as_str();
            if shape.later.contains(&key) {
                incomplete = true;
                self.diagnostics.push(not_yet(shape, entry));
            } else if !shape.keys.contains(&key) {
                incomplete = true;
                let near = nearest(key, shape.keys.iter().chain(shape.later));
                meant.extend(near);
                self.diagnostics.push(unknown(shape, entry, near));
            }
        }
        Some(Fields { value, incomplete, meant })
    }

    /// Reports a key that an object must have, unless it is there in another spelling.
    pub(super) fn missing(&mut self, fields: &Fields<'_>, shape: &Shape, key: &str, example: &str) {
        if fields.meant.contains(&key) {
            return;
        }
        let diagnostic = Diagnostic::error("missing-key", format!("{} needs `{key}`", shape.name));
        self.report(fields.value, diagnostic.label(format!("`{key}` is missing")).help(format!("add `{example}`")));
    }
}

pub(super) fn not_yet(shape: &Shape, entry: &Entry) -> Diagnostic {
    let message = format!("`{}` is not supported yet by this version", entry.key.value);
    let diagnostic = Diagnostic::error("not-supported-yet", message).at(entry.key.span);
    diagnostic.label(format!("a key of {} in a later version", shape.name))
}

fn unknown(shape: &Shape, entry: &Entry, near: Option<&str>) -> Diagnostic {
    let key = entry.key.value.as_str();
    let diagnostic = Diagnostic::error("unknown-key", format!("unknown key {}", quoted(key))).at(entry.key.span);
    let diagnostic = diagnostic.label(format!("not a key of {}", shape.name)).note(known(shape.keys));
    match near {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}

fn known(keys: &[&str]) -> String {
    let list: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    format!("known keys: {}", list.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_across_spellings() {
        let known = ["message", "pass_rate", "trials", "expect", "data"];
        for (name, near) in [
            ("mesage", Some("message")),
            ("passRate", Some("pass_rate")),
            ("pass-rate", Some("pass_rate")),
            ("Trials", Some("trials")),
            ("trial", Some("trials")),
            ("expcet", Some("expect")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known.iter()), near, "{name}");
        }
    }
}
