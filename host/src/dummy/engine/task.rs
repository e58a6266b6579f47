use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::fanout::{Scope, Subscription};
use super::handle::TaskHandle;
use super::state::State;
use super::{Hear, Heard, NewTask, Shared, lifecycle};
use crate::a2a::{Artifact, Message, Role, SendMessageResponse, StreamResponse, Task, TaskState};
use crate::dummy::command::Command;
use crate::sandbox::HandlerError;

/// A task, who drives it and who listens.
pub(crate) struct LiveTask {
    id: String,
    context_id: String,
    tenant: Option<String>,
    command: Arc<dyn Command>,
    shared: Arc<Shared>,
    canceled: CancellationToken,
    state: Mutex<State>,
}

/// Why a message to an existing task is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotAccepted {
    /// Nothing follows this state.
    Terminal(TaskState),
    /// An earlier message is still under work.
    Running(TaskState),
}

impl LiveTask {
    pub(super) fn new(new: NewTask, shared: Arc<Shared>) -> Self {
        let id = Uuid::new_v4().to_string();
        let context_id = new.context_id.unwrap_or_else(|| Uuid::new_v4().to_string());
        let message = Message { task_id: Some(id.clone()), context_id: Some(context_id.clone()), ..new.message };
        let state = State::new(id.clone(), context_id.clone(), message, &shared);
        LiveTask {
            id,
            context_id,
            tenant: new.tenant,
            command: new.command,
            shared,
            canceled: CancellationToken::new(),
            state: Mutex::new(state),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half-way, so what a poisoned lock guards is sound.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn context_id(&self) -> &str {
        &self.context_id
    }

    /// What drives the task.
    pub(crate) fn command(&self) -> &Arc<dyn Command> {
        &self.command
    }

    /// Ends when the client cancels the task.
    pub(super) fn canceled(&self) -> &CancellationToken {
        &self.canceled
    }

    /// What the command has left after a cancellation.
    pub(super) fn grace(&self) -> Duration {
        self.shared.limits.grace
    }

    /// Ends when the agent shuts down.
    pub(super) fn shutdown(&self) -> &CancellationToken {
        &self.shared.shutdown
    }

    pub(super) fn is_visible_to(&self, tenant: Option<&str>) -> bool {
        self.tenant.as_deref() == tenant && self.lock().announced
    }

    /// The task as it stands.
    pub(crate) fn snapshot(&self) -> Task {
        self.lock().task.clone()
    }

    /// When and as which change of all the present status came about, and what it is.
    pub(super) fn status(&self) -> (u64, Timestamp, TaskState) {
        let inner = self.lock();
        (inner.status_change, inner.status_time, inner.task.status.state)
    }

    // ---- the client's side ------------------------------------------------------------------------------------------

    /// The first turn.
    pub(super) fn begin(task: Arc<Self>, hear: Hear) -> (TaskHandle, Heard) {
        let mut inner = task.lock();
        let heard = inner.listen(hear, &task.shared);
        if !task.command.may_reply() {
            inner.announce();
        }
        drop(inner);
        (TaskHandle::new(task, 1), heard)
    }

    /// A further turn: takes the client's message if the task waits for one (§3.4.3).
    pub(crate) fn accept(self: Arc<Self>, message: Message, hear: Hear) -> Result<(TaskHandle, Heard), NotAccepted> {
        let mut inner = self.lock();
        let state = inner.task.status.state;
        if state.is_terminal() {
            return Err(NotAccepted::Terminal(state));
        }
        if !state.ends_turn() {
            return Err(NotAccepted::Running(state));
        }
        let message = Message { task_id: Some(self.id.clone()), context_id: Some(self.context_id.clone()), ..message };
        inner.set_status(TaskState::Working, None, &self.shared);
        inner.task.history.push(message);
        // The snapshot that begins the sender's stream says WORKING already. Readers who are there get the change together
        // with the turn's first event, which mostly is this very change, so that nobody sees it twice.
        inner.resumed_silently = true;
        inner.turn += 1;
        let turn = inner.turn;
        let heard = inner.listen(hear, &self.shared);
        let snapshot = inner.task.clone();
        match hear {
            Hear::First => inner.answer(Ok(SendMessageResponse::Task(snapshot))),
            Hear::Events => inner.subscribers.send_to_newest(StreamResponse::Task(snapshot)),
            Hear::End => {}
        }
        drop(inner);
        Ok((TaskHandle::new(self, turn), heard))
    }

    /// Joins the task: its present state first, then what happens from now on. The error is its terminal state.
    pub(crate) fn subscribe(&self) -> Result<Subscription, TaskState> {
        let mut inner = self.lock();
        let state = inner.task.status.state;
        if state.is_terminal() {
            return Err(state);
        }
        let subscription = inner.subscribers.add(Scope::Task, self.shared.limits.queue_length);
        let snapshot = inner.task.clone();
        inner.subscribers.send_to_newest(StreamResponse::Task(snapshot));
        Ok(subscription)
    }

    /// Cancels the task. The error is its terminal state.
    pub(crate) fn cancel(&self) -> Result<Task, TaskState> {
        let mut inner = self.lock();
        let state = inner.task.status.state;
        if !lifecycle::allows(state, TaskState::Canceled) {
            return Err(state);
        }
        self.change(&mut inner, TaskState::Canceled, None);
        let task = inner.task.clone();
        drop(inner);
        self.canceled.cancel();
        Ok(task)
    }

    // ---- the command's side -----------------------------------------------------------------------------------------

    pub(super) fn history(&self) -> Vec<Message> {
        self.lock().task.history.clone()
    }

    pub(super) fn write_status(&self, turn: u64, state: TaskState, message: Option<Message>) -> Result<(), String> {
        let mut inner = self.lock();
        inner.writable(turn)?;
        let from = inner.task.status.state;
        if !lifecycle::allows(from, state) {
            return Err(format!("the task is {from}: {state} may not follow"));
        }
        if message.as_ref().is_some_and(|message| message.parts.is_empty()) {
            return Err("a status message needs at least one part".into());
        }
        let message = message.map(|message| self.own(message, Some(self.id.clone())));
        self.change(&mut inner, state, message);
        Ok(())
    }

    pub(super) fn write_artifact(
        &self,
        turn: u64,
        mut artifact: Artifact,
        append: bool,
        last_chunk: bool,
    ) -> Result<(), String> {
        let mut inner = self.lock();
        inner.writable(turn)?;
        let state = inner.task.status.state;
        if state.is_terminal() {
            return Err(format!("the task is {state}: no artifact may follow"));
        }
        if artifact.parts.is_empty() {
            return Err("an artifact needs at least one part".into());
        }
        if artifact.artifact_id.is_empty() {
            artifact.artifact_id = Uuid::new_v4().to_string();
        }
        let id = &artifact.artifact_id;
        if inner.finished.contains(id) {
            return Err(format!("artifact {id:?} is finished: its last chunk was written"));
        }
        let known = inner.task.artifacts.iter().position(|known| known.artifact_id == *id);
        if append && known.is_none() {
            return Err(format!("artifact {id:?} is not there to append to: write its first chunk without append"));
        }
        inner.announce();
        inner.tell_resumption();
        if last_chunk {
            inner.finished.insert(id.clone());
        }
        match known {
            Some(index) if append => inner.task.artifacts[index].parts.extend(artifact.parts.iter().cloned()),
            Some(index) => inner.task.artifacts[index] = artifact.clone(),
            None => inner.task.artifacts.push(artifact.clone()),
        }
        let (task_id, context_id) = (self.id.clone(), self.context_id.clone());
        inner.subscribers.publish(StreamResponse::ArtifactUpdate { task_id, context_id, artifact, append, last_chunk });
        Ok(())
    }

    pub(super) fn write_reply(&self, turn: u64, message: Message) -> Result<(), String> {
        let mut inner = self.lock();
        inner.writable(turn)?;
        if inner.announced {
            return Err(
                "the client knows of the task already: a bare message can only be the first and only event".into()
            );
        }
        if message.parts.is_empty() {
            return Err("a message needs at least one part".into());
        }
        let message = self.own(message, None);
        inner.replied = true;
        inner.answer(Ok(SendMessageResponse::Message(message.clone())));
        inner.subscribers.publish(StreamResponse::Message(message));
        inner.subscribers.close();
        drop(inner);
        self.shared.store.forget(&self.id);
        Ok(())
    }

    /// The command has returned. What it left open is settled here.
    pub(super) fn finish(&self, turn: u64, outcome: Result<(), HandlerError>) {
        let mut inner = self.lock();
        if inner.writable(turn).is_err() || inner.task.status.state.is_terminal() {
            if let Err(error) = outcome {
                tracing::debug!(task = self.id, ?error, "the command failed after its turn was over");
            }
            return;
        }
        let (state, text) = match outcome {
            // A turn that ended in an interrupted state is complete as it is.
            Ok(()) if inner.task.status.state.ends_turn() => return,
            Ok(()) => (TaskState::Completed, None),
            Err(HandlerError::Failed(text) | HandlerError::Plugin(text)) => (TaskState::Failed, Some(text)),
            Err(HandlerError::A2a(error)) => {
                inner.fail_turn(error.clone());
                (TaskState::Failed, Some(error.message))
            }
        };
        let message = text.map(|text| self.own(Message::agent(text), Some(self.id.clone())));
        self.change(&mut inner, state, message);
    }

    /// A message as the agent sends it: its own role and the ids that belong to it (§4.1.4).
    fn own(&self, mut message: Message, task_id: Option<String>) -> Message {
        if message.message_id.is_empty() {
            message.message_id = Uuid::new_v4().to_string();
        }
        Message { role: Role::Agent, context_id: Some(self.context_id.clone()), task_id, ..message }
    }

    /// Records and publishes a status that the life cycle allows.
    fn change(&self, inner: &mut State, state: TaskState, message: Option<Message>) {
        inner.announce();
        inner.set_status(state, message, &self.shared);
        inner.publish_status();
        if state.ends_turn() {
            if inner.waiter.is_some() {
                let task = inner.task.clone();
                inner.answer(Ok(SendMessageResponse::Task(task)));
            }
            inner.subscribers.close_for(state);
        }
        if state.is_terminal() {
            self.shared.store.retire(&self.id);
        }
    }
}
