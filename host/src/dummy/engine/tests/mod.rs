//! The engine without commands and without HTTP.

mod canceling;
mod readers;
mod replying;
mod store;
mod turns;
mod writing;

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::a2a::{Artifact, Message, Part, Role, StreamResponse, TaskState};
use crate::dummy::test_support::{collect, soon};
use crate::sandbox::{BoxFuture, ExtensionRequest, HandlerError, SkillInfo, TaskPort};

/// A command that leaves everything to the test.
struct Idle {
    may_reply: bool,
}

impl Command for Idle {
    fn keyword(&self) -> &str {
        "idle"
    }

    fn skill(&self) -> Option<SkillInfo> {
        None
    }

    fn may_reply(&self) -> bool {
        self.may_reply
    }

    fn run<'a>(&'a self, _: ExtensionRequest, _: Arc<dyn TaskPort>) -> BoxFuture<'a, Result<(), HandlerError>> {
        Box::pin(async { Ok(()) })
    }
}

fn engine(max_tasks: usize, queue_length: usize) -> Engine {
    let limits = Limits { max_tasks, queue_length, grace: Duration::from_millis(50) };
    Engine::new(limits, CancellationToken::new())
}

fn request() -> ExtensionRequest {
    ExtensionRequest {
        message: user("hello"),
        text: "hello".into(),
        requested: vec![],
        activated: vec![],
        headers: vec![],
        tenant: None,
        metadata: None,
        raw: serde_json::Value::Null,
        task: None,
    }
}

fn user(text: &str) -> Message {
    Message { role: Role::User, message_id: text.into(), ..Message::agent(text) }
}

fn new_task(may_reply: bool) -> NewTask {
    NewTask { tenant: None, context_id: None, message: user("hello"), command: Arc::new(Idle { may_reply }) }
}

fn begin(engine: &Engine) -> TaskHandle {
    engine.create(new_task(false), Hear::End).unwrap().0
}

fn piece(id: &str, text: &str) -> Artifact {
    let (name, description, metadata) = (None, None, None);
    Artifact { artifact_id: id.into(), name, description, parts: vec![Part::text(text)], metadata, extensions: vec![] }
}

fn once(heard: Heard) -> oneshot::Receiver<TurnAnswer> {
    match heard {
        Heard::Once(receiver) => receiver,
        Heard::Events(_) => panic!("a stream"),
    }
}

fn events(heard: Heard) -> Subscription {
    match heard {
        Heard::Events(subscription) => subscription,
        Heard::Once(_) => panic!("no stream"),
    }
}

fn task_of(answer: TurnAnswer) -> crate::a2a::Task {
    match answer {
        Ok(SendMessageResponse::Task(task)) => task,
        other => panic!("{other:?}"),
    }
}

/// The states in which an item leaves the task, as words; `-` where it says nothing of it.
fn states(items: &[Item]) -> Vec<&'static str> {
    let state = |item: &Item| match item {
        Ok(StreamResponse::Task(task)) => task.status.state.word(),
        Ok(StreamResponse::StatusUpdate { status, .. }) => status.state.word(),
        Ok(_) => "-",
        Err(_) => "error",
    };
    items.iter().map(state).collect()
}
