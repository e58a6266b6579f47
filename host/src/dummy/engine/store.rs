use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::task::LiveTask;

/// The tasks that the agent remembers, at most `capacity`. A new one takes the place of the one that has been terminal for
/// longest; tasks that still live are never dropped.
pub(crate) struct Store {
    capacity: usize,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    tasks: HashMap<String, Arc<LiveTask>>,
    /// Ids in the order in which the tasks became terminal. Each is also a key of `tasks`.
    terminal: VecDeque<String>,
}

/// No place for another task: every one that is stored still lives.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Store {
    pub(super) fn new(capacity: usize) -> Self {
        Store { capacity, inner: Mutex::default() }
    }

    // Lock order: a task may lock the store while it is locked itself, so nothing here may lock a task.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing in here panics half-way, so what a poisoned lock guards is sound.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a task.
    pub(super) fn insert(&self, task: Arc<LiveTask>) -> Result<(), Full> {
        let mut inner = self.lock();
        if inner.tasks.len() >= self.capacity {
            let oldest = inner.terminal.pop_front().ok_or(Full)?;
            inner.tasks.remove(&oldest);
        }
        inner.tasks.insert(task.id().to_owned(), task);
        Ok(())
    }

    /// The task may be dropped from now on.
    pub(super) fn retire(&self, id: &str) {
        self.lock().terminal.push_back(id.to_owned());
    }

    /// Forgets a task that was never shown to anybody.
    pub(super) fn forget(&self, id: &str) {
        self.lock().tasks.remove(id);
    }

    /// The task of that id.
    pub(super) fn get(&self, id: &str) -> Option<Arc<LiveTask>> {
        self.lock().tasks.get(id).cloned()
    }

    /// All tasks, in no order.
    pub(super) fn all(&self) -> Vec<Arc<LiveTask>> {
        self.lock().tasks.values().cloned().collect()
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        *self.lock() = Inner::default();
    }
}
