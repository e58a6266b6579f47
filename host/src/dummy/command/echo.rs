use std::sync::Arc;

use super::{Command, artifact, keyword, rest, single, skill, status};
use crate::a2a::{Part, TaskState};
use crate::sandbox::{BoxFuture, ExtensionRequest, HandlerError, SkillInfo, TaskPort};

/// `echo <text>` gives the text back. Also what answers everything that no other command takes: then all of the text.
pub(super) struct Echo;

impl Command for Echo {
    fn keyword(&self) -> &str {
        "echo"
    }

    fn skill(&self) -> Option<SkillInfo> {
        let description = "Gives the text of the message back as an artifact.";
        Some(skill("echo", "Echo", description, &["echo"], "echo hello world", "text/plain"))
    }

    fn run<'a>(
        &'a self,
        request: ExtensionRequest,
        task: Arc<dyn TaskPort>,
    ) -> BoxFuture<'a, Result<(), HandlerError>> {
        Box::pin(async move {
            status(&*task, TaskState::Working, None)?;
            artifact(&*task, single(String::new(), "echo", Part::text(reply(&request.text))))?;
            status(&*task, TaskState::Completed, None)
        })
    }
}

/// Without the keyword if that leaves anything, else the trimmed text.
fn reply(text: &str) -> &str {
    let behind = if keyword(text) == "echo" { rest(text) } else { "" };
    if behind.is_empty() { text.trim() } else { behind }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyword_is_cut_only_where_it_is_a_word() {
        for (text, expected) in [
            ("echo hello world", "hello world"),
            ("  ECHO   Mixed  Case  ", "Mixed  Case"),
            ("echo", "echo"),
            ("", ""),
            ("  anything else ", "anything else"),
            ("echofoo bar", "echofoo bar"),
            ("echo\u{a0}x", "x"),
            ("echo\na\n b", "a\n b"),
        ] {
            assert_eq!(reply(text), expected, "{text:?}");
        }
    }
}
