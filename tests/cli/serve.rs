//! `a2a-host demo` and `a2a-host serve`.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use crate::assert_code;
use crate::support::{ContractFile, command, finish, hostile, run};

#[test]
fn the_demo_passes_and_fails_as_it_is_asked() {
    // A proxy of the environment has no say.
    let mut demo = command(&["demo"]);
    let outcome = finish(demo.env("HTTP_PROXY", "http://127.0.0.1:1").env("http_proxy", "http://127.0.0.1:1"));
    assert_code(&outcome, 0);
    assert!(outcome.stdout.contains("10 passed, 0 failed"), "{}", outcome.stdout);
    let outcome = run(&["demo", "--fail"]);
    assert_code(&outcome, 1);
    assert!(outcome.stdout.contains("examples/demo/failing.yaml:12:9"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("0 passed, 3 failed"), "{}", outcome.stdout);
}

/// `a2a-host serve --port 0` and its address.
struct Server {
    child: std::process::Child,
    url: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let mut all = vec!["serve", "--port", "0", "--log-level", "warn"];
        all.extend(arguments);
        let mut child = command(&all).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.split_whitespace().nth(2).unwrap_or_else(|| panic!("no address in {line:?}")).to_owned();
        Server { child, url }
    }

    /// Sends a signal and waits for the end.
    fn end(mut self, signal: &str) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        let status = self.child.wait().unwrap();
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        (status.code(), stderr)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[cfg(unix)]
#[test]
fn serve_prints_its_address_and_ends_cleanly() {
    for signal in ["INT", "TERM"] {
        let server = Server::start(&[]);
        assert_code(&run(&["run", "examples/hello/contract.yaml", "--url", &server.url]), 0);
        assert_eq!(server.end(signal), (Some(0), String::new()));
    }
}

#[cfg(unix)]
#[test]
fn a_plugin_that_loops_fails_its_own_task_and_the_agent_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("loop.wasm");
    std::fs::write(&file, hostile::component("extensions", "loop")).unwrap();
    let server = Server::start(&["--plugin", file.to_str().unwrap()]);
    let contract = ContractFile::new(
        "version: 1
agent: {url: 'http://127.0.0.1:9000', timeout: 60}
scenarios:
  - name: the plugin's command fails
    message: hostile
    expect: {state: failed, text: {contains: 'plugin loop.wasm: handle used up its CPU budget'}}
  - {name: others go on, message: hello, expect: {text: {equals: hello}}}
",
    );
    let outcome = contract.run("run", &["--url", &server.url]);
    assert_code(&outcome, 0);
    server.end("INT");
}

#[cfg(unix)]
#[test]
fn tasks_that_flood_the_host_leave_the_agent_responsive() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("flood.wasm");
    std::fs::write(&file, hostile::component("extensions", "log-large")).unwrap();
    let server = Server::start(&["--plugin", file.to_str().unwrap()]);
    let contract = |message: &str, expect: &str| {
        ContractFile::new(&format!(
            "version: 1\nagent: {{url: 'http://127.0.0.1:9000', timeout: 60}}\nscenarios: [{{name: a, message: {message}, expect: {expect}}}]\n"
        ))
    };
    let flood = contract("hostile", "{state: failed, text: {contains: called the host too often}}");
    // More floods than the machine has cores to hold.
    let floods: Vec<_> = (0..8).map(|_| flood.command("run", &["--url", &server.url]).spawn().unwrap()).collect();
    assert_code(&contract("hello", "{text: {equals: hello}}").run("run", &["--url", &server.url]), 0);
    for mut flood in floods {
        assert_eq!(flood.wait().unwrap().code(), Some(0));
    }
    server.end("TERM");
}

#[test]
fn serve_refuses_what_it_cannot_serve() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let outcome = run(&["serve", "--port", &port]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains(&port), "{}", outcome.stderr);
    let outcome = run(&["serve", "--port", "0", "--plugin", "no-such.wasm"]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("no-such.wasm"), "{}", outcome.stderr);
    // The same extension twice.
    let extensions = crate::support::root().join("target/guests/extensions.wasm");
    let outcome = run(&["serve", "--port", "0", "--plugin", extensions.to_str().unwrap()]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("urn:a2a:dummy:echo-metadata"), "{}", outcome.stderr);
}
