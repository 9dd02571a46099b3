//! Lowers the blocks of a function: numbering of values, variables of allocas, terminators.

use super::ModuleReader;
use super::bindings::{BasicBlock, Meta, Opcode, Value, ValueKind as K};
use ir::{Block, BlockId, Callee, Inst, Linkage, LocId, Op, Operand, Terminator, ValueId, Var};
use rustc_hash::FxHashMap;

/// Lowering state of one function.
pub(super) struct FunctionLowering<'r, 'm> {
    pub(super) reader: &'r mut ModuleReader<'m>,
    values: FxHashMap<Value<'m>, ValueId>,
    blocks: FxHashMap<BasicBlock<'m>, BlockId>,
    variables: FxHashMap<Value<'m>, Var>,
    /// Names and classes of parameters passed by address.
    by_address: Vec<(String, String)>,
    /// Names of parameters, and the classes that they are, or point or refer to.
    of_classes: Vec<(String, String)>,
    /// Next free value number; constant expressions that become instructions get theirs from it.
    next: u32,
    /// Instructions of the current block.
    pub(super) out: Vec<Inst>,
    /// Instructions that phis need at the end of a predecessor.
    edges: Vec<(BlockId, Inst)>,
    function: Value<'m>,
    params: Vec<Value<'m>>,
}

/// Parts of a lowered definition; empty for a declaration.
pub(super) struct LoweredDefinition {
    pub(super) blocks: Vec<Block>,
    /// Number of values.
    pub(super) values: u32,
    /// Names and classes of parameters passed by address.
    pub(super) by_address: Vec<(String, String)>,
    /// Names of parameters, and the classes that they are, or point or refer to.
    pub(super) of_classes: Vec<(String, String)>,
}

/// Lowers the blocks of a function.
pub(super) fn body<'m>(reader: &mut ModuleReader<'m>, f: Value<'m>) -> LoweredDefinition {
    let blocks = f.blocks();
    let mut body = FunctionLowering {
        values: FxHashMap::default(),
        blocks: blocks.iter().copied().zip((0..).map(BlockId)).collect(),
        variables: FxHashMap::default(),
        by_address: vec![],
        of_classes: vec![],
        next: 0,
        out: vec![],
        edges: vec![],
        function: f,
        params: f.params(),
        reader,
    };
    for p in f.params() {
        body.number(p);
    }
    let lists: Vec<Vec<Value<'m>>> = blocks.iter().map(|b| b.instructions()).collect();
    for inst in lists.iter().flatten() {
        if body.has_result(*inst) {
            body.number(*inst);
        }
        body.variables_at(*inst);
    }
    let mut out: Vec<Block> = blocks.iter().zip(lists).map(|(b, insts)| body.block(*b, &insts)).collect();
    for (block, inst) in std::mem::take(&mut body.edges) {
        out[block.index()].insts.push(inst);
    }
    LoweredDefinition { blocks: out, values: body.next, by_address: body.by_address, of_classes: body.of_classes }
}

impl<'m> FunctionLowering<'_, 'm> {
    fn number(&mut self, v: Value<'m>) -> ValueId {
        let id = self.fresh();
        self.values.insert(v, id);
        id
    }

    /// Returns a value number that no LLVM value has.
    pub(super) fn fresh(&mut self) -> ValueId {
        let id = ValueId(self.next);
        self.next += 1;
        id
    }

    fn has_result(&self, inst: Value<'m>) -> bool {
        inst.ty().kind() != super::bindings::LlvmTypeKind::LLVMVoidTypeKind
    }

    pub(super) fn value(&self, v: Value<'m>) -> Option<ValueId> {
        self.values.get(&v).copied()
    }
    pub(super) fn block_id(&self, b: BasicBlock<'m>) -> BlockId {
        self.blocks[&b]
    }
    pub(super) fn variable(&self, alloca: Value<'m>) -> Option<Var> {
        self.variables.get(&alloca).cloned()
    }

    /// Records which source variables the debug records before an instruction place in allocas. If several share an
    /// alloca (captures behind `this`, structured bindings), the variable at the alloca's own address names it.
    fn variables_at(&mut self, inst: Value<'m>) {
        for d in inst.declares() {
            self.of_classes.extend(self.reader.debug.parameter_of_class(d.variable));
            let by_address = self.reader.debug.is_by_address(d.expression);
            let is_inline = !matches!(super::linkage(self.function.linkage()), Linkage::External | Linkage::Internal);
            if by_address || !is_inline {
                self.reader.debug.note_passed(d.variable, by_address);
            }
            if d.address.opcode() != Some(Opcode::LLVMAlloca) {
                self.structure_given(d.address, d.variable, d.expression);
                continue;
            }
            if self.reader.debug.is_plain(d.expression) {
                let ty = self.reader.types.id(d.address.allocated_type());
                self.reader.debug.variable_is_of(d.variable, ty);
            }
            let known = self.variables.contains_key(&d.address);
            if by_address {
                let var = self.reader.debug.local_variable(d.variable).filter(|v| v.param.is_some());
                self.by_address.extend(var.map(|v| (v.name, v.type_name)));
            }
            if known || !self.reader.debug.is_plain(d.expression) {
                continue;
            }
            if let Some(var) = self.reader.debug.local_variable(d.variable) {
                self.variables.insert(d.address, var);
            }
        }
    }

    /// Records the type of a structure passed by value in memory: the parameter itself is its address.
    fn structure_given(&mut self, address: Value<'m>, variable: Meta<'m>, expression: Meta<'m>) {
        let at = self.params.iter().position(|p| *p == address).and_then(|at| u32::try_from(at).ok());
        let Some(by_value) = at.and_then(|at| self.function.param_type_attribute(at, "byval")) else { return };
        if self.reader.debug.is_plain(expression) {
            let ty = self.reader.types.id(by_value);
            self.reader.debug.variable_is_of(variable, ty);
        }
    }

    fn block(&mut self, b: BasicBlock<'m>, insts: &[Value<'m>]) -> Block {
        let mut end = (Terminator::Unreachable, LocId(0));
        for (i, inst) in insts.iter().enumerate() {
            let loc = self.reader.debug.location(inst.debug_location());
            if i + 1 == insts.len() {
                end = (self.terminator(*inst, loc), loc);
            } else {
                let op = self.op(*inst, loc);
                let ty = self.reader.types.id(inst.ty());
                let result = self.value(*inst);
                let loc = if matches!(op, Op::Assume(_)) { self.claimed_at(*inst, loc) } else { loc };
                self.out.push(Inst { result, ty, op, loc });
            }
        }
        Block { name: b.name(), insts: std::mem::take(&mut self.out), term: end.0, term_loc: end.1 }
    }

    /// Returns the location of an assumption. clang (22) gives an attribute, which is no statement, the location of the
    /// previous statement; the attribute's condition has its own.
    fn claimed_at(&mut self, assume: Value<'m>, loc: LocId) -> LocId {
        let debug = &mut self.reader.debug;
        let Some(condition) = assume.arguments().into_iter().next().filter(|c| c.opcode().is_some()) else {
            return loc;
        };
        let condition = debug.location(condition.debug_location());
        let [a, c] = [loc, condition].map(|l| &debug.locs[l.index()]);
        if a.file == c.file && a.inlined_at == c.inlined_at && a.line < c.line { condition } else { loc }
    }

    fn terminator(&mut self, inst: Value<'m>, loc: LocId) -> Terminator {
        let Some(opcode) = inst.opcode() else { return Terminator::Unreachable };
        match opcode {
            Opcode::LLVMRet => Terminator::Ret(inst.operands().first().map(|v| self.operand(*v, loc))),
            Opcode::LLVMBr => {
                let to: Vec<BlockId> = inst.successors().into_iter().map(|b| self.block_id(b)).collect();
                match (inst.condition(), to.as_slice()) {
                    (Some(c), [then, otherwise]) => {
                        Terminator::CondBr { cond: self.operand(c, loc), then: *then, otherwise: *otherwise }
                    }
                    (None, [to]) => Terminator::Br(*to),
                    _ => Terminator::Other("branch".into()),
                }
            }
            Opcode::LLVMSwitch => {
                let to: Vec<BlockId> = inst.successors().into_iter().map(|b| self.block_id(b)).collect();
                let cases = to
                    .iter()
                    .zip(0..)
                    .skip(1)
                    .map(|(b, i)| inst.case_value(i).int().map(|v| (v, *b)))
                    .collect::<Option<Vec<_>>>();
                match (inst.condition(), cases) {
                    (Some(c), Some(cases)) => Terminator::Switch { value: self.operand(c, loc), default: to[0], cases },
                    _ => Terminator::Other("switch".into()),
                }
            }
            Opcode::LLVMInvoke => {
                let (normal, unwind) = inst.invoke_targets();
                if inst.called().inline_asm().is_some() {
                    // Assembly does not throw: the same statement, followed by the normal edge.
                    let op = self.call(inst, loc);
                    let ty = self.reader.types.id(inst.ty());
                    let result = self.value(inst);
                    self.out.push(Inst { result, ty, op, loc });
                    return Terminator::Br(self.block_id(normal));
                }
                let args = inst.arguments().into_iter().map(|a| self.operand(a, loc)).collect();
                Terminator::Invoke {
                    result: self.value(inst),
                    ty: self.reader.types.id(inst.ty()),
                    callee: self.callee(inst.called(), loc),
                    args,
                    normal: self.block_id(normal),
                    unwind: self.block_id(unwind),
                }
            }
            Opcode::LLVMUnreachable | Opcode::LLVMResume | Opcode::LLVMCleanupRet => Terminator::Unreachable,
            o => Terminator::Other(super::instruction::opcode_name(o)),
        }
    }

    pub(super) fn callee(&mut self, called: Value<'m>, loc: LocId) -> Callee {
        match self.reader.address(called) {
            Some(ir::Const::Func(f)) => Callee::Direct(f),
            _ => Callee::Indirect(self.operand(called, loc)),
        }
    }

    /// Converts a value into an operand. A constant expression without a constant form becomes an instruction before
    /// its user.
    pub(super) fn operand(&mut self, v: Value<'m>, loc: LocId) -> Operand {
        if let Some(id) = self.values.get(&v) {
            return Operand::Value(*id);
        }
        if v.kind() == K::LLVMConstantExprValueKind
            && self.reader.address(v).is_none()
            && let Some(op) = self.const_expr(v, loc)
        {
            let id = self.fresh();
            let ty = self.reader.types.id(v.ty());
            self.out.push(Inst { result: Some(id), ty, op, loc });
            return Operand::Value(id);
        }
        Operand::Const(self.reader.constant(v))
    }

    /// Lowers a constant expression that folds to no constant.
    fn const_expr(&mut self, v: Value<'m>, loc: LocId) -> Option<Op> {
        let opcode = v.const_opcode()?;
        if let Some(op) = super::instruction::cast_op(opcode) {
            let from = v.operand(0);
            return Some(Op::Cast {
                op,
                value: self.operand(from, loc),
                from: self.reader.types.id(from.ty()),
                nneg: false,
            });
        }
        if let Some(op) = super::instruction::bin_op(opcode) {
            let (a, b) = (self.operand(v.operand(0), loc), self.operand(v.operand(1), loc));
            return Some(Op::Bin { op, a, b, nsw: false, nuw: false });
        }
        (opcode == Opcode::LLVMGetElementPtr).then(|| self.gep(v, loc))
    }

    /// Converts an incoming value of a phi. An instruction for a constant expression goes into the predecessor.
    pub(super) fn phi_operand(&mut self, v: Value<'m>, from: BlockId, loc: LocId) -> Operand {
        let here = std::mem::take(&mut self.out);
        let operand = self.operand(v, loc);
        let there = std::mem::replace(&mut self.out, here);
        self.edges.extend(there.into_iter().map(|i| (from, i)));
        operand
    }
}
