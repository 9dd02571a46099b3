//! Contracts: what must hold when a function is called (its preconditions), and of an object of a type that an entry point is
//! given (its invariant).
//!
//! In: a condition as text, from scuba.toml, from `scuba.h` in the source, or built by inference. Out: its syntax tree, its text
//! again, the same as a check in C, and whether it holds of concrete values. Nothing here knows LLVM, solvers or programs: names
//! get their types through [`Scope`] and their values through [`World`].
//!
//! # Meaning
//!
//! Arithmetic is over the whole numbers: it never wraps, and a cast to a 64-bit type changes nothing. `/` and `%` truncate as in
//! C, `>>` rounds down, `a << b` is `a` times 2 to the `b`, and `&`, `|`, `^`, `~` see a number as two's complement without end.
//! Division by zero, a shift by less than zero and a read outside of an array have no value. A comparison of something without a
//! value is neither true nor false, and so is what depends on it: `false && c` is false and `true || c` is true whatever `c` is, on
//! either side. A condition holds where it is true. So the order of conjuncts means nothing, and neither `n / d > 1` nor
//! `!(n / d > 1)` holds where `d` is zero.

mod arithmetic;
pub mod assume;
pub mod ast;
mod build;
pub mod check;
mod constraint;
pub mod error;
pub mod eval;
mod implied;
mod lexical;
pub mod operators;
pub mod parse;
mod polynomial;
pub mod print;
mod relative;
pub mod resolve;
pub mod simplify;
#[cfg(test)]
mod tests;
mod types;
pub mod world;

pub use ast::{Cond, Span, Term};
pub use error::ContractError;
pub use implied::implies;
pub use parse::{parse, parse_term};
pub use resolve::{Scope, resolve};
pub use simplify::simplify;
pub use types::plain_name;
pub use world::World;

/// What scuba.toml states of functions.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Contract {
    /// A pattern of names, as globs are: `knn_*`.
    pub function: String,
    pub requires: Vec<Requirement>,
    /// Where it is stated that the function leaves all memory as it was that its callers know (`modifies = []`, a frame condition): it is taken for
    /// true of a function whose body is not at hand.
    pub modifies_nothing: Option<String>,
}

impl Contract {
    /// Whether it is of a function.
    #[must_use]
    pub fn is_of(&self, symbol: &str, display: &str) -> bool {
        means(&self.function, symbol, display)
    }
}

/// What scuba.toml states of each object of a type that an entry point is given.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Invariant {
    /// As the source spells the type.
    pub type_name: String,
    pub conditions: Vec<Requirement>,
}

/// Functions that code outside the program calls, with anything that their checks and contracts accept (scuba.toml `[entry]`).
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Entry {
    /// Patterns of names, as globs are.
    pub functions: Vec<String>,
    /// All that a program without `main` exports under names of C.
    pub exports: bool,
}

impl Entry {
    /// Whether a pattern means a function.
    #[must_use]
    pub fn names(&self, symbol: &str, display: &str) -> bool {
        self.functions.iter().any(|pattern| means(pattern, symbol, display))
    }
}

/// Whether a pattern means a function: by its symbol, its name with the types of its parameters, or its name alone.
fn means(pattern: &str, symbol: &str, display: &str) -> bool {
    let Ok(glob) = globset::Glob::new(pattern) else { return false };
    let matcher = glob.compile_matcher();
    let name = display.split(['(', '<']).next().unwrap_or_default();
    [symbol, display, name].into_iter().any(|n| matcher.is_match(n))
}

/// One condition of a contract.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Requirement {
    /// As written.
    pub text: String,
    pub condition: Cond,
    /// `scuba.toml:12`.
    pub origin: String,
    /// File and line of a statement in the source.
    pub at: Option<(String, u32)>,
}

impl Requirement {
    /// Its conjuncts: where nothing is known of what one speaks of, the others are to be held all the same.
    #[must_use]
    pub fn parts(&self) -> Vec<Self> {
        match &self.condition.kind {
            ast::CondKind::And(all) => all
                .iter()
                .map(|part| Self { text: part.to_string(), condition: part.clone(), ..self.clone() })
                .collect(),
            _ => vec![self.clone()],
        }
    }

    /// File and line of where it is stated, where that is a file.
    #[must_use]
    pub fn place(&self) -> Option<(String, u32)> {
        let of_settings = || {
            let (file, line) = self.origin.rsplit_once(':')?;
            Some((file.to_owned(), line.parse().ok()?))
        };
        self.at.clone().or_else(of_settings)
    }
}

/// The header that sources state contracts with, as it is installed.
pub const SCUBA_H: &str = include_str!("header/scuba.h");
/// What `scuba.h` makes of a contract in the source: a call with the text, a constant string, as its only argument.
pub const REQUIRES: &str = "__scuba_requires";
/// How the annotation of a member begins that `SCUBA_COUNTED_BY` makes; behind it is the text of a number of elements.
pub const COUNTED_BY: &str = "scuba.counted_by:";
/// The annotation of a function that `SCUBA_ENTRY` makes.
pub const ENTRY: &str = "scuba.entry";
