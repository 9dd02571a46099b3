//! Decides whether text on standard error may be coloured.
//!
//! The analysis beside nvcc writes to a pipe, so it cannot see where its text is printed. The shim inherits standard
//! error from the build, and passes the answer to the analysis in a variable.

use std::ffi::OsString;
use std::io::IsTerminal;

/// Variable with the value `always`, `never` or `auto`: from `scuba build --color` to the shims, and from a shim to the
/// analysis.
pub const VARIABLE: &str = "SCUBA_COLOR";

/// Whether standard error is a terminal whose user wants colours (<https://no-color.org>).
#[must_use]
pub fn on_this_terminal() -> bool {
    let no = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    !no && std::env::var_os("TERM").is_none_or(|t| t != "dumb") && std::io::stderr().is_terminal()
}

/// Returns the value that the shim passes to the analysis.
pub(super) fn for_analysis() -> OsString {
    match std::env::var_os(VARIABLE) {
        Some(set) if set == "always" || set == "never" => set,
        _ => if on_this_terminal() { "always" } else { "never" }.into(),
    }
}
