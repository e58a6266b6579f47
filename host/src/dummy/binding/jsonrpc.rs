//! JSON-RPC 2.0 over HTTP (§9).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::StreamExt;
use serde_json::Value;

use super::body::{self, BodyError, MAX_BODY};
use super::envelope::{self, Envelope, Refused};
use super::request_line::RequestLine;
use super::{App, respond};
use crate::a2a::{A2aError, Binding, ErrorKind};
use crate::dummy::context::CallContext;
use crate::dummy::fault::{Call, Target};
use crate::dummy::service::{Answer, Reply};

/// The one endpoint. Errors of the protocol travel in the envelope of a 200 answer; only a body that could not be taken in
/// has a status of its own.
pub(super) async fn handle(State(app): State<Arc<App>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let mut line = RequestLine::new(Binding::JsonRpc);
    let body = match body::read(body).await {
        Ok(body) => body,
        Err(why) => {
            let (status, error) = unreadable(&why);
            return Outgoing { status, ..Outgoing::refusal(Value::Null, error) }.send(&app, line).await;
        }
    };
    let Envelope { id, operation, params } = match Envelope::read(&body) {
        Ok(envelope) => envelope,
        Err(refused) => {
            let Refused { id, error } = *refused;
            return Outgoing::refusal(id, error).send(&app, line).await;
        }
    };
    line.operation(operation);
    let context = CallContext::from_http(&head.headers, &head.uri, &app.service.extensions);
    let activated = context.activated.clone();
    let answer = app.service.serve(operation, params, context).await;
    Outgoing { id, target: Target::Operation(operation), status: StatusCode::OK, answer, activated }
        .send(&app, line)
        .await
}

/// An answer on its way out.
struct Outgoing {
    id: Value,
    target: Target,
    status: StatusCode,
    answer: Answer,
    activated: Vec<String>,
}

impl Outgoing {
    /// The answer to what is no request.
    fn refusal(id: Value, error: A2aError) -> Self {
        let answer = Answer::refusal(error);
        Outgoing { id, target: Target::Unknown, status: StatusCode::OK, answer, activated: Vec::new() }
    }

    /// Passes the three seams.
    async fn send(self, app: &App, mut line: RequestLine) -> Response {
        let Outgoing { id, target, status, answer, activated } = self;
        let Answer { replies, streamed, succeeded } = answer;
        let call = Call { target, streamed };
        let replies = app.faults.model(&call, replies.inspect(move |reply| line.reply(reply)).boxed());
        let encoded = replies.map(move |reply| envelope::response(&id, reply.map(Reply::into_json))).boxed();
        let encoded = app.faults.encoded(&call, encoded);
        let mut response =
            if streamed { respond::event_stream(encoded) } else { respond::plain(status, encoded).await };
        if succeeded {
            response = respond::with_activated(response, &activated);
        }
        app.faults.bytes(&call, response)
    }
}

fn unreadable(why: &BodyError) -> (StatusCode, A2aError) {
    match why {
        BodyError::TooLarge => (
            StatusCode::PAYLOAD_TOO_LARGE,
            A2aError::new(ErrorKind::InvalidRequest, format!("the request is larger than {MAX_BODY} bytes")),
        ),
        BodyError::Broken(why) => (
            StatusCode::BAD_REQUEST,
            A2aError::new(ErrorKind::InvalidRequest, format!("the request did not arrive whole: {why}")),
        ),
    }
}
