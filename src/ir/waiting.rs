//! Kernels that may wait for what the host does after their launch.

use super::{Op, Operand, Program, Side, ValueId};
use rustc_hash::FxHashSet;

/// Whether device code reads memory by volatile or atomic operations, or by inline assembly: a kernel may wait that way for
/// the host, or for later device work.
#[must_use]
pub fn kernels_may_wait(program: &Program) -> bool {
    let mut of_device = program.functions().filter(|(_, m, _)| m.side == Side::Device);
    of_device.any(|(.., f)| {
        let mut used: FxHashSet<ValueId> = FxHashSet::default();
        let mut note = |o: &Operand| {
            if let Operand::Value(v) = o {
                used.insert(*v);
            }
        };
        for b in &f.blocks {
            b.insts.iter().for_each(|i| i.op.operands(&mut note));
            b.term.operands(&mut note);
        }
        f.blocks.iter().flat_map(|b| &b.insts).any(|i| match &i.op {
            Op::Load { volatile, .. } => *volatile,
            Op::AtomicRmw { .. } | Op::CmpXchg { .. } => i.result.is_some_and(|v| used.contains(&v)),
            Op::Asm { text, .. } => ["ld", "atom", "wait", "bar"].iter().any(|word| text.contains(word)),
            _ => false,
        })
    })
}
