use axum::http::{HeaderMap, Uri};

use super::plugins::Extensions;
use crate::a2a::{A2A_EXTENSIONS, A2A_VERSION, split_extensions};

/// What came beside the request itself, whatever the binding (§3.2.6).
#[derive(Clone, Debug, Default)]
pub(crate) struct CallContext {
    /// `A2A-Version` as sent; none where there was none.
    pub(crate) version: Option<String>,
    /// URIs in `A2A-Extensions`, sorted.
    pub(crate) requested: Vec<String>,
    /// Those of them that the agent knows, sorted.
    pub(crate) activated: Vec<String>,
    /// Headers in order of arrival, names in lower case, without those that carry credentials.
    pub(crate) headers: Vec<(String, String)>,
    /// The tenant that the request names; set once the request was read.
    pub(crate) tenant: Option<String>,
}

impl CallContext {
    /// Reads the service parameters of an HTTP request. A client may give the version as a query parameter instead (§3.6.1).
    pub(crate) fn from_http(headers: &HeaderMap, uri: &Uri, extensions: &Extensions) -> Self {
        let text = |name: &str| headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
        let version = text(A2A_VERSION).next().map(str::to_owned).or_else(|| {
            url::form_urlencoded::parse(uri.query()?.as_bytes())
                .find(|(name, _)| name.eq_ignore_ascii_case(A2A_VERSION))
                .map(|(_, value)| value.into_owned())
        });
        let requested = split_extensions(text(A2A_EXTENSIONS));
        let headers = headers
            .iter()
            .filter(|(name, _)| !carries_credentials(name.as_str()))
            // Bytes that are no text cannot be shown to a plugin as text.
            .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
            .collect();
        CallContext { version, activated: extensions.activated(&requested), requested, headers, tenant: None }
    }
}

/// Whether a header may hold a secret: those of HTTP itself, and the names that API keys go by.
fn carries_credentials(name: &str) -> bool {
    const WORDS: [&str; 8] = ["auth", "cookie", "token", "secret", "password", "credential", "api-key", "apikey"];
    WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(uri: &str, pairs: &[(&'static str, &'static str)]) -> CallContext {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        CallContext::from_http(&headers, &uri.parse().unwrap(), &Extensions::default())
    }

    #[test]
    fn the_first_header_wins_over_later_ones_and_over_the_query() {
        let version = |uri, pairs: &[_]| context(uri, pairs).version;
        assert_eq!(version("/", &[]), None);
        assert_eq!(version("/?A2A-Version=1.0", &[]).as_deref(), Some("1.0"));
        assert_eq!(version("/?x=1&a2a-version=1%2E0", &[]).as_deref(), Some("1.0"));
        assert_eq!(
            version("/?A2A-Version=1.0", &[("a2a-version", "0.3"), ("a2a-version", "1.0")]).as_deref(),
            Some("0.3")
        );
    }

    #[test]
    fn handlers_never_see_credentials() {
        let names = ["authorization", "proxy-authorization", "cookie", "x-api-key", "x-auth-token", "x-client-secret"];
        let mut pairs: Vec<_> = names.into_iter().map(|name| (name, "hidden")).collect();
        pairs.push(("x-trace", "7"));
        assert_eq!(context("/", &pairs).headers, [("x-trace".to_owned(), "7".to_owned())]);
    }

    #[test]
    fn several_extension_headers_are_one_set_and_unknown_ones_activate_nothing() {
        let context = context("/", &[("a2a-extensions", "urn:b, urn:a"), ("a2a-extensions", "urn:b")]);
        assert_eq!(context.requested, ["urn:a", "urn:b"]);
        assert!(context.activated.is_empty());
    }
}
