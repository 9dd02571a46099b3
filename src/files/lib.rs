//! Detection of changed files, and the content store of what was derived from them.
//!
//! In: paths, and the moment at which a reader starts. Out: [`Dependency`]s, which decide later whether the files are
//! unchanged, and [`program::identity`], which distinguishes versions of a program. The contents decide. An unchanged
//! [`Stamp`] only avoids reading the file, as in git's index (Documentation/technical/racy-git.txt) and in the digest
//! caches of Bazel and ccache.

mod dependency;
mod hashes;
pub mod made;
mod paths;
pub mod program;
mod stamp;
pub mod store;
mod systems;

pub use dependency::{Dependency, Since};
pub use hashes::{FileContents, Hashes};
pub use paths::normalise;
pub use stamp::{FileTime, Stamp};
pub use store::{ContentStore, SharedEntries};

use std::path::Path;

/// Returns blake3 of a file's contents; `None` if it cannot be read.
#[must_use]
pub fn hash_of(file: &Path) -> Option<[u8; 32]> {
    Hashes::of_this_process().of(file, Stamp::at(file)?).map(|contents| contents.hash)
}
