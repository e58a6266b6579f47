//! Agents that others wrote: installed from PyPI into a folder of their own, started on loopback, and ended with everything
//! that they started.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::process::run;

/// A Python server takes a few seconds to import what it needs; a minute is for a busy machine.
const START_LIMIT: Duration = Duration::from_secs(60);
/// What a server gets to end by itself before it is killed.
const END_LIMIT: Duration = Duration::from_secs(5);
/// Between two looks at a server that starts or ends.
const PAUSE: Duration = Duration::from_millis(100);
const CARD: &str = "/.well-known/agent-card.json";

/// Creates a virtual environment and installs packages into it; cheap where they are already there.
///
/// # Errors
/// There is no python3 with venv, or the packages cannot be fetched.
pub(crate) fn install(folder: &Path, packages: &[String]) -> Result<()> {
    let python = folder.join("bin/python");
    if !python.exists() {
        let made = run(Command::new("python3").args(["-m", "venv"]).arg(folder));
        made.context("interop needs python3 with its venv module (Debian: apt-get install python3-venv)")?;
    }
    run(Command::new(python).args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages))
}

/// A port of this machine that nobody listens on at the moment.
///
/// # Errors
/// The system gives none.
pub(crate) fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot listen on loopback")?;
    Ok(listener.local_addr()?.port())
}

/// A server that runs until this is dropped, or until this process ends in whatever way.
pub(crate) struct Server {
    child: Child,
    /// The shell around the server waits for the end of this pipe.
    alive: Option<ChildStdin>,
    log: PathBuf,
}

impl Server {
    /// Starts a program; what it prints goes to a file.
    ///
    /// # Errors
    /// The log cannot be written or the shell cannot be started. A program that is missing ends the server at once.
    pub(crate) fn start(program: &Path, args: &[String], log: PathBuf) -> Result<Self> {
        // The shell leads a process group of its own. As soon as its standard input ends, which happens even when this
        // process is killed, the whole group is asked to end; the shell itself waits for the server and then ends too.
        const GUARD: &str = r#"
            trap : TERM
            exec 3<&0
            (cat <&3 >/dev/null; kill -TERM 0) &
            "$@" </dev/null 3<&-
            status=$?
            kill -TERM 0
            exit $status"#;
        let output = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut shell = Command::new("sh");
        shell.args(["-c", GUARD, "sh"]).arg(program).args(args);
        shell.stdin(Stdio::piped()).stdout(output.try_clone()?).stderr(output);
        shell.process_group(0);
        let mut child = shell.spawn().context("cannot start sh")?;
        let alive = child.stdin.take();
        Ok(Self { child, alive, log })
    }

    /// Waits until the server hands out its agent card.
    ///
    /// # Errors
    /// It ended or took too long; the message has what it printed.
    pub(crate) fn wait_for_card(&mut self, port: u16) -> Result<()> {
        let started = Instant::now();
        loop {
            if hands_out(port, CARD) {
                return Ok(());
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("the agent ended ({status}) before it had a card:\n{}", self.printed());
            }
            if started.elapsed() > START_LIMIT {
                bail!("the agent had no card after {} s:\n{}", START_LIMIT.as_secs(), self.printed());
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn printed(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_else(|error| format!("(cannot read {}: {error})", self.log.display()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.alive.take());
        let asked = Instant::now();
        while asked.elapsed() < END_LIMIT && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(PAUSE);
        }
        // Whatever is left of the group, such as what the server started and forgot; usually nothing, which is an error of
        // no interest.
        let mut kill = Command::new("kill");
        kill.args(["-KILL", "--", &format!("-{}", self.child.id())]).stdout(Stdio::null()).stderr(Stdio::null());
        let _ = kill.status();
        let _ = self.child.wait();
    }
}

/// Whether a plain request for the path is answered with 200.
fn hands_out(port: u16, path: &str) -> bool {
    let ask = || -> std::io::Result<bool> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        let mut status = [0; 12];
        stream.read_exact(&mut status)?;
        Ok(&status == b"HTTP/1.1 200")
    };
    ask().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(script: &str, folder: &Path) -> Server {
        Server::start(Path::new("sh"), &["-c".to_owned(), script.to_owned()], folder.join("log")).unwrap()
    }

    /// Starts a server whose processes all hold a pipe open, and answers with the pipe once they do.
    fn start_holding_pipe(before: &str, after: &str, folder: &Path) -> (Server, File) {
        let pipe = folder.join("pipe");
        run(Command::new("mkfifo").arg(&pipe)).unwrap();
        let server = start(&format!("{before} exec 9>{}; {after}", pipe.display()), folder);
        (server, File::open(&pipe).unwrap())
    }

    /// Whether every process that held the pipe has ended.
    fn all_ended(mut pipe: File) -> bool {
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || sender.send(pipe.read_to_end(&mut Vec::new()).is_ok()));
        receiver.recv_timeout(START_LIMIT).unwrap_or(false)
    }

    #[test]
    fn a_server_ends_with_everything_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let (server, pipe) = start_holding_pipe("", "sleep 1000 & sleep 1000", folder.path());
        drop(server);
        assert!(all_ended(pipe));
    }

    #[test]
    fn a_server_that_will_not_end_is_killed() {
        let folder = tempfile::tempdir().unwrap();
        let (server, pipe) = start_holding_pipe("trap '' TERM;", "sleep 1000 & sleep 1000", folder.path());
        drop(server);
        assert!(all_ended(pipe));
    }

    #[test]
    fn a_server_ends_when_nobody_is_left_to_end_it() {
        let folder = tempfile::tempdir().unwrap();
        let (mut server, pipe) = start_holding_pipe("", "sleep 1000 & sleep 1000", folder.path());
        // What the system does when this process is killed.
        drop(server.alive.take());
        assert!(all_ended(pipe));
    }

    #[test]
    fn a_server_that_ends_early_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let mut server = start("echo no such back end >&2; exit 3", folder.path());
        let error = server.wait_for_card(free_port().unwrap()).unwrap_err().to_string();
        assert!(
            error.starts_with("the agent ended (exit status: 3)") && error.ends_with("no such back end\n"),
            "{error}"
        );
    }

    #[test]
    fn only_a_200_counts_as_a_card() {
        for (status, expected) in [("200 OK", true), ("404 Not Found", false)] {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let port = listener.local_addr().unwrap().port();
            let answer = std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                // All of it: closing a connection with unread bytes resets it, and the answer may be lost with it.
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    stream.read_exact(&mut byte).unwrap();
                    request.extend(byte);
                }
                // In one piece: the other side hangs up as soon as it knows the status.
                stream.write_all(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").as_bytes()).unwrap();
            });
            assert_eq!(hands_out(port, CARD), expected);
            answer.join().unwrap();
        }
        assert!(!hands_out(free_port().unwrap(), CARD));
    }
}
