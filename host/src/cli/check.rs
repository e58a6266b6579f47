use std::path::PathBuf;

use super::judge::{folder_of, prepare};
use super::output::Output;
use super::run::{environment, file_or_default};
use crate::contract::parse;
use crate::exit::Exit;
use tokio_util::sync::CancellationToken;

/// Check a contract without contacting its agent: syntax, names, configs, plugins and packs.
#[derive(clap::Args)]
pub(super) struct CheckArgs {
    /// The contract file [default: a2a-host.yaml, else a2a-proof.yaml]
    contract: Option<PathBuf>,
}

pub(super) async fn check(args: CheckArgs, stop: &CancellationToken, output: &Output) -> Exit {
    let Some(file) = file_or_default(args.contract, output) else { return Exit::Unable };
    let ready = match prepare(parse(&file, &environment), &folder_of(&file), stop, output).await {
        Ok(ready) => ready,
        Err(exit) => return exit,
    };
    let count = |number: usize, one: &str| if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") };
    let contracts = ready.plan.packs.iter().map(|pack| pack.contracts.len()).sum();
    let mut parts = Vec::new();
    if !ready.plan.scenarios.is_empty() {
        parts.push(count(ready.plan.scenarios.len(), "scenario"));
    }
    if !ready.plan.packs.is_empty() {
        parts.push(format!("{} with {}", count(ready.plan.packs.len(), "pack"), count(contracts, "contract")));
    }
    let path = crate::printable::printable(ready.source.path());
    output.result(&format!("{path}: ok ({})\n", parts.join(", ")));
    Exit::Passed
}
