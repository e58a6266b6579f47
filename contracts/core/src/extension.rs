//! Category extensions: negotiation (§3.3.4, §4.6).

use a2a_host_sdk::pack::{Agent, Contract, Options, Outcome, Reply, skipped};
use a2a_host_sdk::{Finding, Value};

use crate::judgement::Judgement;
use crate::request::{card_extensions, options};
use crate::shape::{Item, of_answer};

pub(crate) fn contracts() -> Vec<Contract> {
    vec![
        Contract::must(
            "ext.negotiation-activates",
            "extensions",
            "activates an extension for a client that asks for it, and for no other",
            negotiation_activates,
        )
        .spec("§4.6")
        .stimuli(&["extension_probe"])
        .capabilities(&["extensions"]),
    ]
}

/// Asked for an optional extension, the answer names it in `extensions` of an artifact or message (§4.6). Not asked, it
/// does not: extensions are inactive by default. The response SHOULD list what was activated in `A2A-Extensions`.
fn negotiation_activates(agent: &Agent) -> Outcome {
    let offered = card_extensions(agent)?;
    let optional: Vec<&str> =
        offered.iter().filter(|extension| !extension.required).map(|extension| extension.uri.as_str()).collect();
    let stimulus = agent.stimulus("extension_probe").map(|stimulus| stimulus.extensions).unwrap_or_default();
    let wanted = optional.iter().find(|uri| stimulus.iter().any(|asked| asked == *uri)).or(optional.first());
    let Some(uri) = wanted else { return skipped("the card offers no optional extension") };

    let with = options(agent, "extension_probe")?;
    let without: Vec<String> = with.extensions.iter().filter(|asked| asked != uri).cloned().collect();
    let without = Options { extensions: without, ..with };
    let with =
        Options { extensions: [without.extensions.clone(), vec![(*uri).to_owned()]].concat(), ..without.clone() };

    let mut judgement = Judgement::default();
    // What is not there when it is asked for proves nothing by not being there otherwise.
    let Some(reply) = probe(agent, &with, &mut judgement)? else { return judgement.outcome() };
    if let Some(tags) = tags(&reply, &mut judgement) {
        if !tags.iter().any(|(tag, _)| tag == uri) {
            let listed = tags.iter().map(|(tag, _)| tag.as_str()).collect::<Vec<_>>().join(", ");
            let message = format!("the client asked for {uri}, but no artifact or message names it");
            let finding = Finding::new("not-activated", message).expected(*uri).actual(listed).rule("§4.6");
            judgement.fail(finding.fix("list the URI in `extensions` of what the extension shaped"));
        }
        unrequested(&tags, &with, &mut judgement);
    }
    header(&reply, &with, Some(uri), &mut judgement);
    if !judgement.is_clean() {
        return judgement.outcome();
    }

    let Some(reply) = probe(agent, &without, &mut judgement)? else { return judgement.outcome() };
    if let Some(tags) = tags(&reply, &mut judgement) {
        unrequested(&tags, &without, &mut judgement);
    }
    header(&reply, &without, None, &mut judgement);
    judgement.outcome()
}

fn probe(agent: &Agent, options: &Options, judgement: &mut Judgement) -> Result<Option<Reply>, String> {
    let request = agent.message("extension_probe")?;
    let reply = judgement.answer("SendMessage", agent.call("SendMessage", &request, options))?;
    if let Some(reply) = &reply {
        judgement.deviations(&reply.deviations);
    }
    Ok(reply)
}

/// The URIs that the agent's artifacts and messages name, each with its place; none where the answer was malformed.
fn tags(reply: &Reply, judgement: &mut Judgement) -> Option<Vec<(String, String)>> {
    let holders: Vec<(String, &Value)> = match of_answer(judgement).answer(&reply.body)? {
        Item::Task(task) => {
            let artifacts = task["artifacts"].as_array().map(Vec::as_slice).unwrap_or_default();
            let artifacts = artifacts.iter().enumerate().map(|(index, it)| (format!("/task/artifacts/{index}"), it));
            let said = task["status"].get("message").map(|message| ("/task/status/message".to_owned(), message));
            artifacts.chain(said).collect()
        }
        Item::Message(message) => vec![("/message".to_owned(), message)],
        Item::Status(_) | Item::Artifact(_) => Vec::new(),
    };
    if holders.is_empty() {
        let finding = Finding::new("nothing-to-tag", "the answer has neither an artifact nor a message");
        judgement.fail(finding.path("/task/artifacts").expected("an artifact or a message that may name extensions"));
        return None;
    }
    let uris = |(path, holder): (String, &Value)| {
        let list = holder["extensions"].as_array().cloned().unwrap_or_default();
        let uri =
            move |(index, uri): (usize, Value)| Some((uri.as_str()?.to_owned(), format!("{path}/extensions/{index}")));
        list.into_iter().enumerate().filter_map(uri).collect::<Vec<_>>()
    };
    Some(holders.into_iter().flat_map(uris).collect())
}

fn unrequested(tags: &[(String, String)], options: &Options, judgement: &mut Judgement) {
    for (uri, path) in tags.iter().filter(|(uri, _)| !options.extensions.contains(uri)) {
        let finding = Finding::new("activated-unasked", format!("the client did not ask for {uri}, which is named"));
        let finding = finding.path(path).actual(uri).rule("§4.6");
        judgement.fail(finding.fix("activate only what `A2A-Extensions` of the request lists"));
    }
}

/// The header, or over gRPC the metadata, that lists what was activated.
fn header(reply: &Reply, options: &Options, activated: Option<&str>, judgement: &mut Judgement) {
    let named = |name: &str| name.eq_ignore_ascii_case("a2a-extensions");
    let values = reply.response.headers.iter().filter(|header| named(&header.name));
    let listed: Vec<&str> =
        values.flat_map(|header| header.value.split(',')).map(str::trim).filter(|uri| !uri.is_empty()).collect();
    if let Some(uri) = activated
        && !listed.contains(&uri)
    {
        judgement.note(format!("the response does not list {uri} in `A2A-Extensions` (SHOULD)"));
    }
    for uri in listed.into_iter().filter(|uri| !options.extensions.iter().any(|asked| asked == uri)) {
        let message = format!("`A2A-Extensions` of the response lists {uri}, which the client did not ask for");
        let finding = Finding::new("listed-unasked", message).expected(options.extensions.join(", "));
        judgement.fail(finding.actual(uri).rule("§4.6"));
    }
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::json;
    use a2a_host_sdk::pack::Verdict;
    use a2a_host_sdk::testing::{ScriptedAgent, protocol_failure};

    use super::*;
    use crate::test_support::{card, changed, codes, notes, places, task};

    /// An agent whose artifact names what this makes of the requested URIs.
    fn tagging(tags: impl Fn(&[String]) -> Vec<String> + 'static) -> ScriptedAgent {
        ScriptedAgent::new(card())
            .answering(move |_, _, options| {
                let task = json!({"task": task("ext")});
                Ok(changed(&task, "/task/artifacts/0/extensions", Some(json!(tags(&options.extensions)))))
            })
            .stimulus("extension_probe", "ext", None)
    }

    fn without_required(asked: &[String]) -> Vec<String> {
        asked.iter().filter(|uri| *uri != "urn:required").cloned().collect()
    }

    #[test]
    fn activation_on_request_passes() {
        let scripted = tagging(without_required).naming_extensions();
        assert_eq!(notes(&negotiation_activates(&scripted.agent())), [""; 0]);
        // Required extensions are asked for in both calls, so they may be named.
        let scripted = tagging(<[String]>::to_vec).naming_extensions();
        assert_eq!(codes(&negotiation_activates(&scripted.agent())), [""; 0]);
        let silent = tagging(without_required);
        assert_eq!(
            notes(&negotiation_activates(&silent.agent())),
            ["the response does not list urn:one in `A2A-Extensions` (SHOULD)"]
        );
    }

    #[test]
    fn messages_may_be_tagged_too() {
        let scripted = ScriptedAgent::new(card()).stimulus("extension_probe", "ext", None).naming_extensions();
        let scripted = scripted.answering(|_, _, options| {
            let parts = json!([{"text": "x"}]);
            Ok(json!({"message": {
                "messageId": "m", "role": "ROLE_AGENT", "parts": parts, "extensions": without_required(&options.extensions)}}))
        });
        assert_eq!(codes(&negotiation_activates(&scripted.agent())), [""; 0]);
    }

    #[test]
    fn the_behaviour_may_choose_the_extension() {
        let scripted = tagging(|asked| asked.iter().filter(|uri| *uri == "urn:two").cloned().collect());
        assert_eq!(codes(&negotiation_activates(&scripted.agent())), ["not-activated"]);
        let scripted = scripted.stimulus_extensions(&["urn:two"]);
        assert_eq!(codes(&negotiation_activates(&scripted.agent())), [""; 0]);
    }

    #[test]
    fn an_extension_that_is_not_activated_fails() {
        assert_eq!(codes(&negotiation_activates(&tagging(|_| Vec::new()).agent())), ["not-activated"]);
    }

    #[test]
    fn an_extension_that_is_always_active_fails() {
        let always = tagging(|_| vec!["urn:one".into()]);
        let outcome = negotiation_activates(&always.agent());
        assert_eq!(places(&outcome), [("activated-unasked".into(), "/task/artifacts/0/extensions/0".into())]);
        let more = tagging(|asked| [asked, &["urn:two".to_owned()]].concat());
        assert_eq!(codes(&negotiation_activates(&more.agent())), ["activated-unasked"]);
    }

    #[test]
    fn the_header_lists_only_what_was_asked_for() {
        let scripted = tagging(without_required).response_header("A2A-Extensions", "urn:one, urn:two");
        assert_eq!(codes(&negotiation_activates(&scripted.agent())), ["listed-unasked"]);
        // Listed in both answers, asked for in one.
        let scripted = tagging(without_required).response_header("A2A-Extensions", "urn:one");
        assert_eq!(codes(&negotiation_activates(&scripted.agent())), ["listed-unasked"]);
    }

    #[test]
    fn without_an_optional_extension_there_is_nothing_to_judge() {
        let card =
            changed(&card(), "/capabilities/extensions", Some(json!([{"uri": "urn:required", "required": true}])));
        let scripted = ScriptedAgent::new(card).stimulus("extension_probe", "ext", None);
        assert!(matches!(negotiation_activates(&scripted.agent()), Ok(Verdict::Skipped(_))));
    }

    #[test]
    fn answers_that_could_carry_no_tag_are_findings() {
        let answering = |body: Value| {
            let scripted = ScriptedAgent::new(card()).answering(move |_, _, _| Ok(body.clone()));
            negotiation_activates(&scripted.stimulus("extension_probe", "ext", None).agent())
        };
        let bare = changed(&json!({"task": task("ext")}), "/task/artifacts", None);
        assert_eq!(codes(&answering(bare)), ["nothing-to-tag"]);
        assert_eq!(codes(&answering(task("ext"))), ["missing-wrapper"]);
        let refusing = ScriptedAgent::new(card())
            .answering(|_, _, _| Err(protocol_failure(-32008, "EXTENSION_SUPPORT_REQUIRED", "no")))
            .stimulus("extension_probe", "ext", None);
        assert_eq!(codes(&negotiation_activates(&refusing.agent())), ["unexpected-error"]);
        let tolerated = tagging(without_required).deviation("`jsonrpc` is missing, expected \"2.0\"");
        assert_eq!(codes(&negotiation_activates(&tolerated.agent())), ["deviation"]);
    }
}
