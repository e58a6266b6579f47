use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};

use super::error::ClientError;
use super::http::header;
use crate::a2a::{A2A_EXTENSIONS, A2A_VERSION, PROTOCOL_VERSION, join_extensions};
use crate::sandbox::{CallOptions, VersionHeader};

/// The name that requests carry.
pub(crate) const AGENT: &str = concat!("a2a-host/", env!("CARGO_PKG_VERSION"));

/// The headers of a call. Later ones replace earlier ones of the same name: the client's defaults, the user's headers
/// where credentials are asked for, an explicit version, the headers of the call. Extensions that the user wrote into a
/// header of that name by hand are joined with those of the call.
pub(crate) fn of_call(
    user: &[(String, String)],
    call: &CallOptions,
    content_type: &'static str,
    streaming: bool,
) -> Result<HeaderMap, ClientError> {
    let user = if call.credentials { user } else { &[] };
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(ACCEPT, HeaderValue::from_static(if streaming { "text/event-stream" } else { "application/json" }));
    // Compression would delay events and change the bytes that are kept.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    if streaming {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    headers.insert(HeaderName::from_static(A2A_VERSION), HeaderValue::from_static(PROTOCOL_VERSION));
    let by_hand = user.iter().filter(|(name, _)| name.eq_ignore_ascii_case(A2A_EXTENSIONS));
    let mut extensions = call.extensions.clone();
    extensions.extend(by_hand.map(|(_, value)| value.clone()));
    if let Some(joined) = join_extensions(&extensions) {
        headers.insert(HeaderName::from_static(A2A_EXTENSIONS), header(A2A_EXTENSIONS, &joined)?.1);
    }
    let rest: Vec<(String, String)> =
        user.iter().filter(|(name, _)| !name.eq_ignore_ascii_case(A2A_EXTENSIONS)).cloned().collect();
    replace(&mut headers, &rest)?;
    match &call.version {
        VersionHeader::Current => {}
        VersionHeader::Absent => {
            headers.remove(A2A_VERSION);
        }
        VersionHeader::Value(value) => {
            headers.insert(HeaderName::from_static(A2A_VERSION), header(A2A_VERSION, value)?.1);
        }
    }
    replace(&mut headers, &call.headers)?;
    Ok(headers)
}

/// Puts headers in place of those with the same names; a name that comes twice is sent twice.
pub(crate) fn replace(headers: &mut HeaderMap, with: &[(String, String)]) -> Result<(), ClientError> {
    let mut own = HeaderMap::new();
    for (name, value) in with {
        let (name, value) = header(name, value)?;
        headers.remove(&name);
        own.append(name, value);
    }
    for (name, value) in &own {
        headers.append(name.clone(), value.clone());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn sent(user: &[(&str, &str)], call: &CallOptions, name: &str) -> Vec<String> {
        let headers = of_call(&pairs(user), call, "application/json", false).unwrap();
        headers.get_all(name).iter().map(|value| value.to_str().unwrap().to_owned()).collect()
    }

    fn with_credentials() -> CallOptions {
        CallOptions { credentials: true, ..CallOptions::default() }
    }

    #[test]
    fn the_users_headers_go_only_where_credentials_are_asked_for() {
        let user = [("Authorization", "Bearer x"), ("X-Two", "1"), ("x-two", "2"), ("Accept", "a/b")];
        assert_eq!(sent(&user, &with_credentials(), "authorization"), ["Bearer x"]);
        assert_eq!(sent(&user, &with_credentials(), "x-two"), ["1", "2"]);
        assert_eq!(sent(&user, &with_credentials(), "accept"), ["a/b"]);
        assert!(sent(&user, &CallOptions::default(), "authorization").is_empty());
        assert_eq!(sent(&user, &CallOptions::default(), "accept"), ["application/json"]);
    }

    #[test]
    fn the_version_is_said_unless_the_call_says_otherwise() {
        let version = |user: &[(&str, &str)], version: VersionHeader| {
            sent(user, &CallOptions { version, ..with_credentials() }, "a2a-version")
        };
        let own = [("A2A-Version", "0.9")];
        assert_eq!(version(&[], VersionHeader::Current), ["1.0"]);
        assert_eq!(version(&own, VersionHeader::Current), ["0.9"]);
        assert_eq!(version(&own, VersionHeader::Value("9.9".into())), ["9.9"]);
        assert!(version(&own, VersionHeader::Absent).is_empty());
    }

    #[test]
    fn extensions_are_one_sorted_header() {
        let call = CallOptions { extensions: vec!["urn:b".into(), "urn:a".into()], ..with_credentials() };
        let user = [("a2a-extensions", "urn:c, urn:a")];
        assert_eq!(sent(&user, &call, "A2A-Extensions"), ["urn:a,urn:b,urn:c"]);
        assert!(sent(&[], &with_credentials(), "a2a-extensions").is_empty());
        let call = CallOptions { headers: pairs(&[("A2A-Extensions", "urn:z")]), ..call };
        assert_eq!(sent(&user, &call, "a2a-extensions"), ["urn:z"]);
    }

    #[test]
    fn streams_ask_for_events() {
        let headers = of_call(&[], &CallOptions::default(), "application/json", true).unwrap();
        assert_eq!(headers["accept"], "text/event-stream");
        assert_eq!(headers["cache-control"], "no-store");
        assert_eq!(headers["accept-encoding"], "identity");
    }
}
