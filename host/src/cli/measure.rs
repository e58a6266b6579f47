use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::output::Output;
use crate::a2a::Message;
use crate::exit::Exit;
use crate::plugin::Loader;
use crate::sandbox::{AssertionSession, ExtensionHandler, ExtensionRequest, ObservedTurn, PluginError, WasmExtension};

/// Measure what the sandbox costs on this machine: instances, checks, extensions. `cargo xtask bench` runs it.
#[derive(clap::Args)]
pub(super) struct MeasureArgs {
    /// How often to run each; the median is shown
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

/// Page faults and cold caches belong to the first runs.
const WARM_UP: u32 = 100;

pub(super) async fn measure(args: MeasureArgs, output: &Output) -> Exit {
    match measurements(args.runs).await {
        Ok(measured) => {
            for (name, median) in measured {
                output.result(&format!("{name}\t{:.1} µs\n", median.as_secs_f64() * 1e6));
            }
            Exit::Passed
        }
        Err(error) => output.error(&error.to_string()),
    }
}

async fn measurements(runs: u32) -> Result<Vec<(String, Duration)>, PluginError> {
    let loader = Loader::new(Arc::new(|_, _| ()))?;
    let here = Path::new(".");
    let mut measured = Vec::new();
    for name in ["assertions", "core", "extensions"] {
        let plugin = loader.load(name, here).await?;
        let mut times = Times::new();
        while times.wanted(runs) {
            let started = Instant::now();
            plugin.try_start().await?;
            times.add(started);
        }
        measured.push((format!("instantiate {name}"), times.median()));
    }

    let assertions = loader.load("assertions", here).await?;
    let turn = Arc::new(ObservedTurn {
        text: "hello world".into(),
        state: "completed".into(),
        states: vec!["submitted".into(), "working".into(), "completed".into()],
        request: "null".into(),
        folded: "null".into(),
        elapsed_us: 1_000,
        ..ObservedTurn::default()
    });
    for (name, check, config) in [
        ("check state", "state", r#""completed""#),
        ("check text contains", "text", r#"{"contains":"world"}"#),
        ("check text matches", "text", r#"{"matches":"w[a-z]+d$"}"#),
        ("check states", "states", r#"{"contains_in_order":["submitted","completed"]}"#),
    ] {
        let mut session = AssertionSession::new(&assertions);
        let Ok(prepared) = session.prepare(check, config).await? else {
            return Err(assertions.unusable(format!("refuses the config {config} of `{check}`")));
        };
        let mut times = Times::new();
        while times.wanted(runs) {
            let started = Instant::now();
            let judged = session.evaluate(prepared, &turn).await?;
            times.add(started);
            if judged != Ok(Vec::new()) {
                return Err(assertions.unusable(format!("`{check}` did not pass a turn that it should: {judged:?}")));
            }
        }
        measured.push((name.to_owned(), times.median()));
    }

    let extensions = loader.load("extensions", here).await?;
    let extension = WasmExtension::open(&extensions).await?;
    let uri = "urn:a2a:dummy:timestamp";
    let mut times = Times::new();
    while times.wanted(runs) {
        let request = ExtensionRequest {
            message: Message::agent("ext"),
            text: "ext".into(),
            requested: vec![uri.into()],
            activated: vec![uri.into()],
            headers: Vec::new(),
            tenant: None,
            metadata: None,
            raw: serde_json::Value::Null,
            task: None,
        };
        let started = Instant::now();
        let contribution = extension.activate(uri, request).await;
        times.add(started);
        contribution.map_err(|why| extensions.unusable(why))?;
    }
    measured.push(("activate an extension in a fresh instance".to_owned(), times.median()));
    Ok(measured)
}

/// The times of one measurement.
struct Times {
    begun: u32,
    times: Vec<Duration>,
}

impl Times {
    fn new() -> Times {
        Times { begun: 0, times: Vec::new() }
    }

    fn wanted(&mut self, runs: u32) -> bool {
        self.begun += 1;
        self.begun <= WARM_UP + runs
    }

    fn add(&mut self, started: Instant) {
        if self.begun > WARM_UP {
            self.times.push(started.elapsed());
        }
    }

    fn median(mut self) -> Duration {
        self.times.sort_unstable();
        self.times.get(self.times.len() / 2).copied().unwrap_or_default()
    }
}
