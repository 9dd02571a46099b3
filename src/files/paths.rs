//! Textual operations on paths.

use std::path::{Component, Path, PathBuf};

/// Makes a path absolute and removes `.` and `..`, textually: the file system is not consulted, so that facts do not
/// depend on it.
#[must_use]
pub fn normalise(directory: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for c in directory.join(path).components() {
        match c {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised_as_text() {
        assert_eq!(normalise(Path::new("/a/b"), Path::new("../c/./d.cu")), Path::new("/a/c/d.cu"));
        assert_eq!(normalise(Path::new("/a/b"), Path::new("/x/../y.h")), Path::new("/y.h"));
    }
}
