//! `.scuba/log`: details that help to understand a build and do not belong on its screen.
//!
//! In: short texts. Out: lines appended to the log. A log that cannot be written does not stop the command.

use base::paths;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

pub struct Notes {
    file: PathBuf,
    /// Folder that is created with its `.gitignore` on the first note; `None` if `SCUBA_LOG` names the file.
    folder: Option<PathBuf>,
}

impl Notes {
    /// Opens the log beside the facts of `output`; `SCUBA_LOG` names another file.
    pub fn new(output: Option<&Path>, working: &Path) -> Notes {
        match std::env::var_os("SCUBA_LOG").filter(|file| !file.is_empty() && !is_filter(&file.to_string_lossy())) {
            Some(file) => Notes { file: working.join(file), folder: None },
            None => {
                let folder = paths::of_this_process(output, working);
                Notes { file: folder.join("log"), folder: Some(folder) }
            }
        }
    }

    /// Appends one entry; further lines are indented below the first.
    pub fn add(&self, about: &str, text: &str) {
        if self.folder.as_deref().is_some_and(|folder| paths::create(folder).is_err()) {
            return;
        }
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let entry = format!("{seconds} {about}: {}\n", text.trim_end().replace('\n', "\n  "));
        // One write to a file opened for appending: entries of parallel compilations do not mix.
        let _ = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.file)
            .and_then(|mut file| file.write_all(entry.as_bytes()));
    }
}

/// Whether `SCUBA_LOG` selects events (`debug`, `scuba=trace`) instead of naming a file for notes.
#[must_use]
pub fn is_filter(value: &str) -> bool {
    matches!(value, "off" | "error" | "warn" | "info" | "debug" | "trace") || value.contains('=')
}
