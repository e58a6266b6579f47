//! `cargo xtask dist`: a release, one program with the guests inside, compiled ahead of time by the program itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::cargo;
use crate::guests::{self, Mode};
use crate::process::{output, probe, run as run_command, step};
use crate::workspace::Workspace;

/// What goes into the archive beside the program, where the checkout has it.
const DOCUMENTS: [&str; 3] = ["LICENSE", "README.md", "CHANGELOG.md"];

/// Leaves `target/dist/a2a-host`, an archive of it and the archive's SHA-256.
pub(crate) fn run() -> Result<ExitCode> {
    make(&Workspace::read()?)?;
    Ok(ExitCode::SUCCESS)
}

/// Makes the release, and answers with the path of the program.
pub(crate) fn make(workspace: &Workspace) -> Result<PathBuf> {
    guests::make(workspace, Mode::Write)?;
    let triple = host_triple(&output(Command::new("rustc").arg("-vV"))?)?;

    let program = step("program: release build", || build(workspace, &[]))?;
    step(&format!("guests: compile ahead of time for {triple}"), || {
        let folder = workspace.guests_dir();
        let mut precompile = Command::new(&program);
        // Naming the target keeps the features of this machine's processor out of the code.
        precompile.args(["plugin", "precompile", "--target", &triple, "--output"]).arg(&folder);
        precompile.args(workspace.guests.iter().map(|guest| folder.join(format!("{}.wasm", guest.name))));
        run_command(&mut precompile)
    })?;
    let program =
        step("program: release build with the guests inside", || build(workspace, &["--features", "bundled"]))?;
    step("archive", || archive(workspace, &program, &triple))
}

fn build(workspace: &Workspace, features: &[&str]) -> Result<PathBuf> {
    let mut command = cargo::command("build");
    command.args(["--release", "-p", "a2a-host", "--bin", "a2a-host"]).args(features);
    command.env("A2A_HOST_GUESTS", workspace.guests_dir());
    let build = cargo::build(&mut command)?;
    build.report();
    let program = build.file("a2a-host", "bin", std::env::consts::EXE_EXTENSION);
    program.cloned().context("cargo left no program a2a-host")
}

/// The triple that the compiler makes programs for, from the answer of `rustc -vV`.
fn host_triple(version: &str) -> Result<String> {
    let triple = version.lines().find_map(|line| line.strip_prefix("host: "));
    triple.map(str::to_owned).context("`rustc -vV` names no host")
}

fn archive(workspace: &Workspace, program: &Path, triple: &str) -> Result<PathBuf> {
    let dist = workspace.target.join("dist");
    let name = format!("a2a-host-{}-{triple}", workspace.version);
    let content = dist.join(&name);
    if content.exists() {
        fs::remove_dir_all(&content).with_context(|| format!("cannot empty {}", content.display()))?;
    }
    fs::create_dir_all(&content).with_context(|| format!("cannot create {}", content.display()))?;
    let file_name = program.file_name().context("the program has no name")?;
    let copy = |from: &Path, to: PathBuf| {
        fs::copy(from, &to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
    };
    copy(program, dist.join(file_name))?;
    copy(program, content.join(file_name))?;
    for document in DOCUMENTS.map(|name| workspace.root.join(name)).iter().filter(|document| document.exists()) {
        copy(document, content.join(document.file_name().unwrap_or_default()))?;
    }

    let archive = format!("{name}.tar.gz");
    run_command(Command::new("tar").arg("-C").arg(&dist).arg("-czf").arg(dist.join(&archive)).arg(&name))?;
    let sum = sha256(&dist, &archive)?;
    fs::write(dist.join(format!("{archive}.sha256")), &sum).context("cannot write the checksum")?;
    eprintln!("    {}", dist.join(file_name).display());
    eprintln!("    {}", dist.join(&archive).display());
    eprintln!("    sha256 {}", sum.trim_end());
    Ok(dist.join(file_name))
}

/// The line that `sha256sum --check` reads.
fn sha256(folder: &Path, file: &str) -> Result<String> {
    for (program, args) in [("sha256sum", &[][..]), ("shasum", &["-a", "256"])] {
        if let Some(line) = probe(Command::new(program).args(args).arg(file).current_dir(folder)) {
            return Ok(line + "\n");
        }
    }
    bail!("neither sha256sum nor shasum can read {file}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_triple_is_the_compilers_own() {
        let version = "rustc 1.95.0 (abc 2026-04-14)\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0\n";
        assert_eq!(host_triple(version).unwrap(), "x86_64-unknown-linux-gnu");
        assert!(host_triple("rustc 1.95.0").is_err());
    }

    #[test]
    fn the_archive_holds_the_program_and_its_licence_and_the_sum_is_right() {
        let folder = tempfile::tempdir().unwrap();
        let (root, target) = (folder.path().to_owned(), folder.path().join("target"));
        fs::write(root.join("LICENSE"), "terms").unwrap();
        fs::write(root.join("a2a-host"), "program").unwrap();
        let workspace =
            Workspace { root: root.clone(), target: target.clone(), version: "1.2.3".to_owned(), guests: vec![] };
        // Twice: what an earlier release left must not get in the way.
        archive(&workspace, &root.join("a2a-host"), "some-triple").unwrap();
        archive(&workspace, &root.join("a2a-host"), "some-triple").unwrap();

        let dist = target.join("dist");
        assert_eq!(fs::read(dist.join("a2a-host")).unwrap(), b"program");
        let listed =
            output(Command::new("tar").arg("-tzf").arg(dist.join("a2a-host-1.2.3-some-triple.tar.gz"))).unwrap();
        let mut listed: Vec<_> = listed.lines().collect();
        listed.sort_unstable();
        let name = "a2a-host-1.2.3-some-triple";
        assert_eq!(listed, [format!("{name}/"), format!("{name}/LICENSE"), format!("{name}/a2a-host")]);
        let sum = fs::read_to_string(dist.join(format!("{name}.tar.gz.sha256"))).unwrap();
        assert_eq!(sum, sha256(&dist, &format!("{name}.tar.gz")).unwrap());
        assert_eq!(sum.split_whitespace().next().unwrap().len(), 64);
    }
}
