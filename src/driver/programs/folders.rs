//! Finds the folders that hold the facts of builds.
//!
//! In: a folder that a user named, or that a build wrote to. Out: the `.scuba` folders that belong to it.

use anyhow::{Context, Result, bail};
use base::paths;
use base::paths::NAME as FOLDER;
use std::path::{Path, PathBuf};

/// Depth of the search for facts: build trees are not nested deeper.
const DEPTH: usize = 8;

/// Returns the absolute path of a folder that a user named, else the working folder.
///
/// # Errors
/// If it is no folder.
pub fn chosen(dir: Option<&Path>) -> Result<PathBuf> {
    match dir {
        Some(d) if !d.is_dir() => bail!("{} is not a folder", d.display()),
        Some(d) => std::path::absolute(d).with_context(|| format!("cannot resolve {}", d.display())),
        None => std::env::current_dir().context("the working folder does not exist"),
    }
}

/// Returns the `.scuba` folders for `dir`, and `dir` itself if they belong to a larger tree. `SCUBA_DIR` overrides the
/// search.
pub fn find(dir: &Path) -> (Vec<PathBuf>, Option<PathBuf>) {
    let here = std::env::current_dir().unwrap_or_default();
    if let Some(set) = paths::named_by_environment(&here) {
        return (vec![set], None);
    }
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    // A user may name the folder of facts itself.
    if dir.file_name().is_some_and(|n| n == FOLDER) {
        return (vec![dir], None);
    }
    let below = below(&dir);
    if !below.is_empty() {
        return (below, None);
    }
    // Includes the folders of builds beside it: a program may take in their libraries.
    let above = paths::above(&dir).and_then(|facts| Some(self::below(facts.parent()?)));
    (above.unwrap_or_default(), Some(dir))
}

/// Returns the `.scuba` folders of one build: its own. If a generator marked the root, those of nested builds are
/// included (`ExternalProject` of CMake).
pub fn of_build_folder(root: &Path) -> Vec<PathBuf> {
    if is_generated(root) {
        return below(root);
    }
    Some(root.join(FOLDER)).filter(|own| own.is_dir()).into_iter().collect()
}

/// Whether CMake or Meson marked a folder as the root of a build.
pub fn is_generated(root: &Path) -> bool {
    ["CMakeCache.txt", "build.ninja"].iter().any(|mark| root.join(mark).exists())
}

/// Returns the `.scuba` folders in and below a folder.
pub fn below(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    search(dir, DEPTH, &mut found);
    found
}

fn search(dir: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let mut folders: Vec<_> =
        entries.flatten().filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path()).collect();
    folders.sort();
    for folder in folders {
        let name = folder.file_name().unwrap_or_default();
        if name == FOLDER {
            found.push(folder);
        } else if depth > 0 && !name.as_encoded_bytes().starts_with(b".") && name != "node_modules" {
            search(&folder, depth - 1, found);
        }
    }
}
