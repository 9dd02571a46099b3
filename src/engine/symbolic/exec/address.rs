//! Address arithmetic, and conversions between pointers and integers.
//!
//! The address of an object is the uninterpreted function `address` of its number, so that differences of addresses in
//! one object are exact.

use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::Activation;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind};
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{Term, TermId};
use base::reasons::UnknownReason;
use ir::{AddressStep, FuncRef, Inst, Operand, Side, TypeKind, space};
use std::rc::Rc;

/// Alignment in bytes of memory from `malloc`: 16 with glibc, 8 for small sizes with other allocators.
const HEAP_ALIGNMENT: u32 = 8;

/// Alignment in bytes of device memory that the runtime or the driver allocates.
const DEVICE_ALIGNMENT: u32 = 256;

/// Greatest alignment in bytes that counts for a variable: no scalar of x86-64 has a greater one.
const MAX_ALIGNMENT: u32 = 16;

impl ExecutionContext<'_> {
    /// Computes the address after steps through members and elements.
    pub(super) fn address_computation(
        &mut self,
        fr: &mut Activation,
        inst: &Inst,
        site: Site,
        base: &Operand,
        steps: &[AddressStep],
    ) {
        let p = self.pointer_operand(fr, base);
        let mut delta = self.arena.int(0);
        for step in steps {
            let d = match step {
                AddressStep::Field { offset, .. } => self.arena.int(i128::from(*offset)),
                AddressStep::Index { index, stride, .. } => {
                    let i = self.operand_int(fr, index, 64);
                    self.arena.scale(i, i128::from(*stride))
                }
            };
            delta = self.arena.add(delta, d);
        }
        let v = self.offset_pointer(&p, delta);
        if let (Some(rows), Some(r)) = (self.rows(fr, site, base, steps, delta), inst.result) {
            fr.rows.insert(r, rows);
        }
        self.set(fr, inst.result, v);
    }
}

impl MemoryDomain<'_> {
    /// Converts an address to an integer: an opaque base per object plus the offset.
    pub(in crate::symbolic) fn pointer_as_int(&mut self, targets: &Rc<Vec<GuardedTarget>>) -> TermId {
        let mut out: Option<TermId> = None;
        for t in targets.iter() {
            let base = match &t.base {
                Base::Object(o) if let Some(made) = self.address_of_several(*o) => {
                    self.points_to.expose(*o);
                    made
                }
                Base::Object(o) => {
                    self.points_to.expose(*o);
                    let id = self.arena.int(i128::from(o.0));
                    let address =
                        self.arena.apply(UninterpretedFunction::Address, vec![id], Interval::new(1 << 16, 1 << 56));
                    let alignment = self.least_alignment(*o);
                    self.arena.note_multiple(address, i128::from(alignment));
                    address
                }
                Base::Null => self.arena.int(0),
                Base::Func(f) => {
                    let id = [f.module.0, f.func.0].map(|n| self.arena.int(i128::from(n))).to_vec();
                    let address = self.arena.apply(UninterpretedFunction::Code, id, Interval::new(1 << 16, 1 << 56));
                    // The lowest bit of a pointer to a method tells whether it is virtual (Itanium C++ ABI, 2.3).
                    self.arena.note_multiple(address, 2);
                    address
                }
                Base::Unknown(l) => {
                    let r = l.reason.clone();
                    self.unknown_int(&r, 64)
                }
            };
            let v = self.arena.add(base, t.offset);
            out = Some(match out {
                None => v,
                Some(old) => self.arena.ite(t.cond, v, old),
            });
        }
        out.unwrap_or_else(|| self.arena.int(0))
    }

    /// Returns the address of an object, if the program has it as an integer.
    pub(in crate::symbolic) fn address_known(&mut self, o: ObjId) -> Option<TermId> {
        if !self.points_to.is_exposed(o) || self.address_of_several(o).is_some() {
            return None;
        }
        let id = self.arena.int(i128::from(o.0));
        Some(self.arena.apply(UninterpretedFunction::Address, vec![id], Interval::new(1 << 16, 1 << 56)))
    }

    /// Returns an alignment in bytes that an object's address surely has: that of a host variable, of memory from
    /// `malloc`, and of memory from CUDA (CUDA C++ Programming Guide 13.0, 5.3.2). Memory that a caller gave may begin
    /// inside an allocation.
    fn least_alignment(&self, o: ObjId) -> u32 {
        if self.heap.given(o).is_some() {
            return 1;
        }
        match &self.object(o).kind {
            ObjKind::HostGlobal(r) => self.program.global(*r).align.min(MAX_ALIGNMENT),
            ObjKind::HostHeap => HEAP_ALIGNMENT,
            // Kernels allocate from a heap of their own (10.34).
            ObjKind::DeviceHeap | ObjKind::Managed => match self.object(o).site {
                Some((m, _)) if self.program.module(m).side == Side::Host => DEVICE_ALIGNMENT,
                _ => MAX_ALIGNMENT,
            },
            _ => 1,
        }
    }

    /// Converts an integer to an address, if it is one object's address plus an offset.
    pub(in crate::symbolic) fn int_as_pointer(&mut self, t: TermId) -> Value {
        if self.arena.as_int(t) == Some(0) {
            return self.null();
        }
        if let Term::Ite(c, a, b) = self.arena.get(t) {
            let (c, a, b) = (*c, *a, *b);
            let (x, y) = (self.int_as_pointer(a), self.int_as_pointer(b));
            return self.ite_value(c, &x, &y);
        }
        if let Some(whole) = self.uncut(t) {
            return self.int_as_pointer(whole);
        }
        if let Some(f) = self.function_at(t) {
            let (cond, offset) = (self.arena.bool(true), self.arena.int(0));
            return Value::Ptr(Rc::new(vec![GuardedTarget::new(cond, Base::Func(f), offset)]));
        }
        let p = self.arena.poly(t);
        let is_base = |t: TermId| {
            matches!(
                self.arena.get(t),
                Term::Apply { function: UninterpretedFunction::Address | UninterpretedFunction::Made, .. }
            )
        };
        let bases: Vec<(TermId, i128)> =
            p.terms.iter().filter(|(m, _)| m.len() == 1 && is_base(m[0])).map(|(m, c)| (m[0], *c)).collect();
        if let [(base, 1)] = bases.as_slice()
            && let Term::Apply { function, args, .. } = self.arena.get(*base)
            && let Some(id) = self.arena.as_int(args[0])
        {
            let (iteration, mut object) = (
                (*function == UninterpretedFunction::Made).then(|| args[1]),
                ObjId(u32::try_from(id).unwrap_or(u32::MAX)),
            );
            let offset = self.arena.sub(t, *base);
            if let Some(iteration) = iteration {
                let Some(o) = self.made_in_iteration(object, iteration) else {
                    return self.unknown_pointer(&UnknownReason::AllocatedInLoop);
                };
                object = o;
            }
            let cond = self.arena.bool(true);
            let base = Base::Object(object);
            return Value::Ptr(Rc::new(vec![GuardedTarget::new(cond, base, offset)]));
        }
        self.unknown_pointer(&UnknownReason::IntegerAsPointer)
    }
}

impl ValueDomain<'_> {
    /// Converts an integer constant of the program to a pointer. In a kernel it is an offset from null: a program
    /// cannot know the addresses of CUDA allocations, unless it asks for one (CUDA driver API 13.0, virtual memory
    /// management). An integer in the window of shared memory may be any shared address.
    pub(in crate::symbolic) fn number_as_pointer(&mut self, number: u64, ty: &TypeKind) -> Value {
        let generic = matches!(ty, TypeKind::Ptr(space::GENERIC | space::GLOBAL));
        if self.side != Side::Device || !generic || self.program.chooses_addresses() {
            return self.unknown_pointer(&UnknownReason::IntegerAsPointer);
        }
        let (cond, offset) = (self.arena.bool(true), self.arena.int(i128::from(number)));
        Value::Ptr(Rc::new(vec![GuardedTarget::new(cond, Base::Null, offset)]))
    }
}

impl Terms {
    /// Returns the function whose address an integer is.
    pub(in crate::symbolic) fn function_at(&self, t: TermId) -> Option<FuncRef> {
        let Term::Apply { function: UninterpretedFunction::Code, args, .. } = self.arena.get(t) else { return None };
        let part = |i: usize| args.get(i).and_then(|a| self.arena.as_int(*a)).and_then(|v| u32::try_from(v).ok());
        Some(FuncRef { module: ir::ModuleId(part(0)?), func: ir::FuncId(part(1)?) })
    }

    pub(in crate::symbolic) fn offset_pointer(&mut self, p: &Rc<Vec<GuardedTarget>>, delta: TermId) -> Value {
        if self.arena.as_int(delta) == Some(0) {
            return Value::Ptr(p.clone());
        }
        let v = p.iter().map(|t| GuardedTarget { offset: self.arena.add(t.offset, delta), ..t.clone() }).collect();
        Value::Ptr(Rc::new(v))
    }
}
