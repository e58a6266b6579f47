//! Plan + agent → results: the only place where plugins and an agent meet.
//!
//! ```text
//! Contract + Catalogue ─ plan ─► Plan ─┐
//! ClientOptions ─ Client::connect ─────┴─ execute ─► RunResult
//!                                            └ RunEvent ─► a Listener, which never answers
//! ```

mod agent;
mod event;
mod observe;
mod packs;
mod plan;
mod result;
mod scenario;
mod stimuli;

use std::time::Instant;

use tokio_util::sync::CancellationToken;

pub use event::{Listener, RunEvent};
pub use plan::{Plan, PlannedCheck, PlannedPack, PlannedScenario, PlannedTurn, TurnOperation, plan};
pub use result::{
    About, CaseResult, CaseVerdict, Counts, PlacedFinding, ReplySummary, Required, RunResult, Subject, SuiteKind,
    SuiteResult, TrialError, TrialResult, TurnResult,
};
pub use stimuli::{BEHAVIOURS, Stimuli};

use crate::client::Client;
use scenario::Stage;

/// Runs a plan against an agent. `suite` names the suite of the scenarios, such as the contract file. When `stop` comes,
/// what is under way is dropped; what was finished by then is reported.
pub async fn execute(
    plan: &Plan,
    suite: &str,
    client: &Client,
    listener: &mut dyn Listener,
    stop: &CancellationToken,
) -> RunResult {
    let started = Instant::now();
    let redactor = &plan.redactor;
    listener.event(&RunEvent::Started { cases: plan.cases() });
    let mut result = RunResult { subject: subject(plan, client), ..RunResult::default() };
    let binding = client.endpoint().binding;
    if !plan.scenarios.is_empty() {
        let stage = Stage { client, catalogue: &plan.catalogue, redactor };
        let mut cases = Vec::with_capacity(plan.scenarios.len());
        for scenario in &plan.scenarios {
            let case = scenario::run(&stage, scenario, listener, stop).await;
            listener.event(&RunEvent::CaseFinished { case: &case });
            cases.push(case);
        }
        result.suites.push(SuiteResult { kind: SuiteKind::Scenarios, name: suite.to_owned(), binding, cases });
    }
    for pack in &plan.packs {
        result.suites.push(packs::run(pack, client, redactor, plan.timeout, listener, stop).await);
    }
    listener.event(&RunEvent::Finished);
    result.interrupted = stop.is_cancelled();
    result.elapsed = started.elapsed();
    result
}

fn subject(plan: &Plan, client: &Client) -> Subject {
    let card = client.card();
    let hide = |text: &str| crate::printable::printable(&plan.redactor.redact_message(text)).into_owned();
    Subject {
        url: hide(client.options().base_url.as_str()),
        name: hide(&card.name),
        version: hide(&card.version),
        deviations: agent::sentences(&plan.redactor, &card.deviations),
    }
}
