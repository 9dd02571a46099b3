//! What CMake wrote into a build folder, before anything is compiled: which links there will be, and of what.
//!
//! In: a build folder, an output. Out: links as they are planned, the outputs that are still built. It reads `build.ninja` and
//! CMake's makefiles (3.25) as text, and knows nothing of facts or programs. What it does not know is as if it were not there.

mod makefiles;
mod ninja;

pub(super) use ninja::Ninja;

use super::currency::Present;
use crate::nvcc::request::Link;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is planned in some build folders.
#[derive(Debug, Default)]
pub struct Planned {
    pub links: Vec<Link>,
    /// The folders of whose objects all are known.
    pub(super) roots: Vec<PathBuf>,
    pub(super) objects: BTreeSet<PathBuf>,
}

impl Planned {
    /// The plans for the build folders that these outputs lie in.
    #[must_use]
    pub fn of<'p>(outputs: impl IntoIterator<Item = &'p Path>, present: &Present) -> Self {
        let folders: BTreeSet<&Path> = outputs.into_iter().filter_map(Path::parent).collect();
        let roots: BTreeSet<PathBuf> = folders.into_iter().filter_map(root).collect();
        let mut planned = Self::default();
        for root in roots {
            let ninja = root.join("build.ninja");
            let (links, objects) = if ninja.is_file() {
                let ninja = present.ninja(&ninja);
                (ninja.links(), ninja.outputs().cloned().collect())
            } else {
                makefiles::read(&root)
            };
            if links.is_empty() {
                continue;
            }
            planned.links.extend(links);
            planned.objects.extend(objects);
            planned.roots.push(root);
        }
        planned
    }

    /// Whether the output is one of a build folder that does not make it any more.
    #[must_use]
    pub fn dropped(&self, output: &Path) -> bool {
        // Other build tools may work below a build folder of CMake's.
        target_folder(output).is_some_and(|t| self.roots.iter().any(|r| t.starts_with(r)))
            && !self.objects.contains(output)
    }
}

/// The nearest folder above with CMake's cache.
fn root(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|f| f.join("CMakeCache.txt").is_file()).map(Path::to_owned)
}

/// The `build.ninja` that an output is made by.
#[must_use]
pub fn ninja_file(output: &Path) -> Option<PathBuf> {
    output.ancestors().skip(1).map(|f| f.join("build.ninja")).find(|f| f.is_file())
}

/// The folder `…/CMakeFiles/NAME.dir` that an object lies in, for both of CMake's generators.
#[must_use]
pub fn target_folder(object: &Path) -> Option<&Path> {
    object.ancestors().find(|folder| {
        folder.extension().is_some_and(|e| e == "dir")
            && folder.parent().and_then(Path::file_name).is_some_and(|n| n == "CMakeFiles")
    })
}

/// Without `.` and `..`, which CMake writes into relative paths.
fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                tidied.pop();
            }
            std::path::Component::CurDir => {}
            other => tidied.push(other),
        }
    }
    tidied
}
