//! Command-line strings as memory: programs cut them (`strtok`, `s[i] = 0`), change them in place and read into them,
//! and a pointer into a string is not its start.
//!
//! Facts about a string as an argument (its number, its length, that it is a word, that it names a file) hold only if
//! no byte from that offset on may have been written. A string has several names: `argv[i]` by a known index, by an
//! unknown index, and `optarg`. Each name's state tells whether the string was written through that name, so a query
//! about one name looks at the others too. A C++ string made from an argument holds a copy, with the same contents for
//! the same argument: later writes to the argument do not reach it. C++ strings are taken to be changed only through
//! their members, as the library demands (C++17, 24.3.2.7.1).

use super::object::{ObjId, ObjKind, ObjState, Object};
use super::value::{Base, GuardedTarget, PossibleTargets, UnknownPointer, Value};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::inputs::command_line::one_object;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{InputSource, SymKind, TermId};
use base::reasons::UnknownReason;
use ir::{Const, FuncRef};
use models::attributes::only_reads;
use std::rc::Rc;

/// Conversions of a string to an integer. Two of them may disagree on one string: `010`, `18446744073709551615`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringConversion {
    /// A signed decimal number (`strtol` in base 10; `atoi` cuts off the upper half of it).
    Decimal,
    /// A number in the base that its prefix tells.
    AnyBase,
    /// An unsigned number, which has other limits.
    Unsigned,
    UnsignedAnyBase,
}

impl StringConversion {
    /// Key of the reader's symbol, which differs from every plain bit width except for `Decimal`.
    const fn key(self, bits: u32) -> u32 {
        bits + 1000 * self as u32
    }
}

impl MemoryDomain<'_> {
    /// Whether an object is an argument's string, under one of its names.
    fn is_text(&self, o: ObjId) -> bool {
        matches!(self.object(o).kind, ObjKind::ArgvText(_) | ObjKind::ArgvTexts) || self.inputs.options.contains_key(&o)
    }

    /// Copy of a command-line string that C++ strings hold.
    pub fn copy_of_text(&mut self, o: ObjId) -> ObjId {
        if self.is_copied_text(o) {
            return o;
        }
        if let Some(c) = self.inputs.copied_texts.get(&o) {
            return *c;
        }
        let (kind, name) = (self.object(o).kind.clone(), self.object(o).name.clone());
        let c = self.heap.add(Object { kind, name, extent: None, site: None, func: None, array: true });
        if let Some(found) = self.inputs.options.get(&o).cloned() {
            self.inputs.options.insert(c, found);
        }
        self.inputs.copied_texts.insert(o, c);
        c
    }

    /// Sets the contents of an option's string before any write.
    pub fn starts_as_given(&mut self, o: ObjId, state: ObjState) {
        self.heap.note_first(o, Rc::new(state));
    }

    /// Whether a byte from `from` on may have been written through this name.
    fn is_written(&self, s: &State, o: ObjId, from: i64) -> bool {
        let Some(now) = s.mem.get(&o) else { return false };
        let Some(first) = self.heap.first(o) else { return true };
        !Rc::ptr_eq(now, first)
            && (now.rest != first.rest || now.cells.iter().any(|(at, (bytes, _))| at + i64::from(*bytes) > from))
    }

    /// Whether a string may have been written through another of its names.
    pub fn is_written_by_another_name(&self, s: &State, o: ObjId) -> bool {
        if !self.is_text(o) || self.is_copied_text(o) {
            return false;
        }
        let exact = matches!(self.object(o).kind, ObjKind::ArgvText(_));
        let other = |name: &ObjId| {
            *name != o
                && !self.is_copied_text(*name)
                && !(exact && matches!(self.object(*name).kind, ObjKind::ArgvText(_)))
        };
        self.inputs
            .argv_texts
            .values()
            .chain(self.inputs.options.keys())
            .any(|name| other(name) && self.is_written(s, *name, i64::MIN))
    }

    /// Whether all bytes from the offset on are those of the argument that the program was given.
    pub fn is_as_given(&self, s: &State, o: ObjId, offset: TermId) -> bool {
        let from = match self.object(o).kind {
            ObjKind::ArgvText(_) => self.arena.as_int(offset).and_then(|at| i64::try_from(at).ok()),
            _ => None,
        };
        self.is_text(o) && !self.is_written(s, o, from.unwrap_or(i64::MIN)) && !self.is_written_by_another_name(s, o)
    }

    /// Index `i`, if a pointer is the start of `argv[i]` and nothing may have written the string.
    pub fn argument_of(&self, s: &State, p: &[GuardedTarget]) -> Option<u32> {
        let (o, offset) = one_object(p)?;
        let ObjKind::ArgvText(i) = self.object(o).kind else { return None };
        (self.arena.as_int(offset) == Some(0) && self.is_as_given(s, o, offset)).then_some(i)
    }

    /// Length of a command-line string from a pointer on.
    pub fn argument_length(&mut self, s: &State, p: &[GuardedTarget]) -> Option<TermId> {
        let (o, offset) = one_object(p)?;
        let ObjKind::ArgvText(i) = self.object(o).kind else { return None };
        let into = self.arena.as_int(offset).filter(|at| *at >= 0 && self.is_as_given(s, o, offset))?;
        let all = self.input(InputSource::ArgvLen(i), 64);
        if into == 0 {
            return Some(all);
        }
        // Other strings may follow its end.
        let (at, rest) = (self.arena.int(into), self.arena.add_const(all, -into));
        let inside = self.arena.le(at, all);
        let other = self.arena.fresh(
            SymKind::Unknown { reason: UnknownReason::StringLength },
            "strlen",
            Interval::new(0, 1 << 20),
        );
        Some(self.arena.ite(inside, rest, other))
    }

    /// Replaces by integers the arguments of a call through which it cannot write command-line strings.
    pub fn without_texts_read(&mut self, callees: &[FuncRef], args: &[Value]) -> Vec<Value> {
        let is_only_text =
            |v: &Value| matches!(v, Value::Ptr(p) if one_object(p).is_some_and(|(o, _)| self.is_text(o)));
        let read = |i: usize| {
            callees.iter().all(|f| {
                let f = self.program.func(*f);
                f.is_declaration() && only_reads(&f.name, &f.display, i)
            })
        };
        let read: Vec<bool> = args.iter().enumerate().map(|(i, v)| is_only_text(v) && read(i)).collect();
        let zero = self.arena.int(0);
        args.iter().zip(read).map(|(v, read)| if read { Value::Int(zero) } else { v.clone() }).collect()
    }

    /// Returns the constant string that a pointer names.
    pub fn text_of(&self, p: &[GuardedTarget]) -> Option<String> {
        let [GuardedTarget { base: Base::Object(o), offset, .. }] = p else { return None };
        if self.arena.as_int(*offset) != Some(0) {
            return None;
        }
        let ObjKind::HostGlobal(r) = self.object(*o).kind else { return None };
        let g = self.program.global(r);
        // The initial contents of a non-constant variable may have been replaced.
        match g.init.as_ref().filter(|_| g.constant)? {
            Const::Bytes { data, .. } => Some(data.iter().take_while(|b| **b != 0).map(|b| char::from(*b)).collect()),
            _ => None,
        }
    }
}

impl ValueDomain<'_> {
    pub(in crate::symbolic) fn is_copied_text(&self, o: ObjId) -> bool {
        self.inputs.copied_texts.values().any(|c| *c == o)
    }

    /// Result of converting `argv[i]`.
    pub fn argument_read(&mut self, i: u32, bits: u32, reader: StringConversion) -> TermId {
        let source = InputSource::Argv(i);
        if reader == StringConversion::Decimal {
            return self.input(source, bits);
        }
        let key = (source.clone(), reader.key(bits));
        if let Some(t) = self.inputs.symbols.get(&key) {
            return *t;
        }
        let t = self.arena.fresh(SymKind::Input(source), format!("argv[{i}]"), Interval::of_int(bits, true));
        self.inputs.symbols.insert(key, t);
        t
    }

    /// Input for a value that was converted at a greater width and truncated to `bits` bits.
    pub(in crate::symbolic) fn input_kept_in(&mut self, t: TermId, source: InputSource, bits: u32) -> TermId {
        let InputSource::Argv(i) = source else { return self.input(source, bits) };
        let of = |reader: &StringConversion| {
            [8, 16, 32, 64]
                .iter()
                .any(|wide| self.inputs.symbols.get(&(InputSource::Argv(i), reader.key(*wide))) == Some(&t))
        };
        let reader = [StringConversion::AnyBase, StringConversion::Unsigned, StringConversion::UnsignedAnyBase]
            .into_iter()
            .find(of)
            .unwrap_or(StringConversion::Decimal);
        self.argument_read(i, bits, reader)
    }
}

impl Terms {
    /// Pointer to some byte of the objects that a pointer points into, or null.
    pub fn place_within(&mut self, p: &[GuardedTarget], reason: &UnknownReason) -> Value {
        let mut objects = vec![];
        for t in p {
            match &t.base {
                Base::Object(o) => objects.push(*o),
                Base::Unknown(UnknownPointer { among: Some(a), .. }) => objects.extend(&a.objects),
                Base::Null => {}
                Base::Func(_) | Base::Unknown(_) => return self.unknown_pointer(reason),
            }
        }
        objects.sort_unstable();
        objects.dedup();
        self.lost_pointer(UnknownPointer {
            reason: Rc::new(reason.clone()),
            among: Some(Rc::new(PossibleTargets { objects, functions: vec![] })),
            unset: false,
        })
    }
}
