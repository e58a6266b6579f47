//! JSON values: exact equality and order of numbers, pointers, and how they look in a finding.

use std::cmp::Ordering;

use a2a_host_sdk::Value;
use a2a_host_sdk::serde_json::Number;

/// A value in a finding is cut after so many characters.
const PREVIEW_CHARS: usize = 200;
/// A finding shows so many candidates.
const PREVIEW_VALUES: usize = 3;
/// Texts in a finding are cut after so many characters.
const TEXT_CHARS: usize = 2_000;

/// Whether two values are the same JSON: numbers compare by their value (1 is 1.0), booleans never equal numbers, lists
/// compare by length and order, objects by their members.
pub(crate) fn equal(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => compare(one, two) == Some(Ordering::Equal),
        (Value::Array(one), Value::Array(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(one, two)| equal(one, two))
        }
        (Value::Object(one), Value::Object(two)) => {
            one.len() == two.len() && one.iter().all(|(key, one)| two.get(key).is_some_and(|two| equal(one, two)))
        }
        _ => one == two,
    }
}

/// The order of two numbers, exact also where one is an integer that no double can hold. Integers outside of 64 bits are
/// doubles already when they get here.
pub(crate) fn compare(one: &Number, two: &Number) -> Option<Ordering> {
    match (integer(one), integer(two)) {
        (Some(one), Some(two)) => Some(one.cmp(&two)),
        (Some(one), None) => with_double(one, two.as_f64()?),
        (None, Some(two)) => with_double(two, one.as_f64()?).map(Ordering::reverse),
        (None, None) => one.as_f64()?.partial_cmp(&two.as_f64()?),
    }
}

fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// An integer against a double, without rounding the integer.
fn with_double(integer: i128, double: f64) -> Option<Ordering> {
    // Every integer of a JSON number here lies between -2^63 and 2^64.
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;
    if double.is_nan() {
        return None;
    }
    if double >= BEYOND {
        return Some(Ordering::Less);
    }
    if double <= -BEYOND {
        return Some(Ordering::Greater);
    }
    #[expect(clippy::cast_possible_truncation, reason = "cut on purpose, and its magnitude was checked above")]
    let whole = double.trunc() as i128;
    Some(integer.cmp(&whole).then_with(|| 0.0f64.partial_cmp(&double.fract()).unwrap_or(Ordering::Equal)))
}

/// Pointer to the first place where two values differ; none where they are equal.
pub(crate) fn first_difference(one: &Value, two: &Value) -> Option<String> {
    match (one, two) {
        (Value::Array(one), Value::Array(two)) => {
            let differ = one
                .iter()
                .zip(two)
                .enumerate()
                .find_map(|(index, (one, two))| first_difference(one, two).map(|rest| format!("/{index}{rest}")));
            differ.or_else(|| (one.len() != two.len()).then(|| format!("/{}", one.len().min(two.len()))))
        }
        (Value::Object(one), Value::Object(two)) => {
            let differ = one.iter().find_map(|(key, one)| match two.get(key) {
                Some(two) => first_difference(one, two).map(|rest| format!("/{}{rest}", escape(key))),
                None => Some(format!("/{}", escape(key))),
            });
            differ.or_else(|| two.keys().find(|key| !one.contains_key(*key)).map(|key| format!("/{}", escape(key))))
        }
        _ => (!equal(one, two)).then(String::new),
    }
}

/// A key as a reference token of a JSON Pointer.
pub(crate) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Whether a JSON Pointer (RFC 6901) is well formed.
pub(crate) fn is_pointer(pointer: &str) -> bool {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return false;
    }
    let mut chars = pointer.chars();
    while let Some(char) = chars.next() {
        if char == '~' && !matches!(chars.next(), Some('0' | '1')) {
            return false;
        }
    }
    true
}

/// What a JSON Pointer finds. An index into a list is `0` or digits without a leading zero.
pub(crate) fn resolve<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    pointer.split('/').skip(1).try_fold(value, |value, token| {
        let token = token.replace("~1", "/").replace("~0", "~");
        match value {
            Value::Object(object) => object.get(&token),
            Value::Array(items) => {
                let digits = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
                let index = digits && (token == "0" || !token.starts_with('0'));
                items.get(token.parse::<usize>().ok().filter(|_| index)?)
            }
            _ => None,
        }
    })
}

/// A pointer for people.
pub(crate) fn place(pointer: &str) -> &str {
    if pointer.is_empty() { "<root>" } else { pointer }
}

/// Compact JSON with sorted keys, so that equal objects look equal.
pub(crate) fn compact(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_unstable_by_key(|(key, _)| key.as_str());
            text.push('{');
            for (index, (key, value)) in members.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write(value, text);
            }
            text.push('}');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

/// A value in a finding: compact, and cut.
pub(crate) fn preview(value: &Value) -> String {
    cut(&compact(value), PREVIEW_CHARS)
}

/// Candidates in a finding: the first few, separated by commas.
pub(crate) fn previews<'v>(values: impl IntoIterator<Item = &'v Value>) -> String {
    let shown: Vec<String> = values.into_iter().take(PREVIEW_VALUES).map(preview).collect();
    shown.join(", ")
}

/// A short text in a finding's message.
pub(crate) fn excerpt(text: &str) -> String {
    cut(text, PREVIEW_CHARS)
}

/// A text as a finding's `expected` or `actual`.
pub(crate) fn bounded(text: &str) -> String {
    cut(text, TEXT_CHARS)
}

fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::{json, serde_json};

    use super::*;

    fn parsed(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn equality_is_by_value() {
        for (one, two) in [
            ("1", "1.0"),
            ("-0.0", "0"),
            ("1e2", "100"),
            ("null", "null"),
            (r#"{"a":1,"b":[2.0]}"#, r#"{"b":[2],"a":1.0}"#),
            ("18446744073709551615", "18446744073709551615"),
        ] {
            assert!(equal(&parsed(one), &parsed(two)), "{one} {two}");
        }
        for (one, two) in [
            ("1", "true"),
            ("0", "false"),
            ("0", "null"),
            ("1", "\"1\""),
            ("[1]", "1"),
            ("[1,2]", "[2,1]"),
            ("[1]", "[1,1]"),
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#),
            (r#"{"a":1,"b":null}"#, r#"{"a":1,"c":null}"#),
            ("9007199254740993", "9007199254740992"),
            ("9007199254740993", "9007199254740992.0"),
            ("18446744073709551615", "18446744073709551616.0"),
            ("1", "1.5"),
        ] {
            assert!(!equal(&parsed(one), &parsed(two)), "{one} {two}");
            assert!(!equal(&parsed(two), &parsed(one)), "{two} {one}");
        }
    }

    #[test]
    fn numbers_are_ordered_exactly() {
        let order = |one: &str, two: &str| match (parsed(one), parsed(two)) {
            (Value::Number(one), Value::Number(two)) => compare(&one, &two).unwrap(),
            _ => panic!("numbers"),
        };
        for (less, more) in [
            ("1", "1.5"),
            ("-1.5", "-1"),
            ("-2", "-1.5"),
            ("9007199254740992.0", "9007199254740993"),
            ("-9007199254740993", "-9007199254740992.0"),
            ("18446744073709551615", "1e20"),
            ("-1e20", "-9223372036854775808"),
            ("0.1", "0.2"),
        ] {
            assert_eq!(order(less, more), Ordering::Less, "{less} {more}");
            assert_eq!(order(more, less), Ordering::Greater, "{more} {less}");
        }
    }

    #[test]
    fn pointers_resolve_as_rfc_6901_says() {
        let value = json!({"a": [10, 20], "": 1, "m~n": 2, "o/p": 3, "01": 4, "x": {"": 5}});
        for (pointer, found) in [
            ("/a/0", Some(10)),
            ("/a/1", Some(20)),
            ("/a/2", None),
            ("/a/-", None),
            ("/a/+1", None),
            ("/a/01", None),
            ("/a/\u{661}", None),
            ("/a/", None),
            ("/a/0/b", None),
            ("/", Some(1)),
            ("/m~0n", Some(2)),
            ("/o~1p", Some(3)),
            ("/01", Some(4)),
            ("/x/", Some(5)),
            ("/~01", None),
        ] {
            assert_eq!(resolve(&value, pointer).and_then(Value::as_i64), found, "{pointer}");
        }
        assert_eq!(resolve(&value, ""), Some(&value));
        assert_eq!(resolve(&json!({"~1": 7}), "/~01"), Some(&json!(7)));
    }

    #[test]
    fn the_first_difference_has_a_place() {
        for (one, two, place) in [
            (json!(1), json!(1.0), None),
            (json!(1), json!(2), Some("")),
            (json!([1, 2]), json!([1, 3]), Some("/1")),
            (json!([1]), json!([1, 3]), Some("/1")),
            (json!({"a": {"b/c": 1}}), json!({"a": {"b/c": 2}}), Some("/a/b~1c")),
            (json!({"a": 1}), json!({}), Some("/a")),
            (json!({}), json!({"a": 1}), Some("/a")),
            (json!([1]), json!({"0": 1}), Some("")),
        ] {
            assert_eq!(first_difference(&one, &two).as_deref(), place, "{one} {two}");
            assert_eq!(equal(&one, &two), place.is_none());
        }
    }

    #[test]
    fn pointers_are_checked() {
        for pointer in ["", "/", "/a/b", "/~0~1", "//"] {
            assert!(is_pointer(pointer), "{pointer}");
        }
        for pointer in ["a", "#/a", "/a~", "/~2", "$.a"] {
            assert!(!is_pointer(pointer), "{pointer}");
        }
    }

    #[test]
    fn values_are_shown_compact_sorted_and_cut() {
        assert_eq!(preview(&json!({"b": "ü\n", "a": [1, 2.5, null]})), r#"{"a":[1,2.5,null],"b":"ü\n"}"#);
        let long = json!("x".repeat(199));
        assert_eq!(preview(&long).chars().count(), 201);
        assert!(preview(&long).ends_with("x…"));
        assert_eq!(preview(&json!("x".repeat(198))).chars().count(), 200);
        assert_eq!(previews(&[json!(1), json!(2), json!(3), json!(4)]), "1, 2, 3");
        assert_eq!(place(""), "<root>");
    }
}
