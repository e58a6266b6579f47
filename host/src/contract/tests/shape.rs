use snapbox::{assert_data_eq, str};

use super::{codes, contract, report, scenario};

#[test]
fn an_unknown_key_shows_the_nearest_and_the_known_ones() {
    let text = "version: 1\nagent:\n  url: http://h\n  timeuot: 30\nscenarios: [{name: s, message: hi}]\n";
    assert_data_eq!(
        report(text),
        str![[r#"
error[unknown-key]: unknown key `timeuot`
 --> contract.yaml:4:3
  |
4 |   timeuot: 30
  |   ^^^^^^^ not a key of `agent`
  |
  = help: did you mean `timeout`?
  = note: known keys: `url`, `timeout`, `transport`, `grpc_tls`, `allow_cross_origin_interfaces`, `card_path`, `headers`, `extensions`
"#]]
    );
}

#[test]
fn every_error_of_a_file_comes_in_one_go() {
    let text = "version: 2\nagent: {url: ftp://h, colour: red}\nplugins: {}\ndefaults: {trails: 3}\nscenarios:\n  - {message: hi, \
                trials: 0}\n  - {name: s, expect: []}\n  - 5\n";
    assert_eq!(
        codes(text),
        [
            "version 1:10",
            "url 2:14",
            "unknown-key 2:23",
            "wrong-type 3:10",
            "unknown-key 4:12",
            "missing-key 6:5",
            "range 6:27",
            "nothing-to-send 7:5",
            "wrong-type 7:23",
            "wrong-type 8:5",
        ]
    );
}

#[test]
fn keys_of_later_versions_are_known_by_name() {
    assert_data_eq!(
        report(&format!("card: {{}}\n{}", scenario("    message: hi\n"))),
        str![[r#"
error[not-supported-yet]: `card` is not supported yet by this version
 --> contract.yaml:1:1
  |
1 | card: {}
  | ^^^^ a key of a contract in a later version
"#]]
    );
    for key in ["invariants", "push_notifications", "downstream"] {
        assert_eq!(
            codes(&format!("{key}: {{}}\n{}", scenario("    message: hi\n"))),
            ["not-supported-yet 1:1"],
            "{key}"
        );
    }
    for key in ["files", "latency"] {
        assert_eq!(codes(&scenario(&format!("    {key}: []\n"))), ["not-supported-yet 5:5"], "{key}");
    }
    for key in ["files", "action", "return_immediately", "history_length", "push_notification", "timeout_seconds"] {
        assert_eq!(codes(&scenario(&format!("    turns: [{{{key}: 1}}]\n"))), ["not-supported-yet 5:14"], "{key}");
    }
    for key in ["files", "ap2", "delegation"] {
        assert_eq!(
            codes(&scenario(&format!("    message: hi\n    expect: {{{key}: 1}}\n"))),
            ["not-supported-yet 6:14"],
            "{key}"
        );
    }
}

#[test]
fn what_a_contract_must_have() {
    assert_data_eq!(
        report("agent: {}\n"),
        str![[r#"
error[missing-key]: a contract needs `version`
 --> contract.yaml:1:1
  |
1 | agent: {}
  | ^^^^^ `version` is missing
  |
  = help: add `version: 1`

error[nothing-to-check]: a contract needs at least one scenario or one pack
 --> contract.yaml:1:1
  |
1 | agent: {}
  | ^^^^^ nothing to check
  |
  = help: add `scenarios: [{name: ..., message: ..., expect: {state: completed}}]`

error[missing-key]: `agent` needs `url`
 --> contract.yaml:1:8
  |
1 | agent: {}
  |        ^ `url` is missing
  |
  = help: add `url: https://...`
"#]]
    );
    assert_data_eq!(
        report("version: 1\nagent: {url: http://h}\nscenarios: []\n"),
        str![[r#"
error[nothing-to-check]: a contract needs at least one scenario or one pack
 --> contract.yaml:3:1
  |
3 | scenarios: []
  | ^^^^^^^^^ nothing to check
  |
  = help: add `scenarios: [{name: ..., message: ..., expect: {state: completed}}]`
"#]]
    );
    assert_eq!(codes("version: 1\nagent: {url: http://h}\npacks: []\n"), ["nothing-to-check 3:1"]);
    assert_eq!(codes("version: 1\nagent: {url: http://h}\npacks: [{use: core}]\n"), [""; 0]);
    assert_eq!(codes("version: 1\nagent: {url: http://h}\nscenarios: []\npacks: [{use: core}]\n"), [""; 0]);
}

#[test]
fn only_version_1_is_read() {
    let with = |version: &str| {
        codes(&format!("version: {version}\nagent: {{url: http://h}}\nscenarios: [{{name: s, message: m}}]\n"))
    };
    assert_eq!(with("1"), [""; 0]);
    assert_eq!(with("1.0"), ["coercion 1:10"]);
    assert_eq!(with("true"), ["coercion 1:10"]);
    for (version, code) in
        [("2", "version"), ("\"1\"", "wrong-type"), ("1.5", "version"), ("false", "wrong-type"), ("[]", "wrong-type")]
    {
        assert_eq!(with(version), [format!("{code} 1:10")], "{version}");
    }
}

#[test]
fn defaults_apply_only_where_a_scenario_is_silent() {
    let contract = contract(
        "version: 1\nagent: {url: http://h}\ndefaults: {trials: 3, pass_rate: 0.5}\nscenarios:\n  - {name: a, message: hi}\n  - \
         {name: b, message: hi, trials: 1, pass_rate: 1.0}\n",
    );
    let required: Vec<_> = contract.scenarios.iter().map(|s| (s.trials, s.pass_rate.required(s.trials))).collect();
    assert_eq!(required, [(3, Some(2)), (1, Some(1))]);
    assert_eq!(codes(&format!("defaults: ~\n{}", scenario("    message: hi\n"))), ["wrong-type 1:11"]);
    // A wrong default is reported once, not for each scenario.
    let text = "version: 1\nagent: {url: http://h}\ndefaults: {trials: 0}\nscenarios: [{name: a, message: hi}, {name: b, message: hi}]\n";
    assert_eq!(codes(text), ["range 3:20"]);
}
