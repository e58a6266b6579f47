use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use futures_util::StreamExt;
use futures_util::stream;

use super::{App, respond};
use crate::dummy::fault::{Call, Target};

/// The public card (§8.2). It asks for no version and no credentials.
pub(super) async fn handle(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    let call = Call { target: Target::Card, streamed: false };
    let response = if app.card.is_known_to(&headers) {
        app.card.not_modified()
    } else {
        let json = stream::iter([app.card.json().clone()]).boxed();
        let response = respond::plain(StatusCode::OK, app.faults.encoded(&call, json)).await;
        app.card.with_caching(response)
    };
    tracing::info!(status = response.status().as_u16(), "card");
    app.faults.bytes(&call, response)
}
