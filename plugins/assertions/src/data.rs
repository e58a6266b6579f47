use std::cmp::Ordering;

use a2a_host_sdk::assertion::{Assertion, ObservedPart, PartKind, Problem, Turn};
use a2a_host_sdk::serde_json::{self, Number};
use a2a_host_sdk::{Finding, Value, json};

use crate::config::{MAX_ITEMS, Place, Problems};
use crate::expectation::{self, Bound, Expectation, Predicate, source_word};
use crate::pattern::{Pattern, Search, Searches};
use crate::schema;
use crate::value::{compare, equal, escape, excerpt, first_difference, place, preview, previews, resolve};

/// `expect.data`: what the data parts of the reply hold.
pub(crate) struct Data {
    expectations: Vec<Expectation>,
}

/// A data part that the filters admit.
struct Candidate<'t> {
    index: usize,
    value: &'t Value,
}

impl Assertion for Data {
    const NAME: &'static str = "data";
    const SUMMARY: &'static str = "what the data parts of the reply hold";

    fn config_schema() -> Value {
        let entry = expectation::config_schema();
        json!({
            "description": "What the data parts of the reply hold: one entry or a list, of which each must hold.",
            "oneOf": [entry, {"type": "array", "maxItems": MAX_ITEMS, "items": entry}],
        })
    }

    fn prepare(config: &Value) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems::default();
        let root = Place::root(config);
        let items = if config.is_object() || config.is_array() {
            root.one_or_many(&mut problems)
        } else {
            root.wrong("an object or a list of them", &mut problems);
            None
        };
        let read =
            items.unwrap_or_default().iter().map(|item| expectation::read(item, &mut problems)).collect::<Vec<_>>();
        problems.finish(read.into_iter().collect::<Option<_>>().map(|expectations| Data { expectations }))
    }

    fn evaluate(&self, turn: &Turn) -> Result<Vec<Finding>, String> {
        let mut values = Vec::new();
        for (index, part) in turn.parts.iter().enumerate().filter(|(_, part)| part.kind == PartKind::Data) {
            let text = part.value.as_deref().unwrap_or("null");
            let value: Value =
                serde_json::from_str(text).map_err(|error| format!("part {index} cannot be read: {error}"))?;
            values.push((index, part, value));
        }
        let mut searches = Searches::default();
        Ok(self.expectations.iter().filter_map(|expectation| judge(expectation, &values, &mut searches)).collect())
    }
}

fn judge(
    expectation: &Expectation,
    values: &[(usize, &ObservedPart, Value)],
    searches: &mut Searches,
) -> Option<Finding> {
    let candidates: Vec<Candidate> = values
        .iter()
        .filter(|(_, part, _)| expectation.filter.admits(part))
        .map(|(index, _, value)| Candidate { index: *index, value })
        .collect();
    let Some(first) = candidates.first() else { return Some(no_candidate(expectation, values)) };
    let present: Vec<Candidate> = candidates
        .iter()
        .filter_map(|part| Some(Candidate { index: part.index, value: resolve(part.value, &expectation.pointer)? }))
        .collect();
    let at = place(&expectation.pointer);
    let finding = |code: &str, message: String| {
        let shown = present.first().unwrap_or(first);
        Finding::new(code, message)
            .config_path(format!("{}/{}", expectation.config_path, expectation.predicate.key()))
            .part(shown.index)
            .path(&expectation.pointer)
    };
    if let Predicate::Exists(false) = expectation.predicate {
        let found = previews(present.iter().map(|part| part.value));
        return present.first().map(|_| finding("data-present", format!("{at} is there: {found}")).actual(found));
    }
    if present.is_empty() {
        let message = format!("{at} is not there{}", nearest_place(first.value, &expectation.pointer));
        return Some(finding("data-path-missing", message).actual(previews(candidates.iter().map(|part| part.value))));
    }
    let found = previews(present.iter().map(|part| part.value));
    match &expectation.predicate {
        Predicate::Exists(_) => None,
        Predicate::Equals(expected) => {
            if present.iter().any(|part| equal(part.value, expected)) {
                return None;
            }
            let differs = first_difference(expected, present.first()?.value).unwrap_or_default();
            let told = format!("{at} is {found}, not {}", preview(expected));
            let told = if differs.is_empty() { told } else { format!("{told}; the first difference is at {differs}") };
            let finding = finding("data-differs", told).path(format!("{}{differs}", expectation.pointer));
            Some(finding.expected(preview(expected)).actual(found))
        }
        Predicate::Matches(pattern) => {
            let search = search(pattern, &present, searches);
            let (code, message) = match search {
                Search::Found => return None,
                Search::NotFound => (
                    "data-does-not-match",
                    format!("{at} is {found}, which does not match {}", excerpt(&pattern.source)),
                ),
                Search::Undecided | Search::NotMade => {
                    ("data-undecided", format!("{}: {}", search.undecided(), excerpt(&pattern.source)))
                }
            };
            Some(finding(code, message).expected(excerpt(&pattern.source)).actual(found))
        }
        Predicate::Bounds(bounds) => {
            if present.iter().any(|part| within(part.value, bounds)) {
                return None;
            }
            let wanted: Vec<String> = bounds.iter().map(|(bound, limit)| format!("{} {limit}", bound.key())).collect();
            let wanted = wanted.join(", ");
            Some(finding("data-out-of-bounds", format!("{at} is {found}, not {wanted}")).expected(wanted).actual(found))
        }
        Predicate::Schema(validator) => {
            let violations: Option<Vec<_>> =
                present.iter().map(|part| schema::violation(validator, part.value)).collect();
            let violation = violations?.into_iter().next()?;
            let code = if violation.undecided { "data-undecided" } else { "data-breaks-schema" };
            let path = format!("{}{}", expectation.pointer, violation.path);
            let message = format!("{} breaks the schema: {}", place(&path), violation.message);
            Some(finding(code, message).path(path).actual(found))
        }
    }
}

fn no_candidate(expectation: &Expectation, values: &[(usize, &ObservedPart, Value)]) -> Finding {
    /// Enough to see a slip in a name.
    const SHOWN: usize = 10;
    let filters = expectation.filter.words();
    let message = match (values.is_empty(), filters.is_empty()) {
        (_, true) => "the reply has no data part".to_owned(),
        (true, false) => format!("the reply has no data part, so none with {filters}"),
        (false, false) => format!("no data part with {filters}"),
    };
    let parts: Vec<String> = values.iter().take(SHOWN).map(|(_, part, _)| describe_part(part)).collect();
    let finding = Finding::new("data-missing", message).config_path(&expectation.config_path);
    if parts.is_empty() { finding } else { finding.actual(parts.join("; ")) }
}

fn describe_part(part: &ObservedPart) -> String {
    let name = part.artifact_name.as_ref().map(|name| format!(" \"{name}\"")).unwrap_or_default();
    let media_type = part.media_type.as_ref().map(|media_type| format!(" of {media_type}")).unwrap_or_default();
    format!("{}{name}{media_type}", source_word(part.source))
}

/// How far a pointer leads, and what is there.
fn nearest_place(value: &Value, pointer: &str) -> String {
    /// Enough to see a slip in a name.
    const SHOWN: usize = 10;
    let ends = pointer.match_indices('/').map(|(at, _)| at).rev();
    let Some((prefix, there)) =
        ends.into_iter().find_map(|end| Some((&pointer[..end], resolve(value, &pointer[..end])?)))
    else {
        return String::new();
    };
    let told = match there {
        Value::Object(object) if object.is_empty() => "an empty object".to_owned(),
        Value::Object(object) => {
            let keys: Vec<String> = object.keys().take(SHOWN).map(|key| escape(key)).collect();
            let more = if object.len() > SHOWN { ", …" } else { "" };
            format!("an object with {}{more}", keys.join(", "))
        }
        Value::Array(items) => format!("a list of {}", items.len()),
        scalar => preview(scalar),
    };
    format!("; {} is {}", place(prefix), excerpt(&told))
}

/// Strings are searched in order; the first search that cannot be decided decides.
fn search(pattern: &Pattern, present: &[Candidate], searches: &mut Searches) -> Search {
    let strings = present.iter().filter_map(|part| part.value.as_str());
    let mut made = strings.map(|text| searches.search(pattern, text));
    made.find(|search| *search != Search::NotFound).unwrap_or(Search::NotFound)
}

fn within(value: &Value, bounds: &[(Bound, Number)]) -> bool {
    let Value::Number(number) = value else { return false };
    bounds.iter().all(|(bound, limit)| {
        let order = compare(number, limit);
        match bound {
            Bound::Gt => order == Some(Ordering::Greater),
            Bound::Gte => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            Bound::Lt => order == Some(Ordering::Less),
            Bound::Lte => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        }
    })
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::assertion::Source;
    use a2a_host_sdk::testing::RecordedTurn;

    use super::*;

    fn finding(config: &Value, recorded: &RecordedTurn) -> Option<Finding> {
        let findings = Data::prepare(config).unwrap().evaluate(&recorded.turn()).unwrap();
        assert!(findings.len() < 2);
        findings.into_iter().next()
    }

    fn code(config: &Value, values: &[Value]) -> Option<String> {
        let recorded = values.iter().fold(RecordedTurn::new(), RecordedTurn::data);
        finding(config, &recorded).map(|finding| finding.code)
    }

    fn passes(config: &Value, values: &[Value]) -> bool {
        code(config, values).is_none()
    }

    #[test]
    fn without_a_candidate_everything_fails_even_absence() {
        for config in [json!({"exists": true}), json!({"exists": false, "path": "/a"}), json!({"equals": null})] {
            assert_eq!(code(&config, &[]).as_deref(), Some("data-missing"), "{config}");
        }
        // A text part is no candidate.
        assert_eq!(finding(&json!({"exists": true}), &RecordedTurn::with_text("{}")).unwrap().code, "data-missing");
    }

    #[test]
    fn filters_choose_the_candidates() {
        let mut recorded = RecordedTurn::new().data(&json!(1)).data(&json!(2)).data(&json!(3));
        recorded.data.parts[0].source = Source::Message;
        recorded.data.parts[0].artifact_name = None;
        recorded.data.parts[1].artifact_name = Some("Report".into());
        recorded.data.parts[1].media_type = Some("Application/JSON".into());
        for (filters, values) in [
            (json!({}), vec![1, 2, 3]),
            (json!({"source": "message"}), vec![1]),
            (json!({"source": "artifact"}), vec![2, 3]),
            (json!({"artifact_name": "Report"}), vec![2]),
            (json!({"artifact_name": "report"}), vec![]),
            (json!({"media_type": "application/json"}), vec![2]),
            (json!({"media_type": "text/plain"}), vec![]),
            (json!({"source": "message", "media_type": "application/json"}), vec![]),
        ] {
            for value in 1..=3 {
                let mut config = filters.clone();
                config["equals"] = json!(value);
                assert_eq!(finding(&config, &recorded).is_none(), values.contains(&value), "{config}");
            }
        }
        let missing = finding(&json!({"artifact_name": "report", "exists": true}), &recorded).unwrap();
        assert_eq!(missing.message, "no data part with artifact_name \"report\"");
        assert_eq!(missing.actual.unwrap(), "message; artifact \"Report\" of Application/JSON; artifact \"answer\"");
        assert_eq!(missing.config_path, "");
    }

    #[test]
    fn any_candidate_satisfies_but_absence_wants_all() {
        let parts = [json!({"a": 1}), json!({"b": 2})];
        assert!(passes(&json!({"path": "/b", "equals": 2}), &parts));
        assert!(passes(&json!({"path": "/a", "exists": true}), &parts));
        assert_eq!(code(&json!({"path": "/a", "exists": false}), &parts).as_deref(), Some("data-present"));
        assert!(passes(&json!({"path": "/c", "exists": false}), &parts));
        for predicate in [json!({"exists": true}), json!({"equals": 1}), json!({"gt": 0}), json!({"json_schema": true})]
        {
            let mut config = predicate;
            config["path"] = json!("/c");
            assert_eq!(code(&config, &parts).as_deref(), Some("data-path-missing"), "{config}");
        }
        assert!(passes(&json!({"exists": true}), &parts));
    }

    #[test]
    fn a_missing_path_says_how_far_it_leads() {
        let recorded = RecordedTurn::with_text("x").data(&json!({"items": [{"prize": 3, "name": "x"}]}));
        let told = |path: &str| finding(&json!([{"path": path, "exists": true}]), &recorded).unwrap();
        let missing = told("/items/0/price");
        assert_eq!(missing.message, "/items/0/price is not there; /items/0 is an object with prize, name");
        assert_eq!((missing.part, missing.path.as_deref()), (Some(1), Some("/items/0/price")));
        assert_eq!(missing.config_path, "/0/exists");
        assert!(told("/items/1/price").message.ends_with("; /items is a list of 1"));
        assert!(told("/items/0/name/first").message.ends_with("; /items/0/name is \"x\""));
        assert!(told("/other").message.ends_with("; <root> is an object with items"));
    }

    #[test]
    fn equality_is_exact() {
        assert!(passes(&json!({"equals": 1}), &[json!(1.0)]));
        assert!(!passes(&json!({"equals": 1}), &[json!(true)]));
        assert!(!passes(&json!({"equals": 9_007_199_254_740_993_i64}), &[json!(9_007_199_254_740_992_i64)]));
        assert!(passes(&json!({"equals": null}), &[json!(null)]));
        assert!(!passes(&json!({"equals": null}), &[json!(0)]));
        let recorded = RecordedTurn::new().data(&json!({"b": [1, {"c": "ü"}], "a": 21}));
        let differs = finding(&json!({"equals": {"a": 21, "b": [1, {"c": "u"}]}}), &recorded).unwrap();
        assert_eq!(
            differs.message,
            r#"<root> is {"a":21,"b":[1,{"c":"ü"}]}, not {"a":21,"b":[1,{"c":"u"}]}; the first difference is at /b/1/c"#
        );
        assert_eq!(differs.path.as_deref(), Some("/b/1/c"));
        assert_eq!(differs.expected.as_deref(), Some(r#"{"a":21,"b":[1,{"c":"u"}]}"#));
        assert_eq!(differs.config_path, "/equals");
    }

    #[test]
    fn up_to_three_candidates_are_shown_cut() {
        let values = [json!("x".repeat(300)), json!(2), json!(3), json!(4)];
        let recorded = values.iter().fold(RecordedTurn::new(), RecordedTurn::data);
        let actual = finding(&json!({"equals": 5}), &recorded).unwrap().actual.unwrap();
        assert_eq!(actual, format!("\"{}…, 2, 3", "x".repeat(199)));
    }

    #[test]
    fn patterns_search_strings_only_and_mind_case() {
        assert!(passes(&json!({"matches": "b.d"}), &[json!(1), json!("abcde")]));
        assert!(!passes(&json!({"matches": "1"}), &[json!(1), json!(["1"])]));
        assert!(!passes(&json!({"matches": "B"}), &[json!("b")]));
        assert!(passes(&json!({"matches": "(?i)B"}), &[json!("b")]));
        let runaway = json!({"matches": r"^(a|aa)+\1$"});
        let long = json!(format!("{}!", "a".repeat(60)));
        assert_eq!(code(&runaway, &[json!("x"), long.clone(), json!("aa")]).as_deref(), Some("data-undecided"));
        assert!(passes(&runaway, &[json!("aaa"), long.clone()]));
        let recorded = RecordedTurn::new().data(&long);
        let many = Data::prepare(&json!(vec![runaway; 3])).unwrap().evaluate(&recorded.turn()).unwrap();
        assert_eq!(many.len(), 3);
        assert!(many[2].message.starts_with("not searched"), "{}", many[2].message);
    }

    #[test]
    fn bounds_hold_on_one_candidate() {
        let config = json!({"gt": 1, "lte": 5});
        assert!(passes(&config, &[json!(5)]));
        assert!(passes(&config, &[json!(0), json!(1.5)]));
        for values in [vec![json!(1)], vec![json!(5.1)], vec![json!(0), json!(6)], vec![json!(true)], vec![json!("3")]]
        {
            assert_eq!(code(&config, &values).as_deref(), Some("data-out-of-bounds"), "{values:?}");
        }
        assert!(passes(&json!({"gte": 1, "lt": 2}), &[json!(1)]));
        assert!(!passes(&json!({"lt": 2}), &[json!(2)]));
        assert!(!passes(&json!({"gt": 9_007_199_254_740_992_i64}), &[json!(9_007_199_254_740_992_i64)]));
        assert!(passes(&json!({"gt": 9_007_199_254_740_992_i64}), &[json!(9_007_199_254_740_993_i64)]));
        let recorded = RecordedTurn::new().data(&json!({"n": 7}));
        let told = finding(&json!({"path": "/n", "gt": 1, "lte": 5}), &recorded).unwrap();
        assert_eq!(told.message, "/n is 7, not gt 1, lte 5");
        assert_eq!(told.config_path, "/gt");
    }

    #[test]
    fn schemas_pass_where_any_candidate_does() {
        let config = json!({"json_schema": {"required": ["total"], "properties": {"total": {"type": "integer"}}}});
        assert!(passes(&config, &[json!({}), json!({"total": 1})]));
        let recorded = RecordedTurn::new().data(&json!({"total": "x"})).data(&json!({}));
        let broken = finding(&config, &recorded).unwrap();
        assert_eq!(broken.code, "data-breaks-schema");
        assert_eq!(broken.message, "/total breaks the schema: \"x\" is not of type \"integer\"");
        assert_eq!((broken.part, broken.path.as_deref()), (Some(0), Some("/total")));
        let runaway = json!({"json_schema": {"pattern": r"^(a|aa)+\1$"}});
        assert_eq!(code(&runaway, &[json!(format!("{}!", "a".repeat(60)))]).as_deref(), Some("data-undecided"));
    }

    #[test]
    fn entries_are_judged_in_order_and_problems_come_together() {
        let config = json!([{"equals": 1}, {"equals": 2}, {"gt": 5}]);
        let recorded = RecordedTurn::new().data(&json!(2));
        let findings = Data::prepare(&config).unwrap().evaluate(&recorded.turn()).unwrap();
        let paths: Vec<&str> = findings.iter().map(|finding| finding.config_path.as_str()).collect();
        assert_eq!(paths, ["/0/equals", "/2/gt"]);

        let config = json!([{"equals": 1}, {"equal": 2}, 7]);
        let problems = Data::prepare(&config).err().unwrap();
        let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(paths, ["/1/equal", "/1", "/2"]);
        for config in [json!(null), json!("x"), json!(1)] {
            assert_eq!(Data::prepare(&config).err().unwrap()[0].path, "", "{config}");
        }
        assert!(Data::prepare(&json!([])).unwrap().evaluate(&recorded.turn()).unwrap().is_empty());
        assert!(Data::prepare(&json!(vec![json!({"equals": 1}); 100])).is_ok());
        assert!(Data::prepare(&json!(vec![json!({"equals": 1}); 101])).is_err());
    }

    #[test]
    fn data_that_is_no_json_cannot_be_judged() {
        let mut recorded = RecordedTurn::new().data(&json!(1));
        recorded.data.parts[0].value = Some("{".into());
        let judged = Data::prepare(&json!({"exists": true})).unwrap().evaluate(&recorded.turn());
        assert!(judged.unwrap_err().starts_with("part 0 cannot be read"));
    }
}
