use snapbox::{IntoData as _, assert_data_eq, str};

use super::{codes, contract, report, scenario};
use crate::contract::parse;

/// Nothing in the environment.
fn none(_: &str) -> Option<String> {
    None
}

#[test]
fn a_duplicate_key_names_both_places() {
    assert_data_eq!(
        report(
            "version: 1\nagent:\n  url: http://h\n  timeout: 5\n  url: http://other\nscenarios: [{name: s, message: hi}]\n"
        ),
        str![[r#"
error[duplicate-key]: the key `url` stands twice in this map
 --> contract.yaml:5:3
  |
5 |   url: http://other
  |   ^^^ second time
  |
 ::: contract.yaml:3:3
  |
3 |   url: http://h
  |   --- first time
  |
  = help: remove one of the two
"#]]
    );
}

#[test]
fn every_duplicate_of_a_file_is_found() {
    let text =
        scenario("    message: a\n    message: b\n    expect: {state: x, state: y, data: [{path: /a, path: /b}]}\n");
    assert_eq!(codes(&text), ["duplicate-key 6:5", "duplicate-key 7:24", "duplicate-key 7:52"]);
}

#[test]
fn broken_syntax_has_a_place_and_advice() {
    assert_data_eq!(
        report("version: 1\nagent: url: http://h\n"),
        str![[r#"
error[yaml-syntax]: this is not YAML
 --> contract.yaml:2:11
  |
2 | agent: url: http://h
  |           ^ mapping values are not allowed in this context
  |
  = help: a text that contains `: ` needs quotes; members of a map start in the same column
"#]]
    );
    assert_data_eq!(
        report("version: 1\nagent: {url: http://h\nscenarios: []\n"),
        str![[r#"
error[yaml-syntax]: this is not YAML
 --> contract.yaml:3:10
  |
3 | scenarios: []
  |          ^ while parsing a flow mapping, did not find expected ',' or '}'
"#]]
    );
    assert_data_eq!(
        report("name: @x\n"),
        str![[r#"
error[yaml-syntax]: this is not YAML
 --> contract.yaml:1:7
  |
1 | name: @x
  |       ^ unexpected character: `@'
  |
  = help: a text that starts with this character needs quotes
"#]]
    );
    assert_data_eq!(
        report("a: \"x\\q\"\n"),
        str![[r#"
error[yaml-syntax]: this is not YAML
 --> contract.yaml:1:4
  |
1 | a: "x\q"
  |    ^ while parsing a quoted scalar, found unknown escape character
  |
  = help: in double quotes a backslash is written `\\`; in single quotes it stands for itself
"#]]
        .raw()
    );
}

#[test]
fn a_second_document_is_refused() {
    assert_data_eq!(
        report("version: 1\n---\nversion: 1\n"),
        str![[r#"
error[second-document]: a contract file holds one YAML document
 --> contract.yaml:2:1
  |
2 | ---
  | ^^^ a second one starts here
  |
  = help: put the second contract into a file of its own
"#]]
    );
    assert_eq!(codes("---\nversion: 1\n..."), ["missing-key 2:1", "nothing-to-check 2:1"]);
}

#[test]
fn a_file_without_a_map_says_so() {
    for text in ["", "# only a comment\n", "\u{feff}", "---\n"] {
        assert_eq!(codes(text), ["empty-file -"], "{text:?}");
    }
    assert_data_eq!(
        report(""),
        str![[r#"
error[empty-file]: contract.yaml: the file holds nothing
 |
 = help: start with `version: 1`, `agent:` and `scenarios:`
"#]]
    );
    assert_data_eq!(
        report("null\n"),
        str![[r#"
error[wrong-type]: a contract is a map of keys and values
 --> contract.yaml:1:1
  |
1 | null
  | ^^^^ found nothing
  |
  = help: start with `version: 1`, `agent:` and `scenarios:`
"#]]
    );
    assert_eq!(codes("- version: 1\n"), ["wrong-type 1:1"]);
    assert_eq!(codes("'text'"), ["wrong-type 1:1"]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    let contract = contract("\u{feff}version: 1\nagent: {url: http://h}\nscenarios: [{name: s, message: hi}]\n");
    assert_eq!(contract.agent.url.span.column, 14);
}

#[test]
fn json_is_yaml() {
    let json = r#"{"version": 1, "agent": {"url": "http://h"}, "scenarios": [{"name": "s", "message": "a\u00e9\/"}]}"#;
    let contract = contract(json);
    assert_eq!(contract.scenarios[0].turns[0].message.as_ref().unwrap().value, "aé/");
}

#[test]
fn bytes_that_are_no_utf_8_are_named_with_their_offset() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.yaml");
    std::fs::write(&path, b"name: caf\xe9\n").unwrap();
    let parsed = parse(&path, &none);
    assert!(parsed.contract.is_none());
    assert_eq!(parsed.diagnostics[0].message, "the file is not UTF-8: byte 0xe9 at offset 9");
}

#[test]
fn a_file_that_cannot_be_read_says_why() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("none.yaml")] {
        let parsed = parse(&path, &none);
        assert!(parsed.contract.is_none() && parsed.source.path() == path.display().to_string());
        assert!(parsed.diagnostics[0].message.starts_with("cannot read the file: "), "{:?}", parsed.diagnostics);
    }
}

#[test]
fn anchors_and_merge_keys_work() {
    let contract = contract(
        "version: 1\nagent: {url: http://h}\nscenarios:\n  - &first\n    name: a\n    message: &text hi\n    expect: &ok {state: \
         completed}\n  - {<<: *first, name: b}\n  - name: c\n    turns: [{message: *text, expect: {<<: [*ok, {state: \
         failed, max_seconds: 1}]}}]\n",
    );
    let b = &contract.scenarios[1];
    assert_eq!((b.name.value.as_str(), b.turns[0].message.as_ref().unwrap().value.as_str()), ("b", "hi"));
    assert_eq!(b.turns[0].expect.assertions[0].config_json(), "completed");
    let merged = &contract.scenarios[2].turns[0].expect.assertions;
    let keys: Vec<_> = merged.iter().map(|a| (a.name.value.as_str(), a.config_json().to_string())).collect();
    assert_eq!(keys, [("state", "\"completed\"".to_owned()), ("max_seconds", "1".to_owned())]);
}

#[test]
fn a_quoted_merge_key_is_a_name() {
    let contract = contract(&scenario("    data: {\"<<\": 1}\n"));
    assert_eq!(contract.scenarios[0].turns[0].data[0].to_json(), serde_json::json!({"<<": 1}));
    assert_eq!(codes(&scenario("    data: {<<: 1}\n")), ["merge-key 5:16"]);
    assert_eq!(codes(&scenario("    data: {<<: [{a: 1}, 2]}\n")), ["merge-key 5:25"]);
}

#[test]
fn a_problem_below_an_anchor_is_reported_once() {
    let text = "version: 1\nagent: {url: http://h}\nscenarios:\n  - &a {name: a, message: hi, oops: 1}\n  - {<<: *a, name: b}\n";
    assert_eq!(codes(text), ["unknown-key 4:31"]);
}

#[test]
fn a_value_that_came_through_an_alias_shows_both_places() {
    let text = "version: 1\nagent: {url: http://h}\nscenarios:\n  - {name: &n many, message: hi, trials: *n}\n";
    assert_data_eq!(
        report(text),
        str![[r#"
error[wrong-type]: `trials` takes an integer from 1 to 10000
 --> contract.yaml:4:15
  |
4 |   - {name: &n many, message: hi, trials: *n}
  |               ^^^^ found a string
  |
 ::: contract.yaml:4:42
  |
4 |   - {name: &n many, message: hi, trials: *n}
  |                                          -- used here
"#]]
    );
}

#[test]
fn aliases_that_lead_nowhere() {
    assert_data_eq!(
        report(&scenario("    message: *hello*\n    trials: x\n")),
        str![[r#"
error[unknown-anchor]: no anchor `&hello*` stands before this alias
 --> contract.yaml:5:14
  |
5 |     message: *hello*
  |              ^^^^^^^ unknown anchor
  |
  = help: a text that starts with `*` needs quotes

error[wrong-type]: `trials` takes an integer from 1 to 10000
 --> contract.yaml:6:13
  |
6 |     trials: x
  |             ^ found a string
"#]]
    );
    assert_eq!(codes(&scenario("    data: &d {a: [*d]}\n")), ["recursive-alias 5:19"]);
}

#[test]
fn keys_are_strings() {
    assert_data_eq!(
        report(&scenario("    message: hi\n    data: {1: a, true: b, ~: c, [x]: d, no: e, 014: f}\n")),
        str![[r#"
error[key-type]: keys are strings
 --> contract.yaml:6:12
  |
6 |     data: {1: a, true: b, ~: c, [x]: d, no: e, 014: f}
  |            ^ not a string
  |
  = help: put the key in quotes: `"1"`

error[key-type]: keys are strings
 --> contract.yaml:6:18
  |
6 |     data: {1: a, true: b, ~: c, [x]: d, no: e, 014: f}
  |                  ^^^^ not a string
  |
  = help: put the key in quotes: `"true"`

error[key-type]: keys are strings
 --> contract.yaml:6:27
  |
6 |     data: {1: a, true: b, ~: c, [x]: d, no: e, 014: f}
  |                           ^ not a string
  |
  = help: put the key in quotes: `"~"`

error[key-type]: keys are strings
 --> contract.yaml:6:33
  |
6 |     data: {1: a, true: b, ~: c, [x]: d, no: e, 014: f}
  |                                 ^ a list or a map
"#]]
    );
}

#[test]
fn tags_choose_a_type_or_are_refused() {
    let text = "    data: {a: !!str 12, b: !!int 3, c: !!float 2, d: !!null ~, e: !!map {}, f: !!seq [], g: ! 1, h: !!bool true}\n";
    assert_eq!(
        contract(&scenario(text)).scenarios[0].turns[0].data[0].to_json(),
        serde_json::json!({"a": "12", "b": 3, "c": 2.0, "d": null, "e": {}, "f": [], "g": "1", "h": true})
    );
    let text = "    data: {a: !!int x, b: !foo y, c: !!binary aGk=, d: !!set {x}, e: !!python/object:os.system z, f: !!map 1}\n";
    assert_eq!(
        codes(&scenario(text)),
        ["yaml-tag 5:21", "yaml-tag 5:27", "yaml-tag 5:38", "yaml-tag 5:56", "yaml-tag 5:70", "yaml-tag 5:108"]
    );
    assert_data_eq!(
        report(&scenario("    data: {a: !!int x, b: !foo y}\n")),
        str![[r#"
error[yaml-tag]: the tag `!!int` asks for an integer
 --> contract.yaml:5:21
  |
5 |     data: {a: !!int x, b: !foo y}
  |                     ^ not an integer

error[yaml-tag]: the tag `!foo` has no meaning in a contract
 --> contract.yaml:5:27
  |
5 |     data: {a: !!int x, b: !foo y}
  |                           ^^^^ unknown tag
  |
  = help: remove the tag, or put the value in quotes if `!` belongs to it
"#]]
    );
}

#[test]
fn numbers_stay_exact() {
    let contract = contract(&scenario(
        "    data: {a: 9007199254740993, b: 18446744073709551615, c: -9223372036854775808, d: 1.0}\n",
    ));
    let json = contract.scenarios[0].turns[0].data[0].to_json().to_string();
    assert_eq!(json, r#"{"a":9007199254740993,"b":18446744073709551615,"c":-9223372036854775808,"d":1.0}"#);
    assert_data_eq!(
        report(&scenario("    data: {a: 18446744073709551616, b: .inf, c: 1e999, d: .nan}\n")),
        str![[r#"
error[number]: an integer has at most 64 bits
 --> contract.yaml:5:15
  |
5 |     data: {a: 18446744073709551616, b: .inf, c: 1e999, d: .nan}
  |               ^^^^^^^^^^^^^^^^^^^^ too large
  |
  = help: put it in quotes if it is meant as a text: `"18446744073709551616"`

error[number]: JSON has finite numbers only
 --> contract.yaml:5:40
  |
5 |     data: {a: 18446744073709551616, b: .inf, c: 1e999, d: .nan}
  |                                        ^^^^ not a finite number
  |
  = help: put it in quotes if it is meant as a text: `".inf"`

error[number]: JSON has finite numbers only
 --> contract.yaml:5:49
  |
5 |     data: {a: 18446744073709551616, b: .inf, c: 1e999, d: .nan}
  |                                                 ^^^^^ not a finite number
  |
  = help: put it in quotes if it is meant as a text: `"1e999"`

error[number]: JSON has finite numbers only
 --> contract.yaml:5:59
  |
5 |     data: {a: 18446744073709551616, b: .inf, c: 1e999, d: .nan}
  |                                                           ^^^^ not a finite number
  |
  = help: put it in quotes if it is meant as a text: `".nan"`
"#]]
    );
}

#[test]
fn block_texts_are_texts() {
    let text = scenario(
        "    message: |-\n      no\n    data:\n      a: >-\n        014\n      b: 'no'\n      c: |\n        x",
    );
    let contract = contract(&text);
    let turn = &contract.scenarios[0].turns[0];
    assert_eq!(turn.message.as_ref().unwrap().value, "no");
    // The last line has no line break, and as with PyYAML neither has the text.
    assert_eq!(turn.data[0].to_json(), serde_json::json!({"a": "014", "b": "no", "c": "x"}));
    assert_eq!(codes(&text), [""; 0]);
}
