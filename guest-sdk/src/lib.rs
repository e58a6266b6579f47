//! Write plugins for [a2a-host](https://crates.io/crates/a2a-host) in Rust.
//!
//! A plugin is one file: a type that implements a trait, and one macro that registers it.
//!
//! | to write | implement | register with |
//! |---|---|---|
//! | a check that contract files can name | [`Assertion`](assertion::Assertion) | [`register_assertions!`] |
//! | an A2A extension for the dummy agent | [`Extension`](extension::Extension) | [`register_extensions!`] |
//! | a pack of contracts about A2A servers | [`Pack`](pack::Pack) | [`register_pack!`] |
//!
//! ```
//! use a2a_host_sdk::assertion::{Assertion, Problem, Turn};
//! use a2a_host_sdk::{Finding, Value};
//!
//! /// The answer shouts.
//! struct Shouts;
//!
//! impl Assertion for Shouts {
//!     const NAME: &'static str = "shouts";
//!     const SUMMARY: &'static str = "the text is upper case";
//!
//!     fn prepare(_config: &Value) -> Result<Self, Vec<Problem>> {
//!         Ok(Shouts)
//!     }
//!
//!     fn evaluate(&self, turn: &Turn) -> Result<Vec<Finding>, String> {
//!         if turn.text == turn.text.to_uppercase() {
//!             return Ok(vec![]);
//!         }
//!         Ok(vec![Finding::new("not-upper-case", "the text is not upper case").actual(&turn.text)])
//!     }
//! }
//!
//! a2a_host_sdk::register_assertions!(Shouts);
//! # fn main() {
//! # use a2a_host_sdk::testing::RecordedTurn;
//! # assert!(Shouts.evaluate(&RecordedTurn::with_text("HI").turn()).unwrap().is_empty());
//! # assert_eq!(Shouts.evaluate(&RecordedTurn::with_text("Hi").turn()).unwrap().len(), 1);
//! # }
//! ```
//!
//! README.md beside this crate says how to build a component and use it. On wasm `println!` goes nowhere: write with
//! [`host::log`].
//!
//! The macros export the component's functions on wasm only, so the same code runs natively under `cargo test`; the
//! [`testing`] module stands in for the host there. A panic reaches the host's log as text before the guest traps.

pub mod assertion;
#[doc(hidden)]
pub mod bindings;
pub mod extension;
mod finding;
pub mod host;
pub mod pack;
pub mod testing;
pub mod value;

pub use finding::Finding;
pub use serde_json::{self, Map, Value, json};
