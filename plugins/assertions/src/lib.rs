//! The checks that contract files know without any plugin of the user's: each is named as its key under `expect`. Each is
//! one file; this one registers them.

mod config;
mod data;
mod dialect;
mod difference;
mod expectation;
mod max_first_event_seconds;
mod max_seconds;
mod pattern;
#[cfg(target_arch = "wasm32")]
mod random;
mod schema;
mod seconds;
mod state;
mod states;
mod text;
mod value;

use data::Data;
use max_first_event_seconds::MaxFirstEventSeconds;
use max_seconds::MaxSeconds;
use state::State;
use states::States;
use text::Text;

// In the order in which their findings are told.
a2a_host_sdk::register_assertions!(State, MaxSeconds, MaxFirstEventSeconds, Text, States, Data);

#[cfg(test)]
mod tests {
    use a2a_host_sdk::assertion::Assertion;
    use a2a_host_sdk::{Value, json};

    use super::*;

    /// Holds a check's schema against its own reading of configs.
    fn agree<A: Assertion>(good: &[Value], bad: &[Value]) {
        let schema = A::config_schema();
        let validator = jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{}: {error}", A::NAME));
        assert!(schema.get("description").is_some(), "{}", A::NAME);
        for config in good {
            assert!(A::prepare(config).is_ok(), "{} {config}", A::NAME);
            assert!(validator.is_valid(config), "{} {config}", A::NAME);
        }
        for config in bad {
            assert!(A::prepare(config).is_err(), "{} {config}", A::NAME);
            assert!(!validator.is_valid(config), "{} {config}", A::NAME);
        }
    }

    #[test]
    fn schemas_say_what_prepare_does() {
        agree::<State>(&[json!("completed"), json!(null)], &[json!(""), json!(1), json!("x".repeat(65))]);
        agree::<MaxSeconds>(&[json!(1), json!("0.5"), json!(600)], &[json!(0), json!(601), json!([])]);
        agree::<MaxFirstEventSeconds>(&[json!(0.1), json!(null)], &[json!(-1), json!({})]);
        agree::<Text>(
            &[
                json!({}),
                json!({"contains": "a", "matches": ["a", "b"], "case_sensitive": false}),
                json!({"equals": ""}),
            ],
            &[
                json!({"contain": "a"}),
                json!({"contains": ""}),
                json!({"contains": [1]}),
                json!("a"),
                json!({"equals": 1}),
            ],
        );
        agree::<States>(
            &[json!({"equals": ["working"]}), json!({"contains_in_order": ["a", "b"]})],
            &[json!({}), json!({"equals": []}), json!({"equals": ["a"], "contains_in_order": ["a"]}), json!(null)],
        );
        agree::<Data>(
            &[
                json!({"equals": null}),
                json!([{"path": "/a/0", "gt": 1, "lt": 2}, {"source": "artifact", "artifact_name": "x", "exists": true}]),
                json!({"json_schema": {"type": "object"}}),
                json!([]),
            ],
            &[
                json!({}),
                json!({"equals": 1, "exists": true}),
                json!({"gt": "1"}),
                json!({"path": "a", "exists": true}),
                json!({"source": "message", "artifact_name": "x", "exists": true}),
                json!([{"equal": 1}]),
                json!(null),
            ],
        );
    }
}
