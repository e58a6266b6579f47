use std::sync::Arc;

use super::ask::Ask;
use super::data::Data;
use super::echo::Echo;
use super::ext::Ext;
use super::fail::Fail;
use super::stream::Stream;
use super::{Command, keyword};
use crate::dummy::plugins::Extensions;
use crate::sandbox::SkillInfo;

/// The commands of one agent, in the order of the card. There are too few for anything but a look through all of them.
pub(crate) struct CommandTable {
    commands: Vec<Arc<dyn Command>>,
    fallback: Arc<dyn Command>,
}

impl CommandTable {
    /// The native commands. What none of them takes is echoed, even if a plugin takes the keyword `echo` itself.
    pub(crate) fn native(extensions: &Arc<Extensions>) -> Self {
        let fallback: Arc<dyn Command> = Arc::new(Echo);
        let extensions = Arc::clone(extensions);
        CommandTable {
            commands: vec![
                Arc::clone(&fallback),
                Arc::new(Stream),
                Arc::new(Ask),
                Arc::new(Fail),
                Arc::new(Data),
                Arc::new(Ext { extensions }),
            ],
            fallback,
        }
    }

    /// Adds a command at the end. One with the same keyword is hidden by it and leaves the table; true if there was one.
    pub(crate) fn insert(&mut self, command: Arc<dyn Command>) -> bool {
        let before = self.commands.len();
        self.commands.retain(|other| other.keyword() != command.keyword());
        let hidden = self.commands.len() < before;
        self.commands.push(command);
        hidden
    }

    /// The command of a text: that of its first word, else echo.
    pub(crate) fn route(&self, text: &str) -> &Arc<dyn Command> {
        let word = keyword(text);
        self.commands.iter().find(|command| command.keyword() == word).unwrap_or(&self.fallback)
    }

    /// The card's entries.
    pub(crate) fn skills(&self) -> Vec<SkillInfo> {
        self.commands.iter().filter_map(|command| command.skill()).collect()
    }
}
