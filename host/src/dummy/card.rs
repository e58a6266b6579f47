use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::a2a::{Binding, PROTOCOL_VERSION};
use crate::sandbox::{ExtensionInfo, SkillInfo};

/// How long a client may keep the card (§8.6.1). Short, because a test agent is often restarted with other plugins on the
/// same port.
const CACHE_CONTROL: &str = "public, max-age=60";

/// The public card (§4.4.1) as it is served.
pub(crate) struct Card {
    json: Value,
    etag: String,
}

impl Card {
    /// The card of an agent that is reached at `url`. It declares what is served and nothing else.
    pub(crate) fn new<'a>(
        url: &str,
        skills: &[SkillInfo],
        extensions: impl Iterator<Item = &'a ExtensionInfo>,
    ) -> Self {
        let mut capabilities = json!({"streaming": true, "pushNotifications": false, "extendedAgentCard": false});
        let extensions: Vec<Value> = extensions.map(extension).collect();
        if !extensions.is_empty() {
            capabilities["extensions"] = extensions.into();
        }
        let json = json!({
            "name": "Dummy A2A Test Agent",
            "description": "A programmable agent for testing A2A clients. The first word of a message chooses what it does.",
            "supportedInterfaces": [{
                "url": url,
                "protocolBinding": Binding::JsonRpc.as_str(),
                "protocolVersion": PROTOCOL_VERSION,
            }],
            // Who runs it is not known here; the agent's own address is at least a link that works.
            "provider": {"organization": "a2a-host", "url": url},
            // The version of what the agent does, not of the program.
            "version": "1.0.0",
            "capabilities": capabilities,
            "defaultInputModes": ["text/plain"],
            "defaultOutputModes": ["text/plain"],
            "skills": skills.iter().map(skill).collect::<Vec<_>>(),
        });
        let digest = Sha256::digest(json.to_string());
        // Half of the digest tells any two cards apart.
        let etag = digest[..16].iter().fold(String::from("\""), |tag, byte| format!("{tag}{byte:02x}")) + "\"";
        Card { json, etag }
    }

    /// The card itself.
    pub(crate) fn json(&self) -> &Value {
        &self.json
    }

    /// The client has this very card already (RFC 9110 §13.1.2: weak comparison).
    pub(crate) fn is_known_to(&self, headers: &HeaderMap) -> bool {
        let values = headers.get_all(header::IF_NONE_MATCH).into_iter().filter_map(|value| value.to_str().ok());
        values
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == self.etag)
    }

    /// "You have it", without a body.
    pub(crate) fn not_modified(&self) -> Response {
        self.with_caching(StatusCode::NOT_MODIFIED.into_response())
    }

    /// Adds what caches go by.
    pub(crate) fn with_caching(&self, response: Response) -> Response {
        let headers = [(header::CACHE_CONTROL, CACHE_CONTROL), (header::ETAG, self.etag.as_str())];
        (headers, response).into_response()
    }
}

/// An AgentSkill (§4.4.5).
fn skill(skill: &SkillInfo) -> Value {
    let mut json = json!({"id": skill.id, "name": skill.name, "description": skill.description, "tags": skill.tags});
    for (name, list) in
        [("examples", &skill.examples), ("inputModes", &skill.input_modes), ("outputModes", &skill.output_modes)]
    {
        if !list.is_empty() {
            json[name] = list.as_slice().into();
        }
    }
    json
}

/// An AgentExtension (§4.4.4). Members that hold their default are left out.
fn extension(info: &ExtensionInfo) -> Value {
    let mut json = Map::new();
    json.insert("uri".into(), info.uri.as_str().into());
    if !info.description.is_empty() {
        json.insert("description".into(), info.description.as_str().into());
    }
    if info.required {
        json.insert("required".into(), true.into());
    }
    if let Some(params) = &info.params {
        json.insert("params".into(), params.clone().into());
    }
    json.into()
}
