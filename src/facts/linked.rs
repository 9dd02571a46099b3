//! Inputs of programs other than the units with facts.
//!
//! In: units and links of a build, the folders of the project. Out: the objects and archive members in these folders
//! that have no facts ([`Stray`]), and links that stand for archives whose `ar` command was not recorded. An object is
//! judged by its present contents, however it was built. Left out are objects elsewhere (of the system or the toolkit),
//! the output of nvcc's device link, and objects whose sources are not in the project: their own developers check
//! those.

use super::archive;
use super::generated::FolderPlans;
use super::objects::ObjectFile;
use super::store::canonical;
use super::unit::{LinkFacts, UnitFacts};
use files::hash_of;
use nvcc::request::{Link, LinkKind};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Maximum number of files below the project's folders that are searched for names of sources. Above it, every name
/// counts as a source of the project.
const MAX_FILES: usize = 200_000;
/// Maximum depth of the folders that are searched for sources.
const DEPTH: usize = 24;
/// File extensions of sources of host and device code.
const SOURCES: [&str; 12] = ["c", "cc", "cpp", "cxx", "c++", "C", "CPP", "cu", "s", "S", "f90", "F90"];
/// Folders of installed software, excluded even if a project's folder is the root of the file system.
const SYSTEM: [&str; 6] = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/cuda", "/opt/cuda"];

/// Paths of files by their names.
type ByName = HashMap<OsString, Vec<PathBuf>>;

/// Folders of a project: of its sources and of its builds.
#[derive(Debug, Default)]
pub struct Folders {
    /// Sorted.
    all: Vec<PathBuf>,
    /// Folders within these that hold third-party files.
    except: Vec<PathBuf>,
    /// Sources and objects below the folders, by their names; `None` if there are too many to list.
    files: OnceCell<Option<ByName>>,
}

impl Folders {
    /// Builds the set from absolute paths; each counts by its canonical path.
    #[must_use]
    pub fn new(all: impl IntoIterator<Item = PathBuf>) -> Self {
        let all: BTreeSet<PathBuf> = all.into_iter().map(|f| canonical(&f)).collect();
        Self { all: all.into_iter().collect(), except: vec![], files: OnceCell::new() }
    }

    /// Excludes folders with third-party files: toolkits.
    #[must_use]
    pub fn without(self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { except: folders.into_iter().map(|f| canonical(&f)).collect(), ..self }
    }

    /// Returns the folders of the project.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        self.all.iter().map(PathBuf::as_path)
    }

    /// Whether a file, by its canonical path, lies in one of the folders and not in an excluded or installed one.
    #[must_use]
    pub fn hold(&self, file: &Path) -> bool {
        // A project may have as many folders as targets: its list is sorted.
        let is_one = |folder: &Path| self.all.binary_search_by(|f| f.as_path().cmp(folder)).is_ok();
        file.ancestors().any(is_one) && !self.are_others(file)
    }

    /// Whether a file lies in a system's folder or a toolkit's.
    fn are_others(&self, file: &Path) -> bool {
        is_of_system(file) || self.except.iter().any(|e| file.starts_with(e))
    }

    /// Whether a source with this file name lies in one of the folders; true if there are too many files.
    #[must_use]
    pub fn have_source(&self, name: &str) -> bool {
        self.files.get_or_init(|| self.list()).as_ref().is_none_or(|all| all.contains_key(OsStr::new(name)))
    }

    /// Returns the sources that an object may be compiled from, by the names in the object or its key; no sources if
    /// there are too many files.
    #[must_use]
    pub fn sources_of(&self, object: &ObjectFile, key: &Path) -> Vec<PathBuf> {
        let Some(all) = self.files.get_or_init(|| self.list()) else { return vec![] };
        let names = source_names(object, key);
        let mut found: Vec<PathBuf> = names.iter().filter_map(|n| all.get(OsStr::new(n))).flatten().cloned().collect();
        found.sort();
        found.dedup();
        found
    }

    /// Returns all sources below the folders; `None` if there are too many files.
    #[must_use]
    pub fn sources(&self) -> Option<Vec<PathBuf>> {
        let all = self.files.get_or_init(|| self.list()).as_ref()?;
        let is_source = |name: &OsStr| Path::new(name).extension().is_some_and(|e| e != "o");
        let mut found: Vec<PathBuf> =
            all.iter().filter(|(name, _)| is_source(name)).flat_map(|(_, f)| f.clone()).collect();
        found.sort();
        Some(found)
    }

    /// Returns the object with this name and contents in one of the folders: the origin of an archive's member.
    fn object(&self, name: &str, contents: &[u8; 32]) -> Option<PathBuf> {
        let all = self.files.get_or_init(|| self.list()).as_ref()?;
        let mut same: Vec<&PathBuf> =
            all.get(OsStr::new(name))?.iter().filter(|file| hash_of(file).as_ref() == Some(contents)).collect();
        same.sort();
        same.first().map(|file| canonical(file))
    }

    fn list(&self) -> Option<ByName> {
        let (mut found, mut left) = (ByName::new(), MAX_FILES);
        for folder in &self.all {
            list(folder, DEPTH, &mut left, &mut found);
        }
        (left > 0).then_some(found)
    }
}

fn list(folder: &Path, depth: usize, left: &mut usize, found: &mut ByName) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        *left = left.saturating_sub(1);
        if *left == 0 {
            return;
        }
        let path = Path::new(&name);
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                let others = name.as_encoded_bytes().starts_with(b".") || name == "node_modules";
                depth.checked_sub(1).filter(|_| !others).into_iter().for_each(|d| list(&entry.path(), d, left, found));
            }
            Ok(_) if path.extension().and_then(|e| e.to_str()).is_some_and(|e| e == "o" || SOURCES.contains(&e)) => {
                found.entry(name).or_default().push(entry.path());
            }
            _ => {}
        }
    }
}

/// An object, an archive's member or a shared library that a program takes in, and that has no facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// Canonical path of the object; for an archive's member `ARCHIVE(MEMBER)`.
    pub key: PathBuf,
    /// Symbols and sources in the object; empty if it is not made yet.
    pub object: ObjectFile,
    /// blake3 of its contents, if it exists.
    pub contents: Option<[u8; 32]>,
}

impl Stray {
    /// Reads an object by its key.
    #[must_use]
    pub fn of(key: PathBuf) -> Self {
        let data = std::fs::read(&key).ok();
        let object = data.as_deref().and_then(ObjectFile::parse).unwrap_or_default();
        Self { key, object, contents: data.map(|data| *blake3::hash(&data).as_bytes()) }
    }

    /// Returns the file that holds the object: the object itself, or its archive.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        archive_of(&self.key).unwrap_or_else(|| self.key.clone())
    }

    /// Returns the name that messages use: the key without folders.
    #[must_use]
    pub fn name(&self) -> String {
        shown(&self.key)
    }
}

/// Returns an object's key without folders.
#[must_use]
pub fn shown(key: &Path) -> String {
    let name = |p: &Path| p.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match archive_of(key) {
        Some(archive) => {
            let member = key.to_string_lossy()[archive.as_os_str().len()..].to_owned();
            name(&archive) + &member
        }
        None => name(key),
    }
}

/// Returns the archive of a key `ARCHIVE(MEMBER)`.
fn archive_of(key: &Path) -> Option<PathBuf> {
    let text = key.to_str()?;
    let at = text.rfind(".a(").filter(|_| text.ends_with(')'))?;
    Some(text[..at + 2].into())
}

/// Inputs of a build's links that have no facts.
#[derive(Debug, Default)]
pub struct Strays {
    /// Strays, sorted by their keys.
    pub found: Vec<Stray>,
    /// Links of archives whose `ar` command was not recorded, by their members.
    pub archives: Vec<LinkFacts>,
    /// Objects in the project's folders whose sources are not in the project.
    pub nobodys: BTreeSet<PathBuf>,
}

/// Scope of the search for strays.
#[derive(Debug)]
pub struct StraySearch<'s> {
    pub folders: &'s Folders,
    /// Plans of the build folders. An object that they no longer make is no part of a program, even if it still exists.
    pub planned: &'s FolderPlans,
    /// Whether planned objects that are not made yet count as strays.
    pub unmade: bool,
}

/// Finds the strays of the `wanted` links, and of the links that these take in.
#[must_use]
pub fn strays(
    units: &[UnitFacts],
    links: &[LinkFacts],
    search: &StraySearch<'_>,
    wanted: impl Fn(&LinkFacts) -> bool,
) -> Strays {
    let mut walk = LinkWalk {
        known: units.iter().map(|u| u.key.as_path()).collect(),
        units,
        links: links.iter().map(|l| (canonical(&l.link.output), l)).collect(),
        search,
        by_contents: OnceCell::new(),
        seen: HashSet::new(),
        found: BTreeMap::new(),
        result: Strays::default(),
        named: HashSet::new(),
    };
    for link in links.iter().filter(|l| wanted(l)) {
        walk.link(link);
    }
    walk.result.found = walk.found.into_values().collect();
    walk.result
}

/// Whether the file lies in a folder of installed software.
#[must_use]
pub fn is_of_system(file: &Path) -> bool {
    SYSTEM.iter().any(|s| file.starts_with(s))
}

/// Whether an object, an archive or a shared library carries device code. CMake's and Meson's names for CUDA objects
/// decide, else the contents.
#[must_use]
pub fn has_device_code(file: &Path) -> bool {
    if file.as_os_str().as_encoded_bytes().ends_with(b".cu.o") {
        return true;
    }
    let Ok(data) = std::fs::read(file) else { return false };
    let carries = |data: &[u8]| ObjectFile::parse(data).is_some_and(|o| o.device_code);
    archive::contents(file, &data).map_or_else(|| carries(&data), |all| all.iter().any(|(_, data)| carries(data)))
}

/// Links by their outputs.
#[derive(Debug)]
pub struct ByOutput<'l>(HashMap<&'l Path, &'l LinkFacts>);

impl<'l> ByOutput<'l> {
    #[must_use]
    pub fn of(links: &'l [LinkFacts]) -> Self {
        Self(links.iter().map(|l| (l.link.output.as_path(), l)).collect())
    }

    /// Whether a link, or a link that it takes in, has an input or a unit that `is` accepts.
    pub fn take_in(&self, link: &'l LinkFacts, mut is: impl FnMut(&Path) -> bool) -> bool {
        let (mut open, mut seen) = (vec![link], HashSet::new());
        while let Some(link) = open.pop() {
            let inputs = &link.link.inputs;
            if inputs.iter().chain(&link.units).any(|i| is(i)) {
                return true;
            }
            let inner = inputs.iter().filter_map(|i| self.0.get(i.as_path()).copied());
            open.extend(inner.filter(|l| seen.insert(&l.link.output)));
        }
        false
    }
}

/// A search for links that take in a file of some kind. Each link is looked at once, however many take it in.
pub struct LinkSearch<'l, 'b, F> {
    by_output: &'b ByOutput<'l>,
    is: F,
    known: HashMap<&'l Path, bool>,
}

enum LinkResult {
    Found,
    Nothing,
    /// Undecided: links that are being looked at may still take in a file.
    Cut,
}

impl<'l, 'b, F: FnMut(&Path) -> bool> LinkSearch<'l, 'b, F> {
    pub fn new(by_output: &'b ByOutput<'l>, is: F) -> Self {
        Self { by_output, is, known: HashMap::new() }
    }

    /// Whether a link, or a link that it takes in, has an input or a unit of the kind.
    pub fn takes_in(&mut self, link: &'l LinkFacts) -> bool {
        let mut open = HashSet::new();
        let found = matches!(self.search(link, &mut open), LinkResult::Found);
        if !found {
            self.known.extend(open.into_iter().map(|output| (output, false)));
        }
        found
    }

    fn search(&mut self, link: &'l LinkFacts, open: &mut HashSet<&'l Path>) -> LinkResult {
        let output = link.link.output.as_path();
        match self.known.get(output) {
            Some(true) => return LinkResult::Found,
            Some(false) => return LinkResult::Nothing,
            None if !open.insert(output) => return LinkResult::Cut,
            None => {}
        }
        let inputs = &link.link.inputs;
        let mut result = LinkResult::Nothing;
        if inputs.iter().chain(&link.units).any(|i| (self.is)(i)) {
            result = LinkResult::Found;
        } else {
            let by_output = self.by_output;
            for inner in inputs.iter().filter_map(|i| by_output.0.get(i.as_path()).copied()) {
                match self.search(inner, open) {
                    LinkResult::Nothing => {}
                    LinkResult::Cut => result = LinkResult::Cut,
                    LinkResult::Found => {
                        result = LinkResult::Found;
                        break;
                    }
                }
            }
        }
        match result {
            LinkResult::Found => drop(self.known.insert(output, true)),
            LinkResult::Nothing => drop(self.known.insert(output, false)),
            LinkResult::Cut => {}
        }
        result
    }
}

struct LinkWalk<'a> {
    known: HashSet<&'a Path>,
    units: &'a [UnitFacts],
    links: HashMap<PathBuf, &'a LinkFacts>,
    search: &'a StraySearch<'a>,
    by_contents: OnceCell<HashMap<[u8; 32], PathBuf>>,
    seen: HashSet<PathBuf>,
    found: BTreeMap<PathBuf, Stray>,
    result: Strays,
    /// Inputs by the paths that links give.
    named: HashSet<PathBuf>,
}

impl LinkWalk<'_> {
    fn link(&mut self, link: &LinkFacts) {
        for input in &link.link.inputs {
            // Programs share most of their inputs.
            if !self.named.insert(input.clone()) {
                continue;
            }
            let input = canonical(input);
            if self.known.contains(input.as_path()) || !self.seen.insert(input.clone()) {
                continue;
            }
            if let Some(inner) = self.links.get(&input).copied() {
                // The output of nvcc's device link holds device code of objects that are inputs of this link as well.
                if inner.link.kind != LinkKind::DeviceLink {
                    self.link(inner);
                }
            } else if (self.search.folders.hold(&input) || self.is_object_of_here(&input))
                && !self.search.planned.dropped(&input)
            {
                self.input(input);
            }
        }
    }

    /// Handles an input in the project's folders that belongs to no known unit and no known link.
    fn input(&mut self, input: PathBuf) {
        let Ok(data) = std::fs::read(&input) else {
            if self.search.unmade && input.extension().is_some_and(|e| e == "o") {
                let stray = Stray { key: input.clone(), object: ObjectFile::default(), contents: None };
                self.found.insert(input, stray);
            }
            return;
        };
        if let Some(members) = archive::contents(&input, &data) {
            return self.archive(&input, &members);
        }
        // An object in another format (LLVM bitcode of `-flto`) is an object as well.
        let other = || input.extension().is_some_and(|e| e == "o").then(ObjectFile::default);
        // A copy of a known unit's object counts as that unit.
        let copied = input.extension().is_some_and(|e| e == "o")
            && self.by_contents().contains_key(blake3::hash(&data).as_bytes());
        if !copied && let Some(object) = ObjectFile::parse(&data).or_else(other) {
            self.object(input, object, &data);
        }
    }

    fn object(&mut self, key: PathBuf, object: ObjectFile, data: &[u8]) {
        if object.device_link {
            return;
        }
        // A planned object belongs to the project, wherever its source lies.
        if !self.search.planned.objects.contains(&key) && !self.is_made_here(&key, &object) {
            self.result.nobodys.insert(key);
            return;
        }
        let contents = Some(*blake3::hash(data).as_bytes());
        self.found.insert(key.clone(), Stray { key, object, contents });
    }

    /// Adds a link for an archive whose `ar` command was not recorded. Its inputs are the members: objects of known
    /// units, and strays.
    fn archive(&mut self, archive: &Path, members: &[(String, Cow<'_, [u8]>)]) {
        let mut inputs = Vec::new();
        for (name, data) in members {
            let hash = *blake3::hash(data).as_bytes();
            if let Some(unit) = self.by_contents().get(&hash) {
                inputs.push(unit.clone());
            } else if let Some(object) = ObjectFile::parse(data) {
                let beside = self.search.folders.object(name, &hash);
                let key = beside.unwrap_or_else(|| PathBuf::from(format!("{}({name})", archive.display())));
                self.object(key.clone(), object, data);
                inputs.push(key);
            }
        }
        let link = Link { kind: LinkKind::Archive, output: archive.to_owned(), inputs };
        self.result.archives.push(LinkFacts { link, units: vec![] });
    }

    fn by_contents(&self) -> &HashMap<[u8; 32], PathBuf> {
        self.by_contents.get_or_init(|| {
            let hash = |u: &UnitFacts| Some((hash_of(&u.key)?, u.key.clone()));
            self.units.iter().filter_map(hash).collect()
        })
    }

    /// Whether an object outside the project's folders was compiled from a source of the project. Archives and
    /// libraries elsewhere belong to others.
    fn is_object_of_here(&self, input: &Path) -> bool {
        input.extension().is_some_and(|e| e == "o")
            && !self.search.folders.are_others(input)
            && std::fs::read(input)
                .ok()
                .and_then(|data| ObjectFile::parse(&data))
                .is_some_and(|object| !object.sources.is_empty() && self.is_made_here(input, &object))
    }

    /// Whether one of the object's sources lies in the project's folders, or the compiler read it from a pipe:
    /// compilers name that source `<stdin>`.
    fn is_made_here(&self, key: &Path, object: &ObjectFile) -> bool {
        let piped = object.sources.iter().any(|source| matches!(source.as_str(), "<stdin>" | "-"));
        piped && self.search.folders.hold(key)
            || source_names(object, key).iter().any(|name| self.search.folders.have_source(name))
    }
}

/// Returns the possible names of an object's sources. If the object has no names of sources, its own name gives them:
/// `blur.cu.o` comes from `blur.cu`, `blur.o` from a `blur.*`.
fn source_names(object: &ObjectFile, key: &Path) -> Vec<String> {
    let mut names = object.sources.clone();
    if names.is_empty() {
        let name = shown(key);
        let name = name.rsplit_once('(').map_or(name.as_str(), |(_, member)| member.trim_end_matches(')'));
        names.push(name.strip_suffix(".o").unwrap_or(name).to_owned());
    }
    names
        .iter()
        .flat_map(|n| std::iter::once(n.clone()).chain(SOURCES.iter().map(move |e| format!("{n}.{e}"))))
        .collect()
}

#[cfg(test)]
#[path = "linked_tests.rs"]
mod tests;
