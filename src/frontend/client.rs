//! Client of the worker process `scuba-extract`; it depends neither on clang nor on LLVM.
//!
//! Request: JSON on the worker's standard input. Answer: an [`Extraction`] as postcard on its standard output. The
//! client enforces the time limit: it kills a worker that does not answer, with all processes that the worker started.

use super::extraction::{ExtractError, ExtractOptions, Extraction};
use base::own_program;
use files::normalise;
use nvcc::processes::{self, TimeAllowance, Unfinished};
use nvcc::unit::TranslationUnit;
use serde::{Deserialize, Serialize};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Request to the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkerRequest {
    pub unit: TranslationUnit,
    pub options: ExtractOptions,
}

/// Time that the worker gets beyond clang's limit for reading bitcode and answering, before the client kills it.
pub(super) const GRACE: Duration = Duration::from_secs(3);

/// Parts of a worker's work that run side by side, each with the whole time: two sides, and a second reading of both.
const LANES: u32 = 3;

/// Largest answer of a worker, in bytes.
const MAX_ANSWER: usize = 4 << 30;

/// Largest part of a crashed worker's standard error that is repeated, in bytes.
const MAX_DETAIL: usize = 200;

/// Reads a translation unit in a worker process.
///
/// # Errors
/// Fails without an answer: no worker, a crash, the time limit. A side that clang rejects is no error: it is listed in
/// [`Extraction::not_analysed`].
pub fn extract(unit: &TranslationUnit, options: &ExtractOptions) -> Result<Extraction, ExtractError> {
    let worker = options.worker.clone().unwrap_or_else(beside_this_executable);
    let spawn_error = |message: String| ExtractError::Spawn { worker: worker.clone(), message };
    let file = normalise(&unit.directory, &unit.source);
    let request = serde_json::to_vec(&WorkerRequest { unit: unit.clone(), options: options.clone() })
        .map_err(|e| spawn_error(e.to_string()))?;
    let mut command = Command::new(&worker);
    command
        .arg("--worker")
        // A trace that runs out of memory waits for itself: std locks its traces to tell of the failed allocation.
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    // A worker that outlives this process would read on for nobody.
    let child = processes::start(&mut command).map_err(|e| spawn_error(e.to_string()))?;
    let time = TimeAllowance::new(options.time_limit.and(GRACE), LANES);
    // A worker that died early closes its input; its exit status is more informative.
    let ended = match processes::finish(child, request, MAX_ANSWER, &time) {
        Ok(ended) => ended,
        Err(Unfinished::TimedOut) => {
            return Err(ExtractError::TimedOut { file, seconds: options.time_limit.cpu.as_secs() });
        }
        Err(why) => return Err(spawn_error(why.to_string())),
    };
    if !ended.status.success() {
        let detail = last_line(&ended.errors).map(|l| format!(": {l}")).unwrap_or_default();
        return Err(ExtractError::Crashed { file, how: processes::how(ended.status), detail });
    }
    postcard::from_bytes(&ended.output).map_err(|e| ExtractError::Answer { file, message: e.to_string() })
}

/// Returns the most informative line about a crash: the last nonempty one without `note:`, truncated.
fn last_line(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text).into_owned();
    let line = text.lines().rev().find(|l| !l.trim().is_empty() && !l.starts_with("note:"))?.trim();
    Some(line.chars().take(MAX_DETAIL).collect())
}

fn beside_this_executable() -> PathBuf {
    let name = "scuba-extract";
    own_program::path().ok().and_then(|p| p.parent().map(|d| d.join(name))).unwrap_or_else(|| name.into())
}
