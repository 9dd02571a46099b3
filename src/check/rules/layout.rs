//! Named parts of objects that a kernel uses (`s = buf + n`), and those that exist at a given moment.
//!
//! In: an executed kernel. The purpose of the layout is judged in [`super::layout_intent`], not here.

use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::kernel::launch::KernelRun;
use engine::symbolic::memory::partition::{ExecutionPoint, PartId, Partition};

/// Parts that a kernel uses.
pub(crate) struct UsedParts {
    used: Vec<bool>,
}

impl UsedParts {
    pub fn of(run: &KernelRun) -> Self {
        let mut used = vec![false; run.partitions.len()];
        for t in run.accesses.iter().flat_map(|e| e.targets.iter()) {
            if let Some(p) = t.part {
                used[p.0 as usize] = run.partitions[p.0 as usize].fixed;
            }
        }
        Self { used }
    }

    /// Whether accesses use a given part.
    pub fn is_used(&self, p: PartId) -> bool {
        self.used.get(p.0 as usize).copied().unwrap_or(false)
    }

    /// Whether an access may have to stay in a part of its object.
    pub fn concerns(&self, e: &AccessEvent) -> bool {
        e.targets.iter().any(|t| t.part.is_some_and(|p| self.is_used(p)))
    }

    /// Returns the other parts of the same object that exist when an access happens: named before it, or at least in
    /// the same phase, and still in scope.
    pub fn alive_at(&self, all: &[Partition], own: PartId, at: ExecutionPoint) -> Vec<PartId> {
        let object = all[own.0 as usize].object;
        (0u32..)
            .map(PartId)
            .zip(all)
            .filter(|(id, p)| {
                *id != own
                    && self.is_used(*id)
                    && p.object == object
                    && (p.named < at || p.named.phase == at.phase)
                    && p.ended.is_none_or(|e| e > at)
            })
            .map(|(id, _)| id)
            .collect()
    }
}
