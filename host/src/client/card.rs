//! The agent card as a client needs it (§4.4), read leniently; the raw JSON stays beside it.

use serde_json::{Map, Value};

use super::decode::{kind_of, snake};
use super::excerpt::clean;
use crate::a2a::Deviation;

/// What a card says, as far as a client asks. Everything else stands in the JSON that it was read from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentCard {
    /// `name`; empty where it is missing.
    pub name: String,
    /// `description`.
    pub description: String,
    /// `version` of the agent, not of the protocol.
    pub version: String,
    /// `protocolVersion` of a card in the shape of 0.3; none for a card of 1.0.
    pub legacy_version: Option<String>,
    /// `capabilities.streaming`
    pub streaming: bool,
    /// `capabilities.pushNotifications`
    pub push_notifications: bool,
    /// `capabilities.extendedAgentCard`
    pub extended_agent_card: bool,
    /// `capabilities.extensions`
    pub extensions: Vec<CardExtension>,
    /// `supportedInterfaces`, in order; those of a card in the shape of 0.3 are put into the same form.
    pub interfaces: Vec<CardInterface>,
    /// `id` of each skill that has one.
    pub skills: Vec<String>,
    /// `defaultInputModes`
    pub default_input_modes: Vec<String>,
    /// `defaultOutputModes`
    pub default_output_modes: Vec<String>,
    /// What was tolerated: missing members, older shapes.
    pub deviations: Vec<Deviation>,
}

/// An entry of `capabilities.extensions` (§4.4.4).
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the names are the specification's")]
pub struct CardExtension {
    pub uri: String,
    pub description: String,
    pub required: bool,
    pub params: Option<Map<String, Value>>,
}

/// An entry of `supportedInterfaces` (§4.4.6).
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the names are the specification's")]
pub struct CardInterface {
    pub url: String,
    /// One of the three names, or a URI.
    pub protocol_binding: String,
    /// Empty where the card does not say.
    pub protocol_version: String,
    pub tenant: Option<String>,
}

/// Members that the specification requires (§4.4.1), at the top and below.
const REQUIRED: [&str; 8] = [
    "name",
    "description",
    "supportedInterfaces",
    "version",
    "capabilities",
    "defaultInputModes",
    "defaultOutputModes",
    "skills",
];
const SKILL_REQUIRED: [&str; 4] = ["id", "name", "description", "tags"];
const INTERFACE_REQUIRED: [&str; 3] = ["url", "protocolBinding", "protocolVersion"];

impl AgentCard {
    /// Reads a card. The error names everything that keeps it from being used, with JSON Pointers; what can be done
    /// without is a deviation.
    pub fn read(card: &Value) -> Result<AgentCard, String> {
        let Some(object) = card.as_object() else {
            return Err(format!("it is {}, expected an object", kind_of(card)));
        };
        let mut reader = Reader::default();
        let mut out = AgentCard {
            name: reader.text(object, "", "name"),
            description: reader.text(object, "", "description"),
            version: reader.text(object, "", "version"),
            default_input_modes: reader.texts(object, "", "defaultInputModes"),
            default_output_modes: reader.texts(object, "", "defaultOutputModes"),
            ..AgentCard::default()
        };
        if let Some(capabilities) = reader.object(object, "", "capabilities") {
            out.streaming = reader.flag(capabilities, "/capabilities", "streaming");
            out.push_notifications = reader.flag(capabilities, "/capabilities", "pushNotifications");
            out.extended_agent_card = reader.flag(capabilities, "/capabilities", "extendedAgentCard");
            for (path, entry) in reader.objects(capabilities, "/capabilities", "extensions") {
                out.extensions.push(CardExtension {
                    uri: reader.text(entry, &path, "uri"),
                    description: reader.text(entry, &path, "description"),
                    required: reader.flag(entry, &path, "required"),
                    params: reader.object(entry, &path, "params").cloned(),
                });
            }
        }
        for (path, entry) in reader.objects(object, "", "supportedInterfaces") {
            reader.require(entry, &path, &INTERFACE_REQUIRED);
            out.interfaces.push(CardInterface {
                url: reader.text(entry, &path, "url"),
                protocol_binding: reader.text(entry, &path, "protocolBinding"),
                protocol_version: reader.text(entry, &path, "protocolVersion"),
                tenant: Some(reader.text(entry, &path, "tenant")).filter(|tenant| !tenant.is_empty()),
            });
        }
        for (path, entry) in reader.objects(object, "", "skills") {
            reader.require(entry, &path, &SKILL_REQUIRED);
            out.skills.extend(Some(reader.text(entry, &path, "id")).filter(|id| !id.is_empty()));
        }
        if !object.contains_key("supportedInterfaces") && !object.contains_key("supported_interfaces") {
            reader.legacy(object, &mut out);
        }
        if out.legacy_version.is_none() {
            reader.require(object, "", &REQUIRED);
        }
        if object.get("skills").is_some_and(|skills| skills.as_array().is_some_and(Vec::is_empty)) {
            // §5.7 asks for one, the example of §8.4.1 has none.
            reader.note("card-no-skills", "/skills", "the list of skills is empty".into());
        }
        if out.interfaces.is_empty() && reader.problems.is_empty() {
            let missing: Vec<&str> = reader
                .deviations
                .iter()
                .filter(|deviation| deviation.code == "missing-field")
                .filter_map(|deviation| deviation.path.as_deref())
                .collect();
            reader.problems.push(if missing.is_empty() {
                "/supportedInterfaces is empty, expected at least one interface".into()
            } else {
                format!("it names no interface to speak to; required members are missing: {}", missing.join(", "))
            });
        }
        if !reader.problems.is_empty() {
            return Err(reader.problems.join("; "));
        }
        out.deviations = reader.deviations;
        Ok(out)
    }
}

/// Reads members and collects what is wrong on the way.
#[derive(Default)]
struct Reader {
    problems: Vec<String>,
    deviations: Vec<Deviation>,
}

impl Reader {
    fn note(&mut self, code: &'static str, path: &str, message: String) {
        self.deviations.push(Deviation { code, message, path: Some(path.to_owned()), event: None });
    }

    /// A member under its own name or, noted, under its snake_case name. `null` is the same as nothing.
    fn member<'a>(&mut self, object: &'a Map<String, Value>, at: &str, name: &str) -> Option<&'a Value> {
        if let Some(value) = object.get(name) {
            return Some(value).filter(|value| !value.is_null());
        }
        let other = snake(name);
        let value = object.get(&other).filter(|value| !value.is_null())?;
        self.note("snake-case-field", &format!("{at}/{other}"), format!("`{other}` should be spelled `{name}`"));
        Some(value)
    }

    fn wrong(&mut self, at: &str, name: &str, value: &Value, expected: &str) {
        self.problems.push(format!("{at}/{name} is {}, expected {expected}", kind_of(value)));
    }

    fn text(&mut self, object: &Map<String, Value>, at: &str, name: &str) -> String {
        match self.member(object, at, name) {
            None => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => {
                self.wrong(at, name, other, "a string");
                String::new()
            }
        }
    }

    fn flag(&mut self, object: &Map<String, Value>, at: &str, name: &str) -> bool {
        match self.member(object, at, name) {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                self.wrong(at, name, other, "true or false");
                false
            }
        }
    }

    fn object<'a>(&mut self, object: &'a Map<String, Value>, at: &str, name: &str) -> Option<&'a Map<String, Value>> {
        let value = self.member(object, at, name)?;
        if value.as_object().is_none() {
            self.wrong(at, name, value, "an object");
        }
        value.as_object()
    }

    fn list<'a>(&mut self, object: &'a Map<String, Value>, at: &str, name: &str) -> &'a [Value] {
        match self.member(object, at, name) {
            None => &[],
            Some(Value::Array(list)) => list,
            Some(other) => {
                self.wrong(at, name, other, "a list");
                &[]
            }
        }
    }

    fn texts(&mut self, object: &Map<String, Value>, at: &str, name: &str) -> Vec<String> {
        let mut out = Vec::new();
        for (index, value) in self.list(object, at, name).iter().enumerate() {
            match value {
                Value::String(text) => out.push(text.clone()),
                other => self.wrong(&format!("{at}/{name}"), &index.to_string(), other, "a string"),
            }
        }
        out
    }

    /// The objects of a list with their paths.
    fn objects<'a>(
        &mut self,
        object: &'a Map<String, Value>,
        at: &str,
        name: &str,
    ) -> Vec<(String, &'a Map<String, Value>)> {
        let mut out = Vec::new();
        for (index, value) in self.list(object, at, name).iter().enumerate() {
            match value.as_object() {
                Some(entry) => out.push((format!("{at}/{name}/{index}"), entry)),
                None => self.wrong(&format!("{at}/{name}"), &index.to_string(), value, "an object"),
            }
        }
        out
    }

    fn require(&mut self, object: &Map<String, Value>, at: &str, names: &[&str]) {
        for name in names {
            let there = |key: &str| object.get(key).is_some_and(|value| !value.is_null());
            if !there(name) && !there(&snake(name)) {
                self.note("missing-field", &format!("{at}/{name}"), format!("required member `{name}` is missing"));
            }
        }
    }

    /// The shape of 0.3: `url`, `preferredTransport`, `protocolVersion` and `additionalInterfaces` at the top.
    fn legacy(&mut self, object: &Map<String, Value>, out: &mut AgentCard) {
        let url = self.text(object, "", "url");
        if url.is_empty() {
            return;
        }
        let or = |text: String, default: &str| if text.is_empty() { default.to_owned() } else { text };
        let version = or(self.text(object, "", "protocolVersion"), "0.3.0");
        let mut add = |url: String, binding: String| {
            let entry =
                CardInterface { url, protocol_binding: binding, protocol_version: version.clone(), tenant: None };
            if !out.interfaces.contains(&entry) {
                out.interfaces.push(entry);
            }
        };
        add(url, or(self.text(object, "", "preferredTransport"), "JSONRPC"));
        for (path, entry) in self.objects(object, "", "additionalInterfaces") {
            add(self.text(entry, &path, "url"), self.text(entry, &path, "transport"));
        }
        out.extended_agent_card |= self.flag(object, "", "supportsAuthenticatedExtendedCard");
        self.note(
            "legacy-card",
            "/supportedInterfaces",
            format!(
                "the card has the shape of A2A 0.3 (`url`, `protocolVersion` {}), expected `supportedInterfaces`",
                clean(&version)
            ),
        );
        out.legacy_version = Some(version);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_full_card_is_read() {
        let card = AgentCard::read(&json!({
            "name": "n", "description": "", "version": "1", "defaultInputModes": ["text/plain"],
            "defaultOutputModes": ["text/plain", "application/json"],
            "capabilities": {"streaming": true, "extensions": [{"uri": "urn:a", "required": true, "params": {"k": 1}}]},
            "skills": [{"id": "s", "name": "s", "description": "", "tags": ["t"]}],
            "supportedInterfaces": [
                {"url": "http://h/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "acme"}],
            "x-own": 1,
        }))
        .unwrap();
        assert_eq!(card.deviations, []);
        assert!(card.streaming && !card.push_notifications && !card.extended_agent_card);
        assert_eq!(card.skills, ["s"]);
        assert_eq!(card.default_output_modes.len(), 2);
        assert_eq!(card.extensions[0].params, json!({"k": 1}).as_object().cloned());
        assert!(card.extensions[0].required);
        assert_eq!(card.interfaces[0].tenant.as_deref(), Some("acme"));
    }

    // C093.
    #[test]
    fn what_is_no_card_is_one_clear_error() {
        assert_eq!(
            AgentCard::read(&json!({})).unwrap_err(),
            "it names no interface to speak to; required members are missing: /name, /description, \
             /supportedInterfaces, /version, /capabilities, /defaultInputModes, /defaultOutputModes, /skills"
        );
        assert_eq!(AgentCard::read(&json!([])).unwrap_err(), "it is a list, expected an object");
        assert_eq!(AgentCard::read(&Value::Null).unwrap_err(), "it is null, expected an object");
        assert_eq!(AgentCard::read(&json!("x")).unwrap_err(), "it is a string, expected an object");
        assert_eq!(
            AgentCard::read(&json!({"name": 1, "capabilities": {"streaming": "yes"}, "skills": [2]})).unwrap_err(),
            "/name is a number, expected a string; /capabilities/streaming is a string, expected true or false; \
             /skills/0 is a number, expected an object"
        );
    }

    // C093.
    #[test]
    fn missing_members_are_all_named() {
        let card = AgentCard::read(&json!({
            "name": "n", "description": "d", "capabilities": {}, "defaultInputModes": [], "defaultOutputModes": [],
            "skills": [{"id": "s"}],
            "supported_interfaces": [{"url": "http://h", "protocol_binding": "JSONRPC"}],
        }))
        .unwrap();
        let paths: Vec<&str> =
            card.deviations.iter().filter(|d| d.code == "missing-field").filter_map(|d| d.path.as_deref()).collect();
        assert_eq!(
            paths,
            [
                "/supportedInterfaces/0/protocolVersion",
                "/skills/0/name",
                "/skills/0/description",
                "/skills/0/tags",
                "/version"
            ]
        );
        assert_eq!(card.interfaces[0].protocol_binding, "JSONRPC");
        assert_eq!(card.deviations.iter().filter(|d| d.code == "snake-case-field").count(), 2);
    }

    #[test]
    fn a_card_of_0_3_is_recognised() {
        let card = AgentCard::read(&json!({
            "protocolVersion": "0.3.0", "name": "old", "url": "http://h/", "additionalInterfaces":
                [{"url": "http://h/", "transport": "JSONRPC"}, {"url": "http://h/v1", "transport": "HTTP+JSON"}],
            "supportsAuthenticatedExtendedCard": true,
        }))
        .unwrap();
        assert_eq!(card.legacy_version.as_deref(), Some("0.3.0"));
        assert_eq!(card.interfaces.len(), 2);
        assert_eq!(card.interfaces[0].protocol_version, "0.3.0");
        assert!(card.extended_agent_card);
    }
}
