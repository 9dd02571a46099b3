//! Facts of real programs, changed in ways that keep them valid, then joined and checked on a small budget.
//!
//! Input: the program and the budget, then edits ([`scuba_fuzz::edits`]).

#![no_main]

use check::{CheckOptions, Pace, ProgramReport, STACK, check_program};
use ir::Program;
use libfuzzer_sys::fuzz_target;
use scuba_fuzz::brute_force;
use scuba_fuzz::edits::{Choices, Edited, edit, settle};
use scuba_fuzz::programs::{self, Unit};
use std::sync::{Arc, OnceLock};

/// Most edits of one input.
const EDITS: usize = 12;

fn base() -> &'static [Vec<Unit>] {
    static BASE: OnceLock<Vec<Vec<Unit>>> = OnceLock::new();
    BASE.get_or_init(programs::read)
}

fn checked(program: &Arc<Program>, options: &CheckOptions) -> ProgramReport {
    let (program, options) = (Arc::clone(program), options.clone());
    let thread = std::thread::Builder::new().stack_size(STACK);
    thread.spawn(move || check_program(&program, &options)).expect("a thread").join().expect("a report")
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices::new(data);
    let mut units = base()[choices.below(base().len())].clone();
    let (pace, work) = if choices.byte() % 4 == 0 { (Pace::Whole, 1) } else { (Pace::Compile, 10) };
    let again = choices.byte() < 16;
    let edited = if choices.byte() % 2 == 0 { Edited::Code } else { Edited::All };
    for _ in 0..EDITS {
        if choices.is_empty() {
            break;
        }
        edit(&mut units, edited, &mut choices);
    }
    settle(&mut units);
    // As a store keeps them.
    let units: Vec<Unit> = units.iter().map(|u| Unit::read(&u.written()).expect("facts that were written")).collect();
    let facts: Vec<_> = units.iter().map(|u| u.facts.clone()).collect();
    let plans = facts::join::programs(&facts, &[]);
    let placed: usize = plans.iter().map(|p| p.units.len()).sum();
    assert!(placed >= units.len(), "each unit is in a program");
    for plan in plans {
        let modules = plan.units.iter().flat_map(|&i| units[i].modules.iter().cloned()).map(Arc::new).collect();
        let program = Arc::new(Program::link(modules));
        let options = CheckOptions {
            work,
            pace,
            seconds: 60,
            solver_ms: 10_000,
            memory: Some(2 << 30),
            ..CheckOptions::default()
        };
        let report = checked(&program, &options);
        assert!(report.internal.is_empty(), "{:?}", report.internal);
        if edited == Edited::Code {
            brute_force::compare(&program, &report);
        }
        if again && report.nets.is_empty() {
            let second = checked(&program, &options);
            let text = |r: &ProgramReport| format!("{:?} {:?} {:?} {:?}", r.findings, r.undecided, r.places, r.kernels);
            assert!(!second.nets.is_empty() || text(&report) == text(&second), "two checks differ");
        }
    }
});
