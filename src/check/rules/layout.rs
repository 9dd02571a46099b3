//! Which named parts of objects a kernel uses (`s = buf + n`), and which of them exist at a moment.
//!
//! In: a kernel as it was executed. It says nothing of what the layout is for: that is weighed in [`super::layout_intent`].

use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::kernel::launch::KernelRun;
use engine::symbolic::memory::partition::{Moment, PartId, Partition};

/// Which parts a kernel uses.
pub(crate) struct Layout {
    used: Vec<bool>,
}

impl Layout {
    pub fn of(run: &KernelRun) -> Self {
        let mut used = vec![false; run.partitions.len()];
        for t in run.accesses.iter().flat_map(|e| e.targets.iter()) {
            if let Some(p) = t.part {
                used[p.0 as usize] = run.partitions[p.0 as usize].fixed;
            }
        }
        Self { used }
    }

    /// Whether accesses go through a part that is fixed.
    pub fn is_used(&self, p: PartId) -> bool {
        self.used.get(p.0 as usize).copied().unwrap_or(false)
    }

    /// Whether an access may have to stay in a part of its object.
    pub fn concerns(&self, e: &AccessEvent) -> bool {
        e.targets.iter().any(|t| t.part.is_some_and(|p| self.is_used(p)))
    }

    /// The other parts of the same object that exist when an access is made: named before it, or at least in the same
    /// phase, and still in scope.
    pub fn alive_at(&self, all: &[Partition], own: PartId, at: Moment) -> Vec<PartId> {
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
