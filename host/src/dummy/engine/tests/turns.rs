use super::*;

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
            let task = task_of(soon(once(heard)).await.unwrap());
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
async fn an_error_is_the_answer_even_to_who_does_not_wait() {
    for hear in [Hear::First, Hear::End] {
        let engine = engine(10, 16);
        let (handle, heard) = engine.create(new_task(true), hear).unwrap();
        let error = A2aError { code: -32050, reason: None, message: "mine".into(), details: vec![] };
        handle.finish(Err(HandlerError::A2a(error.clone())));
        assert_eq!(soon(once(heard)).await.unwrap(), Err(error));
        assert_eq!(handle.task().snapshot().status.state, TaskState::Failed);
        assert!(engine.find(None, &handle.id()).is_some());
    }
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
    run(handle, request());
    let task = task_of(soon(once(heard)).await.unwrap());
    assert_eq!(task.status.state, TaskState::Failed);
    assert!(task.status.message.unwrap().text().contains("\"broken\""));
}

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
    let answer = task_of(soon(once(heard)).await.unwrap());
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
