//! The baseline: findings that a project had when it adopted the tool, by fingerprint.

use base::rules::Rule;
use finding::Finding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// File name if scuba.toml gives none, in the project's folder.
pub const FILE_NAME: &str = "scuba-baseline.json";
const SCHEMA: &str = "scuba-baseline/1";

#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("cannot read the baseline {}: {source}; make it with `scuba baseline --write`", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{}: not a baseline: {message}; make it again with `scuba baseline --write`", path.display())]
    Parse { path: PathBuf, message: String },
    #[error("cannot write the baseline {}: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// An accepted finding. Only the fingerprint counts; the rest is for human readers of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BaselineEntry {
    pub file: String,
    pub rule: Rule,
    pub kernel: String,
    pub array: String,
    pub index: String,
    pub fingerprint: String,
}

#[derive(Serialize, Deserialize)]
struct BaselineDocument {
    schema: String,
    findings: Vec<BaselineEntry>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: Vec<BaselineEntry>,
    fingerprints: BTreeSet<String>,
}

impl Baseline {
    /// Creates a baseline from findings with assigned fingerprints.
    #[must_use]
    pub fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut entries: Vec<BaselineEntry> = findings
            .into_iter()
            .map(|f| BaselineEntry {
                file: f.access.position.file.clone(),
                rule: f.rule,
                kernel: f.access.kernel.clone(),
                array: f.access.array.clone(),
                index: f.access.index.clone(),
                fingerprint: f.fingerprint.clone(),
            })
            .collect();
        entries.sort();
        let fingerprints = entries.iter().map(|e| e.fingerprint.clone()).collect();
        Self { entries, fingerprints }
    }

    /// # Errors
    /// Fails if the file cannot be read or is no baseline of this version.
    pub fn load(path: &Path) -> Result<Self, BaselineError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| BaselineError::Read { path: path.to_owned(), source })?;
        let wrong = |message: String| BaselineError::Parse { path: path.to_owned(), message };
        let document: BaselineDocument = serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?;
        if document.schema != SCHEMA {
            return Err(wrong(format!("its schema is `{}`, expected `{SCHEMA}`", document.schema)));
        }
        let fingerprints = document.findings.iter().map(|e| e.fingerprint.clone()).collect();
        Ok(Self { entries: document.findings, fingerprints })
    }

    /// # Errors
    /// Fails if the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), BaselineError> {
        let failed = |source| BaselineError::Write { path: path.to_owned(), source };
        let document = BaselineDocument { schema: SCHEMA.into(), findings: self.entries.clone() };
        let mut text = serde_json::to_string_pretty(&document).map_err(|e| failed(e.into()))?;
        text.push('\n');
        std::fs::write(path, text).map_err(failed)
    }

    #[must_use]
    pub fn contains(&self, fingerprint: &str) -> bool {
        self.fingerprints.contains(fingerprint)
    }

    #[must_use]
    pub fn entries(&self) -> &[BaselineEntry] {
        &self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::Baseline;
    use finding::samples;

    #[test]
    fn a_baseline_is_read_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("b.json");
        let mut f = samples::finding();
        f.fingerprint = "00ff".into();
        let b = Baseline::of([&f]);
        b.save(&path).unwrap();
        let read = Baseline::load(&path).unwrap();
        assert_eq!(read, b);
        assert!(read.contains("00ff") && !read.contains("00fe"));
    }

    #[test]
    fn other_files_are_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("b.json");
        for text in ["", "[]", r#"{"schema": "scuba-baseline/9", "findings": []}"#] {
            std::fs::write(&path, text).unwrap();
            let message = Baseline::load(&path).unwrap_err().to_string();
            assert!(message.contains("b.json") && message.contains("scuba baseline --write"), "{message}");
        }
        assert!(Baseline::load(&dir.path().join("none.json")).unwrap_err().to_string().contains("none.json"));
    }
}
