//! What checks of whole programs said, so that a program of which nothing changed is not checked again.
//!
//! In: a key that stands for all that a verdict depends on, a text. Out: the text that was kept under that key. Any number of
//! processes, checkouts and jobs of one machine may share a folder: an entry is written aside and renamed, and one that
//! cannot be read is as good as none. Whoever may write there is believed, so it belongs to one user.

use super::dir;
use super::file::{self, Kind};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Entries that nobody has made anew for so long are removed.
const OLD: Duration = Duration::from_secs(30 * 24 * 3600);
/// What was cut off by time is worth another attempt after this.
const HURRIED: Duration = Duration::from_secs(3600);

/// A folder of verdicts.
#[derive(Clone, Debug)]
pub struct Verdicts { folder: PathBuf }

impl Verdicts {
    #[must_use]
    pub fn new(folder: PathBuf) -> Self { Self { folder } }

    /// Where `SCUBA_CACHE` says, else the user's own cache; `None` where it is `off` or there is no such folder.
    #[must_use]
    pub fn of_this_process() -> Option<Self> {
        let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        match set("SCUBA_CACHE") {
            Some(folder) if folder == Path::new("off") => None,
            Some(folder) => Some(Self::new(folder)),
            None => set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache"))).map(|f| Self::new(f.join("scuba"))),
        }
    }

    /// Spread over folders: there may be very many.
    fn path(&self, key: &[u8; 32]) -> PathBuf {
        let name = blake3::Hash::from(*key).to_hex();
        self.folder.join("verdicts").join(&name[..2]).join(&name[2..])
    }

    /// What was kept under this key.
    #[must_use]
    pub fn get(&self, key: &[u8; 32]) -> Option<String> {
        let data = std::fs::read(self.path(key)).ok()?;
        let mut source = data.as_slice();
        let opened = file::open::<(u64, bool)>(Kind::Verdict, &mut source, data.len() as u64).ok()?;
        let (written, hurried) = opened.head;
        if hurried && now().saturating_sub(written) > HURRIED.as_secs() { return None; }
        opened.body(&mut source).ok()
    }

    /// Keeps a text. `hurried`: a longer search might say more. A folder that cannot be written keeps nothing.
    pub fn put(&self, key: &[u8; 32], hurried: bool, text: &str) {
        let path = self.path(key);
        let Some(folder) = path.parent() else { return };
        let Ok(bytes) = file::encode(Kind::Verdict, &(now(), hurried), &text) else { return };
        let write = || -> std::io::Result<()> {
            dir::create(&self.folder)?;
            std::fs::create_dir_all(folder)?;
            let mut aside = tempfile::NamedTempFile::new_in(folder)?;
            aside.write_all(&bytes)?;
            aside.persist(&path).map_err(|e| e.error)?;
            Ok(())
        };
        let _ = write();
        remove_old(folder);
    }
}

fn now() -> u64 { SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs()) }

/// Also what writers that died left there.
fn remove_old(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let old = entry.metadata().and_then(|m| m.modified()).is_ok_and(|t| t.elapsed().is_ok_and(|age| age > OLD));
        if old { let _ = std::fs::remove_file(entry.path()); }
    }
}

#[cfg(test)]
mod tests {
    use super::{HURRIED, OLD, Verdicts, file, now};
    use crate::facts::file::Kind;
    use std::time::SystemTime;

    #[test]
    fn entries_come_back_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let verdicts = Verdicts::new(dir.path().join("cache"));
        let (key, other) = ([7; 32], [8; 32]);
        assert_eq!(verdicts.get(&key), None);
        verdicts.put(&key, false, "text");
        assert_eq!((verdicts.get(&key).as_deref(), verdicts.get(&other)), (Some("text"), None));
        verdicts.put(&key, true, "newer");
        assert_eq!(verdicts.get(&key).as_deref(), Some("newer"));
        let path = verdicts.path(&key);
        let good = std::fs::read(&path).unwrap();
        for n in 0..good.len() {
            std::fs::write(&path, &good[..n]).unwrap();
            assert_eq!(verdicts.get(&key), None, "{n} bytes");
        }
        // A folder that is none.
        std::fs::write(dir.path().join("file"), "").unwrap();
        Verdicts::new(dir.path().join("file")).put(&key, false, "text");
    }

    #[test]
    fn what_time_cut_off_and_what_is_old_goes() {
        let dir = tempfile::tempdir().unwrap();
        let verdicts = Verdicts::new(dir.path().to_owned());
        let (key, neighbour) = ([7; 32], [[7; 31].as_slice(), &[8]].concat().try_into().unwrap());
        let put_at = |written: u64, hurried: bool| {
            verdicts.put(&key, hurried, "text");
            std::fs::write(verdicts.path(&key), file::encode(Kind::Verdict, &(written, hurried), &"text").unwrap()).unwrap();
            verdicts.get(&key).is_some()
        };
        let earlier = now() - HURRIED.as_secs() - 10;
        assert!(put_at(now(), true) && put_at(earlier, false) && !put_at(earlier, true));
        std::fs::File::options().write(true).open(verdicts.path(&key)).unwrap().set_modified(SystemTime::now() - OLD - HURRIED).unwrap();
        verdicts.put(&neighbour, false, "text");
        assert!(!verdicts.path(&key).exists() && verdicts.path(&neighbour).exists());
    }
}
