//! Every recorded module is checked, and its findings compared with what the programs say of themselves.

use scuba::cgeist::lower::unit::SourceFacts;
use scuba::cgeist::lower_text;
use scuba::check::{self, CheckOptions, ProgramReport};
use scuba::frontend::ExtractOptions;
use scuba::frontend::own::UserFolders;
use scuba::ir::{Module, Program};
use scuba::nvcc::command::{Environment, NvccCommand};
use scuba::nvcc::unit::TranslationUnit;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cgeist/fixtures")
}

/// `stock…`: what unmodified ones print, on LLVM 17 and, by its name, on another version.
pub const SHAPES: [&str; 4] = ["stock.generic", "stock-16.0.6.generic", "immediate", "light"];

/// A recorded module of a program, linked.
pub fn recorded(program: &str, shape: &str) -> Option<Program> {
    Some(Program::link(recorded_modules(program, shape)?.map(Arc::new).into()))
}

/// Both sides of a recorded module.
pub fn recorded_modules(program: &str, shape: &str) -> Option<[Module; 2]> {
    let source = folder().join(format!("{program}.cu"));
    let text = std::fs::read_to_string(folder().join(format!("{program}.{shape}.mlir"))).ok()?;
    let about = SourceFacts {
        headers: vec![],
        text: std::fs::read_to_string(&source).unwrap(),
        source: source.to_string_lossy().into_owned(),
        directory: folder(),
        own: UserFolders::outside(["/usr".into()]),
        arch: "sm_60".into(),
        producer: "cgeist".into(),
        asserts_restored: false,
        relocatable: false,
    };
    let lowered = lower_text(&text, &about).unwrap_or_else(|e| panic!("{program}.{shape}: {e}"));
    assert!(lowered.unknown.is_empty(), "{program}.{shape}: {:?}", lowered.unknown);
    Some([lowered.device, lowered.host])
}

/// The real nvcc: the one that `make` set up, else the one in `PATH`.
pub fn nvcc() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/cuda/nvidia/cu13/bin/nvcc");
    if path.is_file() { path } else { which::which("nvcc").expect("nvcc: run `make` first") }
}

/// The unit of `nvcc -c PROGRAM.cu`.
pub fn unit(program: &str) -> TranslationUnit {
    let arguments: Vec<OsString> = ["-c".into(), format!("{program}.cu").into()].into();
    let plan = NvccCommand::read(&arguments, &Environment::default(), &folder())
        .plan(&folder(), Some(&nvcc()), &Vec::new)
        .unwrap();
    plan.request.units.into_iter().next().unwrap()
}

pub fn read_by_clang(program: &str) -> Program {
    let options =
        ExtractOptions { worker: Some(env!("CARGO_BIN_EXE_scuba-extract").into()), ..ExtractOptions::default() };
    let extraction = scuba::frontend::extract(&unit(program), &options).unwrap();
    assert!(extraction.not_analysed.is_empty(), "{program}: {:?}", extraction.not_analysed);
    Program::link(extraction.modules.into_iter().map(Arc::new).collect())
}

pub fn check(p: &Program) -> ProgramReport {
    std::thread::scope(|s| {
        std::thread::Builder::new()
            .stack_size(256 << 20)
            .spawn_scoped(s, || check::check_program(p, &CheckOptions { work: 20, ..CheckOptions::default() }))
            .unwrap()
            .join()
            .unwrap()
    })
}

pub fn programs() -> Vec<String> {
    let mut all: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "cu"))
        .map(|p| p.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    all.sort();
    all
}
