//! Open streams of a run: contents and read positions. Types only; the functions are in `stdio` and `cxx`.

use super::numbers::{extract_float, extract_int, is_space};
use crate::machine::value::{Reason, Val, float_bits, mask};
use rustc_hash::FxHashMap;

/// An open file. Its address is that of an object without contents.
pub(super) struct Stream {
    pub(super) address: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) at: usize,
    /// Whether a read went past the end.
    pub(super) ended: bool,
    /// Whether an extraction from the stream failed.
    pub(super) failed: bool,
    /// Whether it reads a string of the program.
    pub(super) is_text: bool,
    /// Reason why the contents or the position are unknown.
    pub(super) unknown: Reason,
}

/// Open files.
#[derive(Default)]
pub struct OpenFiles {
    pub(super) streams: Vec<Stream>,
    pub(super) stdin: Option<u64>,
    /// File addresses of `std::ifstream` objects, by the object's address.
    pub(super) ifstreams: FxHashMap<u64, u64>,
    /// Reason why every newly opened file is unknown; `changed` lists reasons by file name without folder.
    pub(super) moved: Reason,
    pub(super) changed: Vec<(String, Reason)>,
}

/// File name without its folder.
pub(super) fn last_of(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

impl OpenFiles {
    pub fn havoc(&mut self, why: Reason) {
        for s in &mut self.streams {
            s.unknown = why;
        }
    }

    /// Makes the contents of all files opened from now on unknown.
    pub fn all_change(&mut self, why: Reason) {
        self.moved = why;
    }

    /// Makes the contents of files with this name unknown, in any folder, if opened from now on.
    pub fn changes(&mut self, name: &str, why: Reason) {
        self.changed.push((last_of(name).to_owned(), why));
    }

    /// Extracts a number from `std::cin` or a file; returns the stored value. An
    /// earlier failure of the stream stores nothing.
    pub fn number(&mut self, file: Val, (bits, signed, float): (u32, bool, bool)) -> Result<Option<Val>, Reason> {
        let Some(s) = self.get(file) else { return Err(Reason::OPEN) };
        if s.unknown.is_some() {
            return Err(s.unknown);
        }
        if s.failed {
            return Ok(None);
        }
        let rest = &s.bytes[s.at..];
        // The value is parsed in any case, and dropped below if only white space is left.
        let (v, used, failed) = if float {
            // A number beyond all limits, which fails somewhere after it.
            let Some(e) = extract_float(rest) else {
                s.unknown = Reason::OPEN;
                return Err(s.unknown);
            };
            (Val::new(float_bits(e.value, bits)), e.used, e.failed)
        } else {
            let e = extract_int(rest, bits, signed);
            (Val::new(e.value & mask(bits)), e.used, e.failed)
        };
        // If only white space is left, the extraction does not begin and stores nothing.
        let none = rest.iter().all(|b| is_space(*b));
        s.at += used;
        s.ended |= s.at == s.bytes.len();
        s.failed = failed;
        Ok((!none).then_some(v))
    }

    /// Makes a stream unknown from now on.
    pub fn lose(&mut self, file: Val, why: Reason) {
        if let Some(s) = self.get(file) {
            s.unknown = why;
        }
    }

    /// Makes failed and ended streams unknown, because the program sets stream state itself.
    pub fn state_is_set(&mut self, why: Reason) {
        for s in self.streams.iter_mut().filter(|s| s.failed || s.ended) {
            s.unknown = why;
        }
    }

    /// File of a `std::ifstream`.
    pub fn of_ifstream(&self, p: Val) -> Option<Val> {
        p.known().and_then(|a| self.ifstreams.get(&a)).map(|f| Val::new(*f))
    }

    pub(super) fn get(&mut self, file: Val) -> Option<&mut Stream> {
        let a = file.known()?;
        self.streams.iter_mut().find(|s| s.address == a)
    }
}
