//! Whole files in, models and rendered diagnostics out.

mod agent;
mod budgets;
mod environment;
mod expect;
mod limits;
mod numbers;
mod old_yaml;
mod packs;
mod render;
mod scenarios;
mod shape;
mod yaml;

use super::{Contract, Parsed, RenderStyle, parse_text};

/// Variables of the tests.
fn env(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("Bearer canary-7f3a".to_owned()),
        "SHORT" => Some("abc".to_owned()),
        "EMPTY" => Some(String::new()),
        "THREE" => Some("3".to_owned()),
        "LINES" => Some("canary-9999\nx".to_owned()),
        "URL" => Some("http://u:canary-5555@h/".to_owned()),
        _ => None,
    }
}

fn parse(text: &str) -> Parsed {
    parse_text("contract.yaml", text, &env)
}

/// Every diagnostic as a person reads it.
fn report(text: &str) -> String {
    let parsed = parse(text);
    assert_eq!(parsed.contract.is_none(), parsed.has_errors(), "a contract comes exactly where there is no error");
    parsed.render(RenderStyle::default())
}

/// Severity-free summary for tables: code and place.
fn codes(text: &str) -> Vec<String> {
    let place = |d: &super::Diagnostic| d.span.map_or("-".to_owned(), |span| format!("{}:{}", span.line, span.column));
    parse(text).diagnostics.iter().map(|d| format!("{} {}", d.code, place(d))).collect()
}

/// The contract of a text without errors.
fn contract(text: &str) -> Contract {
    let parsed = parse(text);
    let problems = parsed.render(RenderStyle::default());
    parsed.contract.unwrap_or_else(|| panic!("{problems}"))
}

/// A contract around the members of its only scenario.
fn scenario(members: &str) -> String {
    format!("version: 1\nagent: {{url: http://h}}\nscenarios:\n  - name: s\n{members}")
}

/// A contract around the members of `agent`.
fn agent(members: &str) -> String {
    format!("version: 1\nagent:\n  url: http://h\n{members}scenarios: [{{name: s, message: hi}}]\n")
}
