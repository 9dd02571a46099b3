//! Values of terms under an assignment of their symbols.

use super::arena::Arena;
use super::term::wrap_value;
use super::term::{SymId, Term, TermId};
use base::work::{charge_each, cost};
use rustc_hash::FxHashMap;

/// Assignment for [`Arena::eval_under`].
pub struct Valuation<'a> {
    /// Values of symbols, booleans as 0 and 1.
    pub symbols: &'a dyn Fn(SymId) -> Option<i128>,
    /// Value of an uninterpreted function, from the term and the values of its arguments.
    pub apply: &'a dyn Fn(TermId, &[i128]) -> Option<i128>,
    /// Whether [`Term::Wrap`] reduces its argument; otherwise, a wrap of an argument outside the range has no value.
    pub wraps: bool,
}

impl Arena {
    /// Exact value of a term under an assignment of its symbols (booleans as 0 and 1). `None` on division by zero,
    /// overflow of 127 bits, an unassigned symbol or an uninterpreted function.
    #[must_use]
    pub fn eval(&self, t: TermId, symbols: &dyn Fn(SymId) -> Option<i128>) -> Option<i128> {
        self.eval_under(&[t], &Valuation { symbols, apply: &|_, _| None, wraps: true }).get(&t).copied().flatten()
    }

    /// Values of the roots and of everything below them. Unneeded parts may lack a value: one branch of an
    /// if-then-else, and the rest of a conjunction with a false member (of a disjunction with a true one).
    #[must_use]
    pub fn eval_under(&self, roots: &[TermId], under: &Valuation) -> FxHashMap<TermId, Option<i128>> {
        let mut memo: FxHashMap<TermId, Option<i128>> = FxHashMap::default();
        let cone = self.cone(roots);
        charge_each(cost::EVALUATE, cone.len());
        for n in cone {
            let v = self.eval_node(n, under, &memo);
            memo.insert(n, v);
        }
        memo
    }

    /// Value of one node from the values of its children in `memo`.
    #[must_use]
    pub fn eval_node(&self, n: TermId, under: &Valuation, memo: &FxHashMap<TermId, Option<i128>>) -> Option<i128> {
        let v = |t: &TermId| memo.get(t).copied().flatten();
        Some(match self.get(n) {
            Term::Int(x) => *x,
            Term::Sym(s) | Term::BoolSym(s) => (under.symbols)(*s)?,
            Term::Poly(p) => {
                let mut sum = 0i128;
                for (m, c) in &p.terms {
                    let mut prod = *c;
                    for a in m {
                        prod = prod.checked_mul(v(a)?)?;
                    }
                    sum = sum.checked_add(prod)?;
                }
                sum
            }
            Term::Div(a, b) => v(a)?.checked_div(v(b)?)?,
            Term::Rem(a, b) => v(a)?.checked_rem(v(b)?)?,
            Term::FloorDiv(a, c) => v(a)?.div_euclid(*c),
            Term::Mod(a, c) => v(a)?.rem_euclid(*c),
            Term::Ite(c, a, b) => {
                if v(c)? != 0 {
                    v(a)?
                } else {
                    v(b)?
                }
            }
            Term::Wrap { arg, bits, signed } => {
                let x = v(arg)?;
                let w = wrap_value(x, *bits, *signed);
                if under.wraps || w == x { w } else { return None }
            }
            Term::BitAnd(a, b, w) => wrap_value(v(a)?, *w, false) & wrap_value(v(b)?, *w, false),
            Term::BitOr(a, b, w) => wrap_value(v(a)?, *w, false) | wrap_value(v(b)?, *w, false),
            Term::BitXor(a, b, w) => wrap_value(v(a)?, *w, false) ^ wrap_value(v(b)?, *w, false),
            Term::Pow2(a) => {
                let a = v(a)?;
                if (0..=126).contains(&a) { 1i128 << a } else { return None }
            }
            Term::Apply { args, .. } => {
                let args: Option<Vec<i128>> = args.iter().map(v).collect();
                (under.apply)(n, &args?)?
            }
            Term::True => 1,
            Term::False => 0,
            Term::Le(a) => i128::from(v(a)? <= 0),
            Term::EqZ(a) => i128::from(v(a)? == 0),
            Term::Not(a) => 1 - v(a)?,
            Term::And(xs) => {
                if xs.iter().any(|x| v(x) == Some(0)) {
                    0
                } else {
                    for x in xs {
                        v(x)?;
                    }
                    1
                }
            }
            Term::Or(xs) => {
                if xs.iter().any(|x| v(x).is_some_and(|b| b != 0)) {
                    1
                } else {
                    for x in xs {
                        v(x)?;
                    }
                    0
                }
            }
        })
    }
}
