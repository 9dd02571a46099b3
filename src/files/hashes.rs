//! Cache of file hashes: each file is hashed once per state, within one process and across processes that share a
//! cache.
//!
//! In: a path and the state of its file. Out: blake3 of its contents. New hashes are written to one file in the cache's
//! folder, aside and then renamed; a process that misses the hashes of another reads those files again. A folder that
//! cannot be written keeps nothing. If restored facts and readings have other file states, the cache compares their
//! files by contents only once.

use super::stamp::{FileTime, Stamp};
use super::store::{self, Readers};
use super::systems;
use base::paths;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// Name of the cache file, with its format version.
const NAME: &str = "hashes-2";
/// Maximum number of remembered files, of about 60 bytes each. Above it, the quarter that was read first is dropped.
const MAX: usize = 1 << 16;

/// The contents of a file, as their hash, and the state of the file when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileContents {
    pub hash: [u8; 32],
    pub stamp: Stamp,
    /// Whether the file has these contents for as long as it is in this state.
    pub is_settled: bool,
}

type HashEntry = (Stamp, [u8; 32]);

#[derive(Debug, Default)]
struct KnownHashes {
    /// Hashes by device and inode.
    entries: HashMap<(u64, u64), HashEntry>,
    /// Hashes that this process computed and has not written to the cache file.
    new: Vec<HashEntry>,
    is_loaded: bool,
    read: u32,
}

/// Known file hashes.
#[derive(Debug, Default)]
pub struct Hashes {
    /// Folder of the cache file; `None`: hashes are not written.
    folder: Option<PathBuf>,
    known: Mutex<KnownHashes>,
}

impl Hashes {
    #[must_use]
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, known: Mutex::default() }
    }

    /// Returns the hashes that the process's cache keeps.
    #[must_use]
    pub fn of_this_process() -> &'static Self {
        // Unit tests leave the user's cache alone.
        static OURS: LazyLock<Hashes> = LazyLock::new(|| Hashes::new(paths::cache().filter(|_| !cfg!(test))));
        &OURS
    }

    /// Number of files that were read.
    #[must_use]
    pub fn read(&self) -> u32 {
        self.lock().read
    }

    /// Returns the contents of a file in state `now`; `None` if it cannot be read.
    #[must_use]
    pub fn of(&self, path: &Path, now: Stamp) -> Option<FileContents> {
        if let Some(hash) = self.known(&now) {
            return Some(FileContents { hash, stamp: now, is_settled: true });
        }
        let contents = read(path)?;
        let mut known = self.lock();
        known.read += 1;
        if contents.is_settled {
            let entry = (contents.stamp, contents.hash);
            known.entries.insert(contents.stamp.file(), entry);
            known.new.push(entry);
        }
        Some(contents)
    }

    fn known(&self, now: &Stamp) -> Option<[u8; 32]> {
        let mut known = self.lock();
        if !known.is_loaded {
            known.is_loaded = true;
            let kept = self.folder.as_deref().map(load).unwrap_or_default();
            known.entries.extend(kept.into_iter().map(|entry| (entry.0.file(), entry)));
        }
        known.entries.get(&now.file()).filter(|entry| entry.0 == *now).map(|entry| entry.1)
    }

    /// Writes the hashes computed since the last call to the cache file.
    pub fn keep(&self) {
        let new = std::mem::take(&mut self.lock().new);
        let Some(folder) = self.folder.as_deref().filter(|_| !new.is_empty()) else { return };
        // Another process may have written since `load`, or may write now.
        let _alone = hold(folder);
        let mut all = load(folder);
        let replaced: HashMap<_, _> = new.iter().map(|entry| (entry.0.file(), entry)).collect();
        all.retain(|entry| !replaced.contains_key(&entry.0.file()));
        all.extend(new.iter().filter(|entry| replaced.get(&entry.0.file()).is_some_and(|last| last == entry)));
        if all.len() > MAX {
            all.drain(..all.len() - MAX / 4 * 3);
        }
        let _ = write(folder, &all);
    }

    fn lock(&self) -> MutexGuard<'_, KnownHashes> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Locks the cache folder: other processes write there after the lock is dropped. `None` if the lock is not acquired,
/// or not within half a second. A file whose hash is lost then is read again.
fn hold(folder: &Path) -> Option<File> {
    std::fs::create_dir_all(folder).ok()?;
    let file = File::open(folder).ok()?;
    for _ in 0..500 {
        if rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_ok() {
            return Some(file);
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    None
}

/// Reads a whole file. The contents may belong to another state if the file changed during the read, or shortly before
/// it: then they are not settled.
fn read(path: &Path) -> Option<FileContents> {
    let now = FileTime::now();
    // A FIFO would wait for a writer, and most devices have no end.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let mut file = File::options().read(true).custom_flags(flags).open(path).ok()?;
    let status = file.metadata().ok()?;
    if !status.is_file() && path != Path::new("/dev/null") {
        return None;
    }
    let stamp = Stamp::of(&status);
    let mut hasher = blake3::Hasher::new();
    std::io::copy(&mut file, &mut hasher).ok()?;
    let is_same = file.metadata().is_ok_and(|status| Stamp::of(&status) == stamp);
    let is_settled = is_same && stamp.is_older_than(now) && systems::note_changes(&stamp, path);
    Some(FileContents { hash: *hasher.finalize().as_bytes(), stamp, is_settled })
}

/// Reads the cache file; no entries if it is unreadable or damaged. Entries are in the order of reading, the oldest
/// first.
fn load(folder: &Path) -> Vec<HashEntry> {
    store::read(&folder.join(NAME)).unwrap_or_default()
}

fn write(folder: &Path, all: &[HashEntry]) -> std::io::Result<()> {
    store::write(folder, &folder.join(NAME), Readers::Owner, &all)
}

#[cfg(test)]
mod tests {
    use super::{HashEntry, Hashes, MAX, NAME, load, write};
    use crate::{FileTime, Stamp};
    use std::path::{Path, PathBuf};
    use std::time::{Duration, SystemTime};

    fn tick() {
        let now = SystemTime::now();
        while FileTime::now() <= FileTime::at(now) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn hash(hashes: &Hashes, path: &Path) -> [u8; 32] {
        hashes.of(path, Stamp::at(path).unwrap()).unwrap().hash
    }

    struct Files {
        folder: tempfile::TempDir,
    }

    impl Files {
        fn new(number: u32) -> Self {
            let files = Self { folder: tempfile::tempdir().unwrap() };
            (0..number).for_each(|i| std::fs::write(files.path(i), format!("text {i}")).unwrap());
            tick();
            files
        }

        fn path(&self, i: u32) -> PathBuf {
            self.folder.path().join(i.to_string())
        }

        fn hashes(&self) -> Hashes {
            Hashes::new(Some(self.folder.path().join("cache")))
        }
    }

    #[test]
    fn what_is_known_is_not_read_again() {
        let files = Files::new(3);
        let first = files.hashes();
        for _ in 0..2 {
            (0..3).for_each(|i| {
                assert_eq!(hash(&first, &files.path(i)), *blake3::hash(format!("text {i}").as_bytes()).as_bytes());
            });
        }
        assert_eq!(first.read(), 3);
        first.keep();
        // A second process.
        let second = files.hashes();
        (0..3).for_each(|i| assert_eq!(hash(&second, &files.path(i)), hash(&first, &files.path(i))));
        assert_eq!(second.read(), 0);
        std::fs::write(files.path(1), "TEXT 1").unwrap();
        assert_eq!(hash(&second, &files.path(1)), *blake3::hash(b"TEXT 1").as_bytes());
        assert_eq!(second.read(), 1);
    }

    #[test]
    fn processes_do_not_lose_what_others_read_and_damage_costs_only_time() {
        let files = Files::new(4);
        let (one, two) = (files.hashes(), files.hashes());
        for (i, hashes) in [(0, &one), (1, &two), (2, &one), (3, &two)] {
            hash(hashes, &files.path(i));
            hashes.keep();
        }
        let cache = files.folder.path().join("cache");
        assert_eq!(load(&cache).len(), 4);
        let good = std::fs::read(cache.join(NAME)).unwrap();
        for n in 0..good.len() {
            std::fs::write(cache.join(NAME), &good[..n]).unwrap();
            assert_eq!(load(&cache), [], "{n} bytes");
        }
        // A path that is no folder.
        let nowhere = Hashes::new(Some(files.path(0)));
        hash(&nowhere, &files.path(1));
        nowhere.keep();
        assert_eq!(hash(&nowhere, &files.path(1)), hash(&one, &files.path(1)));
    }

    #[test]
    fn what_was_just_written_is_not_remembered() {
        let files = Files::new(1);
        let hashes = files.hashes();
        for i in 0..50 {
            std::fs::write(files.path(0), format!("{i:03}")).unwrap();
            assert_eq!(hash(&hashes, &files.path(0)), *blake3::hash(format!("{i:03}").as_bytes()).as_bytes());
        }
    }

    #[test]
    fn the_first_that_were_read_go_first() {
        let files = Files::new(1);
        let stamp = Stamp::at(&files.path(0)).unwrap();
        let all: Vec<HashEntry> = (0..MAX as u64).map(|i| (Stamp { inode: u64::MAX - i, ..stamp }, [1; 32])).collect();
        let cache = files.folder.path().join("cache");
        write(&cache, &all).unwrap();
        let hashes = files.hashes();
        hash(&hashes, &files.path(0));
        hashes.keep();
        let left = load(&cache);
        assert_eq!((left.len(), left.last().map(|e| e.0)), (MAX / 4 * 3, Some(stamp)));
        assert_eq!(left[0].0.inode, u64::MAX - (MAX as u64 + 1 - MAX as u64 / 4 * 3));
    }

    /// Each process adds its hashes to those that the others keep at the same time.
    #[test]
    fn nothing_is_lost_where_many_keep_at_once() {
        const PROCESSES: u32 = 8;
        let files = Files::new(PROCESSES);
        let all: Vec<Hashes> = (0..PROCESSES).map(|_| files.hashes()).collect();
        std::thread::scope(|scope| {
            for (i, hashes) in (0..PROCESSES).zip(&all) {
                let path = files.path(i);
                scope.spawn(move || {
                    hash(hashes, &path);
                    hashes.keep();
                });
            }
        });
        assert_eq!(load(&files.folder.path().join("cache")).len(), all.len());
    }
}
