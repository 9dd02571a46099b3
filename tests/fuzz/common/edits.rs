//! Edits of facts that keep them valid: what a front end could have written of another program.

use crate::mend::{mend, types_of_values};
use crate::programs::Unit;
use facts::Symbols;
use ir::{
    AddressStep, AtomicOp, BinOp, Block, BlockId, Bytes, Callee, CastOp, Const, Elements, FuncId, Function, Linkage,
    Module, Op, Operand, Pred, Side, Terminator, TypeId, TypeKind, ValueId,
};

/// Names with a meaning for the analysis.
const NAMES: &[&str] = &[
    "main",
    "malloc",
    "calloc",
    "free",
    "realloc",
    "memcpy",
    "memset",
    "strlen",
    "strcpy",
    "strtol",
    "atoi",
    "printf",
    "scanf",
    "fopen",
    "fread",
    "getenv",
    "rand",
    "exit",
    "abort",
    "qsort",
    "pthread_create",
    "pthread_join",
    "cudaMalloc",
    "cudaMallocManaged",
    "cudaMallocPitch",
    "cudaMallocAsync",
    "cudaFree",
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cudaMemcpy2D",
    "cudaMemset",
    "cudaLaunchKernel",
    "cudaDeviceSynchronize",
    "cudaStreamCreate",
    "cudaEventRecord",
    "cudaGetDeviceProperties",
    "cudaMemcpyToSymbol",
    "cudaHostAlloc",
    "cudaMallocHost",
    "__cudaPushCallConfiguration",
    "__cudaPopCallConfiguration",
    "cuLaunchKernel",
    "cuMemAlloc_v2",
    "cublasSgemm_v2",
    "cufftExecC2C",
    "_Znwm",
    "_Znam",
    "_ZdlPv",
    "__cxa_throw",
    "__syncthreads",
    "llvm.nvvm.read.ptx.sreg.tid.x",
    "llvm.nvvm.barrier0",
    "llvm.nvvm.shfl.sync.down.i32",
    "__nv_sqrtf",
    "vprintf",
    "__assertfail",
    "atomicAdd",
    "_Z9atomicAddPii",
];

/// Statements of inline assembly.
const ASSEMBLY: &[&str] = &[
    "ld.global.u32 $0, [$1];",
    "st.global.v4.f32 [$0], {$1,$2,$3,$4};",
    "bar.sync 0;",
    "mov.u32 $0, %laneid;",
    "exit;",
    "trap;",
    "cp.async.ca.shared.global [$0], [$1], 16;",
    "{ .reg .pred p; setp.ne.b32 p, $0, 0; @p st.shared.u32 [$1], $2; }",
    "cvta.to.shared.u64 $0, $1;",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {$0,$1,$2,$3}, [$4];",
    "red.global.add.u32 [$0], 1;",
    "suld.b.2d.b32.trap {$0}, [$1, {$2, $3}];",
    "$$L: bra $$L;",
    "",
];

/// The input of a target, read as choices.
pub struct Choices<'d> {
    bytes: &'d [u8],
}

impl<'d> Choices<'d> {
    #[must_use]
    pub const fn new(bytes: &'d [u8]) -> Self {
        Self { bytes }
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The next byte; 0 at the end.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        first
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        let wide = if n > 256 { usize::from(self.byte()) << 8 } else { 0 };
        (wide | usize::from(self.byte())) % n.max(1)
    }

    fn one<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }

    fn one_mut<'a, T>(&mut self, all: &'a mut [T]) -> Option<&'a mut T> {
        let at = self.below(all.len());
        all.get_mut(at)
    }

    /// A number at or near a border, or any.
    fn number(&mut self, bits: u32) -> i128 {
        let bits = bits.clamp(1, 127);
        let small = i128::from(self.byte());
        let value = match self.byte() % 9 {
            0 => small,
            1 => -small,
            2 => 1 << (small % i128::from(bits)),
            3 => (1 << (small % i128::from(bits))) - 1,
            4 => -(1 << (small % i128::from(bits))),
            5 => (1 << (bits - 1)) - 1 - small % 4,
            6 => -(1 << (bits - 1)) + small % 4,
            7 => small * 1024,
            _ => (small << 8) | i128::from(self.byte()),
        };
        // Sign-extended from its width.
        let up = 128 - bits;
        (value << up) >> up
    }

    fn alignment(&mut self) -> u32 {
        1 << (self.byte() % 10)
    }
}

/// Parts of facts that are edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edited {
    All,
    /// Code alone, whose meaning needs nothing beside it: no claim that a compiler makes becomes wrong.
    Code,
}

/// Makes one edit of a program.
pub fn edit(units: &mut Vec<Unit>, edited: Edited, choices: &mut Choices<'_>) {
    let at = choices.below(units.len());
    if edited == Edited::Code {
        if let Some(module) = choices.one_mut(&mut units[at].modules) {
            code(module, edited, choices);
        }
        return;
    }
    if choices.byte() < 8 {
        whole(units, at, choices);
        return;
    }
    let Some(module) = choices.one_mut(&mut units[at].modules) else { return };
    match choices.byte() {
        0..24 => types(module, choices),
        24..40 => globals(module, choices),
        40..72 => signatures(module, choices),
        _ => code(module, edited, choices),
    }
}

/// Derives what follows from code: symbols.
pub fn settle(units: &mut [Unit]) {
    for unit in units {
        unit.facts.symbols = Symbols::of(&unit.modules.iter().collect::<Vec<_>>());
    }
}

/// Edits units as a whole.
fn whole(units: &mut Vec<Unit>, at: usize, choices: &mut Choices<'_>) {
    match choices.byte() % 5 {
        0 if units.len() < 4 => {
            let mut copy = units[at].clone();
            copy.facts.key.push("copy");
            units.push(copy);
        }
        1 if units.len() > 1 => {
            units.remove(at);
        }
        2 if units[at].modules.len() > 1 => {
            let which = choices.below(units[at].modules.len());
            units[at].modules.remove(which);
        }
        3 => {
            for module in &mut units[at].modules {
                module.relocatable = !module.relocatable;
            }
        }
        _ => {
            for module in &mut units[at].modules {
                module.asserts_restored = !module.asserts_restored;
            }
        }
    }
}

/// Changes lengths of arrays that are no part of another type.
fn types(module: &mut Module, choices: &mut Choices<'_>) {
    let count = module.types.len();
    let is_part = |ty: usize, types: &[ir::TypeDef]| {
        types.iter().any(|t| match &t.kind {
            TypeKind::Array { elem, .. } | TypeKind::Vector { elem, .. } => elem.index() == ty,
            TypeKind::Struct { fields, .. } => fields.iter().any(|f| f.ty.index() == ty),
            _ => false,
        })
    };
    let start = choices.below(count);
    let found = (0..count)
        .map(|i| (start + i) % count)
        .find(|&i| matches!(module.types[i].kind, TypeKind::Array { .. }) && !is_part(i, &module.types));
    let Some(at) = found else { return };
    let length = choices.number(16).unsigned_abs() as u64;
    let TypeKind::Array { elem, .. } = module.types[at].kind else { return };
    let each = module.types[elem.index()].size;
    let Some(size) = each.checked_mul(length) else { return };
    module.types[at].kind = TypeKind::Array { elem, count: Elements(length) };
    module.types[at].size = size;
    // An initialiser has as many elements as its type.
    for g in &mut module.globals {
        if g.ty.index() == at && g.init.is_some() {
            g.init = Some(Const::Zero(g.ty));
        }
    }
}

fn globals(module: &mut Module, choices: &mut Choices<'_>) {
    let Some(global) = choices.one_mut(&mut module.globals) else { return };
    match choices.byte() % 6 {
        0 => global.align = choices.alignment(),
        1 => global.constant = !global.constant,
        2 => global.init = global.init.as_ref().map(|_| Const::Zero(global.ty)),
        3 => global.init = global.init.as_ref().map(|_| Const::Undef(global.ty)),
        4 if global.linkage != Linkage::Internal => {
            (global.defined, global.init) = (false, None);
        }
        _ => {
            if let Some(init) = &mut global.init {
                integers(init, choices);
            }
        }
    }
}

/// Changes one integer in a constant.
fn integers(constant: &mut Const, choices: &mut Choices<'_>) {
    match constant {
        Const::Int { bits, value } => *value = choices.number(*bits),
        Const::Aggregate { elems, .. } => {
            if let Some(elem) = choices.one_mut(elems) {
                integers(elem, choices);
            }
        }
        Const::Bytes { data, .. } => {
            let byte = choices.byte();
            if let Some(at) = choices.one_mut(data) {
                *at = byte;
            }
        }
        Const::Global { offset, .. } => *offset = choices.number(16) as i64,
        _ => {}
    }
}

/// Changes what is known of a function beside its code.
fn signatures(module: &mut Module, choices: &mut Choices<'_>) {
    let names: Vec<String> = module.functions.iter().map(|f| f.name.clone()).collect();
    let is_device = module.side == Side::Device;
    let Some(f) = choices.one_mut(&mut module.functions) else { return };
    match choices.byte() % 8 {
        0 | 1 => {
            let name = NAMES[choices.below(NAMES.len())];
            if !names.iter().any(|n| n == name) {
                (f.name, f.display) = (name.to_owned(), name.to_owned());
            }
        }
        2 if !f.is_declaration() => {
            f.linkage = [Linkage::External, Linkage::Internal, Linkage::Odr, Linkage::Instance, Linkage::Weak]
                [choices.below(5)];
        }
        3 if is_device => f.kernel = !f.kernel && !f.is_declaration(),
        4 => f.max_threads = Some(1 << (choices.byte() % 11)),
        5 => f.noreturn = !f.noreturn,
        6 => {
            let align = choices.alignment();
            if let Some(p) = choices.one_mut(&mut f.params) {
                p.align = align;
            }
        }
        _ => {
            let bytes = choices.number(12).unsigned_abs() as u64;
            if let Some(p) = choices.one_mut(&mut f.params) {
                p.dereferenceable = bytes;
            }
        }
    }
}

/// Changes the code of a function.
fn code(module: &mut Module, edited: Edited, choices: &mut Choices<'_>) {
    let bodies: Vec<usize> = (0..module.functions.len()).filter(|&i| !module.functions[i].is_declaration()).collect();
    let Some(&at) = choices.one(&bodies) else { return };
    let callable: Vec<(FuncId, Vec<TypeId>, TypeId)> = (0_u32..)
        .zip(&module.functions)
        .map(|(i, f)| (FuncId(i), f.params.iter().map(|p| p.ty).collect(), f.ret))
        .collect();
    let f = &mut module.functions[at];
    match choices.byte() {
        0..32 => branches(f, choices),
        32..56 => order(f, choices),
        56..120 => operands(f, choices),
        _ => instruction(f, edited, choices, &callable),
    }
    mend(f);
}

/// Changes where a block goes.
fn branches(f: &mut Function, choices: &mut Choices<'_>) {
    let count = f.blocks.len();
    let from = choices.below(count);
    // Nothing branches to the entry.
    let to = BlockId(u32::try_from(1 + choices.below(count.saturating_sub(1))).unwrap_or(1));
    let term = &mut f.blocks[from].term;
    if count < 2 {
        return;
    }
    match choices.byte() % 6 {
        0 => *term = Terminator::Unreachable,
        1 if !matches!(term, Terminator::Invoke { .. }) => *term = Terminator::Br(to),
        2 => {
            if let Terminator::CondBr { then, otherwise, .. } = term {
                std::mem::swap(then, otherwise);
            }
        }
        _ => {
            let successors = term.successors().len();
            let (wanted, mut at) = (choices.below(successors), 0);
            // An unwind edge leads to a landing pad, and only such an edge does.
            if matches!(term, Terminator::Invoke { .. }) {
                return;
            }
            term.successors_mut(|b| {
                if at == wanted {
                    *b = to;
                }
                at += 1;
            });
        }
    }
}

/// Removes, repeats or moves instructions.
fn order(f: &mut Function, choices: &mut Choices<'_>) {
    let Some(Block { insts, .. }) = choices.one_mut(&mut f.blocks) else { return };
    if insts.is_empty() {
        return;
    }
    let (a, b) = (choices.below(insts.len()), choices.below(insts.len()));
    match choices.byte() % 3 {
        0 => {
            insts.remove(a);
        }
        1 => {
            let mut copy = insts[a].clone();
            if copy.result.is_some() {
                copy.result = Some(ValueId(f.values));
                f.values += 1;
            }
            insts.insert(a, copy);
        }
        _ => insts.swap(a, b),
    }
}

/// Replaces one operand by another of its type.
fn operands(f: &mut Function, choices: &mut Choices<'_>) {
    let types = types_of_values(f);
    let Some(block) = choices.one_mut(&mut f.blocks) else { return };
    let which = choices.below(block.insts.len() + 1);
    let mut count = 0;
    let mut counting = |_: &mut Operand| count += 1;
    match block.insts.get_mut(which) {
        Some(inst) => inst.op.operands_mut(&mut counting),
        None => block.term.operands_mut(&mut counting),
    }
    let (wanted, mut at) = (choices.below(count), 0);
    let mut change = |o: &mut Operand| {
        if at == wanted {
            operand(o, &types, choices);
        }
        at += 1;
    };
    match block.insts.get_mut(which) {
        Some(inst) => inst.op.operands_mut(&mut change),
        None => block.term.operands_mut(&mut change),
    }
}

fn operand(o: &mut Operand, types: &[Option<TypeId>], choices: &mut Choices<'_>) {
    match o {
        Operand::Const(c) => integers(c, choices),
        Operand::Value(v) => {
            let Some(ty) = types.get(v.index()).copied().flatten() else { return };
            let same: Vec<u32> = (0_u32..).zip(types).filter(|(_, t)| **t == Some(ty)).map(|(i, _)| i).collect();
            *o = match choices.byte() % 8 {
                0 => Operand::Const(Const::Zero(ty)),
                1 => Operand::Const(Const::Undef(ty)),
                // `mend` replaces it if it is defined behind its use.
                _ => choices.one(&same).map_or(Operand::Value(*v), |i| Operand::Value(ValueId(*i))),
            };
        }
    }
}

/// Changes one instruction, keeping the types of its operands and of its result.
fn instruction(
    f: &mut Function,
    edited: Edited,
    choices: &mut Choices<'_>,
    callable: &[(FuncId, Vec<TypeId>, TypeId)],
) {
    let types = types_of_values(f);
    let Some(block) = choices.one_mut(&mut f.blocks) else { return };
    let Some(inst) = choices.one_mut(&mut block.insts) else { return };
    // Alignments and wrap flags are claims, assembly and calls may have effects that no run knows.
    let is_claim =
        matches!(inst.op, Op::Load { .. } | Op::Store { .. } | Op::MemCopy { .. } | Op::Call { .. } | Op::Asm { .. });
    if edited == Edited::Code
        && (is_claim || matches!(inst.op, Op::Alloca { .. } | Op::Assume(_) | Op::Lifetime { .. }))
    {
        return;
    }
    let flags = |op: &Op| match op {
        Op::Bin { nsw, nuw, .. } => Some((*nsw, *nuw)),
        _ => None,
    };
    let before = flags(&inst.op);
    match &mut inst.op {
        Op::Alloca { align, count, .. } => match choices.byte() % 2 {
            0 => *align = choices.alignment(),
            _ => operand(count, &types, choices),
        },
        Op::Load { align, volatile, .. } | Op::Store { align, volatile, .. } => match choices.byte() % 3 {
            0 => *volatile = !*volatile,
            _ => *align = choices.alignment(),
        },
        Op::AtomicRmw { op, .. } => {
            *op = [AtomicOp::Xchg, AtomicOp::Add, AtomicOp::Sub, AtomicOp::Max, AtomicOp::UMin, AtomicOp::UIncWrap]
                [choices.below(6)];
        }
        Op::Gep { steps, inbounds, .. } => match (choices.byte() % 3, choices.one_mut(steps)) {
            (0, _) => *inbounds = !*inbounds,
            (1, Some(AddressStep::Index { stride, .. })) => *stride = Bytes(1 << (choices.byte() % 12)),
            (_, Some(AddressStep::Index { index, .. })) => operand(index, &types, choices),
            _ => {}
        },
        Op::Bin { op, nsw, nuw, .. } => binary(op, nsw, nuw, choices),
        Op::Icmp { pred, .. } => {
            use Pred::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
            *pred = [Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle][choices.below(10)];
        }
        Op::Fcmp { pred, .. } => *pred = ["olt", "une", "oeq", "uge", "ord", "uno"][choices.below(6)].to_owned(),
        Op::Cast { op, .. } => {
            *op = match *op {
                CastOp::ZExt => CastOp::SExt,
                CastOp::SExt => CastOp::ZExt,
                CastOp::FpToUi => CastOp::FpToSi,
                CastOp::FpToSi => CastOp::FpToUi,
                CastOp::UiToFp => CastOp::SiToFp,
                CastOp::SiToFp => CastOp::UiToFp,
                other => other,
            };
        }
        Op::Select { a, b, .. } => std::mem::swap(a, b),
        Op::Call { callee, args } => call(callee, args, inst.ty, choices, &types, callable),
        Op::Asm { text, .. } => ASSEMBLY[choices.below(ASSEMBLY.len())].clone_into(text),
        Op::MemCopy { align, .. } => align[choices.below(2)] = choices.alignment(),
        op => op.operands_mut(&mut |o| operand(o, &types, choices)),
    }
    if let (Op::Bin { nsw, nuw, .. }, Some((had_nsw, had_nuw)), Edited::Code) = (&mut inst.op, before, edited) {
        (*nsw, *nuw) = (*nsw && had_nsw, *nuw && had_nuw);
    }
}

fn binary(op: &mut BinOp, nsw: &mut bool, nuw: &mut bool, choices: &mut Choices<'_>) {
    use BinOp::{AShr, Add, And, FAdd, FDiv, FMul, FRem, FSub, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
    match choices.byte() % 4 {
        0 => *nsw = !*nsw,
        1 => *nuw = !*nuw,
        _ if matches!(op, FAdd | FSub | FMul | FDiv | FRem) => *op = [FAdd, FSub, FMul, FDiv, FRem][choices.below(5)],
        _ => *op = [Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor][choices.below(13)],
    }
    // Other operators have no such flags.
    if !matches!(op, Add | Sub | Mul | Shl) {
        (*nsw, *nuw) = (false, false);
    }
}

/// Changes a call: its callee, or its arguments. In C a call may have fewer or more arguments than its function.
fn call(
    callee: &mut Callee,
    args: &mut Vec<Operand>,
    result: TypeId,
    choices: &mut Choices<'_>,
    types: &[Option<TypeId>],
    callable: &[(FuncId, Vec<TypeId>, TypeId)],
) {
    match choices.byte() % 4 {
        0 => {
            let same: Vec<FuncId> = callable
                .iter()
                .filter(|(_, p, ret)| p.len() == args.len() && *ret == result)
                .map(|(id, ..)| *id)
                .collect();
            if let Some(id) = choices.one(&same) {
                *callee = Callee::Direct(*id);
            }
        }
        1 => {
            args.pop();
        }
        2 => {
            if let Some(arg) = choices.one(args).cloned() {
                args.push(arg);
            }
        }
        _ => {
            if let Some(arg) = choices.one_mut(args) {
                operand(arg, types, choices);
            }
        }
    }
}
