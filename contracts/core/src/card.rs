//! Category agent-card: the public card (§4.4, §8.2).

use a2a_host_sdk::pack::{Agent, Contract, Failure, Outcome, Reply, Response};
use a2a_host_sdk::{Finding, Map, Value};

use crate::judgement::Judgement;
use crate::shape::{Shape, of_answer};

pub(crate) fn contracts() -> Vec<Contract> {
    vec![
        Contract::must(
            "card.well-known",
            "agent-card",
            "serves its card as JSON at the well-known address",
            well_known,
        )
        .spec("§8.2")
        .once_per_server(),
        Contract::must(
            "card.required-fields",
            "agent-card",
            "names everything in its card that the specification requires",
            required_fields,
        )
        .spec("§4.4.1")
        .once_per_server(),
    ]
}

/// The card comes with status 200 as a JSON object that has a name. Caching headers SHOULD be there (§8.6.1).
fn well_known(agent: &Agent) -> Outcome {
    let mut judgement = Judgement::default();
    let Some(reply) = fetch(agent, &mut judgement)? else { return judgement.outcome() };
    judgement.deviations(&reply.deviations);
    http(&reply.response, &mut judgement);
    let mut shape = of_answer(&mut judgement);
    if let Some(card) = shape.object(&reply.body, "", "an AgentCard") {
        shape.required_text(card, "", "name", "the card");
    }
    for header in ["cache-control", "etag"] {
        let value = reply.response.header(header);
        if value.is_none() {
            judgement.note(format!("the card has no `{header}` header, which §8.6.1 asks for (SHOULD)"));
        } else if value.is_some_and(|value| header == "cache-control" && !value.contains("max-age")) {
            judgement.note("the card's `cache-control` names no max-age, which §8.6.1 asks for (SHOULD)");
        }
    }
    judgement.outcome()
}

fn http(response: &Response, judgement: &mut Judgement) {
    match response.http_status {
        Some(200) => {}
        status => {
            let actual = status.map_or_else(|| "none".to_owned(), |status| status.to_string());
            let finding = Finding::new("http-status", format!("the card comes with HTTP status {actual}"));
            judgement.fail(finding.expected("200").actual(actual).rule("§8.2"));
        }
    }
    let given = response.header("content-type").unwrap_or_default();
    let media_type = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let json =
        media_type == "application/json" || (media_type.starts_with("application/") && media_type.ends_with("+json"));
    if !json {
        let shown = if given.is_empty() { "no media type" } else { given };
        let finding = Finding::new("content-type", format!("the card comes as {shown}, not as JSON"));
        judgement.fail(finding.expected("application/json").actual(given).rule("§8.2"));
    }
}

/// Every required member is there with its type; lists that must hold something do. All that is missing is told at once.
fn required_fields(agent: &Agent) -> Outcome {
    let mut judgement = Judgement::default();
    let Some(reply) = fetch(agent, &mut judgement)? else { return judgement.outcome() };
    judgement.deviations(&reply.deviations);
    let mut shape = of_answer(&mut judgement);
    let Some(card) = shape.object(&reply.body, "", "an AgentCard") else { return judgement.outcome() };
    if let Some(version) = legacy(card) {
        let message = format!("this is a card of A2A {version}: it has `url` and no `supportedInterfaces`");
        let finding = Finding::new("legacy-card", message).path("/supportedInterfaces").expected("a card of A2A 1.0");
        judgement.fail(finding.actual(version).rule("§4.4.1").fix("name each interface in `supportedInterfaces`"));
        return judgement.outcome();
    }
    members(card, &mut shape);
    if card.get("skills").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        judgement.note("the list of skills is empty: §5.7 asks for one, the example of §8.4.1 has none");
    }
    judgement.outcome()
}

/// The version that a card of A2A 0.3 has, where it is one and nothing more.
fn legacy(card: &Map<String, Value>) -> Option<&str> {
    let there = |name: &str| card.get(name).is_some_and(|value| !value.is_null());
    if there("supportedInterfaces") || there("supported_interfaces") || !there("url") {
        return None;
    }
    Some(card.get("protocolVersion").and_then(Value::as_str).unwrap_or("0.3"))
}

const MEMBERS: [&str; 14] = [
    "name",
    "description",
    "supportedInterfaces",
    "provider",
    "version",
    "documentationUrl",
    "capabilities",
    "securitySchemes",
    "securityRequirements",
    "defaultInputModes",
    "defaultOutputModes",
    "skills",
    "signatures",
    "iconUrl",
];

fn members(card: &Map<String, Value>, shape: &mut Shape) {
    const CARD: &str = "the card";
    shape.spelling(card, "", &MEMBERS);
    shape.required_text(card, "", "name", CARD);
    // It must be there, but the example of §8.4.1 has it empty.
    if let Some(description) = shape.required(card, "", "description", CARD) {
        shape.text(description, "/description");
    }
    for (path, entry) in shape.filled_list(card, "", "supportedInterfaces", CARD) {
        let Some(entry) = shape.object(entry, &path, "an AgentInterface") else { continue };
        shape.spelling(entry, &path, &["url", "protocolBinding", "tenant", "protocolVersion"]);
        for name in ["url", "protocolBinding", "protocolVersion"] {
            shape.required_text(entry, &path, name, "an AgentInterface");
        }
    }
    shape.required_text(card, "", "version", CARD);
    if let Some(capabilities) = shape.required(card, "", "capabilities", CARD)
        && let Some(capabilities) = shape.object(capabilities, "/capabilities", "AgentCapabilities")
    {
        let flags = ["streaming", "pushNotifications", "extendedAgentCard"];
        shape.spelling(
            capabilities,
            "/capabilities",
            &["streaming", "pushNotifications", "extendedAgentCard", "extensions"],
        );
        for name in flags {
            shape.optional_flag(capabilities, "/capabilities", name);
        }
        for (path, entry) in shape.optional_list(capabilities, "/capabilities", "extensions") {
            shape.object(entry, &path, "an AgentExtension");
        }
    }
    for name in ["defaultInputModes", "defaultOutputModes"] {
        for (path, mode) in shape.filled_list(card, "", name, CARD) {
            shape.text(mode, &path);
        }
    }
    if let Some(skills) = shape.required(card, "", "skills", CARD) {
        for (path, entry) in shape.list(skills, "/skills") {
            skill(entry, &path, shape);
        }
    }
    if let Some(provider) = shape.optional(card, "", "provider")
        && let Some(provider) = shape.object(provider, "/provider", "an AgentProvider")
    {
        for name in ["organization", "url"] {
            shape.required_text(provider, "/provider", name, "an AgentProvider");
        }
    }
}

fn skill(entry: &Value, path: &str, shape: &mut Shape) {
    let Some(entry) = shape.object(entry, path, "an AgentSkill") else { return };
    let known = ["id", "name", "description", "tags", "examples", "inputModes", "outputModes", "securityRequirements"];
    shape.spelling(entry, path, &known);
    for name in ["id", "name"] {
        shape.required_text(entry, path, name, "an AgentSkill");
    }
    if let Some(description) = shape.required(entry, path, "description", "an AgentSkill") {
        shape.text(description, &format!("{path}/description"));
    }
    for (path, tag) in shape.filled_list(entry, path, "tags", "an AgentSkill") {
        shape.text(tag, &path);
    }
}

/// The card; none, with a finding, where there was none to be had: a server without a card breaks these contracts.
fn fetch(agent: &Agent, judgement: &mut Judgement) -> Result<Option<Reply>, String> {
    let result = match agent.card() {
        Err(failure @ (Failure::Transport(_) | Failure::Other(_))) => {
            let message = format!("the card could not be fetched: {}", failure.words());
            judgement.fail(Finding::new("no-card", message).rule("§8.2"));
            return Ok(None);
        }
        result => result,
    };
    judgement.answer("the card", result)
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::json;
    use a2a_host_sdk::testing::ScriptedAgent;

    use super::*;
    use crate::test_support::{card, changed, codes, findings, notes, places};

    const CACHED: [(&str, &str); 3] =
        [("content-type", "application/json; charset=utf-8"), ("cache-control", "max-age=60"), ("etag", "\"1\"")];

    fn both(scripted: &ScriptedAgent) -> [Vec<(String, String)>; 2] {
        [well_known, required_fields].map(|verify| places(&verify(&scripted.agent())))
    }

    #[test]
    fn a_good_card_passes_both() {
        let scripted = ScriptedAgent::new(card()).card_response(200, &CACHED);
        for verify in [well_known, required_fields] {
            assert_eq!(notes(&verify(&scripted.agent())), [""; 0]);
        }
    }

    #[test]
    fn caching_headers_are_notes() {
        let plain = [("Content-Type", "application/a2a+json")];
        let scripted = ScriptedAgent::new(card()).card_response(200, &plain);
        assert_eq!(notes(&well_known(&scripted.agent())).len(), 2);
        let mut headers = CACHED;
        headers[1].1 = "no-store";
        let scripted = ScriptedAgent::new(card()).card_response(200, &headers);
        assert!(notes(&well_known(&scripted.agent()))[0].contains("max-age"));
    }

    #[test]
    fn the_answer_is_json_with_status_200() {
        for (status, content_type, code) in
            [(200, "text/html", "content-type"), (200, "", "content-type"), (404, "application/json", "http-status")]
        {
            let scripted = ScriptedAgent::new(card()).card_response(status, &[("content-type", content_type)]);
            assert_eq!(codes(&well_known(&scripted.agent())), [code]);
        }
    }

    #[test]
    fn a_card_that_is_no_object_is_one_finding_each() {
        for body in [json!([]), json!(null), json!("x")] {
            let [well_known, required_fields] = both(&ScriptedAgent::new(body));
            assert_eq!(well_known, [("wrong-type".into(), String::new())]);
            assert_eq!(required_fields, [("wrong-type".into(), String::new())]);
        }
    }

    #[test]
    fn the_name_is_a_string_that_says_something() {
        for (name, code) in [(json!(7), "wrong-type"), (json!(""), "empty-member"), (json!(null), "missing-member")] {
            let scripted = ScriptedAgent::new(changed(&card(), "/name", Some(name)));
            assert_eq!(both(&scripted), [vec![(code.into(), "/name".into())], vec![(code.into(), "/name".into())]]);
        }
    }

    #[test]
    fn everything_that_is_missing_is_told_at_once() {
        let outcome = required_fields(&ScriptedAgent::new(json!({})).agent());
        let paths: Vec<String> = findings(&outcome).into_iter().filter_map(|finding| finding.path).collect();
        let all = [
            "/name",
            "/description",
            "/supportedInterfaces",
            "/version",
            "/capabilities",
            "/defaultInputModes",
            "/defaultOutputModes",
            "/skills",
        ];
        assert_eq!(paths, all);
    }

    #[test]
    fn each_member_is_judged() {
        let card = card();
        for (pointer, replacement, code, place) in [
            ("/description", Some(json!(null)), "missing-member", "/description"),
            ("/description", Some(json!(0)), "wrong-type", "/description"),
            ("/version", None, "missing-member", "/version"),
            ("/supportedInterfaces", Some(json!([])), "empty-list", "/supportedInterfaces"),
            ("/supportedInterfaces", Some(json!({})), "wrong-type", "/supportedInterfaces"),
            ("/supportedInterfaces/0/url", None, "missing-member", "/supportedInterfaces/0/url"),
            (
                "/supportedInterfaces/0/protocolVersion",
                Some(json!("")),
                "empty-member",
                "/supportedInterfaces/0/protocolVersion",
            ),
            ("/capabilities", Some(json!(null)), "missing-member", "/capabilities"),
            ("/capabilities", Some(json!([])), "wrong-type", "/capabilities"),
            ("/capabilities/streaming", Some(json!("true")), "wrong-type", "/capabilities/streaming"),
            (
                "/capabilities/push_notifications",
                Some(json!(true)),
                "snake-case-member",
                "/capabilities/push_notifications",
            ),
            ("/capabilities/extensions", Some(json!({})), "wrong-type", "/capabilities/extensions"),
            ("/defaultInputModes", Some(json!(0)), "wrong-type", "/defaultInputModes"),
            ("/defaultOutputModes", Some(json!([])), "empty-list", "/defaultOutputModes"),
            ("/defaultOutputModes", Some(json!([1])), "wrong-type", "/defaultOutputModes/0"),
            ("/skills", Some(json!({})), "wrong-type", "/skills"),
            ("/skills/0/tags", Some(json!([])), "empty-list", "/skills/0/tags"),
            ("/skills/0/name", None, "missing-member", "/skills/0/name"),
            ("/provider/url", None, "missing-member", "/provider/url"),
        ] {
            let scripted = ScriptedAgent::new(changed(&card, pointer, replacement));
            let outcome = required_fields(&scripted.agent());
            assert_eq!(places(&outcome), [(code.into(), place.into())], "{pointer}");
            assert!(findings(&outcome)[0].rule.is_some() || code == "wrong-type");
        }
        let outcome =
            required_fields(&ScriptedAgent::new(changed(&card, "/skills", Some(json!([{"id": "s"}])))).agent());
        assert_eq!(codes(&outcome), ["missing-member"; 3]);
    }

    #[test]
    fn an_empty_list_of_skills_is_a_note() {
        let scripted = ScriptedAgent::new(changed(&card(), "/skills", Some(json!([]))));
        assert!(notes(&required_fields(&scripted.agent()))[0].contains("skills"));
    }

    #[test]
    fn a_card_of_0_3_is_one_finding() {
        let old = json!({"name": "old", "url": "http://h/", "protocolVersion": "0.3.0", "skills": []});
        let outcome = required_fields(&ScriptedAgent::new(old).agent());
        assert_eq!(codes(&outcome), ["legacy-card"]);
        assert!(findings(&outcome)[0].message.contains("A2A 0.3.0"));
        // Beside the members of 1.0, those of 0.3 do no harm.
        let dual = changed(&card(), "/url", Some(json!("http://h/")));
        assert_eq!(codes(&required_fields(&ScriptedAgent::new(dual).agent())), [""; 0]);
    }

    #[test]
    fn no_card_is_a_finding_and_no_request_is_none() {
        for (failure, code) in [
            (Failure::Transport("HTTP 404".into()), "no-card"),
            (Failure::Timeout, "no-answer"),
            (Failure::Other("too long".into()), "no-card"),
        ] {
            assert_eq!(both(&ScriptedAgent::without_card(failure))[0][0].0, code);
        }
        let refused = ScriptedAgent::without_card(Failure::Refused("another origin".into()));
        assert!(well_known(&refused.agent()).unwrap_err().contains("another origin"));
    }

    #[test]
    fn what_the_host_tolerated_counts() {
        let scripted = ScriptedAgent::new(card()).deviation("the card was found at the legacy address");
        assert_eq!(codes(&well_known(&scripted.agent())), ["deviation"]);
    }
}
