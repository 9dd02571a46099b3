//! Whether text on standard error may be coloured.
//!
//! The analysis beside nvcc writes to a pipe, so it cannot see where its text ends up: the shim, whose standard error the
//! build gave it, tells it by a variable.

use std::ffi::OsString;
use std::io::IsTerminal;

/// `always`, `never` or `auto`: from `scuba build --color` to the shims, and from a shim to the analysis.
pub const VARIABLE: &str = "SCUBA_COLOR";

/// Whether standard error is a terminal whose user wants colours (<https://no-color.org>).
#[must_use]
pub fn on_this_terminal() -> bool {
    let no = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    !no && std::env::var_os("TERM").is_none_or(|t| t != "dumb") && std::io::stderr().is_terminal()
}

/// What the shim tells the analysis.
pub(super) fn for_analysis() -> OsString {
    match std::env::var_os(VARIABLE) {
        Some(set) if set == "always" || set == "never" => set,
        _ => if on_this_terminal() { "always" } else { "never" }.into(),
    }
}
