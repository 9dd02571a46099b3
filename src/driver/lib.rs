//! The `scuba` command: connects the rooms.
//!
//! In: a command line. Out: an exit status, reports on standard output or standard error. [`dispatch`] is the entry;
//! each command is a module of [`commands`]. [`session`] holds what commands share (settings, levels, the folder that
//! paths are relative to). [`worker`] isolates the check of one program: a fault in it costs at most one line.

pub mod args;
pub mod cache;
mod changes;
pub mod commands;
mod cross_check;
pub mod dispatch;
mod explained;
mod extraction;
mod history;
mod installation;
mod job_summary;
mod last_report;
mod logging;
mod output;
pub mod programs;
mod second_reading;
mod session;
pub mod worker;

use std::process::ExitCode;

/// Exit statuses (INTERFACE: nothing denied, something denied, could not do what was asked).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Clean,
    Denied,
    Unable,
    /// Exit status of the build command itself.
    Other(u8),
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Clean => 0,
            Status::Denied => 1,
            Status::Unable => 2,
            Status::Other(n) => n,
        })
    }
}
