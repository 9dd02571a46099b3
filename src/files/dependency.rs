//! Input files of facts, with their contents at the time of reading.

use super::hashes::{FileContents, Hashes};
use super::stamp::{FileTime, Stamp};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Maximum number of nested symbolic links (path_resolution(7)).
const MAX_LINKS: usize = 40;

/// An input file: its path, and its state and contents when it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// Absolute path.
    pub path: PathBuf,
    /// State of the file that proves unchanged contents. `None`: no state proves that, and each comparison reads the
    /// file.
    pub stamp: Option<Stamp>,
    /// blake3 of the contents. `None`: the contents are unknown, and no file matches.
    pub hash: Option<[u8; 32]>,
}

impl Dependency {
    /// Reads the file as it is now; `None` if it cannot be read.
    #[must_use]
    pub fn of(path: &Path, hashes: &Hashes) -> Option<Self> {
        Some(Self::holding(path, &hashes.of(path, Stamp::at(path)?)?))
    }

    /// Builds a dependency from a path and the contents that were read.
    #[must_use]
    pub fn holding(path: &Path, contents: &FileContents) -> Self {
        let stamp = contents.is_settled.then_some(contents.stamp);
        Self { path: path.to_owned(), stamp, hash: Some(contents.hash) }
    }

    /// Whether the contents at the time of reading are known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.hash.is_some()
    }

    /// Whether a file in state `now` has the recorded contents. `read` returns the hash of the current contents; it is
    /// called only where the states do not decide.
    pub fn is_like(&self, now: &Stamp, read: impl FnOnce() -> Option<[u8; 32]>) -> bool {
        let Some(hash) = self.hash else { return false };
        match self.stamp {
            Some(then) if then == *now => true,
            Some(then) if then.size != now.size => false,
            _ => read() == Some(hash),
        }
    }

    /// Whether the file still has the recorded contents.
    #[must_use]
    pub fn is_unchanged(&self, hashes: &Hashes) -> bool {
        Stamp::at(&self.path).is_some_and(|now| self.is_like(&now, || Some(hashes.of(&self.path, now)?.hash)))
    }
}

/// A moment at which a reader starts, and the paths that were redirected after it.
#[derive(Debug)]
pub struct Since {
    moment: FileTime,
    /// The same moment by a clock that nobody sets.
    steady: Instant,
    /// Cache by path: whether a link or folder on the path was made or renamed after the moment. Many files share their
    /// links and folders.
    renamed: RefCell<HashMap<PathBuf, bool>>,
}

impl Since {
    #[must_use]
    pub fn now() -> Self {
        Self { moment: FileTime::now(), steady: Instant::now(), renamed: RefCell::default() }
    }

    /// Whether the clock of files was set back after the moment: changes since then may have earlier times.
    fn was_set_back(&self) -> bool {
        FileTime::now().is_behind(self.moment, self.steady.elapsed())
    }

    /// Reads a file that a reader has read after this moment; `None` if it cannot be read. The contents are recorded as
    /// unknown if the file changed after the moment, if its path was redirected after it, or if the clock was set back:
    /// the reader may have read other contents.
    #[must_use]
    pub fn dependency(&self, path: &Path, hashes: &Hashes) -> Option<Dependency> {
        let file = Dependency::of(path, hashes)?;
        let stamp = file.stamp.or_else(|| Stamp::at(path));
        let known = stamp.is_some_and(|stamp| stamp.is_older_than(self.moment))
            && !self.was_renamed(path)
            && !self.was_set_back();
        Some(if known { file } else { Dependency { stamp: None, hash: None, ..file } })
    }

    /// Whether the file at this path may have come there after the moment.
    #[must_use]
    pub fn came(&self, path: &Path) -> bool {
        Stamp::at(path).is_none_or(|now| now.changed_since(self.moment))
            || self.was_renamed(path)
            || self.was_set_back()
    }

    /// Whether a link on the path was made after the moment, or a folder on it renamed. A rename changes the time of
    /// the renamed entry on ext4, XFS, Btrfs and tmpfs.
    fn was_renamed(&self, path: &Path) -> bool {
        self.leads_through(path, MAX_LINKS)
    }

    fn leads_through(&self, path: &Path, links: usize) -> bool {
        if let Some(known) = self.renamed.borrow().get(path) {
            return *known;
        }
        if path.as_os_str().is_empty() {
            return false;
        }
        let above = path.parent().is_some_and(|folder| self.leads_through(folder, links));
        let renamed = above || self.is_new_itself(path, links);
        self.renamed.borrow_mut().insert(path.to_owned(), renamed);
        renamed
    }

    fn is_new_itself(&self, path: &Path, links: usize) -> bool {
        let Ok(status) = path.symlink_metadata() else { return true };
        let stamp = Stamp::of(&status);
        if status.is_dir() {
            return stamp.was_renamed_since(self.moment);
        }
        if !status.is_symlink() {
            return false;
        }
        let Ok(target) = path.read_link() else { return true };
        let target = path.parent().unwrap_or(Path::new("/")).join(target);
        stamp.changed_since(self.moment) || links == 0 || self.leads_through(&target, links - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{Dependency, Since};
    use crate::{FileTime, Hashes};
    use std::os::unix::fs::symlink;
    use std::path::Path;
    use std::time::{Duration, Instant, SystemTime};

    /// Waits until the clock of the file system is past now: files may have finer times, and a busy machine ticks late.
    fn tick() {
        let now = SystemTime::now();
        while FileTime::now() <= FileTime::at(now) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn write(path: &Path, text: &str, modified: SystemTime) {
        std::fs::write(path, text).unwrap();
        std::fs::File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
    }

    #[test]
    fn equal_size_and_time_are_no_proof() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h");
        let hashes = Hashes::default();
        for time in [1, 1_000_000_000] {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(time);
            write(&path, "int a;", time);
            tick();
            let was = Dependency::of(&path, &hashes).unwrap();
            assert!(was.stamp.is_some() && was.is_unchanged(&hashes));
            write(&path, "int b;", time);
            assert!(!was.is_unchanged(&hashes));
            write(&path, "int a;", time);
            assert!(was.is_unchanged(&hashes));
            // A different file under the same name.
            write(&folder.path().join("b.h"), "int b;", time);
            std::fs::rename(folder.path().join("b.h"), &path).unwrap();
            assert!(!was.is_unchanged(&hashes));
        }
    }

    #[test]
    fn a_file_that_changes_in_the_tick_in_which_it_was_read_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h");
        let hashes = Hashes::default();
        for i in 0..100 {
            std::fs::write(&path, format!("int a{i:03};")).unwrap();
            let was = Dependency::of(&path, &hashes).unwrap();
            std::fs::write(&path, format!("int b{i:03};")).unwrap();
            assert!(!was.is_unchanged(&hashes), "{i}");
        }
    }

    #[test]
    fn what_was_read_is_not_known_of_files_that_change_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h");
        let hashes = Hashes::default();
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        write(&path, "int a;", old);
        tick();
        let since = Since::now();
        assert!(since.dependency(&path, &hashes).unwrap().is_known());
        write(&path, "int b;", old);
        let was = since.dependency(&path, &hashes).unwrap();
        assert!(!was.is_known() && !was.is_unchanged(&hashes) && since.came(&path));
        assert_eq!(since.dependency(&folder.path().join("b.h"), &hashes), None);
    }

    #[test]
    fn nothing_is_known_where_the_clock_was_set_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h");
        let hashes = Hashes::default();
        write(&path, "int a;", SystemTime::UNIX_EPOCH + Duration::from_secs(1));
        tick();
        // What began a year ahead, or an hour ago with a clock that has stood still since.
        let ahead = Since { moment: FileTime::at(SystemTime::now() + Duration::from_secs(31_000_000)), ..Since::now() };
        let standing = Since { steady: Instant::now().checked_sub(Duration::from_secs(3600)).unwrap(), ..Since::now() };
        for since in [ahead, standing] {
            let was = since.dependency(&path, &hashes).unwrap();
            assert!(!was.is_known() && !was.is_unchanged(&hashes) && since.came(&path));
        }
        // A clock that was set forward hides nothing.
        let behind = Since { moment: FileTime::at(SystemTime::now() - Duration::from_secs(60)), ..Since::now() };
        assert!(behind.came(&path) && !behind.dependency(&path, &hashes).unwrap().is_known());
    }

    #[test]
    fn links_and_folders_that_come_to_lead_elsewhere_meanwhile_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let hashes = Hashes::default();
        for name in ["one", "two"] {
            std::fs::create_dir(at(name)).unwrap();
            std::fs::write(at(name).join("a.h"), name).unwrap();
        }
        symlink("one", at("now")).unwrap();
        symlink("now/a.h", at("a.h")).unwrap();
        tick();
        let since = Since::now();
        let known = |since: &Since, name: &str| since.dependency(&at(name), &hashes).unwrap().is_known();
        assert!(known(&since, "a.h") && known(&since, "two/a.h") && !since.came(&at("now/a.h")));
        // A new entry in the folder does not matter to the other entries.
        std::fs::write(at("one/b.h"), "").unwrap();
        assert!(known(&Since { moment: since.moment, ..Since::now() }, "now/a.h"));
        std::fs::remove_file(at("now")).unwrap();
        symlink("two", at("now")).unwrap();
        let since = Since { moment: since.moment, ..Since::now() };
        assert!(!known(&since, "a.h") && !known(&since, "now/a.h") && known(&since, "two/a.h"));
        tick();
        let since = Since::now();
        assert!(known(&since, "a.h"));
        std::fs::rename(at("one"), at("three")).unwrap();
        std::fs::rename(at("two"), at("one")).unwrap();
        assert!(!known(&since, "one/a.h"));
    }
}
