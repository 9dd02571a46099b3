//! The folder of fact files.

use super::file::{self, Kind, ReadError};
use super::{LinkFacts, Told, Unit, UnitFacts, dir};
use crate::ir::Module;
use crate::nvcc::request::Link;
use crate::nvcc::unit::TranslationUnit;
use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot write {}: {source}; set SCUBA_DIR to a folder for facts that can be written", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot pack the facts of {}: {source}", key.display())]
    Encode { key: PathBuf, source: postcard::Error },
    #[error("cannot list {}: {source}", path.display())]
    List { path: PathBuf, source: io::Error },
    #[error("{} {source}", path.display())]
    Read { path: PathBuf, source: ReadError },
}

/// The key of a unit: its output's canonical path; for a unit compiled and linked in one command the link's output
/// with the source behind `#`; for one that writes nothing, its source behind `#`.
#[must_use]
pub fn key_of(unit: &TranslationUnit, link: Option<&Link>) -> PathBuf {
    if let Some(output) = &unit.output { return canonical(output); }
    let source = canonical(&unit.directory.join(&unit.source));
    let mut key = link.map_or_else(|| canonical(&unit.directory), |l| canonical(&l.output)).into_os_string();
    key.push("#");
    key.push(source);
    key.into()
}

/// Canonical where the file or at least its folder exists.
pub(super) fn canonical(path: &Path) -> PathBuf {
    if let Ok(p) = path.canonicalize() { return p; }
    match (path.parent().and_then(|d| d.canonicalize().ok()), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// A `.scuba` folder.
#[derive(Clone, Debug)]
pub struct Store { folder: PathBuf }

/// What lies in a store, and one line for each file that had to be ignored.
#[derive(Debug, Default)]
pub struct Contents { pub units: Vec<UnitFacts>, pub links: Vec<LinkFacts>, pub ignored: Vec<String> }

impl Store {
    /// The store in this folder, which need not exist yet.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self { Self { folder } }

    #[must_use]
    pub fn folder(&self) -> &Path { &self.folder }

    fn path(&self, what: &str, key: &Path) -> PathBuf {
        let hash = blake3::hash(key.as_os_str().as_encoded_bytes()).to_hex();
        // The name is for people who look into the folder.
        let name: String = key.file_name().unwrap_or_default().to_string_lossy().chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' })
            .take(60).collect();
        self.folder.join(what).join(format!("{}-{name}", &hash[..24]))
    }

    /// Keeps a unit; what was kept of the same output is replaced.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write_unit(&self, unit: &Unit) -> Result<(), StoreError> {
        let modules: Vec<&Module> = unit.modules.iter().map(AsRef::as_ref).collect();
        let bytes = file::encode(Kind::Unit, &unit.facts, &modules)
            .map_err(|source| StoreError::Encode { key: unit.facts.key.clone(), source })?;
        self.write(&self.path("units", &unit.facts.key), &bytes)
    }

    /// Keeps a link; what was kept of the same output is replaced.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write_link(&self, link: &LinkFacts) -> Result<(), StoreError> {
        let key = canonical(&link.link.output);
        let bytes = file::encode(Kind::Link, link, &()).map_err(|source| StoreError::Encode { key: key.clone(), source })?;
        self.write(&self.path("links", &key), &bytes)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let failed = |source| StoreError::Write { path: path.to_owned(), source };
        let folder = path.parent().unwrap_or(&self.folder);
        dir::create(&self.folder).and_then(|()| std::fs::create_dir_all(folder)).map_err(failed)?;
        // As the umask says: another user's `scuba check` may read what a build left.
        let mut aside = tempfile::Builder::new().prefix(".writing-").permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder).map_err(failed)?;
        aside.write_all(bytes).map_err(failed)?;
        aside.persist(path).map_err(|e| failed(e.error))?;
        Ok(())
    }

    /// The heads of all units and all links, in the order of their file names.
    ///
    /// # Errors
    /// When the folder exists and cannot be listed.
    pub fn read(&self) -> Result<Contents, StoreError> {
        let mut contents = Contents::default();
        for path in self.files("units")? {
            match open::<UnitFacts>(Kind::Unit, &path) {
                Ok(o) => contents.units.push(o.head),
                Err(e) => contents.ignored.push(ignored(&path, &e)),
            }
        }
        for path in self.files("links")? {
            match open::<LinkFacts>(Kind::Link, &path) {
                Ok(o) => contents.links.push(o.head),
                Err(e) => contents.ignored.push(ignored(&path, &e)),
            }
        }
        Ok(contents)
    }

    fn files(&self, what: &str) -> Result<Vec<PathBuf>, StoreError> {
        let folder = self.folder.join(what);
        let failed = |source| StoreError::List { path: folder.clone(), source };
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            Err(e) => return Err(failed(e)),
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            let hidden = path.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(b"."));
            if !hidden { files.push(path); }
        }
        files.sort();
        Ok(files)
    }

    /// The code of one unit.
    ///
    /// # Errors
    /// When its file has gone or cannot be decoded.
    pub fn modules(&self, key: &Path) -> Result<Vec<Arc<Module>>, StoreError> {
        let path = self.path("units", key);
        open::<UnitFacts>(Kind::Unit, &path).and_then(|o| o.body::<Vec<Module>>())
            .map(|modules| modules.into_iter().map(Arc::new).collect())
            .map_err(|source| StoreError::Read { path, source })
    }

    /// When a unit was kept; `None` where none is.
    #[must_use]
    pub fn written(&self, key: &Path) -> Option<SystemTime> { self.path("units", key).metadata().ok()?.modified().ok() }

    /// Notes what a check said of a unit that is kept already.
    ///
    /// # Errors
    /// When its file has gone, cannot be decoded or cannot be written.
    pub fn note_verdict(&self, key: &Path, denied: bool, told: &[Told]) -> Result<(), StoreError> {
        let path = self.path("units", key);
        let read = |source| StoreError::Read { path: path.clone(), source };
        let opened = open::<UnitFacts>(Kind::Unit, &path).map_err(read)?;
        let modules = opened.body::<Vec<Module>>().map_err(read)?;
        let mut facts = opened.head;
        facts.denied = denied;
        facts.told.extend(told.iter().cloned());
        facts.told.sort();
        facts.told.dedup();
        self.write_unit(&Unit { facts, modules: modules.into_iter().map(Arc::new).collect() })
    }
}

fn open<H: serde::de::DeserializeOwned>(kind: Kind, path: &Path) -> Result<file::Opened<H>, ReadError> {
    file::decode(kind, &std::fs::read(path)?)
}

fn ignored(path: &Path, why: &ReadError) -> String { format!("{} {why}; it is ignored until its output is built again", path.display()) }

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
