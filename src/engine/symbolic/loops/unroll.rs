//! Loops with a small constant trip count, unrolled if that is more exact than a summary.
//!
//! In: the conditions under which the loop continues, in terms of the iteration number. Out: the trip count, and the
//! states after that many copies of the body.

use super::transition::LoopAt;
use super::types::LoopOut;
use crate::symbolic::exec::calls::mix;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::{Activation, State};
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::limits::cost::HostPart;
use crate::symbolic::terms::term::{SymKind, Term, TermId};
use base::reasons::UnknownReason;
use ir::ValueId;
use rustc_hash::FxHashMap;

/// Maximum constant trip count that is unrolled.
const MAX_UNROLL: u32 = 64;

impl Executor<'_> {
    pub(super) fn unroll(&mut self, fr: &mut Activation, at: &LoopAt<'_>, s0: &State, trips: u32) -> Option<LoopOut> {
        let part = HostPart::Loop(fr.func, at.header);
        if self.spared(part).is_some() {
            return None;
        }
        let before = self.limits.enter_iterations(part, trips)?;
        let out = self.every_iteration(fr, at, s0, trips);
        self.limits.leave_iterations(before);
        out
    }

    pub(super) fn every_iteration(
        &mut self,
        fr: &mut Activation,
        at: &LoopAt<'_>,
        s0: &State,
        trips: u32,
    ) -> Option<LoopOut> {
        let events = self.events.mark();
        let func = self.function(fr.func);
        let header = at.header;
        let phis: Vec<ValueId> = at.phi_start.keys().copied().collect();
        self.restore(fr, &at.phi_start);
        let mut out = LoopOut::default();
        let mut state = s0.clone();
        let context = fr.context;
        for i in 0..=trips {
            // Allocations of different iterations are different objects.
            fr.context = mix(context, Site { func: fr.func, block: header, inst: u32::MAX - i });
            let r = self.region(fr, at.cfg, Some(at.number), header, vec![(header, state.clone())]);
            out.0.extend(r.exits);
            out.1.extend(r.rets);
            if self.limits.is_at_an_end() {
                fr.context = context;
                return Some(LoopOut::default());
            }
            match self.back_state(fr, func, header, &phis, r.back) {
                None => {
                    fr.context = context;
                    return Some(out);
                }
                Some((s, next)) => {
                    state = s;
                    self.restore(fr, &next);
                }
            }
        }
        // The loop continued: its trip count is not constant after all.
        fr.context = context;
        self.events.take_back(events);
        None
    }
}

impl Terms {
    /// Conditions on a power of two whose exponent depends on `k`, and on nothing else that changes or is not known.
    pub(super) fn powers_of(&self, conditions: &[TermId], k: TermId) -> Vec<TermId> {
        let is_power_of_k = |t: &TermId| match *self.arena.get(*t) {
            Term::Pow2(exponent) => self.arena.cone(&[exponent]).contains(&k),
            _ => false,
        };
        let is_known = |t: &TermId| match *self.arena.get(*t) {
            // A shift that is too far gives any number.
            Term::Sym(s) => {
                *t == k || matches!(self.arena.symbol(s).kind, SymKind::Unknown { reason: UnknownReason::ShiftTooFar })
            }
            Term::BoolSym(_) | Term::Apply { .. } => false,
            _ => true,
        };
        let of_powers = |c: &TermId| {
            let all = self.arena.cone(&[*c]);
            all.iter().any(is_power_of_k) && all.iter().all(is_known)
        };
        conditions.iter().copied().filter(of_powers).collect()
    }

    /// First `k`, up to the unrolling limit, at which some condition for continuing is false.
    pub(super) fn trip_count(&mut self, iteration: &[TermId], k: TermId) -> Option<u32> {
        for n in 0..=MAX_UNROLL {
            let v = self.arena.int(i128::from(n));
            let map: FxHashMap<TermId, TermId> = std::iter::once((k, v)).collect();
            let mut done = FxHashMap::default();
            for c in iteration {
                let t = self.arena.substitute_more(*c, &map, &mut done);
                if self.arena.as_bool(t) == Some(false) {
                    return Some(n);
                }
            }
        }
        None
    }
}
