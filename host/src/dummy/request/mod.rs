//! Requests as the service takes them, read from the JSON form that every binding can give: validation stands here once.

mod fields;
mod list;
mod message;
#[cfg(test)]
mod tests;
mod version;
mod violations;

use serde_json::{Map, Value};

use self::fields::Fields;
use self::violations::Violations;
use crate::a2a::{A2aError, Message, Operation};

pub(crate) use self::list::{ListTasksRequest, PageToken};

/// SendMessageRequest (§3.2.1), of both send operations.
#[derive(Debug)]
pub(crate) struct SendMessageRequest {
    /// The turn.
    pub(crate) message: Message,
    /// Options.
    pub(crate) configuration: SendMessageConfiguration,
    /// Metadata of the request, not of the message.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// The whole request as it was received.
    pub(crate) raw: Value,
}

/// SendMessageConfiguration (§3.2.2). `acceptedOutputModes` has no effect here: each command has one form of output.
#[derive(Debug, Default)]
pub(crate) struct SendMessageConfiguration {
    /// Newest messages to keep in a returned task.
    pub(crate) history_length: Option<usize>,
    /// Answer as soon as the task exists.
    pub(crate) return_immediately: bool,
    /// A webhook is to be registered with the task.
    pub(crate) push_notification: bool,
}

/// GetTaskRequest (§3.1.3).
#[derive(Debug)]
pub(crate) struct GetTaskRequest {
    pub(crate) id: String,
    pub(crate) history_length: Option<usize>,
}

/// CancelTaskRequest (§3.1.5) and SubscribeToTaskRequest (§3.1.6): the id is all that matters here.
#[derive(Debug)]
pub(crate) struct TaskIdRequest {
    pub(crate) id: String,
}

/// A request of any operation, ready for its service method.
#[derive(Debug)]
pub(crate) enum Request {
    SendMessage(SendMessageRequest),
    SendStreamingMessage(SendMessageRequest),
    GetTask(GetTaskRequest),
    ListTasks(ListTasksRequest),
    CancelTask(TaskIdRequest),
    SubscribeToTask(TaskIdRequest),
    /// One of the four; they are refused whatever they hold.
    PushNotificationConfig,
    GetExtendedAgentCard,
}

/// Lets a request in, or says why not. The order is that of the whole protocol: what does not parse, then the version,
/// then what is missing or out of range; each error names everything of its kind at once.
///
/// `version` is the value of `A2A-Version`, none where there was none. The tenant of the request is returned beside it.
pub(crate) fn admit(
    operation: Operation,
    body: Value,
    version: Option<&str>,
) -> Result<(Request, Option<String>), A2aError> {
    let mut out = Violations::default();
    let request = read(operation, body, &mut out);
    if out.is_malformed() {
        return Err(refuse(out));
    }
    version::check(version)?;
    match request {
        Some(request) if out.is_empty() => Ok(request),
        _ => Err(refuse(out)),
    }
}

fn refuse(violations: Violations) -> A2aError {
    // A request that could not be read has left at least one violation behind.
    violations.into_error().unwrap_or_else(|| A2aError::invalid_params("invalid params", &[]))
}

/// Reads the request of an operation; what is wrong with it goes to `out`.
fn read(operation: Operation, body: Value, out: &mut Violations) -> Option<(Request, Option<String>)> {
    let fields = Fields::new(&body, String::new(), out)?;
    let tenant = fields.string("tenant", out);
    let request = match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => {
            let configuration = fields.object("configuration", out).map(|fields| configuration(&fields, out));
            let metadata = fields.structure("metadata", out);
            let message = required_message(&fields, out)?;
            let configuration = configuration.unwrap_or_default();
            let request = SendMessageRequest { message, configuration, metadata, raw: body };
            match operation {
                Operation::SendMessage => Request::SendMessage(request),
                _ => Request::SendStreamingMessage(request),
            }
        }
        Operation::GetTask => Request::GetTask(GetTaskRequest {
            id: fields.required_string("id", out),
            history_length: fields.history_length(out),
        }),
        Operation::ListTasks => Request::ListTasks(ListTasksRequest::read(&fields, out)),
        Operation::CancelTask => Request::CancelTask(TaskIdRequest { id: fields.required_string("id", out) }),
        Operation::SubscribeToTask => Request::SubscribeToTask(TaskIdRequest { id: fields.required_string("id", out) }),
        Operation::CreateTaskPushNotificationConfig
        | Operation::GetTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::DeleteTaskPushNotificationConfig => Request::PushNotificationConfig,
        Operation::GetExtendedAgentCard => Request::GetExtendedAgentCard,
    };
    Some((request, tenant))
}

/// SendMessageConfiguration.
fn configuration(fields: &Fields<'_>, out: &mut Violations) -> SendMessageConfiguration {
    // Read for its type alone, so that a malformed list is still refused.
    fields.strings("acceptedOutputModes", out);
    SendMessageConfiguration {
        history_length: fields.history_length(out),
        return_immediately: fields.boolean("returnImmediately", out),
        push_notification: fields.object("taskPushNotificationConfig", out).is_some(),
    }
}

/// The message of a send request; none if there is nothing to read.
fn required_message(fields: &Fields<'_>, out: &mut Violations) -> Option<Message> {
    let Some(value) = fields.value("message", out) else {
        out.invalid("message", "is required");
        return None;
    };
    Some(message::message(&Fields::new(value, "message".into(), out)?, out))
}
