//! Reads of memory that the threads of a kernel also write: each gets a fresh symbol, since the time of other threads'
//! writes is unknown.

use crate::symbolic::exec::events::MemoryAfterWrite;
use crate::symbolic::exec::state::Activation;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::loops::types::Form;
use crate::symbolic::memory::object::{Memory, ObjId, ObjKind};
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymId, SymKind, Term, TermId};
use base::reasons::UnknownReason;
use ir::{AtomicOp, FuncRef, Op, Operand, Side, TypeId, TypeKind};
use rustc_hash::FxHashSet;

use super::context::ExchangedNumber;

/// Memory through which the threads of a kernel exchange values.
#[derive(Debug, Default)]
pub struct ExchangeMemory {
    /// Whether it writes through unknown pointers.
    pub anywhere: bool,
    /// Objects that it writes without a recorded access.
    pub otherwise: FxHashSet<ObjId>,
}

impl ExecutionContext<'_> {
    /// Returns the result of a read of memory that other threads may write.
    pub(in crate::symbolic) fn load_shared(
        &mut self,
        f: FuncRef,
        (object, place): (ObjId, (TermId, TermId)),
        ty: TypeId,
        (counts, adds): (bool, Option<i128>),
        what: &UnknownReason,
    ) -> Value {
        let m = self.module(f);
        let TypeKind::Int(bits @ 8..) = m.ty(ty).kind else { return self.unknown_of(m, ty, what) };
        if self.is_never_known(object) {
            return self.unknown_of(m, ty, what);
        }
        let (order, barriers) = (self.events.accesses.len(), self.events.barriers.len());
        let place = Some(place);
        let number = ExchangedNumber { object, bits, ty: (f, ty), counts, adds, place, order, barriers };
        Value::Int(self.loaded_symbol(number, what))
    }

    /// Returns the old value that an atomic operation results in.
    pub(in crate::symbolic) fn atomic_result(
        &mut self,
        fr: &Activation,
        path: TermId,
        op: &Op,
        p: &[GuardedTarget],
        ty: TypeId,
    ) -> Value {
        let what = &UnknownReason::AtomicResult;
        match p {
            [GuardedTarget { base: Base::Object(o), offset, .. }]
                if self.side == Side::Device && !matches!(self.object(*o).kind, ObjKind::DeviceLocal) =>
            {
                let counts = matches!(op, Op::AtomicRmw { op: AtomicOp::Add | AtomicOp::UIncWrap, .. });
                let adds = match op {
                    Op::AtomicRmw { op: AtomicOp::Add, value, .. } => match self.stored_number(fr, value) {
                        MemoryAfterWrite::Value(t) => self.arena.as_int(t),
                        _ => None,
                    },
                    _ => None,
                };
                self.load_shared(fr.func, (*o, (*offset, path)), ty, (counts, adds), what)
            }
            _ => {
                let m = self.module(fr.func);
                self.unknown_of(m, ty, what)
            }
        }
    }
}

impl MemoryDomain<'_> {
    /// Returns the value that an atomic operation stores; `before` is the one that it reads.
    pub(in crate::symbolic) fn atomic_stores(
        &mut self,
        fr: &Activation,
        op: &Op,
        before: Option<&Value>,
    ) -> MemoryAfterWrite {
        let (op, value) = match op {
            Op::AtomicRmw { op, value, .. } => (Some(op), value),
            Op::CmpXchg { new, .. } => (None, new),
            _ => return MemoryAfterWrite::Unknown,
        };
        let number = self.stored_number(fr, value);
        let constant = if let MemoryAfterWrite::Value(t) = number { self.arena.as_int(t) } else { None };
        match (op, constant) {
            (Some(AtomicOp::Add | AtomicOp::Sub | AtomicOp::Or | AtomicOp::Xor), Some(0))
            | (Some(AtomicOp::And), Some(-1)) => MemoryAfterWrite::Same,
            (None | Some(AtomicOp::Xchg | AtomicOp::Min | AtomicOp::Max | AtomicOp::UMin | AtomicOp::UMax), _) => {
                number
            }
            (Some(AtomicOp::Add), _) => match (before, number) {
                (Some(Value::Int(before)), MemoryAfterWrite::Value(amount)) => {
                    MemoryAfterWrite::Added { before: *before, amount }
                }
                _ => MemoryAfterWrite::Unknown,
            },
            _ => MemoryAfterWrite::Unknown,
        }
    }

    /// Returns the value of a plain store.
    pub(in crate::symbolic) fn stored_number(&mut self, fr: &Activation, value: &Operand) -> MemoryAfterWrite {
        match self.any_operand(fr, value) {
            Value::Int(t) => MemoryAfterWrite::Value(t),
            _ => MemoryAfterWrite::Unknown,
        }
    }

    /// Returns the contents of memory at an offset, as an integer of the type of `l`.
    pub fn number_in(&mut self, memory: &Memory, l: &ExchangedNumber, offset: TermId) -> Option<TermId> {
        let held = memory.get(&l.object)?.clone();
        match self.read_cells(l.object, &held, offset, u64::from(l.bits / 8), Some(l.ty)) {
            Value::Int(t) => Some(t),
            _ => None,
        }
    }
}

impl ValueDomain<'_> {
    /// Returns a symbol of the same kind: for another thread, or another iteration.
    pub fn another(&mut self, s: SymId) -> TermId {
        let symbol = self.arena.symbol(s).clone();
        let old = self.arena.symbol_term(s);
        if self.arena.is_boolean(old) {
            return self.arena.fresh_bool(symbol.kind, symbol.name);
        }
        let new = self.arena.fresh(symbol.kind, symbol.name, symbol.range);
        if let (Some(l), Term::Sym(n)) = (self.loaded.get(&s).copied(), self.arena.get(new)) {
            self.loaded.insert(*n, ExchangedNumber { place: None, ..l });
        }
        new
    }

    fn loaded_symbol(&mut self, loaded: ExchangedNumber, what: &UnknownReason) -> TermId {
        let t = self.arena.fresh(
            SymKind::Content { what: what.clone(), input: false },
            "a value in memory",
            Interval::of_value(loaded.bits, true),
        );
        if let Term::Sym(s) = *self.arena.get(t) {
            self.loaded.insert(s, loaded);
        }
        t
    }

    /// Summarises a loop variable that some iteration sets to a read of shared memory: the old value, or such a
    /// number.
    pub(in crate::symbolic) fn loaded_in_some_iteration(
        &mut self,
        a: TermId,
        h: TermId,
        n: TermId,
        mark: usize,
        version: u32,
    ) -> Option<Form> {
        let mut leaves = self.leaves(n)?;
        leaves.retain(|l| *l != h);
        if leaves.is_empty() || leaves.len() > 4 {
            return None;
        }
        let mut value = a;
        for leaf in leaves {
            let other = match *self.arena.get(leaf) {
                Term::Sym(s) if self.loaded.contains_key(&s) => {
                    let what = match &self.arena.symbol(s).kind {
                        SymKind::Content { what, .. } => what.clone(),
                        _ => return None,
                    };
                    let loaded = self.loaded[&s];
                    self.loaded_symbol(ExchangedNumber { place: None, ..loaded }, &what)
                }
                _ if self.only_old(leaf, mark, version, None) => leaf,
                _ => return None,
            };
            let kept = self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::WhichRoundSet }, "?");
            value = self.arena.ite(kept, value, other);
        }
        Some(Form::Bounded(Value::Int(value), vec![]))
    }
}
