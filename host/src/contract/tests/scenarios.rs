use snapbox::{assert_data_eq, str};

use super::{codes, contract, report, scenario};

#[test]
fn one_message_is_one_turn() {
    let contract = contract(&scenario("    message: hi\n    data: {a: 1}\n    expect: {state: completed}\n"));
    let scenario = &contract.scenarios[0];
    assert_eq!((scenario.turns.len(), scenario.trials), (1, 1));
    let turn = &scenario.turns[0];
    assert_eq!(turn.message.as_ref().unwrap().value, "hi");
    assert_eq!(turn.data.len(), 1);
    assert_eq!(turn.expect.assertions[0].name.value, "state");
    assert_eq!(turn.span, scenario.span);
}

#[test]
fn turns_exclude_what_belongs_into_them() {
    assert_data_eq!(
        report(&scenario("    message: hi\n    expect: {}\n    turns: [{message: a}]\n")),
        str![[r#"
error[turns-shape]: `message` cannot stand next to `turns`
 --> contract.yaml:5:5
  |
5 |     message: hi
  |     ^^^^^^^ belongs into a turn
  |
 ::: contract.yaml:7:5
  |
7 |     turns: [{message: a}]
  |     ----- the turns
  |
  = help: the messages of a conversation stand in its turns

error[turns-shape]: `expect` cannot stand next to `turns`
 --> contract.yaml:6:5
  |
6 |     expect: {}
  |     ^^^^^^ belongs into a turn
  |
 ::: contract.yaml:7:5
  |
7 |     turns: [{message: a}]
  |     ----- the turns
  |
  = help: what is expected stands in the turn whose reply is meant
"#]]
    );
    assert_eq!(codes(&scenario("    message: ~\n    data: []\n    turns: [{message: a}]\n")), [""; 0]);
    assert_eq!(codes(&scenario("    data: {}\n    turns: [{message: a}]\n")), ["turns-shape 5:5"]);
    assert_eq!(codes(&scenario("    turns: ~\n    message: a\n")), [""; 0]);
}

#[test]
fn a_turn_says_something() {
    assert_data_eq!(
        report(&scenario("    turns:\n      - message: a\n      - expect: {state: completed}\n")),
        str![[r#"
error[nothing-to-send]: a turn needs something to send: `message` or `data`
 --> contract.yaml:7:9
  |
7 |       - expect: {state: completed}
  |         ^^^^^^ neither is here
  |
  = help: add `message: ...`
"#]]
    );
    assert_data_eq!(
        report(&scenario("    data: []\n")),
        str![[r#"
error[nothing-to-send]: a scenario needs something to send: `message` or `data`
 --> contract.yaml:4:5
  |
4 |   - name: s
  |     ^^^^ neither is here
  |
  = help: add `message: ...`, or `turns: [...]` for a conversation
"#]]
    );
    assert_eq!(codes(&scenario("    turns: []\n")), ["length 5:12"]);
    assert_eq!(codes(&scenario("    turns: [{data: [1]}, {message: a, data: {}}]\n")), [""; 0]);
}

#[test]
fn data_are_a_part_or_a_list_of_parts() {
    let data = |text: &str| {
        let contract = contract(&scenario(&format!("    data: {text}\n")));
        serde_json::Value::Array(contract.scenarios[0].turns[0].data.iter().map(|part| part.to_json()).collect())
            .to_string()
    };
    assert_eq!(data("{a: 1}"), r#"[{"a":1}]"#);
    assert_eq!(data("[1, x, null, {a: 2}]"), r#"[1,"x",null,{"a":2}]"#);
    assert_eq!(data("[[1, 2]]"), "[[1,2]]");
    assert_data_eq!(
        report(&scenario("    message: hi\n    data: text\n")),
        str![[r#"
error[wrong-type]: `data` takes a map (one part) or a list (of parts)
 --> contract.yaml:6:11
  |
6 |     data: text
  |           ^^^^ found a string
  |
  = help: write it as the only part: `data: [text]`
"#]]
    );
    for bare in ["1", "true", "~"] {
        assert_eq!(codes(&scenario(&format!("    message: hi\n    data: {bare}\n"))), ["wrong-type 6:11"], "{bare}");
    }
}

#[test]
fn names_are_unique_after_expansion() {
    let text = "version: 1\nagent: {url: http://h}\nscenarios:\n  - {name: a 3, message: hi}\n  - {name: \"a ${THREE}\", message: hi}\n";
    assert_data_eq!(
        report(text),
        str![[r#"
error[duplicate-name]: two scenarios have the name `a 3`
 --> contract.yaml:5:12
  |
5 |   - {name: "a ${THREE}", message: hi}
  |            ^^^^^^^^^^^^ second time
  |
 ::: contract.yaml:4:12
  |
4 |   - {name: a 3, message: hi}
  |            --- first time
  |
  = help: reports tell scenarios apart by their names
"#]]
    );
    assert_eq!(codes(&text.replace("a 3", "A 3")), [""; 0]);
}

#[test]
fn c105_a_pass_rate_must_be_provable() {
    let text = scenario("    message: hi\n    trials: 5\n    pass_rate: {min: 0.8, confidence: 0.95}\n");
    assert_data_eq!(
        report(&text),
        str![[r#"
error[pass-rate]: the pass rate of scenario `s` cannot be proven
 --> contract.yaml:6:13
  |
6 |     trials: 5
  |             ^ 5 passed of 5 trials prove less than 0.8 at confidence 0.95
  |
 ::: contract.yaml:4:11
  |
4 |   - name: s
  |           - this scenario
  |
  = help: use at least 11 trials: `trials: 11`
"#]]
    );
    assert_eq!(codes(&text.replace("trials: 5", "trials: 10")).len(), 1);
    assert_eq!(codes(&text.replace("trials: 5", "trials: 11")), [""; 0]);
    let impossible = scenario("    message: hi\n    trials: 10000\n    pass_rate: {min: 0.9999}\n");
    assert_data_eq!(
        report(&impossible),
        str![[r#"
error[pass-rate]: the pass rate of scenario `s` cannot be proven
 --> contract.yaml:6:13
  |
6 |     trials: 10000
  |             ^^^^^ 10000 passed of 10000 trials prove less than 0.9999 at confidence 0.95
  |
 ::: contract.yaml:4:11
  |
4 |   - name: s
  |           - this scenario
  |
  = help: more than 10000 trials would be needed; lower `min` or `confidence`
"#]]
    );
    // With defaults, each scenario that they make impossible is named.
    let text = "version: 1\nagent: {url: http://h}\ndefaults: {pass_rate: {min: 0.5}}\nscenarios:\n  - {name: a, message: hi}\n  - \
                {name: b, message: hi, trials: 3}\n";
    assert_data_eq!(
        report(text),
        str![[r#"
error[pass-rate]: the pass rate of scenario `a` cannot be proven
 --> contract.yaml:3:23
  |
3 | defaults: {pass_rate: {min: 0.5}}
  |                       ^ 1 passed of 1 trials prove less than 0.5 at confidence 0.95
  |
 ::: contract.yaml:5:12
  |
5 |   - {name: a, message: hi}
  |            - this scenario
  |
  = help: use at least 3 trials: `trials: 3`
"#]]
    );
}
