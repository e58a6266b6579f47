//! Runs guests: WebAssembly components under limits, with nothing but what their world hands them.
//!
//! Four lifetimes: one [`Sandbox`] per process (engine, linker, compile cache); one [`Plugin`] per file, linked once, so
//! that a missing import shows when it is loaded; an instance per scenario, contract or handled task; a budget per call.
//!
//! ```text
//! bytes ─ inspect ─ compile or cache ─ link ─► Plugin ─► AssertionSession   describe, prepare, evaluate
//!                                                    ├─► describe_pack, verify_contract
//!                                                    └─► WasmExtension      describe, handle, activate
//! ```
//!
//! A trap, an exhausted budget or a refused import is a [`PluginError`]: one line, and the end of that one call.
//! [`ports`] holds what guests call; later stages implement it. This stage imports nothing later than itself.

mod assertions;
mod bindings;
mod cache;
mod contracts;
mod convert;
mod engine;
mod error;
mod extensions;
mod imports;
mod inspect;
mod limits;
mod log;
mod plugin;
mod ports;
mod state;
mod verdict;

pub use assertions::AssertionSession;
pub use cache::CompileCache;
pub use contracts::{describe_pack, verify_contract};
pub use engine::{Code, Sandbox, precompile};
pub use error::{Fault, PluginError};
pub use extensions::WasmExtension;
pub use inspect::{INTERFACE_VERSION, Inspection, Kind, inspect};
pub use limits::{LARGE_COMPONENT_BYTES, Limits, MAX_COMPONENT_BYTES};
pub use plugin::Plugin;
pub use ports::{
    AgentFailure, AgentPort, AgentReply, BoxFuture, CallOptions, Contribution, Delivery, Endpoint, EventStreamPort,
    ExtensionHandler, ExtensionInfo, ExtensionRequest, HandlerError, HttpRequest, NextEvent, RawResponse, ReceiverPort,
    SkillInfo, StimuliPort, Stimulus, TaskPort, VersionHeader, WebhookPort,
};
pub use state::PackPorts;
pub use verdict::{
    AssertionInfo, ConfigProblem, ContractInfo, Finding, ObservedEvent, ObservedPart, ObservedTurn, PackInfo, PartKind,
    PartSource, Verdict,
};
