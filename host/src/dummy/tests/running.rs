use std::time::Duration;

use serde_json::json;

use super::slow;
use crate::dummy::Agent;
use crate::dummy::test_support::{Harness, message, plain};

#[tokio::test]
async fn the_store_is_bounded() {
    let harness = Harness::with(Agent::builder().max_tasks(2)).await;
    let asked = harness.send("ask").await;
    let first = harness.send("echo 1").await;
    harness.task(&first["id"]).await;
    let second = harness.send("echo 2").await;
    assert_eq!(
        harness.error("GetTask", json!({"id": first["id"]})).await["code"],
        -32001,
        "the finished one made room"
    );
    harness.task(&asked["id"]).await;
    harness.task(&second["id"]).await;
    harness.send("ask").await;
    let error = harness.error("SendMessage", message("echo 3")).await;
    assert_eq!(error["code"], -32603);
    assert!(error["message"].as_str().unwrap().contains("max_tasks"));
    harness.result("CancelTask", json!({"id": asked["id"]})).await;
    harness.send("echo 3").await;
}

#[tokio::test]
async fn a_shutdown_waits_for_nobody() {
    let (harness, _gate) = slow().await;
    let asked = harness.send("ask").await;
    let reader = harness.open("SubscribeToTask", json!({"id": asked["id"]})).await;
    let mut sender = harness.open("SendStreamingMessage", message("slow")).await;
    sender.next().await.unwrap();
    let Harness { agent, http } = harness;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": message("slow")}).to_string();
    let waiting = tokio::spawn(http.post(agent.url()).header("A2A-Version", "1.0").body(body).send());
    // The waiting call has arrived once its task is there.
    let url = agent.url().to_owned();
    loop {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}).to_string();
        let answer = http.post(&url).header("A2A-Version", "1.0").body(body).send().await.unwrap();
        if plain(answer).await["result"]["totalSize"] == 3 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    agent.shutdown().await;
    assert_eq!(plain(waiting.await.unwrap().unwrap()).await["error"]["message"], "the agent is shutting down");
    assert_eq!(reader.rest().await.len(), 1, "open streams end");
    sender.rest().await;
    assert!(http.post(&url).send().await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn an_agent_that_is_dropped_stops_to_listen() {
    let Harness { agent, http } = Harness::start().await;
    let url = agent.url().to_owned();
    assert!(http.get(&url).send().await.is_ok());
    drop(agent);
    for _ in 0..1000 {
        if http.get(&url).send().await.is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("still there");
}
