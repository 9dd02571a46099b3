//! Conditions that users state in scuba.toml and that always hold (`[[assume]]`).
//!
//! In: a C expression as text. Out: its syntax tree, [`AssumeExpr`], with its origin. The module knows nothing of programs:
//! `symbolic/` gives names their values.

mod parse;

use crate::operators::BinaryOperator;
pub use parse::{ExprError, parse};

/// A C expression over integers. Its semantics is over the mathematical integers: nothing in it wraps.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum AssumeExpr {
    Int(i128),
    /// A parameter of the function, or `argc`.
    Name(String),
    /// `argv[k]`, parsed as an integer.
    Argv(u32),
    Unary(AssumeUnary, Box<AssumeExpr>),
    Binary(BinaryOperator, Box<AssumeExpr>, Box<AssumeExpr>),
    /// `c ? a : b`.
    Choice(Box<AssumeExpr>, Box<AssumeExpr>, Box<AssumeExpr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum AssumeUnary {
    Minus,
    Not,
    Complement,
}

impl AssumeExpr {
    /// Distinct names and arguments in the expression.
    #[must_use]
    pub fn leaves(&self) -> Vec<&AssumeExpr> {
        let mut out: Vec<&AssumeExpr> = vec![];
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

/// A stated condition.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct StatedCondition {
    /// Source text.
    pub text: String,
    pub expr: AssumeExpr,
    /// Function at whose entry the condition holds.
    pub function: String,
    /// Source position, such as `scuba.toml:12`.
    pub origin: String,
}

impl StatedCondition {
    /// Text for the list of a finding's assumptions.
    #[must_use]
    pub fn describe(&self) -> String {
        match self.function.as_str() {
            "main" => format!("`{}` ({})", self.text, self.origin),
            function => format!("`{}` in `{function}` ({})", self.text, self.origin),
        }
    }
}
