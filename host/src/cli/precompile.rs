use std::path::PathBuf;

use super::output::Output;
use crate::exit::Exit;
use crate::sandbox;

/// Compile plugins ahead of time, for the release build.
#[derive(clap::Args)]
pub(super) struct PrecompileArgs {
    /// The plugins
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Target triple: any CPU of it will do
    #[arg(long, value_name = "TRIPLE")]
    target: String,
    /// Where to write NAME.cwasm
    #[arg(long, value_name = "FOLDER")]
    output: PathBuf,
}

pub(super) fn precompile(args: &PrecompileArgs, output: &Output) -> Exit {
    for file in &args.files {
        let compiled = match sandbox::precompile(file, &args.target) {
            Ok(compiled) => compiled,
            Err(error) => return output.error(&error),
        };
        let path = args.output.join(file.file_stem().unwrap_or_default()).with_extension("cwasm");
        if let Err(error) = std::fs::write(&path, compiled) {
            return output.error(&format!("{}: {error}", path.display()));
        }
    }
    Exit::Passed
}
