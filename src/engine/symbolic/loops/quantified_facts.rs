//! What held in every round of a loop that was gone through: `if (index[i] >= n) return 1;` says it of each element.
//! So do flags and counts of what is wrong, by the variable that keeps them ([`super::sum`]).
//!
//! It is put to use by instances: where something is read that such a condition speaks of, the condition of that round.

use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::term::{Term, TermId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// `cond` holds for each `k` (a symbol) of `0..count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Always {
    k: TermId,
    count: TermId,
    cond: TermId,
}

/// Conditions that a state keeps.
const MOST: usize = 32;
/// Instances for one question.
const INSTANCES: usize = 64;

impl Always {
    /// That `cond` holds for each `k` of `0..count`.
    #[must_use]
    pub const fn new(k: TermId, count: TermId, cond: TermId) -> Self {
        Self { k, count, cond }
    }

    /// That it holds unless something else does.
    #[must_use]
    pub fn where_not(&self, a: &mut Arena, otherwise: TermId) -> Self {
        Self { cond: a.or(otherwise, self.cond), ..*self }
    }

    /// That it does not hold of some `k`.
    pub fn broken(&self, a: &mut Arena) -> TermId {
        let (zero, not) = (a.int(0), a.not(self.cond));
        let (from, to) = (a.le(zero, self.k), a.lt(self.k, self.count));
        a.and_all(vec![from, to, not])
    }

    /// The same with its terms changed.
    #[must_use]
    pub fn map(&self, mut f: impl FnMut(TermId) -> TermId) -> Self {
        Self { k: self.k, count: f(self.count), cond: f(self.cond) }
    }

    /// How many rounds it speaks of, and what it says.
    #[must_use]
    pub const fn terms(&self) -> [TermId; 2] {
        [self.count, self.cond]
    }

    /// What it says of the first round and of the last one.
    pub fn of_the_ends(&self, a: &mut Arena) -> TermId {
        let (zero, last) = (a.int(0), a.add_const(self.count, -1));
        let none = a.le(self.count, zero);
        let ends: Vec<TermId> = [zero, last]
            .into_iter()
            .map(|j| a.substitute(self.cond, &std::iter::once((self.k, j)).collect()))
            .collect();
        let both = a.and_all(ends);
        a.or(none, both)
    }

    /// Notes that it holds from here on.
    pub fn add_to(&self, always: &mut Rc<Vec<Self>>) {
        if always.len() < MOST && !always.contains(self) {
            Rc::make_mut(always).push(*self);
        }
    }

    /// What the rounds before number `k` had in common, where that says something of what memory holds.
    pub(in crate::symbolic) fn of_rounds(a: &mut Arena, round: &[TermId], k: TermId) -> Option<Self> {
        let of_memory: Vec<TermId> =
            round.iter().copied().filter(|c| reads(a, &[*c]).iter().any(|r| a.cone(&[*r]).contains(&k))).collect();
        if of_memory.is_empty() {
            return None;
        }
        let cond = a.and_all(of_memory);
        Some(Self { k, count: k, cond })
    }
}

/// Applications of functions whose values come from memory below the roots.
fn reads(a: &Arena, roots: &[TermId]) -> Vec<TermId> {
    a.cone(roots)
        .into_iter()
        .filter(|t| matches!(a.get(*t), Term::Apply { function, .. } if function.is_memory()))
        .collect()
}

/// What such conditions say of everything that the roots read; `None` where that is nothing.
pub fn instances(a: &mut Arena, always: &[Always], roots: &[TermId]) -> Option<TermId> {
    if always.is_empty() {
        return None;
    }
    let asked = reads(a, roots);
    let mut out = vec![];
    for condition in always {
        for pattern in reads(a, &[condition.cond]) {
            for &read in &asked {
                if out.len() >= INSTANCES {
                    break;
                }
                let Some(j) = round_of(a, pattern, read, condition.k) else { continue };
                let zero = a.int(0);
                let (before, behind) = (a.lt(j, zero), a.le(condition.count, j));
                let there = a.substitute(condition.cond, &std::iter::once((condition.k, j)).collect());
                let fact = a.or_all(vec![before, behind, there]);
                if a.as_bool(fact).is_none() && !out.contains(&fact) {
                    out.push(fact);
                }
            }
        }
    }
    (!out.is_empty()).then(|| a.and_all(out))
}

/// The `k` for which a pattern is this read.
fn round_of(a: &mut Arena, pattern: TermId, read: TermId, k: TermId) -> Option<TermId> {
    let (Term::Apply { function: p, args: of_pattern, .. }, Term::Apply { function: r, args: of_read, .. }) =
        (a.get(pattern), a.get(read))
    else {
        return None;
    };
    if p != r || of_pattern.len() != of_read.len() {
        return None;
    }
    let pairs: SmallVec<[(TermId, TermId); 4]> = of_pattern.iter().copied().zip(of_read.iter().copied()).collect();
    let mut round: Option<TermId> = None;
    for (p, t) in pairs {
        if !a.cone(&[p]).contains(&k) {
            if p != t {
                return None;
            }
            continue;
        }
        let c = a.poly(p).terms.iter().find(|(m, _)| m.as_slice() == [k]).map(|(_, c)| *c).filter(|c| *c > 0)?;
        let zero: FxHashMap<TermId, TermId> = std::iter::once((k, a.int(0))).collect();
        let start = a.substitute(p, &zero);
        let own = a.scale(k, c);
        if a.add(start, own) != p {
            return None;
        }
        let distance = a.sub(t, start);
        let into = a.modulo(distance, c);
        if a.as_int(into) != Some(0) {
            return None;
        }
        let j = a.floor_div(distance, c);
        if round.is_some_and(|r| r != j) {
            return None;
        }
        round = Some(j);
    }
    round
}

#[cfg(test)]
mod tests {
    use super::{Always, instances};
    use crate::symbolic::terms::arena::Arena;
    use crate::symbolic::terms::functions::Function;
    use crate::symbolic::terms::interval::Range;
    use crate::symbolic::terms::term::{InputSource, SymKind, TermId};

    fn symbol(a: &mut Arena, name: &str) -> TermId {
        a.fresh(SymKind::Input(InputSource::World(name.into())), name, Range::new(0, 1 << 20))
    }

    fn number(a: &mut Arena, bits: i128, at: TermId) -> TermId {
        let args = vec![a.int(0), a.int(bits), at];
        a.apply(Function::File, args, Range::of_int(32, true))
    }

    #[test]
    fn what_was_checked_of_each_element_holds_of_the_one_that_is_read() {
        let mut a = Arena::new();
        let (k, n, t) = (symbol(&mut a, "k"), symbol(&mut a, "n"), symbol(&mut a, "t"));
        let at = {
            let x = a.scale(k, 4);
            a.add_const(x, 8)
        };
        let element = number(&mut a, 32, at);
        let cond = a.lt(element, n);
        let always = [Always { k, count: n, cond }];
        let read = {
            let x = a.scale(t, 4);
            let x = a.add_const(x, 12);
            number(&mut a, 32, x)
        };
        let next = a.add_const(t, 1);
        let (small, inside) = (a.lt(read, n), a.le(n, next));
        let want = a.or(small, inside);
        assert_eq!(instances(&mut a, &always, &[read]), Some(want));
        // Between two elements, and of another width.
        let between = {
            let x = a.scale(t, 4);
            let x = a.add_const(x, 10);
            number(&mut a, 32, x)
        };
        let wider = {
            let x = a.scale(t, 4);
            let x = a.add_const(x, 12);
            number(&mut a, 64, x)
        };
        assert_eq!(instances(&mut a, &always, &[between, wider]), None);
    }
}
