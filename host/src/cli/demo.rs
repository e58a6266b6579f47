use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use url::Url;

use super::judge::{Judging, SharedProgress, client_options, judge, prepare};
use super::logging;
use super::output::Output;
use super::run::environment;
use crate::client::ClientOptions;
use crate::contract::parse_text;
use crate::dummy::Agent;
use crate::exit::Exit;

/// Show what this program does: start the dummy agent, run a contract with scenarios and a pack against it.
#[derive(clap::Args)]
pub(super) struct DemoArgs {
    /// Run a contract that the agent does not keep
    #[arg(long)]
    fail: bool,
    /// Show every reply
    #[arg(short, long)]
    verbose: bool,
}

const PASSING: &str = include_str!("../../../examples/demo/contract.yaml");
const FAILING: &str = include_str!("../../../examples/demo/failing.yaml");

pub(super) async fn demo(args: DemoArgs, stop: &CancellationToken, output: &Output) -> Exit {
    logging::start("warn", output.stderr.color);
    let (name, text) =
        if args.fail { ("examples/demo/failing.yaml", FAILING) } else { ("examples/demo/contract.yaml", PASSING) };
    let ready = match prepare(parse_text(name, text, &environment), Path::new("."), stop, output).await {
        Ok(ready) => ready,
        Err(exit) => return exit,
    };
    let progress = SharedProgress::new(output);
    let extensions = match progress.loader() {
        Ok(loader) => loader.extension("extensions", Path::new(".")).await,
        Err(error) => Err(error),
    };
    progress.quiet();
    let extensions = match extensions {
        Ok(extensions) => extensions,
        Err(error) => return output.error(&error.to_string()),
    };
    let agent = match Agent::builder().port(0).plugin(Arc::new(extensions)).start().await {
        Ok(agent) => agent,
        Err(error) => return output.error(&error.to_string()),
    };
    let url = match Url::parse(agent.url()) {
        Ok(url) => url,
        Err(error) => return output.error(&format!("the dummy agent has no usable URL: {error}")),
    };
    // Loopback only: a proxy of the environment has no say here.
    let options = ClientOptions { no_proxy: true, ..client_options(&ready.contract, Some(&url)) };
    let judging = Judging { suite: name, source: Some(&ready.source), verbose: args.verbose, extensions_matter: true };
    let exit = judge(&ready.plan, options, judging, stop, output).await;
    agent.shutdown().await;
    exit
}
