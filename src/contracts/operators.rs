//! C's binary operators and their precedence, for contracts and assumptions.
//!
//! In: nothing. Out: their table.

use super::ast::{Binary, Comparison};
use serde::{Deserialize, Serialize};

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BinaryOperator {
    Arithmetic(Binary),
    Compare(Comparison),
    Both,
    One,
}

/// Operators with their binding power. An operator comes after the longer ones that begin with it.
pub const OPERATORS: [(&str, i64, BinaryOperator); 18] = {
    use Binary::{Add, And, Div, Mul, Or, Rem, Shl, Shr, Sub, Xor};
    use BinaryOperator::{Arithmetic, Both, Compare, One};
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    [
        ("<<", 22, Arithmetic(Shl)),
        (">>", 22, Arithmetic(Shr)),
        ("<=", 20, Compare(Le)),
        (">=", 20, Compare(Ge)),
        ("==", 18, Compare(Eq)),
        ("!=", 18, Compare(Ne)),
        ("&&", 10, Both),
        ("||", 8, One),
        ("*", 26, Arithmetic(Mul)),
        ("/", 26, Arithmetic(Div)),
        ("%", 26, Arithmetic(Rem)),
        ("+", 24, Arithmetic(Add)),
        ("-", 24, Arithmetic(Sub)),
        ("<", 20, Compare(Lt)),
        (">", 20, Compare(Gt)),
        ("&", 16, Arithmetic(And)),
        ("^", 14, Arithmetic(Xor)),
        ("|", 12, Arithmetic(Or)),
    ]
};

/// Instances of a function for each row of the table, with the row's index as a const parameter: the parser accepts
/// functions without captured state.
macro_rules! of_each_row {
    ($f:ident) => {
        [
            $f::<0>, $f::<1>, $f::<2>, $f::<3>, $f::<4>, $f::<5>, $f::<6>, $f::<7>, $f::<8>, $f::<9>, $f::<10>,
            $f::<11>, $f::<12>, $f::<13>, $f::<14>, $f::<15>, $f::<16>, $f::<17>,
        ]
    };
}
pub(crate) use of_each_row;

impl BinaryOperator {
    /// Spelling of the operator.
    #[must_use]
    pub fn sign(self) -> &'static str {
        OPERATORS.iter().find(|(_, _, op)| *op == self).map_or("", |(sign, ..)| sign)
    }
}
