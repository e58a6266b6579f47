use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use url::Url;

use super::judge::SharedProgress;
use super::logging;
use super::output::Output;
use crate::dummy::{Agent, RunningAgent};
use crate::exit::Exit;

/// Run the programmable dummy agent, to test A2A clients.
#[derive(clap::Args)]
#[command(
    after_help = "The first word of a message is the command: echo TEXT, stream TEXT (five pieces), ask (then answer it), \
    fail, data, ext (shows which extensions were activated), and those of plugins. Anything else is echoed.\n\
    Ctrl-C or SIGTERM ends it with exit code 0. The bundled extensions are always loaded."
)]
pub(super) struct ServeArgs {
    /// The address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,
    /// The port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 9000)]
    port: u16,
    /// An extension plugin (.wasm) to load; may be repeated
    #[arg(long = "plugin", value_name = "FILE")]
    plugins: Vec<String>,
    /// The URL that the card names, where clients reach the agent by another way
    #[arg(long, value_name = "URL")]
    public_url: Option<Url>,
    /// How many tasks to remember; the oldest finished ones are forgotten first
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    max_tasks: u32,
    /// What to log on stderr; `info` shows each request
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = ["error", "warn", "info", "debug"])]
    log_level: String,
}

pub(super) async fn serve(args: ServeArgs, stop: &CancellationToken, output: &Output) -> Exit {
    logging::start(&args.log_level, output.stderr.color);
    let started = tokio::select! {
        biased;
        started = start(&args, output) => started,
        // Ended before it listened: nothing was to be judged, so this is an end like any other.
        () = stop.cancelled() => return Exit::Passed,
    };
    let agent = match started {
        Ok(agent) => agent,
        Err(message) => return output.error(&message),
    };
    for warning in agent.warnings() {
        output.remark(&format!("warning: {warning}"));
    }
    output.result(&format!("listening on {} (card: {})\n", agent.url(), agent.card_url()));
    stop.cancelled().await;
    agent.shutdown().await;
    Exit::Passed
}

async fn start(args: &ServeArgs, output: &Output) -> Result<RunningAgent, String> {
    let mut builder = Agent::builder().host(args.host.to_string()).port(args.port).max_tasks(args.max_tasks as usize);
    if let Some(url) = &args.public_url {
        builder = builder.public_url(url.as_str());
    }
    let progress = SharedProgress::new(output);
    let plugins = load(&args.plugins, &progress).await;
    progress.quiet();
    for plugin in plugins? {
        builder = builder.plugin(Arc::new(plugin));
    }
    builder.start().await.map_err(|error| error.to_string())
}

/// The bundled extensions, then those of the user.
async fn load(plugins: &[String], progress: &SharedProgress) -> Result<Vec<crate::sandbox::WasmExtension>, String> {
    let loader = progress.loader().map_err(|error| error.to_string())?;
    let mut loaded = Vec::with_capacity(plugins.len() + 1);
    for reference in std::iter::once("extensions").chain(plugins.iter().map(String::as_str)) {
        loaded.push(loader.extension(reference, Path::new(".")).await.map_err(|error| error.to_string())?);
    }
    Ok(loaded)
}
