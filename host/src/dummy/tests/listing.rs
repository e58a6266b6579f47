use serde_json::{Value, json};

use crate::dummy::test_support::Harness;

#[tokio::test]
async fn tasks_are_listed_youngest_status_first() {
    let harness = Harness::start().await;
    let first = harness.send("ask").await;
    let second = harness.send("data").await;
    let third = harness.send("fail").await;
    let list = async |params: Value| harness.result("ListTasks", params).await;
    let ids = |page: &Value| -> Vec<Value> {
        page["tasks"].as_array().unwrap().iter().map(|task| task["id"].clone()).collect()
    };

    let page = list(json!({})).await;
    assert_eq!(ids(&page), [third["id"].clone(), second["id"].clone(), first["id"].clone()]);
    assert_eq!((&page["nextPageToken"], &page["pageSize"], &page["totalSize"]), (&json!(""), &json!(50), &json!(3)));
    assert!(page["tasks"][1].get("artifacts").is_none(), "artifacts are left out, not empty (§3.1.4)");
    assert_eq!(list(json!({"includeArtifacts": true})).await["tasks"][1], second);
    assert!(list(json!({"historyLength": 0})).await["tasks"][0].get("history").is_none());

    harness.result("CancelTask", json!({"id": first["id"]})).await;
    let page = list(json!({})).await;
    assert_eq!(
        ids(&page),
        [first["id"].clone(), third["id"].clone(), second["id"].clone()],
        "the status is what counts"
    );

    assert_eq!(ids(&list(json!({"status": "TASK_STATE_FAILED"})).await), [third["id"].clone()]);
    assert_eq!(ids(&list(json!({"contextId": second["contextId"]})).await), [second["id"].clone()]);
    assert!(ids(&list(json!({"contextId": second["contextId"], "status": 4})).await).is_empty());
    let since = &page["tasks"][0]["status"]["timestamp"];
    assert!(ids(&list(json!({"statusTimestampAfter": since})).await).contains(&first["id"]), "the bound itself is in");
    assert!(ids(&list(json!({"statusTimestampAfter": "2999-01-01T00:00:00Z"})).await).is_empty());
    assert_eq!(list(json!({"tenant": "other"})).await["totalSize"], 0);
}

#[tokio::test]
async fn pages_join_without_gap_or_overlap() {
    let harness = Harness::start().await;
    for n in 0..5 {
        harness.send(&format!("echo {n}")).await;
    }
    let all = harness.result("ListTasks", json!({})).await["tasks"].take();
    let (mut token, mut sizes, mut joined) = (json!(""), Vec::new(), Vec::new());
    loop {
        let page = harness.result("ListTasks", json!({"pageSize": 2, "pageToken": token})).await;
        assert_eq!(page["pageSize"], 2);
        assert_eq!(page["totalSize"], 5 + sizes.len(), "all matches, on whatever page");
        sizes.push(page["tasks"].as_array().unwrap().len());
        joined.extend(page["tasks"].as_array().unwrap().clone());
        token = page["nextPageToken"].clone();
        if token == "" {
            break;
        }
        // A task that is new comes in front of what was shown and moves nothing behind it.
        harness.send("echo late").await;
    }
    assert_eq!(sizes, [2, 2, 1]);
    let without_artifacts: Value = joined.into();
    assert_eq!(without_artifacts, all);
}
