//! What the host answers when a guest calls it. An import that has no meaning for the part an instance plays answers as if
//! there were nothing; `load` has refused components that import another kind's interfaces.

use std::sync::PoisonError;
use std::time::Duration;

use wasmtime::component::Resource;
use wasmtime::{Error, Result};

use super::bindings::a2a_host::plugin::{agent, exchange, host, stimuli, tasks, types, webhook};
use super::convert;
use super::limits::MAX_RANDOM_BYTES;
use super::ports::{AgentFailure, AgentReply};
use super::state::{GuestState, OpenReceiver, OpenStream, PackPorts, Role, TaskHandle};
use super::verdict::ObservedEvent;

impl types::Host for GuestState {}

impl host::Host for GuestState {
    async fn now(&mut self) -> Result<String> {
        self.host_call(0).await?;
        Ok(jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string())
    }

    async fn monotonic_us(&mut self) -> Result<u64> {
        self.host_call(0).await?;
        Ok(u64::try_from(self.born.elapsed().as_micros()).unwrap_or(u64::MAX))
    }

    async fn random(&mut self, count: u32) -> Result<Vec<u8>> {
        if count > MAX_RANDOM_BYTES {
            return Err(Error::msg(format!("random was asked for {count} bytes, the limit is {MAX_RANDOM_BYTES}")));
        }
        self.host_call(count as usize).await?;
        let mut bytes = vec![0; count as usize];
        getrandom::fill(&mut bytes).map_err(|error| Error::msg(format!("no randomness: {error}")))?;
        Ok(bytes)
    }

    async fn log(&mut self, level: String, message: String) -> Result<()> {
        self.host_call(level.len() + message.len()).await?;
        self.log.lock().unwrap_or_else(PoisonError::into_inner).line(&level, &message);
        Ok(())
    }
}

// ---- assertions -----------------------------------------------------------------------------------------------------

impl GuestState {
    fn turn(&self) -> Option<&super::verdict::ObservedTurn> {
        match &self.role {
            Role::Turn(turn) => Some(turn),
            _ => None,
        }
    }

    /// The ports of a pack, for a call that reaches the agent: it is counted.
    fn request(&mut self) -> Result<PackPorts> {
        self.count_request()?;
        self.pack()
    }

    fn pack(&self) -> Result<PackPorts> {
        match &self.role {
            Role::Pack(ports) => Ok(ports.clone()),
            _ => Err(Error::msg("the agent may only be called while a contract is verified")),
        }
    }
}

impl exchange::Host for GuestState {
    async fn request(&mut self) -> Result<String> {
        self.host_call(self.turn().map_or(0, |turn| turn.request.len())).await?;
        Ok(self.turn().map_or_else(|| "null".into(), |turn| turn.request.clone()))
    }

    async fn event_count(&mut self) -> Result<u32> {
        self.host_call(0).await?;
        Ok(self.turn().map_or(0, |turn| u32::try_from(turn.events.len()).unwrap_or(u32::MAX)))
    }

    async fn get_event(&mut self, index: u32) -> Result<Option<types::Event>> {
        let weigh = |event: &ObservedEvent| event.raw.len() + event.body.as_ref().map_or(0, String::len);
        let bytes = self.turn().and_then(|turn| turn.events.get(index as usize)).map_or(0, weigh);
        self.host_call(bytes).await?;
        let event = self.turn().and_then(|turn| turn.events.get(index as usize));
        Ok(event.map(|event| types::Event { raw: event.raw.clone(), body: event.body.clone(), at_us: event.at_us }))
    }

    async fn folded(&mut self) -> Result<String> {
        self.host_call(self.turn().map_or(0, |turn| turn.folded.len())).await?;
        Ok(self.turn().map_or_else(|| "null".into(), |turn| turn.folded.clone()))
    }

    async fn error(&mut self) -> Result<Option<String>> {
        self.host_call(self.turn().and_then(|turn| turn.error.as_ref()).map_or(0, String::len)).await?;
        Ok(self.turn().and_then(|turn| turn.error.clone()))
    }

    async fn bytes(&mut self, part: u32, offset: u64, length: u32) -> Result<Option<Vec<u8>>> {
        // Cheap: the bytes are shared until the slice is copied.
        let Some(bytes) = self.turn().and_then(|turn| turn.parts.get(part as usize)?.raw.clone()) else {
            self.host_call(0).await?;
            return Ok(None);
        };
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let end = start.saturating_add(length as usize).min(bytes.len());
        self.host_call(end - start).await?;
        Ok(Some(bytes[start..end].to_vec()))
    }
}

// ---- packs ----------------------------------------------------------------------------------------------------------

impl agent::Host for GuestState {
    async fn current_endpoint(&mut self) -> Result<agent::Endpoint> {
        self.host_call(0).await?;
        Ok(convert::endpoint_to(self.pack()?.agent.endpoint()))
    }

    async fn card(&mut self) -> Result<std::result::Result<agent::Reply, agent::Failure>> {
        let reply = self.request()?.agent.card().await;
        self.host_call(reply_bytes(&reply)).await?;
        Ok(reply.map(convert::reply_to).map_err(convert::failure_to))
    }

    async fn call(
        &mut self,
        operation: String,
        request: String,
        options: agent::Options,
    ) -> Result<std::result::Result<agent::Reply, agent::Failure>> {
        let ports = self.request()?;
        let sent = request.len();
        let request = match parse(&request) {
            Ok(request) => request,
            Err(failure) => return Ok(Err(failure)),
        };
        let reply = ports.agent.call(&operation, request, convert::options_from(options)).await;
        self.host_call(sent + reply_bytes(&reply)).await?;
        Ok(reply.map(convert::reply_to).map_err(convert::failure_to))
    }

    async fn open(
        &mut self,
        operation: String,
        request: String,
        options: agent::Options,
    ) -> Result<std::result::Result<Resource<OpenStream>, agent::Failure>> {
        let ports = self.request()?;
        self.host_call(request.len()).await?;
        let request = match parse(&request) {
            Ok(request) => request,
            Err(failure) => return Ok(Err(failure)),
        };
        match ports.agent.open(&operation, request, convert::options_from(options)).await {
            Ok(port) => {
                self.count_open()?;
                Ok(Ok(self.table.push(OpenStream { port })?))
            }
            Err(failure) => Ok(Err(convert::failure_to(failure))),
        }
    }

    async fn http(
        &mut self,
        request: agent::HttpRequest,
    ) -> Result<std::result::Result<agent::Response, agent::Failure>> {
        let ports = self.request()?;
        let sent = request.body.len();
        let response = ports.agent.http(convert::http_from(request)).await;
        self.host_call(sent + response.as_ref().map_or(0, |response| response.raw.len())).await?;
        Ok(response.map(convert::response_to).map_err(convert::failure_to))
    }

    async fn sleep(&mut self, milliseconds: u32) -> Result<()> {
        self.host_call(0).await?;
        tokio::time::sleep(Duration::from_millis(u64::from(milliseconds))).await;
        Ok(())
    }
}

/// What an answer weighs: its bytes, and the JSON beside them, which is about as large.
fn reply_bytes(reply: &std::result::Result<AgentReply, AgentFailure>) -> usize {
    match reply {
        Ok(reply) => reply.response.raw.len() * 2,
        Err(AgentFailure::Protocol { response, .. } | AgentFailure::Unreadable { response, .. }) => response.raw.len(),
        Err(_) => 0,
    }
}

fn parse(request: &str) -> std::result::Result<serde_json::Value, agent::Failure> {
    serde_json::from_str(request).map_err(|error| agent::Failure::Refused(format!("the request is no JSON: {error}")))
}

impl agent::HostEventStream for GuestState {
    async fn opening(&mut self, stream: Resource<OpenStream>) -> Result<agent::Response> {
        self.host_call(0).await?;
        Ok(convert::response_to(self.table.get(&stream)?.port.opening()))
    }

    async fn next(
        &mut self,
        stream: Resource<OpenStream>,
        timeout_ms: u32,
    ) -> Result<std::result::Result<Option<types::Event>, agent::Failure>> {
        let timeout = Duration::from_millis(u64::from(timeout_ms));
        let next = self.table.get_mut(&stream)?.port.next(timeout).await;
        let bytes = next.as_ref().map_or(0, |next| next.as_ref().map_or(0, |(_, raw)| raw.len() * 2));
        self.host_call(bytes).await?;
        Ok(next.map(|event| event.map(|(event, raw)| convert::event_to(&event, raw))).map_err(convert::failure_to))
    }

    async fn how_ended(&mut self, stream: Resource<OpenStream>) -> Result<agent::Ending> {
        self.host_call(0).await?;
        Ok(convert::ending_to(self.table.get(&stream)?.port.ending()))
    }

    async fn drop(&mut self, stream: Resource<OpenStream>) -> Result<()> {
        self.table.delete(stream)?;
        self.count_close();
        Ok(())
    }
}

impl stimuli::Host for GuestState {
    async fn get(&mut self, behaviour: String) -> Result<Option<stimuli::Stimulus>> {
        self.host_call(behaviour.len()).await?;
        Ok(self.pack()?.stimuli.get(&behaviour).map(|stimulus| convert::stimulus_to(&stimulus)))
    }
}

impl webhook::Host for GuestState {
    async fn open(&mut self) -> Result<std::result::Result<Resource<OpenReceiver>, String>> {
        match self.request()?.webhook.open().await {
            Ok(port) => {
                self.count_open()?;
                Ok(Ok(self.table.push(OpenReceiver { port })?))
            }
            Err(why) => Ok(Err(why)),
        }
    }
}

impl webhook::HostReceiver for GuestState {
    async fn url(&mut self, receiver: Resource<OpenReceiver>) -> Result<String> {
        self.host_call(0).await?;
        Ok(self.table.get(&receiver)?.port.url())
    }

    async fn wait(&mut self, receiver: Resource<OpenReceiver>, timeout_ms: u32) -> Result<Option<webhook::Delivery>> {
        let timeout = Duration::from_millis(u64::from(timeout_ms));
        let delivery = self.table.get_mut(&receiver)?.port.wait(timeout).await;
        self.host_call(delivery.as_ref().map_or(0, |delivery| delivery.body.len())).await?;
        Ok(delivery.map(convert::delivery_to))
    }

    async fn drop(&mut self, receiver: Resource<OpenReceiver>) -> Result<()> {
        self.table.delete(receiver)?;
        self.count_close();
        Ok(())
    }
}

// ---- extensions -----------------------------------------------------------------------------------------------------

impl tasks::Host for GuestState {}

/// What an event weighs: everything of it that the agent keeps.
fn weight(texts: &[&Option<String>], lists: &[&Vec<String>], parts: &[types::Part]) -> usize {
    let texts: usize = texts.iter().filter_map(|text| text.as_ref()).map(String::len).sum();
    let lists: usize = lists.iter().flat_map(|list| list.iter()).map(String::len).sum();
    let parts: usize = parts
        .iter()
        .map(|part| {
            let content = match &part.content {
                types::Content::Text(text) | types::Content::Url(text) | types::Content::Data(text) => text.len(),
                types::Content::Raw(bytes) => bytes.len(),
            };
            let rest = [&part.metadata, &part.filename, &part.media_type];
            content + rest.into_iter().flatten().map(String::len).sum::<usize>()
        })
        .sum();
    texts + lists + parts
}

fn message_weight(message: &types::Message) -> usize {
    let texts = [&message.context_id, &message.task_id, &message.metadata];
    let lists = [&message.extensions, &message.reference_task_ids];
    message.message_id.len() + weight(&texts, &lists, &message.parts)
}

fn artifact_weight(artifact: &types::Artifact) -> usize {
    let texts = [&artifact.name, &artifact.description, &artifact.metadata];
    artifact.artifact_id.len() + weight(&texts, &[&artifact.extensions], &artifact.parts)
}

impl tasks::HostTask for GuestState {
    async fn id(&mut self, task: Resource<TaskHandle>) -> Result<String> {
        self.host_call(0).await?;
        Ok(self.table.get(&task)?.port.id())
    }

    async fn context_id(&mut self, task: Resource<TaskHandle>) -> Result<String> {
        self.host_call(0).await?;
        Ok(self.table.get(&task)?.port.context_id())
    }

    async fn history(&mut self, task: Resource<TaskHandle>) -> Result<Vec<types::Message>> {
        let history = self.table.get(&task)?.port.history();
        let history: Vec<_> = history.iter().map(convert::message_to).collect();
        self.host_call(history.iter().map(message_weight).sum()).await?;
        Ok(history)
    }

    async fn status(
        &mut self,
        task: Resource<TaskHandle>,
        state: types::TaskState,
        message: Option<types::Message>,
    ) -> Result<std::result::Result<(), String>> {
        let bytes = message.as_ref().map_or(0, message_weight);
        self.host_call(bytes).await?;
        let task = self.table.get_mut(&task)?;
        task.count_event(bytes)?;
        let message = match message.map(convert::message_from).transpose() {
            Ok(message) => message,
            Err(why) => return Ok(Err(why)),
        };
        Ok(task.port.status(convert::state_from(state), message))
    }

    async fn artifact(
        &mut self,
        task: Resource<TaskHandle>,
        artifact: types::Artifact,
        append: bool,
        last_chunk: bool,
    ) -> Result<std::result::Result<(), String>> {
        let bytes = artifact_weight(&artifact);
        self.host_call(bytes).await?;
        let task = self.table.get_mut(&task)?;
        task.count_event(bytes)?;
        Ok(convert::artifact_from(artifact).and_then(|artifact| task.port.artifact(artifact, append, last_chunk)))
    }

    async fn reply(
        &mut self,
        task: Resource<TaskHandle>,
        message: types::Message,
    ) -> Result<std::result::Result<(), String>> {
        let bytes = message_weight(&message);
        self.host_call(bytes).await?;
        let task = self.table.get_mut(&task)?;
        task.count_event(bytes)?;
        Ok(convert::message_from(message).and_then(|message| task.port.reply(message)))
    }

    async fn sleep(&mut self, task: Resource<TaskHandle>, milliseconds: u32) -> Result<bool> {
        self.host_call(0).await?;
        let port = self.table.get(&task)?.port.clone();
        Ok(port.sleep(Duration::from_millis(u64::from(milliseconds))).await)
    }

    async fn drop(&mut self, task: Resource<TaskHandle>) -> Result<()> {
        self.table.delete(task)?;
        Ok(())
    }
}
