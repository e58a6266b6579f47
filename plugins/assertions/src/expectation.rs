//! One entry of `expect.data`: which data parts it looks at, where in them, and what it wants there.

use a2a_host_sdk::assertion::{ObservedPart, Problem, Source};
use a2a_host_sdk::serde_json::Number;
use a2a_host_sdk::{Value, json};
use jsonschema::Validator;

use crate::config::{MAX_CHARS, Place, Problems};
use crate::difference::fold;
use crate::pattern::Pattern;
use crate::schema;
use crate::value::{excerpt, is_pointer};

/// Names and media types have at most so many characters, pointers so many; the contract language says so.
const MAX_NAME_CHARS: usize = 200;
const MAX_POINTER_CHARS: usize = 1_000;

const KEYS: [&str; 12] = [
    "source",
    "artifact_name",
    "media_type",
    "path",
    "equals",
    "exists",
    "matches",
    "gt",
    "gte",
    "lt",
    "lte",
    "json_schema",
];

pub(crate) struct Expectation {
    /// Pointer to the entry in the config.
    pub(crate) config_path: String,
    pub(crate) filter: Filter,
    /// Pointer into the data.
    pub(crate) pointer: String,
    pub(crate) predicate: Predicate,
}

/// Which data parts are candidates.
#[derive(Default)]
pub(crate) struct Filter {
    source: Option<Source>,
    artifact_name: Option<String>,
    /// Case-folded.
    media_type: Option<String>,
}

pub(crate) enum Predicate {
    Equals(Value),
    Exists(bool),
    Matches(Pattern),
    Bounds(Vec<(Bound, Number)>),
    Schema(Box<Validator>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    Gt,
    Gte,
    Lt,
    Lte,
}

impl Bound {
    pub(crate) const ALL: [Bound; 4] = [Bound::Gt, Bound::Gte, Bound::Lt, Bound::Lte];

    pub(crate) fn key(self) -> &'static str {
        match self {
            Bound::Gt => "gt",
            Bound::Gte => "gte",
            Bound::Lt => "lt",
            Bound::Lte => "lte",
        }
    }
}

impl Predicate {
    /// The key of the config that says so.
    pub(crate) fn key(&self) -> &'static str {
        match self {
            Predicate::Equals(_) => "equals",
            Predicate::Exists(_) => "exists",
            Predicate::Matches(_) => "matches",
            Predicate::Bounds(bounds) => bounds.first().map_or("gt", |(bound, _)| bound.key()),
            Predicate::Schema(_) => "json_schema",
        }
    }
}

impl Filter {
    pub(crate) fn admits(&self, part: &ObservedPart) -> bool {
        let media_type = || part.media_type.as_deref().map(fold);
        self.source.is_none_or(|source| source == part.source)
            && self.artifact_name.as_ref().is_none_or(|name| part.artifact_name.as_ref() == Some(name))
            && self.media_type.as_ref().is_none_or(|wanted| media_type().as_ref() == Some(wanted))
    }

    /// The filters for people; empty where there are none.
    pub(crate) fn words(&self) -> String {
        let filters = [
            self.source.map(|source| format!("source {}", source_word(source))),
            self.artifact_name.as_ref().map(|name| format!("artifact_name \"{name}\"")),
            self.media_type.as_ref().map(|media_type| format!("media_type {media_type}")),
        ];
        filters.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

pub(crate) fn source_word(source: Source) -> &'static str {
    match source {
        Source::Message => "message",
        Source::Artifact => "artifact",
        Source::Status => "status",
    }
}

/// Reads an entry. Whatever can be read is, so that every problem is told.
pub(crate) fn read(place: &Place, problems: &mut Problems) -> Option<Expectation> {
    place.object(&KEYS, problems)?;
    let filter = read_filter(place, problems);
    let pointer = match place.get("path") {
        Some(place) => read_pointer(&place, problems),
        None => Some(String::new()),
    };
    let predicate = read_predicate(place, problems);
    if let (Some(Predicate::Exists(false)), Some("")) = (&predicate, pointer.as_deref()) {
        let path = format!("{}/exists", place.path);
        let problem = Problem::new(path, "`exists: false` needs a path: the root of a data part always exists");
        problems.add(problem.help("give the `path` that should not be there"));
        return None;
    }
    Some(Expectation { config_path: place.path.clone(), filter: filter?, pointer: pointer?, predicate: predicate? })
}

fn read_filter(place: &Place, problems: &mut Problems) -> Option<Filter> {
    // A filter that is null is one that is not there.
    let given = |key: &str| place.get(key).filter(|place| !place.value.is_null());
    let mut filter = Some(Filter::default());
    if let Some(source) = given("source") {
        let read = match source.value.as_str() {
            Some("message") => Some(Source::Message),
            Some("artifact") => Some(Source::Artifact),
            _ => {
                source.wrong("message or artifact", problems);
                None
            }
        };
        filter = filter.zip(read).map(|(filter, read)| Filter { source: Some(read), ..filter });
    }
    if let Some(name) = given("artifact_name") {
        let read = name.string(1..=MAX_NAME_CHARS, problems);
        if place.value.get("source").and_then(Value::as_str) == Some("message") {
            let problem = Problem::new(&name.path, "messages belong to no artifact");
            problems.add(problem.help("leave out `artifact_name` or write `source: artifact`"));
            filter = None;
        }
        filter = filter.zip(read).map(|(filter, read)| Filter { artifact_name: Some(read.to_owned()), ..filter });
    }
    if let Some(media_type) = given("media_type") {
        let read = media_type.string(1..=MAX_NAME_CHARS, problems);
        filter = filter.zip(read).map(|(filter, read)| Filter { media_type: Some(fold(read)), ..filter });
    }
    filter
}

fn read_pointer(place: &Place, problems: &mut Problems) -> Option<String> {
    let pointer = place.string(0..=MAX_POINTER_CHARS, problems)?;
    if is_pointer(pointer) {
        return Some(pointer.to_owned());
    }
    let help = match pointer.strip_prefix('#') {
        Some(rest) => format!("leave out the `#`: \"{rest}\""),
        None if pointer.starts_with('/') => "write `~0` for `~` and `~1` for `/` in a name".to_owned(),
        None => {
            let names = pointer.trim_start_matches("$.").trim_start_matches('$');
            format!("a JSON Pointer starts with a slash: \"/{}\"", names.replace('.', "/"))
        }
    };
    let message = format!("{} is no JSON Pointer", excerpt(&place.value.to_string()));
    problems.add(Problem::new(&place.path, message).help(help));
    None
}

fn read_predicate(place: &Place, problems: &mut Problems) -> Option<Predicate> {
    let bounds: Vec<(Bound, Place)> =
        Bound::ALL.into_iter().filter_map(|bound| Some((bound, place.get(bound.key())?))).collect();
    let groups: Vec<&str> = ["equals", "exists", "matches", "json_schema"]
        .into_iter()
        .filter(|key| place.get(key).is_some())
        .chain(bounds.first().map(|(bound, _)| bound.key()))
        .collect();
    match groups.as_slice() {
        [] => {
            let problem = Problem::new(&place.path, "nothing is expected of the data");
            problems.add(problem.help("give one of equals, exists, matches, json_schema, or bounds gt, gte, lt, lte"));
            return None;
        }
        [_] => {}
        [first, others @ ..] => {
            for other in others {
                let problem = Problem::new(
                    format!("{}/{other}", place.path),
                    format!("`{other}` cannot be combined with `{first}`"),
                );
                problems.add(problem.help("write a second entry of the list for it"));
            }
        }
    }
    let key = groups.first()?;
    let value = place.get(key)?;
    match *key {
        "equals" => Some(Predicate::Equals(value.value.clone())),
        "exists" => value.boolean(problems).map(Predicate::Exists),
        "matches" => {
            let source = value.string(1..=MAX_CHARS, problems)?;
            match Pattern::compile(source, true) {
                Ok(pattern) => Some(Predicate::Matches(pattern)),
                Err(error) => {
                    let problem = Problem::new(&value.path, format!("{}: {}", error.message, excerpt(source)));
                    problems.add(Problem { help: error.help, ..problem });
                    None
                }
            }
        }
        "json_schema" => schema::compile(&value, problems).map(|validator| Predicate::Schema(Box::new(validator))),
        _ => {
            let read: Vec<Option<(Bound, Number)>> =
                bounds.iter().map(|(bound, place)| Some((*bound, place.number(problems)?.clone()))).collect();
            read.into_iter().collect::<Option<Vec<_>>>().map(Predicate::Bounds)
        }
    }
}

/// JSON Schema of an entry.
pub(crate) fn config_schema() -> Value {
    let name = |description: &str| json!({"description": description, "type": ["string", "null"], "minLength": 1, "maxLength": MAX_NAME_CHARS});
    let bound = |description: &str| json!({"description": description, "type": "number"});
    let only = |key: &str| json!({"required": [key]});
    json!({
        "description": "What a data part holds at a place. It passes where any of the data parts that the filters admit does.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "source": {
                "description": "Only parts of messages, or only parts of artifacts.",
                "enum": ["message", "artifact", null],
            },
            "artifact_name": name("Only parts of artifacts of this name."),
            "media_type": name("Only parts of this media type, whatever its case."),
            "path": {
                "description": "JSON Pointer into the data: empty is all of it, /items/0/price a place.",
                "type": "string",
                "maxLength": MAX_POINTER_CHARS,
                "pattern": "^(/([^~]|~[01])*)*$",
            },
            "equals": {"description": "The value is this one; 1 equals 1.0."},
            "exists": {
                "description": "The path is there. False: it is in none of the parts.",
                "type": ["boolean", "string", "integer"],
            },
            "matches": {
                "description": "The value is a string in which this pattern matches somewhere.",
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_CHARS,
            },
            "gt": bound("The value is a number above this."),
            "gte": bound("The value is a number not below this."),
            "lt": bound("The value is a number below this."),
            "lte": bound("The value is a number not above this."),
            "json_schema": {
                "description": "The value is valid under this JSON Schema (Draft 2020-12, references inside it only).",
                "type": ["object", "boolean"],
            },
        },
        "oneOf": [
            only("equals"),
            only("exists"),
            only("matches"),
            only("json_schema"),
            {"anyOf": [only("gt"), only("gte"), only("lt"), only("lte")]},
        ],
        "not": {"required": ["source", "artifact_name"], "properties": {"source": {"const": "message"}}},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(config: &Value) -> Vec<(String, String, Option<String>)> {
        let mut problems = Problems::default();
        let expectation = read(&Place::root(config), &mut problems);
        let problems = problems.finish(expectation).err().unwrap_or_default();
        problems.into_iter().map(|problem| (problem.path, problem.message, problem.help)).collect()
    }

    fn paths(config: &Value) -> Vec<String> {
        problems(config).into_iter().map(|(path, ..)| path).collect()
    }

    #[test]
    fn exactly_one_predicate_is_wanted() {
        assert_eq!(paths(&json!({})), [""]);
        assert_eq!(paths(&json!({"path": "/a"})), [""]);
        assert_eq!(paths(&json!({"equals": 1, "exists": true})), ["/exists"]);
        assert_eq!(paths(&json!({"matches": "a", "json_schema": true, "lt": 1})), ["/json_schema", "/lt"]);
        for config in [
            json!({"equals": null}),
            json!({"exists": "yes"}),
            json!({"gt": 1, "lte": 0.5}),
            json!({"gt": 1, "gte": 1, "lt": 2, "lte": 2}),
            json!({"json_schema": false}),
            json!({"exists": false, "path": "/a"}),
        ] {
            assert_eq!(paths(&config), [""; 0], "{config}");
        }
    }

    #[test]
    fn predicates_have_their_types() {
        for (config, path) in [
            (json!({"exists": null}), "/exists"),
            (json!({"exists": false}), "/exists"),
            (json!({"matches": null}), "/matches"),
            (json!({"matches": ""}), "/matches"),
            (json!({"matches": "("}), "/matches"),
            (json!({"matches": "a".repeat(MAX_CHARS + 1)}), "/matches"),
            (json!({"gt": true}), "/gt"),
            (json!({"gte": "1"}), "/gte"),
            (json!({"lt": null}), "/lt"),
            (json!({"lte": [1]}), "/lte"),
            (json!({"json_schema": null}), "/json_schema"),
            (json!({"json_schema": {"type": "strng"}}), "/json_schema/type"),
        ] {
            assert_eq!(paths(&config), [path], "{config}");
        }
        assert_eq!(paths(&json!({"gt": "1", "lt": true})), ["/gt", "/lt"]);
    }

    #[test]
    fn filters_are_checked() {
        for (config, path) in [
            (json!({"source": "status", "exists": true}), "/source"),
            (json!({"source": 1, "exists": true}), "/source"),
            (json!({"artifact_name": "", "exists": true}), "/artifact_name"),
            (json!({"artifact_name": "x".repeat(201), "exists": true}), "/artifact_name"),
            (json!({"media_type": 1, "exists": true}), "/media_type"),
            (json!({"source": "message", "artifact_name": "a", "exists": true}), "/artifact_name"),
            (json!({"exist": true, "equals": 1}), "/exist"),
        ] {
            assert_eq!(paths(&config), [path], "{config}");
        }
        let fits = json!({"source": "artifact", "artifact_name": "x".repeat(200), "media_type": null, "exists": true});
        assert_eq!(paths(&fits), [""; 0]);
    }

    #[test]
    fn pointers_are_checked_with_a_hint() {
        let help = |pointer: &str| problems(&json!({"path": pointer, "exists": true})).remove(0).2.unwrap();
        assert!(help("a.b").ends_with("\"/a/b\""));
        assert!(help("$.a.b").ends_with("\"/a/b\""));
        assert!(help("#/a").ends_with("\"/a\""));
        assert!(help("/a~").contains("~0"));
        assert_eq!(paths(&json!({"path": format!("/{}", "x".repeat(999)), "exists": true})), [""; 0]);
        assert_eq!(paths(&json!({"path": format!("/{}", "x".repeat(1_000)), "exists": true})), ["/path"]);
        assert_eq!(paths(&json!({"path": null, "exists": true})), ["/path"]);
    }
}
