//! Cache of units that a front end has read, like a compiler cache (ccache's "direct mode"): the same command on the
//! same files is not read again.
//!
//! In: a unit, the options of its reading. Out: the earlier reading with its files, provided that each file is
//! unchanged and no new file precedes one of them in clang's search folders. Only complete readings by clang are kept:
//! a reading that a limit cut off, or that clang refused, is tried again each time.

use config::FrontendKind;
use facts::DiskSnapshot;
use files::program::identity;
use files::{ContentStore, Dependency, Hashes, Since};
use frontend::namesakes::{Namesakes, SearchFolders};
use frontend::{ExtractOptions, Extraction};
use nvcc::unit::TranslationUnit;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

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
#[derive(Serialize, Deserialize)]
struct StoredReading {
    files: Vec<Dependency>,
    namesakes: Namesakes,
    reading: Extraction,
}

/// Cached readings of one unit.
pub struct Readings {
    kept: ContentStore,
    key: [u8; 32],
    folders: SearchFolders,
}

impl Readings {
    /// Opens the cached readings of a unit. `None` without a cache, for cgeist alone, if checks are to be inserted,
    /// and if a program that affects the reading cannot be told from another version of itself.
    #[must_use]
    pub fn of(unit: &TranslationUnit, options: &ExtractOptions, kept: Option<ContentStore>) -> Option<Self> {
        let kept = kept?.of_readings();
        if options.checks.is_some() || options.kind == FrontendKind::Cgeist {
            return None;
        }
        Some(Self { kept, key: key(unit, options)?, folders: SearchFolders::of(unit) })
    }

    /// Returns the cached reading and its files, if all of them are unchanged.
    #[must_use]
    pub fn get(&self, present: &DiskSnapshot) -> Option<(Extraction, Vec<Dependency>)> {
        let kept: StoredReading = self.kept.get(&self.key)?;
        let as_then = kept.files.iter().all(|f| present.unchanged(f))
            && self.folders.unchanged(paths(&kept.files), &kept.namesakes);
        as_then.then_some((kept.reading, kept.files))
    }

    /// Stores a reading of these files that began at `since`.
    pub fn put(&self, reading: &Extraction, files: &[Dependency], since: &Since) {
        let whole = reading.not_analysed.is_empty() && reading.second.is_none() && !reading.modules.is_empty();
        // A file that changed meanwhile counts as unknown.
        if !whole || files.len() != reading.dependencies.len() || !files.iter().all(Dependency::is_known) {
            return;
        }
        let Some(namesakes) = self.folders.namesakes(paths(files), since) else { return };
        let kept = StoredReading { files: files.to_vec(), namesakes, reading: reading.clone() };
        self.kept.put(&self.key, false, &kept);
    }
}

fn paths(files: &[Dependency]) -> impl Iterator<Item = &Path> + Clone {
    files.iter().map(|f| f.path.as_path())
}

/// Hash of the command, of all programs that take part in the reading, and of what these read from the environment.
fn key(unit: &TranslationUnit, options: &ExtractOptions) -> Option<[u8; 32]> {
    let mut hash = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    // The output of the compilation does not affect the reading.
    let unit = TranslationUnit { output: None, command: vec![], ..unit.clone() };
    add(&postcard::to_stdvec(&unit).ok()?);
    let clang = which::which(&options.clang).ok().filter(|c| !is_script(c))?;
    let compiler = unit.host_compiler.clone().unwrap_or_else(|| "g++".into());
    let compiler = if compiler.is_dir() { compiler.join("g++") } else { compiler };
    let this = std::env::current_exe().ok()?;
    let hashes = Hashes::of_this_process();
    let worker = options.worker.clone().unwrap_or_else(|| this.with_file_name("scuba-extract"));
    for program in [Some(&this), Some(&worker), Some(&clang), unit.nvcc.as_ref()].into_iter().flatten() {
        add(identity(program, hashes)?.as_bytes());
    }
    // A host compiler that is not found is not asked.
    let host = which::which_in(&compiler, std::env::var_os("PATH"), &unit.directory).ok();
    add(host.and_then(|h| identity(&h, hashes)).unwrap_or_default().as_bytes());
    add(which::which(options.cgeist.as_deref().unwrap_or(Path::new("cgeist")))
        .ok()
        .and_then(|c| identity(&c, hashes))
        .unwrap_or_default()
        .as_bytes());
    let profile = unit.nvcc.as_ref().map(|n| n.with_file_name("nvcc.profile"));
    add(profile.and_then(|p| std::fs::read(p).ok()).unwrap_or_default().as_slice());
    add(format!(
        "{:?} {:?} {:?} {:?} {:?}",
        options.kind, options.cgeist, options.cgeist_cuda, options.extra_flags, options.cuda_path
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
