use std::time::Instant;

use crate::a2a::{A2aError, Binding, Operation, SendMessageResponse, StreamResponse, Task, TaskState};
use crate::dummy::service::Reply;

/// Collects what there is to say of one request, and says it when the answer is complete or its reader is gone.
pub(super) struct RequestLine {
    binding: Binding,
    operation: Option<Operation>,
    task: Option<String>,
    state: Option<TaskState>,
    error: Option<i32>,
    began: Instant,
}

impl RequestLine {
    pub(super) fn new(binding: Binding) -> Self {
        RequestLine { binding, operation: None, task: None, state: None, error: None, began: Instant::now() }
    }

    pub(super) fn operation(&mut self, operation: Operation) {
        self.operation = Some(operation);
    }

    /// Notes one reply.
    pub(super) fn reply(&mut self, reply: &Result<Reply, A2aError>) {
        match reply {
            Ok(
                Reply::Task(task)
                | Reply::Sent(SendMessageResponse::Task(task))
                | Reply::Event(StreamResponse::Task(task)),
            ) => self.task(task),
            Ok(Reply::Event(StreamResponse::StatusUpdate { status, .. })) => self.state = Some(status.state),
            Ok(_) => {}
            Err(error) => self.error = Some(error.code),
        }
    }

    fn task(&mut self, task: &Task) {
        self.task = Some(task.id.clone());
        self.state = Some(task.status.state);
    }
}

impl Drop for RequestLine {
    fn drop(&mut self) {
        tracing::info!(
            binding = %self.binding,
            operation = self.operation.map(|operation| operation.spec().name),
            task = self.task,
            state = self.state.map(TaskState::word),
            error = self.error,
            microseconds = self.began.elapsed().as_micros(),
            "request",
        );
    }
}
