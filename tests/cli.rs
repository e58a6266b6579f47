//! What a user sees: the built program against the dummy agent.

mod support;

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use a2a_host::dummy::Agent;
use a2a_host::sandbox::{
    BoxFuture, Contribution, ExtensionHandler, ExtensionInfo, ExtensionRequest, HandlerError, TaskPort,
};
use snapbox::{assert_data_eq, str};
use support::{ContractFile, Dummy, Outcome, command, finish, hostile, run, steady};

fn assert_code(outcome: &Outcome, code: i32) {
    assert_eq!(outcome.code, Some(code), "stdout:\n{}\nstderr:\n{}", outcome.stdout, outcome.stderr);
}

// ---- run ------------------------------------------------------------------------------------------------------------

#[test]
fn the_hello_contract_passes_against_the_dummy() {
    let dummy = Dummy::start();
    let outcome = run(&["run", "examples/hello/contract.yaml", "--url", dummy.url()]);
    assert_code(&outcome, 0);
    assert_data_eq!(
        steady(&outcome.stdout),
        str![[r#"
Dummy A2A Test Agent 1.0.0 at [AGENT]/

examples/hello/contract.yaml over JSONRPC
[RULE]
     scenario                      trials time
[RULE]
 ✓   repeats what it was told      1/1 [TIME]
 ✓   answers in time, every time   3/3 [TIME]
[RULE]

2 passed, 0 failed in [TIME]

"#]]
    );
    assert_eq!(outcome.stderr, "");
}

#[test]
fn a_wrong_expectation_is_a_finding_with_its_place() {
    let dummy = Dummy::start();
    let contract = ContractFile::new(
        "version: 1\nagent: {url: 'http://127.0.0.1:9000'}\nscenarios:\n  - name: greets\n    message: hello\n    expect:\n      text: {contains: [hello, goodbye]}\n",
    );
    let outcome = contract.run("run", &["--url", dummy.url()]);
    assert_code(&outcome, 1);
    assert_data_eq!(
        steady(&outcome.stdout),
        str![[r#"
Dummy A2A Test Agent 1.0.0 at [AGENT]/

contract.yaml over JSONRPC
[RULE]
     scenario   trials time
[RULE]
 ✗   greets     0/1 [TIME]
[RULE]

✗ greets
  turn 1
  error[text-lacks]: the text does not contain "goodbye"
    ╭▸ contract.yaml:7:32
    │
  7 │       text: {contains: [hello, goodbye]}
    │                                ━━━━━━━
    │
    ├ note: expected: goodbye
    ╰ note: found: hello
  reply: completed (submitted → working → completed); 4 events, the first after [TIME], [TIME] in all
    | hello

0 passed, 1 failed in [TIME]

"#]]
    );
}

#[test]
fn a_failure_state_fails_a_turn_that_expects_nothing() {
    let dummy = Dummy::start();
    let contract = ContractFile::new(
        "version: 1\nagent: {url: 'http://127.0.0.1:9000'}\nscenarios:\n  - {name: fails, message: fail}\n  - {name: may fail, message: fail, expect: {state: failed}}\n",
    );
    let outcome = contract.run("run", &["--url", dummy.url()]);
    assert_code(&outcome, 1);
    assert!(outcome.stdout.contains("error[turn-failed]"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("contract.yaml:4:5"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("1 passed, 1 failed"), "{}", outcome.stdout);
}

#[test]
fn a_conversation_goes_on_and_trials_are_counted() {
    let dummy = Dummy::start();
    let contract = ContractFile::new(
        "version: 1
agent: {url: 'http://127.0.0.1:9000'}
scenarios:
  - name: asks
    trials: 4
    pass_rate: 0.5
    turns:
      - message: ask
        expect: {state: input_required}
      - message: Ada
        expect: {state: completed, text: {contains: 'Hello, Ada!'}, states: {equals: [working, completed]}}
  - name: data
    message: data
    expect:
      data: {path: /count, json_schema: {type: integer, minimum: 42}}
      checks:
        - {use: state, with: completed}
",
    );
    let outcome = contract.run("run", &["--url", dummy.url(), "--verbose"]);
    assert_code(&outcome, 0);
    assert!(outcome.stdout.contains("4/4, 2 needed"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("trial 4, turn 2"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("2 passed, 0 failed"), "{}", outcome.stdout);
}

#[test]
fn an_agent_that_is_not_there_is_exit_2() {
    let outcome = run(&["run", "examples/hello/contract.yaml", "--url", "http://127.0.0.1:1"]);
    assert_code(&outcome, 2);
    assert_eq!(outcome.stdout, "");
    assert!(outcome.stderr.starts_with("error: cannot reach http://127.0.0.1:1/.well-known/agent-card.json"));
    assert!(outcome.stderr.contains("a2a-host serve"), "{}", outcome.stderr);
}

#[test]
fn an_agent_that_answers_with_an_error_fails_the_trial() {
    let dummy = Dummy::start();
    let contract = ContractFile::new(
        "version: 1\nagent: {url: 'http://127.0.0.1:9000', headers: {A2A-Version: '9.9'}}\nscenarios: [{name: old, message: hello}]\n",
    );
    let outcome = contract.run("run", &["--url", dummy.url()]);
    assert_code(&outcome, 1);
    assert!(
        outcome.stdout.contains("VersionNotSupportedError (-32009, reason VERSION_NOT_SUPPORTED)"),
        "{}",
        outcome.stdout
    );
    assert!(outcome.stdout.contains("SendStreamingMessage to http://127.0.0.1"), "{}", outcome.stdout);
}

/// An extension that clients must activate.
struct Required(Vec<ExtensionInfo>);

impl Required {
    fn new() -> Required {
        Required(vec![ExtensionInfo {
            uri: "urn:example:billing".into(),
            description: "Bills the caller.".into(),
            required: true,
            params: None,
            command: None,
            skill: None,
        }])
    }
}

impl ExtensionHandler for Required {
    fn label(&self) -> String {
        "billing".into()
    }
    fn extensions(&self) -> &[ExtensionInfo] {
        &self.0
    }
    fn handle<'a>(
        &'a self,
        _uri: &'a str,
        _request: ExtensionRequest,
        _task: Arc<dyn TaskPort>,
    ) -> BoxFuture<'a, Result<(), HandlerError>> {
        Box::pin(async { Ok(()) })
    }
    fn activate<'a>(
        &'a self,
        _uri: &'a str,
        _request: ExtensionRequest,
    ) -> BoxFuture<'a, Result<Contribution, String>> {
        Box::pin(async { Ok(Contribution::default()) })
    }
}

#[test]
fn a_required_extension_ends_in_the_line_to_add() {
    let dummy = Dummy::with(Agent::builder().plugin(Arc::new(Required::new())).enforce_required_extensions(true));
    let contract = "version: 1\nagent:\n  url: http://127.0.0.1:9000\nscenarios: [{name: hello, message: hello}]\n";
    let outcome = ContractFile::new(contract).run("run", &["--url", dummy.url()]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("- urn:example:billing"), "{}", outcome.stderr);
    // Adding the line as it is printed mends it.
    let lines: Vec<&str> = outcome.stderr.lines().filter(|line| line.starts_with("  ")).collect();
    assert_eq!(lines, ["  extensions:", "    - urn:example:billing"]);
    let mended = contract.replace("scenarios:", &format!("{}\nscenarios:", lines.join("\n")));
    assert_code(&ContractFile::new(&mended).run("run", &["--url", dummy.url()]), 0);
}

#[test]
fn packs_run_beside_scenarios_and_skip_for_want_of_a_stimulus() {
    let dummy = Dummy::start();
    let contract = ContractFile::new(
        "version: 1
agent: {url: 'http://127.0.0.1:9000'}
packs:
  - use: core
    categories: [agent-card, send-message]
    stimuli: {completes: {text: echo from the contract, expect_text: from the contract}}
scenarios: [{name: hello, message: hello}]
",
    );
    let outcome = contract.run("run", &["--url", dummy.url()]);
    assert_code(&outcome, 0);
    assert!(outcome.stdout.contains("core 0.1.0 over JSONRPC"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("4 passed, 0 failed"), "{}", outcome.stdout);
    let wrong = ContractFile::new(
        "version: 1
agent: {url: 'http://127.0.0.1:9000'}
packs: [{use: core, contracts: [send.completed], stimuli: {completes: {text: echo a, expect_text: b}}}]
",
    );
    let outcome = wrong.run("run", &["--url", dummy.url()]);
    assert_code(&outcome, 1);
}

#[test]
fn secrets_reach_no_output() {
    let dummy = Dummy::start();
    let contract = ContractFile::new(
        "version: 1
agent:
  url: http://127.0.0.1:9000
  headers: {Authorization: 'Bearer ${TOKEN}'}
scenarios:
  - {name: echoes it, message: 'echo the token is ${TOKEN}', expect: {text: {contains: nothing of the kind}}}
",
    );
    let mut command = contract.command("run", &["--url", dummy.url(), "--verbose"]);
    let outcome = finish(command.env("TOKEN", "canary-7f3a"));
    assert_code(&outcome, 1);
    assert!(!outcome.stdout.contains("canary-7f3a") && !outcome.stderr.contains("canary-7f3a"), "{outcome:?}");
    assert!(outcome.stdout.contains("the token is [REDACTED]"), "{}", outcome.stdout);
}

// ---- check ----------------------------------------------------------------------------------------------------------

#[test]
fn check_says_everything_that_is_wrong_in_one_go() {
    // Errors of the language and of a check's config, together.
    let contract = ContractFile::new(
        "version: 1
agent: {url: 'http://127.0.0.1:9000', timeout: 0}
scenarios:
  - name: one
    mesage: hello
  - name: two
    message: hello
    expect:
      text: {contians: x}
",
    );
    let outcome = contract.run("check", &[]);
    assert_code(&outcome, 2);
    for (place, words) in [
        ("contract.yaml:2:48", "timeout"),
        ("contract.yaml:5:5", "did you mean `message`?"),
        ("contract.yaml:9:14", "did you mean `contains`?"),
    ] {
        assert!(outcome.stderr.contains(place), "{place}:\n{}", outcome.stderr);
        assert!(outcome.stderr.contains(words), "{words}:\n{}", outcome.stderr);
    }
    assert!(outcome.stderr.contains("━━━━━━"), "the place is marked:\n{}", outcome.stderr);
}

#[test]
fn check_reports_configs_at_their_places() {
    let contract = ContractFile::new(
        "version: 1
agent: {url: 'http://127.0.0.1:9000'}
scenarios:
  - name: one
    message: hello
    expect:
      txt: {contains: x}
      text: {contians: x, matches: '(unclosed'}
      data: {path: no-slash, equals: 1}
packs:
  - {use: core, categories: [agent-crd], contracts: [send.complete], stimuli: {complete: hi}}
",
    );
    let outcome = contract.run("check", &[]);
    assert_code(&outcome, 2);
    for (place, words) in [
        ("contract.yaml:7:7", "did you mean `text`?"),
        ("contract.yaml:8:14", "contains"),
        ("contract.yaml:8:27", "unclosed"),
        ("contract.yaml:9:14", "no-slash"),
        ("contract.yaml:11:30", "agent-card"),
        ("contract.yaml:11:54", "did you mean `send.completed`?"),
        ("contract.yaml:11:80", "did you mean `completes`?"),
    ] {
        assert!(outcome.stderr.contains(place), "{place}:\n{}", outcome.stderr);
        assert!(outcome.stderr.contains(words), "{words}:\n{}", outcome.stderr);
    }
    assert!(outcome.stderr.contains("7 errors; nothing was sent"), "{}", outcome.stderr);
}

#[test]
fn check_needs_no_agent() {
    let outcome = run(&["check", "examples/demo/contract.yaml"]);
    assert_code(&outcome, 0);
    assert_eq!(outcome.stdout, "examples/demo/contract.yaml: ok (5 scenarios, 1 pack with 5 contracts)\n");
}

#[test]
fn a_missing_file_and_a_missing_default_say_what_was_looked_for() {
    let outcome = run(&["run", "no-such.yaml"]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("no-such.yaml"), "{}", outcome.stderr);
    let folder = tempfile::tempdir().unwrap();
    let outcome = finish(command(&["check"]).current_dir(folder.path()));
    assert_code(&outcome, 2);
    assert!(
        outcome.stderr.contains("a2a-host.yaml") && outcome.stderr.contains("a2a-proof.yaml"),
        "{}",
        outcome.stderr
    );
    // The second default name is found.
    let text = "version: 1\nagent: {url: 'http://127.0.0.1:9000'}\nscenarios: [{name: a, message: b}]\n";
    std::fs::write(folder.path().join("a2a-proof.yaml"), text).unwrap();
    let outcome = finish(command(&["check"]).current_dir(folder.path()));
    assert_code(&outcome, 0);
}

// ---- plugins --------------------------------------------------------------------------------------------------------

const WITH_PLUGIN: &str = "version: 1
agent: {url: 'http://127.0.0.1:9000'}
plugins: [guest.wasm]
scenarios:
  - {name: judged, message: hello, expect: {checks: [{use: hostile}]}}
  - {name: plain, message: hello}
";

#[test]
fn a_plugin_that_breaks_costs_one_check_and_the_run_goes_on() {
    let dummy = Dummy::start();
    for (guest, words) in [
        ("trap", "plugin guest.wasm: evaluate trapped"),
        ("loop-in-evaluate", "plugin guest.wasm: evaluate used up its CPU budget"),
        ("memory-bomb", "plugin guest.wasm: evaluate asked for"),
        ("panics", "panicked at check.rs:7"),
    ] {
        let contract = ContractFile::new(WITH_PLUGIN).beside("guest.wasm", &hostile::component("assertions", guest));
        let outcome = contract.run("run", &["--url", dummy.url()]);
        assert_code(&outcome, 1);
        assert!(outcome.stdout.contains("error[plugin-broken]"), "{guest}: {}", outcome.stdout);
        assert!(outcome.stdout.contains(words), "{guest}: {}", outcome.stdout);
        assert!(outcome.stdout.contains("1 passed, 1 failed"), "{guest}: {}", outcome.stdout);
    }
    let contract = ContractFile::new(WITH_PLUGIN).beside("guest.wasm", &hostile::component("assertions", "harmless"));
    assert_code(&contract.run("run", &["--url", dummy.url()]), 0);
}

#[test]
fn a_plugin_that_cannot_be_loaded_is_exit_2_and_one_line() {
    let whole = hostile::component("assertions", "harmless");
    let missing =
        wat::parse_str(r#"(component (instance $i) (export "a2a-host:plugin/assertions@0.1.0" (instance $i)))"#);
    let foreign = wat::parse_str(
        r#"(component (import "evil:socket/raw@1.0.0" (instance)) (instance $i)
            (export "a2a-host:plugin/assertions@0.1.0" (instance $i)))"#,
    );
    let cases: [(&[u8], &str); 10] = [
        (&missing.unwrap(), "does not fit this a2a-host"),
        (&foreign.unwrap(), "it imports evil:socket/raw@1.0.0"),
        (b"\0asm\x01\0\0\0", "core module"),
        (&whole[..whole.len() / 2], "damaged or cut off"),
        (b"<html>", "HTML"),
        (b"", "empty"),
        (&hostile::component("assertions", "loop-in-start"), "start used up its CPU budget"),
        (&hostile::component("assertions", "memory-at-start"), "start asked for 4096 MiB"),
        (&hostile::component("assertions", "trap-in-describe"), "describe trapped"),
        (&hostile::component("extensions", "harmless"), "it exports extensions, not assertions"),
    ];
    for (bytes, words) in cases {
        let outcome = ContractFile::new(WITH_PLUGIN).beside("guest.wasm", bytes).run("check", &[]);
        assert_code(&outcome, 2);
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
        assert!(outcome.stderr.starts_with("error: plugin guest.wasm: "), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(words), "{words}: {}", outcome.stderr);
        assert!(outcome.stderr.chars().count() < 200, "{}", outcome.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_memory_bomb_does_not_grow_the_process() {
    let dummy = Dummy::start();
    let peak = |guest: &str| {
        let contract = ContractFile::new(WITH_PLUGIN).beside("guest.wasm", &hostile::component("assertions", guest));
        let mut child = contract.command("run", &["--url", dummy.url()]).stdout(Stdio::null()).spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0_u64;
        while child.try_wait().unwrap().is_none() {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
            let kilobytes = line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0);
            peak = peak.max(kilobytes);
            std::thread::sleep(Duration::from_millis(1));
        }
        peak / 1024
    };
    // Both read the same plugins; the bomb asks for 4 GiB and may have 64 MiB, most of it never touched.
    peak("harmless");
    let (harmless, bomb) = (peak("harmless"), peak("memory-bomb"));
    assert!(harmless > 0 && bomb > 0);
    assert!(bomb < harmless + 96, "{bomb} MiB against {harmless} MiB");
}

// ---- verify ---------------------------------------------------------------------------------------------------------

#[test]
fn verify_prints_a_table_of_verdicts() {
    let dummy = Dummy::start();
    let outcome = run(&["verify", dummy.url()]);
    assert_code(&outcome, 0);
    assert_data_eq!(
        steady(&outcome.stdout),
        str![[r#"
Dummy A2A Test Agent 1.0.0 at [AGENT]/

core 0.1.0 over JSONRPC
[RULE]
     contract                    level time
[RULE]
 ✓   card.well-known             must [TIME]
 ✓   card.required-fields        must [TIME]
 ✓   send.completed              must [TIME]
 ✓   stream.sse-events           must [TIME]
 ✓   ext.negotiation-activates   must [TIME]
[RULE]

5 passed, 0 failed in [TIME]

"#]]
    );
}

#[test]
fn verify_skips_what_an_agent_is_not_known_to_do() {
    // Without plugins the card declares no extensions.
    let dummy = Dummy::with(Agent::builder());
    let outcome = run(&["verify", dummy.url()]);
    assert_code(&outcome, 0);
    assert!(outcome.stdout.contains("skipped: the card does not declare extensions"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("4 passed, 0 failed, 1 skipped"), "{}", outcome.stdout);
    // When nothing is judged, nothing is passed.
    let outcome = run(&["verify", dummy.url(), "--contract", "ext.negotiation-activates"]);
    assert_code(&outcome, 2);
    assert!(outcome.stdout.contains("0 passed, 0 failed, 1 skipped"), "{}", outcome.stdout);
}

#[test]
fn verify_refuses_unknown_names() {
    for (arguments, words) in [
        (&["--contract", "send.complete"][..], "did you mean `send.completed`?"),
        (&["--category", "streeming"], "did you mean `streaming`?"),
        (&["--stimulus", "fail=x"], "did you mean `fails`?"),
        (&["--stimulus", "fails"], "expected BEHAVIOUR=TEXT"),
        (&["--pack", "cor"], "there is no bundled plugin"),
        (&["--timeout", "0"], "more than 0"),
        (&["--category", "streaming", "--contract", "card.well-known"], "nothing is selected"),
    ] {
        let mut all = vec!["verify", "http://127.0.0.1:1"];
        all.extend(arguments);
        let outcome = run(&all);
        assert_code(&outcome, 2);
        assert!(outcome.stderr.contains(words), "{words}: {}", outcome.stderr);
    }
}

#[test]
fn a_hostile_pack_fails_its_contract_alone() {
    let dummy = Dummy::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("flood.wasm");
    std::fs::write(&file, hostile::component("contracts", "request-flood")).unwrap();
    let outcome = run(&["verify", dummy.url(), "--pack", file.to_str().unwrap(), "--pack", "core"]);
    assert_code(&outcome, 1);
    assert!(outcome.stdout.contains("more than 1000 requests"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("5 passed, 1 failed"), "{}", outcome.stdout);
}

// ---- demo and serve -------------------------------------------------------------------------------------------------

#[test]
fn the_demo_passes_and_fails_as_it_is_asked() {
    // A proxy of the environment has no say.
    let mut demo = command(&["demo"]);
    let outcome = finish(demo.env("HTTP_PROXY", "http://127.0.0.1:1").env("http_proxy", "http://127.0.0.1:1"));
    assert_code(&outcome, 0);
    assert!(outcome.stdout.contains("10 passed, 0 failed"), "{}", outcome.stdout);
    let outcome = run(&["demo", "--fail"]);
    assert_code(&outcome, 1);
    assert!(outcome.stdout.contains("examples/demo/failing.yaml:12:9"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("0 passed, 3 failed"), "{}", outcome.stdout);
}

/// `a2a-host serve --port 0` and its address.
struct Server {
    child: std::process::Child,
    url: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let mut all = vec!["serve", "--port", "0", "--log-level", "warn"];
        all.extend(arguments);
        let mut child = command(&all).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.split_whitespace().nth(2).unwrap_or_else(|| panic!("no address in {line:?}")).to_owned();
        Server { child, url }
    }

    /// Sends a signal and waits for the end.
    fn end(mut self, signal: &str) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        let status = self.child.wait().unwrap();
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        (status.code(), stderr)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[cfg(unix)]
#[test]
fn serve_prints_its_address_and_ends_cleanly() {
    for signal in ["INT", "TERM"] {
        let server = Server::start(&[]);
        assert_code(&run(&["run", "examples/hello/contract.yaml", "--url", &server.url]), 0);
        assert_eq!(server.end(signal), (Some(0), String::new()));
    }
}

#[cfg(unix)]
#[test]
fn a_plugin_that_loops_fails_its_own_task_and_the_agent_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("loop.wasm");
    std::fs::write(&file, hostile::component("extensions", "loop")).unwrap();
    let server = Server::start(&["--plugin", file.to_str().unwrap()]);
    let contract = ContractFile::new(
        "version: 1
agent: {url: 'http://127.0.0.1:9000', timeout: 60}
scenarios:
  - name: the plugin's command fails
    message: hostile
    expect: {state: failed, text: {contains: 'plugin loop.wasm: handle used up its CPU budget'}}
  - {name: others go on, message: hello, expect: {text: {equals: hello}}}
",
    );
    let outcome = contract.run("run", &["--url", &server.url]);
    assert_code(&outcome, 0);
    server.end("INT");
}

#[test]
fn serve_refuses_what_it_cannot_serve() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let outcome = run(&["serve", "--port", &port]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains(&port), "{}", outcome.stderr);
    let outcome = run(&["serve", "--port", "0", "--plugin", "no-such.wasm"]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("no-such.wasm"), "{}", outcome.stderr);
    // The same extension twice.
    let extensions = support::root().join("target/guests/extensions.wasm");
    let outcome = run(&["serve", "--port", "0", "--plugin", extensions.to_str().unwrap()]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("urn:a2a:dummy:echo-metadata"), "{}", outcome.stderr);
}

// ---- the ends -------------------------------------------------------------------------------------------------------

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_results_so_far() {
    let dummy = Dummy::start();
    let contract = ContractFile::new(
        "version: 1
agent: {url: 'http://127.0.0.1:9000'}
scenarios:
  - {name: quick, message: hello}
  - {name: long, message: stream x, trials: 10000}
  - {name: never begun, message: hello}
",
    );
    let child = contract.command("run", &["--url", dummy.url()]).stdout(Stdio::piped()).spawn().unwrap();
    // Long enough for the first scenario on any machine; the second takes more than an hour.
    std::thread::sleep(Duration::from_secs(3));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-s", "INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("✓   quick"), "{stdout}");
    assert!(stdout.contains("interrupted after"), "{stdout}");
    assert!(stdout.contains("1 passed, 0 failed, 2 skipped"), "{stdout}");
}

#[test]
fn without_utf_8_the_report_is_ascii() {
    let dummy = Dummy::start();
    let mut command = command(&["run", "examples/hello/contract.yaml", "--url", dummy.url()]);
    let outcome = finish(command.env("LC_ALL", "C"));
    assert_code(&outcome, 0);
    assert!(outcome.stdout.is_ascii(), "{}", outcome.stdout);
    assert!(outcome.stdout.contains(" ok   repeats what it was told"), "{}", outcome.stdout);
}

#[test]
fn colours_are_for_those_who_ask() {
    let dummy = Dummy::start();
    let arguments = ["run", "examples/hello/contract.yaml", "--url", dummy.url()];
    let plain = finish(command(&arguments).env_remove("NO_COLOR"));
    assert!(!plain.stdout.contains('\u{1b}'), "a pipe gets no colours");
    let colored = finish(command(&arguments).env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1"));
    assert!(colored.stdout.contains("\u{1b}[32m✓"), "{:?}", colored.stdout);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let mut child = command(&["demo"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn usage_is_exit_2_and_help_is_0() {
    assert_code(&run(&["frobnicate"]), 2);
    assert_code(&run(&["verify"]), 2);
    let help = run(&["--help"]);
    assert_code(&help, 0);
    for command in ["run", "check", "verify", "serve", "demo"] {
        assert!(help.stdout.contains(&format!("\n  {command} ")), "{command}: {}", help.stdout);
    }
    assert!(help.stdout.contains("A2A_HOST_CACHE"));
    let version = run(&["--version"]);
    assert_eq!((version.code, version.stdout.as_str()), (Some(0), "a2a-host 0.1.0\n"));
}
