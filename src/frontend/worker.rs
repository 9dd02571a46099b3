//! Worker side of the process `scuba-extract`: reads one [`WorkerRequest`], answers with one extraction.
//!
//! The worker enforces its own memory limit. It is killed when its client dies, and its clang processes when it dies.

use super::client::{GRACE, WorkerRequest};
use super::extraction::ExtractOptions;
use super::in_process::{InProcessReader, extract_here};
use files::Hashes;
use rustix::process::Signal;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// Interval at which the worker checks whether its client is alive.
const WATCH: Duration = Duration::from_millis(200);

/// Answers one request. `other` is the worker's front end beside clang.
///
/// # Errors
/// Fails where the request cannot be read or the answer cannot be written.
pub fn serve(input: impl Read, mut output: impl Write, other: Option<InProcessReader>) -> anyhow::Result<()> {
    use anyhow::Context;
    // The client may be killed before it can kill this process. `watch` notices that too, later.
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    let request: WorkerRequest = serde_json::from_reader(input).context("the request cannot be read")?;
    limit(&request.options);
    watch(&request.options);
    let extraction = extract_here(&request.unit, &request.options, other);
    Hashes::of_this_process().keep();
    let bytes = postcard::to_stdvec(&extraction).context("the answer cannot be written")?;
    output.write_all(&bytes)?;
    output.flush()?;
    Ok(())
}

/// Limits this process and its children. A failure to set a limit is ignored.
fn limit(options: &ExtractOptions) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let memory = Some(options.memory_limit);
    let _ = setrlimit(Resource::As, Rlimit { current: memory, maximum: memory });
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
}

/// Kills this worker and its clang processes when the client is gone or nobody waits any more: the client may have been
/// killed before it could do so.
fn watch(options: &ExtractOptions) {
    let leader = rustix::process::getpgrp() == rustix::process::getpid();
    if !leader {
        return;
    }
    let parent = rustix::process::getppid();
    let end = options.time_limit.and(GRACE).wall.map(|wall| Instant::now() + wall);
    std::thread::spawn(move || {
        while rustix::process::getppid() == parent && end.is_none_or(|end| Instant::now() < end) {
            std::thread::sleep(WATCH);
        }
        let _ = rustix::process::kill_process_group(rustix::process::getpid(), Signal::KILL);
    });
}
