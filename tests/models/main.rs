//! Models of the C and C++ library held against the library itself, and the symbolic engine against the concrete interpreter.
//!
//! `concrete.rs`: one program calls each modelled function on random and adversarial arguments; what it prints when g++ has compiled it is
//! what the interpreter must print, or a question mark. `symbolic.rs`: generated programs read, change and compare texts of the command
//! line; where any run on a pool of texts goes out of bounds the engine may not say safe, and what it proves a run must show.
//!
//! `numbers.rs` does the same for mathematics, `tensors.rs` for PyTorch's operations, `libraries.rs` for its stable ABI, nanobind and TVM-FFI.
//!
//! `device_wide.rs` holds the models of Thrust's algorithms against Thrust.
//!
//! `table.rs`: each row of the table of external functions says which of the engines models it; none may have a model without a row.
//!
//! `SCUBA_MODELS_SEEDS=0..2000 cargo test --release --test models -- --ignored many --nocapture` tries many programs.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "what a failed test says")]

mod compiled;
mod concrete;
mod device_wide;
mod judges;
mod libraries;
mod numbers;
mod program;
mod symbolic;
mod table;
mod tensors;
#[path = "../oracle/unit.rs"]
#[allow(dead_code, reason = "the oracle uses more of it")]
mod unit;

/// Numbers that are the same every time (Numerical Recipes, "An Even Quicker Generator").
pub struct Rng(u64);

impl Rng {
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n.max(1)
    }
    pub fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Texts that readers of numbers take in different ways.
pub const TEXTS: &[&str] = &[
    "",
    "0",
    "1",
    "5",
    "7",
    "9",
    "10",
    "12",
    "42",
    "-1",
    "-5",
    "+7",
    "007",
    "010",
    "0x10",
    "0X1f",
    "0x",
    "0xg",
    "0b11",
    "1e2",
    "1e",
    "1.5",
    ".5",
    "5.",
    ".",
    "-",
    "+",
    "--3",
    "abc",
    "m",
    "n",
    "M",
    "big",
    "Big",
    "12abc",
    "a1",
    " 8",
    "\t9",
    "3 4",
    "3,4",
    ",3",
    "3,,4",
    "12,34",
    "99999999999",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "inf",
    "-INF",
    "nan",
    "infinit",
    "0x1.8p1",
    "zz",
    "1_000",
    "size",
    "size=4",
    "-n",
    "-n5",
    "xx",
];
