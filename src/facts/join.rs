//! Which units make up which program.
//!
//! As the linker would, as far as the build was seen: by the links it made; where none was seen, by the targets that
//! CMake's folder names tell; and otherwise by `main` and the symbols it needs. Two `main`s never meet, and a symbol
//! that two units define is not joined.

use super::archive;
use super::store::canonical;
use super::symbols::Symbol;
use super::{LinkFacts, UnitFacts, hash_file};
use crate::nvcc::request::LinkKind;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// One program: positions in the list of units, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan { pub name: String, pub units: Vec<usize> }

/// Groups units into programs; every unit is in at least one.
#[must_use]
pub fn programs(units: &[UnitFacts], links: &[LinkFacts]) -> Vec<Plan> {
    let index = Index::new(units, links);
    let mut plans: Vec<Plan> = Vec::new();
    let mut placed: BTreeSet<usize> = BTreeSet::new();

    for link in links.iter().filter(|l| l.link.kind == LinkKind::Executable) {
        add(&mut plans, &mut placed, file_name(&link.link.output), index.members_of_link(link));
    }
    // A shared library is a program of its own only where no program that uses it was seen.
    for link in links.iter().filter(|l| l.link.kind == LinkKind::SharedLibrary) {
        let members = index.members_of_link(link);
        if !members.iter().any(|m| placed.contains(m)) {
            add(&mut plans, &mut placed, file_name(&link.link.output), members);
        }
    }
    for (i, unit) in units.iter().enumerate() {
        if placed.contains(&i) || !unit.symbols.has_main() { continue; }
        let target = cmake_target(&unit.key);
        let mut members = BTreeSet::from([i]);
        if let Some(target) = &target {
            members.extend((0..units.len()).filter(|&j| {
                !units[j].symbols.has_main() && cmake_target(&units[j].key).as_ref() == Some(target)
            }));
        }
        index.pull(&mut members, &index.without_main);
        let name = target.map_or_else(|| stem(unit), |t| t.name);
        add(&mut plans, &mut placed, name, members);
    }
    for group in index.leftovers(&placed) {
        let first = group.iter().next().map(|&i| &units[i]);
        let name = first.map(|u| cmake_target(&u.key).map_or_else(|| stem(u), |t| t.name)).unwrap_or_default();
        add(&mut plans, &mut placed, name, group);
    }
    plans
}

fn add(plans: &mut Vec<Plan>, placed: &mut BTreeSet<usize>, name: String, members: BTreeSet<usize>) {
    // A link of nothing that we know (pure C++, say) is no program of ours.
    if members.is_empty() { return; }
    placed.extend(&members);
    let units: Vec<usize> = members.into_iter().collect();
    if plans.iter().any(|p| p.units == units) { return; }
    plans.push(Plan { name, units });
}

fn file_name(path: &Path) -> String { path.file_name().unwrap_or_default().to_string_lossy().into_owned() }

fn stem(unit: &UnitFacts) -> String { unit.unit.source.file_stem().unwrap_or_default().to_string_lossy().into_owned() }

/// A CMake target, from an object's path `…/CMakeFiles/NAME.dir/…` (CMake 3.25, both generators).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Target { base: PathBuf, name: String }

fn cmake_target(key: &Path) -> Option<Target> {
    let mut at = key;
    while let Some(parent) = at.parent() {
        let name = at.file_name()?.to_str()?;
        if let Some(target) = name.strip_suffix(".dir")
            && parent.file_name().is_some_and(|n| n == "CMakeFiles")
        {
            return Some(Target { base: parent.to_owned(), name: target.to_owned() });
        }
        at = parent;
    }
    None
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

impl<'a> Index<'a> {
    fn new(units: &'a [UnitFacts], links: &'a [LinkFacts]) -> Self {
        let mut strong: HashMap<&Symbol, Vec<usize>> = HashMap::new();
        let mut weak: HashMap<&Symbol, Vec<usize>> = HashMap::new();
        for (i, u) in units.iter().enumerate() {
            for s in &u.symbols.strong { strong.entry(s).or_default().push(i); }
            for s in &u.symbols.weak { weak.entry(s).or_default().push(i); }
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

    /// The units that a link takes in: its objects all, of its archives what is needed.
    fn members_of_link(&self, link: &LinkFacts) -> BTreeSet<usize> {
        let mut members = BTreeSet::new();
        let mut archived = BTreeSet::new();
        self.collect(link, &mut members, &mut archived, &mut BTreeSet::new());
        self.pull(&mut members, &archived);
        members
    }

    fn collect(&self, link: &LinkFacts, members: &mut BTreeSet<usize>, archived: &mut BTreeSet<usize>, seen: &mut BTreeSet<PathBuf>) {
        members.extend(link.units.iter().filter_map(|k| self.by_key.get(k)));
        for input in &link.link.inputs {
            let input = canonical(input);
            if let Some(&i) = self.by_key.get(&input) {
                members.insert(i);
            } else if !seen.insert(input.clone()) {
                // Libraries may be named several times.
            } else if let Some(inner) = self.links.get(&input) {
                if inner.link.kind == LinkKind::Archive {
                    let mut objects = BTreeSet::new();
                    self.collect(inner, &mut objects, archived, seen);
                    archived.append(&mut objects);
                } else {
                    self.collect(inner, members, archived, seen);
                }
            } else {
                // Equal sources in two folders give equal objects: then all of them are candidates, and none is joined.
                let by_contents = self.by_contents.get_or_init(|| self.hash_objects());
                archived.extend(archive::members(&input).iter().filter_map(|h| by_contents.get(h)).flatten());
            }
        }
    }

    fn hash_objects(&self) -> HashMap<[u8; 32], Vec<usize>> {
        let mut by_contents: HashMap<[u8; 32], Vec<usize>> = HashMap::new();
        for (i, unit) in self.units.iter().enumerate() {
            if let Some(hash) = hash_file(&unit.key) { by_contents.entry(hash).or_default().push(i); }
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
                if members.insert(definer) { open.push(definer); }
            }
        }
    }

    fn definer(&self, need: &Symbol, members: &BTreeSet<usize>, pool: &BTreeSet<usize>) -> Option<usize> {
        for table in [&self.strong, &self.weak] {
            let all = table.get(need).map_or(&[][..], Vec::as_slice);
            if all.iter().any(|i| members.contains(i)) { return None; }
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
        let mut group_of: BTreeMap<usize, usize> = left.iter().map(|&i| (i, i)).collect();
        for &i in &left {
            for need in &self.units[i].symbols.needed {
                let Some(definer) = self.definer(need, &BTreeSet::from([i]), &left) else { continue };
                let (from, to) = (group_of[&definer], group_of[&i]);
                for group in group_of.values_mut() { if *group == from { *group = to; } }
            }
        }
        let mut groups: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (i, group) in group_of { groups.entry(group).or_default().insert(i); }
        let mut groups: Vec<BTreeSet<usize>> = groups.into_values().collect();
        groups.sort();
        groups
    }
}

#[cfg(test)]
#[path = "join_tests.rs"]
mod tests;
