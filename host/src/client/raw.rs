//! Plain HTTP requests to the agent's own origin.

use reqwest::Method;
use reqwest::header::HeaderMap;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::error::ClientError;
use super::excerpt::clean;
use super::headers;
use super::http::{self, Http};
use super::options::ClientOptions;
use crate::sandbox::{HttpRequest, RawResponse};

/// Sends the request to the origin of `base` and reads its answer, cut off at `max_bytes`.
pub(crate) async fn send(
    http: &Http,
    options: &ClientOptions,
    base: &Url,
    request: HttpRequest,
) -> Result<RawResponse, ClientError> {
    let refuse = |why: String| ClientError::Refused { why };
    let url = on_origin(base, &request.path).map_err(refuse)?;
    let method = Method::from_bytes(request.method.as_bytes())
        .map_err(|_| refuse(format!("{} is no HTTP method", clean(&request.method))))?;
    let mut map = HeaderMap::new();
    if request.credentials {
        headers::replace(&mut map, &options.headers)?;
    }
    headers::replace(&mut map, &request.headers)?;
    let limit = request.timeout.map_or(options.timeout, |timeout| timeout.min(options.timeout));
    let started = Instant::now();
    let deadline = started + limit;
    let timed_out = || ClientError::Timeout { url: url.to_string(), limit };
    let fail = |error: reqwest::Error| ClientError::Unreachable { url: url.to_string(), why: http::describe(&error) };
    let mut outgoing = http.to(&url).request(method, url.clone()).headers(map);
    if !request.body.is_empty() {
        outgoing = outgoing.body(request.body);
    }
    let mut response = timeout_at(deadline, outgoing.send()).await.map_err(|_| timed_out())?.map_err(fail)?;
    let mut out = RawResponse { head: http::head(&response), ..RawResponse::default() };
    let max = request.max_bytes.min(options.limits.body_bytes);
    while out.raw.len() < max {
        match timeout_at(deadline, response.chunk()).await.map_err(|_| timed_out())?.map_err(fail)? {
            Some(chunk) => out.raw.extend_from_slice(&chunk[..chunk.len().min(max - out.raw.len())]),
            None => break,
        }
    }
    out.elapsed = started.elapsed();
    Ok(out)
}

/// The URL of an absolute path on the origin of `base`.
fn on_origin(base: &Url, path: &str) -> Result<Url, String> {
    if !path.starts_with('/') {
        return Err(format!("{} is no absolute path on the agent's own origin", clean(path)));
    }
    let origin = base.origin().ascii_serialization();
    let url = Url::parse(&format!("{origin}{path}")).map_err(|error| format!("{}: {error}", clean(path)))?;
    if url.origin() != base.origin() {
        return Err(format!("{} leaves the agent's own origin", clean(path)));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_on_the_origin() {
        let base = Url::parse("http://h:81/rpc?x").unwrap();
        assert_eq!(on_origin(&base, "/a?b=c").unwrap().as_str(), "http://h:81/a?b=c");
        assert_eq!(on_origin(&base, "//evil.test/x").unwrap().host_str(), Some("h"));
        for path in ["a", "", "@evil.test/", "http://evil.test/", "\\evil"] {
            assert!(on_origin(&base, path).is_err(), "{path}");
        }
    }
}
