use super::Decoder;
use crate::contract::diagnostic::Diagnostic;
use crate::contract::value::{Kind, SpannedValue};

impl Decoder<'_> {
    /// Reports everything below a value that JSON cannot hold, and every bare scalar whose type decides about the meaning
    /// of the contract and which YAML 1.1 reads as another type.
    pub(super) fn check_json(&mut self, value: &SpannedValue) {
        match &value.kind {
            Kind::Unrepresentable => self.unrepresentable(value),
            Kind::List(items) => items.iter().for_each(|item| self.check_json(item)),
            Kind::Map(entries) => entries.iter().for_each(|entry| self.check_json(&entry.value)),
            _ => {
                self.refuse_old_meaning(value);
            }
        }
    }

    /// Reports a number that JSON cannot hold.
    pub(super) fn unrepresentable(&mut self, value: &SpannedValue) {
        let written = self.source.slice(value.span).to_owned();
        let digits = written.trim_start_matches(['+', '-']);
        let whole =
            digits.starts_with("0x") || digits.starts_with("0o") || digits.bytes().all(|byte| byte.is_ascii_digit());
        let (message, label) = match whole {
            true => ("an integer has at most 64 bits", "too large"),
            false => ("JSON has finite numbers only", "not a finite number"),
        };
        let help = format!("put it in quotes if it is meant as a text: {}", super::old_yaml::double_quoted(&written));
        self.report(value, Diagnostic::error("number", message).label(label).help(help));
    }
}
