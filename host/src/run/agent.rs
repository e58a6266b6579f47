//! The agent under test as packs see it: the client, with secrets hidden in whatever comes back.

use std::time::Duration;

use serde_json::{Value, json};

use crate::a2a::{Deviation, Ending, Exchange, ExchangeError};
use crate::client::{Client, ClientError, EventStream};
use crate::sandbox::{
    AgentFailure, AgentPort, AgentReply, BoxFuture, CallOptions, Endpoint, EventStreamPort, HttpRequest, NextEvent,
    RawResponse, ReceiverPort, WebhookPort,
};
use crate::secrets::Redactor;

pub(super) struct ClientAgent {
    pub(super) client: Client,
    pub(super) redactor: Redactor,
}

impl ClientAgent {
    fn response(&self, head: Option<&crate::a2a::Response>, raw: &[u8], elapsed: Duration) -> RawResponse {
        redact_response(
            &self.redactor,
            RawResponse { head: head.cloned().unwrap_or_default(), raw: raw.to_vec(), elapsed },
        )
    }

    fn reply(&self, exchange: Exchange) -> Result<AgentReply, AgentFailure> {
        let response = self.response(exchange.response.as_ref(), &exchange.raw, exchange.elapsed);
        if let Some(error) = exchange.error {
            return Err(failure(&self.redactor, error, response));
        }
        let mut body = exchange.events.into_iter().next_back().map_or(Value::Null, |event| event.body);
        self.redactor.redact_json(&mut body);
        Ok(AgentReply { body, response, deviations: sentences(&self.redactor, &exchange.deviations) })
    }
}

/// Deviations as sentences, secrets hidden.
pub(super) fn sentences(redactor: &Redactor, deviations: &[Deviation]) -> Vec<String> {
    deviations.iter().map(|deviation| redactor.redact_message(&deviation.to_string())).collect()
}

fn redact_response(redactor: &Redactor, mut response: RawResponse) -> RawResponse {
    for (name, value) in response.head.headers.iter_mut().chain(&mut response.head.trailers) {
        *name = redactor.redact_str(name).into_owned();
        *value = redactor.redact_str(value).into_owned();
    }
    response.raw = redactor.redact_bytes(&response.raw).into_owned();
    response
}

fn failure(redactor: &Redactor, error: ExchangeError, response: RawResponse) -> AgentFailure {
    let hide = |text: String| redactor.redact_message(&text);
    match error {
        ExchangeError::Protocol { code, reason, message, mut body } => {
            redactor.redact_json(&mut body);
            AgentFailure::Protocol { code, reason, message: hide(message), details: body, response }
        }
        ExchangeError::Unreadable { why } => AgentFailure::Unreadable { why: hide(why), response },
        ExchangeError::Transport { why } => AgentFailure::Transport(hide(why)),
        ExchangeError::Timeout { .. } => AgentFailure::Timeout,
        ExchangeError::Limit { what } => AgentFailure::Other(hide(what)),
    }
}

impl AgentPort for ClientAgent {
    fn endpoint(&self) -> Endpoint {
        let mut endpoint = self.client.endpoint().clone();
        for text in [&mut endpoint.url, &mut endpoint.path].into_iter().chain(&mut endpoint.tenant) {
            *text = self.redactor.redact_str(text).into_owned();
        }
        endpoint
    }

    fn card(&self) -> BoxFuture<'_, Result<AgentReply, AgentFailure>> {
        Box::pin(async move {
            let fetched = self.client.fetch_card().await.map_err(|error| client_failure(&self.redactor, &error))?;
            let mut body = fetched.value;
            self.redactor.redact_json(&mut body);
            let response = self.response(Some(&fetched.response), &fetched.raw, fetched.elapsed);
            // What is no card at all is the contract's to judge.
            let read = crate::client::AgentCard::read(&body);
            let deviations = read.map(|card| sentences(&self.redactor, &card.deviations)).unwrap_or_default();
            Ok(AgentReply { body, response, deviations })
        })
    }

    fn call<'a>(
        &'a self,
        operation: &'a str,
        request: Value,
        options: CallOptions,
    ) -> BoxFuture<'a, Result<AgentReply, AgentFailure>> {
        Box::pin(async move { self.reply(self.client.call(operation, request, &options).await) })
    }

    fn open<'a>(
        &'a self,
        operation: &'a str,
        request: Value,
        options: CallOptions,
    ) -> BoxFuture<'a, Result<Box<dyn EventStreamPort>, AgentFailure>> {
        Box::pin(async move {
            match self.client.open(operation, request, &options).await {
                Ok(stream) => {
                    let opening = self.response(Some(stream.opening()), &[], Duration::ZERO);
                    let port = OpenedStream { stream, opening, redactor: self.redactor.clone() };
                    Ok(Box::new(port) as Box<dyn EventStreamPort>)
                }
                Err(exchange) => match self.reply(*exchange) {
                    Ok(reply) => Err(AgentFailure::Unreadable {
                        why: "the answer to a streaming operation is no event stream".into(),
                        response: reply.response,
                    }),
                    Err(failure) => Err(failure),
                },
            }
        })
    }

    fn http(&self, request: HttpRequest) -> BoxFuture<'_, Result<RawResponse, AgentFailure>> {
        Box::pin(async move {
            let response = self.client.http(request).await;
            let response = response.map_err(|error| client_failure(&self.redactor, &error))?;
            Ok(redact_response(&self.redactor, response))
        })
    }
}

/// A failure below A2A. One that is about the request itself was refused before anything was sent.
fn client_failure(redactor: &Redactor, error: &ClientError) -> AgentFailure {
    let text = redactor.redact_message(&error.to_string());
    match error {
        ClientError::Timeout { .. } => AgentFailure::Timeout,
        ClientError::Refused { .. } | ClientError::Header { .. } => AgentFailure::Refused(text),
        _ => AgentFailure::Transport(text),
    }
}

struct OpenedStream {
    stream: EventStream,
    opening: RawResponse,
    redactor: Redactor,
}

impl EventStreamPort for OpenedStream {
    fn opening(&self) -> RawResponse {
        self.opening.clone()
    }

    fn next(&mut self, timeout: Duration) -> BoxFuture<'_, NextEvent> {
        Box::pin(async move {
            match self.stream.next(timeout).await {
                Ok(Some((mut event, raw))) => {
                    self.redactor.redact_json(&mut event.body);
                    Ok(Some((event, self.redactor.redact_bytes(&raw).into_owned())))
                }
                Ok(None) => Ok(None),
                Err(error) => Err(failure(&self.redactor, error, self.opening.clone())),
            }
        })
    }

    fn ending(&self) -> Ending {
        self.stream.ending()
    }
}

/// This version has no receiver for notifications: contracts that need one are skipped.
pub(super) struct NoWebhook;

impl WebhookPort for NoWebhook {
    fn open(&self) -> BoxFuture<'_, Result<Box<dyn ReceiverPort>, String>> {
        Box::pin(async { Err("this version of a2a-host has no webhook receiver".into()) })
    }
}

/// A message request as the contract language sends it: fresh `messageId`, text first, then data.
pub(super) fn send_message_request(
    text: Option<&str>,
    data: &[Value],
    context_id: &str,
    task_id: Option<&str>,
) -> Value {
    let mut parts: Vec<Value> = text.map(|text| json!({"text": text})).into_iter().collect();
    parts.extend(data.iter().map(|value| json!({"data": value})));
    let mut message = json!({
        "messageId": uuid::Uuid::new_v4().to_string(),
        "contextId": context_id,
        "role": "ROLE_USER",
        "parts": parts,
    });
    if let Some(task_id) = task_id {
        message["taskId"] = json!(task_id);
    }
    json!({"message": message, "configuration": {}})
}
