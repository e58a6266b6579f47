//! Steps with their times, and child processes whose failure says what was run.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// Runs one step of a command: says what it is, and when it is done how long that took.
pub(crate) fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("==> {what}");
    let started = Instant::now();
    let result = work();
    let outcome = if result.is_ok() { "done" } else { "failed" };
    eprintln!("    {outcome} after {:.1} s", started.elapsed().as_secs_f64());
    result
}

/// The command line as a user could type it, for messages.
pub(crate) fn shown(command: &Command) -> String {
    let mut line = String::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            line.push_str(&format!("{}={} ", name.display(), quoted(&value.to_string_lossy())));
        }
    }
    line.push_str(&quoted(&command.get_program().to_string_lossy()));
    for arg in command.get_args() {
        line.push(' ');
        line.push_str(&quoted(&arg.to_string_lossy()));
    }
    line
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.escape_debug()) }
}

/// Runs a command with our own output streams.
///
/// # Errors
/// The command cannot be started, or ends in anything but success.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = status(command)?;
    if !status.success() {
        bail!("`{}` ended with {status}", shown(command));
    }
    Ok(())
}

/// Runs a command with our own output streams, whatever its outcome.
///
/// # Errors
/// The command cannot be started.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus> {
    command.status().with_context(|| format!("cannot start `{}`", shown(command)))
}

/// What a command prints to stdout; its stderr stays ours.
///
/// # Errors
/// The command cannot be started, or ends in anything but success.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !output.status.success() {
        bail!("`{}` ended with {}", shown(command), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What a probing command prints to stdout, trimmed; none where it cannot run or fails.
pub(crate) fn probe(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The child's own code; one that a signal ended has 128 and the signal's number, as in a shell.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or(status.signal().map(|number| 128 + number)).unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Whether this runs in continuous integration: `CI=true`, as every such service sets it.
pub(crate) fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_command_as_one_could_type_it() {
        let error = run(Command::new("sh").args(["-c", "exit 3"]).env("KEY", "a b")).unwrap_err().to_string();
        assert!(error.starts_with("`KEY='a b' sh -c 'exit 3'` ended with"), "{error}");
        let error = run(&mut Command::new("no-such-program-here")).unwrap_err().to_string();
        assert_eq!(error, "cannot start `no-such-program-here`");
    }

    #[test]
    fn a_probe_answers_only_for_success() {
        assert_eq!(probe(Command::new("sh").args(["-c", "echo yes"])), Some("yes".to_owned()));
        assert_eq!(probe(Command::new("sh").args(["-c", "echo yes; exit 1"])), None);
        assert_eq!(probe(&mut Command::new("no-such-program-here")), None);
    }

    #[test]
    fn the_exit_code_is_the_childs() {
        for (script, code) in [("exit 0", 0), ("exit 2", 2), ("exit 130", 130), ("kill -TERM $$", 143)] {
            let status = status(Command::new("sh").args(["-c", script])).unwrap();
            assert_eq!(exit_code(status), ExitCode::from(code), "{script}");
        }
    }
}
