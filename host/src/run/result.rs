//! What a run came to, as plain data. Scenarios of a contract file and contracts of a pack give the same tree, so that each
//! report format is written once:
//!
//! ```text
//! RunResult ─ suites (a contract file, a pack) ─ cases (a scenario, a contract) ─ trials ─ turns ─ findings
//! ```
//!
//! Every text in it has its secrets replaced by the marker.

use std::time::Duration;

use crate::a2a::Binding;
use crate::contract::Span;
use crate::sandbox::Finding;

/// A whole run.
#[derive(Clone, Debug, Default)]
pub struct RunResult {
    /// What was tested.
    pub subject: Subject,
    /// In the order of the plan.
    pub suites: Vec<SuiteResult>,
    /// The user ended it; what was finished by then is here.
    pub interrupted: bool,
    /// Wall-clock time.
    pub elapsed: Duration,
}

/// The agent under test.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// Its base URL as configured.
    pub url: String,
    /// Name in its card.
    pub name: String,
    /// Version in its card.
    pub version: String,
    /// What was tolerated in its card.
    pub deviations: Vec<String>,
}

/// What a suite is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuiteKind {
    /// A contract file: its cases are scenarios.
    Scenarios,
    /// A pack: its cases are contracts.
    Pack,
}

/// A contract file's scenarios, or a pack's contracts over one binding.
#[derive(Clone, Debug)]
pub struct SuiteResult {
    /// What it is.
    pub kind: SuiteKind,
    /// The file as the user named it, or name and version of the pack.
    pub name: String,
    /// The binding it ran over.
    pub binding: Binding,
    /// In the order of the plan.
    pub cases: Vec<CaseResult>,
}

/// What a case came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseVerdict {
    /// The agent does what is expected.
    Passed,
    /// It does not.
    Failed,
    /// It was not judged, for this reason.
    Skipped(String),
}

/// A scenario or a contract.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// Scenario name or contract id.
    pub name: String,
    /// Category and title of a contract.
    pub about: Option<About>,
    /// What it came to.
    pub verdict: CaseVerdict,
    /// The repetitions; a contract has one.
    pub trials: Vec<TrialResult>,
    /// How many trials had to pass, and how many were planned.
    pub required: Required,
    /// Worth showing, judging nothing.
    pub notes: Vec<String>,
    /// Wall-clock time of all trials.
    pub elapsed: Duration,
}

/// What a pack says of a contract.
#[derive(Clone, Debug)]
pub struct About {
    /// The group it is reported in.
    pub category: String,
    /// What a server that passes does.
    pub title: String,
    /// must, should, may or derived.
    pub level: String,
    /// Section of the specification.
    pub spec: Option<String>,
}

/// How many trials must pass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Required {
    /// That many.
    pub passes: u32,
    /// Of so many.
    pub trials: u32,
    /// The lower bound that was reached, where the contract asks for one: bound, minimum, confidence.
    pub bound: Option<(f64, f64, f64)>,
}

impl CaseResult {
    /// How many trials passed.
    pub fn passes(&self) -> usize {
        self.trials.iter().filter(|trial| trial.passed()).count()
    }
}

/// One repetition.
#[derive(Clone, Debug)]
pub struct TrialResult {
    /// From 1.
    pub number: u32,
    /// The turns that were held. A failing turn is the last one.
    pub turns: Vec<TurnResult>,
    /// Why the trial came to an end before its turns did: the agent could not be reached, or broke the protocol.
    pub error: Option<TrialError>,
    /// Wall-clock time.
    pub elapsed: Duration,
}

impl TrialResult {
    /// Nothing was found and nothing went wrong.
    pub fn passed(&self) -> bool {
        self.error.is_none() && self.turns.iter().all(|turn| turn.findings.is_empty())
    }
}

/// Why a trial came to an end.
#[derive(Clone, Debug)]
pub struct TrialError {
    /// The turn that it happened in, from 1.
    pub turn: usize,
    /// Stable word: protocol, unreadable, transport, timeout, limit, state.
    pub code: &'static str,
    /// In words, naming URL, binding and operation.
    pub message: String,
    /// Where the turn stands in the file.
    pub span: Option<Span>,
    /// What was tolerated before it went wrong.
    pub deviations: Vec<String>,
}

/// One request and what its reply was worth.
#[derive(Clone, Debug)]
pub struct TurnResult {
    /// From 1.
    pub number: usize,
    /// Why it failed; empty where it passed.
    pub findings: Vec<PlacedFinding>,
    /// What came back; none for a contract of a pack, which may hold many exchanges.
    pub reply: Option<ReplySummary>,
}

/// A finding with its place in the contract file.
#[derive(Clone, Debug)]
pub struct PlacedFinding {
    /// The check that found it, as the file names it; empty for a contract of a pack.
    pub check: String,
    /// What it found.
    pub finding: Finding,
    /// The place of what was expected.
    pub span: Option<Span>,
}

/// What came back in a turn.
#[derive(Clone, Debug, Default)]
pub struct ReplySummary {
    /// The state that it ended in.
    pub state: String,
    /// All states.
    pub states: Vec<String>,
    /// All texts.
    pub text: String,
    /// Parts that are no text, one line each.
    pub parts: Vec<String>,
    /// Events received.
    pub events: usize,
    /// Until the first event.
    pub first_event: Option<Duration>,
    /// Until the end.
    pub elapsed: Duration,
    /// What was tolerated while reading.
    pub deviations: Vec<String>,
}

/// How many cases came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Passed.
    pub passed: usize,
    /// Failed.
    pub failed: usize,
    /// Skipped.
    pub skipped: usize,
}

impl RunResult {
    /// Counts all cases.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for case in self.suites.iter().flat_map(|suite| &suite.cases) {
            match case.verdict {
                CaseVerdict::Passed => counts.passed += 1,
                CaseVerdict::Failed => counts.failed += 1,
                CaseVerdict::Skipped(_) => counts.skipped += 1,
            }
        }
        counts
    }
}
