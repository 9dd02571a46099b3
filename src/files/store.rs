//! Content store: values under keys, in files that are replaced whole.
//!
//! In: a value, and its path or a key that covers all that the value depends on. Out: the value, or nothing if there is
//! none or its file is damaged. Any number of processes, checkouts and jobs of one machine may share a folder: each file
//! is written aside and renamed, the last writer wins, and an unreadable file counts as missing. The store trusts
//! everyone who may write there, so a cache belongs to one user.

use base::paths;
use rustix::fs::OFlags;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Prefix of a file that is being written.
const ASIDE: &str = ".writing-";
/// Age above which an unfinished file counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(3600);
/// Maximum size in bytes on disk of the entries that share the first two digits of their keys.
const MAX: u64 = 1 << 20;
/// Bytes of a block: a file occupies whole blocks.
const BLOCK: u64 = 4096;
/// The same limit for readings: they are large, and more costly to make again.
const MAX_OF_READINGS: u64 = 4 << 20;
/// Largest size in bytes of a file that is read whole.
const LARGEST: u64 = 256 << 20;
/// Age above which an entry is removed unless it was written again.
const OLD: Duration = Duration::from_secs(30 * 24 * 3600);
/// Age above which a value cut off by time is discarded, so that the analysis tries again.
const HURRIED: Duration = Duration::from_secs(3600);

/// Users who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// The user who wrote it: caches.
    Owner,
    /// Users whom the umask allows: another user's `scuba check` may read the facts of a build.
    Umask,
}

/// Replaces a file, and creates its folder. `root`, one of the folders above, gets a `.gitignore`.
///
/// # Errors
/// If a folder or the file cannot be written; an earlier file stays as it was.
pub fn replace(root: &Path, path: &Path, readers: Readers, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(root);
    let mode = if readers == Readers::Owner { 0o600 } else { 0o666 };
    paths::create(root)?;
    std::fs::create_dir_all(folder)?;
    let mut aside =
        tempfile::Builder::new().prefix(ASIDE).permissions(Permissions::from_mode(mode)).tempfile_in(folder)?;
    aside.write_all(bytes)?;
    aside.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// Returns the unfinished files in a folder that no writer completes any more.
#[must_use]
pub fn abandoned(folder: &Path) -> Vec<PathBuf> {
    let old = |path: &PathBuf| {
        path.metadata().and_then(|m| m.modified()).is_ok_and(|t| t.elapsed().is_ok_and(|age| age > ABANDONED))
    };
    let paths = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_aside =
        |path: &PathBuf| path.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(ASIDE.as_bytes()));
    paths.filter(|path| is_aside(path) && old(path)).collect()
}

/// Packs a value: blake3 of the rest, then an LZ4 block of postcard with its size before it.
///
/// # Errors
/// If the value cannot be represented; postcard has no such case for our types.
pub fn pack(value: &impl Serialize) -> Result<Vec<u8>, postcard::Error> {
    let packed = lz4_flex::block::compress_prepend_size(&postcard::to_stdvec(value)?);
    Ok([blake3::hash(&packed).as_bytes().as_slice(), &packed].concat())
}

/// Unpacks a value; `None` if the bytes are damaged, or hold no value of this type.
#[must_use]
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (hash, packed) = bytes.split_first_chunk::<32>()?;
    if blake3::hash(packed).as_bytes() != hash {
        return None;
    }
    let (size, packed) = lz4_flex::block::uncompressed_size(packed).ok()?;
    // LZ4 expands one byte to at most 255: a larger size is damaged, and would waste memory.
    if size / 256 > packed.len() {
        return None;
    }
    postcard::from_bytes(&lz4_flex::block::decompress(packed, size).ok()?).ok()
}

/// Reads a packed value; `None` if its file is missing or damaged.
#[must_use]
pub fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    unpack(&bytes(path)?)
}

/// Reads a file of a cache; `None` if it is missing, no regular file, or larger than any that is written there.
#[must_use]
pub fn bytes(path: &Path) -> Option<Vec<u8>> {
    let file = open(path).ok().filter(|file| file.metadata().is_ok_and(|status| status.len() <= LARGEST))?;
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Opens a regular file for appending, and creates it.
///
/// # Errors
/// If the file cannot be opened, or is not a regular file.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    regular(File::options().create(true).append(true).custom_flags(flags).open(path)?)
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
}

/// Opens a regular file for reading. Somebody else may have put a FIFO in its place, whose reader would wait forever for
/// a writer, or a device without an end.
///
/// # Errors
/// If the file cannot be opened, or is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    regular(File::options().read(true).custom_flags(flags).open(path)?)
}

/// Writes a packed value by [`replace`].
///
/// # Errors
/// The conditions of [`replace`].
pub fn write(root: &Path, path: &Path, readers: Readers, value: &impl Serialize) -> io::Result<()> {
    replace(root, path, readers, &pack(value).map_err(io::Error::other)?)
}

/// Entries that other machines made, and that they get.
pub trait SharedEntries: Debug + Send + Sync {
    /// Returns the entry of this name, if another machine shared it and it can be believed.
    fn fetch(&self, name: &str) -> Option<Vec<u8>>;
    /// Counts a fetched entry as a miss: it is of no use here.
    fn count_as_miss(&self);
    /// Gives an entry to other machines, later and without waiting.
    fn share(&self, name: &str, entry: &[u8]);
}

/// Cache of values by their keys, so that unchanged input is not analysed or read again. The folder stays below
/// 1.5 GiB, two thirds of it for readings; the oldest entries are removed first.
#[derive(Clone, Debug)]
pub struct ContentStore {
    folder: PathBuf,
    /// Subfolder: programs, obligations and readings do not evict each other.
    kind: &'static str,
    /// See [`MAX`].
    most: u64,
    shared: Option<Arc<dyn SharedEntries>>,
}

impl ContentStore {
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, kind: "verdicts", most: MAX, shared: None }
    }

    /// Shares entries with other machines.
    #[must_use]
    pub fn shared_by(self, shared: Option<Arc<dyn SharedEntries>>) -> Self {
        Self { shared, ..self }
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

    /// Returns the cache of what tools can do in the same folder.
    #[must_use]
    pub fn of_tools(&self) -> Self {
        Self { kind: "tools", ..self.clone() }
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

    /// Returns the value stored under this key.
    #[must_use]
    pub fn get<T: DeserializeOwned>(&self, key: &[u8; 32]) -> Option<T> {
        let (name, written, hurried, value) = read::<(String, u64, bool, T)>(&self.path(key))?;
        (name == self.name(key)).then_some(())?;
        (!hurried || now().saturating_sub(written) <= HURRIED.as_secs()).then_some(value)
    }

    /// Whether entries are shared with other machines.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Returns the value that another machine shared under this key. Nothing is stored here.
    #[must_use]
    pub fn fetch<T: DeserializeOwned>(&self, key: &[u8; 32]) -> Option<T> {
        let asked = self.name(key);
        let (name, _, hurried, value) = unpack::<(String, u64, bool, T)>(&self.shared.as_ref()?.fetch(&asked)?)?;
        (!hurried && name == asked).then_some(value)
    }

    /// Counts a fetched value as a miss: it is of no use here.
    pub fn count_as_miss(&self) {
        if let Some(shared) = &self.shared {
            shared.count_as_miss();
        }
    }

    /// Gives a value to other machines under this key, if entries are shared and it is not larger than an entry may be.
    pub fn share(&self, key: &[u8; 32], value: &impl Serialize) {
        let Some(shared) = &self.shared else { return };
        let Ok(bytes) = pack(&(self.name(key), now(), false, value)) else { return };
        if on_disk(bytes.len() as u64) <= self.most {
            shared.share(&self.name(key), &bytes);
        }
    }

    /// Name of an entry, which it holds too: a copy in the place of another one is no entry.
    fn name(&self, key: &[u8; 32]) -> String {
        format!("{}/{}", self.kind, blake3::Hash::from(*key).to_hex())
    }

    /// Stores a value. `hurried`: a longer search might decide more. Does nothing if the folder cannot be written, or
    /// if the entry alone exceeds the size limit.
    pub fn put(&self, key: &[u8; 32], hurried: bool, value: &impl Serialize) {
        let path = self.path(key);
        let Ok(bytes) = pack(&(self.name(key), now(), hurried, value)) else { return };
        if on_disk(bytes.len() as u64) > self.most {
            return;
        }
        let _ = replace(&self.folder, &path, Readers::Owner, &bytes);
        tidy(path.parent().unwrap_or(&self.folder), self.most);
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
    use super::{BLOCK, ContentStore, HURRIED, MAX, OLD, now, pack, tidy};
    use std::time::{Duration, SystemTime};

    #[test]
    fn entries_come_back_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let store = ContentStore::new(dir.path().join("cache"));
        let (key, other) = ([7; 32], [8; 32]);
        assert_eq!(store.get::<String>(&key), None);
        store.put(&key, false, &"text");
        assert_eq!((store.get(&key), store.get::<String>(&other)), (Some("text".to_owned()), None));
        store.put(&key, true, &"newer");
        assert_eq!(store.get(&key), Some("newer".to_owned()));
        let path = store.path(&key);
        let good = std::fs::read(&path).unwrap();
        for n in 0..good.len() {
            std::fs::write(&path, &good[..n]).unwrap();
            assert_eq!(store.get::<String>(&key), None, "{n} bytes");
        }
        // A path that is no folder.
        std::fs::write(dir.path().join("file"), "").unwrap();
        ContentStore::new(dir.path().join("file")).put(&key, false, &"text");
    }

    #[test]
    fn an_entry_in_the_place_of_another_one_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let store = ContentStore::new(dir.path().to_owned());
        let (key, other) = ([7; 32], [8; 32]);
        store.put(&key, false, &"text");
        store.put(&other, false, &"other");
        std::fs::copy(store.path(&key), store.path(&other)).unwrap();
        assert_eq!((store.get::<String>(&key), store.get::<String>(&other)), (Some("text".to_owned()), None));
        let (kind, path) = (store.of_obligations(), store.of_obligations().path(&key));
        kind.put(&key, false, &"obligation");
        std::fs::copy(store.path(&key), path).unwrap();
        assert_eq!(kind.get::<String>(&key), None);
    }

    /// Tests in another thread, since a reader that waits would hold up all tests.
    #[test]
    fn a_fifo_or_a_device_in_place_of_an_entry_is_a_missing_entry() {
        let dir = tempfile::tempdir().unwrap();
        let store = ContentStore::new(dir.path().to_owned());
        let key = [7; 32];
        store.put(&key, false, &"text");
        for device in [None, Some("/dev/zero")] {
            let path = store.path(&key);
            std::fs::remove_file(&path).unwrap();
            match device {
                None => assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success()),
                Some(device) => std::os::unix::fs::symlink(device, &path).unwrap(),
            }
            let (send, receive) = std::sync::mpsc::channel();
            let reader = store.clone();
            std::thread::spawn(move || send.send(reader.get::<String>(&key)));
            let got = receive.recv_timeout(Duration::from_secs(10));
            assert_eq!(got, Ok(None), "{device:?}");
            store.put(&key, false, &"text");
            assert_eq!(store.get(&key), Some("text".to_owned()), "{device:?}");
        }
    }

    #[test]
    fn what_time_cut_off_and_what_is_old_goes() {
        let dir = tempfile::tempdir().unwrap();
        let store = ContentStore::new(dir.path().to_owned());
        let (key, neighbour) = ([7; 32], [[7; 31].as_slice(), &[8]].concat().try_into().unwrap());
        let put_at = |written: u64, hurried: bool| {
            store.put(&key, hurried, b"text");
            std::fs::write(store.path(&key), pack(&(store.name(&key), written, hurried, b"text")).unwrap()).unwrap();
            store.get::<[u8; 4]>(&key).is_some()
        };
        let earlier = now() - HURRIED.as_secs() - 10;
        assert!(put_at(now(), true) && put_at(earlier, false) && !put_at(earlier, true));
        std::fs::File::options()
            .write(true)
            .open(store.path(&key))
            .unwrap()
            .set_modified(SystemTime::now() - OLD - HURRIED)
            .unwrap();
        store.put(&neighbour, false, b"text");
        assert!(!store.path(&key).exists() && store.path(&neighbour).exists());
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
        let store = ContentStore::new(dir.path().join("cache"));
        let mut random = vec![0; MAX as usize];
        blake3::Hasher::new().finalize_xof().fill(&mut random);
        store.put(&[1; 32], false, &random);
        assert_eq!(store.get::<Vec<u8>>(&[1; 32]), None);
    }

    #[test]
    fn writers_and_readers_at_the_same_time_see_whole_entries() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4_u8 {
                let store = ContentStore::new(dir.path().to_owned());
                scope.spawn(move || {
                    for round in 0..50_u8 {
                        let key = [round % 5; 32];
                        store.put(&key, false, &vec![writer; 3000]);
                        let said: Vec<u8> = store.get(&key).unwrap();
                        assert!(said.len() == 3000 && said.iter().all(|b| *b == said[0]));
                    }
                });
            }
        });
    }
}
