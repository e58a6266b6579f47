use std::collections::HashSet;

use jiff::Timestamp;
use tokio::sync::oneshot;

use super::fanout::{Scope, Subscribers};
use super::{Hear, Heard, Shared, TurnAnswer, clock};
use crate::a2a::{A2aError, Message, SendMessageResponse, StreamResponse, Task, TaskState, TaskStatus};

/// What changes about a task, under its lock.
pub(super) struct State {
    pub(super) task: Task,
    pub(super) status_time: Timestamp,
    pub(super) status_change: u64,
    /// The client knows of the task. Until then its first answer may still be a bare message.
    pub(super) announced: bool,
    /// It was one.
    pub(super) replied: bool,
    /// A follow-up put the task into WORKING, and readers learn of it with the turn's first event.
    pub(super) resumed_silently: bool,
    /// Counts the client's messages. Only the handle of the present turn may write.
    pub(super) turn: u64,
    /// Artifacts whose last chunk was written.
    pub(super) finished: HashSet<String>,
    pub(super) waiter: Option<Waiter>,
    pub(super) subscribers: Subscribers,
}

/// A sender that hears of its turn once.
pub(super) struct Waiter {
    hear: Hear,
    answer: oneshot::Sender<TurnAnswer>,
}

impl State {
    /// SUBMITTED, with the first message.
    pub(super) fn new(id: String, context_id: String, message: Message, shared: &Shared) -> Self {
        let now = clock::now();
        let status = TaskStatus { state: TaskState::Submitted, message: None, timestamp: Some(clock::format(now)) };
        State {
            task: Task { id, context_id, status, artifacts: Vec::new(), history: vec![message], metadata: None },
            status_time: now,
            status_change: shared.next_change(),
            announced: false,
            replied: false,
            resumed_silently: false,
            turn: 1,
            finished: HashSet::new(),
            waiter: None,
            subscribers: Subscribers::default(),
        }
    }

    /// Attaches the sender of the present turn.
    pub(super) fn listen(&mut self, hear: Hear, shared: &Shared) -> Heard {
        if hear == Hear::Events {
            return Heard::Events(self.subscribers.add(Scope::Turn, shared.limits.queue_length));
        }
        let (answer, receiver) = oneshot::channel();
        self.waiter = Some(Waiter { hear, answer });
        Heard::Once(receiver)
    }

    /// Answers the sender who waits, if one still does.
    pub(super) fn answer(&mut self, answer: TurnAnswer) {
        if let Some(waiter) = self.waiter.take() {
            // The client may have gone away; the task goes on all the same.
            let _ = waiter.answer.send(answer);
        }
    }

    /// Tells the sender that there is a task.
    pub(super) fn announce(&mut self) {
        if self.announced {
            return;
        }
        self.announced = true;
        if self.waiter.as_ref().is_some_and(|waiter| waiter.hear == Hear::First) {
            let task = self.task.clone();
            self.answer(Ok(SendMessageResponse::Task(task)));
        }
        if !self.subscribers.is_empty() {
            self.subscribers.publish(StreamResponse::Task(self.task.clone()));
        }
    }

    /// Whether the handle of that turn may still write.
    pub(super) fn writable(&self, turn: u64) -> Result<(), String> {
        if self.turn != turn {
            return Err("the client sent a further message, and this turn is over".into());
        }
        if self.replied {
            return Err("the call was answered with a message, and nothing may follow".into());
        }
        Ok(())
    }

    /// The words of the former status move to the history, so that it tells the whole exchange in order.
    pub(super) fn set_status(&mut self, state: TaskState, message: Option<Message>, shared: &Shared) {
        let now = clock::now();
        let status = TaskStatus { state, message, timestamp: Some(clock::format(now)) };
        let former = std::mem::replace(&mut self.task.status, status);
        self.task.history.extend(former.message);
        self.status_time = now;
        self.status_change = shared.next_change();
    }

    /// Tells the present status.
    pub(super) fn publish_status(&mut self) {
        self.resumed_silently = false;
        if !self.subscribers.is_empty() {
            self.subscribers.publish(StreamResponse::StatusUpdate {
                task_id: self.task.id.clone(),
                context_id: self.task.context_id.clone(),
                status: self.task.status.clone(),
            });
        }
    }

    /// Publishes the WORKING of a follow-up, where its turn begins with something else.
    pub(super) fn tell_resumption(&mut self) {
        if self.resumed_silently {
            self.publish_status();
        }
    }

    /// Ends the sender's turn with an error.
    pub(super) fn fail_turn(&mut self, error: A2aError) {
        self.answer(Err(error.clone()));
        // Behind the answer, for that must be the error even if nothing was told before; a stream begins with the task.
        self.announce();
        self.subscribers.fail_turn(&error);
    }
}
