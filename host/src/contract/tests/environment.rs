use snapbox::{assert_data_eq, str};

use super::{codes, contract, report, scenario};
use crate::contract::parse_text;

#[test]
fn variables_reach_every_value_and_no_key() {
    let contract = contract(&scenario(
        "    message: a ${THREE} b\n    data: {\"${THREE}\": [\"${THREE}\", {x: \"$${THREE}\"}]}\n    expect: {text: {contains: \
         [\"${THREE}\"]}, checks: [{use: n, with: {deep: \"${THREE}\"}}]}\n",
    ));
    let turn = &contract.scenarios[0].turns[0];
    assert_eq!(turn.message.as_ref().unwrap().value, "a 3 b");
    assert_eq!(turn.data[0].to_json(), serde_json::json!({"${THREE}": ["3", {"x": "$3"}]}));
    assert_eq!(turn.expect.assertions[0].config_json(), serde_json::json!({"contains": ["3"]}));
    assert_eq!(turn.expect.checks[0].config_json(), serde_json::json!({"deep": "3"}));
}

#[test]
fn every_missing_variable_is_named_at_its_place() {
    assert_data_eq!(
        report(&scenario("    message: \"${NOPE} ${THREE} ${ALSO}\"\n    expect: {text: {equals: \"${MORE}\"}}\n")),
        str![[r#"
error[missing-variable]: the environment variable `NOPE` is not set
 --> contract.yaml:5:15
  |
5 |     message: "${NOPE} ${THREE} ${ALSO}"
  |               ^^^^^^^ used here
  |
  = help: set it when calling the program: `NOPE=... a2a-host ...`

error[missing-variable]: the environment variable `ALSO` is not set
 --> contract.yaml:5:32
  |
5 |     message: "${NOPE} ${THREE} ${ALSO}"
  |                                ^^^^^^^ used here
  |
  = help: set it when calling the program: `ALSO=... a2a-host ...`

error[missing-variable]: the environment variable `MORE` is not set
 --> contract.yaml:6:30
  |
6 |     expect: {text: {equals: "${MORE}"}}
  |                              ^^^^^^^ used here
  |
  = help: set it when calling the program: `MORE=... a2a-host ...`
"#]]
    );
    // Nothing else is said about a value that could not be read.
    assert_eq!(
        codes("version: 1\nagent: {url: \"${NOPE}\"}\nscenarios: [{name: s, message: m}]\n"),
        ["missing-variable 2:15"]
    );
}

#[test]
fn a_variable_cannot_change_the_structure() {
    let env = |_: &str| Some("x\nagent: {url: http://evil}".to_owned());
    let parsed = parse_text("c", &scenario("    message: ${A}\n"), &env);
    let contract = parsed.contract.unwrap();
    assert_eq!(contract.agent.url.value.as_str(), "http://h/");
    assert_eq!(contract.scenarios[0].turns[0].message.as_ref().unwrap().value, "x\nagent: {url: http://evil}");
}

#[test]
fn limits_are_held_after_expansion() {
    assert_eq!(codes(&scenario("    message: \"${EMPTY}\"\n")), ["length 5:14"]);
}
