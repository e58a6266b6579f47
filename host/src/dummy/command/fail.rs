use std::sync::Arc;

use super::{Command, skill, status};
use crate::a2a::TaskState;
use crate::sandbox::{BoxFuture, ExtensionRequest, HandlerError, SkillInfo, TaskPort};

/// `fail` fails.
pub(super) struct Fail;

impl Command for Fail {
    fn keyword(&self) -> &str {
        "fail"
    }

    fn skill(&self) -> Option<SkillInfo> {
        Some(skill("fail", "Fail", "Ends in FAILED with a message.", &["fail", "error"], "fail", "text/plain"))
    }

    fn run<'a>(&'a self, _: ExtensionRequest, task: Arc<dyn TaskPort>) -> BoxFuture<'a, Result<(), HandlerError>> {
        Box::pin(async move {
            status(&*task, TaskState::Working, None)?;
            status(&*task, TaskState::Failed, Some("Deliberate failure for testing purposes."))
        })
    }
}
