//! Counts over many programs, and the reasons for what was left open.

use super::judge::{Mismatch, Outcome, Said, Wrong};
use super::program::Program;
use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub programs: u32,
    pub runs: usize,
    pub plain: usize,
    pub safe: u32,
    pub no_wrap: u32,
    pub proved: u32,
    pub possible: u32,
    pub unknown: u32,
    /// In kernels that no run of the program launches: of these nothing is claimed, and brute force sees nothing.
    pub idle: u32,
    /// Accesses, and the unknown ones among them, of programs without index arrays.
    pub simple: (u32, u32),
    /// Places out of bounds on some input tried.
    pub bad: usize,
    pub missed: usize,
    pub wrapped: usize,
    pub raced: usize,
    pub gave_up: u32,
    pub refused: u32,
    pub mismatches: Vec<(u64, Wrong, (u32, u32))>,
    reasons: BTreeMap<String, (u32, u32, u64)>,
    cut: BTreeMap<String, u32>,
    wrapped_seeds: Vec<u64>,
    seconds: f64,
    slowest: (f64, u64),
}

/// A reason without what is particular to one program.
fn kind(why: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    for c in why.chars() {
        if c == '`' {
            quoted = !quoted;
            if quoted {
                out.push('…');
            }
        } else if !quoted {
            out.push(if c.is_ascii_digit() { '0' } else { c });
        }
    }
    while out.contains("00") {
        out = out.replace("00", "0");
    }
    out
}

impl Tally {
    pub fn add(&mut self, p: &Program, o: &Outcome) {
        let seed = p.seed;
        let before = (self.accesses(), self.unknown);
        self.programs += 1;
        self.runs += o.runs;
        self.plain += o.plain;
        self.safe += o.safe;
        self.bad += o.bad;
        self.missed += o.missed.len();
        self.wrapped += o.wrapped.len();
        self.raced += o.raced.len();
        if !o.wrapped.is_empty() {
            self.wrapped_seeds.push(seed);
        }
        self.refused += u32::from(o.refused);
        self.gave_up += u32::from(o.gave_up);
        self.seconds += o.engine_seconds;
        if o.engine_seconds > self.slowest.0 {
            self.slowest = (o.engine_seconds, seed);
        }
        for m in &o.mismatches {
            self.mismatches.push((seed, m.wrong, m.at));
        }
        for said in o.said.values() {
            match said {
                Said::SafeIfNoWrap(_) => self.no_wrap += 1,
                Said::Possible => self.possible += 1,
                Said::Proved(..) => self.proved += 1,
                Said::Unknown(why) if is_idle(why) => self.idle += 1,
                Said::Unknown(why) => {
                    self.unknown += 1;
                    self.reasons.entry(kind(why)).or_insert((0, 0, seed)).0 += 1;
                }
            }
        }
        if !p.indices {
            self.simple.0 += self.accesses() - before.0;
            self.simple.1 += self.unknown - before.1;
        }
        for n in &o.notes {
            if n.contains("followed to its end") || n.contains("panic") {
                self.reasons.entry(kind(n)).or_insert((0, 0, seed)).0 += 1;
            }
        }
        for (_, why) in &o.missed {
            self.reasons.entry(kind(why)).or_insert((0, 0, seed)).1 += 1;
        }
        for (why, n) in &o.cut {
            *self.cut.entry(kind(why)).or_default() += n;
        }
    }
}

impl Tally {
    /// All that could be decided.
    const fn accesses(&self) -> u32 {
        self.safe + self.no_wrap + self.proved + self.possible + self.unknown
    }
}

/// Whether an access is open only because nothing launches its kernel.
fn is_idle(why: &str) -> bool {
    why.ends_with("no known code calls this") || why.starts_with("no launch of this kernel is known")
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.accesses();
        let share = |(all, unknown): (u32, u32)| f64::from(unknown) * 100.0 / f64::from(all.max(1));
        writeln!(
            f,
            "{} programs, {} runs ({} without any wrap), {all} accesses: {} safe, {} safe if nothing wraps, {} proved, {} possible, {} unknown",
            self.programs, self.runs, self.plain, self.safe, self.no_wrap, self.proved, self.possible, self.unknown
        )?;
        writeln!(
            f,
            "{:.1} % unknown; {:.1} % of the {} accesses of programs without index arrays; {} more in kernels that are never launched",
            share((all, self.unknown)),
            share(self.simple),
            self.simple.0,
            self.idle
        )?;
        writeln!(
            f,
            "{} places out of bounds on inputs tried, of which {} unknown, {} safe if nothing wraps (seeds {:?})",
            self.bad,
            self.missed,
            self.wrapped,
            &self.wrapped_seeds[..self.wrapped_seeds.len().min(20)]
        )?;
        writeln!(
            f,
            "{} hosts not followed to the end; engine {:.1} s, the slowest {:.1} s (seed {})",
            self.gave_up, self.seconds, self.slowest.0, self.slowest.1
        )?;
        writeln!(
            f,
            "{} proved only in another order of threads; {} programs refused by the front end; mismatches: {:?}",
            self.raced, self.refused, self.mismatches
        )?;
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, n)| std::cmp::Reverse(n.0));
        for (why, (n, bad, seed)) in reasons.iter().take(40) {
            writeln!(f, "{n:6} unknown, {bad:4} bad: {why} (seed {seed})")?;
        }
        let mut cut: Vec<_> = self.cut.iter().collect();
        cut.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        for (why, n) in cut.iter().take(12) {
            writeln!(f, "{n:6} runs cut: {}", why.chars().take(160).collect::<String>())?;
        }
        Ok(())
    }
}

/// A program with its mismatches.
pub fn explain(p: &Program, all: &[Mismatch]) -> String {
    let mut out = format!("--- seed {}\n", p.seed);
    for (n, line) in (1..).zip(p.text("@").lines()) {
        out.push_str(line);
        out.push('\n');
        for m in all.iter().filter(|m| m.at.0 == n) {
            let what = match m.wrong {
                Wrong::Safe => "safe",
                Wrong::SafeIfNoWrap => "safe if nothing wraps",
                Wrong::Proved => "proved",
            };
            out.push_str(&format!("// ^ column {}: called {what}, but {}\n", m.at.1, m.text));
        }
    }
    out
}
