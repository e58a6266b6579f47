use std::time::Duration;

use url::Url;

use crate::a2a::{A2A_EXTENSIONS, Binding, split_extensions};

/// How to reach an agent, and how much of it to bear.
#[derive(Clone)]
pub struct ClientOptions {
    /// Where the agent lives; the card is looked for below its path. `http` or `https`, without user and password.
    pub base_url: Url,
    /// Wall deadline of each call and of each card fetch.
    pub timeout: Duration,
    /// The user's own headers. They may hold secrets: sent with the card fetch and with each call that asks for
    /// credentials, replacing defaults of the same name.
    pub headers: Vec<(String, String)>,
    /// URIs that the user asks for; see [`super::Client::call_options`].
    pub extensions: Vec<String>,
    /// The binding to speak; none takes the first entry of the card that this build speaks.
    pub transport: Option<Binding>,
    /// Let the card name interfaces on other origins than `base_url`, which then get the user's headers too.
    pub allow_cross_origin_interfaces: bool,
    /// Where the card stands, below `base_url`; switches the legacy path off.
    pub card_path: Option<String>,
    /// Bounds of what is read.
    pub limits: Limits,
    /// Take no proxy from the environment. Loopback hosts never get one.
    pub no_proxy: bool,
}

impl ClientOptions {
    /// The defaults for an agent: 30 s, no headers, automatic choice of the interface.
    pub fn new(base_url: Url) -> Self {
        ClientOptions {
            base_url,
            // The contract language's default of `agent.timeout`.
            timeout: Duration::from_secs(30),
            headers: Vec::new(),
            extensions: Vec::new(),
            transport: None,
            allow_cross_origin_interfaces: false,
            card_path: None,
            limits: Limits::default(),
            no_proxy: false,
        }
    }

    /// The extensions that the user asks for, those in a hand-written `A2A-Extensions` header included: sorted, each once.
    pub fn requested_extensions(&self) -> Vec<String> {
        let by_hand = self.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(A2A_EXTENSIONS));
        let all = self.extensions.iter().map(String::as_str).chain(by_hand.map(|(_, value)| value.as_str()));
        split_extensions(all)
    }
}

/// Bounds of what is read from an agent, all inclusive. Passing one ends the exchange with [`ExchangeError::Limit`].
/// Content is counted as it stands after each event: what an event replaced no longer counts.
///
/// [`ExchangeError::Limit`]: crate::a2a::ExchangeError::Limit
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one answer, kept whole. Twice the largest inline content in base64, so that a stream may send it anew.
    pub body_bytes: usize,
    /// Bytes of an agent card.
    pub card_bytes: usize,
    /// Bytes of one line of an event stream, and of the data of one event. The largest inline content in base64 fits.
    pub event_bytes: usize,
    /// Events of one reply.
    pub events: usize,
    /// Events and comments of one stream. Room for a keep-alive every 30 ms during the longest timeout of the contract
    /// language, 600 s; without it a stream of empty comments could fill the memory.
    pub frames: usize,
    /// Messages of a reply, and artifacts of a reply. Each is looked up among the others.
    pub holders: usize,
    /// Characters of the merged text.
    pub text_chars: usize,
    /// Data parts.
    pub structured_parts: usize,
    /// Bytes of all data parts as compact JSON, with their media types, artifact ids and artifact names.
    pub structured_bytes: usize,
    /// Decoded bytes of all raw parts.
    pub raw_bytes: usize,
    /// Raw and URL parts.
    pub file_parts: usize,
    /// Characters of the URL of a part.
    pub url_chars: usize,
    /// Characters of a file name.
    pub filename_chars: usize,
    /// Characters of the media type of a raw or URL part.
    pub media_type_chars: usize,
    /// Characters of the id of an artifact that holds raw or URL parts.
    pub artifact_id_chars: usize,
    /// Characters of the name of an artifact that holds raw or URL parts.
    pub artifact_name_chars: usize,
    /// How long the agent may take to close a stream after a state that ends the turn.
    pub close_grace: Duration,
}

impl Default for Limits {
    /// The limits of the contract language, with bounds on bytes before decoding on top.
    fn default() -> Self {
        Limits {
            body_bytes: 64 * 1024 * 1024,
            // A card with hundreds of skills stays below a tenth of this.
            card_bytes: 1024 * 1024,
            event_bytes: 32 * 1024 * 1024,
            events: 1_000,
            frames: 20_000,
            // Above what a thousand events bring in good faith; so many look-ups still take a moment.
            holders: 10_000,
            text_chars: 1_000_000,
            structured_parts: 1_000,
            structured_bytes: 1_000_000,
            raw_bytes: 20_000_000,
            file_parts: 1_000,
            url_chars: 10_000,
            filename_chars: 1_000,
            media_type_chars: 200,
            artifact_id_chars: 1_000,
            artifact_name_chars: 200,
            // Long enough for a busy agent, short enough not to be taken for the agent's own time.
            close_grace: Duration::from_secs(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_written_by_hand_count_as_asked_for() {
        let mut options = ClientOptions::new(Url::parse("http://h/").unwrap());
        options.extensions = vec!["urn:b".into()];
        options.headers = vec![("a2a-Extensions".into(), "urn:c, urn:a,urn:b".into()), ("x".into(), "urn:d".into())];
        assert_eq!(options.requested_extensions(), ["urn:a", "urn:b", "urn:c"]);
    }
}
