//! A file that facts rest on, as it was when they were written: path, size, time and hash.
//!
//! In: a path. Out: its state now. Whether a file is still what it was is asked of [`super::currency`].

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// A file that a unit was made from. Size and time spare reading it again; the hash decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// Absolute.
    pub path: PathBuf,
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: u128,
    /// blake3.
    pub hash: [u8; 32],
}

impl Dependency {
    /// The file as it is now; `None` where it cannot be read.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let meta = path.metadata().ok()?;
        Some(Self { path: path.to_owned(), size: meta.len(), modified: modified(&meta), hash: hash_file(path)? })
    }
}

/// Nanoseconds since 1970 of the last change; 0 where the file system does not say.
pub(super) fn modified(meta: &std::fs::Metadata) -> u128 {
    meta.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok()).map_or(0, |d| d.as_nanos())
}

/// blake3 of a file's contents; `None` where it cannot be read.
#[must_use]
pub fn hash_file(path: &Path) -> Option<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    let mut file = std::fs::File::open(path).ok()?;
    std::io::copy(&mut file, &mut hasher).ok()?;
    Some(*hasher.finalize().as_bytes())
}
