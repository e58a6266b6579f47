//! The program: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    a2a_host::cli::main(std::env::args_os()).into()
}
