//! Runs programs that may hang, exhaust memory or write without end.

use nvcc::processes;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Bytes at the beginning and at the end of a program's output to keep.
const KEPT_FIRST: u64 = 8 << 10;
const KEPT_LAST: u64 = 56 << 10;
/// Largest file that a program may write: records of a million threads are not worth more.
const MAX_FILE: u64 = 256 << 20;
const POLL: Duration = Duration::from_millis(20);
/// Environment variable of all descendants of a run, even of those with another parent.
const MARK: &str = "SCUBA_RUN";
/// Set when this process is about to end.
static OVER: AtomicBool = AtomicBool::new(false);
/// Bytes of an environment to search; the kernel allows a quarter of the stack for it and the arguments, usually 2
/// MiB.
const MAX_ENVIRONMENT: usize = 4 << 20;
/// Time limit for a killed process to disappear.
const LAST: Duration = Duration::from_secs(2);

/// End of a run.
#[derive(Clone, Debug)]
pub struct RunEnd {
    /// Exit status; `None` if the time limit ended the process.
    pub status: Option<ExitStatus>,
    /// Output on both streams; if it is long, its beginning and its end.
    pub output: String,
}

impl RunEnd {
    pub fn success(&self) -> bool {
        self.status.is_some_and(|s| s.success())
    }

    /// Description for people.
    pub fn how(&self) -> String {
        match self.status {
            None => "did not end in time".into(),
            Some(s) => match (s.code(), s.signal()) {
                (Some(code), _) => format!("ended with exit status {code}"),
                (_, Some(signal)) => format!("was ended by signal {signal}"),
                _ => "ended".into(),
            },
        }
    }
}

/// Runs a command with standard input from `stdin`, for at most `limit`; then kills it with all its descendants. It
/// stays in our process group, so that whatever ends the group (a terminal, the shim) ends it, too. `memory` bounds
/// its data in bytes, not its address space, of which the CUDA driver reserves terabytes.
///
/// # Errors
/// If it cannot be started.
pub fn run(command: &mut Command, stdin: &str, limit: Duration, memory: Option<u64>) -> std::io::Result<RunEnd> {
    run_marked(command, &new_mark(), stdin, limit, memory)
}

/// Mark that distinguishes this run from others.
fn new_mark() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn run_marked(
    command: &mut Command,
    mark: &str,
    stdin: &str,
    limit: Duration,
    memory: Option<u64>,
) -> std::io::Result<RunEnd> {
    let mut input = tempfile::tempfile()?;
    std::io::Write::write_all(&mut input, stdin.as_bytes())?;
    input.rewind()?;
    let output = tempfile::tempfile()?;
    command.env(MARK, mark).stdin(Stdio::from(input)).stdout(output.try_clone()?).stderr(output.try_clone()?);
    let mut child = processes::start(command)?;
    let pid = processes::pid_of(&child);
    for (resource, bytes) in [(Resource::Core, Some(0)), (Resource::Fsize, Some(MAX_FILE)), (Resource::Data, memory)] {
        // The command runs even if a limit cannot be set.
        if let Some(bytes) = bytes {
            let _ = prlimit(pid, resource, Rlimit { current: Some(bytes), maximum: Some(bytes) });
        }
    }
    let end = Instant::now() + limit;
    let status = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if Instant::now() >= end => break None,
            None => std::thread::sleep(POLL),
        }
    };
    if let (None, Some(pid)) = (status, pid) {
        // Compute Sanitizer starts the program as its own child process.
        processes::signal_tree(pid, Signal::KILL);
        let end = Instant::now() + LAST;
        // A process that waits for a hanging driver may not even be killed.
        while child.try_wait()?.is_none() && Instant::now() < end {
            std::thread::sleep(POLL);
        }
    }
    // How the command ended is then no evidence, because this process is about to end, too.
    while OVER.load(Ordering::Relaxed) {
        std::thread::park();
    }
    Ok(RunEnd { status, output: ends(output)? })
}

/// Like [`run`], for a user's program: also kills the background processes that it leaves.
///
/// # Errors
/// If it cannot be started.
pub fn run_to_the_last(
    command: &mut Command,
    stdin: &str,
    limit: Duration,
    memory: Option<u64>,
) -> std::io::Result<RunEnd> {
    let mark = new_mark();
    let ended = run_marked(command, &mark, stdin, limit, memory);
    end_marked(|found| found == mark);
    ended
}

/// Kills all descendants of this process's runs, because it must end now. No run returns after this.
pub fn end_all() {
    OVER.store(true, Ordering::Relaxed);
    end_runs_of(std::process::id());
}

/// Kills all descendants of a process's runs.
pub fn end_runs_of(process: u32) {
    let own = format!("{process}-");
    end_marked(|found| found.starts_with(&own));
}

fn end_marked(is: impl Fn(&str) -> bool) {
    let end = Instant::now() + LAST;
    loop {
        // A process may start another one while it is killed.
        let left = marked(&is);
        if left.pids.is_empty() && !left.unsure || Instant::now() >= end {
            return;
        }
        for pid in left.pids {
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(POLL);
    }
}

/// Processes with a mark, and whether there may be others that are unrecognisable at this moment.
#[derive(Default)]
struct MarkedProcesses {
    pids: Vec<Pid>,
    unsure: bool,
}

/// Finds the processes whose environment contained such a mark at their start, as far as they are accessible.
fn marked(is: impl Fn(&str) -> bool) -> MarkedProcesses {
    let mark = |variable: &[u8]| {
        std::str::from_utf8(variable)
            .is_ok_and(|v| v.strip_prefix(MARK).and_then(|v| v.strip_prefix('=')).is_some_and(&is))
    };
    let mut found = MarkedProcesses::default();
    let mut buffer = vec![0; MAX_ENVIRONMENT];
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse().ok()) else { continue };
        // In one read: if a process executes another program between two reads, the second one returns nothing, like
        // the end of the file.
        let environment =
            match std::fs::File::open(format!("/proc/{pid}/environ")).and_then(|mut f| f.read(&mut buffer)) {
                Ok(bytes) => &buffer[..bytes],
                Err(e) if e.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error()) => &[],
                Err(_) => continue,
            };
        if environment.is_empty() {
            found.unsure |= processes::in_transition(pid);
        } else if environment.split(|b| *b == 0).any(mark) {
            found.pids.extend(Pid::from_raw(pid));
        }
    }
    found
}

fn ends(mut file: std::fs::File) -> std::io::Result<String> {
    let size = file.seek(SeekFrom::End(0))?;
    let mut part = |from: u64, most: u64| -> std::io::Result<String> {
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        (&mut file).take(most).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    if size <= KEPT_FIRST + KEPT_LAST {
        return part(0, size);
    }
    Ok(format!("{}\n[…]\n{}", part(0, KEPT_FIRST)?, part(size - KEPT_LAST, KEPT_LAST)?))
}

#[cfg(test)]
mod tests {
    use super::{run, run_to_the_last};
    use std::process::Command;
    use std::time::{Duration, Instant};

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn input_output_and_status_are_passed() {
        let e = run(Command::new("sh").args(["-c", "cat; echo err >&2; exit 3"]), "4 5\n", LONG, None).unwrap();
        assert_eq!(
            (e.output.as_str(), e.how().as_str(), e.success()),
            ("4 5\nerr\n", "ended with exit status 3", false)
        );
        assert!(run(&mut Command::new("/no/such/program"), "", LONG, None).is_err());
    }

    #[test]
    fn what_hangs_is_ended_with_all_it_started() {
        let start = Instant::now();
        let script = "sleep 60 & setsid sleep 61 & echo $!; wait";
        let e = run(Command::new("sh").args(["-c", script]), "", Duration::from_millis(500), None).unwrap();
        assert!(e.status.is_none() && start.elapsed() < Duration::from_secs(20));
        let pid = e.output.trim();
        let gone = || std::fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |s| s.contains(") Z "));
        while !gone() {
            assert!(start.elapsed() < Duration::from_secs(20), "process {pid} is left");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn what_a_program_leaves_in_the_background_is_ended() {
        let start = Instant::now();
        // The process loses its parent when the run ends, and ignores all signals that it can.
        let script = "trap '' HUP TERM; (setsid sleep 62 & echo $!); exit 0";
        let e = run_to_the_last(Command::new("sh").args(["-c", script]), "", LONG, None).unwrap();
        assert!(e.success() && start.elapsed() < Duration::from_secs(20));
        let alive = |pid: &str| std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| !s.contains(") Z "));
        assert!(!alive(e.output.trim()), "process {} is left", e.output);
        // A process that executes another program again and again has no environment for moments.
        let script = r#"export AGAIN='exec sh -c "$AGAIN"'; ulimit -t 10; (setsid sh -c "$AGAIN" & echo $!)"#;
        for _ in 0..20 {
            let e = run_to_the_last(Command::new("sh").args(["-c", script]), "", LONG, None).unwrap();
            assert!(!alive(e.output.trim()), "process {} is left", e.output);
        }
        // A process that only looks similar survives.
        let mut other = Command::new("sleep").arg("63").env(super::MARK, "0-0").spawn().unwrap();
        run_to_the_last(&mut Command::new("true"), "", LONG, None).unwrap();
        assert!(other.try_wait().unwrap().is_none());
        other.kill().unwrap();
        other.wait().unwrap();
    }

    #[test]
    fn memory_is_bounded_and_only_the_ends_of_long_output_are_kept() {
        let e = run(
            Command::new("sh").args(["-c", "echo start; head -c 300000 /dev/zero | tr '\\0' x; echo end"]),
            "",
            LONG,
            None,
        )
        .unwrap();
        assert!(
            e.output.starts_with("start\nx")
                && e.output.contains("x\n[…]\nx")
                && e.output.ends_with("xend\n")
                && e.output.len() < 70_000
        );
        // Time for the limit to be set, then more than it allows.
        let script = "import time; time.sleep(0.3); x = bytearray(1 << 30)";
        let e = run(Command::new("python3").args(["-c", script]), "", LONG, Some(256 << 20)).unwrap();
        assert!(!e.success() && e.output.contains("MemoryError"), "{}", e.output);
    }
}
