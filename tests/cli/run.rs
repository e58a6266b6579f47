//! `a2a-host run`: passing, failing, and not being able to.

use std::io::{Read as _, Write as _};
use std::sync::Arc;

use a2a_host::dummy::Agent;
use a2a_host::sandbox::{
    BoxFuture, Contribution, ExtensionHandler, ExtensionInfo, ExtensionRequest, HandlerError, TaskPort,
};
use snapbox::{assert_data_eq, str};

use crate::assert_code;
use crate::support::{ContractFile, Dummy, finish, run, steady};

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
fn addresses_in_the_wrong_place_or_form_say_what_to_write() {
    let outcome = run(&["run", "examples/hello/contract.yaml", "--url", "127.0.0.1:9000"]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("write http://127.0.0.1:9000"), "{}", outcome.stderr);
    let outcome = run(&["run", "http://127.0.0.1:9000"]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("write --url http://127.0.0.1:9000"), "{}", outcome.stderr);
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
fn a_pack_that_is_wanted_over_another_binding_is_skipped() {
    let dummy = Dummy::start();
    let contract = ContractFile::new(
        "version: 1
agent: {url: 'http://127.0.0.1:9000'}
packs: [{use: core, contracts: [send.completed], transports: [GRPC]}]
",
    );
    let outcome = contract.run("run", &["--url", dummy.url()]);
    assert_code(&outcome, 2);
    assert!(outcome.stdout.contains("skipped: wanted over GRPC only; this run speaks JSONRPC"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("(nothing was judged, which is no pass)"), "{}", outcome.stdout);
}

/// A server that answers every request with these bytes; it lives as long as the test.
fn peer(answer: Vec<u8>) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            // All of it: closing a connection with unread bytes resets it, and the answer may be lost with it.
            let (mut request, mut byte) = (Vec::new(), [0]);
            while !request.ends_with(b"\r\n\r\n") && connection.read_exact(&mut byte).is_ok() {
                request.extend(byte);
            }
            let _ = connection.write_all(&answer);
        }
    });
    url
}

fn answer(head: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

#[test]
fn a_secret_that_an_excerpt_cuts_is_masked() {
    const SECRET: &str = "canary-7f3a9b2c-0123456789abcdefghijklmnop";
    let contract = ContractFile::new(
        "version: 1\nagent: {url: 'http://127.0.0.1:9000', headers: {X-Token: '${TOKEN}'}}\nscenarios: [{name: a, message: b}]\n",
    );
    // Excerpts have 200 characters: the cut falls behind every character of the secret once.
    for before in 200 - SECRET.len()..197 {
        let body = format!("{}{SECRET} and more", "x".repeat(before));
        let url = peer(answer("500 Oops", body.as_bytes()));
        let outcome = finish(contract.command("run", &["--url", &url]).env("TOKEN", SECRET));
        assert_code(&outcome, 2);
        assert!(!outcome.stderr.contains("cana"), "{before}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("[REDACTED]"), "{before}: {}", outcome.stderr);
    }
}

#[test]
fn a_compressed_card_is_named() {
    let url = peer(answer("200 OK\r\nContent-Encoding: gzip", b"\x1f\x8b\x08rest"));
    let outcome = run(&["run", "examples/hello/contract.yaml", "--url", &url]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("it is compressed (gzip)"), "{}", outcome.stderr);
}

#[test]
fn a_secret_in_an_expectation_is_refused_where_masking_would_change_it() {
    let contract = |text: &str| {
        ContractFile::new(&format!(
            "version: 1\nagent: {{url: 'http://127.0.0.1:9000', headers: {{X-Token: '${{TOKEN}}'}}}}\nscenarios: [{{name: a, message: b, expect: {{text: {text}}}}}]\n"
        ))
    };
    for text in ["{matches: '${TOKEN}'}", "{contains: [x, '${TOKEN}']}", "{equals: 'status: invoice-paid'}"] {
        let outcome = finish(contract(text).command("check", &[]).env("TOKEN", "invoice"));
        assert_code(&outcome, 2);
        assert!(outcome.stderr.contains("error[secret-in-check]"), "{text}: {}", outcome.stderr);
    }
    // That it must not be there can be judged, and is.
    let dummy = Dummy::start();
    let leaks = "{not_contains: '${TOKEN}'}";
    let run = |message: &str| {
        let text = format!(
            "version: 1\nagent: {{url: 'http://127.0.0.1:9000', headers: {{X-Token: '${{TOKEN}}'}}}}\nscenarios: [{{name: a, message: {message}, expect: {{text: {leaks}}}}}]\n"
        );
        finish(ContractFile::new(&text).command("run", &["--url", dummy.url()]).env("TOKEN", "invoice"))
    };
    assert_code(&run("nothing"), 0);
    assert_code(&run("'an ${TOKEN}'"), 1);
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
  - {name: 'echoes ${TOKEN}', message: 'echo the token is ${TOKEN}', expect: {text: {contains: nothing of the kind}}}
",
    );
    // A pack sees what a stimulus says, so a secret may not stand there; and no diagnostic shows it either.
    let told = ContractFile::new(
        "version: 1
agent: {url: 'http://127.0.0.1:9000', headers: {Authorization: 'Bearer ${TOKEN}'}}
packs: [{use: core, stimuli: {completes: 'say ${TOKEN}', '${TOKEN}': x}, categories: ['${TOKEN}']}]
scenarios: [{name: a, message: b, expect: {checks: [{use: '${TOKEN}'}]}}]
",
    );
    let outcome = finish(told.command("check", &[]).env("TOKEN", "canary-7f3a"));
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("error[secret-in-stimulus]"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("canary-7f3a"), "{}", outcome.stderr);
    let mut command = contract.command("run", &["--url", dummy.url(), "--verbose"]);
    let outcome = finish(command.env("TOKEN", "canary-7f3a"));
    assert_code(&outcome, 1);
    assert!(!outcome.stdout.contains("canary-7f3a") && !outcome.stderr.contains("canary-7f3a"), "{outcome:?}");
    assert!(outcome.stdout.contains("the token is [REDACTED]"), "{}", outcome.stdout);
}
