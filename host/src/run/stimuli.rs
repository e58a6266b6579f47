//! What makes the agent under test show a behaviour: what the user says, else the keywords of the dummy agent where the card
//! has a skill of that id, else nothing, and the contract is skipped.

use std::borrow::Cow;

use serde_json::Value;

use crate::a2a::{Content, Part};
use crate::client::AgentCard;
use crate::contract::{Diagnostic, PackUse};
use crate::sandbox::{StimuliPort, Stimulus};
use crate::secrets::Redactor;

/// Every behaviour that contracts may ask for: its name, the id of the skill that shows it by default, and the text that
/// asks for it. `wit/README.md` lists the same.
pub const BEHAVIOURS: &[(&str, Option<&str>, &str)] = &[
    // Any agent completes a plain message, so this one needs no skill.
    ("completes", None, "hello"),
    ("fails", Some("fail"), "fail"),
    ("rejects", Some("reject"), "reject"),
    ("asks", Some("ask"), "ask"),
    ("answer", Some("ask"), "Claude"),
    ("needs_auth", Some("auth"), "auth"),
    ("token", Some("auth"), "my-token"),
    ("long_running", Some("slow"), "slow"),
    ("streams", Some("stream"), "stream hello"),
    ("yields_file", Some("file"), "file"),
    ("yields_data", Some("data"), "data"),
    ("yields_many", Some("multi"), "multi"),
    ("extension_probe", Some("ext"), "ext"),
    ("required_extension_probe", Some("ext-required"), "ext-required"),
];

/// What the user says of the agent's behaviours.
#[derive(Clone, Debug, Default)]
pub struct Stimuli {
    given: Vec<(String, Stimulus)>,
}

impl Stimuli {
    /// From a contract file.
    /// A secret in a stimulus is an error: packs see stimuli, and a masked one would ask for something else.
    pub(super) fn of_contract(used: &PackUse, redactor: &Redactor, diagnostics: &mut Vec<Diagnostic>) -> Stimuli {
        let known: Vec<&str> = BEHAVIOURS.iter().map(|(name, _, _)| *name).collect();
        let mut stimuli = Stimuli::default();
        for (name, given) in &used.stimuli {
            if !known.contains(&name.value.as_str()) {
                let message = format!("no behaviour is called `{}`", name.value);
                let help = crate::contract::suggest(&name.value, &known);
                diagnostics.push(Diagnostic::error("unknown-behaviour", message).at(name.span).help(help));
            }
            let metadata = given.metadata.clone().map(Value::Object);
            let texts = given.parts.iter().map(|part| part.to_json()).chain(metadata);
            let texts = texts.map(|value| value.to_string()).chain(given.expect_text.clone());
            if texts.into_iter().any(|text| matches!(redactor.redact_str(&text), Cow::Owned(_))) {
                let message = format!("the stimulus `{}` holds a secret, and packs see stimuli", name.value);
                let help = "use a variable that no header uses, or write the text itself";
                diagnostics.push(Diagnostic::error("secret-in-stimulus", message).at(name.span).help(help));
            }
            let mut parts = Vec::with_capacity(given.parts.len());
            for part in &given.parts {
                match part_of(&part.to_json()) {
                    Ok(part) => parts.push(part),
                    Err(why) => diagnostics.push(Diagnostic::error("stimulus-part", why).at(part.span)),
                }
            }
            let stimulus = Stimulus {
                parts,
                metadata: given.metadata.clone(),
                extensions: given.extensions.iter().map(|uri| uri.value.clone()).collect(),
                expected_text: given.expect_text.clone(),
            };
            stimuli.given.push((name.value.clone(), stimulus));
        }
        stimuli
    }

    /// From the command line: `fails=please fail`.
    ///
    /// # Errors
    /// There is no `=`, or no behaviour of that name; the text says so.
    pub fn of_arguments(arguments: &[String]) -> Result<Stimuli, String> {
        let mut stimuli = Stimuli::default();
        for argument in arguments {
            let (name, text) = argument.split_once('=').ok_or_else(|| {
                format!("`{argument}` is no stimulus; expected BEHAVIOUR=TEXT, such as fails=\"please fail\"")
            })?;
            if !BEHAVIOURS.iter().any(|(known, _, _)| *known == name) {
                let known: Vec<&str> = BEHAVIOURS.iter().map(|(known, _, _)| *known).collect();
                return Err(format!("no behaviour is called `{name}`: {}", crate::contract::suggest(name, &known)));
            }
            let stimulus = Stimulus { parts: vec![Part::text(text)], ..Stimulus::default() };
            stimuli.given.push((name.to_owned(), stimulus));
        }
        Ok(stimuli)
    }

    /// Together with what the card tells.
    pub(super) fn with_card(&self, card: &AgentCard) -> KnownStimuli {
        let of_card = BEHAVIOURS
            .iter()
            .filter(|(_, skill, _)| skill.is_none_or(|skill| card.skills.iter().any(|id| id == skill)));
        let of_card = of_card.map(|(name, _, text)| {
            ((*name).to_owned(), Stimulus { parts: vec![Part::text(*text)], ..Stimulus::default() })
        });
        KnownStimuli { known: self.given.iter().cloned().chain(of_card).collect() }
    }
}

/// Part object of a contract file → part.
fn part_of(value: &Value) -> Result<Part, String> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let content = match (text("text"), text("url"), text("raw"), value.get("data")) {
        (Some(text), None, None, None) => Content::Text(text),
        (None, Some(url), None, None) => Content::Url(url),
        (None, None, Some(raw), None) => {
            use base64::Engine as _;
            let bytes = base64::engine::general_purpose::STANDARD.decode(raw);
            Content::Raw(bytes.map_err(|error| format!("`raw` is no base64: {error}"))?)
        }
        (None, None, None, Some(data)) => Content::Data(data.clone()),
        _ => return Err("a part has exactly one of text, raw, url and data".into()),
    };
    let metadata = value.get("metadata").and_then(Value::as_object).cloned();
    Ok(Part { content, media_type: text("mediaType"), filename: text("filename"), metadata })
}

/// The behaviours that the agent under test is known to have.
pub(super) struct KnownStimuli {
    known: Vec<(String, Stimulus)>,
}

impl StimuliPort for KnownStimuli {
    fn get(&self, behaviour: &str) -> Option<Stimulus> {
        self.known.iter().find(|(name, _)| name == behaviour).map(|(_, stimulus)| stimulus.clone())
    }
}
