//! Client of the worker process `scuba-extract`; it depends neither on clang nor on LLVM.
//!
//! Request: JSON on the worker's standard input. Answer: an [`Extraction`] as postcard on its standard output. The
//! client enforces the time limit: it kills a worker that does not answer, with all processes that the worker started.

use super::extraction::{ExtractError, ExtractOptions, Extraction};
use files::normalise;
use nvcc::unit::TranslationUnit;
use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Request to the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkerRequest {
    pub unit: TranslationUnit,
    pub options: ExtractOptions,
}

/// Time that the worker gets beyond clang's limit for reading bitcode and answering, before the client kills it.
pub(super) const GRACE: Duration = Duration::from_secs(3);

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
    let mut child = Command::new(&worker)
        .arg("--worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|e| spawn_error(e.to_string()))?;
    let stdin = child.stdin.take();
    let (send, receive) = mpsc::channel();
    let out = child.stdout.take();
    let err = child.stderr.take();
    let writer = std::thread::spawn(move || {
        // A worker that died early closes the pipe; its exit status is more informative than this write.
        if let Some(mut s) = stdin {
            let _ = s.write_all(&request);
        }
    });
    let errors = std::thread::spawn(move || read_all(err));
    std::thread::spawn(move || {
        let _ = send.send(read_all(out));
    });
    let answer = receive.recv_timeout(options.time_limit + GRACE);
    if let Err(RecvTimeoutError::Timeout) = answer {
        end_group(&mut child);
        return Err(ExtractError::TimedOut { file, seconds: options.time_limit.as_secs() });
    }
    let status = child.wait().map_err(|e| spawn_error(e.to_string()))?;
    let _ = writer.join();
    if !status.success() {
        end_group(&mut child);
        let how = match (status.signal(), status.code()) {
            (Some(s), _) => format!("signal {s}"),
            (None, Some(c)) => format!("exit status {c}"),
            (None, None) => "no status".into(),
        };
        let text = errors.join().unwrap_or_default();
        let detail = last_line(&text).map(|l| format!(": {l}")).unwrap_or_default();
        return Err(ExtractError::Crashed { file, how, detail });
    }
    postcard::from_bytes(&answer.unwrap_or_default()).map_err(|e| ExtractError::Answer { file, message: e.to_string() })
}

fn read_all(source: Option<impl Read>) -> Vec<u8> {
    let mut out = vec![];
    if let Some(mut s) = source {
        let _ = s.read_to_end(&mut out);
    }
    out
}

/// Returns the most informative line about a crash: the last nonempty one without `note:`, truncated.
fn last_line(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text).into_owned();
    let line = text.lines().rev().find(|l| !l.trim().is_empty() && !l.starts_with("note:"))?.trim();
    Some(line.chars().take(MAX_DETAIL).collect())
}

/// Kills the worker and its clang processes, which share its process group.
fn end_group(child: &mut Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = rustix::process::kill_process_group(pid, Signal::KILL);
    }
    let _ = child.wait();
}

fn beside_this_executable() -> PathBuf {
    let name = "scuba-extract";
    std::env::current_exe().ok().and_then(|p| p.parent().map(|d| d.join(name))).unwrap_or_else(|| name.into())
}
