use serde_json::Value;

use super::card;
use crate::a2a::{Message, TaskState};
use crate::dummy::test_support::{FakePlugin, Harness};
use crate::dummy::{Agent, StartError};
use crate::sandbox::HandlerError;

#[tokio::test]
async fn an_extension_has_one_plugin() {
    let builder = Agent::builder()
        .plugin(FakePlugin::new("one.wasm 1.0", "urn:x:a").arc())
        .plugin(FakePlugin::new("two.wasm 2.0", "urn:x:a").arc());
    let error = builder.start().await.err().unwrap();
    assert!(matches!(error, StartError::DuplicateExtension { .. }));
    let message = error.to_string();
    for word in ["urn:x:a", "one.wasm 1.0", "two.wasm 2.0"] {
        assert!(message.contains(word), "{message}");
    }
}

#[tokio::test]
async fn a_plugin_may_take_a_command_and_a_warning_says_so() {
    let marks = |label: &'static str, uri: &str, command: &str| {
        FakePlugin::new(label, uri).skill(command).command(command, move |_, task| async move {
            task.status(TaskState::Completed, Some(Message::agent(label))).map_err(HandlerError::Failed)
        })
    };
    let builder = Agent::builder()
        .plugin(marks("one 1.0", "urn:x:1", "ECHO").arc())
        .plugin(marks("two 1.0", "urn:x:2", "mine").arc())
        .plugin(marks("three 1.0", "urn:x:3", "mine").arc());
    let harness = Harness::with(builder).await;
    assert_eq!(
        harness.agent.warnings(),
        [
            "plugin one 1.0: command \"echo\" hides the earlier command of that name",
            "plugin three 1.0: command \"mine\" hides the earlier command of that name"
        ]
    );
    for (text, label) in [("echo x", "one 1.0"), ("mine", "three 1.0")] {
        assert_eq!(harness.send(text).await["status"]["message"]["parts"][0]["text"], label);
    }
    assert_eq!(harness.send("other x").await["artifacts"][0]["parts"][0]["text"], "other x", "the fallback stays");
    let card = card(&harness).await;
    let ids: Vec<&Value> = card["skills"].as_array().unwrap().iter().map(|skill| &skill["id"]).collect();
    assert_eq!(ids, ["stream", "ask", "fail", "data", "ext", "ECHO", "mine"], "what is hidden is not advertised");
    assert!(Harness::start().await.agent.warnings().is_empty());
}

#[tokio::test]
async fn skills_that_mislead_are_warned_of() {
    let builder = Agent::builder()
        .plugin(FakePlugin::new("one 1.0", "urn:x:1").skill("lost").arc())
        .plugin(FakePlugin::new("two 1.0", "urn:x:2").skill("echo").command("two", |_, _| async { Ok(()) }).arc());
    let agent = builder.start().await.unwrap();
    assert_eq!(agent.warnings().len(), 2);
    assert!(agent.warnings()[0].contains("\"lost\" of extension urn:x:1 has no command"));
    assert!(agent.warnings()[1].contains("skill id \"echo\" stands in the card more than once"));
}

#[tokio::test]
async fn what_cannot_work_does_not_start() {
    let command = |word: &str| {
        let plugin = FakePlugin::new("p 1.0", "urn:x:p").command(word, |_, _| async { Ok(()) });
        Agent::builder().plugin(plugin.arc())
    };
    let taken = Agent::builder().start().await.unwrap();
    for (builder, words) in [
        (command("two words"), "\"two words\""),
        (command(""), "expected one word"),
        (Agent::builder().plugin(FakePlugin::new("p 1.0", "").arc()), "plugin p 1.0: an extension has an empty URI"),
        (Agent::builder().max_tasks(0), "at least 1"),
        (Agent::builder().public_url("agent.example"), "public URL \"agent.example\""),
        (Agent::builder().public_url("ftp://agent.example"), "the scheme is ftp"),
        (Agent::builder().port(taken.addr().port()), "cannot listen on 127.0.0.1 port"),
    ] {
        let message = builder.start().await.err().unwrap().to_string();
        assert!(message.contains(words), "{message}");
    }
}
