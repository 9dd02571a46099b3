//! The memref and polygeist dialects: variables, arrays, pointers and accesses through them.
//!
//! A memory reference is an address here; each use has its shape.

use crate::lower::body::{BodyBuilder, YieldTarget};
use crate::lower::unit::is_shared;
use crate::mlir::{Attr, MemRef, MlirOp, Type};
use ir::{AddressStep, AtomicOp, Bytes, Const, Elements, Global, Linkage, Op, Operand, Side, space};

/// Returns the shape of the memory that an operand refers to.
fn memref(op: &MlirOp, i: usize) -> Option<MemRef> {
    match op.operand_types.get(i) {
        Some(Type::MemRef(m)) => Some(m.as_ref().clone()),
        _ => None,
    }
}

impl<'m> BodyBuilder<'_, '_, 'm> {
    pub(in crate::lower) fn memory(&mut self, op: &'m MlirOp) -> bool {
        match op.name.as_str() {
            "memref.alloca" => return self.alloca(op),
            "memref.alloc" => return self.heap(op),
            "memref.dealloc" => {
                let p = self.operand(op, 0);
                let (void, ptr) = (self.side.types.void(), self.side.types.ptr());
                self.call("free", vec![p], void, &[ptr]);
            }
            "memref.load" | "polygeist.cacheload" => {
                let Some(m) = memref(op, 0) else { return false };
                let all = self.operands(op);
                let at = self.address(all[0].clone(), &m, &all[1..]);
                let ty = self.result_type(op);
                let v = self.emit(Op::Load { ptr: at, volatile: false, align: 0 }, ty);
                self.set(op, 0, v);
            }
            "memref.store" => {
                let Some(m) = memref(op, 1) else { return false };
                let all = self.operands(op);
                // Locals start undefined anyway.
                if matches!(all[0], Operand::Const(Const::Undef(_))) {
                    return true;
                }
                let at = self.address(all[1].clone(), &m, &all[2..]);
                self.store(at, all[0].clone(), &op.operand_types[0]);
            }
            "memref.atomic_rmw" => return self.atomic(op),
            "memref.get_global" => {
                let Some(g) = op.text("name").and_then(|n| self.side.global(n)) else { return false };
                self.set(op, 0, Operand::Const(Const::Global { id: g, offset: 0 }));
            }
            "memref.cast"
            | "memref.memory_space_cast"
            | "memref.assume_alignment"
            | "polygeist.memref2pointer"
            | "polygeist.pointer2memref" => {
                if op.results.len() != 1 {
                    return op.results.is_empty();
                }
                let v = self.operand(op, 0);
                self.set(op, 0, v);
            }
            "memref.copy" => return self.copy(op),
            "memref.alloca_scope" => return self.scope(op),
            "memref.alloca_scope.return" => return false,
            "polygeist.subindex" => {
                let Some(m) = memref(op, 0) else { return false };
                let (base, index) = (self.operand(op, 0), self.operand(op, 1));
                let drops = matches!(op.result_types.first(), Some(Type::MemRef(r)) if r.shape.len() < m.shape.len());
                let v = self.subindex(base, &m, index, drops);
                self.set(op, 0, v);
            }
            "polygeist.typeSize" | "polygeist.typeAlign" => return self.layout(op),
            "polygeist.undef" => {
                let ty = self.result_type(op);
                self.set(op, 0, Operand::Const(Const::Undef(ty)));
            }
            // A stream as a dependency: launches run in order here.
            "polygeist.stream2token" => {
                let ty = self.result_type(op);
                self.set(op, 0, Operand::Const(Const::Undef(ty)));
            }
            "polygeist.get_func" => return self.function_address(op),
            "polygeist.barrier" => return self.gpu(op, &YieldTarget::Function),
            "polygeist.trivialuse" | "polygeist.noop" => {}
            _ => return false,
        }
        true
    }

    /// Lowers `memref.atomic_rmw`; the operation is MLIR's `AtomicRMWKind`, by number.
    fn atomic(&mut self, op: &'m MlirOp) -> bool {
        let Some(m) = memref(op, 1) else { return false };
        let all = self.operands(op);
        let at = self.address(all[1].clone(), &m, &all[2..]);
        let kind = match op.int("kind") {
            Some(0) => AtomicOp::FAdd,
            Some(1) => AtomicOp::Add,
            Some(2) => AtomicOp::Xchg,
            Some(3) => AtomicOp::FMax,
            Some(4) => AtomicOp::Max,
            Some(5) => AtomicOp::UMax,
            Some(6) => AtomicOp::FMin,
            Some(7) => AtomicOp::Min,
            Some(8) => AtomicOp::UMin,
            Some(11) => AtomicOp::Or,
            Some(12) => AtomicOp::And,
            _ => AtomicOp::Other,
        };
        let ty = self.result_type(op);
        let v = self.emit(Op::AtomicRmw { op: kind, ptr: at, value: all[0].clone() }, ty);
        self.set(op, 0, v);
        true
    }

    fn copy(&mut self, op: &'m MlirOp) -> bool {
        let Some(m) = memref(op, 0) else { return false };
        let Some(n) = m.shape.iter().copied().try_fold(1u64, |a, d| a.checked_mul(d?)) else { return false };
        let elem = self.side.types.of(&m.elem);
        let len = Self::int(64, i128::from(Elements(n) * self.side.types.size(elem)));
        let (src, dst) = (self.operand(op, 0), self.operand(op, 1));
        self.effect(Op::MemCopy { dst, src, len, align: [0; 2], presumed: false });
        true
    }

    /// Lowers the size or alignment of a type.
    fn layout(&mut self, op: &'m MlirOp) -> bool {
        let Some(Attr::Type(t)) = op.attr("source") else { return false };
        let ty = self.side.types.of(t);
        let d = &self.side.types.defs[ty.index()];
        let v = if op.name.ends_with("Size") { i128::from(d.size) } else { i128::from(d.align) };
        let bits = op.result_types.first().and_then(Self::bits).unwrap_or(64);
        self.set(op, 0, Self::int(bits, v));
        true
    }

    fn function_address(&mut self, op: &'m MlirOp) -> bool {
        let Some(n) = op.text("name") else { return false };
        let stub =
            self.unit.symbols.keys().copied().find(|s| ir::Program::kernel_symbol_of_stub(s).as_deref() == Some(n));
        let f = self.side.function(match (self.side.side, stub) {
            (Side::Host, Some(s)) => s,
            _ => n,
        });
        self.set(op, 0, Operand::Const(Const::Func(f)));
        true
    }

    fn scope(&mut self, op: &'m MlirOp) -> bool {
        let Some(r) = op.regions.first() else { return false };
        let join = self.join(op);
        self.region(r, vec![], &YieldTarget::Yield(join));
        self.enter(join);
        self.bind_results(op, join);
        true
    }

    /// Returns the number of elements: dynamic dimensions, given by operands, times static ones.
    fn count(&mut self, m: &MemRef, sizes: &[Operand]) -> Operand {
        let fixed: u64 = m.shape.iter().filter_map(|d| *d).fold(1, u64::saturating_mul);
        let i64t = self.side.types.int(64);
        let mut n: Option<Operand> = None;
        for s in sizes {
            n = Some(match n {
                None => s.clone(),
                Some(n) => self.bin(ir::BinOp::Mul, n, s.clone(), i64t),
            });
        }
        match n {
            None => Self::int(64, i128::from(fixed)),
            Some(n) if fixed == 1 => n,
            Some(n) => self.bin(ir::BinOp::Mul, n, Self::int(64, i128::from(fixed)), i64t),
        }
    }

    fn alloca(&mut self, op: &'m MlirOp) -> bool {
        let Some(Type::MemRef(m)) = op.result_types.first() else { return false };
        let var = op.results.first().and_then(|r| self.variables.get(r)).cloned();
        if is_shared(m) && self.side.side == Side::Device {
            let dynamic = self.unit.is_dynamic_shared(self.op, op);
            let elem = self.side.types.of(&m.elem);
            let whole = self.side.types.variable(m);
            let ty = if dynamic { self.side.types.array(elem, Elements(0)) } else { whole };
            let loc = var.as_ref().map_or(self.loc, |v| v.loc);
            let source_name =
                var.map_or_else(|| format!("shared memory of {} bytes", self.side.types.size(whole)), |v| v.name);
            let name =
                format!("{}.{source_name}.{}", self.op.text("sym_name").unwrap_or_default(), self.side.globals.len());
            let id = self.side.add_global(Global {
                name,
                source_name,
                ty,
                align: 1,
                space: space::SHARED,
                linkage: Linkage::Internal,
                constant: false,
                defined: !dynamic,
                init: None,
                loc,
            });
            self.set(op, 0, Operand::Const(Const::Global { id, offset: 0 }));
            return true;
        }
        let sizes = self.operands(op);
        let ptr = self.side.types.ptr();
        let (ty, count) = if sizes.is_empty() {
            (self.side.types.variable(m), Self::int(64, 1))
        } else {
            (self.side.types.of(&m.elem), self.count(m, &sizes))
        };
        let align = self.side.types.defs[ty.index()].align;
        let v = self.emit(Op::Alloca { ty, count, align, var }, ptr);
        self.set(op, 0, v);
        true
    }

    /// Lowers `malloc` and `new[]`: cgeist gives a number of elements, for which it divides the bytes.
    fn heap(&mut self, op: &'m MlirOp) -> bool {
        let Some(Type::MemRef(m)) = op.result_types.first() else { return false };
        let elem = self.side.types.of(&m.elem);
        let size = self.side.types.size(elem);
        let (i64t, ptr) = (self.side.types.int(64), self.side.types.ptr());
        let fixed = m.shape.iter().filter_map(|d| *d).fold(size, |bytes, n| Elements(n) * bytes);
        let bytes = match op.operands.first().and_then(|v| self.makers.get(v)).copied() {
            // The bytes themselves, if they were divided only for this.
            Some(d)
                if op.operands.len() == 1 && d.name.starts_with("arith.div") && {
                    let by = self.operand(d, 1);
                    Self::as_int(&by) == Some(i128::from(fixed))
                } =>
            {
                self.operand(d, 0)
            }
            _ => {
                let sizes = self.operands(op);
                let n = self.count(m, &sizes);
                match Self::as_int(&n) {
                    Some(n) => Self::int(64, n.saturating_mul(i128::from(size))),
                    None => self.bin(ir::BinOp::Mul, n, Self::int(64, i128::from(size)), i64t),
                }
            }
        };
        let v = self.call("malloc", vec![bytes], ptr, &[i64t]);
        self.set(op, 0, v);
        true
    }

    /// Stores a value; a structure is stored member by member, each at its type's offset.
    pub(in crate::lower) fn store(&mut self, ptr: Operand, value: Operand, t: &Type) {
        let Type::Struct { fields: Some(members), .. } = t else {
            return self.effect(Op::Store { ptr, value, volatile: false, align: 0 });
        };
        let ty = self.side.types.of(t);
        let ir::TypeKind::Struct { fields, .. } = self.side.types.kind(ty).clone() else { return };
        let p = self.side.types.ptr();
        for (i, (f, m)) in (0u32..).zip(fields.iter().zip(members.iter())) {
            let v = self.emit(Op::ExtractValue { agg: value.clone(), path: vec![i] }, f.ty);
            let at = self.emit(
                Op::Gep {
                    base: ptr.clone(),
                    steps: vec![AddressStep::Field { offset: f.offset, field: i, ty: f.ty, of: ty }],
                    inbounds: true,
                },
                p,
            );
            self.store(at, v, m);
        }
    }

    /// Returns the distance in bytes between elements of the first dimension; `None` if an inner dimension is unknown.
    fn row(&mut self, m: &MemRef) -> Option<Bytes> {
        let elem = self.side.types.of(&m.elem);
        let size = self.side.types.size(elem);
        m.shape.iter().skip(1).try_fold(size, |a, d| a.checked_mul((*d)?))
    }

    fn subindex(&mut self, base: Operand, m: &MemRef, index: Operand, drops: bool) -> Operand {
        let ptr = self.side.types.ptr();
        let zero = Self::as_int(&index) == Some(0);
        let (Some(stride), None) = (self.row(m), &m.layout) else {
            if zero {
                return base;
            }
            return self.unknown("a step in an array whose rows have an unknown length", ptr, vec![base]);
        };
        // Only in an array of arrays does a zero index inform readers.
        if zero && !(drops && matches!(m.shape.first(), Some(Some(2..)))) {
            return base;
        }
        let count = m.shape.first().copied().flatten().filter(|n| *n > 1).map(Elements);
        self.emit(Op::Gep { base, steps: vec![AddressStep::Index { index, stride, count }], inbounds: false }, ptr)
    }

    /// Returns the address of an element.
    pub(in crate::lower) fn address(&mut self, base: Operand, m: &MemRef, indices: &[Operand]) -> Operand {
        let ptr = self.side.types.ptr();
        if m.layout.is_some() || indices.len() != m.shape.len() {
            return self.unknown("an element of an array in an unusual layout", ptr, vec![base]);
        }
        let elem = self.side.types.of(&m.elem);
        let mut stride = self.side.types.size(elem);
        let mut steps = vec![];
        for (i, d) in indices.iter().zip(&m.shape).rev() {
            steps.push(AddressStep::Index { index: i.clone(), stride, count: d.filter(|n| *n > 1).map(Elements) });
            let leading = steps.len() == indices.len();
            match d {
                Some(n) => stride = Elements(*n) * stride,
                None if leading => {}
                None => {
                    return self.unknown("an element of an array whose rows have an unknown length", ptr, vec![base]);
                }
            }
        }
        steps.reverse();
        let zero = |s: &AddressStep| matches!(s, AddressStep::Index { index, .. } if Self::as_int(index) == Some(0));
        // `a[i]` is a step followed by element 0: the step suffices.
        if steps.iter().all(zero) {
            return base;
        }
        self.emit(Op::Gep { base, steps, inbounds: false }, ptr)
    }
}
