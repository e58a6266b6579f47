use std::sync::Arc;
use std::time::Duration;

use super::{Command, rest, single, skill, status};
use crate::a2a::{Part, TaskState};
use crate::sandbox::{BoxFuture, ExtensionRequest, HandlerError, SkillInfo, TaskPort};

/// Pieces of the artifact.
const CHUNKS: u32 = 5;
/// Between two pieces: long enough to see that they come one by one, short enough not to hold up a test.
const GAP: Duration = Duration::from_millis(100);

/// `stream <text>` sends one artifact in five pieces.
pub(super) struct Stream;

impl Command for Stream {
    fn keyword(&self) -> &str {
        "stream"
    }

    fn skill(&self) -> Option<SkillInfo> {
        let description = "Sends one artifact in five pieces, a tenth of a second apart.";
        Some(skill("stream", "Stream", description, &["stream"], "stream hello world", "text/plain"))
    }

    fn run<'a>(
        &'a self,
        request: ExtensionRequest,
        task: Arc<dyn TaskPort>,
    ) -> BoxFuture<'a, Result<(), HandlerError>> {
        Box::pin(async move {
            let text = match rest(&request.text) {
                "" => "streaming response",
                text => text,
            };
            status(&*task, TaskState::Working, None)?;
            for chunk in 1..=CHUNKS {
                let part = Part::text(format!("[{chunk}/{CHUNKS}] {text}"));
                let artifact = single(format!("{}-stream", task.id()), "stream", part);
                task.artifact(artifact, chunk > 1, chunk == CHUNKS).map_err(HandlerError::Failed)?;
                if chunk < CHUNKS && task.sleep(GAP).await {
                    return Ok(());
                }
            }
            status(&*task, TaskState::Completed, None)
        })
    }
}
