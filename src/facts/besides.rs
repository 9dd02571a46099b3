//! Inputs of a program's link other than its units, for a caller that compiles these units anew.
//!
//! In: a program, all units and links of its build. Out: the files, in the link's order, and those of them that are
//! missing.
//!
//! Files that the build derives from the units are left out, since the caller makes them again: objects, archives and
//! relocatable objects of the units, and the object of a device link (`nvcc -dlink`, CMake's `cmake_device_link.o`), for
//! nvcc links device code wherever it links with `-rdc=true`. A denied build never made these files, or removed them.
//! Where they exist, they would define everything twice: nvlink refuses an archive's member beside its new object, and
//! the object of a device link refers to registration code in the old objects (seen with nvcc 13.0).

use super::archive;
use super::join::ProgramPlan;
use super::store::canonical;
use super::unit::{LinkFacts, UnitFacts};
use files::hash_of;
use nvcc::request::LinkKind;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Objects, archives and libraries of a link that are not derived from a unit of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnderivedInputs {
    pub files: Vec<PathBuf>,
    pub missing: Vec<PathBuf>,
}

impl UnderivedInputs {
    /// Collects the files for the program `plan`; `units` and `links` are those of its build.
    #[must_use]
    pub fn of(plan: &ProgramPlan, units: &[&UnitFacts], links: &[LinkFacts]) -> Self {
        let own: BTreeSet<PathBuf> = plan.units.iter().map(|&i| canonical(&units[i].key)).collect();
        let mut search = ObjectSearch {
            known: units.iter().map(|u| canonical(&u.key)).collect(),
            links: links.iter().map(|l| (canonical(&l.link.output), l)).collect(),
            contents: OnceCell::new(),
            seen: BTreeSet::new(),
            found: Self::default(),
            own,
        };
        let executables = || links.iter().filter(|l| l.link.kind == LinkKind::Executable);
        let output = plan.output.as_deref().map(canonical);
        let takes_own = |l: &&LinkFacts| {
            let mut files = l.units.iter().chain(&l.link.inputs);
            files.any(|f| search.own.contains(&canonical(f)))
        };
        let link = executables()
            .find(|l| output.as_ref().is_some_and(|o| *o == canonical(&l.link.output)))
            .or_else(|| executables().find(takes_own));
        for input in link.iter().flat_map(|l| &l.link.inputs) {
            search.take(input, false);
        }
        search.found
    }
}

struct ObjectSearch<'a> {
    /// Objects of the program's units.
    own: BTreeSet<PathBuf>,
    /// Objects of all units.
    known: BTreeSet<PathBuf>,
    links: HashMap<PathBuf, &'a LinkFacts>,
    /// blake3 of the objects of the program's units, to identify archives without a known link.
    contents: OnceCell<BTreeSet<[u8; 32]>>,
    seen: BTreeSet<PathBuf>,
    found: UnderivedInputs,
}

impl ObjectSearch<'_> {
    /// Adds an input of a link. If the input is `optional`, the program does not need a unit that is not part of it.
    fn take(&mut self, input: &Path, optional: bool) {
        let path = canonical(input);
        if self.own.contains(&path) || optional && self.known.contains(&path) {
            return;
        }
        let Some(&link) = self.links.get(&path) else { return self.keep(input, &path) };
        let archived = match link.link.kind {
            LinkKind::DeviceLink => return,
            LinkKind::Relocatable => optional,
            LinkKind::Archive => true,
            LinkKind::SharedLibrary if !path.exists() => true,
            LinkKind::SharedLibrary | LinkKind::Executable => return self.keep(input, &path),
        };
        if self.seen.insert(path) {
            for inner in &link.link.inputs {
                self.take(inner, archived);
            }
        }
    }

    fn keep(&mut self, input: &Path, path: &Path) {
        if !path.exists() {
            self.found.missing.push(input.to_owned());
        } else if !self.is_of_units(path) {
            self.found.files.push(input.to_owned());
        }
    }

    /// Whether an archive holds objects of the program's units, and nothing else.
    fn is_of_units(&self, path: &Path) -> bool {
        let members = archive::members(path);
        let contents = || self.own.iter().filter_map(|o| hash_of(o)).collect();
        !members.is_empty() && members.iter().all(|m| self.contents.get_or_init(contents).contains(m))
    }
}
