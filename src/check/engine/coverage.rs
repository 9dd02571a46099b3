//! Uncovered code: accesses that an execution which was given up never came to. They are unknown, not absent.
//!
//! In: a kernel and the accesses that were seen of it. Out: every other access of it and of the functions that it calls, in the tally as
//! unknown.

use super::Engine;
use crate::check::findings::wording;
use crate::check::obligations::verdict::Outcome;
use crate::ir::{BlockId, Callee, FuncRef, Function, Inst, Op, Operand, SourceLoc, TypeKind, ValueId};
use crate::reasons::UnknownReason;
use crate::symbolic::exec::events::{AccessEvent, AccessKind};
use crate::symbolic::exec::site::Site;
use rustc_hash::FxHashSet;

/// A function, and the user's call through which it is reached where it is not the user's own.
type Called = (FuncRef, Option<Site>);

impl Engine<'_> {
    /// Counts what a kernel and the functions that it calls contain beyond what was seen of it. What happens in functions of
    /// system headers (`atomicAdd`, `__ldg`) counts at the user's call.
    pub(in crate::check) fn unvisited(&mut self, kernel: FuncRef, seen: &[AccessEvent], why: Option<&UnknownReason>) {
        let Some(why) = why else { return };
        let users = |s: &Site| {
            is_users(
                &self.cx.program.loc(s.func.module, self.inst(*s).map_or(self.cx.program.func(s.func).loc, |i| i.loc)),
            )
        };
        let visited: FxHashSet<(Site, Site)> =
            seen.iter().map(|e| (e.stack.iter().rev().copied().find(users).unwrap_or(e.site), e.site)).collect();
        let mut called: Vec<Called> = vec![(kernel, None)];
        let mut next = 0;
        while let Some((func, call)) = called.get(next).copied() {
            next += 1;
            let f = self.cx.program.func(func);
            for (b, block) in f.blocks.iter().enumerate() {
                for (i, inst) in block.insts.iter().enumerate() {
                    let site = Site {
                        func,
                        block: BlockId(u32::try_from(b).unwrap_or(0)),
                        inst: u32::try_from(i).unwrap_or(0),
                    };
                    let own = is_users(&self.cx.program.loc(func.module, inst.loc));
                    let Some(at) = call.or(own.then_some(site)) else { continue };
                    if let Op::Call { callee: Callee::Direct(id), .. } = &inst.op {
                        let to = self.cx.program.resolve_func(func.module, *id);
                        let own = is_users(&self.cx.program.loc(to.module, self.cx.program.func(to).loc));
                        let to = (to, if own { None } else { Some(at) });
                        if (own || self.lends(at)) && !called.contains(&to) {
                            called.push(to);
                        }
                    }
                    let Some(kind) = kind_of(&inst.op) else { continue };
                    if visited.contains(&(at, site)) || !is_array_access(f, inst) {
                        continue;
                    }
                    let text = wording::side(self.cx.program, at, kind);
                    let loc = self.inst(at).map_or(inst.loc, |i| i.loc);
                    self.put_at(
                        (self.cx.program.loc(at.func.module, loc), text.array),
                        kernel,
                        Outcome::Unknown(why.clone()),
                    );
                }
            }
        }
    }

    fn inst(&self, s: Site) -> Option<&Inst> {
        self.cx.program.func(s.func).blocks.get(s.block.index())?.insts.get(s.inst as usize)
    }

    /// Whether a call hands over an address of anything but plain variables (`max(a, b)` takes references to such).
    fn lends(&self, call: Site) -> bool {
        let Some(Op::Call { args, .. }) = self.inst(call).map(|i| &i.op) else { return false };
        let (f, m) = (self.cx.program.func(call.func), self.cx.program.module(call.func.module));
        let is_address = |v: ValueId| {
            let made = f.blocks.iter().flat_map(|b| &b.insts).find(|i| i.result == Some(v)).map(|i| i.ty);
            made.or_else(|| f.params.get(v.index()).map(|p| p.ty))
                .is_none_or(|t| matches!(m.ty(t).kind, TypeKind::Ptr(_)))
        };
        args.iter().any(|a| match a {
            Operand::Value(v) => !is_variable(f, *v) && is_address(*v),
            Operand::Const(_) => false,
        })
    }
}

fn is_users(loc: &SourceLoc) -> bool {
    loc.line > 0 && !loc.system
}

fn kind_of(op: &Op) -> Option<AccessKind> {
    match op {
        Op::Load { .. } => Some(AccessKind::Read),
        Op::Store { .. } => Some(AccessKind::Write),
        Op::AtomicRmw { .. } | Op::CmpXchg { .. } => Some(AccessKind::Atomic),
        _ => None,
    }
}

/// Whether an instruction accesses memory through something other than a plain variable.
fn is_array_access(f: &Function, inst: &Inst) -> bool {
    let (Op::Load { ptr, .. } | Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. }) = &inst.op
    else {
        return false;
    };
    let Operand::Value(v) = ptr else { return true };
    !is_variable(f, *v)
}

fn is_variable(f: &Function, v: ValueId) -> bool {
    f.blocks.iter().flat_map(|b| &b.insts).any(|i| i.result == Some(v) && matches!(i.op, Op::Alloca { .. }))
}
