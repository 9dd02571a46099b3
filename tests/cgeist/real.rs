//! The cgeist that is installed, on the sources of all fixtures: held against what was recorded and against clang, place by place.
//!
//! `SCUBA_CGEIST=… [SCUBA_CGEIST_CUDA=…] cargo test --test cgeist -- --ignored real --nocapture`; with `SCUBA_BLESS=1` what it prints is
//! recorded, under the version of its LLVM.

use super::compare::{differences, known_as};
use super::programs::{check, folder, nvcc, programs, read_by_clang, recorded, unit};
use scuba::cgeist;
use scuba::cgeist::process::CgeistTool;
use scuba::config::FrontendKind;
use scuba::cpu_time::TimeLimit;
use scuba::frontend::{ExtractOptions, extract};
use scuba::ir::Program;
use scuba::nvcc::processes::TimeAllowance;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|v| !v.is_empty()).map(PathBuf::from)
}

fn options() -> ExtractOptions {
    ExtractOptions {
        kind: FrontendKind::Cgeist,
        cgeist: named("SCUBA_CGEIST"),
        cgeist_cuda: named("SCUBA_CGEIST_CUDA"),
        worker: Some(env!("CARGO_BIN_EXE_scuba-extract").into()),
        ..ExtractOptions::default()
    }
}

/// What it prints of a program, in generic form; one line where it fails.
fn printed(program: &str) -> Result<String, String> {
    cgeist::printed(&unit(program), &options(), &TimeAllowance::new(TimeLimit::of(Duration::from_secs(120)), 1))
        .map_err(|e| e.to_string())
}

#[test]
#[ignore = "needs an installed cgeist: SCUBA_CGEIST names it"]
fn real_cgeist_reads_the_recorded_programs_as_recorded_and_as_clang_does() {
    let tool = CgeistTool::find(options().cgeist.as_deref()).unwrap_or_else(|e| panic!("{e}"));
    cgeist::probe(Some(&nvcc()), &options()).unwrap_or_else(|e| panic!("{}: {e}", tool.name()));
    let shape = format!("stock-{}.generic", tool.version.clone().unwrap_or_else(|| "unknown".into()));
    let bless = named("SCUBA_BLESS").is_some();
    let (mut read, mut as_clang, mut as_recorded, mut text) = (0, 0, 0, vec![]);
    for p in programs() {
        if bless && let Ok(module) = printed(&p) {
            std::fs::write(folder().join(format!("{p}.{shape}.mlir")), module).unwrap();
        }
        let extraction = extract(&unit(&p), &options()).unwrap();
        if let Some(n) = extraction.not_analysed.first() {
            println!("{p}: not read: {}", n.reason);
            // One version may read what another does not; what was recorded of this one must still be read.
            if folder().join(format!("{p}.{shape}.mlir")).exists() {
                text.push(format!("{p}: not read any more: {}", n.reason));
            }
            continue;
        }
        read += 1;
        let program = Program::link(extraction.modules.into_iter().map(Arc::new).collect());
        let report = check(&program);
        let clang = read_by_clang(&p);
        let ours = differences((&clang, &check(&clang)), (&program, &report), false);
        as_clang += usize::from(ours.is_empty());
        for line in ours {
            let known = known_as(&p, "stock", &line).is_some();
            println!("{p} against clang{}{line}", if known { ", known" } else { "" });
            if !known {
                text.push(format!("{p} against clang{line}"));
            }
        }
        let Some(before) = recorded(&p, &shape).or_else(|| recorded(&p, "stock.generic")) else { continue };
        let theirs = differences((&before, &check(&before)), (&program, &report), false);
        as_recorded += usize::from(theirs.is_empty());
        text.extend(theirs.iter().map(|line| format!("{p} against what was recorded{line}")));
    }
    println!(
        "{}: {read} of {} programs read, {as_clang} as clang does, {as_recorded} as recorded",
        tool.name(),
        programs().len()
    );
    assert!(text.is_empty() && read > 0, "\n{}", text.join("\n"));
}
