//! Format check and lints.

use std::process::Command;

use anyhow::{Result, bail};

use crate::cargo;
use crate::process::{in_ci, probe, run, shown, status, step};

/// Checks the format of the whole workspace and lints it, warnings being errors.
///
/// # Errors
/// Something is not as it should be, or in CI a tool is missing and cannot be fetched.
pub(crate) fn all() -> Result<()> {
    step("format: cargo fmt --check", || {
        if tool("fmt", "rustfmt")? {
            run(cargo::command("fmt").args(["--all", "--check"]))?;
        }
        Ok(())
    })?;
    // The compiler's checks of dependencies differ from compiled dependencies: the first run checks them all, and neither
    // the demo nor the tests can use that or give theirs.
    step("lints: cargo clippy (the first time it reads every dependency, which takes minutes)", || {
        if tool("clippy", "clippy")? {
            run(cargo::command("clippy").args(["--workspace", "--all-targets", "--", "-D", "warnings"]))?;
        }
        Ok(())
    })
}

/// Whether `cargo TOOL` is there, after asking rustup for it where it is not: a minimal toolchain has neither of them.
fn tool(subcommand: &str, component: &str) -> Result<bool> {
    let there = || probe(cargo::command(subcommand).arg("--version")).is_some();
    if there() {
        return Ok(true);
    }
    let mut add = Command::new("rustup");
    add.args(["component", "add", component]);
    eprintln!("    installing {component}: {}", shown(&add));
    let _ = status(&mut add);
    if there() {
        return Ok(true);
    }
    if in_ci() {
        bail!("cargo {subcommand} is missing and `{}` did not bring it", shown(&add));
    }
    eprintln!("    SKIPPED: there is no cargo {subcommand}; install it with `{}`", shown(&add));
    Ok(false)
}
