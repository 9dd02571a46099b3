//! The folder of fact files.

use super::archive;
use super::file::{self, FactFileError, FactKind};
use super::unit::{LinkFacts, ReportedFinding, UnitFacts, UnitWithCode};
use files::store::{self, Readers};
use files::{FileTime, Stamp};
use ir::Module;
use nvcc::request::{Link, LinkKind};
use nvcc::unit::TranslationUnit;
use serde::de::DeserializeOwned;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot write {}: {source}; set SCUBA_DIR to a writable folder for facts", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot pack the facts of {}: {source}; is a path not UTF-8?", key.display())]
    Encode { key: PathBuf, source: postcard::Error },
    #[error("cannot list {}: {source}", path.display())]
    List { path: PathBuf, source: io::Error },
    #[error("{} {source}", path.display())]
    Read { path: PathBuf, source: FactFileError },
}

/// Returns the key of a unit. It is the canonical path of the unit's output. For a unit compiled and linked in one
/// command, it is the output of the link, `#` and the source; for one that writes nothing, the working folder, `#` and
/// the source.
#[must_use]
pub fn key_of(unit: &TranslationUnit, link: Option<&Link>) -> PathBuf {
    if let Some(output) = &unit.output {
        return canonical(output);
    }
    let source = canonical(&unit.directory.join(&unit.source));
    let mut key = link.map_or_else(|| canonical(&unit.directory), |l| canonical(&l.output)).into_os_string();
    key.push("#");
    key.push(source);
    key.into()
}

/// Resolves links and dots in a path if the file or at least its folder exists; else returns the path unchanged.
#[must_use]
pub fn canonical(path: &Path) -> PathBuf {
    if let Ok(p) = path.canonicalize() {
        return p;
    }
    match (path.parent().and_then(|d| d.canonicalize().ok()), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// A `.scuba` folder.
#[derive(Clone, Debug)]
pub struct FactStore {
    folder: PathBuf,
}

/// Contents of a store.
#[derive(Debug, Default)]
pub struct StoreContents {
    pub units: Vec<UnitFacts>,
    pub links: Vec<LinkFacts>,
    /// Messages about unusable files, one line each.
    pub ignored: Vec<String>,
    /// Fact files that came here with a folder that was moved or copied.
    pub moved: Vec<PathBuf>,
}

impl FactStore {
    /// Opens the store in this folder, which need not exist yet.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, what: &str, key: &Path) -> PathBuf {
        let hash = blake3::hash(key.as_os_str().as_encoded_bytes()).to_hex();
        // The name helps people who look into the folder.
        let name: String = key
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' })
            .take(60)
            .collect();
        self.folder.join(what).join(format!("{}-{name}", &hash[..24]))
    }

    /// Writes a unit, in place of an earlier one with the same output.
    ///
    /// # Errors
    /// When the folder cannot be written. Then the store keeps nothing of that output: older facts would be mistaken
    /// for the new ones.
    pub fn write_unit(&self, unit: &UnitWithCode) -> Result<(), StoreError> {
        let modules: Vec<&Module> = unit.modules.iter().map(AsRef::as_ref).collect();
        let bytes = file::encode(FactKind::Unit, &self.at_home(&unit.facts), &modules)
            .map_err(|source| StoreError::Encode { key: unit.facts.key.clone(), source })?;
        self.write(&self.path("units", &unit.facts.key), &bytes)
    }

    /// Writes a link, in place of an earlier one with the same output. If the output is an archive, the link keeps
    /// earlier inputs that are still members.
    ///
    /// # Errors
    /// As [`Self::write_unit`].
    pub fn write_link(&self, link: &LinkFacts) -> Result<(), StoreError> {
        let key = canonical(&link.link.output);
        let path = self.path("links", &key);
        let mut link = link.clone();
        if link.link.kind == LinkKind::Archive
            && let Ok(before) = Self::read_head::<LinkFacts>(FactKind::Link, &path, &canonical(&self.folder))
        {
            let members = archive::names(&key);
            let still = |f: &PathBuf| f.file_name().is_some_and(|n| members.iter().any(|m| m == n));
            let kept: Vec<PathBuf> =
                before.link.inputs.into_iter().filter(|f| !link.link.inputs.contains(f) && still(f)).collect();
            link.link.inputs.extend(kept);
        }
        let bytes = file::encode(FactKind::Link, &self.at_home(&link), &())
            .map_err(|source| StoreError::Encode { key, source })?;
        self.write(&path, &bytes)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        store::replace(&self.folder, path, Readers::Umask, bytes).map_err(|source| {
            // A missing file is as good as a removed one.
            let _ = std::fs::remove_file(path);
            StoreError::Write { path: path.to_owned(), source }
        })
    }

    /// Pairs facts with the folder that they are written into.
    fn at_home<'f, H>(&self, facts: &'f H) -> (PathBuf, &'f H) {
        (canonical(&self.folder), facts)
    }

    /// Reads a head that was written into the folder `home`, the canonical path of this store.
    fn read_head<H: DeserializeOwned>(kind: FactKind, path: &Path, home: &Path) -> Result<H, FactFileError> {
        let (written, facts) = open::<(PathBuf, H)>(kind, path)?.1.head;
        // A build folder that was moved or copied has brought its facts along; they describe files elsewhere.
        if written == home { Ok(facts) } else { Err(FactFileError::Elsewhere(written)) }
    }

    /// Reads the heads of all units and all links, in the order of their file names.
    ///
    /// # Errors
    /// When the folder exists and cannot be listed.
    pub fn read(&self) -> Result<StoreContents, StoreError> {
        let mut contents = StoreContents::default();
        let home = canonical(&self.folder);
        for path in self.files("units")? {
            match Self::read_head::<UnitFacts>(FactKind::Unit, &path, &home) {
                Ok(facts) => contents.units.push(facts),
                Err(FactFileError::Elsewhere(_)) => contents.moved.push(path),
                Err(e) => contents.ignored.push(ignored(&path, &e)),
            }
        }
        for path in self.files("links")? {
            match Self::read_head::<LinkFacts>(FactKind::Link, &path, &home) {
                Ok(facts) => contents.links.push(facts),
                Err(FactFileError::Elsewhere(_)) => contents.moved.push(path),
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
            if !hidden {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    /// Reads the code of one unit.
    ///
    /// # Errors
    /// When its file is gone or cannot be decoded.
    pub fn modules(&self, key: &Path) -> Result<Vec<Arc<Module>>, StoreError> {
        Ok(self.unit(key)?.modules)
    }

    /// Reads a unit with its code.
    fn unit(&self, key: &Path) -> Result<UnitWithCode, StoreError> {
        let path = self.path("units", key);
        let read = || {
            let (mut file, opened) = open::<(PathBuf, UnitFacts)>(FactKind::Unit, &path)?;
            let modules = opened.body::<Vec<Module>>(&mut file)?.into_iter().map(Arc::new).collect();
            Ok(UnitWithCode { facts: opened.head.1, modules, second: None })
        };
        read().map_err(|source| StoreError::Read { path: path.clone(), source })
    }

    /// Removes units and links, facts that came with a moved folder, and unfinished files of writers that died.
    pub fn remove<'k>(
        &self,
        units: impl IntoIterator<Item = &'k Path>,
        links: impl IntoIterator<Item = &'k Path>,
        contents: &StoreContents,
    ) {
        let units = units.into_iter().map(|key| self.path("units", key));
        let links = links.into_iter().map(|output| self.path("links", &canonical(output)));
        let unfinished = ["units", "links"].iter().flat_map(|what| store::abandoned(&self.folder.join(what)));
        for path in units.chain(links).chain(contents.moved.iter().cloned()).chain(unfinished) {
            // A file that cannot be removed is ignored again next time.
            let _ = std::fs::remove_file(path);
        }
    }

    /// Whether a unit was written at a moment or later. Facts restored from elsewhere may have any time.
    #[must_use]
    pub fn was_written_since(&self, key: &Path, moment: FileTime) -> bool {
        Stamp::at(&self.path("units", key)).is_some_and(|kept| kept.changed_since(moment))
    }

    /// Adds the result of a check to a stored unit.
    ///
    /// # Errors
    /// When its file is gone, cannot be decoded or cannot be written.
    pub fn note_verdict(&self, key: &Path, denied: bool, told: &[ReportedFinding]) -> Result<(), StoreError> {
        let mut unit = self.unit(key)?;
        unit.facts.denied = denied;
        unit.facts.told.extend(told.iter().cloned());
        unit.facts.told.sort();
        unit.facts.told.dedup();
        self.write_unit(&unit)
    }
}

/// Opens a fact file and decodes its head; the body follows in the returned reader.
fn open<H: DeserializeOwned>(kind: FactKind, path: &Path) -> Result<(impl Read, file::FactHead<H>), FactFileError> {
    let file = store::open(path)?;
    let length = file.metadata()?.len();
    let mut file = BufReader::with_capacity(32 << 10, file);
    let opened = file::open(kind, &mut file, length)?;
    Ok((file, opened))
}

fn ignored(path: &Path, why: &FactFileError) -> String {
    format!("{} {why}; it is ignored until its output is built again", path.display())
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
