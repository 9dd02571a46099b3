//! Cache of units that a front end has read, like a compiler cache (ccache's "direct mode"): the same command on the
//! same files is not read again.
//!
//! In: a unit, the options of its reading. Out: the earlier reading with its files, provided that each file is
//! unchanged and no new file precedes one of them in clang's search folders. Only complete readings by clang are kept:
//! a reading that a limit cut off, or that clang refused, is tried again each time.
//!
//! The project's folder is no part of a reading, nor are times of files: a cache may be restored on another machine, for
//! a checkout in another folder. A reading that mentions the folder in another place than in paths of files, for example
//! in a string of the program, serves this folder only.

use super::placeless;
use base::own_program;
use config::FrontendKind;
use facts::DiskSnapshot;
use files::program::build;
use files::{ContentStore, Dependency, Hashes, Since, Stamp};
use finding::paths::ProjectRoot;
use frontend::namesakes::{Namesakes, SearchFolders};
use frontend::{ExtractOptions, Extraction};
use nvcc::unit::{PreprocessorFlag, TranslationUnit};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Further environment variables that clang and gcc read (clang's manual, "Environment variables").
const VARIABLES: [&str; 7] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "CCC_OVERRIDE_OPTIONS",
    "CLANG_CONFIG_FILE_SYSTEM_DIR",
];

/// Reading in its stored form.
#[derive(Clone, Serialize, Deserialize)]
struct StoredReading {
    files: Vec<Dependency>,
    namesakes: Namesakes,
    reading: Extraction,
}

/// Maximum number of readings of one source in an entry for other machines.
const MOST_SHARED: usize = 4;

/// Readings of one unit on other machines. Under one key there are some readings, which differ in headers: machines read
/// different branches of a project, and one branch must not replace the other.
struct SharedReadings {
    /// Keys of [`Readings`], with the contents of the source.
    keys: [[u8; 32]; 2],
    /// Readings under these keys that are not of the files here: they stay in the entry.
    others: RefCell<[Vec<StoredReading>; 2]>,
}

/// Cached readings of one unit.
pub struct Readings<'r> {
    kept: ContentStore,
    /// Keys for any folder of the project, and for this one.
    keys: [[u8; 32]; 2],
    shared: Option<SharedReadings>,
    folders: SearchFolders,
    root: &'r ProjectRoot,
}

impl<'r> Readings<'r> {
    /// Opens the cached readings of a unit. `None` without a cache, for cgeist alone, if checks are to be inserted,
    /// and if a program that affects the reading cannot be told from another version of itself.
    #[must_use]
    pub fn of(
        unit: &TranslationUnit,
        options: &ExtractOptions,
        root: &'r ProjectRoot,
        kept: Option<ContentStore>,
    ) -> Option<Self> {
        let kept = kept?.of_readings();
        if options.checks.is_some() || options.kind == FrontendKind::Cgeist {
            return None;
        }
        let programs = programs(unit, options)?;
        let keys = [key(&anywhere(unit, root), &programs, options, root)?, key(unit, &programs, options, &nowhere())?];
        let contents = if kept.is_shared() { contents(unit) } else { None };
        let shared = contents
            .map(|contents| SharedReadings { keys: keys.map(|key| with(&key, &contents)), others: RefCell::default() });
        Some(Self { kept, keys, shared, folders: SearchFolders::of(unit).of_project(root.folder()), root })
    }

    /// Returns the cached reading and its files, if all of them are unchanged.
    #[must_use]
    pub fn get(&self, present: &DiskSnapshot) -> Option<(Extraction, Vec<Dependency>)> {
        let known = self.keys.iter().find_map(|key| self.valid(self.kept.get(key)?, present));
        known.or_else(|| self.fetch(present))
    }

    /// Returns the reading that another machine shared, if all of its files are as here, and stores it.
    fn fetch(&self, present: &DiskSnapshot) -> Option<(Extraction, Vec<Dependency>)> {
        let shared = self.shared.as_ref()?;
        (0..self.keys.len()).find_map(|number| {
            let all: Vec<StoredReading> = self.kept.fetch(&shared.keys[number])?;
            let valid = all.iter().find_map(|stored| Some((self.valid(stored.clone(), present)?, stored)));
            if let Some((valid, stored)) = valid {
                self.kept.put(&self.keys[number], false, stored);
                return Some(valid);
            }
            self.kept.count_as_miss();
            shared.others.borrow_mut()[number] = all;
            None
        })
    }

    /// Returns a stored reading and its files, if all of them are unchanged.
    fn valid(&self, mut stored: StoredReading, present: &DiskSnapshot) -> Option<(Extraction, Vec<Dependency>)> {
        stored.each_path(|path| placeless::settle_path(path, self.root));
        let as_then = stored.files.iter().all(|f| present.unchanged(f))
            && self.folders.unchanged(paths(&stored.files), &stored.namesakes);
        as_then.then_some((stored.reading, stored.files))
    }

    /// Stores a reading of these files that began at `since`.
    pub fn put(&self, reading: &Extraction, files: &[Dependency], since: &Since) {
        let whole = reading.not_analysed.is_empty() && reading.second.is_none() && !reading.modules.is_empty();
        // A file that changed meanwhile counts as unknown.
        if !whole || files.len() != reading.dependencies.len() || !files.iter().all(Dependency::is_known) {
            return;
        }
        let Some(namesakes) = self.folders.namesakes(paths(files), since) else { return };
        let here = StoredReading { files: files.to_vec(), namesakes, reading: reading.clone() };
        let mut anywhere = here.clone();
        anywhere.each_path(|path| placeless::mark_path(path, self.root));
        let (number, mut stored) = if anywhere.mentions(self.root) { (1, here) } else { (0, anywhere) };
        self.kept.put(&self.keys[number], false, &stored);
        if let Some(shared) = &self.shared {
            // States of files are those of this machine.
            stored.files.iter_mut().for_each(|f| f.stamp = None);
            let mut all = vec![stored];
            all.append(&mut shared.others.borrow_mut()[number]);
            all.truncate(MOST_SHARED);
            self.kept.share(&shared.keys[number], &all);
        }
    }
}

impl StoredReading {
    /// Changes all paths of files.
    fn each_path(&mut self, change: impl Fn(&mut String)) {
        let each = |path: &mut PathBuf| {
            // Other paths stay as they are.
            let Some(mut text) = path.to_str().map(str::to_owned) else { return };
            change(&mut text);
            *path = text.into();
        };
        self.files.iter_mut().for_each(|f| each(&mut f.path));
        self.reading.dependencies.iter_mut().for_each(each);
        for module in &mut self.reading.modules {
            change(&mut module.source);
            module.files.iter_mut().for_each(|f| change(&mut f.path));
        }
    }

    /// Whether the text of a project's folder occurs.
    fn mentions(&self, root: &ProjectRoot) -> bool {
        let folder = root.folder().as_os_str().as_encoded_bytes();
        // A root as short as `/w` occurs by chance.
        let bytes = postcard::to_stdvec(&self).unwrap_or_default();
        folder.len() < 2 || bytes.is_empty() || bytes.windows(folder.len()).any(|w| w == folder)
    }
}

/// A root that no path is below.
fn nowhere() -> ProjectRoot {
    ProjectRoot::new(PathBuf::from("/\u{e000}"))
}

/// Returns a unit with a mark in place of the project's folder in its paths.
fn anywhere(unit: &TranslationUnit, root: &ProjectRoot) -> TranslationUnit {
    let marked = |path: &Path| -> PathBuf {
        let Some(mut text) = path.to_str().map(str::to_owned) else { return path.to_owned() };
        placeless::mark_path(&mut text, root);
        text.into()
    };
    let flag = |flag: &PreprocessorFlag| match flag {
        PreprocessorFlag::Include(p) => PreprocessorFlag::Include(marked(p)),
        PreprocessorFlag::SystemInclude(p) => PreprocessorFlag::SystemInclude(marked(p)),
        PreprocessorFlag::PreInclude(p) => PreprocessorFlag::PreInclude(marked(p)),
        PreprocessorFlag::Define(_) | PreprocessorFlag::Undefine(_) => flag.clone(),
    };
    TranslationUnit {
        source: marked(&unit.source),
        directory: marked(&unit.directory),
        nvcc: unit.nvcc.as_deref().map(marked),
        host_compiler: unit.host_compiler.as_deref().map(marked),
        preprocessor: unit.preprocessor.iter().map(flag).collect(),
        ..unit.clone()
    }
}

/// Returns the hash of a unit's source; `None` if it cannot be read.
fn contents(unit: &TranslationUnit) -> Option<[u8; 32]> {
    let source = unit.directory.join(&unit.source);
    Some(Hashes::of_this_process().of(&source, Stamp::at(&source)?)?.hash)
}

fn with(key: &[u8; 32], contents: &[u8; 32]) -> [u8; 32] {
    *blake3::Hasher::new().update(key).update(contents).finalize().as_bytes()
}

fn paths(files: &[Dependency]) -> impl Iterator<Item = &Path> + Clone {
    files.iter().map(|f| f.path.as_path())
}

/// A program that takes part in a reading.
#[derive(Default)]
struct ReadingProgram {
    /// Path, as a program may find its parts beside itself; empty for our own, which do not.
    path: String,
    build: String,
}

/// Returns all programs that take part in a reading. `None` if one cannot be told from another version.
fn programs(unit: &TranslationUnit, options: &ExtractOptions) -> Option<Vec<ReadingProgram>> {
    let clang = which::which(&options.clang).ok().filter(|c| !is_script(c))?;
    let compiler = unit.host_compiler.clone().unwrap_or_else(|| "g++".into());
    let compiler = if compiler.is_dir() { compiler.join("g++") } else { compiler };
    let this = own_program::path().ok()?;
    let hashes = Hashes::of_this_process();
    let worker = options.worker.clone().unwrap_or_else(|| this.with_file_name("scuba-extract"));
    let ours = |path: &Path| Some(ReadingProgram { path: String::new(), build: build(path, hashes)? });
    let other = |path: &Path| {
        let path = path.canonicalize().ok()?;
        Some(ReadingProgram { build: build(&path, hashes)?, path: path.display().to_string() })
    };
    let mut all = vec![ours(&this)?, ours(&worker)?, other(&clang)?];
    if let Some(nvcc) = &unit.nvcc {
        all.push(other(nvcc)?);
    }
    // A host compiler that is not found is not asked.
    let host = which::which_in(&compiler, std::env::var_os("PATH"), &unit.directory).ok();
    let cgeist = which::which(options.cgeist.as_deref().unwrap_or(Path::new("cgeist"))).ok();
    all.extend([host, cgeist].map(|program| program.and_then(|p| other(&p)).unwrap_or_default()));
    Some(all)
}

/// Hash of the command, of all programs that take part in the reading, and of what these read from the environment.
fn key(
    unit: &TranslationUnit,
    programs: &[ReadingProgram],
    options: &ExtractOptions,
    root: &ProjectRoot,
) -> Option<[u8; 32]> {
    let mut hash = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    // The output of the compilation does not affect the reading.
    let unit = TranslationUnit { output: None, command: vec![], ..unit.clone() };
    add(&postcard::to_stdvec(&unit).ok()?);
    for ReadingProgram { path, build } in programs {
        let mut path = path.clone();
        placeless::mark_path(&mut path, root);
        add(path.as_bytes());
        add(build.as_bytes());
    }
    let profile = unit.nvcc.as_ref().map(|n| n.with_file_name("nvcc.profile"));
    add(profile.and_then(|p| std::fs::read(p).ok()).unwrap_or_default().as_slice());
    // Names of files are relative to the project's folder.
    let names = format!("-fmacro-prefix-map={}/=", root.folder().display());
    let flags: Vec<&String> = options.extra_flags.iter().filter(|f| **f != names).collect();
    add(format!(
        "{:?} {:?} {:?} {:?} {:?}",
        options.kind, options.cgeist, options.cgeist_cuda, flags, options.cuda_path
    )
    .as_bytes());
    let toolkit = if unit.nvcc.is_none() { &["CUDA_PATH", "CUDA_HOME"][..] } else { &[] };
    for name in VARIABLES.iter().chain(toolkit) {
        add(std::env::var_os(name).unwrap_or_default().as_encoded_bytes());
    }
    Some(*hash.finalize().as_bytes())
}

/// Whether a program is a script or cannot be read. A script may run anything, so its file does not determine its
/// behaviour.
fn is_script(program: &Path) -> bool {
    let mut magic = [0; 2];
    std::fs::File::open(program).and_then(|mut f| f.read_exact(&mut magic)).is_err() || magic == *b"#!"
}
