//! Files of small runs: texts and bytes that hold the same few numbers again and again.
//!
//! In: the files that a program opens, how it reads them, and the words that it mentions. Out: contents, by a number. They
//! are guesses, as the arguments of small runs are; a run decides.

use crate::context::RootTools;
use engine::symbolic::terms::term::{FileName, FilePart, InputSource, SymKind};
use ir::initialisers::Initialisers;
use ir::{Const, Op, Operand, Program, Side};
use std::sync::Arc;

/// Most words that are tried as the first line of a file.
const HEADERS: usize = 3;
/// Numbers of a text, and numbers in one of its lines.
const NUMBERS: usize = 48;
const NUMBERS_OF_LINE: usize = 3;
/// Numbers of a binary file.
const LENGTHS: [usize; 4] = [2, 16, 1, 128];

/// Files that small runs give a program.
pub(super) struct TrialFiles {
    /// Numbers of the files.
    files: Vec<u32>,
    /// Whether the program reads words or lines, and whether it reads bytes.
    text: bool,
    binary: bool,
    /// Words that the first line of a text, or the first bytes of a file, may be.
    headers: Vec<String>,
}

impl TrialFiles {
    /// Returns the files that a root reads; none where a name is unknown.
    pub fn of(tools: &RootTools<'_>) -> Self {
        let inputs = &tools.e.inputs;
        // Every program has a standard input, and few read it.
        let is_read = |i: u32, name: &FileName| {
            !inputs.written_files.contains(name) && (*name != FileName::StandardInput || inputs.read_files.contains(&i))
        };
        let named = (0u32..).zip(&inputs.files).filter(|(i, name)| is_read(*i, name));
        let files: Option<Vec<u32>> = named.map(|(i, name)| (*name != FileName::Unnamed).then_some(i)).collect();
        let files = files.unwrap_or_default();
        let reads = |part| inputs.file_ends.iter().any(|(_, p, _)| *p == part);
        let has_size = tools
            .e
            .arena
            .symbols()
            .iter()
            .any(|s| matches!(s.kind, SymKind::Input(InputSource::FileSize(_) | InputSource::File { .. })));
        let binary = has_size || reads(FilePart::Bytes);
        let text = !binary || reads(FilePart::Words);
        let headers = if files.is_empty() { vec![] } else { headers(tools) };
        Self { files, text, binary, headers }
    }

    /// Returns the number of the last argument that names one of the files; 0 where none does.
    pub fn last_argument(&self, names: &[FileName]) -> u32 {
        let argument = |f: &u32| if let Some(FileName::Argv(i)) = names.get(*f as usize) { Some(*i) } else { None };
        self.files.iter().filter_map(argument).max().unwrap_or(0)
    }

    pub const fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns all contents that hold a number.
    pub fn contents(&self, number: i128) -> Vec<Arc<[u8]>> {
        let mut out: Vec<Vec<u8>> = vec![];
        let headers = || std::iter::once("").chain(self.headers.iter().map(String::as_str));
        if self.text {
            for (between, each) in [(" ", NUMBERS_OF_LINE), ("", 1), (",", NUMBERS_OF_LINE)] {
                let line = vec![number.to_string(); each].join(between) + "\n";
                let lines = line.repeat(NUMBERS / each);
                out.extend(
                    headers().map(|h| if h.is_empty() { lines.clone() } else { format!("{h}\n{lines}") }.into()),
                );
            }
        }
        if self.binary {
            for (bytes, count) in LENGTHS.into_iter().flat_map(|count| [(4, count), (8, count)]) {
                let numbers = number.to_le_bytes()[..bytes].repeat(count);
                out.extend(headers().map(|h| [h.as_bytes(), &numbers].concat()));
            }
            // Positive numbers of any width, with many bits.
            out.extend(LENGTHS.into_iter().map(|count| vec![0x7f; 8 * count]));
        }
        out.into_iter().map(Arc::from).collect()
    }

    /// Gives all files the same contents.
    pub fn with(&self, contents: &Arc<[u8]>) -> impl Iterator<Item = (u32, Arc<[u8]>)> {
        self.files.iter().map(|f| (*f, contents.clone()))
    }
}

/// Words of the program that may begin a file: strings like `P6` that it mentions, and letters and digits that one of
/// its functions compares with.
fn headers(tools: &RootTools<'_>) -> Vec<String> {
    let program = tools.e.program;
    let is_mode = |text: &str| ["rb", "wb", "ab", "rt", "wt"].contains(&text);
    let is_word = |text: &String| {
        (2..=8).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric()) && !is_mode(text)
    };
    let mut out: Vec<String> = letters(program);
    out.extend(Initialisers::before(program, tools.root.func).strings.into_iter().filter(is_word));
    let mut seen: Vec<String> = vec![];
    out.retain(|h| {
        !seen.contains(h) && {
            seen.push(h.clone());
            true
        }
    });
    out.truncate(HEADERS);
    out
}

/// Constants that the program's own host functions compare integers with, by function.
fn compared(program: &Program) -> impl Iterator<Item = Vec<i128>> + '_ {
    let own = program.functions().filter(|(_, m, f)| m.side == Side::Host && !f.is_declaration());
    own.filter(|(r, _, f)| !program.loc(r.module, f.loc).system).map(|(_, _, f)| {
        let constant = |o: &Operand| match o {
            Operand::Const(Const::Int { bits: 8.., value }) => Some(*value),
            _ => None,
        };
        let insts = f.blocks.iter().flat_map(|b| &b.insts);
        insts
            .filter_map(|i| match &i.op {
                Op::Icmp { a, b, .. } => constant(a).or_else(|| constant(b)),
                _ => None,
            })
            .collect()
    })
}

/// Words of letters and digits that a function compares with one after the other, the first of them a capital letter.
fn letters(program: &Program) -> Vec<String> {
    let of_function = |constants: Vec<i128>| {
        let letters: Vec<char> = constants
            .into_iter()
            .filter_map(|v| u8::try_from(v).ok().filter(u8::is_ascii_alphanumeric).map(char::from))
            .collect();
        let begin = letters.iter().position(char::is_ascii_uppercase)?;
        let word: String = letters[begin..].iter().take(2).collect();
        (word.len() == 2).then_some(word)
    };
    compared(program).filter_map(of_function).collect()
}

/// Numbers at the ends of ranges that the program tests, in increasing order.
pub(super) fn ends(program: &Program, most: i128) -> Vec<i128> {
    let mut out: Vec<i128> =
        compared(program).flatten().flat_map(|c| [c, c - 1, c + 1]).filter(|v| (2..=most).contains(v)).collect();
    out.sort_unstable();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::TrialFiles;

    #[test]
    fn contents_hold_the_number_in_every_form() {
        let all = TrialFiles { files: vec![0, 2], text: true, binary: true, headers: vec!["P6".into()] };
        let contents = all.contents(3);
        let has = |bytes: &[u8]| contents.iter().any(|c| c.starts_with(bytes));
        for begin in [&b"3 3 3\n3"[..], b"P6\n3\n3\n", b"3,3,3\n", b"P6\x03\0\0\0\x03\0\0\0", b"\x03\0\0\0\0\0\0\0\x03"]
        {
            assert!(has(begin), "{begin:?}");
        }
        assert_eq!(all.with(&contents[0]).map(|(file, _)| file).collect::<Vec<_>>(), [0, 2]);
        let text = TrialFiles { binary: false, ..all };
        assert!(text.contents(3).iter().all(|c| c.is_ascii()));
    }
}
