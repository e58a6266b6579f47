//! What the two checks of time share: a limit in seconds, held against whole milliseconds.

use a2a_host_sdk::assertion::Problem;
use a2a_host_sdk::{Value, json};

use crate::config::{Place, Problems};

/// The limit, where the contract gives one.
pub(crate) fn read(config: &Value) -> Result<Option<f64>, Vec<Problem>> {
    if config.is_null() {
        return Ok(None);
    }
    let mut problems = Problems::default();
    let limit = Place::root(config).seconds(&mut problems);
    problems.finish(limit).map(Some)
}

pub(crate) fn schema(description: &str) -> Value {
    json!({
        "description": description,
        // A string, because variables of the environment give one.
        "type": ["number", "string", "null"],
        "exclusiveMinimum": 0,
        "maximum": 600,
    })
}

/// Microseconds as seconds in whole milliseconds, a half rounded to the even one.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of any turn fit into a double")]
pub(crate) fn seconds(microseconds: u64) -> f64 {
    let (whole, rest) = (microseconds / 1_000, microseconds % 1_000);
    let up = rest > 500 || (rest == 500 && whole % 2 == 1);
    (whole + u64::from(up)) as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_to_the_even_millisecond() {
        for (microseconds, expected) in
            [(0, 0.0), (499, 0.0), (500, 0.0), (501, 0.001), (1_500, 0.002), (2_500, 0.002), (1_000_499, 1.0)]
        {
            assert!((seconds(microseconds) - expected).abs() < 1e-9, "{microseconds}");
        }
    }

    #[test]
    fn null_is_no_limit() {
        assert_eq!(read(&Value::Null).unwrap(), None);
        assert_eq!(read(&json!("0.5")).unwrap(), Some(0.5));
        assert!(read(&json!(0)).is_err());
    }
}
