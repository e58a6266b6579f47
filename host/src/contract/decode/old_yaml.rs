//! Bare scalars that YAML 1.1, which contracts were read as before, takes for something else.

use super::Decoder;
use crate::contract::diagnostic::Diagnostic;
use crate::contract::scalar::{self, Reading};
use crate::contract::value::{Kind, Origin, SpannedValue};
use crate::printable::quoted;

impl Decoder<'_> {
    /// What YAML 1.1 makes of a bare scalar, where it differs.
    pub(super) fn old_reading(&self, value: &SpannedValue) -> Option<Reading> {
        (value.origin == Origin::Plain)
            .then(|| scalar::other_reading(self.source.slice(value.span), &value.kind))
            .flatten()
    }

    /// For a place that takes a text: it stays the text that it is. Such a file never worked before, so nothing changes.
    pub(super) fn warn_old_text(&mut self, value: &SpannedValue) {
        if let Some(old) = self.old_reading(value) {
            let written = self.source.slice(value.span);
            let message =
                format!("a bare {} is a text here, but {} to YAML 1.1 tools", quoted(written), old_noun(&old));
            let diagnostic = Diagnostic::warning("yaml-1.1", message).label("read as a text");
            let help = format!("quotes make it a text everywhere: {}", double_quoted(written));
            self.report(value, diagnostic.help(help));
        }
    }

    /// For a place where the type of the value decides what it means. True where that was reported as an error.
    pub(super) fn refuse_old_meaning(&mut self, value: &SpannedValue) -> bool {
        let written = self.source.slice(value.span).to_owned();
        match self.old_reading(value) {
            None => false,
            // A date could be used nowhere in a contract, so no meaning is lost.
            Some(Reading::Date) => {
                self.warn_old_text(value);
                false
            }
            Some(old) => {
                let new = match &value.kind {
                    Kind::String(_) => ("a text".to_owned(), "the text", double_quoted(&written)),
                    Kind::Number(number) => (format!("the number {number}"), "the number", format!("`{number}`")),
                    _ => (value.noun().to_owned(), "it", quoted(&written)),
                };
                let message =
                    format!("a bare {} is {} here, but {} in YAML 1.1", quoted(&written), new.0, old_noun(&old));
                let help =
                    format!("write {} for the old meaning, or {} for {}", old_spelling(&old, &written), new.2, new.1);
                let diagnostic = Diagnostic::error("yaml-1.1", message).label("its meaning would change");
                let note = "contracts were read as YAML 1.1 by earlier tools; this one reads YAML 1.2";
                self.report(value, diagnostic.help(help).note(note));
                true
            }
        }
    }
}

fn old_noun(old: &Reading) -> String {
    match old {
        Reading::Null => "nothing".to_owned(),
        Reading::Bool(value) => format!("`{value}`"),
        Reading::Integer(Some(value)) => format!("the number {value}"),
        Reading::Integer(None) => "a number".to_owned(),
        Reading::Float(value) => format!("the number {value}"),
        Reading::Date => "a date".to_owned(),
        Reading::Text => "a text".to_owned(),
    }
}

fn old_spelling(old: &Reading, written: &str) -> String {
    match old {
        Reading::Bool(value) => format!("`{value}`"),
        Reading::Integer(Some(value)) => format!("`{value}`"),
        Reading::Float(value) => format!("`{value:?}`"),
        Reading::Null => "`null`".to_owned(),
        Reading::Integer(None) | Reading::Date | Reading::Text => double_quoted(written),
    }
}

/// A scalar in double quotes, as code. Bare scalars with another reading hold neither quotes nor backslashes.
pub(super) fn double_quoted(written: &str) -> String {
    quoted(&format!("\"{written}\""))
}
