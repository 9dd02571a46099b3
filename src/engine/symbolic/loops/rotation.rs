//! Variables that exchange their values in each iteration: `t = a; a = b; b = c; c = t`, as the planes of a stencil do.
//!
//! In: the symbols of variables at the start of an iteration, and their values at its end. Out: their values at iteration `k`.
//! Where each of `p` variables takes the value that the next one had, the first has the start of number `k mod p` in iteration
//! `k`.

use super::accelerate::Recurrences;
use super::types::{Form, LoopVar};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::term::TermId;
use rustc_hash::FxHashMap;

/// Maximum number of variables that exchange their values.
const MAX_CYCLE: usize = 8;

impl Executor<'_> {
    /// Finds closed forms of numbers that take what other numbers of the loop had.
    pub(super) fn rotated(&mut self, r: &Recurrences<'_>, k: TermId, forms: &mut FxHashMap<LoopVar, Form>) {
        let pass = &r.found.pass;
        let by_symbol: FxHashMap<TermId, LoopVar> = r
            .found
            .vars
            .iter()
            .filter_map(|v| if let Some(Value::Int(h)) = pass.symbols.get(v) { Some((*h, *v)) } else { None })
            .collect();
        // The variable of which each one takes the value, and what it starts with.
        let mut taken: FxHashMap<LoopVar, (LoopVar, TermId)> = FxHashMap::default();
        for v in &r.found.vars {
            if !matches!(forms.get(v), Some(Form::Arbitrary)) {
                continue;
            }
            let (Some((start, held, next)), Some(bits)) = (self.numbers_in(r, *v), self.bits_of_var(r.frame, *v))
            else {
                continue;
            };
            let next = self.as_kept(next, held, bits);
            let Some(of) = by_symbol.get(&next).filter(|of| **of != *v) else { continue };
            let same = self.bits_of_var(r.frame, *of) == Some(bits) && self.arena.range(next) == self.arena.range(held);
            if let Some(start) = self.in_range_of(start, held).filter(|_| same) {
                taken.insert(*v, (*of, start));
            }
        }
        for v in r.found.vars.iter().filter(|v| taken.contains_key(v)) {
            if let Some(value) = self.value_in_cycle(*v, &taken, k) {
                forms.insert(*v, Form::Closed(Value::Int(value)));
            }
        }
    }
}

impl Terms {
    /// Value of a variable at iteration `k`, if it is one of several that exchange their values.
    fn value_in_cycle(
        &mut self,
        v: LoopVar,
        taken: &FxHashMap<LoopVar, (LoopVar, TermId)>,
        k: TermId,
    ) -> Option<TermId> {
        let (mut starts, mut at) = (vec![], v);
        loop {
            let (next, start) = *taken.get(&at)?;
            starts.push(start);
            if next == v {
                break;
            }
            if starts.len() >= MAX_CYCLE {
                return None;
            }
            at = next;
        }
        let turn = self.arena.modulo(k, i128::try_from(starts.len()).ok()?);
        let mut value = starts.pop()?;
        for (number, start) in (0..starts.len()).zip(&starts).rev() {
            let number = self.arena.int(i128::try_from(number).ok()?);
            let is_here = self.arena.le(turn, number);
            value = self.arena.ite(is_here, *start, value);
        }
        Some(value)
    }
}
