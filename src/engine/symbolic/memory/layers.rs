//! Array reads and writes through layers ([`Layer`]).
//!
//! In: bulk writes of loops, files and copies; reads at any offset. Out: objects whose contents are layers over earlier
//! contents, and the values of reads: inside a layer its value, apart from it what is below, else unknown.

use super::array_write::{JoinedContents, Layer, WrittenContents, depth_of};
use super::object::{ObjId, ObjState, UncoveredContents, with_end_of};
use super::value::{Base, GuardedTarget, Value};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{InputSource, Term, TermId, wrap_value};
use base::reasons::UnknownReason;
use ir::{FuncRef, TypeId, TypeKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl ExecutionContext<'_> {
    /// Puts a layer over an object's contents; elements are `(stride, bytes, count)`.
    pub(in crate::symbolic) fn write_layer(
        &mut self,
        s: &mut State,
        o: ObjId,
        from: TermId,
        (stride, bytes, count): (i128, u32, TermId),
        what: WrittenContents,
    ) {
        if self.several.has_other_names(o) {
            return self.written_by_another_name(s, o, &UnknownReason::WrittenByOtherName);
        }
        self.ensure(s, o);
        let Some(old) = s.mem.get(&o).cloned() else { return };
        let count = self.no_huge_number(count);
        let whole = self.covers(o, from, count, stride) && i128::from(bytes) == stride;
        let below = if whole { Rc::new(ObjState::new(UncoveredContents::Uninit)) } else { old.clone() };
        let source = if let WrittenContents::Copy { state, .. } = &what { depth_of(state) } else { 0 };
        let depth = depth_of(&below).max(source) + 1;
        if depth > MAX_DEPTH {
            self.blank(s, o, &UnknownReason::WrittenInPlaces, false);
            return;
        }
        let version = self.heap.next_version();
        let layer = Layer { from, stride, bytes, count, what, below, version, depth };
        s.mem.insert(o, Rc::new(with_end_of(Some(&old), ObjState::new(UncoveredContents::Layer(Rc::new(layer))))));
    }

    /// Stores `length` bytes of a file from position `at` on; the file consists of items of `size` bytes.
    pub fn store_file(
        &mut self,
        s: &mut State,
        to: &Rc<Vec<GuardedTarget>>,
        (file, at): (u32, TermId),
        length: TermId,
        size: TermId,
    ) {
        let [GuardedTarget { base: Base::Object(o), offset, .. }] = to.as_slice() else {
            self.havoc_targets(s, to, &UnknownReason::ReadFromFile);
            return;
        };
        let number = |e: &Self, t: TermId| e.arena.as_int(t);
        match (number(self, *offset), number(self, length)) {
            (Some(_), Some(n)) if (0..=MAX_CELLS).contains(&n) => {
                // Cells of the size in which they will most likely be read.
                let each = match number(self, size) {
                    Some(b @ (1 | 2 | 4 | 8)) => b,
                    _ if n % 4 == 0 => 4,
                    _ => 1,
                };
                let bits = u32::try_from(each * 8).unwrap_or(8);
                for i in 0..n / each {
                    let (from, delta) = (self.arena.add_const(at, i * each), self.arena.int(i * each));
                    let value = self.file_value(file, from, bits);
                    let place = self.offset_targets(to, delta);
                    self.store(s, &place, Value::Int(value), u64::from(bits / 8));
                }
            }
            _ => self.write_layer(s, *o, *offset, (1, 1, length), WrittenContents::File { file, at }),
        }
    }

    /// Copies `len` bytes as a layer that refers to the source's present contents.
    pub(in crate::symbolic) fn copy_layer(
        &mut self,
        s: &mut State,
        (to, offset): (ObjId, TermId),
        (from, at): (ObjId, TermId),
        len: TermId,
    ) {
        self.ensure(s, from);
        match s.mem.get(&from).cloned() {
            Some(state) => self.write_layer(s, to, offset, (1, 1, len), WrittenContents::Copy { from, state, at }),
            None => {
                let name = self.object(to).name.clone();
                self.havoc(s, to, &UnknownReason::CopiedInto(name.clone()), false);
            }
        }
    }
}

impl MemoryDomain<'_> {
    pub(in crate::symbolic) fn read_either(
        &mut self,
        o: ObjId,
        e: &JoinedContents,
        offset: TermId,
        size: u64,
        want: Option<(FuncRef, TypeId)>,
    ) -> Value {
        let [a, b] = [&e.states[0], &e.states[1]].map(|s| self.read_cells(o, s, offset, size, want));
        self.ite_value(e.first, &a, &b)
    }

    /// Reads `size` bytes at `offset` of an object under a layer.
    pub(in crate::symbolic) fn read_layer(
        &mut self,
        o: ObjId,
        layer: &Layer,
        offset: TermId,
        size: u64,
        want: Option<(FuncRef, TypeId)>,
    ) -> Value {
        let ReadRelation { member, apart } = self.inside(o, layer, offset, size);
        if self.arena.as_bool(apart) == Some(true) {
            return self.read_cells(o, &layer.below.clone(), offset, size, want);
        }
        let value = self.layer_value(layer, offset, size, want);
        if self.arena.as_bool(member) == Some(true) {
            return value;
        }
        let neither = self.layer_unknown(o, layer.version, offset, size, want);
        if matches!(value, Value::Unknown(_)) {
            return neither;
        }
        let straddles = {
            let (a, b) = (self.arena.not(member), self.arena.not(apart));
            self.arena.and(a, b)
        };
        let other = if self.arena.as_bool(apart) == Some(false) {
            neither
        } else {
            let nothing = layer.below.rest == UncoveredContents::Uninit && layer.below.cells.is_empty();
            let below =
                if nothing { neither.clone() } else { self.read_cells(o, &layer.below.clone(), offset, size, want) };
            self.ite_value(straddles, &neither, &below)
        };
        self.ite_value(member, &value, &other)
    }

    /// Returns an unknown value for bytes that a layer does not determine; an integer is a function of its offset, as in
    /// any unknown memory.
    fn layer_unknown(
        &mut self,
        o: ObjId,
        version: u32,
        offset: TermId,
        size: u64,
        want: Option<(FuncRef, TypeId)>,
    ) -> Value {
        let reason = UnknownReason::ElementOf(self.object(o).name.clone());
        match want {
            Some((f, ty)) => match self.module(f).ty(ty).kind {
                TypeKind::Int(bits) if u64::from(bits) == size * 8 => {
                    let args = vec![
                        self.arena.int(i128::from(o.0)),
                        self.arena.int(i128::from(version)),
                        offset,
                        self.arena.int(i128::from(bits)),
                    ];
                    Value::Int(self.arena.apply(UninterpretedFunction::Content, args, Interval::of_value(bits, true)))
                }
                _ => {
                    let m = self.module(f);
                    self.unknown_of(m, ty, &reason)
                }
            },
            None => Value::unknown(reason.clone()),
        }
    }

    /// Whether `count` elements of `stride` bytes from `from` on fill an object.
    fn covers(&mut self, o: ObjId, from: TermId, count: TermId, stride: i128) -> bool {
        if self.arena.as_int(from) != Some(0) {
            return false;
        }
        let all = self.arena.scale(count, stride);
        self.object(o).extent.map(|e| self.no_huge_number(e)) == Some(all)
    }

    fn inside(&mut self, o: ObjId, l: &Layer, offset: TermId, size: u64) -> ReadRelation {
        let (zero, size) = (self.arena.int(0), i128::from(size));
        let rel = self.arena.sub(offset, l.from);
        let all = self.arena.scale(l.count, l.stride);
        let whole = self.covers(o, l.from, l.count, l.stride);
        let end = self.arena.add_const(rel, size);
        let (before, behind) = (self.arena.le(end, zero), self.arena.le(all, rel));
        let outside = self.arena.or(before, behind);
        if l.bytes == 1 && l.stride == 1 {
            // A write of the whole object contains every read in the object.
            if whole {
                return ReadRelation { member: self.arena.bool(true), apart: self.arena.bool(false) };
            }
            let (lower, upper) = (self.arena.le(zero, rel), self.arena.le(end, all));
            let member = self.arena.and(lower, upper);
            // If both offset and length are multiples of the read's size, no read straddles a border.
            let steps = [rel, all].into_iter().all(|t| {
                let into = self.arena.modulo(t, size.max(1));
                self.arena.as_int(into) == Some(0)
            });
            return ReadRelation { member, apart: if steps { self.arena.not(member) } else { outside } };
        }
        let into = self.arena.modulo(rel, l.stride);
        let starts = self.arena.eq(into, zero);
        let exact = if size == i128::from(l.bytes) { starts } else { self.arena.bool(false) };
        let gap = {
            let (bytes, room) = (self.arena.int(i128::from(l.bytes)), self.arena.int(l.stride - size));
            let (past, fits) = (self.arena.le(bytes, into), self.arena.le(into, room));
            self.arena.and(past, fits)
        };
        let apart = self.arena.or(outside, gap);
        if whole && self.arena.as_bool(exact) == Some(true) {
            return ReadRelation { member: exact, apart: self.arena.bool(false) };
        }
        let (lower, upper) = (self.arena.le(zero, rel), self.arena.lt(rel, all));
        let member = self.arena.and_all(vec![exact, lower, upper]);
        // A read that is aligned like an element, but is none of the layer's elements, is apart from all of them.
        ReadRelation {
            member,
            apart: if self.arena.as_bool(exact) == Some(true) { self.arena.not(member) } else { apart },
        }
    }

    /// Value that a layer wrote at an offset inside it.
    fn layer_value(&mut self, l: &Layer, offset: TermId, size: u64, want: Option<(FuncRef, TypeId)>) -> Value {
        let rel = self.arena.sub(offset, l.from);
        let bits = u32::try_from(size * 8).unwrap_or(u32::MAX);
        let integer = match want {
            Some((f, ty)) => matches!(self.module(f).ty(ty).kind, TypeKind::Int(b) if b == bits),
            None => false,
        };
        let pointer = size == 8 && want.is_some_and(|(f, ty)| matches!(self.module(f).ty(ty).kind, TypeKind::Ptr(_)));
        match &l.what {
            WrittenContents::Copy { from, state, at } => {
                let offset = self.arena.add(*at, rel);
                self.read_cells(*from, &state.clone(), offset, size, want)
            }
            WrittenContents::File { file, at } if integer => {
                let at = self.arena.add(*at, rel);
                Value::Int(self.file_value(*file, at, bits))
            }
            WrittenContents::Each { k, value } if integer => {
                let element = self.arena.floor_div(rel, l.stride);
                let map: FxHashMap<TermId, TermId> = std::iter::once((*k, element)).collect();
                Value::Int(self.arena.substitute(*value, &map))
            }
            WrittenContents::Each { k, value } if pointer => {
                let element = self.arena.floor_div(rel, l.stride);
                let address = self.arena.substitute(*value, &std::iter::once((*k, element)).collect());
                self.int_as_pointer(address)
            }
            WrittenContents::All(value) if integer => Value::Int(*value),
            WrittenContents::All(value) if pointer => self.int_as_pointer(*value),
            WrittenContents::Fill(byte) if integer => {
                let bytes = (0..size).fold(0i128, |v, _| v << 8 | i128::from(*byte));
                Value::Int(self.arena.int(wrap_value(bytes, bits, true)))
            }
            WrittenContents::File { .. }
            | WrittenContents::Each { .. }
            | WrittenContents::All(_)
            | WrittenContents::Fill(_) => match want {
                Some((f, ty)) => {
                    let m = self.module(f);
                    self.unknown_of(m, ty, &UnknownReason::ArrayElement)
                }
                None => Value::unknown(UnknownReason::ArrayElement),
            },
        }
    }

    /// Loads an integer of `bytes` bytes, if memory holds a known one.
    pub fn load_number(&mut self, s: &mut State, p: &[GuardedTarget], bytes: u64) -> Option<TermId> {
        let [GuardedTarget { base: Base::Object(o), offset, .. }] = p else { return None };
        let state = s.mem.get(o)?.clone();
        match self.read_cells(*o, &state, *offset, bytes, None) {
            Value::Int(t) => Some(t),
            _ => None,
        }
    }
}

impl ValueDomain<'_> {
    /// Integer of `bits` bits at a byte position of a file: an input.
    pub(crate) fn file_value(&mut self, file: u32, at: TermId, bits: u32) -> TermId {
        if let (Some(at), Some(name)) =
            (self.arena.as_int(at).and_then(|v| u64::try_from(v).ok()), self.inputs.files.get(file as usize).cloned())
        {
            return self.input(InputSource::File { file: name, at, bits }, bits);
        }
        let args = vec![self.arena.int(i128::from(file)), self.arena.int(i128::from(bits)), at];
        self.arena.apply(UninterpretedFunction::File, args, Interval::of_value(bits, true))
    }
}

impl Terms {
    /// Joins an object's contents where two paths meet, if one of them has more than cells; `first` is true on the
    /// first path.
    pub(in crate::symbolic) fn either(&self, first: TermId, a: &ObjState, b: &ObjState) -> Option<ObjState> {
        let layered = |s: &ObjState| matches!(s.rest, UncoveredContents::Layer(_) | UncoveredContents::Either(_));
        let depth = depth_of(a).max(depth_of(b)) + 1;
        if depth > MAX_DEPTH || !(layered(a) || layered(b)) {
            return None;
        }
        let states = [Rc::new(a.clone()), Rc::new(b.clone())];
        Some(ObjState::new(UncoveredContents::Either(Rc::new(JoinedContents { first, states, depth }))))
    }

    /// Resolves contents that depend on the path taken, as far as the path condition decides which it was.
    pub(in crate::symbolic) fn settled(&mut self, path: TermId, state: &Rc<ObjState>) -> Rc<ObjState> {
        let known = self.arena.conjuncts(path);
        let mut state = state.clone();
        while let UncoveredContents::Either(e) = &state.rest {
            if !state.cells.is_empty() {
                break;
            }
            let way = self.arena.conjuncts(e.first);
            let side = if way.iter().all(|c| known.contains(c)) {
                0
            } else if way.iter().any(|c| {
                let n = self.arena.not(*c);
                known.contains(&n)
            }) {
                1
            } else {
                break;
            };
            state = e.states[side].clone();
        }
        state
    }

    /// Drops unsigned 64-bit wraps from a byte or element count: a negative count is empty, not huge, since a call with
    /// it fails.
    fn no_huge_number(&mut self, count: TermId) -> TermId {
        let wraps: FxHashMap<TermId, TermId> = self
            .arena
            .cone(&[count])
            .into_iter()
            .filter_map(|t| match self.arena.get(t) {
                Term::Wrap { arg, bits: 64, signed: false } => Some((t, *arg)),
                _ => None,
            })
            .collect();
        self.arena.substitute(count, &wraps)
    }
}

/// Maximum nesting depth of layers; deeper contents are havocked.
const MAX_DEPTH: u32 = 12;

/// Maximum number of bytes of a file that become separate cells.
const MAX_CELLS: i128 = 32;

/// Conditions that tell where a read lies relative to a layer.
struct ReadRelation {
    member: TermId,
    apart: TermId,
}
