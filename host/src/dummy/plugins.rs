//! The extension plugins of one agent: which extension is whose, and which commands they bring.

use std::sync::Arc;

use super::command::{Command, CommandTable, ExtensionCommand};
use super::error::StartError;
use crate::sandbox::{ExtensionHandler, ExtensionInfo};

/// Every extension that the agent knows, in the order in which the plugins were loaded.
#[derive(Default)]
pub(crate) struct Extensions(Vec<Loaded>);

struct Loaded {
    info: ExtensionInfo,
    handler: Arc<dyn ExtensionHandler>,
}

impl Extensions {
    /// Collects what the plugins offer. A URI belongs to one extension only.
    pub(crate) fn load(plugins: &[Arc<dyn ExtensionHandler>]) -> Result<Self, StartError> {
        let mut extensions = Extensions::default();
        for handler in plugins {
            for info in handler.extensions() {
                if info.uri.is_empty() {
                    return Err(StartError::EmptyUri { plugin: handler.label() });
                }
                if let Some(first) = extensions.find(&info.uri) {
                    return Err(StartError::DuplicateExtension {
                        uri: info.uri.clone(),
                        first: first.handler.label(),
                        second: handler.label(),
                    });
                }
                extensions.0.push(Loaded { info: info.clone(), handler: Arc::clone(handler) });
            }
        }
        Ok(extensions)
    }

    /// Adds the commands that the extensions bring. The later command of one name wins; the warnings say what is hidden.
    pub(crate) fn add_commands(&self, table: &mut CommandTable) -> Result<Vec<String>, StartError> {
        let mut warnings = Vec::new();
        for Loaded { info, handler } in &self.0 {
            let plugin = handler.label();
            let Some(command) = &info.command else {
                if let Some(skill) = &info.skill {
                    warnings.push(format!(
                        "plugin {plugin}: skill {:?} of extension {} has no command and is left out of the card",
                        skill.id, info.uri
                    ));
                }
                continue;
            };
            if command.is_empty() || command.contains(char::is_whitespace) {
                let (uri, command) = (info.uri.clone(), command.clone());
                return Err(StartError::UnusableCommand { plugin, uri, command });
            }
            let command: Arc<dyn Command> = Arc::new(ExtensionCommand::new(
                command.to_lowercase(),
                info.uri.clone(),
                info.skill.clone(),
                Arc::clone(handler),
            ));
            let keyword = command.keyword().to_owned();
            if table.insert(command) {
                warnings.push(format!("plugin {plugin}: command {keyword:?} hides the earlier command of that name"));
            }
            if let Some(skill) = &info.skill
                && table.skills().iter().filter(|other| other.id == skill.id).count() > 1
            {
                warnings.push(format!("plugin {plugin}: skill id {:?} stands in the card more than once", skill.id));
            }
        }
        Ok(warnings)
    }

    /// What the card says of them.
    pub(crate) fn infos(&self) -> impl Iterator<Item = &ExtensionInfo> {
        self.0.iter().map(|loaded| &loaded.info)
    }

    /// Those of the requested URIs that are known, in the same order. Unknown ones are ignored (§4.6.3).
    pub(crate) fn activated(&self, requested: &[String]) -> Vec<String> {
        requested.iter().filter(|uri| self.find(uri).is_some()).cloned().collect()
    }

    /// The required extensions that were not requested.
    pub(crate) fn missing(&self, requested: &[String]) -> Vec<&str> {
        let required = self.infos().filter(|info| info.required);
        required.map(|info| info.uri.as_str()).filter(|uri| !requested.iter().any(|asked| asked == uri)).collect()
    }

    /// Who serves the extension.
    pub(crate) fn handler(&self, uri: &str) -> Option<&Arc<dyn ExtensionHandler>> {
        self.find(uri).map(|loaded| &loaded.handler)
    }

    fn find(&self, uri: &str) -> Option<&Loaded> {
        self.0.iter().find(|loaded| loaded.info.uri == uri)
    }
}
