//! Products of integers that lie one after the other in memory: `for (auto s : shape) n *= s;`.
//!
//! In: a variable's value in an iteration and after it. Out: its value as a function of the number of iterations, the
//! start times `product(object, version, offset, width, count)`. It is exact modulo the variable's width.
//! [`super::product_facts`] has facts about products.

use super::sum::Iterations;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::loops::types::Form;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, Term, TermId};
use base::reasons::UnknownReason;

/// Maximum number of elements whose product is written out.
const MAX_FACTORS: i128 = 8;

/// Maximum depth of nested choices between elements.
const DEPTH: u32 = 3;

/// Integers of `bits` bits one after the other in an object's contents of one version, from an offset in bytes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementRun {
    pub(super) object: TermId,
    pub(super) version: TermId,
    pub(super) bits: TermId,
    pub(super) from: TermId,
}

/// Product of the first `count` integers of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ElementProduct {
    pub run: ElementRun,
    pub count: TermId,
    pub term: TermId,
}

impl ElementRun {
    /// Run whose element number `k` is a term, if that is one of contents that lie one after the other.
    pub fn of_element(a: &mut Arena, element: TermId, k: TermId) -> Option<Self> {
        let (run, stride) = Self::spaced(a, element, k)?;
        (stride == run.bytes(a)?).then_some(run)
    }

    /// Element number 0, and the distance in bytes between one and the next.
    fn spaced(a: &mut Arena, element: TermId, k: TermId) -> Option<(Self, i128)> {
        let Term::Apply { function: UninterpretedFunction::Content, args, .. } = a.get(element) else { return None };
        let [object, version, offset, bits] = args[..] else { return None };
        let [from, next] = [0, 1].map(|j| {
            let j = a.int(j);
            a.substitute(offset, &std::iter::once((k, j)).collect())
        });
        let step = a.sub(next, from);
        let stride = a.as_int(step)?;
        let moved = a.scale(k, stride);
        (a.add(from, moved) == offset).then_some((Self { object, version, bits, from }, stride))
    }

    /// Size of an element in bytes.
    pub(super) fn bytes(&self, a: &Arena) -> Option<i128> {
        a.as_int(self.bits).filter(|bits| *bits > 0 && bits % 8 == 0).map(|bits| bits / 8)
    }

    pub(super) fn at(self, from: TermId) -> Self {
        Self { from, ..self }
    }

    /// Whether both consist of the same contents, read with the same width.
    fn is_beside(&self, other: &Self) -> bool {
        (self.object, self.version, self.bits) == (other.object, other.version, other.bits)
    }

    /// Number of elements between the beginning of this run and that of another one in the same contents.
    pub(super) fn distance(&self, a: &mut Arena, other: &Self) -> Option<TermId> {
        let bytes = self.bytes(a).filter(|_| self.is_beside(other))?;
        let apart = a.sub(other.from, self.from);
        let into = a.modulo(apart, bytes);
        (a.as_int(into) == Some(0)).then(|| a.floor_div(apart, bytes))
    }

    /// Product of the first `count` integers.
    pub fn product(&self, a: &mut Arena, count: TermId) -> TermId {
        let args = vec![self.object, self.version, self.from, self.bits, count];
        a.apply(UninterpretedFunction::Product, args, Interval::ANY)
    }
}

impl ElementProduct {
    pub(super) fn new(a: &mut Arena, run: ElementRun, count: TermId) -> Self {
        Self { run, count, term: run.product(a, count) }
    }

    pub(super) fn of_term(a: &Arena, term: TermId) -> Option<Self> {
        let Term::Apply { function: UninterpretedFunction::Product, args, .. } = a.get(term) else { return None };
        let [object, version, from, bits, count] = args[..] else { return None };
        Some(Self { run: ElementRun { object, version, bits, from }, count, term })
    }

    /// Elements that are multiplied, if they are few.
    pub(super) fn factors(&self, a: &mut Arena) -> Option<Vec<TermId>> {
        let count = a.as_int(self.count).filter(|count| *count <= MAX_FACTORS)?;
        let bytes = self.run.bytes(a)?;
        let one = a.int(1);
        Some(
            (0..count)
                .map(|i| {
                    let from = a.add_const(self.run.from, i * bytes);
                    self.run.at(from).product(a, one)
                })
                .collect(),
        )
    }

    /// Condition that this product is not one of the elements `run` up to `count`, and the index of its first element.
    pub(super) fn not_within(&self, a: &mut Arena, run: &ElementRun, count: TermId) -> Option<(TermId, TermId)> {
        let j = run.distance(a, &self.run)?;
        let (zero, end) = (a.int(0), a.add(j, self.count));
        let (before, behind) = (a.lt(j, zero), a.lt(count, end));
        Some((a.or(before, behind), j))
    }
}

impl MemoryDomain<'_> {
    /// Product of the first `count` of the integers of which `element` is number `k`.
    pub fn product_of_elements(&mut self, element: TermId, k: TermId, count: TermId) -> Option<TermId> {
        let run = ElementRun::of_element(&mut self.arena, element, k)?;
        Some(run.product(&mut self.arena, count))
    }
}

impl Terms {
    /// Closed form of a variable of `bits` bits that starts as `a` and changes from `h` to `n` in an iteration, if each
    /// iteration multiplies it by the next element of some contents.
    pub(super) fn multiplied(
        &mut self,
        (a, h, n): (TermId, TermId, TermId),
        bits: u32,
        r: &Iterations<'_>,
    ) -> Option<Form> {
        let n = self.modulo_width(n, bits);
        let p = self.arena.poly(n);
        let [(factors, 1)] = p.terms.as_slice() else { return None };
        if factors.len() < 2 {
            return None;
        }
        let (mut value, mut times, mut exact) = (a, 0, true);
        for factor in factors.clone() {
            let factor = self.modulo_width(factor, bits);
            if factor == h {
                times += 1;
                continue;
            }
            let element = self.arena.substitute(factor, r.map);
            let product = self.product_before(element, bits, r, (DEPTH, &mut exact))?;
            value = self.arena.mul(value, product);
        }
        if times != 1 {
            return None;
        }
        if exact {
            return Some(Form::Closed(Value::Int(value)));
        }
        let first = self.arena.le_zero(r.k);
        Some(Form::Bounded(Value::Int(self.arena.ite(first, a, value)), vec![]))
    }

    /// Product of the elements of the iterations before `k`, of which this is that of iteration `k`. Where it is another
    /// value under a condition that no iteration changes, such as that there are no elements, the product is any number.
    fn product_before(
        &mut self,
        element: TermId,
        bits: u32,
        r: &Iterations<'_>,
        (depth, exact): (u32, &mut bool),
    ) -> Option<TermId> {
        let element = self.modulo_width(element, bits);
        if let Term::Ite(c, x, y) = *self.arena.get(element) {
            let depth = depth.checked_sub(1)?;
            if !self.only_old(c, r.mark, r.version, None) {
                return None;
            }
            let [x, y] = [x, y].map(|t| self.product_before(t, bits, r, (depth, exact)));
            if x.is_none() && y.is_none() {
                return None;
            }
            let [x, y] = [x, y].map(|known| {
                known.unwrap_or_else(|| {
                    *exact = false;
                    self.arena.fresh(SymKind::Unknown { reason: UnknownReason::LoopMoves }, "product", Interval::ANY)
                })
            });
            return Some(self.arena.ite(c, x, y));
        }
        if !self.only_old(element, r.mark, r.version, Some(r.k)) {
            return None;
        }
        let (run, stride) = ElementRun::spaced(&mut self.arena, element, r.k)?;
        let size = run.bytes(&self.arena)?;
        let from = match stride {
            _ if stride == size => run.from,
            // From the last one to the first one.
            _ if stride == -size => {
                let back = self.arena.add_const(r.k, -1);
                let back = self.arena.scale(back, size);
                self.arena.sub(run.from, back)
            }
            _ => return None,
        };
        Some(run.at(from).product(&mut self.arena, r.k))
    }

    /// Drops interpretations that change nothing modulo 2^bits.
    fn modulo_width(&self, mut t: TermId, bits: u32) -> TermId {
        while let Some((arg, width, _)) = self.arena.reading(t)
            && width >= bits
        {
            t = arg;
        }
        t
    }
}
