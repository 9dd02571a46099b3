//! Dispatches a command line to the command that it names. No other module of this room uses this one.

use super::args::{self, Cli, CliCommand};
use super::logging;
use super::{Status, commands, explained, output, worker};
use clap::{CommandFactory, FromArgMatches};
use confirm::watch;
use nvcc::processes;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs one command line, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    logging::begin();
    processes::keep_statuses();
    let matches = match Cli::command().try_get_matches_from(arguments) {
        Ok(m) => m,
        Err(e) => {
            // Help and version are no failures. If standard error is closed, nobody can read the message.
            let _ = e.print();
            return if e.use_stderr() { Status::Unable.into() } else { Status::Clean.into() };
        }
    };
    let done = Cli::from_arg_matches(&matches).map_err(anyhow::Error::from).and_then(|cli| {
        let overrides = matches.subcommand().map(|(_, m)| args::level_overrides(m)).unwrap_or_default();
        dispatch(cli.command, overrides)
    });
    match done {
        Ok(status) => status.into(),
        Err(e) => {
            output::complain(&format!("{e:#}"));
            Status::Unable.into()
        }
    }
}

fn dispatch(command: CliCommand, overrides: report::levels::Overrides) -> anyhow::Result<Status> {
    match command {
        CliCommand::Check(a) => commands::check::run(a, overrides),
        CliCommand::Merge(a) => commands::merge::run(&a, &overrides),
        CliCommand::Init(a) => commands::init::run(&a),
        CliCommand::Build(a) => commands::build::run(&a, overrides),
        CliCommand::Report(a) => commands::report::run(&a, overrides),
        CliCommand::Baseline(a) => commands::baseline::run(&a, overrides),
        CliCommand::Explain { what } => {
            output::print(&what.map_or_else(explained::list, |what| what.page().to_owned()));
            Ok(Status::Clean)
        }
        CliCommand::Cache(a) => commands::cache::run(&a),
        CliCommand::Warm(a) => commands::warm::run(&a),
        CliCommand::Lsp => commands::lsp::run(),
        CliCommand::Doctor(a) => Ok(commands::doctor::run(&a)),
        CliCommand::Stats(a) => commands::stats::run(&a),
        CliCommand::Contracts(a) => commands::contracts::run(&a, &overrides),
        CliCommand::Confirm(a) => commands::confirm::run(&a, &overrides),
        CliCommand::Analyze => Ok(commands::analyze::run()),
        CliCommand::CheckOne => Ok(worker::process::run()),
        CliCommand::Pages { prefix } => commands::pages::run(&prefix),
        CliCommand::Watch { process } => {
            watch::run(process);
            Ok(Status::Clean)
        }
    }
}
