//! Bounds on contents of memory that have only a number: what is known, or supposed, of them between launches.
//!
//! Plain data, and the facts that it gives for terms that read such contents. [`super::across_launches`] finds it.

use crate::obligations::specialise::Decided;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::memory::object::ObjId;
use engine::symbolic::terms::functions::Function;
use engine::symbolic::terms::term::{Term, TermId};
use rustc_hash::FxHashSet;

/// Of the numbers of so many bits in some contents of an object: that they lie in `0..below`. Size and bound are terms of the host or
/// what these are under a launch's conditions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    pub object: ObjId,
    pub version: u32,
    pub bits: u32,
    pub below: TermId,
    pub size: TermId,
}

/// What is known of contents.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(super) claims: Vec<Claim>,
    pub(super) operations: Vec<String>,
}

impl Known {
    /// What must not wrap for it.
    pub fn operations(&self) -> &[String] {
        &self.operations
    }

    /// What it says of all that is read below the roots; `None` where that is nothing.
    pub fn facts(&self, e: &mut Executor<'_>, roots: &[TermId]) -> Option<TermId> {
        if self.claims.is_empty() {
            return None;
        }
        let below: Vec<TermId> = e.arena.cone(roots);
        let read: Vec<_> = below.iter().filter_map(|t| Some((*t, contents(e, *t)?))).collect();
        if read.is_empty() {
            return None;
        }
        let choices: Vec<TermId> =
            below.into_iter().filter(|t| matches!(e.arena.get(*t), Term::Ite(..) | Term::Or(_))).collect();
        let chosen: FxHashSet<TermId> = e.arena.cone(&choices).into_iter().collect();
        let mut facts = vec![];
        for (t, (object, version, offset, bits)) in read {
            for c in self.claims.iter().filter(|c| c.object == object && c.version == version && c.bits == bits) {
                let width = i128::from(bits / 8);
                let (zero, end, into) =
                    (e.arena.int(0), e.arena.add_const(offset, width), e.arena.modulo(offset, width));
                let (before, behind, starts) =
                    (e.arena.lt(offset, zero), e.arena.lt(c.size, end), e.arena.eq(into, zero));
                let between = e.arena.not(starts);
                let (lower, upper) = (e.arena.le(zero, t), e.arena.lt(t, c.below));
                let both = e.arena.and(lower, upper);
                // On another way than that to these contents nothing is said of what there is none of.
                let none = if chosen.contains(&t) { e.arena.le_zero(c.below) } else { e.arena.bool(false) };
                facts.push(e.arena.or_all(vec![before, behind, between, none, both]));
            }
        }
        (!facts.is_empty()).then(|| e.arena.and_all(facts))
    }

    /// The same under a launch's conditions.
    pub(super) fn under(&self, e: &mut Executor<'_>, decided: &Decided) -> Self {
        let claims = self
            .claims
            .iter()
            .map(|c| Claim {
                below: decided.term(&mut e.arena, c.below),
                size: decided.term(&mut e.arena, c.size),
                ..*c
            })
            .collect();
        Self { claims, operations: self.operations.clone() }
    }
}

/// Object, number of the contents, offset and width in bits of what a term reads.
pub(super) fn contents(e: &Executor<'_>, t: TermId) -> Option<(ObjId, u32, TermId, u32)> {
    let Term::Apply { function: Function::Content, args, .. } = e.arena.get(t) else { return None };
    let [object, version, offset, bits] = args.as_slice() else { return None };
    let number = |t: TermId| u32::try_from(e.arena.as_int(t)?).ok();
    Some((ObjId(number(*object)?), number(*version)?, *offset, number(*bits)?))
}
