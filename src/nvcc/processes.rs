//! Starting, signalling and outliving child processes.
//!
//! In: commands to start. Out: children that do not survive this process, and events for their ends. This module knows
//! nothing of their work.

use base::cpu_time::{self, StallWatch, TimeLimit};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Polling interval for a running process.
const POLL: Duration = Duration::from_millis(2);
/// Longest time between two looks at the clocks of a child.
const LONGEST_LOOK: Duration = Duration::from_secs(3600);
/// Time after a process's end for its output to arrive: a child of its own may hold the pipe.
const DRAIN: Duration = Duration::from_secs(2);

/// Starts a child that is killed when this process dies without cleaning up (SIGKILL). Call from a thread that outlives
/// the child: the kernel's parent is the thread that forked.
///
/// # Errors
/// The program cannot be started.
pub fn start(command: &mut Command) -> std::io::Result<Child> {
    let parent = rustix::process::getpid();
    let die_with_parent = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have died before that.
        if rustix::process::getppid() == Some(parent) { Ok(()) } else { Err(std::io::ErrorKind::Interrupted.into()) }
    };
    // SAFETY: between fork and exec only two system calls are made, which allocate nothing and take no locks.
    #[expect(unsafe_code, reason = "runs between fork and exec")]
    unsafe {
        command.pre_exec(die_with_parent);
    }
    command.spawn()
}

/// Set if this process was started to ignore SIGCHLD: the system then drops the statuses of its children.
static DROPS_STATUSES: AtomicBool = AtomicBool::new(false);

/// Lets the system keep the statuses of children, whatever this process was started with. Call before the first child is
/// started.
pub fn keep_statuses() {
    if is_ignored(libc::SIGCHLD) {
        DROPS_STATUSES.store(true, Ordering::Relaxed);
        // SAFETY: the default disposition runs no code of ours.
        #[expect(unsafe_code, reason = "no safe interface")]
        unsafe {
            libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        }
    }
}

/// Lets `command` start with the disposition of SIGCHLD that this process was started with: for programs of the user's.
pub fn pass_dispositions(command: &mut Command) {
    if !DROPS_STATUSES.load(Ordering::Relaxed) {
        return;
    }
    let ignore = || {
        // SAFETY: a system call that is allowed between fork and exec.
        #[expect(unsafe_code, reason = "no safe interface")]
        unsafe {
            libc::signal(libc::SIGCHLD, libc::SIG_IGN);
        }
        Ok(())
    };
    // SAFETY: between fork and exec only one system call is made.
    #[expect(unsafe_code, reason = "runs between fork and exec")]
    unsafe {
        command.pre_exec(ignore);
    }
}

/// Starts a thread that nothing waits for.
///
/// # Errors
/// The system has no room for another thread.
pub fn start_thread(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().spawn(work).map(drop)
}

/// Waits without reaping, so that the process number (and that of its group) stays taken until `before_reaping`
/// returns.
///
/// # Errors
/// The child cannot be waited for.
pub fn wait(mut child: Child, before_reaping: impl FnOnce()) -> std::io::Result<ExitStatus> {
    if let Some(pid) = pid_of(&child) {
        while let Err(rustix::io::Errno::INTR) =
            rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        {}
    }
    before_reaping();
    child.wait()
}

/// End of a process, and its output.
#[derive(Debug)]
pub struct FinishedProcess {
    pub status: ExitStatus,
    pub output: Vec<u8>,
    /// Standard error; empty after a success.
    pub errors: Vec<u8>,
}

/// Reason why a process has no output of its own.
#[derive(Debug, thiserror::Error)]
pub enum Unfinished {
    #[error("took too long")]
    TimedOut,
    #[error("printed too much")]
    TooMuch,
    #[error(transparent)]
    Lost(#[from] std::io::Error),
}

/// Time that processes may use one after another, with all their descendants.
#[derive(Debug)]
pub struct TimeAllowance {
    limit: TimeLimit,
    lanes: u32,
    begun: Instant,
    /// CPU time of the processes that have ended, in nanoseconds.
    spent: AtomicU64,
}

impl TimeAllowance {
    /// Begins now. `lanes`: processes or threads that a child may have working side by side, each for the whole time.
    #[must_use]
    pub fn new(limit: TimeLimit, lanes: u32) -> Self {
        Self { limit, lanes, begun: Instant::now(), spent: AtomicU64::new(0) }
    }
    /// Returns a time in which this process does not become late; zero if it is.
    fn left(&self, process: Pid, stall: &mut StallWatch) -> Duration {
        // Where the system does not say, a process counts as one that never waits.
        let used = TreeTime::of(process).unwrap_or_else(|| TreeTime::all(self.begun.elapsed()));
        let spent = Duration::from_nanos(self.spent.load(Ordering::Relaxed));
        let all = self.limit.cpu.saturating_mul(self.lanes).saturating_sub(used.all + spent);
        let one = self.limit.cpu.saturating_sub(used.longest + spent);
        let wall = self.limit.wall.map_or(Duration::MAX, |wall| wall.saturating_sub(self.begun.elapsed()));
        // All of them together may use the time of several cores.
        let cores = std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX));
        one.min(all / cores).min(wall).min(stall.left(used.all))
    }
    /// Records what a process that has ended used.
    fn spend(&self, process: Pid, since: Instant) {
        let used = TreeTime::of(process).map_or_else(|| since.elapsed(), |used| used.all);
        self.spent.fetch_add(u64::try_from(used.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// CPU time of a process and its descendants.
struct TreeTime {
    all: Duration,
    /// Time of the thread that used most.
    longest: Duration,
}

impl TreeTime {
    const fn all(time: Duration) -> Self {
        Self { all: time, longest: time }
    }
    fn of(root: Pid) -> Option<Self> {
        let own = root.as_raw_nonzero().get();
        let mut all = of_process(own)?;
        let mut longest = longest_thread(own);
        // One that has ended meanwhile is counted by its parent.
        for pid in descendants(root).into_iter().map(|pid| pid.as_raw_nonzero().get()) {
            all += of_process(pid).unwrap_or_default();
            longest = longest.max(longest_thread(pid));
        }
        Some(Self { all, longest })
    }
}

/// CPU time of a process and of its children that have ended.
fn of_process(pid: i32) -> Option<Duration> {
    let stat = stat(pid)?;
    Some(cpu_time::used(&stat)? + cpu_time::used_by_children(&stat)?)
}

fn longest_thread(pid: i32) -> Duration {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let used = threads.filter_map(|t| cpu_time::used(&cpu_time::stat(t.path().join("stat").to_str()?)?));
    used.max().unwrap_or_default()
}

/// Shortest time between two looks at the clocks of a child.
const LOOK: Duration = Duration::from_millis(50);

/// Waits for a child with pipes, of which each may be missing, and keeps up to `most` bytes of each of its outputs.
/// Kills it with all its descendants if it takes too long, and if its standard output is longer.
///
/// # Errors
/// If the child did not end by itself, or printed too much.
pub fn finish(
    mut child: Child,
    input: Vec<u8>,
    most: usize,
    time: &TimeAllowance,
) -> Result<FinishedProcess, Unfinished> {
    let started = Instant::now();
    let pid = pid_of(&child).ok_or(std::io::Error::from(std::io::ErrorKind::NotFound))?;
    let connected = connect(&mut child, input, most).inspect_err(|_| {
        signal_tree(pid, Signal::KILL);
        let _ = child.wait();
    });
    let (reader, errors) = connected?;
    let mut output = None;
    let (mut look, mut stall) = (Instant::now(), StallWatch::new(time.limit.cpu));
    loop {
        match output {
            None => output = reader.recv_timeout(POLL).ok(),
            Some(_) => std::thread::sleep(POLL),
        }
        let why = match has_ended(pid) {
            Ok(true) => break,
            Ok(false) if output.as_ref().is_some_and(|o| o.len() > most) => Unfinished::TooMuch,
            Ok(false) if Instant::now() < look => continue,
            Ok(false) => match time.left(pid, &mut stall) {
                Duration::ZERO => Unfinished::TimedOut,
                left => {
                    look = Instant::now() + left.clamp(LOOK, LONGEST_LOOK);
                    continue;
                }
            },
            Err(e) => Unfinished::Lost(e.into()),
        };
        signal_tree(pid, Signal::KILL);
        let _ = child.wait();
        return Err(why);
    }
    time.spend(pid, started);
    let status = child.wait()?;
    let output = output.or_else(|| reader.recv_timeout(DRAIN).ok()).unwrap_or_default();
    if output.len() > most {
        return Err(Unfinished::TooMuch);
    }
    let errors = if status.success() { vec![] } else { errors.recv_timeout(DRAIN).unwrap_or_default() };
    Ok(FinishedProcess { status, output, errors })
}

/// Output of a process, once it is complete.
type Drained = mpsc::Receiver<Vec<u8>>;

/// Starts the threads that write a child's input and read its outputs.
fn connect(child: &mut Child, input: Vec<u8>, most: usize) -> std::io::Result<(Drained, Drained)> {
    if let Some(mut pipe) = child.stdin.take() {
        // A program that does not read its whole input explains that itself.
        start_thread(move || drop(pipe.write_all(&input)))?;
    }
    Ok((drain(child.stdout.take(), most)?, drain(child.stderr.take(), most)?))
}

/// Returns whether a child has ended. Its process number stays taken: its times can still be read.
fn has_ended(child: Pid) -> rustix::io::Result<bool> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match rustix::process::waitid(WaitId::Pid(child), options) {
        Ok(ended) => Ok(ended.is_some()),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(e) => Err(e),
    }
}

/// Reads a pipe to its end. Sends its contents, or the first `most + 1` bytes of more.
fn drain(source: Option<impl Read + Send + 'static>, most: usize) -> std::io::Result<Drained> {
    let (send, receive) = mpsc::channel();
    start_thread(move || {
        let mut kept = vec![];
        let Some(mut source) = source else { return drop(send.send(kept)) };
        let _ = source.by_ref().take((most as u64).saturating_add(1)).read_to_end(&mut kept);
        let _ = send.send(kept);
        // A writer must not block on a pipe that nobody empties.
        let _ = std::io::copy(&mut source, &mut std::io::sink());
    })?;
    Ok(receive)
}

/// Describes how a process ended: `signal 9`, `exit status 1`.
#[must_use]
pub fn how(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, code) => format!("exit status {}", code.unwrap_or(-1)),
    }
}

pub fn pid_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Sends a signal to a process and to all of its descendants, children last.
pub fn signal_tree(root: Pid, signal: Signal) {
    // A process that has ended meanwhile needs no signal.
    let descendants = descendants(root);
    let _ = rustix::process::kill_process(root, signal);
    for pid in descendants {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

pub fn signal_group(group: Pid, signal: Signal) {
    let _ = rustix::process::kill_process_group(group, signal);
}

/// Names of the programs that run the commands of builds.
const BUILD_TOOLS: [&str; 6] = ["make", "gmake", "bmake", "ninja", "samu", "cmake"];

/// Names of the shells that run recipes.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "busybox"];

/// Returns the process number and the start time of the build tool above this process, in the clock ticks of proc(5).
/// These two identify a build that `scuba` did not start. Among nested build tools, the result is the outermost that
/// started the others directly or by a shell: a program between two of them (a test runner, a package manager) starts
/// its own builds.
#[must_use]
pub fn build_tool_above() -> Option<String> {
    const STARTED: usize = 19;
    let mut pid = i32::try_from(std::process::id()).ok()?;
    let mut found = None;
    while pid > 1 {
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
        if BUILD_TOOLS.contains(&name.trim_end()) {
            found = Some(format!("{pid} {}", stat(pid)?.get(STARTED)?));
        } else if found.is_some() && !SHELLS.contains(&name.trim_end()) {
            break;
        }
        pid = parent_of(pid)?;
    }
    found
}

fn descendants(root: Pid) -> Vec<Pid> {
    let parents: Vec<(i32, i32)> = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let pid: i32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            Some((pid, parent_of(pid)?))
        })
        .collect();
    let mut found = vec![root.as_raw_nonzero().get()];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(
            parents
                .iter()
                .filter(|(pid, above)| *above == parent && !found.contains(pid))
                .map(|(pid, _)| *pid)
                .collect::<Vec<_>>(),
        );
        next += 1;
    }
    found[1..].iter().filter_map(|&pid| Pid::from_raw(pid)).collect()
}

fn parent_of(pid: i32) -> Option<i32> {
    stat(pid)?.get(1)?.parse().ok()
}

fn stat(pid: i32) -> Option<Vec<String>> {
    cpu_time::stat(&format!("/proc/{pid}/stat"))
}

/// Whether a process that shows no environment may still have one, or may not be gone yet. A process shows none for a
/// moment between two programs (`execve`), and when it is about to end. A process that started before this one is
/// excluded: this process knew of its runs before they began.
pub fn in_transition(pid: i32) -> bool {
    /// Flag of kernel threads (include/linux/sched.h).
    const PF_KTHREAD: u64 = 0x0020_0000;
    const STATE: usize = 0;
    const FLAGS: usize = 6;
    const STARTED: usize = 19;
    let number = |fields: &[String], field: usize| fields.get(field)?.parse::<u64>().ok();
    let Some(fields) = stat(pid) else { return false };
    let ended = fields.get(STATE).is_none_or(|state| matches!(state.as_str(), "Z" | "X"));
    let kernels = number(&fields, FLAGS).is_some_and(|f| f & PF_KTHREAD != 0);
    let own = i32::try_from(std::process::id()).ok().and_then(stat);
    let older = own.is_some_and(|own| number(&fields, STARTED) < number(&own, STARTED));
    !ended && !kernels && !older
}

/// Returns those of the signals that this process does not ignore, as `nohup` or a shell's background job make it do. A
/// handler would undo that for nvcc, which inherits ignored signals but not handlers.
pub fn not_ignored(signals: &[i32]) -> Vec<i32> {
    signals.iter().copied().filter(|signal| !is_ignored(*signal)).collect()
}

fn is_ignored(signal: i32) -> bool {
    // SAFETY: all bits zero is a value of this C type, and the call only writes to it.
    #[expect(unsafe_code, reason = "no safe interface")]
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Ends this process by the signal that ended its child, without a core file in place of the child's.
pub fn die_by(signal: i32) -> ! {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Core);
    let none = rustix::process::Rlimit { current: Some(0), maximum: limit.maximum };
    let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    // Signals whose default does not end a process (real-time ones) are reported as a shell does.
    std::process::exit(128 + signal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    /// Runs a script with some input, for at most 4000 bytes of output and the given time.
    fn finished(script: &str, input: &[u8], time: &TimeAllowance) -> Result<FinishedProcess, Unfinished> {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        finish(start(&mut command).unwrap(), input.to_vec(), 4000, time)
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn output_comes_whole_or_the_reason_why_not() {
        let finished =
            |script: &str, input: &[u8]| finished(script, input, &TimeAllowance::new(TimeLimit::of(LONG), 1));
        let copied = finished("cat", &[b'x'; 4000]).unwrap();
        assert!(copied.status.success() && copied.output == [b'x'; 4000]);
        // A program that does not read its input, or leaves a child with its pipes, ends by itself.
        let failed = finished("sleep 9 & echo why >&2; exit 3", &[b'x'; 1 << 20]).unwrap();
        assert_eq!((how(failed.status).as_str(), failed.errors.is_empty()), ("exit status 3", true));
        let failed = finished("echo why >&2; kill -9 $$", b"").unwrap();
        assert_eq!((how(failed.status).as_str(), failed.errors.as_slice()), ("signal 9", b"why\n".as_slice()));
        for script in ["cat; echo y", "yes", "yes & wait"] {
            assert!(matches!(finished(script, &[b'x'; 4000]), Err(Unfinished::TooMuch)), "{script}");
        }
    }

    #[test]
    fn what_computes_is_ended_at_its_limit_and_what_waits_much_later() {
        const SHORT: Duration = Duration::from_millis(200);
        const SPIN: &str = "while :; do :; done";
        let begun = Instant::now();
        let ends =
            |script: &str, limit: TimeLimit, lanes: u32| match finished(script, b"", &TimeAllowance::new(limit, lanes))
            {
                Ok(_) => true,
                Err(Unfinished::TimedOut) => false,
                Err(e) => panic!("{script}: {e}"),
            };
        let (cpu, wall) = (TimeLimit::of(SHORT), TimeLimit::of(LONG).within(SHORT));
        assert!(ends("sleep 1", cpu, 1), "sleeping is no CPU time");
        for script in [SPIN, "while :; do :; done & wait", "while :; do /bin/true; done"] {
            assert!(!ends(script, cpu, 1), "{script}");
        }
        for script in ["sleep 30", "exec >&-; sleep 30", "sleep 30 & sleep 30; wait"] {
            assert!(!ends(script, wall, 1), "{script}");
        }
        let stalled = Instant::now();
        assert!(!ends("sleep 30", cpu, 1) && stalled.elapsed() > SHORT * 9);
        // Each of two lanes has the whole time, and no thread has more.
        let two = "for i in 1 2; do sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done' & done; wait";
        assert!(ends(two, TimeLimit::of(LONG / 4), 2) && !ends(SPIN, cpu, 100));
        assert!(begun.elapsed() < LONG / 2);
    }

    #[test]
    fn processes_after_each_other_use_up_one_allowance() {
        let time = TimeAllowance::new(TimeLimit::of(Duration::from_millis(400)), 1);
        let count = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done";
        let mut runs = 0;
        while finished(count, b"", &time).is_ok() && Instant::now() < time.begun + LONG {
            runs += 1;
        }
        let spent = Duration::from_nanos(time.spent.load(Ordering::Relaxed));
        assert!(runs > 1 && spent > Duration::from_millis(200) && !time.begun.elapsed().is_zero(), "{runs} {spent:?}");
    }

    #[test]
    fn finds_grandchildren() {
        let mut child = start(Command::new("sh").args(["-c", "sleep 30 & sleep 30 & wait"])).unwrap();
        let pid = pid_of(&child).unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while descendants(pid).len() < 2 && std::time::Instant::now() < deadline {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let sleeping = descendants(pid);
        assert_eq!(sleeping.len(), 2);
        signal_tree(pid, Signal::TERM);
        assert!(!child.wait().unwrap().success());
        let alive = |pid: &Pid| {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
            stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" S") || rest.starts_with(" R"))
        };
        while sleeping.iter().any(alive) {
            assert!(std::time::Instant::now() < deadline, "a grandchild is left behind");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}
