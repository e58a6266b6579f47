use a2a_host_sdk::assertion::{Assertion, Problem, Turn};
use a2a_host_sdk::{Finding, Value};

use crate::seconds;

/// `expect.max_first_event_seconds`: how long the first event may take, from just before sending.
pub(crate) struct MaxFirstEventSeconds {
    limit: Option<f64>,
}

impl Assertion for MaxFirstEventSeconds {
    const NAME: &'static str = "max_first_event_seconds";
    const SUMMARY: &'static str = "the first event comes within so many seconds";

    fn config_schema() -> Value {
        seconds::schema("Seconds from sending to the first event; without a stream the whole reply is one event.")
    }

    fn prepare(config: &Value) -> Result<Self, Vec<Problem>> {
        seconds::read(config).map(|limit| MaxFirstEventSeconds { limit })
    }

    fn evaluate(&self, turn: &Turn) -> Result<Vec<Finding>, String> {
        let Some(limit) = self.limit else { return Ok(Vec::new()) };
        let Some(microseconds) = turn.first_event_us else {
            let finding = Finding::new("no-event", "no event came").expected(format!("an event within {limit} s"));
            return Ok(vec![finding]);
        };
        let actual = seconds::seconds(microseconds);
        if actual <= limit {
            return Ok(Vec::new());
        }
        let message = format!("the first event came after {actual:.3} s, later than {limit} s");
        let finding = Finding::new("first-event-too-late", message);
        Ok(vec![finding.expected(format!("{limit} s")).actual(format!("{actual:.3} s"))])
    }
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::json;
    use a2a_host_sdk::testing::RecordedTurn;

    use super::*;

    #[test]
    fn the_first_event_is_timed_and_must_be_there() {
        let findings = |first: Option<u64>| {
            let mut recorded = RecordedTurn::new();
            recorded.data.first_event_us = first;
            recorded.data.elapsed_us = 100_000;
            MaxFirstEventSeconds::prepare(&json!("0.5")).unwrap().evaluate(&recorded.turn()).unwrap()
        };
        assert!(findings(Some(500_000)).is_empty());
        assert_eq!(findings(Some(501_000))[0].message, "the first event came after 0.501 s, later than 0.5 s");
        assert_eq!(findings(None)[0].code, "no-event");
    }
}
