//! How contracts ask: with a message that shows the behaviour, and with every extension that the card requires.

use a2a_host_sdk::Value;
use a2a_host_sdk::pack::{Agent, Options};

/// An extension of the card.
pub(crate) struct CardExtension {
    pub(crate) uri: String,
    pub(crate) required: bool,
}

/// The extensions that the card offers, in its order.
pub(crate) fn card_extensions(agent: &Agent) -> Result<Vec<CardExtension>, String> {
    let card = agent.card().map_err(|failure| format!("the card could not be read: {}", failure.words()))?;
    let offered = card.body["capabilities"]["extensions"].as_array().cloned().unwrap_or_default();
    let extension = |entry: &Value| {
        let uri = entry["uri"].as_str().filter(|uri| !uri.is_empty())?.to_owned();
        Some(CardExtension { uri, required: entry["required"].as_bool().unwrap_or(false) })
    };
    Ok(offered.iter().filter_map(extension).collect())
}

/// Options with the required extensions and those that the behaviour asks for: a server that requires an extension
/// refuses whoever leaves it out (§3.3.4), and that is another contract's matter.
pub(crate) fn options(agent: &Agent, behaviour: &str) -> Result<Options, String> {
    let offered = card_extensions(agent)?;
    let mut uris: Vec<String> = offered.into_iter().filter(|extension| extension.required).map(|it| it.uri).collect();
    let asked = agent.stimulus(behaviour).map(|stimulus| stimulus.extensions).unwrap_or_default();
    for uri in asked {
        if !uris.contains(&uri) {
            uris.push(uri);
        }
    }
    Ok(Options::default().extensions(uris))
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::json;
    use a2a_host_sdk::pack::Failure;
    use a2a_host_sdk::testing::ScriptedAgent;

    use super::*;

    #[test]
    fn required_extensions_go_along_with_those_of_the_behaviour() {
        let card = json!({"capabilities": {"extensions": [
            {"uri": "urn:a"}, {"uri": "urn:b", "required": true}, {"uri": ""}, {"required": true},
        ]}});
        let scripted = ScriptedAgent::new(card).stimulus("x", "x", None).stimulus_extensions(&["urn:c", "urn:b"]);
        assert_eq!(options(&scripted.agent(), "x").unwrap().extensions, ["urn:b", "urn:c"]);
        assert_eq!(options(&scripted.agent(), "other").unwrap().extensions, ["urn:b"]);
        let scripted = ScriptedAgent::without_card(Failure::Transport("refused".into()));
        assert!(options(&scripted.agent(), "x").unwrap_err().contains("refused"));
    }
}
