//! Our data ↔ the records of the interface: the only file that knows both.

use serde_json::{Map, Value};

use super::bindings::a2a_host::plugin::{agent, stimuli, types, webhook};
use super::bindings::exports::a2a_host::plugin::{assertions, contracts, extensions};
use super::limits::Limits;
use super::log::cut;
use super::ports;
use super::verdict::{
    AssertionInfo, ConfigProblem, ContractInfo, Finding, ObservedPart, ObservedTurn, PackInfo, PartKind, PartSource,
    Verdict,
};
use crate::a2a::{A2aError, Artifact, Binding, Content, Ending, Message, Part, Role, TaskState};

type Converted<T> = Result<T, String>;

// ---- values ---------------------------------------------------------------------------------------------------------

fn object(what: &str, text: Option<String>) -> Converted<Option<Map<String, Value>>> {
    let Some(text) = text else { return Ok(None) };
    match serde_json::from_str(&text) {
        Ok(Value::Object(map)) => Ok(Some(map)),
        Ok(_) => Err(format!("{what} is no JSON object")),
        Err(error) => Err(format!("{what} is no JSON: {error}")),
    }
}

fn json_text(value: &impl serde::Serialize) -> String {
    // Only maps with other keys than strings fail, and there are none.
    serde_json::to_string(value).unwrap_or_else(|_| "null".into())
}

pub(super) fn part_from(part: types::Part) -> Converted<Part> {
    let content = match part.content {
        types::Content::Text(text) => Content::Text(text),
        types::Content::Raw(bytes) => Content::Raw(bytes),
        types::Content::Url(url) => Content::Url(url),
        types::Content::Data(text) => {
            Content::Data(serde_json::from_str(&text).map_err(|error| format!("a data part is no JSON: {error}"))?)
        }
    };
    Ok(Part {
        content,
        media_type: part.media_type,
        filename: part.filename,
        metadata: object("the metadata of a part", part.metadata)?,
    })
}

pub(super) fn part_to(part: &Part) -> types::Part {
    let content = match &part.content {
        Content::Text(text) => types::Content::Text(text.clone()),
        Content::Raw(bytes) => types::Content::Raw(bytes.clone()),
        Content::Url(url) => types::Content::Url(url.clone()),
        Content::Data(value) => types::Content::Data(value.to_string()),
    };
    types::Part {
        content,
        media_type: part.media_type.clone(),
        filename: part.filename.clone(),
        metadata: part.metadata.as_ref().map(json_text),
    }
}

fn fresh_id(id: String) -> String {
    if id.is_empty() { uuid::Uuid::new_v4().to_string() } else { id }
}

pub(super) fn message_from(message: types::Message) -> Converted<Message> {
    Ok(Message {
        message_id: fresh_id(message.message_id),
        context_id: message.context_id,
        task_id: message.task_id,
        role: match message.role {
            types::Role::User => Role::User,
            types::Role::Agent => Role::Agent,
        },
        parts: message.parts.into_iter().map(part_from).collect::<Converted<_>>()?,
        metadata: object("the metadata of a message", message.metadata)?,
        extensions: message.extensions,
        reference_task_ids: message.reference_task_ids,
    })
}

pub(super) fn message_to(message: &Message) -> types::Message {
    types::Message {
        message_id: message.message_id.clone(),
        context_id: message.context_id.clone(),
        task_id: message.task_id.clone(),
        role: match message.role {
            Role::User => types::Role::User,
            Role::Agent => types::Role::Agent,
        },
        parts: message.parts.iter().map(part_to).collect(),
        metadata: message.metadata.as_ref().map(json_text),
        extensions: message.extensions.clone(),
        reference_task_ids: message.reference_task_ids.clone(),
    }
}

pub(super) fn artifact_from(artifact: types::Artifact) -> Converted<Artifact> {
    Ok(Artifact {
        artifact_id: fresh_id(artifact.artifact_id),
        name: artifact.name,
        description: artifact.description,
        parts: artifact.parts.into_iter().map(part_from).collect::<Converted<_>>()?,
        metadata: object("the metadata of an artifact", artifact.metadata)?,
        extensions: artifact.extensions,
    })
}

pub(super) fn state_from(state: types::TaskState) -> TaskState {
    match state {
        types::TaskState::Submitted => TaskState::Submitted,
        types::TaskState::Working => TaskState::Working,
        types::TaskState::Completed => TaskState::Completed,
        types::TaskState::Failed => TaskState::Failed,
        types::TaskState::Canceled => TaskState::Canceled,
        types::TaskState::InputRequired => TaskState::InputRequired,
        types::TaskState::Rejected => TaskState::Rejected,
        types::TaskState::AuthRequired => TaskState::AuthRequired,
    }
}

fn binding_to(binding: Binding) -> types::Binding {
    match binding {
        Binding::JsonRpc => types::Binding::Jsonrpc,
        Binding::HttpJson => types::Binding::HttpJson,
        Binding::Grpc => types::Binding::Grpc,
    }
}

fn binding_from(binding: types::Binding) -> Binding {
    match binding {
        types::Binding::Jsonrpc => Binding::JsonRpc,
        types::Binding::HttpJson => Binding::HttpJson,
        types::Binding::Grpc => Binding::Grpc,
    }
}

fn headers_to(headers: &[(String, String)]) -> Vec<types::Header> {
    headers.iter().map(|(name, value)| types::Header { name: name.clone(), value: value.clone() }).collect()
}

fn headers_from(headers: Vec<types::Header>) -> Vec<(String, String)> {
    headers.into_iter().map(|header| (header.name, header.value)).collect()
}

fn micros(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

// ---- findings -------------------------------------------------------------------------------------------------------

/// Bounded: at most `limits.findings` of them, each text at most `limits.text` characters.
pub(super) fn findings_from(findings: Vec<types::Finding>, limits: &Limits) -> Vec<Finding> {
    let dropped = findings.len().saturating_sub(limits.findings);
    let text = |text: String| cut(&text, limits.text);
    let mut kept: Vec<Finding> = findings
        .into_iter()
        .take(limits.findings)
        .map(|finding| Finding {
            code: text(finding.code),
            message: text(finding.message),
            config_path: text(finding.config_path),
            part: finding.part,
            event: finding.event,
            path: finding.path.map(text),
            expected: finding.expected.map(text),
            actual: finding.actual.map(text),
            rule: finding.rule.map(text),
            fix: finding.fix.map(text),
            // A handful of extra facts is a finding; hundreds are a flood.
            more: finding.more.into_iter().take(20).map(|(name, value)| (text(name), text(value))).collect(),
        })
        .collect();
    if dropped > 0 {
        kept.push(Finding {
            code: "findings-dropped".into(),
            message: format!("{dropped} further findings were dropped; a plugin may report {}", limits.findings),
            ..Finding::default()
        });
    }
    kept
}

// ---- assertions -----------------------------------------------------------------------------------------------------

pub(super) fn assertion_info(assertion: assertions::Assertion, limits: &Limits) -> AssertionInfo {
    AssertionInfo {
        name: cut(&assertion.name, limits.text),
        summary: cut(&assertion.summary, limits.text),
        config_schema: assertion.config_schema,
    }
}

pub(super) fn config_problems(problems: Vec<assertions::Problem>, limits: &Limits) -> Vec<ConfigProblem> {
    let text = |text: String| cut(&text, limits.text);
    problems
        .into_iter()
        .take(limits.findings)
        .map(|problem| ConfigProblem {
            path: text(problem.path),
            message: text(problem.message),
            help: problem.help.map(text),
        })
        .collect()
}

fn observed_part(part: &ObservedPart) -> assertions::ObservedPart {
    assertions::ObservedPart {
        source: match part.source {
            PartSource::Message => assertions::Source::Message,
            PartSource::Artifact => assertions::Source::Artifact,
            PartSource::Status => assertions::Source::Status,
        },
        message_id: part.message_id.clone(),
        artifact_id: part.artifact_id.clone(),
        artifact_name: part.artifact_name.clone(),
        kind: match part.kind {
            PartKind::Text => assertions::PartKind::Text,
            PartKind::Raw => assertions::PartKind::Raw,
            PartKind::Url => assertions::PartKind::Url,
            PartKind::Data => assertions::PartKind::Data,
        },
        media_type: part.media_type.clone(),
        filename: part.filename.clone(),
        url: part.url.clone(),
        value: part.value.as_ref().map(|value| match (part.kind, value) {
            (PartKind::Text, Value::String(text)) => text.clone(),
            _ => value.to_string(),
        }),
        metadata: part.metadata.as_ref().map(Value::to_string),
        size: part.size,
        sha256: part.sha256.clone(),
    }
}

pub(super) fn turn_to(turn: &ObservedTurn) -> assertions::Turn {
    assertions::Turn {
        text: turn.text.clone(),
        state: turn.state.clone(),
        states: turn.states.clone(),
        parts: turn.parts.iter().map(observed_part).collect(),
        first_event_us: turn.first_event_us,
        elapsed_us: turn.elapsed_us,
    }
}

// ---- contracts ------------------------------------------------------------------------------------------------------

pub(super) fn pack_info(pack: contracts::Pack, limits: &Limits) -> PackInfo {
    let text = |text: String| cut(&text, limits.text);
    PackInfo {
        name: text(pack.name),
        version: text(pack.version),
        description: text(pack.description),
        contracts: pack
            .contracts
            .into_iter()
            .map(|contract| ContractInfo {
                id: text(contract.id),
                category: text(contract.category),
                title: text(contract.title),
                level: text(contract.level),
                spec: contract.spec.map(text),
                stimuli: contract.stimuli.into_iter().map(text).collect(),
                capabilities: contract.capabilities.into_iter().map(text).collect(),
                bindings: contract.bindings.into_iter().map(binding_from).collect(),
                once_per_server: contract.once_per_server,
                attributes: contract.attributes.into_iter().map(|(name, value)| (text(name), text(value))).collect(),
            })
            .collect(),
    }
}

pub(super) fn verdict(verdict: contracts::Verdict, limits: &Limits) -> Verdict {
    match verdict {
        contracts::Verdict::Passed(passed) => Verdict::Passed {
            notes: passed.notes.iter().take(limits.findings).map(|note| cut(note, limits.text)).collect(),
        },
        contracts::Verdict::Failed(findings) => Verdict::Failed(findings_from(findings, limits)),
        contracts::Verdict::Skipped(reason) => Verdict::Skipped(cut(&reason, limits.text)),
    }
}

pub(super) fn endpoint_to(endpoint: ports::Endpoint) -> agent::Endpoint {
    agent::Endpoint {
        binding: binding_to(endpoint.binding),
        url: endpoint.url,
        path: endpoint.path,
        protocol_version: endpoint.protocol_version,
        tenant: endpoint.tenant,
    }
}

pub(super) fn response_to(response: ports::RawResponse) -> agent::Response {
    agent::Response {
        http_status: response.head.http_status,
        grpc_status: response.head.grpc_status,
        headers: headers_to(&response.head.headers),
        trailers: headers_to(&response.head.trailers),
        raw: response.raw,
        elapsed_us: micros(response.elapsed),
    }
}

pub(super) fn reply_to(reply: ports::AgentReply) -> agent::Reply {
    agent::Reply { body: reply.body.to_string(), response: response_to(reply.response), deviations: reply.deviations }
}

pub(super) fn failure_to(failure: ports::AgentFailure) -> agent::Failure {
    match failure {
        ports::AgentFailure::Protocol { code, reason, message, details, response } => {
            agent::Failure::Protocol(agent::ProtocolError {
                code: code.and_then(|code| i32::try_from(code).ok()),
                reason,
                message,
                details: details.to_string(),
                response: response_to(response),
            })
        }
        ports::AgentFailure::Unreadable { why, response } => {
            agent::Failure::Unreadable(agent::Unreadable { why, response: response_to(response) })
        }
        ports::AgentFailure::Transport(why) => agent::Failure::Transport(why),
        ports::AgentFailure::Timeout => agent::Failure::Timeout,
        ports::AgentFailure::Refused(why) => agent::Failure::Refused(why),
        ports::AgentFailure::Other(why) => agent::Failure::Other(why),
    }
}

fn timeout(milliseconds: Option<u32>) -> Option<std::time::Duration> {
    milliseconds.map(|milliseconds| std::time::Duration::from_millis(u64::from(milliseconds)))
}

pub(super) fn options_from(options: agent::Options) -> ports::CallOptions {
    ports::CallOptions {
        headers: headers_from(options.headers),
        extensions: options.extensions,
        version: match options.version {
            agent::VersionHeader::Current => ports::VersionHeader::Current,
            agent::VersionHeader::Absent => ports::VersionHeader::Absent,
            agent::VersionHeader::Value(value) => ports::VersionHeader::Value(value),
        },
        credentials: options.credentials,
        timeout: timeout(options.timeout_ms),
    }
}

pub(super) fn http_from(request: agent::HttpRequest) -> ports::HttpRequest {
    ports::HttpRequest {
        method: request.method,
        path: request.path,
        headers: headers_from(request.headers),
        body: request.body,
        credentials: request.credentials,
        timeout: timeout(request.timeout_ms),
        max_bytes: request.max_bytes as usize,
    }
}

pub(super) fn event_to(event: &crate::a2a::Event, raw: Vec<u8>) -> types::Event {
    types::Event { raw, body: Some(event.body.to_string()), at_us: micros(event.at) }
}

pub(super) fn ending_to(ending: Ending) -> agent::Ending {
    match ending {
        Ending::Open => agent::Ending::Open,
        Ending::Clean => agent::Ending::Clean,
        Ending::Cut => agent::Ending::Cut,
        Ending::Reset => agent::Ending::Reset,
    }
}

pub(super) fn delivery_to(delivery: ports::Delivery) -> webhook::Delivery {
    webhook::Delivery {
        method: delivery.method,
        path: delivery.path,
        headers: headers_to(&delivery.headers),
        body: delivery.body,
        at_us: micros(delivery.at),
    }
}

pub(super) fn stimulus_to(stimulus: &ports::Stimulus) -> stimuli::Stimulus {
    stimuli::Stimulus {
        parts: stimulus.parts.iter().map(part_to).collect(),
        metadata: stimulus.metadata.as_ref().map(json_text),
        extensions: stimulus.extensions.clone(),
        expected_text: stimulus.expected_text.clone(),
    }
}

// ---- extensions -----------------------------------------------------------------------------------------------------

pub(super) fn extension_info(extension: extensions::Extension) -> Converted<ports::ExtensionInfo> {
    Ok(ports::ExtensionInfo {
        params: object(&format!("params of {}", extension.uri), extension.params)?,
        uri: extension.uri,
        description: extension.description,
        required: extension.required,
        command: extension.command,
        skill: extension.skill.map(|skill| ports::SkillInfo {
            id: skill.id,
            name: skill.name,
            description: skill.description,
            tags: skill.tags,
            examples: skill.examples,
            input_modes: skill.input_modes,
            output_modes: skill.output_modes,
        }),
    })
}

pub(super) fn request_to(request: &ports::ExtensionRequest) -> extensions::Request {
    extensions::Request {
        message: message_to(&request.message),
        text: request.text.clone(),
        requested: request.requested.clone(),
        activated: request.activated.clone(),
        headers: headers_to(&request.headers),
        tenant: request.tenant.clone(),
        metadata: request.metadata.as_ref().map(json_text),
        raw: request.raw.to_string(),
        task: request.task.as_ref().map(Value::to_string),
    }
}

pub(super) fn handler_error(error: extensions::HandlerError, limits: &Limits) -> ports::HandlerError {
    match error {
        extensions::HandlerError::A2a(error) => {
            let details = match serde_json::from_str(&error.details) {
                Ok(Value::Array(list)) => list,
                // An empty object or null is no detail; anything else single is one.
                Ok(Value::Null) | Err(_) => Vec::new(),
                Ok(Value::Object(map)) if map.is_empty() => Vec::new(),
                Ok(other) => vec![other],
            };
            ports::HandlerError::A2a(A2aError {
                code: error.code,
                reason: error.reason,
                message: cut(&error.message, limits.text),
                details,
            })
        }
        extensions::HandlerError::Failed(message) => ports::HandlerError::Failed(cut(&message, limits.text)),
    }
}

pub(super) fn contribution(contribution: extensions::Contribution) -> Converted<ports::Contribution> {
    Ok(ports::Contribution {
        fields: object("fields of the contribution", Some(contribution.fields))?.unwrap_or_default(),
        metadata: object("metadata of the contribution", contribution.metadata)?,
    })
}
