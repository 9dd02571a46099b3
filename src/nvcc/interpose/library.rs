//! Extracts the preloaded library, which this program embeds, to a file that the loader can find.

use super::error::InterposeError;
use base::{paths, temporary};
use files::store::{self, Readers};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libscuba-interpose.so"));

/// The library as a file. It lies in the user's cache if possible: a daemon that outlives the build (a compiler cache's
/// server) keeps the path in its environment, and the loader would report a missing library for every process that it
/// starts. A temporary file is removed with this value.
pub struct PreloadLibrary {
    path: PathBuf,
    _temporary: Option<tempfile::TempDir>,
}

impl PreloadLibrary {
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Writes the library to the user's cache, else to a folder for temporary files.
///
/// # Errors
/// When neither can be written to, allows execution, and has a name that LD_PRELOAD can express.
pub fn extract() -> Result<PreloadLibrary, InterposeError> {
    let mut tried = Vec::new();
    if let Some(cache) = paths::user_cache().filter(|cache| !paths::is_of_another_user(cache)) {
        if let Ok(path) = cached(&cache) {
            return Ok(PreloadLibrary { path, _temporary: None });
        }
        tried.push(cache);
    }
    let mut failed = None;
    for place in temporary::places() {
        match written_to(&place) {
            Ok(library) => return Ok(library),
            Err(error) => failed = failed.or(Some(error)),
        }
        tried.push(place);
    }
    let folders = tried.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(", ");
    let source = failed.unwrap_or_else(|| io::ErrorKind::NotFound.into());
    Err(InterposeError::NoLibrary { folders, source })
}

fn written_to(place: &Path) -> io::Result<PreloadLibrary> {
    let folder = tempfile::Builder::new().prefix("scuba-interpose-").tempdir_in(place)?;
    let path = folder.path().join("libscuba-interpose.so");
    std::fs::write(&path, BYTES)?;
    check(&path)?;
    Ok(PreloadLibrary { path, _temporary: Some(folder) })
}

/// Writes the library under a name with its hash, so that versions do not collide, and renames it into place, so that
/// no process loads a partial file.
fn cached(folder: &Path) -> io::Result<PathBuf> {
    let path = folder.join(format!("interpose-{}.so", &blake3::hash(BYTES).to_hex()[..16]));
    if store::bytes(&path).as_deref() != Some(BYTES) {
        store::replace(folder, &path, Readers::Owner, BYTES)?;
    }
    check(&path)?;
    Ok(path)
}

/// Checks that the loader accepts the path: its file system is not mounted `noexec`, and its name has no blank or
/// colon.
fn check(path: &Path) -> io::Result<()> {
    if path.as_os_str().as_bytes().iter().any(|b| b" :\t\n".contains(b)) {
        return Err(io::Error::other("LD_PRELOAD cannot express a name with a blank or a colon"));
    }
    // The loader reports what it could not preload, and continues.
    let run = Command::new("/bin/sh").args(["-c", ":"]).env("LD_PRELOAD", path).stdin(Stdio::null()).output()?;
    if run.stderr.is_empty() {
        Ok(())
    } else {
        Err(io::Error::other(String::from_utf8_lossy(&run.stderr).trim().to_owned()))
    }
}
