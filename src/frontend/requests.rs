//! Requests for headers that a build lacked, which are precompiled after it.
//!
//! In: a unit and the options of its reading. Out: the same, later, once. Requests lie beside the headers, one file for
//! each unit; a request is taken away before it is answered, so that one that fails is not repeated.

use super::client::WorkerRequest;
use super::extraction::ExtractOptions;
use files::store::{self, Readers};
use nvcc::unit::TranslationUnit;
use rustix::fs::FlockOperation;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Name of their folder among the headers.
pub(super) const FOLDER: &str = "wanted";
/// Largest number of requests that wait.
const MAX: usize = 64;
/// File that the process which answers requests locks.
const LOCK: &str = "lock";
const SUFFIX: &str = "json";

/// Requests in a folder of precompiled headers.
#[derive(Debug)]
pub struct HeaderRequests {
    folder: PathBuf,
}

impl HeaderRequests {
    #[must_use]
    pub fn of(headers: &Path) -> Self {
        Self { folder: headers.join(FOLDER) }
    }

    /// Records a unit. A failure costs the header.
    pub(super) fn record(&self, unit: &TranslationUnit, options: &ExtractOptions) {
        // The same code is read whatever is written.
        let unit = TranslationUnit { output: None, command: vec![], ..unit.clone() };
        let request = WorkerRequest { unit, options: options.clone() };
        let Ok(text) = serde_json::to_vec(&request) else { return };
        let name = blake3::hash(&serde_json::to_vec(&request.unit).unwrap_or_default()).to_hex();
        let path = self.folder.join(&name[..16]).with_extension(SUFFIX);
        if path.is_file() || self.waiting().len() < MAX {
            let _ = store::replace(&self.folder, &path, Readers::Owner, &text);
        }
    }

    /// Whether a request waits.
    #[must_use]
    pub fn is_any(&self) -> bool {
        !self.waiting().is_empty()
    }

    /// Takes the oldest request away and returns it.
    #[must_use]
    pub fn take(&self) -> Option<(TranslationUnit, ExtractOptions)> {
        for path in self.waiting() {
            let text = store::bytes(&path);
            std::fs::remove_file(&path).ok()?;
            // One of another version cannot be read.
            if let Some(request) = text.and_then(|t| serde_json::from_slice::<WorkerRequest>(&t).ok()) {
                return Some((request.unit, request.options));
            }
        }
        None
    }

    /// Makes this process the only one that answers requests, until the result is dropped or the process ends.
    #[must_use]
    pub fn lock(&self) -> Option<File> {
        let file = store::open_to_append(&self.folder.join(LOCK)).ok()?;
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).ok().map(|()| file)
    }

    /// Returns the files of the requests, the oldest first.
    fn waiting(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|e| e.path());
        let mut found: Vec<_> = entries
            .filter(|p| p.extension().is_some_and(|e| e == SUFFIX))
            .filter_map(|p| Some((p.metadata().ok()?.modified().ok()?, p)))
            .collect();
        found.sort();
        found.into_iter().map(|(_, path)| path).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nvcc::unit::Language;

    fn unit(source: &str) -> TranslationUnit {
        TranslationUnit::plain(source.into(), "/p".into(), Language::Cuda)
    }

    #[test]
    fn each_request_is_taken_once() {
        let folder = tempfile::tempdir().unwrap();
        let requests = HeaderRequests::of(folder.path());
        assert!(!requests.is_any());
        for source in ["a.cu", "b.cu", "a.cu"] {
            requests.record(&unit(source), &ExtractOptions::default());
        }
        std::fs::write(requests.folder.join("0.json"), "{}").unwrap();
        let mut taken: Vec<PathBuf> = std::iter::from_fn(|| requests.take()).map(|(u, _)| u.source).collect();
        taken.sort();
        assert_eq!(taken, ["a.cu", "b.cu"].map(PathBuf::from));
        assert!(!requests.is_any());
        for i in 0..MAX + 3 {
            requests.record(&unit(&format!("{i}.cu")), &ExtractOptions::default());
        }
        assert_eq!(requests.waiting().len(), MAX);
    }

    #[test]
    fn one_process_answers_them() {
        let folder = tempfile::tempdir().unwrap();
        let requests = HeaderRequests::of(folder.path());
        requests.record(&unit("a.cu"), &ExtractOptions::default());
        let first = requests.lock();
        assert!(first.is_some() && requests.lock().is_none());
        drop(first);
        assert!(requests.lock().is_some());
    }
}
