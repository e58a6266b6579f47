//! Runs contracts against A2A agents, verifies servers, and is a programmable dummy agent.
//!
//! The modules are the stages of one run, each importing only from those before it:
//!
//! ```text
//! a2a        the protocol as data: operations, errors, states, exchanges
//! printable  foreign text made safe to show
//! secrets    values that must reach no output
//! contract   YAML → model, every node with its place
//! sandbox    wasmtime: limits, bindings, the ports that guests call
//! plugin     find, load, describe → catalogue
//! client     card discovery, the bindings, streams → exchange → reply
//! run        contract + catalogue → plan → events and results
//! report     results → terminal text
//! dummy      the programmable agent
//! exit       results → exit code
//! cli        arguments → options → the above → exit code
//! ```

pub mod a2a;
pub mod cli;
pub mod client;
pub mod contract;
pub mod dummy;
pub mod exit;
pub mod plugin;
pub mod printable;
pub mod report;
pub mod run;
pub mod sandbox;
pub mod secrets;
