//! Mixed radix: an index is taken apart into 2 to 5 digits and put together again, in random ways, against an extent
//! that is exact, one too small, or too large. Plain arithmetic over all small radices judges what is said of it.
//!
//! `SCUBA_ORACLE_SEEDS=0..500 cargo test --release --test oracle -- --ignored digits --nocapture` tries many;
//! `SCUBA_ORACLE_SHOW=1` prints each undecided one.

mod generate;
mod shape;

use crate::judge::{Outcome, Said};
use crate::unit::alone;
use crate::{TOGETHER, compare};
use generate::{DigitsProgram, PutTogether, RadixKind, TakenApart};
use shape::BadIndex;
use std::collections::BTreeMap;
use std::fmt;

/// How often each word was right, or left open, of programs within bounds and of programs that are not.
#[derive(Clone, Copy, Debug, Default)]
struct DigitsRow {
    safe: u32,
    good_open: u32,
    found: u32,
    bad_open: u32,
}

#[derive(Default)]
struct DigitsTally {
    rows: BTreeMap<(TakenApart, &'static str), DigitsRow>,
    together: BTreeMap<(PutTogether, &'static str), DigitsRow>,
    wrong: Vec<String>,
}

/// Radices, each with its value, of which one index is out of bounds; `None` where there are none among the small ones.
fn out_of_bounds(p: &DigitsProgram) -> Option<(Vec<i64>, BadIndex)> {
    let most = match p.radices {
        RadixKind::UpTo(most) => most,
        _ => 4,
    };
    let mut all: Vec<Vec<i64>> = vec![vec![]];
    for r in &p.shape.radices {
        let values = r.constant().map_or(1..=most, |v| v..=v);
        all = all.iter().flat_map(|head| values.clone().map(|v| head.iter().copied().chain([v]).collect())).collect();
    }
    all.into_iter().find_map(|radices| p.shape.bad(&radices).map(|bad| (radices, bad)))
}

impl DigitsTally {
    fn add(&mut self, p: &DigitsProgram, o: &Outcome) {
        let bad = out_of_bounds(p);
        let said = o.said.iter().find(|(at, _)| at.0 == p.line).map(|(_, said)| said);
        let mut wrong = |what: String| {
            let arithmetic = bad.as_ref().map_or("within bounds".into(), |(radices, b)| format!("{radices:?}: {b:?}"));
            self.wrong.push(format!(
                "seed {}: {what}; arithmetic: {arithmetic}\n{}// {:?}",
                p.program.seed,
                alone(&p.program),
                o.said
            ));
        };
        if o.refused || o.gave_up {
            wrong("it was not checked".into());
            return;
        }
        for m in &o.mismatches {
            wrong(format!("called {:?}, but {}", m.wrong, m.text));
        }
        // The judge's own runs, where they came to their end.
        if o.cut.is_empty() && p.program.all_runs() == o.runs && (o.bad > 0) != bad.is_some() {
            wrong(format!("the interpreter sees {} places out of bounds", o.bad));
        }
        let open = matches!(said, Some(Said::Unknown(_)));
        match (said, &bad) {
            (None, Some(_)) => wrong("called safe".into()),
            (Some(Said::SafeIfNoWrap(_)), Some(_)) => wrong("called safe if nothing wraps".into()),
            (Some(Said::Proved(..) | Said::Possible), None) if p.radices != RadixKind::Positive => {
                wrong("called a mistake".into());
            }
            _ => {}
        }
        let kind = match p.radices {
            RadixKind::Constant => "constant",
            RadixKind::UpTo(_) => "bounded",
            RadixKind::Positive => "positive",
        };
        for row in [self.rows.entry((p.apart, kind)).or_default(), self.together.entry((p.together, kind)).or_default()]
        {
            *match (&bad, open) {
                (None, false) => &mut row.safe,
                (None, true) => &mut row.good_open,
                (Some(_), false) => &mut row.found,
                (Some(_), true) => &mut row.bad_open,
            } += 1;
        }
    }
}

impl fmt::Display for DigitsTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.rows.iter().map(|((way, kind), row)| (format!("{way:?}"), kind, row));
        let together = self.together.iter().map(|((way, kind), row)| (format!("{way:?}"), kind, row));
        writeln!(f, "| way | radices | within bounds: decided | undecided | out of bounds: decided | undecided |")?;
        writeln!(f, "| --- | --- | --- | --- | --- | --- |")?;
        for (way, kind, r) in rows.chain(together) {
            writeln!(f, "| {way} | {kind} | {} | {} | {} | {} |", r.safe, r.good_open, r.found, r.bad_open)?;
        }
        Ok(())
    }
}

fn run(seeds: std::ops::Range<u64>) -> DigitsTally {
    let show = std::env::var_os("SCUBA_ORACLE_SHOW").is_some();
    let mut tally = DigitsTally::default();
    let all: Vec<u64> = seeds.collect();
    for seeds in all.chunks(TOGETHER) {
        let programs: Vec<DigitsProgram> = seeds.iter().map(|s| generate::program(*s)).collect();
        let texts: Vec<_> = programs.iter().map(|p| p.program.clone()).collect();
        for (p, o) in programs.iter().zip(compare(&texts)) {
            let before = tally.wrong.len();
            tally.add(p, &o);
            if show && o.said.values().any(|s| matches!(s, Said::Unknown(_))) {
                println!(
                    "// seed {}, {:?}, {:?}, {:?}, engine {:.2} s, bad {:?}\n{}// {:?}",
                    p.program.seed,
                    p.apart,
                    p.together,
                    p.radices,
                    o.engine_seconds,
                    out_of_bounds(p),
                    p.program.text(""),
                    o.said
                );
            }
            for w in &tally.wrong[before..] {
                println!("WRONG {w}");
            }
        }
        eprintln!("up to seed {}: {} wrong", seeds[seeds.len() - 1], tally.wrong.len());
    }
    tally
}

/// Programs of the first seeds: one of each way to take an index apart, twice.
#[test]
fn what_is_said_of_digits_is_what_arithmetic_says() {
    let tally = run(0..26);
    println!("{tally}");
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    let all = tally.rows.values();
    let (safe, found) = all.fold((0, 0), |(s, f), r| (s + r.safe, f + r.found));
    assert!(safe > 5 && found > 3, "the programs show too little: {tally}");
}

/// `SCUBA_ORACLE_SEEDS`, default 0..500.
#[test]
#[ignore = "runs for minutes"]
fn digits() {
    let text = std::env::var("SCUBA_ORACLE_SEEDS").unwrap_or_else(|_| "0..500".into());
    let (a, b) = text.split_once("..").expect("SCUBA_ORACLE_SEEDS=FIRST..END");
    let tally = run(a.parse().unwrap()..b.parse().unwrap());
    println!("{tally}");
    assert!(tally.wrong.is_empty(), "{} are wrong", tally.wrong.len());
}
