//! History of builds and checks: their costs and verdicts.
//!
//! In: counters that a session keeps while it reads and checks; reports. Out: records in `.scuba/history`, and the
//! [`BuildRecord`]s that `scuba stats` makes of them.

use base::rules::Level;
use files::Hashes;
use finding::{Report, Summary};
use nvcc::history::{BuildHistory, FinishedCommand};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// Longest pause between two commands of one build, in milliseconds, where no `scuba build` connects them.
const PAUSE: u64 = 60_000;

/// Counters of a session: work done, and work that caches saved.
#[derive(Debug, Default)]
pub struct SessionCounters {
    read: AtomicU32,
    recalled: AtomicU32,
    checked: AtomicU32,
    known: AtomicU32,
}

impl SessionCounters {
    /// Counts a unit, read by a front end or taken from the cache.
    pub fn reads(&self, from_cache: bool) {
        let counter = if from_cache { &self.recalled } else { &self.read };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a program, checked or taken from the cache.
    pub fn checks(&self, from_cache: bool) {
        let counter = if from_cache { &self.known } else { &self.checked };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    #[must_use]
    pub fn counts(&self) -> SourceCounts {
        let of = |counter: &AtomicU32| counter.load(Ordering::Relaxed);
        SourceCounts {
            read: of(&self.read),
            recalled: of(&self.recalled),
            checked: of(&self.checked),
            known: of(&self.known),
            compared: Hashes::of_this_process().read(),
        }
    }
}

/// Numbers of units and programs, by the source of their readings and verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceCounts {
    /// Units that a front end read.
    pub read: u32,
    /// Units whose reading was in the cache.
    pub recalled: u32,
    /// Programs that were checked.
    pub checked: u32,
    /// Programs whose verdicts were in the cache.
    pub known: u32,
    /// Files that were read to see whether their contents had changed.
    #[serde(default)]
    pub compared: u32,
}

impl SourceCounts {
    fn add(&mut self, other: Self) {
        self.read += other.read;
        self.recalled += other.recalled;
        self.checked += other.checked;
        self.known += other.known;
        self.compared += other.compared;
    }
}

/// Record of one command of a build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandRecord {
    pub at: u64,
    pub build: Option<String>,
    pub counts: SourceCounts,
    /// Programs that the command completed, each with its counts.
    pub programs: Vec<(String, Summary)>,
    pub denied: bool,
}

/// Record of a `scuba check`, or of the end of a `scuba build`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckRecord {
    pub at: u64,
    pub build: Option<String>,
    pub command: String,
    /// Duration from the start of the check; for a build, from the end of the build command.
    pub milliseconds: u64,
    pub counts: SourceCounts,
    pub summary: Summary,
    pub denied: u32,
    pub warned: u32,
    pub repeatable: bool,
}

impl CheckRecord {
    /// Takes the counts of a report.
    #[must_use]
    pub fn of(report: &Report, command: &str) -> Self {
        let of = |level| u32::try_from(report.findings.iter().filter(|f| f.level == level).count()).unwrap_or(u32::MAX);
        Self {
            at: 0,
            build: None,
            command: command.into(),
            milliseconds: 0,
            counts: SourceCounts::default(),
            summary: report.summary.clone(),
            denied: of(Level::Deny),
            warned: of(Level::Warn),
            repeatable: report.repeatable,
        }
    }
}

/// Record of the history, one for each line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum HistoryRecord {
    Command(FinishedCommand),
    Analysis(CommandRecord),
    Check(CheckRecord),
}

impl HistoryRecord {
    /// Start in milliseconds since 1970.
    #[must_use]
    pub fn at(&self) -> u64 {
        match self {
            Self::Command(c) => c.at,
            Self::Analysis(a) => a.at,
            Self::Check(c) => c.at,
        }
    }

    fn end(&self) -> u64 {
        match self {
            Self::Command(c) => c.at + c.command_ms + c.waited_ms,
            Self::Analysis(a) => a.at,
            Self::Check(c) => c.at + c.milliseconds,
        }
    }

    fn build(&self) -> Option<&String> {
        match self {
            Self::Command(c) => c.build.as_ref(),
            Self::Analysis(a) => a.build.as_ref(),
            Self::Check(c) => c.build.as_ref(),
        }
    }
}

/// Sum of the records of a build, or of a check alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BuildRecord {
    /// `scuba build` or `scuba check`; `build` if the commands of a build went through the shim alone.
    pub what: String,
    /// Milliseconds since 1970.
    pub at: u64,
    /// Number of commands that went through the shim, and of their CUDA units.
    pub commands: u32,
    pub units: u32,
    /// Number of commands whose analysis did not finish.
    pub not_analysed: u32,
    /// Sums over all commands: time of nvcc and the tools behind the shim, and the further time that commands waited
    /// for analyses.
    pub command_ms: u64,
    pub waited_ms: u64,
    /// Duration of the check at the end, or of the check alone.
    pub check_ms: u64,
    pub counts: SourceCounts,
    /// Verdicts of the check at the end, else of the last check of each program.
    pub summary: Option<Summary>,
    pub denied: Option<u32>,
    pub warned: Option<u32>,
    pub repeatable: bool,
}

/// Returns the records of these `.scuba` folders, oldest first. Lines that cannot be read, for example those of
/// another version, are skipped.
#[must_use]
pub fn records(folders: &[PathBuf]) -> Vec<HistoryRecord> {
    let lines = folders.iter().flat_map(|f| BuildHistory::of(f).lines());
    let mut records: Vec<HistoryRecord> = lines.filter_map(|line| serde_json::from_str(&line).ok()).collect();
    records.sort_by_key(HistoryRecord::at);
    records
}

/// Groups records into builds and checks, oldest first.
#[must_use]
pub fn builds(records: &[HistoryRecord]) -> Vec<BuildRecord> {
    let mut groups: Vec<Vec<&HistoryRecord>> = Vec::new();
    let mut named: BTreeMap<&String, usize> = BTreeMap::new();
    // The current build without a name, and the end of its last command.
    let mut open: Option<(usize, u64)> = None;
    for record in records {
        let new = groups.len();
        let group = match (record.build(), record) {
            (Some(id), _) => *named.entry(id).or_insert(new),
            (None, HistoryRecord::Check(_)) => {
                open = None;
                new
            }
            (None, _) => {
                let (group, end) = open.filter(|(_, end)| record.at() <= end + PAUSE).unwrap_or((new, 0));
                open = Some((group, end.max(record.end())));
                group
            }
        };
        if group == new {
            groups.push(vec![]);
        }
        groups[group].push(record);
    }
    groups.iter().map(|group| together(group)).collect()
}

fn together(group: &[&HistoryRecord]) -> BuildRecord {
    let at = group.iter().map(|r| r.at()).min().unwrap_or_default();
    let mut build = BuildRecord { what: "build".into(), at, repeatable: true, ..BuildRecord::default() };
    let mut programs: BTreeMap<&String, &Summary> = BTreeMap::new();
    for record in group {
        match record {
            HistoryRecord::Command(c) => {
                build.commands += 1;
                build.units += if c.recorded { 0 } else { c.units };
                build.not_analysed += u32::from(!c.analysed);
                build.command_ms += c.command_ms;
                build.waited_ms += c.waited_ms;
            }
            HistoryRecord::Analysis(a) => {
                build.counts.add(a.counts);
                programs.extend(a.programs.iter().map(|(name, summary)| (name, summary)));
            }
            HistoryRecord::Check(c) => {
                build.what = format!("scuba {}", c.command);
                build.check_ms = c.milliseconds;
                build.counts.add(c.counts);
                build.summary = Some(c.summary.clone());
                (build.denied, build.warned) = (Some(c.denied), Some(c.warned));
                build.repeatable = c.repeatable;
            }
        }
    }
    if build.summary.is_none() && !programs.is_empty() {
        let mut sum = Summary { programs: u32::try_from(programs.len()).unwrap_or(u32::MAX), ..Summary::default() };
        for one in programs.values() {
            sum.add(one);
            sum.unseen += one.unseen;
        }
        build.summary = Some(sum);
    }
    build
}

#[cfg(test)]
mod tests {
    use super::{CheckRecord, CommandRecord, HistoryRecord, SourceCounts, builds};
    use finding::Summary;
    use nvcc::history::FinishedCommand;

    fn ran(at: u64, build: Option<&str>) -> HistoryRecord {
        let build = build.map(str::to_owned);
        HistoryRecord::Command(FinishedCommand {
            at,
            build,
            units: 1,
            command_ms: 1000,
            waited_ms: 200,
            analysed: true,
            ..FinishedCommand::default()
        })
    }

    fn analysed(at: u64, program: &str, safe: u32) -> HistoryRecord {
        let summary = Summary { safe, accesses: safe, ..Summary::default() };
        let counts = SourceCounts { read: 1, checked: 1, ..SourceCounts::default() };
        HistoryRecord::Analysis(CommandRecord {
            at,
            build: None,
            counts,
            programs: vec![(program.into(), summary)],
            denied: false,
        })
    }

    fn checked(at: u64, build: Option<&str>) -> HistoryRecord {
        HistoryRecord::Check(CheckRecord {
            at,
            build: build.map(str::to_owned),
            command: if build.is_some() { "build" } else { "check" }.into(),
            milliseconds: 50,
            counts: SourceCounts { recalled: 2, known: 1, ..SourceCounts::default() },
            summary: Summary { safe: 9, accesses: 9, ..Summary::default() },
            denied: 1,
            warned: 2,
            repeatable: true,
        })
    }

    #[test]
    fn commands_belong_to_their_scuba_build_whenever_they_ran() {
        let all = builds(&[ran(1, Some("a")), ran(2, Some("b")), ran(900_000, Some("a")), checked(900_100, Some("a"))]);
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].what.as_str(), all[0].commands, all[0].waited_ms), ("scuba build", 2, 400));
        assert_eq!((all[0].denied, all[0].counts.recalled), (Some(1), 2));
        assert_eq!((all[1].what.as_str(), all[1].commands), ("build", 1));
    }

    #[test]
    fn commands_without_one_are_a_build_until_a_pause_or_a_check() {
        let all =
            builds(&[ran(1, None), ran(50_000, None), ran(200_000, None), checked(201_500, None), ran(202_000, None)]);
        assert_eq!(all.iter().map(|b| b.commands).collect::<Vec<_>>(), [2, 1, 0, 1]);
        assert_eq!(all[2].what, "scuba check");
    }

    #[test]
    fn what_a_build_decided_is_the_last_word_on_each_of_its_programs() {
        let all = builds(&[analysed(1, "p", 3), analysed(2, "p", 4), analysed(3, "q", 10)]);
        let summary = all[0].summary.as_ref().unwrap();
        assert_eq!((all.len(), summary.safe, summary.accesses, summary.programs), (1, 14, 14, 2));
        assert_eq!((all[0].denied, all[0].counts.read), (None, 3), "findings are counted by checks");
    }
}
