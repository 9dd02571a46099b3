//! Values that an access or a call depends on, read from the registers of the thread's frames.
//!
//! In: a thread at a fault. Out: for each frame the numbers from which its last instruction was computed, so that
//! messages can state the index of an access. Nothing is decided by them.

use super::form::FunctionCode;
use super::thread::{Thread, site_of};
use crate::api::{FrameValues, ProgramPoint};
use ir::{BlockId, Module, Op, Operand, Program, TypeId, TypeKind, ValueId};
use rustc_hash::FxHashSet;

/// Most frames, and most numbers of each.
const FRAMES: usize = 16;
const NUMBERS: usize = 64;

/// Returns the numbers of the first `depth` frames, the innermost first; `site` is the innermost instruction.
pub fn at_fault(program: &Program, th: &Thread, depth: usize, site: ProgramPoint) -> Vec<FrameValues> {
    let outer = th.frames.iter().take(depth.saturating_sub(1));
    let sites = outer.map(|f| site_of(&f.code, f.pc.wrapping_sub(1))).chain([site]);
    let all: Vec<_> = th.frames.iter().take(depth).zip(sites).collect();
    let of = |(f, site): (&super::thread::Frame, ProgramPoint)| {
        let registers = th.regs.get(f.base..).unwrap_or_default();
        let value = |v: ValueId| match f.code.values.get(v.index())? {
            (first, 1) => registers.get(*first as usize)?.known(),
            _ => None,
        };
        let is_own = f.code.func == site.func;
        FrameValues { site, values: if is_own { numbers(program, &f.code, site, &value) } else { vec![] } }
    };
    all.into_iter().rev().take(FRAMES).map(of).collect()
}

/// Returns the pointer from which the innermost of the first `depth` frames computed the address of its access, by
/// address arithmetic alone; `site` is the access.
pub fn start_of_address(program: &Program, th: &Thread, depth: usize, site: ProgramPoint) -> Option<u64> {
    let frame = th.frames.get(depth.checked_sub(1)?)?;
    if frame.code.func != site.func {
        return None;
    }
    let function = program.func(site.func);
    let inst = |(block, i): (BlockId, usize)| function.blocks.get(block.index())?.insts.get(i);
    let (Op::Load { ptr, .. } | Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. }) =
        &inst((site.block, site.inst as usize))?.op
    else {
        return None;
    };
    let Operand::Value(mut at) = *ptr else { return None };
    for _ in 0..NUMBERS {
        match program.definition(site.func, at).and_then(inst).map(|i| &i.op) {
            Some(Op::Gep { base: Operand::Value(base), .. }) => at = *base,
            _ => break,
        }
    }
    match frame.code.values.get(at.index())? {
        (first, 1) => th.regs.get(frame.base..)?.get(*first as usize)?.known(),
        _ => None,
    }
}

/// Returns the integers that the operands of an instruction are computed from, within its function.
fn numbers(
    program: &Program,
    code: &FunctionCode,
    site: ProgramPoint,
    value: &impl Fn(ValueId) -> Option<u64>,
) -> Vec<(ValueId, i64)> {
    let (module, function) = (program.module(code.func.module), program.func(code.func));
    let Some(block) = function.blocks.get(site.block.index()) else { return vec![] };
    let mut open: Vec<ValueId> = vec![];
    let mut take = |o: &Operand| {
        if let Operand::Value(v) = o {
            open.push(*v);
        }
    };
    match block.insts.get(site.inst as usize) {
        Some(inst) => inst.op.operands(&mut take),
        None => block.term.operands(&mut take),
    }
    let (mut seen, mut out) = (FxHashSet::default(), vec![]);
    while let Some(v) = open.pop() {
        if out.len() >= NUMBERS || seen.len() >= 4 * NUMBERS {
            break;
        }
        if !seen.insert(v) {
            continue;
        }
        let defined = program.definition(code.func, v).map(|(b, i)| &function.blocks[b.index()].insts[i]);
        let ty = defined.map(|i| i.ty).or_else(|| Some(function.params.get(v.index())?.ty));
        if let Some(n) = ty.and_then(|ty| signed(module, ty, value(v)?)) {
            out.push((v, n));
        }
        // Arguments of calls and variables say nothing about what was computed here.
        if let Some(inst) = defined.filter(|i| !matches!(i.op, Op::Call { .. } | Op::Phi(_) | Op::Alloca { .. })) {
            inst.op.operands(&mut |o| {
                if let Operand::Value(v) = o {
                    open.push(*v);
                }
            });
        }
    }
    out.sort_unstable();
    out
}

/// Returns the signed value of an integer's bits; `None` for other types.
fn signed(module: &Module, ty: TypeId, bits: u64) -> Option<i64> {
    match module.ty(ty).kind {
        TypeKind::Int(width) if (1..=64).contains(&width) => {
            let unused = 64 - width;
            Some((bits << unused).cast_signed() >> unused)
        }
        _ => None,
    }
}
