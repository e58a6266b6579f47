use super::Decoder;
use super::fields::{Fields, Shape};
use crate::contract::diagnostic::Diagnostic;
use crate::contract::limits::{MAX_DATA_BYTES, MAX_DATA_PARTS, MAX_MESSAGE_CHARS, MAX_NAME_CHARS, MAX_TURNS};
use crate::contract::model::{Scenario, Turn};
use crate::contract::pass_rate::PassRate;
use crate::contract::source::Span;
use crate::contract::value::{Kind, SpannedValue};
use crate::printable::quoted;

const SCENARIO: Shape = Shape {
    name: "a scenario",
    keys: &["name", "message", "data", "turns", "expect", "trials", "pass_rate"],
    later: &["files", "latency"],
};

const TURN: Shape = Shape {
    name: "a turn",
    keys: &["message", "data", "expect"],
    later: &["files", "action", "return_immediately", "history_length", "push_notification", "timeout_seconds"],
};

/// What scenarios get that do not say it themselves. An inner none is a default that is wrong and has been reported.
#[derive(Default)]
pub(super) struct Defaults {
    pub trials: Option<Option<u32>>,
    pub pass_rate: Option<(Option<PassRate>, Span)>,
}

impl Decoder<'_> {
    /// An item of `scenarios`. None where it cannot be named or said.
    pub(super) fn scenario(&mut self, value: &SpannedValue, defaults: &Defaults) -> Option<Scenario> {
        let fields = self.fields(value, &SCENARIO)?;
        let name = match fields.value("name") {
            Some(value) => self.bounded(value, "name", 1..=MAX_NAME_CHARS),
            None => {
                self.missing(&fields, &SCENARIO, "name", "name: …");
                None
            }
        };
        let trials = match fields.value("trials") {
            Some(value) => self.trials(value),
            None => defaults.trials.unwrap_or(Some(1)),
        };
        let (pass_rate, rate_place) = match fields.value("pass_rate") {
            Some(value) => (self.pass_rate(value), Some(value.span)),
            None => match defaults.pass_rate {
                Some((rate, place)) => (rate, Some(place)),
                None => (Some(PassRate::default()), None),
            },
        };
        if let (Some(name), Some(trials), Some(rate)) = (&name, trials, pass_rate) {
            let place = fields.value("trials").map(|value| value.span).or(rate_place).unwrap_or(name.span);
            self.provable(name, rate, trials, place);
        }
        let turns = match fields.present("turns") {
            Some(turns) => self.turns(&fields, turns),
            None => vec![self.turn(&fields, &SCENARIO)],
        };
        Some(Scenario { name: name?, turns, trials: trials?, pass_rate: pass_rate?, span: fields.span() })
    }

    fn turns(&mut self, scenario: &Fields<'_>, value: &SpannedValue) -> Vec<Turn> {
        let turns_place = scenario.get("turns").map_or(value.span, |entry| entry.key.span);
        for (key, why) in [
            ("message", "the messages of a conversation stand in its turns"),
            ("data", "the data of a conversation stand in its turns"),
            ("expect", "what is expected stands in the turn whose reply is meant"),
        ] {
            let Some(entry) = scenario.get(key) else { continue };
            // A message of null and an empty list of data say nothing; `expect` may not stand here at all.
            let says_nothing = match &entry.value.kind {
                Kind::Null => key == "message",
                Kind::List(items) => key == "data" && items.is_empty(),
                _ => false,
            };
            if !says_nothing {
                let message = format!("`{key}` cannot stand next to `turns`");
                let diagnostic =
                    Diagnostic::error("turns-shape", message).at(entry.key.span).label("belongs into a turn");
                self.diagnostics.push(diagnostic.related(turns_place, "the turns").help(why));
            }
        }
        let Some(items) = self.items(value, "turns", 1..=MAX_TURNS) else { return Vec::new() };
        let mut turns = Vec::with_capacity(items.len());
        for item in items {
            if let Some(fields) = self.fields(item, &TURN) {
                turns.push(self.turn(&fields, &TURN));
            }
        }
        turns
    }

    /// The keys that a turn and a scenario without turns have in common.
    fn turn(&mut self, fields: &Fields<'_>, shape: &Shape) -> Turn {
        let message = fields.present("message");
        let message = message.and_then(|value| self.bounded(value, "message", 1..=MAX_MESSAGE_CHARS));
        let data = fields.value("data").map(|value| self.data(value)).unwrap_or_default();
        let expect = fields.get("expect").map(|entry| self.expect(&entry.value)).unwrap_or_default();
        let says_nothing = fields.present("message").is_none()
            && fields.value("data").is_none_or(|value| matches!(&value.kind, Kind::List(items) if items.is_empty()));
        if says_nothing && !fields.incomplete {
            let message = format!("{} needs something to send: `message` or `data`", shape.name);
            let diagnostic = Diagnostic::error("nothing-to-send", message).at(fields.span());
            let or_turns = if shape.keys.contains(&"turns") { ", or `turns: […]` for a conversation" } else { "" };
            let help = format!("add `message: …`{or_turns}");
            self.diagnostics.push(diagnostic.label("neither is here").help(help));
        }
        Turn { message, data, expect, span: fields.span() }
    }

    /// A map is one part, a list is a list of parts.
    fn data(&mut self, value: &SpannedValue) -> Vec<SpannedValue> {
        let parts = match &value.kind {
            Kind::Map(_) => vec![value.clone()],
            Kind::List(items) => {
                if !self.count(value, "data", items.len(), 0..=MAX_DATA_PARTS) {
                    return Vec::new();
                }
                items.clone()
            }
            Kind::Broken => return Vec::new(),
            _ => {
                let diagnostic = Diagnostic::error("wrong-type", "`data` takes a map (one part) or a list (of parts)");
                let diagnostic = diagnostic.label(format!("found {}", value.noun()));
                let written = self.source.slice(value.span);
                let help = (value.kind != Kind::Null && !written.contains(['\n', '\r']))
                    .then(|| format!("write it as the only part: {}", quoted(&format!("data: [{written}]"))));
                self.report(value, Diagnostic { help, ..diagnostic });
                return Vec::new();
            }
        };
        parts.iter().for_each(|part| self.check_json(part));
        let json = serde_json::Value::Array(parts.iter().map(SpannedValue::to_json).collect());
        let bytes = json.to_string().len();
        if bytes > MAX_DATA_BYTES {
            let message = format!("the data of a turn take at most {MAX_DATA_BYTES} bytes as JSON");
            self.report(value, Diagnostic::error("length", message).label(format!("has {bytes}")));
        }
        parts
    }
}
