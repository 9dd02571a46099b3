//! Cache of verdicts, for complete programs and for single obligations, and of the readings of front ends, so that
//! unchanged input is not analysed or read again.
//!
//! In: bytes, and a key that covers all that a verdict depends on. Out: the bytes stored under that key. Any number of
//! processes, checkouts and jobs of one machine may share a folder: each entry is written aside and renamed, and an
//! unreadable one counts as missing. The cache trusts everyone who may write there, so it belongs to one user. The
//! folder stays below 1.5 GiB, two thirds of it for readings; the oldest entries are removed first.

use super::file::{self, FactKind};
use base::paths;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Maximum size in bytes on disk of the entries that share the first two digits of their keys.
const MAX: u64 = 1 << 20;
/// Bytes of a block: a file occupies whole blocks.
const BLOCK: u64 = 4096;
/// The same limit for readings: they are large, and more costly to make again.
const MAX_OF_READINGS: u64 = 4 << 20;
/// Age above which an entry is removed unless it was written again.
const OLD: Duration = Duration::from_secs(30 * 24 * 3600);
/// Age above which a verdict cut off by time is discarded, so that the analysis tries again.
const HURRIED: Duration = Duration::from_secs(3600);

/// A folder of verdicts.
#[derive(Clone, Debug)]
pub struct Verdicts {
    folder: PathBuf,
    /// Subfolder: programs, obligations and readings do not evict each other.
    kind: &'static str,
    /// See [`MAX`].
    most: u64,
}

impl Verdicts {
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, kind: "verdicts", most: MAX }
    }

    /// Returns the cache of single obligations in the same folder.
    #[must_use]
    pub fn of_obligations(&self) -> Self {
        Self { kind: "obligations", ..self.clone() }
    }

    /// Returns the cache of front ends' readings in the same folder.
    #[must_use]
    pub fn of_readings(&self) -> Self {
        Self { kind: "readings", most: MAX_OF_READINGS, ..self.clone() }
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the cache in [`paths::cache`].
    #[must_use]
    pub fn of_this_process() -> Option<Self> {
        paths::cache().map(Self::new)
    }

    /// Spreads the entries over subfolders: there may be very many.
    fn path(&self, key: &[u8; 32]) -> PathBuf {
        let name = blake3::Hash::from(*key).to_hex();
        self.folder.join(self.kind).join(&name[..2]).join(&name[2..])
    }

    /// Returns the bytes stored under this key.
    #[must_use]
    pub fn get(&self, key: &[u8; 32]) -> Option<Vec<u8>> {
        let data = std::fs::read(self.path(key)).ok()?;
        let mut source = data.as_slice();
        let opened = file::open::<(u64, bool)>(FactKind::Verdict, &mut source, data.len() as u64).ok()?;
        let (written, hurried) = opened.head;
        if hurried && now().saturating_sub(written) > HURRIED.as_secs() {
            return None;
        }
        opened.body(&mut source).ok()
    }

    /// Stores a verdict. `hurried`: a longer search might decide more. Does nothing if the folder cannot be written, or
    /// if the entry alone exceeds the size limit.
    pub fn put(&self, key: &[u8; 32], hurried: bool, said: &[u8]) {
        let path = self.path(key);
        let Some(folder) = path.parent() else { return };
        let Ok(bytes) = file::encode(FactKind::Verdict, &(now(), hurried), &said) else { return };
        if on_disk(bytes.len() as u64) > self.most {
            return;
        }
        let write = || -> std::io::Result<()> {
            paths::create(&self.folder)?;
            std::fs::create_dir_all(folder)?;
            let mut aside = tempfile::NamedTempFile::new_in(folder)?;
            aside.write_all(&bytes)?;
            aside.persist(&path).map_err(|e| e.error)?;
            Ok(())
        };
        let _ = write();
        tidy(folder, self.most);
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

fn on_disk(bytes: u64) -> u64 {
    bytes.next_multiple_of(BLOCK)
}

/// Removes old entries, including unfinished files of writers that died. If more than `most` bytes are left, it removes
/// the oldest ones until a quarter of `most` is free.
fn tidy(folder: &Path, most: u64) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter_map(|entry| {
            let meta = entry.metadata().ok()?;
            Some((meta.modified().ok()?, on_disk(meta.len()), entry.path()))
        })
        .collect();
    files.sort();
    let mut left: u64 = files.iter().map(|f| f.1).sum();
    let wanted = if left > most { most / 4 * 3 } else { most };
    for (modified, size, path) in files {
        if left <= wanted && modified.elapsed().is_ok_and(|age| age <= OLD) {
            break;
        }
        // Another process may have removed it first.
        let _ = std::fs::remove_file(path);
        left -= size;
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, HURRIED, MAX, OLD, Verdicts, file, now, tidy};
    use crate::file::FactKind;
    use std::time::{Duration, SystemTime};

    #[test]
    fn entries_come_back_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let verdicts = Verdicts::new(dir.path().join("cache"));
        let (key, other) = ([7; 32], [8; 32]);
        assert_eq!(verdicts.get(&key), None);
        verdicts.put(&key, false, b"text");
        assert_eq!((verdicts.get(&key).as_deref(), verdicts.get(&other)), (Some(b"text".as_slice()), None));
        verdicts.put(&key, true, b"newer");
        assert_eq!(verdicts.get(&key).as_deref(), Some(b"newer".as_slice()));
        let path = verdicts.path(&key);
        let good = std::fs::read(&path).unwrap();
        for n in 0..good.len() {
            std::fs::write(&path, &good[..n]).unwrap();
            assert_eq!(verdicts.get(&key), None, "{n} bytes");
        }
        // A path that is no folder.
        std::fs::write(dir.path().join("file"), "").unwrap();
        Verdicts::new(dir.path().join("file")).put(&key, false, b"text");
    }

    #[test]
    fn what_time_cut_off_and_what_is_old_goes() {
        let dir = tempfile::tempdir().unwrap();
        let verdicts = Verdicts::new(dir.path().to_owned());
        let (key, neighbour) = ([7; 32], [[7; 31].as_slice(), &[8]].concat().try_into().unwrap());
        let put_at = |written: u64, hurried: bool| {
            verdicts.put(&key, hurried, b"text");
            std::fs::write(
                verdicts.path(&key),
                file::encode(FactKind::Verdict, &(written, hurried), &b"text".as_slice()).unwrap(),
            )
            .unwrap();
            verdicts.get(&key).is_some()
        };
        let earlier = now() - HURRIED.as_secs() - 10;
        assert!(put_at(now(), true) && put_at(earlier, false) && !put_at(earlier, true));
        std::fs::File::options()
            .write(true)
            .open(verdicts.path(&key))
            .unwrap()
            .set_modified(SystemTime::now() - OLD - HURRIED)
            .unwrap();
        verdicts.put(&neighbour, false, b"text");
        assert!(!verdicts.path(&key).exists() && verdicts.path(&neighbour).exists());
    }

    #[test]
    fn a_folder_that_is_full_loses_its_oldest_entries() {
        let dir = tempfile::tempdir().unwrap();
        let path = |i: u64| dir.path().join(i.to_string());
        for i in 0..10 {
            std::fs::write(path(i), "entry").unwrap();
            std::fs::File::options()
                .write(true)
                .open(path(i))
                .unwrap()
                .set_modified(SystemTime::now() - Duration::from_secs(100 - i))
                .unwrap();
        }
        let left = || (0..10).filter(|i| path(*i).exists()).collect::<Vec<_>>();
        tidy(dir.path(), 10 * BLOCK);
        assert_eq!(left().len(), 10);
        tidy(dir.path(), 8 * BLOCK);
        assert_eq!(left(), [4, 5, 6, 7, 8, 9]);
        // An entry that fills the limit alone is not stored. Random bytes cannot be compressed.
        let verdicts = Verdicts::new(dir.path().join("cache"));
        let mut random = vec![0; MAX as usize];
        blake3::Hasher::new().finalize_xof().fill(&mut random);
        verdicts.put(&[1; 32], false, &random);
        assert_eq!(verdicts.get(&[1; 32]), None);
    }

    #[test]
    fn writers_and_readers_at_the_same_time_see_whole_entries() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4_u8 {
                let verdicts = Verdicts::new(dir.path().to_owned());
                scope.spawn(move || {
                    for round in 0..50_u8 {
                        let key = [round % 5; 32];
                        verdicts.put(&key, false, &[writer; 3000]);
                        let said = verdicts.get(&key).unwrap();
                        assert!(said.len() == 3000 && said.iter().all(|b| *b == said[0]));
                    }
                });
            }
        });
    }
}
