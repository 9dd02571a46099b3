//! Runner of the analysis of one command: `scuba __analyze`, the program beside this one.
//!
//! In: a request as JSON. Out: the output of the analysis and how it ended, as a [`AnalysisEnd`]. This module knows nothing
//! of what is analysed. The analysis is another program so that it may crash, hang or print nonsense.

use super::processes;
use base::background::USERS_TEMPORARY;
use base::temporary;
use rustix::process::{Pid, Signal};
use std::ffi::OsStr;
use std::io::{PipeReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

/// Maximum bytes of an analysis's output; the rest is dropped.
const LONGEST_TEXT: usize = 1 << 20;
/// Time in which output may still arrive after the process and its group are gone.
const LAST_OUTPUT: Duration = Duration::from_secs(1);
/// Time between asking a process to end and killing it.
const GRACE: Duration = Duration::from_millis(200);

/// How an analysis ended.
#[derive(Debug, PartialEq, Eq)]
pub enum AnalysisEnd {
    /// The analysis denied nothing; the text may hold warnings.
    Passed(Vec<u8>),
    /// The analysis denied at least one finding, which the text names.
    Denied(Vec<u8>),
    /// The tool reports, in one line, that it could not analyse.
    NotAnalysed(Vec<u8>),
    /// The analysis crashed or was cut off. The text holds its output up to then, for the log.
    Broken { how: String, text: Vec<u8> },
}

/// A running analysis.
pub struct Analysis {
    group: Pid,
    ended: mpsc::Receiver<()>,
}

/// Output read from the pipe. It is shared, so that a reader that never sees the end of the pipe does not keep the
/// text.
type PipeOutput = Arc<Mutex<Vec<u8>>>;

impl Analysis {
    /// Starts `program __analyze` in its own process group, with a folder for temporary files that is removed when it
    /// has ended: an analysis that is killed cannot remove its own. Another thread writes the result of `request` to it, since
    /// making that may take time. A third thread calls `report` once, when the analysis and all that it started have
    /// ended.
    ///
    /// # Errors
    /// When the program cannot be executed.
    pub fn start(
        program: &Path,
        request: impl FnOnce() -> Vec<u8> + Send + 'static,
        environment: &[(&str, &OsStr)],
        report: impl FnOnce(AnalysisEnd) + Send + 'static,
    ) -> std::io::Result<Analysis> {
        let (reader, writer) = std::io::pipe()?;
        let (input, mut request_pipe) = std::io::pipe()?;
        let mut command = Command::new(program);
        command.arg("__analyze").envs(environment.iter().copied()).process_group(0);
        command.stdin(input).stdout(writer.try_clone()?).stderr(writer);
        // Without a folder of its own, the analysis uses the one of all programs.
        let folder = temporary::folder("scuba-work-").ok();
        if let Some(folder) = &folder {
            command.env(USERS_TEMPORARY, std::env::var_os("TMPDIR").unwrap_or_default());
            command.env("TMPDIR", folder.path());
        }
        // The threads come first: a child that nobody waits for would be left behind where there is no room for them.
        let text = PipeOutput::default();
        let output = read(reader, text.clone())?;
        let (tell, ended) = mpsc::channel();
        let (begin, begun) = mpsc::channel::<(Child, Pid)>();
        processes::start_thread(move || {
            let Ok((child, group)) = begun.recv() else { return drop(folder) };
            let status = processes::wait(child, || processes::signal_group(group, Signal::KILL));
            // On a timeout as at the end, the text so far is all there is.
            let _ = output.recv_timeout(LAST_OUTPUT);
            let text = std::mem::take(&mut *text.lock().unwrap_or_else(PoisonError::into_inner));
            drop(folder);
            let _ = tell.send(());
            report(verdict(status, text));
        })?;
        // The pipe is dropped at the end, which closes it. An analysis that does not read it is no failure of the shim.
        let started = processes::start_thread(move || drop(request_pipe.write_all(&request())))
            .and_then(|()| processes::start(&mut command));
        let child = match started {
            Ok(child) => child,
            Err(cause) => {
                drop(begin);
                // The folder for temporary files is gone then.
                let _ = ended.recv();
                return Err(cause);
            }
        };
        // The command holds the other ends of the pipes.
        drop(command);
        let group = processes::pid_of(&child).ok_or(std::io::ErrorKind::Other)?;
        let _ = begin.send((child, group));
        Ok(Analysis { group, ended })
    }

    /// Ends the analysis and all that it started; returns when they are gone.
    pub fn stop(&self) {
        processes::signal_group(self.group, Signal::TERM);
        if let Err(mpsc::RecvTimeoutError::Timeout) = self.ended.recv_timeout(GRACE) {
            processes::signal_group(self.group, Signal::KILL);
            let _ = self.ended.recv_timeout(LAST_OUTPUT + GRACE);
        }
    }
}

fn read(mut pipe: PipeReader, text: PipeOutput) -> std::io::Result<mpsc::Receiver<()>> {
    let (tell, done) = mpsc::channel();
    processes::start_thread(move || {
        let mut part = [0; 8192];
        // Reads to the end even when full: a writer must not block on a pipe that nobody empties.
        while let Ok(length @ 1..) = pipe.read(&mut part) {
            let mut text = text.lock().unwrap_or_else(PoisonError::into_inner);
            let room = LONGEST_TEXT.saturating_sub(text.len());
            text.extend_from_slice(&part[..length.min(room)]);
        }
        let _ = tell.send(());
    })?;
    Ok(done)
}

fn verdict(status: std::io::Result<ExitStatus>, mut text: Vec<u8>) -> AnalysisEnd {
    let Ok(status) = status else { return AnalysisEnd::Broken { how: "its exit could not be observed".into(), text } };
    if text.len() >= LONGEST_TEXT {
        text.extend_from_slice(b"\nscuba: note: the output ends here, at 1 MiB\n");
    }
    match (status.code(), status.signal()) {
        (Some(0), _) => AnalysisEnd::Passed(text),
        (Some(1), _) if !text.is_empty() => AnalysisEnd::Denied(text),
        // A build must not fail without a message.
        (Some(1), _) => AnalysisEnd::Broken { how: "scuba denied the command without a finding".into(), text },
        (Some(2), _) => AnalysisEnd::NotAnalysed(text),
        (Some(code), _) => AnalysisEnd::Broken { how: format!("scuba ended with status {code}"), text },
        (None, signal) => {
            AnalysisEnd::Broken { how: format!("scuba was ended by signal {}", signal.unwrap_or(0)), text }
        }
    }
}
