//! Files and the standard input as the program reads them: numbers at positions, which are inputs.
//!
//! Positions are cells of a stream's object, in bytes and in words, so that the loop analysis finds how they move. The
//! model assumes that a read is complete as regards the stored bytes: the bytes past the end of a file are as
//! arbitrary as the previous contents. The returned length stays undetermined. This holds only for the first read of
//! each byte: if the file is too short, two reads at one position leave the previous contents of two places. So the
//! position of a stream that goes back is unknown, as is that of a file that was read before, and the result of
//! `ftell` after a read. The size of a file that is opened by its name for the second time is unknown too.

use super::cuda;
use super::libc;
use super::table::HostTable;
use base::reasons::UnknownReason;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::floors::value_domain::ValueDomain;
use engine::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{FileName, FilePart, InputSource, SymKind, TermId};
use std::rc::Rc;

/// Offsets in bytes of the positions in a stream's object.
const BYTES: i128 = 0;
const WORDS: i128 = 8;

/// A stream and its read position.
#[derive(Clone, Copy)]
pub(super) struct StreamReading {
    stream: ObjId,
    file: u32,
    at: TermId,
}

/// Files and the standard input.
pub(super) const FILES: HostTable = &[
    (&["fopen", "fopen64"], |e, c, s| fopen(e, c, s)),
    (&["freopen", "freopen64"], |e, c, s| freopen(e, c, s)),
    (&["getchar", "getchar_unlocked", "gets"], |e, c, s| getchar(e, c, s)),
    (&["fread", "fread_unlocked", "__fread_chk"], |e, c, s| fread(e, c, s)),
    (&["rewind"], |e, c, s| rewind(e, c, s)),
    (&["fseek", "fseeko", "fseeko64"], |e, c, s| fseek(e, c, s)),
    (&["ftell", "ftello", "ftello64"], |e, c, s| ftell(e, c, s)),
];

fn fopen(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let (name, mode) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    let name = file_name(e, &s, &name);
    // The program's own output is no input, nor are its later reads of that file.
    let reads = e.text_of(&mode).is_some_and(|m| m.starts_with('r') && !m.contains('+'));
    if !reads && !e.inputs.written_files.contains(&name) {
        e.inputs.written_files.push(name.clone());
    }
    let stream = open_stream(e, c, &mut s, name);
    let opened = e.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::FileOpens }, "opened");
    let (file, null) = (e.pointer(stream, 0), e.null());
    Ok(Some((e.ite_value(opened, &file, &null), s)))
}

fn freopen(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    // The model does not follow the file that it opens; the standard input, which most programs mean by it, is
    // another file from then on.
    let (stdin, f) = (standard_input(e, &mut s), cuda::pointer_arg(e, c, 2));
    for stream in [stdin, f] {
        lose_position(e, &mut s, &stream);
    }
    Err(Box::new(s))
}

fn getchar(e: &mut ExecutionContext<'_>, _: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    // These functions read the standard input without an argument for it.
    let stdin = standard_input(e, &mut s);
    lose_position(e, &mut s, &stdin);
    Err(Box::new(s))
}

fn rewind(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let (f, start) = (cuda::pointer_arg(e, c, 0), e.arena.int(0));
    seek(e, &mut s, &f, Value::Int(start));
    super::no_value(s)
}

fn fseek(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let f = cuda::pointer_arg(e, c, 0);
    let (offset, whence) = (libc::int_arg(e, c, 1, 64), libc::int_arg(e, c, 2, 32));
    let from = match (e.arena.as_int(whence), self::stream(e, &f)) {
        (Some(0), _) => Some(e.arena.int(0)),
        (Some(1), _) => reading(e, &mut s, &f, FilePart::Bytes).map(|r| r.at),
        // A file of the same name may be another one by then: `chdir`, `rename`.
        (Some(2), Some((stream, file))) if !e.inputs.opened_again.contains(&stream) => {
            e.inputs.files.get(file as usize).cloned().map(|name| e.input(InputSource::FileSize(name), 64))
        }
        _ => None,
    };
    // A position before the start is refused.
    let to = from.map(|t| e.arena.add(t, offset)).filter(|t| e.arena.range(*t).lo.is_some_and(|lo| lo >= 0));
    let onwards = e.arena.as_int(whence) == Some(1) && e.arena.range(offset).lo.is_some_and(|lo| lo >= 0);
    match to {
        Some(t) if onwards => put_at(e, &mut s, &f, Value::Int(t)),
        Some(t) => seek(e, &mut s, &f, Value::Int(t)),
        None => lose_position(e, &mut s, &f),
    }
    super::success(e, s)
}

fn ftell(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let f = cuda::pointer_arg(e, c, 0);
    let at = reading(e, &mut s, &f, FilePart::Bytes).filter(|r| !e.inputs.read_files.contains(&r.file));
    let v = match at {
        Some(r) => Value::Int(r.at),
        None => {
            let m = e.program.module(c.site.func.module);
            e.unknown_of(m, c.ty, &UnknownReason::FilePosition)
        }
    };
    Ok(Some((v, s)))
}

/// Returns the file name that a string denotes.
pub(crate) fn file_name(e: &mut MemoryDomain<'_>, s: &State, text: &[GuardedTarget]) -> FileName {
    if let Some(i) = e.argument_of(s, text) {
        return FileName::Argv(i);
    }
    match e.text_of(text) {
        Some(t) => FileName::Literal(t),
        None => FileName::Unnamed,
    }
}

/// Returns the index of a file in the executor's list.
pub(crate) fn file_number(e: &mut ValueDomain<'_>, name: FileName) -> u32 {
    let known = e.inputs.files.iter().position(|f| *f == name);
    let at = known.unwrap_or_else(|| {
        e.inputs.files.push(name);
        e.inputs.files.len() - 1
    });
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Opens a stream at the start of its file.
pub(crate) fn open_stream(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State, name: FileName) -> ObjId {
    let known = !matches!(name, FileName::Unnamed) && !e.inputs.written_files.contains(&name);
    let file = file_number(e, if known { name } else { FileName::Unnamed });
    let again = e.inputs.read_files.contains(&file) || e.heap.first_of(&ObjKind::Stream(file)).is_some();
    let place = e.user_location();
    let o = e.heap.allocate(
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
    start_stream(e, s, o);
    // Two unnamed files have nothing in common: the contents of neither are followed.
    if !known || again {
        e.inputs.opened_again.insert(o);
    }
    if !known || again {
        for at in [BYTES, WORDS] {
            set_position(e, s, o, at, Value::unknown(UnknownReason::FileName));
        }
    }
    o
}

fn start_stream(e: &mut ExecutionContext<'_>, s: &mut State, stream: ObjId) {
    s.mem.insert(stream, Rc::new(ObjState::new(UncoveredContents::Uninit)));
    let zero = e.arena.int(0);
    for at in [BYTES, WORDS] {
        set_position(e, s, stream, at, Value::Int(zero));
    }
}

fn set_position(e: &mut ExecutionContext<'_>, s: &mut State, stream: ObjId, at: i128, v: Value) {
    // It always is a pointer.
    let Value::Ptr(p) = e.pointer(stream, at) else { return };
    e.store_value(s, &p, v, 8);
}

/// Returns the stream and the file of a pointer, if it is not null.
fn stream(e: &MemoryDomain<'_>, p: &[GuardedTarget]) -> Option<(ObjId, u32)> {
    let mut found = p.iter().filter(|t| t.base != Base::Null);
    match (found.next(), found.next()) {
        (Some(GuardedTarget { base: Base::Object(o), .. }), None) => match e.object(*o).kind {
            ObjKind::Stream(file) => Some((*o, file)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the position of a stream.
fn reading(e: &mut MemoryDomain<'_>, s: &mut State, p: &[GuardedTarget], part: FilePart) -> Option<StreamReading> {
    let (stream, file) = self::stream(e, p)?;
    let Value::Ptr(cell) = e.pointer(stream, if part == FilePart::Bytes { BYTES } else { WORDS }) else {
        return None;
    };
    e.load_number(s, &cell, 8).map(|at| StreamReading { stream, file, at })
}

/// Sets the position, perhaps back: it is unknown if something was read before.
fn seek(e: &mut ExecutionContext<'_>, s: &mut State, p: &[GuardedTarget], to: Value) {
    let again = self::stream(e, p)
        .is_some_and(|(stream, file)| e.inputs.read_files.contains(&file) || e.inputs.opened_again.contains(&stream));
    put_at(e, s, p, if again { Value::unknown(UnknownReason::FilePositionAgain) } else { to });
}

/// Sets the position in bytes; the position in words becomes unknown, except for the start.
fn put_at(e: &mut ExecutionContext<'_>, s: &mut State, p: &[GuardedTarget], to: Value) {
    let Some((stream, _)) = self::stream(e, p) else { return lose_positions(e, s, p) };
    let start = matches!(to, Value::Int(t) if e.arena.as_int(t) == Some(0));
    let words = if start { to.clone() } else { Value::unknown(UnknownReason::FilePosition) };
    set_position(e, s, stream, BYTES, to);
    set_position(e, s, stream, WORDS, words);
}

/// Makes the positions of several possible streams unknown.
fn lose_positions(e: &mut ExecutionContext<'_>, s: &mut State, p: &[GuardedTarget]) {
    for o in streams_at(e, s, p) {
        if let ObjKind::Stream(file) = e.object(o).kind {
            e.inputs.read_files.insert(file);
        }
        for at in [BYTES, WORDS] {
            set_position(e, s, o, at, Value::unknown(UnknownReason::FilePositionOfSeveral));
        }
    }
}

/// Returns the streams that a pointer may mean: any open one if the pointer is unknown.
fn streams_at(e: &MemoryDomain<'_>, s: &State, p: &[GuardedTarget]) -> Vec<ObjId> {
    let is_stream = |o: &ObjId| matches!(e.object(*o).kind, ObjKind::Stream(_)) && s.mem.contains_key(o);
    let lost = p.iter().any(|t| matches!(&t.base, Base::Unknown(l) if !l.unset));
    let mut all: Vec<ObjId> = if lost { s.mem.keys().collect() } else { e.objects_at(s, p) };
    all.retain(is_stream);
    all.sort_unstable();
    all.dedup();
    all
}

/// Models `fread(to, size, count, stream)`.
fn fread(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let first = usize::from(c.name == "__fread_chk");
    let to = cuda::pointer_arg(e, c, 0);
    let (size, count) = (libc::int_arg(e, c, 1 + first, 64), libc::int_arg(e, c, 2 + first, 64));
    let (size, count) = (e.interpret(size, 64, false), e.interpret(count, 64, false));
    let length = e.arena.mul(size, count);
    let f = cuda::pointer_arg(e, c, 3 + first);
    read_bytes(e, &mut s, &to, &f, length, size);
    // The read is shorter if the file ends.
    let most = e.arena.range(count).hi;
    let read = e.arena.fresh(
        SymKind::Unknown { reason: UnknownReason::HowMuchRead },
        "fread(…)",
        Interval { lo: Some(0), hi: most },
    );
    let bound = e.arena.le(read, count);
    Ok(e.assume(s, bound).map(|s| (Value::Int(read), s)))
}

/// Reads bytes from a stream to memory.
pub(crate) fn read_bytes(
    e: &mut ExecutionContext<'_>,
    s: &mut State,
    to: &Rc<Vec<GuardedTarget>>,
    f: &[GuardedTarget],
    length: TermId,
    size: TermId,
) {
    let r = reading(e, s, f, FilePart::Bytes);
    if let Some((_, file)) = self::stream(e, f) {
        e.inputs.read_files.insert(file);
    }
    let Some(r) = r else {
        e.havoc_targets(s, to, &UnknownReason::ReadFromFile);
        match self::stream(e, f) {
            Some((stream, _)) => set_position(e, s, stream, BYTES, Value::unknown(UnknownReason::FilePosition)),
            None => lose_positions(e, s, f),
        }
        return;
    };
    let end = e.arena.add(r.at, length);
    e.inputs.file_ends.push((r.file, FilePart::Bytes, end));
    set_position(e, s, r.stream, BYTES, Value::Int(end));
    set_position(e, s, r.stream, WORDS, Value::unknown(UnknownReason::FilePosition));
    e.store_file(s, to, (r.file, r.at), length, size);
}

/// Returns the next word of a stream as an integer of `size` bytes; `None` if the position is unknown. A `size` of
/// 0 is a word that is no integer.
pub(crate) fn next_word(e: &mut ExecutionContext<'_>, s: &mut State, f: &[GuardedTarget], size: u32) -> Option<Value> {
    let r = reading(e, s, f, FilePart::Words)?;
    let next = e.arena.add_const(r.at, 1);
    e.inputs.read_files.insert(r.file);
    e.inputs.file_ends.push((r.file, FilePart::Words, next));
    set_position(e, s, r.stream, WORDS, Value::Int(next));
    set_position(e, s, r.stream, BYTES, Value::unknown(UnknownReason::FilePosition));
    if size == 0 {
        return Some(Value::unknown(UnknownReason::ReadFromFile));
    }
    let name = e.inputs.files.get(r.file as usize)?.clone();
    let bits = size * 8;
    Some(Value::Int(match e.arena.as_int(r.at).and_then(|v| u64::try_from(v).ok()) {
        Some(ordinal) => e.input(InputSource::Word { file: name, ordinal }, bits),
        None => {
            let args = vec![e.arena.int(i128::from(r.file)), e.arena.int(i128::from(bits)), r.at];
            e.arena.apply(UninterpretedFunction::Word, args, Interval::of_int(bits, true))
        }
    }))
}

/// Makes the position of a stream unknown after a read that is not followed.
pub(crate) fn lose_position(e: &mut ExecutionContext<'_>, s: &mut State, f: &[GuardedTarget]) {
    if let Some((_, file)) = stream(e, f) {
        e.inputs.read_files.insert(file);
    }
    put_at(e, s, f, Value::unknown(UnknownReason::FilePosition));
}

/// Returns the stream of the standard input.
pub(crate) fn standard_input(e: &mut ExecutionContext<'_>, s: &mut State) -> Rc<Vec<GuardedTarget>> {
    let file = file_number(e, FileName::StandardInput);
    let stream = match e.heap.first_of(&ObjKind::Stream(file)) {
        Some(o) => o,
        None => e.heap.add(Object {
            kind: ObjKind::Stream(file),
            name: "the standard input".into(),
            extent: None,
            site: None,
            func: None,
            array: false,
        }),
    };
    if !s.mem.contains_key(&stream) {
        start_stream(e, s, stream);
    }
    match e.pointer(stream, 0) {
        Value::Ptr(p) => p,
        _ => Rc::new(vec![]),
    }
}
