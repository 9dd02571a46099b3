//! Checks one program in its own process, `scuba __check`: if that process dies (out of memory, a crash in a library),
//! the calling run continues and reports it.
//!
//! In: modules and options. Out: a report, or the reason for its absence. Both pass through pipes, as postcard and as
//! JSON.

use super::guarded;
use super::guarded::WorkerFailure;
use super::memory;
use super::parcel::Parcel;
use crate::Status;
use crate::cache::reports;
use base::own_program;
use check::{CheckOptions, ProgramReport};
use files::ContentStore;
use ir::Module;
use rustix::process::{Signal, set_parent_process_death_signal};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;

/// Name of the hidden command.
pub const COMMAND: &str = "__check";

#[derive(Serialize, Deserialize)]
struct WorkerJob<M> {
    modules: Vec<M>,
    options: CheckOptions,
    /// Limit of memory in bytes.
    memory: u64,
    /// Folder of cached verdicts.
    cache: Option<PathBuf>,
}

/// Runs [`guarded::check_program`] in another process, with a limit of `memory` bytes.
///
/// # Errors
/// If the check fails there, or the process ends abnormally.
pub fn check_program(
    modules: &[Arc<Module>],
    options: &CheckOptions,
    memory: u64,
    verdicts: Option<&ContentStore>,
) -> Result<ProgramReport, WorkerFailure> {
    let job = WorkerJob {
        modules: modules.iter().map(AsRef::as_ref).collect(),
        options: options.clone(),
        memory,
        cache: verdicts.map(|v| v.folder().to_owned()),
    };
    let job = postcard::to_stdvec(&job).map_err(|e| WorkerFailure::Died(e.to_string()))?;
    let worker = own_program::path().map(|program| {
        let mut c = Command::new(program);
        c.arg(COMMAND);
        c
    });
    worker
        .and_then(|mut command| ask(&mut command, &job))
        .map_or_else(|e| Err(WorkerFailure::Died(e.to_string())), |(status, said)| read(status, &said, memory))
}

fn ask(command: &mut Command, job: &[u8]) -> std::io::Result<(ExitStatus, Vec<u8>)> {
    let mut worker = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    // The worker reads all input before it writes. A worker that died earlier shows this by its status.
    if let Some(mut input) = worker.stdin.take() {
        let _ = input.write_all(job);
    }
    let mut said = Vec::new();
    if let Some(output) = &mut worker.stdout {
        output.read_to_end(&mut said)?;
    }
    Ok((worker.wait()?, said))
}

fn read(status: ExitStatus, said: &[u8], memory: u64) -> Result<ProgramReport, WorkerFailure> {
    if status.code() == Some(memory::SPENT) {
        return Err(WorkerFailure::Memory(memory >> 20));
    }
    let result = serde_json::from_slice::<Result<Parcel, WorkerFailure>>(said)
        .unwrap_or_else(|_| Err(WorkerFailure::Died(how(status))))?;
    result.open().ok_or_else(|| WorkerFailure::Died(how(status)))
}

fn how(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("ended by signal {signal}"),
        (None, code) => format!("ended with status {}", code.unwrap_or(-1)),
    }
}

/// Main function of the worker process.
pub fn run() -> Status {
    // Nobody reads the output of an orphaned worker.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let mut input = Vec::new();
    let Ok(_) = std::io::stdin().lock().read_to_end(&mut input) else { return Status::Unable };
    let Ok(job) = postcard::from_bytes::<WorkerJob<Module>>(&input) else { return Status::Unable };
    drop(input);
    let limit = memory::limit_worker(job.memory);
    let answers = reports::answers(job.cache.map(ContentStore::new));
    let result =
        guarded::check_program(job.modules.into_iter().map(Arc::new).collect(), &job.options, answers).map(Parcel::of);
    drop(limit);
    match serde_json::to_writer(std::io::stdout().lock(), &result) {
        Ok(()) => Status::Clean,
        Err(_) => Status::Unable,
    }
}

#[cfg(test)]
mod tests {
    use super::{WorkerFailure, ask, read};
    use std::process::Command;

    #[test]
    fn however_a_worker_ends_there_is_a_reason() {
        let of = |script: &str| {
            let (status, said) = ask(Command::new("sh").args(["-c", script]), b"job").unwrap();
            read(status, &said, 256 << 20).unwrap_err()
        };
        assert_eq!(
            of("cat > /dev/null; exit 3").to_string(),
            "the analysis takes more memory than 256 MiB (limits.memory)"
        );
        assert_eq!(of("kill -KILL $$"), WorkerFailure::Died("ended by signal 9".into()));
        assert_eq!(of("cat > /dev/null; echo nonsense"), WorkerFailure::Died("ended with status 0".into()));
        assert_eq!(of("cat > /dev/null; echo '{\"Err\":{\"TooLong\":7}}'"), WorkerFailure::TooLong(7));
    }
}
