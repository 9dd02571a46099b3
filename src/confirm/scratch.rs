//! Folders for builds and runs that do not outlive this process.
//!
//! In: nothing. Out: empty folders, removed when they are dropped, and also when any signal ends this process: then
//! everything that still runs on the device is killed first.

use super::process;
use super::watch::WatchHandle;
use nvcc::processes;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// Existing folders, and the process that watches them while there is one.
struct ScratchFolders {
    folders: BTreeSet<PathBuf>,
    watch: Option<WatchHandle>,
}

static ALL: Mutex<ScratchFolders> = Mutex::new(ScratchFolders { folders: BTreeSet::new(), watch: None });

fn all() -> MutexGuard<'static, ScratchFolders> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
pub struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    /// # Errors
    /// If there is no room for temporary files.
    pub fn new() -> io::Result<Self> {
        static SIGNALS: Once = Once::new();
        SIGNALS.call_once(wait_for_signals);
        let folder = tempfile::Builder::new().prefix("scuba-confirm-").tempdir()?;
        let mut all = all();
        if all.folders.is_empty() {
            all.watch = WatchHandle::start();
        }
        if let Some(watch) = &mut all.watch {
            watch.note(folder.path());
        }
        all.folders.insert(folder.path().to_owned());
        Ok(Self { folder })
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let mut all = all();
        all.folders.remove(self.folder.path());
        if all.folders.is_empty() {
            all.watch = None;
        }
    }
}

/// Waits for signals in its own thread. If that is impossible, the watching process cleans up after a signal.
fn wait_for_signals() {
    let Ok(mut signals) = Signals::new(processes::not_ignored(&[SIGHUP, SIGINT, SIGQUIT, SIGTERM])) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            process::end_all();
            let mut all = all();
            for folder in &all.folders {
                let _ = std::fs::remove_dir_all(folder);
            }
            all.watch = None;
            processes::die_by(signal);
        }
    });
}
