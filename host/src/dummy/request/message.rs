use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::fields::Fields;
use super::violations::Violations;
use crate::a2a::{Content, Message, Part, Role};

/// ProtoJSON readers take both alphabets, padded or not.
const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// Reads a message (§4.1.4). What is missing is reported and stands in as empty; the caller uses none of it then.
pub(super) fn message(fields: &Fields<'_>, out: &mut Violations) -> Message {
    let message_id = fields.required_string("messageId", out);
    let role = role(fields, out);
    let reported = out.len();
    let list = fields.list("parts", out);
    if list.is_empty() && out.len() == reported {
        out.invalid(&fields.path_of("parts"), "must hold at least one part");
    }
    let mut parts = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        if let Some(fields) = Fields::new(value, format!("{}[{index}]", fields.path_of("parts")), out) {
            parts.extend(part(&fields, out));
        }
    }
    Message {
        message_id,
        context_id: fields.string("contextId", out),
        task_id: fields.string("taskId", out),
        role,
        parts,
        metadata: fields.structure("metadata", out),
        extensions: fields.strings("extensions", out),
        reference_task_ids: fields.strings("referenceTaskIds", out),
    }
}

/// The role. Either one is served; 0 is the default of the enum and thus means "missing" in a required field.
fn role(fields: &Fields<'_>, out: &mut Violations) -> Role {
    let reported = out.len();
    let role = fields.enumeration(
        "role",
        "ROLE_USER or ROLE_AGENT",
        |name| match name {
            "ROLE_UNSPECIFIED" => Some(None),
            "ROLE_USER" => Some(Some(Role::User)),
            "ROLE_AGENT" => Some(Some(Role::Agent)),
            _ => None,
        },
        |number| match number {
            0 => Some(None),
            1 => Some(Some(Role::User)),
            2 => Some(Some(Role::Agent)),
            _ => None,
        },
        out,
    );
    match role {
        Some(Some(role)) => return role,
        Some(None) => out.invalid(&fields.path_of("role"), "is required and must not be ROLE_UNSPECIFIED"),
        None if out.len() == reported => out.invalid(&fields.path_of("role"), "is required"),
        None => {}
    }
    Role::User
}

/// Reads a part (§4.1.6): exactly one content.
fn part(fields: &Fields<'_>, out: &mut Violations) -> Option<Part> {
    let reported = out.len();
    let mut contents = Vec::new();
    if let Some(text) = fields.text("text", out) {
        contents.push(("text", Content::Text(text)));
    }
    if let Some(encoded) = fields.text("raw", out) {
        match STANDARD.decode(&encoded).or_else(|_| URL_SAFE.decode(&encoded)) {
            Ok(bytes) => contents.push(("raw", Content::Raw(bytes))),
            Err(why) => out.malformed(&fields.path_of("raw"), format!("expected base64: {why}")),
        }
    }
    if let Some(url) = fields.text("url", out) {
        contents.push(("url", Content::Url(url)));
    }
    // Here null is a value like any other.
    if let Some(value) = fields.raw("data", out) {
        contents.push(("data", Content::Data(value.clone())));
    }
    if contents.len() > 1 {
        let names: Vec<&str> = contents.iter().map(|(name, _)| *name).collect();
        out.malformed(
            fields.path(),
            format!("must have one of text, raw, url and data, found {}", names.join(" and ")),
        );
    }
    if contents.is_empty() && out.len() == reported {
        out.invalid(fields.path(), "must have one of text, raw, url and data");
    }
    let media_type = fields.string("mediaType", out);
    let filename = fields.string("filename", out);
    let metadata = fields.structure("metadata", out);
    let (_, content) = contents.into_iter().next()?;
    Some(Part { content, media_type, filename, metadata })
}
