//! What a program has read so far: symbols of inputs, files, arguments and options.
//!
//! Plain data below the executor, for all paths together.

use super::command_line::{Compared, FoundOption};
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::terms::term::{FileName, FilePart, InputSource, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Default)]
pub struct Inputs {
    /// Symbols of inputs, by their sources and widths in bits: equal sources give the same symbol.
    pub symbols: FxHashMap<(InputSource, u32), TermId>,
    /// How many readings got a number of their own.
    pub reads: u32,
    /// Files that the program opens.
    pub files: Vec<FileName>,
    /// Files that it opens for writing.
    pub written_files: Vec<FileName>,
    /// Those that something was read from, by their number.
    pub read_files: FxHashSet<u32>,
    /// The streams behind `std::ifstream`s, by the object that holds one at its start.
    pub file_streams: FxHashMap<ObjId, ObjId>,
    /// How far files are read, in bytes or words: a witness must have so much in them.
    pub file_ends: Vec<(u32, FilePart, TermId)>,
    /// Texts that `optarg` pointed to.
    pub options: FxHashMap<ObjId, FoundOption>,
    /// Comparisons of arguments with words, by what they give.
    pub compared: FxHashMap<TermId, Compared>,
    /// Texts of arguments, by their number; at `u32::MAX` that which stands for all of them.
    pub argv_texts: FxHashMap<u32, ObjId>,
    /// Copies of texts in C++ strings, by what they are copies of.
    pub copied_texts: FxHashMap<ObjId, ObjId>,
    /// Streams of files that have no name that is known, or were opened before.
    pub opened_again: FxHashSet<ObjId>,
}
