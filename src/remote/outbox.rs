//! Entries on their way to the store: signed files in a folder, which a helper in the background sends and removes.

use files::store::{self, Readers};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Age above which an entry that was never sent is removed.
const OLD: Duration = Duration::from_secs(24 * 3600);
/// Maximum size in bytes of all waiting entries; the oldest are removed first.
const MAX: u64 = 256 << 20;

/// Folder of waiting entries.
#[derive(Clone, Debug)]
pub struct Outbox {
    root: PathBuf,
}

impl Outbox {
    /// Opens the outbox in the folder of a remote cache.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    fn folder(&self) -> PathBuf {
        self.root.join("outbox")
    }

    /// Adds a signed entry. If the folder cannot be written, nobody else gets it.
    pub fn add(&self, name: &str, sealed: &[u8]) {
        let _ = store::replace(&self.root, &self.folder().join(name), Readers::Owner, sealed);
    }

    /// Returns the names of the waiting entries with their paths, the oldest first. Removes the ones that are too old or too
    /// many.
    #[must_use]
    pub fn waiting(&self) -> Vec<(String, PathBuf)> {
        let mut all: Vec<(SystemTime, u64, String, PathBuf)> = vec![];
        for kind in children(&self.folder()) {
            store::abandoned(&kind).iter().for_each(|path| drop(std::fs::remove_file(path)));
            let name = |path: &Path| {
                let part = |path: &Path| path.file_name().and_then(|n| n.to_str()).map(str::to_owned);
                Some(format!("{}/{}", part(&kind)?, part(path).filter(|n| !n.starts_with('.'))?))
            };
            all.extend(children(&kind).into_iter().filter_map(|path| {
                let about = path.metadata().ok()?;
                Some((about.modified().ok()?, about.len(), name(&path)?, path))
            }));
        }
        all.sort();
        let mut size: u64 = all.iter().map(|entry| entry.1).sum();
        all.retain(|(modified, bytes, _, path)| {
            let kept = size <= MAX && modified.elapsed().map_or(true, |age| age <= OLD);
            if !kept {
                size -= bytes;
                let _ = std::fs::remove_file(path);
            }
            kept
        });
        all.into_iter().map(|(_, _, name, path)| (name, path)).collect()
    }

    /// Whether no entry waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let is_entry = |path: &PathBuf| path.file_name().is_some_and(|n| !n.as_encoded_bytes().starts_with(b"."));
        !children(&self.folder()).iter().any(|kind| children(kind).iter().any(is_entry))
    }

    /// Becomes the one sender of this outbox, until the result is dropped. `None` if another process is.
    #[must_use]
    pub fn sender(&self) -> Option<File> {
        std::fs::create_dir_all(&self.root).ok()?;
        let file = File::options().create(true).truncate(false).write(true).open(self.root.join("sender")).ok()?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
        Some(file)
    }
}

fn children(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::{OLD, Outbox};
    use std::time::{Duration, SystemTime};

    #[test]
    fn entries_wait_by_name_and_not_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = Outbox::new(folder.path());
        assert!(outbox.is_empty() && outbox.waiting().is_empty());
        for name in ["readings/a", "verdicts/b", "readings/c"] {
            outbox.add(name, b"entry");
        }
        let (_, path) = outbox.waiting().into_iter().find(|(name, _)| name == "readings/c").unwrap();
        let before = SystemTime::now() - OLD - Duration::from_secs(60);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(before).unwrap();
        let mut names: Vec<String> = outbox.waiting().into_iter().map(|(name, _)| name).collect();
        names.sort();
        assert_eq!(names, ["readings/a", "verdicts/b"]);
        assert!(!path.exists() && !outbox.is_empty());
    }

    #[test]
    fn one_process_sends() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = Outbox::new(folder.path());
        let first = outbox.sender();
        assert!(first.is_some() && outbox.sender().is_none());
        drop(first);
        assert!(outbox.sender().is_some());
    }
}
