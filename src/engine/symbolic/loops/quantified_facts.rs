//! Facts that held in every iteration of a finished loop: `if (index[i] >= n) return 1;` implies one about each
//! element. Flags and error counts imply such facts through the variable that holds them ([`super::sum`]).
//!
//! Facts are instantiated on demand: a read of an element that such a condition mentions gets the condition of its
//! iteration.

use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::term::{Term, TermId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// Quantified fact: `cond` holds for each `k` (a symbol) of `0..count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuantifiedFact {
    k: TermId,
    count: TermId,
    cond: TermId,
    scope: FactScope,
}

/// Paths on which a quantified fact may be assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactScope {
    /// The path on which it was stated.
    Path,
    /// Every path: it is an axiom, or it only defines a symbol that other paths do not mention.
    Everywhere,
}

/// Maximum number of quantified facts in a state.
const MAX: usize = 32;
/// Maximum number of instances for one query.
const INSTANCES: usize = 64;

impl QuantifiedFact {
    /// States that `cond` holds for each `k` of `0..count`.
    #[must_use]
    pub const fn new(k: TermId, count: TermId, cond: TermId) -> Self {
        Self { k, count, cond, scope: FactScope::Path }
    }

    /// The same fact on every path. The caller warrants that it holds there, or restricts only a symbol of its own.
    #[must_use]
    pub const fn everywhere(self) -> Self {
        Self { scope: FactScope::Everywhere, ..self }
    }

    /// Symbol for the number of an iteration or element.
    #[must_use]
    pub const fn index(&self) -> TermId {
        self.k
    }

    /// Weakens the condition by a disjunct.
    #[must_use]
    pub fn where_not(&self, a: &mut Arena, otherwise: TermId) -> Self {
        Self { cond: a.or(otherwise, self.cond), ..*self }
    }

    /// Condition that `cond` fails for `k`, a number in `0..count`.
    pub fn broken(&self, a: &mut Arena) -> TermId {
        let (zero, not) = (a.int(0), a.not(self.cond));
        let (from, to) = (a.le(zero, self.k), a.lt(self.k, self.count));
        a.and_all(vec![from, to, not])
    }

    /// Applies `f` to the terms of the fact.
    #[must_use]
    pub fn map(&self, mut f: impl FnMut(TermId) -> TermId) -> Self {
        Self { count: f(self.count), cond: f(self.cond), ..*self }
    }

    /// Number of iterations and the condition.
    #[must_use]
    pub const fn terms(&self) -> [TermId; 2] {
        [self.count, self.cond]
    }

    /// Whether the roots read memory that the condition is about.
    #[must_use]
    pub fn concerns(&self, a: &Arena, roots: &[TermId]) -> bool {
        let of = |t: &TermId| match a.get(*t) {
            Term::Apply { function, args, .. } => Some((*function, args.first().copied())),
            _ => None,
        };
        let asked: Vec<_> = reads(a, roots).iter().filter_map(of).collect();
        reads(a, &[self.cond]).iter().filter_map(of).any(|pattern| asked.contains(&pattern))
    }

    /// Instances for the first and the last iteration.
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

    /// Adds the fact to those of a state.
    pub fn add_to(&self, always: &mut Rc<Vec<Self>>) {
        if always.len() < MAX && !always.contains(self) {
            Rc::make_mut(always).push(*self);
        }
    }

    /// Adds the fact to those of a state, unless they have it for another symbol.
    pub fn add_once(&self, a: &mut Arena, always: &mut Rc<Vec<Self>>) {
        let same = |a: &mut Arena, known: &Self| {
            let renamed = std::iter::once((known.k, self.k)).collect();
            known.count == self.count && a.substitute(known.cond, &renamed) == self.cond
        };
        if !always.iter().any(|known| same(a, known)) {
            self.add_to(always);
        }
    }

    /// Facts of a path that joins two others: those of both, and those that hold everywhere.
    pub(in crate::symbolic) fn joined(a: &Rc<Vec<Self>>, b: &Rc<Vec<Self>>) -> Rc<Vec<Self>> {
        if Rc::ptr_eq(a, b) {
            return a.clone();
        }
        let stays = |fact: &&Self, other: &[Self]| fact.scope == FactScope::Everywhere || other.contains(fact);
        let mut all: Vec<Self> = a.iter().filter(|fact| stays(fact, b)).copied().collect();
        let more = b.iter().filter(|fact| fact.scope == FactScope::Everywhere && !a.contains(fact));
        all.extend(more.copied());
        all.truncate(MAX);
        Rc::new(all)
    }

    /// Conditions shared by the iterations before number `k`, as far as they concern contents of memory.
    pub(in crate::symbolic) fn of_iterations(a: &mut Arena, iteration: &[TermId], k: TermId) -> Option<Self> {
        let of_memory: Vec<TermId> =
            iteration.iter().copied().filter(|c| reads(a, &[*c]).iter().any(|r| a.cone(&[*r]).contains(&k))).collect();
        if of_memory.is_empty() {
            return None;
        }
        let cond = a.and_all(of_memory);
        Some(Self::new(k, k, cond))
    }
}

/// Applications of memory functions below the roots.
fn reads(a: &Arena, roots: &[TermId]) -> Vec<TermId> {
    a.cone(roots)
        .into_iter()
        .filter(|t| matches!(a.get(*t), Term::Apply { function, .. } if function.is_memory()))
        .collect()
}

/// Instances of quantified facts for every read below the roots; `None` if there are none.
pub fn instances(a: &mut Arena, always: &[QuantifiedFact], roots: &[TermId]) -> Option<TermId> {
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
                let Some(j) = iteration_of(a, pattern, read, condition.k) else { continue };
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

/// Value of `k` for which a pattern equals a read.
fn iteration_of(a: &mut Arena, pattern: TermId, read: TermId, k: TermId) -> Option<TermId> {
    let (Term::Apply { function: p, args: of_pattern, .. }, Term::Apply { function: r, args: of_read, .. }) =
        (a.get(pattern), a.get(read))
    else {
        return None;
    };
    if p != r || of_pattern.len() != of_read.len() {
        return None;
    }
    let pairs: SmallVec<[(TermId, TermId); 4]> = of_pattern.iter().copied().zip(of_read.iter().copied()).collect();
    let mut iteration: Option<TermId> = None;
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
        if iteration.is_some_and(|r| r != j) {
            return None;
        }
        iteration = Some(j);
    }
    iteration
}

#[cfg(test)]
mod tests {
    use super::{QuantifiedFact, instances};
    use crate::symbolic::terms::arena::Arena;
    use crate::symbolic::terms::functions::UninterpretedFunction;
    use crate::symbolic::terms::interval::Interval;
    use crate::symbolic::terms::term::{InputSource, SymKind, TermId};

    fn symbol(a: &mut Arena, name: &str) -> TermId {
        a.fresh(SymKind::Input(InputSource::World(name.into())), name, Interval::new(0, 1 << 20))
    }

    fn number(a: &mut Arena, bits: i128, at: TermId) -> TermId {
        let args = vec![a.int(0), a.int(bits), at];
        a.apply(UninterpretedFunction::File, args, Interval::of_int(32, true))
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
        let always = [QuantifiedFact::new(k, n, cond)];
        let read = {
            let x = a.scale(t, 4);
            let x = a.add_const(x, 12);
            number(&mut a, 32, x)
        };
        let next = a.add_const(t, 1);
        let (small, inside) = (a.lt(read, n), a.le(n, next));
        let want = a.or(small, inside);
        assert_eq!(instances(&mut a, &always, &[read]), Some(want));
        // Between two elements, and at another width.
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
