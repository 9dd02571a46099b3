//! `.scuba/history`: costs and results of commands, for `scuba stats`; nothing else reads it.
//!
//! In: records from the shim ([`FinishedCommand`]) and from commands of `scuba`. Out: JSON lines appended to the history of a
//! `.scuba` folder, if there is one. A history that cannot be written does not stop the command.

use files::store::{self, Readers};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Environment variable with the id of the `scuba build` that a command belongs to.
pub const BUILD: &str = "SCUBA_BUILD";

/// Maximum size in bytes; above it, the older half is dropped.
const MAX: u64 = 4 << 20;

/// A successful command of a build, and how long it waited for the analysis.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedCommand {
    /// Start in milliseconds since 1970.
    pub at: u64,
    /// Id of the `scuba build` that the command belongs to.
    pub build: Option<String>,
    /// Number of units: of CUDA code, or, if `recorded`, of C++ code that was only recorded.
    pub units: u32,
    pub recorded: bool,
    pub links: bool,
    /// Time of the real command in milliseconds.
    pub command_ms: u64,
    /// Further milliseconds that the analysis took after the real command.
    pub waited_ms: u64,
    /// Whether the analysis completed.
    pub analysed: bool,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum HistoryLine<'a> {
    Command(&'a FinishedCommand),
}

/// The history of one `.scuba` folder.
#[derive(Clone, Debug)]
pub struct BuildHistory {
    file: PathBuf,
}

impl BuildHistory {
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        Self { file: folder.join("history") }
    }

    /// Returns the `.scuba` folder that holds the history.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("."))
    }

    /// Returns the file of the history, which need not exist.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Appends the cost of a command.
    pub fn add_command(&self, ran: &FinishedCommand) {
        self.add(&HistoryLine::Command(ran));
    }

    /// Appends a record in one write to a file opened for appending, so that records of parallel commands do not mix.
    /// Without a `.scuba` folder it does nothing.
    pub fn add(&self, record: &impl Serialize) {
        let Ok(mut line) = serde_json::to_string(record) else { return };
        line.push('\n');
        let written = store::open_to_append(&self.file)
            .and_then(|mut file| file.write_all(line.as_bytes()).and_then(|()| file.metadata()));
        if written.is_ok_and(|file| file.len() > MAX) {
            self.shorten();
        }
    }

    /// Returns the kept lines in the order of writing.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let text = store::bytes(&self.file).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
    }

    /// Drops the older half. A line that another command appends meanwhile may be lost.
    fn shorten(&self) {
        let Some(text) = store::bytes(&self.file) else { return };
        let half = text.len() / 2;
        let Some(start) = text[half..].iter().position(|b| *b == b'\n') else { return };
        let _ = store::replace(self.folder(), &self.file, Readers::Umask, &text[half + start + 1..]);
    }
}

/// Returns the milliseconds since 1970.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
}

/// Returns the id of the `scuba build` that this process belongs to.
#[must_use]
pub fn build_of_this_process() -> Option<String> {
    std::env::var(BUILD).ok().filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{BuildHistory, FinishedCommand, MAX};

    #[test]
    fn lines_are_kept_where_there_is_a_folder_and_the_older_half_goes() {
        let root = tempfile::tempdir().unwrap();
        let none = BuildHistory::of(&root.path().join("none"));
        none.add_command(&FinishedCommand::default());
        assert!(none.lines().is_empty());

        let history = BuildHistory::of(root.path());
        history.add_command(&FinishedCommand { units: 3, ..FinishedCommand::default() });
        assert_eq!(history.lines().len(), 1);
        let line: serde_json::Value = serde_json::from_str(&history.lines()[0]).unwrap();
        assert_eq!((line["kind"].as_str(), line["units"].as_u64()), (Some("command"), Some(3)));

        let long = "x".repeat(usize::try_from(MAX / 4).unwrap());
        for n in 0..5 {
            history.add(&(n, &long));
        }
        let kept = history.lines();
        assert!(kept.len() < 5 && kept.iter().all(|l| l.starts_with('[') && l.ends_with(']')), "whole lines");
        assert!(kept.last().unwrap().starts_with("[4,"));
    }
}
