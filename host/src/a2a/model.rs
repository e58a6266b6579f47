//! Values of A2A as the dummy agent builds and stores them (§4.1). Serialised by ProtoJSON's rules: camelCase, enum names,
//! empty members left out. What a foreign agent sent is never forced into these types: the client keeps it as JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::TaskState;

/// Who wrote a message (§4.1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Role {
    /// The client.
    #[serde(rename = "ROLE_USER")]
    User,
    /// The agent.
    #[serde(rename = "ROLE_AGENT")]
    Agent,
}

/// The content of a part: exactly one member on the wire (§4.1.6).
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// Decoded bytes; base64 on the wire.
    Raw(Vec<u8>),
    /// Where the bytes are.
    Url(String),
    /// Any JSON value, `null` included.
    Data(Value),
}

/// One part of a message or artifact (§4.1.6).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// The content.
    #[serde(flatten, serialize_with = "content")]
    pub content: Content,
    /// MIME type of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// File name hint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// Free object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

fn content<S: Serializer>(content: &Content, serializer: S) -> Result<S::Ok, S::Error> {
    use serde::ser::SerializeMap;
    let mut map = serializer.serialize_map(Some(1))?;
    match content {
        Content::Text(text) => map.serialize_entry("text", text)?,
        Content::Raw(bytes) => map.serialize_entry("raw", &STANDARD.encode(bytes))?,
        Content::Url(url) => map.serialize_entry("url", url)?,
        Content::Data(value) => map.serialize_entry("data", value)?,
    }
    map.end()
}

impl Part {
    /// A part with nothing but its content.
    pub fn new(content: Content) -> Self {
        Part { content, media_type: None, filename: None, metadata: None }
    }

    /// A text part without a media type.
    pub fn text(text: impl Into<String>) -> Self {
        Part::new(Content::Text(text.into()))
    }

    /// A data part with media type `application/json`.
    pub fn data(value: Value) -> Self {
        Part { media_type: Some("application/json".into()), ..Part::new(Content::Data(value)) }
    }
}

/// One message (§4.1.4).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Made by the sender.
    pub message_id: String,
    /// The context it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_id: Option<String>,
    /// The task it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Who wrote it.
    pub role: Role,
    /// At least one.
    pub parts: Vec<Part>,
    /// Free object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// URIs of the extensions that contributed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Other tasks given as context.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reference_task_ids: Vec<String>,
}

impl Message {
    /// An agent's message with a fresh id and one text part.
    pub fn agent(text: impl Into<String>) -> Self {
        Message {
            message_id: uuid::Uuid::new_v4().to_string(),
            context_id: None,
            task_id: None,
            role: Role::Agent,
            parts: vec![Part::text(text)],
            metadata: None,
            extensions: Vec::new(),
            reference_task_ids: Vec::new(),
        }
    }

    /// Its text parts joined with newlines.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .parts
            .iter()
            .filter_map(|part| match &part.content {
                Content::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        texts.join("\n")
    }
}

/// One output of a task (§4.1.7).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// Unique within its task.
    pub artifact_id: String,
    /// For people; stable when an artifact is refined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// At least one.
    pub parts: Vec<Part>,
    /// Free object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// URIs of the extensions that shaped it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
}

/// The state of a task, with the agent's words about it (§4.1.2).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaskStatus {
    /// The state.
    pub state: TaskState,
    /// What the agent says about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// When the state was recorded: RFC 3339, UTC, milliseconds, `Z` (§5.6.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
}

/// The unit of work (§4.1.1).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Made by the agent.
    pub id: String,
    /// The conversation.
    pub context_id: String,
    /// Where it stands.
    pub status: TaskStatus,
    /// What it produced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// Messages exchanged, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Message>,
    /// Free object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

impl Task {
    /// Keeps at most the `length` newest messages of the history; none keeps all of it (§3.2.4).
    pub fn trim_history(&mut self, length: Option<usize>) {
        if let Some(length) = length {
            let surplus = self.history.len().saturating_sub(length);
            self.history.drain(..surplus);
        }
    }
}

/// One item of a stream (§3.2.3), and the body of a push notification.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum StreamResponse {
    /// A snapshot.
    Task(Task),
    /// A bare answer.
    Message(Message),
    /// The state changed, or was confirmed.
    StatusUpdate {
        /// The task.
        task_id: String,
        /// Its context.
        context_id: String,
        /// The new status.
        status: TaskStatus,
    },
    /// An artifact, or a piece of one.
    ArtifactUpdate {
        /// The task.
        task_id: String,
        /// Its context.
        context_id: String,
        /// The artifact or piece.
        artifact: Artifact,
        /// The parts belong behind those of the artifact with this id.
        #[serde(skip_serializing_if = "is_false")]
        append: bool,
        /// The artifact is finished.
        #[serde(skip_serializing_if = "is_false")]
        last_chunk: bool,
    },
}

/// The answer to SendMessage (§3.2.2).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum SendMessageResponse {
    /// The task that the message began or continued.
    Task(Task),
    /// A bare answer.
    Message(Message),
}

/// The answer to ListTasks (§3.1.4). All four members are required, so they are written even when empty or zero.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListTasksResponse {
    /// One page, the task whose status is youngest first.
    pub tasks: Vec<Task>,
    /// Empty on the last page.
    pub next_page_token: String,
    /// The page size that was used.
    pub page_size: usize,
    /// Matches on all pages.
    pub total_size: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl StreamResponse {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_have_the_shapes_of_the_protocol() {
        let event = StreamResponse::ArtifactUpdate {
            task_id: "t".into(),
            context_id: "c".into(),
            artifact: Artifact {
                artifact_id: "a".into(),
                name: None,
                description: None,
                parts: vec![Part::text("x"), Part::new(Content::Raw(vec![0, 1, 2])), Part::data(Value::Null)],
                metadata: None,
                extensions: vec![],
            },
            append: false,
            last_chunk: true,
        };
        assert_eq!(
            event.to_json(),
            json!({"artifactUpdate": {"taskId": "t", "contextId": "c", "lastChunk": true, "artifact": {"artifactId": "a",
                "parts": [{"text": "x"}, {"raw": "AAEC"}, {"data": null, "mediaType": "application/json"}]}}})
        );
    }

    #[test]
    fn the_history_is_cut_from_its_old_end() {
        let messages: Vec<Message> = ["a", "b", "c"].map(Message::agent).to_vec();
        let task = Task {
            id: "t".into(),
            context_id: "c".into(),
            status: TaskStatus { state: TaskState::Working, message: None, timestamp: None },
            artifacts: vec![],
            history: messages.clone(),
            metadata: None,
        };
        for (length, kept) in [(None, 0..3), (Some(4), 0..3), (Some(3), 0..3), (Some(1), 2..3), (Some(0), 3..3)] {
            let mut copy = task.clone();
            copy.trim_history(length);
            assert_eq!(copy.history, messages[kept], "{length:?}");
        }
        let mut copy = task;
        copy.trim_history(Some(0));
        assert!(serde_json::to_value(&copy).unwrap().get("history").is_none(), "0 leaves the member out (§3.2.4)");
    }

    #[test]
    fn an_empty_page_shows_all_its_members() {
        let page = ListTasksResponse { tasks: vec![], next_page_token: String::new(), page_size: 50, total_size: 0 };
        assert_eq!(
            serde_json::to_value(&page).unwrap(),
            json!({"tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0})
        );
    }

    #[test]
    fn states_carry_their_wire_names() {
        for state in TaskState::ALL {
            assert_eq!(serde_json::to_value(state).unwrap(), json!(state.wire_name()));
            assert_eq!(TaskState::from_wire(state.wire_name()), Some(state));
        }
    }
}
