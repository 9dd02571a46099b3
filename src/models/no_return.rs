//! Functions of libraries that do not return, or may not, by their names (C11, POSIX.1-2017, glibc 2.39, Itanium C++ ABI). A path ends there,
//! and no replay that comes to one shows what stands behind it. Attributes are not enough: a program may declare these without.

use super::returns::Returns;
use super::table::of;

/// What is known of a function; `None` where it returns, or nothing is known of it.
#[must_use]
pub fn returns(name: &str) -> Option<Returns> {
    // A name that the program gives the assembler as it is.
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
