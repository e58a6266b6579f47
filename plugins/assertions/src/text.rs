use std::cell::OnceCell;

use a2a_host_sdk::assertion::{Assertion, Problem, Turn};
use a2a_host_sdk::{Finding, Value, json};

use crate::config::{MAX_CHARS, MAX_ITEMS, Place, Problems};
use crate::difference::{describe, fold, squeezed};
use crate::pattern::{Pattern, Search, Searches};
use crate::value::{bounded, excerpt};

/// `expect.text`: what the merged text contains, equals or matches.
pub(crate) struct Text {
    case_sensitive: bool,
    contains: Vec<Needle>,
    not_contains: Vec<Needle>,
    equals: Option<String>,
    matches: Vec<(Pattern, String)>,
}

struct Needle {
    written: String,
    /// As it is searched: case-folded where case does not matter.
    sought: String,
    path: String,
}

const KEYS: [&str; 5] = ["contains", "not_contains", "equals", "matches", "case_sensitive"];

impl Assertion for Text {
    const NAME: &'static str = "text";
    const SUMMARY: &'static str = "what the text of the reply contains, equals or matches";

    fn config_schema() -> Value {
        let many = |description: &str| {
            let item = json!({"type": "string", "minLength": 1, "maxLength": MAX_CHARS});
            json!({
                "description": description,
                "oneOf": [item, {"type": "array", "maxItems": MAX_ITEMS, "items": item}],
            })
        };
        json!({
            "description": "The text of the reply: all texts of messages, then of artifacts, joined with line feeds.",
            "type": ["object", "null"],
            "additionalProperties": false,
            "properties": {
                "contains": many("Each of these occurs in the text."),
                "not_contains": many("None of these occurs in the text."),
                "equals": {"description": "The whole text.", "type": ["string", "null"]},
                "matches": many("Each of these patterns matches somewhere in the text; the dialect is Python's."),
                "case_sensitive": {
                    "description": "False compares with full Unicode case folding; patterns then ignore case. True by default.",
                    "type": ["boolean", "string", "integer"],
                },
            },
        })
    }

    fn prepare(config: &Value) -> Result<Self, Vec<Problem>> {
        let empty = json!({});
        let mut problems = Problems::default();
        let text = read(&Place::root(if config.is_null() { &empty } else { config }), &mut problems);
        problems.finish(text)
    }

    fn evaluate(&self, turn: &Turn) -> Result<Vec<Finding>, String> {
        let text = Searched { written: &turn.text, folded: OnceCell::new() };
        let sought = text.sought(self.case_sensitive);
        let mut findings = Vec::new();
        for needle in self.contains.iter().filter(|needle| !sought.contains(&needle.sought)) {
            findings.push(self.lacks(needle, &text));
        }
        for needle in &self.not_contains {
            if let Some(at) = sought.find(&needle.sought) {
                findings.push(self.contains_forbidden(needle, text.written, at));
            }
        }
        if let Some(expected) = &self.equals
            && let Some(told) = describe(expected, text.written, self.case_sensitive)
        {
            let finding = Finding::new("text-differs", told).config_path("/equals");
            findings.push(finding.expected(bounded(expected)).actual(bounded(text.written)));
        }
        let mut searches = Searches::default();
        for (pattern, path) in &self.matches {
            let shown = excerpt(&pattern.source);
            let search = searches.search(pattern, text.written);
            let (code, message) = match search {
                Search::Found => continue,
                Search::NotFound => ("text-does-not-match", format!("the text does not match {shown}")),
                Search::Undecided | Search::NotMade => ("text-undecided", format!("{}: {shown}", search.undecided())),
            };
            let finding = Finding::new(code, message).config_path(path);
            findings.push(finding.expected(bounded(&pattern.source)).actual(bounded(text.written)));
        }
        Ok(findings)
    }
}

impl Text {
    fn lacks(&self, needle: &Needle, text: &Searched) -> Finding {
        let message = format!("the text does not contain \"{}\"", excerpt(&needle.written));
        let finding =
            Finding::new("text-lacks", if text.written.is_empty() { "the text is empty".into() } else { message })
                .config_path(&needle.path)
                .expected(bounded(&needle.written))
                .actual(bounded(text.written));
        if self.case_sensitive && text.sought(false).contains(&fold(&needle.written)) {
            return finding.fix("it is there in another case: `case_sensitive: false` would find it");
        }
        let squeezed_needle = squeezed(&needle.sought);
        if !squeezed_needle.is_empty() && squeezed(text.sought(self.case_sensitive)).contains(&squeezed_needle) {
            return finding.fix("it is there with other white space or invisible characters");
        }
        finding
    }

    /// The needle was found at this byte of the text as it was searched.
    fn contains_forbidden(&self, needle: &Needle, text: &str, at: usize) -> Finding {
        /// Characters shown on both sides.
        const AROUND: usize = 30;
        let index = if self.case_sensitive { text[..at].chars().count() } else { unfolded(text, at) };
        let start = index.saturating_sub(AROUND);
        let length = index - start + needle.written.chars().count().min(AROUND) + AROUND;
        let shown: String = text.chars().skip(start).take(length).collect();
        let message = format!("the text contains \"{}\" at character {}", excerpt(&needle.written), index + 1);
        Finding::new("text-contains-forbidden", message)
            .config_path(&needle.path)
            .expected(format!("no \"{}\"", excerpt(&needle.written)))
            .actual(shown)
    }
}

/// The text as it is searched.
struct Searched<'t> {
    written: &'t str,
    folded: OnceCell<String>,
}

impl Searched<'_> {
    fn sought(&self, case_sensitive: bool) -> &str {
        if case_sensitive { self.written } else { self.folded.get_or_init(|| fold(self.written)) }
    }
}

/// Which character of the text lies at a byte of its folded form.
fn unfolded(text: &str, at: usize) -> usize {
    let mut end = 0;
    let before = text.chars().take_while(|char| {
        end += fold(char.encode_utf8(&mut [0; 4])).len();
        end <= at
    });
    before.count()
}

fn read(place: &Place, problems: &mut Problems) -> Option<Text> {
    place.object(&KEYS, problems)?;
    let case_sensitive = match place.get("case_sensitive") {
        Some(place) => place.boolean(problems),
        None => Some(true),
    };
    // What follows is read all the same where this is amiss, so that its problems are told too.
    let folded = case_sensitive == Some(false);
    let contains = needles(place, "contains", folded, problems);
    let not_contains = needles(place, "not_contains", folded, problems);
    let equals = match place.get("equals").filter(|place| !place.value.is_null()) {
        Some(place) => place.string(0..=usize::MAX, problems).map(|text| Some(text.to_owned())),
        None => Some(None),
    };
    let mut matches = Vec::new();
    for (pattern, path) in strings(place, "matches", problems) {
        match Pattern::compile(pattern, !folded) {
            Ok(pattern) => matches.push((pattern, path)),
            Err(error) => {
                let problem = Problem::new(path, format!("{}: {}", error.message, excerpt(pattern)));
                problems.add(Problem { help: error.help, ..problem });
            }
        }
    }
    Some(Text { case_sensitive: case_sensitive?, contains, not_contains, equals: equals?, matches })
}

fn needles(place: &Place, key: &str, folded: bool, problems: &mut Problems) -> Vec<Needle> {
    let needle = |(text, path): (&str, String)| Needle {
        written: text.to_owned(),
        sought: if folded { fold(text) } else { text.to_owned() },
        path,
    };
    strings(place, key, problems).into_iter().map(needle).collect()
}

/// The strings under a key that takes one or a list, each with its place.
fn strings<'a>(place: &Place<'a>, key: &str, problems: &mut Problems) -> Vec<(&'a str, String)> {
    let items = place.get(key).and_then(|place| place.one_or_many(problems)).unwrap_or_default();
    items.into_iter().filter_map(|item| Some((item.string(1..=MAX_CHARS, problems)?, item.path))).collect()
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::testing::RecordedTurn;

    use super::*;

    fn findings(config: &Value, text: &str) -> Vec<Finding> {
        Text::prepare(config).unwrap().evaluate(&RecordedTurn::with_text(text).turn()).unwrap()
    }

    fn problems(config: &Value) -> Vec<Problem> {
        Text::prepare(config).err().unwrap_or_default()
    }

    #[test]
    fn every_rule_is_judged_in_order() {
        let config = json!({
            "matches": ["^x", "y$"], "equals": "other", "not_contains": ["World", "nothing", "Hello"],
            "contains": ["Hello", "missing", "absent"],
        });
        let paths: Vec<String> =
            findings(&config, "Hello World").into_iter().map(|finding| finding.config_path).collect();
        let order =
            ["/contains/1", "/contains/2", "/not_contains/0", "/not_contains/2", "/equals", "/matches/0", "/matches/1"];
        assert_eq!(paths, order);
        let config = json!({"contains": "a", "not_contains": "b", "matches": "^a.c$", "equals": "axc"});
        assert!(findings(&config, "axc").is_empty());
        assert_eq!(findings(&json!({"contains": "z"}), "axc")[0].config_path, "/contains");
    }

    #[test]
    fn nothing_is_asserted_by_an_empty_config() {
        for config in [json!({}), json!(null), json!({"contains": [], "equals": null})] {
            assert!(findings(&config, "anything").is_empty(), "{config}");
        }
        assert!(findings(&json!({"equals": ""}), "").is_empty());
        assert_eq!(findings(&json!({"equals": ""}), "a").len(), 1);
    }

    #[test]
    fn case_is_folded_fully_but_simply_in_patterns() {
        let folded = |key: &str, needle: &str, text: &str| {
            findings(&json!({key: needle, "case_sensitive": "no"}), text).is_empty()
        };
        assert!(folded("contains", "STRASSE", "die straße"));
        assert!(folded("contains", "straße", "DIE STRASSE"));
        assert!(folded("equals", "DIE STRASSE", "die straße"));
        assert!(!folded("not_contains", "STRASSE", "die straße"));
        assert!(folded("matches", "DIE", "die straße"));
        assert!(!folded("matches", "STRASSE", "die straße"));
        assert!(!findings(&json!({"contains": "STRASSE"}), "die straße").is_empty());
        // Normalisation is not applied.
        assert!(!folded("contains", "é", "e\u{301}"));
    }

    #[test]
    fn a_missing_needle_says_what_is_near() {
        let finding = findings(&json!({"contains": ["Hello", "hello world"]}), "Hello World").remove(0);
        assert_eq!((finding.code.as_str(), finding.config_path.as_str()), ("text-lacks", "/contains/1"));
        assert_eq!(finding.message, "the text does not contain \"hello world\"");
        assert_eq!(finding.expected.as_deref(), Some("hello world"));
        assert_eq!(finding.actual.as_deref(), Some("Hello World"));
        assert!(finding.fix.unwrap().contains("case_sensitive: false"));
        let finding = findings(&json!({"contains": "Hello World"}), "Hello \u{a0}World").remove(0);
        assert!(finding.fix.unwrap().contains("white space"));
        assert_eq!(findings(&json!({"contains": "x"}), "y")[0].fix, None);
        assert_eq!(findings(&json!({"contains": "x"}), "")[0].message, "the text is empty");
        let long = findings(&json!({"contains": "x".repeat(5_000)}), &"y".repeat(5_000)).remove(0);
        assert_eq!(long.actual.unwrap().chars().count(), 2_001);
        assert!(long.message.chars().count() < 300);
    }

    #[test]
    fn a_forbidden_needle_is_shown_where_it_stands() {
        let text = format!("{}ſecret{}", "ß".repeat(50), "z".repeat(50));
        let finding = findings(&json!({"not_contains": "SECRET", "case_sensitive": false}), &text).remove(0);
        assert_eq!(finding.message, "the text contains \"SECRET\" at character 51");
        assert_eq!(finding.actual.unwrap(), format!("{}ſecret{}", "ß".repeat(30), "z".repeat(30)));
        let finding = findings(&json!({"not_contains": "b"}), "äb").remove(0);
        assert_eq!(finding.message, "the text contains \"b\" at character 2");
    }

    #[test]
    fn equality_tells_the_first_difference() {
        let finding = findings(&json!({"equals": "Hello World"}), "Hello \u{a0}World").remove(0);
        assert_eq!((finding.code.as_str(), finding.config_path.as_str()), ("text-differs", "/equals"));
        assert!(finding.message.contains("U+00A0"), "{}", finding.message);
        assert_eq!(finding.actual.as_deref(), Some("Hello \u{a0}World"));
        assert!(findings(&json!({"equals": "naïve 日本 🚀"}), "naïve 日本 🚀").is_empty());
    }

    #[test]
    fn a_runaway_pattern_is_a_finding_of_its_own() {
        let text = format!("{}!", "a".repeat(60));
        let found = findings(&json!({"matches": [r"^(a|aa)+\1$", "^a"]}), &text);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].code.as_str(), found[0].config_path.as_str()), ("text-undecided", "/matches/0"));
        assert!(found[0].message.starts_with("could not be decided: the pattern needs too many steps"));
    }

    #[test]
    fn all_problems_are_placed() {
        let config = json!({
            "contain": "a", "contains": ["ok", 12, ""], "not_contains": false, "equals": 14,
            "matches": ["(", r"\h", "ok"], "case_sensitive": "maybe",
        });
        let found: Vec<(String, Option<String>)> =
            problems(&config).into_iter().map(|problem| (problem.path, problem.help)).collect();
        let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
        let expected = [
            "/contain",
            "/case_sensitive",
            "/contains/1",
            "/contains/2",
            "/not_contains",
            "/equals",
            "/matches/0",
            "/matches/1",
        ];
        assert_eq!(paths, expected);
        assert_eq!(found[2].1.as_deref(), Some("put quotes around it: \"12\""));
        assert_eq!(found[4].1.as_deref(), Some("put quotes around it: \"false\""));
        assert!(found[7].1.is_some());
        assert_eq!(problems(&json!([]))[0].message, "expected an object, found a list");
    }

    #[test]
    fn limits_hold_on_both_sides() {
        assert!(problems(&json!({"contains": vec!["a"; 100], "matches": "a".repeat(MAX_CHARS)})).is_empty());
        assert_eq!(problems(&json!({"contains": vec!["a"; 101]}))[0].path, "/contains");
        assert_eq!(problems(&json!({"contains": "ä".repeat(MAX_CHARS + 1)}))[0].path, "/contains");
        assert!(problems(&json!({"contains": "ä".repeat(MAX_CHARS)})).is_empty());
        assert!(problems(&json!({"equals": "a".repeat(MAX_CHARS + 1)})).is_empty());
    }
}
