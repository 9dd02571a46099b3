//! What users state in scuba.toml: a condition that always holds (`[[assume]]`).
//!
//! In: a C expression as text. Out: its syntax tree, [`Expr`], with where it stands. It knows nothing of programs: `symbolic/`
//! gives names their values.

mod parse;

use crate::operators::Operator;
pub use parse::{ExprError, parse};

/// A C expression over integers. It is meant over the whole numbers: nothing in it wraps.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Expr {
    Int(i128),
    /// A parameter of the function, or `argc`.
    Name(String),
    /// `argv[k]`, read as a number.
    Argv(u32),
    Unary(Unary, Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `c ? a : b`.
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Unary {
    Minus,
    Not,
    Complement,
}

impl Expr {
    /// Every name and argument in it, each once.
    #[must_use]
    pub fn leaves(&self) -> Vec<&Expr> {
        let mut out: Vec<&Expr> = vec![];
        let mut work = vec![self];
        while let Some(e) = work.pop() {
            match e {
                Self::Int(_) => {}
                Self::Name(_) | Self::Argv(_) => {
                    if !out.contains(&e) {
                        out.push(e);
                    }
                }
                Self::Unary(_, a) => work.push(a),
                Self::Binary(_, a, b) => work.extend([b.as_ref(), a]),
                Self::Choice(c, a, b) => work.extend([b.as_ref(), a, c]),
            }
        }
        out
    }
}

/// One stated condition.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Condition {
    /// As written.
    pub text: String,
    pub expr: Expr,
    /// The function at whose entry it holds.
    pub function: String,
    /// `scuba.toml:12`.
    pub origin: String,
}

impl Condition {
    /// As listed under a finding's assumptions.
    #[must_use]
    pub fn describe(&self) -> String {
        match self.function.as_str() {
            "main" => format!("`{}` ({})", self.text, self.origin),
            function => format!("`{}` in `{function}` ({})", self.text, self.origin),
        }
    }
}
