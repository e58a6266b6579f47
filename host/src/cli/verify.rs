use std::path::Path;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use url::Url;

use super::judge::{Judging, SharedProgress, judge, until_stopped};
use super::logging;
use super::output::Output;
use super::run::agent_url;
use crate::client::ClientOptions;
use crate::exit::Exit;
use crate::plugin::{Catalogue, Loader, Pack};
use crate::run::{Plan, PlannedPack, Stimuli};
use crate::sandbox::ContractInfo;
use crate::secrets::Redactor;

/// Verify an A2A server with packs of contracts.
#[derive(clap::Args)]
pub(super) struct VerifyArgs {
    /// The agent's base URL, below which its card stands
    #[arg(value_parser = agent_url)]
    url: Url,
    /// A pack: a bundled name or a .wasm file; may be repeated
    #[arg(long = "pack", value_name = "PACK", default_value = "core")]
    packs: Vec<String>,
    /// Run only the contracts of this category; may be repeated
    #[arg(long = "category", value_name = "NAME")]
    categories: Vec<String>,
    /// Run only the contract with this id; may be repeated
    #[arg(long = "contract", value_name = "ID")]
    contracts: Vec<String>,
    /// What makes the agent show a behaviour, such as fails="please fail"; may be repeated
    #[arg(long = "stimulus", value_name = "BEHAVIOUR=TEXT")]
    stimuli: Vec<String>,
    /// For every single request, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, value_parser = seconds)]
    timeout: f64,
    /// Show every contract in full, and what packs log
    #[arg(short, long)]
    verbose: bool,
}

/// As in contracts: above 0 and up to 600.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if seconds > 0.0 && seconds <= 600.0 { Ok(seconds) } else { Err("expected more than 0 and at most 600".into()) }
}

pub(super) async fn verify(args: VerifyArgs, stop: &CancellationToken, output: &Output) -> Exit {
    logging::start(if args.verbose { "info" } else { "warn" }, output.stderr.color);
    let timeout = Duration::from_secs_f64(args.timeout);
    let Some(planned) = until_stopped(plan(&args, timeout, output), stop, output).await else {
        return Exit::Interrupted;
    };
    let plan = match planned {
        Ok(plan) => plan,
        Err(message) => return output.error(&message),
    };
    let options = ClientOptions { timeout, ..ClientOptions::new(args.url.clone()) };
    let judging = Judging { suite: "", source: None, verbose: args.verbose, extensions_matter: false };
    judge(&plan, options, judging, stop, output).await
}

async fn plan(args: &VerifyArgs, timeout: Duration, output: &Output) -> Result<Plan, String> {
    let stimuli = Stimuli::of_arguments(&args.stimuli)?;
    let progress = SharedProgress::new(output);
    let loaded = load(args, &progress).await;
    progress.quiet();
    let packs = loaded?;
    let wanted = |contract: &&ContractInfo| {
        (args.categories.is_empty() || args.categories.contains(&contract.category))
            && (args.contracts.is_empty() || args.contracts.contains(&contract.id))
    };
    for (what, given, known) in [
        ("category", &args.categories, names(&packs, |contract| &contract.category)),
        ("contract", &args.contracts, names(&packs, |contract| &contract.id)),
    ] {
        if let Some(unknown) = given.iter().find(|name| !known.contains(&name.as_str())) {
            let help = crate::contract::suggest(unknown, &known);
            return Err(format!("no pack has a {what} `{}`: {help}", crate::printable::printable(unknown)));
        }
    }
    let packs: Vec<PlannedPack> = packs
        .into_iter()
        .map(|pack| PlannedPack {
            contracts: pack.info.contracts.iter().filter(wanted).cloned().collect(),
            transports: Vec::new(),
            stimuli: stimuli.clone(),
            pack,
        })
        .collect();
    if packs.iter().all(|pack| pack.contracts.is_empty()) {
        return Err("nothing is selected: no contract is in the given categories and has one of the given ids".into());
    }
    let (catalogue, redactor) = (Catalogue::default(), Redactor::default());
    Ok(Plan { timeout, scenarios: Vec::new(), packs, catalogue, redactor })
}

async fn load(args: &VerifyArgs, progress: &SharedProgress) -> Result<Vec<Pack>, String> {
    let loader: Loader = progress.loader().map_err(|error| error.to_string())?;
    let mut packs = Vec::with_capacity(args.packs.len());
    for reference in &args.packs {
        packs.push(Pack::open(&loader, reference, Path::new(".")).await.map_err(|error| error.to_string())?);
    }
    Ok(packs)
}

/// What the packs' contracts are called, each once.
fn names(packs: &[Pack], name: impl Fn(&ContractInfo) -> &String) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for contract in packs.iter().flat_map(|pack| &pack.info.contracts) {
        // The closure borrows from the contract, which outlives this list.
        let name = name(contract).as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
