use std::time::Duration;

use serde_json::{Value, json};

use super::slow;
use crate::dummy::test_support::{Harness, message, outline};

#[tokio::test]
async fn fifty_cancellations_are_one() {
    let (harness, gate) = slow().await;
    let mut sender = harness.open("SendStreamingMessage", message("slow")).await;
    let id = sender.next().await.unwrap()["task"]["id"].clone();
    let reader = harness.open("SubscribeToTask", json!({"id": id})).await;
    let answers = futures_util::future::join_all((0..50).map(|_| harness.call("CancelTask", json!({"id": id})))).await;
    let (won, lost): (Vec<&Value>, Vec<&Value>) = answers.iter().partition(|answer| answer.get("result").is_some());
    assert_eq!((won.len(), lost.len()), (1, 49));
    assert_eq!(won[0]["result"]["status"]["state"], "TASK_STATE_CANCELED");
    assert!(lost.iter().all(|answer| answer["error"]["code"] == -32002));
    gate.notify_one();
    let (sender, reader) = (sender.rest().await, reader.rest().await);
    for items in [&sender, &reader] {
        let ends = outline(items).iter().filter(|item| *item == "statusUpdate CANCELED").count();
        assert_eq!(ends, 1, "{items:?}");
        assert_eq!(outline(items).last().unwrap(), "statusUpdate CANCELED");
    }
    assert_eq!(sender.last(), reader.last());
    let task = harness.task(&id).await;
    assert_eq!(task["status"]["state"], "TASK_STATE_CANCELED");
    assert!(task["status"].get("message").is_none());
    assert_eq!(task["history"][1]["parts"][0]["text"], "working on it", "what was said so far is kept");
    assert!(task.get("artifacts").is_none());
}

#[tokio::test]
async fn a_waiting_sender_is_answered_with_the_canceled_task() {
    let (harness, _gate) = slow().await;
    let (task, ()) = tokio::join!(harness.send("slow"), async {
        let id = loop {
            let page = harness.result("ListTasks", json!({})).await;
            match page["tasks"].get(0) {
                Some(task) => break task["id"].clone(),
                None => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        };
        harness.result("CancelTask", json!({"id": id})).await;
    });
    assert_eq!(task["status"]["state"], "TASK_STATE_CANCELED");
}

#[tokio::test]
async fn interrupted_tasks_can_be_canceled_and_finished_ones_cannot() {
    let harness = Harness::start().await;
    let asked = harness.send("ask").await;
    let canceled = harness.result("CancelTask", json!({"id": asked["id"]})).await;
    assert_eq!(canceled["status"]["state"], "TASK_STATE_CANCELED");
    assert_eq!(canceled["history"][1]["parts"][0]["text"], "What is your name?", "the question moves to the history");
    for id in [&asked["id"], &harness.send("echo x").await["id"]] {
        assert_eq!(harness.error("CancelTask", json!({"id": id})).await["code"], -32002);
        assert_eq!(harness.error("SubscribeToTask", json!({"id": id})).await["code"], -32004);
    }
    assert_eq!(harness.error("CancelTask", json!({})).await["code"], -32602);
}
