use super::*;

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
    assert!(soon(sleeping).await.unwrap());
    assert!(soon(handle.sleep(Duration::from_secs(3600))).await, "and so does every later one");
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
        assert_eq!(task_of(soon(once(heard)).await.unwrap()).status.state.word(), winner);
        assert_eq!(handle.task().snapshot().status.state.word(), winner);
        canceled += usize::from(cancel);
        completed += usize::from(complete);
    }
    assert_eq!(canceled + completed, 200);
}

/// A command that overlooks its cancellation, and says how it ended.
struct Deaf {
    works: Duration,
    ended: tokio::sync::mpsc::UnboundedSender<&'static str>,
}

/// Says "dropped" unless it was told otherwise.
struct Ending(&'static str, tokio::sync::mpsc::UnboundedSender<&'static str>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.1.send(self.0).unwrap();
    }
}

impl Command for Deaf {
    fn keyword(&self) -> &str {
        "deaf"
    }

    fn skill(&self) -> Option<SkillInfo> {
        None
    }

    fn run<'a>(&'a self, _: ExtensionRequest, task: Arc<dyn TaskPort>) -> BoxFuture<'a, Result<(), HandlerError>> {
        Box::pin(async move {
            let mut ending = Ending("dropped", self.ended.clone());
            while !task.sleep(Duration::from_secs(3600)).await {}
            tokio::time::sleep(self.works).await;
            ending.0 = "finished";
            Ok(())
        })
    }
}

#[tokio::test]
async fn a_canceled_command_may_tidy_up_but_not_stay() {
    // The engine of the tests leaves it 50 ms.
    for (works, expected) in [(Duration::ZERO, "finished"), (Duration::from_secs(3600), "dropped")] {
        let engine = engine(10, 16);
        let (ended, mut endings) = tokio::sync::mpsc::unbounded_channel();
        let command: Arc<dyn Command> = Arc::new(Deaf { works, ended });
        let (handle, _heard) = engine.create(NewTask { command, ..new_task(false) }, Hear::End).unwrap();
        let task = Arc::clone(handle.task());
        run(handle, request());
        task.cancel().unwrap();
        assert_eq!(soon(endings.recv()).await, Some(expected));
        assert_eq!(task.snapshot().status.state, TaskState::Canceled);
    }
}

#[tokio::test]
async fn a_shutdown_drops_what_still_works() {
    let shutdown = CancellationToken::new();
    let engine = Engine::new(Limits::default(), shutdown.clone());
    let (ended, mut endings) = tokio::sync::mpsc::unbounded_channel();
    let command: Arc<dyn Command> = Arc::new(Deaf { works: Duration::ZERO, ended });
    let (handle, _heard) = engine.create(NewTask { command, ..new_task(false) }, Hear::End).unwrap();
    run(handle, request());
    // Let the command begin, else there is nothing to drop.
    tokio::task::yield_now().await;
    shutdown.cancel();
    assert_eq!(soon(endings.recv()).await, Some("dropped"));
}
