use super::*;

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
    assert_eq!(task_of(soon(once(heard)).await.unwrap()).artifacts[0].parts.len(), 15);
}

#[tokio::test]
async fn a_terminal_task_has_no_events() {
    let engine = engine(10, 16);
    let handle = begin(&engine);
    handle.finish(Ok(()));
    assert_eq!(handle.task().subscribe().err(), Some(TaskState::Completed));
}
