//! Whether a file is what it was.
//!
//! In: paths, and the moment from which somebody reads them. Out: [`Dependency`]s, which say later whether what was read is still there;
//! [`program::identity`], which tells a program from another version of itself. What a file holds decides. Its [`Stamp`] only
//! spares reading it: git's index does the same (Documentation/technical/racy-git.txt), and Bazel's and ccache's caches of digests.

mod dependency;
mod hashes;
pub mod program;
mod stamp;
mod systems;

pub use dependency::{Dependency, Since};
pub use hashes::{Contents, Hashes};
pub use stamp::{Moment, Stamp};
