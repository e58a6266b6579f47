//! Arguments → options → the stages → exit code. Each command is one file with its whole pipeline on one screen.

mod check;
mod demo;
mod judge;
mod logging;
mod measure;
mod output;
mod precompile;
mod run;
mod serve;
mod signals;
mod verify;

use std::ffi::OsString;

use clap::{Parser, Subcommand};
use tokio_util::sync::CancellationToken;

use crate::exit::Exit;
use output::Output;

/// Run contracts against A2A agents, verify servers, and test clients with a programmable dummy agent.
#[derive(Parser)]
#[command(name = "a2a-host", version, propagate_version = true, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 everything passed, 1 a contract failed, 2 it could not be executed, 130 interrupted.\n\
    Compiled plugins are kept in the folder A2A_HOST_CACHE (default: a2a-host in the user's cache folder)."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::RunArgs),
    Check(check::CheckArgs),
    Verify(verify::VerifyArgs),
    Serve(serve::ServeArgs),
    Demo(demo::DemoArgs),
    #[command(hide = true)]
    Plugin(PluginArgs),
}

/// What plugin authors and the release build need.
#[derive(clap::Args)]
struct PluginArgs {
    #[command(subcommand)]
    command: PluginCommand,
}

#[derive(Subcommand)]
enum PluginCommand {
    Precompile(precompile::PrecompileArgs),
    Measure(measure::MeasureArgs),
}

/// Parses the arguments, runs the command, and says how the program ends. Never panics on what a user can do.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are errors to clap, but not to anybody else.
            let exit = if error.use_stderr() { Exit::Unable } else { Exit::Passed };
            let _ = error.print();
            return exit;
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Output::new().error(&format!("no threads to run on: {error}")),
    };
    let output = Output::new();
    let exit = runtime.block_on(async {
        // From here on Ctrl-C is ours: it ends what is under way, and what is done by then is reported. The tools of the
        // release build report nothing, so it ends them as it ends any program.
        let stop = match &cli.command {
            Command::Plugin(_) => CancellationToken::new(),
            _ => signals::stop_token(),
        };
        match cli.command {
            Command::Run(args) => run::run(args, &stop, &output).await,
            Command::Check(args) => check::check(args, &stop, &output).await,
            Command::Verify(args) => verify::verify(args, &stop, &output).await,
            Command::Serve(args) => serve::serve(args, &stop, &output).await,
            Command::Demo(args) => demo::demo(args, &stop, &output).await,
            Command::Plugin(PluginArgs { command }) => match command {
                PluginCommand::Precompile(args) => precompile::precompile(&args, &output),
                PluginCommand::Measure(args) => measure::measure(args, &output).await,
            },
        }
    });
    // A guest that loops without yielding, or a lookup of a name, must not hold up the end.
    runtime.shutdown_background();
    output.end(exit)
}
