//! Reading a config: every value knows its place, and every problem is kept, so that a user sees all of them in one go.

use std::ops::RangeInclusive;

use a2a_host_sdk::assertion::Problem;
use a2a_host_sdk::serde_json::Number;
use a2a_host_sdk::{Map, Value};

use crate::value::{escape, preview};

/// A list of the contract language holds at most this many items.
pub(crate) const MAX_ITEMS: usize = 100;
/// A needle or a pattern has at most this many characters; the language says so.
pub(crate) const MAX_CHARS: usize = 100_000;

/// Two names closer than this (1 is equal) are taken for a slip of the pen: `contain`, `mach`, `schema` for `json_schema`.
const NEAR: f64 = 0.5;

/// The problems found so far.
#[derive(Default)]
pub(crate) struct Problems(Vec<Problem>);

impl Problems {
    pub(crate) fn add(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    pub(crate) fn extend(&mut self, problems: impl IntoIterator<Item = Problem>) {
        self.0.extend(problems);
    }

    /// The value where nothing was wrong. A reader that answers with none has said why.
    pub(crate) fn finish<T>(self, value: Option<T>) -> Result<T, Vec<Problem>> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(self.0),
        }
    }
}

/// A value of the config and the JSON Pointer to it.
#[derive(Clone)]
pub(crate) struct Place<'a> {
    pub(crate) value: &'a Value,
    pub(crate) path: String,
}

impl<'a> Place<'a> {
    /// The whole config.
    pub(crate) fn root(value: &'a Value) -> Place<'a> {
        Place { value, path: String::new() }
    }

    /// The member of that name, where this is an object that has it.
    pub(crate) fn get(&self, key: &str) -> Option<Place<'a>> {
        let value = self.value.get(key)?;
        Some(Place { value, path: format!("{}/{}", self.path, escape(key)) })
    }

    /// The object, after complaining about keys that nobody knows.
    pub(crate) fn object(&self, known: &[&str], problems: &mut Problems) -> Option<&'a Map<String, Value>> {
        let Some(object) = self.value.as_object() else {
            self.wrong("an object", problems);
            return None;
        };
        for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
            let path = format!("{}/{}", self.path, escape(key));
            let help = match nearest(key, known) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("known keys: {}", known.join(", ")),
            };
            problems.add(Problem::new(path, format!("unknown key `{key}`")).help(help));
        }
        Some(object)
    }

    /// A string of so many characters.
    pub(crate) fn string(&self, length: RangeInclusive<usize>, problems: &mut Problems) -> Option<&'a str> {
        let Some(text) = self.value.as_str() else {
            self.wrong("a string", problems);
            return None;
        };
        let count = text.chars().count();
        if count == 0 && *length.start() > 0 {
            problems.add(Problem::new(&self.path, "the string is empty"));
            return None;
        }
        if count > *length.end() {
            let message = format!("the string has {count} characters, more than {}", length.end());
            problems.add(Problem::new(&self.path, message));
            return None;
        }
        Some(text)
    }

    /// The items of a list of at most [`MAX_ITEMS`].
    pub(crate) fn items(&self, problems: &mut Problems) -> Option<Vec<Place<'a>>> {
        let Some(items) = self.value.as_array() else {
            self.wrong("a list", problems);
            return None;
        };
        if items.len() > MAX_ITEMS {
            let message = format!("the list has {} items, more than {MAX_ITEMS}", items.len());
            problems.add(Problem::new(&self.path, message));
            return None;
        }
        let place = |(index, value)| Place { value, path: format!("{}/{index}", self.path) };
        Some(items.iter().enumerate().map(place).collect())
    }

    /// The items of a list, or the value itself where it is no list.
    pub(crate) fn one_or_many(&self, problems: &mut Problems) -> Option<Vec<Place<'a>>> {
        if self.value.is_array() { self.items(problems) } else { Some(vec![self.clone()]) }
    }

    /// A boolean, or a word for one: the language takes `"yes"`, `"off"`, `1` and their like.
    pub(crate) fn boolean(&self, problems: &mut Problems) -> Option<bool> {
        let read = match self.value {
            Value::Bool(value) => Some(*value),
            Value::Number(number) => match number.as_f64() {
                Some(1.0) => Some(true),
                Some(0.0) => Some(false),
                _ => None,
            },
            Value::String(text) => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" | "t" | "y" => Some(true),
                "false" | "no" | "off" | "0" | "f" | "n" => Some(false),
                _ => None,
            },
            _ => None,
        };
        if read.is_none() {
            let found = describe(self.value);
            problems.add(Problem::new(&self.path, format!("expected true or false, found {found}")));
        }
        read
    }

    /// A duration in seconds: above 0 and at most 600, the longest that the language knows. Numeric strings and booleans
    /// are taken as numbers.
    pub(crate) fn seconds(&self, problems: &mut Problems) -> Option<f64> {
        let read = match self.value {
            Value::Number(number) => number.as_f64(),
            Value::Bool(value) => Some(f64::from(u8::from(*value))),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        match read {
            Some(seconds) if seconds.is_finite() && seconds > 0.0 && seconds <= 600.0 => Some(seconds),
            Some(_) => {
                let found = preview(self.value);
                let message = format!("expected more than 0 and at most 600 seconds, found {found}");
                problems.add(Problem::new(&self.path, message));
                None
            }
            None => {
                self.wrong("a number of seconds", problems);
                None
            }
        }
    }

    /// A number, and nothing that could be taken for one: a bound that is a string or a boolean is a slip.
    pub(crate) fn number(&self, problems: &mut Problems) -> Option<&'a Number> {
        match self.value {
            Value::Number(number) => Some(number),
            Value::String(text) if text.trim().parse::<f64>().is_ok() => {
                let problem = Problem::new(&self.path, format!("expected a number, found the string \"{text}\""));
                problems.add(problem.help("leave out the quotes"));
                None
            }
            _ => {
                self.wrong("a number", problems);
                None
            }
        }
    }

    /// Complains that this is no such thing.
    pub(crate) fn wrong(&self, expected: &str, problems: &mut Problems) {
        let problem = Problem::new(&self.path, format!("expected {expected}, found {}", describe(self.value)));
        problems.add(match (expected, self.value) {
            // YAML takes bare words such as `no` and `12` for something else.
            ("a string", Value::Number(_) | Value::Bool(_)) => {
                problem.help(format!("put quotes around it: \"{}\"", self.value))
            }
            ("a string", Value::Null) => problem.help("an empty string is written \"\", the word null \"null\""),
            _ => problem,
        });
    }
}

/// What a value is, for people.
fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => format!("the boolean {value}"),
        Value::Number(_) => format!("the number {value}"),
        Value::String(_) => format!("the string {}", preview(value)),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}

/// The known name that was probably meant.
pub(crate) fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    let lower = name.to_lowercase();
    let scored = known.iter().map(|known| (strsim::normalized_damerau_levenshtein(&lower, known), *known));
    scored.filter(|(score, _)| *score >= NEAR).max_by(|one, two| one.0.total_cmp(&two.0)).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::json;

    use super::*;

    fn problems<T>(read: impl FnOnce(&mut Problems) -> Option<T>) -> Vec<(String, String, Option<String>)> {
        let mut problems = Problems::default();
        let value = read(&mut problems);
        let problems = problems.finish(value).err().unwrap_or_default();
        problems.into_iter().map(|problem| (problem.path, problem.message, problem.help)).collect()
    }

    #[test]
    fn unknown_keys_are_named_with_the_nearest_one() {
        let config = json!({"contain": 1, "a/b~c": 2, "equals": 3});
        let found = problems(|problems| Place::root(&config).object(&["contains", "equals"], problems));
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].0, "/contain");
        assert_eq!(found[0].2.as_deref(), Some("did you mean `contains`?"));
        assert_eq!(found[1].0, "/a~1b~0c");
        assert_eq!(found[1].2.as_deref(), Some("known keys: contains, equals"));
        assert_eq!(nearest("Equals", &["contains", "equals"]), Some("equals"));
        assert_eq!(nearest("schema", &["source", "json_schema"]), Some("json_schema"));
        assert_eq!(nearest("zzz", &["contains"]), None);
    }

    #[test]
    fn other_types_ask_for_quotes() {
        for (value, found, help) in [
            (json!(12), "the number 12", Some("put quotes around it: \"12\"")),
            (json!(false), "the boolean false", Some("put quotes around it: \"false\"")),
            (json!(["a"]), "a list", None),
            (json!({}), "an object", None),
        ] {
            let all = problems(|problems| Place::root(&value).string(0..=9, problems));
            assert_eq!(all[0].1, format!("expected a string, found {found}"));
            assert_eq!(all[0].2.as_deref(), help);
        }
        let null = problems(|problems| Place::root(&Value::Null).string(0..=9, problems));
        assert!(null[0].2.as_deref().unwrap().contains("\"null\""));
    }

    #[test]
    fn lengths_count_characters_on_both_sides_of_the_limit() {
        let fits = json!("äöü");
        assert!(problems(|problems| Place::root(&fits).string(1..=3, problems)).is_empty());
        assert_eq!(
            problems(|problems| Place::root(&fits).string(1..=2, problems))[0].1,
            "the string has 3 characters, more than 2"
        );
        let empty = json!("");
        assert!(problems(|problems| Place::root(&empty).string(0..=3, problems)).is_empty());
        assert_eq!(problems(|problems| Place::root(&empty).string(1..=3, problems))[0].1, "the string is empty");
    }

    #[test]
    fn lists_hold_a_hundred_items() {
        let (fits, more) = (json!(vec![0; MAX_ITEMS]), json!(vec![0; MAX_ITEMS + 1]));
        assert!(problems(|problems| Place::root(&fits).items(problems)).is_empty());
        assert_eq!(
            problems(|problems| Place::root(&more).items(problems))[0].1,
            "the list has 101 items, more than 100"
        );
        let mut none = Problems::default();
        let many = Place::root(&fits).one_or_many(&mut none).unwrap();
        assert_eq!(many[99].path, "/99");
        let one = json!("x");
        assert_eq!(Place::root(&one).one_or_many(&mut none).unwrap()[0].path, "");
    }

    #[test]
    fn booleans_have_words() {
        let mut none = Problems::default();
        for (value, expected) in [
            (json!(true), true),
            (json!("Yes"), true),
            (json!("ON"), true),
            (json!("1"), true),
            (json!(1), true),
            (json!(1.0), true),
            (json!("no"), false),
            (json!("off"), false),
            (json!("False"), false),
            (json!(0), false),
        ] {
            assert_eq!(Place::root(&value).boolean(&mut none), Some(expected), "{value}");
        }
        for value in [json!("maybe"), json!(2), json!(null), json!("")] {
            let found = problems(|problems| Place::root(&value).boolean(problems));
            assert!(found[0].1.starts_with("expected true or false, found"), "{value}");
        }
    }

    #[test]
    fn seconds_are_coerced_and_bounded() {
        let mut none = Problems::default();
        for (value, expected) in [
            (json!(1), 1.0),
            (json!(0.001), 0.001),
            (json!(600), 600.0),
            (json!("0.5"), 0.5),
            (json!(" 2 "), 2.0),
            (json!(true), 1.0),
        ] {
            assert_eq!(Place::root(&value).seconds(&mut none), Some(expected), "{value}");
        }
        for value in [json!(0), json!(-1), json!(600.1), json!("inf"), json!("nan"), json!(false)] {
            let found = problems(|problems| Place::root(&value).seconds(problems));
            assert!(found[0].1.starts_with("expected more than 0 and at most 600 seconds"), "{value}");
        }
        for value in [json!("soon"), json!([1]), json!(null)] {
            let found = problems(|problems| Place::root(&value).seconds(problems));
            assert!(found[0].1.starts_with("expected a number of seconds"), "{value}");
        }
    }

    #[test]
    fn bounds_are_numbers_and_nothing_else() {
        let mut none = Problems::default();
        assert!(Place::root(&json!(1.5)).number(&mut none).is_some());
        let quoted = problems(|problems| Place::root(&json!("5")).number(problems).cloned());
        assert_eq!(quoted[0].2.as_deref(), Some("leave out the quotes"));
        for value in [json!(true), json!("five"), json!(null)] {
            assert_eq!(problems(|problems| Place::root(&value).number(problems).cloned()).len(), 1, "{value}");
        }
    }
}
