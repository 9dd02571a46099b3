//! Units of single sources by the commands of a build: as its facts or a compile_commands.json have them.

use super::folders;
use super::sources::{self, NvccChoice};
use crate::session::Session;
use anyhow::Result;
use facts::{FactStore, UnitFacts, canonical};
use nvcc::unit::TranslationUnit;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Names of build folders in which a compile_commands.json is sought, beside the folders with facts.
const BUILDS: [&str; 6] = ["", "build", "out", "_build", "cmake-build-debug", "cmake-build-release"];

/// Returns the units of sources, or of sources that include named headers; where no build tells a command, with these
/// flags.
///
/// # Errors
/// The conditions of [`sources::named`].
pub fn units(files: &[PathBuf], flags: &[OsString], dir: &Path, session: &Session) -> Result<Vec<TranslationUnit>> {
    let (folders, _) = folders::find(dir);
    let known: Vec<UnitFacts> =
        folders.iter().filter_map(|f| FactStore::new(f.clone()).read().ok()).flat_map(|all| all.units).collect();
    let (set, found) = (session.set_nvcc(), session.nvcc());
    let mut all = Vec::new();
    for file in files {
        let path = canonical(&std::path::absolute(file).unwrap_or_else(|_| file.clone()));
        let built = of_facts(&known, &path, set.as_deref().and(found.as_deref()), found.as_deref());
        let choice = NvccChoice { set: set.as_deref().and(found.as_deref()), found: found.as_deref() };
        match built.or_else(|| of_database(&folders, dir, &path, choice)) {
            Some(unit) => all.push(unit),
            None => all.extend(sources::named(std::slice::from_ref(file), flags, found.as_deref())?),
        }
    }
    Ok(all)
}

/// Returns the unit of a source by its own facts, else of the first unit that includes the file.
fn of_facts(known: &[UnitFacts], path: &Path, set: Option<&Path>, found: Option<&Path>) -> Option<TranslationUnit> {
    let own = known.iter().find(|u| canonical(&u.source()) == path);
    let includes = |u: &&UnitFacts| u.dependencies.list().iter().any(|d| canonical(&d.path) == path);
    let facts = own.or_else(|| known.iter().find(includes))?;
    let mut unit = facts.unit.clone();
    unit.nvcc = set.map(Path::to_owned).or(unit.nvcc).or_else(|| found.map(Path::to_owned));
    Some(unit)
}

/// Returns the unit of a source in the first compile_commands.json that has one.
fn of_database(folders: &[PathBuf], dir: &Path, path: &Path, choice: NvccChoice<'_>) -> Option<TranslationUnit> {
    let beside = folders.iter().filter_map(|f| f.parent()).map(Path::to_owned);
    let builds = beside.chain(BUILDS.iter().map(|name| dir.join(name)));
    builds.map(|build| build.join("compile_commands.json")).filter(|file| file.is_file()).find_map(|file| {
        let units = sources::of_database(&file, choice).ok()?;
        units.into_iter().find(|u| canonical(&u.directory.join(&u.source)) == path)
    })
}
