use std::time::Duration;

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use super::{at_once, slow};
use crate::dummy::test_support::{Harness, follow_up, message, outline};

#[tokio::test]
async fn a_client_that_does_not_wait_gets_the_first_snapshot_and_the_task_goes_on() {
    let (harness, gate) = slow().await;
    let task = harness.result("SendMessage", at_once("slow")).await["task"].take();
    assert_eq!(task["status"]["state"], "TASK_STATE_SUBMITTED");
    let mut stream = harness.open("SubscribeToTask", json!({"id": task["id"]})).await;
    let first = stream.next().await.unwrap();
    assert_eq!(first["task"]["id"], task["id"], "a subscription begins with the task");
    gate.notify_one();
    let rest = stream.rest().await;
    assert_eq!(outline(&rest[rest.len() - 2..]), ["artifactUpdate", "statusUpdate COMPLETED"]);
    assert_eq!(harness.task(&task["id"]).await["status"]["state"], "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn a_follow_up_that_does_not_wait_is_answered_in_working() {
    let harness = Harness::start().await;
    let task = harness.send("ask").await;
    let mut request = follow_up("Ada", &task["id"]);
    request["configuration"] = json!({"returnImmediately": true});
    let answer = harness.result("SendMessage", request).await["task"].take();
    assert_eq!(answer["status"]["state"], "TASK_STATE_WORKING", "not in the state that asks for what was just given");
    assert_eq!(answer["history"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_client_that_goes_away_does_not_stop_the_task() {
    let (harness, gate) = slow().await;
    let mut stream = harness.open("SendStreamingMessage", message("slow")).await;
    let id = stream.next().await.unwrap()["task"]["id"].clone();
    drop(stream);
    gate.notify_one();
    let task = wait_for(&harness, &id, "TASK_STATE_COMPLETED").await;
    assert_eq!(task["artifacts"][0]["parts"][0]["text"], "done");
}

async fn wait_for(harness: &Harness, id: &Value, state: &str) -> Value {
    loop {
        let task = harness.task(id).await;
        if task["status"]["state"] == state {
            return task;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn context_and_task_ids_must_go_together() {
    let harness = Harness::start().await;
    let mut request = message("ask");
    request["message"]["contextId"] = "my-context".into();
    let task = harness.result("SendMessage", request).await["task"].take();
    assert_eq!(task["contextId"], "my-context", "the client's own context is kept");
    assert_eq!(task["history"][0]["contextId"], "my-context");

    let mut foreign = follow_up("Ada", &task["id"]);
    foreign["message"]["contextId"] = "other".into();
    let error = harness.error("SendMessage", foreign).await;
    assert_eq!(error["code"], -32602);
    assert_eq!(error["data"][0]["fieldViolations"][0]["field"], "message.contextId");
    assert_eq!(harness.task(&task["id"]).await, task, "a refused message leaves no trace");

    let mut fitting = follow_up("Ada", &task["id"]);
    fitting["message"]["contextId"] = "my-context".into();
    let answer = harness.result("SendMessage", fitting).await["task"].take();
    assert_eq!(
        (&answer["contextId"], &answer["history"][2]["contextId"]),
        (&json!("my-context"), &json!("my-context"))
    );

    let other = harness.send("echo x").await;
    assert_ne!(other["contextId"], "my-context", "without one a context is made");
}

#[tokio::test]
async fn tasks_take_messages_only_when_they_ask_for_one() {
    let (harness, _gate) = slow().await;
    let done = harness.send("echo x").await["id"].take();
    let running = harness.result("SendMessage", at_once("slow")).await["task"]["id"].take();
    for method in ["SendMessage", "SendStreamingMessage"] {
        for (id, code) in [(&done, -32004), (&running, -32004), (&json!("nope"), -32001)] {
            assert_eq!(harness.error(method, follow_up("x", id)).await["code"], code, "{method} {id}");
        }
    }
    assert_eq!(harness.error("GetTask", json!({"id": "nope"})).await["code"], -32001, "no task came of the unknown id");
}

#[tokio::test]
async fn the_history_can_be_cut() {
    let harness = Harness::start().await;
    let asked = harness.send("ask").await;
    let done = harness.result("SendMessage", follow_up("Ada", &asked["id"])).await["task"].take();
    let all = done["history"].as_array().unwrap();
    assert_eq!(all.len(), 3);
    for (length, kept) in [(1000, 3), (3, 3), (2, 2), (1, 1)] {
        let task = harness.result("GetTask", json!({"id": done["id"], "historyLength": length})).await;
        assert_eq!(task["history"].as_array().unwrap(), &all[3 - kept..]);
    }
    let none = harness.result("GetTask", json!({"id": done["id"], "historyLength": 0})).await;
    assert!(none.get("history").is_none());

    let mut request = message("echo x");
    request["configuration"] = json!({"historyLength": 0});
    assert!(harness.result("SendMessage", request.clone()).await["task"].get("history").is_none());
    let items = harness.open("SendStreamingMessage", request.clone()).await.rest().await;
    assert!(items[0]["task"].get("history").is_none(), "the snapshot of a stream as well");
    request["configuration"]["historyLength"] = json!(-1);
    assert_eq!(harness.error("SendMessage", request).await["code"], -32602);
}

#[tokio::test]
async fn what_the_card_does_not_declare_is_refused_by_its_name() {
    let harness = Harness::start().await;
    for method in ["Create", "Get", "Delete"].map(|verb| format!("{verb}TaskPushNotificationConfig")) {
        assert_eq!(harness.error(&method, json!({"taskId": "t", "id": "c"})).await["code"], -32003, "{method}");
        assert_eq!(harness.error(&method, json!({})).await["code"], -32003, "{method}");
    }
    assert_eq!(harness.error("ListTaskPushNotificationConfigs", json!({})).await["code"], -32003);
    assert_eq!(harness.error("GetExtendedAgentCard", json!({})).await["code"], -32004);
    let mut request = message("echo x");
    request["configuration"] = json!({"taskPushNotificationConfig": {"url": "http://127.0.0.1:1/"}});
    assert_eq!(harness.error("SendMessage", request).await["code"], -32003);
    assert_eq!(harness.result("ListTasks", json!({})).await["totalSize"], 0);
}

#[tokio::test]
async fn many_short_tasks_at_once_keep_their_answers_apart() {
    let harness = Harness::start().await;
    let answers: Vec<(usize, Value)> = stream::iter(0..300)
        .map(|n| {
            let harness = &harness;
            async move { (n, harness.send(&format!("echo {n}")).await) }
        })
        .buffer_unordered(50)
        .collect()
        .await;
    for (n, task) in &answers {
        assert_eq!(task["artifacts"][0]["parts"][0]["text"], n.to_string());
    }
    let ids: std::collections::HashSet<&str> = answers.iter().map(|(_, task)| task["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 300);
    assert_eq!(harness.result("ListTasks", json!({})).await["totalSize"], 300);
}
