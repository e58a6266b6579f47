use snapbox::{assert_data_eq, str};

use super::{codes, contract, report, scenario};

fn config(text: &str) -> crate::contract::Assertion {
    contract(&scenario(&format!("    message: hi\n    expect:\n      {text}\n"))).scenarios[0].turns[0]
        .expect
        .assertions[0]
        .clone()
}

#[test]
fn assertions_keep_their_order_and_places() {
    let contract = contract(&scenario(
        "    message: hi\n    expect:\n      max_seconds: 2\n      shout: {loud: true}\n      checks:\n        - use: a\n        - \
         {use: b, with: [1]}\n      state: completed\n",
    ));
    let expect = &contract.scenarios[0].turns[0].expect;
    let names: Vec<_> = expect.assertions.iter().map(|a| (a.name.value.as_str(), a.name.span.line)).collect();
    assert_eq!(names, [("max_seconds", 7), ("shout", 8), ("state", 12)]);
    let checks: Vec<_> = expect.checks.iter().map(|c| (c.name.value.as_str(), c.config_json().to_string())).collect();
    assert_eq!(checks, [("a", "null".to_owned()), ("b", "[1]".to_owned())]);
}

#[test]
fn checks_have_a_name_and_a_config() {
    assert_data_eq!(
        report(&scenario("    message: hi\n    expect: {checks: [{with: 1, usr: x}]}\n")),
        str![[r#"
error[unknown-key]: unknown key `usr`
 --> contract.yaml:6:33
  |
6 |     expect: {checks: [{with: 1, usr: x}]}
  |                                 ^^^ not a key of a check
  |
  = help: did you mean `use`?
  = note: known keys: `use`, `with`
"#]]
    );
    for checks in ["x", "{use: a}", "~"] {
        assert_eq!(
            codes(&scenario(&format!("    message: hi\n    expect: {{checks: {checks}}}\n"))),
            ["wrong-type 6:22"]
        );
    }
    assert_eq!(
        codes(&scenario("    message: hi\n    expect: {checks: [{use: ''}, 5]}\n")),
        ["length 6:29", "wrong-type 6:34"]
    );
    assert_eq!(codes(&scenario("    message: hi\n    expect: ~\n")), ["wrong-type 6:13"]);
    assert_eq!(codes(&scenario("    message: hi\n    expect: {max_seconds: .inf}\n")), ["number 6:27"]);
}

#[test]
fn a_pointer_leads_to_its_place() {
    let text = config("text: {contains: [a, b], matchez: x, deep: {er: {x: 1}}, a/b: 1, c~d: 2}");
    let at = |pointer: &str| {
        let span = text.at(pointer);
        (span.line, span.column, span.end - span.start)
    };
    // The whole config, and a place that is not there at all: shown at the name of the assertion.
    assert_eq!(at(""), (7, 13, 1));
    assert_eq!(at("/nope"), (7, 7, 4));
    assert_eq!(at("/nope/deeper"), (7, 7, 4));
    // An unknown key starts at the key itself and takes its value along.
    assert_eq!(at("/matchez"), (7, 32, 10));
    assert_eq!(at("/contains"), (7, 14, 8));
    assert_eq!(at("/contains/1"), (7, 28, 1));
    assert_eq!(at("/contains/2"), (7, 14, 8));
    assert_eq!(at("/contains/x"), (7, 14, 8));
    // Something missing is shown at the nearest key that is there.
    assert_eq!(at("/deep/er/y"), (7, 51, 2));
    assert_eq!(at("/deep/er/x/z"), (7, 56, 1));
    assert_eq!(at("/matchez/0"), (7, 32, 7));
    assert_eq!(at("/a~1b").1, 64);
    assert_eq!(at("/c~0d").1, 72);
    // Something that is no pointer leads to the config as a whole.
    assert_eq!(at("contains"), (7, 13, 1));
}

#[test]
fn a_member_on_several_lines_is_shown_at_its_key() {
    let text = config("text:\n        contains:\n          - a\n        equals: |\n          x\n");
    let at =
        |pointer: &str| (text.at(pointer).line, text.at(pointer).column, text.at(pointer).end - text.at(pointer).start);
    assert_eq!(at(""), (8, 9, 8));
    assert_eq!(at("/contains"), (8, 9, 8));
    assert_eq!(at("/contains/0"), (9, 13, 1));
    assert_eq!(at("/equals"), (10, 9, 6));
}
