//! Outcomes of runs on devices, stored with the facts.
//!
//! One file for each finding and witness in `.scuba/confirmations`. Its name contains the finding's [`key`], which
//! changes with the sources and the witness, so that outcomes for older code are not shown for newer code.

use files::store::Readers;
use finding::sources::SourceFiles;
use finding::{Confirmation, ConfirmationStatus, Finding};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

const FOLDER: &str = "confirmations";

/// Outcome of a finding's run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedOutcome {
    pub fingerprint: String,
    /// [`key`] of the finding that was run.
    pub witness: String,
    pub confirmation: Confirmation,
    /// Log of the builds and runs, with their output.
    pub log: String,
}

/// Hash of a finding, its witness and the text of its files: 16 hexadecimal digits.
#[must_use]
pub fn key(finding: &Finding, sources: &SourceFiles) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    let p = &finding.access.position;
    let launch = finding.launch.as_ref().map_or("", |l| l.file.as_str());
    let allocation = finding.allocation.as_ref().map_or("", |a| a.file.as_str());
    let related = finding.related.iter().filter(|r| !r.inner).map(|r| r.position.file.as_str());
    for file in [p.file.as_str(), launch, allocation].into_iter().chain(related) {
        add(sources.text(file).unwrap_or_default().as_bytes());
    }
    let w = finding.witness.as_ref();
    let place = format!("{} {} {} {:?}", p.line, p.column, finding.access.kernel, finding.access.direction);
    let run = w.map(|w| {
        format!("{:?} {:?} {:?} {:?} {} {}", w.run, w.grid, w.block, w.thread, w.offset_bytes, w.extent_bytes)
    });
    add(place.as_bytes());
    add(run.unwrap_or_default().as_bytes());
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Folders to search for outcomes.
#[derive(Clone, Debug, Default)]
pub struct Confirmations {
    stores: Vec<PathBuf>,
}

impl Confirmations {
    /// `stores` are `.scuba` folders, which need not exist.
    #[must_use]
    pub fn new(mut stores: Vec<PathBuf>) -> Self {
        stores.dedup();
        Self { stores }
    }

    /// Outcome of a finding: a confirmation if there is one, otherwise the first outcome.
    #[must_use]
    pub fn of(&self, finding: &Finding, sources: &SourceFiles) -> Option<Confirmation> {
        // Hashes the sources only if outcomes exist.
        let kept: Vec<PathBuf> = self.stores.iter().map(|s| s.join(FOLDER)).filter(|f| f.is_dir()).collect();
        if kept.is_empty() || finding.fingerprint.is_empty() {
            return None;
        }
        let key = key(finding, sources);
        let mut found: Vec<Confirmation> = kept
            .iter()
            .filter_map(|f| read(&f.join(name(&finding.fingerprint, &key))))
            .filter(|o| o.fingerprint == finding.fingerprint && o.witness == key)
            .map(|o| o.confirmation)
            .collect();
        let best = found.iter().position(|c| c.status == ConfirmationStatus::Confirmed).unwrap_or(0);
        (!found.is_empty()).then(|| found.swap_remove(best))
    }
}

/// Stores an outcome in a `.scuba` folder and replaces an earlier one of the same finding and witness.
///
/// # Errors
/// If the folder cannot be written.
pub fn keep(store: &Path, outcome: &RecordedOutcome) -> io::Result<()> {
    let path = store.join(FOLDER).join(name(&outcome.fingerprint, &outcome.witness));
    files::store::replace(store, &path, Readers::Umask, &serde_json::to_vec_pretty(outcome)?)
}

fn name(fingerprint: &str, key: &str) -> String {
    format!("{fingerprint}-{key}.json")
}

fn read(path: &Path) -> Option<RecordedOutcome> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::{Confirmations, RecordedOutcome, keep, key};
    use finding::paths::ProjectRoot;
    use finding::samples;
    use finding::sources::SourceFiles;
    use finding::{Confirmation, ConfirmationStatus, ConfirmedBy};

    #[test]
    fn an_outcome_is_shown_until_witness_or_source_change() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("scale.cu"), samples::SCALE).unwrap();
        let sources = || SourceFiles::new(ProjectRoot::new(dir.path().to_owned()));
        let mut finding = samples::finding();
        finding.fingerprint = "0123456789abcdef".into();
        finding.access.position.file = "scale.cu".into();
        let store = dir.path().join(".scuba");
        let all = Confirmations::new(vec![store.clone()]);
        assert_eq!(all.of(&finding, &sources()), None);
        let confirmation = Confirmation {
            status: ConfirmationStatus::Confirmed,
            by: ConfirmedBy::ComputeSanitizer,
            device: "d".into(),
            detail: "x".into(),
        };
        let outcome = RecordedOutcome {
            fingerprint: finding.fingerprint.clone(),
            witness: key(&finding, &sources()),
            confirmation: confirmation.clone(),
            log: "l".into(),
        };
        keep(&store, &outcome).unwrap();
        assert_eq!(all.of(&finding, &sources()), Some(confirmation));
        assert!(store.join(".gitignore").is_file());

        let mut other = finding.clone();
        other.witness.as_mut().unwrap().run.argv = vec!["2".into()];
        assert_eq!(all.of(&other, &sources()), None, "another witness");
        std::fs::write(dir.path().join("scale.cu"), format!("// fixed\n{}", samples::SCALE)).unwrap();
        assert_eq!(all.of(&finding, &sources()), None, "another source");
    }
}
