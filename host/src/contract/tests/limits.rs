use super::{agent, codes, contract, scenario};
use crate::contract::limits::*;
use crate::contract::{parse, parse_text};

fn none(_: &str) -> Option<String> {
    None
}

/// Accepted at the limit, refused one above it, with this code.
fn both_sides(limit: usize, code: &str, text: impl Fn(usize) -> String) {
    assert_eq!(codes(&text(limit)), [""; 0], "{code} at {limit}");
    let above = codes(&text(limit + 1));
    assert!(above.len() == 1 && above[0].starts_with(code), "{code} above {limit}: {above:?}");
}

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    format!("[{}]", (0..count).map(item).collect::<Vec<_>>().join(", "))
}

#[test]
fn the_numbers_are_those_of_the_language() {
    assert_eq!((MAX_FILE_BYTES, MAX_SCENARIOS, MAX_TURNS, MAX_TRIALS), (1_000_000, 1_000, 50, 10_000));
    assert_eq!((MAX_NAME_CHARS, MAX_MESSAGE_CHARS, MAX_DATA_PARTS, MAX_DATA_BYTES), (200, 100_000, 100, 1_000_000));
    assert_eq!((MAX_URL_CHARS, MAX_CARD_PATH_CHARS, MAX_SECONDS), (2_083, 500, 600.0));
    assert_eq!((MAX_EXTENSIONS, MAX_EXTENSION_CHARS, MAX_EXTENSIONS_CHARS), (20, 1_000, 8_000));
}

#[test]
fn file_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.yaml");
    let text = |bytes: usize| {
        let start = scenario("    message: hi\n");
        format!("{start}#{}\n", "x".repeat(bytes - start.len() - 2))
    };
    for (bytes, refused) in [(MAX_FILE_BYTES, false), (MAX_FILE_BYTES + 1, true)] {
        let text = text(bytes);
        assert_eq!(text.len(), bytes);
        std::fs::write(&path, &text).unwrap();
        for parsed in [parse(&path, &none), parse_text("c", &text, &none)] {
            assert_eq!(parsed.contract.is_none(), refused, "{bytes}");
            assert_eq!(parsed.diagnostics.first().map(|d| d.code.as_ref()), refused.then_some("file-size"));
        }
    }
}

#[test]
fn scenarios_and_turns() {
    both_sides(MAX_SCENARIOS, "length", |count| {
        let scenarios = list(count, |n| format!("{{name: s{n}, message: hi}}"));
        format!("version: 1\nagent: {{url: http://h}}\nscenarios: {scenarios}\n")
    });
    both_sides(MAX_TURNS, "length", |count| {
        scenario(&format!("    turns: {}\n", list(count, |_| "{message: hi}".to_owned())))
    });
}

#[test]
fn trials() {
    both_sides(MAX_TRIALS as usize, "range", |count| scenario(&format!("    message: hi\n    trials: {count}\n")));
    assert_eq!(codes(&scenario("    message: hi\n    trials: 0\n")), ["range 6:13"]);
    assert_eq!(codes(&scenario("    message: hi\n    trials: -1\n")), ["range 6:13"]);
    assert_eq!(codes(&scenario("    message: hi\n    trials: 1\n")), [""; 0]);
}

#[test]
fn lengths_count_characters() {
    both_sides(MAX_NAME_CHARS, "length", |chars| {
        format!("version: 1\nagent: {{url: http://h}}\nscenarios: [{{name: {}, message: hi}}]\n", "é".repeat(chars))
    });
    both_sides(MAX_MESSAGE_CHARS, "length", |chars| scenario(&format!("    message: {}\n", "日".repeat(chars))));
    both_sides(MAX_CARD_PATH_CHARS, "length", |chars| agent(&format!("  card_path: {}\n", "é".repeat(chars))));
    both_sides(MAX_URL_CHARS, "length", |chars| {
        let path = "x".repeat(chars - "http://h/".len());
        format!("version: 1\nagent: {{url: http://h/{path}}}\nscenarios: [{{name: s, message: hi}}]\n")
    });
    assert_eq!(codes(&scenario("    message: ''\n")), ["length 5:14"]);
    assert_eq!(codes(&agent("  card_path: ''\n")), ["length 4:14"]);
    assert_eq!(contract(&agent("  card_path: ~\n")).agent.card_path, None);
}

#[test]
fn data_parts() {
    both_sides(MAX_DATA_PARTS, "length", |count| scenario(&format!("    data: {}\n", list(count, |n| n.to_string()))));
    // Brackets, commas and quotes count too. An alias keeps the file itself small enough.
    both_sides(MAX_DATA_BYTES, "length", |bytes| {
        let part = "x".repeat(300_000);
        let rest = "y".repeat(bytes - 2 - 3 * (part.len() + 3) - 2);
        scenario(&format!(
            "    turns:\n      - {{data: [&m \"{part}\"]}}\n      - {{data: [*m, *m, *m, \"{rest}\"]}}\n"
        ))
    });
}

#[test]
fn extensions() {
    both_sides(MAX_EXTENSIONS, "length", |count| {
        agent(&format!("  extensions: {}\n", list(count, |n| format!("urn:x:{n}"))))
    });
    both_sides(MAX_EXTENSION_CHARS, "length", |chars| {
        agent(&format!("  extensions: [urn:{}]\n", "x".repeat(chars - "urn:".len())))
    });
    both_sides(MAX_EXTENSIONS_CHARS, "length", |chars| {
        // Eight URIs of 999 and 7 commas are 7,999.
        let uri = |n: usize, chars: usize| format!("urn:{n}{}", "x".repeat(chars - 5));
        let uris: Vec<_> = (0..8).map(|n| uri(n, if n == 7 { 999 + chars - 7_999 } else { 999 })).collect();
        agent(&format!("  headers: {{A2A-Extensions: \"{}\"}}\n", uris.join(",")))
    });
    both_sides(MAX_EXTENSIONS, "length", |count| {
        let uris: Vec<_> = (1..count).map(|n| format!("urn:x:{n}")).collect();
        agent(&format!("  extensions: [urn:y]\n  headers: {{A2A-Extensions: \"{}\"}}\n", uris.join(",")))
    });
}

#[test]
fn lists_of_our_own() {
    let around = |text: String| format!("version: 1\nagent: {{url: http://h}}\n{text}\n");
    both_sides(MAX_LIST, "length", |count| {
        around(format!("packs: [{{use: core}}]\nplugins: {}", list(count, |n| format!("p{n}.wasm"))))
    });
    both_sides(MAX_LIST, "length", |count| around(format!("packs: {}", list(count, |n| format!("{{use: p{n}}}")))));
    for key in ["categories", "contracts"] {
        both_sides(MAX_LIST, "length", |count| {
            around(format!("packs: [{{use: core, {key}: {}}}]", list(count, |n| format!("c{n}"))))
        });
        both_sides(MAX_NAME_CHARS, "length", |chars| {
            around(format!("packs: [{{use: core, {key}: {}}}]", "c".repeat(chars)))
        });
    }
    both_sides(MAX_LIST, "length", |count| {
        let stimuli: Vec<_> = (0..count).map(|n| format!("r{n}: hi")).collect();
        around(format!("packs: [{{use: core, stimuli: {{{}}}}}]", stimuli.join(", ")))
    });
    both_sides(MAX_MESSAGE_CHARS, "length", |chars| {
        around(format!("packs: [{{use: core, stimuli: {{r: {}}}}}]", "m".repeat(chars)))
    });
    both_sides(MAX_PATH_CHARS, "length", |chars| around(format!("packs: [{{use: {}}}]", "p".repeat(chars))));
    both_sides(MAX_PATH_CHARS, "length", |chars| {
        around(format!("packs: [{{use: core}}]\nplugins: [{}]", "p".repeat(chars)))
    });
    both_sides(MAX_DATA_PARTS, "length", |count| {
        around(format!(
            "packs: [{{use: core, stimuli: {{r: {{parts: {}}}}}}}]",
            list(count, |_| "{text: x}".to_owned())
        ))
    });
    both_sides(MAX_LIST, "length", |count| {
        scenario(&format!("    message: hi\n    expect: {{checks: {}}}\n", list(count, |n| format!("{{use: c{n}}}"))))
    });
    both_sides(MAX_NAME_CHARS, "length", |chars| {
        scenario(&format!("    message: hi\n    expect: {{checks: [{{use: {}}}]}}\n", "c".repeat(chars)))
    });
}

#[test]
fn c103_the_largest_file_is_read() {
    let scenarios: String = (0..MAX_SCENARIOS)
        .map(|n| format!("  - {{name: echo {n}, message: echo {n}, expect: {{state: completed}}}}\n"))
        .collect();
    let text = format!("version: 1\nagent: {{url: http://h}}\nscenarios:\n{scenarios}");
    assert_eq!(contract(&text).scenarios.len(), MAX_SCENARIOS);
}
