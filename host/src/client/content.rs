//! Messages and artifacts that a reply holds, with what they count towards the limits.

use bytes::Bytes;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::options::Limits;
use super::part::decode_base64;
use crate::sandbox::{ObservedPart, PartKind, PartSource};

/// One message or artifact.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) source: PartSource,
    /// Of the message or artifact; none where it is empty.
    pub(crate) id: Option<String>,
    /// Of an artifact.
    pub(crate) name: Option<String>,
    /// Texts joined with newlines; what an append brings follows without a separator.
    pub(crate) text: String,
    pub(crate) parts: Vec<ObservedPart>,
    /// How many updates it was made of.
    pub(crate) chunks: usize,
    /// Its last chunk has come.
    pub(crate) finished: bool,
    totals: Totals,
}

/// What counts towards the limits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) text_chars: usize,
    pub(crate) structured_parts: usize,
    pub(crate) structured_bytes: usize,
    pub(crate) raw_bytes: usize,
    pub(crate) file_parts: usize,
}

impl Content {
    pub(crate) fn new(source: PartSource, id: Option<String>, name: Option<String>) -> Self {
        Content {
            source,
            id,
            name,
            text: String::new(),
            parts: Vec::new(),
            chunks: 0,
            finished: false,
            totals: Totals::default(),
        }
    }

    /// Adds the parts of a message or of a chunk of an artifact. The error names the limit that a part passes.
    pub(crate) fn add(&mut self, holder: &Map<String, Value>, limits: &Limits) -> Result<(), String> {
        let empty = Vec::new();
        let list = holder.get("parts").and_then(Value::as_array).unwrap_or(&empty);
        let mut texts: Vec<&str> = Vec::new();
        for part in list.iter().filter_map(Value::as_object) {
            let Some(observed) = self.observe(part) else { continue };
            match observed.kind {
                PartKind::Text => texts.extend(part["text"].as_str()),
                PartKind::Data => {
                    self.totals.structured_parts += 1;
                    self.totals.structured_bytes += structured_bytes(&observed);
                }
                PartKind::Raw | PartKind::Url => {
                    self.totals.file_parts += 1;
                    self.totals.raw_bytes += observed.raw.as_ref().map_or(0, Bytes::len);
                    within(&observed, limits)?;
                }
            }
            self.parts.push(observed);
        }
        let joined = texts.join("\n");
        self.totals.text_chars += joined.chars().count();
        self.text.push_str(&joined);
        self.chunks += 1;
        Ok(())
    }

    fn observe(&self, part: &Map<String, Value>) -> Option<ObservedPart> {
        let string = |key: &str| part.get(key).and_then(Value::as_str).map(str::to_owned);
        let named = |key: &str| string(key).filter(|text| !text.is_empty());
        let artifact = self.source == PartSource::Artifact;
        let mut out = ObservedPart {
            source: self.source,
            message_id: self.id.clone().filter(|_| !artifact),
            artifact_id: self.id.clone().filter(|_| artifact),
            artifact_name: self.name.clone(),
            kind: PartKind::Text,
            media_type: named("mediaType"),
            filename: named("filename"),
            url: None,
            value: None,
            metadata: part.get("metadata").cloned(),
            size: None,
            sha256: None,
            raw: None,
        };
        if let Some(text) = part.get("text") {
            out.value = Some(text.clone());
        } else if let Some(raw) = part.get("raw").and_then(Value::as_str) {
            let bytes = decode_base64(raw)?;
            out.kind = PartKind::Raw;
            out.size = Some(bytes.len() as u64);
            out.sha256 = Some(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect());
            out.raw = Some(bytes.into());
        } else if part.contains_key("url") {
            out.kind = PartKind::Url;
            out.url = string("url");
        } else {
            out.kind = PartKind::Data;
            out.value = Some(part.get("data")?.clone());
        }
        Some(out)
    }
}

impl Totals {
    /// The sum over all contents. Texts that are not empty stand a newline apart.
    pub(crate) fn of<'a>(contents: impl Iterator<Item = &'a Content>) -> Totals {
        let mut sum = Totals::default();
        for content in contents {
            let one = content.totals;
            if one.text_chars > 0 {
                sum.text_chars += one.text_chars + usize::from(sum.text_chars > 0);
            }
            sum.structured_parts += one.structured_parts;
            sum.structured_bytes += one.structured_bytes;
            sum.raw_bytes += one.raw_bytes;
            sum.file_parts += one.file_parts;
        }
        sum
    }

    /// The first limit that is passed.
    pub(crate) fn check(&self, limits: &Limits) -> Result<(), String> {
        for (found, limit, what) in [
            (self.text_chars, limits.text_chars, "characters of text"),
            (self.structured_parts, limits.structured_parts, "data parts"),
            (self.structured_bytes, limits.structured_bytes, "bytes of structured data"),
            (self.raw_bytes, limits.raw_bytes, "bytes of inline content"),
            (self.file_parts, limits.file_parts, "file parts"),
        ] {
            if found > limit {
                return Err(format!("the reply has {found} {what}, more than the limit of {limit}"));
            }
        }
        Ok(())
    }
}

/// A data part as compact JSON, with what names it.
fn structured_bytes(part: &ObservedPart) -> usize {
    let value = part.value.as_ref().map_or(0, |value| value.to_string().len());
    let names = [&part.media_type, &part.artifact_id, &part.artifact_name];
    value + names.into_iter().flatten().map(String::len).sum::<usize>()
}

fn within(part: &ObservedPart, limits: &Limits) -> Result<(), String> {
    for (text, limit, what) in [
        (&part.url, limits.url_chars, "URL"),
        (&part.filename, limits.filename_chars, "file name"),
        (&part.media_type, limits.media_type_chars, "media type"),
        (&part.artifact_id, limits.artifact_id_chars, "artifact id"),
        (&part.artifact_name, limits.artifact_name_chars, "artifact name"),
    ] {
        let found = text.as_ref().map_or(0, |text| text.chars().count());
        if found > limit {
            return Err(format!("the {what} of a file part has {found} characters, more than the limit of {limit}"));
        }
    }
    Ok(())
}
