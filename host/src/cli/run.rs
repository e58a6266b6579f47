use std::path::PathBuf;

use tokio_util::sync::CancellationToken;
use url::Url;

use super::judge::{Judging, client_options, folder_of, judge, prepare};
use super::logging;
use super::output::Output;
use crate::contract::{DEFAULT_FILES, find_default, parse};
use crate::exit::Exit;

/// Run a contract against an agent.
#[derive(clap::Args)]
pub(super) struct RunArgs {
    /// The contract file [default: a2a-host.yaml, else a2a-proof.yaml]
    contract: Option<PathBuf>,
    /// Run against this agent instead of the one in the file
    #[arg(long, value_name = "URL", value_parser = agent_url)]
    url: Option<Url>,
    /// Show every reply, notes about it, and what plugins log
    #[arg(short, long)]
    verbose: bool,
}

pub(super) async fn run(args: RunArgs, stop: &CancellationToken, output: &Output) -> Exit {
    logging::start(if args.verbose { "info" } else { "warn" }, output.stderr.color);
    let Some(file) = file_or_default(args.contract, output) else { return Exit::Unable };
    let ready = match prepare(parse(&file, &environment), &folder_of(&file), stop, output).await {
        Ok(ready) => ready,
        Err(exit) => return exit,
    };
    let options = client_options(&ready.contract, args.url.as_ref());
    let judging = Judging {
        suite: ready.source.path(),
        source: Some(&ready.source),
        verbose: args.verbose,
        extensions_matter: !ready.plan.scenarios.is_empty(),
    };
    judge(&ready.plan, options, judging, stop, output).await
}

/// The URL of an agent on the command line.
pub(super) fn agent_url(text: &str) -> Result<Url, String> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        _ if !text.contains("://") => {
            Err(format!("an agent's URL begins with http:// or https://; write http://{text}"))
        }
        Ok(url) => Err(format!("an agent's URL begins with http:// or https://, not {}:", url.scheme())),
        Err(error) => Err(error.to_string()),
    }
}

/// A variable of the environment; one that is no UTF-8 counts as missing.
pub(super) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The file named, or the default one of this folder.
pub(super) fn file_or_default(named: Option<PathBuf>, output: &Output) -> Option<PathBuf> {
    if let Some(url) = named.as_ref().and_then(|file| file.to_str()).filter(|text| text.contains("://")) {
        output.error(&format!("{url} is a URL, expected a contract file; write --url {url} behind the file"));
        return None;
    }
    if named.is_some() {
        return named;
    }
    let found = find_default(std::path::Path::new("."));
    if found.is_none() {
        output.error(&format!("no contract file: there is no {} here; name one", DEFAULT_FILES.join(" and no ")));
    }
    found
}
