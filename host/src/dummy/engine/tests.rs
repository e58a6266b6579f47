use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::a2a::{Artifact, Message, Part, Role, StreamResponse, TaskState};
use crate::dummy::test_support::collect;
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
    Engine::new(max_tasks, queue_length, CancellationToken::new())
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

// ---- what a handle may write ----------------------------------------------------------------------------------------

#[tokio::test]
async fn nothing_is_stored_behind_a_terminal_state() {
    let engine = engine(10, 16);
    let handle = begin(&engine);
    handle.status(TaskState::Completed, None).unwrap();
    let before = handle.task().snapshot();
    let refused = handle.status(TaskState::Working, None).unwrap_err();
    assert_eq!(refused, "the task is completed: working may not follow");
    assert!(handle.artifact(piece("a", "x"), false, true).unwrap_err().contains("completed"));
    handle.finish(Err(HandlerError::Failed("too late".into())));
    assert_eq!(handle.task().snapshot(), before);
}

#[tokio::test]
async fn submitted_is_a_beginning_only() {
    let engine = engine(10, 16);
    let handle = begin(&engine);
    assert!(handle.status(TaskState::Submitted, None).is_err());
    handle.status(TaskState::Working, None).unwrap();
    handle.status(TaskState::Working, Some(Message::agent("still"))).unwrap();
}

#[tokio::test]
async fn artifacts_grow_piece_by_piece_and_end_with_the_last() {
    let engine = engine(10, 16);
    let handle = begin(&engine);
    let refused = handle.artifact(piece("a", "x"), true, false).unwrap_err();
    assert!(refused.contains("not there to append to"), "{refused}");
    handle.artifact(piece("a", "lost"), false, false).unwrap();
    handle.artifact(piece("a", "1"), false, false).unwrap();
    handle.artifact(piece("a", "2"), true, true).unwrap();
    for append in [true, false] {
        assert!(handle.artifact(piece("a", "3"), append, false).unwrap_err().contains("finished"));
    }
    handle.artifact(piece("", "b"), false, true).unwrap();
    assert!(handle.artifact(Artifact { parts: vec![], ..piece("c", "") }, false, true).is_err());
    let artifacts = handle.task().snapshot().artifacts;
    assert_eq!(artifacts[0].parts, [Part::text("1"), Part::text("2")]);
    assert!(!artifacts[1].artifact_id.is_empty(), "an empty id stands for a fresh one");
    assert_eq!(artifacts.len(), 2);
}

#[tokio::test]
async fn messages_are_made_the_agents_own_and_move_to_the_history() {
    let engine = engine(10, 16);
    let handle = begin(&engine);
    let message = Message { message_id: String::new(), task_id: Some("other".into()), ..user("first") };
    handle.status(TaskState::Working, Some(message)).unwrap();
    let said = handle.task().snapshot().status.message.unwrap();
    assert!(!said.message_id.is_empty());
    assert_eq!(said.role, Role::Agent);
    assert_eq!((said.task_id, said.context_id), (Some(handle.id()), Some(handle.context_id())));
    assert!(handle.status(TaskState::Working, Some(Message { parts: vec![], ..user("") })).is_err());
    handle.status(TaskState::Completed, None).unwrap();
    let texts: Vec<String> = handle.history().iter().map(Message::text).collect();
    assert_eq!(texts, ["hello", "first"]);
}

// ---- bare messages --------------------------------------------------------------------------------------------------

#[tokio::test]
async fn a_bare_message_leaves_no_task_behind() {
    let engine = engine(1, 16);
    let (handle, heard) = engine.create(new_task(true), Hear::First).unwrap();
    assert!(engine.find(None, &handle.id()).is_none(), "nobody knows of the task yet");
    handle.reply(Message::agent("hi")).unwrap();
    match once(heard).await.unwrap() {
        Ok(SendMessageResponse::Message(message)) => {
            assert_eq!(message.text(), "hi");
            assert_eq!((message.context_id, message.task_id), (Some(handle.context_id()), None));
        }
        other => panic!("{other:?}"),
    }
    for refused in [
        handle.reply(Message::agent("again")),
        handle.status(TaskState::Working, None),
        handle.artifact(piece("a", "x"), false, true),
    ] {
        assert!(refused.unwrap_err().contains("answered with a message"));
    }
    handle.finish(Ok(()));
    assert!(engine.find(None, &handle.id()).is_none());
    assert!(engine.create(new_task(false), Hear::End).is_ok(), "its place is free again");
}

#[tokio::test]
async fn a_bare_message_is_the_only_item_of_its_stream() {
    let engine = engine(10, 16);
    let (handle, heard) = engine.create(new_task(true), Hear::Events).unwrap();
    handle.reply(Message::agent("hi")).unwrap();
    handle.finish(Ok(()));
    let items = collect(events(heard)).await;
    assert!(matches!(items.as_slice(), [Ok(StreamResponse::Message(_))]), "{items:?}");
}

#[tokio::test]
async fn a_message_cannot_follow_an_event() {
    let engine = engine(10, 16);
    let (handle, heard) = engine.create(new_task(true), Hear::First).unwrap();
    handle.status(TaskState::Working, None).unwrap();
    assert_eq!(task_of(once(heard).await.unwrap()).status.state, TaskState::Submitted, "the first snapshot");
    assert!(handle.reply(Message::agent("hi")).unwrap_err().contains("first and only event"));
    assert!(begin(&engine).reply(Message::agent("hi")).is_err(), "nor where the task was told at once");
}

// ---- how a turn ends ------------------------------------------------------------------------------------------------

#[tokio::test]
async fn what_a_command_leaves_open_is_settled() {
    let outcomes = [
        (Ok(()), TaskState::Completed, None),
        (Err(HandlerError::Failed("no luck".into())), TaskState::Failed, Some("no luck")),
        (Err(HandlerError::Plugin("p 1.0: out of fuel".into())), TaskState::Failed, Some("p 1.0: out of fuel")),
    ];
    for may_reply in [false, true] {
        for (outcome, state, text) in outcomes.clone() {
            let engine = engine(10, 16);
            let (handle, heard) = engine.create(new_task(may_reply), Hear::End).unwrap();
            handle.finish(outcome);
            let task = task_of(once(heard).await.unwrap());
            assert_eq!(task.status.state, state);
            assert_eq!(task.status.message.map(|message| message.text()).as_deref(), text);
            assert!(engine.find(None, &task.id).is_some());
        }
    }
}

#[tokio::test]
async fn an_error_goes_to_the_sender_and_the_task_fails() {
    let engine = engine(10, 16);
    let (handle, heard) = engine.create(new_task(true), Hear::Events).unwrap();
    handle.status(TaskState::Working, None).unwrap();
    let other = handle.task().subscribe().unwrap();
    let error = A2aError { code: -32050, reason: None, message: "mine".into(), details: vec![] };
    handle.finish(Err(HandlerError::A2a(error.clone())));
    let items = collect(events(heard)).await;
    assert_eq!(states(&items), ["submitted", "working", "error"]);
    assert_eq!(items[2], Err(error));
    assert_eq!(states(&collect(other).await), ["working", "failed"], "who only listens sees the state");
    let status = handle.task().snapshot().status;
    assert_eq!((status.state, status.message.unwrap().text().as_str()), (TaskState::Failed, "mine"));
}

#[tokio::test]
async fn a_command_that_breaks_down_fails_its_task() {
    struct Broken;
    impl Command for Broken {
        fn keyword(&self) -> &str {
            "broken"
        }
        fn skill(&self) -> Option<SkillInfo> {
            None
        }
        fn run<'a>(&'a self, _: ExtensionRequest, _: Arc<dyn TaskPort>) -> BoxFuture<'a, Result<(), HandlerError>> {
            Box::pin(async { panic!("on purpose") })
        }
    }
    let engine = engine(10, 16);
    let (handle, heard) = engine.create(NewTask { command: Arc::new(Broken), ..new_task(false) }, Hear::End).unwrap();
    let request = ExtensionRequest {
        message: user("broken"),
        text: "broken".into(),
        requested: vec![],
        activated: vec![],
        headers: vec![],
        tenant: None,
        metadata: None,
        raw: serde_json::Value::Null,
        task: None,
    };
    run(handle, request);
    let task = task_of(once(heard).await.unwrap());
    assert_eq!(task.status.state, TaskState::Failed);
    assert!(task.status.message.unwrap().text().contains("\"broken\""));
}

// ---- follow-ups -----------------------------------------------------------------------------------------------------

#[tokio::test]
async fn only_the_turn_of_the_last_message_may_write() {
    let engine = engine(10, 16);
    let first = begin(&engine);
    let task = Arc::clone(first.task());
    let refused = Arc::clone(&task).accept(user("too early"), Hear::End).err();
    assert_eq!(refused, Some(NotAccepted::Running(TaskState::Submitted)));
    first.status(TaskState::InputRequired, Some(Message::agent("which?"))).unwrap();
    let (second, heard) = Arc::clone(&task).accept(user("that"), Hear::End).unwrap_or_else(|why| panic!("{why:?}"));
    assert!(first.status(TaskState::Completed, None).unwrap_err().contains("further message"));
    assert!(first.artifact(piece("a", "x"), false, true).is_err());
    first.finish(Ok(()));
    assert_eq!(task.snapshot().status.state, TaskState::Working, "the end of the first turn settles nothing any more");
    second.finish(Ok(()));
    let answer = task_of(once(heard).await.unwrap());
    assert_eq!(answer.status.state, TaskState::Completed);
    let texts: Vec<String> = answer.history.iter().map(Message::text).collect();
    assert_eq!(texts, ["hello", "which?", "that"]);
    let refused = task.accept(user("too late"), Hear::End).err();
    assert_eq!(refused, Some(NotAccepted::Terminal(TaskState::Completed)));
}

#[tokio::test]
async fn readers_learn_of_a_resumption_exactly_once() {
    for begin_with_status in [true, false] {
        let engine = engine(10, 16);
        let first = begin(&engine);
        first.status(TaskState::InputRequired, None).unwrap();
        let reader = first.task().subscribe().unwrap();
        let (second, heard) =
            Arc::clone(first.task()).accept(user("x"), Hear::Events).unwrap_or_else(|why| panic!("{why:?}"));
        if begin_with_status {
            second.status(TaskState::Working, None).unwrap();
        }
        second.artifact(piece("a", "x"), false, true).unwrap();
        second.finish(Ok(()));
        let sender = collect(events(heard)).await;
        let reader = collect(reader).await;
        assert_eq!(states(&sender), ["working", "working", "-", "completed"]);
        assert_eq!(states(&reader), ["input_required", "working", "-", "completed"]);
        assert_eq!(sender[1..], reader[1..], "the same events in the same order");
    }
}

#[tokio::test]
async fn an_interruption_ends_the_senders_stream_and_no_other() {
    let engine = engine(10, 16);
    let (handle, heard) = engine.create(new_task(false), Hear::Events).unwrap();
    let mut reader = handle.task().subscribe().unwrap();
    handle.status(TaskState::AuthRequired, Some(Message::agent("who?"))).unwrap();
    assert_eq!(states(&collect(events(heard)).await), ["submitted", "auth_required"]);
    handle.status(TaskState::Working, None).unwrap();
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(reader.next().await.unwrap());
    }
    assert_eq!(states(&seen), ["submitted", "auth_required", "working"], "the credential came by another way");
}

// ---- several readers ------------------------------------------------------------------------------------------------

#[tokio::test]
async fn all_readers_get_equal_events_in_equal_order() {
    let engine = engine(10, 256);
    let (handle, heard) = engine.create(new_task(false), Hear::Events).unwrap();
    let reader = handle.task().subscribe().unwrap();
    let gone = handle.task().subscribe().unwrap();
    drop(gone);
    handle.status(TaskState::Working, None).unwrap();
    for n in 0..100 {
        handle.artifact(piece("a", &n.to_string()), n > 0, n == 99).unwrap();
    }
    handle.status(TaskState::Completed, None).unwrap();
    let (sender, reader) = (collect(events(heard)).await, collect(reader).await);
    assert_eq!(sender.len(), 103);
    assert_eq!(sender, reader);
}

#[tokio::test]
async fn a_slow_reader_is_cut_off_and_holds_up_nobody() {
    let engine = engine(10, 8);
    let (handle, heard) = engine.create(new_task(false), Hear::End).unwrap();
    let just_right = handle.task().subscribe().unwrap();
    // The snapshot and seven pieces fill the queue to the brim.
    for n in 0..7 {
        handle.artifact(piece("a", &n.to_string()), n > 0, false).unwrap();
    }
    let mut just_right = just_right;
    for _ in 0..8 {
        assert!(just_right.next().await.unwrap().is_ok());
    }
    let slow = handle.task().subscribe().unwrap();
    for n in 0..8 {
        handle.artifact(piece("a", &n.to_string()), true, false).unwrap();
        assert!(just_right.next().await.unwrap().is_ok(), "others get everything");
    }
    handle.status(TaskState::Completed, None).unwrap();
    assert_eq!(states(&collect(just_right).await), ["completed"]);
    let items = collect(slow).await;
    assert_eq!(items.len(), 9, "what fitted is delivered, then the reason");
    assert!(items[..8].iter().all(Result::is_ok));
    let error = items[8].clone().unwrap_err();
    assert!(error.message.contains("more than 8 events"), "{error}");
    assert_eq!(task_of(once(heard).await.unwrap()).artifacts[0].parts.len(), 15);
}

#[tokio::test]
async fn a_terminal_task_has_no_events() {
    let engine = engine(10, 16);
    let handle = begin(&engine);
    handle.finish(Ok(()));
    assert_eq!(handle.task().subscribe().err(), Some(TaskState::Completed));
}

// ---- cancellation ---------------------------------------------------------------------------------------------------

#[tokio::test]
async fn canceling_wakes_the_sleeper() {
    let engine = engine(10, 16);
    let handle = begin(&engine);
    assert!(!handle.sleep(Duration::from_millis(1)).await, "a sleep in peace ends by itself");
    let sleeping = tokio::spawn({
        let handle = handle.clone();
        async move { handle.sleep(Duration::from_secs(3600)).await }
    });
    tokio::task::yield_now().await;
    let task = handle.task().cancel().unwrap();
    assert_eq!(task.status.state, TaskState::Canceled);
    assert!(sleeping.await.unwrap());
    assert!(handle.sleep(Duration::from_secs(3600)).await, "and so does every later one");
    assert_eq!(handle.task().cancel(), Err(TaskState::Canceled));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancellation_and_a_completion_never_both_win() {
    let engine = engine(300, 16);
    let (mut canceled, mut completed) = (0, 0);
    for _ in 0..200 {
        let (handle, heard) = engine.create(new_task(false), Hear::End).unwrap();
        let reader = handle.task().subscribe().unwrap();
        let barrier = Arc::new(tokio::sync::Barrier::new(2));
        let task = Arc::clone(handle.task());
        let cancel = tokio::spawn({
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                task.cancel().is_ok()
            }
        });
        let complete = tokio::spawn({
            let handle = handle.clone();
            async move {
                barrier.wait().await;
                handle.status(TaskState::Completed, None).is_ok()
            }
        });
        let (cancel, complete) = (cancel.await.unwrap(), complete.await.unwrap());
        assert!(cancel != complete, "exactly one of them");
        let winner = if cancel { "canceled" } else { "completed" };
        assert_eq!(states(&collect(reader).await), ["submitted", winner]);
        assert_eq!(task_of(once(heard).await.unwrap()).status.state.word(), winner);
        assert_eq!(handle.task().snapshot().status.state.word(), winner);
        canceled += usize::from(cancel);
        completed += usize::from(complete);
    }
    assert_eq!(canceled + completed, 200);
}

// ---- the store ------------------------------------------------------------------------------------------------------

#[tokio::test]
async fn the_oldest_finished_task_makes_room() {
    let engine = engine(3, 16);
    let known = |handle: &TaskHandle| engine.find(None, &handle.id()).is_some();
    let (alive, second, first) = (begin(&engine), begin(&engine), begin(&engine));
    first.finish(Ok(()));
    second.status(TaskState::Rejected, None).unwrap();
    assert!(known(&alive) && known(&first) && known(&second), "at the limit, all are there");
    let fourth = begin(&engine);
    assert_eq!(
        [&alive, &first, &second, &fourth].map(known),
        [true, false, true, true],
        "the one that ended first goes"
    );
    let fifth = begin(&engine);
    assert_eq!([&alive, &second, &fourth, &fifth].map(known), [true, false, true, true]);
    assert_eq!(engine.create(new_task(false), Hear::End).err(), Some(Full), "tasks that live are never dropped");
    alive.status(TaskState::InputRequired, None).unwrap();
    assert_eq!(engine.create(new_task(false), Hear::End).err(), Some(Full), "nor those that wait for the client");
    alive.task().cancel().unwrap();
    begin(&engine);
    assert!(!known(&alive));
}

#[tokio::test]
async fn tenants_do_not_see_each_other() {
    let engine = engine(10, 16);
    let new = NewTask { tenant: Some("acme".into()), ..new_task(false) };
    let (handle, _heard) = engine.create(new, Hear::End).unwrap();
    assert!(engine.find(Some("acme"), &handle.id()).is_some());
    for other in [None, Some("umbrella")] {
        assert!(engine.find(other, &handle.id()).is_none());
    }
}

#[tokio::test]
async fn an_engine_that_is_dropped_frees_its_tasks() {
    let engine = engine(10, 16);
    let handle = begin(&engine);
    let task = Arc::downgrade(handle.task());
    drop(handle);
    assert!(task.upgrade().is_some());
    drop(engine);
    assert!(task.upgrade().is_none());
}
