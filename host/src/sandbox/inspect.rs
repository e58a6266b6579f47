//! What a file is, read from its bytes without compiling or running it: a component or something else, which plugin
//! interfaces of which version it exports, what it imports.

use wasmparser::{Encoding, Parser, Payload};

use super::error::Fault;
use super::limits::MAX_COMPONENT_BYTES;
use super::log::cut;

/// The version of the interface that this program offers.
pub const INTERFACE_VERSION: &str = "0.1.0";
const PACKAGE: &str = "a2a-host:plugin/";
/// Characters of a name in the file; real ones have fifty.
const MAX_NAME: usize = 200;
/// Names of a file in one message.
const MAX_SHOWN: usize = 5;

/// What a component exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Checks for contract files.
    Assertions,
    /// A2A extensions for the dummy agent.
    Extensions,
    /// Contracts about A2A servers.
    Contracts,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 3] = [Kind::Assertions, Kind::Extensions, Kind::Contracts];

    /// The interface's name.
    pub fn interface(self) -> &'static str {
        match self {
            Kind::Assertions => "assertions",
            Kind::Extensions => "extensions",
            Kind::Contracts => "contracts",
        }
    }

    /// The interfaces of our package that a component of this kind may import.
    fn imports(self) -> &'static [&'static str] {
        match self {
            Kind::Assertions => &["types", "host", "exchange"],
            Kind::Extensions => &["types", "host", "tasks"],
            Kind::Contracts => &["types", "host", "agent", "webhook", "stimuli"],
        }
    }
}

/// What the bytes say of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// What it exports of ours.
    pub kinds: Vec<Kind>,
    /// The version in its metadata, where its author put one.
    pub version: Option<String>,
    /// What it imports, as the names stand in the file.
    pub imports: Vec<String>,
}

/// Reads a component.
///
/// # Errors
/// The bytes are no component, export no plugin interface, were built for another version, or import something foreign.
pub fn inspect(bytes: &[u8]) -> Result<Inspection, Fault> {
    if bytes.len() as u64 > MAX_COMPONENT_BYTES {
        return Err(Fault::Unloadable(format!(
            "the file has {} MiB, the limit is {} MiB",
            bytes.len() / (1024 * 1024),
            MAX_COMPONENT_BYTES / (1024 * 1024)
        )));
    }
    header(bytes)?;
    let names = names(bytes)?;
    let kinds = kinds(&names.exports)?;
    check_imports(&names.imports, &kinds)?;
    Ok(Inspection { kinds, version: names.version, imports: names.imports })
}

/// Says what the file is where it is no component.
fn header(bytes: &[u8]) -> Result<(), Fault> {
    let no = |what: &str| Err(Fault::Unloadable(format!("the file is {what}; a plugin is a WebAssembly component")));
    match bytes {
        [] => no("empty"),
        [0, b'a', b's', b'm', 0x0d, 0, 1, 0, ..] => Ok(()),
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => Err(Fault::Unloadable(
            "the file is a core module, not a component; turn it into one with `wasm-tools component new`".into(),
        )),
        [0, b'a', b's', b'm', version, _, 1, 0, ..] if *version < 0x0d => Err(Fault::Unloadable(format!(
            "the file is a component of an old encoding (0x{version:02x}, this program reads 0x0d); rebuild it with current tools"
        ))),
        [0, b'a', b's', b'm', version, _, 1, 0, ..] => Err(Fault::Unloadable(format!(
            "the file is a component of a newer encoding (0x{version:02x}, this program reads 0x0d); update a2a-host"
        ))),
        [0, b'a', b's', b'm', ..] => no("WebAssembly of an unknown encoding, or cut off after its first bytes"),
        [0x1f, 0x8b, ..] => no("gzip data"),
        [0x7f, b'E', b'L', b'F', ..] => no("a native program (ELF)"),
        [b'P', b'K', ..] => no("a zip archive"),
        _ => match std::str::from_utf8(&bytes[..bytes.len().min(512)]).map(str::trim_start) {
            Ok(text) if text.starts_with('(') => no("WebAssembly text (WAT)"),
            Ok(text) if text.starts_with('<') => no("HTML or XML"),
            Ok(text) if text.starts_with("version https://git-lfs") => no("a Git LFS pointer; fetch the file itself"),
            Ok(_) => no("text"),
            Err(_) => no("no WebAssembly"),
        },
    }
}

struct Names {
    exports: Vec<String>,
    imports: Vec<String>,
    version: Option<String>,
}

/// The names of the outermost component. Inner modules and components are skipped over, not read.
fn names(bytes: &[u8]) -> Result<Names, Fault> {
    let damaged = |error: wasmparser::BinaryReaderError| {
        Fault::Unloadable(format!("the file is damaged or cut off: {} at byte {}", error.message(), error.offset()))
    };
    let mut names = Names { exports: Vec::new(), imports: Vec::new(), version: None };
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(damaged)? {
            Payload::Version { encoding: Encoding::Component | Encoding::Module, .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentExportSection(section) if depth == 1 => {
                for export in section {
                    names.exports.push(cut(export.map_err(damaged)?.name.name, MAX_NAME));
                }
            }
            Payload::ComponentImportSection(section) if depth == 1 => {
                for import in section {
                    names.imports.push(cut(import.map_err(damaged)?.name.name, MAX_NAME));
                }
            }
            Payload::CustomSection(section) if depth == 1 && section.name() == "version" => {
                names.version = std::str::from_utf8(section.data()).ok().map(str::to_owned);
            }
            _ => {}
        }
    }
    Ok(names)
}

/// `0.1.0` → (0, 1): components fit any program of the same track.
fn track(version: &str) -> Option<(u64, u64)> {
    let mut numbers = version.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

/// Judges a versioned name of our package against what this program offers.
fn check_version(name: &str) -> Result<(), Fault> {
    let Some((interface, version)) = name.split_once('@') else { return Ok(()) };
    let (found, offered) = (track(version), track(INTERFACE_VERSION));
    if found == offered {
        return Ok(());
    }
    Err(Fault::Version {
        found: name.to_owned(),
        offered: format!("{interface}@{INTERFACE_VERSION}"),
        newer: found > offered,
    })
}

fn kinds(exports: &[String]) -> Result<Vec<Kind>, Fault> {
    let mut kinds = Vec::new();
    for name in exports {
        let Some(interface) = name.strip_prefix(PACKAGE) else { continue };
        let interface = interface.split('@').next().unwrap_or(interface);
        if let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.interface() == interface) {
            check_version(name)?;
            kinds.push(kind);
        }
    }
    if kinds.is_empty() {
        let offered: Vec<String> =
            Kind::ALL.iter().map(|kind| format!("{PACKAGE}{}@{INTERFACE_VERSION}", kind.interface())).collect();
        let shown = exports.iter().take(MAX_SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = exports.len().saturating_sub(MAX_SHOWN);
        let found = match more {
            _ if exports.is_empty() => "nothing".to_owned(),
            0 => shown,
            more => format!("{shown} and {more} more"),
        };
        return Err(Fault::Unloadable(format!(
            "it exports no plugin interface; expected one of {}, found {found}",
            offered.join(", ")
        )));
    }
    Ok(kinds)
}

fn check_imports(imports: &[String], kinds: &[Kind]) -> Result<(), Fault> {
    for name in imports {
        if let Some(interface) = name.strip_prefix(PACKAGE) {
            check_version(name)?;
            let interface = interface.split('@').next().unwrap_or(interface);
            if !kinds.iter().any(|kind| kind.imports().contains(&interface)) {
                let words: Vec<&str> = kinds.iter().map(|kind| kind.interface()).collect();
                return Err(Fault::ForeignImport(format!(
                    "it imports {name}, which a plugin of {} does not get",
                    words.join(" and ")
                )));
            }
        } else if let Some(wasi) = name.strip_prefix("wasi:") {
            check_wasi(name, wasi)?;
        } else {
            return Err(Fault::ForeignImport(format!(
                "it imports {name}; a plugin may import a2a-host:plugin and WASI 0.2 only"
            )));
        }
    }
    Ok(())
}

/// The packages of WASI 0.2 that are linked, with nothing granted. Not `http`: it would be a way out.
const WASI: [&str; 6] = ["io", "clocks", "random", "cli", "filesystem", "sockets"];

fn check_wasi(name: &str, wasi: &str) -> Result<(), Fault> {
    let package = wasi.split('/').next().unwrap_or(wasi);
    let version = wasi.split_once('@').map_or("", |(_, version)| version);
    if track(version) != Some((0, 2)) {
        return Err(Fault::ForeignImport(format!("it imports {name}; a plugin may import WASI 0.2, no other version")));
    }
    if WASI.contains(&package) {
        return Ok(());
    }
    let help = if package == "http" { " (componentize-js: --disable http fetch-event)" } else { "" };
    Err(Fault::ForeignImport(format!("it imports {name}, which plugins do not get; build it without{help}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(wat: &str) -> Vec<u8> {
        wat::parse_str(wat).unwrap()
    }

    fn sentence(bytes: &[u8]) -> String {
        super::super::PluginError::loading("p", inspect(bytes).unwrap_err()).to_string()
    }

    #[test]
    fn files_that_are_no_components_are_named() {
        for (bytes, expected) in [
            (&b""[..], "empty"),
            (b"\0asm\x01\0\0\0", "core module"),
            (b"\0asm\x0a\0\x01\0", "old encoding (0x0a"),
            (b"\0asm\x0e\0\x01\0", "newer encoding (0x0e"),
            (b"\0asm", "cut off"),
            (b"(component)", "WebAssembly text"),
            (b"<html>", "HTML"),
            (b"\x1f\x8b\x08", "gzip"),
            (b"\x7fELF\x02", "native program"),
            (b"PK\x03\x04", "zip"),
            (b"hello", "the file is text"),
            (b"\xff\xfe\xfd", "no WebAssembly"),
        ] {
            assert!(sentence(bytes).contains(expected), "{expected}: {}", sentence(bytes));
        }
    }

    #[test]
    fn a_component_that_is_no_plugin_says_what_it_exports() {
        assert!(sentence(&component("(component)")).contains("found nothing"));
        let other = component(r#"(component (instance $i) (export "wasi:cli/run@0.2.0" (instance $i)))"#);
        assert!(sentence(&other).contains("found wasi:cli/run@0.2.0"));
    }

    #[test]
    fn versions_are_judged_before_linking() {
        let export = |version: &str| {
            component(&format!(
                r#"(component (instance $i) (export "a2a-host:plugin/assertions@{version}" (instance $i)))"#
            ))
        };
        assert_eq!(inspect(&export("0.1.0")).unwrap().kinds, [Kind::Assertions]);
        assert_eq!(inspect(&export("0.1.7")).unwrap().kinds, [Kind::Assertions]);
        let newer = sentence(&export("0.2.0"));
        assert!(newer.contains("update a2a-host") && newer.contains("assertions@0.2.0"), "{newer}");
        let older = sentence(&export("0.0.9"));
        assert!(older.contains("rebuild the plugin"), "{older}");
    }

    #[test]
    fn imports_belong_to_the_kind() {
        let importing = |import: &str| {
            component(&format!(
                r#"(component (import "{import}" (instance)) (instance $i)
                    (export "a2a-host:plugin/assertions@0.1.0" (instance $i)))"#
            ))
        };
        assert!(inspect(&importing("a2a-host:plugin/exchange@0.1.0")).is_ok());
        assert!(inspect(&importing("wasi:io/poll@0.2.3")).is_ok());
        assert!(sentence(&importing("a2a-host:plugin/agent@0.1.0")).contains("does not get"));
        assert!(sentence(&importing("wasi:http/types@0.2.10")).contains("--disable http"));
        assert!(sentence(&importing("wasi:nn/graph@0.2.0")).contains("do not get"));
        assert!(sentence(&importing("wasi:io/poll@0.3.0")).contains("no other version"));
        assert!(sentence(&importing("evil:socket/raw@1.0.0")).contains("evil:socket/raw"));
        assert!(sentence(&importing("a2a-host:plugin/host@9.0.0")).contains("update a2a-host"));
    }

    #[test]
    fn a_cut_file_says_where() {
        let whole = component(r#"(component (instance $i) (export "a2a-host:plugin/assertions@0.1.0" (instance $i)))"#);
        assert!(sentence(&whole[..whole.len() - 3]).contains("damaged or cut off"));
    }
}
