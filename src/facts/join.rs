//! Grouping of units into programs.
//!
//! The grouping follows the linker as far as the build is known. It uses the recorded and planned links; for units
//! without a link, the targets that CMake's folder names give; else `main` and the symbols that it needs. No program
//! has two `main`s, and a symbol with definitions in two units is not joined.

use super::archive;
use super::generated::folders::target_folder;
use super::generated::planned::FolderPlans;
use super::store::canonical;
use super::symbols::LinkSymbol;
use super::unit::{LinkFacts, UnitFacts};
use files::hash_of;
use nvcc::request::LinkKind;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// A program: its units, and how much of its link is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramPlan {
    pub name: String,
    /// Indices into the list of units, sorted by the units' keys, so that the order of the list does not matter.
    pub units: Vec<usize>,
    /// Output of the program's link, where that link is known.
    pub output: Option<PathBuf>,
    /// Archives and libraries that the program takes in and whose links are known.
    pub parts: Vec<PathBuf>,
    /// Whether the link takes in CUDA objects without facts.
    pub incomplete: bool,
    /// Whether the link takes in objects of which nothing is known: their definitions are missing.
    pub unknown_objects: bool,
    /// Whether a later unit may still be added, and refute merely possible findings. The caller of the planning sets
    /// it.
    pub tentative: bool,
    /// Whether the link of just these units is expected, and will be checked, so that one check serves both. The caller of
    /// the planning sets it.
    pub linked_next: bool,
}

/// Merges the links of a build: a planned link replaces the `seen` one with the same output.
#[must_use]
pub fn links(seen: Vec<LinkFacts>, planned: &FolderPlans) -> Vec<LinkFacts> {
    let mut all: HashMap<PathBuf, LinkFacts> = seen.into_iter().map(|l| (canonical(&l.link.output), l)).collect();
    for link in &planned.links {
        let known =
            all.entry(canonical(&link.output)).or_insert_with(|| LinkFacts { link: link.clone(), units: vec![] });
        known.link = link.clone();
    }
    let mut all: Vec<LinkFacts> = all.into_values().collect();
    all.sort_by(|a, b| a.link.output.cmp(&b.link.output));
    all
}

/// Groups units into programs; every unit is in at least one.
#[must_use]
pub fn programs(units: &[UnitFacts], links: &[LinkFacts]) -> Vec<ProgramPlan> {
    let index = LinkIndex::new(units, links);
    let mut plans = PlanList::default();

    for link in links.iter().filter(|l| l.link.kind == LinkKind::Executable) {
        plans.add(index.plan_of_link(link));
    }
    // A shared library is its own program only if no program in the build uses it.
    for link in links.iter().filter(|l| l.link.kind == LinkKind::SharedLibrary) {
        let plan = index.plan_of_link(link);
        if !plan.units.iter().any(|m| plans.placed.contains(m)) {
            plans.add(plan);
        }
    }
    for (i, unit) in units.iter().enumerate() {
        if plans.placed.contains(&i) || !unit.symbols.has_main() {
            continue;
        }
        let target = cmake_target(&unit.key);
        let mut members = BTreeSet::from([i]);
        members.extend(target.as_ref().and_then(|t| index.of_target().get(t)).into_iter().flatten());
        index.pull(&mut members, &index.without_main);
        let name = target.map_or_else(|| stem(unit), |t| t.name);
        plans.add(ProgramPlan::of(name, members));
    }
    for group in index.leftovers(&plans.placed) {
        let first = group.iter().next().map(|&i| &units[i]);
        let name = first.map(|u| cmake_target(&u.key).map_or_else(|| stem(u), |t| t.name)).unwrap_or_default();
        plans.add(ProgramPlan::of(name, group));
    }
    let mut plans = plans.all;
    for plan in &mut plans {
        plan.units.sort_by(|&a, &b| units[a].key.cmp(&units[b].key));
    }
    plans
}

impl ProgramPlan {
    /// Whether the path or name `program` denotes this program: its output, one of its parts, or its name.
    #[must_use]
    pub fn is_meant(&self, program: &Path) -> bool {
        let path = canonical(program);
        let is = |file: &PathBuf| canonical(file) == path;
        self.output.as_ref().is_some_and(is) || self.parts.iter().any(is) || program == Path::new(&self.name)
    }

    fn of(name: String, units: BTreeSet<usize>) -> Self {
        Self { name, units: units.into_iter().collect(), ..Self::default() }
    }
}

/// Programs that were found so far.
#[derive(Default)]
struct PlanList {
    all: Vec<ProgramPlan>,
    /// Units of these programs.
    placed: BTreeSet<usize>,
    /// Lists of units that some program has.
    known: HashSet<Vec<usize>>,
}

impl PlanList {
    fn add(&mut self, plan: ProgramPlan) {
        // A link without known units (pure C++, for instance) is not analysed as a program.
        if plan.units.is_empty() {
            return;
        }
        self.placed.extend(&plan.units);
        if self.known.insert(plan.units.clone()) {
            self.all.push(plan);
        }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn stem(unit: &UnitFacts) -> String {
    unit.unit.source.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A CMake target, from an object's path `…/CMakeFiles/NAME.dir/…` (CMake 3.25, both generators).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CMakeTarget {
    base: PathBuf,
    name: String,
}

fn cmake_target(key: &Path) -> Option<CMakeTarget> {
    let folder = target_folder(key)?;
    Some(CMakeTarget { base: folder.parent()?.to_owned(), name: folder.file_stem()?.to_str()?.to_owned() })
}

struct LinkIndex<'a> {
    units: &'a [UnitFacts],
    by_key: HashMap<PathBuf, usize>,
    links: HashMap<PathBuf, &'a LinkFacts>,
    strong: HashMap<&'a LinkSymbol, Vec<usize>>,
    weak: HashMap<&'a LinkSymbol, Vec<usize>>,
    /// Units by the contents of their objects, to identify archives without a known link; filled on first use.
    by_contents: OnceCell<HashMap<[u8; 32], Vec<usize>>>,
    without_main: BTreeSet<usize>,
    /// Units without `main` by their CMake targets; filled on first use.
    by_target: OnceCell<HashMap<CMakeTarget, Vec<usize>>>,
    /// Canonical paths of inputs: programs share most of theirs.
    canonical: RefCell<HashMap<PathBuf, PathBuf>>,
}

/// Inputs of the links that make up one program.
#[derive(Default)]
struct ProgramLinkInputs {
    members: BTreeSet<usize>,
    /// Members of archives: only those that the program needs are added.
    archived: BTreeSet<usize>,
    /// Inputs that were visited.
    seen: BTreeSet<PathBuf>,
    parts: Vec<PathBuf>,
    incomplete: bool,
    unknown_objects: bool,
}

impl<'a> LinkIndex<'a> {
    fn new(units: &'a [UnitFacts], links: &'a [LinkFacts]) -> Self {
        let mut strong: HashMap<&LinkSymbol, Vec<usize>> = HashMap::new();
        let mut weak: HashMap<&LinkSymbol, Vec<usize>> = HashMap::new();
        for (i, u) in units.iter().enumerate() {
            for s in &u.symbols.strong {
                strong.entry(s).or_default().push(i);
            }
            for s in &u.symbols.weak {
                weak.entry(s).or_default().push(i);
            }
        }
        Self {
            units,
            by_key: units.iter().enumerate().map(|(i, u)| (u.key.clone(), i)).collect(),
            links: links.iter().map(|l| (canonical(&l.link.output), l)).collect(),
            strong,
            weak,
            by_contents: OnceCell::new(),
            without_main: (0..units.len()).filter(|&i| !units[i].symbols.has_main()).collect(),
            by_target: OnceCell::new(),
            canonical: RefCell::default(),
        }
    }

    /// Units without `main` by their CMake targets.
    fn of_target(&self) -> &HashMap<CMakeTarget, Vec<usize>> {
        self.by_target.get_or_init(|| {
            let mut found: HashMap<CMakeTarget, Vec<usize>> = HashMap::new();
            for &i in &self.without_main {
                if let Some(target) = cmake_target(&self.units[i].key) {
                    found.entry(target).or_default().push(i);
                }
            }
            found
        })
    }

    fn canonical(&self, path: &Path) -> PathBuf {
        if let Some(known) = self.canonical.borrow().get(path) {
            return known.clone();
        }
        let found = canonical(path);
        self.canonical.borrow_mut().insert(path.to_owned(), found.clone());
        found
    }

    /// Plans the program of a link: all of its objects, and the needed members of its archives.
    fn plan_of_link(&self, link: &LinkFacts) -> ProgramPlan {
        let mut taken = ProgramLinkInputs::default();
        self.collect(link, &mut taken);
        // A unit that is optimised at link time, or compiled and linked at once, has no known symbols before it is
        // read. Any member may need it, and it may need any member.
        let silent = |i: &usize| self.units[*i].pending && self.units[*i].symbols.is_empty();
        let may_need_any = taken.members.iter().any(silent);
        taken.members.extend(taken.archived.iter().copied().filter(|i| may_need_any || silent(i)));
        self.pull(&mut taken.members, &taken.archived);
        ProgramPlan {
            output: Some(link.link.output.clone()),
            parts: taken.parts,
            incomplete: taken.incomplete,
            unknown_objects: taken.unknown_objects,
            ..ProgramPlan::of(file_name(&link.link.output), taken.members)
        }
    }

    fn collect(&self, link: &LinkFacts, taken: &mut ProgramLinkInputs) {
        taken.members.extend(link.units.iter().filter_map(|k| self.by_key.get(k)));
        for input in &link.link.inputs {
            let input = self.canonical(input);
            if let Some(&i) = self.by_key.get(&input) {
                taken.members.insert(i);
            } else if !taken.seen.insert(input.clone()) {
                // Libraries may be named several times.
            } else if let Some(inner) = self.links.get(&input) {
                taken.parts.push(input);
                if inner.link.kind == LinkKind::Archive {
                    let mut objects = std::mem::take(&mut taken.members);
                    self.collect(inner, taken);
                    std::mem::swap(&mut taken.members, &mut objects);
                    taken.archived.append(&mut objects);
                } else {
                    self.collect(inner, taken);
                }
            } else {
                let is_object = input.extension().is_some_and(|e| e == "o");
                let by_contents = self.by_contents.get_or_init(|| self.hash_objects());
                // A copy of an object is the same unit.
                let copied = || by_contents.get(&hash_of(&input)?)?.first();
                if is_object && let Some(&unit) = copied() {
                    taken.members.insert(unit);
                    continue;
                }
                taken.unknown_objects |= is_object;
                // CMake's and Meson's names for objects of CUDA sources.
                taken.incomplete |= input.as_os_str().as_encoded_bytes().ends_with(b".cu.o");
                // Equal sources in two folders give equal objects: all of them become candidates, and none is joined.
                taken.archived.extend(archive::members(&input).iter().filter_map(|h| by_contents.get(h)).flatten());
            }
        }
    }

    fn hash_objects(&self) -> HashMap<[u8; 32], Vec<usize>> {
        let mut by_contents: HashMap<[u8; 32], Vec<usize>> = HashMap::new();
        for (i, unit) in self.units.iter().enumerate() {
            if let Ok(object) = std::fs::read(&unit.key) {
                by_contents.entry(*blake3::hash(&object).as_bytes()).or_default().push(i);
            }
        }
        by_contents
    }

    /// Adds the units of `pool` that define symbols which `members` need and do not define, until a fixed point. A
    /// symbol that several units of the pool define strongly (or, without a strong definition, weakly) is not resolved.
    fn pull(&self, members: &mut BTreeSet<usize>, pool: &BTreeSet<usize>) {
        let mut open: Vec<usize> = members.iter().copied().collect();
        while let Some(i) = open.pop() {
            for need in &self.units[i].symbols.needed {
                let Some(definer) = self.definer(need, members, pool) else { continue };
                if members.insert(definer) {
                    open.push(definer);
                }
            }
        }
    }

    fn definer(&self, need: &LinkSymbol, members: &BTreeSet<usize>, pool: &BTreeSet<usize>) -> Option<usize> {
        for table in [&self.strong, &self.weak] {
            let all = table.get(need).map_or(&[][..], Vec::as_slice);
            if first_two(all, members).0.is_some() {
                return None;
            }
            match first_two(all, pool) {
                (Some(only), None) => return Some(only),
                (Some(_), Some(_)) => return None,
                (None, _) => {}
            }
        }
        None
    }

    /// Groups the units that are in no program by their needed symbols.
    fn leftovers(&self, placed: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
        let left: BTreeSet<usize> = (0..self.units.len()).filter(|i| !placed.contains(i)).collect();
        let mut leader: Vec<usize> = (0..self.units.len()).collect();
        for &i in &left {
            for need in &self.units[i].symbols.needed {
                let Some(definer) = self.definer(need, &BTreeSet::from([i]), &left) else { continue };
                let (from, to) = (find(&mut leader, definer), find(&mut leader, i));
                leader[from] = to;
            }
        }
        let mut groups: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &i in &left {
            groups.entry(find(&mut leader, i)).or_default().insert(i);
        }
        let mut groups: Vec<BTreeSet<usize>> = groups.into_values().collect();
        groups.sort();
        groups
    }
}

/// Returns the first two units of the sorted list `all` that are in `set`. The smaller of both is searched: each unit of a
/// project may define a symbol, and each may be in the set.
fn first_two(all: &[usize], set: &BTreeSet<usize>) -> (Option<usize>, Option<usize>) {
    if all.len() <= set.len() {
        let mut both = all.iter().filter(|i| set.contains(i)).copied();
        (both.next(), both.next())
    } else {
        let mut both = set.iter().filter(|i| all.binary_search(i).is_ok()).copied();
        (both.next(), both.next())
    }
}

/// Returns the representative of `i` in a union-find forest, and shortens the path to it.
fn find(leader: &mut [usize], mut i: usize) -> usize {
    while leader[i] != i {
        leader[i] = leader[leader[i]];
        i = leader[i];
    }
    i
}

#[cfg(test)]
#[path = "join_tests.rs"]
mod tests;
