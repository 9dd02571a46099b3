//! Names of the uninterpreted functions that stand for what memory, files and loops hold ([`Term::Apply`](super::term::Term)).

/// From a version of an object's contents, a width and a place to what stands there.
pub const CONTENT: &str = "content";

/// From number, width in bits and byte position of a file to what stands there.
pub const FILE: &str = "file";

/// From number, width in bits and place among the words of a file to that word as a number.
pub const WORD: &str = "word";

/// How the functions begin that give what a loop computes in one of its rounds.
pub const ROUND: &str = "round ";

/// The function that reads contents as a number of so many bits.
#[must_use]
pub fn reading(bits: u32, signed: bool) -> String {
    format!("{}{bits}", if signed { "signed" } else { "unsigned" })
}

/// Whether a function is one of these.
#[must_use]
pub fn is_reading(name: &str) -> bool {
    let bits = name.strip_prefix("signed").or_else(|| name.strip_prefix("unsigned"));
    bits.is_some_and(|b| !b.is_empty() && b.bytes().all(|c| c.is_ascii_digit()))
}
