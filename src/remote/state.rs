//! State of a remote cache on this machine: counts, the last error, and whether the store is left alone.

use base::remote_url::RemoteUrl;
use files::store::{self, Readers};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Time for which a store is left alone after a failure.
const ALONE: Duration = Duration::from_secs(300);

/// Counts of a remote cache since its folder was made, and what went wrong last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheState {
    pub hits: u64,
    pub misses: u64,
    /// Entries that the key has not signed under their names.
    pub refused: u64,
    /// Entries that were sent.
    pub sent: u64,
    /// Name of the last refused entry, and why it was refused.
    pub last_refusal: Option<String>,
    pub last_error: Option<RemoteError>,
}

/// Failure of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteError {
    /// Seconds since 1970.
    pub at: u64,
    /// Reason, in one line without credentials.
    pub why: String,
    /// Whether entries were to be sent; otherwise some were asked for.
    pub sending: bool,
}

impl RemoteError {
    /// Records a failure to send entries, now.
    #[must_use]
    pub fn of_sender(why: &str) -> Self {
        Self { at: now(), why: format!("cannot send entries: {why}"), sending: true }
    }
}

impl CacheState {
    /// Adds the counts of one process.
    fn add(&mut self, other: Self) {
        self.hits += other.hits;
        self.misses += other.misses;
        self.refused += other.refused;
        self.sent += other.sent;
        self.last_refusal = other.last_refusal.or(self.last_refusal.take());
        self.last_error = other.last_error.or(self.last_error.take());
    }
}

/// Failure after which the store is left alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecentFailure {
    /// Seconds since 1970.
    pub at: u64,
    /// Id of the build in which it happened: for the rest of that build the store is left alone.
    pub build: Option<String>,
    pub why: String,
}

/// Folder of one remote cache in the local cache.
#[derive(Clone, Debug)]
pub struct RemoteFolder(PathBuf);

impl RemoteFolder {
    /// Returns the folder for a URL.
    #[must_use]
    pub fn new(cache: &Path, url: &RemoteUrl) -> Self {
        let name = blake3::hash(url.with_secrets().as_bytes()).to_hex();
        Self(cache.join("remote").join(&name[..16]))
    }

    /// Opens the folder at a path.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Reads the state.
    #[must_use]
    pub fn state(&self) -> CacheState {
        store::read(&self.0.join("state")).unwrap_or_default()
    }

    /// Adds counts to the state. Without the lock, or if the folder cannot be written, they are lost.
    pub fn count(&self, more: CacheState) {
        if more == CacheState::default() {
            return;
        }
        let Some(_alone) = self.lock() else { return };
        let mut state = self.state();
        state.add(more);
        let _ = store::write(&self.0, &self.0.join("state"), Readers::Owner, &state);
    }

    /// Returns the failure for which the store is left alone now, by a process of this build.
    pub(crate) fn failure(&self, build: Option<&str>) -> Option<RecentFailure> {
        let failure: RecentFailure = store::read(&self.0.join("failure"))?;
        let is_same_build = build.is_some() && failure.build.as_deref() == build;
        // A time in the future is a clock that was set back.
        let age = now().checked_sub(failure.at)?;
        (is_same_build || age < ALONE.as_secs()).then_some(failure)
    }

    /// Notes a failure, so that other processes leave the store alone. Returns its time in seconds since 1970, which is
    /// that of another process if that one noted it first.
    pub fn fail(&self, build: Option<&str>, why: &str) -> u64 {
        let _alone = self.lock();
        if let Some(earlier) = self.failure(build) {
            return earlier.at;
        }
        let failure = RecentFailure { at: now(), build: build.map(str::to_owned), why: why.to_owned() };
        let _ = store::write(&self.0, &self.0.join("failure"), Readers::Owner, &failure);
        failure.at
    }

    /// Locks the folder, which other processes hold for as long as it takes to write a small file. `None` if that cannot be.
    fn lock(&self) -> Option<File> {
        std::fs::create_dir_all(&self.0).ok()?;
        let folder = File::open(&self.0).ok()?;
        flock(&folder, FlockOperation::LockExclusive).ok()?;
        Some(folder)
    }

    /// Returns the text of the failure for which the store is left alone now.
    #[must_use]
    pub fn left_alone(&self) -> Option<String> {
        self.failure(None).map(|failure| failure.why)
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

#[cfg(test)]
mod tests {
    use super::{ALONE, CacheState, RecentFailure, RemoteError, RemoteFolder, now};
    use base::remote_url::RemoteUrl;
    use files::store::{self, Readers};

    #[test]
    fn counts_of_processes_add_up() {
        let cache = tempfile::tempdir().unwrap();
        let folder = RemoteFolder::new(cache.path(), &RemoteUrl::parse("s3://bucket").unwrap());
        assert_eq!(folder.state(), CacheState::default());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| folder.count(CacheState { hits: 1, misses: 2, ..CacheState::default() }));
            }
        });
        let error = Some(RemoteError { at: 1, why: "no answer".into(), sending: false });
        folder.count(CacheState { last_error: error.clone(), ..CacheState::default() });
        folder.count(CacheState { refused: 1, ..CacheState::default() });
        let state = folder.state();
        assert_eq!((state.hits, state.misses, state.refused), (8, 16, 1));
        assert_eq!(state.last_error, error);
    }

    #[test]
    fn a_store_that_failed_is_left_alone_for_a_while_and_for_its_build() {
        let cache = tempfile::tempdir().unwrap();
        let folder = RemoteFolder::at(cache.path());
        assert_eq!(folder.failure(None), None);
        folder.fail(Some("one"), "no answer");
        for build in [None, Some("one"), Some("two")] {
            assert_eq!(folder.failure(build).unwrap().why, "no answer");
        }
        let then = now() - ALONE.as_secs() - 1;
        let old = RecentFailure { at: then, build: Some("one".into()), why: "no answer".into() };
        store::write(cache.path(), &cache.path().join("failure"), Readers::Owner, &old).unwrap();
        assert!(folder.failure(Some("one")).is_some());
        assert!(folder.failure(Some("two")).is_none() && folder.failure(None).is_none());
    }
}
