//! What the agent does for each operation, whatever the binding: one method per row of the operations table.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::command::CommandTable;
use super::context::CallContext;
use super::engine::{Engine, Full, Hear, Heard, Item, LiveTask, NewTask, NotAccepted, Subscription, TaskHandle, run};
use super::fault::Replies;
use super::plugins::Extensions;
use super::request::{self, GetTaskRequest, ListTasksRequest, Request, SendMessageRequest, TaskIdRequest};
use crate::a2a::{A2aError, ErrorKind, ListTasksResponse, Operation, SendMessageResponse, StreamResponse, Task};
use crate::sandbox::ExtensionRequest;

/// The events of a stream; an error is its last item.
type EventStream = BoxStream<'static, Item>;

/// What a service method gives back, before any binding gives it a form.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Of SendMessage.
    Sent(SendMessageResponse),
    /// Of GetTask and CancelTask.
    Task(Task),
    /// Of ListTasks.
    Tasks(ListTasksResponse),
    /// One item of a stream.
    Event(StreamResponse),
}

impl Reply {
    /// As JSON: the `result` of a JSON-RPC response, the body of an HTTP+JSON one.
    pub fn into_json(self) -> Value {
        let json = match self {
            Reply::Sent(response) => serde_json::to_value(response),
            Reply::Task(task) => serde_json::to_value(task),
            Reply::Tasks(page) => serde_json::to_value(page),
            Reply::Event(event) => serde_json::to_value(event),
        };
        // The model has string keys and finite numbers only, so there is nothing that could fail.
        json.unwrap_or_default()
    }
}

/// The answer to a call, plain or streamed. A plain one is a sequence of one, so that both take the same way out.
pub(crate) struct Answer {
    pub(crate) replies: Replies,
    /// It is an event stream. An error before its first event makes it a plain answer.
    pub(crate) streamed: bool,
    /// The operation was done, or has begun.
    pub(crate) succeeded: bool,
}

impl Answer {
    /// A plain answer.
    fn plain(reply: Result<Reply, A2aError>) -> Self {
        let succeeded = reply.is_ok();
        Answer { replies: stream::iter([reply]).boxed(), streamed: false, succeeded }
    }

    /// The answer of a streaming operation.
    fn opened(stream: Result<EventStream, A2aError>) -> Self {
        match stream {
            Ok(events) => {
                let replies = events.map(|event| event.map(Reply::Event)).boxed();
                Answer { replies, streamed: true, succeeded: true }
            }
            Err(error) => Answer::refusal(error),
        }
    }

    /// An error.
    pub(crate) fn refusal(error: A2aError) -> Self {
        Answer::plain(Err(error))
    }
}

/// The agent behind its bindings.
pub(crate) struct Service {
    pub(crate) engine: Engine,
    pub(crate) commands: CommandTable,
    pub(crate) extensions: Arc<Extensions>,
    /// Refuse messages that do not declare every required extension (§3.3.4).
    pub(crate) enforce_required: bool,
    pub(crate) shutdown: CancellationToken,
}

impl Service {
    /// Reads a request, lets it in and hands it to its method. `body` is the A2A request as JSON.
    pub(crate) async fn serve(&self, operation: Operation, body: Value, mut context: CallContext) -> Answer {
        match request::admit(operation, body, context.version.as_deref()) {
            Ok((request, tenant)) => {
                context.tenant = tenant;
                self.call(&context, request).await
            }
            Err(error) => Answer::refusal(error),
        }
    }

    /// One method per row of the operations table.
    async fn call(&self, context: &CallContext, request: Request) -> Answer {
        match request {
            Request::SendMessage(request) => Answer::plain(self.send_message(context, request).await.map(Reply::Sent)),
            Request::SendStreamingMessage(request) => Answer::opened(self.send_streaming_message(context, request)),
            Request::GetTask(request) => Answer::plain(self.get_task(context, &request).map(Reply::Task)),
            Request::ListTasks(request) => Answer::plain(Ok(Reply::Tasks(self.list_tasks(context, &request)))),
            Request::CancelTask(request) => Answer::plain(self.cancel_task(context, &request).map(Reply::Task)),
            Request::SubscribeToTask(request) => Answer::opened(self.subscribe_to_task(context, &request)),
            Request::PushNotificationConfig => Answer::plain(self.push_notification_config()),
            Request::GetExtendedAgentCard => Answer::plain(self.get_extended_agent_card()),
        }
    }

    /// SendMessage (§3.1.1): answers when the turn is over, or at once if the client wants that.
    async fn send_message(
        &self,
        context: &CallContext,
        request: SendMessageRequest,
    ) -> Result<SendMessageResponse, A2aError> {
        let history_length = request.configuration.history_length;
        let hear = if request.configuration.return_immediately { Hear::First } else { Hear::End };
        let Heard::Once(answer) = self.start(context, request, hear)? else {
            return Err(A2aError::new(ErrorKind::Internal, "a turn that is heard of once gave a stream"));
        };
        let answer = tokio::select! {
            answer = answer => answer,
            () = self.shutdown.cancelled() => return Err(shutting_down()),
        };
        let mut response =
            answer.map_err(|_| A2aError::new(ErrorKind::Internal, "the turn ended without an answer"))??;
        if let SendMessageResponse::Task(task) = &mut response {
            task.trim_history(history_length);
        }
        Ok(response)
    }

    /// SendStreamingMessage (§3.1.2).
    fn send_streaming_message(
        &self,
        context: &CallContext,
        request: SendMessageRequest,
    ) -> Result<EventStream, A2aError> {
        let history_length = request.configuration.history_length;
        match self.start(context, request, Hear::Events)? {
            Heard::Events(subscription) => Ok(self.events(subscription, history_length)),
            Heard::Once(_) => Err(A2aError::new(ErrorKind::Internal, "a stream was asked for and none was given")),
        }
    }

    /// GetTask (§3.1.3).
    fn get_task(&self, context: &CallContext, request: &GetTaskRequest) -> Result<Task, A2aError> {
        let mut task = self.find(context, &request.id)?.snapshot();
        task.trim_history(request.history_length);
        Ok(task)
    }

    /// ListTasks (§3.1.4).
    fn list_tasks(&self, context: &CallContext, request: &ListTasksRequest) -> ListTasksResponse {
        self.engine.list(context.tenant.as_deref(), request)
    }

    /// CancelTask (§3.1.5).
    fn cancel_task(&self, context: &CallContext, request: &TaskIdRequest) -> Result<Task, A2aError> {
        self.find(context, &request.id)?.cancel().map_err(|state| {
            let message = format!("task {} is {state} and cannot be canceled", request.id);
            A2aError::new(ErrorKind::TaskNotCancelable, message)
        })
    }

    /// SubscribeToTask (§3.1.6).
    fn subscribe_to_task(&self, context: &CallContext, request: &TaskIdRequest) -> Result<EventStream, A2aError> {
        let subscription = self.find(context, &request.id)?.subscribe().map_err(|state| {
            let message = format!("task {} is {state}: no event follows; GetTask has its result", request.id);
            A2aError::new(ErrorKind::UnsupportedOperation, message)
        })?;
        Ok(self.events(subscription, None))
    }

    /// The four push operations (§3.1.7 to §3.1.10); the card does not declare the capability.
    fn push_notification_config(&self) -> Result<Reply, A2aError> {
        Err(no_push())
    }

    /// GetExtendedAgentCard (§3.1.11); the card does not declare the capability.
    fn get_extended_agent_card(&self) -> Result<Reply, A2aError> {
        let message = "this agent has no extended card: its card does not declare capabilities.extendedAgentCard";
        Err(A2aError::new(ErrorKind::UnsupportedOperation, message))
    }

    /// Begins or continues the task of a message and sets its command to work.
    fn start(&self, context: &CallContext, request: SendMessageRequest, hear: Hear) -> Result<Heard, A2aError> {
        if request.configuration.push_notification {
            return Err(no_push());
        }
        self.check_required_extensions(context)?;
        let text = request.message.text();
        let (handle, heard, task) = match &request.message.task_id {
            None => {
                let (handle, heard) = self.new_task(context, &request, &text, hear)?;
                (handle, heard, None)
            }
            Some(id) => {
                let (handle, heard) = self.follow_up(context, id, &request, hear)?;
                let task = serde_json::to_value(handle.task().snapshot()).ok();
                (handle, heard, task)
            }
        };
        let mut message = request.message;
        message.task_id = Some(handle.task().id().to_owned());
        message.context_id = Some(handle.task().context_id().to_owned());
        let request = ExtensionRequest {
            message,
            text,
            requested: context.requested.clone(),
            activated: context.activated.clone(),
            headers: context.headers.clone(),
            tenant: context.tenant.clone(),
            metadata: request.metadata,
            raw: request.raw,
            task,
        };
        run(handle, request);
        Ok(heard)
    }

    fn new_task(
        &self,
        context: &CallContext,
        request: &SendMessageRequest,
        text: &str,
        hear: Hear,
    ) -> Result<(TaskHandle, Heard), A2aError> {
        let new = NewTask {
            tenant: context.tenant.clone(),
            context_id: request.message.context_id.clone(),
            message: request.message.clone(),
            command: Arc::clone(self.commands.route(text)),
        };
        self.engine.create(new, hear).map_err(|Full| {
            let message = "this agent remembers no more tasks, and none of those it has is finished; cancel some, or raise \
                           its max_tasks";
            A2aError::new(ErrorKind::Internal, message)
        })
    }

    /// The context is that of the task (§3.4.3). A task that still works on an earlier message takes no other: both would
    /// write to it, and nobody could tell whose events are whose.
    fn follow_up(
        &self,
        context: &CallContext,
        id: &str,
        request: &SendMessageRequest,
        hear: Hear,
    ) -> Result<(TaskHandle, Heard), A2aError> {
        let task = self.find(context, id)?;
        if let Some(given) = &request.message.context_id
            && given != task.context_id()
        {
            let description = format!("task {id} belongs to context {}, found {given}", task.context_id());
            let message = format!("invalid params: message.contextId: {description}");
            return Err(A2aError::invalid_params(message, &[("message.contextId".into(), description)]));
        }
        task.accept(request.message.clone(), hear).map_err(|why| {
            let message = match why {
                NotAccepted::Terminal(state) => format!("task {id} is {state} and takes no further message"),
                NotAccepted::Running(state) => {
                    format!("task {id} is {state}: it takes a further message only once it asks for one")
                }
            };
            A2aError::new(ErrorKind::UnsupportedOperation, message)
        })
    }

    fn find(&self, context: &CallContext, id: &str) -> Result<Arc<LiveTask>, A2aError> {
        self.engine
            .find(context.tenant.as_deref(), id)
            .ok_or_else(|| A2aError::new(ErrorKind::TaskNotFound, format!("no task {id}")))
    }

    fn check_required_extensions(&self, context: &CallContext) -> Result<(), A2aError> {
        if !self.enforce_required {
            return Ok(());
        }
        match self.extensions.missing(&context.requested).as_slice() {
            [] => Ok(()),
            missing => {
                let message =
                    format!("this agent requires extensions that A2A-Extensions does not name: {}", missing.join(", "));
                Err(A2aError::new(ErrorKind::ExtensionSupportRequired, message))
            }
        }
    }

    /// The stream ends with the task's turn or life, or when the agent shuts down.
    fn events(&self, subscription: Subscription, history_length: Option<usize>) -> EventStream {
        let trim = move |mut item: Item| {
            if let Ok(StreamResponse::Task(task)) = &mut item {
                task.trim_history(history_length);
            }
            item
        };
        subscription.map(trim).take_until(self.shutdown.clone().cancelled_owned()).boxed()
    }
}

fn no_push() -> A2aError {
    let message = "this agent sends no push notifications: its card does not declare capabilities.pushNotifications";
    A2aError::new(ErrorKind::PushNotificationNotSupported, message)
}

fn shutting_down() -> A2aError {
    A2aError::new(ErrorKind::Internal, "the agent is shutting down")
}
