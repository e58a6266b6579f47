use super::card::AgentCard;
use super::error::ClientError;

/// Holds the extensions that the user asks for against the card's (§4.6): each must be advertised, and each that the
/// card requires must be asked for. Both problems are reported together; the text of the error shows the lines to write.
pub fn check_extensions(card: &AgentCard, requested: &[String]) -> Result<(), ClientError> {
    let mut unknown: Vec<String> =
        requested.iter().filter(|uri| !card.extensions.iter().any(|known| known.uri == **uri)).cloned().collect();
    let mut missing: Vec<String> = card
        .extensions
        .iter()
        .filter(|extension| extension.required && !requested.contains(&extension.uri))
        .map(|extension| extension.uri.clone())
        .collect();
    for list in [&mut unknown, &mut missing] {
        list.sort();
        list.dedup();
    }
    if unknown.is_empty() && missing.is_empty() {
        return Ok(());
    }
    Err(ClientError::Extensions { unknown, missing, requested: requested.to_vec() })
}

/// The text of [`ClientError::Extensions`], with the list as it should stand in the contract.
pub(crate) fn explain(unknown: &[String], missing: &[String], requested: &[String]) -> String {
    let mut text = String::new();
    if !missing.is_empty() {
        text.push_str(&format!("the agent requires extensions that are not asked for: {}", join(missing)));
    }
    if !unknown.is_empty() {
        if !text.is_empty() {
            text.push_str("; ");
        }
        text.push_str(&format!("the agent does not advertise extensions that are asked for: {}", join(unknown)));
    }
    let wanted: Vec<&String> = requested.iter().filter(|uri| !unknown.contains(uri)).chain(missing.iter()).collect();
    text.push_str("\n\nwrite in the contract:\n\nagent:\n");
    if wanted.is_empty() {
        text.push_str("  extensions: []\n");
    } else {
        text.push_str("  extensions:\n");
        for uri in wanted {
            text.push_str(&format!("    - {}\n", yaml(uri)));
        }
    }
    text
}

fn join(uris: &[String]) -> String {
    uris.iter().map(|uri| super::excerpt::clean(uri)).collect::<Vec<_>>().join(", ")
}

/// A URI as a YAML scalar: plain where that is surely the same string, else in double quotes.
fn yaml(uri: &str) -> String {
    let plain = uri.starts_with(|c: char| c.is_ascii_alphabetic())
        && !uri.ends_with(':')
        && uri.contains(':')
        && uri.chars().all(|c| c.is_ascii_alphanumeric() || "-._~:/?[]@!$&'()*+;=%".contains(c));
    if plain { uri.to_owned() } else { serde_json::Value::from(super::excerpt::clean(uri)).to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn card() -> AgentCard {
        AgentCard::read(&json!({
            "name": "n", "supportedInterfaces": [{"url": "http://h/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
            "capabilities": {"extensions": [{"uri": "urn:x:req", "required": true}, {"uri": "urn:x:opt"}]},
        }))
        .unwrap()
    }

    #[test]
    fn what_fits_passes() {
        assert_eq!(check_extensions(&card(), &["urn:x:req".into()]), Ok(()));
        assert_eq!(check_extensions(&card(), &["urn:x:opt".into(), "urn:x:req".into()]), Ok(()));
    }

    #[test]
    fn both_problems_come_together_with_the_lines_to_write() {
        let error = check_extensions(&card(), &["urn:x:opt".into(), "urn:nope".into()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the agent requires extensions that are not asked for: urn:x:req; the agent does not advertise extensions \
             that are asked for: urn:nope\n\nwrite in the contract:\n\nagent:\n  extensions:\n    - urn:x:opt\n    \
             - urn:x:req\n"
        );
        let ClientError::Extensions { unknown, missing, .. } = error else { panic!("{error}") };
        assert_eq!((unknown, missing), (vec!["urn:nope".to_owned()], vec!["urn:x:req".to_owned()]));
    }

    #[test]
    fn an_odd_uri_is_quoted() {
        assert_eq!(yaml("https://x.test/e#v1"), "\"https://x.test/e#v1\"");
        assert_eq!(yaml("https://x.test/e?v=1"), "https://x.test/e?v=1");
        assert_eq!(yaml("urn:a: b"), "\"urn:a: b\"");
    }
}
