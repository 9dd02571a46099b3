//! Programs from the facts of builds: `scuba check DIR`, `scuba report`, and the end of `scuba build`.

use super::checking;
use super::checking::CheckResults;
use super::folders::{below, chosen, find, is_generated, of_build_folder};
use super::tools::BuildTools;
use super::unseen::{self, CudaLinks, project_folders};
use super::{pending, scope};
use crate::output;
use crate::session::Session;
use anyhow::{Result, bail};
use base::paths;
use facts::generated::FolderPlans;
use facts::join::{self, ProgramPlan};
use facts::linked::{self, Stray, StraySearch};
use facts::{
    DiskSnapshot, FactStore, LinkFacts, Linkers, Recipe, ReportedFinding, StoreError, UnitFacts, canonical, gone,
    key_of,
};
use files::{FileTime, Stamp, made};
use finding::{NotAnalysed, UnreadObject};
use ir::{self, Module};
use nvcc::interpose::progress::ProgressDisplay;
use nvcc::request::Link;
use nvcc::unit::{Language, TranslationUnit};
use report::levels::Overrides;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Facts under one folder.
#[derive(Debug)]
pub struct StoredFacts {
    pub units: Vec<UnitFacts>,
    /// Store of each unit's code, by the unit's position.
    stores: Vec<FactStore>,
    /// Code of units that were just read, by position.
    fresh: HashMap<usize, Vec<Arc<Module>>>,
    /// Links as the build made them, or as its current description plans them.
    links: Vec<LinkFacts>,
    /// Folder that a program must have a unit below, if set.
    within: Option<PathBuf>,
    /// Programs to which the rest is limited; if empty, all count.
    chosen: Vec<PathBuf>,
    /// Outputs of programs that the build did not make: other configurations of programs that it made.
    others: BTreeSet<PathBuf>,
    /// Objects that were compiled without the analysis, by unknown commands.
    unknown: Vec<PathBuf>,
    /// Folders of the project.
    folders: linked::Folders,
    /// Objects without facts from which the programs are linked.
    strays: Vec<Stray>,
    /// Objects in the project's folders whose source is not here.
    nobodys: Vec<String>,
    /// Programs that were linked and no longer exist.
    removed: Vec<UnreadObject>,
    /// Start of the build whose end this is.
    since: Option<FileTime>,
}

impl StoredFacts {
    /// Reads the facts under `dir`, or those of the nearest folder above that has some; these are limited to `dir` if
    /// a user `named` it. `ignored` gets lines about unusable files and about units that were built without the
    /// analysis.
    ///
    /// # Errors
    /// If there are no facts.
    pub fn open(dir: &Path, named: bool, ignored: impl FnMut(&str)) -> Result<Self> {
        let (folders, larger) = find(dir);
        let roots = dir.canonicalize().into_iter().collect();
        Self::read(folders, larger.filter(|_| named), (roots, &dir.display().to_string()), None, ignored)
    }

    /// Reads the facts of the build folders that a build command wrote to or ran tools in, else of the working
    /// folder's build. The build began at `since`.
    ///
    /// # Errors
    /// If there are no facts.
    pub fn of_build(
        mut roots: BTreeSet<PathBuf>,
        working: Option<PathBuf>,
        here: &Path,
        since: FileTime,
        ignored: impl FnMut(&str),
    ) -> Result<Self> {
        let about_some = !roots.is_empty();
        if !about_some {
            roots.extend(working);
        }
        let mut folders: BTreeSet<PathBuf> = roots.iter().flat_map(|root| of_build_folder(root)).collect();
        if folders.is_empty() && about_some {
            // A build may write to folders that a generator marked separately.
            folders.extend(roots.iter().flat_map(|root| below(root)));
        }
        let shown: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
        let folders = paths::named_by_environment(here).map_or_else(|| folders.into_iter().collect(), |set| vec![set]);
        Self::read(folders, None, (roots, &shown.join(", ")), Some(since), ignored)
    }

    /// Reads the facts in some `.scuba` folders, and finds what was compiled in `roots` without the analysis.
    fn read(
        folders: Vec<PathBuf>,
        within: Option<PathBuf>,
        (mut roots, shown): (BTreeSet<PathBuf>, &str),
        since: Option<FileTime>,
        mut ignored: impl FnMut(&str),
    ) -> Result<Self> {
        let mut stored = Self {
            units: vec![],
            stores: vec![],
            fresh: HashMap::new(),
            links: vec![],
            within,
            chosen: vec![],
            others: BTreeSet::new(),
            unknown: vec![],
            folders: linked::Folders::default(),
            strays: vec![],
            nobodys: vec![],
            removed: vec![],
            since,
        };
        roots.extend(folders.iter().filter_map(|f| f.parent()).map(Path::to_owned));
        let (mut seen, mut elsewhere) = (Vec::new(), BTreeSet::new());
        let present = DiskSnapshot::default();
        for folder in folders {
            let root = folder.parent().map(Path::to_owned);
            let store = FactStore::new(folder);
            let mut contents = store.read()?;
            contents.ignored.iter().for_each(|line| ignored(line));
            let planned = FolderPlans::of(contents.units.iter().map(|u| u.key.as_path()), &present);
            let marks = gone::units(&contents.units, &contents.links, &planned, None);
            let units = gone::remove(&mut contents.units, &marks);
            // A build folder that was moved or copied took facts along: it belongs to another build, about which
            // nothing is known.
            elsewhere.extend(root.filter(|_| !contents.moved.is_empty()));
            let marks: Vec<bool> = contents.links.iter().map(gone::link).collect();
            let links = gone::remove(&mut contents.links, &marks);
            store.remove(
                units.iter().map(|u| u.key.as_path()),
                links.iter().map(|l| l.link.output.as_path()),
                &contents,
            );
            let replaced = mark_replaced(&mut contents.units, &store);
            if !replaced.is_empty() {
                ignored(&format!(
                    "overwritten by another command, and checked as read before: {}",
                    replaced.join(", ")
                ));
            }
            stored.stores.extend(contents.units.iter().map(|_| store.clone()));
            stored.units.extend(contents.units);
            seen.extend(contents.links);
        }
        roots.retain(|root| !elsewhere.contains(root));
        stored.add_unseen(&roots, &present, &mut ignored);
        let planned = FolderPlans::of(stored.units.iter().map(|u| u.key.as_path()), &present);
        planned.ask_cmake();
        stored.links = join::links(seen, &planned);
        stored.add_strays(&roots, &planned, &present);
        if stored.plans().is_empty() {
            bail!(
                "no facts under {shown}: build with `scuba build -- COMMAND` or with scuba-nvcc as the compiler first, or name sources: `scuba check FILE.cu`"
            );
        }
        Ok(stored)
    }

    /// Adds units that were compiled in these build folders without the analysis, to be read. They are few, and one
    /// line reports them.
    fn add_unseen(&mut self, roots: &BTreeSet<PathBuf>, present: &DiskSnapshot, told: &mut impl FnMut(&str)) {
        let known: BTreeSet<PathBuf> = self.units.iter().map(|u| u.key.clone()).collect();
        let mut names = Vec::new();
        for root in roots {
            let found = unseen::of(root, |object| known.contains(object), present);
            for unit in &found.units {
                let mut facts = UnitFacts { built_without: true, ..pending::record(unit).facts };
                facts.recipe = Recipe::of(&facts.key, &unit.directory, present);
                names.push(unit.source.file_name().unwrap_or_default().to_string_lossy().into_owned());
                self.stores.push(FactStore::new(paths::of_this_process(Some(&facts.key), root)));
                self.units.push(facts);
            }
            self.unknown.extend(found.unknown);
        }
        if !names.is_empty() {
            told(&format!(
                "compiled without the analysis, and read now by their compile commands: {}",
                names.join(", ")
            ));
        }
    }

    /// Adds the objects without facts from which the programs are linked: as units to read if their command is known,
    /// else as unseen objects.
    fn add_strays(&mut self, roots: &BTreeSet<PathBuf>, planned: &FolderPlans, present: &DiskSnapshot) {
        self.folders = linked::Folders::new(roots.iter().cloned().chain(project_folders(&self.units, &self.links)))
            .without(unseen::toolkits(&self.units));
        let interest = CudaLinks::of(&self.units, &self.links, &self.folders, |_| true);
        let search = StraySearch { folders: &self.folders, planned, unmade: false };
        let strays = linked::strays(&self.units, &self.links, &search, |l| interest.holds(l));
        if strays.found.is_empty() && strays.archives.is_empty() {
            return;
        }
        let wanted = strays.found.iter().map(|s| s.key.clone()).collect();
        let commands =
            unseen::CompileCommands::of(roots.iter().map(PathBuf::as_path).chain(self.folders.all()), &wanted);
        for stray in &strays.found {
            let store = FactStore::new(paths::of_this_process(Some(&stray.key), Path::new("/")));
            let facts = match commands.of_object(&stray.key) {
                Some(unit) => unseen::found(stray, unit, present),
                None => pending::unseen(stray, unseen::why_unknown(stray, self.since)),
            };
            self.stores.push(store);
            self.units.push(facts);
        }
        self.links.extend(strays.archives);
        self.strays = strays.found;
        self.nobodys = strays.nobodys.iter().map(|key| linked::shown(key)).collect();
    }

    /// Takes commands from a build's tools for objects whose command nothing else gives.
    pub fn ask_tools(&mut self, tools: &BuildTools) {
        let present = DiskSnapshot::default();
        let is_open = |s: &&Stray| self.units.iter().any(|u| u.key == s.key && u.unseen.is_some());
        let (libraries, objects): (Vec<Stray>, Vec<Stray>) =
            self.strays.iter().filter(is_open).cloned().partition(|s| s.name().contains(".so"));
        let open: Vec<&Stray> = objects.iter().collect();
        for unit in tools.units(&open, &self.folders) {
            let key = key_of(&unit, None);
            let Some(stray) = open.iter().find(|s| s.key == key) else { continue };
            if let Some(known) = self.units.iter_mut().find(|u| u.key == key) {
                *known = unseen::found(stray, &unit, &present);
            }
        }
        for library in &libraries {
            let printed = tools.commands_of(library, &self.folders);
            let makes_it = |l: &LinkFacts| canonical(&l.link.output) == library.key;
            let (units, links) = unseen::of_printed(&printed, &present);
            if !links.iter().any(makes_it) || units.is_empty() {
                continue;
            }
            // The units of the library replace it.
            let Some(at) = self.units.iter().position(|u| u.key == library.key) else { continue };
            self.units.remove(at);
            let store = self.stores.remove(at);
            let known: BTreeSet<PathBuf> = self.units.iter().map(|u| u.key.clone()).collect();
            for unit in units.into_iter().filter(|u| !known.contains(&u.key)) {
                self.units.push(unit);
                self.stores.push(store.clone());
            }
            self.links.extend(links);
        }
    }

    /// Notes programs that a build linked and that no longer exist at its end.
    pub fn note_removed(&mut self, links: &[Link]) {
        let is_kernel = |f: &ir::Function| f.kernel && !f.is_declaration();
        let has_kernel = |i| self.modules(i).is_ok_and(|all| all.iter().any(|m| m.functions.iter().any(is_kernel)));
        self.removed = unseen::removed(links, &self.units, has_kernel);
    }

    /// Reads units that changed since they were built, and the host units that a program needs. Stores the results, so
    /// that each is read once.
    pub fn refresh(&mut self, session: &Session) {
        scope::mark(&mut self.units, &session.config.scope);
        let present = DiskSnapshot::default();
        // A unit compiled without the analysis may name no nvcc but the shim, or another one than the shim chooses.
        let (set, nvcc) = (session.set_nvcc().is_some(), session.nvcc());
        for facts in self.units.iter_mut().filter(|u| u.unit.language == Language::Cuda) {
            let named = facts.unit.nvcc.take();
            let counts = if set && facts.pending { nvcc.clone() } else { None };
            facts.unit.nvcc = counts.or(named).or_else(|| nvcc.clone());
        }
        let plans = self.plans();
        let members: BTreeSet<usize> = plans.iter().flat_map(|p| p.units.clone()).collect();
        let recompiled = self.take_new_commands(&members, &present);
        let changed = |i: usize| {
            let u = &self.units[i];
            if u.pending {
                return false;
            }
            // If this build changed or removed a source afterwards, the facts hold while the object is as the shim
            // left it.
            let is_as_made = || made::is_as_kept(self.stores[i].folder(), &u.key);
            if !u.source().exists() {
                return !is_as_made();
            }
            let of_this_build = |since| Stamp::at(&u.key).is_some_and(|stamp| stamp.changed_since(since));
            u.dependencies.list().iter().any(|d| present.changed(d))
                && !(self.since.is_some_and(of_this_build) && is_as_made())
        };
        let mut wanted: BTreeSet<usize> = members.into_iter().filter(|&i| changed(i)).collect();
        wanted.extend(recompiled);
        wanted.extend(plans.iter().flat_map(|p| pending::needed(p, &self.units)));
        let before: Vec<&UnitFacts> = wanted.iter().map(|&i| &self.units[i]).collect();
        if before.is_empty() {
            return;
        }
        let progress = (!session.quiet()).then(|| Mutex::new(ProgressDisplay::new("Reading", before.len() as u64)));
        let read = pending::read(&before, session, &|source: &Path| {
            if let Some(p) = &progress {
                p.lock().unwrap_or_else(PoisonError::into_inner).step(&source.to_string_lossy());
            }
        });
        for (i, unit) in wanted.into_iter().zip(read) {
            // If the folder cannot be written, the units are read again next time.
            let _: Result<(), StoreError> = self.stores[i].write_unit(&unit);
            self.units[i] = unit.facts;
            self.fresh.insert(i, unit.modules);
        }
    }

    /// Updates units whose command has changed since they were read to the command recorded now, and returns them.
    fn take_new_commands(&mut self, members: &BTreeSet<usize>, present: &DiskSnapshot) -> Vec<usize> {
        let old: Vec<usize> = members
            .iter()
            .copied()
            .filter(|&i| {
                let u = &self.units[i];
                !u.pending && u.unit.output.is_some() && !u.recipe.unchanged(&u.key, present)
            })
            .collect();
        if old.is_empty() {
            return old;
        }
        let wanted: BTreeSet<PathBuf> = old.iter().map(|&i| self.units[i].key.clone()).collect();
        let roots: BTreeSet<PathBuf> =
            old.iter().filter_map(|&i| self.stores[i].folder().parent().map(Path::to_owned)).collect();
        let commands = unseen::CompileCommands::of(roots.iter().map(PathBuf::as_path), &wanted);
        let take = |i: &usize| {
            let i = *i;
            let known = &mut self.units[i];
            let Some(unit) = commands.of_object(&known.key) else { return false };
            known.recipe = Recipe::of(&known.key, &unit.directory, present);
            let nvcc = known.unit.nvcc.take();
            known.unit = TranslationUnit { nvcc, ..unit.clone() };
            true
        };
        old.into_iter().filter(take).collect()
    }

    /// Folder of the first unit's source: scuba.toml is searched there if none is found from the build folder.
    #[must_use]
    pub fn source_folder(&self) -> Option<PathBuf> {
        self.units.first()?.source().parent().map(Path::to_owned)
    }

    /// Returns the findings that users were told of since `start`.
    #[must_use]
    pub fn told_since(&self, start: FileTime) -> Vec<ReportedFinding> {
        self.units
            .iter()
            .zip(&self.stores)
            .filter(|(u, store)| store.was_written_since(&u.key, start))
            .flat_map(|(u, _)| u.told.clone())
            .collect()
    }

    /// Returns the `.scuba` folders that were read.
    #[must_use]
    pub fn folders(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = self.stores.iter().map(|s| s.folder().to_owned()).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Returns the `.scuba` folders for `dir`, with or without facts in them.
    #[must_use]
    pub fn folders_of(dir: &Path) -> Vec<PathBuf> {
        find(dir).0
    }

    /// Returns the sources (or objects, if the command is unknown) that a build compiled without the analysis.
    #[must_use]
    pub fn built_without(&self) -> Vec<PathBuf> {
        let sources = self.units.iter().filter(|u| u.built_without).map(UnitFacts::source);
        sources.chain(self.unknown.iter().cloned()).collect()
    }

    /// Folder of a unit's facts, a `.scuba` folder.
    #[must_use]
    pub fn folder_of(&self, unit: usize) -> &Path {
        self.stores[unit].folder()
    }

    /// Returns a unit's code.
    ///
    /// # Errors
    /// If the facts have gone or cannot be decoded.
    pub fn modules(&self, unit: usize) -> Result<Vec<Arc<Module>>> {
        match self.fresh.get(&unit) {
            Some(code) => Ok(code.clone()),
            None => Ok(self.stores[unit].modules(&self.units[unit].key)?),
        }
    }

    /// Links of the build.
    #[must_use]
    pub fn links(&self) -> &[LinkFacts] {
        &self.links
    }

    /// Returns the linkers that makefiles name if their links did not come to the shim.
    #[must_use]
    pub fn links_unknown(&self) -> Option<Linkers> {
        unseen::linkers_of(&self.units, &self.links)
    }

    /// Returns the programs that the units make up.
    #[must_use]
    pub fn plans(&self) -> Vec<ProgramPlan> {
        let mut plans = join::programs(&self.units, &self.links);
        plans.retain(|p| pending::concerns(p, &self.units));
        if let Some(folder) = &self.within {
            plans.retain(|p| {
                p.units.iter().any(|&i| {
                    let u = &self.units[i];
                    u.key.starts_with(folder) || u.source().starts_with(folder)
                })
            });
        }
        plans.retain(|p| p.output.as_ref().is_none_or(|output| !self.others.contains(output)));
        if !self.chosen.is_empty() {
            plans.retain(|p| self.chosen.iter().any(|c| p.is_meant(c)));
        }
        plans
    }

    /// Limits the programs to these from now on; an empty list keeps all.
    ///
    /// # Errors
    /// If there is no such program.
    pub fn choose(&mut self, programs: &[PathBuf]) -> Result<()> {
        let all = self.plans();
        for program in programs {
            if all.iter().any(|p| p.is_meant(program)) {
                continue;
            }
            let names: BTreeSet<&str> = all.iter().map(|p| p.name.as_str()).collect();
            let names: Vec<&str> = names.into_iter().collect();
            bail!(
                "there is no program `{}` with CUDA code here; the programs are {}",
                program.display(),
                names.join(", ")
            );
        }
        self.chosen = programs.to_vec();
        Ok(())
    }

    /// Skips programs in other configurations of a build, given the canonical paths of the outputs that it wrote. Such
    /// a program has neither its output nor an object among these, but the name of one that has, and some of its sources,
    /// compiled to other objects. This holds for makefiles only: build folders with a mark of a generator differ by their
    /// marks. Returns the skipped outputs.
    pub fn skip_other_configurations(&mut self, written: &BTreeSet<PathBuf>) -> &BTreeSet<PathBuf> {
        let plans = self.plans();
        let is_written = |p: &&ProgramPlan| {
            p.output.as_ref().is_some_and(|o| written.contains(o))
                || p.units.iter().any(|&i| written.contains(&self.units[i].key))
        };
        let (made, left): (Vec<&ProgramPlan>, Vec<&ProgramPlan>) = plans.iter().partition(is_written);
        let compiled = |p: &ProgramPlan| -> HashMap<&Path, &Path> {
            p.units.iter().map(|&i| (self.units[i].unit.source.as_path(), self.units[i].key.as_path())).collect()
        };
        let name = |p: &ProgramPlan| p.output.as_deref().and_then(Path::file_name).map(ToOwned::to_owned);
        let mut made_by_name: HashMap<_, Vec<&ProgramPlan>> = HashMap::new();
        made.iter().for_each(|p| made_by_name.entry(name(p)).or_default().push(p));
        let is_another = |p: &ProgramPlan| {
            let own = compiled(p);
            made_by_name.get(&name(p)).into_iter().flatten().filter(|q| q.output != p.output).any(|q| {
                compiled(q).into_iter().any(|(source, key)| own.get(source).is_some_and(|other| *other != key))
            })
        };
        let is_of_makefile = |p: &ProgramPlan| {
            let root = p.units.first().and_then(|&i| self.stores[i].folder().parent());
            root.is_some_and(|root| !is_generated(root))
        };
        self.others =
            left.into_iter().filter(|p| is_of_makefile(p) && is_another(p)).filter_map(|p| p.output.clone()).collect();
        &self.others
    }

    /// Checks every program.
    #[must_use]
    pub fn check(&self, session: &Session) -> CheckResults {
        let plans = self.plans();
        let mut progress = (!session.quiet()).then(|| ProgressDisplay::new("Checking", plans.len() as u64));
        let mut checked = checking::check(
            &plans,
            &self.units,
            |i| Ok((self.modules(i)?, None)),
            session,
            |name| {
                if let Some(p) = &mut progress {
                    p.step(name);
                }
            },
        );
        if !self.nobodys.is_empty() {
            checked.notes.push(format!("linked from outside, without a source here: {}", self.nobodys.join(", ")));
        }
        checked.found.excluded.extend(scope::sources(&self.units, &plans, self.chosen.is_empty()));
        let shard = session.shard();
        let own: Vec<ProgramPlan> =
            plans.iter().enumerate().filter(|(n, _)| shard.is_none_or(|s| s.has(*n))).map(|(_, p)| p.clone()).collect();
        checked.found.unseen = unseen::of_plans(&own, &self.units).into_iter().collect();
        if shard.is_some_and(|s| !s.is_first()) {
            return checked;
        }
        checked.found.unseen.extend(self.removed.iter().cloned());
        checked.found.built_without.extend(self.unknown.iter().map(|object| object.to_string_lossy().into_owned()));
        checked.found.not_analysed.extend(self.unknown.iter().map(|object| {
            NotAnalysed {
                file: object.to_string_lossy().into_owned(),
                side: "both".into(),
                reason:
                    "built without the analysis by an unknown command (CMAKE_EXPORT_COMPILE_COMMANDS records commands)"
                        .into(),
            }
        }));
        checked
    }
}

/// Marks units as built without the analysis if another command wrote their object after the shim compiled them.
/// Returns the objects' names.
fn mark_replaced(units: &mut [UnitFacts], store: &FactStore) -> Vec<String> {
    let replaced = units.iter_mut().filter(|u| !u.pending && made::is_replaced(store.folder(), &u.key));
    let mark = |unit: &mut UnitFacts| {
        unit.built_without = true;
        linked::shown(&unit.key)
    };
    replaced.map(mark).collect()
}

/// Opens the facts under a folder and the session that goes with them, without its baseline.
///
/// # Errors
/// If there are no facts, or the settings cannot be read.
pub fn open_with_session(
    dir: Option<&Path>,
    common: &crate::args::CommonArgs,
    overrides: &Overrides,
) -> Result<(StoredFacts, Session)> {
    let here = chosen(dir)?;
    let stored = StoredFacts::open(&here, dir.is_some(), output::complain)?;
    let start = match config::find(&here) {
        Some(_) => here,
        None => stored.source_folder().filter(|s| config::find(s).is_some()).unwrap_or(here),
    };
    let session = Session::new(common, overrides, &start)?;
    Ok((stored, session))
}
