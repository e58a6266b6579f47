//! `cargo xtask`: what a checkout needs beyond cargo itself.
//!
//! ```text
//! target     a standard library for wasm32-unknown-unknown, from rustup or from Debian
//! guests     cargo → core modules → components, checked against wit/ → target/guests/
//! program    the host, built so that the tests reuse every dependency
//! demo, test, dist, bench, interop   the commands, each a list of steps over these
//! ```
//!
//! Steps and progress go to stderr, so that stdout holds what the commands themselves say.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to a person at a terminal")]

use std::process::ExitCode;

use anyhow::Result;

mod bench;
mod cargo;
mod client;
mod demo;
mod dist;
mod guests;
mod interop;
mod lint;
mod peer;
mod process;
mod program;
mod target;
mod test;
mod workspace;
mod worlds;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  guests [--check]   build the guests into target/guests/; with --check only say whether they are up to date
  demo [-- ARG...]   build everything and run `a2a-host demo ARG...`
  test [FILTER...]   format check, lints, guests and all tests; with filters only guests and the tests so named
  dist               make a release in target/dist/: one program with the guests inside
  bench              measure start-up and the sandbox with the release program, as docs/performance.md shows
  interop            run the examples against agents, and the dummy agent against clients, that others wrote (needs python3 and PyPI)
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<ExitCode> {
    let Some((command, rest)) = args.split_first() else {
        eprint!("{USAGE}");
        return Ok(ExitCode::from(2));
    };
    // `cargo xtask demo -- --fail` and `cargo xtask demo --fail` mean the same.
    let rest = rest.strip_prefix(&["--".to_owned()]).unwrap_or(rest);
    if command != "demo" && rest.iter().any(|word| word == "-h" || word == "--help") {
        print!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    match (command.as_str(), rest) {
        ("guests", []) => guests::run(guests::Mode::Write),
        ("guests", [flag]) if flag == "--check" => guests::run(guests::Mode::Check),
        ("demo", args) => demo::run(args),
        ("test", filters) => test::run(filters),
        ("dist", []) => dist::run(),
        ("interop", []) => interop::run(),
        ("bench", []) => bench::run(),
        ("help" | "-h" | "--help", _) => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        ("guests" | "dist" | "interop" | "bench", unexpected) => {
            Ok(misused(&format!("unexpected argument `{}` for {command}", unexpected.join(" "))))
        }
        _ => Ok(misused(&format!("no command `{command}`"))),
    }
}

fn misused(problem: &str) -> ExitCode {
    eprint!("error: {problem}\n\n{USAGE}");
    ExitCode::from(2)
}
