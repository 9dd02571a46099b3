//! Check that facts are current.
//!
//! In: the files that facts were made from. Out: whether these are unchanged on disk now. One [`DiskSnapshot`] looks at each
//! file once, since units share most of their headers.

use super::generated::ninja::NinjaFile;
use super::inputs::Inputs;
use super::maker::Maker;
use super::unit::UnitFacts;
use files::{Dependency, FileContents, Hashes, Stamp};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// State of a file on disk.
#[derive(Debug)]
struct DiskState {
    stamp: Stamp,
    /// Contents, read only where the stamp does not decide.
    contents: OnceCell<Option<FileContents>>,
}

/// Snapshot of the files and build descriptions on disk.
#[derive(Debug, Default)]
pub struct DiskSnapshot {
    files: RefCell<HashMap<PathBuf, Option<Rc<DiskState>>>>,
    ninja: RefCell<HashMap<PathBuf, Rc<NinjaFile>>>,
    /// Inputs of units by their addresses, with whether they are unchanged: many programs take in the same units.
    inputs: RefCell<HashMap<*const u8, (Inputs, bool)>>,
}

impl Drop for DiskSnapshot {
    /// Writes the new hashes to the cache, so that the next process need not compare the same contents.
    fn drop(&mut self) {
        Hashes::of_this_process().keep();
    }
}

impl DiskSnapshot {
    fn state(&self, path: &Path) -> Option<Rc<DiskState>> {
        if let Some(known) = self.files.borrow().get(path) {
            return known.clone();
        }
        let state = Stamp::at(path).map(|stamp| Rc::new(DiskState { stamp, contents: OnceCell::new() }));
        self.files.borrow_mut().insert(path.to_owned(), state.clone());
        state
    }

    fn contents(state: &DiskState, path: &Path) -> Option<FileContents> {
        *state.contents.get_or_init(|| Hashes::of_this_process().of(path, state.stamp))
    }

    /// Reads the file as it is now; `None` if it cannot be read.
    #[must_use]
    pub fn dependency(&self, path: &Path) -> Option<Dependency> {
        let state = self.state(path)?;
        Some(Dependency::holding(path, &Self::contents(&state, path)?))
    }

    /// Whether the file still has the recorded contents.
    #[must_use]
    pub fn unchanged(&self, was: &Dependency) -> bool {
        self.state(&was.path).is_some_and(|now| was.is_like(&now.stamp, || Some(Self::contents(&now, &was.path)?.hash)))
    }

    /// Whether the file exists with contents other than the recorded ones.
    #[must_use]
    pub fn changed(&self, was: &Dependency) -> bool {
        self.state(&was.path).is_some() && !self.unchanged(was)
    }

    /// Returns the hash of the statement of a `build.ninja` that makes `output`.
    #[must_use]
    pub fn edge(&self, file: &Path, output: &Path) -> Option<[u8; 32]> {
        self.ninja(file).edge(output)
    }

    /// Returns the parsed `build.ninja`.
    pub(super) fn ninja(&self, file: &Path) -> Rc<NinjaFile> {
        if let Some(known) = self.ninja.borrow().get(file) {
            return known.clone();
        }
        let read = Rc::new(NinjaFile::read(file));
        self.ninja.borrow_mut().insert(file.to_owned(), read.clone());
        read
    }

    /// Whether the source and the headers of a unit have the contents that its facts were made from. A pending unit was
    /// not read yet: it will be read with its present contents.
    #[must_use]
    pub fn inputs_unchanged(&self, unit: &UnitFacts) -> bool {
        let inputs = &unit.dependencies;
        if let Some((_, known)) = self.inputs.borrow().get(&inputs.address()) {
            return *known;
        }
        let unchanged = inputs.list().iter().all(|d| self.unchanged(d));
        // The address is of these inputs as long as they are there.
        self.inputs.borrow_mut().insert(inputs.address(), (inputs.clone(), unchanged));
        unchanged
    }

    /// Whether the build tool has nothing to do for a unit, as far as files show: its inputs and its command are
    /// unchanged, and its output exists or is being made. A denied unit will be compiled again, unless its output
    /// exists: then it was compiled without SCuBA.
    #[must_use]
    pub fn up_to_date(&self, unit: &UnitFacts) -> bool {
        let made = || unit.unit.output.is_none() || unit.key.exists() || unit.maker.is_some_and(Maker::alive);
        let stopped = || unit.denied && (!unit.lies() || unit.maker.is_some_and(Maker::alive));
        !stopped() && made() && self.inputs_unchanged(unit) && unit.recipe.unchanged(&unit.key, self)
    }
}

#[cfg(test)]
mod tests {
    use super::DiskSnapshot;
    use std::time::Duration;

    #[test]
    fn a_dependency_is_unchanged_while_its_contents_are() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.h");
        std::fs::write(&path, "int a;").unwrap();
        let dependency = DiskSnapshot::default().dependency(&path).unwrap();
        assert!(DiskSnapshot::default().unchanged(&dependency));
        // Touched, as by a checkout: the contents decide.
        let touch = |time| std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        let then = path.metadata().unwrap().modified().unwrap();
        touch(then + Duration::from_secs(100));
        let present = DiskSnapshot::default();
        assert!(present.unchanged(&dependency));
        std::fs::write(&path, "int b;").unwrap();
        assert!(present.unchanged(&dependency), "one look at the disk is one look");
        assert!(!DiskSnapshot::default().unchanged(&dependency) && DiskSnapshot::default().changed(&dependency));
        // The effect of `touch -r`: neither size nor time shows the change.
        touch(then);
        assert!(!DiskSnapshot::default().unchanged(&dependency) && DiskSnapshot::default().changed(&dependency));
        std::fs::remove_file(&path).unwrap();
        assert!(!DiskSnapshot::default().unchanged(&dependency) && !DiskSnapshot::default().changed(&dependency));
        assert_eq!(DiskSnapshot::default().dependency(&path), None);
    }
}
