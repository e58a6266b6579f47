//! Guests: compiled in one cargo call, turned into components, checked, and left in `target/guests/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use wit_component::ComponentEncoder;

use crate::cargo;
use crate::process::step;
use crate::target::{self, Toolchain};
use crate::workspace::{Guest, Workspace};
use crate::worlds::Worlds;

/// What to do with the components.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    /// Write those that changed.
    Write,
    /// Write nothing; a component that is missing or would change is an error.
    Check,
}

/// `cargo xtask guests`.
pub(crate) fn run(mode: Mode) -> Result<ExitCode> {
    let workspace = Workspace::read()?;
    make(&workspace, mode)?;
    Ok(ExitCode::SUCCESS)
}

/// The two steps that every command needs before it can run the program.
///
/// # Errors
/// There is no wasm target, a guest does not compile, is no component of ours, or cannot be written.
pub(crate) fn make(workspace: &Workspace, mode: Mode) -> Result<()> {
    let toolchain = step("wasm target: look for the standard library", target::ensure)?;
    step("guests: build, make components, check them against wit/", || {
        let components = components(workspace, toolchain)?;
        keep(&workspace.guests_dir(), &components, mode)
    })
}

/// A finished component.
struct Component {
    name: String,
    bytes: Vec<u8>,
    exports: Vec<String>,
}

fn components(workspace: &Workspace, toolchain: Toolchain) -> Result<Vec<Component>> {
    let mut command = cargo::command("build");
    command.args(["--profile", "guest"]);
    toolchain.apply(&mut command);
    for guest in &workspace.guests {
        command.args(["-p", &guest.package]);
    }
    // getrandom has no source on this target; the guests that need one bring their own. The flags stand here rather than in
    // a configuration file, so that native builds do not see them. `\x1f` parts the words.
    command.env("CARGO_ENCODED_RUSTFLAGS", "--cfg\x1fgetrandom_backend=\"custom\"");
    let build = cargo::build(&mut command)?;
    build.report();

    let worlds = Worlds::read(&workspace.root.join("wit"))?;
    let component = |guest: &Guest| {
        let module = build.file(&guest.library, "cdylib", "wasm");
        let module = module.with_context(|| format!("{}: cargo left no module", guest.package))?;
        let module = fs::read(module).with_context(|| format!("cannot read {}", module.display()))?;
        let (bytes, exports) =
            componentize(&module, &workspace.version, &worlds).with_context(|| guest.package.clone())?;
        Ok(Component { name: guest.name.clone(), bytes, exports })
    };
    workspace.guests.iter().map(component).collect()
}

fn componentize(module: &[u8], version: &str, worlds: &Worlds) -> Result<(Vec<u8>, Vec<String>)> {
    let (typed, _) = wit_component::metadata::decode(module).context("not a core module")?;
    if typed.is_none() {
        bail!(
            "the module has no component type: register what it offers with `register_assertions!`, \
             `register_extensions!` or `register_pack!` of a2a-host-sdk"
        );
    }
    let component = ComponentEncoder::default().validate(true).module(module).and_then(|mut encoder| encoder.encode());
    let mut component = component.context("cannot be made a component")?;
    append_version(&mut component, version);
    let exports = worlds.check(&component)?;
    Ok((component, exports))
}

/// Puts a custom section `version` behind the component, where the host looks for it to name a plugin in messages.
fn append_version(component: &mut Vec<u8>, version: &str) {
    const NAME: &str = "version";
    // Section id 0, size, then the name with its length. Each length is one byte of LEB128 as long as it is below 128,
    // which a version is.
    debug_assert!(NAME.len() + version.len() < 127, "a version is short");
    component.push(0);
    component.push((1 + NAME.len() + version.len()) as u8);
    component.push(NAME.len() as u8);
    component.extend(NAME.bytes().chain(version.bytes()));
}

/// Brings the folder into line with the components.
fn keep(folder: &Path, components: &[Component], mode: Mode) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut stale = Vec::new();
    for Component { name, bytes, exports } in components {
        let file = folder.join(format!("{name}.wasm"));
        let current = fs::read(&file).is_ok_and(|found| found == *bytes);
        match mode {
            Mode::Write if !current => {
                // Code compiled from the old component must not be taken for the new one's.
                remove(&folder.join(format!("{name}.cwasm")))?;
                write(&file, bytes)?;
            }
            Mode::Check if !current => stale.push(format!("{name}.wasm")),
            _ => {}
        }
        let roles: Vec<_> = exports.iter().map(|name| role(name)).collect();
        eprintln!("    {name:<12} {:>8}  {}", size(bytes.len()), roles.join(", "));
    }
    for file in left_over(folder, components)? {
        match mode {
            Mode::Write => {
                eprintln!("    removing {}: no guest has this name any more", file.display());
                remove(&file)?;
            }
            Mode::Check => stale.push(file.file_name().unwrap_or_default().to_string_lossy().into_owned()),
        }
    }
    if !stale.is_empty() {
        bail!("{} in {} out of date: run `cargo xtask guests`", stale.join(", "), folder.display());
    }
    Ok(())
}

/// Components of guests that are gone: the program would still load them.
fn left_over(folder: &Path, components: &[Component]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let file = entry?.path();
        let extension = file.extension().unwrap_or_default();
        let known = components.iter().any(|component| file.file_stem().is_some_and(|stem| *stem == *component.name));
        if (extension == "wasm" || extension == "cwasm") && !known {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// The short name of an interface: `a2a-host:plugin/assertions@0.1.0` is `assertions`.
fn role(interface: &str) -> &str {
    let name = interface.rsplit('/').next().unwrap_or(interface);
    name.split('@').next().unwrap_or(name)
}

fn size(bytes: usize) -> String {
    let kibibytes = bytes.div_ceil(1024);
    format!("{kibibytes} KiB")
}

/// Writes beside the file and renames: a program that starts meanwhile sees the old component or the new one, never half.
fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    let unfinished = file.with_extension("wasm.unfinished");
    fs::write(&unfinished, bytes).with_context(|| format!("cannot write {}", unfinished.display()))?;
    fs::rename(&unfinished, file).with_context(|| format!("cannot write {}", file.display()))
}

fn remove(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", file.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worlds::tests::module;

    fn component(name: &str, bytes: &[u8]) -> Component {
        Component {
            name: name.to_owned(),
            bytes: bytes.to_vec(),
            exports: vec!["a2a-host:plugin/assertions@0.1.0".to_owned()],
        }
    }

    fn files(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn only_what_changed_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("guests");
        keep(&folder, &[component("one", b"1"), component("two", b"2")], Mode::Write).unwrap();
        assert_eq!(files(&folder), ["one.wasm", "two.wasm"]);
        fs::write(folder.join("one.cwasm"), "compiled from 1").unwrap();
        fs::write(folder.join("two.cwasm"), "compiled from 2").unwrap();
        let written = fs::metadata(folder.join("two.wasm")).unwrap().modified().unwrap();

        keep(&folder, &[component("one", b"changed"), component("two", b"2")], Mode::Write).unwrap();
        assert_eq!(fs::read(folder.join("one.wasm")).unwrap(), b"changed");
        assert_eq!(fs::metadata(folder.join("two.wasm")).unwrap().modified().unwrap(), written);
        assert_eq!(files(&folder), ["one.wasm", "two.cwasm", "two.wasm"]);
    }

    #[test]
    fn a_guest_that_is_gone_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["old.wasm", "old.cwasm", "notes.txt"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        keep(folder.path(), &[component("new", b"1")], Mode::Write).unwrap();
        assert_eq!(files(folder.path()), ["new.wasm", "notes.txt"]);
    }

    #[test]
    fn a_check_names_what_is_out_of_date_and_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("one.wasm"), "old").unwrap();
        fs::write(folder.path().join("gone.wasm"), "").unwrap();
        let components = [component("one", b"new"), component("two", b"2")];
        let error = keep(folder.path(), &components, Mode::Check).unwrap_err().to_string();
        assert!(error.starts_with("one.wasm, two.wasm, gone.wasm in "), "{error}");
        assert!(error.ends_with("out of date: run `cargo xtask guests`"), "{error}");
        assert_eq!(fs::read(folder.path().join("one.wasm")).unwrap(), b"old");

        keep(folder.path(), &components, Mode::Write).unwrap();
        keep(folder.path(), &components, Mode::Check).unwrap();
    }

    #[test]
    fn a_module_becomes_a_component_that_was_checked() {
        let wit = "package a2a-host:plugin@0.1.0;
            interface contracts { verify: func() -> u32; }
            world contract-pack { export contracts; }";
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("package.wit"), wit).unwrap();
        let worlds = Worlds::read(folder.path()).unwrap();
        let export = r#"(module (func (export "a2a-host:plugin/contracts@0.1.0#verify") (result i32) i32.const 1))"#;

        let (component, exports) = componentize(&module(wit, export), "1.2.3", &worlds).unwrap();
        assert!(wit_component::decode(&component).is_ok());
        assert_eq!(exports.iter().map(|name| role(name)).collect::<Vec<_>>(), ["contracts"]);

        let error = componentize(&wat::parse_str(export).unwrap(), "1.2.3", &worlds).unwrap_err().to_string();
        assert!(error.starts_with("the module has no component type: register"), "{error}");
        assert_eq!(componentize(b"\0asm", "1.2.3", &worlds).unwrap_err().to_string(), "not a core module");
    }
}
