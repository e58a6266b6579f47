//! What the dummy agent understands: one small file per command. Native commands and extension plugins are given the same
//! request and write to the same task.

mod ask;
mod data;
mod echo;
mod ext;
mod extension;
mod fail;
mod stream;
mod table;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::a2a::{Artifact, Message, Part, TaskState};
use crate::sandbox::{BoxFuture, ExtensionRequest, HandlerError, SkillInfo, TaskPort};

pub(crate) use self::extension::ExtensionCommand;
pub(crate) use self::table::CommandTable;

/// A behaviour that a keyword chooses.
pub(crate) trait Command: Send + Sync {
    /// The keyword, in lower case.
    fn keyword(&self) -> &str;

    /// Its entry in the card.
    fn skill(&self) -> Option<SkillInfo>;

    /// The command may answer with a bare message, so nobody must hear of its task before its first event.
    fn may_reply(&self) -> bool {
        false
    }

    /// Does one turn: the first where `request.task` is none, else a follow-up. Success without a terminal or interrupted
    /// state completes the task.
    fn run<'a>(&'a self, request: ExtensionRequest, task: Arc<dyn TaskPort>)
    -> BoxFuture<'a, Result<(), HandlerError>>;
}

/// The first word of a text in lower case: the keyword, if it is one.
pub(crate) fn keyword(text: &str) -> String {
    text.split_whitespace().next().unwrap_or_default().to_lowercase()
}

/// What stands behind the first word, trimmed.
fn rest(text: &str) -> &str {
    let text = text.trim();
    text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim())
}

/// The card's entry for a native command. Id, first tag, input mode and example are alike for all of them.
fn skill(id: &str, name: &str, description: &str, tags: &[&str], example: &str, output_mode: &str) -> SkillInfo {
    SkillInfo {
        id: id.into(),
        name: name.into(),
        description: description.into(),
        tags: std::iter::once("test").chain(tags.iter().copied()).map(str::to_owned).collect(),
        examples: vec![example.into()],
        input_modes: vec!["text/plain".into()],
        output_modes: vec![output_mode.into()],
    }
}

/// Records a state, with words or without.
pub(super) fn status(task: &dyn TaskPort, state: TaskState, text: Option<&str>) -> Result<(), HandlerError> {
    task.status(state, text.map(Message::agent)).map_err(HandlerError::Failed)
}

/// Records an artifact that comes in one piece.
pub(super) fn artifact(task: &dyn TaskPort, artifact: Artifact) -> Result<(), HandlerError> {
    task.artifact(artifact, false, true).map_err(HandlerError::Failed)
}

/// An artifact of one part. An empty id stands for a fresh one.
pub(super) fn single(artifact_id: String, name: &str, part: Part) -> Artifact {
    Artifact {
        artifact_id,
        name: Some(name.into()),
        description: None,
        parts: vec![part],
        metadata: None,
        extensions: Vec::new(),
    }
}
