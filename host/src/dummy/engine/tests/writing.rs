use super::*;

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
