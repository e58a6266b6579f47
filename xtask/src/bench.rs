//! `cargo xtask bench`: what start-up and the sandbox cost, measured with the release program. docs/performance.md shows the
//! numbers of one machine and what limits them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::dist;
use crate::process::{output, step};
use crate::workspace::Workspace;

/// Enough for a steady median; a run takes tens of milliseconds.
const RUNS: usize = 30;

/// Makes the release, measures, prints a table.
pub(crate) fn run() -> Result<ExitCode> {
    let workspace = Workspace::read()?;
    let program = dist::make(&workspace)?;
    let folder = workspace.target.join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for scenarios in [1, 50] {
        let path = folder.join(format!("{scenarios}.yaml"));
        fs::write(&path, contract(scenarios)).with_context(|| format!("cannot write {}", path.display()))?;
    }

    let mut rows = Vec::new();
    step(&format!("program: {RUNS} starts of each command"), || {
        for (name, arguments) in [
            ("a2a-host --version", vec!["--version".to_owned()]),
            ("a2a-host check, 1 scenario", vec!["check".to_owned(), file(&folder, 1)]),
            ("a2a-host check, 50 scenarios", vec!["check".to_owned(), file(&folder, 50)]),
        ] {
            rows.push((name.to_owned(), format!("{:.1} ms", start(&program, &arguments)?.as_secs_f64() * 1e3)));
        }
        Ok(())
    })?;
    step("sandbox: instances and calls", || {
        let measured = output(Command::new(&program).args(["plugin", "measure"]))?;
        for line in measured.lines() {
            let (name, time) = line.split_once('\t').context("the program printed an unexpected line")?;
            rows.push((name.to_owned(), time.to_owned()));
        }
        Ok(())
    })?;

    println!("{}", machine());
    for (name, time) in rows {
        println!("{name:<44} {time:>10}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Each scenario with checks of the usual kinds, every one with a text and a pattern of its own.
fn contract(scenarios: usize) -> String {
    let mut text = "version: 1\nagent: {url: 'http://127.0.0.1:9000'}\nscenarios:\n".to_owned();
    for index in 0..scenarios {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "  - name: scenario {index}\n    message: echo number {index}\n    expect:\n      state: completed\n      \
             text: {{contains: number {index}, matches: 'number {index}$'}}\n      max_seconds: 5"
        );
    }
    text
}

fn file(folder: &Path, scenarios: usize) -> String {
    folder.join(format!("{scenarios}.yaml")).display().to_string()
}

/// Median wall-clock time from start to end.
fn start(program: &Path, arguments: &[String]) -> Result<Duration> {
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let started = Instant::now();
        let status = Command::new(program).args(arguments).stdout(Stdio::null()).status()?;
        times.push(started.elapsed());
        if !status.success() {
            bail!("`a2a-host {}` ended with {status}", arguments.join(" "));
        }
    }
    times.sort_unstable();
    Ok(times[RUNS / 2])
}

/// The processor, as Linux names it.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    format!("{}, {cores} cores", model.map_or(std::env::consts::ARCH, |(_, model)| model))
}
