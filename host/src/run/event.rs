use super::result::CaseResult;
use crate::a2a::Binding;

/// What a live reporter may hear while a run goes on. The runner sends; nobody answers.
#[derive(Debug)]
pub enum RunEvent<'a> {
    /// The run begins with so many cases.
    Started {
        /// Cases of all suites.
        cases: usize,
    },
    /// A case begins.
    CaseStarted {
        /// Scenario name or contract id.
        name: &'a str,
        /// The binding it runs over.
        binding: Binding,
        /// Planned repetitions.
        trials: u32,
    },
    /// A repetition is over.
    TrialFinished {
        /// From 1.
        number: u32,
        /// It passed.
        passed: bool,
    },
    /// A case is over.
    CaseFinished {
        /// What it came to.
        case: &'a CaseResult,
    },
    /// Nothing more will come.
    Finished,
}

/// Somebody who listens to a run.
pub trait Listener: Send {
    /// Called in order, from one task at a time. Must not block for long.
    fn event(&mut self, event: &RunEvent<'_>);
}
