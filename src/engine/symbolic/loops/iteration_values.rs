//! Values that a loop computes anew in each iteration, as functions of the iteration's number (Skolem functions).
//!
//! In: terms of one pass over the body. Out: terms over older values and the number `k`. A condition with such values can
//! hold for all iterations ([`super::quantified_facts`]), and an array can hold them ([`super::array_fill`]).

use crate::symbolic::floors::terms::Terms;
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{Term, TermId};
use rustc_hash::FxHashMap;

impl Terms {
    /// Conditions of an iteration on memory older than the pass, as functions of `k`: whatever else they depend on has
    /// one value in each iteration (Skolem functions). `mark` holds the number of symbols and the last version before
    /// the pass.
    pub(super) fn in_each_iteration(&mut self, conditions: &[TermId], mark: (usize, u32), k: TermId) -> Vec<TermId> {
        let mut out = vec![];
        for c in conditions {
            let cone = self.arena.cone(&[*c]);
            let is_old_read = |t: &TermId| {
                matches!(self.arena.get(*t), Term::Apply { function, .. } if function.is_memory())
                    && self.only_old(*t, mark.0, mark.1, Some(k))
                    && self.arena.cone(&[*t]).contains(&k)
            };
            if !cone.iter().any(is_old_read) {
                continue;
            }
            let mut own: FxHashMap<TermId, TermId> = FxHashMap::default();
            for n in cone {
                if let Some(each) = self.value_in_each_iteration(n, mark, k) {
                    own.insert(n, each);
                }
            }
            let each = self.arena.substitute(*c, &own);
            if self.only_old(each, mark.0, mark.1, Some(k)) {
                out.push(each);
            }
        }
        out
    }

    /// Value of a term that is new in a pass, as a function of the iteration; `None` for other terms.
    pub(super) fn value_in_each_iteration(&mut self, n: TermId, mark: (usize, u32), k: TermId) -> Option<TermId> {
        let (id, range) = match self.arena.get(n) {
            Term::Sym(s) if (s.0 as usize) >= mark.0 && n != k => (s.0, self.arena.symbol(*s).range),
            // Not the number of the symbol, which stands for any number that depends on this choice.
            Term::BoolSym(s) if (s.0 as usize) >= mark.0 => {
                let function = UninterpretedFunction::Round(u32::MAX - n.0);
                let each = self.arena.apply(function, vec![k], Interval::new(0, 1));
                let zero = self.arena.int(0);
                let is_false = self.arena.eq(each, zero);
                return Some(self.arena.not(is_false));
            }
            // Memory that the loop itself changes, and values of the iterations of loops inside it.
            Term::Apply {
                function:
                    UninterpretedFunction::Content | UninterpretedFunction::Product | UninterpretedFunction::Round(_),
                range,
                ..
            } if !self.only_old(n, mark.0, mark.1, Some(k)) => (u32::MAX - n.0, *range),
            _ => return None,
        };
        Some(self.arena.apply(UninterpretedFunction::Round(id), vec![k], range))
    }
}
