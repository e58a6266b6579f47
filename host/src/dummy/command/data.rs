use std::sync::Arc;

use serde_json::json;

use super::{Command, artifact, single, skill, status};
use crate::a2a::{Artifact, Part, TaskState};
use crate::sandbox::{BoxFuture, ExtensionRequest, HandlerError, SkillInfo, TaskPort};

/// `data` answers with structured data.
pub(super) struct Data;

impl Command for Data {
    fn keyword(&self) -> &str {
        "data"
    }

    fn skill(&self) -> Option<SkillInfo> {
        let description = "Answers with an artifact of structured data.";
        Some(skill("data", "Data Response", description, &["data", "json"], "data", "application/json"))
    }

    fn run<'a>(&'a self, _: ExtensionRequest, task: Arc<dyn TaskPort>) -> BoxFuture<'a, Result<(), HandlerError>> {
        Box::pin(async move {
            // Contracts compare these values, so they stay what they are, whatever this program is called.
            let data = json!({
                "agent": "dummy-a2a",
                "version": "1.0.0",
                "status": "ok",
                "count": 42,
                "items": ["alpha", "beta", "gamma"],
            });
            status(&*task, TaskState::Working, None)?;
            artifact(
                &*task,
                Artifact {
                    description: Some("Sample structured JSON data".into()),
                    ..single(format!("{}-data", task.id()), "sample-data", Part::data(data))
                },
            )?;
            status(&*task, TaskState::Completed, None)
        })
    }
}
