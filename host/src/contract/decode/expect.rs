use super::Decoder;
use super::fields::{Shape, not_yet};
use crate::contract::limits::{MAX_LIST, MAX_NAME_CHARS};
use crate::contract::model::{Assertion, Expectation};
use crate::contract::source::Spanned;
use crate::contract::value::{Entry, Kind, SpannedValue};

/// The keys of `expect` that are no assertions of plugins. Every other key is looked up later, among the plugins'.
const EXPECT: Shape = Shape { name: "`expect`", keys: &["checks"], later: &["files", "ap2", "delegation"] };

const CHECK: Shape = Shape { name: "a check", keys: &["use", "with"], later: &[] };

impl Decoder<'_> {
    /// `expect`: which assertions there are and what they take is known to plugins only, so this keeps what is there.
    pub(super) fn expect(&mut self, value: &SpannedValue) -> Expectation {
        let entries = match &value.kind {
            Kind::Map(entries) => entries,
            Kind::Broken => return Expectation::default(),
            _ => {
                self.wrong_type(value, "expect", "a map of assertions");
                return Expectation::default();
            }
        };
        let mut expectation = Expectation::default();
        for entry in entries {
            let key = entry.key.value.as_str();
            if key == "checks" {
                expectation.checks = self.checks(&entry.value);
            } else if EXPECT.later.contains(&key) {
                self.diagnostics.push(not_yet(&EXPECT, entry));
            } else {
                self.check_config(key, &entry.value);
                expectation.assertions.push(assertion(entry));
            }
        }
        expectation
    }

    fn checks(&mut self, value: &SpannedValue) -> Vec<Assertion> {
        let items = self.items(value, "checks", 0..=MAX_LIST).unwrap_or_default();
        items.iter().filter_map(|item| self.check(item)).collect()
    }

    fn check(&mut self, value: &SpannedValue) -> Option<Assertion> {
        let fields = self.fields(value, &CHECK)?;
        let name = match fields.value("use") {
            Some(name) => self.bounded(name, "use", 1..=MAX_NAME_CHARS),
            None => {
                self.missing(&fields, &CHECK, "use", "use: NAME");
                None
            }
        };
        let config = fields.value("with");
        if let Some(config) = config {
            self.check_json(config);
        }
        Some(Assertion { name: name?, config: config.cloned() })
    }

    /// Reports what no assertion can take. Texts of the language stay texts, whatever YAML 1.1 makes of them; anywhere
    /// else the type of a value decides what is compared, so another reading is an error.
    fn check_config(&mut self, key: &str, value: &SpannedValue) {
        match (&value.kind, key) {
            (Kind::List(items), _) => items.iter().for_each(|item| self.check_config(key, item)),
            (Kind::Map(entries), "states" | "text" | "data") => {
                for entry in entries {
                    match (key, entry.key.value.as_str()) {
                        ("states", _)
                        | ("text", "contains" | "not_contains" | "matches" | "equals")
                        | ("data", "source" | "artifact_name" | "media_type" | "path" | "matches") => {
                            self.check_text(&entry.value);
                        }
                        _ => self.check_json(&entry.value),
                    }
                }
            }
            (_, "state") => self.check_text(value),
            _ => self.check_json(value),
        }
    }

    /// A text, or a list of them.
    fn check_text(&mut self, value: &SpannedValue) {
        match &value.kind {
            Kind::String(_) => self.warn_old_text(value),
            Kind::List(items) => items.iter().for_each(|item| self.check_text(item)),
            // Of another type: the plugin that judges it says so, with the place.
            _ => {}
        }
    }
}

fn assertion(entry: &Entry) -> Assertion {
    Assertion { name: Spanned::new(entry.key.value.clone(), entry.key.span), config: Some(entry.value.clone()) }
}
