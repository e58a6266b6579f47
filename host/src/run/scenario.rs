//! One scenario: its trials, one after the other, each with a conversation of its own.

use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::agent::{send_message_request, sentences};
use super::event::{Listener, RunEvent};
use super::observe;
use super::plan::{PlannedCheck, PlannedScenario, PlannedTurn, TurnOperation};
use super::result::{CaseResult, CaseVerdict, PlacedFinding, Required, TrialError, TrialResult, TurnResult};
use crate::a2a::{Exchange, ExchangeError, Operation, TaskState};
use crate::client::{Client, Reply, fold};
use crate::contract::{PassRate, lower_bound};
use crate::plugin::Catalogue;
use crate::sandbox::{AssertionSession, Finding, ObservedTurn};
use crate::secrets::Redactor;

/// What a scenario runs with.
pub(super) struct Stage<'a> {
    pub(super) client: &'a Client,
    pub(super) catalogue: &'a Catalogue,
    pub(super) redactor: &'a Redactor,
}

/// Runs a scenario. The trial that is under way when `stop` comes, and those after it, are left out.
pub(super) async fn run(
    stage: &Stage<'_>,
    scenario: &PlannedScenario,
    listener: &mut dyn Listener,
    stop: &CancellationToken,
) -> CaseResult {
    let started = Instant::now();
    let binding = stage.client.endpoint().binding;
    listener.event(&RunEvent::CaseStarted { name: &scenario.name, binding, trials: scenario.trials });
    let mut judge = Judge::new(stage.catalogue);
    let mut trials = Vec::new();
    for number in 1..=scenario.trials {
        let trial = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            trial = trial(stage, scenario, number, &mut judge) => trial,
        };
        listener.event(&RunEvent::TrialFinished { number, passed: trial.passed() });
        trials.push(trial);
    }
    finish(scenario, trials, started)
}

fn finish(scenario: &PlannedScenario, trials: Vec<TrialResult>, started: Instant) -> CaseResult {
    let passed = u32::try_from(trials.iter().filter(|trial| trial.passed()).count()).unwrap_or(u32::MAX);
    // A rate that these trials cannot prove was refused when the contract was read.
    let passes = scenario.pass_rate.required(scenario.trials).unwrap_or(scenario.trials);
    let complete = trials.len() == scenario.trials as usize;
    let bound = match scenario.pass_rate {
        PassRate::Proven { min, confidence } if complete => {
            Some((lower_bound(passed, scenario.trials, confidence), min, confidence))
        }
        _ => None,
    };
    // Trials that were not run may decide either way, unless too many have failed already.
    let failed = u32::try_from(trials.len()).unwrap_or(u32::MAX).saturating_sub(passed);
    let lost = failed > scenario.trials.saturating_sub(passes);
    let verdict = match (complete, passed >= passes) {
        (_, true) => CaseVerdict::Passed,
        (true, false) => CaseVerdict::Failed,
        (false, false) if lost => CaseVerdict::Failed,
        (false, false) => {
            CaseVerdict::Skipped(format!("interrupted after {} of {} trials", trials.len(), scenario.trials))
        }
    };
    CaseResult {
        name: scenario.name.clone(),
        about: None,
        verdict,
        trials,
        required: Required { passes, trials: scenario.trials, bound },
        notes: Vec::new(),
        elapsed: started.elapsed(),
    }
}

/// What the next turn of a conversation is sent with (§3.4).
struct Conversation {
    context_id: String,
    task_id: Option<String>,
}

impl Conversation {
    fn new() -> Self {
        Conversation { context_id: uuid::Uuid::new_v4().to_string(), task_id: None }
    }

    /// The context follows the agent; the task goes on only where the agent waits for more.
    fn go_on(&mut self, reply: &Reply) {
        if let Some(context_id) = &reply.context_id {
            self.context_id.clone_from(context_id);
        }
        let waits = [TaskState::InputRequired, TaskState::AuthRequired].iter().any(|state| state.word() == reply.state);
        self.task_id = if waits { reply.task_id.clone() } else { None };
    }
}

async fn trial(stage: &Stage<'_>, scenario: &PlannedScenario, number: u32, judge: &mut Judge) -> TrialResult {
    let started = Instant::now();
    let mut conversation = Conversation::new();
    let mut turns = Vec::new();
    let mut error = None;
    for (index, planned) in scenario.turns.iter().enumerate() {
        let exchange = send(stage.client, planned, &conversation).await;
        let reply = match collect(&exchange) {
            Ok(reply) => reply,
            Err(why) => {
                error = Some(trial_error(stage, index + 1, planned, &exchange, &why));
                break;
            }
        };
        let observed = Arc::new(observe::turn(&exchange, &reply, stage.redactor));
        let mut findings = judge.turn(planned, &observed).await;
        // Guests see nothing of a secret, but one that came in pieces may be whole again in what they say.
        for placed in &mut findings {
            placed.finding.map_texts(|text| *text = stage.redactor.redact_message(text));
        }
        let summary = observe::summary(&exchange, &reply, &observed, stage.redactor);
        let failed = !findings.is_empty();
        turns.push(TurnResult { number: index + 1, findings, reply: Some(summary) });
        if failed {
            break;
        }
        conversation.go_on(&reply);
    }
    TrialResult { number, turns, error, elapsed: started.elapsed() }
}

async fn send(client: &Client, turn: &PlannedTurn, conversation: &Conversation) -> Exchange {
    let TurnOperation::Send { message, data } = &turn.operation;
    let request =
        send_message_request(message.as_deref(), data, &conversation.context_id, conversation.task_id.as_deref());
    let operation = if client.card().streaming { Operation::SendStreamingMessage } else { Operation::SendMessage };
    client.call(operation.spec().name, request, &client.call_options()).await
}

/// Exchange → reply; a reply that leaves the task running is no answer to a turn.
fn collect(exchange: &Exchange) -> Result<Reply, ExchangeError> {
    let reply = fold(exchange)?;
    let running = TaskState::ALL.into_iter().find(|state| state.word() == reply.state && !state.ends_turn());
    let unknown = reply.state != "message" && !TaskState::ALL.iter().any(|state| state.word() == reply.state);
    match (running, unknown) {
        (Some(state), _) => Err(ExchangeError::Unreadable {
            why: format!("the reply ended while the task was still {state}; expected a state that ends the turn"),
        }),
        (None, true) => Err(ExchangeError::Unreadable {
            why: format!("the task ended in the state {:?}, which A2A does not know", reply.state),
        }),
        (None, false) => Ok(reply),
    }
}

fn trial_error(
    stage: &Stage<'_>,
    turn: usize,
    planned: &PlannedTurn,
    exchange: &Exchange,
    error: &ExchangeError,
) -> TrialError {
    let (code, why) = match error {
        ExchangeError::Protocol { code, reason, message, .. } => {
            let name = code.and_then(crate::a2a::ErrorKind::from_code).map(|kind| format!("{kind} "));
            let code = code.map_or_else(|| "without a code".to_owned(), |code| code.to_string());
            let reason = reason.as_ref().map(|reason| format!(", reason {reason}")).unwrap_or_default();
            ("protocol", format!("the agent answered with {}({code}{reason}): {message}", name.unwrap_or_default()))
        }
        ExchangeError::Unreadable { why } => ("unreadable", why.clone()),
        ExchangeError::Transport { why } => ("transport", why.clone()),
        ExchangeError::Timeout { limit } => {
            let last = crate::client::last_state(exchange).map(|state| format!("; the last state was {state}"));
            ("timeout", format!("no end of the reply within {} s{}", limit.as_secs_f64(), last.unwrap_or_default()))
        }
        ExchangeError::Limit { what } => ("limit", what.clone()),
    };
    let message = format!("{} to {} over {}: {why}", exchange.operation, exchange.url, exchange.binding);
    TrialError {
        turn,
        code,
        message: crate::printable::printable(&stage.redactor.redact_message(&message)).into_owned(),
        span: Some(planned.span),
        deviations: sentences(stage.redactor, &exchange.deviations),
    }
}

/// Judges turns: one session per plugin, its configs prepared once for all trials.
struct Judge {
    sessions: Vec<AssertionSession>,
    /// What `prepare` answered, by plugin, name and config.
    prepared: std::collections::HashMap<(usize, String, String), usize>,
}

impl Judge {
    fn new(catalogue: &Catalogue) -> Self {
        let sessions =
            (0..catalogue.plugin_count()).map(|index| AssertionSession::new(catalogue.plugin(index))).collect();
        Judge { sessions, prepared: Default::default() }
    }

    /// All checks of a turn, without stopping at the first failure.
    async fn turn(&mut self, turn: &PlannedTurn, observed: &Arc<ObservedTurn>) -> Vec<PlacedFinding> {
        let mut placed = Vec::new();
        for check in &turn.checks {
            let findings = self.check(check, observed).await;
            placed.extend(findings.into_iter().map(|finding| PlacedFinding {
                check: check.name.clone(),
                // A rule that holds without being written, such as that of failure states, has the place of its turn.
                span: Some(check.assertion.as_ref().map_or(turn.span, |assertion| assertion.at(&finding.config_path))),
                finding,
            }));
        }
        placed
    }

    /// A check that could not judge is a failed check that says so.
    async fn check(&mut self, check: &PlannedCheck, observed: &Arc<ObservedTurn>) -> Vec<Finding> {
        let broken = |code: &str, message: String| vec![Finding { code: code.into(), message, ..Finding::default() }];
        let session = &mut self.sessions[check.plugin];
        let key = (check.plugin, check.name.clone(), check.config.clone());
        let handle = match self.prepared.get(&key) {
            Some(handle) => *handle,
            None => match session.prepare(&check.name, &check.config).await {
                Ok(Ok(handle)) => {
                    self.prepared.insert(key, handle);
                    handle
                }
                Ok(Err(problems)) => {
                    let why = problems.first().map_or_else(String::new, |problem| problem.message.clone());
                    return broken("plugin-broken", format!("the plugin no longer accepts its config: {why}"));
                }
                Err(error) => return broken("plugin-broken", error.to_string()),
            },
        };
        match session.evaluate(handle, observed).await {
            Ok(Ok(findings)) => findings,
            Ok(Err(why)) => broken("undecided", format!("the check could not judge: {why}")),
            Err(error) => broken("plugin-broken", error.to_string()),
        }
    }
}
