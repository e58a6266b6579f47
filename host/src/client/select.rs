//! The choice of the interface (§8.3.2).

use url::Url;

use super::card::{AgentCard, CardInterface};
use super::codec;
use super::error::ClientError;
use super::excerpt::clean;
use super::options::ClientOptions;
use crate::a2a::{Binding, PROTOCOL_VERSION};
use crate::sandbox::Endpoint;

/// Picks the interface to speak to. The first entry of the card whose binding and version this build speaks decides the
/// binding (or `transport` does); among the entries of that binding version 1.0 is preferred, then the first later one,
/// then the first without a version.
pub(crate) fn select(card: &AgentCard, options: &ClientOptions) -> Result<Endpoint, ClientError> {
    // First, because nothing else about a card of another time helps anybody.
    if let Some(error) = legacy_only(card) {
        return Err(error);
    }
    if !options.allow_cross_origin_interfaces {
        for interface in &card.interfaces {
            same_origin(interface, &options.base_url)?;
        }
    }
    let candidates: Vec<(&CardInterface, Binding, Age)> = card
        .interfaces
        .iter()
        .filter_map(|entry| {
            let binding: Binding = entry.protocol_binding.parse().ok()?;
            let asked = options.transport.is_none_or(|wanted| wanted == binding);
            (asked && codec::of(binding).is_some()).then(|| (entry, binding, age(&entry.protocol_version)))
        })
        .collect();
    let binding = candidates.iter().find(|(_, _, age)| *age != Age::Legacy).map(|(_, binding, _)| *binding);
    let best = candidates
        .iter()
        .filter(|(_, of, age)| Some(*of) == binding && *age != Age::Legacy)
        // The first of the smallest: the order of the card decides among equals.
        .min_by_key(|(_, _, age)| *age);
    let Some((entry, binding, _)) = best else {
        return Err(nothing(card, options));
    };
    let url = Url::parse(&entry.url).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let Some(url) = url else {
        return Err(ClientError::UnreadableCard {
            url: options.base_url.to_string(),
            why: format!("its interface {} is no absolute http or https URL", clean(&entry.url)),
        });
    };
    Ok(Endpoint {
        binding: *binding,
        url: entry.url.clone(),
        path: url.path().to_owned(),
        protocol_version: entry.protocol_version.clone(),
        tenant: entry.tenant.clone(),
    })
}

/// How well a protocol version fits, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Age {
    Current,
    Later,
    Unsaid,
    Legacy,
}

/// Only major and minor count (§3.6).
fn age(version: &str) -> Age {
    if version.is_empty() {
        return Age::Unsaid;
    }
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().ok());
    match (numbers.next().flatten(), numbers.next().unwrap_or(Some(0))) {
        (Some(major), Some(minor)) => match (major, minor).cmp(&(1, 0)) {
            std::cmp::Ordering::Less => Age::Legacy,
            std::cmp::Ordering::Equal => Age::Current,
            std::cmp::Ordering::Greater => Age::Later,
        },
        // No version at all, whatever it is; as good as not said.
        _ => Age::Unsaid,
    }
}

/// Why nothing could be picked.
fn legacy_only(card: &AgentCard) -> Option<ClientError> {
    let legacy = card.interfaces.iter().all(|entry| age(&entry.protocol_version) == Age::Legacy);
    if !legacy || card.interfaces.is_empty() {
        return None;
    }
    let mut versions: Vec<String> = card.interfaces.iter().map(|entry| clean(&entry.protocol_version)).collect();
    versions.sort();
    versions.dedup();
    Some(ClientError::LegacyOnly { versions: versions.join(", ") })
}

fn nothing(card: &AgentCard, options: &ClientOptions) -> ClientError {
    let offered: Vec<String> = card
        .interfaces
        .iter()
        .map(|entry| {
            let or = |text: &str, default: &str| if text.is_empty() { default.to_owned() } else { clean(text) };
            format!(
                "{} {} at {}",
                or(&entry.protocol_binding, "(no binding)"),
                or(&entry.protocol_version, "(no version)"),
                or(&entry.url, "(no URL)")
            )
        })
        .collect();
    ClientError::NoInterface {
        wanted: options.transport.map(|binding| binding.to_string()),
        offered: offered.join(", "),
        spoken: format!(
            "{} at version {PROTOCOL_VERSION}",
            codec::spoken().map(Binding::as_str).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Every interface of a binding of the specification must be on the agent's own origin, used or not: security, host and
/// port. Interfaces of other bindings are never spoken to and may be anywhere.
fn same_origin(interface: &CardInterface, base: &Url) -> Result<(), ClientError> {
    let Ok(binding) = interface.protocol_binding.parse::<Binding>() else {
        return Ok(());
    };
    let fail = |why: String| ClientError::CrossOrigin {
        interface: if interface.url.is_empty() { "an interface without URL".into() } else { clean(&interface.url) },
        base: base.to_string(),
        why,
    };
    let base_secure = base.scheme() == "https";
    // A gRPC interface may be written as `host:port`, which says nothing of TLS.
    let bare = binding == Binding::Grpc && !interface.url.contains("://");
    let text = match (bare, base_secure) {
        (true, true) => format!("grpcs://{}", interface.url),
        (true, false) => format!("grpc://{}", interface.url),
        (false, _) => interface.url.clone(),
    };
    let url = Url::parse(&text).map_err(|error| fail(format!("it is no absolute URL ({error})")))?;
    let secure = match url.scheme() {
        "https" | "grpcs" => true,
        "http" | "grpc" => false,
        other => return Err(fail(format!("its scheme is {}, expected http, https, grpc or grpcs", clean(other)))),
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err(fail("it has a user or password".into()));
    }
    let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| fail("it has no host".into()))?;
    let port = url.port().unwrap_or(if secure { 443 } else { 80 });
    let base_host = base.host_str().unwrap_or_default();
    let base_port = base.port().unwrap_or(if base_secure { 443 } else { 80 });
    if !host.eq_ignore_ascii_case(base_host) {
        return Err(fail(format!("host {}, expected {base_host}", clean(host))));
    }
    if port != base_port {
        return Err(fail(format!("port {port}, expected {base_port}")));
    }
    if secure != base_secure {
        let word = |secure: bool| if secure { "TLS" } else { "no TLS" };
        return Err(fail(format!("{}, expected {}", word(secure), word(base_secure))));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(url: &str, binding: &str, version: &str) -> CardInterface {
        CardInterface {
            url: url.into(),
            protocol_binding: binding.into(),
            protocol_version: version.into(),
            tenant: None,
        }
    }

    fn choose(entries: &[(&str, &str, &str)], change: impl FnOnce(&mut ClientOptions)) -> Result<String, ClientError> {
        let interfaces = entries.iter().map(|(url, binding, version)| entry(url, binding, version)).collect();
        let mut options = ClientOptions::new(Url::parse("http://h:80/p").unwrap());
        change(&mut options);
        select(&AgentCard { interfaces, ..AgentCard::default() }, &options).map(|endpoint| endpoint.url)
    }

    // C051, as far as one binding is spoken.
    #[test]
    fn version_1_0_is_preferred_and_unknown_bindings_are_skipped() {
        let card = [
            ("wss://elsewhere", "https://x.test/ws/v1", ""),
            ("http://h/older", "JSONRPC", "0.3"),
            ("http://h/unsaid", "JSONRPC", ""),
            ("http://h/later", "JSONRPC", "1.1"),
            ("http://h/rest", "HTTP+JSON", "1.0"),
            ("http://h/rpc", "JSONRPC", "1.0.1"),
            ("http://h/second", "JSONRPC", "1.0"),
        ];
        assert_eq!(choose(&card, |_| ()).unwrap(), "http://h/rpc");
        assert_eq!(choose(&card[..5], |_| ()).unwrap(), "http://h/later");
        assert_eq!(choose(&card[..3], |_| ()).unwrap(), "http://h/unsaid");
        let error = choose(&card[..2], |_| ()).unwrap_err().to_string();
        assert_eq!(
            error,
            "the card offers no interface that can be used: it offers https://x.test/ws/v1 (no version) at \
             wss://elsewhere, JSONRPC 0.3 at http://h/older; this build speaks JSONRPC at version 1.0"
        );
    }

    #[test]
    fn a_binding_that_is_not_spoken_is_a_clear_error() {
        let rest = [("http://h/rest", "HTTP+JSON", "1.0"), ("http://h/rpc", "JSONRPC", "1.0")];
        assert_eq!(choose(&rest, |_| ()).unwrap(), "http://h/rpc");
        let error = choose(&rest, |options| options.transport = Some(Binding::HttpJson)).unwrap_err().to_string();
        assert_eq!(
            error,
            "the card offers no interface that can be used over HTTP+JSON, which `transport` asks for: it offers \
             HTTP+JSON 1.0 at http://h/rest, JSONRPC 1.0 at http://h/rpc; this build speaks JSONRPC at version 1.0"
        );
    }

    // C023.
    #[test]
    fn only_0_3_is_one_line() {
        let error = choose(&[("http://h/", "JSONRPC", "0.3.0")], |_| ()).unwrap_err().to_string();
        assert_eq!(error, "agent speaks A2A 0.3.0 only; this tool tests 1.0");
    }

    #[test]
    fn every_interface_must_be_on_the_agents_origin() {
        let good = ("http://h/rpc", "JSONRPC", "1.0");
        for (url, binding, why) in [
            ("http://other/", "HTTP+JSON", "host other, expected h"),
            ("http://h:81/", "HTTP+JSON", "port 81, expected 80"),
            ("https://h:80/", "HTTP+JSON", "TLS, expected no TLS"),
            ("http://u:p@h/", "HTTP+JSON", "it has a user or password"),
            ("dns:///h:80", "GRPC", "its scheme is dns, expected http, https, grpc or grpcs"),
            ("/rest", "HTTP+JSON", "it is no absolute URL (relative URL without a base)"),
            ("h:50051", "GRPC", "port 50051, expected 80"),
        ] {
            let error = choose(&[good, (url, binding, "1.0")], |_| ()).unwrap_err();
            let ClientError::CrossOrigin { why: found, .. } = &error else { panic!("{error}") };
            assert_eq!(found, why);
            assert!(error.to_string().contains("allow_cross_origin_interfaces: true"));
            let allowed = choose(&[good, (url, binding, "1.0")], |o| o.allow_cross_origin_interfaces = true);
            assert_eq!(allowed.unwrap(), "http://h/rpc");
        }
        for (url, binding) in [("h:80", "GRPC"), ("grpc://H", "GRPC"), ("http://H:80/x", "HTTP+JSON")] {
            assert!(choose(&[good, (url, binding, "1.0")], |_| ()).is_ok(), "{url}");
        }
    }
}
