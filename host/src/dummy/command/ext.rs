use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Command, artifact, single, skill, status};
use crate::a2a::{Artifact, Part, TaskState};
use crate::dummy::plugins::Extensions;
use crate::sandbox::{BoxFuture, ExtensionRequest, HandlerError, SkillInfo, TaskPort};

/// `ext` shows what became of the extensions that the client asked for.
pub(super) struct Ext {
    pub(super) extensions: Arc<Extensions>,
}

impl Command for Ext {
    fn keyword(&self) -> &str {
        "ext"
    }

    fn skill(&self) -> Option<SkillInfo> {
        let description = "Activates the extensions that the request asks for and shows what they add.";
        Some(skill("ext", "Extension Test", description, &["extension"], "ext", "application/json"))
    }

    fn run<'a>(
        &'a self,
        request: ExtensionRequest,
        task: Arc<dyn TaskPort>,
    ) -> BoxFuture<'a, Result<(), HandlerError>> {
        Box::pin(async move {
            status(&*task, TaskState::Working, None)?;
            let mut fields = Map::new();
            fields.insert("requested".into(), list(&request.requested));
            fields.insert("activated".into(), list(&request.activated));
            let mut metadata = Map::new();
            // Sorted by URI, so what two extensions both add is decided by their names and not by the client's order.
            for uri in &request.activated {
                let Some(handler) = self.extensions.handler(uri) else { continue };
                let added = handler.activate(uri, request.clone()).await.map_err(HandlerError::Plugin)?;
                for (name, value) in added.fields {
                    // These two are the agent's own word on the negotiation.
                    if matches!(name.as_str(), "requested" | "activated") {
                        tracing::warn!(uri, name, "an extension may not replace this member; it is left as it is");
                    } else {
                        fields.insert(name, value);
                    }
                }
                metadata.extend(added.metadata.unwrap_or_default());
            }
            artifact(
                &*task,
                Artifact {
                    metadata: (!metadata.is_empty()).then_some(metadata),
                    extensions: request.activated,
                    ..single(format!("{}-ext", task.id()), "extension-metadata", Part::data(Value::Object(fields)))
                },
            )?;
            status(&*task, TaskState::Completed, None)
        })
    }
}

/// No URI at all is `null`.
fn list(uris: &[String]) -> Value {
    if uris.is_empty() { Value::Null } else { uris.into() }
}
