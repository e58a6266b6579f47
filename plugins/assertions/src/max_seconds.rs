use a2a_host_sdk::assertion::{Assertion, Problem, Turn};
use a2a_host_sdk::{Finding, Value};

use crate::seconds;

/// `expect.max_seconds`: how long the turn may take, from just before sending to the end of the reply.
pub(crate) struct MaxSeconds {
    limit: Option<f64>,
}

impl Assertion for MaxSeconds {
    const NAME: &'static str = "max_seconds";
    const SUMMARY: &'static str = "the turn takes no longer than so many seconds";

    fn config_schema() -> Value {
        seconds::schema("Seconds that the turn may take, from sending to the end of the reply.")
    }

    fn prepare(config: &Value) -> Result<Self, Vec<Problem>> {
        seconds::read(config).map(|limit| MaxSeconds { limit })
    }

    fn evaluate(&self, turn: &Turn) -> Result<Vec<Finding>, String> {
        let Some(limit) = self.limit else { return Ok(Vec::new()) };
        let actual = seconds::seconds(turn.elapsed_us);
        if actual <= limit {
            return Ok(Vec::new());
        }
        let message = format!("the turn took {actual:.3} s, more than {limit} s");
        Ok(vec![Finding::new("too-slow", message).expected(format!("{limit} s")).actual(format!("{actual:.3} s"))])
    }
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::json;
    use a2a_host_sdk::testing::RecordedTurn;

    use super::*;

    #[test]
    fn the_limit_itself_passes() {
        let findings = |microseconds: u64| {
            let mut recorded = RecordedTurn::new();
            recorded.data.elapsed_us = microseconds;
            MaxSeconds::prepare(&json!(1)).unwrap().evaluate(&recorded.turn()).unwrap()
        };
        assert!(findings(1_000_000).is_empty());
        assert!(findings(1_000_400).is_empty());
        let late = findings(1_001_000);
        assert_eq!(late[0].message, "the turn took 1.001 s, more than 1 s");
        assert_eq!((late[0].code.as_str(), late[0].config_path.as_str()), ("too-slow", ""));
    }

    #[test]
    fn no_limit_judges_nothing() {
        let mut recorded = RecordedTurn::new();
        recorded.data.elapsed_us = u64::MAX;
        assert!(MaxSeconds::prepare(&Value::Null).unwrap().evaluate(&recorded.turn()).unwrap().is_empty());
    }
}
