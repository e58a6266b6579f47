//! Whether values of A2A have the shape that the specification gives them. It is the raw JSON that is looked at: whoever
//! decodes first sees neither a missing member nor a wrong spelling.

mod reader;

use a2a_host_sdk::{Finding, Map, Value};

use crate::judgement::Judgement;

pub(crate) use reader::Shape;

/// The states by number, from 1 (§4.1.3), and how A2A 0.3 spelled them.
const STATES: [(&str, &str); 8] = [
    ("TASK_STATE_SUBMITTED", "submitted"),
    ("TASK_STATE_WORKING", "working"),
    ("TASK_STATE_COMPLETED", "completed"),
    ("TASK_STATE_FAILED", "failed"),
    ("TASK_STATE_CANCELED", "canceled"),
    ("TASK_STATE_INPUT_REQUIRED", "input-required"),
    ("TASK_STATE_REJECTED", "rejected"),
    ("TASK_STATE_AUTH_REQUIRED", "auth-required"),
];
const ROLES: [(&str, &str); 2] = [("ROLE_USER", "user"), ("ROLE_AGENT", "agent")];

/// The content arms of a part (§4.1.6).
const CONTENT: [&str; 4] = ["text", "raw", "url", "data"];

/// One item of an answer or a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item<'v> {
    Task(&'v Value),
    Message(&'v Value),
    Status(&'v Value),
    Artifact(&'v Value),
}

impl Shape<'_> {
    /// A `SendMessageResponse` (§3.2.3): a task or a message.
    pub(crate) fn answer<'v>(&mut self, body: &'v Value) -> Option<Item<'v>> {
        self.payload(body, &["task", "message"])
    }

    /// A `StreamResponse` (§3.2.3): a task, a message or an update.
    pub(crate) fn item<'v>(&mut self, body: &'v Value) -> Option<Item<'v>> {
        self.payload(body, &["task", "message", "statusUpdate", "artifactUpdate"])
    }

    fn payload<'v>(&mut self, body: &'v Value, arms: &[&'static str]) -> Option<Item<'v>> {
        let object = self.object(body, "", "an answer")?;
        self.spelling(object, "", arms);
        let given: Vec<&str> =
            arms.iter().copied().filter(|arm| object.get(*arm).is_some_and(|value| !value.is_null())).collect();
        let [arm] = given.as_slice() else {
            self.wrong_payload(object, &given, arms);
            return None;
        };
        let (value, path) = (&object[*arm], format!("/{arm}"));
        Some(match *arm {
            "task" => {
                self.task(value, &path);
                Item::Task(value)
            }
            "message" => {
                self.message(value, &path, Some("ROLE_AGENT"));
                Item::Message(value)
            }
            "statusUpdate" => {
                self.status_update(value, &path);
                Item::Status(value)
            }
            _ => {
                self.artifact_update(value, &path);
                Item::Artifact(value)
            }
        })
    }

    fn wrong_payload(&mut self, object: &Map<String, Value>, given: &[&str], arms: &[&str]) {
        let expected = arms.join(", ");
        let bare = [("id", "task", "Task"), ("messageId", "message", "Message")];
        let finding = match (given, bare.iter().find(|(member, ..)| object.contains_key(*member))) {
            ([], Some((_, arm, what))) => {
                Finding::new("missing-wrapper", format!("missing `{arm}` wrapper: a bare {what} was sent"))
                    .expected(format!("{{\"{arm}\": …}}"))
                    .fix(format!("wrap it: {{\"{arm}\": {{…}}}}"))
            }
            ([], None) => {
                // A2A 0.3 told what an item is by a member of its own.
                let legacy = if object.contains_key("kind") { "; `kind` looks like A2A 0.3" } else { "" };
                Finding::new("no-payload", format!("none of {expected} is there{legacy}")).expected(expected)
            }
            _ => Finding::new("two-payloads", format!("{} stand side by side", given.join(" and ")))
                .expected(format!("exactly one of {expected}"))
                .actual(given.join(", ")),
        };
        self.fail(finding.path("").rule("§3.2.3"));
    }

    /// A `Task` (§4.1.1).
    pub(crate) fn task(&mut self, value: &Value, path: &str) {
        let Some(object) = self.object(value, path, "a Task") else { return };
        self.spelling(object, path, &["id", "contextId", "status", "artifacts", "history", "metadata"]);
        self.required_text(object, path, "id", "a Task");
        self.optional_text(object, path, "contextId");
        if let Some(status) = self.required(object, path, "status", "a Task") {
            self.status(status, &format!("{path}/status"));
        }
        let mut ids: Vec<&str> = Vec::new();
        for (path, artifact) in self.optional_list(object, path, "artifacts") {
            self.artifact(artifact, &path);
            let Some(id) = artifact["artifactId"].as_str() else { continue };
            if ids.contains(&id) {
                let finding = Finding::new("artifact-id-twice", format!("two artifacts have the id \"{id}\""));
                self.fail(finding.path(format!("{path}/artifactId")).rule("§4.1.7").fix("give each its own"));
            }
            ids.push(id);
        }
        for (path, message) in self.optional_list(object, path, "history") {
            self.message(message, &path, None);
        }
        self.optional_object(object, path, "metadata");
    }

    /// A `TaskStatus` (§4.1.2).
    pub(crate) fn status(&mut self, value: &Value, path: &str) {
        let Some(object) = self.object(value, path, "a TaskStatus") else { return };
        self.spelling(object, path, &["state", "message", "timestamp"]);
        if let Some(state) = self.required(object, path, "state", "a TaskStatus") {
            self.name_of(state, &format!("{path}/state"), "state", &STATES, "§4.1.3");
        }
        if let Some(message) = self.optional(object, path, "message") {
            self.message(message, &format!("{path}/message"), Some("ROLE_AGENT"));
        }
        if let Some(timestamp) = self.optional_text(object, path, "timestamp")
            && !is_timestamp(timestamp)
        {
            let finding = Finding::new("timestamp", "the timestamp is not ISO 8601 in UTC with `Z`");
            let finding = finding.path(format!("{path}/timestamp")).expected("2026-01-02T03:04:05.678Z");
            self.fail(finding.actual(timestamp).rule("§5.6.1"));
        }
    }

    /// A `Message` (§4.1.4), by the agent or by anyone.
    pub(crate) fn message(&mut self, value: &Value, path: &str, role: Option<&str>) {
        let Some(object) = self.object(value, path, "a Message") else { return };
        let members =
            ["messageId", "contextId", "taskId", "role", "parts", "metadata", "extensions", "referenceTaskIds"];
        self.spelling(object, path, &members);
        self.required_text(object, path, "messageId", "a Message");
        self.optional_text(object, path, "contextId");
        self.optional_text(object, path, "taskId");
        if let Some(found) = self.required(object, path, "role", "a Message") {
            let at = format!("{path}/role");
            let known = self.name_of(found, &at, "role", &ROLES, "§4.1.5");
            if let (Some(known), Some(role)) = (known, role)
                && known != role
            {
                let finding = Finding::new("wrong-role", "the agent's own message has the role of the user");
                self.fail(finding.path(at).expected(role).actual(known).rule("§4.1.5"));
            }
        }
        self.parts(object, path, "a Message");
        self.optional_texts(object, path, "extensions");
        self.optional_texts(object, path, "referenceTaskIds");
        self.optional_object(object, path, "metadata");
    }

    /// An `Artifact` (§4.1.7).
    pub(crate) fn artifact(&mut self, value: &Value, path: &str) {
        let Some(object) = self.object(value, path, "an Artifact") else { return };
        self.spelling(object, path, &["artifactId", "name", "description", "parts", "metadata", "extensions"]);
        self.required_text(object, path, "artifactId", "an Artifact");
        self.optional_text(object, path, "name");
        self.optional_text(object, path, "description");
        self.parts(object, path, "an Artifact");
        self.optional_texts(object, path, "extensions");
        self.optional_object(object, path, "metadata");
    }

    fn parts(&mut self, object: &Map<String, Value>, path: &str, what: &str) {
        for (path, part) in self.filled_list(object, path, "parts", what) {
            self.part(part, &path);
        }
    }

    /// A `Part` (§4.1.6): exactly one content, whose `data` may be null.
    fn part(&mut self, value: &Value, path: &str) {
        let Some(object) = self.object(value, path, "a Part") else { return };
        self.spelling(object, path, &["text", "raw", "url", "data", "metadata", "filename", "mediaType"]);
        let there = |arm: &&str| object.get(*arm).is_some_and(|value| *arm == "data" || !value.is_null());
        let given: Vec<&str> = CONTENT.into_iter().filter(there).collect();
        match given.as_slice() {
            ["data"] => {}
            [arm] => {
                let at = format!("{path}/{arm}");
                let text = self.text(&object[*arm], &at);
                if *arm == "raw" && text.is_some_and(|text| !is_base64(text)) {
                    let finding = Finding::new("base64", "`raw` is not base64 with padding");
                    self.fail(finding.path(at).rule("§4.1.6"));
                }
            }
            [] => {
                let finding = Finding::new("no-content", "the part has no content").path(path).rule("§4.1.6");
                self.fail(finding.expected("one of text, raw, url, data").fix("send exactly one of them"));
            }
            _ => {
                let finding = Finding::new("two-contents", format!("the part has {}", given.join(" and ")));
                let finding = finding.path(path).expected("exactly one of text, raw, url, data");
                self.fail(finding.actual(given.join(", ")).rule("§4.1.6").fix("send them as parts of their own"));
            }
        }
        self.optional_text(object, path, "filename");
        self.optional_text(object, path, "mediaType");
        self.optional_object(object, path, "metadata");
    }

    /// A `TaskStatusUpdateEvent` (§4.2.1).
    fn status_update(&mut self, value: &Value, path: &str) {
        let Some(object) = self.object(value, path, "a TaskStatusUpdateEvent") else { return };
        self.spelling(object, path, &["taskId", "contextId", "status", "metadata"]);
        self.required_text(object, path, "taskId", "a TaskStatusUpdateEvent");
        self.required_text(object, path, "contextId", "a TaskStatusUpdateEvent");
        if let Some(status) = self.required(object, path, "status", "a TaskStatusUpdateEvent") {
            self.status(status, &format!("{path}/status"));
        }
        self.optional_object(object, path, "metadata");
    }

    /// A `TaskArtifactUpdateEvent` (§4.2.2).
    fn artifact_update(&mut self, value: &Value, path: &str) {
        let Some(object) = self.object(value, path, "a TaskArtifactUpdateEvent") else { return };
        self.spelling(object, path, &["taskId", "contextId", "artifact", "append", "lastChunk", "metadata"]);
        self.required_text(object, path, "taskId", "a TaskArtifactUpdateEvent");
        self.required_text(object, path, "contextId", "a TaskArtifactUpdateEvent");
        if let Some(artifact) = self.required(object, path, "artifact", "a TaskArtifactUpdateEvent") {
            self.artifact(artifact, &format!("{path}/artifact"));
        }
        self.optional_flag(object, path, "append");
        self.optional_flag(object, path, "lastChunk");
        self.optional_object(object, path, "metadata");
    }
}

/// A judge of the shapes of one answer.
pub(crate) fn of_answer(judgement: &mut Judgement) -> Shape<'_> {
    Shape::new(judgement, None)
}

/// A judge of the shapes of one event of a stream.
pub(crate) fn of_event(judgement: &mut Judgement, index: usize) -> Shape<'_> {
    Shape::new(judgement, Some(index))
}

/// The texts of a list of parts, joined with line feeds.
pub(crate) fn texts(holder: &Value) -> String {
    let parts = holder["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
    parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// ISO 8601 in UTC as §5.6.1 wants it: `Z`, and a fraction of up to nine digits or none.
fn is_timestamp(text: &str) -> bool {
    let Some(text) = text.strip_suffix('Z') else { return false };
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let pattern = b"0000-00-00T00:00:00";
    let fits = |byte: u8, like: u8| if like == b'0' { byte.is_ascii_digit() } else { byte == like };
    whole.len() == pattern.len()
        && whole.bytes().zip(pattern).all(|(byte, like)| fits(byte, *like))
        && fraction.is_none_or(|digits| (1..=9).contains(&digits.len()) && digits.bytes().all(|it| it.is_ascii_digit()))
}

/// Base64 as ProtoJSON writes it: the standard alphabet, with padding.
fn is_base64(text: &str) -> bool {
    let bare = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - bare.len() <= 2
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
}

#[cfg(test)]
mod tests;
