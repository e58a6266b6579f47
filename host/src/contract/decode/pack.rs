use std::collections::HashMap;

use serde_json::Value;

use super::Decoder;
use super::fields::Shape;
use crate::a2a::Binding;
use crate::contract::diagnostic::Diagnostic;
use crate::contract::limits::{MAX_DATA_PARTS, MAX_LIST, MAX_MESSAGE_CHARS, MAX_NAME_CHARS, MAX_PATH_CHARS};
use crate::contract::model::{PackStimulus, PackUse};
use crate::contract::source::{Span, Spanned};
use crate::contract::value::{Entry, Kind, Origin, SpannedValue};

const PACK: Shape =
    Shape { name: "a pack", keys: &["use", "categories", "contracts", "stimuli", "transports"], later: &[] };

const STIMULUS: Shape =
    Shape { name: "a stimulus", keys: &["text", "parts", "metadata", "extensions", "expect_text"], later: &[] };

impl Decoder<'_> {
    /// An item of `packs`. None where it names no pack.
    pub(super) fn pack(&mut self, value: &SpannedValue) -> Option<PackUse> {
        let fields = self.fields(value, &PACK)?;
        let pack = match fields.value("use") {
            Some(value) => self.bounded(value, "use", 1..=MAX_PATH_CHARS),
            None => {
                self.missing(&fields, &PACK, "use", "use: core");
                None
            }
        };
        let mut names = |key| {
            fields
                .value(key)
                .map(|value| self.text_list(value, key, 0..=MAX_LIST, 1..=MAX_NAME_CHARS))
                .unwrap_or_default()
        };
        let (categories, contracts) = (names("categories"), names("contracts"));
        let stimuli = fields.value("stimuli").map(|value| self.stimuli(value)).unwrap_or_default();
        let transports = fields.value("transports").map(|value| self.transports(value)).unwrap_or_default();
        Some(PackUse { pack: pack?, categories, contracts, stimuli, transports })
    }

    fn transports(&mut self, value: &SpannedValue) -> Vec<Spanned<Binding>> {
        let items = match &value.kind {
            Kind::List(items) => items.as_slice(),
            _ => std::slice::from_ref(value),
        };
        let mut places: HashMap<Binding, Span> = HashMap::new();
        let mut transports = Vec::new();
        for item in items {
            let Some(text) = self.text(item, "transports") else { continue };
            let Some(binding) = self.binding(item, &text, "transports", "") else { continue };
            if let Some(first) = places.insert(binding.value, binding.span) {
                let diagnostic = Diagnostic::error("duplicate-transport", "this transport is in the list already");
                self.report(item, diagnostic.label("second time").related(first, "first time"));
            } else {
                transports.push(binding);
            }
        }
        transports
    }

    fn stimuli(&mut self, value: &SpannedValue) -> Vec<(Spanned<String>, PackStimulus)> {
        let entries = match &value.kind {
            Kind::Map(entries) => entries,
            Kind::Broken => return Vec::new(),
            _ => {
                self.wrong_type(value, "stimuli", "a map of behaviours and messages");
                return Vec::new();
            }
        };
        if !self.count(value, "stimuli", entries.len(), 0..=MAX_LIST) {
            return Vec::new();
        }
        let stimuli = entries.iter().filter_map(|entry| Some((entry.key.clone(), self.stimulus(entry)?)));
        stimuli.collect()
    }

    /// A text, or a map that says more.
    fn stimulus(&mut self, entry: &Entry) -> Option<PackStimulus> {
        let value = &entry.value;
        if !matches!(value.kind, Kind::Map(_)) {
            let text = self.bounded(value, &entry.key.value, 1..=MAX_MESSAGE_CHARS)?;
            let parts = vec![text_part(text)];
            return Some(PackStimulus { parts, metadata: None, extensions: Vec::new(), expect_text: None });
        }
        let fields = self.fields(value, &STIMULUS)?;
        let parts = match (fields.get("text"), fields.get("parts")) {
            (Some(text), Some(parts)) => {
                let diagnostic = Diagnostic::error("stimulus-shape", "a stimulus has either `text` or `parts`");
                let diagnostic = diagnostic.at(parts.key.span).label("both are here");
                self.diagnostics.push(diagnostic.related(text.key.span, "the text"));
                Vec::new()
            }
            (Some(text), None) => {
                self.bounded(&text.value, "text", 1..=MAX_MESSAGE_CHARS).map(text_part).into_iter().collect()
            }
            (None, Some(parts)) => self.parts(&parts.value),
            (None, None) => {
                self.missing(&fields, &STIMULUS, "text", "text: …");
                Vec::new()
            }
        };
        let metadata = fields.present("metadata").and_then(|value| match &value.kind {
            Kind::Map(_) => {
                self.check_json(value);
                match value.to_json() {
                    Value::Object(members) => Some(members),
                    _ => None,
                }
            }
            Kind::Broken => None,
            _ => {
                self.wrong_type(value, "metadata", "a map");
                None
            }
        });
        let extensions = fields.value("extensions").map(|value| self.stimulus_extensions(value)).unwrap_or_default();
        let expect_text = fields.present("expect_text").and_then(|value| self.text(value, "expect_text"));
        Some(PackStimulus { parts, metadata, extensions, expect_text: expect_text.map(|text| text.value) })
    }

    /// Part objects of the protocol. They are sent as they are, so only their outer shape is held to anything.
    fn parts(&mut self, value: &SpannedValue) -> Vec<SpannedValue> {
        let items = self.items(value, "parts", 1..=MAX_DATA_PARTS).unwrap_or_default();
        for item in items {
            match &item.kind {
                Kind::Map(_) => self.check_json(item),
                Kind::Broken => {}
                _ => {
                    let diagnostic =
                        Diagnostic::error("wrong-type", "a part is a map").label(format!("found {}", item.noun()));
                    self.report(item, diagnostic.help("write a text part as `{text: …}`"));
                }
            }
        }
        items.to_vec()
    }
}

fn text_part(text: Spanned<String>) -> SpannedValue {
    let value = SpannedValue { kind: Kind::String(text.value), span: text.span, alias: None, origin: Origin::Explicit };
    let entry = Entry { key: Spanned::new("text".to_owned(), text.span), value };
    SpannedValue { kind: Kind::Map(vec![entry]), span: text.span, alias: None, origin: Origin::Explicit }
}
