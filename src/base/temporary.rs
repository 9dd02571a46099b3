//! Folders for temporary files.
//!
//! `TMPDIR` names the place, as for all programs. Where that is no folder, cannot be written, or has a name that clang's
//! command line cannot express, the system's own places serve, as they do for compilers.

use rustix::fs::{FlockOperation, flock};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Places that every system has.
const OF_SYSTEM: [&str; 2] = ["/tmp", "/var/tmp"];

/// Age above which a folder without a lock is a leftover: its maker locks it at once.
const OLD: Duration = Duration::from_secs(60);

/// A folder that is removed with this value. A killed process leaves it behind, without the lock that it held: the next
/// process that makes one there removes it.
#[derive(Debug)]
pub struct TemporaryFolder {
    // Removed before its lock is dropped.
    folder: TempDir,
    _lock: Option<File>,
}

impl TemporaryFolder {
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Makes a folder, and removes those that killed processes left under the same prefix.
///
/// # Errors
/// The error of the first place, if none of them can be written.
pub fn folder(prefix: &str) -> io::Result<TemporaryFolder> {
    let mut first = None;
    for place in places() {
        match tempfile::Builder::new().prefix(prefix).tempdir_in(&place) {
            Ok(folder) => {
                let lock = File::open(folder.path()).ok();
                let lock = lock.filter(|file| flock(file, FlockOperation::NonBlockingLockShared).is_ok());
                remove_leftovers(&place, prefix);
                return Ok(TemporaryFolder { folder, _lock: lock });
            }
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
}

/// Removes old folders of this user that nobody holds a lock on.
fn remove_leftovers(place: &Path, prefix: &str) {
    let user = rustix::process::geteuid().as_raw();
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        if !entry.file_name().as_encoded_bytes().starts_with(prefix.as_bytes()) {
            continue;
        }
        let is_leftover = |status: Metadata| {
            status.is_dir()
                && status.uid() == user
                && status.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > OLD))
        };
        if entry.metadata().is_ok_and(is_leftover)
            && let Ok(file) = File::open(entry.path())
            && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns the places to try, in order.
#[must_use]
pub fn places() -> Vec<PathBuf> {
    let mut all = vec![std::env::temp_dir()];
    all.extend(OF_SYSTEM.iter().map(PathBuf::from).filter(|place| *place != std::env::temp_dir()));
    all.retain(|place| is_plain(place));
    all
}

/// Whether clang can be told of a path: its options are UTF-8 here, and become directives of one line.
#[must_use]
pub fn is_plain(path: &Path) -> bool {
    path.to_str().is_some_and(|text| !text.contains(|c: char| c == '"' || c.is_control()))
}

#[cfg(test)]
mod tests {
    use super::{OLD, is_plain, remove_leftovers};
    use rustix::fs::{FlockOperation, flock};
    use std::ffi::OsStr;
    use std::fs::File;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    use std::time::SystemTime;

    #[test]
    fn leftovers_are_old_and_unlocked() {
        let place = tempfile::tempdir().unwrap();
        for name in ["p-old", "p-locked", "p-new", "other"] {
            std::fs::create_dir(place.path().join(name)).unwrap();
            std::fs::write(place.path().join(name).join("file"), "").unwrap();
            let folder = File::open(place.path().join(name)).unwrap();
            if name != "p-new" {
                folder.set_modified(SystemTime::now() - 2 * OLD).unwrap();
            }
        }
        std::os::unix::fs::symlink("other", place.path().join("p-link")).unwrap();
        let held = File::open(place.path().join("p-locked")).unwrap();
        flock(&held, FlockOperation::NonBlockingLockShared).unwrap();
        remove_leftovers(place.path(), "p-");
        let left = |name: &&str| place.path().join(name).join("file").exists();
        assert_eq!(
            ["p-old", "p-locked", "p-new", "other", "p-link"].iter().map(left).collect::<Vec<_>>(),
            [false, true, true, true, true]
        );
    }

    #[test]
    fn plain_paths() {
        for path in ["/tmp", "/a b/$HOME/%s/\u{e4}/c'd/e:f,g", "relative"] {
            assert!(is_plain(Path::new(path)), "{path}");
        }
        for path in [b"/a\"b".as_slice(), b"/a\nb", b"/a\x1b", b"/a\xe9"] {
            assert!(!is_plain(Path::new(OsStr::from_bytes(path))), "{path:?}");
        }
    }
}
