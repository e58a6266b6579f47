//! YAML text → a tree of values, each with its place. The only module that touches the YAML library.
//!
//! It reads the library's events rather than its serde interface: events tell quoted from plain scalars, keep the places
//! of keys, tags and aliases, and need no stack (the serde path takes 64 KB of it for each level of nesting in a debug
//! build). Aliases are kept as references until the weight of the whole expansion is known, so a bomb costs nothing.

mod problems;
mod tree;

use super::diagnostic::Diagnostic;
use super::source::SourceFile;
use super::value::SpannedValue;

/// Reads the one document of a file. None where its structure cannot be made out; then the last diagnostic says why.
/// Problems of single values are reported and leave a broken value behind.
pub(crate) fn read(source: &SourceFile, diagnostics: &mut Vec<Diagnostic>) -> Option<SpannedValue> {
    tree::Tree::new(source, diagnostics).read()
}
