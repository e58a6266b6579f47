//! What a user sees: the built program against the dummy agent.

mod check;
mod ends;
mod plugins;
mod run;
mod serve;
#[path = "../support/mod.rs"]
mod support;
mod verify;

use support::Outcome;

/// The program ended with this code; what it printed is shown where it did not.
#[track_caller]
fn assert_code(outcome: &Outcome, code: i32) {
    assert_eq!(outcome.code, Some(code), "stdout:\n{}\nstderr:\n{}", outcome.stdout, outcome.stderr);
}
