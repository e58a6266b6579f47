//! Parts (§4.1.6): exactly one content, base64, and the shape of 0.3.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::{Map, Value};

use super::notes::Notes;

const CONTENTS: [&str; 4] = ["text", "raw", "url", "data"];

/// ProtoJSON readers take padded and unpadded base64 alike.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Checks the content of a part in canonical form: two contents or unreadable base64 are errors, none is noted.
pub(crate) fn check(part: &Map<String, Value>, path: &str, notes: &mut Notes) -> Result<(), String> {
    let found: Vec<&str> = CONTENTS.into_iter().filter(|name| part.contains_key(*name)).collect();
    match found.as_slice() {
        [] => notes.at("no-content", path, "the part has none of `text`, `raw`, `url` and `data`".into()),
        [_] => {}
        several => {
            let names: Vec<String> = several.iter().map(|name| format!("`{name}`")).collect();
            return Err(format!("{path} is a part with {}, expected exactly one of them", names.join(" and ")));
        }
    }
    if let Some(raw) = part.get("raw").and_then(Value::as_str) {
        if decode_base64(raw).is_none() {
            return Err(format!("{path}/raw is no base64"));
        }
        if raw.contains(['-', '_']) || raw.len() % 4 != 0 {
            let message = "expected standard base64 with padding".into();
            notes.at("base64-dialect", &format!("{path}/raw"), message);
        }
    }
    Ok(())
}

/// The bytes of base64 in the standard or the URL-safe alphabet, padded or not.
pub(crate) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    if text.contains(['-', '_']) {
        LENIENT.decode(text.replace('-', "+").replace('_', "/")).ok()
    } else {
        LENIENT.decode(text).ok()
    }
}

/// A file part of 0.3, `{"file": {"bytes"|"uri", "mimeType", "name"}}`, in the form of 1.0.
pub(crate) fn from_legacy(part: &Map<String, Value>, path: &str, notes: &mut Notes) -> Option<Map<String, Value>> {
    let file = part.get("file")?.as_object()?;
    if CONTENTS.iter().any(|name| part.contains_key(*name)) {
        return None;
    }
    let mut out: Map<String, Value> =
        part.iter().filter(|(key, _)| *key != "file").map(|(key, value)| (key.clone(), value.clone())).collect();
    for (name, spellings) in [
        ("raw", ["bytes", "fileWithBytes"]),
        ("url", ["uri", "fileWithUri"]),
        ("mediaType", ["mimeType", "mediaType"]),
        ("filename", ["name", "filename"]),
    ] {
        if let Some(value) = spellings.iter().find_map(|spelling| file.get(*spelling)) {
            out.insert(name.to_owned(), value.clone());
        }
    }
    let message = "the part has the shape of A2A 0.3, expected `raw` or `url`".into();
    notes.at("legacy-part", &format!("{path}/file"), message);
    Some(out)
}
