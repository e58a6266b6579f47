//! Every exit code of the program, and which of them wins when several apply.

use std::process::ExitCode;

use crate::run::RunResult;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: everything passed.
    Passed,
    /// 1: a contract failed.
    Failed,
    /// 2: it could not be executed: usage, contract, agent unreachable, plugin broken, nothing selected.
    Unable,
    /// 130: interrupted; the results so far were reported.
    Interrupted,
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Exit::Passed => 0,
            Exit::Failed => 1,
            Exit::Unable => 2,
            Exit::Interrupted => 130,
        }
    }

    /// Of a run. An interruption wins over failures, because the result is not whole. Nothing judged is not a pass: a run
    /// in which every case was skipped could not do what it was asked.
    pub fn of(result: &RunResult) -> Exit {
        let counts = result.counts();
        if result.interrupted {
            Exit::Interrupted
        } else if counts.failed > 0 {
            Exit::Failed
        } else if counts.passed == 0 {
            Exit::Unable
        } else {
            Exit::Passed
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
