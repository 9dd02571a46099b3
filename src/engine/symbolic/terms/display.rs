//! Terms as C-like expressions, for messages and dumps.

use super::arena::Arena;
use super::functions::UninterpretedFunction;
use super::term::{Monomial, Term, TermId};
use rustc_hash::FxHashMap;

/// Maximum depth and number of parts of a shown term: a larger term is shown less deeply. Shared subterms count each
/// time.
const DEPTH: u32 = 12;
const PARTS: u32 = 60;

/// Mark in the place of a part that is not shown.
const LEFT_OUT: &str = "…";

/// Formats a term as a C-like expression.
#[must_use]
pub fn term(a: &Arena, t: TermId) -> String {
    term_with_names(a, t, &|_| None)
}

/// Does the same with names in the place of the parts that have one.
pub fn term_with_names(a: &Arena, t: TermId, name: &dyn Fn(TermId) -> Option<String>) -> String {
    let shown = (2..=DEPTH).rev().map(|depth| {
        let mut shown = DisplayedTerm { a, left: PARTS, name };
        let text = shown.part(t, 0, depth);
        (shown.left > 0, text)
    });
    let mut last = String::new();
    for (whole, text) in shown {
        if whole {
            return text;
        }
        last = text;
    }
    last
}

/// Returns `min` or `max` where a choice between two numbers is the smaller or the larger of them.
fn smaller_or_larger(a: &Arena, condition: TermId, yes: TermId, no: TermId) -> Option<&'static str> {
    let Term::Le(compared) = *a.get(condition) else { return None };
    let distance = |x: TermId, y: TermId| {
        let mut rest: FxHashMap<Monomial, i128> = FxHashMap::default();
        for (t, sign) in [(compared, 1), (x, -1), (y, 1)] {
            for (m, c) in &a.poly(t).terms {
                let sum = rest.entry(m.clone()).or_default();
                *sum = sum.checked_add(c.checked_mul(sign)?)?;
            }
        }
        rest.retain(|_, c| *c != 0);
        let constant = rest.remove(&Monomial::default()).unwrap_or(0);
        rest.is_empty().then_some(constant)
    };
    // Equal numbers are both.
    let is_either = |d: Option<i128>| matches!(d, Some(0 | 1));
    if is_either(distance(yes, no)) {
        return Some("min");
    }
    is_either(distance(no, yes)).then_some("max")
}

struct DisplayedTerm<'a> {
    a: &'a Arena,
    left: u32,
    name: &'a dyn Fn(TermId) -> Option<String>,
}

impl DisplayedTerm<'_> {
    /// Formats a part; `level` is 0 in a sum, 1 in a product, 2 in an atom.
    fn part(&mut self, t: TermId, level: u8, depth: u32) -> String {
        if depth == 0 || self.left == 0 {
            return LEFT_OUT.into();
        }
        self.left -= 1;
        if let Some(name) = (self.name)(t) {
            return name;
        }
        let d = depth - 1;
        let paren = |s: String, need: bool| if need { format!("({s})") } else { s };
        match self.a.get(t) {
            Term::Int(v) => v.to_string(),
            Term::Sym(s) | Term::BoolSym(s) => self.a.symbol(*s).name.clone(),
            Term::Poly(p) => {
                let mut out = String::new();
                // Highest degree first, the constant last.
                let mut terms: Vec<_> = p.terms.iter().collect();
                terms.sort_by_key(|(m, _)| std::cmp::Reverse(m.len()));
                let many = terms.len() > 1;
                for (i, (m, c)) in terms.iter().enumerate() {
                    if i > 10 {
                        out.push_str(" + …");
                        break;
                    }
                    let sign = if *c < 0 { "-" } else { "+" };
                    if i == 0 {
                        if *c < 0 {
                            out.push('-');
                        }
                    } else {
                        out.push_str(&format!(" {sign} "));
                    }
                    let k = c.unsigned_abs();
                    let mut factors: Vec<String> = vec![];
                    if k != 1 || m.is_empty() {
                        factors.push(k.to_string());
                    }
                    for x in m {
                        factors.push(self.part(*x, 2, d));
                    }
                    out.push_str(&factors.join(" * "));
                }
                paren(out, level > 0 && (many || level > 1))
            }
            Term::Div(x, y) => paren(format!("{} / {}", self.part(*x, 2, d), self.part(*y, 2, d)), level > 0),
            Term::Rem(x, y) => paren(format!("{} % {}", self.part(*x, 2, d), self.part(*y, 2, d)), level > 0),
            Term::FloorDiv(x, c) => paren(format!("{} / {c}", self.part(*x, 2, d)), level > 0),
            Term::Mod(x, c) => paren(format!("{} % {c}", self.part(*x, 2, d)), level > 0),
            Term::Ite(c, x, y) if let Some(name) = smaller_or_larger(self.a, *c, *x, *y) => {
                format!("{name}({}, {})", self.part(*x, 0, d), self.part(*y, 0, d))
            }
            Term::Ite(c, x, y) => {
                format!("({} ? {} : {})", self.part(*c, 0, d), self.part(*x, 0, d), self.part(*y, 0, d))
            }
            Term::Wrap { arg, .. } => self.part(*arg, level, depth),
            Term::BitAnd(x, y, _) => format!("({} & {})", self.part(*x, 2, d), self.part(*y, 2, d)),
            Term::BitOr(x, y, _) => format!("({} | {})", self.part(*x, 2, d), self.part(*y, 2, d)),
            Term::BitXor(x, y, _) => format!("({} ^ {})", self.part(*x, 2, d), self.part(*y, 2, d)),
            Term::Pow2(x) => format!("2^{}", self.part(*x, 2, d)),
            Term::Apply { function, args, .. } => match function {
                UninterpretedFunction::Content => "a value in memory".into(),
                UninterpretedFunction::Product => "a product of values in memory".into(),
                UninterpretedFunction::File | UninterpretedFunction::Word => "a value read from a file".into(),
                UninterpretedFunction::Round(_) => "a value that a loop wrote".into(),
                UninterpretedFunction::Reading { .. } if args.len() == 1 => self.part(args[0], level, depth),
                _ => format!("{function}({})", args.iter().map(|x| self.part(*x, 0, d)).collect::<Vec<_>>().join(", ")),
            },
            Term::True => "true".into(),
            Term::False => "false".into(),
            Term::Le(x) => format!("{} <= 0", self.part(*x, 0, d)),
            Term::EqZ(x) => format!("{} == 0", self.part(*x, 0, d)),
            Term::Not(x) => format!("!({})", self.part(*x, 0, d)),
            Term::And(v) => self.list(v, " && ", d),
            Term::Or(v) => match self.list(v, " || ", d) {
                left_out if left_out == LEFT_OUT => left_out,
                list => format!("({list})"),
            },
        }
    }

    /// Formats conditions; those that are left out one after the other are shown once.
    fn list(&mut self, parts: &[TermId], between: &str, depth: u32) -> String {
        let mut shown: Vec<String> = parts.iter().map(|x| self.part(*x, 2, depth)).collect();
        shown.dedup_by(|a, b| a == LEFT_OUT && b == LEFT_OUT);
        shown.join(between)
    }
}

#[cfg(test)]
mod tests {
    use super::{term, term_with_names};
    use crate::symbolic::terms::arena::Arena;
    use crate::symbolic::terms::interval::Interval;
    use crate::symbolic::terms::term::{SymKind, TermId};
    use base::reasons::UnknownReason;

    #[test]
    fn what_a_term_has_in_common_with_itself_does_not_make_it_endless() {
        let mut a = Arena::new();
        let fresh = |a: &mut Arena| {
            a.fresh(SymKind::Unknown { reason: UnknownReason::NoValue }, "x", Interval::of_int(32, true))
        };
        let mut t = fresh(&mut a);
        for _ in 0..12 {
            let parts: Vec<_> = (0..8)
                .map(|_| {
                    let x = fresh(&mut a);
                    let x = a.mul(x, t);
                    a.le_zero(x)
                })
                .collect();
            let (c, other) = (a.and_all(parts), fresh(&mut a));
            t = a.ite(c, t, other);
        }
        assert!(term(&a, t).len() < 20_000);
    }

    #[test]
    fn choices_of_the_smaller_and_the_larger_are_named() {
        let mut a = Arena::new();
        let fresh = |a: &mut Arena, name: &str| {
            a.fresh(SymKind::Unknown { reason: UnknownReason::NoValue }, name, Interval::of_int(32, true))
        };
        let (x, y) = (fresh(&mut a, "x"), fresh(&mut a, "y"));
        let (less, most) = (a.lt(x, y), a.le(y, x));
        let shown = [(less, x, y), (less, y, x), (most, x, y), (most, y, x)].map(|(c, yes, no)| {
            let t = a.ite(c, yes, no);
            term(&a, t)
        });
        assert_eq!(shown, ["min(x, y)", "max(y, x)", "max(x, y)", "min(y, x)"]);
        let next = a.add_const(x, 2);
        let other = a.ite(less, next, y);
        assert!(term(&a, other).contains('?'));
    }

    #[test]
    fn conditions_that_are_not_shown_stand_there_once() {
        let mut a = Arena::new();
        let fresh = |a: &mut Arena| {
            a.fresh(SymKind::Unknown { reason: UnknownReason::NoValue }, "x", Interval::of_int(32, true))
        };
        let ways: Vec<TermId> = (0..40)
            .map(|_| {
                let parts: Vec<_> = (0..3)
                    .map(|_| {
                        let (x, y) = (fresh(&mut a), fresh(&mut a));
                        let product = a.mul(x, y);
                        a.le_zero(product)
                    })
                    .collect();
                a.and_all(parts)
            })
            .collect();
        let any = a.or_all(ways);
        let (one, two) = (a.int(1), a.int(2));
        let t = a.ite(any, one, two);
        assert_eq!(term(&a, t), "(… ? 1 : 2)");
    }

    #[test]
    fn a_part_with_a_name_is_shown_by_it() {
        let mut a = Arena::new();
        let fresh = |a: &mut Arena, name: &str| {
            a.fresh(SymKind::Unknown { reason: UnknownReason::NoValue }, name, Interval::of_int(32, true))
        };
        let (x, n) = (fresh(&mut a, "x"), fresh(&mut a, "n"));
        let (none, usual) = (a.le_zero(n), a.int(480));
        let height = a.ite(none, usual, n);
        let area = a.mul(height, x);
        let area = a.scale(area, 4);
        assert!(term(&a, area).contains('?'), "{}", term(&a, area));
        let name = |t: TermId| (t == height).then(|| "o.height".to_owned());
        let shown = term_with_names(&a, area, &name);
        assert!(["4 * o.height * x", "4 * x * o.height"].contains(&shown.as_str()), "{shown}");
    }
}
