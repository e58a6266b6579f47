use super::*;

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
