use super::*;

#[tokio::test]
async fn a_bare_message_leaves_no_task_behind() {
    let engine = engine(1, 16);
    let (handle, heard) = engine.create(new_task(true), Hear::First).unwrap();
    assert!(engine.find(None, &handle.id()).is_none(), "nobody knows of the task yet");
    handle.reply(Message::agent("hi")).unwrap();
    match soon(once(heard)).await.unwrap() {
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
    assert_eq!(task_of(soon(once(heard)).await.unwrap()).status.state, TaskState::Submitted, "the first snapshot");
    assert!(handle.reply(Message::agent("hi")).unwrap_err().contains("first and only event"));
    assert!(begin(&engine).reply(Message::agent("hi")).is_err(), "nor where the task was told at once");
}
