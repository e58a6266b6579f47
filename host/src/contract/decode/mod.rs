//! Values → the model. One file for each object of the language; every problem is reported, and decoding goes on with what
//! is left, so that a file's errors come in one go.

mod agent;
mod contract;
mod expect;
mod fields;
mod json;
mod numbers;
mod old_yaml;
mod pack;
mod pass_rate;
mod scenario;
mod texts;

pub(super) use contract::contract;

use super::diagnostic::Diagnostic;
use super::source::SourceFile;
use super::value::SpannedValue;

/// What decoding needs everywhere: the text, to quote from, and the place for problems.
pub(super) struct Decoder<'a> {
    pub source: &'a SourceFile,
    pub diagnostics: &'a mut Vec<Diagnostic>,
}

impl Decoder<'_> {
    /// Reports something about a value, at its place. Where the value came through an alias, that place is added.
    fn report(&mut self, value: &SpannedValue, diagnostic: Diagnostic) {
        let diagnostic = diagnostic.at(value.span);
        self.diagnostics.push(match &value.alias {
            Some(alias) => diagnostic.related(**alias, "used here"),
            None => diagnostic,
        });
    }

    /// Reports that a value is of the wrong kind.
    fn wrong_type(&mut self, value: &SpannedValue, key: &str, expected: &str) {
        let diagnostic = Diagnostic::error("wrong-type", format!("`{key}` takes {expected}"));
        self.report(value, diagnostic.label(format!("found {}", value.noun())));
    }
}
