//! Programs whose facts a target changes: folders of fact files, which `tools/fuzz-seeds.py` makes of programs of `tests/ui`.

use facts::UnitFacts;
use facts::file::{self, FactKind};
use ir::Module;
use std::path::{Path, PathBuf};

/// Environment variable that names the folder of the programs.
const VARIABLE: &str = "SCUBA_FUZZ_PROGRAMS";

/// A unit as its fact file holds it.
#[derive(Clone)]
pub struct Unit {
    /// Folder of the store that the file is of.
    pub home: PathBuf,
    pub facts: UnitFacts,
    pub modules: Vec<Module>,
}

impl Unit {
    /// Reads a fact file.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut source = bytes;
        let opened = file::open::<(PathBuf, UnitFacts)>(FactKind::Unit, &mut source, bytes.len() as u64).ok()?;
        let modules = opened.body::<Vec<Module>>(&mut source).ok()?;
        let (home, facts) = opened.head;
        Some(Self { home, facts, modules })
    }

    /// Writes a fact file.
    ///
    /// # Panics
    /// If facts cannot be represented.
    #[must_use]
    pub fn written(&self) -> Vec<u8> {
        file::encode(FactKind::Unit, &(&self.home, &self.facts), &self.modules).expect("facts can be written")
    }
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    all.sort();
    all
}

/// Reads all programs, in the order of their names.
///
/// # Panics
/// If there is none: they were made by another version, or not at all.
#[must_use]
pub fn read() -> Vec<Vec<Unit>> {
    let folder = std::env::var_os(VARIABLE).map_or_else(|| PathBuf::from("programs"), PathBuf::from);
    let units = |program: PathBuf| -> Vec<Unit> {
        sorted(&program).iter().filter_map(|f| Unit::read(&std::fs::read(f).ok()?)).collect()
    };
    let all: Vec<Vec<Unit>> = sorted(&folder).into_iter().map(units).filter(|units| !units.is_empty()).collect();
    assert!(!all.is_empty(), "no facts of this version in {}: {VARIABLE} names their folder", folder.display());
    all
}
