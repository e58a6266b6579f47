//! A2A values: parts, messages, artifacts.

use serde_json::{Map, Value};

pub use crate::bindings::shared::a2a_host::plugin::types::{
    Artifact, Binding, Content, Event, Header, Message, Part, Role, TaskState,
};

impl Part {
    /// A part with nothing but its content.
    pub fn new(content: Content) -> Part {
        Part { content, media_type: None, filename: None, metadata: None }
    }

    /// Plain text.
    pub fn text(text: impl Into<String>) -> Part {
        Part::new(Content::Text(text.into()))
    }

    /// A JSON value, with media type `application/json`.
    pub fn data(value: &Value) -> Part {
        Part { media_type: Some("application/json".into()), ..Part::new(Content::Data(value.to_string())) }
    }

    /// A file with its bytes.
    pub fn raw(bytes: impl Into<Vec<u8>>, filename: impl Into<String>, media_type: impl Into<String>) -> Part {
        Part {
            filename: Some(filename.into()),
            media_type: Some(media_type.into()),
            ..Part::new(Content::Raw(bytes.into()))
        }
    }

    /// A file by its address.
    pub fn url(url: impl Into<String>) -> Part {
        Part::new(Content::Url(url.into()))
    }
}

impl Message {
    /// An agent's message with one text part; the host gives it an id and the ids of the task.
    pub fn agent(text: impl Into<String>) -> Message {
        Message::new(Role::Agent, vec![Part::text(text)])
    }

    /// A message with these parts; the host gives it an id.
    pub fn new(role: Role, parts: Vec<Part>) -> Message {
        Message {
            message_id: String::new(),
            context_id: None,
            task_id: None,
            role,
            parts,
            metadata: None,
            extensions: Vec::new(),
            reference_task_ids: Vec::new(),
        }
    }
}

impl Artifact {
    /// An artifact with these parts; the host gives it an id.
    pub fn new(name: impl Into<String>, parts: Vec<Part>) -> Artifact {
        Artifact {
            artifact_id: String::new(),
            name: Some(name.into()),
            description: None,
            parts,
            metadata: None,
            extensions: Vec::new(),
        }
    }

    /// With this id, for an artifact that is sent in pieces.
    pub fn id(mut self, id: impl Into<String>) -> Artifact {
        self.artifact_id = id.into();
        self
    }

    /// With a sentence for people.
    pub fn description(mut self, text: impl Into<String>) -> Artifact {
        self.description = Some(text.into());
        self
    }

    /// Names an extension that shaped it.
    pub fn extension(mut self, uri: impl Into<String>) -> Artifact {
        self.extensions.push(uri.into());
        self
    }

    /// With metadata.
    pub fn metadata(mut self, metadata: &Map<String, Value>) -> Artifact {
        self.metadata = Some(to_json(metadata));
        self
    }
}

/// A JSON object as text for the boundary.
pub(crate) fn to_json(object: &Map<String, Value>) -> String {
    serde_json::to_string(object).unwrap_or_else(|_| "{}".into())
}

/// JSON text from the boundary; `null` where the host sent something that is no JSON, which it never does.
pub(crate) fn from_json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}
