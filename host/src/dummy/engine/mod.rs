//! Tasks: their store, their life cycle and who hears of it. Commands and plugins write to a [`TaskHandle`]; everything that
//! is decided about a task is decided under its one lock, so a cancellation and a completion cannot both win.

mod clock;
mod fanout;
mod handle;
mod lifecycle;
mod list;
mod run;
mod state;
mod store;
mod task;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use self::store::Store;
use super::command::Command;
use crate::a2a::{A2aError, Message, SendMessageResponse};

pub(crate) use self::fanout::{Item, Subscription};
pub(crate) use self::handle::TaskHandle;
pub(crate) use self::run::run;
pub(crate) use self::store::Full;
pub(crate) use self::task::{LiveTask, NotAccepted};

/// Tasks remembered unless the agent is told otherwise: more than anyone looks at, and some tens of megabytes with the small
/// tasks of the built-in commands. The bound is a number of tasks, not of bytes: whoever sends large ones wants fewer.
const DEFAULT_MAX_TASKS: usize = 10_000;

/// Events that may wait for one reader. A command that writes without a pause can be thousands of events ahead of a reader
/// that is not slow at all; an event of the built-in commands takes some hundred bytes, so this is at most a few megabytes.
const QUEUE_LENGTH: usize = 4096;

/// What a canceled command gets to tidy up; its writes are refused anyway. A handler that overlooks the cancellation must
/// not keep its memory and its fuel for longer than a person waits.
const GRACE: Duration = Duration::from_secs(5);

/// The limits of an engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Tasks remembered, at least 1.
    pub(crate) max_tasks: usize,
    /// Events that may wait for one reader, at least 1.
    pub(crate) queue_length: usize,
    /// From the cancellation of a task until its command is dropped.
    pub(crate) grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_tasks: DEFAULT_MAX_TASKS, queue_length: QUEUE_LENGTH, grace: GRACE }
    }
}

/// All tasks of one agent.
pub(crate) struct Engine {
    shared: Arc<Shared>,
}

/// What tasks and engine share.
pub(crate) struct Shared {
    store: Store,
    limits: Limits,
    /// Numbers every status change of every task: the order of ListTasks, exact where times are equal.
    changes: AtomicU64,
    shutdown: CancellationToken,
}

impl Shared {
    fn next_change(&self) -> u64 {
        self.changes.fetch_add(1, Ordering::Relaxed)
    }
}

/// A task that is about to begin.
pub(crate) struct NewTask {
    /// Keeps the tasks of different tenants apart.
    pub(crate) tenant: Option<String>,
    /// The client's context; none makes a new one (§3.4.1).
    pub(crate) context_id: Option<String>,
    /// The first message.
    pub(crate) message: Message,
    /// What drives the task, in this turn and in those that follow.
    pub(crate) command: Arc<dyn Command>,
}

/// How the sender of a message hears of its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hear {
    /// Once, as soon as the task exists (`returnImmediately`).
    First,
    /// Once, when the task is terminal or interrupted.
    End,
    /// Every event as it happens.
    Events,
}

/// The answer to a turn that is heard of once.
pub(crate) type TurnAnswer = Result<SendMessageResponse, A2aError>;

/// What the sender hears.
pub(crate) enum Heard {
    /// For [`Hear::First`] and [`Hear::End`].
    Once(oneshot::Receiver<TurnAnswer>),
    /// For [`Hear::Events`].
    Events(Subscription),
}

impl Engine {
    /// `shutdown` ends every command that still runs.
    pub(crate) fn new(limits: Limits, shutdown: CancellationToken) -> Self {
        let store = Store::new(limits.max_tasks);
        Engine { shared: Arc::new(Shared { store, limits, changes: AtomicU64::new(0), shutdown }) }
    }

    /// Begins a task in state SUBMITTED. The sender hears of it at once, unless its command may still answer with a bare
    /// message: then only with the command's first event.
    pub(crate) fn create(&self, new: NewTask, hear: Hear) -> Result<(TaskHandle, Heard), Full> {
        let task = Arc::new(LiveTask::new(new, Arc::clone(&self.shared)));
        self.shared.store.insert(Arc::clone(&task))?;
        Ok(LiveTask::begin(task, hear))
    }

    /// The task of that id, as far as this tenant may know.
    pub(crate) fn find(&self, tenant: Option<&str>, id: &str) -> Option<Arc<LiveTask>> {
        self.shared.store.get(id).filter(|task| task.is_visible_to(tenant))
    }
}

impl Drop for Engine {
    /// The tasks hold on to the store that holds them.
    fn drop(&mut self) {
        self.shared.store.clear();
    }
}
