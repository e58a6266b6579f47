//! `cargo xtask test`: everything that a change must pass.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::guests::{self, Mode};
use crate::process::{exit_code, status, step};
use crate::workspace::Workspace;
use crate::{cargo, lint, program};

/// Checks format and lints, builds guests, and runs the tests of the whole workspace. With filters it only builds guests and
/// runs the tests with such names.
pub(crate) fn run(filters: &[String]) -> Result<ExitCode> {
    let workspace = Workspace::read()?;
    if filters.is_empty() {
        lint::all()?;
    } else {
        eprintln!("    format check and lints are left out, because tests are selected");
    }
    guests::make(&workspace, Mode::Write)?;
    step("tests: build", || {
        let build = cargo::build(cargo::command("test").args(["--workspace", "--no-run"]))?;
        build.report();
        Ok(())
    })?;
    step("program: build a2a-host as the demo does, from the same dependencies", || {
        let (_, build) = program::build()?;
        if !build.compiled.is_empty() {
            let again: Vec<_> = build.compiled.into_iter().collect();
            bail!(
                "the demo compiles {} again, which the tests had compiled with other features or another profile; \
                 compare `cargo tree --workspace -e features` with and without `-e no-dev`, and see program.rs",
                again.join(", ")
            );
        }
        Ok(())
    })?;
    step("tests: run", || {
        let mut test = cargo::command("test");
        test.args(["--workspace", "--no-fail-fast", "--"]).args(filters);
        Ok(exit_code(status(&mut test)?))
    })
}
