//! Calling cargo from a program that cargo started.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process;

/// A call of cargo, as if it were typed by hand.
///
/// `cargo run` tells the program that it starts about its package through `CARGO_PKG_…` and `CARGO_MANIFEST_…`. Some build
/// scripts ask to run again when these change, which would compile their crates anew at each turn from `cargo test` to
/// `cargo xtask test` and back: so they are taken out.
pub(crate) fn command(subcommand: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let told_by_cargo_run = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name == "OUT_DIR"
        });
        if told_by_cargo_run {
            command.env_remove(name);
        }
    }
    command.arg(subcommand);
    if process::in_ci() && subcommand != "fmt" {
        command.arg("--locked");
    }
    command
}

/// What a build left behind.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Build {
    /// The files of each target that was asked for.
    pub(crate) artifacts: Vec<Artifact>,
    /// Dependencies from a registry that were compiled now, rather than found compiled.
    pub(crate) compiled: BTreeSet<String>,
}

/// The files of one target of one package.
#[derive(Debug, PartialEq)]
pub(crate) struct Artifact {
    /// Cargo's own name for the package.
    pub(crate) package_id: String,
    /// The name of the library or program.
    pub(crate) target: String,
    /// Such as `bin`, `lib` or `cdylib`.
    pub(crate) kinds: Vec<String>,
    /// Everything that was written.
    pub(crate) files: Vec<PathBuf>,
}

impl Build {
    /// The one file of the target with this kind whose name ends so.
    pub(crate) fn file(&self, target: &str, kind: &str, extension: &str) -> Option<&PathBuf> {
        let artifact = self.artifacts.iter().find(|a| a.target == target && a.kinds.iter().any(|k| k == kind))?;
        artifact.files.iter().find(|file| file.extension().unwrap_or_default() == extension)
    }

    /// Says how many dependencies had to be compiled.
    pub(crate) fn report(&self) {
        match self.compiled.len() {
            0 => eprintln!("    no dependency had to be compiled"),
            1 => eprintln!("    1 dependency was compiled"),
            many => eprintln!("    {many} dependencies were compiled"),
        }
    }

    fn note(&mut self, line: &str) -> Result<()> {
        let message: Value = serde_json::from_str(line).with_context(|| format!("cargo said: {line}"))?;
        if message["reason"] != "compiler-artifact" {
            return Ok(());
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = |value: &Value| value.as_array().into_iter().flatten().map(text).collect::<Vec<_>>();
        let package_id = text(&message["package_id"]);
        if package_id.starts_with("registry+") {
            if message["fresh"] == false {
                let name = package_id.rsplit('#').next().unwrap_or(&package_id);
                self.compiled.insert(name.to_owned());
            }
            return Ok(());
        }
        self.artifacts.push(Artifact {
            package_id,
            target: text(&message["target"]["name"]),
            kinds: list(&message["target"]["kind"]),
            files: list(&message["filenames"]).into_iter().map(PathBuf::from).collect(),
        });
        Ok(())
    }
}

/// Runs a compiling cargo command and collects what it built. The compiler's messages and cargo's progress appear as ever.
///
/// # Errors
/// Cargo cannot be started or fails; its own messages have said why.
pub(crate) fn build(command: &mut Command) -> Result<Build> {
    command.args(["--message-format", "json-render-diagnostics"]).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start `{}`", process::shown(command)))?;
    let stdout = child.stdout.take().context("cargo has no stdout")?;
    let mut build = Build::default();
    for line in BufReader::new(stdout).lines() {
        build.note(&line?)?;
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("`{}` ended with {status}", process::shown(command));
    }
    Ok(build)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_tells_compiled_dependencies_and_own_files_apart() {
        let mut build = Build::default();
        for line in [
            r#"{"reason":"compiler-artifact","package_id":"registry+https://example.org#bytes@1.2.3","fresh":false,"target":{"name":"bytes","kind":["lib"]},"filenames":["/t/libbytes.rlib"]}"#,
            r#"{"reason":"compiler-artifact","package_id":"registry+https://example.org#url@2.0.0","fresh":true,"target":{"name":"url","kind":["lib"]},"filenames":["/t/liburl.rlib"]}"#,
            r#"{"reason":"build-script-executed","package_id":"registry+https://example.org#ring@0.17.0"}"#,
            r#"{"reason":"compiler-artifact","package_id":"path+file:///w/plugins/x#plugins-x@0.1.0","fresh":false,"target":{"name":"plugins_x","kind":["cdylib","rlib"]},"filenames":["/t/libplugins_x.rlib","/t/plugins_x.wasm"]}"#,
        ] {
            build.note(line).unwrap();
        }
        assert_eq!(build.compiled, BTreeSet::from(["bytes@1.2.3".to_owned()]));
        assert_eq!(build.file("plugins_x", "cdylib", "wasm"), Some(&PathBuf::from("/t/plugins_x.wasm")));
        assert_eq!(build.file("plugins_x", "bin", ""), None);
        assert!(build.note("warning: not json").is_err());
    }
}
