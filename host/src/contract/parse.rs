//! A file or a text → a contract with everything that is wrong with it.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::decode::{self, Decoder};
use super::diagnostic::{self, Diagnostic};
use super::env;
use super::limits::MAX_FILE_BYTES;
use super::model::Contract;
use super::render::RenderStyle;
use super::source::SourceFile;
use super::value::{Kind, SpannedValue};
use super::yaml;
use crate::secrets::{Redactor, Secrets};

/// Diagnostics that are shown of one file: more than anybody reads at once, and rendering stays fast.
const MAX_SHOWN: usize = 100;

/// What became of a contract file.
#[derive(Debug)]
pub struct Parsed {
    /// The text, to render diagnostics with. Empty where the file could not be read.
    pub source: SourceFile,
    /// The contract; none where there is an error.
    pub contract: Option<Contract>,
    /// Where there is an error: as much of the contract as could be read, so that later stages can look for more errors in
    /// one go. Never to be run.
    pub draft: Option<Contract>,
    /// Every error and warning, in the order of the file. None of them shows a secret.
    pub diagnostics: Vec<Diagnostic>,
    /// The values of the variables that headers use.
    pub secrets: Secrets,
}

impl Parsed {
    /// Every diagnostic as a person reads it, with an empty line between two; after a hundred it says how many more there
    /// are. Empty where there is nothing to say.
    pub fn render(&self, style: RenderStyle) -> String {
        let shown = self.diagnostics.iter().take(MAX_SHOWN).map(|diagnostic| diagnostic.render(&self.source, style));
        let mut blocks: Vec<String> = shown.collect();
        if let Some(more) = self.diagnostics.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
            blocks.push(format!("{more} more problems are not shown"));
        }
        blocks.join("\n\n")
    }

    /// True where at least one diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Reads a contract file. The environment is asked by name: `&|name| std::env::var(name).ok()` for the process's own.
/// Reads at most one byte more than a contract may have.
pub fn parse(path: &Path, env: &dyn Fn(&str) -> Option<String>) -> Parsed {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) => parse_bytes(name, bytes, env),
        Err(error) => unreadable(name, Diagnostic::error("unreadable", format!("cannot read the file: {error}"))),
    }
}

/// Reads a contract from a text. `name` is shown in place of a path.
pub fn parse_text(name: &str, text: &str, env: &dyn Fn(&str) -> Option<String>) -> Parsed {
    parse_bytes(name.to_owned(), text.as_bytes().to_vec(), env)
}

fn parse_bytes(name: String, bytes: Vec<u8>, env: &dyn Fn(&str) -> Option<String>) -> Parsed {
    if bytes.len() > MAX_FILE_BYTES {
        let message = format!("a contract file has at most {MAX_FILE_BYTES} bytes; this one has more");
        return unreadable(name, Diagnostic::error("file-size", message).help("split it into several files"));
    }
    match String::from_utf8(bytes) {
        Ok(text) => parse_source(SourceFile::new(name, text), env),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes().get(at).copied().unwrap_or_default();
            let message = format!("the file is not UTF-8: byte 0x{byte:02x} at offset {at}");
            unreadable(name, Diagnostic::error("not-utf-8", message).help("save it as UTF-8"))
        }
    }
}

fn unreadable(name: String, diagnostic: Diagnostic) -> Parsed {
    Parsed {
        source: SourceFile::new(name, ""),
        contract: None,
        draft: None,
        diagnostics: vec![diagnostic],
        secrets: Secrets::default(),
    }
}

fn parse_source(source: SourceFile, env: &dyn Fn(&str) -> Option<String>) -> Parsed {
    let mut diagnostics = Vec::new();
    let mut secrets = Secrets::default();
    let contract = yaml::read(&source, &mut diagnostics).and_then(|mut root| {
        if !is_map(&root, &source, &mut diagnostics) {
            return None;
        }
        collect_secrets(&root, env, &mut secrets, &mut diagnostics);
        env::expand(&mut root, &source, env, &mut diagnostics);
        decode::contract(&mut Decoder { source: &source, diagnostics: &mut diagnostics }, &root)
    });
    let redactor = Redactor::new(&secrets);
    for diagnostic in &mut diagnostics {
        diagnostic.map_texts(|text| *text = redactor.redact_message(text));
    }
    diagnostic::sort(&mut diagnostics);
    let usable = !diagnostics.iter().any(Diagnostic::is_error);
    let (contract, draft) = if usable { (contract, None) } else { (None, contract) };
    Parsed { source, contract, draft, diagnostics, secrets }
}

fn is_map(root: &SpannedValue, source: &SourceFile, diagnostics: &mut Vec<Diagnostic>) -> bool {
    let example = "start with `version: 1`, `agent:` and `scenarios:`";
    let diagnostic = match &root.kind {
        Kind::Map(_) => return true,
        Kind::Broken => return false,
        Kind::Null if source.slice(root.span).is_empty() => Diagnostic::error("empty-file", "the file holds nothing"),
        _ => {
            let diagnostic = Diagnostic::error("wrong-type", "a contract is a map of keys and values").at(root.span);
            diagnostic.label(format!("found {}", root.noun()))
        }
    };
    diagnostics.push(diagnostic.help(example));
    false
}

/// The variables in headers are secrets. They are looked up before they are replaced: a value does not tell where it came
/// from.
fn collect_secrets(
    root: &SpannedValue,
    env: &dyn Fn(&str) -> Option<String>,
    secrets: &mut Secrets,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(headers) = root.get("agent").and_then(|agent| agent.value.get("headers")) else { return };
    env::secrets_below(&headers.value, env, secrets);
    for name in secrets.unmasked() {
        let message = format!("the value of `{name}` has fewer than four characters and is not masked in any output");
        let diagnostic = Diagnostic::warning("short-secret", message).at(headers.key.span);
        diagnostics.push(diagnostic.label("used in these headers").help("use a longer value"));
    }
}
