use std::time::Duration;

use thiserror::Error;

/// Why an agent cannot be spoken to. All of these come before any message was sent, or are about plain HTTP.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ClientError {
    /// The base URL cannot be used.
    #[error("agent URL cannot be used: {why}")]
    BaseUrl {
        /// What is wrong; user and password are not repeated.
        why: String,
    },
    /// A header of the user's cannot be sent. Its value is not repeated.
    #[error("header `{name}` cannot be sent: {why}")]
    Header {
        /// Its name.
        name: String,
        /// What is wrong with name or value.
        why: &'static str,
    },
    /// The HTTP client could not be built.
    #[error("the HTTP client could not be set up: {why}")]
    Setup {
        /// In words.
        why: String,
    },
    /// No connection, or it broke.
    #[error("cannot reach {url}: {why}")]
    Unreachable {
        /// Where to.
        url: String,
        /// In words.
        why: String,
    },
    /// No answer in time.
    #[error("no complete answer from {url} within {} s", limit.as_secs_f64())]
    Timeout {
        /// Where to.
        url: String,
        /// The deadline.
        limit: Duration,
    },
    /// The answer is a redirect; none is followed.
    #[error(
        "{url} redirects (HTTP {status}) to {}; redirects are not followed: give the agent's final URL",
        location.as_deref().unwrap_or("nowhere: there is no Location header")
    )]
    Redirect {
        /// Where to.
        url: String,
        /// HTTP status.
        status: u16,
        /// The `Location` header, escaped.
        location: Option<String>,
    },
    /// The card was answered with an error.
    #[error("no agent card: {}{}", tried_list(tried), body_part(excerpt))]
    NoCard {
        /// Each URL tried with its HTTP status, in order.
        tried: Vec<(String, u16)>,
        /// The beginning of the last body, escaped.
        excerpt: String,
    },
    /// The card is no JSON, too long or cannot be read as a card.
    #[error("the agent card at {url} cannot be read: {why}")]
    UnreadableCard {
        /// Where it was found.
        url: String,
        /// What is wrong, all problems in one go.
        why: String,
    },
    /// Only an older protocol is there.
    #[error("agent speaks A2A {versions} only; this tool tests 1.0")]
    LegacyOnly {
        /// The versions of the interfaces, joined with commas.
        versions: String,
    },
    /// The card names no interface that can be spoken to.
    #[error("the card offers no interface that can be used{}: it offers {offered}; this build speaks {spoken}",
        wanted.as_ref().map(|binding| format!(" over {binding}, which `transport` asks for")).unwrap_or_default())]
    NoInterface {
        /// The binding that was asked for.
        wanted: Option<String>,
        /// The interfaces of the card.
        offered: String,
        /// The bindings that this build speaks.
        spoken: String,
    },
    /// An interface of the card is on another origin.
    #[error(
        "the card names {interface}, which is not on the origin of {base}: {why}; credentials would go there. \
         If that is meant, set `allow_cross_origin_interfaces: true` under `agent:`"
    )]
    CrossOrigin {
        /// The interface's URL, escaped.
        interface: String,
        /// The agent's URL.
        base: String,
        /// What differs.
        why: String,
    },
    /// The extensions asked for and those of the card do not fit.
    #[error("{}", super::extensions::explain(unknown, missing, requested))]
    Extensions {
        /// Asked for but not in the card, sorted.
        unknown: Vec<String>,
        /// Required by the card but not asked for, sorted.
        missing: Vec<String>,
        /// What was asked for.
        requested: Vec<String>,
    },
    /// The client does not do this.
    #[error("refused: {why}")]
    Refused {
        /// In words.
        why: String,
    },
}

fn tried_list(tried: &[(String, u16)]) -> String {
    let lines: Vec<String> = tried.iter().map(|(url, status)| format!("{url} answered HTTP {status}")).collect();
    lines.join(", then ")
}

fn body_part(excerpt: &str) -> String {
    if excerpt.is_empty() { " with an empty body".into() } else { format!(" with: {excerpt}") }
}
