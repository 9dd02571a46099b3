//! Bounds on memory contents that are known only by version: proved or assumed between launches.
//!
//! Plain data, and the facts that it implies for terms that read such contents. [`super::across_launches`] finds the
//! bounds.

use crate::obligations::specialise::DecidedValues;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::memory::object::ObjId;
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::term::{Term, TermId};
use rustc_hash::FxHashSet;

/// A bound `0..below` on the integers of some width in one version of an object's contents. `below` and `size` are
/// host terms, or these terms under a launch's conditions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    pub object: ObjId,
    pub version: u32,
    pub bits: u32,
    pub below: TermId,
    pub size: TermId,
}

/// Bounds on contents, and the operations that they rest on.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownBounds {
    pub(super) claims: Vec<Claim>,
    pub(super) operations: Vec<String>,
}

impl KnownBounds {
    /// Returns the operations that must not wrap for the bounds to hold.
    pub fn operations(&self) -> &[String] {
        &self.operations
    }

    /// Returns the bounds of all integers read below the roots; `None` where there are none.
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
                // If the value came from another path, an empty range gives no fact.
                let none = if chosen.contains(&t) { e.arena.le_zero(c.below) } else { e.arena.bool(false) };
                facts.push(e.arena.or_all(vec![before, behind, between, none, both]));
            }
        }
        (!facts.is_empty()).then(|| e.arena.and_all(facts))
    }

    /// Returns the same bounds under a launch's conditions.
    pub(super) fn under(&self, e: &mut Executor<'_>, decided: &DecidedValues) -> Self {
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

/// Returns the object, version, offset and width in bits that a term reads.
pub(super) fn contents(e: &Executor<'_>, t: TermId) -> Option<(ObjId, u32, TermId, u32)> {
    let Term::Apply { function: UninterpretedFunction::Content, args, .. } = e.arena.get(t) else { return None };
    let [object, version, offset, bits] = args.as_slice() else { return None };
    let number = |t: TermId| u32::try_from(e.arena.as_int(t)?).ok();
    Some((ObjId(number(*object)?), number(*version)?, *offset, number(*bits)?))
}
