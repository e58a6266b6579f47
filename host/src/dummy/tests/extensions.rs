use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{at_once, card};
use crate::a2a::{A2aError, ErrorKind, Message, Part, TaskState};
use crate::dummy::Agent;
use crate::dummy::command::single;
use crate::dummy::test_support::{FakePlugin, Harness, OpenStream, follow_up, message, normal, outline, plain};
use crate::sandbox::{Contribution, HandlerError};

fn fields(pairs: Value) -> Map<String, Value> {
    pairs.as_object().unwrap().clone()
}

async fn ext(harness: &Harness, headers: &[(&str, &str)]) -> (Option<String>, Value) {
    let response = harness.response("SendMessage", &message("ext"), headers).await;
    let activated = response.headers().get("a2a-extensions").map(|value| value.to_str().unwrap().to_owned());
    (activated, plain(response).await["result"]["task"].take())
}

#[tokio::test]
async fn activated_extensions_add_to_the_ext_artifact() {
    let adds = |uri: &str, pairs: Value| {
        FakePlugin::new(uri, uri).activate(move |_, request| {
            let mut contribution = Contribution { fields: fields(pairs.clone()), metadata: None };
            contribution.fields.insert("saw".into(), request.activated.join(" ").into());
            contribution.metadata = Some(fields(json!({"by": request.text})));
            Ok(contribution)
        })
    };
    let builder =
        Agent::builder().plugin(adds("urn:x:b", json!({"b": 1, "both": "b", "requested": "forged"})).arc()).plugin(
            adds("urn:x:a", json!({"a": [2], "both": "a"}))
                .change(|info| info.params = Some(fields(json!({"n": 1}))))
                .arc(),
        );
    let harness = Harness::with(builder).await;

    let (header, task) =
        ext(&harness, &[("A2A-Extensions", "urn:x:b, urn:x:none"), ("A2A-Extensions", "urn:x:a,urn:x:b")]).await;
    assert_eq!(header.as_deref(), Some("urn:x:a,urn:x:b"), "the response names what is active");
    assert_eq!(
        normal(&task["artifacts"][0]),
        json!({"artifactId": "<uuid>-ext", "name": "extension-metadata", "extensions": ["urn:x:a", "urn:x:b"],
            "metadata": {"by": "ext"},
            "parts": [{"mediaType": "application/json", "data": {
                "requested": ["urn:x:a", "urn:x:b", "urn:x:none"], "activated": ["urn:x:a", "urn:x:b"],
                "a": [2], "b": 1, "both": "b", "saw": "urn:x:a urn:x:b"}}]})
    );

    let (header, task) = ext(&harness, &[("A2A-Extensions", "urn:x:none"), ("X-A2A-Extensions", "urn:x:a")]).await;
    assert_eq!(header, None);
    assert_eq!(task["artifacts"][0]["parts"][0]["data"], json!({"requested": ["urn:x:none"], "activated": null}));
    assert!(task["artifacts"][0].get("extensions").is_none());

    let response = harness.response("SendStreamingMessage", &message("echo x"), &[("A2A-Extensions", "urn:x:a")]).await;
    assert_eq!(response.headers()["a2a-extensions"], "urn:x:a", "streams name them too");
    let items = OpenStream::new(response).rest().await;
    assert!(items[2]["artifactUpdate"]["artifact"].get("extensions").is_none(), "other commands are not shaped by it");

    let card = card(&harness).await;
    assert_eq!(
        card["capabilities"]["extensions"],
        json!([{"uri": "urn:x:b", "description": "What urn:x:b does."},
            {"uri": "urn:x:a", "description": "What urn:x:a does.", "params": {"n": 1}}])
    );
}

#[tokio::test]
async fn a_plugin_that_fails_to_activate_fails_the_task() {
    let plugin =
        FakePlugin::new("p", "urn:x:a").activate(|uri, _| Err(format!("p.wasm 1.0: activate({uri}): out of fuel")));
    let harness = Harness::with(Agent::builder().plugin(plugin.arc())).await;
    let (_, task) = ext(&harness, &[("A2A-Extensions", "urn:x:a")]).await;
    assert_eq!(task["status"]["state"], "TASK_STATE_FAILED");
    assert_eq!(task["status"]["message"]["parts"][0]["text"], "p.wasm 1.0: activate(urn:x:a): out of fuel");
    assert!(task.get("artifacts").is_none());
    assert_eq!(ext(&harness, &[]).await.1["status"]["state"], "TASK_STATE_COMPLETED", "others go on");
}

#[tokio::test]
async fn a_plugins_command_drives_its_task() {
    let plugin = FakePlugin::new("p", "urn:x:shout").skill("shout").command("Shout", |request, task| async move {
        let text = request.text.to_uppercase();
        match request.task {
            None if request.text.ends_with("who") => {
                task.status(TaskState::InputRequired, Some(Message::agent("WHO?"))).map_err(HandlerError::Failed)
            }
            None => {
                assert_eq!(task.history().last(), Some(&request.message), "the message under work is the last");
                assert!(request.headers.iter().any(|(name, value)| name == "x-trace" && value == "7"));
                assert!(request.headers.iter().all(|(name, _)| name != "authorization"));
                assert_eq!(request.raw["message"]["parts"][0]["text"], "shout hey");
                assert_eq!(request.requested, ["urn:x:none", "urn:x:shout"]);
                assert_eq!(request.activated, ["urn:x:shout"]);
                assert_eq!(request.metadata.as_ref().unwrap()["k"], "v");
                let artifact = single(String::new(), "shout", Part::text(text));
                task.artifact(artifact, false, true).map_err(HandlerError::Failed)
            }
            Some(stored) => {
                assert_eq!(stored["history"].as_array().unwrap().len(), 3, "the stored task comes along");
                task.status(TaskState::Completed, Some(Message::agent(text))).map_err(HandlerError::Failed)
            }
        }
    });
    let harness = Harness::with(Agent::builder().plugin(plugin.arc())).await;
    let mut request = message("shout hey");
    request["metadata"] = json!({"k": "v"});
    let headers = [("X-Trace", "7"), ("Authorization", "Bearer x"), ("A2A-Extensions", "urn:x:shout, urn:x:none")];
    let task = plain(harness.response("SendMessage", &request, &headers).await).await["result"]["task"].take();
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "success without a final state completes: {task}");
    assert_eq!(task["artifacts"][0]["parts"][0]["text"], "SHOUT HEY");
    let items = OpenStream::new(harness.response("SendStreamingMessage", &request, &headers).await).rest().await;
    assert_eq!(outline(&items), ["task SUBMITTED", "artifactUpdate", "statusUpdate COMPLETED"]);

    let asked = harness.send("shout who").await;
    let done = harness.result("SendMessage", follow_up("me", &asked["id"])).await["task"].take();
    assert_eq!(done["status"]["message"]["parts"][0]["text"], "ME", "the follow-up goes to the same plugin");
}

#[tokio::test]
async fn a_plugins_end_is_the_tasks_end() {
    let plugin = FakePlugin::new("p", "urn:x:p").command("p", |request, task| async move {
        match request.text.as_str() {
            "p error" => Err(HandlerError::A2a(A2aError::new(ErrorKind::ContentTypeNotSupported, "no such type"))),
            "p failed" => Err(HandlerError::Failed("no luck".into())),
            "p plugin" => Err(HandlerError::Plugin("p 1.0: handle: trap".into())),
            "p message" => {
                task.sleep(Duration::from_millis(20)).await;
                task.reply(Message::agent("just words")).map_err(HandlerError::Failed)
            }
            _ => Ok(()),
        }
    });
    let harness = Harness::with(Agent::builder().plugin(plugin.arc())).await;

    for (text, state, words) in [
        ("p failed", "FAILED", Some("no luck")),
        ("p plugin", "FAILED", Some("p 1.0: handle: trap")),
        ("p", "COMPLETED", None),
    ] {
        let task = harness.send(text).await;
        assert_eq!(task["status"]["state"], format!("TASK_STATE_{state}"), "{text}");
        assert_eq!(task["status"]["message"]["parts"][0]["text"].as_str(), words);
        assert_eq!(
            outline(&harness.stream(text).await),
            ["task SUBMITTED".to_owned(), format!("statusUpdate {state}")]
        );
    }

    let error = harness.error("SendMessage", message("p error")).await;
    assert_eq!((&error["code"], &error["message"]), (&json!(-32005), &json!("no such type")));
    let items = harness.stream("p error").await;
    assert_eq!(items.len(), 2);
    assert_eq!(items[1]["error"]["code"], -32005);
    let stored = harness.task(&items[0]["task"]["id"]).await;
    assert_eq!(stored["status"]["state"], "TASK_STATE_FAILED");
    assert_eq!(stored["history"][0]["parts"][0]["text"], "p error");

    let before = harness.result("ListTasks", json!({})).await["totalSize"].take();
    for request in [message("p message"), at_once("p message")] {
        let result = harness.result("SendMessage", request).await;
        assert_eq!(
            normal(&result),
            json!({"message": {"messageId": "<uuid>", "contextId": "<uuid>", "role": "ROLE_AGENT", "parts": [{"text": "just words"}]}})
        );
    }
    let items = harness.stream("p message").await;
    assert_eq!(items.len(), 1);
    assert_eq!(items[0]["message"]["parts"][0]["text"], "just words");
    assert_eq!(harness.result("ListTasks", json!({})).await["totalSize"], before, "no task came of it");
}

#[tokio::test]
async fn required_extensions_are_declared_and_enforced_on_demand() {
    let plugin = || FakePlugin::new("p", "urn:x:need").change(|info| info.required = true).arc();
    let lenient = Harness::with(Agent::builder().plugin(plugin())).await;
    assert_eq!(lenient.send("echo x").await["status"]["state"], "TASK_STATE_COMPLETED");

    let strict = Harness::with(Agent::builder().plugin(plugin()).enforce_required_extensions(true)).await;
    for method in ["SendMessage", "SendStreamingMessage"] {
        let error = strict.error(method, message("echo x")).await;
        assert_eq!(error["code"], -32008);
        assert!(error["message"].as_str().unwrap().contains("urn:x:need"));
    }
    let response = strict.response("SendMessage", &message("echo x"), &[("A2A-Extensions", "urn:x:need")]).await;
    assert_eq!(plain(response).await["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    let card = card(&strict).await;
    assert_eq!(card["capabilities"]["extensions"][0]["required"], true);
}
