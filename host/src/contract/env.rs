//! `${NAME}` in the values of a contract.
//!
//! A reference is `${`, a name of letters, digits and underscores that does not start with a digit, and `}`. Everything
//! else is literal, and there is no escape. References are replaced after YAML has been read, so a value can hold anything
//! and never changes the structure of a file; keys are left alone, and what a variable brings is not read again.

use super::diagnostic::Diagnostic;
use super::source::{SourceFile, Span};
use super::value::{Kind, Origin, SpannedValue};
use crate::secrets::Secrets;

/// Where values come from: the name of a variable → its value.
pub(crate) type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Replaces every reference below a value. A string with a missing variable is reported, once for each name, and broken.
pub(crate) fn expand(root: &mut SpannedValue, source: &SourceFile, lookup: Lookup<'_>, found: &mut Vec<Diagnostic>) {
    match &mut root.kind {
        Kind::String(text) => {
            let Some(expanded) = expand_text(text, lookup) else { return };
            match expanded {
                Ok(expanded) => {
                    *text = expanded;
                    root.origin = Origin::Environment;
                }
                Err(missing) => {
                    for name in missing {
                        let place = place(source, root.span, &name);
                        let message = format!("the environment variable `{name}` is not set");
                        let diagnostic = Diagnostic::error("missing-variable", message).at(place).label("used here");
                        found.push(diagnostic.help(format!("set it when calling the program: `{name}=… a2a-host …`")));
                    }
                    root.kind = Kind::Broken;
                }
            }
        }
        Kind::List(items) => items.iter_mut().for_each(|item| expand(item, source, lookup, found)),
        Kind::Map(entries) => entries.iter_mut().for_each(|entry| expand(&mut entry.value, source, lookup, found)),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Unrepresentable | Kind::Broken => {}
    }
}

/// Collects the variables that the strings below a value refer to.
pub(crate) fn secrets_below(value: &SpannedValue, lookup: Lookup<'_>, secrets: &mut Secrets) {
    match &value.kind {
        Kind::String(text) => {
            for (_, name) in references(text) {
                if let Some(value) = lookup(name) {
                    secrets.add(name, value);
                }
            }
        }
        Kind::List(items) => items.iter().for_each(|item| secrets_below(item, lookup, secrets)),
        Kind::Map(entries) => entries.iter().for_each(|entry| secrets_below(&entry.value, lookup, secrets)),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Unrepresentable | Kind::Broken => {}
    }
}

/// None where there is nothing to replace; the sorted names of missing variables where there are any.
fn expand_text(text: &str, lookup: Lookup<'_>) -> Option<Result<String, Vec<String>>> {
    let mut expanded = String::new();
    let mut missing = Vec::new();
    let mut rest = 0;
    for (at, name) in references(text) {
        expanded.push_str(&text[rest..at]);
        match lookup(name) {
            Some(value) => expanded.push_str(&value),
            None => missing.push(name.to_owned()),
        }
        rest = at + name.len() + "${}".len();
    }
    if rest == 0 {
        return None;
    }
    expanded.push_str(&text[rest..]);
    missing.sort();
    missing.dedup();
    Some(if missing.is_empty() { Ok(expanded) } else { Err(missing) })
}

/// Every reference with its byte offset.
fn references(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices("${").filter_map(|(at, opening)| {
        let rest = &text[at + opening.len()..];
        let name = &rest[..rest.find('}')?];
        let mut bytes = name.bytes();
        let valid = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        valid.then_some((at, name))
    })
}

/// The reference itself where it stands in the file as it is; the whole string otherwise.
fn place(source: &SourceFile, span: Span, name: &str) -> Span {
    let reference = format!("${{{name}}}");
    match source.slice(span).find(&reference) {
        Some(at) => {
            let start = span.start as usize + at;
            source.span(start..start + reference.len())
        }
        None => span,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(name: &str) -> Option<String> {
        match name {
            "A" => Some("one".to_owned()),
            "_b2" => Some("${A}".to_owned()),
            "EMPTY" => Some(String::new()),
            "YAML" => Some("a: [1, \"x\n".to_owned()),
            _ => None,
        }
    }

    fn expanded(text: &str) -> String {
        match expand_text(text, &lookup) {
            None => text.to_owned(),
            Some(Ok(text)) => text,
            Some(Err(missing)) => format!("missing {}", missing.join(", ")),
        }
    }

    #[test]
    fn references_are_replaced_once() {
        for (text, result) in [
            ("${A}", "one"),
            ("x${A}y${A}", "xoneyone"),
            ("${_b2}", "${A}"),
            ("[${EMPTY}]", "[]"),
            ("${YAML}", "a: [1, \"x\n"),
            ("$${A}", "$one"),
            ("\\${A}", "\\one"),
            ("${${A}}", "${one}"),
        ] {
            assert_eq!(expanded(text), result, "{text}");
        }
    }

    #[test]
    fn everything_else_is_literal() {
        for text in ["$A", "${1X}", "${ A }", "${A:-x}", "${}", "${A", "${A-B}", "${Ä}", "a } b", "${"] {
            assert_eq!(expand_text(text, &lookup), None, "{text}");
        }
    }

    #[test]
    fn missing_names_are_sorted_and_named_once() {
        assert_eq!(expanded("${Z} ${A} ${B} ${Z}"), "missing B, Z");
    }
}
