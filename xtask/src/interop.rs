//! `cargo xtask interop`: the examples and the packs against agents that others wrote.
//!
//! Each file in `tests/interop/` describes one agent: how to install and start it, and what is expected of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::guests::{self, Mode};
use crate::peer::{self, Server};
use crate::process::{shown, step};
use crate::program;
use crate::workspace::Workspace;

/// An agent and what is expected of it.
#[derive(Debug, PartialEq)]
struct Peer {
    name: String,
    /// Requirements for pip.
    install: Vec<String>,
    /// A program of the installed packages and its arguments; `{port}` stands for the port.
    serve: Vec<String>,
    /// Contract files and the exit code of `a2a-host run`.
    contracts: BTreeMap<String, i32>,
    /// The exit code of `a2a-host verify`.
    verify: i32,
    /// Contracts of the packs and their verdicts.
    verdicts: BTreeMap<String, String>,
}

/// One line of the summary.
#[derive(Debug, PartialEq)]
struct Row {
    what: String,
    expected: String,
    found: String,
    /// What the report says behind the verdict.
    reason: String,
}

impl Row {
    fn as_expected(&self) -> bool {
        self.expected == self.found
    }
}

/// Runs everything and ends with failure where anything is unexpected.
pub(crate) fn run() -> Result<ExitCode> {
    let workspace = Workspace::read()?;
    let peers = peers(&workspace.root.join("tests/interop"))?;
    guests::make(&workspace, Mode::Write)?;
    let (program, _) = step("program: build a2a-host", program::build)?;
    let mut unexpected = 0;
    for peer in &peers {
        let rows = meet(&workspace, &program, peer)?;
        unexpected += rows.iter().filter(|row| !row.as_expected()).count();
        print!("{}", summary(&peer.name, &rows));
    }
    if unexpected > 0 {
        bail!("{unexpected} results were not as tests/interop/ expects them");
    }
    Ok(ExitCode::SUCCESS)
}

fn meet(workspace: &Workspace, program: &Path, peer: &Peer) -> Result<Vec<Row>> {
    let folder = workspace.target.join("interop").join(&peer.name);
    step(&format!("{}: pip install {}", peer.name, peer.install.join(" ")), || {
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        peer::install(&folder, &peer.install)
    })?;
    let port = peer::free_port()?;
    let serve: Vec<_> = peer.serve.iter().map(|word| word.replace("{port}", &port.to_string())).collect();
    let (server, args) = serve.split_first().context("`serve` names no program")?;
    // Held to the end of this function: dropping it ends the agent, whatever happens in between.
    let _server = step(&format!("{}: {}", peer.name, serve.join(" ")), || {
        let mut server = Server::start(&folder.join("bin").join(server), args, folder.join("server.log"))?;
        server.wait_for_card(port)?;
        Ok(server)
    })?;

    let url = format!("http://127.0.0.1:{port}");
    let ask = |args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).env("NO_COLOR", "1").current_dir(&workspace.root);
        eprintln!("==> {}", shown(&command));
        let output = program::with_guests(workspace, &mut command).stderr(Stdio::inherit()).output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        print!("{text}");
        let exit = output.status.code().map_or_else(|| output.status.to_string(), |code| format!("exit {code}"));
        Ok::<_, anyhow::Error>((exit, text))
    };
    let mut rows = Vec::new();
    for (contract, expected) in &peer.contracts {
        let (found, _) = ask(&["run", contract, "--url", &url])?;
        rows.push(Row {
            what: format!("run {contract}"),
            expected: format!("exit {expected}"),
            found,
            reason: String::new(),
        });
    }
    let (found, text) = ask(&["verify", &url])?;
    rows.push(Row {
        what: "verify".to_owned(),
        expected: format!("exit {}", peer.verify),
        found,
        reason: String::new(),
    });
    rows.extend(compare(&peer.verdicts, &text));
    Ok(rows)
}

/// The verdicts that a report shows beside those that are expected; a contract may stand there once for each binding.
fn compare(expected: &BTreeMap<String, String>, report: &str) -> Vec<Row> {
    let shown: Vec<_> = report.lines().filter_map(verdict).collect();
    let mut rows = Vec::new();
    for (id, verdict, reason) in &shown {
        let expected = expected.get(*id).map_or("nothing known", String::as_str);
        rows.push(Row {
            what: (*id).to_owned(),
            expected: expected.to_owned(),
            found: (*verdict).to_owned(),
            reason: (*reason).to_owned(),
        });
    }
    for (id, expected) in expected.iter().filter(|(id, _)| shown.iter().all(|(shown, ..)| shown != id)) {
        let found = "not in the report".to_owned();
        rows.push(Row { what: id.clone(), expected: expected.clone(), found, reason: String::new() });
    }
    rows
}

/// The contract, verdict and reason in a line of a report; none in lines that show no verdict of a contract.
fn verdict(line: &str) -> Option<(&str, &str, &str)> {
    let is_id = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.contains('.')
            && word.split('.').all(|part| !part.is_empty())
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.' || c == '-')
    };
    let id = line.split_whitespace().find(is_id)?;
    let verdict = line.split_whitespace().find(|word| ["passed", "failed", "skipped"].contains(word))?;
    let end = |word: &str| line.find(word).map(|start| start + word.len());
    let reason = &line[end(id)?.max(end(verdict)?)..];
    Some((id, verdict, reason.trim_matches(|c: char| c.is_whitespace() || "│|:·—".contains(c))))
}

fn summary(peer: &str, rows: &[Row]) -> String {
    let width = |column: fn(&Row) -> &str| rows.iter().map(|row| column(row).chars().count()).max().unwrap_or(0);
    let (what, expected) = (width(|row| &row.what), width(|row| &row.expected).max("expected".len()));
    let mut text = format!("\n{peer}\n  {:<what$}  {:<expected$}  found\n", "", "expected");
    for row in rows {
        let mark = if row.as_expected() { "" } else { "  UNEXPECTED" };
        text.push_str(&format!("  {:<what$}  {:<expected$}  {}{mark}\n", row.what, row.expected, row.found));
    }
    let skipped: Vec<_> = rows.iter().filter(|row| row.found == "skipped" && row.reason.contains("stimul")).collect();
    if !skipped.is_empty() {
        text.push_str("  skipped for want of a stimulus:\n");
        for row in skipped {
            text.push_str(&format!("    {}: {}\n", row.what, row.reason));
        }
    }
    text
}

/// Reads every description in the folder, in the order of their names.
fn peers(folder: &Path) -> Result<Vec<Peer>> {
    let mut peers = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let file = entry?.path();
        if file.extension().unwrap_or_default() == "json" {
            let peer = fs::read_to_string(&file).map_err(anyhow::Error::from).and_then(|text| Peer::parse(&text));
            peers.push(peer.with_context(|| format!("cannot read {}", file.display()))?);
        }
    }
    if peers.is_empty() {
        bail!("{} describes no agent", folder.display());
    }
    peers.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(peers)
}

impl Peer {
    fn parse(text: &str) -> Result<Self> {
        let value: Value = serde_json::from_str(text)?;
        let words = |name: &str| {
            let list = value[name].as_array().with_context(|| format!("`{name}` is no list"))?;
            let words: Option<Vec<_>> = list.iter().map(|word| word.as_str().map(str::to_owned)).collect();
            words.with_context(|| format!("`{name}` holds something that is no text"))
        };
        let map = |name: &str| value[name].as_object().with_context(|| format!("`{name}` is no object"));
        let code = |code: &Value| {
            let code = code.as_i64().and_then(|code| i32::try_from(code).ok());
            code.with_context(|| "an exit code is no number".to_owned())
        };
        let contracts = map("contracts")?.iter().map(|(file, exit)| Ok((file.clone(), code(exit)?)));
        let verdicts = map("verdicts")?.iter().map(|(id, verdict)| {
            let verdict = verdict.as_str().filter(|verdict| ["passed", "failed", "skipped"].contains(verdict));
            Ok((id.clone(), verdict.with_context(|| format!("`{id}` has no verdict"))?.to_owned()))
        });
        Ok(Self {
            name: value["name"].as_str().context("`name` is no text")?.to_owned(),
            install: words("install")?,
            serve: words("serve")?,
            contracts: contracts.collect::<Result<_>>()?,
            verify: code(&value["verify"])?,
            verdicts: verdicts.collect::<Result<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
a2acode at http://127.0.0.1:9000 over JSONRPC
  passed   card.well-known           4 ms
  failed   card.required-fields      1 ms
  skipped  send.completed            no stimulus `echo` is known for this agent
  ext.negotiation-activates │ JSONRPC │ skipped │ the card declares no extensions
3 contracts: 1 passed, 1 failed, 2 skipped in 0.5 s";

    #[test]
    fn verdicts_are_read_from_a_report() {
        let found: Vec<_> = REPORT.lines().filter_map(verdict).collect();
        let expected = [
            ("card.well-known", "passed", "4 ms"),
            ("card.required-fields", "failed", "1 ms"),
            ("send.completed", "skipped", "no stimulus `echo` is known for this agent"),
            ("ext.negotiation-activates", "skipped", "the card declares no extensions"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn every_difference_is_unexpected() {
        let expected =
            [("card.well-known", "passed"), ("card.required-fields", "passed"), ("send.completed", "skipped")];
        let mut expected: BTreeMap<_, _> = expected.iter().map(|(id, v)| (id.to_string(), v.to_string())).collect();
        expected.insert("stream.sse-events".to_owned(), "passed".to_owned());
        let rows = compare(&expected, REPORT);
        let unexpected: Vec<_> = rows.iter().filter(|row| !row.as_expected()).map(|row| row.what.as_str()).collect();
        assert_eq!(unexpected, ["card.required-fields", "ext.negotiation-activates", "stream.sse-events"]);

        let text = summary("a2acode", &rows);
        assert_eq!(text.matches("UNEXPECTED").count(), 3, "{text}");
        let (_, wanting) = text.split_once("skipped for want of a stimulus:\n").unwrap();
        assert!(wanting.contains("send.completed: ") && !wanting.contains("ext.negotiation"), "{text}");
    }

    #[test]
    fn every_description_in_the_repository_is_complete() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for peer in peers(&root.join("tests/interop")).unwrap() {
            assert!(peer.serve.iter().any(|word| word.contains("{port}")), "{}: no port", peer.name);
            assert!(peer.install.iter().all(|package| package.contains("==")), "{}: versions are pinned", peer.name);
            assert!(!peer.verdicts.is_empty(), "{}: nothing is expected", peer.name);
        }
    }

    #[test]
    fn a_description_with_a_hole_is_refused() {
        let whole =
            r#"{"name":"x","install":[],"serve":[],"contracts":{"a.yaml":0},"verify":0,"verdicts":{"a.b":"passed"}}"#;
        assert!(Peer::parse(whole).is_ok());
        for (from, to, error) in [
            (r#""name":"x","#, "", "`name` is no text"),
            (r#""serve":[]"#, r#""serve":[1]"#, "`serve` holds something that is no text"),
            (r#""a.yaml":0"#, r#""a.yaml":"0""#, "an exit code is no number"),
            (r#""passed""#, r#""good""#, "`a.b` has no verdict"),
        ] {
            assert_eq!(Peer::parse(&whole.replace(from, to)).unwrap_err().to_string(), error);
        }
    }
}
