//! Brute force as the judge of the symbolic engine: generated programs, all small inputs, all threads.
//!
//! `SCUBA_ORACLE_SEEDS=1000..2000 cargo test --release --test oracle -- --ignored many --nocapture` tries many programs;
//! `SCUBA_ORACLE_SHOW=1` prints each program with what was said of it, `SCUBA_ORACLE_SHRINK=1` makes a program with a
//! mismatch small.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "what a failed test says")]

mod digits;
mod generate;
mod judge;
mod program;
mod shrink;
mod summaries;
mod tally;
mod unit;

use judge::{Outcome, judge};
use program::Program;
use tally::Tally;
use unit::{Unit, alone};

/// Programs of one translation unit.
const TOGETHER: usize = 50;

fn compare(programs: &[Program]) -> Vec<Outcome> {
    let mut unit = match Unit::new(programs) {
        Ok(u) => u,
        Err(why) if programs.len() > 1 => {
            eprintln!("seeds {}..: {why}", programs[0].seed);
            let (a, b) = programs.split_at(programs.len() / 2);
            return [compare(a), compare(b)].concat();
        }
        // A variant of a program may lack a declaration.
        Err(why) => {
            eprintln!("seed {} cannot be compiled: {why}\n{}", programs[0].seed, alone(&programs[0]));
            return vec![Outcome { refused: true, ..Outcome::default() }];
        }
    };
    let above = unit.above.clone();
    programs
        .iter()
        .zip(above)
        .enumerate()
        .map(|(i, (p, above))| unit.with(i, |linked| judge(p, linked, above)))
        .collect()
}

fn run(seeds: std::ops::Range<u64>) -> Tally {
    let show = std::env::var_os("SCUBA_ORACLE_SHOW").is_some();
    let mut tally = Tally::default();
    let all: Vec<u64> = seeds.collect();
    for seeds in all.chunks(TOGETHER) {
        let programs: Vec<Program> = seeds.iter().map(|s| generate::program(*s)).collect();
        for (p, o) in programs.iter().zip(compare(&programs)) {
            if show {
                println!(
                    "// seed {}, engine {:.2} s\n{}// {:?}\n// bad {:?}\n// notes {:?}",
                    p.seed,
                    o.engine_seconds,
                    alone(p),
                    o.said,
                    o.missed,
                    o.notes
                );
            }
            if let Some(first) = o.mismatches.first() {
                println!("{}", tally::explain(p, &o.mismatches));
                if std::env::var_os("SCUBA_ORACLE_SHRINK").is_some() {
                    let small = shrink::shrink(p, first.wrong);
                    println!(
                        "smaller: {}",
                        tally::explain(&small, &compare(std::slice::from_ref(&small))[0].mismatches)
                    );
                }
            }
            tally.add(p, &o);
        }
        eprintln!(
            "up to seed {}: {} programs, {} mismatches",
            seeds[seeds.len() - 1],
            tally.programs,
            tally.mismatches.len()
        );
    }
    tally
}

#[test]
fn what_is_called_safe_is_never_out_of_bounds() {
    let tally = run(100..130);
    println!("{tally}");
    assert!(tally.mismatches.is_empty() && tally.refused == 0, "{:?}", tally.mismatches);
    assert!(tally.bad > 10 && tally.safe > 20 && tally.proved > 5, "the programs show too little: {tally}");
}

/// Programs of `found/` were once judged wrongly.
#[test]
fn what_was_wrong_once_is_right() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/found");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let programs: Vec<Program> = files.iter().map(|f| Program::read(&std::fs::read_to_string(f).unwrap())).collect();
    for ((f, p), o) in files.iter().zip(&programs).zip(compare(&programs)) {
        assert!(!o.refused && o.mismatches.is_empty(), "{}: {}", f.display(), tally::explain(p, &o.mismatches));
        assert!(o.bad > 0, "{}: no input tried goes out of bounds", f.display());
    }
}

/// How many places brute force sees out of bounds in a program written by hand.
fn seen_bad(text: &str) -> usize {
    let outcomes = compare(&[Program::read(text)]);
    assert!(!outcomes[0].refused && outcomes[0].mismatches.is_empty(), "{:?}", outcomes[0].mismatches);
    outcomes[0].bad
}

#[test]
fn rand_gives_more_than_one_library_does() {
    let program = |v: &str| {
        format!(
            "// argv: 1\n__global__ void @k(int *a, int i) {{ a[i] = 1; }}\nint @main(int argc, char **argv) {{\n    int *a;\n    cudaMalloc(&a, 4);\n    @k<<<1, 1>>>(a, rand() == {v} ? 1 : 0);\n    return 0;\n}}\n"
        )
    };
    assert_eq!((seen_bad(&program("RAND_MAX")), seen_bad(&program("RAND_MAX - 5"))), (1, 0));
}

#[test]
fn what_comes_before_the_unknown_still_counts() {
    // The second access is decided by what the first one read.
    let text = "// argv: 1\n__global__ void @k(int *a) { if (a[1] > 0) a[2] = 1; }\nint @main(int argc, char **argv) {\n    int *a;\n    cudaMalloc(&a, 4);\n    cudaMemset(a, 0, 4);\n    @k<<<1, 1>>>(a);\n    return 0;\n}\n";
    assert_eq!(seen_bad(text), 1);
}

#[test]
fn a_copy_that_goes_too_far_may_be_refused_or_done() {
    let program = |bytes: u32| {
        format!(
            "// argv: 1\n__global__ void @k(int *x, int *a) {{ x[a[0]] = 1; }}\nint @main(int argc, char **argv) {{\n    int h[8] = {{}}, *x, *a;\n    cudaMalloc(&x, 4);\n    cudaMalloc(&a, 8);\n    cudaMemset(a, 2, 8);\n    cudaMemcpy(a + 1, h, {bytes}, cudaMemcpyHostToDevice);\n    cudaMemcpy(a, h, {bytes}, cudaMemcpyHostToDevice);\n    @k<<<1, 1>>>(x, a);\n    return 0;\n}}\n"
        )
    };
    assert_eq!((seen_bad(&program(4)), seen_bad(&program(0)), seen_bad(&program(12))), (0, 1, 0));
}

/// `SCUBA_ORACLE_SEEDS`, default 0..1000.
#[test]
#[ignore = "runs for minutes"]
fn many() {
    let text = std::env::var("SCUBA_ORACLE_SEEDS").unwrap_or_else(|_| "0..1000".into());
    let (a, b) = text.split_once("..").expect("SCUBA_ORACLE_SEEDS=FIRST..END");
    let tally = run(a.parse().unwrap()..b.parse().unwrap());
    println!("{tally}");
    assert!(tally.mismatches.is_empty() && tally.refused == 0, "{:?}", tally.mismatches);
}
