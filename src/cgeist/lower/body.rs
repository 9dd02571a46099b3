//! Lowers a function's body: blocks, values and the dispatch of operations by dialect.

use super::side::SideBuilder;
use super::unit::LoweringUnit;
use crate::mlir::{MlirLoc, MlirOp, MlirRegion, MlirValue, Type};
use ir::{
    BinOp, Block, BlockId, Callee, CastOp, Const, FuncId, Inst, LocId, Op, Operand, Pred, Terminator, TypeId, TypeKind,
    ValueId, Var,
};
use std::collections::{HashMap, HashSet};

/// Target of a region's `yield`.
#[derive(Clone, Debug)]
pub(super) enum YieldTarget {
    Yield(BlockId),
    /// The first region of an `scf.while`: to the second region while the condition holds, else out.
    Condition {
        body: BlockId,
        out: BlockId,
    },
    /// A function's own region.
    Function,
}

/// Source of a cast value: chains of casts are removed where they cancel out.
#[derive(Clone, Debug)]
struct CastSource {
    op: CastOp,
    from: Operand,
    bits: u32,
}

pub(super) struct BodyBuilder<'b, 'u, 'm> {
    pub side: &'b mut SideBuilder<'u, 'm>,
    pub unit: &'u LoweringUnit<'m>,
    pub op: &'m MlirOp,
    blocks: Vec<Block>,
    sealed: Vec<bool>,
    current: BlockId,
    pub values: HashMap<MlirValue, Operand>,
    origins: HashMap<ValueId, CastSource>,
    next: u32,
    pub loc: LocId,
    /// Source variables of the function, by the `memref.alloca` that creates each.
    pub variables: HashMap<MlirValue, Var>,
    /// Defining operation of each value, for patterns that span several operations.
    pub makers: HashMap<MlirValue, &'m MlirOp>,
}

impl<'b, 'u, 'm> BodyBuilder<'b, 'u, 'm> {
    pub fn lower(side: &'b mut SideBuilder<'u, 'm>, func: FuncId, op: &'m MlirOp) -> (Vec<Block>, u32) {
        let unit = side.unit;
        let next = u32::try_from(side.of(func).params.len()).unwrap_or(0);
        let mut makers = HashMap::new();
        op.walk(&mut |o| {
            for r in &o.results {
                makers.insert(*r, o);
            }
        });
        let mut b = BodyBuilder {
            side,
            unit,
            op,
            blocks: vec![],
            sealed: vec![],
            current: BlockId(0),
            values: HashMap::new(),
            origins: HashMap::new(),
            next,
            loc: LocId(0),
            variables: HashMap::new(),
            makers,
        };
        let entry = b.block("entry", &[]);
        b.current = entry;
        if let Some(region) = op.regions.first() {
            b.variables = super::variables::variables(unit, b.side, func, op);
            let args: Vec<Operand> = (0..next).map(|i| Operand::Value(ValueId(i))).collect();
            let args = b.rows(args);
            b.region(region, args, &YieldTarget::Function);
        }
        if !b.is_sealed() {
            b.terminate(Terminator::Unreachable);
        }
        (b.blocks, b.next)
    }

    /// Replaces parameters that point to arrays (`T (*m)[16]`) by unknowns: cgeist loses their row length, so that the
    /// address after a step is unknown.
    fn rows(&mut self, mut args: Vec<Operand>) -> Vec<Operand> {
        let display = frontend::names::demangle(self.op.text("sym_name").unwrap_or_default());
        let lost = super::names::row_pointers(&display);
        let Some(block) = self.op.regions.first().and_then(|r| r.blocks.first()) else { return args };
        for (i, a) in args.iter_mut().enumerate() {
            let flat = matches!(block.args.get(i), Some((_, Type::MemRef(m))) if m.shape.len() <= 1);
            if lost.get(i) == Some(&true) && flat {
                let ty = self.side.types.ptr();
                *a = self.unknown("a pointer to rows, whose length cgeist loses", ty, vec![a.clone()]);
            }
        }
        args
    }

    // ---- blocks ----

    /// Creates a block with one phi for each type.
    pub fn block(&mut self, name: &str, phis: &[TypeId]) -> BlockId {
        let id = BlockId(u32::try_from(self.blocks.len()).unwrap_or(u32::MAX));
        let mut insts = vec![];
        for t in phis {
            let v = self.fresh();
            insts.push(Inst { result: Some(v), ty: *t, op: Op::Phi(vec![]), loc: LocId(0) });
        }
        self.blocks.push(Block { name: name.to_owned(), insts, term: Terminator::Unreachable, term_loc: LocId(0) });
        self.sealed.push(false);
        id
    }

    pub fn phi(&self, b: BlockId, i: usize) -> Operand {
        match self.blocks[b.index()].insts.get(i).and_then(|x| x.result) {
            Some(v) => Operand::Value(v),
            None => Operand::Const(Const::Int { bits: 1, value: 0 }),
        }
    }

    /// Returns the types of a block's phis.
    pub fn phi_types(&self, b: BlockId) -> Vec<TypeId> {
        self.blocks[b.index()].insts.iter().take_while(|i| matches!(i.op, Op::Phi(_))).map(|i| i.ty).collect()
    }

    pub fn enter(&mut self, b: BlockId) {
        self.current = b;
    }
    /// Returns the current block.
    pub fn here(&self) -> BlockId {
        self.current
    }
    pub fn is_sealed(&self) -> bool {
        self.sealed[self.current.index()]
    }

    pub fn terminate(&mut self, t: Terminator) {
        if self.is_sealed() {
            return;
        }
        let loc = self.loc;
        let b = &mut self.blocks[self.current.index()];
        b.term = t;
        b.term_loc = loc;
        self.sealed[self.current.index()] = true;
    }

    fn edge(&mut self, to: BlockId, args: Vec<Operand>) {
        let from = self.current;
        for (inst, a) in self.blocks[to.index()].insts.iter_mut().zip(args) {
            if let Op::Phi(edges) = &mut inst.op {
                edges.push((from, a));
            }
        }
    }

    /// Jumps to a block and passes these values to it.
    pub fn jump(&mut self, to: BlockId, args: Vec<Operand>) {
        if self.is_sealed() {
            return;
        }
        self.edge(to, args);
        self.terminate(Terminator::Br(to));
    }

    pub fn branch(&mut self, cond: Operand, then: (BlockId, Vec<Operand>), otherwise: (BlockId, Vec<Operand>)) {
        if self.is_sealed() {
            return;
        }
        if then.0 == otherwise.0 {
            // Two edges between the same blocks would give a phi two values.
            let via = self.block("edge", &[]);
            self.edge(then.0, then.1);
            self.terminate(Terminator::CondBr { cond, then: then.0, otherwise: via });
            self.enter(via);
            self.jump(otherwise.0, otherwise.1);
            return;
        }
        self.edge(then.0, then.1);
        self.edge(otherwise.0, otherwise.1);
        self.terminate(Terminator::CondBr { cond, then: then.0, otherwise: otherwise.0 });
    }

    // ---- instructions ----

    fn fresh(&mut self) -> ValueId {
        self.next += 1;
        ValueId(self.next - 1)
    }

    pub fn emit(&mut self, op: Op, ty: TypeId) -> Operand {
        let v = self.fresh();
        let loc = self.loc;
        if !self.is_sealed() {
            self.blocks[self.current.index()].insts.push(Inst { result: Some(v), ty, op, loc });
        }
        Operand::Value(v)
    }

    pub fn effect(&mut self, op: Op) {
        let ty = self.side.types.void();
        let loc = self.loc;
        if !self.is_sealed() {
            self.blocks[self.current.index()].insts.push(Inst { result: None, ty, op, loc });
        }
    }

    pub fn unknown(&mut self, what: &str, ty: TypeId, args: Vec<Operand>) -> Operand {
        self.emit(Op::Other { what: what.to_owned(), args }, ty)
    }

    pub fn int(bits: u32, value: i128) -> Operand {
        Operand::Const(Const::Int { bits, value: super::side::wrapped(value, bits) })
    }

    pub fn bin(&mut self, op: BinOp, a: Operand, b: Operand, ty: TypeId) -> Operand {
        // `x && still running`.
        if let (BinOp::And, Operand::Const(Const::Int { bits: 1, value })) = (op, &b)
            && *value != 0
        {
            return a;
        }
        // cgeist leaves constants such as `~0x10` to its optimiser.
        if let (Operand::Const(Const::Int { bits, value: x }), Operand::Const(Const::Int { value: y, .. })) = (&a, &b) {
            let folded = match op {
                BinOp::Add => x.checked_add(*y),
                BinOp::Sub => x.checked_sub(*y),
                BinOp::Mul => x.checked_mul(*y),
                BinOp::And => Some(x & y),
                BinOp::Or => Some(x | y),
                BinOp::Xor => Some(x ^ y),
                _ => None,
            };
            if let Some(v) = folded {
                return Self::int(*bits, v);
            }
        }
        self.emit(Op::Bin { op, a, b, nsw: false, nuw: false }, ty)
    }

    pub fn icmp(&mut self, pred: Pred, a: Operand, b: Operand) -> Operand {
        // `bool` is stored as a byte: comparing it with zero tests the bit.
        if let (Pred::Ne | Pred::Eq, Operand::Const(Const::Int { value: 0, .. }), Some(o)) = (pred, &b, self.origin(&a))
            && o.op == CastOp::ZExt
            && o.bits == 1
        {
            let from = o.from.clone();
            if pred == Pred::Ne {
                return from;
            }
            let i1 = self.side.types.int(1);
            return self.bin(BinOp::Xor, from, Self::int(1, -1), i1);
        }
        let i1 = self.side.types.int(1);
        self.emit(Op::Icmp { pred, a, b }, i1)
    }

    pub fn select(&mut self, cond: Operand, a: Operand, b: Operand, ty: TypeId) -> Operand {
        self.emit(Op::Select { cond, a, b }, ty)
    }

    fn origin(&self, o: &Operand) -> Option<&CastSource> {
        match o {
            Operand::Value(v) => self.origins.get(v),
            Operand::Const(_) => None,
        }
    }

    /// Sign-extends like [`BodyBuilder::resize`] where the source may mean an unsigned integer: cgeist sign-extends every
    /// subscript.
    pub fn subscript(&mut self, v: Operand, from: u32, to: u32) -> Operand {
        if to <= from || matches!(v, Operand::Const(_)) || self.origin(&v).is_some_and(|o| o.op == CastOp::ZExt) {
            return self.resize(v, from, to, true);
        }
        self.extension(CastOp::SExt, v, from, to, true)
    }

    /// Converts an integer to another width. Casts that cancel out vanish.
    pub fn resize(&mut self, v: Operand, from: u32, to: u32, signed: bool) -> Operand {
        use std::cmp::Ordering::{Equal, Greater, Less};
        if let Operand::Const(Const::Int { bits, value }) = v {
            let plain = if signed || to < bits { value } else { value & ((1i128 << bits.min(126)) - 1) };
            return Self::int(to, plain);
        }
        let op = match to.cmp(&from) {
            Equal => return v,
            Less => CastOp::Trunc,
            Greater if signed => CastOp::SExt,
            Greater => CastOp::ZExt,
        };
        if let Some(o) = self.origin(&v).cloned() {
            match (o.op, op) {
                (CastOp::SExt | CastOp::ZExt, CastOp::Trunc) => {
                    return self.resize(o.from, o.bits, to, o.op == CastOp::SExt);
                }
                (CastOp::ZExt, CastOp::ZExt | CastOp::SExt) => return self.resize(o.from, o.bits, to, false),
                (CastOp::SExt, CastOp::SExt) => return self.resize(o.from, o.bits, to, true),
                _ => {}
            }
        }
        self.extension(op, v, from, to, false)
    }

    fn extension(&mut self, op: CastOp, v: Operand, from: u32, to: u32, nneg: bool) -> Operand {
        let (from_ty, to_ty) = (self.side.types.int(from), self.side.types.int(to));
        let r = self.emit(Op::Cast { op, value: v.clone(), from: from_ty, nneg }, to_ty);
        if let Operand::Value(id) = r {
            self.origins.insert(id, CastSource { op, from: v, bits: from });
        }
        r
    }

    pub fn call(&mut self, name: &str, args: Vec<Operand>, ret: TypeId, params: &[TypeId]) -> Operand {
        let f = self.side.declare(name, ret, params);
        self.call_id(f, args, ret)
    }

    pub fn call_id(&mut self, f: FuncId, args: Vec<Operand>, ret: TypeId) -> Operand {
        let op = Op::Call { callee: Callee::Direct(f), args };
        if *self.side.types.kind(ret) == TypeKind::Void {
            self.effect(op);
            return Operand::Const(Const::Undef(ret));
        }
        self.emit(op, ret)
    }

    // ---- values ----

    pub fn value(&mut self, v: MlirValue, t: &Type) -> Operand {
        if let Some(o) = self.values.get(&v) {
            return o.clone();
        }
        // Used in an unreachable block or in another region, where the text does not define it.
        let ty = self.side.types.of(t);
        let what = "a value that cgeist uses where it does not define it".into();
        Operand::Const(Const::Opaque { ty, what })
    }

    pub fn operand(&mut self, op: &MlirOp, i: usize) -> Operand {
        match (op.operands.get(i), op.operand_types.get(i)) {
            (Some(v), Some(t)) => self.value(*v, t),
            _ => {
                let ty = self.side.types.void();
                Operand::Const(Const::Undef(ty))
            }
        }
    }

    pub fn operands(&mut self, op: &MlirOp) -> Vec<Operand> {
        (0..op.operands.len()).map(|i| self.operand(op, i)).collect()
    }

    pub fn set(&mut self, op: &MlirOp, i: usize, o: Operand) {
        if let Some(v) = op.results.get(i) {
            self.values.insert(*v, o);
        }
    }

    pub fn result_type(&mut self, op: &MlirOp) -> TypeId {
        match op.result_types.first() {
            Some(t) => self.side.types.of(t),
            None => self.side.types.void(),
        }
    }

    /// Returns the value of a constant integer operand.
    pub fn as_int(o: &Operand) -> Option<i128> {
        match o {
            Operand::Const(Const::Int { value, .. }) => Some(*value),
            _ => None,
        }
    }

    /// Returns the width in bits of an integer type, `index` included.
    pub fn bits(t: &Type) -> Option<u32> {
        match t {
            Type::Int(b) => Some(*b),
            Type::Index => Some(64),
            _ => None,
        }
    }

    // ---- regions and operations ----

    /// Lowers a region into the current block and the following ones.
    pub fn region(&mut self, region: &'m MlirRegion, args: Vec<Operand>, exit: &YieldTarget) {
        let Some(entry) = region.blocks.first() else {
            if let YieldTarget::Yield(to) = exit {
                self.jump(*to, vec![]);
            }
            return;
        };
        for ((v, _), a) in entry.args.iter().zip(args) {
            self.values.insert(*v, a);
        }
        let mut targets: Vec<BlockId> = vec![self.current];
        for b in &region.blocks[1..] {
            let types: Vec<TypeId> = b.args.iter().map(|(_, t)| self.side.types.of(t)).collect();
            let id = self.block("", &types);
            for (i, (v, _)) in b.args.iter().enumerate() {
                let o = self.phi(id, i);
                self.values.insert(*v, o);
            }
            targets.push(id);
        }
        // In reverse post-order every definition precedes its uses.
        let order = order(region);
        for i in order.iter().copied() {
            self.enter(targets[i]);
            for op in &region.blocks[i].ops {
                self.operation(op, &targets, exit);
            }
            if !self.is_sealed() {
                // A block without a terminator ends its region, like MLIR's implicit terminators.
                match exit {
                    YieldTarget::Yield(to) => {
                        let to = *to;
                        self.jump(to, vec![]);
                    }
                    _ => self.terminate(Terminator::Other("a block without an end".into())),
                }
            }
        }
        let reached: HashSet<usize> = order.into_iter().collect();
        for (i, t) in targets.iter().enumerate().skip(1) {
            if !self.sealed[t.index()] && !reached.contains(&i) {
                self.enter(*t);
                self.terminate(Terminator::Unreachable);
            }
        }
    }

    fn operation(&mut self, op: &'m MlirOp, targets: &[BlockId], exit: &YieldTarget) {
        // Code after a call that does not return is unreachable.
        if self.is_sealed() {
            let b = self.block("unreachable", &[]);
            self.enter(b);
        }
        if op.dialect() != "arith" || matches!(op.loc, MlirLoc::File(..)) {
            self.loc = self.side.loc(&op.loc);
        }
        let known = op.operands.len() >= needed(op)
            && match op.dialect() {
                "arith" | "math" | "index" => self.arith(op),
                "memref" | "polygeist" => self.memory(op),
                "llvm" => self.llvm(op, targets),
                "func" => self.function_op(op),
                "cf" => self.cf(op, targets),
                "scf" => self.scf(op, exit),
                "affine" => self.affine(op, exit),
                "gpu" | "nvvm" => self.gpu(op, exit),
                _ => false,
            };
        if known {
            return;
        }
        *self.side.unknown.entry(op.name.clone()).or_default() += 1;
        if !op.successors.is_empty() || !op.regions.is_empty() {
            // The successor is unknown.
            self.terminate(Terminator::Other(op.name.clone()));
            return;
        }
        let args = self.operands(op);
        if may_access(op) {
            // An access at an unknown address, which stays undecided.
            let (byte, ptr) = (self.side.types.int(8), self.side.types.ptr());
            let at = self.unknown(&op.name, ptr, args.clone());
            self.emit(Op::Load { ptr: at, volatile: false, align: 0 }, byte);
        }
        for (i, t) in op.result_types.iter().enumerate() {
            let ty = self.side.types.of(t);
            let v = self.unknown(&op.name, ty, args.clone());
            self.set(op, i, v);
        }
        if op.result_types.is_empty() {
            self.effect(Op::Other { what: op.name.clone(), args });
        }
    }
}

/// Returns the number of operands without which an operation makes no sense: the text may be malformed.
fn needed(op: &MlirOp) -> usize {
    match op.name.as_str() {
        "memref.store" | "affine.store" | "llvm.store" | "memref.atomic_rmw" | "arith.cmpi" | "memref.copy"
        | "polygeist.subindex" => 2,
        "memref.load"
        | "affine.load"
        | "llvm.load"
        | "polygeist.cacheload"
        | "scf.if"
        | "scf.condition"
        | "scf.index_switch"
        | "cf.cond_br"
        | "llvm.cond_br"
        | "cf.switch"
        | "llvm.switch"
        | "llvm.getelementptr" => 1,
        n if n.starts_with("math.") => 1,
        _ => 0,
    }
}

/// Whether an unknown operation may access the memory that an operand points to. Views do not: they only yield memory
/// or sizes.
fn may_access(op: &MlirOp) -> bool {
    let memory = |t: &Type| matches!(t, Type::MemRef(_) | Type::Ptr { .. });
    let view = !op.result_types.is_empty() && op.result_types.iter().all(|t| memory(t) || *t == Type::Index);
    op.operand_types.iter().any(memory) && !view
}

/// Returns the reachable blocks in reverse post-order.
fn order(region: &MlirRegion) -> Vec<usize> {
    let n = region.blocks.len();
    let mut seen = vec![false; n];
    let mut post = vec![];
    let mut stack: Vec<(usize, usize)> = vec![];
    if n > 0 {
        seen[0] = true;
        stack.push((0, 0));
    }
    while let Some((b, i)) = stack.pop() {
        let next = region.blocks[b].ops.iter().flat_map(|o| &o.successors).nth(i);
        match next {
            Some(s) => {
                stack.push((b, i + 1));
                if *s < n && !seen[*s] {
                    seen[*s] = true;
                    stack.push((*s, 0));
                }
            }
            None => post.push(b),
        }
    }
    post.reverse();
    post
}
