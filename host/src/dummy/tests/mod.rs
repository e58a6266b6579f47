//! The agent as a whole, over HTTP.

mod canceling;
mod extensions;
mod faults;
mod listing;
mod plugins;
mod running;
mod sending;

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Notify;

use super::Agent;
use super::test_support::{Gated, Harness, message};

/// An agent with the command `slow`, which works until the gate is opened.
async fn slow() -> (Harness, Arc<Notify>) {
    let gate = Arc::new(Notify::new());
    let builder = Agent::builder().command(Arc::new(Gated { keyword: "slow", gate: Arc::clone(&gate) }));
    (Harness::with(builder).await, gate)
}

fn at_once(text: &str) -> Value {
    let mut request = message(text);
    request["configuration"] = json!({"returnImmediately": true});
    request
}

/// The public card.
async fn card(harness: &Harness) -> Value {
    let response = harness.http.get(harness.agent.card_url()).send().await.unwrap();
    serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
}
