use snapbox::{assert_data_eq, str};

use super::{codes, contract, report, scenario};

#[test]
fn c099_texts_stay_texts() {
    let text = "version: 1\nagent: {url: \"http://127.0.0.1:9000\"}\nscenarios:\n  - {name: no, message: NO, expect: {text: \
                {contains: no}}}\n  - {name: 12:30, message: 0123, expect: {text: {equals: 0123}}}\n";
    let contract = contract(text);
    let turn = &contract.scenarios[0].turns[0];
    assert_eq!(contract.scenarios[0].name.value, "no");
    assert_eq!(turn.message.as_ref().unwrap().value, "NO");
    assert_eq!(turn.expect.assertions[0].config_json(), serde_json::json!({"contains": "no"}));
    let turn = &contract.scenarios[1].turns[0];
    assert_eq!(contract.scenarios[1].name.value, "12:30");
    assert_eq!(turn.message.as_ref().unwrap().value, "0123");
    assert_eq!(turn.expect.assertions[0].config_json(), serde_json::json!({"equals": "0123"}));
    assert_eq!(
        codes(text),
        ["yaml-1.1 4:12", "yaml-1.1 4:25", "yaml-1.1 4:55", "yaml-1.1 5:12", "yaml-1.1 5:28", "yaml-1.1 5:58"]
    );
}

#[test]
fn a_text_that_yaml_1_1_reads_otherwise_is_warned_of() {
    assert_data_eq!(
        report(&scenario("    message: yes\n")),
        str![[r#"
warning[yaml-1.1]: a bare `yes` is a text here, but `true` to YAML 1.1 tools
 --> contract.yaml:5:14
  |
5 |     message: yes
  |              ^^^ read as a text
  |
  = help: quotes make it a text everywhere: `"yes"`
"#]]
    );
    for bare in ["on", "014", "1_000", "2026-01-01", "1:30", "12:30:45"] {
        assert_eq!(codes(&scenario(&format!("    message: {bare}\n"))), ["yaml-1.1 5:14"], "{bare}");
    }
    for safe in ["y", "n", "'no'", "\"014\"", "hello", "09", "1.2.3", "!!str no", "yes please"] {
        assert_eq!(codes(&scenario(&format!("    message: {safe}\n"))), [""; 0], "{safe}");
    }
}

#[test]
fn c099_a_value_of_another_type_asks_for_quotes() {
    assert_data_eq!(
        report(&scenario("    message: 0x1F\n")),
        str![[r#"
error[wrong-type]: `message` takes a string
 --> contract.yaml:5:14
  |
5 |     message: 0x1F
  |              ^^^^ found an integer
  |
  = help: put it in quotes: `"0x1F"`
"#]]
    );
    for bare in ["12", "1.0", "true", "~", "null", ".inf", "0o14", "-5", "1e3"] {
        let text = scenario(&format!("    message: {bare}\n"));
        let text = text.replace("null\n", "null\n    data: {}\n").replace("~\n", "~\n    data: {}\n");
        let expected: &[&str] = if matches!(bare, "~" | "null") { &[] } else { &["wrong-type 5:14"] };
        assert_eq!(codes(&text), expected, "{bare}");
    }
    assert_data_eq!(
        report("version: 1\nagent: {url: http://h}\nscenarios: [{name: ~, message: hi}, {name: , message: hi}]\n"),
        str![[r#"
error[wrong-type]: `name` takes a string
 --> contract.yaml:3:20
  |
3 | scenarios: [{name: ~, message: hi}, {name: , message: hi}]
  |                    ^ found nothing
  |
  = help: put it in quotes if it is meant as a text: `"~"`

error[wrong-type]: `name` takes a string
 --> contract.yaml:3:38
  |
3 | scenarios: [{name: ~, message: hi}, {name: , message: hi}]
  |                                      ^^^^ found nothing
"#]]
    );
}

#[test]
fn where_the_type_decides_the_meaning_another_reading_is_an_error() {
    assert_data_eq!(
        report(&scenario("    data: {language: NO, count: 014, size: 1e3}\n")),
        str![[r#"
error[yaml-1.1]: a bare `NO` is a text here, but `false` in YAML 1.1
 --> contract.yaml:5:22
  |
5 |     data: {language: NO, count: 014, size: 1e3}
  |                      ^^ its meaning would change
  |
  = help: write `false` for the old meaning, or `"NO"` for the text
  = note: contracts were read as YAML 1.1 by earlier tools; this one reads YAML 1.2

error[yaml-1.1]: a bare `014` is a text here, but the number 12 in YAML 1.1
 --> contract.yaml:5:33
  |
5 |     data: {language: NO, count: 014, size: 1e3}
  |                                 ^^^ its meaning would change
  |
  = help: write `12` for the old meaning, or `"014"` for the text
  = note: contracts were read as YAML 1.1 by earlier tools; this one reads YAML 1.2

error[yaml-1.1]: a bare `1e3` is the number 1000.0 here, but a text in YAML 1.1
 --> contract.yaml:5:44
  |
5 |     data: {language: NO, count: 014, size: 1e3}
  |                                            ^^^ its meaning would change
  |
  = help: write `"1e3"` for the old meaning, or `1000.0` for the number
  = note: contracts were read as YAML 1.1 by earlier tools; this one reads YAML 1.2
"#]]
    );
    for bare in ["yes", "1_000", "1:30", "0b11", "0o14", "-.5"] {
        assert_eq!(codes(&scenario(&format!("    data: {{a: {bare}}}\n"))), ["yaml-1.1 5:15"], "{bare}");
    }
}

#[test]
fn dates_stay_texts_everywhere() {
    let text = scenario("    data: {day: 2026-01-01}\n");
    assert_eq!(contract(&text).scenarios[0].turns[0].data[0].to_json(), serde_json::json!({"day": "2026-01-01"}));
    assert_data_eq!(
        report(&text),
        str![[r#"
warning[yaml-1.1]: a bare `2026-01-01` is a text here, but a date to YAML 1.1 tools
 --> contract.yaml:5:17
  |
5 |     data: {day: 2026-01-01}
  |                 ^^^^^^^^^^ read as a text
  |
  = help: quotes make it a text everywhere: `"2026-01-01"`
"#]]
    );
}

#[test]
fn keys_are_names_whatever_they_look_like() {
    let text = scenario("    data: {on: 1, no: 2, 1_0: 3, 2026-01-01: 4}\n");
    let json = contract(&text).scenarios[0].turns[0].data[0].to_json().to_string();
    assert_eq!(json, r#"{"on":1,"no":2,"1_0":3,"2026-01-01":4}"#);
    assert_eq!(codes(&text), [""; 0]);
}

#[test]
fn a_declared_type_keeps_the_meaning() {
    let text = "version: 1\nagent: {url: http://h, grpc_tls: no}\nscenarios: [{name: s, message: hi}]\n";
    assert!(!contract(text).agent.grpc_tls);
    assert_data_eq!(
        report(text),
        str![[r#"
warning[coercion]: `grpc_tls` is a string here and is taken as false
 --> contract.yaml:2:34
  |
2 | agent: {url: http://h, grpc_tls: no}
  |                                  ^^ taken as false
  |
  = help: write `false`
"#]]
    );
    assert_data_eq!(
        report(&scenario("    message: hi\n    trials: 014\n")),
        str![[r#"
error[yaml-1.1]: a bare `014` is a text here, but the number 12 in YAML 1.1
 --> contract.yaml:6:13
  |
6 |     trials: 014
  |             ^^^ its meaning would change
  |
  = help: write `12` for the old meaning, or `"014"` for the text
  = note: contracts were read as YAML 1.1 by earlier tools; this one reads YAML 1.2
"#]]
    );
}

#[test]
fn in_expect_the_place_decides() {
    // Texts of the language: warned of, and kept.
    for place in [
        "state: on",
        "states: {equals: [no]}",
        "states: {contains_in_order: [1:30]}",
        "text: {not_contains: [no]}",
        "text: {matches: 014}",
        "data: {artifact_name: off, path: /a, equals: 1}",
        "data: [{path: /a, matches: 1_0}]",
    ] {
        let text = scenario(&format!("    message: hi\n    expect: {{{place}}}\n"));
        assert!(contract(&text).scenarios[0].turns.len() == 1 && codes(&text).len() == 1, "{place}");
    }
    // Values that are compared with their type, and everything whose type only a plugin knows.
    for place in [
        "data: {path: /a, equals: no}",
        "data: [{path: /a, equals: {b: [014]}}]",
        "data: {json_schema: {const: yes}}",
        "text: {case_sensitive: no}",
        "max_seconds: 1:30",
        "shout: yes",
        "checks: [{use: shout, with: {loud: yes}}]",
    ] {
        let text = scenario(&format!("    message: hi\n    expect: {{{place}}}\n"));
        let codes = codes(&text);
        assert!(codes.len() == 1 && codes[0].starts_with("yaml-1.1 6:"), "{place}: {codes:?}");
        assert!(super::parse(&text).has_errors(), "{place}");
    }
}
