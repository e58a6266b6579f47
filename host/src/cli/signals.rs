use tokio_util::sync::CancellationToken;

/// A token that the first Ctrl-C or SIGTERM cancels. A second one ends the program at once: the first may be waiting for
/// something that does not end.
pub(super) fn stop_token() -> CancellationToken {
    let token = CancellationToken::new();
    let stop = token.clone();
    tokio::spawn(async move {
        let Some(mut signals) = Signals::listen() else { return };
        signals.next().await;
        stop.cancel();
        signals.next().await;
        std::process::exit(i32::from(crate::exit::Exit::Interrupted.code()));
    });
    token
}

/// Listens from its making on, so that no signal is lost between two waits.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> Option<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (signal(SignalKind::interrupt()).ok()?, signal(SignalKind::terminate()).ok()?);
        Some(Signals { interrupt, terminate })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> Option<Signals> {
        Some(Signals)
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
