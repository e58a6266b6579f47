use serde_json::{Value, json};

use super::violations::MAX_NAMED;
use super::{Request, SendMessageRequest, admit};
use crate::a2a::{A2aError, Content, Operation, Role};

fn good() -> Value {
    json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x"}]}})
}

fn send(body: Value) -> Result<SendMessageRequest, A2aError> {
    match admit(Operation::SendMessage, body, Some("1.0"))? {
        (Request::SendMessage(request), _) => Ok(request),
        other => panic!("{other:?}"),
    }
}

/// The request with one member of the message replaced.
fn with(name: &str, value: Value) -> Value {
    let mut body = good();
    body["message"][name] = value;
    body
}

/// The fields of the `BadRequest` detail, which must be there.
fn fields(error: &A2aError) -> Vec<String> {
    assert_eq!(error.code, -32602);
    let details = error.wire_details();
    assert_eq!(details[0]["@type"], "type.googleapis.com/google.rpc.BadRequest");
    let list = details[0]["fieldViolations"].as_array().unwrap();
    list.iter()
        .map(|violation| {
            assert!(!violation["description"].as_str().unwrap().is_empty());
            violation["field"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn all_that_is_missing_is_named_at_once() {
    for (body, expected) in [
        (json!({}), vec!["message"]),
        (json!({"message": null}), vec!["message"]),
        (json!({"message": {}}), vec!["message.messageId", "message.role", "message.parts"]),
        (
            json!({"message": {"messageId": "", "role": 0, "parts": []}}),
            vec!["message.messageId", "message.role", "message.parts"],
        ),
        (with("role", json!("ROLE_UNSPECIFIED")), vec!["message.role"]),
        (with("parts", json!([{"text": "x"}, {}, {"text": null}])), vec!["message.parts[1]", "message.parts[2]"]),
        (
            json!({"message": {"role": 1}, "configuration": {"historyLength": -1}}),
            vec!["configuration.historyLength", "message.messageId", "message.parts"],
        ),
    ] {
        assert_eq!(fields(&send(body.clone()).unwrap_err()), expected, "{body}");
    }
}

#[test]
fn what_does_not_parse_is_named_with_its_place() {
    for (body, expected) in [
        (json!([]), "the request"),
        (json!(null), "the request"),
        (json!({"message": "x"}), "message"),
        (with("role", json!("user")), "message.role"),
        (with("role", json!(99)), "message.role"),
        (with("role", json!(true)), "message.role"),
        (with("messageId", json!(7)), "message.messageId"),
        (with("contextId", json!({})), "message.contextId"),
        (with("parts", json!({"text": "x"})), "message.parts"),
        (with("parts", json!([null])), "message.parts[0]"),
        (with("parts", json!([{"text": 1}])), "message.parts[0].text"),
        (with("parts", json!([{"text": "a", "url": "http://x/"}])), "message.parts[0]"),
        (with("parts", json!([{"text": "", "data": null}])), "message.parts[0]"),
        (with("parts", json!([{"raw": "@@@"}])), "message.parts[0].raw"),
        (with("parts", json!([{"text": "x", "metadata": []}])), "message.parts[0].metadata"),
        (with("metadata", json!("x")), "message.metadata"),
        (with("extensions", json!(["urn:a", 1])), "message.extensions[1]"),
        (with("referenceTaskIds", json!("t")), "message.referenceTaskIds"),
        (with("message_id", json!("again")), "message.messageId"),
        (
            json!({"message": good()["message"], "taskId": 1, "history_length": 1, "tenant": "a", "configuration": {"historyLength": 1, "history_length": 1}}),
            "configuration.historyLength",
        ),
        (json!({"message": good()["message"], "configuration": []}), "configuration"),
        (json!({"message": good()["message"], "configuration": {"historyLength": 1.5}}), "configuration.historyLength"),
        (
            json!({"message": good()["message"], "configuration": {"historyLength": "two"}}),
            "configuration.historyLength",
        ),
        (
            json!({"message": good()["message"], "configuration": {"historyLength": true}}),
            "configuration.historyLength",
        ),
        (
            json!({"message": good()["message"], "configuration": {"historyLength": 2_147_483_648_i64}}),
            "configuration.historyLength",
        ),
        (
            json!({"message": good()["message"], "configuration": {"returnImmediately": "true"}}),
            "configuration.returnImmediately",
        ),
        (
            json!({"message": good()["message"], "configuration": {"acceptedOutputModes": "text/plain"}}),
            "configuration.acceptedOutputModes",
        ),
        (json!({"message": good()["message"], "tenant": 1}), "tenant"),
    ] {
        assert_eq!(fields(&send(body.clone()).unwrap_err()), [expected], "{body}");
    }
}

#[test]
fn what_protojson_allows_is_taken() {
    let request = send(json!({"message": {"message_id": "m", "role": 2, "context_id": null, "task_id": "",
        "parts": [{"data": null, "media_type": "application/json", "filename": "", "unknown": 1}, {"text": ""},
            {"raw": "-_8"}, {"raw": "+/8="}]},
        "configuration": {"history_length": "2", "return_immediately": true, "blocking": false}, "future": {}}))
    .unwrap();
    let message = &request.message;
    assert_eq!((message.message_id.as_str(), message.role), ("m", Role::Agent));
    assert_eq!((&message.context_id, &message.task_id), (&None, &None), "null and empty are not set");
    assert_eq!(message.parts[0].content, Content::Data(Value::Null));
    assert_eq!(message.parts[0].media_type.as_deref(), Some("application/json"));
    assert_eq!(message.parts[0].filename, None);
    assert_eq!(message.parts[1].content, Content::Text(String::new()));
    assert_eq!(message.parts[2].content, Content::Raw(vec![0xfb, 0xff]));
    assert_eq!(message.parts[3].content, message.parts[2].content, "both alphabets, padded or not");
    assert_eq!(request.configuration.history_length, Some(2));
    assert!(request.configuration.return_immediately);
    assert!(!request.configuration.push_notification);
}

#[test]
fn whole_numbers_come_in_several_forms() {
    for (form, expected) in [
        (json!(2), 2),
        (json!(2.0), 2),
        (json!(1e1), 10),
        (json!("2"), 2),
        (json!(0), 0),
        (json!(i32::MAX), 2_147_483_647),
    ] {
        let mut body = good();
        body["configuration"] = json!({"historyLength": form});
        assert_eq!(send(body).unwrap().configuration.history_length, Some(expected));
    }
}

#[test]
fn parsing_comes_before_the_version_and_missing_members_after_it() {
    let code = |body: Value, version| admit(Operation::SendMessage, body, version).unwrap_err().code;
    assert_eq!(code(with("role", json!("user")), None), -32602);
    assert_eq!(code(json!({}), None), -32009);
    assert_eq!(code(json!({}), Some("1.0")), -32602);
    let error = admit(Operation::SendMessage, json!({"message": {"role": "user"}}), None).unwrap_err();
    assert_eq!(fields(&error), ["message.messageId", "message.role", "message.parts"], "all of it, once it is refused");
}

#[test]
fn an_answer_does_not_outgrow_its_request() {
    let parts = |count: usize| with("parts", vec![json!({}); count].into());
    let named = |count| fields(&send(parts(count)).unwrap_err()).len();
    assert_eq!(named(MAX_NAMED), MAX_NAMED);
    assert_eq!(named(MAX_NAMED + 1), MAX_NAMED);
    let message = send(parts(MAX_NAMED + 1)).unwrap_err().message;
    assert!(message.ends_with(&format!("and {MAX_NAMED} more")), "those that are not named are counted: {message}");
}

#[test]
fn the_tenant_is_read_for_every_operation() {
    for operation in [Operation::GetTask, Operation::ListTasks, Operation::GetExtendedAgentCard] {
        let (_, tenant) = admit(operation, json!({"tenant": "acme", "id": "t"}), Some("1.0")).unwrap();
        assert_eq!(tenant.as_deref(), Some("acme"));
    }
}

#[test]
fn list_parameters_have_their_limits() {
    let list = |body: Value| match admit(Operation::ListTasks, body, Some("1.0"))? {
        (Request::ListTasks(request), _) => Ok::<_, A2aError>(request),
        other => panic!("{other:?}"),
    };
    assert_eq!(list(json!({})).unwrap().page_size, 50);
    assert_eq!(list(json!({"pageSize": 1})).unwrap().page_size, 1);
    assert_eq!(list(json!({"pageSize": 100, "status": 0})).unwrap().page_size, 100);
    for (body, field) in [
        (json!({"pageSize": 0}), "pageSize"),
        (json!({"pageSize": 101}), "pageSize"),
        (json!({"pageSize": -1}), "pageSize"),
        (json!({"historyLength": -1}), "historyLength"),
        (json!({"status": "TASK_STATE_RUNNING"}), "status"),
        (json!({"status": 9}), "status"),
        (json!({"statusTimestampAfter": "yesterday"}), "statusTimestampAfter"),
        (json!({"statusTimestampAfter": 1_700_000_000}), "statusTimestampAfter"),
        (json!({"pageToken": "!"}), "pageToken"),
        (json!({"pageToken": "aGVsbG8"}), "pageToken"),
    ] {
        assert_eq!(fields(&list(body.clone()).unwrap_err()), [field], "{body}");
    }
    let all = list(json!({"pageSize": 0, "historyLength": -1, "pageToken": "!"})).unwrap_err();
    assert_eq!(fields(&all), ["pageSize", "pageToken", "historyLength"]);
}

#[test]
fn long_values_are_cut_where_they_are_shown() {
    let shown = |length: usize| send(with("role", "x".repeat(length).into())).unwrap_err().message;
    assert!(shown(40).contains(&format!("found \"{}\"", "x".repeat(40))));
    assert!(!shown(40).contains('…'));
    assert!(shown(41).contains(&format!("found \"{}\"…", "x".repeat(40))));
}
