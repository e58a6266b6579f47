use std::sync::Arc;

use super::Command;
use crate::sandbox::{BoxFuture, ExtensionHandler, ExtensionRequest, HandlerError, SkillInfo, TaskPort};

/// The command that an extension brings: the plugin does all of it.
pub(crate) struct ExtensionCommand {
    keyword: String,
    uri: String,
    skill: Option<SkillInfo>,
    handler: Arc<dyn ExtensionHandler>,
}

impl ExtensionCommand {
    /// `keyword` is in lower case.
    pub(crate) fn new(
        keyword: String,
        uri: String,
        skill: Option<SkillInfo>,
        handler: Arc<dyn ExtensionHandler>,
    ) -> Self {
        ExtensionCommand { keyword, uri, skill, handler }
    }
}

impl Command for ExtensionCommand {
    fn keyword(&self) -> &str {
        &self.keyword
    }

    fn skill(&self) -> Option<SkillInfo> {
        self.skill.clone()
    }

    fn may_reply(&self) -> bool {
        true
    }

    fn run<'a>(
        &'a self,
        request: ExtensionRequest,
        task: Arc<dyn TaskPort>,
    ) -> BoxFuture<'a, Result<(), HandlerError>> {
        self.handler.handle(&self.uri, request, task)
    }
}
