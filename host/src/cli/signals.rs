use tokio_util::sync::CancellationToken;

/// A token that the first Ctrl-C or SIGTERM cancels. A second one ends the program at once: the first may be waiting for
/// something that does not end.
pub(super) fn stop_token() -> CancellationToken {
    let token = CancellationToken::new();
    let stop = token.clone();
    tokio::spawn(async move {
        wait().await;
        stop.cancel();
        wait().await;
        std::process::exit(i32::from(crate::exit::Exit::Interrupted.code()));
    });
    token
}

#[cfg(unix)]
async fn wait() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        },
        Err(_) => {
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}

#[cfg(not(unix))]
async fn wait() {
    let _ = tokio::signal::ctrl_c().await;
}
