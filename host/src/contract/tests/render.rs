use snapbox::{assert_data_eq, str};

use super::{agent, parse, report, scenario};
use crate::contract::{Diagnostic, RenderStyle, SourceFile};

#[test]
fn box_characters_on_request() {
    let parsed = parse(&agent("  timeuot: 30\n"));
    let rendered = parsed.diagnostics[0].render(&parsed.source, RenderStyle { color: false, unicode: true });
    assert_data_eq!(
        rendered,
        str![[r#"
error[unknown-key]: unknown key `timeuot`
  ╭▸ contract.yaml:4:3
  │
4 │   timeuot: 30
  │   ━━━━━━━ not a key of `agent`
  │
  ├ help: did you mean `timeout`?
  ╰ note: known keys: `url`, `timeout`, `transport`, `grpc_tls`, `allow_cross_origin_interfaces`, `card_path`, `headers`, `extensions`
"#]]
    );
}

#[test]
fn colour_on_request_only() {
    let parsed = parse(&agent("  timeuot: 30\n"));
    let plain = parsed.diagnostics[0].render(&parsed.source, RenderStyle::default());
    let colored = parsed.diagnostics[0].render(&parsed.source, RenderStyle { color: true, unicode: false });
    assert!(!plain.contains('\u{1b}') && colored.contains("\u{1b}["));
    assert_eq!(anstream::adapter::strip_str(&colored).to_string(), plain);
}

#[test]
fn nothing_of_the_file_reaches_the_terminal_raw() {
    let text = agent("  \"a\\u202eb\u{202e}c\u{200b}\": 1 # \u{2066}\n");
    let rendered = report(&text);
    assert!(rendered.contains("unknown key `a\\u{202e}b\\u{202e}c\\u{200b}`"), "{rendered}");
    let hidden = rendered.chars().find(|c| (c.is_control() && *c != '\n') || ('\u{200b}'..='\u{206f}').contains(c));
    assert_eq!(hidden, None, "{rendered}");
    let source = SourceFile::new("evil\u{1b}]0;x\u{7}.yaml", "a: 1");
    let diagnostic =
        Diagnostic::error("x", "m\u{1b}[0m").label("l\u{7}").help("h\u{202e}").note("n\r").at(source.span(0..1));
    let rendered = diagnostic.render(&source, RenderStyle::default());
    assert!(!rendered.chars().any(|c| c.is_control() && c != '\n'), "{rendered}");
    assert!(rendered.contains("evil\\u{1b}]0;x\\u{7}.yaml:1:1"), "{rendered}");
}

#[test]
fn columns_stay_right_beside_wide_and_hidden_characters() {
    assert_data_eq!(
        report("version: 1\nagent: {url: http://h}\nscenarios: [{name: \"日本\u{200b}\", mesage: hi}]\n"),
        str![[r#"
error[unknown-key]: unknown key `mesage`
 --> contract.yaml:3:27
  |
3 | scenarios: [{name: "日本?", mesage: hi}]
  |                             ^^^^^^ not a key of a scenario
  |
  = help: did you mean `message`?
  = note: known keys: `name`, `message`, `data`, `turns`, `expect`, `trials`, `pass_rate`
"#]]
    );
}

#[test]
fn long_lines_are_cut_around_the_place() {
    let text = format!(
        "version: 1\nagent: {{url: http://h}}\nscenarios: [{{name: s, message: \"{}\", oops: 1, data: [\"{}\"]}}]\n",
        "m".repeat(50_000),
        "d".repeat(50_000)
    );
    let rendered = report(&text);
    assert!(rendered.contains("contract.yaml:3:50036"), "{rendered}");
    assert!(rendered.contains("oops: 1"), "{rendered}");
    let longest = rendered.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 160, "{longest}: {rendered}");
    // A value that is long itself.
    let rendered = report(&scenario(&format!("    message: hi\n    trials: \"{}\"\n", "x".repeat(50_000))));
    let longest = rendered.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 160, "{longest}: {rendered}");
}

#[test]
fn long_texts_are_cut() {
    let source = SourceFile::new("c.yaml", "a: 1");
    let long = "x".repeat(100_000);
    let diagnostic =
        Diagnostic::error("x", long.as_str()).label(long.as_str()).help(long.as_str()).at(source.span(0..1));
    let longest = diagnostic.render(&source, RenderStyle::default()).lines().map(|line| line.chars().count()).max();
    assert!(longest.unwrap() <= 2_100, "{longest:?}");
}

#[test]
fn a_hundred_problems_are_shown() {
    let with = |count: usize| {
        let keys: Vec<_> = (0..count).map(|n| format!("oops{n}: 1")).collect();
        report(&agent(&format!("  headers: {{}}\n  {}\n", keys.join("\n  "))))
    };
    assert_eq!(with(100).matches("unknown key").count(), 100);
    assert!(!with(100).contains("not shown"));
    assert_eq!(with(102).matches("unknown key").count(), 100);
    assert!(with(102).ends_with("\n\n2 more problems are not shown"));
}

#[test]
fn ascii_output_has_no_other_characters_of_ours() {
    let text = "version: 1\nagent: {}\n";
    assert!(report(text).is_ascii(), "{}", report(text));
    let parsed = parse(text);
    assert!(parsed.render(RenderStyle { color: false, unicode: true }).contains('…'));
}
