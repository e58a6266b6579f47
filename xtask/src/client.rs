//! Clients that others wrote against the dummy agent: each file in `tests/interop/clients/` describes one, what to call it
//! with and what it must print.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::interop::{Row, summary, words};
use crate::peer::{self, Server};
use crate::process::{shown, step};
use crate::workspace::Workspace;

/// A client and what it must print.
#[derive(Debug, PartialEq)]
struct Client {
    name: String,
    /// Requirements for pip.
    install: Vec<String>,
    calls: Vec<Call>,
}

#[derive(Debug, PartialEq)]
struct Call {
    /// A program of the installed packages and its arguments; `{url}` stands for the agent's.
    run: Vec<String>,
    /// What must stand in its output.
    prints: Vec<String>,
}

/// Has every client talk to the dummy agent. Answers with how many calls were not as expected.
///
/// # Errors
/// A description cannot be read, a client cannot be installed, or the dummy agent does not start.
pub(crate) fn run(workspace: &Workspace, program: &Path) -> Result<usize> {
    let mut unexpected = 0;
    for client in clients(&workspace.root.join("tests/interop/clients"))? {
        let rows = meet(workspace, program, &client)?;
        unexpected += rows.iter().filter(|row| !row.as_expected()).count();
        print!("{}", summary(&client.name, &rows));
    }
    Ok(unexpected)
}

fn meet(workspace: &Workspace, program: &Path, client: &Client) -> Result<Vec<Row>> {
    let folder = workspace.target.join("interop").join(&client.name);
    step(&format!("{}: pip install {}", client.name, client.install.join(" ")), || {
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        peer::install(&folder, &client.install)
    })?;
    let port = peer::free_port()?;
    let serve = ["serve", "--port", &port.to_string()].map(str::to_owned);
    // Held to the end of this function: dropping it ends the agent.
    let _server = step(&format!("a2a-host {}", serve.join(" ")), || {
        let mut server = Server::start(program, &serve, folder.join("server.log"))?;
        server.wait_for_card(port)?;
        Ok(server)
    })?;
    let url = format!("http://127.0.0.1:{port}");
    client.calls.iter().map(|call| judge(&folder, call, &url)).collect()
}

fn judge(folder: &Path, call: &Call, url: &str) -> Result<Row> {
    let line: Vec<_> = call.run.iter().map(|word| word.replace("{url}", url)).collect();
    let (name, args) = line.split_first().context("`run` names no program")?;
    let mut command = Command::new(folder.join("bin").join(name));
    command.args(args).stdin(Stdio::null()).stderr(Stdio::inherit());
    eprintln!("==> {}", shown(&command));
    let output = command.output().with_context(|| format!("cannot start `{}`", shown(&command)))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    println!("{printed}");
    let missing: Vec<_> = call.prints.iter().filter(|text| !printed.contains(text.as_str())).collect();
    let found = match (output.status.success(), missing.as_slice()) {
        (true, []) => "as expected".to_owned(),
        (true, missing) => format!("without {missing:?}"),
        (false, _) => output.status.to_string(),
    };
    let what = call.run.join(" ");
    Ok(Row { what, expected: "as expected".to_owned(), found, reason: String::new() })
}

/// Reads every description in the folder, in the order of their names.
fn clients(folder: &Path) -> Result<Vec<Client>> {
    let mut clients = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let file = entry?.path();
        let client = fs::read_to_string(&file).map_err(anyhow::Error::from).and_then(|text| Client::parse(&text));
        clients.push(client.with_context(|| format!("cannot read {}", file.display()))?);
    }
    if clients.is_empty() {
        bail!("{} describes no client", folder.display());
    }
    clients.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(clients)
}

impl Client {
    fn parse(text: &str) -> Result<Self> {
        let value: Value = serde_json::from_str(text)?;
        let calls = value["calls"].as_array().context("`calls` is no list")?;
        let calls = calls.iter().map(|call| Ok(Call { run: words(call, "run")?, prints: words(call, "prints")? }));
        Ok(Client {
            name: value["name"].as_str().context("`name` is no text")?.to_owned(),
            install: words(&value, "install")?,
            calls: calls.collect::<Result<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_description_in_the_repository_is_complete() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for client in clients(&root.join("tests/interop/clients")).unwrap() {
            assert!(
                client.install.iter().all(|package| package.contains("==")),
                "{}: versions are pinned",
                client.name
            );
            for call in &client.calls {
                assert!(call.run.iter().any(|word| word.contains("{url}")), "{}: no agent", client.name);
                assert!(!call.prints.is_empty(), "{}: nothing is expected", client.name);
            }
        }
    }

    #[test]
    fn a_call_is_judged_by_its_end_and_its_output() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        std::os::unix::fs::symlink("/bin/sh", folder.path().join("bin/sh")).unwrap();
        let call = |script: &str| {
            let run = ["sh", "-c", script].map(str::to_owned).to_vec();
            judge(folder.path(), &Call { run, prints: vec!["http://a".to_owned()] }, "http://a").unwrap()
        };
        assert!(call("echo {url}").as_expected());
        assert_eq!(call("echo nothing").found, "without [\"http://a\"]");
        assert!(!call("echo {url}; exit 3").as_expected());
    }
}
