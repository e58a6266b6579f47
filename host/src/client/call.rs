//! The one place that sends a call and fills an exchange.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::codec::{Codec, Encoded, Undecoded};
use super::excerpt::{clean, excerpt};
use super::fold::Fold;
use super::http::{self, Http};
use super::notes::Notes;
use super::options::{ClientOptions, Limits};
use super::stream::EventStream;
use super::{answer, headers};
use crate::a2a::{Ending, Event, Exchange, ExchangeError, Frame, FrameKind, Operation, SentRequest};
use crate::sandbox::{CallOptions, Endpoint};

/// What a call needs to know of its client.
pub(crate) struct Target<'a> {
    pub(crate) http: &'a Http,
    pub(crate) options: &'a ClientOptions,
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) url: &'a Url,
    pub(crate) codec: &'static dyn Codec,
}

/// A call under way: everything that both kinds of answer need.
pub(crate) struct Pending {
    pub(crate) exchange: Exchange,
    pub(crate) sent: Encoded,
    pub(crate) codec: &'static dyn Codec,
    pub(crate) fold: Fold,
    pub(crate) notes: Notes,
    pub(crate) limits: Limits,
    pub(crate) started: Instant,
    pub(crate) deadline: Instant,
    pub(crate) limit: Duration,
}

/// Sends a request. An event stream comes back open, everything else as the finished exchange. A stream is asked for
/// where the operation has one, or where `stream` says so.
pub(crate) async fn start(
    target: &Target<'_>,
    operation: &str,
    request: Value,
    call: &CallOptions,
    stream: bool,
) -> Result<EventStream, Box<Exchange>> {
    let (mut pending, outgoing) = prepare(target, operation, request, call, stream)?;
    let response = match timeout_at(pending.deadline, outgoing.send()).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => {
            let why = format!("{}: {}", pending.exchange.url, http::describe(&error));
            return Err(pending.fail(ExchangeError::Transport { why }));
        }
        Err(_) => return Err(pending.time_out()),
    };
    let mut head = http::head(&response);
    let status = response.status();
    head.streamed = head.header("content-type").map(answer::media_type).as_deref() == Some("text/event-stream");
    let streamed = head.streamed;
    let encoding = head.header("content-encoding").map(str::to_owned).filter(|name| name != "identity");
    let location = head.header("location").map(clean);
    pending.exchange.response = Some(head);
    if status.is_redirection() {
        let to = location.unwrap_or_else(|| "nowhere: there is no Location header".into());
        let why = format!("HTTP {} redirects to {to}; redirects are not followed", status.as_u16());
        return Err(pending.fail(ExchangeError::Unreadable { why }));
    }
    if let Some(encoding) = encoding {
        let why = format!("the body is compressed ({}), though `Accept-Encoding: identity` was sent", clean(&encoding));
        return Err(pending.fail(ExchangeError::Unreadable { why }));
    }
    let known = Operation::from_name(operation);
    if streamed {
        if known.is_some_and(|operation| !operation.spec().streaming) {
            pending.notes.whole("unexpected-stream", format!("{operation} was answered with an event stream"));
        }
        if !status.is_success() {
            let message = format!("the event stream came with HTTP {}, expected 200", status.as_u16());
            pending.notes.whole("http-status", message);
        }
        pending.fold = Fold::new(operation, true, pending.limits.clone());
        return Ok(EventStream::new(pending, response));
    }
    Err(plain(pending, response, known.is_some_and(|operation| operation.spec().streaming)).await)
}

fn prepare(
    target: &Target<'_>,
    operation: &str,
    request: Value,
    call: &CallOptions,
    stream: bool,
) -> Result<(Pending, reqwest::RequestBuilder), Box<Exchange>> {
    let limit = call.timeout.map_or(target.options.timeout, |timeout| timeout.min(target.options.timeout));
    let started = Instant::now();
    let request = with_tenant(request, target.endpoint.tenant.as_deref());
    let streaming = stream || Operation::from_name(operation).is_some_and(|operation| operation.spec().streaming);
    let mut exchange = Exchange {
        operation: operation.to_owned(),
        binding: target.endpoint.binding,
        url: target.endpoint.url.clone(),
        request: SentRequest { body: request, raw: Bytes::new(), headers: Vec::new() },
        response: None,
        raw: Bytes::new(),
        frames: Vec::new(),
        events: Vec::new(),
        ending: Ending::Open,
        elapsed: Duration::ZERO,
        deviations: Vec::new(),
        error: None,
    };
    let encoded = target.codec.encode(target.url, operation, &exchange.request.body).and_then(|sent| {
        let headers = headers::of_call(&target.options.headers, call, sent.content_type, streaming);
        headers.map(|headers| (sent, headers)).map_err(|error| error.to_string())
    });
    let (sent, headers) = match encoded {
        Ok(encoded) => encoded,
        Err(why) => {
            exchange.error = Some(ExchangeError::Transport { why });
            return Err(Box::new(exchange));
        }
    };
    exchange.request.raw = sent.body.clone();
    exchange.request.headers = http::recorded(&headers);
    let outgoing = target
        .http
        .to(&sent.url)
        .request(sent.method.clone(), sent.url.clone())
        .headers(headers)
        .body(sent.body.clone());
    let limits = target.options.limits.clone();
    let pending = Pending {
        exchange,
        sent,
        codec: target.codec,
        fold: Fold::new(operation, false, limits.clone()),
        notes: Notes::default(),
        limits,
        started,
        deadline: started + limit,
        limit,
    };
    Ok((pending, outgoing))
}

/// An A2A request is an object; the interface's tenant is put into one that has none (§8.3.2).
fn with_tenant(request: Value, tenant: Option<&str>) -> Value {
    let mut request = if request.is_null() { Value::Object(Map::new()) } else { request };
    if let (Some(tenant), Some(members)) = (tenant, request.as_object_mut()) {
        members.entry("tenant").or_insert_with(|| tenant.into());
    }
    request
}

/// Reads an answer that is no stream.
async fn plain(mut pending: Pending, mut response: reqwest::Response, streaming: bool) -> Box<Exchange> {
    let mut raw: Vec<u8> = Vec::new();
    let broken = loop {
        match timeout_at(pending.deadline, response.chunk()).await {
            Ok(Ok(None)) => break None,
            Ok(Ok(Some(chunk))) if raw.len() + chunk.len() > pending.limits.body_bytes => {
                raw.extend_from_slice(&chunk[..pending.limits.body_bytes - raw.len()]);
                break Some((Ending::Open, pending.too_long()));
            }
            Ok(Ok(Some(chunk))) => raw.extend_from_slice(&chunk),
            Ok(Err(error)) => break Some(broken(&error, raw.len())),
            Err(_) => break Some((Ending::Open, ExchangeError::Timeout { limit: pending.limit })),
        }
    };
    let at = pending.started.elapsed();
    pending.exchange.elapsed = at;
    pending.exchange.raw = raw.into();
    let length = pending.exchange.raw.len();
    if length > 0 {
        pending.exchange.frames.push(Frame { offset: 0, length, at, kind: FrameKind::Body });
    }
    if let Some((ending, error)) = broken {
        pending.exchange.ending = ending;
        return pending.fail(error);
    }
    pending.exchange.ending = Ending::Clean;
    if let Err(error) = pending.read_plain(at, streaming) {
        pending.exchange.error = Some(error);
    }
    pending.done()
}

/// The words and the ending for a body that broke off.
pub(crate) fn broken(error: &reqwest::Error, length: usize) -> (Ending, ExchangeError) {
    let what = if http::ended_early(error) { Ending::Cut } else { Ending::Reset };
    let words = match what {
        Ending::Cut => "the connection was closed before the answer was complete",
        _ => "the connection broke",
    };
    let why = format!("{words}, after {length} bytes of the body: {}", http::describe(error));
    (what, ExchangeError::Transport { why })
}

impl Pending {
    fn read_plain(&mut self, at: Duration, streaming: bool) -> Result<(), ExchangeError> {
        let raw = self.exchange.raw.clone();
        let status = self.exchange.response.as_ref().and_then(|head| head.http_status).unwrap_or_default();
        let odd = |why: &str, body: &str| {
            let why = format!("HTTP {status} with a body that is no A2A answer ({why}){body}");
            Err(ExchangeError::Unreadable { why })
        };
        if raw.is_empty() {
            return Err(ExchangeError::Unreadable { why: format!("HTTP {status} with an empty body") });
        }
        let answer = match answer::parse(&raw, 1) {
            Ok(answer) => answer,
            Err(why) => return Err(ExchangeError::Unreadable { why: format!("HTTP {status}: {why}") }),
        };
        let found = self.exchange.response.as_ref().and_then(|head| head.header("content-type"));
        let found = found.map(str::to_owned);
        let body = match self.codec.decode(&self.sent, answer, &mut self.notes) {
            Ok(body) => body,
            Err(Undecoded::Error(error)) => return Err(error),
            Err(Undecoded::Odd(why)) => return odd(&why, &format!(": {}", excerpt(&raw))),
        };
        let usual = self.codec.media_types();
        if !found.as_deref().map(answer::media_type).is_some_and(|found| usual.contains(&found.as_str())) {
            let found =
                found.map_or_else(|| "no content type".into(), |found| format!("content type {}", clean(&found)));
            self.notes.whole("content-type", format!("the answer has {found}, expected {}", usual[0]));
        }
        if !(200..300).contains(&status) {
            self.notes.whole("http-status", format!("a result came with HTTP {status}, expected 200"));
        }
        if streaming {
            let message =
                format!("{} was answered with a plain reply, expected an event stream", self.exchange.operation);
            self.notes.whole("not-streamed", message);
        }
        self.exchange.events.push(Event { frame: 0, at, body: body.clone() });
        self.fold.push(&body, &mut self.notes)
    }

    /// The error of a body that passes its limit.
    pub(crate) fn too_long(&self) -> ExchangeError {
        ExchangeError::Limit {
            what: format!("the answer is longer than the limit of {} bytes", self.limits.body_bytes),
        }
    }

    fn time_out(self) -> Box<Exchange> {
        let limit = self.limit;
        self.fail(ExchangeError::Timeout { limit })
    }

    fn fail(mut self, error: ExchangeError) -> Box<Exchange> {
        self.exchange.error = Some(error);
        self.exchange.elapsed = self.started.elapsed();
        self.done()
    }

    /// The exchange with what was noted.
    pub(crate) fn done(mut self) -> Box<Exchange> {
        self.exchange.deviations = self.notes.into_list();
        Box::new(self.exchange)
    }
}
