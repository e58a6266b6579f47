use std::fmt;

/// The eleven operations of A2A 1.0 (§3.1). The name is the JSON-RPC method and the gRPC method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the specification's; the table below holds what there is to know")]
pub enum Operation {
    SendMessage,
    SendStreamingMessage,
    GetTask,
    ListTasks,
    CancelTask,
    SubscribeToTask,
    CreateTaskPushNotificationConfig,
    GetTaskPushNotificationConfig,
    ListTaskPushNotificationConfigs,
    DeleteTaskPushNotificationConfig,
    GetExtendedAgentCard,
}

/// An HTTP method of the HTTP+JSON binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "HTTP's own names")]
pub enum Verb {
    Get,
    Post,
    Delete,
}

/// What the card must declare before an operation may be used (§3.3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// `capabilities.streaming`
    Streaming,
    /// `capabilities.pushNotifications`
    PushNotifications,
    /// `capabilities.extendedAgentCard`
    ExtendedAgentCard,
}

/// One row of the operations table (§5.3): all that a binding needs to know of an operation.
#[derive(Clone, Copy, Debug)]
pub struct OperationSpec {
    /// The operation itself.
    pub operation: Operation,
    /// JSON-RPC method, and the last segment of the gRPC method.
    pub name: &'static str,
    /// Message type of the request.
    pub request: &'static str,
    /// Message type of the response; of one item for a stream.
    pub response: &'static str,
    /// HTTP+JSON method.
    pub verb: Verb,
    /// HTTP+JSON path below the interface URL; `{id}` and `{configId}` are filled in, percent-encoded.
    pub path: &'static str,
    /// The answer is a stream.
    pub streaming: bool,
    /// What the card must declare.
    pub capability: Option<Capability>,
}

/// Builds a row; the arguments stand in the order of the columns.
const fn row(
    operation: Operation,
    name: &'static str,
    shapes: (&'static str, &'static str),
    http: (Verb, &'static str),
    streaming: bool,
    capability: Option<Capability>,
) -> OperationSpec {
    OperationSpec {
        operation,
        name,
        request: shapes.0,
        response: shapes.1,
        verb: http.0,
        path: http.1,
        streaming,
        capability,
    }
}

/// §5.3. Subscribe is POST there and GET in the protocol's .proto; servers must take both, this client sends POST.
#[rustfmt::skip]
static TABLE: [OperationSpec; 11] = [
    row(Operation::SendMessage, "SendMessage", ("SendMessageRequest", "SendMessageResponse"), (Verb::Post, "/message:send"), false, None),
    row(Operation::SendStreamingMessage, "SendStreamingMessage", ("SendMessageRequest", "StreamResponse"), (Verb::Post, "/message:stream"), true, Some(Capability::Streaming)),
    row(Operation::GetTask, "GetTask", ("GetTaskRequest", "Task"), (Verb::Get, "/tasks/{id}"), false, None),
    row(Operation::ListTasks, "ListTasks", ("ListTasksRequest", "ListTasksResponse"), (Verb::Get, "/tasks"), false, None),
    row(Operation::CancelTask, "CancelTask", ("CancelTaskRequest", "Task"), (Verb::Post, "/tasks/{id}:cancel"), false, None),
    row(Operation::SubscribeToTask, "SubscribeToTask", ("SubscribeToTaskRequest", "StreamResponse"), (Verb::Post, "/tasks/{id}:subscribe"), true, Some(Capability::Streaming)),
    row(Operation::CreateTaskPushNotificationConfig, "CreateTaskPushNotificationConfig", ("TaskPushNotificationConfig", "TaskPushNotificationConfig"), (Verb::Post, "/tasks/{id}/pushNotificationConfigs"), false, Some(Capability::PushNotifications)),
    row(Operation::GetTaskPushNotificationConfig, "GetTaskPushNotificationConfig", ("GetTaskPushNotificationConfigRequest", "TaskPushNotificationConfig"), (Verb::Get, "/tasks/{id}/pushNotificationConfigs/{configId}"), false, Some(Capability::PushNotifications)),
    row(Operation::ListTaskPushNotificationConfigs, "ListTaskPushNotificationConfigs", ("ListTaskPushNotificationConfigsRequest", "ListTaskPushNotificationConfigsResponse"), (Verb::Get, "/tasks/{id}/pushNotificationConfigs"), false, Some(Capability::PushNotifications)),
    row(Operation::DeleteTaskPushNotificationConfig, "DeleteTaskPushNotificationConfig", ("DeleteTaskPushNotificationConfigRequest", "Empty"), (Verb::Delete, "/tasks/{id}/pushNotificationConfigs/{configId}"), false, Some(Capability::PushNotifications)),
    row(Operation::GetExtendedAgentCard, "GetExtendedAgentCard", ("GetExtendedAgentCardRequest", "AgentCard"), (Verb::Get, "/extendedAgentCard"), false, Some(Capability::ExtendedAgentCard)),
];

impl Operation {
    /// The whole table, in the order of the specification.
    pub fn table() -> &'static [OperationSpec] {
        &TABLE
    }

    /// The row of this operation.
    pub fn spec(self) -> &'static OperationSpec {
        // The table is written in the order of the enum; a test holds it to that.
        &TABLE[self as usize]
    }

    /// The operation of a JSON-RPC or gRPC method name; exact, as the names are case-sensitive.
    pub fn from_name(name: &str) -> Option<Operation> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.operation)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.spec().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_finds_its_own_row() {
        for row in Operation::table() {
            assert_eq!(row.operation.spec().name, row.name);
            assert_eq!(Operation::from_name(row.name), Some(row.operation));
        }
        assert_eq!(Operation::from_name("sendMessage"), None);
    }
}
