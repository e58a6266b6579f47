use std::sync::Arc;
use std::time::Duration;

use super::task::LiveTask;
use crate::a2a::{Artifact, Message, TaskState};
use crate::sandbox::{BoxFuture, HandlerError, TaskPort};

/// One turn of a task, as commands and plugins write to it. Writes of a turn that is over are refused.
#[derive(Clone)]
pub(crate) struct TaskHandle {
    task: Arc<LiveTask>,
    turn: u64,
}

impl TaskHandle {
    pub(super) fn new(task: Arc<LiveTask>, turn: u64) -> Self {
        TaskHandle { task, turn }
    }

    /// The task behind it.
    pub(crate) fn task(&self) -> &Arc<LiveTask> {
        &self.task
    }

    /// Settles the turn once its command has returned.
    pub(super) fn finish(&self, outcome: Result<(), HandlerError>) {
        self.task.finish(self.turn, outcome);
    }
}

impl TaskPort for TaskHandle {
    fn id(&self) -> String {
        self.task.id().to_owned()
    }

    fn context_id(&self) -> String {
        self.task.context_id().to_owned()
    }

    fn history(&self) -> Vec<Message> {
        self.task.history()
    }

    fn status(&self, state: TaskState, message: Option<Message>) -> Result<(), String> {
        self.task.write_status(self.turn, state, message)
    }

    fn artifact(&self, artifact: Artifact, append: bool, last_chunk: bool) -> Result<(), String> {
        self.task.write_artifact(self.turn, artifact, append, last_chunk)
    }

    fn reply(&self, message: Message) -> Result<(), String> {
        self.task.write_reply(self.turn, message)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = self.task.canceled().cancelled() => true,
                () = tokio::time::sleep(duration) => false,
            }
        })
    }
}
