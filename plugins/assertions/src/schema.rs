//! JSON Schema (Draft 2020-12): what may be used, compiling it, and what a value breaks.

use a2a_host_sdk::Value;
use a2a_host_sdk::assertion::Problem;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};

use crate::config::{Place, Problems};
use crate::pattern::{STEPS, UNDECIDED};
use crate::value::{escape, excerpt, resolve};

/// A schema has at most this many bytes as compact JSON; the contract language says so.
const MAX_BYTES: usize = 100_000;
/// Nor does it nest deeper than this, where the schema itself is level 0.
const MAX_DEPTH: usize = 50;

/// What a value breaks.
#[derive(Debug)]
pub(crate) struct Violation {
    pub(crate) message: String,
    /// JSON Pointer into the value.
    pub(crate) path: String,
    /// A pattern of the schema needed too many steps.
    pub(crate) undecided: bool,
}

/// Compiles a schema. Problems stand at their places in it.
pub(crate) fn compile(place: &Place, problems: &mut Problems) -> Option<Validator> {
    if !place.value.is_object() && !place.value.is_boolean() {
        place.wrong("a JSON Schema: an object, true or false", problems);
        return None;
    }
    let bytes = place.value.to_string().len();
    if bytes > MAX_BYTES {
        let message = format!("the schema has {bytes} bytes as compact JSON, more than {MAX_BYTES}");
        problems.add(Problem::new(&place.path, message));
        return None;
    }
    let mut found = Vec::new();
    walk(place.value, &mut place.path.clone(), 0, &mut found, &mut |_| true);
    if !found.is_empty() {
        problems.extend(found);
        return None;
    }

    let mut schema = place.value.clone();
    if let Some(object) = schema.as_object_mut() {
        // Contracts have one draft, whatever a schema that was copied into one says of itself.
        object.remove("$schema");
    }
    let patterns = PatternOptions::fancy_regex().backtrack_limit(STEPS);
    let options = jsonschema::draft202012::options().should_validate_formats(false).offline();
    let options = options.with_pattern_options(patterns);
    let error = match options.build(&schema) {
        Ok(validator) => return Some(validator),
        Err(error) => error,
    };
    if let ValidationErrorKind::Referencing(_) = error.kind() {
        // The library does not say where, but a pointer into the schema itself is quickly looked up.
        let root = &schema;
        let mut dangling = Vec::new();
        walk(root, &mut place.path.clone(), 0, &mut dangling, &mut |reference| match reference.strip_prefix('#') {
            Some(pointer) if pointer.is_empty() || pointer.starts_with('/') => resolve(root, pointer).is_some(),
            _ => true,
        });
        if dangling.is_empty() {
            dangling.push(Problem::new(&place.path, format!("a reference leads nowhere: {error}")));
        }
        problems.extend(dangling);
        return None;
    }
    let meta = jsonschema::draft202012::meta::validator();
    let mut errors: Vec<ValidationError> = meta.iter_errors(&schema).collect();
    if errors.is_empty() {
        // Something that the meta-schema does not see, such as a pattern that does not compile.
        errors.push(error);
    }
    for error in errors {
        let path = format!("{}{}", place.path, error.instance_path());
        problems.add(Problem::new(path, format!("no valid JSON Schema: {}", excerpt(&error.to_string()))));
    }
    None
}

/// Walks a schema, complaining of depth and of references that lead outside or that `leads` does not know.
fn walk(value: &Value, path: &mut String, depth: usize, found: &mut Vec<Problem>, leads: &mut dyn FnMut(&str) -> bool) {
    if depth > MAX_DEPTH {
        found.push(Problem::new(path.as_str(), format!("the schema nests deeper than {MAX_DEPTH} levels")));
        return;
    }
    let length = path.len();
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push_str(&format!("/{index}"));
                walk(item, path, depth + 1, found, leads);
                path.truncate(length);
            }
        }
        Value::Object(object) => {
            for (key, member) in object {
                path.push('/');
                path.push_str(&escape(key));
                match member.as_str().filter(|_| key == "$ref" || key == "$dynamicRef") {
                    Some(reference) if !reference.starts_with('#') => {
                        let message = format!("the reference {} leads out of the schema", excerpt(&member.to_string()));
                        let help = "put the schema under `$defs` and refer to it as `#/$defs/NAME`";
                        found.push(Problem::new(path.as_str(), message).help(help));
                    }
                    Some(reference) if !leads(reference) => {
                        let message = format!("the reference {} leads nowhere", excerpt(&member.to_string()));
                        found.push(Problem::new(path.as_str(), message));
                    }
                    _ => walk(member, path, depth + 1, found, leads),
                }
                path.truncate(length);
            }
        }
        _ => {}
    }
}

/// The most telling thing that a value breaks: the one nearest to its root.
pub(crate) fn violation(validator: &Validator, value: &Value) -> Option<Violation> {
    let errors: Vec<ValidationError> = validator.iter_errors(value).collect();
    let undecided =
        errors.iter().any(|error| matches!(error.kind(), ValidationErrorKind::BacktrackLimitExceeded { .. }));
    let error = nearest_root(&errors)?;
    let path = error.instance_path().to_string();
    let message = if undecided { UNDECIDED.to_owned() } else { excerpt(&words(error)) };
    Some(Violation { message, path, undecided })
}

fn nearest_root<'e, 'v>(errors: &'e [ValidationError<'v>]) -> Option<&'e ValidationError<'v>> {
    errors.iter().min_by_key(|error| error.instance_path().segments().count())
}

/// The library's words, and for alternatives what is amiss with the one that comes closest.
fn words(error: &ValidationError) -> String {
    let branches = match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => context,
        _ => return error.to_string(),
    };
    let closest = branches.iter().filter(|errors| !errors.is_empty()).min_by_key(|errors| errors.len());
    match closest.and_then(|errors| nearest_root(errors)) {
        Some(inner) => format!("{error}; closest: {}", words(inner)),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::json;

    use super::*;

    fn problems(schema: &Value) -> Vec<(String, String)> {
        let mut problems = Problems::default();
        let place = Place { value: schema, path: "/json_schema".into() };
        let validator = compile(&place, &mut problems);
        let problems = problems.finish(validator).err().unwrap_or_default();
        problems.into_iter().map(|problem| (problem.path, problem.message)).collect()
    }

    fn check(schema: &Value, value: &Value) -> Option<Violation> {
        let mut problems = Problems::default();
        violation(&compile(&Place::root(schema), &mut problems).unwrap(), value)
    }

    /// A schema whose innermost value lies so deep.
    fn nested(depth: usize) -> Value {
        (0..depth / 2).fold(json!(true), |inner, _| json!({"properties": {"a": inner}}))
    }

    #[test]
    fn values_are_judged() {
        let schema = json!({"type": "object", "required": ["total"], "properties": {"total": {"type": "integer"}}});
        assert!(check(&schema, &json!({"total": 3.0})).is_none());
        let missing = check(&schema, &json!({})).unwrap();
        assert_eq!((missing.message.as_str(), missing.path.as_str()), ("\"total\" is a required property", ""));
        let wrong = check(&schema, &json!({"total": "x"})).unwrap();
        assert_eq!((wrong.message.as_str(), wrong.path.as_str()), ("\"x\" is not of type \"integer\"", "/total"));
        assert!(check(&json!(true), &json!(1)).is_none());
        assert!(check(&json!(false), &json!(1)).is_some());
        assert!(check(&json!({"type": "integer"}), &json!(true)).is_some());
    }

    #[test]
    fn the_error_nearest_to_the_root_is_told_and_alternatives_name_the_closest() {
        let schema = json!({"properties": {"a": {"type": "string"}}, "required": ["b"]});
        assert_eq!(check(&schema, &json!({"a": 1})).unwrap().message, "\"b\" is a required property");
        let schema = json!({"anyOf": [{"type": "string", "minLength": 9}, {"type": "string"}]});
        let violation = check(&schema, &json!(1)).unwrap();
        assert!(violation.message.ends_with("closest: 1 is not of type \"string\""), "{}", violation.message);
    }

    #[test]
    fn references_inside_work_and_others_are_problems() {
        let local = json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "number"}}});
        assert!(check(&local, &json!(1)).is_none());
        assert!(check(&local, &json!("1")).is_some());
        let anchor = json!({"$ref": "#n", "$defs": {"n": {"$anchor": "n", "type": "number"}}});
        assert!(check(&anchor, &json!("1")).is_some());
        for reference in ["https://example.com/s", "other.json", "file:///etc/passwd", ""] {
            let found = problems(&json!({"properties": {"a/b": {"$ref": reference}}}));
            assert_eq!(found.len(), 1, "{reference}: {found:?}");
            assert_eq!(found[0].0, "/json_schema/properties/a~1b/$ref");
            assert!(found[0].1.contains("leads out of the schema"));
        }
        let inside = problems(&json!({"enum": [{"$dynamicRef": "x"}]}));
        assert_eq!(inside[0].0, "/json_schema/enum/0/$dynamicRef");
    }

    #[test]
    fn a_dangling_reference_is_found_at_its_place() {
        let found = problems(&json!({"items": {"$ref": "#/$defs/nope"}}));
        assert_eq!(found, [("/json_schema/items/$ref".into(), "the reference \"#/$defs/nope\" leads nowhere".into())]);
        let found = problems(&json!({"$ref": "#nope"}));
        assert_eq!(found[0].0, "/json_schema");
        assert!(found[0].1.contains("nope"), "{found:?}");
    }

    #[test]
    fn invalid_schemas_are_problems_at_their_places() {
        let found = problems(&json!({"type": "strng", "minLength": -1}));
        let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["/json_schema/type", "/json_schema/minLength"], "{found:?}");
        let found = problems(&json!({"properties": {"a": {"pattern": "("}}}));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].1.starts_with("no valid JSON Schema"), "{found:?}");
        assert!(problems(&json!(3))[0].1.contains("expected a JSON Schema"));
        assert!(problems(&json!(null))[0].1.contains("found null"));
    }

    #[test]
    fn size_and_depth_have_limits() {
        // {"const":"…"} has 12 bytes around the text.
        assert!(problems(&json!({"const": "x".repeat(MAX_BYTES - 12)})).is_empty());
        assert!(problems(&json!({"const": "x".repeat(MAX_BYTES - 11)}))[0].1.contains("100001 bytes"));
        assert!(problems(&nested(MAX_DEPTH)).is_empty());
        assert!(problems(&nested(MAX_DEPTH + 2))[0].1.contains("deeper than 50 levels"));
    }

    #[test]
    fn formats_are_not_asserted_and_drafts_are_one() {
        assert!(check(&json!({"format": "email"}), &json!("no address")).is_none());
        let old = json!({"$schema": "http://json-schema.org/draft-04/schema#", "exclusiveMinimum": 3});
        assert!(check(&old, &json!(3)).is_some());
        assert!(check(&json!({"$schema": "urn:unknown", "type": "string"}), &json!("")).is_none());
    }

    #[test]
    fn patterns_are_bounded() {
        assert!(check(&json!({"pattern": "^(a+)+$"}), &json!(format!("{}!", "a".repeat(25)))).is_some());
        let runaway = json!({"pattern": r"^(a|aa)+\1$"});
        let violation = check(&runaway, &json!(format!("{}!", "a".repeat(60)))).unwrap();
        assert!(violation.undecided);
        assert_eq!(violation.message, UNDECIDED);
    }
}
