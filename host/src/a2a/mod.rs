//! The A2A protocol as data: operations, errors, states, values, headers and what a call brought back.
//!
//! Nothing here does I/O. Client and dummy agent read the same tables, so a fact of the protocol stands in one place.
//! Section numbers are those of the A2A 1.0 specification.

mod binding;
mod error;
mod exchange;
mod header;
mod model;
mod operation;
mod state;

pub use binding::Binding;
pub use error::{A2aError, ErrorKind};
pub use exchange::{Deviation, Ending, Event, Exchange, ExchangeError, Frame, FrameKind, Response, SentRequest};
pub use header::{
    A2A_EXTENSIONS, A2A_VERSION, LEGACY_CARD_PATH, PROTOCOL_VERSION, WELL_KNOWN_CARD_PATH, join_extensions,
    split_extensions,
};
pub use model::{
    Artifact, Content, ListTasksResponse, Message, Part, Role, SendMessageResponse, StreamResponse, Task, TaskStatus,
};
pub use operation::{Capability, Operation, OperationSpec, Verb};
pub use state::{StateClass, TaskState};
