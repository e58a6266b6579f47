//! The cut holds: a stage of the host imports only from the stages before it, and no file grows too long to live in.

mod support;

use std::path::{Path, PathBuf};

/// In the order of `host/src/lib.rs`.
const STAGES: [&str; 12] =
    ["a2a", "printable", "secrets", "contract", "sandbox", "plugin", "client", "run", "report", "dummy", "exit", "cli"];

/// Longer than this, a file wants to be split by responsibility.
const MOST_LINES: usize = 600;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") && !path.ends_with("node_modules") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn stages_import_only_from_earlier_ones() {
    let root = support::root().join("host/src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut seen = 0;
    for file in files {
        let relative = file.strip_prefix(&root).unwrap();
        let first = relative.components().next().unwrap().as_os_str().to_str().unwrap();
        let Some(stage) = STAGES.iter().position(|stage| *stage == first.trim_end_matches(".rs")) else { continue };
        for piece in std::fs::read_to_string(&file).unwrap().split("crate::").skip(1) {
            let name: String = piece.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let Some(imported) = STAGES.iter().position(|stage| *stage == name) else { continue };
            assert!(imported <= stage, "{} imports {name}, a later stage", relative.display());
            seen += 1;
        }
    }
    assert!(seen > 100, "only {seen} imports were found: this test no longer looks at the right thing");
    let lib = std::fs::read_to_string(root.join("lib.rs")).unwrap();
    for stage in STAGES {
        assert!(lib.contains(&format!("pub mod {stage};")) && lib.contains(&format!("//! {stage} ")), "{stage}");
    }
}

#[test]
fn no_file_is_too_long() {
    for folder in ["host", "guest-sdk", "plugins", "contracts", "xtask", "tests"] {
        let mut files = Vec::new();
        sources(&support::root().join(folder), &mut files);
        for file in files {
            let lines = std::fs::read_to_string(&file).unwrap().lines().count();
            assert!(lines <= MOST_LINES, "{} has {lines} lines", file.display());
        }
    }
}
