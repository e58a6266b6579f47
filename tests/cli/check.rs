//! `a2a-host check`: every mistake at its place, without an agent.

use crate::assert_code;
use crate::support::{ContractFile, command, finish, hostile, run};

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

#[test]
fn a_pack_of_which_nothing_is_selected_is_an_error() {
    let contract = ContractFile::new(
        "version: 1
agent: {url: 'http://127.0.0.1:9000', transport: GRPC}
packs: [{use: core, categories: [streaming], contracts: [card.well-known]}]
",
    );
    let outcome = contract.run("check", &[]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("error[nothing-selected]"), "{}", outcome.stderr);
    // And a binding that this version does not speak is found without an agent.
    assert!(outcome.stderr.contains("this version does not speak GRPC yet"), "{}", outcome.stderr);
}

#[test]
fn a_plugins_check_has_its_place_under_checks() {
    let contract = ContractFile::new(
        "version: 1
agent: {url: 'http://127.0.0.1:9000'}
plugins: [guest.wasm]
scenarios: [{name: a, message: b, expect: {hostile: {}}}]
",
    )
    .beside("guest.wasm", &hostile::component("assertions", "harmless"));
    let outcome = contract.run("check", &[]);
    assert_code(&outcome, 2);
    assert!(
        outcome.stderr.contains("a check of a plugin stands under `checks`: `- use: hostile`"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn headers_that_frame_a_request_are_refused() {
    let contract = ContractFile::new(
        "version: 1\nagent: {url: 'http://127.0.0.1:9000', headers: {Content-Length: '5', transfer-encoding: chunked}}\nscenarios: [{name: a, message: b}]\n",
    );
    let outcome = contract.run("check", &[]);
    assert_code(&outcome, 2);
    assert_eq!(outcome.stderr.matches("error[framing-header]").count(), 2, "{}", outcome.stderr);
}
