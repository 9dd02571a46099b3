//! Library functions that do not return, or may not, by their names (C11, POSIX.1-2017, glibc 2.39, Itanium C++ ABI). A
//! path ends at such a call, and a replay that reaches it is no evidence about the code after it. Attributes do not
//! suffice: a program may declare these functions without them.

use super::returns::Returns;
use super::table::of;

/// Returns how a call of a function ends; `None` where the call returns or the function is unknown.
#[must_use]
pub fn returns(name: &str) -> Option<Returns> {
    // A leading `\u{1}` marks a name that the assembler uses unchanged.
    let name = name.strip_prefix('\u{1}').unwrap_or(name);
    let throws = name
        .strip_prefix("_ZSt")
        .is_some_and(|n| n.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with("__throw_"));
    if throws { Some(Returns::Never) } else { of(name).returns }
}

#[cfg(test)]
mod tests {
    use super::{Returns, returns};

    #[test]
    fn what_returns() {
        for n in ["abort", "_exit", "\u{1}quick_exit", "_ZSt20__throw_length_errorPKc", "_ZSt9terminatev"] {
            assert_eq!(returns(n), Some(Returns::Never), "{n}");
        }
        assert_eq!(
            (returns("error"), returns("raise"), returns("execv")),
            (Some(Returns::IfZero(0)), Some(Returns::IfHandled(0)), Some(Returns::Perhaps))
        );
        for n in ["printf", "atexit", "_ZSt4sortIPiEvT_S1_", "on_exit"] {
            assert_eq!(returns(n), None, "{n}");
        }
    }
}
