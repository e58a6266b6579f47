use std::fmt;
use std::str::FromStr;

/// How operations travel (§5): the value of `protocolBinding` in an agent card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binding {
    /// JSON-RPC 2.0 over HTTP (§9).
    JsonRpc,
    /// HTTP with JSON bodies (§11).
    HttpJson,
    /// gRPC (§10).
    Grpc,
}

impl Binding {
    /// Every binding that the specification defines.
    pub const ALL: [Binding; 3] = [Binding::JsonRpc, Binding::HttpJson, Binding::Grpc];

    /// The exact string of an agent card.
    pub fn as_str(self) -> &'static str {
        match self {
            Binding::JsonRpc => "JSONRPC",
            Binding::HttpJson => "HTTP+JSON",
            Binding::Grpc => "GRPC",
        }
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Binding {
    type Err = ();

    /// Reads the exact string of an agent card; the comparison is case-sensitive, as the specification has it.
    fn from_str(text: &str) -> Result<Self, ()> {
        Binding::ALL.into_iter().find(|binding| binding.as_str() == text).ok_or(())
    }
}
