//! Random small CUDA programs. Each construct is here because a wrong abstraction of it could call a bad access safe;
//! most programs are nearly right, since the border is where mistakes show.

mod body;
mod carried;
mod contents;
mod expr;
mod held;
mod host;
mod idioms;
mod indirect;
mod keep;
mod kernel;
mod readers;
mod runtime;

use super::program::{Program, Stmt};
use rand::{RngExt, SeedableRng};
use rand_xorshift::XorShiftRng;

/// Integer types by their spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
}

impl Ty {
    pub const fn name(self) -> &'static str {
        match self {
            Self::I8 => "signed char",
            Self::U8 => "unsigned char",
            Self::I16 => "short",
            Self::U16 => "unsigned short",
            Self::I32 => "int",
            Self::U32 => "unsigned",
            Self::I64 => "long long",
            Self::U64 => "size_t",
        }
    }
    pub const fn signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }
}

/// An integer variable in scope.
#[derive(Clone, Debug)]
pub struct Int {
    pub name: String,
    pub ty: Ty,
    /// May be assigned to.
    pub mutable: bool,
    /// Holds what a buffer held.
    pub data: bool,
}

/// An array in scope; `extent` is an expression of elements.
#[derive(Clone, Debug)]
pub struct Array {
    pub name: String,
    pub elem: &'static str,
    pub extent: String,
    /// `rows`, `columns` where the extent is their product.
    pub dims: Option<(String, String)>,
    /// Subscripted twice.
    pub square: bool,
    pub integer: bool,
}

/// What statements can speak of.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub ints: Vec<Int>,
    pub arrays: Vec<Array>,
    /// Those whose numbers are indices; among `arrays` too.
    pub indices: Vec<contents::Index>,
    /// Device functions `int f(int *a, int i, int n)` by name.
    pub helpers: Vec<String>,
    /// Device functions `bool f(int i, int n)`.
    pub tests: Vec<String>,
    /// Functions `void f(int *out, int by)`.
    pub changers: Vec<String>,
    pub device: bool,
    /// `return` needs a value.
    pub value: bool,
    /// Inside a loop.
    pub looped: bool,
}

pub struct Gen {
    rng: XorShiftRng,
    names: u32,
    /// Many small types, and inputs beyond them.
    narrow: bool,
    /// Percent by which what would be right is made slightly wrong.
    wrong: u32,
}

impl Gen {
    pub fn below(&mut self, n: usize) -> usize {
        self.rng.random_range(0..n)
    }
    pub fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }
    pub fn choose<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
    /// An index by weight.
    pub fn weigh(&mut self, weights: &[u32]) -> usize {
        let mut at = self.rng.random_range(0..weights.iter().sum::<u32>());
        for (i, w) in weights.iter().enumerate() {
            if at < *w {
                return i;
            }
            at -= w;
        }
        0
    }
    pub fn slip(&mut self) -> bool {
        let p = self.wrong;
        self.chance(p)
    }
    pub fn name(&mut self, kind: char) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut g = Gen { rng: XorShiftRng::seed_from_u64(seed), names: 0, narrow: false, wrong: 0 };
    g.wrong = g.choose(&[0, 3, 8, 20]);
    g.narrow = g.chance(30);
    let (mut items, inputs, indices) = g.whole();
    // Last, so that it leaves what else a seed gives as it is.
    if g.chance(25) {
        g.keep(&mut items);
    }
    if g.chance(20) {
        g.hold(&mut items);
    }
    if g.chance(35) {
        g.runtime(&mut items);
    }
    if g.chance(35) {
        g.readers(&mut items);
    }
    let narrow = [120, 126, 127, 128, 130, 140, 200, 250, 255, 256, 260, 300];
    let mut one: Vec<i64> = (0..=20)
        .chain([
            -1,
            -2,
            31,
            32,
            33,
            63,
            64,
            65,
            -3,
            -4,
            -7,
            100,
            127,
            128,
            129,
            200,
            255,
            256,
            257,
            1000,
            32767,
            32768,
            65535,
            65536,
            -128,
            -129,
            -32769,
            2_147_483_647,
            -2_147_483_648,
        ])
        .collect();
    if g.narrow {
        one.extend(narrow);
    }
    let two: Vec<i64> = if g.narrow {
        vec![1, 2, 3, 5, 8, 127, 128, 130, 0, -1, 255, 256, 260, 300, 32768, 17, 65536]
    } else {
        vec![1, 2, 3, 4, 5, 0, 7, 8, -1, 9, 16, 17, 33, -5, 128, 255, 40000, 2_147_483_647]
    };
    let three: Vec<i64> =
        if g.narrow { vec![1, 2, 4, 0, 7, 130, 256, 300] } else { vec![1, 2, 4, 3, 0, 7, -1, 9, 16, 255] };
    Program {
        seed,
        items,
        indices,
        inputs: match inputs {
            1 => vec![one],
            2 => vec![two.clone(), two],
            n => vec![three; n],
        },
    }
}
