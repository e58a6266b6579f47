//! `a2a-host verify`: verdicts, skips, and names that nobody knows.

use a2a_host::dummy::Agent;
use snapbox::{assert_data_eq, str};

use crate::assert_code;
use crate::support::{Dummy, hostile, run, steady};

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
