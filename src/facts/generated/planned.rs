//! The links that a build folder plans, whichever of CMake's generators wrote it, and the objects that it still makes.

use super::folders::{root, target_folder};
use super::makefiles;
use crate::facts::currency::Present;
use crate::nvcc::request::Link;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is planned in some build folders.
#[derive(Debug, Default)]
pub struct Planned {
    pub links: Vec<Link>,
    /// The folders of whose objects all are known.
    pub(in crate::facts) roots: Vec<PathBuf>,
    pub(in crate::facts) objects: BTreeSet<PathBuf>,
}

impl Planned {
    /// The plans for the build folders that these outputs lie in.
    #[must_use]
    pub fn of<'p>(outputs: impl IntoIterator<Item = &'p Path>, present: &Present) -> Self {
        let folders: BTreeSet<&Path> = outputs.into_iter().filter_map(Path::parent).collect();
        Self::of_folders(folders.into_iter().filter_map(root).collect(), present)
    }

    /// The plans of build folders.
    #[must_use]
    pub fn of_folders(roots: BTreeSet<PathBuf>, present: &Present) -> Self {
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

    /// The objects of CUDA sources, by CMake's names for them.
    pub fn cuda_objects(&self) -> impl Iterator<Item = &PathBuf> {
        self.objects.iter().filter(|o| o.as_os_str().as_encoded_bytes().ends_with(b".cu.o"))
    }

    /// Whether the output is one of a build folder that does not make it any more.
    #[must_use]
    pub fn dropped(&self, output: &Path) -> bool {
        // Other build tools may work below a build folder of CMake's.
        target_folder(output).is_some_and(|t| self.roots.iter().any(|r| t.starts_with(r)))
            && !self.objects.contains(output)
    }
}
