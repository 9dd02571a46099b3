//! The folder of all caches: its size by what is kept, and how parts of it are removed.
//!
//! In: a folder. Out: sizes; the folder without its oldest entries, or without any. Names that no cache has are never
//! touched: `SCUBA_CACHE` may name a folder with other files. The library that running builds preload stays as well.

use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Folders of the caches, and what they keep.
const KINDS: [(&str, &str); 9] = [
    ("readings", "units as clang read them"),
    ("verdicts", "verdicts of programs"),
    ("obligations", "answers of the solver"),
    ("headers", HEADERS),
    ("reports", "last reports of folders without .scuba/"),
    ("hashes-2", "hashes of files"),
    ("tools", "what tools can do"),
    ("rules", "pages of rules for editors"),
    ("remote", "entries for the remote cache, and its state"),
];

/// Contents of the folder of precompiled headers, in words.
pub(crate) const HEADERS: &str = "precompiled headers";

/// Kinds whose entries are folders that are useless in part.
const WHOLE: [&str; 1] = ["headers"];

/// Number of files, and their sizes in bytes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CacheSize {
    pub files: u64,
    pub bytes: u64,
}

impl AddAssign for CacheSize {
    fn add_assign(&mut self, other: Self) {
        self.files += other.files;
        self.bytes += other.bytes;
    }
}

/// An entry that is kept or removed as a whole.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RemovableEntry {
    modified: SystemTime,
    path: PathBuf,
    bytes: u64,
    files: u64,
}

/// Returns the size of each kind of cache in a folder, with what it keeps; kinds that are not there are left out.
pub(crate) fn sizes(folder: &Path) -> Vec<(&'static str, CacheSize)> {
    let size = |(name, what): (&str, &'static str)| {
        let mut size = CacheSize::default();
        for entry in entries(folder, name) {
            size += CacheSize { files: entry.files, bytes: entry.bytes };
        }
        (what, size)
    };
    KINDS.into_iter().map(size).filter(|(_, size)| size.files > 0).collect()
}

/// Removes the oldest entries until at most `most` bytes are left; returns the size of what was removed. An entry that
/// cannot be removed counts as left.
pub(crate) fn shrink(folder: &Path, most: u64) -> CacheSize {
    let mut all: Vec<RemovableEntry> = KINDS.into_iter().flat_map(|(name, _)| entries(folder, name)).collect();
    all.sort();
    let mut left: u64 = all.iter().map(|e| e.bytes).sum();
    let mut removed = CacheSize::default();
    for entry in all {
        if left <= most {
            break;
        }
        let done = match entry.path.is_dir() {
            true => std::fs::remove_dir_all(&entry.path),
            false => std::fs::remove_file(&entry.path),
        };
        if done.is_ok() {
            left -= entry.bytes;
            removed += CacheSize { files: entry.files, bytes: entry.bytes };
        }
    }
    removed
}

/// Removes all entries; returns their size.
pub(crate) fn clean(folder: &Path) -> CacheSize {
    let mut removed = CacheSize::default();
    for (name, _) in KINDS {
        for entry in entries(folder, name) {
            removed += CacheSize { files: entry.files, bytes: entry.bytes };
        }
        // Another process may write there at the same time.
        let _ = std::fs::remove_dir_all(folder.join(name));
        let _ = std::fs::remove_file(folder.join(name));
    }
    removed
}

/// Returns the entries of one kind.
fn entries(folder: &Path, kind: &str) -> Vec<RemovableEntry> {
    let root = folder.join(kind);
    let mut found = vec![];
    match root.symlink_metadata() {
        Ok(meta) if meta.is_dir() && WHOLE.contains(&kind) => {
            found.extend(children(&root).into_iter().filter_map(|path| whole(&path)));
        }
        Ok(_) => files(&root, &mut found),
        Err(_) => {}
    }
    found
}

fn children(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect()
}

/// Takes every file below a path. Links are files: what they lead to is not the cache's.
fn files(path: &Path, found: &mut Vec<RemovableEntry>) {
    let Ok(meta) = path.symlink_metadata() else { return };
    if meta.is_dir() {
        children(path).iter().for_each(|child| files(child, found));
        return;
    }
    let modified = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    found.push(RemovableEntry { modified, path: path.to_owned(), bytes: meta.len(), files: 1 });
}

/// Returns a folder with everything in it as one entry, as old as its newest file.
fn whole(path: &Path) -> Option<RemovableEntry> {
    let mut inside = vec![];
    files(path, &mut inside);
    let modified = inside.iter().map(|e| e.modified).max()?;
    let bytes = inside.iter().map(|e| e.bytes).sum();
    Some(RemovableEntry { modified, path: path.to_owned(), bytes, files: inside.len() as u64 })
}

#[cfg(test)]
mod tests {
    use super::{CacheSize, clean, shrink, sizes};
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    /// Writes files of 100 bytes, each a minute older than the one before.
    fn filled(folder: &Path) {
        for (i, name) in ["verdicts/aa/1", "verdicts/ab/2", "headers/k/a.pch", "headers/k/b", "hashes-2", "mine/x"]
            .into_iter()
            .enumerate()
        {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, [0; 100]).unwrap();
            let age = Duration::from_secs(60 * (i as u64 + 1));
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(SystemTime::now() - age).unwrap();
        }
        std::os::unix::fs::symlink(folder.join("mine"), folder.join("verdicts/link")).unwrap();
    }

    #[test]
    fn the_oldest_entries_go_first_and_folders_of_headers_as_a_whole() {
        let dir = tempfile::tempdir().unwrap();
        filled(dir.path());
        let of_headers = sizes(dir.path()).into_iter().find(|(what, _)| *what == "precompiled headers").unwrap().1;
        assert_eq!(of_headers, CacheSize { files: 2, bytes: 200 });
        let links = std::fs::symlink_metadata(dir.path().join("verdicts/link")).unwrap().len();
        assert_eq!(shrink(dir.path(), 500 + links), CacheSize::default());
        assert_eq!(shrink(dir.path(), 300 + links), CacheSize { files: 3, bytes: 300 });
        assert!(!dir.path().join("hashes-2").exists() && !dir.path().join("headers/k").exists());
        assert!(dir.path().join("verdicts/ab/2").exists());
    }

    #[test]
    fn cleaning_leaves_what_is_not_the_caches() {
        let dir = tempfile::tempdir().unwrap();
        filled(dir.path());
        assert_eq!(clean(dir.path()).files, 6, "a link counts, and not what it leads to");
        assert_eq!(sizes(dir.path()), []);
        assert!(dir.path().join("mine/x").exists());
        assert_eq!(clean(&dir.path().join("missing")), CacheSize::default());
    }
}
