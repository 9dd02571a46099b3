//! Accesses that an execution which was given up never came to: they are unknown, not absent.

use super::outcome::Outcome;
use super::{engine::Engine, show};
use crate::ir::{BlockId, Callee, FuncRef, Function, Inst, Op, Operand};
use crate::symbolic::exec::{AccessEvent, Site};
use rustc_hash::FxHashSet;

impl Engine<'_> {
    /// Counts what a kernel and the functions that it calls contain beyond what was seen of it.
    pub(super) fn unvisited(&mut self, kernel: FuncRef, seen: &[AccessEvent], why: Option<&str>) {
        let Some(why) = why else { return };
        let visited: FxHashSet<Site> = seen.iter().map(|e| e.site).collect();
        let mut called = vec![kernel];
        let mut next = 0;
        while let Some(func) = called.get(next).copied() {
            next += 1;
            let f = self.program.func(func);
            for (b, block) in f.blocks.iter().enumerate() {
                for (i, inst) in block.insts.iter().enumerate() {
                    if let Op::Call { callee: Callee::Direct(id), .. } = &inst.op {
                        let to = self.program.resolve_func(func.module, *id);
                        if !called.contains(&to) { called.push(to); }
                    }
                    let site = Site { func, block: BlockId(u32::try_from(b).unwrap_or(0)), inst: u32::try_from(i).unwrap_or(0) };
                    let loc = self.program.loc(func.module, inst.loc);
                    if loc.system || visited.contains(&site) || !is_array_access(f, inst) { continue; }
                    let text = show::access(self.program, site);
                    self.put_at((loc, text.array), kernel, Outcome::Unknown(why.to_owned()));
                }
            }
        }
    }
}

/// Whether an instruction accesses memory through something other than a plain variable.
fn is_array_access(f: &Function, inst: &Inst) -> bool {
    let (Op::Load { ptr, .. } | Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. }) = &inst.op else { return false };
    let Operand::Value(v) = ptr else { return true };
    !f.blocks.iter().flat_map(|b| &b.insts).any(|i| i.result == Some(*v) && matches!(i.op, Op::Alloca { .. }))
}
