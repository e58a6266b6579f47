use std::time::Duration;

use serde_json::{Value, json};

use crate::a2a::{Binding, Deviation, Ending, Event, Exchange, ExchangeError, Response, SentRequest};
use crate::client::{Limits, Reply, fold, fold_within, last_state};
use crate::sandbox::{PartKind, PartSource};

/// An exchange as the client would leave it, without deviations of its own.
fn exchange(operation: &str, bodies: &[Value]) -> Exchange {
    let events = bodies.iter().enumerate().map(|(index, body)| Event {
        frame: index,
        at: Duration::from_millis(10 * (index as u64 + 1)),
        body: body.clone(),
    });
    Exchange {
        operation: operation.into(),
        binding: Binding::JsonRpc,
        url: "http://h/".into(),
        request: SentRequest { body: json!({}), raw: "".into(), headers: vec![] },
        response: Some(Response { streamed: bodies.len() != 1, ..Response::default() }),
        raw: "".into(),
        frames: vec![],
        events: events.collect(),
        ending: Ending::Clean,
        elapsed: Duration::from_secs(1),
        deviations: vec![],
        error: None,
    }
}

fn streamed(bodies: &[Value]) -> Reply {
    fold(&exchange("SendStreamingMessage", bodies)).unwrap()
}

fn sent(body: Value) -> Result<Reply, ExchangeError> {
    fold(&exchange("SendMessage", &[body]))
}

fn why(result: Result<Reply, ExchangeError>) -> String {
    match result.unwrap_err() {
        ExchangeError::Unreadable { why } => why,
        other => panic!("{other:?}"),
    }
}

fn notes(reply: &Reply) -> Vec<(&str, &str)> {
    let pair = |deviation: &'_ Deviation| (deviation.code, deviation.path.clone().unwrap_or_default());
    reply.deviations.iter().map(pair).map(|(code, path)| (code, &*path.leak())).collect()
}

fn completed(rest: Value) -> Value {
    let mut task = json!({"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}});
    for (key, value) in rest.as_object().unwrap() {
        task[key] = value.clone();
    }
    json!({ "task": task })
}

fn with_part(part: Value) -> Value {
    completed(json!({"artifacts": [{"artifactId": "a", "parts": [part]}]}))
}

fn status(state: &str, text: &str) -> Value {
    json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": state, "message":
        {"messageId": text, "role": "ROLE_AGENT", "parts": [{"text": text}]}}}})
}

fn chunk(text: &str, append: bool, last: bool) -> Value {
    json!({"artifactUpdate": {"taskId": "t", "contextId": "c", "append": append, "lastChunk": last,
        "artifact": {"artifactId": "a", "name": "n", "parts": [{"text": text}]}}})
}

#[test]
fn a_bare_message_has_the_state_message() {
    let reply = sent(json!({"message": {"messageId": "m", "contextId": "c", "role": "ROLE_AGENT",
        "parts": [{"text": "a"}, {"data": {"k": 9007199254740993_i64}, "mediaType": "application/json"}, {"text": "b"}]}}))
    .unwrap();
    assert_eq!((reply.state.as_str(), reply.states.len()), ("message", 1));
    assert_eq!(reply.text, "a\nb");
    assert_eq!(reply.context_id.as_deref(), Some("c"));
    assert_eq!(reply.task_id, None);
    assert_eq!(reply.folded["messageId"], "m");
    let kinds: Vec<PartKind> = reply.parts.iter().map(|part| part.kind).collect();
    assert_eq!(kinds, [PartKind::Text, PartKind::Data, PartKind::Text]);
    assert_eq!(reply.parts[1].value.as_ref().unwrap().to_string(), "{\"k\":9007199254740993}");
    assert_eq!(reply.parts[1].message_id.as_deref(), Some("m"));
    assert_eq!(reply.first_event, Some(Duration::from_millis(10)));
    assert_eq!(reply.elapsed, Duration::from_secs(1));
    assert_eq!(reply.deviations, []);
}

#[test]
fn messages_come_before_artifacts_and_keep_their_place() {
    let message = |id: &str, role: &str, text: &str| json!({"messageId": id, "role": role, "parts": [{"text": text}]});
    let reply = streamed(&[
        json!({"task": {"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING",
            "message": message("m1", "ROLE_AGENT", "status")},
            "history": [message("u", "ROLE_USER", "question"), message("m2", "ROLE_AGENT", "old")],
            "artifacts": [{"artifactId": "a", "parts": [{"text": "artifact"}]}]}}),
        status("TASK_STATE_WORKING", "m3"),
        json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED",
            "message": message("m2", "ROLE_AGENT", "new")}}}),
    ]);
    assert_eq!(reply.text, "status\nnew\nm3\nartifact");
    assert_eq!(reply.states, ["working", "completed"]);
    assert_eq!(reply.state, "completed");
    let sources: Vec<PartSource> = reply.parts.iter().map(|part| part.source).collect();
    assert_eq!(sources, [PartSource::Status, PartSource::Message, PartSource::Status, PartSource::Artifact]);
    assert_eq!(reply.folded["status"]["message"]["messageId"], "m2");
    assert_eq!(reply.folded["artifacts"][0]["artifactId"], "a");
    assert_eq!(reply.folded["history"].as_array().unwrap().len(), 2);
}

// C085.
#[test]
fn chunks_are_joined_without_separators() {
    let begin = json!({"task": {"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}});
    let done = json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}});
    let events = |last: Value| {
        vec![
            begin.clone(),
            chunk("Hel", false, false),
            chunk("lo, ", true, false),
            chunk("wor", true, false),
            last,
            done.clone(),
        ]
    };
    let reply = streamed(&events(chunk("ld!", true, true)));
    assert_eq!(reply.text, "Hello, world!");
    assert_eq!(reply.parts.len(), 4);
    assert_eq!(reply.folded["artifacts"][0]["parts"].as_array().unwrap().len(), 4);
    assert_eq!(reply.deviations, []);

    let reply = streamed(&events(chunk("ld!", false, true)));
    assert_eq!(reply.text, "ld!");
    assert_eq!(reply.folded["artifacts"][0]["parts"], json!([{"text": "ld!"}]));
    assert_eq!(reply.deviations.len(), 1);
    assert_eq!((reply.deviations[0].code, reply.deviations[0].event), ("artifact-replaced", Some(4)));
    assert!(reply.deviations[0].message.contains("replaced 3 chunks"), "{}", reply.deviations[0].message);
}

#[test]
fn chunks_out_of_place_are_noted() {
    let begin = json!({"task": {"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}});
    let done = json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}});
    let reply = streamed(&[begin, chunk("x", true, true), chunk("y", true, false), done]);
    assert_eq!(reply.text, "xy");
    assert_eq!(notes(&reply), [("append-to-unknown", ""), ("after-last-chunk", "")]);
}

#[test]
fn the_name_of_an_artifact_is_kept_for_later_chunks() {
    let mut second = chunk("b", true, false);
    second["artifactUpdate"]["artifact"].as_object_mut().unwrap().remove("name");
    let mut third = chunk("c", true, false);
    third["artifactUpdate"]["artifact"]["name"] = "other".into();
    let reply = streamed(&[completed(json!({})), chunk("a", false, false), second, third]);
    let names: Vec<Option<&str>> = reply.parts.iter().map(|part| part.artifact_name.as_deref()).collect();
    assert_eq!(names, [Some("n"), Some("n"), Some("other")]);
}

#[test]
fn files_have_size_and_hash() {
    let reply = sent(with_part(
        json!({"raw": "aGk=", "filename": "../../x\u{0}.txt", "mediaType": "Text/Plain; charset=utf-8",
        "metadata": {"a": 1}}),
    ))
    .unwrap();
    let part = &reply.parts[0];
    assert_eq!((part.kind, part.size), (PartKind::Raw, Some(2)));
    assert_eq!(part.raw.as_deref(), Some(&b"hi"[..]));
    assert_eq!(part.sha256.as_deref(), Some("8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"));
    assert_eq!(part.filename.as_deref(), Some("../../x\u{0}.txt"));
    assert_eq!(part.media_type.as_deref(), Some("Text/Plain; charset=utf-8"));
    assert_eq!(part.metadata, Some(json!({"a": 1})));
    assert_eq!((part.source, part.artifact_id.as_deref()), (PartSource::Artifact, Some("a")));
    let reply = sent(with_part(json!({"url": "https://x.test/a"}))).unwrap();
    assert_eq!((reply.parts[0].kind, reply.parts[0].url.as_deref()), (PartKind::Url, Some("https://x.test/a")));
    assert_eq!(reply.text, "");
}

// C001.
#[test]
fn enums_of_0_3_are_read_and_noted_with_their_place() {
    let reply = sent(json!({"task": {"id": "t1", "contextId": "c1", "status": {"state": "completed"},
        "history": [{"messageId": "m", "role": "user", "parts": [{"text": "x"}]}]}}))
    .unwrap();
    assert_eq!(reply.state, "completed");
    assert_eq!(reply.text, "");
    assert_eq!(notes(&reply), [("legacy-enum", "/task/status/state"), ("legacy-enum", "/task/history/0/role")]);
    assert_eq!(
        reply.deviations[0].message,
        "task state is \"completed\", expected \"TASK_STATE_COMPLETED\"; this looks like A2A 0.3"
    );
}

// C003.
#[test]
fn a_missing_wrapper_is_noted_for_send_only() {
    let bare = json!({"id": "t1", "status": {"state": "TASK_STATE_COMPLETED"}});
    let reply = sent(bare.clone()).unwrap();
    assert_eq!(notes(&reply), [("unwrapped-task", "")]);
    assert!(reply.deviations[0].message.starts_with("missing `task` wrapper"));
    assert_eq!(reply.task_id.as_deref(), Some("t1"));
    let reply = fold(&exchange("GetTask", std::slice::from_ref(&bare))).unwrap();
    assert_eq!(reply.deviations, []);
    let reply = fold(&exchange("GetTask", &[json!({"task": bare})])).unwrap();
    assert_eq!((reply.state.as_str(), notes(&reply)), ("completed", vec![("wrapped-task", "/task")]));
}

// C005.
#[test]
fn an_enum_that_nobody_knows_stands_as_it_came() {
    let reply = sent(json!({"task": {"id": "t", "status": {"state": "UNRECOGNIZED"},
        "history": [{"messageId": "m", "role": "UNRECOGNIZED", "parts": [{"text": "x"}]}]}}))
    .unwrap();
    assert_eq!((reply.state.as_str(), reply.states.as_slice()), ("UNRECOGNIZED", &["UNRECOGNIZED".to_owned()][..]));
    assert_eq!(reply.text, "x");
    assert_eq!(notes(&reply), [("unknown-enum", "/task/status/state"), ("unknown-enum", "/task/history/0/role")]);
}

#[test]
fn numbers_of_enums_and_both_spellings_are_read() {
    let reply = sent(json!({"task": {"id": "t", "context_id": "c", "contextId": "d", "status": {"state": 3,
        "message": {"message_id": "m", "role": "2", "parts": [{"text": "x", "media_type": "text/plain"}]}}}}))
    .unwrap();
    assert_eq!((reply.state.as_str(), reply.context_id.as_deref()), ("completed", Some("d")));
    assert_eq!(reply.parts[0].media_type.as_deref(), Some("text/plain"));
    assert_eq!(
        notes(&reply),
        [
            ("both-spellings", "/task/context_id"),
            ("enum-number", "/task/status/state"),
            ("snake-case-field", "/task/status/message/message_id"),
            ("enum-number", "/task/status/message/role"),
            ("snake-case-field", "/task/status/message/parts/0/media_type"),
        ]
    );
}

// C007.
#[test]
fn a_part_has_exactly_one_content() {
    assert_eq!(
        why(sent(with_part(json!({"text": "a", "url": "https://x.test/a"})))),
        "/task/artifacts/0/parts/0 is a part with `text` and `url`, expected exactly one of them"
    );
    let reply = sent(with_part(json!({"text": "a", "filename": "", "mediaType": ""}))).unwrap();
    assert_eq!((reply.deviations.len(), reply.text.as_str()), (0, "a"));
    assert_eq!((reply.parts[0].filename.as_deref(), reply.parts[0].media_type.as_deref()), (None, None));
    let reply = sent(with_part(json!({"mediaType": "text/plain"}))).unwrap();
    assert_eq!((notes(&reply), reply.parts.len()), (vec![("no-content", "/task/artifacts/0/parts/0")], 0));
    let reply = sent(with_part(json!({"data": null}))).unwrap();
    assert_eq!((reply.deviations.len(), reply.parts[0].value.clone()), (0, Some(Value::Null)));
}

#[test]
fn base64_is_read_in_every_dialect_and_nothing_else() {
    for (raw, noted) in [("-_8=", true), ("-_8", true), ("+/8=", false), ("+/8", true), ("", false)] {
        let reply = sent(with_part(json!({ "raw": raw }))).unwrap();
        assert_eq!(notes(&reply).iter().any(|note| note.0 == "base64-dialect"), noted, "{raw}");
        let expected: &[u8] = if raw.is_empty() { b"" } else { b"\xfb\xff" };
        assert_eq!(reply.parts[0].raw.as_deref(), Some(expected));
    }
    assert_eq!(why(sent(with_part(json!({"raw": "a!b"})))), "/task/artifacts/0/parts/0/raw is no base64");
}

#[test]
fn shapes_of_0_3_are_read() {
    let reply = sent(json!({"kind": "task", "id": "t", "contextId": "c", "status": {"state": "completed"},
        "artifacts": [{"artifactId": "a", "parts": [
            {"kind": "text", "text": "x"},
            {"kind": "file", "file": {"bytes": "aGk=", "mimeType": "text/plain", "name": "f"}}]}]}))
    .unwrap();
    assert_eq!(reply.text, "x");
    assert_eq!((reply.parts[1].kind, reply.parts[1].filename.as_deref()), (PartKind::Raw, Some("f")));
    let mut found: Vec<&str> = notes(&reply).into_iter().map(|note| note.0).collect();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, ["kind-discriminator", "legacy-enum", "legacy-part", "unwrapped-task"]);
    let reply = streamed(&[
        completed(json!({})),
        json!({"kind": "status-update", "taskId": "t", "contextId": "c", "final": true, "status": {"state": "completed"}}),
    ]);
    assert!(notes(&reply).contains(&("legacy-field", "/final")));
}

#[test]
fn unknown_members_and_nulls_are_noted_and_kept() {
    let reply = sent(completed(json!({"x-own": {"deep": [1]}, "history": null}))).unwrap();
    assert_eq!(notes(&reply), [("unknown-field", "/task/x-own"), ("null-field", "/task/history")]);
    assert_eq!(reply.folded["x-own"], json!({"deep": [1]}));
    assert_eq!(reply.folded.get("history"), None);
}

#[test]
fn missing_members_are_noted() {
    let reply = sent(json!({"message": {"role": "ROLE_AGENT", "parts": []}})).unwrap();
    assert_eq!(notes(&reply), [("no-parts", "/message/parts"), ("missing-field", "/message/messageId")]);
    assert!(why(sent(json!({"task": {"id": "t", "status": null}}))).contains("state unspecified"));
}

#[test]
fn what_cannot_be_read_names_the_place() {
    for (body, expected) in [
        (json!([]), "the response is a list, expected an object"),
        (
            json!({}),
            "the response has none of `task`, `message`, `statusUpdate` and `artifactUpdate`; it has no members",
        ),
        (json!({"task": {}, "message": {}}), "the response has both `task` and `message`, expected exactly one"),
        (json!({"task": 5}), "/task is a number, expected an object"),
        (json!({"task": {"id": 5, "status": {}}}), "/task/id is a number, expected a string"),
        (
            json!({"task": {"id": "t", "status": {"state": []}}}),
            "/task/status/state is a list, expected the name of a task state",
        ),
        (json!({"message": {"parts": [null]}}), "/message/parts/0 is null, expected an object"),
    ] {
        assert_eq!(why(sent(body)), expected);
    }
    assert_eq!(why(fold(&exchange("SendMessage", &[]))), "the agent answered without a single event");
    let list = exchange("ListTasks", &[json!({"tasks": [], "nextPageToken": "", "pageSize": 1, "totalSize": 0})]);
    assert_eq!(why(fold(&list)), "ListTasks answers with neither a task nor a message");
}

#[test]
fn a_reply_must_end_its_turn() {
    let working = json!({"task": {"id": "t", "status": {"state": "TASK_STATE_WORKING"}}});
    assert_eq!(
        why(sent(working.clone())),
        "the reply ended in state working, which neither ends the task nor waits for the client"
    );
    let mut at_once = exchange("SendMessage", std::slice::from_ref(&working));
    at_once.request.body = json!({"configuration": {"returnImmediately": true}});
    assert_eq!(fold(&at_once).unwrap().state, "working");
    assert_eq!(fold(&exchange("GetTask", &[working["task"].clone()])).unwrap().state, "working");
    // Artifacts alone count as a bare message.
    let reply = streamed(&[chunk("x", false, true), chunk("y", true, true)]);
    assert_eq!((reply.state.as_str(), reply.states.as_slice()), ("message", &["message".to_owned()][..]));
}

#[test]
fn an_exchange_with_an_error_has_no_reply_but_a_last_state() {
    let working = json!({"task": {"id": "t", "status": {"state": "TASK_STATE_WORKING"}}});
    let mut failed = exchange("SendStreamingMessage", &[working]);
    let error = ExchangeError::Timeout { limit: Duration::from_secs(2) };
    failed.error = Some(error.clone());
    assert_eq!(fold(&failed), Err(error));
    assert_eq!(last_state(&failed).as_deref(), Some("working"));
    assert_eq!(last_state(&exchange("SendMessage", &[])), None);
}

#[test]
fn what_the_exchange_noted_stands_once() {
    let mut noted = exchange("SendMessage", &[json!({"task": {"id": "t", "status": {"state": "completed"}}})]);
    let own = Deviation { code: "response-id", message: "m".into(), path: None, event: Some(0) };
    noted.deviations.push(own.clone());
    let first = fold(&noted).unwrap();
    assert_eq!(first.deviations.iter().map(|d| d.code).collect::<Vec<_>>(), ["response-id", "legacy-enum"]);
    noted.deviations = first.deviations.clone();
    assert_eq!(fold(&noted).unwrap().deviations, first.deviations);
}

/// Both sides of a limit: `good` passes under it, `bad` does not.
fn limit(limits: Limits, good: &[Value], bad: &[Value], words: &str) {
    assert!(fold_within(&exchange("SendStreamingMessage", good), &limits).is_ok(), "{words}");
    match fold_within(&exchange("SendStreamingMessage", bad), &limits).unwrap_err() {
        ExchangeError::Limit { what } => assert!(what.contains(words), "{what}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_limit_has_two_sides() {
    let none = Limits::default();
    let art = |parts: Value| completed(json!({"artifacts": [{"artifactId": "ab", "name": "cd", "parts": parts}]}));
    let one = |part: Value| [art(json!([part]))];
    let two = |part: Value| [art(json!([part, part]))];
    let text = |text: &str| json!({"text": text});
    limit(
        Limits { events: 2, ..none.clone() },
        &vec![art(json!([])); 2],
        &vec![art(json!([])); 3],
        "more than 2 events; the last state was completed",
    );
    limit(
        Limits { text_chars: 3, ..none.clone() },
        &one(text("日本語")),
        &one(text("日本語x")),
        "4 characters of text",
    );
    limit(Limits { text_chars: 3, ..none.clone() }, &two(text("a")), &two(text("ab")), "5 characters of text");
    limit(
        Limits { structured_parts: 1, ..none.clone() },
        &one(json!({"data": 1})),
        &two(json!({"data": 1})),
        "2 data parts",
    );
    // `[1,2]` is five bytes, the artifact's id and name are four, the media type is three.
    let data = json!({"data": [1, 2], "mediaType": "a/b"});
    limit(
        Limits { structured_bytes: 12, ..none.clone() },
        &one(data.clone()),
        &one(json!({"data": [1, 22], "mediaType": "a/b"})),
        "13 bytes of structured data",
    );
    limit(
        Limits { raw_bytes: 2, ..none.clone() },
        &one(json!({"raw": "aGk="})),
        &one(json!({"raw": "aGlp"})),
        "3 bytes of inline content",
    );
    limit(
        Limits { file_parts: 1, ..none.clone() },
        &one(json!({"url": "u"})),
        &two(json!({"url": "u"})),
        "2 file parts",
    );
    limit(
        Limits { url_chars: 3, ..none.clone() },
        &one(json!({"url": "u:é"})),
        &one(json!({"url": "u:éé"})),
        "URL of a file part has 4 characters",
    );
    limit(
        Limits { filename_chars: 1, ..none.clone() },
        &one(json!({"url": "", "filename": "a"})),
        &one(json!({"url": "", "filename": "ab"})),
        "file name",
    );
    limit(
        Limits { media_type_chars: 3, ..none.clone() },
        &one(json!({"url": "", "mediaType": "a/b"})),
        &one(json!({"url": "", "mediaType": "a/bc"})),
        "media type",
    );
    limit(
        Limits { artifact_id_chars: 2, ..none.clone() },
        &one(json!({"url": ""})),
        &[completed(json!({"artifacts": [{"artifactId": "abc", "parts": [{"url": ""}]}]}))],
        "artifact id",
    );
    limit(
        Limits { artifact_name_chars: 2, ..none },
        &one(json!({"url": ""})),
        &[completed(json!({"artifacts": [{"artifactId": "a", "name": "abc", "parts": [{"url": ""}]}]}))],
        "artifact name",
    );
}

#[test]
fn replaced_content_no_longer_counts() {
    let limits = Limits { text_chars: 4, ..Limits::default() };
    let events = [completed(json!({})), chunk("abcd", false, false), chunk("efgh", false, false)];
    assert_eq!(fold_within(&exchange("SendStreamingMessage", &events), &limits).unwrap().text, "efgh");
    let events = [completed(json!({})), chunk("abcd", false, false), chunk("e", true, false)];
    assert!(fold_within(&exchange("SendStreamingMessage", &events), &limits).is_err());
}

#[test]
fn lists_of_tasks_are_looked_into_for_deviations() {
    let mut notes = crate::client::notes::Notes::default();
    let body = json!({"tasks": [{"id": "t", "status": {"state": "TASK_STATE_COMPLETED", "timestamp": "2026-11-30T10:00:00"}}],
        "nextPageToken": "", "pageSize": "50", "totalSize": 1});
    crate::client::decode::read("ListTasks", &body, &mut notes).unwrap();
    let found: Vec<(&str, Option<String>)> = notes.into_list().into_iter().map(|note| (note.code, note.path)).collect();
    assert_eq!(
        found,
        [("timestamp", Some("/tasks/0/status/timestamp".into())), ("string-number", Some("/pageSize".into()))]
    );
}
