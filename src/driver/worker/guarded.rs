//! Runs the check of one program on a thread of its own, so that a panic, a deep recursion or an endless loop costs one
//! line and nothing else.

use crate::cross_check;
use base::cpu_time::{StallWatch, TimeLimit};
use base::nets::{self, Nets};
use base::panics;
use check::solver::cache::{Answers, recalling};
use check::{self, CheckOptions, Pace, ProgramReport};
use frontend::second;
use ir::{Doubt, Module, Program};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Time after the check's own limit until it is abandoned.
const MARGIN: Duration = Duration::from_secs(8);
/// Shortest time between two looks at the clocks of a check.
const LOOK: Duration = Duration::from_millis(20);

/// Reason why the check of a program did not finish.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum WorkerFailure {
    #[error("internal fault in the analysis ({0}); please report it")]
    Panicked(String),
    #[error("the analysis took longer than {0} s (limits.tu_seconds)")]
    TooLong(u64),
    #[error("cannot start a thread for the analysis ({0}): the program's facts leave too little of limits.memory")]
    NoThread(String),
    #[error("the analysis takes more memory than {0} MiB (limits.memory)")]
    Memory(u64),
    #[error("the process of the analysis {0}; please report it")]
    Died(String),
}

/// Links the modules and checks the program. `answers`: store of the solver's answers.
///
/// # Errors
/// If the check panicked, exceeded its time by the margin, or got no thread.
pub fn check_program(
    modules: Vec<Arc<Module>>,
    options: &CheckOptions,
    answers: Option<Arc<dyn Answers>>,
) -> Result<ProgramReport, WorkerFailure> {
    let options = options.clone();
    let mut by_cgeist = false;
    let mut doubts: Vec<String> = vec![];
    for words in modules.iter().filter_map(|m| second::doubts(&m.producer)) {
        by_cgeist = true;
        if !words.is_empty() && !doubts.iter().any(|d| d == words) {
            doubts.push(words.to_owned());
        }
    }
    // The check keeps its own time; this limit applies if it fails to. The shim's limit is longer.
    let limit = options.time().and(MARGIN);
    // A report that is compared with another reading's is not weakened.
    if !by_cgeist || matches!(options.pace, Pace::Beside(_)) {
        return guarded(limit, move || {
            recalling(answers, || {
                let doubts: BTreeSet<Doubt> = modules.iter().flat_map(|m| m.doubts.clone()).collect();
                let mut report = check::check_program(&Program::link(modules), &options);
                cross_check::rest_on(&mut report, &doubts);
                report
            })
        });
    }
    let unsigned = with_unsigned_subscripts(&modules);
    guarded(limit, move || {
        recalling(answers, || {
            let mut report = check::check_program(&Program::link(modules), &options);
            if let Some(other) = unsigned {
                cross_check::agreed(&mut report, &check::check_program(&Program::link(other), &options));
            }
            cross_check::temper(&mut report, &doubts.iter().map(String::as_str).collect::<Vec<_>>());
            report
        })
    })
}

/// Returns the program with the subscripts that cgeist sign-extends taken as unsigned; `None` if there are no such
/// subscripts.
fn with_unsigned_subscripts(modules: &[Arc<Module>]) -> Option<Vec<Arc<Module>>> {
    let by_cgeist = |m: &Module| second::doubts(&m.producer).is_some();
    let others: Vec<Option<Module>> =
        modules.iter().map(|m| if by_cgeist(m) { second::unsigned_subscripts(m) } else { None }).collect();
    if others.iter().all(Option::is_none) {
        return None;
    }
    Some(others.into_iter().zip(modules).map(|(o, m)| o.map_or_else(|| m.clone(), Arc::new)).collect())
}

/// Runs work on a thread with a large stack, for at most `time` and the margin.
///
/// # Errors
/// If it panicked, exceeded its time by the margin, or got no thread.
pub fn within<T: Send + 'static>(
    time: TimeLimit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, WorkerFailure> {
    guarded(time.and(MARGIN), work)
}

fn guarded<T: Send + 'static>(limit: TimeLimit, work: impl FnOnce() -> T + Send + 'static) -> Result<T, WorkerFailure> {
    panics::keep_quiet();
    let (send, receive) = mpsc::channel();
    // Nothing below asks these nets: they only count the time of all threads that take part.
    let (nets, begun) = (Nets::new(u32::MAX, Some(limit)), Instant::now());
    let counted = nets.clone();
    // After the time limit nobody receives the result.
    let body = move || {
        let _ = send.send(catch_unwind(AssertUnwindSafe(|| nets::under(Some(counted), work))));
    };
    std::thread::Builder::new()
        .name(panics::THREAD.into())
        .stack_size(check::STACK)
        .spawn(body)
        .map_err(|e| WorkerFailure::NoThread(e.to_string()))?;
    let mut stall = StallWatch::new(limit.cpu);
    loop {
        let left = nets.left().min(stall.left(nets.used()));
        match receive.recv_timeout(left.max(LOOK)) {
            Ok(done) => return done.map_err(|panic| WorkerFailure::Panicked(panics::described(&*panic))),
            Err(RecvTimeoutError::Timeout) if !left.is_zero() => {}
            Err(RecvTimeoutError::Timeout) => {
                return Err(WorkerFailure::TooLong(limit.cpu.min(begun.elapsed()).as_secs()));
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(WorkerFailure::Panicked("its thread ended without a result".to_owned()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{WorkerFailure, guarded};
    use base::cpu_time::TimeLimit;
    use std::time::{Duration, Instant};

    const LONG: TimeLimit = TimeLimit::of(Duration::from_secs(60));
    const SHORT: Duration = Duration::from_millis(50);

    #[test]
    fn a_panic_and_an_endless_loop_become_one_line() {
        assert_eq!(guarded(LONG, || 7), Ok(7));
        let fault = guarded::<()>(LONG, || panic!("index {} of {}", 3, 2)).unwrap_err();
        assert!(
            matches!(&fault, WorkerFailure::Panicked(m) if m.starts_with("index 3 of 2 at src/driver/worker/guarded.rs:")),
            "{fault}"
        );
        assert!(!fault.to_string().contains('\n'));
    }

    #[test]
    fn what_computes_is_abandoned_sooner_than_what_waits() {
        fn endless() {
            let end = Instant::now() + LONG.cpu;
            while Instant::now() < end {}
        }
        let cpu = TimeLimit::of(SHORT);
        assert_eq!(guarded(cpu, || std::thread::sleep(SHORT * 6)), Ok(()));
        let begun = Instant::now();
        assert_eq!(guarded(cpu, endless), Err(WorkerFailure::TooLong(0)));
        // The thread of the check waits for one that it started.
        let started = || {
            let nets = base::nets::current();
            std::thread::scope(|s| {
                s.spawn(|| base::nets::under(nets, endless));
            });
        };
        assert_eq!(guarded(cpu, started), Err(WorkerFailure::TooLong(0)));
        for limit in [LONG.within(SHORT), cpu] {
            assert_eq!(guarded(limit, || std::thread::sleep(LONG.cpu)), Err(WorkerFailure::TooLong(0)));
        }
        assert!(begun.elapsed() < LONG.cpu / 2);
    }

    #[test]
    fn deep_recursion_has_room() {
        fn depth(n: u64) -> u64 {
            let pad = [n; 64];
            if n == 0 { 0 } else { std::hint::black_box(pad)[0] - n + 1 + depth(n - 1) }
        }
        assert_eq!(guarded(LONG, || depth(100_000)), Ok(100_000));
    }
}
