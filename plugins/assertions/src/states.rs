use a2a_host_sdk::assertion::{Assertion, Problem, Turn};
use a2a_host_sdk::{Finding, Value, json};

use crate::config::{MAX_ITEMS, Place, Problems};
use crate::state::{MAX_STATE_CHARS, normal, slip};

/// `expect.states`: which states the turn went through.
pub(crate) struct States {
    rule: Rule,
    expected: Vec<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Rule {
    Equals,
    ContainsInOrder,
}

impl Rule {
    fn key(self) -> &'static str {
        match self {
            Rule::Equals => "equals",
            Rule::ContainsInOrder => "contains_in_order",
        }
    }
}

impl Assertion for States {
    const NAME: &'static str = "states";
    const SUMMARY: &'static str = "the states that the turn goes through";

    fn config_schema() -> Value {
        let list = |description: &str| {
            json!({
                "description": description,
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_ITEMS,
                "items": {"type": "string", "minLength": 1, "maxLength": MAX_STATE_CHARS},
            })
        };
        json!({
            "description": "States that the turn goes through, repetitions in a row counted once. An agent that does not \
                stream shows only the last one. Exactly one of the keys.",
            "type": "object",
            "additionalProperties": false,
            "minProperties": 1,
            "maxProperties": 1,
            "properties": {
                "equals": list("All states, in this order."),
                "contains_in_order": list("States that occur in this order; others may lie between them."),
            },
        })
    }

    fn prepare(config: &Value) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems::default();
        let states = read(&Place::root(config), &mut problems);
        problems.finish(states)
    }

    fn evaluate(&self, turn: &Turn) -> Result<Vec<Finding>, String> {
        let seen: Vec<String> = turn.states.iter().map(|state| normal(state)).collect();
        let expected: Vec<String> = self.expected.iter().map(|state| normal(state)).collect();
        let at = match self.rule {
            Rule::Equals => first_difference(&expected, &seen),
            Rule::ContainsInOrder => first_missing(&expected, &seen),
        };
        let Some(at) = at else { return Ok(Vec::new()) };
        let (key, shown) = (self.rule.key(), turn.states.join(", "));
        let finding = match (self.rule, self.expected.get(at)) {
            (Rule::ContainsInOrder, Some(missing)) => {
                let after = match at.checked_sub(1).and_then(|before| self.expected.get(before)) {
                    Some(before) => format!(" after {before}"),
                    None => String::new(),
                };
                Finding::new("state-missing", format!("no state {missing}{after}; the states are: {shown}"))
            }
            (_, Some(expected)) => {
                let found = turn.states.get(at).map_or("missing", String::as_str);
                let message = format!("state {} is {found}, not {expected}; the states are: {shown}", at + 1);
                Finding::new("states-differ", message)
            }
            (_, None) => {
                let more = turn.states.get(at).map_or("", String::as_str);
                Finding::new(
                    "states-differ",
                    format!("state {} is {more}, one too many; the states are: {shown}", at + 1),
                )
            }
        };
        let path = if at < self.expected.len() { format!("/{key}/{at}") } else { format!("/{key}") };
        let finding = finding.config_path(path).expected(self.expected.join(", ")).actual(shown);
        Ok(vec![match self.expected.get(at).and_then(|expected| slip(expected)) {
            Some(fix) => finding.fix(fix),
            None => finding,
        }])
    }
}

fn read(place: &Place, problems: &mut Problems) -> Option<States> {
    place.object(&["equals", "contains_in_order"], problems)?;
    let given: Vec<(Rule, Place)> = [Rule::Equals, Rule::ContainsInOrder]
        .into_iter()
        .filter_map(|rule| Some((rule, place.get(rule.key())?)))
        .collect();
    let (rule, list) = match given.as_slice() {
        [one] => one,
        [] => {
            let problem = Problem::new(&place.path, "nothing is expected of the states");
            problems.add(problem.help("give `equals` or `contains_in_order`, a list of states"));
            return None;
        }
        [_, second, ..] => {
            let problem = Problem::new(&second.1.path, "`equals` and `contains_in_order` exclude each other");
            problems.add(problem.help("leave out one of them"));
            return None;
        }
    };
    let items = list.items(problems)?;
    if items.is_empty() {
        problems.add(Problem::new(&list.path, "the list is empty"));
        return None;
    }
    let read = items.iter().map(|item| item.string(1..=MAX_STATE_CHARS, problems).map(str::to_owned));
    // Every item is read, so that each one's problem is told.
    let read: Vec<Option<String>> = read.collect();
    Some(States { rule: *rule, expected: read.into_iter().collect::<Option<_>>()? })
}

fn first_difference(expected: &[String], seen: &[String]) -> Option<usize> {
    (0..expected.len().max(seen.len())).find(|index| expected.get(*index) != seen.get(*index))
}

/// The first expected state that does not come after the one before it. Each takes a place of its own.
fn first_missing(expected: &[String], seen: &[String]) -> Option<usize> {
    let mut rest = seen.iter();
    expected.iter().position(|expected| !rest.any(|seen| seen == expected))
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::testing::RecordedTurn;

    use super::*;

    fn finding(config: &Value, states: &[&str]) -> Option<Finding> {
        let mut recorded = RecordedTurn::new();
        recorded.data.states = states.iter().map(|state| (*state).to_owned()).collect();
        let findings = States::prepare(config).unwrap().evaluate(&recorded.turn()).unwrap();
        assert!(findings.len() < 2);
        findings.into_iter().next()
    }

    #[test]
    fn equals_compares_the_whole_list() {
        let config = json!({"equals": ["submitted", "Working", "completed"]});
        assert!(finding(&config, &["submitted", "working", "completed"]).is_none());
        let differs = finding(&config, &["submitted", "input_required", "completed"]).unwrap();
        assert_eq!(differs.config_path, "/equals/1");
        assert!(differs.message.starts_with("state 2 is input_required, not Working"), "{}", differs.message);
        assert_eq!(differs.actual.as_deref(), Some("submitted, input_required, completed"));
        assert!(finding(&config, &["submitted", "working"]).unwrap().message.starts_with("state 3 is missing"));
        let more = finding(&config, &["submitted", "working", "completed", "failed"]).unwrap();
        assert_eq!(more.config_path, "/equals");
        assert!(more.message.starts_with("state 4 is failed, one too many"), "{}", more.message);
    }

    #[test]
    fn contains_in_order_allows_gaps_and_takes_each_place_once() {
        let config = json!({"contains_in_order": ["submitted", "completed"]});
        assert!(finding(&config, &["submitted", "working", "completed"]).is_none());
        let missing = finding(&config, &["completed", "submitted"]).unwrap();
        assert_eq!(missing.config_path, "/contains_in_order/1");
        assert!(missing.message.starts_with("no state completed after submitted"), "{}", missing.message);
        let twice = json!({"contains_in_order": ["completed", "completed"]});
        assert!(finding(&twice, &["completed"]).is_some());
        assert!(finding(&twice, &["completed", "working", "completed"]).is_none());
        assert!(finding(&json!({"contains_in_order": ["canceld"]}), &["canceled"]).unwrap().fix.is_some());
    }

    #[test]
    fn problems_are_placed() {
        let paths = |config: Value| -> Vec<String> {
            let problems = States::prepare(&config).err().unwrap_or_default();
            problems.into_iter().map(|problem| problem.path).collect()
        };
        assert_eq!(paths(json!({})), [""]);
        assert_eq!(paths(json!(null)), [""]);
        assert_eq!(paths(json!({"equals": ["a"], "contains_in_order": ["a"]})), ["/contains_in_order"]);
        assert_eq!(paths(json!({"equals": []})), ["/equals"]);
        assert_eq!(paths(json!({"equals": "completed"})), ["/equals"]);
        assert_eq!(paths(json!({"equals": ["", 1, "x".repeat(65), "ok"]})), ["/equals/0", "/equals/1", "/equals/2"]);
        assert_eq!(paths(json!({"equal": ["a"]})), ["/equal", ""]);
        assert_eq!(paths(json!({"equals": vec!["a"; 101]})), ["/equals"]);
        assert_eq!(paths(json!({"equals": vec!["a"; 100]})), [""; 0]);
    }
}
