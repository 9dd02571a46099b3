//! Whether a file is what it was.
//!
//! In: paths, and the moment from which somebody reads them. Out: [`Dependency`]s, which say later whether what was read is still there;
//! [`program::identity`], which tells a program from another version of itself. What a file holds decides. Its [`Stamp`] only
//! spares reading it: git's index does the same (Documentation/technical/racy-git.txt), and Bazel's and ccache's caches of digests.

mod dependency;
mod hashes;
pub mod made;
pub mod program;
mod stamp;
mod systems;

pub use dependency::{Dependency, Since};
pub use hashes::{Contents, Hashes};
pub use stamp::{Moment, Stamp};

use std::path::Path;

/// blake3 of what a file holds; `None` where it cannot be read.
#[must_use]
pub fn hash_of(file: &Path) -> Option<[u8; 32]> {
    Hashes::of_this_process().of(file, Stamp::at(file)?).map(|contents| contents.hash)
}
