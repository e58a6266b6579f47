//! What the tests of the dummy agent share: a client that sends raw JSON-RPC, stand-ins for plugins, and commands that do
//! what a test tells them.

use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use futures_util::StreamExt;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use super::command::Command;
use super::{Agent, AgentBuilder, RunningAgent};
use crate::a2a::{Part, TaskState};
use crate::sandbox::{
    BoxFuture, Contribution, ExtensionHandler, ExtensionInfo, ExtensionRequest, HandlerError, SkillInfo, TaskPort,
};

/// Generous: nothing here takes a second unless it hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// An agent on port 0 and a client for it.
pub(super) struct Harness {
    pub(super) agent: RunningAgent,
    pub(super) http: reqwest::Client,
}

impl Harness {
    pub(super) async fn start() -> Self {
        Self::with(Agent::builder()).await
    }

    pub(super) async fn with(builder: AgentBuilder) -> Self {
        // Another test may have been first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
        Harness { agent: builder.start().await.unwrap(), http }
    }

    /// A POST with the headers of a well-behaved client.
    pub(super) fn post(&self, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
        self.bare_post(body).header("A2A-Version", "1.0")
    }

    /// A POST without a version.
    pub(super) fn bare_post(&self, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
        self.http.post(self.agent.url()).header("Content-Type", "application/json").body(body)
    }

    /// A call with further headers; the whole response.
    pub(super) async fn response(&self, method: &str, params: &Value, headers: &[(&str, &str)]) -> reqwest::Response {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request =
            headers.iter().fold(self.post(body.to_string()), |request, (name, value)| request.header(*name, *value));
        request.send().await.unwrap()
    }

    /// A call; the envelope of its plain answer.
    pub(super) async fn call(&self, method: &str, params: Value) -> Value {
        plain(self.response(method, &params, &[]).await).await
    }

    /// A call that must succeed; its result.
    pub(super) async fn result(&self, method: &str, params: Value) -> Value {
        let mut envelope = self.call(method, params).await;
        assert!(envelope.get("error").is_none(), "{envelope}");
        envelope["result"].take()
    }

    /// A call that must fail; its error.
    pub(super) async fn error(&self, method: &str, params: Value) -> Value {
        let mut envelope = self.call(method, params).await;
        assert!(envelope.get("result").is_none(), "{envelope}");
        envelope["error"].take()
    }

    /// Sends a text and waits; the task.
    pub(super) async fn send(&self, text: &str) -> Value {
        self.result("SendMessage", message(text)).await["task"].take()
    }

    /// Sends a text as a stream; its items to the end.
    pub(super) async fn stream(&self, text: &str) -> Vec<Value> {
        self.open("SendStreamingMessage", message(text)).await.rest().await
    }

    /// Opens a stream.
    pub(super) async fn open(&self, method: &str, params: Value) -> OpenStream {
        OpenStream::new(self.response(method, &params, &[]).await)
    }

    /// The task of that id.
    pub(super) async fn task(&self, id: &Value) -> Value {
        self.result("GetTask", json!({"id": id})).await
    }
}

/// The envelope of a plain answer.
pub(super) async fn plain(response: reqwest::Response) -> Value {
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/json");
    let envelope: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
    assert_eq!(envelope["jsonrpc"], "2.0");
    envelope
}

/// SendMessageRequest with one text part.
pub(super) fn message(text: &str) -> Value {
    json!({"message": {"messageId": "msg-1", "role": "ROLE_USER", "parts": [{"text": text}]}})
}

/// The same as a follow-up.
pub(super) fn follow_up(text: &str, task: &Value) -> Value {
    let mut request = message(text);
    request["message"]["messageId"] = "msg-2".into();
    request["message"]["taskId"] = task.clone();
    request
}

/// A stream that is read item by item.
pub(super) struct OpenStream {
    response: reqwest::Response,
    buffer: BytesMut,
}

impl OpenStream {
    pub(super) fn new(response: reqwest::Response) -> Self {
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        OpenStream { response, buffer: BytesMut::new() }
    }

    /// The `result` or `error` of the next item, as a stream response or as `{"error": …}`; none at the end. Each event must
    /// be one data line and a blank one, and a whole response with the request's id.
    pub(super) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
                let event = self.buffer.split_to(end + 2);
                let text = std::str::from_utf8(&event[..end]).unwrap();
                let data = text.strip_prefix("data: ").unwrap_or_else(|| panic!("{text:?}"));
                assert!(!data.contains('\n'), "{data:?}");
                let mut envelope: Value = serde_json::from_str(data).unwrap();
                assert_eq!((&envelope["jsonrpc"], &envelope["id"]), (&json!("2.0"), &json!(1)));
                if envelope.get("error").is_some() {
                    return Some(json!({"error": envelope["error"]}));
                }
                return Some(envelope["result"].take());
            }
            match self.response.chunk().await.unwrap() {
                Some(chunk) => self.buffer.extend_from_slice(&chunk),
                None => {
                    assert!(self.buffer.is_empty(), "cut off: {:?}", self.buffer);
                    return None;
                }
            }
        }
    }

    /// Everything that is still to come.
    pub(super) async fn rest(mut self) -> Vec<Value> {
        let mut items = Vec::new();
        while let Some(item) = self.next().await {
            items.push(item);
        }
        items
    }
}

/// Replaces what differs from run to run: UUIDs by `<uuid>`, times by `<time>`.
pub(super) fn normal(value: &Value) -> Value {
    let uuid = regex::Regex::new("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}").unwrap();
    let time = regex::Regex::new(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$").unwrap();
    fn walk(value: &Value, replace: &dyn Fn(&str) -> String) -> Value {
        match value {
            Value::String(text) => replace(text).into(),
            Value::Array(list) => list.iter().map(|value| walk(value, replace)).collect(),
            Value::Object(map) => {
                map.iter().map(|(key, value)| (key.clone(), walk(value, replace))).collect::<Map<_, _>>().into()
            }
            other => other.clone(),
        }
    }
    walk(value, &|text| {
        if time.is_match(text) { "<time>".into() } else { uuid.replace_all(text, "<uuid>").into_owned() }
    })
}

/// The member that an item of a stream has, with its state where it has one: `task SUBMITTED`, `artifactUpdate`.
pub(super) fn outline(items: &[Value]) -> Vec<String> {
    let name = |item: &Value| {
        let (kind, body) = item.as_object().unwrap().iter().next().unwrap();
        match body["status"]["state"].as_str() {
            Some(state) => format!("{kind} {}", state.trim_start_matches("TASK_STATE_")),
            None => kind.clone(),
        }
    };
    items.iter().map(name).collect()
}

type Handle = dyn Fn(ExtensionRequest, Arc<dyn TaskPort>) -> BoxFuture<'static, Result<(), HandlerError>> + Send + Sync;
type Activate = dyn Fn(&str, &ExtensionRequest) -> Result<Contribution, String> + Send + Sync;

/// A plugin without wasm.
pub(super) struct FakePlugin {
    label: String,
    extensions: Vec<ExtensionInfo>,
    handle: Box<Handle>,
    activate: Box<Activate>,
}

impl FakePlugin {
    /// Offers one extension that does nothing.
    pub(super) fn new(label: &str, uri: &str) -> Self {
        FakePlugin {
            label: label.into(),
            extensions: vec![ExtensionInfo {
                uri: uri.into(),
                description: format!("What {label} does."),
                required: false,
                params: None,
                command: None,
                skill: None,
            }],
            handle: Box::new(|_, _| Box::pin(async { Ok(()) })),
            activate: Box::new(|_, _| Ok(Contribution::default())),
        }
    }

    pub(super) fn change(mut self, change: impl FnOnce(&mut ExtensionInfo)) -> Self {
        change(&mut self.extensions[0]);
        self
    }

    pub(super) fn command<F>(
        mut self,
        command: &str,
        handle: impl Fn(ExtensionRequest, Arc<dyn TaskPort>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), HandlerError>> + Send + 'static,
    {
        self.extensions[0].command = Some(command.into());
        self.handle = Box::new(move |request, task| Box::pin(handle(request, task)));
        self
    }

    pub(super) fn skill(self, id: &str) -> Self {
        let id = id.to_owned();
        self.change(|info| {
            info.skill = Some(SkillInfo {
                name: id.clone(),
                description: "A plugin's skill.".into(),
                tags: vec!["plugin".into()],
                examples: vec![],
                input_modes: vec![],
                output_modes: vec![],
                id,
            });
        })
    }

    pub(super) fn activate(
        mut self,
        activate: impl Fn(&str, &ExtensionRequest) -> Result<Contribution, String> + Send + Sync + 'static,
    ) -> Self {
        self.activate = Box::new(activate);
        self
    }

    pub(super) fn arc(self) -> Arc<dyn ExtensionHandler> {
        Arc::new(self)
    }
}

impl ExtensionHandler for FakePlugin {
    fn label(&self) -> String {
        self.label.clone()
    }

    fn extensions(&self) -> &[ExtensionInfo] {
        &self.extensions
    }

    fn handle<'a>(
        &'a self,
        _: &'a str,
        request: ExtensionRequest,
        task: Arc<dyn TaskPort>,
    ) -> BoxFuture<'a, Result<(), HandlerError>> {
        (self.handle)(request, task)
    }

    fn activate<'a>(&'a self, uri: &'a str, request: ExtensionRequest) -> BoxFuture<'a, Result<Contribution, String>> {
        let contribution = (self.activate)(uri, &request);
        Box::pin(async move { contribution })
    }
}

/// A native command that works until it is canceled or the test opens its gate; then it writes an artifact and completes.
pub(super) struct Gated {
    pub(super) keyword: &'static str,
    pub(super) gate: Arc<Notify>,
}

impl Command for Gated {
    fn keyword(&self) -> &str {
        self.keyword
    }

    fn skill(&self) -> Option<SkillInfo> {
        None
    }

    fn run<'a>(&'a self, _: ExtensionRequest, task: Arc<dyn TaskPort>) -> BoxFuture<'a, Result<(), HandlerError>> {
        Box::pin(async move {
            super::command::status(&*task, TaskState::Working, Some("working on it"))?;
            tokio::select! {
                () = self.gate.notified() => {}
                _ = task.sleep(PATIENCE) => return Ok(()),
            }
            let artifact = super::command::single(String::new(), "result", Part::text("done"));
            super::command::artifact(&*task, artifact)?;
            super::command::status(&*task, TaskState::Completed, None)
        })
    }
}

/// Waits for what must come, and not for ever.
pub(super) async fn soon<F: IntoFuture>(future: F) -> F::Output {
    tokio::time::timeout(PATIENCE, future.into_future()).await.unwrap()
}

/// Collects a stream of the engine.
pub(super) async fn collect<T>(stream: impl futures_util::Stream<Item = T>) -> Vec<T> {
    soon(stream.collect()).await
}
