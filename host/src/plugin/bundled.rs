//! The plugins that come with the program: embedded in a release (feature `bundled`), read from `target/guests/` otherwise.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Their names, and what they are.
pub(super) const NAMES: [&str; 3] = ["assertions", "extensions", "core"];

#[cfg(feature = "bundled")]
include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

#[cfg(not(feature = "bundled"))]
static BUNDLED: &[(&str, &[u8], &[u8])] = &[];

/// A bundled plugin's component and, in a release, its compiled form.
pub(super) struct Bundled {
    pub(super) bytes: Cow<'static, [u8]>,
    pub(super) compiled: Option<&'static [u8]>,
}

/// Finds a bundled plugin, or says where it was looked for.
pub(super) fn find(name: &str) -> Result<Bundled, Vec<PathBuf>> {
    if let Some((_, bytes, compiled)) = BUNDLED.iter().find(|(bundled, _, _)| *bundled == name) {
        return Ok(Bundled { bytes: Cow::Borrowed(bytes), compiled: Some(compiled) });
    }
    let mut looked = Vec::new();
    for folder in folders() {
        let path = folder.join(format!("{name}.wasm"));
        if let Ok(bytes) = std::fs::read(&path) {
            return Ok(Bundled { bytes: Cow::Owned(bytes), compiled: None });
        }
        looked.push(path);
    }
    Err(looked)
}

/// `A2A_HOST_GUESTS`, else `guests` beside the program or beside the folder that cargo built it into.
fn folders() -> Vec<PathBuf> {
    if let Some(folder) = std::env::var_os("A2A_HOST_GUESTS").filter(|folder| !folder.is_empty()) {
        return vec![PathBuf::from(folder)];
    }
    let Ok(program) = std::env::current_exe() else { return Vec::new() };
    // target/debug/a2a-host, and target/debug/deps/TEST for the tests.
    program.ancestors().skip(1).take(3).map(Path::to_owned).map(|folder| folder.join("guests")).collect()
}
