//! Checks of single files by other processes, one at a time. A new check of a file ends the one that runs.

use super::EditorTools;
use report::kept::KeptReport;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::VecDeque;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Pause between two looks at a process.
const PAUSE: Duration = Duration::from_millis(20);

/// A check that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedCheck {
    /// Source, or folder whose last build is checked.
    pub target: PathBuf,
    /// Folder of the workspace.
    pub folder: PathBuf,
    /// Flags where no build tells any.
    pub flags: Vec<String>,
}

impl AskedCheck {
    /// Whether the check is about a whole build, not a source.
    #[must_use]
    pub fn is_of_build(&self) -> bool {
        self.target == self.folder
    }
}

/// End of a check.
#[derive(Debug)]
pub struct FinishedCheck {
    pub number: u64,
    pub asked: AskedCheck,
    pub report: Option<KeptReport>,
    /// Text that the process wrote, or reason why it ended.
    pub said: String,
}

/// A check that runs.
#[derive(Debug)]
struct RunningCheck {
    number: u64,
    asked: AskedCheck,
    process: Arc<Mutex<ProcessSlot>>,
}

/// The process of a check.
#[derive(Debug, Default)]
struct ProcessSlot {
    /// `None` before it starts, and once it has ended: its number may then be another's.
    child: Option<Child>,
    /// Whether nobody wants its result any more.
    unwanted: bool,
}

/// Checks that run or wait.
#[derive(Debug, Default)]
pub struct CheckQueue {
    running: Option<RunningCheck>,
    waiting: VecDeque<AskedCheck>,
    numbers: u64,
}

impl CheckQueue {
    /// Asks for a check. Ends one of the same target, if it runs; returns the number of the ended one.
    pub fn ask(&mut self, asked: AskedCheck) -> Option<u64> {
        self.waiting.retain(|w| w.target != asked.target);
        self.waiting.push_back(asked.clone());
        let same = self.running.as_ref().is_some_and(|r| r.asked.target == asked.target);
        same.then(|| self.stop()).flatten()
    }

    /// Ends the check that runs, with all its processes.
    pub fn stop(&mut self) -> Option<u64> {
        let running = self.running.take()?;
        let mut slot = running.process.lock().unwrap_or_else(PoisonError::into_inner);
        slot.unwanted = true;
        // While the lock is held, nobody waits for the process: its number is still its own.
        if let Some(child) = slot.child.as_mut()
            && let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
        {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        Some(running.number)
    }

    /// Starts the next check if none runs; returns its number and target. `done` gets its end, on another thread.
    pub fn start_next(
        &mut self,
        tools: &EditorTools,
        done: impl FnOnce(FinishedCheck) + Send + 'static,
    ) -> Option<(u64, PathBuf)> {
        if self.running.is_some() {
            return None;
        }
        let asked = self.waiting.pop_front()?;
        self.numbers += 1;
        let number = self.numbers;
        let process = Arc::new(Mutex::new(ProcessSlot::default()));
        let (tools, shared, of) = (tools.clone(), Arc::clone(&process), asked.clone());
        std::thread::spawn(move || {
            let (report, said) = run(&tools, &of, &shared);
            done(FinishedCheck { number, asked: of, report, said });
        });
        let target = asked.target.clone();
        self.running = Some(RunningCheck { number, asked, process });
        Some((number, target))
    }

    /// Whether a finished check is the one that runs, and not one that was ended.
    pub fn finish(&mut self, number: u64) -> bool {
        let is_current = self.running.as_ref().is_some_and(|r| r.number == number);
        if is_current {
            self.running = None;
        }
        is_current
    }
}

/// Runs one check to its end.
fn run(tools: &EditorTools, asked: &AskedCheck, shared: &Mutex<ProcessSlot>) -> (Option<KeptReport>, String) {
    let file = match tempfile::Builder::new().prefix("scuba-report-").tempdir() {
        Ok(folder) => folder,
        Err(e) => return (None, format!("cannot make a temporary folder: {e}")),
    };
    let path = file.path().join("report");
    let mut output = {
        let mut slot = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.unwanted {
            return (None, String::new());
        }
        match command(tools, asked, &path).spawn() {
            Ok(child) => slot.child.insert(child).stderr.take(),
            Err(e) => return (None, format!("cannot run {}: {e}", tools.program.display())),
        }
    };
    let mut said = Vec::new();
    if let Some(output) = &mut output {
        // What was read so far counts if the rest cannot be read.
        let _ = output.read_to_end(&mut said);
    }
    let status = wait(shared);
    let said = String::from_utf8_lossy(&said).trim().to_owned();
    let report = (tools.read_report)(&path);
    match (report, status) {
        (Some(report), _) => (Some(report), said),
        (None, Some(status)) if said.is_empty() => (None, format!("the check ended with {status}")),
        (None, _) => (None, said),
    }
}

/// Waits for a process without holding its lock for long.
fn wait(shared: &Mutex<ProcessSlot>) -> Option<ExitStatus> {
    loop {
        let mut slot = shared.lock().unwrap_or_else(PoisonError::into_inner);
        match slot.child.as_mut()?.try_wait() {
            Ok(None) => {}
            ended => {
                slot.child = None;
                return ended.ok().flatten();
            }
        }
        drop(slot);
        std::thread::sleep(PAUSE);
    }
}

fn command(tools: &EditorTools, asked: &AskedCheck, report: &Path) -> Command {
    let mut command = Command::new(&tools.program);
    command.current_dir(&asked.folder).args(["check", "--quiet", "--color", "never", "--message-format", "short"]);
    command.arg("--report-to").arg(report);
    if !asked.is_of_build() {
        command.arg("--as-built").arg(&asked.folder);
    }
    command.arg(&asked.target);
    if !asked.flags.is_empty() {
        command.arg("--").args(&asked.flags);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    command
}
