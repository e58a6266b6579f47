//! Reply → what assertions see and what reports show. Secrets end here: sizes and digests were taken before.

use std::time::Duration;

use serde_json::Value;

use super::agent::sentences;
use super::result::ReplySummary;
use crate::a2a::Exchange;
use crate::client::Reply;
use crate::sandbox::{ObservedEvent, ObservedPart, ObservedTurn, PartKind};
use crate::secrets::Redactor;

/// What assertions see.
pub(super) fn turn(exchange: &Exchange, reply: &Reply, redactor: &Redactor) -> ObservedTurn {
    let hide = |text: &str| redactor.redact_str(text).into_owned();
    let json = |value: &Value| {
        let mut value = value.clone();
        redactor.redact_json(&mut value);
        value.to_string()
    };
    let events = exchange.events.iter().map(|event| {
        let frame = exchange.frames.get(event.frame);
        let raw = frame.and_then(|frame| exchange.raw.get(frame.offset..frame.offset + frame.length));
        ObservedEvent {
            raw: redactor.redact_bytes(raw.unwrap_or_default()).into_owned(),
            body: Some(json(&event.body)),
            at_us: micros(event.at),
        }
    });
    ObservedTurn {
        text: hide(&reply.text),
        state: hide(&reply.state),
        states: reply.states.iter().map(|state| hide(state)).collect(),
        parts: reply.parts.iter().map(|part| observed_part(part, redactor)).collect(),
        first_event_us: reply.first_event.map(micros),
        elapsed_us: micros(reply.elapsed),
        request: json(&exchange.request.body),
        events: events.collect(),
        folded: json(&reply.folded),
        error: None,
    }
}

fn observed_part(part: &ObservedPart, redactor: &Redactor) -> ObservedPart {
    let mut part = part.clone();
    let texts = [
        &mut part.message_id,
        &mut part.artifact_id,
        &mut part.artifact_name,
        &mut part.media_type,
        &mut part.filename,
        &mut part.url,
    ];
    for text in texts.into_iter().flatten() {
        *text = redactor.redact_str(text).into_owned();
    }
    for value in [&mut part.value, &mut part.metadata].into_iter().flatten() {
        redactor.redact_json(value);
    }
    if let Some(raw) = &mut part.raw
        && let std::borrow::Cow::Owned(hidden) = redactor.redact_bytes(raw)
    {
        *raw = hidden.into();
    }
    part
}

/// What reports show.
pub(super) fn summary(
    exchange: &Exchange,
    reply: &Reply,
    observed: &ObservedTurn,
    redactor: &Redactor,
) -> ReplySummary {
    let parts = observed.parts.iter().filter(|part| part.kind != PartKind::Text).map(describe);
    ReplySummary {
        state: observed.state.clone(),
        states: observed.states.clone(),
        text: observed.text.clone(),
        parts: parts.collect(),
        events: exchange.events.len(),
        first_event: reply.first_event,
        elapsed: reply.elapsed,
        deviations: sentences(redactor, &reply.deviations),
    }
}

fn describe(part: &ObservedPart) -> String {
    let what = match part.kind {
        PartKind::Text => "text".to_owned(),
        PartKind::Data => format!("data {}", part.value.as_ref().unwrap_or(&Value::Null)),
        PartKind::Url => format!("url {}", part.url.as_deref().unwrap_or_default()),
        PartKind::Raw => format!(
            "raw {} ({} bytes)",
            part.filename.as_deref().unwrap_or("without a name"),
            part.size.unwrap_or_default()
        ),
    };
    match &part.artifact_name {
        Some(name) => format!("{what} in artifact {name}"),
        None => what,
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
