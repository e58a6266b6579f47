//! The HTTP client below every binding: no redirects, no cookies, no decompression, no retries, system trust.

use std::error::Error as _;
use std::net::IpAddr;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use url::{Host, Url};

use super::error::ClientError;
use super::options::ClientOptions;
use crate::a2a::Response;

/// Makes ring the process's TLS provider. May be called any number of times; a provider that somebody else installed
/// stays. Without one, building an HTTP client panics.
pub fn install_tls_provider() {
    // An error says that there is one already, which is all that is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// An idle connection is dropped before servers do: common ones close after 5 s, and a request sent into a connection
/// that is just being closed would be lost, since nothing is ever sent twice.
const IDLE: Duration = Duration::from_secs(2);

/// Sends requests: directly, or through the proxy that `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` name.
/// reqwest obeys these for loopback hosts too unless `NO_PROXY` lists them; here loopback hosts always go direct.
#[derive(Clone, Debug)]
pub(crate) struct Http {
    direct: reqwest::Client,
    proxied: Option<reqwest::Client>,
}

impl Http {
    pub(crate) fn new(options: &ClientOptions) -> Result<Self, ClientError> {
        install_tls_provider();
        let may_leave = options.allow_cross_origin_interfaces;
        let proxied = if options.no_proxy || (is_local(&options.base_url) && !may_leave) {
            None
        } else {
            Some(build(true, options)?)
        };
        Ok(Http { direct: build(false, options)?, proxied })
    }

    /// The client for a URL.
    pub(crate) fn to(&self, url: &Url) -> &reqwest::Client {
        match &self.proxied {
            Some(client) if !is_local(url) => client,
            _ => &self.direct,
        }
    }
}

fn build(proxied: bool, options: &ClientOptions) -> Result<reqwest::Client, ClientError> {
    let builder = || {
        let builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .pool_idle_timeout(IDLE)
            .user_agent(concat!("a2a-host/", env!("CARGO_PKG_VERSION")));
        if proxied { builder } else { builder.no_proxy() }
    };
    let without_roots = || builder().tls_certs_only(std::iter::empty()).build();
    let secure = options.base_url.scheme() == "https";
    // Reading the system's certificates takes milliseconds and fails where there are none (small containers), so a
    // plain-text agent on this machine is spared both.
    let built = if secure || proxied || options.allow_cross_origin_interfaces {
        builder().build().or_else(|error| if secure { Err(error) } else { without_roots() })
    } else {
        without_roots()
    };
    built.map_err(|error| {
        let why = describe(&error);
        let help = if why.contains("CA certificates") { "; install them, or name a file in SSL_CERT_FILE" } else { "" };
        ClientError::Setup { why: format!("{why}{help}") }
    })
}

/// Loopback, or the unspecified address that some agents write into their card and that only this machine can mean.
pub(crate) fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback() || ip.is_unspecified(),
        Some(Host::Ipv6(ip)) => {
            ip.is_loopback() || ip.is_unspecified() || ip.to_ipv4_mapped().is_some_and(|ip| ip.is_loopback())
        }
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost"
                || name.ends_with(".localhost")
                || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
        }
        None => false,
    }
}

/// The causes of a transport error, outermost first, each once. The URL is left out: it may hold a key, and the caller
/// names the place itself.
pub(crate) fn describe(error: &reqwest::Error) -> String {
    let mut causes: Vec<String> = Vec::new();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        if causes.last() != Some(&text) {
            causes.push(text);
        }
        source = cause.source();
    }
    // "client error (Connect)" and the like say less than what follows them.
    if causes.len() > 1 {
        causes.retain(|cause| !cause.starts_with("client error ("));
    }
    if causes.is_empty() {
        // Only the kind is left: "builder error", "error sending request".
        let text = error.to_string();
        return super::excerpt::clean(text.split(" for url").next().unwrap_or(&text));
    }
    let mut text = super::excerpt::clean(&causes.join(": "));
    if text.contains("InvalidContentType") {
        text.push_str("; the peer does not seem to speak TLS: is the URL meant to begin with http://?");
    }
    text
}

/// The body ended before its length or its terminator said so; otherwise the connection broke.
pub(crate) fn ended_early(error: &reqwest::Error) -> bool {
    let mut source = error.source();
    while let Some(cause) = source {
        let io = cause.downcast_ref::<std::io::Error>();
        if io.is_some_and(|io| io.kind() == std::io::ErrorKind::UnexpectedEof) {
            return true;
        }
        source = cause.source();
    }
    false
}

/// Status and headers of an answer.
pub(crate) fn head(response: &reqwest::Response) -> Response {
    Response {
        http_status: Some(response.status().as_u16()),
        headers: response
            .headers()
            .iter()
            // A header value need not be UTF-8; what is not becomes U+FFFD.
            .map(|(name, value)| (name.as_str().to_owned(), header_text(value.as_bytes())))
            .collect(),
        ..Response::default()
    }
}

/// Checks a header of the user's.
pub(crate) fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), ClientError> {
    let fail = |why| ClientError::Header { name: super::excerpt::clean(name), why };
    let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| fail("the name is no HTTP header name"))?;
    let mut value = HeaderValue::from_bytes(value.as_bytes())
        .map_err(|_| fail("the value has a line break or another control character"))?;
    value.set_sensitive(true);
    Ok((parsed, value))
}

/// The headers of a request as text, in order, for the record.
pub(crate) fn recorded(headers: &HeaderMap) -> Vec<(String, String)> {
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), header_text(value.as_bytes()))).collect()
}

/// The value of a header. RFC 9110 §5.5 leaves bytes beyond ASCII open; where they are no UTF-8 they are read as Latin-1, as
/// HTTP once had it, so that nothing is lost.
fn header_text(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(|byte| char::from(*byte)).collect(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_values_lose_nothing() {
        assert_eq!(header_text("p\u{e4}ss".as_bytes()), "p\u{e4}ss");
        assert_eq!(header_text(b"p\xe4ss"), "p\u{e4}ss");
    }

    #[test]
    fn loopback_in_all_its_spellings_is_local() {
        for local in [
            "http://127.0.0.1:9",
            "http://127.8.9.1/x",
            "http://localhost",
            "http://a.localhost.:1",
            "http://[::1]",
            "http://0.0.0.0:1",
            "http://[::ffff:127.0.0.1]",
        ] {
            assert!(is_local(&Url::parse(local).unwrap()), "{local}");
        }
        for remote in ["http://10.0.0.1", "http://localhost.test", "http://notlocalhost", "http://[fd00::1]"] {
            assert!(!is_local(&Url::parse(remote).unwrap()), "{remote}");
        }
    }

    #[test]
    fn only_a_remote_host_gets_the_proxied_client() {
        let remote = Url::parse("http://agent.test/").unwrap();
        let local = Url::parse("http://127.0.0.1:1/").unwrap();
        let http = Http::new(&ClientOptions::new(remote.clone())).unwrap();
        assert!(http.proxied.is_some());
        assert!(std::ptr::eq(http.to(&local), &http.direct));
        assert!(!std::ptr::eq(http.to(&remote), &http.direct));
        let http = Http::new(&ClientOptions { no_proxy: true, ..ClientOptions::new(remote) }).unwrap();
        assert!(http.proxied.is_none());
        assert!(Http::new(&ClientOptions::new(local)).unwrap().proxied.is_none());
    }

    #[test]
    fn a_bad_header_is_named_without_its_value() {
        let error = header("X-Key", "secret\n1").unwrap_err().to_string();
        assert!(error.contains("`X-Key`") && !error.contains("secret"), "{error}");
        assert!(header("no blank", "x").is_err());
        assert!(header("x-key", "é").is_ok());
    }
}
