//! Runs nvcc and the analysis in parallel, and ends as the two together should.
//!
//! A command of the host's tools runs the same way in nvcc's place.
//!
//! In: a [`SupervisedCommand`]. Out: the exit status or signal with which this process must end. Meanwhile nvcc writes to the streams
//! that it inherits, and the analysis's text is printed once to standard error. If nvcc fails, nothing of the analysis
//! is printed.

use super::analysis::{Analysis, AnalysisEnd};
use super::colour;
use super::history::{self, BuildHistory, FinishedCommand};
use super::jobs::Jobs;
use super::locate::{GUARD, Invocation};
use super::notes::Notes;
use super::once::{self, PrintedMessages};
use super::plan::ShimPlan;
use super::processes;
use super::request::AnalysisRequest;
use super::written::OutputSnapshot;
use files::made;
use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Interval between requests for a token while nvcc runs.
const TOKEN_INTERVAL: Duration = Duration::from_millis(25);

/// Exit statuses of the shim's own.
const DENIED: i32 = 1;
const NOT_ANALYSED: i32 = 2;

/// A command to run and to analyse.
pub struct SupervisedCommand {
    pub invocation: Invocation,
    /// Value of [`GUARD`] for all programs that the job starts.
    pub guard: OsString,
    pub plan: ShimPlan,
    /// Makes the request to send; called while nvcc runs, since it may query the GPUs.
    pub request: Arc<dyn Fn() -> AnalysisRequest + Send + Sync>,
    /// Whether the analysis may run beside the command; else it needs the command's output.
    pub beside: bool,
    /// Unknown flags, for the log.
    pub unknown_flags: Vec<OsString>,
    /// Path of the analysis program, or an error message.
    pub analyser: Result<PathBuf, String>,
    /// Time limit of the whole analysis, from its start.
    pub limit: Duration,
    /// Whether a unit that could not be analysed is a failure.
    pub strict: bool,
    pub notes: Notes,
    pub history: BuildHistory,
    pub once: PrintedMessages,
}

/// How this process must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    Code(i32),
    Signal(i32),
}

impl From<ExitStatus> for ProcessEnd {
    fn from(status: ExitStatus) -> ProcessEnd {
        match (status.code(), status.signal()) {
            (Some(code), _) => ProcessEnd::Code(code),
            (None, signal) => ProcessEnd::Signal(signal.unwrap_or(0)),
        }
    }
}

impl ProcessEnd {
    /// Ends this process that way.
    pub fn take_effect(self) -> ! {
        match self {
            ProcessEnd::Code(code) => std::process::exit(code),
            ProcessEnd::Signal(signal) => processes::die_by(signal),
        }
    }
}

enum SupervisorEvent {
    Signal(i32),
    Nvcc(std::io::Result<ExitStatus>),
    Analysis(AnalysisEnd),
}

/// Progress of the analysis.
enum AnalysisProgress {
    /// Waits for a job of the jobserver.
    Waiting,
    Running {
        analysis: Analysis,
        until: Instant,
    },
    Done(AnalysisEnd),
}

/// Runs a job to its end.
///
/// # Errors
/// When nvcc cannot be executed.
pub fn run(job: SupervisedCommand) -> std::io::Result<ProcessEnd> {
    let before = OutputSnapshot::of(&job.plan.outputs, &job.plan.inputs);
    let (at, started) = (history::now(), Instant::now());
    processes::keep_statuses();
    let (events, received) = mpsc::channel();
    // A system that has no room for another thread or process may still have room for nvcc in place of this one.
    let watch = match listen(&events).and_then(|()| watch_nvcc(&events)) {
        Ok(watch) => watch,
        Err(cause) => return job.without_analysis(&cause),
    };
    let mut jobs = Jobs::of_this_process();
    let mut progress = match job.can_ask() {
        Ok(false) => AnalysisProgress::Done(AnalysisEnd::Passed(Vec::new())),
        Ok(true) => AnalysisProgress::Waiting,
        Err(how) => AnalysisProgress::Done(AnalysisEnd::Broken { how, text: Vec::new() }),
    };

    let mut command = job.command();
    let nvcc = match processes::start(&mut command) {
        Ok(nvcc) => nvcc,
        Err(cause) if is_shortage(&cause) => return job.without_analysis(&cause),
        Err(cause) => return Err(cause),
    };
    let nvcc_pid = processes::pid_of(&nvcc);
    let _ = watch.send(nvcc);

    let mut nvcc: Option<(ExitStatus, Duration)> = None;
    let mut interrupted = None;
    loop {
        if matches!(progress, AnalysisProgress::Waiting)
            && interrupted.is_none()
            && (nvcc.is_some() || job.beside && jobs.may_start())
        {
            progress = job.start(&events);
        }
        if let (Some((status, took)), AnalysisProgress::Done(verdict)) = (nvcc, &progress) {
            jobs.release();
            debug_assert!(status.success());
            job.keep(at, took, started.elapsed(), verdict);
            return Ok(job.conclude(verdict, &before));
        }
        let event = match &progress {
            AnalysisProgress::Waiting if job.beside => received.recv_timeout(TOKEN_INTERVAL),
            AnalysisProgress::Waiting => received.recv().map_err(RecvTimeoutError::from),
            AnalysisProgress::Running { until, .. } => {
                received.recv_timeout(until.saturating_duration_since(Instant::now()))
            }
            AnalysisProgress::Done(_) => received.recv().map_err(RecvTimeoutError::from),
        };
        match event {
            Ok(SupervisorEvent::Signal(signal)) => {
                interrupted = Some(signal);
                progress.stop("it was interrupted");
                match (nvcc, nvcc_pid) {
                    (None, Some(pid)) => forward(pid, signal),
                    _ => {
                        jobs.release();
                        return Ok(ProcessEnd::Signal(signal));
                    }
                }
            }
            Ok(SupervisorEvent::Nvcc(status)) => {
                let status = status?;
                // From here on the analysis runs on the job that make gave to nvcc.
                jobs.release();
                if !status.success() {
                    progress.stop("nvcc failed");
                    return Ok(status.into());
                }
                if let Some(signal) = interrupted {
                    return Ok(ProcessEnd::Signal(signal));
                }
                nvcc = Some((status, started.elapsed()));
            }
            Ok(SupervisorEvent::Analysis(verdict)) => {
                if let AnalysisProgress::Running { .. } = progress {
                    progress = AnalysisProgress::Done(verdict);
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                if let AnalysisProgress::Running { .. } = progress {
                    progress.stop(&format!("it took longer than {} seconds", job.limit.as_secs_f32()));
                }
            }
            // This function holds a sender.
            Err(RecvTimeoutError::Disconnected) => return Err(std::io::ErrorKind::BrokenPipe.into()),
        }
    }
}

/// Turns signals to this process into events.
fn listen(events: &mpsc::Sender<SupervisorEvent>) -> std::io::Result<()> {
    let signals = processes::not_ignored(&[SIGINT, SIGTERM, SIGHUP, SIGQUIT]);
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    let events = events.clone();
    processes::start_thread(move || {
        for signal in signals.forever() {
            if events.send(SupervisorEvent::Signal(signal)).is_err() {
                return;
            }
        }
    })
}

/// Starts a thread that waits for nvcc, which is yet to be started, and turns its end into an event.
fn watch_nvcc(events: &mpsc::Sender<SupervisorEvent>) -> std::io::Result<mpsc::Sender<Child>> {
    let (send, started) = mpsc::channel();
    let events = events.clone();
    processes::start_thread(move || {
        if let Ok(nvcc) = started.recv() {
            let _ = events.send(SupervisorEvent::Nvcc(processes::wait(nvcc, || ())));
        }
    })?;
    Ok(send)
}

/// Whether the system lacks what a new process needs: a process number, memory, or file descriptors for pipes.
fn is_shortage(cause: &std::io::Error) -> bool {
    use rustix::io::Errno;
    let shortages = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
    Errno::from_io_error(cause).is_some_and(|errno| shortages.contains(&errno))
}

fn forward(nvcc: Pid, signal: i32) {
    if let Some(signal) = Signal::from_named_raw(signal) {
        processes::signal_tree(nvcc, signal);
    }
}

impl AnalysisProgress {
    fn stop(&mut self, how: &str) {
        if let AnalysisProgress::Running { analysis, .. } = self {
            analysis.stop();
        }
        if !matches!(self, AnalysisProgress::Done(_)) {
            *self = AnalysisProgress::Done(AnalysisEnd::Broken { how: how.into(), text: Vec::new() });
        }
    }
}

impl SupervisedCommand {
    /// Replaces this process by nvcc if no second one can run beside it. Returns only if that fails, or must not happen.
    fn without_analysis(&self, cause: &std::io::Error) -> std::io::Result<ProcessEnd> {
        say(&self.not_analysed(&format!("nothing can run beside the compiler: {}", describe(cause))));
        if self.strict {
            return Ok(ProcessEnd::Code(NOT_ANALYSED));
        }
        Err(self.command().exec())
    }

    /// Returns nvcc's command.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.invocation.program);
        command.args(&self.invocation.arguments).env(GUARD, &self.guard);
        processes::pass_dispositions(&mut command);
        command
    }

    /// Returns whether the request has units or link inputs (sources that cannot be read twice are not among them); an error is
    /// a message.
    fn can_ask(&self) -> Result<bool, String> {
        let request = &self.plan.request;
        if request.units.is_empty() && request.link.as_ref().is_none_or(|link| link.inputs.is_empty()) {
            return Ok(false);
        }
        self.analyser.clone()?;
        serde_json::to_writer(std::io::sink(), request).map_err(|_| "a path in its command line is not UTF-8")?;
        Ok(true)
    }

    fn start(&self, events: &mpsc::Sender<SupervisorEvent>) -> AnalysisProgress {
        let broken = |how: String| AnalysisProgress::Done(AnalysisEnd::Broken { how, text: Vec::new() });
        let program = match &self.analyser {
            Ok(program) => program,
            Err(how) => return broken(how.clone()),
        };
        let request = self.request.clone();
        // Serialisation was tried before nvcc started; the analysis answers an empty request with its own message.
        let request = move || serde_json::to_vec(&request()).unwrap_or_default();
        let events = events.clone();
        let report = move |verdict| drop(events.send(SupervisorEvent::Analysis(verdict)));
        match Analysis::start(
            program,
            request,
            &[(GUARD, &self.guard), (colour::VARIABLE, &colour::for_analysis()), (once::ASKED, OsStr::new("1"))],
            report,
        ) {
            Ok(analysis) => AnalysisProgress::Running { analysis, until: Instant::now() + self.limit },
            Err(cause) => broken(format!("`{}` could not be started: {}", program.display(), describe(&cause))),
        }
    }

    /// Prints, removes outputs that must not stay, and returns how to end. nvcc has succeeded.
    fn conclude(&self, verdict: &AnalysisEnd, before: &OutputSnapshot) -> ProcessEnd {
        for flag in &self.unknown_flags {
            self.notes.add(&self.subject(), &format!("{} is unknown to this version of scuba", flag.display()));
        }
        let mut analysed = self.plan.unreadable.is_empty();
        for source in &self.plan.unreadable {
            say(&format!("scuba: note: {} was not analysed: it can be read only once\n", on_one_line(source)));
        }
        let denied = match verdict {
            AnalysisEnd::Passed(text) => {
                print(&self.once.settle(text));
                false
            }
            AnalysisEnd::Denied(text) => {
                print(&self.once.settle(text));
                true
            }
            AnalysisEnd::NotAnalysed(text) => {
                analysed = false;
                if text.is_empty() {
                    say(&self.not_analysed("scuba could not follow it"));
                } else {
                    print(&self.once.settle(text));
                }
                false
            }
            AnalysisEnd::Broken { how, text } => {
                analysed = false;
                say(&self.not_analysed(how));
                self.notes.add(
                    &self.subject(),
                    &format!("{how}\n{}", String::from_utf8_lossy(&PrintedMessages::plain(text))),
                );
                false
            }
        };
        let code = match (denied, self.strict && !analysed) {
            (true, _) => DENIED,
            (false, true) => NOT_ANALYSED,
            (false, false) => {
                if matches!(verdict, AnalysisEnd::Passed(_)) {
                    let outputs = self.plan.request.units.iter().filter_map(|u| u.output.as_deref());
                    outputs.for_each(|output| made::keep(self.history.folder(), output));
                }
                return ProcessEnd::Code(0);
            }
        };
        // If they stayed, the outputs would look up to date to the next run of make.
        let (removed, failed) = before.remove_written();
        for path in removed {
            self.notes.add(&self.subject(), &format!("removed {}", path.display()));
        }
        for (path, cause) in failed {
            say(&format!("scuba: note: could not remove `{}`: {}\n", path.display(), neutral(&cause.to_string())));
        }
        ProcessEnd::Code(code)
    }

    /// Appends the cost of the command to the history.
    fn keep(&self, at: u64, command: Duration, both: Duration, verdict: &AnalysisEnd) {
        let request = &self.plan.request;
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.history.add_command(&FinishedCommand {
            at,
            build: history::build_of_this_process(),
            units: u32::try_from(request.units.len()).unwrap_or(u32::MAX),
            recorded: request.deferred,
            links: request.link.is_some(),
            command_ms: milliseconds(command),
            waited_ms: milliseconds(both.saturating_sub(command)),
            analysed: matches!(verdict, AnalysisEnd::Passed(_) | AnalysisEnd::Denied(_)),
        });
    }

    fn not_analysed(&self, how: &str) -> String {
        format!("scuba: note: {} was not analysed: {}\n", self.subject(), neutral(how))
    }

    /// Returns the subject of messages: the source as the command names it, else the output of the link.
    fn subject(&self) -> String {
        let request = &self.plan.request;
        on_one_line(&match (request.units.as_slice(), &request.link) {
            ([], Some(link)) => link.output.display().to_string(),
            ([], None) => "standard input".to_owned(),
            ([unit], _) => unit.source.display().to_string(),
            ([unit, more @ ..], _) => format!("{} (and {} more)", unit.source.display(), more.len()),
        })
    }
}

/// Describes an error of the system without its number, which build tools might take for an error of nvcc's.
fn describe(cause: &std::io::Error) -> String {
    let text = cause.to_string();
    text.split_once(" (os error").map_or(text.as_str(), |(text, _)| text).to_owned()
}

/// Replaces line ends and other control characters, which a file's name may hold.
fn on_one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Replaces the words that build tools would take for the compiler's own.
fn neutral(text: &str) -> String {
    let mut text = on_one_line(text);
    for (word, other) in [("error", "failure"), ("Error", "Failure"), ("warning", "remark"), ("Warning", "Remark")] {
        text = text.replace(word, other);
    }
    text
}

/// Prints to standard error. A closed stream must not change how this process ends.
fn print(text: &[u8]) {
    let mut stream = std::io::stderr().lock();
    let _ = stream.write_all(text);
    if text.last().is_some_and(|&last| last != b'\n') {
        let _ = stream.write_all(b"\n");
    }
}

pub(super) fn say(line: &str) {
    print(line.as_bytes());
}
