//! Units that a front end read before: as compiler caches do (ccache's "direct mode"), what was read of the same files by the same
//! command is not read again.
//!
//! In: a unit, the options of its reading. Out: the reading as it was, with the files that it was made of, where each of them is
//! what it was and none has come to where clang would have looked before it. Only whole readings by clang are kept: what a limit
//! cut off, or clang refused, is tried again each time.

use config::FrontendKind;
use facts::Present;
use facts::verdicts::Verdicts;
use files::program::identity;
use files::{Dependency, Hashes, Since};
use frontend::namesakes::{Namesakes, SearchFolders};
use frontend::{ExtractOptions, Extraction};
use nvcc::unit::TranslationUnit;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

/// What else clang and gcc read of the environment (clang's manual, "Environment variables").
const VARIABLES: [&str; 7] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "CCC_OVERRIDE_OPTIONS",
    "CLANG_CONFIG_FILE_SYSTEM_DIR",
];

/// A reading as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    files: Vec<Dependency>,
    namesakes: Namesakes,
    reading: Extraction,
}

/// Readings of one unit.
pub struct Readings {
    kept: Verdicts,
    key: [u8; 32],
    folders: SearchFolders,
}

impl Readings {
    /// Those of this unit; `None` where none are kept: without a cache, or where a program that decides what is read cannot be told from
    /// another version of itself.
    #[must_use]
    pub fn of(unit: &TranslationUnit, options: &ExtractOptions, kept: Option<Verdicts>) -> Option<Self> {
        let kept = kept?.of_readings();
        if options.keep_device_code.is_some() || options.kind == FrontendKind::Cgeist {
            return None;
        }
        Some(Self { kept, key: key(unit, options)?, folders: SearchFolders::of(unit) })
    }

    /// The reading and its files, as they are now.
    #[must_use]
    pub fn get(&self, present: &Present) -> Option<(Extraction, Vec<Dependency>)> {
        let kept: Kept = postcard::from_bytes(&self.kept.get(&self.key)?).ok()?;
        let as_then = kept.files.iter().all(|f| present.unchanged(f))
            && self.folders.unchanged(paths(&kept.files), &kept.namesakes);
        as_then.then_some((kept.reading, kept.files))
    }

    /// Keeps a reading of these files that began at a moment.
    pub fn put(&self, reading: &Extraction, files: &[Dependency], since: &Since) {
        let whole = reading.not_analysed.is_empty() && reading.second.is_none() && !reading.modules.is_empty();
        // A file that changed meanwhile is like none.
        if !whole || files.len() != reading.dependencies.len() || !files.iter().all(Dependency::is_known) {
            return;
        }
        let Some(namesakes) = self.folders.namesakes(paths(files), since) else { return };
        let kept = Kept { files: files.to_vec(), namesakes, reading: reading.clone() };
        if let Ok(bytes) = postcard::to_stdvec(&kept) {
            self.kept.put(&self.key, false, &bytes);
        }
    }
}

fn paths(files: &[Dependency]) -> impl Iterator<Item = &Path> + Clone {
    files.iter().map(|f| f.path.as_path())
}

/// Stands for the command, all programs that read it, and what they know of the environment.
fn key(unit: &TranslationUnit, options: &ExtractOptions) -> Option<[u8; 32]> {
    let mut hash = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    // Where the result of the compilation goes does not change what is read.
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
    // Without a host compiler of that name none is asked.
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

/// A script may run anything: its file does not tell what it does.
fn is_script(program: &Path) -> bool {
    let mut magic = [0; 2];
    std::fs::File::open(program).and_then(|mut f| f.read_exact(&mut magic)).is_err() || magic == *b"#!"
}
