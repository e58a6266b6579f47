//! Where the card is (§8.2), and how it is fetched.

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use super::error::ClientError;
use super::excerpt::{clean, excerpt};
use super::headers;
use super::http::{self, Http};
use super::options::ClientOptions;
use crate::a2a::{LEGACY_CARD_PATH, Response, WELL_KNOWN_CARD_PATH};

/// A card as it was served.
#[derive(Clone, Debug)]
pub struct FetchedCard {
    /// Where it was found.
    pub url: String,
    /// Each URL tried with its HTTP status, in order; the last one is where it was found.
    pub tried: Vec<(String, u16)>,
    /// Status and headers.
    pub response: Response,
    /// The body.
    pub raw: Bytes,
    /// The body as JSON.
    pub value: Value,
    /// From just before sending the request that succeeded to the end of its answer.
    pub elapsed: Duration,
}

/// Fetches the card from the well-known path below the base URL. Only a 404, and only where no `card_path` was given,
/// leads on to the path of older agents. A base URL that ends in `.json` is taken for the card itself.
pub(crate) async fn discover(http: &Http, options: &ClientOptions) -> Result<FetchedCard, ClientError> {
    let deadline = Instant::now() + options.timeout;
    let mut tried: Vec<(String, u16)> = Vec::new();
    let candidates = candidates(options);
    let last = candidates.len() - 1;
    for (index, url) in candidates.into_iter().enumerate() {
        let attempt = tokio::time::timeout_at(deadline, fetch(http, options, &url)).await;
        let answer = attempt.map_err(|_| ClientError::Timeout { url: url.to_string(), limit: options.timeout })??;
        let status = answer.head.http_status.unwrap_or_default();
        tried.push((url.to_string(), status));
        if (300..400).contains(&status) && status != 304 {
            let location = answer.head.header("location").map(clean);
            return Err(ClientError::Redirect { url: url.to_string(), status, location });
        }
        if status == 404 && index < last {
            continue;
        }
        if status != 200 {
            return Err(ClientError::NoCard { tried, excerpt: excerpt(&answer.raw) });
        }
        let fail = |why: String| ClientError::UnreadableCard { url: url.to_string(), why };
        if answer.raw.len() > options.limits.card_bytes {
            return Err(fail(format!("it is longer than {} bytes", options.limits.card_bytes)));
        }
        let encoding =
            answer.head.header("content-encoding").filter(|encoding| !encoding.eq_ignore_ascii_case("identity"));
        if let Some(encoding) = encoding {
            return Err(fail(format!(
                "it is compressed ({}), though `Accept-Encoding: identity` was sent",
                super::excerpt::clean(encoding)
            )));
        }
        let value = serde_json::from_slice(&answer.raw)
            .map_err(|error| fail(format!("it is no JSON ({error}): {}", excerpt(&answer.raw))))?;
        return Ok(FetchedCard {
            url: url.to_string(),
            tried,
            response: answer.head,
            raw: answer.raw,
            value,
            elapsed: answer.elapsed,
        });
    }
    // The list of candidates is never empty and its last entry always returns.
    Err(ClientError::NoCard { tried, excerpt: String::new() })
}

/// The URLs to try, in order. Path and query of the base URL are kept, its fragment is not.
fn candidates(options: &ClientOptions) -> Vec<Url> {
    let at = |path: &str| {
        let mut url = options.base_url.clone();
        url.set_fragment(None);
        url.set_path(&format!("{}/{}", url.path().trim_end_matches('/'), path.trim_start_matches('/')));
        url
    };
    match &options.card_path {
        Some(path) => {
            // The path may bring a query of its own.
            let (path, query) = path.split_once('?').map_or((path.as_str(), None), |(path, query)| (path, Some(query)));
            let mut url = at(path);
            if query.is_some() {
                url.set_query(query);
            }
            vec![url]
        }
        None if options.base_url.path().ends_with(".json") => {
            let mut url = options.base_url.clone();
            url.set_fragment(None);
            vec![url]
        }
        None => vec![at(WELL_KNOWN_CARD_PATH), at(LEGACY_CARD_PATH)],
    }
}

struct Answer {
    head: Response,
    raw: Bytes,
    elapsed: Duration,
}

async fn fetch(http: &Http, options: &ClientOptions, url: &Url) -> Result<Answer, ClientError> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    headers::replace(&mut headers, &options.headers)?;
    let fail = |error: reqwest::Error| ClientError::Unreachable { url: url.to_string(), why: http::describe(&error) };
    let started = Instant::now();
    let mut response = http.to(url).get(url.clone()).headers(headers).send().await.map_err(fail)?;
    let head = http::head(&response);
    let mut raw = Vec::new();
    // One byte more than allowed is enough to know that it is too much.
    while raw.len() <= options.limits.card_bytes {
        match response.chunk().await.map_err(fail)? {
            Some(chunk) => raw.extend_from_slice(&chunk),
            None => break,
        }
    }
    Ok(Answer { head, raw: raw.into(), elapsed: started.elapsed() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(base: &str, card_path: Option<&str>) -> Vec<String> {
        let options =
            ClientOptions { card_path: card_path.map(str::to_owned), ..ClientOptions::new(Url::parse(base).unwrap()) };
        candidates(&options).iter().map(Url::to_string).collect()
    }

    // C049.
    #[test]
    fn the_card_is_looked_for_below_the_base_path() {
        assert_eq!(
            tried("http://h/agents/a/", None),
            ["http://h/agents/a/.well-known/agent-card.json", "http://h/agents/a/.well-known/agent.json"]
        );
        assert_eq!(tried("http://h", None)[0], "http://h/.well-known/agent-card.json");
        assert_eq!(tried("http://h/p?k=1#f", None)[0], "http://h/p/.well-known/agent-card.json?k=1");
        assert_eq!(tried("http://h/p", Some("//my/card.json")), ["http://h/p/my/card.json"]);
        assert_eq!(tried("http://h/p?k=1", Some("c?v=2")), ["http://h/p/c?v=2"]);
        assert_eq!(tried("http://h/cards/a.json", None), ["http://h/cards/a.json"]);
    }
}
