//! Folders for temporary files.
//!
//! `TMPDIR` names the place, as for all programs. Where that is no folder, cannot be written, or has a name that clang's
//! command line cannot express, the system's own places serve, as they do for compilers.

use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Places that every system has.
const OF_SYSTEM: [&str; 2] = ["/tmp", "/var/tmp"];

/// Makes a folder that is removed with the returned value.
///
/// # Errors
/// The error of the first place, if none of them can be written.
pub fn folder(prefix: &str) -> io::Result<TempDir> {
    let mut first = None;
    for place in places() {
        match tempfile::Builder::new().prefix(prefix).tempdir_in(place) {
            Ok(made) => return Ok(made),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
}

/// Returns the places to try, in order.
#[must_use]
pub fn places() -> Vec<PathBuf> {
    let mut all = vec![std::env::temp_dir()];
    all.extend(OF_SYSTEM.iter().map(PathBuf::from).filter(|place| *place != std::env::temp_dir()));
    all.retain(|place| is_plain(place));
    all
}

/// Whether clang can be told of a path: its options are UTF-8 here, and become directives of one line.
#[must_use]
pub fn is_plain(path: &Path) -> bool {
    path.to_str().is_some_and(|text| !text.contains(|c: char| c == '"' || c.is_control()))
}

#[cfg(test)]
mod tests {
    use super::is_plain;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    #[test]
    fn plain_paths() {
        for path in ["/tmp", "/a b/$HOME/%s/\u{e4}/c'd/e:f,g", "relative"] {
            assert!(is_plain(Path::new(path)), "{path}");
        }
        for path in [b"/a\"b".as_slice(), b"/a\nb", b"/a\x1b", b"/a\xe9"] {
            assert!(!is_plain(Path::new(OsStr::from_bytes(path))), "{path:?}");
        }
    }
}
