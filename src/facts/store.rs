//! The folder of fact files.

use super::archive;
use super::file::{self, Kind, ReadError};
use super::unit::{LinkFacts, Told, Unit, UnitFacts};
use base::paths;
use files::{Moment, Stamp};
use ir::Module;
use nvcc::request::{Link, LinkKind};
use nvcc::unit::TranslationUnit;
use serde::de::DeserializeOwned;
use std::fs::Permissions;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Begins the name of a file that is being written.
const ASIDE: &str = ".writing-";
/// Nobody writes one file for so long.
const ABANDONED: Duration = Duration::from_secs(3600);

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
    if let Some(output) = &unit.output {
        return canonical(output);
    }
    let source = canonical(&unit.directory.join(&unit.source));
    let mut key = link.map_or_else(|| canonical(&unit.directory), |l| canonical(&l.output)).into_os_string();
    key.push("#");
    key.push(source);
    key.into()
}

/// A path without links and dots, where the file or at least its folder is there; else as it is.
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
pub struct Store {
    folder: PathBuf,
}

/// What lies in a store.
#[derive(Debug, Default)]
pub struct Contents {
    pub units: Vec<UnitFacts>,
    pub links: Vec<LinkFacts>,
    /// One line for each file that cannot be used.
    pub ignored: Vec<String>,
    /// Facts that came here with a folder that was moved or copied.
    pub moved: Vec<PathBuf>,
}

impl Store {
    /// The store in this folder, which need not exist yet.
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
        // The name is for people who look into the folder.
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

    /// Keeps a unit; what was kept of the same output is replaced.
    ///
    /// # Errors
    /// When the folder cannot be written. Then nothing is kept of that output: older facts would be taken for its.
    pub fn write_unit(&self, unit: &Unit) -> Result<(), StoreError> {
        let modules: Vec<&Module> = unit.modules.iter().map(AsRef::as_ref).collect();
        let bytes = file::encode(Kind::Unit, &self.at_home(&unit.facts), &modules)
            .map_err(|source| StoreError::Encode { key: unit.facts.key.clone(), source })?;
        self.write(&self.path("units", &unit.facts.key), &bytes)
    }

    /// Keeps a link; what was kept of the same output is replaced, and added to where the output is an archive that still has
    /// its members.
    ///
    /// # Errors
    /// As [`Self::write_unit`].
    pub fn write_link(&self, link: &LinkFacts) -> Result<(), StoreError> {
        let key = canonical(&link.link.output);
        let path = self.path("links", &key);
        let mut link = link.clone();
        if link.link.kind == LinkKind::Archive
            && let Ok(before) = self.read_head::<LinkFacts>(Kind::Link, &path)
        {
            let members = archive::names(&key);
            let still = |f: &PathBuf| f.file_name().is_some_and(|n| members.iter().any(|m| m == n));
            let kept: Vec<PathBuf> =
                before.link.inputs.into_iter().filter(|f| !link.link.inputs.contains(f) && still(f)).collect();
            link.link.inputs.extend(kept);
        }
        let bytes =
            file::encode(Kind::Link, &self.at_home(&link), &()).map_err(|source| StoreError::Encode { key, source })?;
        self.write(&path, &bytes)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        self.replace(path, bytes).map_err(|source| {
            // That there is none is as good as that it is gone.
            let _ = std::fs::remove_file(path);
            StoreError::Write { path: path.to_owned(), source }
        })
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let folder = path.parent().unwrap_or(&self.folder);
        paths::create(&self.folder)?;
        std::fs::create_dir_all(folder)?;
        // As the umask says: another user's `scuba check` may read what a build left.
        let mut aside =
            tempfile::Builder::new().prefix(ASIDE).permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
        aside.write_all(bytes)?;
        aside.persist(path).map_err(|e| e.error)?;
        Ok(())
    }

    /// Facts with the folder that they are written into.
    fn at_home<'f, H>(&self, facts: &'f H) -> (PathBuf, &'f H) {
        (canonical(&self.folder), facts)
    }

    fn read_head<H: DeserializeOwned>(&self, kind: Kind, path: &Path) -> Result<H, ReadError> {
        let (home, facts) = open::<(PathBuf, H)>(kind, path)?.1.head;
        // A build folder that was moved or copied took its facts along; they are of files elsewhere.
        if home == canonical(&self.folder) { Ok(facts) } else { Err(ReadError::Elsewhere(home)) }
    }

    /// The heads of all units and all links, in the order of their file names.
    ///
    /// # Errors
    /// When the folder exists and cannot be listed.
    pub fn read(&self) -> Result<Contents, StoreError> {
        let mut contents = Contents::default();
        for path in self.files("units")? {
            match self.read_head::<UnitFacts>(Kind::Unit, &path) {
                Ok(facts) => contents.units.push(facts),
                Err(ReadError::Elsewhere(_)) => contents.moved.push(path),
                Err(e) => contents.ignored.push(ignored(&path, &e)),
            }
        }
        for path in self.files("links")? {
            match self.read_head::<LinkFacts>(Kind::Link, &path) {
                Ok(facts) => contents.links.push(facts),
                Err(ReadError::Elsewhere(_)) => contents.moved.push(path),
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

    /// The code of one unit.
    ///
    /// # Errors
    /// When its file has gone or cannot be decoded.
    pub fn modules(&self, key: &Path) -> Result<Vec<Arc<Module>>, StoreError> {
        Ok(self.unit(key)?.modules)
    }

    /// A unit with its code.
    fn unit(&self, key: &Path) -> Result<Unit, StoreError> {
        let path = self.path("units", key);
        let read = || {
            let (mut file, opened) = open::<(PathBuf, UnitFacts)>(Kind::Unit, &path)?;
            let modules = opened.body::<Vec<Module>>(&mut file)?.into_iter().map(Arc::new).collect();
            Ok(Unit { facts: opened.head.1, modules, second: None })
        };
        read().map_err(|source| StoreError::Read { path: path.clone(), source })
    }

    /// Forgets units and links, those that were moved here, and what writers that died left behind.
    pub fn forget<'k>(
        &self,
        units: impl IntoIterator<Item = &'k Path>,
        links: impl IntoIterator<Item = &'k Path>,
        contents: &Contents,
    ) {
        let units = units.into_iter().map(|key| self.path("units", key));
        let links = links.into_iter().map(|output| self.path("links", &canonical(output)));
        for path in units.chain(links).chain(contents.moved.iter().cloned()).chain(self.abandoned()) {
            // What cannot be removed is ignored again next time.
            let _ = std::fs::remove_file(path);
        }
    }

    /// Files that nobody writes any more.
    fn abandoned(&self) -> Vec<PathBuf> {
        let old = |path: &PathBuf| {
            path.metadata().and_then(|m| m.modified()).is_ok_and(|t| t.elapsed().is_ok_and(|age| age > ABANDONED))
        };
        ["units", "links"]
            .iter()
            .filter_map(|what| std::fs::read_dir(self.folder.join(what)).ok())
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(ASIDE.as_bytes())))
            .filter(old)
            .collect()
    }

    /// Whether a unit was kept at a moment or later. Facts that were brought back from elsewhere have older times, or any.
    #[must_use]
    pub fn was_written_since(&self, key: &Path, moment: Moment) -> bool {
        Stamp::at(&self.path("units", key)).is_some_and(|kept| kept.changed_since(moment))
    }

    /// Notes what a check said of a unit that is kept already.
    ///
    /// # Errors
    /// When its file has gone, cannot be decoded or cannot be written.
    pub fn note_verdict(&self, key: &Path, denied: bool, told: &[Told]) -> Result<(), StoreError> {
        let mut unit = self.unit(key)?;
        unit.facts.denied = denied;
        unit.facts.told.extend(told.iter().cloned());
        unit.facts.told.sort();
        unit.facts.told.dedup();
        self.write_unit(&unit)
    }
}

/// A fact file with its head decoded; the body comes next in it.
fn open<H: DeserializeOwned>(kind: Kind, path: &Path) -> Result<(impl Read, file::Opened<H>), ReadError> {
    let file = std::fs::File::open(path)?;
    let length = file.metadata()?.len();
    let mut file = BufReader::with_capacity(32 << 10, file);
    let opened = file::open(kind, &mut file, length)?;
    Ok((file, opened))
}

fn ignored(path: &Path, why: &ReadError) -> String {
    format!("{} {why}; it is ignored until its output is built again", path.display())
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
