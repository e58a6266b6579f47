//! A standard library for `wasm32-unknown-unknown`, from whoever has it.
//!
//! The ordinary way is rustup. Where rustup is missing or cannot fetch the target, Debian has a compiler with the sources
//! of its standard library and a linker, which together build it anew.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::process::{in_ci, probe, run, shown, status};

/// What guests are compiled for: a component made from it imports nothing but our own interfaces.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Debian's compiler, the sources of its standard library, and a linker that knows wasm (rustc brings its own only with rustup).
const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "rust-web-src", "lld-19"];
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_LINKER: &str = "wasm-ld-19";

/// The compiler that has the target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Toolchain {
    /// The one that cargo uses anyway.
    Own,
    /// Debian's, which builds the standard library from its sources.
    Debian,
}

impl Toolchain {
    /// Makes a `cargo build` of guests use this compiler.
    pub(crate) fn apply(self, cargo: &mut Command) {
        cargo.args(["--target", TARGET]);
        if self == Toolchain::Debian {
            cargo
                .env("RUSTC", DEBIAN_RUSTC)
                // Lets a stable compiler take -Z options.
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DEBIAN_LINKER)
                .arg("-Zbuild-std=std,panic_abort");
        }
    }
}

/// What this machine has.
#[derive(Debug, Clone, Default)]
struct Machine {
    /// Rustup is there.
    rustup: bool,
    /// Rustup was asked for the target and did not bring it.
    rustup_failed: bool,
    /// The compiler that cargo uses finds a core library for the target.
    has_core: bool,
    /// Debian's compiler, its library's sources and the linker are all there.
    debian_ready: bool,
    /// apt-get is there.
    apt: bool,
    /// apt-get was asked and did not bring them.
    apt_failed: bool,
    /// Installing system packages is nobody else's business: we are root, or this is a CI machine.
    may_install: bool,
}

/// What to do next.
#[derive(Debug, PartialEq)]
enum Plan {
    Use(Toolchain),
    AddWithRustup,
    InstallFromDebian,
    /// Nothing that may be done without asking; the text names what the user can do.
    Ask(String),
}

fn plan(machine: &Machine) -> Plan {
    if machine.has_core {
        Plan::Use(Toolchain::Own)
    } else if machine.debian_ready {
        // Before rustup: whoever has these packages was here before, and an unreachable rustup would cost time at every run.
        Plan::Use(Toolchain::Debian)
    } else if machine.rustup && !machine.rustup_failed {
        Plan::AddWithRustup
    } else if machine.apt && machine.may_install && !machine.apt_failed {
        Plan::InstallFromDebian
    } else {
        Plan::Ask(advice(machine))
    }
}

fn advice(machine: &Machine) -> String {
    let why = match (machine.rustup, machine.apt_failed) {
        (_, true) => "neither rustup nor apt-get brought it",
        (true, _) => "rustup could not fetch it",
        (false, _) => "there is no rustup that could fetch it",
    };
    let mut text = format!("the Rust compiler has no standard library for {TARGET}, and {why}; one of these helps:\n");
    let from_rustup =
        if machine.rustup { "once it can be reached" } else { "after installing rustup from https://rustup.rs" };
    text.push_str(&format!("  rustup target add {TARGET}    ({from_rustup})\n"));
    let packages = DEBIAN_PACKAGES.join(" ");
    text.push_str(&format!(
        "  apt-get install --no-install-recommends {packages}    (as root, on Debian 12 or newer)\n"
    ));
    text.push_str("then run this command again");
    text
}

/// Makes sure that guests can be compiled, and says what it installs.
///
/// # Errors
/// No way that may be taken led to a standard library; the message names the commands that would.
pub(crate) fn ensure() -> Result<Toolchain> {
    let mut machine = look();
    loop {
        match plan(&machine) {
            Plan::Use(toolchain) => {
                if toolchain == Toolchain::Debian {
                    eprintln!("    using Debian's {DEBIAN_RUSTC}, which builds the standard library for {TARGET}");
                }
                return Ok(toolchain);
            }
            Plan::AddWithRustup => {
                eprintln!("    installing {TARGET}: rustup target add {TARGET}");
                // Success is not taken at its word: a compiler that is not rustup's gains nothing by it.
                let _ = status(Command::new("rustup").args(["target", "add", TARGET]));
                machine.has_core = has_core();
                machine.rustup_failed = !machine.has_core;
            }
            Plan::InstallFromDebian => {
                eprintln!("    rustup did not bring {TARGET}");
                if let Err(error) = install_from_debian() {
                    eprintln!("    {error:#}");
                }
                machine.debian_ready = debian_ready();
                machine.apt_failed = !machine.debian_ready;
            }
            Plan::Ask(advice) => bail!("{advice}"),
        }
    }
}

fn look() -> Machine {
    Machine {
        rustup: probe(Command::new("rustup").arg("--version")).is_some(),
        has_core: has_core(),
        debian_ready: debian_ready(),
        apt: probe(Command::new("apt-get").arg("--version")).is_some(),
        may_install: is_root() || in_ci(),
        ..Machine::default()
    }
}

fn is_root() -> bool {
    probe(Command::new("id").arg("-u")).is_some_and(|id| id == "0")
}

/// Asks the compiler itself, so that it works for every way of installing Rust.
fn has_core() -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let folder = probe(Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]));
    folder.is_some_and(|folder| holds_core(Path::new(&folder)))
}

fn holds_core(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with("libcore-") && name.ends_with(".rlib")
    })
}

fn debian_ready() -> bool {
    let Some(sysroot) = probe(Command::new(DEBIAN_RUSTC).args(["--print", "sysroot"])) else { return false };
    // Cargo reads this very file for -Zbuild-std; rust-web-src brings it.
    let sources = Path::new(&sysroot).join("lib/rustlib/src/rust/library/Cargo.lock").is_file();
    sources && probe(Command::new(DEBIAN_LINKER).arg("--version")).is_some()
}

fn install_from_debian() -> Result<()> {
    let apt_get = |args: &[&str]| {
        // A CI machine that is not root usually has sudo without a password; -n makes it fail rather than ask.
        let mut command = if is_root() { Command::new("apt-get") } else { Command::new("sudo") };
        if !is_root() {
            command.args(["-n", "apt-get"]);
        }
        command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
        eprintln!("    installing: {}", shown(&command));
        run(&mut command)
    };
    apt_get(&["-q", "update"])?;
    let mut install = vec!["-q", "-y", "--no-install-recommends", "install"];
    install.extend(DEBIAN_PACKAGES);
    apt_get(&install)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(change: impl FnOnce(&mut Machine)) -> Machine {
        let mut machine = Machine { rustup: true, apt: true, may_install: true, ..Machine::default() };
        change(&mut machine);
        machine
    }

    #[test]
    fn a_target_that_is_there_is_used() {
        let everything = machine(|m| (m.has_core, m.debian_ready) = (true, true));
        assert_eq!(plan(&everything), Plan::Use(Toolchain::Own));
    }

    #[test]
    fn rustup_comes_first_and_debian_second() {
        assert_eq!(plan(&machine(|_| ())), Plan::AddWithRustup);
        assert_eq!(plan(&machine(|m| m.rustup_failed = true)), Plan::InstallFromDebian);
        assert_eq!(plan(&machine(|m| m.rustup = false)), Plan::InstallFromDebian);
        assert_eq!(plan(&machine(|m| m.debian_ready = true)), Plan::Use(Toolchain::Debian));
    }

    #[test]
    fn a_person_who_is_not_root_is_asked() {
        let Plan::Ask(text) = plan(&machine(|m| (m.rustup_failed, m.may_install) = (true, false))) else { panic!() };
        assert!(text.contains("rustup could not fetch it"), "{text}");
        assert!(text.contains("\n  rustup target add wasm32-unknown-unknown    (once it can be reached)\n"), "{text}");
        assert!(
            text.contains("\n  apt-get install --no-install-recommends rustc-web rust-web-src lld-19    (as root"),
            "{text}"
        );
    }

    #[test]
    fn every_failure_ends_in_advice() {
        for (change, why) in [
            ((|m| (m.rustup, m.apt) = (false, false)) as fn(&mut Machine), "there is no rustup"),
            (|m| (m.rustup_failed, m.apt) = (true, false), "rustup could not fetch it"),
            (|m| (m.rustup_failed, m.apt_failed) = (true, true), "neither rustup nor apt-get brought it"),
        ] {
            let Plan::Ask(text) = plan(&machine(change)) else { panic!("{why}") };
            assert!(text.contains(why), "{text}");
        }
    }

    #[test]
    fn the_core_library_is_looked_for_by_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!holds_core(folder.path()));
        std::fs::write(folder.path().join("libcore-0123.rmeta"), "").unwrap();
        assert!(!holds_core(folder.path()));
        std::fs::write(folder.path().join("libcore-0123.rlib"), "").unwrap();
        assert!(holds_core(folder.path()));
        assert!(!holds_core(&folder.path().join("missing")));
    }

    #[test]
    fn only_debians_compiler_builds_the_library() {
        let mut own = Command::new("cargo");
        Toolchain::Own.apply(&mut own);
        assert_eq!(shown(&own), "cargo --target wasm32-unknown-unknown");
        let mut debian = Command::new("cargo");
        Toolchain::Debian.apply(&mut debian);
        let line = shown(&debian);
        assert!(line.contains("RUSTC=/usr/bin/rustc ") && line.ends_with("-Zbuild-std=std,panic_abort"), "{line}");
    }
}
