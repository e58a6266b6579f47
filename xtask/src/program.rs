//! The program itself, built so that the tests reuse every dependency.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::cargo::{self, Build};

/// Builds `a2a-host` and answers with the path of the program and what was compiled.
///
/// Cargo compiles a dependency once for each set of features that is asked of it, and which set that is depends on the
/// packages and targets that a command selects. `--workspace` selects the packages that `cargo test --workspace` selects,
/// and `--examples` makes cargo count the features of dev-dependencies as it does for tests; no package has examples, so
/// nothing more gets built. `cargo xtask test` makes sure that it stays so.
///
/// # Errors
/// It does not compile.
pub(crate) fn build() -> Result<(PathBuf, Build)> {
    let build = cargo::build(cargo::command("build").args(["--workspace", "--bin", "a2a-host", "--examples"]))?;
    build.report();
    let suffix = std::env::consts::EXE_EXTENSION;
    let program = build.file("a2a-host", "bin", suffix).context("cargo left no program a2a-host")?.clone();
    Ok((program, build))
}
