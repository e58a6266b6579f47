//! With the feature `bundled`, lists the guests that `cargo xtask dist` left behind, for `include_bytes!`. It only reads:
//! guests are built by `cargo xtask guests` and compiled ahead of time by `cargo xtask dist`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Where the guests are, if not in the target folder of the checkout; the program reads it too, when it has none inside.
const FOLDER: &str = "A2A_HOST_GUESTS";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_BUNDLED").is_none() {
        return;
    }
    println!("cargo::rerun-if-env-changed={FOLDER}");
    let written = list(&folder()).and_then(|list| {
        let out = variable("OUT_DIR")?.join("bundled.rs");
        fs::write(&out, list).map_err(|error| format!("cannot write {}: {error}", out.display()))
    });
    if let Err(problem) = written {
        println!("cargo::error={problem}");
    }
}

fn variable(name: &str) -> Result<PathBuf, String> {
    env::var_os(name).map(PathBuf::from).ok_or_else(|| format!("cargo did not set {name}"))
}

fn folder() -> PathBuf {
    env::var_os(FOLDER).map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/guests"), PathBuf::from)
}

/// The source of the table: name, component, and code compiled from it, sorted by name.
fn list(folder: &Path) -> Result<String, String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let nothing =
        || format!("no guests to embed in {}: run `cargo xtask guests`, or `cargo xtask dist`", folder.display());
    let mut components = Vec::new();
    for entry in fs::read_dir(folder).map_err(|_| nothing())? {
        let file = entry.map_err(|error| format!("cannot read {}: {error}", folder.display()))?.path();
        if file.extension().is_some_and(|extension| extension == "wasm") {
            components
                .push(fs::canonicalize(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?);
        }
    }
    if components.is_empty() {
        return Err(nothing());
    }
    components.sort();
    let mut source = String::from("pub static BUNDLED: &[(&str, &[u8], &[u8])] = &[\n");
    for component in components {
        let code = component.with_extension("cwasm");
        if !code.is_file() {
            return Err(format!("{} was not compiled ahead of time: run `cargo xtask dist`", component.display()));
        }
        println!("cargo::rerun-if-changed={}", component.display());
        println!("cargo::rerun-if-changed={}", code.display());
        let name = component.file_stem().unwrap_or_default();
        // A path with quotes or backslashes is still one string: Debug writes it as Rust does.
        let _ = writeln!(source, "    ({name:?}, include_bytes!({component:?}), include_bytes!({code:?})),");
    }
    source.push_str("];\n");
    Ok(source)
}
