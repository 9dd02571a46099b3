//! Error messages for unexpected tokens.
//!
//! In: a position in the text. Out: the error, with the likeliest remedy.

use super::ContractError;
use super::Span;
use super::within_name;

/// Error for the unexpected token at `at`.
pub(super) fn unexpected(text: &str, at: usize) -> ContractError {
    let from = text.get(at..).unwrap_or_default();
    let at = at + (from.len() - from.trim_start().len());
    let from = from.trim_start();
    let Some(first) = from.chars().next() else {
        let end = Span { start: text.trim_end().len(), end: text.trim_end().len() };
        let help = "an operand, a parenthesis or a bracket is missing at its end";
        return ContractError::new(end, "the contract ends too early", help);
    };
    let word = from.find(|c| !within_name(c)).filter(|end| *end > 0);
    let end = if within_name(first) { word.unwrap_or(from.len()) } else { first.len_utf8() };
    let help = match first {
        ';' => "a contract is one condition, without a semicolon",
        ',' => "conditions are joined by `&&`",
        ')' | ']' => "unmatched closing bracket, or a missing operand before it",
        '{' | '}' => "a contract is an expression, not a statement",
        '"' | '\'' => "contracts have no strings or characters",
        _ if within_name(first) && text[..at].ends_with(')') => {
            "an operator is missing before it; a cast is to an integer type of 64 bits"
        }
        _ if within_name(first) => "an operator is missing before it",
        _ => "the operators are C's without assignments, and `==>`",
    };
    ContractError::new((at..at + end).into(), format!("`{}` is not expected here", &from[..end]), help)
}
