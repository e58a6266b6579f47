//! The client: card discovery, the choice of the interface, calls over a binding, event streams. What was sent and
//! everything that came back is one [`Exchange`]; [`fold`] makes of it what assertions read.
//!
//! ```text
//! ClientOptions → discover → AgentCard → select → Endpoint
//! call: headers → codec → send → plain answer | SseReader → codec → Exchange
//! fold: Exchange → decode → Reply
//! ```

mod answer;
mod call;
mod card;
mod codec;
mod content;
mod decode;
mod discover;
mod enums;
mod error;
mod excerpt;
mod extensions;
mod fold;
mod headers;
mod http;
mod jsonrpc;
mod notes;
mod options;
mod order;
mod part;
mod raw;
mod reply;
mod select;
mod shape;
mod snapshot;
mod sse;
mod stream;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::OnceCell;
use url::Url;

pub use card::{AgentCard, CardExtension, CardInterface};
pub use discover::FetchedCard;
pub use error::ClientError;
pub use extensions::check_extensions;
pub use fold::{fold, fold_within, last_state};
pub use http::install_tls_provider;
pub use options::{ClientOptions, Limits};
pub use reply::Reply;
pub use stream::EventStream;

use call::Target;
use codec::Codec;
use http::Http;

use crate::a2a::{Binding, Deviation, ErrorKind, Exchange, ExchangeError, Operation};
use crate::sandbox::{CallOptions, Endpoint, HttpRequest, RawResponse};

/// Whether this build speaks a binding.
pub fn speaks(binding: Binding) -> bool {
    codec::of(binding).is_some()
}

/// An agent that can be spoken to. Cheap to clone; clones share connections.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    options: ClientOptions,
    http: Http,
    fetched: FetchedCard,
    card: AgentCard,
    endpoint: Endpoint,
    url: Url,
    codec: &'static dyn Codec,
    /// Whether the agent answers a method of 0.3; asked at most once.
    legacy: OnceCell<bool>,
}

impl Client {
    /// Finds the agent's card and picks the interface to speak to. Sends nothing but requests for the card.
    pub async fn connect(options: ClientOptions) -> Result<Client, ClientError> {
        check(&options)?;
        let http = Http::new(&options)?;
        let fetched = discover::discover(&http, &options).await?;
        let unreadable = |why: String| ClientError::UnreadableCard { url: fetched.url.clone(), why };
        let card = AgentCard::read(&fetched.value).map_err(unreadable)?;
        let endpoint = select::select(&card, &options)?;
        // Both were checked by the choice of the interface.
        let url = Url::parse(&endpoint.url).map_err(|error| unreadable(error.to_string()))?;
        let codec = codec::of(endpoint.binding).ok_or_else(|| unreadable("its binding is not spoken".into()))?;
        let inner = Inner { options, http, fetched, card, endpoint, url, codec, legacy: OnceCell::new() };
        Ok(Client { inner: Arc::new(inner) })
    }

    /// The card, as far as a client reads it.
    pub fn card(&self) -> &AgentCard {
        &self.inner.card
    }

    /// The card as it was served when the client connected.
    pub fn card_exchange(&self) -> &FetchedCard {
        &self.inner.fetched
    }

    /// The interface in use.
    pub fn endpoint(&self) -> &Endpoint {
        &self.inner.endpoint
    }

    /// What the client was made with.
    pub fn options(&self) -> &ClientOptions {
        &self.inner.options
    }

    /// How the user's own calls are sent: with the user's headers and extensions.
    pub fn call_options(&self) -> CallOptions {
        CallOptions { extensions: self.inner.options.extensions.clone(), credentials: true, ..CallOptions::default() }
    }

    /// Fetches the card anew, from the same places.
    pub async fn fetch_card(&self) -> Result<FetchedCard, ClientError> {
        discover::discover(&self.inner.http, &self.inner.options).await
    }

    /// Calls an operation by its name and reads the answer to its end, a stream included. The interface's tenant is put
    /// into a request that has none. One wall deadline holds for the whole call; what came before an error is kept.
    /// Nothing is ever sent twice.
    pub async fn call(&self, operation: &str, request: Value, options: &CallOptions) -> Exchange {
        let mut exchange = match call::start(&self.target(), operation, request, options, false).await {
            Ok(stream) => stream.drain().await,
            Err(exchange) => *exchange,
        };
        let unknown_method = i64::from(ErrorKind::MethodNotFound.code());
        if matches!(&exchange.error, Some(ExchangeError::Protocol { code: Some(code), .. }) if *code == unknown_method)
            && Operation::from_name(operation).is_some()
            && self.speaks_legacy().await
        {
            let message = format!(
                "the card declares protocol version {} at this URL, but method {operation} is unknown while `tasks/get` \
                 of A2A 0.3 answers",
                excerpt::clean(&self.inner.endpoint.protocol_version)
            );
            exchange.deviations.push(Deviation { code: "speaks-0.3", message, path: None, event: None });
        }
        exchange
    }

    /// Calls a streaming operation to read it event by event. An answer that is no stream comes back as the finished
    /// exchange, with its error where it has one.
    pub async fn open(
        &self,
        operation: &str,
        request: Value,
        options: &CallOptions,
    ) -> Result<EventStream, Box<Exchange>> {
        call::start(&self.target(), operation, request, options, true).await
    }

    /// Sends a plain HTTP request to the origin of the interface in use. Beside what is given it carries `Host`,
    /// `Accept: */*` unless the request has one of its own, and the length of the body.
    pub async fn http(&self, request: HttpRequest) -> Result<RawResponse, ClientError> {
        raw::send(&self.inner.http, &self.inner.options, &self.inner.url, request).await
    }

    fn target(&self) -> Target<'_> {
        let Inner { http, options, endpoint, url, codec, .. } = &*self.inner;
        Target { http, options, endpoint, url, codec: *codec }
    }

    /// Asks once, with a call that changes nothing, whether the interface knows the methods of 0.3.
    async fn speaks_legacy(&self) -> bool {
        let ask = async {
            let request = json!({"id": uuid::Uuid::new_v4().to_string()});
            let options = CallOptions { version: crate::sandbox::VersionHeader::Absent, ..self.call_options() };
            let answer = match call::start(&self.target(), "tasks/get", request, &options, false).await {
                Ok(stream) => stream.finish(),
                Err(exchange) => *exchange,
            };
            match answer.error {
                None => true,
                Some(ExchangeError::Protocol { code, .. }) => code != Some(i64::from(ErrorKind::MethodNotFound.code())),
                Some(_) => false,
            }
        };
        *self.inner.legacy.get_or_init(|| ask).await
    }
}

impl fmt::Debug for Client {
    /// Without headers, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("endpoint", &self.inner.endpoint).finish_non_exhaustive()
    }
}

/// What can be said about the options before anything is sent.
fn check(options: &ClientOptions) -> Result<(), ClientError> {
    let url = &options.base_url;
    let fail = |why: &str| Err(ClientError::BaseUrl { why: why.to_owned() });
    if !matches!(url.scheme(), "http" | "https") {
        return fail("its scheme is neither http nor https");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return fail("it has a user or password; use `headers:` under `agent:`");
    }
    for (name, value) in &options.headers {
        http::header(name, value)?;
    }
    Ok(())
}
