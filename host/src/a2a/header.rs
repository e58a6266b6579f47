/// Service parameter that names the protocol version of a request (§3.6.1).
pub const A2A_VERSION: &str = "a2a-version";
/// Service parameter that names the requested extensions (§3.2.6).
pub const A2A_EXTENSIONS: &str = "a2a-extensions";
/// The version that this program speaks; the patch number never travels (§3.6).
pub const PROTOCOL_VERSION: &str = "1.0";
/// Where the public card stands (§8.2).
pub const WELL_KNOWN_CARD_PATH: &str = "/.well-known/agent-card.json";
/// Where 0.2 and earlier had it; tried after a 404 only.
pub const LEGACY_CARD_PATH: &str = "/.well-known/agent.json";

/// Reads the values of one or several `A2A-Extensions` headers: split at commas, trimmed, empty members dropped, sorted
/// by code point, each once.
pub fn split_extensions<'a>(values: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut uris: Vec<String> = values
        .into_iter()
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|uri| !uri.is_empty())
        .map(str::to_owned)
        .collect();
    uris.sort();
    uris.dedup();
    uris
}

/// Writes one header value: sorted, each URI once, commas without blanks. None where there is nothing to ask for.
pub fn join_extensions(uris: &[String]) -> Option<String> {
    let sorted = split_extensions(uris.iter().map(String::as_str));
    (!sorted.is_empty()).then(|| sorted.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_headers_are_one_set() {
        assert_eq!(split_extensions(["urn:b, urn:a", " ,urn:b"]), ["urn:a", "urn:b"]);
        assert_eq!(join_extensions(&["urn:b".into(), "urn:a".into()]).as_deref(), Some("urn:a,urn:b"));
        assert_eq!(join_extensions(&[]), None);
    }
}
