//! The programmable agent: whoever writes an A2A client points it here.
//!
//! ```text
//! binding   HTTP → request, replies → HTTP
//! service   one method per row of the operations table
//! engine    tasks: life cycle, readers, cancellation
//! command   what a message makes the agent do; plugins are commands too
//! ```
//!
//! A request goes down, its replies come up again through the three seams of [`Fault`].

mod binding;
mod card;
mod command;
mod context;
mod engine;
mod error;
mod fault;
mod plugins;
mod request;
mod server;
mod service;
#[cfg(test)]
mod test_support;
#[cfg(test)]
mod tests;

pub use error::StartError;
pub use fault::{Call, EncodedReplies, Fault, Replies, Target};
pub use server::{Agent, AgentBuilder, RunningAgent};
pub use service::Reply;
