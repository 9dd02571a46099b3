//! The cgeist front end: runs cgeist (Polygeist), reads the MLIR that it prints, and lowers it to the analysis form.
//!
//! In: a translation unit and options. Out: an [`Extraction`]. It runs inside the worker process, and in `scuba doctor`
//! for a small program (`probe`). `root` finds the CUDA headers, `command` chooses the flags, `process` runs the tools,
//! `mlir` reads their output and knows nothing of CUDA, `lower` converts it by the conventions of clang's reading,
//! `signs` corrects operations that cgeist wrongly takes for signed, `known_misreadings` lists cgeist's other
//! differences from a compiler.

mod command;
#[cfg(test)]
mod fuzz;
pub mod known_misreadings;
pub mod lower;
pub mod mlir;
mod probe;
pub mod process;
mod root;
pub mod signs;
mod sources;
mod text;

pub use probe::probe;
#[cfg(test)]
mod settled_tests;
pub use text::{TextError, lower_text};

use base::cpu_time::TimeLimit;
use command::{CgeistArguments, arguments};
use config::FrontendKind;
use files::normalise;
use frontend::InProcessReader;
use frontend::clang::{self, flags, sides};
use frontend::own::UserFolders;
use frontend::second::{PRODUCER, producer};
use frontend::{ComparedModules, ExtractOptions, Extraction, FailedSide};
use ir::Side;
use lower::module::{self, LoweredModules};
use lower::unit::SourceFacts;
use nvcc::processes::TimeAllowance;
use nvcc::unit::{Language, PreprocessorFlag, TranslationUnit};
use process::{CgeistError, CgeistTool};
use root::CudaRoot;
use std::path::PathBuf;

/// Entry points of cgeist for the worker.
pub const READER: InProcessReader = InProcessReader { alone, beside: second };

/// Stack size in bytes for reading MLIR, whose regions nest; only touched pages are backed by memory.
const ROOM: usize = 128 << 20;

/// Reads a unit on a thread with a large stack: cgeist's output may be anything.
fn alone(unit: &TranslationUnit, options: &ExtractOptions) -> Extraction {
    let time = TimeAllowance::new(options.time_limit, 1);
    std::thread::scope(|scope| {
        let work = || extract_here(unit, options, &time);
        std::thread::Builder::new().stack_size(ROOM).spawn_scoped(scope, work).ok()?.join().ok()
    })
    .unwrap_or_else(|| refused(unit, "the reader of cgeist's output stopped at an unknown construct"))
}

/// Reads a unit in this process, with cgeist alone. Never fails as a whole: sides that cannot be read are listed.
#[must_use]
pub fn extract_here(unit: &TranslationUnit, options: &ExtractOptions, time: &TimeAllowance) -> Extraction {
    let wanted = sides(unit);
    let texts = sources::of(unit, &clang::toolkit_headers(unit, options));
    let mut out = Extraction {
        frontend: PRODUCER.into(),
        dependencies: texts.iter().map(|t| t.0.clone()).collect(),
        ..Extraction::default()
    };
    match read(unit, options, time, &texts) {
        Ok(read) => {
            out.frontend = read.tool;
            out.notes = read.notes;
            out.modules =
                [read.lowered.device, read.lowered.host].into_iter().filter(|m| wanted.contains(&m.side)).collect();
        }
        Err(why) => out.not_analysed = refused(unit, &why.to_string()).not_analysed,
    }
    out
}

/// Returns the result for a unit of which no side was read.
#[must_use]
pub fn refused(unit: &TranslationUnit, why: &str) -> Extraction {
    let file = normalise(&unit.directory, &unit.source);
    let not_analysed =
        sides(unit).into_iter().map(|side| FailedSide { file: file.clone(), side, reason: why.to_owned() }).collect();
    Extraction { frontend: PRODUCER.into(), not_analysed, ..Extraction::default() }
}

/// Reads a unit in addition to clang, in a worker process of its own. `None` if cgeist is not installed; a line for the
/// log if it fails.
#[must_use]
pub fn second(
    unit: &TranslationUnit,
    options: &ExtractOptions,
    time_limit: TimeLimit,
) -> Option<Result<ComparedModules, String>> {
    if unit.language != Language::Cuda || sides(unit) != [Side::Device, Side::Host] {
        return None;
    }
    match CgeistTool::find(options.cgeist.as_deref()) {
        Ok(_) => {}
        // Most users have no cgeist; one that is configured but missing deserves a line.
        Err(CgeistError::Missing { .. }) if options.cgeist.is_none() => return None,
        Err(why) => return Some(Err(why.to_string())),
    }
    let options = ExtractOptions { kind: FrontendKind::Cgeist, time_limit, checks: None, ..options.clone() };
    Some(match frontend::extract(unit, &options) {
        Ok(Extraction { not_analysed, .. }) if !not_analysed.is_empty() => {
            Err(not_analysed.into_iter().next().map(|n| n.reason).unwrap_or_default())
        }
        Ok(read) => Ok(ComparedModules { modules: read.modules, frontend: read.frontend, notes: read.notes }),
        Err(why) => Err(why.to_string()),
    })
}

struct CgeistReading {
    lowered: LoweredModules,
    tool: String,
    notes: Vec<String>,
}

/// cgeist's output for a unit, and how cgeist was called.
struct CgeistOutput {
    text: process::ModuleText,
    tool: CgeistTool,
    root: CudaRoot,
    command: CgeistArguments,
    asserts_restored: bool,
}

/// Returns cgeist's output for a unit, in generic form.
///
/// # Errors
/// Fails if cgeist prints nothing: see [`CgeistError`].
pub fn printed(unit: &TranslationUnit, options: &ExtractOptions, time: &TimeAllowance) -> Result<String, CgeistError> {
    print(unit, options, time).map(|p| p.text.text)
}

fn print(unit: &TranslationUnit, options: &ExtractOptions, time: &TimeAllowance) -> Result<CgeistOutput, CgeistError> {
    let tool = CgeistTool::find(options.cgeist.as_deref())?;
    let root = CudaRoot::of(unit, options)?;
    let released = flags::defines_ndebug(unit);
    // Asserts are facts: they are kept if that compiles.
    let mut asserts_restored = released;
    let shields = root::shields();
    let mut command = arguments(unit, &root, shields.as_deref(), asserts_restored);
    let mut answer = tool.module(&command.arguments, &unit.directory, time);
    if released && matches!(answer, Err(CgeistError::Failed { .. })) {
        asserts_restored = false;
        command = arguments(unit, &root, shields.as_deref(), false);
        answer = tool.module(&command.arguments, &unit.directory, time);
    }
    let text = answer.map_err(|failure| match failure {
        CgeistError::Failed { program, how, line } if program == PRODUCER => {
            CgeistError::Failed { program, how, line: format!("{line}{}", root.suspicion()) }
        }
        other => other,
    })?;
    Ok(CgeistOutput { text, tool, root, command, asserts_restored })
}

fn read(
    unit: &TranslationUnit,
    options: &ExtractOptions,
    time: &TimeAllowance,
    texts: &[(PathBuf, String)],
) -> Result<CgeistReading, CgeistError> {
    let CgeistOutput { text, tool, root, command, asserts_restored } = print(unit, options, time)?;
    let mut module = mlir::read(&text.text).map_err(|e| CgeistError::Text(e.into()))?;
    let name = tool.name();
    // Definitions on the command line count as text too.
    let defined: Vec<String> = unit
        .preprocessor
        .iter()
        .filter_map(|f| match f {
            PreprocessorFlag::Define(d) => Some(format!("#define {}\n", d.replacen('=', " ", 1))),
            _ => None,
        })
        .collect();
    let plain: Vec<&str> = texts.iter().map(|t| &t.1).chain(&defined).map(String::as_str).collect();
    let mut doubts = known_misreadings::about(&plain);
    if text.refused {
        doubts.push("cgeist made a module that MLIR's own verifier refuses".into());
    }
    let open = signs::settle(&mut module, &plain);
    let producer = producer(&name, &doubts);
    let about = SourceFacts {
        source: unit.source.to_string_lossy().into_owned(),
        text: texts.first().map(|t| t.1.clone()).unwrap_or_default(),
        headers: texts.iter().skip(1).map(|t| t.1.clone()).collect(),
        directory: unit.directory.clone(),
        own: UserFolders::of(unit, root.folders().chain(tool.resources.clone())),
        arch: command.arch,
        producer,
        asserts_restored,
        relocatable: unit.relocatable,
    };
    let lowered = module::lower(&module, &about).map_err(|e| CgeistError::Text(e.into()))?;
    let mut notes = command.notes;
    for d in doubts {
        notes.push(format!("{name}: {d}"));
    }
    if !open.is_empty() {
        let words: Vec<String> = open.iter().map(|w| format!("`{w}`")).collect();
        notes.push(format!("{name}: the signedness of some operations is unknown ({})", words.join(", ")));
    }
    if !lowered.unknown.is_empty() {
        let list: Vec<String> = lowered.unknown.iter().map(|(n, k)| format!("{n} ({k})")).collect();
        notes.push(format!("{name}: unknown operations: {}", list.join(", ")));
    }
    Ok(CgeistReading { lowered, tool: name, notes })
}
