//! `cargo xtask interop`: the examples and the packs against agents that others wrote, and clients that others wrote
//! against the dummy agent.
//!
//! Each file in `tests/interop/` describes one agent: how to install and start it, and what is expected of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::client;
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
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) expected: String,
    pub(crate) found: String,
    /// What the report says behind the verdict.
    pub(crate) reason: String,
}

impl Row {
    pub(crate) fn as_expected(&self) -> bool {
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
    unexpected += client::run(&workspace, &program)?;
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
        command.args(args).env("LC_ALL", "C").env("NO_COLOR", "1").current_dir(&workspace.root);
        eprintln!("==> {}", shown(&command));
        let output = command.stderr(Stdio::inherit()).output()?;
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

/// The verdicts that a report shows beside those that are expected.
fn compare(expected: &BTreeMap<String, String>, report: &str) -> Vec<Row> {
    let mut rows = verdicts(report);
    for row in &mut rows {
        row.expected = expected.get(&row.what).map_or("nothing known", String::as_str).to_owned();
    }
    let missing = expected.iter().filter(|(id, _)| rows.iter().all(|row| row.what != **id));
    let missing = missing.map(|(id, expected)| Row {
        what: id.clone(),
        expected: expected.clone(),
        found: "not in the report".to_owned(),
        reason: String::new(),
    });
    let missing: Vec<_> = missing.collect();
    rows.extend(missing);
    rows
}

/// Reads the tables of a report in plain ASCII: lines of a mark, the contract's id and more, whose last column goes on in
/// lines that begin with blanks. A contract with one verdict on several bindings is one row.
fn verdicts(report: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut open = false;
    for line in report.lines() {
        let mut words = line.split_whitespace();
        let verdict = match words.next() {
            Some("ok") => "passed",
            Some("FAIL") => "failed",
            Some("skip") => "skipped",
            Some(_) if open && line.starts_with("          ") => {
                if let Some(row) = rows.last_mut() {
                    row.reason.push_str(&format!(" {}", line.trim()));
                }
                continue;
            }
            _ => {
                open = false;
                continue;
            }
        };
        // Scenarios have names of any words; contracts have ids with a dot.
        let Some(id) = words.next().filter(|id| id.contains('.')) else { continue };
        open = !rows.iter().any(|row| row.what == id && row.found == verdict);
        if open {
            let reason = line.split_once("skipped: ").map_or("", |(_, reason)| reason.trim());
            rows.push(Row {
                what: id.to_owned(),
                expected: String::new(),
                found: verdict.to_owned(),
                reason: reason.to_owned(),
            });
        }
    }
    rows
}

pub(crate) fn summary(peer: &str, rows: &[Row]) -> String {
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
            install: words(&value, "install")?,
            serve: words(&value, "serve")?,
            contracts: contracts.collect::<Result<_>>()?,
            verify: code(&value["verify"])?,
            verdicts: verdicts.collect::<Result<_>>()?,
        })
    }
}

/// A member that is a list of texts.
pub(crate) fn words(value: &Value, name: &str) -> Result<Vec<String>> {
    let list = value[name].as_array().with_context(|| format!("`{name}` is no list"))?;
    let words: Option<Vec<_>> = list.iter().map(|word| word.as_str().map(str::to_owned)).collect();
    words.with_context(|| format!("`{name}` holds something that is no text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
pack core 0.1.0 on http://127.0.0.1:9000 over JSONRPC

        contract                    level   time
--------------------------------------------------------------------------
 ok     card.well-known             must    4 ms
 FAIL   card.required-fields        must    1 ms   `skills` is missing
 skip   send.completed              must       -   skipped: no stimulus for
                                                   `echo`; give one
 skip   ext.negotiation-activates   must       -   skipped: no extensions
 ok     hello                       1/1     2 ms
          
 ok     card.well-known             must    6 ms   again, on another binding

3 contracts: 1 passed, 1 failed, 2 skipped in 0.5 s";

    #[test]
    fn verdicts_are_read_from_a_report() {
        let rows = verdicts(REPORT);
        let found: Vec<_> =
            rows.iter().map(|row| (row.what.as_str(), row.found.as_str(), row.reason.as_str())).collect();
        let expected = [
            ("card.well-known", "passed", ""),
            ("card.required-fields", "failed", ""),
            ("send.completed", "skipped", "no stimulus for `echo`; give one"),
            ("ext.negotiation-activates", "skipped", "no extensions"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn every_difference_is_unexpected() {
        let expected = [
            ("card.well-known", "passed"),
            ("card.required-fields", "passed"),
            ("send.completed", "skipped"),
            ("stream.sse-events", "passed"),
        ];
        let expected = expected.iter().map(|(id, verdict)| (id.to_string(), verdict.to_string())).collect();
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
