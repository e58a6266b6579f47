//! What the tests share.

#![allow(dead_code, reason = "each test program uses a part of it")]

pub mod hostile;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use a2a_host::dummy::{Agent, AgentBuilder, RunningAgent};
use a2a_host::plugin::Loader;
use a2a_host::sandbox::CompileCache;

/// What the program did.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// The root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// The program with these arguments, in an environment that is the same everywhere: UTF-8, no colours, no proxies that
/// matter, a compile cache that the tests share.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_a2a-host"));
    command
        .args(arguments)
        .current_dir(root())
        .env("LC_ALL", "C.UTF-8")
        .env("NO_COLOR", "1")
        .env("A2A_HOST_CACHE", root().join("target/test-cache"))
        .env_remove("RUST_LOG")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null());
    command
}

/// Runs the program to its end.
pub fn run(arguments: &[&str]) -> Outcome {
    finish(&mut command(arguments))
}

pub fn finish(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A contract file in a folder of its own.
pub struct ContractFile {
    folder: tempfile::TempDir,
}

impl ContractFile {
    pub fn new(text: &str) -> ContractFile {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("contract.yaml"), text).unwrap();
        ContractFile { folder }
    }

    /// With this file beside it.
    pub fn beside(self, name: &str, bytes: &[u8]) -> ContractFile {
        std::fs::write(self.folder.path().join(name), bytes).unwrap();
        self
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs `a2a-host COMMAND contract.yaml ARGUMENTS` in its folder.
    pub fn run(&self, command: &str, arguments: &[&str]) -> Outcome {
        finish(&mut self.command(command, arguments))
    }

    pub fn command(&self, command: &str, arguments: &[&str]) -> Command {
        let mut all = vec![command, "contract.yaml"];
        all.extend(arguments);
        let mut command = self::command(&all);
        command.current_dir(self.folder());
        command
    }
}

/// The dummy agent on a free port, with the bundled extensions, in a thread of its own.
pub struct Dummy {
    runtime: tokio::runtime::Runtime,
    agent: Option<RunningAgent>,
}

impl Dummy {
    pub fn start() -> Dummy {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let agent = runtime.block_on(async {
            let extensions = loader().extension("extensions", Path::new(".")).await.unwrap();
            Agent::builder().port(0).plugin(Arc::new(extensions)).start().await.unwrap()
        });
        Dummy { runtime, agent: Some(agent) }
    }

    pub fn with(builder: AgentBuilder) -> Dummy {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let agent = runtime.block_on(async { builder.port(0).start().await.unwrap() });
        Dummy { runtime, agent: Some(agent) }
    }

    pub fn url(&self) -> &str {
        self.agent.as_ref().unwrap().url()
    }
}

impl Drop for Dummy {
    fn drop(&mut self) {
        if let Some(agent) = self.agent.take() {
            self.runtime.block_on(agent.shutdown());
        }
    }
}

/// Loads plugins with the compile cache that the tests share.
pub fn loader() -> Loader {
    // The folder that `command` names to the program, so that nothing is compiled twice.
    let cache = CompileCache::at(root().join("target/test-cache/compiled"));
    Loader::with_cache(cache, Arc::new(|_, _| ())).unwrap()
}

/// Text with what differs from run to run replaced: addresses, durations, and the width of tables that follows from them.
pub fn steady(text: &str) -> String {
    let ports = regex::Regex::new(r"http://127\.0\.0\.1:\d+").unwrap();
    let times = regex::Regex::new(r" +\d+(\.\d+)? (µs|ms|s)\b").unwrap();
    let rules = regex::Regex::new(r"─{10,}").unwrap();
    let heads = regex::Regex::new(r" +time\b").unwrap();
    let text = ports.replace_all(text, "[AGENT]");
    let text = times.replace_all(&text, " [TIME]");
    let text = rules.replace_all(&text, "[RULE]");
    heads.replace_all(&text, " time").into_owned()
}
