//! The contract language: YAML text → a model in which every value has its place, and every error of a file in one go.
//!
//! ```text
//! source   the text, its lines, places in it
//! yaml     text → values with places; budgets, duplicate keys, aliases, merge keys
//! env      ${NAME} in values
//! decode   values → model, one file for each object
//! parse    all of it, for a file or a text
//! ```
//!
//! Diagnostics are rendered here too, so that later stages report about a contract in the same form.

mod decode;
mod diagnostic;
mod env;
mod find;
pub mod limits;
mod model;
mod parse;
mod pass_rate;
mod render;
mod scalar;
mod source;
mod suggest;
#[cfg(test)]
mod tests;
mod value;
mod yaml;

pub(crate) use diagnostic::sort;
pub use diagnostic::{Diagnostic, Severity};
pub use find::{DEFAULT_FILES, find_default};
pub use model::{Agent, Assertion, Contract, Expectation, Header, PackStimulus, PackUse, Scenario, Turn};
pub use parse::{Parsed, parse, parse_text};
pub use pass_rate::{PassRate, lower_bound};
pub use render::RenderStyle;
pub use source::{SourceFile, Span, Spanned};
pub(crate) use suggest::suggest;
pub use value::{Entry, Kind, SpannedValue};
