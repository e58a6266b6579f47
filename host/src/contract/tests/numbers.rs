use std::time::Duration;

use snapbox::{assert_data_eq, str};

use super::{agent, codes, contract, report, scenario};
use crate::contract::PassRate;

#[test]
fn integers_take_what_the_language_takes() {
    let trials =
        |text: &str| contract(&scenario(&format!("    message: hi\n    trials: {text}\n"))).scenarios[0].trials;
    let warned = |text: &str| codes(&scenario(&format!("    message: hi\n    trials: {text}\n"))).len();
    assert_eq!((trials("3"), warned("3")), (3, 0));
    for coerced in ["\"3\"", "3.0", "' 3.0 '"] {
        assert_eq!((trials(coerced), warned(coerced)), (3, 1), "{coerced}");
    }
    assert_eq!((trials("true"), warned("true")), (1, 1));
    // What the environment brings is always a string.
    assert_eq!((trials("\"${THREE}\""), warned("\"${THREE}\"")), (3, 0));
    assert_eq!((trials("${THREE}"), warned("${THREE}")), (3, 0));
    for wrong in ["3.5", "\"x\"", "[]", "~", "", "\"3.5\"", ".inf", "1e400"] {
        assert_eq!(codes(&scenario(&format!("    message: hi\n    trials: {wrong}\n"))).len(), 1, "{wrong}");
    }
    assert_data_eq!(
        report(&scenario("    message: hi\n    trials: 3.5\n")),
        str![[r#"
error[wrong-type]: `trials` takes an integer from 1 to 10000
 --> contract.yaml:6:13
  |
6 |     trials: 3.5
  |             ^^^ found a decimal number
"#]]
    );
    assert_data_eq!(
        report(&scenario("    message: hi\n    trials: \"3\"\n")),
        str![[r#"
warning[coercion]: `trials` is a string here and is taken as 3
 --> contract.yaml:6:13
  |
6 |     trials: "3"
  |             ^^^ taken as 3
  |
  = help: write `3`
"#]]
    );
}

#[test]
fn seconds_take_what_the_language_takes() {
    let timeout = |text: &str| contract(&agent(&format!("  timeout: {text}\n"))).agent.timeout;
    assert_eq!(contract(&agent("")).agent.timeout, Duration::from_secs(30));
    for (text, seconds) in [("20", 20.0), ("0.5", 0.5), ("\"0.5\"", 0.5), ("true", 1.0), ("1e2", 100.0), ("600", 600.0)]
    {
        assert_eq!(timeout(text), Duration::from_secs_f64(seconds), "{text}");
    }
    for (text, code) in [
        ("0", "range"),
        ("600.1", "range"),
        ("-1", "range"),
        (".nan", "wrong-type"),
        (".inf", "wrong-type"),
        ("soon", "wrong-type"),
        ("\"inf\"", "wrong-type"),
        ("~", "wrong-type"),
        ("1:30", "yaml-1.1"),
        ("1_0", "yaml-1.1"),
    ] {
        assert_eq!(codes(&agent(&format!("  timeout: {text}\n"))), [format!("{code} 4:12")], "{text}");
    }
    assert_data_eq!(
        report(&agent("  timeout: 601\n")),
        str![[r#"
error[range]: `timeout` takes a number of seconds above 0 and up to 600
 --> contract.yaml:4:12
  |
4 |   timeout: 601
  |            ^^^ out of range
"#]]
    );
}

#[test]
fn booleans_take_what_the_language_takes() {
    let tls = |text: &str| contract(&agent(&format!("  grpc_tls: {text}\n"))).agent.grpc_tls;
    assert!(contract(&agent("")).agent.grpc_tls);
    for text in ["true", "yes", "\"on\"", "\"TRUE\"", "1", "\"1\"", "1.0"] {
        assert!(tls(text), "{text}");
    }
    for text in ["false", "no", "OFF", "\"false\"", "0", "\"0\""] {
        assert!(!tls(text), "{text}");
    }
    for text in ["maybe", "2", "~", "[]", "\"\""] {
        assert_eq!(codes(&agent(&format!("  grpc_tls: {text}\n"))), ["wrong-type 4:13"], "{text}");
    }
}

#[test]
fn pass_rates_are_shares_or_are_proven() {
    let rate = |text: &str| {
        contract(&scenario(&format!("    message: hi\n    trials: 600\n    pass_rate: {text}\n"))).scenarios[0]
            .pass_rate
    };
    assert_eq!(rate("0.5"), PassRate::Share(0.5));
    assert_eq!(rate("1"), PassRate::Share(1.0));
    assert_eq!(rate("\"0.5\""), PassRate::Share(0.5));
    assert_eq!(rate("{min: 0.9}"), PassRate::Proven { min: 0.9, confidence: 0.95 });
    assert_eq!(rate("{min: 0.9, confidence: 0.5}"), PassRate::Proven { min: 0.9, confidence: 0.5 });
    for (text, code) in [
        ("0", "range"),
        ("1.01", "range"),
        ("-0.5", "range"),
        ("all", "wrong-type"),
        ("~", "wrong-type"),
        ("{}", "missing-key"),
        ("{min: 1}", "range"),
        ("{min: 0}", "range"),
        ("{min: 0.5, confidence: 1}", "range"),
        ("{min: 0.5, confidence: 0.49}", "range"),
        ("{min: 0.5, conf: 0.9}", "unknown-key"),
    ] {
        let codes = codes(&scenario(&format!("    message: hi\n    pass_rate: {text}\n")));
        assert!(codes[0].starts_with(code), "{text}: {codes:?}");
    }
}
