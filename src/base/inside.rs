//! Introspection of a check: where its time went, how one access was judged, and what its parts passed to each other.
//!
//! In: what the user wants to see (`--timings`, `--explain FILE:LINE`, `--dump KIND`). Out: lines of output and
//! durations, in the order in which the check produced them. Parts of a check report through the functions of this
//! module, which cost one read of a thread-local variable if nobody wants to see anything. No decision depends on this
//! module.

use crate::work::{Work, done};
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Kinds of dumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
pub enum Dump {
    /// The analysis form of the program's functions
    Ir,
    /// Contents of memory at each launch
    State,
    /// Summary of each loop
    Loops,
    /// Obligation of each access, and its outcome
    Obligations,
    /// The queries to Z3, as SMT-LIB 2
    Smt2,
    /// The queries to the whole solver, each with its cost and as JSON
    Queries,
    /// Accesses that were examined: position, operation and target
    Accesses,
    /// Axioms that safe verdicts rest on: one line of JSON for each program
    Doubts,
}

/// Source position as users write it: `FILE:LINE` or `FILE:LINE:COLUMN`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserPosition {
    /// Suffix of a path, by whole components, or an absolute path.
    pub file: String,
    pub line: u32,
    pub column: Option<u32>,
}

impl FromStr for UserPosition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("`{text}` is not a position: write FILE:LINE or FILE:LINE:COLUMN, for example kernel.cu:20");
        let number = |s: &str| s.parse::<u32>().ok().filter(|n| *n > 0);
        let (rest, last) = text.rsplit_once(':').ok_or_else(wrong)?;
        let last = number(last).ok_or_else(wrong)?;
        let (file, line, column) = match rest.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?))) {
            Some((file, line)) => (file, line, Some(last)),
            None => (rest, last, None),
        };
        if file.is_empty() {
            return Err(wrong());
        }
        Ok(Self { file: file.to_owned(), line, column })
    }
}

impl fmt::Display for UserPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        self.column.map_or(Ok(()), |c| write!(f, ":{c}"))
    }
}

impl UserPosition {
    /// Converts the file to the path by which the check knows it: relative to the project's folder, absolute outside
    /// it. A string that is not the path of an existing file stays a suffix.
    #[must_use]
    pub fn below(self, project: &Path) -> Self {
        let Ok(path) = Path::new(&self.file).canonicalize() else { return self };
        let path = project.canonicalize().ok().and_then(|p| path.strip_prefix(p).ok()).unwrap_or(&path);
        Self { file: path.to_string_lossy().into_owned(), ..self }
    }

    /// Whether this position is the given one.
    #[must_use]
    pub fn is_at(&self, file: &str, line: u32, column: u32) -> bool {
        let named = file == self.file || file.strip_suffix(self.file.as_str()).is_some_and(|rest| rest.ends_with('/'));
        named && line == self.line && self.column.is_none_or(|c| c == column)
    }
}

/// Parts of a check that the user wants to see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedOutput {
    pub dumps: Vec<Dump>,
    pub explain: Option<UserPosition>,
    pub timings: bool,
}

impl RequestedOutput {
    /// Whether the user wants to see nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the user wants output whose lines follow the order of one thread.
    #[must_use]
    pub fn is_in_order(&self) -> bool {
        self.explain.is_some() || self.dumps.iter().any(|d| *d != Dump::Doubts)
    }
}

/// Phase of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CheckPhase {
    Execute,
    Exchange,
    FirstLooks,
    SecondLooks,
    HostCalls,
    Overflow,
    Trials,
    Solver,
    Replay,
}

impl CheckPhase {
    /// Name in a table; phases within others are indented.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Execute => "execute host and kernels",
            Self::Exchange => "bounds on shared memory",
            Self::FirstLooks => "first pass over accesses",
            Self::SecondLooks => "second pass over accesses",
            Self::HostCalls => "host calls",
            Self::Overflow => "index overflow",
            Self::Trials => "  runs with small inputs",
            Self::Solver => "  solver",
            Self::Replay => "  replays",
        }
    }
}

/// Cost of one phase, over all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseCost {
    pub seconds: f64,
    pub work: u64,
    pub times: u64,
}

/// Collected output.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CollectedOutput {
    pub lines: Vec<String>,
    pub taken: BTreeMap<CheckPhase, PhaseCost>,
}

/// Recorder to which the threads of one check report.
#[derive(Clone)]
pub struct CheckRecorder {
    wanted: Arc<RequestedOutput>,
    seen: Arc<Mutex<CollectedOutput>>,
}

thread_local! {
    static WATCH: RefCell<Option<CheckRecorder>> = const { RefCell::new(None) };
    /// True while this thread works on the position that the user asked about.
    static AT_THE_PLACE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` and returns the output that was wanted of it.
pub fn watching<T>(wanted: &RequestedOutput, work: impl FnOnce() -> T) -> (T, CollectedOutput) {
    if wanted.is_nothing() {
        return (work(), CollectedOutput::default());
    }
    let watch = CheckRecorder { wanted: Arc::new(wanted.clone()), seen: Arc::default() };
    let done = with(Some(watch.clone()), work);
    let seen = std::mem::take(&mut *watch.seen.lock().unwrap_or_else(PoisonError::into_inner));
    (done, seen)
}

/// Recorder of this thread, for another thread that works on the same check.
pub fn current() -> Option<CheckRecorder> {
    WATCH.with(|w| w.borrow().clone())
}

/// Runs work under the recorder of another thread.
pub fn with<T>(watch: Option<CheckRecorder>, work: impl FnOnce() -> T) -> T {
    let before = WATCH.with(|w| w.replace(watch));
    let done = work();
    WATCH.with(|w| w.replace(before));
    done
}

fn say(wants: impl FnOnce(&RequestedOutput) -> bool, text: impl FnOnce() -> String) {
    let Some(watch) = WATCH.with(|w| w.borrow().as_ref().filter(|w| wants(&w.wanted)).cloned()) else { return };
    let text = text();
    watch.seen.lock().unwrap_or_else(PoisonError::into_inner).lines.push(text);
}

/// Writes a dump if the user wants to see this kind.
pub fn dump(kind: Dump, text: impl FnOnce() -> String) {
    say(|w| w.dumps.contains(&kind), text);
}

/// Whether the user wants to see this kind of dump.
pub fn is_wanted(kind: Dump) -> bool {
    WATCH.with(|w| w.borrow().as_ref().is_some_and(|w| w.wanted.dumps.contains(&kind)))
}

/// Whether the user asked how some position is judged.
pub fn is_explaining() -> bool {
    WATCH.with(|w| w.borrow().as_ref().is_some_and(|w| w.wanted.explain.is_some()))
}

/// Whether the user asked how this position is judged.
pub fn explains(file: &str, line: u32, column: u32) -> bool {
    WATCH.with(|w| {
        w.borrow().as_ref().is_some_and(|w| w.wanted.explain.as_ref().is_some_and(|s| s.is_at(file, line, column)))
    })
}

/// Runs work and sets whether it concerns the position that the user asked about, so that explanations are about it.
pub fn at_the_place<T>(is_there: bool, work: impl FnOnce() -> T) -> T {
    let before = AT_THE_PLACE.replace(is_there);
    let done = work();
    AT_THE_PLACE.set(before);
    done
}

/// Records an explanation if this thread works on the position that the user asked about.
pub fn explain(text: impl FnOnce() -> String) {
    if AT_THE_PLACE.get() {
        say(|w| w.explain.is_some(), text);
    }
}

/// Runs work and records its cost.
pub fn timed<T>(phase: CheckPhase, work: impl FnOnce() -> T) -> T {
    let _span = tracing::debug_span!("check", phase = phase.name().trim_start()).entered();
    let watch = WATCH.with(|w| w.borrow().as_ref().filter(|w| w.wanted.timings).cloned());
    let Some(watch) = watch else { return work() };
    let (start, before) = (Instant::now(), done());
    let out = work();
    note(&watch, phase, start.elapsed(), done() - before);
    out
}

fn note(watch: &CheckRecorder, phase: CheckPhase, time: Duration, work: Work) {
    let mut seen = watch.seen.lock().unwrap_or_else(PoisonError::into_inner);
    let taken = seen.taken.entry(phase).or_default();
    taken.seconds += time.as_secs_f64();
    taken.work = taken.work.saturating_add(work.get());
    taken.times += 1;
}

/// Table of the cost of each phase.
#[must_use]
pub fn table(taken: &BTreeMap<CheckPhase, PhaseCost>) -> Vec<String> {
    let head = format!("{:<28} {:>9} {:>12} {:>8}", "phase", "seconds", "work, 10^6", "times");
    let rows = taken
        .iter()
        .map(|(phase, t)| format!("{:<28} {:>9.3} {:>12} {:>8}", phase.name(), t.seconds, t.work / 1_000_000, t.times));
    std::iter::once(head).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        CheckPhase, Dump, RequestedOutput, UserPosition, at_the_place, current, dump, explain, explains, timed,
        watching, with,
    };

    #[test]
    fn places_are_read_as_users_write_them() {
        let spot = |text: &str| text.parse::<UserPosition>();
        let at = |file: &str, line, column| UserPosition { file: file.into(), line, column };
        assert_eq!(spot("a.cu:20"), Ok(at("a.cu", 20, None)));
        assert_eq!(spot("src/a.cu:20:3"), Ok(at("src/a.cu", 20, Some(3))));
        assert_eq!(spot("C:x.cu:7"), Ok(at("C:x.cu", 7, None)));
        for wrong in ["a.cu", "a.cu:", "a.cu:x", ":3", "a.cu:0", ""] {
            assert!(spot(wrong).is_err(), "{wrong}");
        }
        let a = spot("src/a.cu:20").unwrap();
        assert!(a.is_at("/p/src/a.cu", 20, 9) && a.is_at("src/a.cu", 20, 1));
        assert!(!a.is_at("/p/othersrc/a.cu", 20, 9) && !a.is_at("/p/src/a.cu", 21, 9));
        assert!(!spot("a.cu:20:3").unwrap().is_at("a.cu", 20, 4));
    }

    #[test]
    fn only_what_is_wanted_is_seen_and_of_all_threads() {
        let wanted = RequestedOutput { dumps: vec![Dump::Loops], explain: "a.cu:3".parse().ok(), timings: true };
        let (out, seen) = watching(&wanted, || {
            dump(Dump::Ir, || panic!("nobody wants it"));
            dump(Dump::Loops, || "a loop".into());
            assert!(explains("x/a.cu", 3, 1) && !explains("x/a.cu", 4, 1));
            let here = current();
            std::thread::scope(|s| {
                s.spawn(|| {
                    with(here, || timed(CheckPhase::Solver, || at_the_place(true, || explain(|| "why".into()))));
                });
            });
            explain(|| panic!("it is of another place"));
            timed(CheckPhase::Solver, || 7)
        });
        assert_eq!((out, seen.lines), (7, vec!["a loop".to_owned(), "why".to_owned()]));
        assert_eq!(seen.taken[&CheckPhase::Solver].times, 2);
        explain(|| panic!("nobody watches any more"));
    }
}
