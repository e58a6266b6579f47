use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;

use super::handle::TaskHandle;
use crate::sandbox::{ExtensionRequest, HandlerError};

/// Runs the command of the handle's task on its own, so that it goes on when the client has gone away.
pub(crate) fn run(handle: TaskHandle, request: ExtensionRequest) {
    tokio::spawn(async move {
        let task = Arc::clone(handle.task());
        let command = Arc::clone(task.command());
        let work = AssertUnwindSafe(command.run(request, Arc::new(handle.clone()))).catch_unwind();
        let overdue = async {
            task.canceled().cancelled().await;
            tokio::time::sleep(task.grace()).await;
        };
        let outcome = tokio::select! {
            outcome = work => outcome,
            () = overdue => return,
            () = task.shutdown().cancelled() => return,
        };
        // Without this a client would wait for ever on a task that nobody drives any more.
        handle.finish(outcome.unwrap_or_else(|_| {
            Err(HandlerError::Failed(format!("the command {:?} broke down; this is a bug", command.keyword())))
        }));
    });
}
