use tracing_subscriber::EnvFilter;

/// Sends log lines of this level and above to stderr. The variable `RUST_LOG` overrides it, for the curious.
pub(super) fn start(level: &str, color: bool) {
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new(format!("off,a2a_host={level},plugin={level},request={level}")));
    let started = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(color)
        .with_target(false)
        .without_time()
        .try_init();
    // Only a second start fails, and that is none.
    drop(started);
}
