//! Which units make up which program.
//!
//! As the linker would, as far as the build is known: by the links it makes; where none is known, by the targets that
//! CMake's folder names tell; and otherwise by `main` and the symbols it needs. Two `main`s never meet, and a symbol
//! that two units define is not joined.

use super::archive;
use super::generated::folders::target_folder;
use super::generated::planned::Planned;
use super::store::canonical;
use super::symbols::Symbol;
use super::unit::{LinkFacts, UnitFacts};
use files::hash_of;
use nvcc::request::LinkKind;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// One program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub name: String,
    /// Positions in the list of units, in the order of their keys: the same program is the same whoever lists its units.
    pub units: Vec<usize>,
    /// The file that its link makes, where that is known.
    pub output: Option<PathBuf>,
    /// Archives and libraries that go into it and whose links are known.
    pub parts: Vec<PathBuf>,
    /// The link takes in CUDA objects of which no facts are there.
    pub incomplete: bool,
    /// It takes in objects of which nothing is known: what they define is missing.
    pub unknown_objects: bool,
    /// A unit may yet come, and clear what is merely possible. Whoever plans for now says so.
    pub tentative: bool,
}

/// The links of a build: those that were `seen`, as they are `planned` by now where that is known.
#[must_use]
pub fn links(seen: Vec<LinkFacts>, planned: &Planned) -> Vec<LinkFacts> {
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
pub fn programs(units: &[UnitFacts], links: &[LinkFacts]) -> Vec<Plan> {
    let index = Index::new(units, links);
    let mut plans: Vec<Plan> = Vec::new();
    let mut placed: BTreeSet<usize> = BTreeSet::new();

    for link in links.iter().filter(|l| l.link.kind == LinkKind::Executable) {
        add(&mut plans, &mut placed, index.plan_of_link(link));
    }
    // A shared library is a program of its own only where no program that uses it was seen.
    for link in links.iter().filter(|l| l.link.kind == LinkKind::SharedLibrary) {
        let plan = index.plan_of_link(link);
        if !plan.units.iter().any(|m| placed.contains(m)) {
            add(&mut plans, &mut placed, plan);
        }
    }
    for (i, unit) in units.iter().enumerate() {
        if placed.contains(&i) || !unit.symbols.has_main() {
            continue;
        }
        let target = cmake_target(&unit.key);
        let mut members = BTreeSet::from([i]);
        if let Some(target) = &target {
            members.extend(
                (0..units.len())
                    .filter(|&j| !units[j].symbols.has_main() && cmake_target(&units[j].key).as_ref() == Some(target)),
            );
        }
        index.pull(&mut members, &index.without_main);
        let name = target.map_or_else(|| stem(unit), |t| t.name);
        add(&mut plans, &mut placed, Plan::of(name, members));
    }
    for group in index.leftovers(&placed) {
        let first = group.iter().next().map(|&i| &units[i]);
        let name = first.map(|u| cmake_target(&u.key).map_or_else(|| stem(u), |t| t.name)).unwrap_or_default();
        add(&mut plans, &mut placed, Plan::of(name, group));
    }
    for plan in &mut plans {
        plan.units.sort_by(|&a, &b| units[a].key.cmp(&units[b].key));
    }
    plans
}

impl Plan {
    /// Whether somebody who says `program` means this one: its file, one that goes into it, or its name.
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

fn add(plans: &mut Vec<Plan>, placed: &mut BTreeSet<usize>, plan: Plan) {
    // A link of nothing that we know (pure C++, say) is no program of ours.
    if plan.units.is_empty() {
        return;
    }
    placed.extend(&plan.units);
    if plans.iter().any(|p| p.units == plan.units) {
        return;
    }
    plans.push(plan);
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn stem(unit: &UnitFacts) -> String {
    unit.unit.source.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A CMake target, from an object's path `…/CMakeFiles/NAME.dir/…` (CMake 3.25, both generators).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Target {
    base: PathBuf,
    name: String,
}

fn cmake_target(key: &Path) -> Option<Target> {
    let folder = target_folder(key)?;
    Some(Target { base: folder.parent()?.to_owned(), name: folder.file_stem()?.to_str()?.to_owned() })
}

struct Index<'a> {
    units: &'a [UnitFacts],
    by_key: HashMap<PathBuf, usize>,
    links: HashMap<PathBuf, &'a LinkFacts>,
    strong: HashMap<&'a Symbol, Vec<usize>>,
    weak: HashMap<&'a Symbol, Vec<usize>>,
    /// Units by their objects' contents, for archives whose making nobody saw; filled when first needed.
    by_contents: OnceCell<HashMap<[u8; 32], Vec<usize>>>,
    without_main: BTreeSet<usize>,
}

/// What the links that make up one program take in.
#[derive(Default)]
struct Taken {
    members: BTreeSet<usize>,
    /// Members of archives: only what is needed comes along.
    archived: BTreeSet<usize>,
    /// Inputs that were looked at.
    seen: BTreeSet<PathBuf>,
    parts: Vec<PathBuf>,
    incomplete: bool,
    unknown_objects: bool,
}

impl<'a> Index<'a> {
    fn new(units: &'a [UnitFacts], links: &'a [LinkFacts]) -> Self {
        let mut strong: HashMap<&Symbol, Vec<usize>> = HashMap::new();
        let mut weak: HashMap<&Symbol, Vec<usize>> = HashMap::new();
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
        }
    }

    /// What a link takes in: its objects all, of its archives what is needed.
    fn plan_of_link(&self, link: &LinkFacts) -> Plan {
        let mut taken = Taken::default();
        self.collect(link, &mut taken);
        // What is optimised when it is linked, or compiled and linked at once, shows no symbols before it is read: any of it may be needed, and
        // it may need any.
        let silent = |i: &usize| self.units[*i].pending && self.units[*i].symbols.is_empty();
        let may_need_any = taken.members.iter().any(silent);
        taken.members.extend(taken.archived.iter().copied().filter(|i| may_need_any || silent(i)));
        self.pull(&mut taken.members, &taken.archived);
        Plan {
            output: Some(link.link.output.clone()),
            parts: taken.parts,
            incomplete: taken.incomplete,
            unknown_objects: taken.unknown_objects,
            ..Plan::of(file_name(&link.link.output), taken.members)
        }
    }

    fn collect(&self, link: &LinkFacts, taken: &mut Taken) {
        taken.members.extend(link.units.iter().filter_map(|k| self.by_key.get(k)));
        for input in &link.link.inputs {
            let input = canonical(input);
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
                // A copy of an object.
                let copied = || by_contents.get(&hash_of(&input)?)?.first();
                if is_object && let Some(&unit) = copied() {
                    taken.members.insert(unit);
                    continue;
                }
                taken.unknown_objects |= is_object;
                // CMake's and meson's names for objects of CUDA sources.
                taken.incomplete |= input.as_os_str().as_encoded_bytes().ends_with(b".cu.o");
                // Equal sources in two folders give equal objects: then all of them are candidates, and none is joined.
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

    /// Adds the units of `pool` that define what `members` need and do not define, until nothing is added. A symbol
    /// that several of them define strongly (or, without a strong one, weakly) is left alone.
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

    fn definer(&self, need: &Symbol, members: &BTreeSet<usize>, pool: &BTreeSet<usize>) -> Option<usize> {
        for table in [&self.strong, &self.weak] {
            let all = table.get(need).map_or(&[][..], Vec::as_slice);
            if all.iter().any(|i| members.contains(i)) {
                return None;
            }
            let mut candidates = all.iter().filter(|i| pool.contains(i));
            match (candidates.next(), candidates.next()) {
                (Some(&only), None) => return Some(only),
                (Some(_), Some(_)) => return None,
                (None, _) => {}
            }
        }
        None
    }

    /// What no program took in, grouped by what needs what.
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

/// Whom `i` follows in the end.
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
