//! The A2A extensions that the dummy agent brings along. Each is one file; this one registers them.

mod echo_metadata;
mod timestamp;

use echo_metadata::EchoMetadata;
use timestamp::Timestamp;

// In the order of the card.
a2a_host_sdk::register_extensions!(EchoMetadata, Timestamp);
