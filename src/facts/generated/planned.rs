//! Links that a build folder plans, for either of CMake's generators, and the objects that the folder still makes.

use super::folders::{root, target_folder};
use super::makefiles::{self, Makefiles};
use super::{file_api, query};
use crate::currency::DiskSnapshot;
use nvcc::request::Link;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Plans of some build folders.
#[derive(Debug, Default)]
pub struct FolderPlans {
    pub links: Vec<Link>,
    /// Outputs of the links.
    pub(crate) outputs: HashSet<PathBuf>,
    /// Outputs of links whose command runs through the shim.
    pub(crate) watched: HashSet<PathBuf>,
    /// Build folders with at least one planned link: all of their objects are known.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) objects: BTreeSet<PathBuf>,
    /// Build folders, those without planned links included.
    pub(crate) folders: Vec<PathBuf>,
}

impl FolderPlans {
    /// Reads the plans of the build folders that enclose these outputs.
    #[must_use]
    pub fn of<'p>(outputs: impl IntoIterator<Item = &'p Path>, present: &DiskSnapshot) -> Self {
        let folders: BTreeSet<&Path> = outputs.into_iter().filter_map(Path::parent).collect();
        Self::of_folders(folders.into_iter().filter_map(root).collect(), present)
    }

    /// Reads the plans of build folders.
    #[must_use]
    pub fn of_folders(roots: BTreeSet<PathBuf>, present: &DiskSnapshot) -> Self {
        let mut planned = Self::default();
        for root in roots {
            let ninja = root.join("build.ninja");
            let (mut links, objects, told) = if ninja.is_file() {
                let statements = present.ninja(&ninja);
                let links = statements.links();
                let told = modified(&ninja).and_then(|t| file_api::links(&root, statements.compiled(), &links, t));
                planned.watched.extend(statements.watched().cloned());
                (links, statements.outputs().cloned().collect(), told)
            } else {
                let Makefiles { links, compiled, watched } = makefiles::read(&root);
                let written = modified(&root.join("CMakeFiles/Makefile.cmake"));
                let told = written.and_then(|t| file_api::links(&root, &compiled, &links, t));
                planned.watched.extend(watched);
                (links, compiled.into_keys().collect::<BTreeSet<_>>(), told)
            };
            if let Some(told) = told {
                // CMake's reply does not list device links.
                let outputs: HashSet<&Path> = told.iter().map(|l| l.output.as_path()).collect();
                links.retain(|l| !outputs.contains(l.output.as_path()));
                links.extend(told);
            }
            planned.folders.push(root.clone());
            if links.is_empty() {
                continue;
            }
            planned.outputs.extend(links.iter().map(|l| l.output.clone()));
            planned.links.extend(links);
            planned.objects.extend(objects);
            planned.roots.push(root);
        }
        planned
    }

    /// Has CMake report its targets from its next configuration of these folders on.
    pub fn ask_cmake(&self) {
        self.folders.iter().filter(|f| f.join("CMakeCache.txt").is_file()).for_each(|f| query::ask(f));
    }

    /// Whether the link of this output is planned, and its command does not run through the shim. The shim cannot
    /// report anything at such a link, so it must do so earlier.
    #[must_use]
    pub fn is_unwatched(&self, output: &Path) -> bool {
        self.outputs.contains(output) && !self.watched.contains(output)
    }

    /// Returns the objects of CUDA sources, recognised by CMake's names for them.
    pub fn cuda_objects(&self) -> impl Iterator<Item = &PathBuf> {
        self.objects.iter().filter(|o| o.as_os_str().as_encoded_bytes().ends_with(b".cu.o"))
    }

    /// Whether a build folder of these plans encloses the output, and does not make it any more.
    #[must_use]
    pub fn dropped(&self, output: &Path) -> bool {
        // Other build tools may work below a CMake build folder.
        target_folder(output).is_some_and(|t| self.roots.iter().any(|r| t.starts_with(r)))
            && !self.objects.contains(output)
    }
}

fn modified(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|m| m.modified()).ok()
}
