//! HTTP answers of the bindings that speak JSON.

use std::convert::Infallible;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response, Sse};
use futures_util::StreamExt;

use crate::a2a::{A2A_EXTENSIONS, join_extensions};
use crate::dummy::fault::EncodedReplies;

/// A plain answer. There is one reply in it, unless a fault made it more or less.
pub(super) async fn plain(status: StatusCode, replies: EncodedReplies) -> Response {
    let text = replies.fold(String::new(), |text, reply| async move { text + &reply.to_string() }).await;
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// An event stream (§9.4.2, §11.7): one event per reply, nothing but data in it. There are no keep-alive comments: each
/// pause on the wire is one of the command's own.
pub(super) fn event_stream(replies: EncodedReplies) -> Response {
    let events = replies.map(|reply| Ok::<_, Infallible>(Event::default().data(reply.to_string())));
    let mut response = Sse::new(events).into_response();
    // Proxies that know this header would otherwise collect events before they pass them on.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Tells the client which of the extensions that it asked for are active.
pub(super) fn with_activated(mut response: Response, activated: &[String]) -> Response {
    // A URI came in through a header, so it is fit for one.
    if let Some(value) = join_extensions(activated).and_then(|joined| HeaderValue::try_from(joined).ok()) {
        response.headers_mut().insert(HeaderName::from_static(A2A_EXTENSIONS), value);
    }
    response
}
