//! Inputs that a program has read so far: symbols of inputs, files, arguments and options.
//!
//! Plain data below the executor, shared by all paths.

use super::command_line::{ArgumentComparison, FoundOption};
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::terms::term::{FileName, FilePart, InputSource, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Distance of rows that an allocation returned, in bytes: a multiple of an unknown number. `width` are the bytes of a row.
#[derive(Clone, Copy)]
pub struct Pitch {
    pub units: TermId,
    pub bytes: TermId,
    pub width: TermId,
}

#[derive(Clone, Default)]
pub struct InputSymbols {
    /// Symbols of inputs, by their sources and widths in bits: equal sources have the same symbol.
    pub symbols: FxHashMap<(InputSource, u32), TermId>,
    /// Number of reads with an ordinal of their own.
    pub reads: u32,
    /// Files that the program opens.
    pub files: Vec<FileName>,
    /// Files that it opens for writing.
    pub written_files: Vec<FileName>,
    /// Files that something was read from, by number.
    pub read_files: FxHashSet<u32>,
    /// Streams behind `std::ifstream`s, by the object that holds one at its start.
    pub file_streams: FxHashMap<ObjId, ObjId>,
    /// End positions of file reads, in bytes or words: the files of a witness must have that length.
    pub file_ends: Vec<(u32, FilePart, TermId)>,
    /// Pitches that allocations returned.
    pub pitches: Vec<Pitch>,
    /// Strings that `optarg` pointed to.
    pub options: FxHashMap<ObjId, FoundOption>,
    /// Comparisons of arguments with words, by their results.
    pub compared: FxHashMap<TermId, ArgumentComparison>,
    /// Strings of arguments, by index; at `u32::MAX` the one that represents all of them.
    pub argv_texts: FxHashMap<u32, ObjId>,
    /// Copies of strings in C++ strings, by the original.
    pub copied_texts: FxHashMap<ObjId, ObjId>,
    /// Streams of files whose name is unknown, or that were opened before.
    pub opened_again: FxHashSet<ObjId>,
}

impl InputSymbols {
    /// Notes the pitch of an allocation, a multiple of `units`, for rows of `width` bytes.
    pub fn note_pitch(&mut self, units: TermId, bytes: TermId, width: TermId) {
        self.pitches.push(Pitch { units, bytes, width });
    }
}
