//! Position of an object in a folder that CMake generated, from its path alone.

use std::path::{Path, PathBuf};

/// Returns the nearest enclosing folder with CMake's cache or Meson's introspection data.
pub(super) fn root(folder: &Path) -> Option<PathBuf> {
    let is_root = |f: &&Path| f.join("CMakeCache.txt").is_file() || f.join("meson-info").is_dir();
    folder.ancestors().find(is_root).map(Path::to_owned)
}

/// Returns the source folder of the CMake build that encloses this folder, from CMake's cache (`CMAKE_HOME_DIRECTORY`).
#[must_use]
pub fn cmake_home(folder: &Path) -> Option<PathBuf> {
    let cache = folder.ancestors().map(|f| f.join("CMakeCache.txt")).find(|f| f.is_file())?;
    let text = std::fs::read_to_string(cache).ok()?;
    text.lines().find_map(|l| l.strip_prefix("CMAKE_HOME_DIRECTORY:INTERNAL=")).map(PathBuf::from)
}

/// Returns the nearest `build.ninja` above an output.
#[must_use]
pub fn ninja_file(output: &Path) -> Option<PathBuf> {
    output.ancestors().skip(1).map(|f| f.join("build.ninja")).find(|f| f.is_file())
}

/// Returns the folder `…/CMakeFiles/NAME.dir` that encloses an object, for both of CMake's generators.
#[must_use]
pub fn target_folder(object: &Path) -> Option<&Path> {
    object.ancestors().find(|folder| {
        folder.extension().is_some_and(|e| e == "dir")
            && folder.parent().and_then(Path::file_name).is_some_and(|n| n == "CMakeFiles")
    })
}
