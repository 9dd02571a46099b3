//! Runs the concrete interpreter on CUDA sources, for people who look into a replay.
//!
//! `cargo run --example witness -- FILE… [-- NVCC-FLAGS… [-- PROGRAM-ARGUMENTS…]]` lists every access out of bounds of one
//! run with all threads. `SCUBA_STEPS`, `SCUBA_SECONDS` and `SCUBA_LOOP_STEPS` bound it; `SCUBA_REPLAY=1` then replays
//! each of them on its own.

use anyhow::{Context, bail};
use scuba::frontend::{ExtractOptions, clang::extract_here};
use scuba::ir::{Program, Side};
use scuba::nvcc::unit::{Language, PreprocessorFlag as P, TranslationUnit};
use scuba::witness::{
    ConcreteInputs, ProgramPoint, ReplayOutcome, RunBudget, TargetAccess, TriedThreads, enumerate, replay,
};
use scuba::work::Work;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut parts = args.split(|a| a == "--");
    let (files, flags, argv) =
        (parts.next().unwrap_or_default(), parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let mut modules = Vec::new();
    for file in files {
        let e = extract_here(&unit(file, flags)?, &ExtractOptions::default());
        if let Some(n) = e.not_analysed.first() {
            bail!("{}: {:?} side: {}", n.file.display(), n.side, n.reason);
        }
        modules.extend(e.modules.into_iter().map(Arc::new));
    }
    let program = Program::link(modules);
    let root = program.find_func(Side::Host, "main").context("no main")?;
    let mut inputs = ConcreteInputs { argv: argv.to_vec(), ..ConcreteInputs::default() };
    for a in argv {
        if let Ok(bytes) = std::fs::read(a) {
            inputs.files.insert(a.clone(), bytes);
        }
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<f64>().ok());
    let mut budget = RunBudget::default();
    if let Some(n) = number("SCUBA_STEPS") {
        budget.steps = n as u64;
    }
    if let Some(n) = number("SCUBA_LOOP_STEPS") {
        budget.loop_steps = n as u64;
    }
    if let Some(n) = number("SCUBA_SECONDS") {
        budget.work = Work::millis((n * 1e3) as u64);
    }
    let mut out = std::io::stdout().lock();
    let place = |s: ProgramPoint| {
        let b = &program.func(s.func).blocks[s.block.index()];
        let l = program.loc(s.func.module, b.insts.get(s.inst as usize).map_or(b.term_loc, |i| i.loc));
        format!("{}:{}:{}", l.file.rsplit('/').next().unwrap_or_default(), l.line, l.column)
    };
    let start = Instant::now();
    let mode = std::env::var("SCUBA_REPLAY").unwrap_or_default();
    if mode == "probe" {
        // A target that no access is: how far a replay gets on the way to every launch.
        let target = TargetAccess {
            site: ProgramPoint { func: root, block: scuba::ir::BlockId(0), inst: u32::MAX - 1 },
            callers: None,
            launch_site: None,
            launch: None,
            threads: TriedThreads::Any,
            fault: None,
            direction: None,
            align: None,
            parts: None,
            contract: None,
        };
        writeln!(
            out,
            "{:?} in {:.2} s",
            replay(&program, root, &inputs, &target, &budget),
            start.elapsed().as_secs_f64()
        )?;
        return Ok(());
    }
    let run = enumerate(&program, root, &inputs, &budget);
    let seconds = start.elapsed().as_secs_f64();
    for b in &run.bad {
        writeln!(
            out,
            "{} {:?} of {} at {} of {} in {:?} `{}` (block {:?}, thread {:?}, {} times)",
            place(b.site),
            b.direction,
            b.bytes,
            b.offset,
            b.object.extent,
            b.object.kind,
            b.object.name,
            b.block,
            b.thread,
            b.count
        )?;
    }
    writeln!(
        out,
        "launches {}, sites executed {}, completed {}{}{}; {} steps in {seconds:.2} s, {:.0} million/s",
        run.launches,
        run.visited.len(),
        run.completed,
        if run.why.is_empty() { "" } else { ": " },
        run.why,
        run.steps,
        run.steps as f64 / seconds / 1e6
    )?;
    if !run.output.is_empty() {
        writeln!(out, "printed: {}", run.output.trim_end().replace('\n', "\n  | "))?;
    }
    for a in &run.assumptions {
        writeln!(out, "assumed: {a}")?;
    }
    if mode == "1" {
        for b in &run.bad {
            let target = TargetAccess {
                site: b.site,
                callers: Some(b.callers.clone()),
                launch_site: b.launch_site,
                launch: Some(b.launch),
                threads: TriedThreads::List(vec![(b.block, b.thread)]),
                fault: Some(b.fault),
                direction: Some(b.direction),
                align: None,
                parts: None,
                contract: None,
            };
            let start = Instant::now();
            let what = match replay(&program, root, &inputs, &target, &budget) {
                ReplayOutcome::Reached { assumptions, .. } => format!("reached {assumptions:?}"),
                ReplayOutcome::NotReached { why } => format!("NOT reached: {why}"),
                ReplayOutcome::Incomplete { why } => format!("INCOMPLETE: {why}"),
                ReplayOutcome::Astray { why, .. } => format!("ASTRAY: {why}"),
            };
            writeln!(out, "replay {}: {what} in {:.3} s", place(b.site), start.elapsed().as_secs_f64())?;
        }
    }
    Ok(())
}

fn unit(file: &str, flags: &[String]) -> anyhow::Result<TranslationUnit> {
    let mut unit = TranslationUnit {
        nvcc: std::env::var_os("SCUBA_NVCC").map(Into::into).or_else(|| which::which("nvcc").ok()),
        ..TranslationUnit::plain(
            file.into(),
            std::env::current_dir().context("no working directory")?,
            if file.ends_with(".c") {
                Language::C
            } else if file.ends_with(".cu") {
                Language::Cuda
            } else {
                Language::Cxx
            },
        )
    };
    for flag in flags {
        if let Some(d) = flag.strip_prefix("-D") {
            unit.preprocessor.push(P::Define(d.into()));
        } else if let Some(d) = flag.strip_prefix("-I") {
            unit.preprocessor.push(P::Include(d.into()));
        } else if let Some(s) = flag.strip_prefix("-std=") {
            unit.standard = Some(s.into());
        } else if let Some(a) = flag.strip_prefix("-arch=sm_") {
            unit.architectures.push(a.parse().context("-arch")?);
        }
    }
    Ok(unit)
}
