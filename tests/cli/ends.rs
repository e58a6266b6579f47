//! How the program ends, and what it looks like in other surroundings.

use std::io::Read as _;
use std::process::Stdio;
use std::time::Duration;

use crate::assert_code;
use crate::support::{ContractFile, Dummy, command, finish, run};

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_results_so_far() {
    let dummy = Dummy::start();
    let contract = ContractFile::new(
        "version: 1
agent: {url: 'http://127.0.0.1:9000'}
scenarios:
  - {name: quick, message: hello}
  - {name: long, message: stream x, trials: 10000}
  - {name: never begun, message: hello}
",
    );
    // Compiles the plugins, where nobody has yet.
    assert_code(&contract.run("check", &[]), 0);
    let child = contract.command("run", &["--url", dummy.url()]).stdout(Stdio::piped()).spawn().unwrap();
    // Long enough for the first scenario on any machine, with what it needs compiled; the second takes more than an hour.
    std::thread::sleep(Duration::from_secs(3));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-s", "INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("✓   quick"), "{stdout}");
    assert!(stdout.contains("interrupted after"), "{stdout}");
    assert!(stdout.contains("1 passed, 0 failed, 2 skipped"), "{stdout}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_wait_for_an_agent_that_does_not_answer() {
    // Connections are accepted by the system, and nobody ever answers.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    assert_code(&run(&["check", "examples/hello/contract.yaml"]), 0);
    let mut command = command(&["run", "examples/hello/contract.yaml", "--url", &url]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The program is connected by then: it listens to signals from its start on.
    let _connection = listener.accept().unwrap();
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-s", "INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "interrupted before anything was judged\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_exit_2() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut check = command(&["check", "examples/demo/contract.yaml"]);
    let output = check.stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with("error: the result cannot be written to stdout: "), "{stderr}");
}

#[test]
fn without_utf_8_the_report_is_ascii() {
    let dummy = Dummy::start();
    let mut command = command(&["run", "examples/hello/contract.yaml", "--url", dummy.url()]);
    let outcome = finish(command.env("LC_ALL", "C"));
    assert_code(&outcome, 0);
    assert!(outcome.stdout.is_ascii(), "{}", outcome.stdout);
    assert!(outcome.stdout.contains(" ok   repeats what it was told"), "{}", outcome.stdout);
    let outcome = finish(self::command(&["demo", "--fail"]).env("LC_ALL", "C"));
    assert_code(&outcome, 1);
    assert!(outcome.stdout.is_ascii(), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("submitted -> working"), "{}", outcome.stdout);
}

#[test]
fn colours_are_for_those_who_ask() {
    let dummy = Dummy::start();
    let arguments = ["run", "examples/hello/contract.yaml", "--url", dummy.url()];
    let plain = finish(command(&arguments).env_remove("NO_COLOR"));
    assert!(!plain.stdout.contains('\u{1b}'), "a pipe gets no colours");
    let colored = finish(command(&arguments).env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1"));
    assert!(colored.stdout.contains("\u{1b}[32m✓"), "{:?}", colored.stdout);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let mut child = command(&["demo"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn usage_is_exit_2_and_help_is_0() {
    assert_code(&run(&["frobnicate"]), 2);
    assert_code(&run(&["verify"]), 2);
    let help = run(&["--help"]);
    assert_code(&help, 0);
    for command in ["run", "check", "verify", "serve", "demo"] {
        assert!(help.stdout.contains(&format!("\n  {command} ")), "{command}: {}", help.stdout);
    }
    assert!(help.stdout.contains("A2A_HOST_CACHE"));
    let version = run(&["--version"]);
    assert_eq!((version.code, version.stdout.as_str()), (Some(0), "a2a-host 0.1.0\n"));
}
