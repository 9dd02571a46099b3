//! What several targets share: parts of an input, files that readers take by their paths, and edits of facts.

pub mod brute_force;
pub mod edits;
pub mod mend;
pub mod programs;

use std::path::{Path, PathBuf};

/// Cuts an input into parts at lines that hold only `====`.
#[must_use]
pub fn parts(text: &str) -> Vec<&str> {
    text.split("\n====\n").collect()
}

/// A folder of this process in memory, for readers that take paths.
#[must_use]
pub fn folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = base.join(format!("scuba-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for files");
    folder.canonicalize().expect("a folder for files")
}

/// Debugging text of a value without the lines of statements: `scuba.toml:12` becomes `scuba.toml:`.
#[must_use]
pub fn without_lines(text: &str, file: &str) -> String {
    let mark = format!("{file}:");
    let mut parts = text.split(&mark);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(&mark);
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    out
}
