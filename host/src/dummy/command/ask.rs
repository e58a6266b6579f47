use std::sync::Arc;

use super::{Command, artifact, single, skill, status};
use crate::a2a::{Part, TaskState};
use crate::sandbox::{BoxFuture, ExtensionRequest, HandlerError, SkillInfo, TaskPort};

/// `ask` wants to know a name; the follow-up, whatever it says, is greeted.
pub(super) struct Ask;

impl Command for Ask {
    fn keyword(&self) -> &str {
        "ask"
    }

    fn skill(&self) -> Option<SkillInfo> {
        let description = "Asks a question (INPUT_REQUIRED) and completes with the answer to it.";
        Some(skill("ask", "Multi-Turn", description, &["multi-turn", "input-required"], "ask", "text/plain"))
    }

    fn run<'a>(
        &'a self,
        request: ExtensionRequest,
        task: Arc<dyn TaskPort>,
    ) -> BoxFuture<'a, Result<(), HandlerError>> {
        Box::pin(async move {
            if request.task.is_none() {
                return status(&*task, TaskState::InputRequired, Some("What is your name?"));
            }
            let greeting = format!("Hello, {}!", request.text.trim());
            status(&*task, TaskState::Working, None)?;
            artifact(&*task, single(String::new(), "greeting", Part::text(greeting)))?;
            status(&*task, TaskState::Completed, None)
        })
    }
}
