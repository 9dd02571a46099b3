//! Contracts: conditions that must hold when a function is called (its preconditions), and of an object of a type
//! that an entry point receives (its invariant).
//!
//! In: a condition as text, from scuba.toml, from `scuba.h` in the source, or built by inference. Out: its syntax
//! tree, its text again, the same as a check in C, and whether it holds for concrete values. Nothing here knows LLVM,
//! solvers or programs: names get their types through [`Scope`] and their values through [`World`].
//!
//! # Meaning
//!
//! Arithmetic is over the mathematical integers: it never wraps, and a cast to a 64-bit type has no effect. `/` and
//! `%` truncate as in C, `>>` rounds down, `a << b` is `a` times 2 to the `b`, and `&`, `|`, `^`, `~` operate on
//! infinite two's complement. Division by zero, a shift by a negative amount and a read outside of an array are
//! undefined. A comparison of something undefined is neither true nor false, and so is what depends on it.
//! `false && c` is false and `true || c` is true for every `c`, on either side. A condition holds if it is true. The
//! order of conjuncts therefore has no meaning, and neither `n / d > 1` nor `!(n / d > 1)` holds if `d` is zero.

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

pub use ast::{Cond, ContractTerm, Span};
pub use error::ContractError;
pub use implied::implies;
pub use parse::{parse, parse_term};
pub use resolve::{Scope, resolve};
pub use simplify::simplify;
pub use types::plain_name;
pub use world::World;

/// Contract of functions, as scuba.toml states it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Contract {
    /// Glob pattern of function names: `knn_*`.
    pub function: String,
    pub requires: Vec<Requirement>,
    /// Origin of a frame condition `modifies = []`: the function leaves all memory unchanged that its callers know.
    /// The condition is assumed of a function without a body.
    pub modifies_nothing: Option<String>,
}

impl Contract {
    /// Whether the contract applies to a function.
    #[must_use]
    pub fn is_of(&self, symbol: &str, display: &str) -> bool {
        means(&self.function, symbol, display)
    }
}

/// Invariant of each object of a type that an entry point receives, as scuba.toml states it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Invariant {
    /// Type name as the source spells it.
    pub type_name: String,
    pub conditions: Vec<Requirement>,
}

/// Functions that code outside the program calls, with any arguments that their checks and contracts accept
/// (scuba.toml `[entry]`).
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct EntrySelector {
    /// Glob patterns of function names.
    pub functions: Vec<String>,
    /// Whether to add everything that a program without `main` exports under C names.
    pub exports: bool,
}

impl EntrySelector {
    /// Whether a pattern matches a function.
    #[must_use]
    pub fn names(&self, symbol: &str, display: &str) -> bool {
        self.functions.iter().any(|pattern| means(pattern, symbol, display))
    }
}

/// Whether a pattern matches a function: its symbol, its name with parameter types, or its name alone.
fn means(pattern: &str, symbol: &str, display: &str) -> bool {
    let Ok(glob) = globset::Glob::new(pattern) else { return false };
    let matcher = glob.compile_matcher();
    let name = display.split(['(', '<']).next().unwrap_or_default();
    [symbol, display, name].into_iter().any(|n| matcher.is_match(n))
}

/// A condition of a contract.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Requirement {
    /// Source text.
    pub text: String,
    pub condition: Cond,
    /// Source position, such as `scuba.toml:12`.
    pub origin: String,
    /// File and line, for a statement in the source.
    pub at: Option<(String, u32)>,
}

impl Requirement {
    /// Conjuncts of the condition as separate requirements: if one depends on something unknown, the others must
    /// still hold.
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

    /// File and line of the statement, if it is in a file.
    #[must_use]
    pub fn place(&self) -> Option<(String, u32)> {
        let of_settings = || {
            let (file, line) = self.origin.rsplit_once(':')?;
            Some((file.to_owned(), line.parse().ok()?))
        };
        self.at.clone().or_else(of_settings)
    }
}

/// Header with which sources state contracts, as installed.
pub const SCUBA_H: &str = include_str!("header/scuba.h");
/// Function that `scuba.h` calls for a contract in the source, with the text as a constant string as its only
/// argument.
pub const REQUIRES: &str = "__scuba_requires";
/// Prefix of the member annotation that `SCUBA_COUNTED_BY` makes; the text of the number of elements follows it.
pub const COUNTED_BY: &str = "scuba.counted_by:";
/// Function annotation that `SCUBA_ENTRY` makes.
pub const ENTRY: &str = "scuba.entry";
