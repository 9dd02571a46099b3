//! Programs that one command of a build completes.
//!
//! In: the units and the link of the command, the facts of other commands. Out: the programs to check now, with their
//! code. A program waits while one of its units is about to be compiled again: its facts describe a version that will
//! never be linked.

use super::{pending, scope, unseen};
use crate::session::Session;
use anyhow::Result;
use facts::generated::FolderPlans;
use facts::join::{self, ProgramPlan};
use facts::linked::{self, ByOutput, Folders, StraySearch};
use facts::{
    DiskSnapshot, FactStore, LinkFacts, Linkers, Maker, ReportedFinding, SecondCode, StoreError, Symbols, UnitFacts,
    UnitWithCode, gone,
};
use files::made;
use finding::UnreadObject;
use ir::Module;
use nvcc::history;
use nvcc::request::{Link, LinkKind};
use nvcc::unit::Language;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of host units to read for one command; `scuba check` handles programs that need more.
const MAX_PENDING: usize = 8;

pub struct Joined {
    /// Facts of units; the command's own come first, in their order.
    pub facts: Vec<UnitFacts>,
    pub plans: Vec<ProgramPlan>,
    /// Findings reported when the other units were compiled.
    pub told: Vec<ReportedFinding>,
    /// Programs that wait and what they wait for, one line each.
    pub waiting: Vec<String>,
    /// Linked programs with more units to read than a build waits for, one line each.
    pub unread: Vec<String>,
    /// Objects of linked programs whose compile command is unknown.
    pub unseen: Vec<UnreadObject>,
    /// Linkers in the makefile of the command's units, if no link of these units is known.
    pub links_unknown: Option<Linkers>,
    /// Units of programs of which objects are still to be made.
    awaited: BTreeSet<usize>,
    /// Code of units that is in memory already, by position.
    code: HashMap<usize, Vec<Arc<Module>>>,
    /// Second readings of the command's own units, by position.
    second: HashMap<usize, SecondCode>,
}

/// State of the current command among the programs of its build.
struct CommandState<'n, U> {
    /// Number of the command's own units, which come first in the facts.
    own: usize,
    link: Option<&'n Link>,
    present: &'n DiskSnapshot,
    planned: &'n FolderPlans,
    /// Outputs that take in what the command links but whose own links do not come to the shim now: links with device
    /// code may run unseen, and a new shared library does not require that existing programs be linked again.
    completed: BTreeSet<PathBuf>,
    /// Predicate on outputs: the link that makes the output does not come to the shim.
    unwatched: U,
}

impl<U: Fn(&Path) -> bool> CommandState<'_, U> {
    /// Whether the command links this program.
    fn links(&self, plan: &ProgramPlan) -> bool {
        self.link.is_some_and(|l| plan.output.as_deref() == Some(&l.output))
    }

    /// Whether no later command decides more about the program.
    fn is_last(&self, plan: &ProgramPlan) -> bool {
        let is_last = |output: &Path| (self.unwatched)(output) || self.completed.contains(output);
        self.links(plan) || plan.output.as_deref().is_some_and(is_last)
    }

    /// Whether the command concerns a program: it links the program, compiles a unit of it, or completes it.
    fn concerns(&self, plan: &ProgramPlan) -> bool {
        self.links(plan)
            || plan.units.iter().any(|&i| i < self.own)
            || plan.output.as_ref().is_some_and(|output| self.completed.contains(output))
    }

    /// Whether the build tool is about to compile a unit again by a command that comes to the shim. File times decide,
    /// as they do for build tools.
    fn is_due(&self, unit: &UnitFacts) -> bool {
        // A C++ unit is read by its command, whoever compiles it.
        let comes = unit.unseen.is_none() && unit.unit.language == Language::Cuda;
        let made = unit.lies() || unit.maker.is_some_and(Maker::alive);
        comes && (!made || !self.present.up_to_date(unit) && unit.is_older_than_inputs())
    }
}

/// Returns the outputs that take in the output of `own` and whose own links may not come to the shim after it.
fn completed(links: &[LinkFacts], own: &Link, unwatched: impl Fn(&Path) -> bool) -> BTreeSet<PathBuf> {
    let by_output = ByOutput::of(links);
    let stays = |output: &Path| own.kind == LinkKind::SharedLibrary && output.exists();
    let of = |l: &&LinkFacts| {
        let output = &l.link.output;
        *output != own.output && (unwatched(output) || stays(output)) && by_output.take_in(l, |file| file == own.output)
    };
    links.iter().filter(of).map(|l| l.link.output.clone()).collect()
}

impl Joined {
    /// Joins a command's units with the facts of other commands. The store has `units` and `link` already; units that
    /// are read here are added to it.
    pub fn new(
        store: &FactStore,
        units: &[UnitWithCode],
        link: Option<&Link>,
        present: &DiskSnapshot,
        session: &Session,
    ) -> Self {
        // Without readable facts of other commands there is nothing to join.
        let contents = store.read().unwrap_or_default();
        let own: BTreeSet<PathBuf> = units.iter().map(|u| u.facts.key.clone()).collect();
        let mut facts: Vec<UnitFacts> = units.iter().map(|u| u.facts.clone()).collect();
        facts.extend(contents.units.into_iter().filter(|f| !own.contains(&f.key)));
        let outputs = facts.iter().map(|f| f.key.as_path()).chain(link.map(|l| l.output.as_path()));
        let planned = FolderPlans::of(outputs, present);
        planned.ask_cmake();
        let mut gone = gone::units(&facts, &contents.links, &planned, link.map(|l| l.output.as_path()));
        gone.iter_mut().take(units.len()).for_each(|own| *own = false);
        gone::remove(&mut facts, &gone);
        scope::mark(&mut facts, &session.config.scope);

        let code = units.iter().enumerate().map(|(i, u)| (i, u.modules.clone())).collect();
        let second = units.iter().enumerate().filter_map(|(i, u)| Some((i, u.second.clone()?))).collect();
        let mut joined = Self {
            facts,
            plans: vec![],
            told: vec![],
            waiting: vec![],
            unread: vec![],
            unseen: vec![],
            links_unknown: None,
            awaited: BTreeSet::new(),
            code,
            second,
        };
        let mut links = join::links(contents.links, &planned);
        // The end of a `scuba build` decides about programs whose link does not come to the shim. Without one, this
        // command does.
        let alone = history::build_of_this_process().is_none();
        let unwatched = |output: &Path| alone && planned.is_unwatched(output);
        let completed = link.map(|l| completed(&links, l, unwatched)).unwrap_or_default();
        let now = CommandState { own: units.len(), link, present, planned: &planned, completed, unwatched };
        joined.add_strays(&mut links, &now, store, session);
        joined.choose(join::programs(&joined.facts, &links), &now);
        joined.read_pending(store, session, &now);
        for plan in &mut joined.plans {
            plan.tentative =
                !now.is_last(plan) && (plan.unknown_objects || plan.output.is_none() && plan.units.len() > 1);
        }
        let waiting = joined.leave_to_link(&now, alone);
        joined.expect_links(&now, alone);
        joined.tell_unseen(&now);
        if alone && link.is_none() {
            joined.links_unknown = unseen::linkers_of(units.iter().map(|u| &u.facts), &links);
        }
        joined.add_alone(units.len(), &waiting);
        joined.told = joined
            .plans
            .iter()
            .flat_map(|p| &p.units)
            .filter(|&&i| i >= units.len())
            .flat_map(|&i| joined.facts[i].told.clone())
            .collect();
        joined
    }

    /// Adds objects without facts from which the programs to judge now are linked: as units to read if their command
    /// is known, else as unseen objects. A program waits if CUDA units of it are still to be compiled.
    fn add_strays(
        &mut self,
        links: &mut Vec<LinkFacts>,
        now: &CommandState<'_, impl Fn(&Path) -> bool>,
        store: &FactStore,
        session: &Session,
    ) {
        let mut roots: BTreeSet<PathBuf> = store.folder().parent().map(Path::to_owned).into_iter().collect();
        roots.extend(unseen::project_folders(&self.facts, links));
        let folders = Folders::new(roots).without(unseen::toolkits(&self.facts));
        for output in self.judged(links, now, &folders) {
            // The link that runs now has its objects; objects of a planned link may be missing.
            let is_it = |l: &LinkFacts| l.link.output == output;
            let unmade = now.link.is_none_or(|l| l.output != output);
            if unmade && self.is_awaited(&output, links) {
                self.waiting.push(format!("{} waits for more of its objects", output.display()));
                continue;
            }
            let search = StraySearch { folders: &folders, planned: now.planned, unmade };
            let strays = linked::strays(&self.facts, links, &search, is_it);
            let keys = strays.found.iter().map(|s| s.key.clone()).collect();
            let commands = unseen::CompileCommands::of(folders.all(), &keys);
            let (mut made, mut planned) = (Vec::new(), Vec::new());
            for stray in &strays.found {
                match commands.of_object(&stray.key) {
                    Some(unit) if stray.contents.is_some() => made.push(unseen::found(stray, unit, now.present)),
                    Some(unit) => planned.push(unseen::found(stray, unit, now.present)),
                    None => made.push(pending::unseen(stray, unseen::UNKNOWN_COMMAND)),
                }
            }
            self.facts.extend(made);
            let (outside, planned): (Vec<_>, Vec<_>) =
                planned.into_iter().partition(|u| scope::excludes(&session.config.scope, &u.unit));
            self.facts.extend(outside);
            scope::mark(&mut self.facts, &session.config.scope);
            self.give_nvcc(now.own, session);
            self.read_planned(planned, store, session);
            links.extend(strays.archives);
        }
    }

    /// Whether a program takes in a CUDA object (by its name) that has no facts and does not exist: its compile
    /// command is still to come.
    fn is_awaited(&self, output: &Path, links: &[LinkFacts]) -> bool {
        let known: BTreeSet<&Path> = self.facts.iter().map(|u| u.key.as_path()).collect();
        let awaited =
            |o: &Path| o.as_os_str().as_encoded_bytes().ends_with(b".cu.o") && !known.contains(o) && !o.exists();
        let by_output = ByOutput::of(links);
        links.iter().any(|l| l.link.output == output && by_output.take_in(l, awaited))
    }

    /// Returns the outputs of the links to judge by the files that exist now.
    fn judged(
        &self,
        links: &[LinkFacts],
        now: &CommandState<'_, impl Fn(&Path) -> bool>,
        folders: &Folders,
    ) -> BTreeSet<PathBuf> {
        let own: BTreeSet<&Path> = self.facts.iter().take(now.own).map(|u| u.key.as_path()).collect();
        let by_output = ByOutput::of(links);
        let is_last = |l: &&LinkFacts| {
            let output = &l.link.output;
            now.link.is_some_and(|own| own.output == *output)
                || now.completed.contains(output)
                || (now.unwatched)(output) && by_output.take_in(l, |file| own.contains(file))
        };
        let last: BTreeSet<&Path> = links.iter().filter(is_last).map(|l| l.link.output.as_path()).collect();
        if last.is_empty() {
            return BTreeSet::new();
        }
        let is_last = |l: &LinkFacts| last.contains(l.link.output.as_path());
        let interest = unseen::CudaLinks::of(&self.facts, links, folders, is_last);
        links.iter().filter(|l| interest.holds(l)).map(|l| l.link.output.clone()).collect()
    }

    /// Gives units whose command names no nvcc the nvcc of this command.
    fn give_nvcc(&mut self, own: usize, session: &Session) {
        let nvcc = self.facts.iter().take(own).find_map(|u| u.unit.nvcc.clone()).or_else(|| session.nvcc());
        for facts in self.facts.iter_mut().filter(|f| f.unit.language == Language::Cuda && f.unit.nvcc.is_none()) {
            facts.unit.nvcc.clone_from(&nvcc);
        }
    }

    /// Reads units whose objects are planned but not made, since nothing else gives their symbols. If there are too
    /// many they stay unread and are reported.
    fn read_planned(&mut self, planned: Vec<UnitFacts>, store: &FactStore, session: &Session) {
        if planned.len() > MAX_PENDING {
            self.facts.extend(planned);
            return;
        }
        let before: Vec<&UnitFacts> = planned.iter().collect();
        for unit in pending::read(&before, session, &|_| {}) {
            // A unit that cannot be read yet (a header is generated later) is read again.
            if unit.facts.not_analysed.is_empty() {
                let _: Result<(), StoreError> = store.write_unit(&unit);
            }
            self.code.insert(self.facts.len(), unit.modules);
            self.facts.push(unit.facts);
        }
    }

    /// Keeps the programs that this command completes.
    fn choose(&mut self, plans: Vec<ProgramPlan>, now: &CommandState<'_, impl Fn(&Path) -> bool>) {
        // Many programs take in the same units.
        let (mut due, mut current) = (HashMap::new(), HashMap::new());
        for plan in plans.into_iter().filter(|p| pending::concerns(p, &self.facts)) {
            if !now.concerns(&plan) {
                continue;
            }
            let mut waits = |i: usize| match (now.links(&plan), now.is_last(&plan)) {
                // The objects of a link exist as they were compiled.
                (true, _) => false,
                // The build tool is about to compile the unit, by a command that comes to the shim.
                (false, true) => *due.entry(i).or_insert_with(|| now.is_due(&self.facts[i])),
                (false, false) => !*current.entry(i).or_insert_with(|| now.present.up_to_date(&self.facts[i])),
            };
            let stale = plan.units.iter().find(|&&i| i >= now.own && waits(i));
            match stale {
                Some(&i) => {
                    self.waiting.push(format!("{} waits for {}", plan.name, self.facts[i].unit.source.display()));
                }
                None if plan.incomplete && !now.is_last(&plan) => {
                    self.awaited.extend(&plan.units);
                    self.waiting.push(format!("{} waits for more of its objects", plan.name));
                }
                None => self.plans.push(plan),
            }
        }
    }

    /// Reads the units that the programs need and that are unread or have changed; programs that need too many wait.
    fn read_pending(&mut self, store: &FactStore, session: &Session, now: &CommandState<'_, impl Fn(&Path) -> bool>) {
        for plan in std::mem::take(&mut self.plans) {
            let mut needed: BTreeSet<usize> = pending::needed(&plan, &self.facts).into_iter().collect();
            let others = plan.units.iter().copied().filter(|&i| i >= now.own && self.facts[i].unseen.is_none());
            needed.extend(others.filter(|&i| {
                let unit = &self.facts[i];
                // If the object is not made yet, nothing else gives its symbols.
                if unit.pending {
                    !unit.key.exists()
                } else {
                    let is_of_output =
                        || now.present.inputs_unchanged(unit) || made::is_as_kept(store.folder(), &unit.key);
                    now.is_last(&plan) && !is_of_output()
                }
            }));
            if needed.len() > MAX_PENDING {
                let line = format!("{} waits for `scuba check`: {} units are to be read", plan.name, needed.len());
                if now.is_last(&plan) {
                    let first: Vec<String> =
                        needed.iter().take(2).map(|&i| linked::shown(&self.facts[i].key)).collect();
                    self.unread.push(format!(
                        "{}: {} objects are unread, among them {}: run `scuba check` to read them",
                        plan.name,
                        needed.len(),
                        first.join(", ")
                    ));
                }
                self.waiting.push(line);
                continue;
            }
            let before: Vec<&UnitFacts> = needed.iter().map(|&i| &self.facts[i]).collect();
            let read = pending::read(&before, session, &|_| {});
            for (&i, mut unit) in needed.iter().zip(read) {
                unit.facts.denied &= unit.facts.lies();
                // If it cannot be stored, it is read again next time.
                let _: Result<(), StoreError> = store.write_unit(&unit);
                self.facts[i] = unit.facts;
                self.code.insert(i, unit.modules);
            }
            self.plans.push(plan);
        }
    }

    /// Notes objects of complete programs that are not read. The end of a `scuba build` knows more commands and
    /// reports them itself.
    fn tell_unseen(&mut self, now: &CommandState<'_, impl Fn(&Path) -> bool>) {
        if history::build_of_this_process().is_some() {
            self.unread.clear();
            return;
        }
        let last: Vec<ProgramPlan> = self.plans.iter().filter(|p| now.is_last(p)).cloned().collect();
        self.unseen = unseen::of_plans(&last, &self.facts);
    }

    /// Removes programs that need functions of units which are not compiled yet, if their link comes to the shim: it
    /// knows more and decides the same again. Returns the command's units that wait for it.
    fn leave_to_link(&mut self, now: &CommandState<'_, impl Fn(&Path) -> bool>, alone: bool) -> BTreeSet<usize> {
        let own = &self.facts[..now.own];
        let lacks = |units: &[usize]| Symbols::lack_one(units.iter().map(|&i| &self.facts[i].symbols));
        // Sides that were not read are told with the verdicts.
        if now.link.is_some() || own.iter().any(|u| !u.not_analysed.is_empty()) {
            return BTreeSet::new();
        }
        // The end of a `scuba build` checks all programs.
        if alone && !unseen::are_linked_by_nvcc(own) {
            return self.awaited.iter().copied().filter(|i| *i < now.own && lacks(&[*i])).collect();
        }
        let (left, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.plans)
            .into_iter()
            .partition(|plan| plan.output.is_none() && !now.is_last(plan) && lacks(&plan.units));
        let placed: BTreeSet<usize> = kept.iter().flat_map(|p| p.units.clone()).collect();
        let waiting = (0..now.own).filter(|i| !placed.contains(i) && lacks(&[*i])).collect();
        self.plans = kept;
        self.waiting.extend(left.iter().map(|plan| format!("{} waits for its link", plan.name)));
        waiting
    }

    /// Marks programs whose link comes to the shim with the same units.
    fn expect_links(&mut self, now: &CommandState<'_, impl Fn(&Path) -> bool>, alone: bool) {
        let by_nvcc = !alone || unseen::are_linked_by_nvcc(&self.facts[..now.own]);
        for plan in &mut self.plans {
            let whole = !plan.incomplete && !plan.unknown_objects;
            let has_main = plan.units.iter().any(|&i| self.facts[i].symbols.has_main());
            let comes = !now.is_last(plan) && (plan.output.is_some() || by_nvcc);
            plan.linked_next = now.link.is_none() && whole && has_main && comes;
        }
    }

    /// Checks units that belong to no ready program by themselves, except those that wait.
    fn add_alone(&mut self, own: usize, waiting: &BTreeSet<usize>) {
        let placed: BTreeSet<usize> = self.plans.iter().flat_map(|p| p.units.clone()).collect();
        let alone = |i: &usize| !placed.contains(i) && !waiting.contains(i) && !self.facts[*i].pending;
        for i in (0..own).filter(alone).collect::<Vec<_>>() {
            let name = self.facts[i].unit.source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            self.plans.push(ProgramPlan { name, units: vec![i], ..ProgramPlan::default() });
        }
    }

    /// # Errors
    /// If a unit's facts have gone or cannot be decoded.
    pub fn modules(&self, i: usize, store: &FactStore) -> Result<Vec<Arc<Module>>> {
        match self.code.get(&i) {
            Some(code) => Ok(code.clone()),
            None => Ok(store.modules(&self.facts[i].key)?),
        }
    }

    /// Returns the second reading of a unit, if another front end read it just now.
    #[must_use]
    pub fn second(&self, i: usize) -> Option<SecondCode> {
        self.second.get(&i).cloned()
    }

    /// Whether a source belongs to one of the command's units, or was read for the command.
    #[must_use]
    pub fn is_read_now(&self, source: &Path) -> bool {
        self.code.keys().any(|&i| self.facts[i].source() == source)
    }
}
