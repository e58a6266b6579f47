//! What `run`, `check`, `verify` and `demo` have in common: from a contract to a plan, and from a plan to a report.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;
use url::Url;

use super::output::Output;
use crate::client::{Client, ClientError, ClientOptions, check_extensions};
use crate::contract::{Contract, Diagnostic, Parsed, SourceFile};
use crate::exit::Exit;
use crate::plugin::{Catalogue, Loader, Pack};
use crate::report::{Progress, TextOptions, text};
use crate::run::{Listener, Plan, RunEvent, execute, plan};
use crate::sandbox::PluginError;
use crate::secrets::Redactor;

/// A contract that is ready to run, with the file it came from.
pub(super) struct Ready {
    pub(super) contract: Contract,
    pub(super) source: SourceFile,
    pub(super) plan: Plan,
}

/// The bar, shared between the loader, which compiles, and the runner.
#[derive(Clone)]
pub(super) struct SharedProgress(Arc<Mutex<Progress>>);

impl SharedProgress {
    pub(super) fn new(output: &Output) -> SharedProgress {
        SharedProgress(Arc::new(Mutex::new(Progress::new(output.live))))
    }

    fn with(&self, act: impl FnOnce(&mut Progress)) {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// A loader that says what it compiles.
    pub(super) fn loader(&self) -> Result<Loader, PluginError> {
        let progress = self.clone();
        Loader::new(Arc::new(move |plugin, bytes| progress.with(|progress| progress.compiling(plugin, bytes))))
    }

    pub(super) fn quiet(&self) {
        self.with(|progress| progress.quiet());
    }
}

impl Listener for SharedProgress {
    fn event(&mut self, event: &RunEvent<'_>) {
        self.with(|progress| progress.event(event));
    }
}

/// Reads a contract and resolves everything that can be known without its agent. What is wrong with it was said when this
/// answers with an exit.
pub(super) async fn prepare(
    parsed: Parsed,
    folder: &Path,
    stop: &CancellationToken,
    output: &Output,
) -> Result<Ready, Exit> {
    let Parsed { source, contract, draft, diagnostics, secrets } = parsed;
    // A draft has errors: it is resolved only to find the others too.
    let Some(contract) = contract.or(draft) else {
        output.diagnostics(&diagnostics, &source);
        return Err(Exit::Unable);
    };
    let redactor = Redactor::new(&secrets);
    let progress = SharedProgress::new(output);
    let resolving = resolve(&contract, folder, redactor.clone(), &progress);
    let planned = until_stopped(resolving, stop, output).await;
    progress.quiet();
    let (plan, more) = match planned.ok_or(Exit::Interrupted)? {
        Ok((plan, more)) => (plan, more),
        Err(error) => {
            output.diagnostics(&diagnostics, &source);
            return Err(output.error(&redactor.redact_message(&error.to_string())));
        }
    };
    let mut all: Vec<Diagnostic> = diagnostics.into_iter().chain(more).collect();
    crate::contract::sort(&mut all);
    match (output.diagnostics(&all, &source), plan) {
        (true, Some(plan)) => Ok(Ready { contract, source, plan }),
        _ => Err(Exit::Unable),
    }
}

/// A contract whose plugins do not all load has no plan, but diagnostics that say why.
async fn resolve(
    contract: &Contract,
    folder: &Path,
    redactor: Redactor,
    progress: &SharedProgress,
) -> Result<(Option<Plan>, Vec<Diagnostic>), PluginError> {
    let loader = progress.loader()?;
    let mut catalogue = Catalogue::open(&loader).await?;
    let mut broken = Vec::new();
    let mut note = |error: PluginError, span| {
        broken.push(Diagnostic::error("plugin", redactor.redact_message(&error.to_string())).at(span));
    };
    for plugin in &contract.plugins {
        if let Err(error) = catalogue.add(&loader, &plugin.value, folder).await {
            note(error, plugin.span);
        }
    }
    let mut packs = Vec::with_capacity(contract.packs.len());
    for used in &contract.packs {
        match Pack::open(&loader, &used.pack.value, folder).await {
            Ok(pack) => packs.push((pack, used)),
            Err(error) => note(error, used.pack.span),
        }
    }
    // A name may be missing only because its plugin is: what the checks say then would be noise.
    if !broken.is_empty() {
        return Ok((None, broken));
    }
    let (plan, diagnostics) = plan(contract, catalogue, packs, redactor).await?;
    Ok((Some(plan), diagnostics))
}

/// What comes before a run, such as compiling plugins and fetching the card. None where the user ended it, which was said.
pub(super) async fn until_stopped<T>(
    work: impl Future<Output = T>,
    stop: &CancellationToken,
    output: &Output,
) -> Option<T> {
    tokio::select! {
        biased;
        done = work => Some(done),
        () = stop.cancelled() => {
            output.remark("interrupted before anything was judged");
            None
        }
    }
}

/// The folder that relative paths of a contract start from.
pub(super) fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// How a contract wants its agent spoken to; `url` replaces its own.
pub(super) fn client_options(contract: &Contract, url: Option<&Url>) -> ClientOptions {
    let agent = &contract.agent;
    let mut options = ClientOptions::new(url.unwrap_or(&agent.url.value).clone());
    options.timeout = agent.timeout;
    options.headers = agent.headers.iter().map(|header| (header.name.value.clone(), header.value.clone())).collect();
    options.extensions = agent.extensions.iter().map(|uri| uri.value.clone()).collect();
    options.transport = agent.transport.as_ref().map(|transport| transport.value);
    options.allow_cross_origin_interfaces = agent.allow_cross_origin_interfaces;
    options.card_path = agent.card_path.as_ref().map(|path| path.value.clone());
    options
}

/// How to run and to report.
pub(super) struct Judging<'a> {
    /// Name of the scenarios' suite.
    pub(super) suite: &'a str,
    /// To show the places of findings.
    pub(super) source: Option<&'a SourceFile>,
    /// Show every reply.
    pub(super) verbose: bool,
    /// Whether the extensions that the card requires must be configured: scenarios send what is configured, packs find out
    /// for themselves.
    pub(super) extensions_matter: bool,
}

/// Connects, runs, reports.
pub(super) async fn judge(
    plan: &Plan,
    options: ClientOptions,
    judging: Judging<'_>,
    stop: &CancellationToken,
    output: &Output,
) -> Exit {
    let said = |text: String| output.error(&plan.redactor.redact_message(&text));
    let requested = options.requested_extensions();
    let Some(connected) = until_stopped(Client::connect(options), stop, output).await else {
        return Exit::Interrupted;
    };
    let client = match connected {
        Ok(client) => client,
        Err(error @ ClientError::Unreachable { .. }) => {
            return said(format!(
                "{error}\n  help: is the agent running, and is this its address? `a2a-host serve` starts the dummy agent"
            ));
        }
        Err(error) => return said(error.to_string()),
    };
    if judging.extensions_matter
        && let Err(error) = check_extensions(client.card(), &requested)
    {
        return said(error.to_string());
    }
    let mut progress = SharedProgress::new(output);
    let result = execute(plan, judging.suite, &client, &mut progress, stop).await;
    let options = TextOptions { source: judging.source, style: output.stdout, verbose: judging.verbose };
    output.result(&text(&result, options));
    Exit::of(&result)
}
