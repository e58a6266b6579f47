use snapbox::{assert_data_eq, str};

use super::{codes, contract, report, scenario};
use crate::contract::limits::MAX_DEPTH;
use crate::contract::parse_text;

/// Nothing in the environment.
fn none(_: &str) -> Option<String> {
    None
}

#[test]
fn c101_an_alias_bomb_is_refused_before_it_goes_off() {
    let mut text = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (previous, next) in ('a'..'i').zip('b'..='i') {
        let items = vec![format!("*{previous}"); 9].join(", ");
        text.push_str(&format!("{next}: &{next} [{items}]\n"));
    }
    assert_data_eq!(
        report(&text),
        str![[r#"
error[alias-expansion]: aliases expand this file beyond what a contract may hold
 --> contract.yaml:6:40
  |
6 | f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]
  |                                        ^^ this alias brings too much
  |
  = help: write out what is needed; an alias copies everything below its anchor
"#]]
    );
}

#[test]
fn aliases_may_expand_a_file_up_to_the_limit() {
    // A megabyte of text (and 32 for the value) weighs so that nineteen uses fit and twenty do not.
    let long = "x".repeat(999_000);
    for (uses, refused) in [(18, false), (20, true)] {
        let aliases = vec!["*a"; uses].join(", ");
        let parsed = parse_text("c", &format!("a: &a {long}\nb: [{aliases}]\n"), &none);
        let codes: Vec<_> = parsed.diagnostics.iter().map(|d| d.code.as_ref()).collect();
        assert_eq!(codes.contains(&"alias-expansion"), refused, "{uses}: {codes:?}");
    }
}

#[test]
fn many_small_merges_are_counted_too() {
    let keys: Vec<_> = (0..1000).map(|n| format!("k{n}: 1")).collect();
    let merges = "- {<<: *m}\n".repeat(5_000);
    let parsed = parse_text("c", &format!("a: &m {{{}}}\nb:\n{merges}", keys.join(", ")), &none);
    assert_eq!(parsed.diagnostics.last().map(|d| d.code.as_ref()), Some("alias-expansion"));
}

#[test]
fn a_thousand_uses_of_one_anchor_are_no_bomb() {
    let scenarios: String = (0..999).map(|n| format!("  - {{name: s{n}, message: hi, expect: *ok}}\n")).collect();
    let first = "  - {name: first, message: hi, expect: &ok {state: completed, text: {contains: [a, b]}}}\n";
    let contract = contract(&format!("version: 1\nagent: {{url: http://h}}\nscenarios:\n{first}{scenarios}"));
    assert_eq!(contract.scenarios.len(), 1000);
}

#[test]
fn c101_depth_is_bounded_in_every_notation() {
    for text in
        ["[".repeat(10_000), "- ".repeat(10_000), "? ".repeat(10_000), "{a: ".repeat(10_000), "[{a: ".repeat(10_000)]
    {
        let parsed = parse_text("c", &text, &none);
        let codes: Vec<_> = parsed.diagnostics.iter().map(|d| d.code.as_ref()).collect();
        assert_eq!(codes, ["too-deep"], "{}", &text[..10]);
    }
    let nested = |levels: u32| format!("{}1{}", "[".repeat(levels as usize), "]".repeat(levels as usize));
    // The contract, the list of scenarios, the scenario and the part are levels too.
    let inside = |levels: u32| codes(&scenario(&format!("    data: {{d: {}}}\n", nested(levels - 4))));
    assert_eq!(inside(MAX_DEPTH), [""; 0]);
    assert_eq!(inside(MAX_DEPTH + 1).len(), 1);
    assert!(inside(MAX_DEPTH + 1)[0].starts_with("too-deep"));
}

#[test]
fn aliases_do_not_get_around_the_depth() {
    let half = (MAX_DEPTH / 2) as usize;
    let text = |more: usize| {
        format!("a: &a {}{}\nb: {}*a{}\n", "[".repeat(half), "]".repeat(half), "[".repeat(more), "]".repeat(more))
    };
    let deep = |more| parse_text("c", &text(more), &none).diagnostics.iter().any(|d| d.code == "too-deep");
    assert!(!deep(half - 1));
    assert!(deep(half));
}

proptest::proptest! {
    /// Whatever a file holds: no panic, every place lies in the file, and what is rendered is safe and bounded.
    #[test]
    fn any_text_is_read_or_refused(pieces in proptest::collection::vec(piece(), 0..40)) {
        let text = pieces.concat();
        let parsed = parse_text("c.yaml", &text, &none);
        proptest::prop_assert_eq!(parsed.contract.is_none(), parsed.has_errors());
        for diagnostic in &parsed.diagnostics {
            if let Some(span) = diagnostic.span {
                proptest::prop_assert!(span.start <= span.end && span.end as usize <= parsed.source.text().len());
                let place = parsed.source.span(span.range());
                proptest::prop_assert_eq!(place.line, span.line, "{:?}", text);
                // The YAML library counts no column for a byte-order mark between documents.
                if !parsed.source.text().contains('\u{feff}') {
                    proptest::prop_assert_eq!(place.column, span.column, "{:?}", text);
                }
            }
        }
        let rendered = parsed.render(crate::contract::RenderStyle::default());
        proptest::prop_assert!(!rendered.contains(|c: char| c.is_control() && c != '\n'), "{}", rendered);
    }
}

/// Pieces of contracts and of YAML, and anything else.
fn piece() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let words = [
        "version: 1\n",
        "agent: ",
        "{url: http://h}\n",
        "scenarios:\n",
        "  - ",
        "name: ",
        "s\n",
        "message: ",
        "hi\n",
        "expect: ",
        "data: ",
        "turns:\n",
        "trials: ",
        "pass_rate: ",
        "{min: 0.9}\n",
        "- ",
        "? ",
        ": ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        "&a ",
        "*a",
        "<<: ",
        "!!int ",
        "!x ",
        "|\n",
        ">-\n",
        "'",
        "\"",
        "\\u00e9",
        "# c\n",
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        "\t",
        "\n",
        "    ",
        "014",
        "yes",
        "1e999",
        ".inf",
        "2026-01-01",
        "~",
        "null",
        "${A}",
        "\r\n",
        "\r",
        "é",
        "日",
        "\u{2028}",
        "\u{85}",
        "\u{feff}",
        "\u{202e}",
        "\u{1b}",
    ];
    prop_oneof![8 => proptest::sample::select(words.to_vec()).prop_map(str::to_owned), 1 => ".{0,3}"]
}
