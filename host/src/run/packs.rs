//! A pack over one binding: each contract in a fresh instance, skipped with a reason where it has no meaning.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::agent::{ClientAgent, NoWebhook};
use super::event::{Listener, RunEvent};
use super::plan::PlannedPack;
use super::result::{
    About, CaseResult, CaseVerdict, PlacedFinding, Required, SuiteKind, SuiteResult, TrialResult, TurnResult,
};
use super::stimuli::KnownStimuli;
use crate::client::{AgentCard, Client};
use crate::sandbox::{ContractInfo, Finding, PackPorts, StimuliPort, Verdict, verify_contract};
use crate::secrets::Redactor;

/// Of the timeout of a request: a contract makes a few that may each take long; hundreds only of quick ones.
const REQUESTS_PER_CONTRACT: u32 = 4;

pub(super) async fn run(
    planned: &PlannedPack,
    client: &Client,
    redactor: &Redactor,
    timeout: Duration,
    listener: &mut dyn Listener,
    stop: &CancellationToken,
) -> SuiteResult {
    let binding = client.endpoint().binding;
    let stimuli = Arc::new(planned.stimuli.with_card(client.card()));
    let ports = PackPorts {
        agent: Arc::new(ClientAgent { client: client.clone(), redactor: redactor.clone() }),
        stimuli: stimuli.clone(),
        webhook: Arc::new(NoWebhook),
    };
    let mut cases = Vec::with_capacity(planned.contracts.len());
    for contract in &planned.contracts {
        listener.event(&RunEvent::CaseStarted { name: &contract.id, binding, trials: 1 });
        let started = Instant::now();
        let skipped = |reason| case(contract, CaseVerdict::Skipped(reason), Vec::new(), Vec::new(), started);
        let case = match reason_to_skip(planned, contract, client, &stimuli) {
            Some(reason) => skipped(reason),
            None => {
                let deadline = timeout * REQUESTS_PER_CONTRACT;
                tokio::select! {
                    biased;
                    () = stop.cancelled() => skipped("interrupted".to_owned()),
                    answer = verify_contract(&planned.pack.plugin, &contract.id, ports.clone(), deadline) => {
                        judged(contract, answer, redactor, started)
                    }
                }
            }
        };
        listener.event(&RunEvent::CaseFinished { case: &case });
        cases.push(case);
    }
    let name = format!("{} {}", planned.pack.info.name, planned.pack.info.version);
    SuiteResult { kind: SuiteKind::Pack, name, binding, cases }
}

fn reason_to_skip(
    planned: &PlannedPack,
    contract: &ContractInfo,
    client: &Client,
    stimuli: &KnownStimuli,
) -> Option<String> {
    let binding = client.endpoint().binding;
    if !planned.transports.is_empty() && !planned.transports.contains(&binding) {
        let wanted: Vec<&str> = planned.transports.iter().map(|binding| binding.as_str()).collect();
        return Some(format!("wanted over {} only; this run speaks {binding}", wanted.join(", ")));
    }
    if !contract.bindings.is_empty() && !contract.bindings.contains(&binding) {
        return Some(format!("not applicable to {binding}"));
    }
    if let Some(capability) = contract.capabilities.iter().find(|name| !declares(client.card(), name)) {
        return Some(format!("the card does not declare {capability}"));
    }
    let missing = contract.stimuli.iter().find(|behaviour| stimuli.get(behaviour).is_none())?;
    Some(format!("no stimulus for `{missing}`; give one with --stimulus {missing}=TEXT or, in a contract, `stimuli:`"))
}

fn declares(card: &AgentCard, capability: &str) -> bool {
    match capability {
        "streaming" => card.streaming,
        "pushNotifications" => card.push_notifications,
        "extendedAgentCard" => card.extended_agent_card,
        "extensions" => !card.extensions.is_empty(),
        _ => false,
    }
}

fn judged(
    contract: &ContractInfo,
    answer: Result<Result<Verdict, String>, crate::sandbox::PluginError>,
    redactor: &Redactor,
    started: Instant,
) -> CaseResult {
    let hide = |text: &str| redactor.redact_message(text);
    // Guests see nothing of a secret, but one that came in pieces may be whole again in what a pack says.
    let broken = |code: &str, message: String| {
        vec![Finding { code: code.into(), message: hide(&message), ..Finding::default() }]
    };
    match answer {
        Ok(Ok(Verdict::Passed { notes })) => {
            let notes = notes.iter().map(|note| hide(note)).collect();
            case(contract, CaseVerdict::Passed, Vec::new(), notes, started)
        }
        Ok(Ok(Verdict::Skipped(reason))) => {
            case(contract, CaseVerdict::Skipped(hide(&reason)), Vec::new(), Vec::new(), started)
        }
        Ok(Ok(Verdict::Failed(findings))) if findings.is_empty() => {
            let findings = broken("no-finding", "the pack says that the contract failed, but not why".into());
            case(contract, CaseVerdict::Failed, findings, Vec::new(), started)
        }
        Ok(Ok(Verdict::Failed(mut findings))) => {
            findings.iter_mut().for_each(|finding| finding.map_texts(|text| *text = hide(text)));
            case(contract, CaseVerdict::Failed, findings, Vec::new(), started)
        }
        Ok(Err(why)) => {
            let findings = broken("undecided", format!("the contract could not be judged: {why}"));
            case(contract, CaseVerdict::Failed, findings, Vec::new(), started)
        }
        Err(error) => {
            case(contract, CaseVerdict::Failed, broken("plugin-broken", error.to_string()), Vec::new(), started)
        }
    }
}

fn case(
    contract: &ContractInfo,
    verdict: CaseVerdict,
    findings: Vec<Finding>,
    notes: Vec<String>,
    started: Instant,
) -> CaseResult {
    let findings: Vec<PlacedFinding> =
        findings.into_iter().map(|finding| PlacedFinding { check: String::new(), finding, span: None }).collect();
    let elapsed = started.elapsed();
    let trials = match verdict {
        CaseVerdict::Skipped(_) => Vec::new(),
        _ => {
            let turns = vec![TurnResult { number: 1, findings, reply: None }];
            vec![TrialResult { number: 1, turns, error: None, elapsed }]
        }
    };
    CaseResult {
        name: contract.id.clone(),
        about: Some(About {
            category: contract.category.clone(),
            title: contract.title.clone(),
            level: contract.level.clone(),
            spec: contract.spec.clone(),
        }),
        verdict,
        trials,
        required: Required { passes: 1, trials: 1, bound: None },
        notes,
        elapsed,
    }
}
