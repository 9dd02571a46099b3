//! Arithmetic of `eval`: C's operators over the integers, in 128 bits.
//!
//! In: integers. Out: an integer; the reason why the result is undefined; or an error if it does not fit.

use super::ast::{Binary, ContractFunction, Span};
use super::eval::{EvalError, EvalStop, Undefined};

/// Applies a function of integers. `None` if it is not one, or the number of arguments is wrong.
pub(super) fn applied(function: ContractFunction, values: &[i128], span: Span) -> Option<Result<i128, EvalStop>> {
    let fits = |v: Option<i128>| v.ok_or(EvalStop::from(EvalError::TooLarge(span)));
    Some(match (function, values) {
        (ContractFunction::Min, [first, rest @ ..]) => Ok(rest.iter().fold(*first, |a, b| a.min(*b))),
        (ContractFunction::Max, [first, rest @ ..]) => Ok(rest.iter().fold(*first, |a, b| a.max(*b))),
        (ContractFunction::Abs, [a]) => fits(a.checked_abs()),
        (ContractFunction::CeilDiv, [_, 0]) => Err(EvalStop::Undefined(Undefined::DivisionByZero(span))),
        (ContractFunction::CeilDiv, [a, b]) => {
            fits(a.checked_div(*b).map(|q| q + i128::from(a % b != 0 && (*a < 0) == (*b < 0))))
        }
        _ => return None,
    })
}

pub(super) fn arithmetic(op: Binary, a: i128, b: i128, span: Span) -> Result<i128, EvalStop> {
    if matches!(op, Binary::Div | Binary::Rem) && b == 0 {
        return Err(EvalStop::Undefined(Undefined::DivisionByZero(span)));
    }
    if matches!(op, Binary::Shl | Binary::Shr) && b < 0 {
        return Err(EvalStop::Undefined(Undefined::NegativeShift(span)));
    }
    let out = match op {
        Binary::Mul => a.checked_mul(b),
        Binary::Div => a.checked_div(b),
        // The remainder of the smallest integer by -1, whose quotient would not fit, is 0, too.
        Binary::Rem => Some(a.checked_rem(b).unwrap_or(0)),
        Binary::Add => a.checked_add(b),
        Binary::Sub => a.checked_sub(b),
        Binary::Shl if a == 0 => Some(0),
        Binary::Shl => u32::try_from(b).ok().filter(|b| *b < 127).and_then(|b| a.checked_mul(1 << b)),
        Binary::Shr => Some(a >> b.min(127)),
        Binary::And => Some(a & b),
        Binary::Xor => Some(a ^ b),
        Binary::Or => Some(a | b),
    };
    out.ok_or(EvalError::TooLarge(span).into())
}
