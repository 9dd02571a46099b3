//! Instructions that touch memory: stack variables, loads, stores, atomic operations, copies and fills.
//!
//! Each function is called only for instructions of its own kind. In: the instruction with its site and the state.
//! Out: the state after it, the result, and the access as an event. `memory/` models the contents of memory
//! afterwards.

use crate::symbolic::exec::events::{AccessDetail, AccessKind, MemoryAfterWrite};
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::{Activation, State};
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::kernel::alignment::RequiredAlignment;
use crate::symbolic::memory::object::{ObjKind, ObjState, Object, UncoveredContents};
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use base::reasons::UnknownReason;
use ir::{AtomicOp, BinOp, Inst, Op, Pred, Side, TypeId, TypeKind};
use std::rc::Rc;

impl ExecutionContext<'_> {
    pub(super) fn load_instruction(&mut self, fr: &mut Activation, inst: &Inst, site: Site, s: &mut State) {
        let Op::Load { ptr, align, volatile } = &inst.op else { return };
        let m = self.module(fr.func);
        let p = self.pointer_operand(fr, ptr);
        if *volatile {
            self.read_beside_threads(s);
            self.others_run(s);
        }
        self.read_in_thread(&p);
        let bytes = m.size_of(inst.ty).get();
        self.note_alignment(s, site, &p, bytes, *align, AccessKind::Read);
        let detail = AccessDetail { rows: fr.rows(ptr), ..AccessDetail::default() };
        self.record(s, site, &p, bytes, AccessKind::Read, detail);
        let v = if *volatile && self.others_may_write(&p) {
            self.read_beside_others(fr.func, &p, inst.ty)
        } else {
            self.load(s, fr.func, &p, inst.ty)
        };
        self.set(fr, inst.result, v);
    }

    pub(super) fn store_instruction(&mut self, fr: &mut Activation, inst: &Inst, site: Site, s: &mut State) {
        let Op::Store { ptr, value, align, .. } = &inst.op else { return };
        let p = self.pointer_operand(fr, ptr);
        let (v, size) = self.stored_value(fr, value);
        self.note_alignment(s, site, &p, size, *align, AccessKind::Write);
        let detail = AccessDetail {
            rows: fr.rows(ptr),
            stores: if let Value::Int(t) = v { MemoryAfterWrite::Value(t) } else { MemoryAfterWrite::Unknown },
            stored_pointer: if let Value::Ptr(p) = &v { Some(p.clone()) } else { None },
            scalar: self.stored_scalar(fr, value),
        };
        self.record(s, site, &p, size, AccessKind::Write, detail);
        let v = self.named(fr, s, site, ptr, v);
        let v = self.floored(fr, ptr, v);
        let Some(parts) = self.parts_of_value(fr, value, &v) else { return self.store(s, &p, v, size) };
        for (at, size, part) in parts {
            let moved = |e: &mut Self, t: &GuardedTarget| GuardedTarget {
                offset: e.arena.add_const(t.offset, at),
                ..t.clone()
            };
            let there = Rc::new(p.iter().map(|t| moved(self, t)).collect());
            self.store(s, &there, part, size);
        }
    }

    /// Executes an atomic operation: a read and a write at once.
    pub(super) fn atomic_instruction(&mut self, fr: &mut Activation, inst: &Inst, site: Site, s: &mut State) {
        let (Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. }) = &inst.op else { return };
        let m = self.module(fr.func);
        let p = self.pointer_operand(fr, ptr);
        self.others_run(s);
        let size = match (&inst.op, &m.ty(inst.ty).kind) {
            (Op::CmpXchg { .. }, TypeKind::Struct { fields, .. }) => {
                fields.first().map_or(4, |f| m.size_of(f.ty).get())
            }
            _ => m.size_of(inst.ty).get(),
        };
        // The read precedes the store.
        let read = if self.side == Side::Host || self.kernel.alone {
            None
        } else {
            Some(self.atomic_result(fr, s.path, &inst.op, &p, inst.ty))
        };
        let (rows, stores) = (fr.rows(ptr), self.atomic_stores(fr, &inst.op, read.as_ref()));
        let value = match &inst.op {
            Op::AtomicRmw { value, .. } | Op::CmpXchg { new: value, .. } => self.stored_scalar(fr, value),
            _ => None,
        };
        let detail = AccessDetail { rows, stores, stored_pointer: None, scalar: value };
        self.record(s, site, &p, size, AccessKind::Atomic, detail);
        // Other host threads are not followed, and a single thread has none beside it: there it is a read and a write.
        let Some(old) = read else {
            let old = self.host_atomic(fr, inst, s, &p, size);
            self.set(fr, inst.result, old);
            return;
        };
        let new = Value::unknown(UnknownReason::AtomicResult);
        self.store(s, &p, new, size);
        self.set(fr, inst.result, old);
    }

    pub(super) fn copy_instruction(&mut self, fr: &Activation, inst: &Inst, site: Site, s: &mut State) {
        let Op::MemCopy { dst, src, len, align, presumed } = &inst.op else { return };
        let [of_dst, of_src] = align.map(|align| RequiredAlignment { align, presumed: *presumed });
        let (d, c) = (self.pointer_operand(fr, dst), self.pointer_operand(fr, src));
        let n = self.operand_int(fr, len, 64);
        let n = self.interpret(n, 64, false);
        if let Some(bytes) = self.arena.as_int(n).and_then(|n| u64::try_from(n).ok()) {
            self.note_alignment(s, site, &c, bytes, of_src, AccessKind::Read);
            self.note_alignment(s, site, &d, bytes, of_dst, AccessKind::Write);
        }
        self.read_in_thread(&c);
        self.record_range(s, site, &c, n, AccessKind::Read, AccessDetail::default());
        self.record_range(s, site, &d, n, AccessKind::Write, AccessDetail::default());
        self.copy(s, &d, &c, n);
    }

    pub(super) fn fill_instruction(&mut self, fr: &Activation, inst: &Inst, site: Site, s: &mut State) {
        let Op::MemSet { dst, byte, len } = &inst.op else { return };
        let d = self.pointer_operand(fr, dst);
        let b = self.operand_int(fr, byte, 8);
        let n = self.operand_int(fr, len, 64);
        let n = self.interpret(n, 64, false);
        self.record_range(s, site, &d, n, AccessKind::Write, AccessDetail::default());
        self.fill(s, &d, b, n);
    }

    /// Executes an atomic operation of the host: returns its result, and stores the new value.
    pub(super) fn host_atomic(
        &mut self,
        fr: &Activation,
        inst: &Inst,
        s: &mut State,
        p: &Rc<Vec<GuardedTarget>>,
        size: u64,
    ) -> Value {
        self.read_beside_threads(s);
        let m = self.module(fr.func);
        let bits = u32::try_from(size * 8).unwrap_or(64);
        match (&inst.op, &m.ty(inst.ty).kind) {
            (Op::AtomicRmw { op, value, .. }, TypeKind::Int(_)) => {
                let old = self.read_atomically(s, fr, p, inst.ty);
                let v = self.any_operand(fr, value);
                let same = match op {
                    AtomicOp::Add => Some(BinOp::Add),
                    AtomicOp::Sub => Some(BinOp::Sub),
                    AtomicOp::And => Some(BinOp::And),
                    AtomicOp::Or => Some(BinOp::Or),
                    AtomicOp::Xor => Some(BinOp::Xor),
                    _ => None,
                };
                let new = match same {
                    Some(op) => {
                        let (x, y) = (self.as_int_value(&old, bits), self.as_int_value(&v, bits));
                        Value::Int(self.int_op(op, x, y, bits))
                    }
                    None if *op == AtomicOp::Xchg => v,
                    None => Value::unknown(UnknownReason::AtomicResult),
                };
                self.store(s, p, new, size);
                old
            }
            (Op::CmpXchg { expected, new, .. }, TypeKind::Struct { fields, .. }) if fields.len() == 2 => {
                let old = self.read_atomically(s, fr, p, fields[0].ty);
                let (want, new) = (self.any_operand(fr, expected), self.any_operand(fr, new));
                let (x, y) = (self.as_int_value(&old, bits), self.as_int_value(&want, bits));
                let hit = self.compare_ints(Pred::Eq, x, y, bits);
                let left = self.ite_value(hit, &new, &old);
                self.store(s, p, left, size);
                Value::Aggregate(Rc::new(vec![old, Value::Bool(hit)]))
            }
            _ => {
                self.store(s, p, Value::unknown(UnknownReason::AtomicResult), size);
                self.unknown_of(m, inst.ty, &UnknownReason::AtomicResult)
            }
        }
    }

    fn read_atomically(&mut self, s: &mut State, fr: &Activation, p: &Rc<Vec<GuardedTarget>>, ty: TypeId) -> Value {
        if self.others_may_write(p) { self.read_beside_others(fr.func, p, ty) } else { self.load(s, fr.func, p, ty) }
    }

    /// Records a kernel access with an unknown address: it is counted, and stays undecided.
    pub fn unknown_access(&mut self, s: &State, site: Site, kind: AccessKind, pointer: &UnknownReason) {
        if self.side != Side::Device {
            return;
        }
        let lost = self.unknown_pointer(pointer);
        let p = self.as_pointer(&lost);
        // The caller records what it may write.
        let anywhere = self.kernel.written_anywhere;
        self.record(s, site, &p, 1, kind, AccessDetail::default());
        self.kernel.written_anywhere = anywhere;
    }
}

impl MemoryDomain<'_> {
    /// Creates a stack variable.
    pub(super) fn stack_variable(&mut self, fr: &mut Activation, inst: &Inst, site: Site, s: &mut State) {
        let Op::Alloca { ty, count, var, .. } = &inst.op else { return };
        let m = self.module(fr.func);
        let elem = m.size_of(*ty);
        let n = self.operand_int(fr, count, 64);
        let extent = self.arena.scale(n, i128::from(elem));
        let kind = if self.side == Side::Device { ObjKind::DeviceLocal } else { ObjKind::HostLocal };
        let name = var.as_ref().map(|v| v.name.clone()).unwrap_or_default();
        let place = (fr.func.module, var.as_ref().map_or(inst.loc, |v| v.loc));
        let (func, array) = (fr.func, holds_array(m, *ty) || self.arena.as_int(n) != Some(1));
        let o = self.heap.allocate(
            (fr.context, site, 0),
            Object { kind, name, extent: Some(extent), site: Some(place), func: Some(func), array },
        );
        s.mem.insert(o, Rc::new(ObjState::new(UncoveredContents::Uninit)));
        if !fr.locals.contains(&o) {
            fr.locals.push(o);
        }
        let p = self.pointer(o, 0);
        self.set(fr, inst.result, p);
    }

    /// Executes the start or end marker of a variable's lifetime.
    pub(super) fn lifetime_marker(&mut self, fr: &Activation, inst: &Inst, s: &mut State) {
        let Op::Lifetime { start, ptr } = &inst.op else { return };
        let p = self.pointer_operand(fr, ptr);
        // Markers name one variable of the function; others are no markers.
        if let [GuardedTarget { base: Base::Object(o), .. }] = p.as_slice() {
            // Before and after its lifetime a variable is uninitialised.
            if *start || s.mem.contains_key(o) {
                s.mem.insert(*o, Rc::new(ObjState::new(UncoveredContents::Uninit)));
            }
            if !start {
                self.kernel.partitions.end(*o);
            }
        }
    }
}

/// Whether a type is or contains an array.
fn holds_array(m: &ir::Module, ty: TypeId) -> bool {
    match &m.ty(ty).kind {
        TypeKind::Array { .. } => true,
        TypeKind::Struct { fields, .. } => fields.iter().any(|f| holds_array(m, f.ty)),
        _ => false,
    }
}
