//! A contract as plain data. Where a later stage reports about a value, the value has its place.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};
use url::Url;

use super::pass_rate::PassRate;
use super::source::{Span, Spanned};
use super::value::SpannedValue;
use crate::a2a::Binding;

/// A contract file: an agent and what is expected of it. At least one scenario or pack.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// The agent under test.
    pub agent: Agent,
    /// Plugins to load, as they are written: files or references.
    pub plugins: Vec<Spanned<String>>,
    /// Contract packs to run.
    pub packs: Vec<PackUse>,
    /// Conversations; their names are unique.
    pub scenarios: Vec<Scenario>,
}

/// The agent under test and how to speak to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// Its base URL, or that of its card: http or https, without credentials.
    pub url: Spanned<Url>,
    /// For a turn as a whole and for every single request; above 0 and up to 600 seconds.
    pub timeout: Duration,
    /// Sent with every request, also for the card. An `A2A-Extensions` header of the file is not among them: its URIs are
    /// part of `extensions`.
    pub headers: Vec<Header>,
    /// Extension URIs to activate, in the order of the file, each once.
    pub extensions: Vec<Spanned<String>>,
    /// The one binding to use; none takes the first of the card that this program speaks.
    pub transport: Option<Spanned<Binding>>,
    /// Path of the card below the URL; none tries the well-known one.
    pub card_path: Option<Spanned<String>>,
    /// Interfaces on other origins than the URL's may be called.
    pub allow_cross_origin_interfaces: bool,
    /// gRPC goes over TLS.
    pub grpc_tls: bool,
    /// Where `agent` stands, for suggestions of further keys.
    pub span: Span,
}

/// A header of every request. Its value may be a secret, so it is not part of the debug output.
#[derive(Clone, PartialEq)]
pub struct Header {
    /// As in the file; names are compared without case.
    pub name: Spanned<String>,
    /// Without control characters.
    pub value: String,
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Header").field("name", &self.name.value).finish_non_exhaustive()
    }
}

/// A conversation and how often to hold it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Unique in the file.
    pub name: Spanned<String>,
    /// At least one. A scenario that is written without `turns` has exactly one.
    pub turns: Vec<Turn>,
    /// Repetitions, 1 to 10,000.
    pub trials: u32,
    /// What share of them must pass; provable with so many trials.
    pub pass_rate: PassRate,
    /// Where the scenario stands.
    pub span: Span,
}

/// A message and what its reply must be. At least one of message and data.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// A text part.
    pub message: Option<Spanned<String>>,
    /// Data parts, after the text.
    pub data: Vec<SpannedValue>,
    /// What the reply must be.
    pub expect: Expectation,
    /// Where the turn stands; for a scenario without `turns`, the scenario.
    pub span: Span,
}

/// What a reply must be. The assertions that judge it are plugins: their names and configs are checked by a later stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expectation {
    /// The keys of `expect` other than `checks`, in the order of the file.
    pub assertions: Vec<Assertion>,
    /// `expect.checks`, in the order of the file.
    pub checks: Vec<Assertion>,
}

/// One assertion with its config.
#[derive(Clone, Debug, PartialEq)]
pub struct Assertion {
    /// A key of `expect`, or what `use` names.
    pub name: Spanned<String>,
    /// The value of the key, or of `with`; none where a check has no `with`.
    pub config: Option<SpannedValue>,
}

impl Assertion {
    /// Where a JSON Pointer into the config leads; the name of the assertion where it leads nowhere.
    pub fn at(&self, pointer: &str) -> Span {
        self.config.as_ref().and_then(|config| config.at(pointer)).unwrap_or(self.name.span)
    }

    /// The config as JSON; null where there is none.
    pub fn config_json(&self) -> Value {
        self.config.as_ref().map_or(Value::Null, SpannedValue::to_json)
    }
}

/// A contract pack and what of it to run.
#[derive(Clone, Debug, PartialEq)]
pub struct PackUse {
    /// Name or path of the pack.
    pub pack: Spanned<String>,
    /// Categories to run; empty for all.
    pub categories: Vec<Spanned<String>>,
    /// Contracts to run, by id; empty for all.
    pub contracts: Vec<Spanned<String>>,
    /// Messages that make this agent show a behaviour, by the behaviour's name.
    pub stimuli: Vec<(Spanned<String>, PackStimulus)>,
    /// Bindings to run over; empty for all that the agent offers.
    pub transports: Vec<Spanned<Binding>>,
}

/// A message that makes the agent under test show a behaviour.
#[derive(Clone, Debug, PartialEq)]
pub struct PackStimulus {
    /// The parts of the message, as A2A part objects. At least one.
    pub parts: Vec<SpannedValue>,
    /// Metadata of the message.
    pub metadata: Option<Map<String, Value>>,
    /// Extensions to activate.
    pub extensions: Vec<Spanned<String>>,
    /// The text to expect in the reply, where it is known.
    pub expect_text: Option<String>,
}
