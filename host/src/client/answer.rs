//! Bytes of an answer → JSON, with errors that name the place.

use serde_json::Value;

use super::excerpt::excerpt;

/// Parses a JSON document. `data_lines` is the number of `data` lines that it came in, 1 for a plain body.
pub(crate) fn parse(bytes: &[u8], data_lines: usize) -> Result<Value, String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Err(bad_utf8(bytes, &error, 0)),
    };
    serde_json::from_str(text).map_err(|error| {
        let is_json = |line: &str| serde_json::from_str::<Value>(line).is_ok();
        if data_lines > 1 && text.split('\n').all(is_json) {
            return format!(
                "{} JSON documents in one event; the blank line between them is missing",
                if data_lines == 2 { "two".to_owned() } else { data_lines.to_string() }
            );
        }
        format!("it is no JSON ({error}): {}", excerpt(bytes))
    })
}

/// The words for invalid UTF-8: where it stands in the body, and the bytes there.
pub(crate) fn bad_utf8(bytes: &[u8], error: &std::str::Utf8Error, offset: usize) -> String {
    let start = error.valid_up_to();
    // Four bytes are the longest character there is.
    let odd: Vec<String> = bytes[start..].iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("invalid UTF-8 at byte {} of the body ({})", offset + start, odd.join(" "))
}

/// The media type of a `Content-Type`, in lower case and without parameters.
pub(crate) fn media_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    // C031.
    #[test]
    fn two_documents_in_one_event_are_named() {
        assert_eq!(
            parse(b"{\"a\":1}\n{\"b\":2}", 2).unwrap_err(),
            "two JSON documents in one event; the blank line between them is missing"
        );
        assert!(parse(b"{\"a\":\n1}", 2).is_ok());
        assert!(parse(b"{\"a\":1}\n{", 2).unwrap_err().starts_with("it is no JSON (trailing characters"));
    }

    // C035.
    #[test]
    fn bad_utf8_is_placed_and_shown_as_hex() {
        let why = parse(b"{\"text\":\"hi\xff\xfe\"}", 1).unwrap_err();
        assert_eq!(why, "invalid UTF-8 at byte 11 of the body (ff fe 22 7d)");
    }

    #[test]
    fn integers_stay_exact() {
        assert_eq!(parse(b"[9007199254740993,-1,1.0]", 1).unwrap().to_string(), "[9007199254740993,-1,1.0]");
    }

    #[test]
    fn media_types_compare_without_parameters() {
        assert_eq!(media_type("Text/Event-Stream; charset=utf-8"), "text/event-stream");
    }
}
