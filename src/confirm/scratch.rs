//! Folders for what is built and run, which do not survive this process.
//!
//! In: nothing. Out: empty folders, removed when they are dropped, and also when a signal ends this process: then what is running on
//! the device is ended before.

use super::process;
use crate::nvcc::processes;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

/// Those there are.
static FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

#[derive(Debug)]
pub struct Scratch { folder: tempfile::TempDir }

impl Scratch {
    /// # Errors
    /// When there is no room for temporary files.
    pub fn new() -> io::Result<Self> {
        static WATCH: Once = Once::new();
        WATCH.call_once(watch);
        let folder = tempfile::Builder::new().prefix("scuba-confirm-").tempdir()?;
        FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.path().to_owned());
        Ok(Self { folder })
    }

    #[must_use]
    pub fn path(&self) -> &Path { self.folder.path() }
}

impl Drop for Scratch {
    fn drop(&mut self) { FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).remove(self.folder.path()); }
}

/// Waits for signals in a thread of its own. Where none can be had, the folders stay when one comes.
fn watch() {
    let Ok(mut signals) = Signals::new(processes::not_ignored(&[SIGHUP, SIGINT, SIGQUIT, SIGTERM])) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            process::end_all();
            for folder in FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).iter() { let _ = std::fs::remove_dir_all(folder); }
            processes::die_by(signal);
        }
    });
}
