//! The open streams of a run: what they hold and where reading stands. Types alone; functions are in `stdio` and `cxx`.

use super::numbers::{extract_float, extract_int, is_space};
use crate::machine::value::{Reason, Val, float_bits, mask};
use rustc_hash::FxHashMap;

/// One open file. Its address is that of an object without contents.
pub(super) struct Stream {
    pub(super) address: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) at: usize,
    /// A read went past the end.
    pub(super) ended: bool,
    /// An extraction from it failed.
    pub(super) failed: bool,
    /// Why the contents or the position are not known.
    pub(super) unknown: Reason,
}

/// The open files.
#[derive(Default)]
pub struct Files {
    pub(super) streams: Vec<Stream>,
    pub(super) stdin: Option<u64>,
    /// The files of `std::ifstream`s, by the addresses of both.
    pub(super) ifstreams: FxHashMap<u64, u64>,
    /// Why nothing is known of any file that is opened, and of those of some names, without their folders.
    pub(super) moved: Reason,
    pub(super) changed: Vec<(String, Reason)>,
}

/// A name without its folder.
pub(super) fn last_of(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

impl Files {
    pub fn forget(&mut self, why: Reason) {
        for s in &mut self.streams {
            s.unknown = why;
        }
    }

    /// From now on nothing is known of files that are opened.
    pub fn all_change(&mut self, why: Reason) {
        self.moved = why;
    }

    /// From now on nothing is known of files of a name, whatever folder they are in.
    pub fn changes(&mut self, name: &str, why: Reason) {
        self.changed.push((last_of(name).to_owned(), why));
    }

    /// A number that `std::cin` or a file gives: what is stored, and whether it failed. Nothing is stored where the stream had failed before.
    pub fn number(
        &mut self,
        file: Val,
        (bits, signed, float): (u32, bool, bool),
    ) -> Result<(Option<Val>, bool), Reason> {
        let Some(s) = self.get(file) else { return Err(Reason::OPEN) };
        if s.unknown.is_some() {
            return Err(s.unknown);
        }
        if s.failed {
            return Ok((None, true));
        }
        let rest = &s.bytes[s.at..];
        // Only white space is left, or nothing: C++ stores nothing then but 0.
        let (v, used, failed) = if float {
            // One beyond all limits, which fails somewhere behind it.
            let Some(e) = extract_float(rest) else {
                s.unknown = Reason::OPEN;
                return Err(s.unknown);
            };
            (Val::new(float_bits(e.value, bits)), e.used, e.failed)
        } else {
            let e = extract_int(rest, bits, signed);
            (Val::new(e.value & mask(bits)), e.used, e.failed)
        };
        // Where white space alone is left, the extraction does not begin, and stores nothing.
        let none = rest.iter().all(|b| is_space(*b));
        s.at += used;
        s.ended |= s.at == s.bytes.len();
        s.failed = failed;
        Ok(((!none).then_some(v), failed))
    }

    /// From now on nothing is known of a stream.
    pub fn lose(&mut self, file: Val, why: Reason) {
        if let Some(s) = self.get(file) {
            s.unknown = why;
        }
    }

    /// Whether the end of a stream was met.
    pub fn has_ended(&mut self, file: Val) -> bool {
        self.get(file).is_some_and(|s| s.ended)
    }

    /// The program sets the state of streams itself.
    pub fn state_is_set(&mut self, why: Reason) {
        for s in self.streams.iter_mut().filter(|s| s.failed || s.ended) {
            s.unknown = why;
        }
    }

    /// The file of a `std::ifstream`.
    pub fn of_ifstream(&self, p: Val) -> Option<Val> {
        p.known().and_then(|a| self.ifstreams.get(&a)).map(|f| Val::new(*f))
    }

    pub(super) fn get(&mut self, file: Val) -> Option<&mut Stream> {
        let a = file.known()?;
        self.streams.iter_mut().find(|s| s.address == a)
    }
}
