use a2a_host_sdk::extension::{Contribution, Description, Extension, Request};
use a2a_host_sdk::{Value, host, json};

/// Adds `timestamp` to the `ext` artifact: the time as ISO 8601 with microseconds and the offset `+00:00`.
pub struct Timestamp;

pub const URI: &str = "urn:a2a:dummy:timestamp";

impl Extension for Timestamp {
    fn describe() -> Description {
        let mut params = a2a_host_sdk::Map::new();
        params.insert("format".into(), Value::from("iso8601"));
        Description::new(URI, "Adds the agent's time to the answer of the ext command.").params(&params)
    }

    fn activate(_request: &Request) -> Result<Contribution, String> {
        // The host writes `Z`; clients of the original know the offset in digits.
        let now = host::now().replace('Z', "+00:00");
        let Value::Object(fields) = json!({"timestamp": now}) else { return Ok(Contribution::none()) };
        Ok(Contribution::fields(&fields))
    }
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::testing::request;

    use super::*;

    #[test]
    fn the_time_has_microseconds_and_a_numeric_offset() {
        let contribution = Timestamp::activate(&request("ext", &[URI])).unwrap();
        assert_eq!(contribution.fields, r#"{"timestamp":"1970-01-01T00:00:00.000000+00:00"}"#);
    }
}
