//! Fuzz test: recorded modules with random damage are read and lowered. Any text must give either an error with its
//! position or a module for each side. Each run is numbered by its seed, so that a failure can be reproduced.
//!
//! `SCUBA_FUZZ=0..200000 cargo test --release --lib cgeist::fuzz -- --ignored --nocapture` tries many.

use super::lower::module::lower;
use super::lower::unit::SourceFacts;
use super::mlir::{self, tests::fixtures};
use ir::{Module, Op, Operand, ValueId};
use rand::{RngExt, SeedableRng};
use rand_xorshift::XorShiftRng;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Tokens that damage inserts: the reader's own, and some that no printer writes.
const TOKENS: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    "[",
    "]",
    "({",
    "})",
    "<{",
    "}>",
    "\"",
    "%0",
    "%0#1",
    "%0:2",
    "^bb1",
    "^bb1:",
    "#map",
    "#loc1",
    "!a",
    "!llvm.ptr<",
    "!llvm.struct<\"s\", (",
    "memref<",
    "memref<?x",
    "vector<4x",
    "->",
    ":",
    ",",
    "=",
    "-",
    "0x",
    "1.0e",
    "99999999999999999999999",
    "-9223372036854775808",
    "affine_map<(d0)[s0] -> (",
    "affine_set<(d0) : (",
    "floordiv",
    "mod",
    "dense<",
    "array<i32:",
    "loc(",
    "callsite(",
    "fused[",
    "unknown",
    "\\",
    "\\0",
    "\0",
    "\u{e9}",
    "//",
    "{-#",
    "\"func.func\"",
    "\"scf.while\"",
    "\"scf.if\"",
    "\"cf.br\"",
    "\"gpu.launch\"",
    "\"memref.store\"",
    "\"llvm.getelementptr\"",
    "\"affine.for\"",
    "i1",
    "i0",
    "i16777216",
    "index",
    "f8E4M3",
    "\n#a = [#a, #a]\n",
    "\n!a = (!a, !a) -> !a\n",
];

struct Damage {
    rng: XorShiftRng,
}

impl Damage {
    fn below(&mut self, n: usize) -> usize {
        self.rng.random_range(0..n.max(1))
    }

    /// Picks a position between two characters.
    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// Picks a byte range, usually short.
    fn span(&mut self, text: &str) -> Range<usize> {
        let from = self.place(text);
        let most = [4, 40, 400, 4000][self.below(4)];
        let mut to = (from + self.below(most)).min(text.len());
        while !text.is_char_boundary(to) {
            to -= 1;
        }
        from..to.max(from)
    }

    /// Picks a whole line, with its end.
    fn line(&mut self, text: &str) -> Range<usize> {
        let at = self.place(text);
        let from = text[..at].rfind('\n').map_or(0, |i| i + 1);
        let to = text[at..].find('\n').map_or(text.len(), |i| at + i + 1);
        from..to
    }

    /// Picks the first word after a mark, from a random position on.
    fn word(&mut self, text: &str, mark: char) -> Option<Range<usize>> {
        let at = self.place(text);
        let from = text[at..].find(mark).map(|i| at + i + mark.len_utf8())?;
        let to = text[from..]
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))
            .map_or(text.len(), |i| from + i);
        Some(from..to)
    }

    fn once(&mut self, text: &mut String, other: &str, mild: bool) {
        match if mild { 7 + self.below(3) } else { self.below(10) } {
            0 => {
                let s = self.span(text);
                text.replace_range(s, "");
            }
            1 => {
                let (at, t) = (self.place(text), TOKENS[self.below(TOKENS.len())]);
                text.insert_str(at, t);
            }
            2 => {
                let (s, t) = (self.span(text), TOKENS[self.below(TOKENS.len())]);
                text.replace_range(s, t);
            }
            // Lines are operations: these edits often leave the text well formed.
            3 => {
                let s = self.line(text);
                text.replace_range(s, "");
            }
            4 => {
                let s = self.line(text);
                let copy = text[s].to_owned();
                let at = self.line(text).start;
                text.insert_str(at, &copy);
            }
            5 => {
                let s = self.line(other);
                let at = self.line(text).start;
                text.insert_str(at, &other[s]);
            }
            6 => {
                let (s, o) = (self.span(text), self.span(other));
                text.replace_range(s, &other[o]);
            }
            // One value for another, which often leaves the text well formed; so do the next edits.
            7 => {
                if let (Some(to), Some(from)) = (self.word(text, '%'), self.word(text, '%')) {
                    let name = text[from].to_owned();
                    text.replace_range(to, &name);
                }
            }
            // Another operation, attribute or file.
            8 => {
                if let (Some(to), Some(from)) = (self.word(text, '"'), self.word(other, '"')) {
                    text.replace_range(to, &other[from]);
                }
            }
            // One number for another.
            _ => {
                let at = self.place(text);
                let Some(from) = text[at..].find(|c: char| c.is_ascii_digit()).map(|i| at + i) else { return };
                let to = text[from..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |i| from + i);
                let n = [0, 1, 2, 3, 5, 63, 64, 1 << 31, u64::MAX][self.below(9)];
                text.replace_range(from..to, &n.to_string());
            }
        }
    }
}

fn text(seed: u64, all: &[(String, String)]) -> String {
    let mut d = Damage { rng: XorShiftRng::seed_from_u64(seed) };
    let mut text = all[d.below(all.len())].1.clone();
    let other = &all[d.below(all.len())].1;
    let mild = d.below(2) == 0;
    for _ in 0..=d.below(4) {
        d.once(&mut text, other, mild);
    }
    text
}

fn sound(m: &Module) {
    for f in &m.functions {
        for b in &f.blocks {
            for t in b.term.successors() {
                assert!(t.index() < f.blocks.len(), "{}", f.name);
            }
            for i in &b.insts {
                let mut value = |o: &Operand| {
                    if let Operand::Value(ValueId(v)) = o {
                        assert!(*v < f.values, "{}: %{v}", f.name);
                    }
                };
                i.op.operands(&mut value);
                assert!(i.ty.index() < m.types.len() && i.loc.index() < m.locs.len());
                if let Op::Phi(e) = &i.op {
                    for (from, _) in e {
                        assert!(from.index() < f.blocks.len());
                    }
                }
            }
        }
    }
}

/// Longest time for a text of a few tens of thousands of bytes, on a busy machine and without optimisation.
const LONG: Duration = Duration::from_secs(60);

fn try_all(seeds: Range<u64>) -> (u64, u64) {
    let all: Vec<(String, String)> = fixtures().into_iter().filter(|f| f.1.len() < 40_000).collect();
    let (mut read, mut refused) = (0, 0);
    for seed in seeds {
        let text = text(seed, &all);
        let start = Instant::now();
        match mlir::read(&text) {
            Ok(m) => {
                read += 1;
                if let Ok(l) =
                    lower(&m, &SourceFacts { text: "void k(int a[]) { int b[3]; }".into(), ..SourceFacts::default() })
                {
                    sound(&l.device);
                    sound(&l.host);
                }
            }
            Err(e) => {
                refused += 1;
                assert!(e.line >= 1 && e.column >= 1 && !e.message.contains('\n'), "{seed}: {e}");
            }
        }
        assert!(start.elapsed() < LONG, "{seed}: {:?}", start.elapsed());
    }
    (read, refused)
}

#[test]
fn damaged_text_is_lowered_or_refused() {
    let (read, refused) = try_all(0..300);
    assert!(read > 30 && refused > 100, "{read} read, {refused} refused: the damage is of no use");
}

#[test]
#[ignore = "many: SCUBA_FUZZ names the seeds"]
fn many() {
    let seeds = std::env::var("SCUBA_FUZZ").unwrap_or_default();
    let (from, to) = seeds.split_once("..").unwrap_or(("0", "20000"));
    let (from, to): (u64, u64) = (from.parse().unwrap(), to.parse().unwrap());
    for part in (from..to).step_by(1000) {
        let (read, refused) = try_all(part..to.min(part + 1000));
        eprintln!("{part}: {read} read, {refused} refused");
    }
}
