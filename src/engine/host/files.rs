//! Files and the standard input as the program reads them: numbers at positions, which are inputs.
//!
//! Positions are cells of a stream's object, in bytes and in words, so that the loop analysis finds how they move. The
//! model assumes that a read is complete as regards the stored bytes: the bytes past the end of a file are as
//! arbitrary as the previous contents. The returned length stays undetermined. This holds only for the first read of
//! each byte: if the file is too short, two reads at one position leave the previous contents of two places. So the
//! position of a stream that goes back is unknown, as is that of a file that was read before, and the result of
//! `ftell` after a read. The size of a file that is opened by its name for the second time is unknown too.

use super::table::Table;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::library::{Call, Modelled};
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, Rest};
use crate::symbolic::memory::value::{Base, Target, Value};
use crate::symbolic::terms::functions::Function;
use crate::symbolic::terms::interval::Range;
use crate::symbolic::terms::term::{FileName, FilePart, InputSource, SymKind, TermId};
use base::reasons::UnknownReason;
use std::rc::Rc;

/// Offsets in bytes of the positions in a stream's object.
const BYTES: i128 = 0;
const WORDS: i128 = 8;

/// A stream and its read position.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    stream: ObjId,
    file: u32,
    at: TermId,
}

/// Files and the standard input.
pub(super) const FILES: Table = &[
    (&["fopen", "fopen64"], |e, c, s| e.fopen(c, s)),
    (&["freopen", "freopen64"], |e, c, s| e.freopen(c, s)),
    (&["getchar", "getchar_unlocked", "gets"], |e, c, s| e.getchar(c, s)),
    (&["fread", "fread_unlocked", "__fread_chk"], |e, c, s| e.fread(c, s)),
    (&["rewind"], |e, c, s| e.rewind(c, s)),
    (&["fseek", "fseeko", "fseeko64"], |e, c, s| e.fseek(c, s)),
    (&["ftell", "ftello", "ftello64"], |e, c, s| e.ftell(c, s)),
];

impl Executor<'_> {
    fn fopen(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let (name, mode) = (self.pointer_arg(c, 0), self.pointer_arg(c, 1));
        let name = self.file_name(&s, &name);
        // The program's own output is no input, nor are its later reads of that file.
        let reads = self.text_of(&mode).is_some_and(|m| m.starts_with('r') && !m.contains('+'));
        if !reads && !self.inputs.written_files.contains(&name) {
            self.inputs.written_files.push(name.clone());
        }
        let stream = self.open_stream(c, &mut s, name);
        let opened = self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::FileOpens }, "opened");
        let (file, null) = (self.pointer(stream, 0), self.null());
        Ok(Some((self.ite_value(opened, &file, &null), s)))
    }

    fn freopen(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        // The model does not follow the file that it opens; the standard input, which most programs mean by it, is
        // another file from then on.
        let (stdin, f) = (self.standard_input(&mut s), self.pointer_arg(c, 2));
        for stream in [stdin, f] {
            self.lose_position(&mut s, &stream);
        }
        Err(Box::new(s))
    }

    fn getchar(&mut self, _: &Call<'_>, mut s: State) -> Modelled {
        // These functions read the standard input without an argument for it.
        let stdin = self.standard_input(&mut s);
        self.lose_position(&mut s, &stdin);
        Err(Box::new(s))
    }

    fn rewind(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let (f, start) = (self.pointer_arg(c, 0), self.arena.int(0));
        self.seek(&mut s, &f, Value::Int(start));
        Self::no_value(s)
    }

    fn fseek(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let f = self.pointer_arg(c, 0);
        let (offset, whence) = (self.int_arg(c, 1, 64), self.int_arg(c, 2, 32));
        let from = match (self.arena.as_int(whence), self.stream(&f)) {
            (Some(0), _) => Some(self.arena.int(0)),
            (Some(1), _) => self.reading(&mut s, &f, FilePart::Bytes).map(|r| r.at),
            // A file of the same name may be another one by then: `chdir`, `rename`.
            (Some(2), Some((stream, file))) if !self.inputs.opened_again.contains(&stream) => {
                self.inputs.files.get(file as usize).cloned().map(|name| self.input(InputSource::FileSize(name), 64))
            }
            _ => None,
        };
        // A position before the start is refused.
        let to = from.map(|t| self.arena.add(t, offset)).filter(|t| self.arena.range(*t).lo.is_some_and(|lo| lo >= 0));
        let onwards = self.arena.as_int(whence) == Some(1) && self.arena.range(offset).lo.is_some_and(|lo| lo >= 0);
        match to {
            Some(t) if onwards => self.put_at(&mut s, &f, Value::Int(t)),
            Some(t) => self.seek(&mut s, &f, Value::Int(t)),
            None => self.lose_position(&mut s, &f),
        }
        self.success(s)
    }

    fn ftell(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let f = self.pointer_arg(c, 0);
        let at = self.reading(&mut s, &f, FilePart::Bytes).filter(|r| !self.inputs.read_files.contains(&r.file));
        let v = match at {
            Some(r) => Value::Int(r.at),
            None => {
                let m = self.program.module(c.site.func.module);
                self.unknown_of(m, c.ty, &UnknownReason::FilePosition)
            }
        };
        Ok(Some((v, s)))
    }

    /// Returns the file name that a string denotes.
    pub(super) fn file_name(&mut self, s: &State, text: &[Target]) -> FileName {
        if let Some(i) = self.argument_of(s, text) {
            return FileName::Argv(i);
        }
        match self.text_of(text) {
            Some(t) => FileName::Literal(t),
            None => FileName::Unnamed,
        }
    }

    /// Returns the index of a file in the executor's list.
    pub(super) fn file_number(&mut self, name: FileName) -> u32 {
        let known = self.inputs.files.iter().position(|f| *f == name);
        let at = known.unwrap_or_else(|| {
            self.inputs.files.push(name);
            self.inputs.files.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// Opens a stream at the start of its file.
    pub(super) fn open_stream(&mut self, c: &Call<'_>, s: &mut State, name: FileName) -> ObjId {
        let known = !matches!(name, FileName::Unnamed) && !self.inputs.written_files.contains(&name);
        let file = self.file_number(if known { name } else { FileName::Unnamed });
        let again = self.inputs.read_files.contains(&file) || self.heap.first_of(&ObjKind::Stream(file)).is_some();
        let place = self.user_location();
        let o = self.heap.allocate(
            (c.context, c.site, 2),
            Object {
                kind: ObjKind::Stream(file),
                name: "a stream".into(),
                extent: None,
                site: place,
                func: None,
                array: false,
            },
        );
        self.start_stream(s, o);
        // Two unnamed files have nothing in common: the contents of neither are followed.
        if !known || again {
            self.inputs.opened_again.insert(o);
        }
        if !known || again {
            for at in [BYTES, WORDS] {
                self.set_position(s, o, at, Value::unknown(UnknownReason::FileName));
            }
        }
        o
    }

    fn start_stream(&mut self, s: &mut State, stream: ObjId) {
        s.mem.insert(stream, Rc::new(ObjState::new(Rest::Uninit)));
        let zero = self.arena.int(0);
        for at in [BYTES, WORDS] {
            self.set_position(s, stream, at, Value::Int(zero));
        }
    }

    fn set_position(&mut self, s: &mut State, stream: ObjId, at: i128, v: Value) {
        // It always is a pointer.
        let Value::Ptr(p) = self.pointer(stream, at) else { return };
        self.store_value(s, &p, v, 8);
    }

    /// Returns the stream and the file of a pointer, if it is not null.
    fn stream(&self, p: &[Target]) -> Option<(ObjId, u32)> {
        let mut found = p.iter().filter(|t| t.base != Base::Null);
        match (found.next(), found.next()) {
            (Some(Target { base: Base::Object(o), .. }), None) => match self.object(*o).kind {
                ObjKind::Stream(file) => Some((*o, file)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the position of a stream.
    fn reading(&mut self, s: &mut State, p: &[Target], part: FilePart) -> Option<Reading> {
        let (stream, file) = self.stream(p)?;
        let Value::Ptr(cell) = self.pointer(stream, if part == FilePart::Bytes { BYTES } else { WORDS }) else {
            return None;
        };
        self.load_number(s, &cell, 8).map(|at| Reading { stream, file, at })
    }

    /// Sets the position, perhaps back: it is unknown if something was read before.
    fn seek(&mut self, s: &mut State, p: &[Target], to: Value) {
        let again = self.stream(p).is_some_and(|(stream, file)| {
            self.inputs.read_files.contains(&file) || self.inputs.opened_again.contains(&stream)
        });
        self.put_at(s, p, if again { Value::unknown(UnknownReason::FilePositionAgain) } else { to });
    }

    /// Sets the position in bytes; the position in words becomes unknown, except for the start.
    fn put_at(&mut self, s: &mut State, p: &[Target], to: Value) {
        let Some((stream, _)) = self.stream(p) else { return self.lose_positions(s, p) };
        let start = matches!(to, Value::Int(t) if self.arena.as_int(t) == Some(0));
        let words = if start { to.clone() } else { Value::unknown(UnknownReason::FilePosition) };
        self.set_position(s, stream, BYTES, to);
        self.set_position(s, stream, WORDS, words);
    }

    /// Makes the positions of several possible streams unknown.
    fn lose_positions(&mut self, s: &mut State, p: &[Target]) {
        for o in self.streams_at(s, p) {
            if let ObjKind::Stream(file) = self.object(o).kind {
                self.inputs.read_files.insert(file);
            }
            for at in [BYTES, WORDS] {
                self.set_position(s, o, at, Value::unknown(UnknownReason::FilePositionOfSeveral));
            }
        }
    }

    /// Returns the streams that a pointer may mean: any open one if the pointer is unknown.
    fn streams_at(&self, s: &State, p: &[Target]) -> Vec<ObjId> {
        let is_stream = |o: &ObjId| matches!(self.object(*o).kind, ObjKind::Stream(_)) && s.mem.contains_key(o);
        let lost = p.iter().any(|t| matches!(&t.base, Base::Unknown(l) if !l.unset));
        let mut all: Vec<ObjId> = if lost { s.mem.keys().collect() } else { self.objects_at(s, p) };
        all.retain(is_stream);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Models `fread(to, size, count, stream)`.
    fn fread(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let first = usize::from(c.name == "__fread_chk");
        let to = self.pointer_arg(c, 0);
        let (size, count) = (self.int_arg(c, 1 + first, 64), self.int_arg(c, 2 + first, 64));
        let (size, count) = (self.interpret(size, 64, false), self.interpret(count, 64, false));
        let length = self.arena.mul(size, count);
        let f = self.pointer_arg(c, 3 + first);
        self.read_bytes(&mut s, &to, &f, length, size);
        // The read is shorter if the file ends.
        let most = self.arena.range(count).hi;
        let read = self.arena.fresh(
            SymKind::Unknown { reason: UnknownReason::HowMuchRead },
            "fread(…)",
            Range { lo: Some(0), hi: most },
        );
        let bound = self.arena.le(read, count);
        Ok(self.assume(s, bound).map(|s| (Value::Int(read), s)))
    }

    /// Reads bytes from a stream to memory.
    pub(super) fn read_bytes(
        &mut self,
        s: &mut State,
        to: &Rc<Vec<Target>>,
        f: &[Target],
        length: TermId,
        size: TermId,
    ) {
        let r = self.reading(s, f, FilePart::Bytes);
        if let Some((_, file)) = self.stream(f) {
            self.inputs.read_files.insert(file);
        }
        let Some(r) = r else {
            self.forget_targets(s, to, &UnknownReason::ReadFromFile);
            match self.stream(f) {
                Some((stream, _)) => self.set_position(s, stream, BYTES, Value::unknown(UnknownReason::FilePosition)),
                None => self.lose_positions(s, f),
            }
            return;
        };
        let end = self.arena.add(r.at, length);
        self.inputs.file_ends.push((r.file, FilePart::Bytes, end));
        self.set_position(s, r.stream, BYTES, Value::Int(end));
        self.set_position(s, r.stream, WORDS, Value::unknown(UnknownReason::FilePosition));
        self.store_file(s, to, (r.file, r.at), length, size);
    }

    /// Returns the next word of a stream as an integer of `size` bytes; `None` if the position is unknown. A `size` of
    /// 0 is a word that is no integer.
    pub(super) fn next_word(&mut self, s: &mut State, f: &[Target], size: u32) -> Option<Value> {
        let r = self.reading(s, f, FilePart::Words)?;
        let next = self.arena.add_const(r.at, 1);
        self.inputs.read_files.insert(r.file);
        self.inputs.file_ends.push((r.file, FilePart::Words, next));
        self.set_position(s, r.stream, WORDS, Value::Int(next));
        self.set_position(s, r.stream, BYTES, Value::unknown(UnknownReason::FilePosition));
        if size == 0 {
            return Some(Value::unknown(UnknownReason::ReadFromFile));
        }
        let name = self.inputs.files.get(r.file as usize)?.clone();
        let bits = size * 8;
        Some(Value::Int(match self.arena.as_int(r.at).and_then(|v| u64::try_from(v).ok()) {
            Some(ordinal) => self.input(InputSource::Word { file: name, ordinal }, bits),
            None => {
                let args = vec![self.arena.int(i128::from(r.file)), self.arena.int(i128::from(bits)), r.at];
                self.arena.apply(Function::Word, args, Range::of_int(bits, true))
            }
        }))
    }

    /// Makes the position of a stream unknown after a read that is not followed.
    pub(super) fn lose_position(&mut self, s: &mut State, f: &[Target]) {
        if let Some((_, file)) = self.stream(f) {
            self.inputs.read_files.insert(file);
        }
        self.put_at(s, f, Value::unknown(UnknownReason::FilePosition));
    }

    /// Returns the stream of the standard input.
    pub(super) fn standard_input(&mut self, s: &mut State) -> Rc<Vec<Target>> {
        let file = self.file_number(FileName::StandardInput);
        let stream = match self.heap.first_of(&ObjKind::Stream(file)) {
            Some(o) => o,
            None => self.heap.add(Object {
                kind: ObjKind::Stream(file),
                name: "the standard input".into(),
                extent: None,
                site: None,
                func: None,
                array: false,
            }),
        };
        if !s.mem.contains_key(&stream) {
            self.start_stream(s, stream);
        }
        match self.pointer(stream, 0) {
            Value::Ptr(p) => p,
            _ => Rc::new(vec![]),
        }
    }
}
