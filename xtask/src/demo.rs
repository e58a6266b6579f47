//! `cargo xtask demo`: from a fresh clone to the main job, in one command.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::guests::{self, Mode};
use crate::process::{exit_code, shown, status, step};
use crate::program;
use crate::workspace::Workspace;

/// Builds everything, runs `a2a-host demo` and ends as it ends.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let workspace = Workspace::read()?;
    guests::make(&workspace, Mode::Write)?;
    let (program, _) = step("program: build a2a-host", program::build)?;
    let mut demo = Command::new(program);
    demo.arg("demo").args(args);
    step(&format!("demo: {}", shown(&demo)), || Ok(exit_code(status(&mut demo)?)))
}
