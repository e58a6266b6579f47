use std::collections::HashMap;

use super::Decoder;
use super::fields::{Fields, Shape};
use super::scenario::Defaults;
use crate::contract::diagnostic::Diagnostic;
use crate::contract::limits::{MAX_LIST, MAX_PATH_CHARS, MAX_SCENARIOS};
use crate::contract::model::{Contract, Scenario};
use crate::contract::source::Span;
use crate::contract::value::{Kind, SpannedValue};
use crate::printable::quoted;

const CONTRACT: Shape = Shape {
    name: "a contract",
    keys: &["version", "agent", "plugins", "packs", "defaults", "scenarios"],
    later: &["card", "invariants", "push_notifications", "downstream"],
};

const DEFAULTS: Shape = Shape { name: "`defaults`", keys: &["trials", "pass_rate"], later: &[] };

/// The whole contract. None where something that the rest depends on is missing; then there are errors.
pub(in crate::contract) fn contract(decoder: &mut Decoder<'_>, root: &SpannedValue) -> Option<Contract> {
    let fields = decoder.fields(root, &CONTRACT)?;
    decoder.version(&fields);
    let agent = match fields.value("agent") {
        Some(value) => decoder.agent(value),
        None => {
            decoder.missing(&fields, &CONTRACT, "agent", "agent: {url: https://…}");
            None
        }
    };
    let plugins = fields.value("plugins");
    let plugins = plugins.map(|value| decoder.text_list(value, "plugins", 0..=MAX_LIST, 1..=MAX_PATH_CHARS));
    let packs = fields.value("packs").and_then(|value| decoder.items(value, "packs", 0..=MAX_LIST)).unwrap_or_default();
    let packs: Vec<_> = packs.iter().filter_map(|value| decoder.pack(value)).collect();
    let defaults = fields.value("defaults").map(|value| decoder.defaults(value)).unwrap_or_default();
    let scenarios = decoder.scenarios(&fields, &defaults);
    if !fields.incomplete {
        decoder.something_to_do(&fields);
    }
    Some(Contract { agent: agent?, plugins: plugins.unwrap_or_default(), packs, scenarios })
}

impl Decoder<'_> {
    fn version(&mut self, fields: &Fields<'_>) {
        let Some(value) = fields.value("version") else {
            return self.missing(fields, &CONTRACT, "version", "version: 1");
        };
        match &value.kind {
            Kind::Number(number) if number.as_u64() == Some(1) => {}
            Kind::Number(number) if number.as_f64() == Some(1.0) => self.coerced(value, "version", "1"),
            Kind::Bool(true) => self.coerced(value, "version", "1"),
            Kind::Broken => {}
            Kind::Number(_) => {
                let diagnostic = Diagnostic::error("version", "this program reads version 1 of the contract language");
                self.report(value, diagnostic.label("another version"));
            }
            _ => self.wrong_type(value, "version", "the number 1"),
        }
    }

    fn defaults(&mut self, value: &SpannedValue) -> Defaults {
        let Some(fields) = self.fields(value, &DEFAULTS) else { return Defaults::default() };
        Defaults {
            trials: fields.value("trials").map(|value| self.trials(value)),
            pass_rate: fields.value("pass_rate").map(|value| (self.pass_rate(value), value.span)),
        }
    }

    fn scenarios(&mut self, fields: &Fields<'_>, defaults: &Defaults) -> Vec<Scenario> {
        let Some(value) = fields.value("scenarios") else { return Vec::new() };
        let Some(items) = self.items(value, "scenarios", 0..=MAX_SCENARIOS) else { return Vec::new() };
        let scenarios: Vec<_> = items.iter().filter_map(|item| self.scenario(item, defaults)).collect();
        let mut names: HashMap<&str, Span> = HashMap::new();
        for scenario in &scenarios {
            let name = &scenario.name;
            if let Some(first) = names.get(name.value.as_str()) {
                let message = format!("two scenarios have the name {}", quoted(&name.value));
                let diagnostic = Diagnostic::error("duplicate-name", message).at(name.span).label("second time");
                let diagnostic = diagnostic.related(*first, "first time");
                self.diagnostics.push(diagnostic.help("reports tell scenarios apart by their names"));
            } else {
                names.insert(&name.value, name.span);
            }
        }
        scenarios
    }

    /// A contract that checks nothing must not pass.
    fn something_to_do(&mut self, fields: &Fields<'_>) {
        let is_empty =
            |key| fields.value(key).is_none_or(|value| matches!(&value.kind, Kind::List(items) if items.is_empty()));
        if !is_empty("scenarios") || !is_empty("packs") {
            return;
        }
        let place = fields.get("scenarios").or(fields.get("packs")).map_or(fields.span(), |entry| entry.key.span);
        let diagnostic = Diagnostic::error("nothing-to-check", "a contract needs at least one scenario or one pack");
        let diagnostic = diagnostic.at(place).label("nothing to check");
        self.diagnostics.push(diagnostic.help("add `scenarios: [{name: …, message: …, expect: {state: completed}}]`"));
    }
}
