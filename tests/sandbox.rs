//! Every hostile guest meets the limit that stops it, in one line, and the next call works.

mod support;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use a2a_host::a2a::{Artifact, Binding, Message, TaskState};
use a2a_host::sandbox::{
    AgentFailure, AgentPort, AgentReply, AssertionSession, BoxFuture, CallOptions, Code, CompileCache, Endpoint,
    EventStreamPort, ExtensionHandler, ExtensionRequest, HandlerError, HttpRequest, Limits, ObservedTurn, PackPorts,
    Plugin, RawResponse, ReceiverPort, Sandbox, StimuliPort, Stimulus, TaskPort, Verdict, WasmExtension, WebhookPort,
    describe_pack, verify_contract,
};
use serde_json::{Value, json};
use support::hostile;

fn load(kind: &str, name: &str) -> Plugin {
    let bytes = hostile::component(kind, name);
    Sandbox::new(None).unwrap().load(name, &bytes, Code::Component, &mut |_| ()).unwrap()
}

/// Describe, prepare and evaluate, and what came of it: the findings' count, or the words of what went wrong.
async fn judge(plugin: &Plugin) -> Result<usize, String> {
    let mut session = AssertionSession::new(plugin);
    session.describe().await.map_err(|error| error.to_string())?;
    let prepared = session.prepare("hostile", "null").await.map_err(|error| error.to_string())?.unwrap();
    let answer = session.evaluate(prepared, &Arc::new(ObservedTurn::default())).await;
    answer.map_err(|error| error.to_string())?.map(|findings| findings.len())
}

/// Each hostile assertion, and what must stand in its one line. No words: it does no harm that anybody could notice.
const ASSERTIONS: &[(&str, &[&str])] = &[
    ("divides-by-zero", &["evaluate trapped", "divide by zero"]),
    ("findings-flood", &[]),
    ("greedy-random", &["evaluate trapped", "65537 bytes, the limit is 65536"]),
    ("harmless", &[]),
    ("huge-answer", &["evaluate handed over more than 16 MiB"]),
    ("invalid-utf8", &["evaluate trapped", "utf-8"]),
    ("log-flood", &[]),
    ("log-for-ever", &["evaluate trapped: it called the host too often or with too much: more than 256 MiB"]),
    ("long-answer", &["…"]),
    ("loop-in-describe", &["describe used up its CPU budget (2000 million units of fuel)"]),
    ("loop-in-evaluate", &["evaluate used up its CPU budget (2000 million units of fuel)"]),
    ("loop-in-prepare", &["prepare used up its CPU budget (2000 million units of fuel)"]),
    ("loop-in-realloc", &["prepare used up its CPU budget"]),
    ("loop-in-start", &["start used up its CPU budget (200 million units of fuel)"]),
    ("lying-list", &["evaluate trapped: list pointer/length out of bounds"]),
    ("lying-string", &["evaluate trapped: string pointer/length out of bounds"]),
    ("memory-at-start", &["start asked for 4096 MiB of memory, the limit is 64 MiB"]),
    ("memory-bomb", &["evaluate asked for", "MiB of memory, the limit is 64 MiB"]),
    ("modest-random", &[]),
    ("nameless", &["describe offers the check `` twice or without a name"]),
    ("panics", &["evaluate trapped: panicked at check.rs:7: no such part"]),
    ("recursion", &["evaluate trapped: it ran out of stack"]),
    ("table-bomb", &["evaluate asked for", "table elements, the limit is 20000"]),
    ("terminal-escapes", &["\\u{1b}[2Jx\\u{202e}y!"]),
    ("trap", &["evaluate trapped: wasm `unreachable` instruction executed"]),
    ("trap-in-describe", &["describe trapped"]),
    ("twins", &["describe offers the check `hostile` twice"]),
];

#[tokio::test(flavor = "multi_thread")]
async fn each_hostile_assertion_ends_in_one_line() {
    let named: Vec<&str> = ASSERTIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(hostile::names("assertions"), named, "each file has its line in the table");
    for (name, words) in ASSERTIONS {
        let outcome = judge(&load("assertions", name)).await;
        match outcome {
            Ok(_) => assert!(words.is_empty(), "{name} should have failed"),
            Err(line) => {
                assert!(!words.is_empty(), "{name}: {line}");
                for word in *words {
                    assert!(line.contains(word), "{name}: `{word}` is not in: {line}");
                }
                assert_eq!(line.lines().count(), 1, "{name}: {line}");
                assert!(!line.contains("0x"), "{name} shows a wasm offset: {line}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn floods_are_cut_and_counted() {
    // A hundred findings, and one that says how many were dropped.
    assert_eq!(judge(&load("assertions", "findings-flood")).await, Ok(101));
    let text = judge(&load("assertions", "long-answer")).await.unwrap_err();
    // Escapes are never cut in two, so a few of the 4,000 characters may be missing.
    let length = text.chars().count();
    assert!(text.ends_with('…') && (3_990..=4_001).contains(&length), "{length} characters");
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_hold_on_both_sides() {
    // `harmless` needs 128 KiB of memory, and instances, tables and memories of a small component.
    let plugin = load("assertions", "harmless");
    let limits = |memory| Limits { memory, ..plugin.limits().clone() };
    assert_eq!(judge(&plugin.with_limits(limits(2 * 65_536))).await, Ok(0));
    let line = judge(&plugin.with_limits(limits(2 * 65_536 - 1))).await.unwrap_err();
    assert!(line.contains("start asked for 1 MiB of memory"), "{line}");

    // Fuel is the same in every run: find the smallest budget that is enough; one less is not.
    let fuelled = |fuel| plugin.with_limits(Limits { fuel, ..plugin.limits().clone() });
    let mut enough = 1;
    while judge(&fuelled(enough)).await.is_err() {
        enough += 1;
        assert!(enough < 10_000, "a guest that does nothing needs little");
    }
    assert!(judge(&fuelled(enough - 1)).await.unwrap_err().contains("CPU budget"));
    for _ in 0..20 {
        assert_eq!(judge(&fuelled(enough)).await, Ok(0));
    }

    // An answer of 1 MiB passes a limit of 1 MiB and a little for the rest of the answer, and not one below it.
    let plugin = load("assertions", "long-answer");
    let transferring = |transfer| plugin.with_limits(Limits { transfer, ..plugin.limits().clone() });
    assert!(judge(&transferring(1024 * 1024 + 64)).await.unwrap_err().ends_with('…'));
    assert!(judge(&transferring(1024 * 1024 - 64)).await.unwrap_err().contains("handed over more than"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_ends_what_fuel_does_not() {
    let plugin = load("assertions", "loop-in-evaluate");
    let limits = Limits { fuel: u64::MAX, deadline: Duration::from_millis(300), ..plugin.limits().clone() };
    let line = judge(&plugin.with_limits(limits)).await.unwrap_err();
    assert!(line.contains("evaluate was not done after 0.3 s"), "{line}");
    let plugin = load("assertions", "loop-in-start");
    let limits = Limits { start_fuel: u64::MAX, deadline: Duration::from_millis(300), ..plugin.limits().clone() };
    let line = judge(&plugin.with_limits(limits)).await.unwrap_err();
    assert!(line.contains("start was not done after 0.3 s"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_guest_moves_is_bounded_on_both_sides() {
    // The guest asks for 64 KiB of randomness once.
    let plugin = load("assertions", "modest-random");
    // The call itself counts as a kilobyte.
    let moving = |traffic| plugin.with_limits(Limits { traffic, ..plugin.limits().clone() });
    assert_eq!(judge(&moving(65_536 + 1_024)).await, Ok(0));
    let line = judge(&moving(65_536 + 1_023)).await.unwrap_err();
    assert!(line.contains("evaluate trapped: it called the host too often or with too much"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_are_bounded_on_both_sides() {
    let plugin = load("assertions", "findings-flood");
    let allowing = |findings| plugin.with_limits(Limits { findings, ..plugin.limits().clone() });
    assert_eq!(judge(&allowing(1_000)).await, Ok(1_000));
    // One fewer: the kept ones, and the one that counts the dropped.
    assert_eq!(judge(&allowing(999)).await, Ok(1_000));
    assert_eq!(judge(&allowing(10)).await, Ok(11));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bundled_plugins_name_their_version() {
    let loader = support::loader();
    for name in ["assertions", "extensions", "core"] {
        let plugin = loader.load(name, Path::new(".")).await.unwrap();
        assert_eq!(plugin.label(), format!("{name} {}", env!("CARGO_PKG_VERSION")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_trap_the_session_goes_on_with_a_fresh_instance() {
    let plugin = load("assertions", "trap");
    let mut session = AssertionSession::new(&plugin);
    let prepared = session.prepare("hostile", "null").await.unwrap().unwrap();
    for _ in 0..3 {
        let error = session.evaluate(prepared, &Arc::new(ObservedTurn::default())).await.unwrap_err();
        assert!(error.to_string().contains("unreachable"), "{error}");
    }
}

// ---- packs ----------------------------------------------------------------------------------------------------------

/// An agent with an empty card.
struct EmptyAgent;

impl AgentPort for EmptyAgent {
    fn endpoint(&self) -> Endpoint {
        Endpoint {
            binding: Binding::JsonRpc,
            url: "http://127.0.0.1:9/".into(),
            path: "/".into(),
            protocol_version: "1.0".into(),
            tenant: None,
        }
    }
    fn card(&self) -> BoxFuture<'_, Result<AgentReply, AgentFailure>> {
        Box::pin(async { Ok(AgentReply { body: json!({}), response: RawResponse::default(), deviations: Vec::new() }) })
    }
    fn call<'a>(
        &'a self,
        _operation: &'a str,
        _request: Value,
        _options: CallOptions,
    ) -> BoxFuture<'a, Result<AgentReply, AgentFailure>> {
        Box::pin(async { Err(AgentFailure::Timeout) })
    }
    fn open<'a>(
        &'a self,
        _operation: &'a str,
        _request: Value,
        _options: CallOptions,
    ) -> BoxFuture<'a, Result<Box<dyn EventStreamPort>, AgentFailure>> {
        Box::pin(async { Err(AgentFailure::Timeout) })
    }
    fn http(&self, _request: HttpRequest) -> BoxFuture<'_, Result<RawResponse, AgentFailure>> {
        Box::pin(async { Err(AgentFailure::Timeout) })
    }
}

struct Nothing;
impl StimuliPort for Nothing {
    fn get(&self, _behaviour: &str) -> Option<Stimulus> {
        None
    }
}
impl WebhookPort for Nothing {
    fn open(&self) -> BoxFuture<'_, Result<Box<dyn ReceiverPort>, String>> {
        Box::pin(async { Err("not here".into()) })
    }
}

async fn verify(name: &str, deadline: Duration) -> Result<Verdict, String> {
    let plugin = load("contracts", name);
    assert_eq!(describe_pack(&plugin).await.unwrap().contracts[0].id, "hostile.one");
    let ports = PackPorts { agent: Arc::new(EmptyAgent), stimuli: Arc::new(Nothing), webhook: Arc::new(Nothing) };
    verify_contract(&plugin, "hostile.one", ports, deadline).await.map_err(|error| error.to_string())?
}

#[tokio::test(flavor = "multi_thread")]
async fn each_hostile_pack_ends_in_one_line() {
    let table = [
        ("harmless", ""),
        ("loop-after-call", "verify used up its CPU budget"),
        ("request-flood", "verify trapped: it made more than 1000 requests"),
        ("sleeper", "verify was not done after 0.2 s"),
        ("verdict-out-of-range", "verify trapped"),
    ];
    assert_eq!(hostile::names("contracts"), table.map(|(name, _)| name), "each file has its line in the table");
    for (name, words) in table {
        // Only the sleeper may meet its deadline; the others get all the time that a slow machine needs.
        let deadline = Duration::from_millis(if name == "sleeper" { 200 } else { 60_000 });
        match verify(name, deadline).await {
            Ok(verdict) => assert_eq!((name, verdict), ("harmless", Verdict::Passed { notes: vec![] })),
            Err(line) => assert!(!words.is_empty() && line.contains(words), "{name}: {line}"),
        }
    }
}

// ---- extensions -----------------------------------------------------------------------------------------------------

/// A task that allows everything and keeps nothing.
struct AnyTask;

impl TaskPort for AnyTask {
    fn id(&self) -> String {
        "t".into()
    }
    fn context_id(&self) -> String {
        "c".into()
    }
    fn history(&self) -> Vec<Message> {
        Vec::new()
    }
    fn status(&self, _state: TaskState, _message: Option<Message>) -> Result<(), String> {
        Ok(())
    }
    fn artifact(&self, _artifact: Artifact, _append: bool, _last_chunk: bool) -> Result<(), String> {
        Ok(())
    }
    fn reply(&self, _message: Message) -> Result<(), String> {
        Ok(())
    }
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            tokio::time::sleep(duration).await;
            false
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_hostile_extension_fails_its_task_in_one_line() {
    let table = [
        ("event-flood", "handle trapped: it sent more than 10000 events"),
        ("harmless", ""),
        ("log-large", "handle trapped: it called the host too often or with too much: more than 256 MiB"),
        ("loop", "handle used up its CPU budget"),
        ("trap", "handle trapped: wasm `unreachable`"),
    ];
    assert_eq!(hostile::names("extensions"), table.map(|(name, _)| name), "each file has its line in the table");
    for (name, words) in table {
        let extension = WasmExtension::open(&load("extensions", name)).await.unwrap();
        assert_eq!(extension.extensions()[0].command.as_deref(), Some("hostile"));
        let request = ExtensionRequest {
            message: Message::agent("x"),
            text: "x".into(),
            requested: vec![],
            activated: vec![],
            headers: vec![],
            tenant: None,
            metadata: None,
            raw: json!({}),
            task: None,
        };
        match extension.handle("urn:hostile", request, Arc::new(AnyTask)).await {
            Ok(()) => assert_eq!(name, "harmless"),
            Err(HandlerError::Plugin(line)) => {
                assert!(!words.is_empty() && line.contains(words), "{name}: {line}");
                assert!(line.starts_with(&format!("plugin {name}: ")), "{line}");
            }
            Err(other) => panic!("{name}: {other:?}"),
        }
    }
}

// ---- the compile cache ----------------------------------------------------------------------------------------------

#[tokio::test(flavor = "multi_thread")]
async fn a_component_is_compiled_once_and_a_damaged_cache_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::new(CompileCache::at(folder.path().join("compiled"))).unwrap();
    let bytes = hostile::component("assertions", "harmless");
    let compiles = || {
        let mut count = 0;
        let plugin = sandbox.load("harmless", &bytes, Code::Component, &mut |_| count += 1).unwrap();
        (count, plugin)
    };
    assert_eq!(compiles().0, 1);
    let (count, plugin) = compiles();
    assert_eq!((count, judge(&plugin).await), (0, Ok(0)));
    for entry in std::fs::read_dir(folder.path().join("compiled")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "cwasm") {
            let mut damaged = std::fs::read(&path).unwrap();
            let middle = damaged.len() / 2;
            damaged[middle] ^= 1;
            std::fs::write(&path, damaged).unwrap();
        }
    }
    let (count, plugin) = compiles();
    assert_eq!((count, judge(&plugin).await), (1, Ok(0)));
}
