//! What cargo knows about this workspace.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{cargo, process};

/// The checkout and its guests.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The folder of the root Cargo.toml.
    pub(crate) root: PathBuf,
    /// Cargo's target folder, wherever the user put it.
    pub(crate) target: PathBuf,
    /// The version of the program.
    pub(crate) version: String,
    /// The packages below plugins/ and contracts/, by name.
    pub(crate) guests: Vec<Guest>,
}

/// A package that becomes a component.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Guest {
    /// The name of the package, such as `plugins-assertions`.
    pub(crate) package: String,
    /// The name of its cdylib target.
    pub(crate) library: String,
    /// The name of its folder, which becomes the name of the component's file.
    pub(crate) name: String,
}

impl Workspace {
    /// Asks cargo about the workspace around the current folder.
    ///
    /// # Errors
    /// Cargo fails, or a guest could not be built as it is declared.
    pub(crate) fn read() -> Result<Self> {
        let text = process::output(cargo::command("metadata").args(["--format-version", "1", "--no-deps"]))?;
        Self::from_metadata(&serde_json::from_str(&text).context("cannot read the answer of cargo metadata")?)
    }

    fn from_metadata(metadata: &Value) -> Result<Self> {
        let path = |name: &str| {
            let text = metadata[name].as_str().with_context(|| format!("cargo metadata has no {name}"))?;
            Ok::<_, anyhow::Error>(PathBuf::from(text))
        };
        let (root, target) = (path("workspace_root")?, path("target_directory")?);
        let mut guests = Vec::new();
        let mut version = None;
        for package in metadata["packages"].as_array().into_iter().flatten() {
            if package["name"] == "a2a-host" {
                version = package["version"].as_str().map(str::to_owned);
            }
            guests.extend(guest(package, &root)?);
        }
        guests.sort_by(|a, b| a.name.cmp(&b.name));
        if let Some([a, b]) = guests.windows(2).find_map(|pair| match pair {
            [a, b] if a.name == b.name => Some([a, b]),
            _ => None,
        }) {
            bail!("{} and {} would both become {}.wasm: rename a folder", a.package, b.package, a.name);
        }
        Ok(Self { root, target, version: version.context("the workspace has no package a2a-host")?, guests })
    }

    /// Where the components go.
    pub(crate) fn guests_dir(&self) -> PathBuf {
        self.target.join("guests")
    }
}

/// The package as a guest; none where it lies elsewhere in the tree.
fn guest(package: &Value, root: &Path) -> Result<Option<Guest>> {
    let name = package["name"].as_str().unwrap_or_default();
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let folder = manifest.parent().unwrap_or(manifest);
    let is_guest = ["plugins", "contracts"].iter().any(|kind| folder.parent() == Some(&root.join(kind)));
    if !is_guest {
        return Ok(None);
    }
    let targets = package["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
    let library =
        targets.iter().find(|t| t["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|k| k == "cdylib")));
    let Some(library) = library.and_then(|target| target["name"].as_str()) else {
        bail!("{name} lies among the guests but is no cdylib: add `crate-type = [\"cdylib\", \"rlib\"]` to its [lib]");
    };
    let file = folder.file_name().unwrap_or_default().to_string_lossy();
    Ok(Some(Guest { package: name.to_owned(), library: library.to_owned(), name: file.into_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package(name: &str, folder: &str, kind: &[&str]) -> Value {
        let target = json!({ "name": name.replace('-', "_"), "kind": kind });
        json!({ "name": name, "version": "1.2.3", "manifest_path": format!("/w/{folder}/Cargo.toml"), "targets": [target] })
    }

    fn workspace(packages: &[Value]) -> Result<Workspace> {
        let metadata = json!({ "workspace_root": "/w", "target_directory": "/t", "packages": packages });
        Workspace::from_metadata(&metadata)
    }

    #[test]
    fn guests_are_what_lies_below_plugins_and_contracts() {
        let workspace = workspace(&[
            package("contracts-core", "contracts/core", &["cdylib", "rlib"]),
            package("a2a-host", "host", &["lib"]),
            package("plugins-assertions", "plugins/assertions", &["cdylib"]),
            package("deep", "host/plugins/deep", &["cdylib"]),
        ])
        .unwrap();
        let found: Vec<_> =
            workspace.guests.iter().map(|g| (g.package.as_str(), g.library.as_str(), g.name.as_str())).collect();
        let expected =
            [("plugins-assertions", "plugins_assertions", "assertions"), ("contracts-core", "contracts_core", "core")];
        assert_eq!(found, expected);
        assert_eq!(workspace.version, "1.2.3");
        assert_eq!(workspace.guests_dir(), Path::new("/t/guests"));
    }

    #[test]
    fn a_guest_that_cannot_be_built_is_refused_by_name() {
        let host = package("a2a-host", "host", &["lib"]);
        let error = workspace(&[host.clone(), package("plugins-x", "plugins/x", &["lib"])]).unwrap_err().to_string();
        assert!(error.starts_with("plugins-x lies among the guests but is no cdylib"), "{error}");
        let twins = [host, package("a", "plugins/core", &["cdylib"]), package("b", "contracts/core", &["cdylib"])];
        let error = workspace(&twins).unwrap_err().to_string();
        assert_eq!(error, "a and b would both become core.wasm: rename a folder");
    }
}
