//! The ways in: each binding turns its requests into those of the service, and the replies into its own form.

mod body;
mod card;
mod envelope;
mod jsonrpc;
mod request_line;
mod respond;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{get, post};

use super::card::Card;
use super::fault::Faults;
use super::service::Service;
use crate::a2a::WELL_KNOWN_CARD_PATH;

/// What every handler needs.
pub(crate) struct App {
    pub(crate) service: Service,
    pub(crate) card: Card,
    pub(crate) faults: Faults,
}

/// All paths of the agent.
pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", post(jsonrpc::handle))
        .route(WELL_KNOWN_CARD_PATH, get(card::handle))
        .fallback(|| async {
            (
                StatusCode::NOT_FOUND,
                format!("nothing here: the card is at {WELL_KNOWN_CARD_PATH}, JSON-RPC is POST /\n"),
            )
        })
        .with_state(app)
}
