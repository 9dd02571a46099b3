//! Integer operations that return canonical terms, simplified as far as ranges and constants allow.

use super::arena::Arena;
use super::functions::UninterpretedFunction;
use super::interval::{Interval, WIDEST};
use super::term::wrap_value;
use super::term::{Monomial, Poly, SymKind, Term, TermId};
use base::reasons::UnknownReason;

/// Maximum number of monomials in an expanded product; larger products stay monomials of two opaque atoms.
const MAX_MONOMIALS: usize = 96;

impl Arena {
    pub(super) fn overflow(&mut self) -> TermId {
        self.fresh(SymKind::Unknown { reason: UnknownReason::TooLarge }, "?", Interval::ANY)
    }

    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        match self.poly(a).add_scaled(&self.poly(b), 1) {
            Some(p) => self.from_poly(p),
            None => self.overflow(),
        }
    }

    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        match self.poly(a).add_scaled(&self.poly(b), -1) {
            Some(p) => self.from_poly(p),
            None => self.overflow(),
        }
    }

    pub fn scale(&mut self, a: TermId, c: i128) -> TermId {
        match Poly::default().add_scaled(&self.poly(a), c) {
            Some(p) => self.from_poly(p),
            None => self.overflow(),
        }
    }

    /// Constant of a polynomial; 0 for other terms.
    #[must_use]
    pub fn constant_of(&self, t: TermId) -> i128 {
        match self.get(t) {
            Term::Int(v) => *v,
            Term::Poly(p) => p.constant(),
            _ => 0,
        }
    }

    /// Splits a number into the part without its constant, and the constant.
    pub fn apart(&mut self, t: TermId) -> (TermId, i128) {
        let constant = self.constant_of(t);
        match constant.checked_neg() {
            Some(less) if constant != 0 => (self.add_const(t, less), constant),
            _ => (t, 0),
        }
    }

    pub fn add_const(&mut self, a: TermId, c: i128) -> TermId {
        let c = self.int(c);
        self.add(a, c)
    }

    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        let (pa, pb) = (self.poly(a), self.poly(b));
        if pa.terms.len().saturating_mul(pb.terms.len()) > MAX_MONOMIALS {
            let mut m: Monomial = smallvec::smallvec![a, b];
            m.sort_unstable();
            return self.from_poly(Poly { terms: vec![(m, 1)] });
        }
        match pa.mul(&pb) {
            Some(p) => self.from_poly(p),
            None => self.overflow(),
        }
    }

    pub fn neg(&mut self, a: TermId) -> TermId {
        self.scale(a, -1)
    }

    /// C division (truncating).
    pub fn div(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_int(a), self.as_int(b)) {
            (Some(x), Some(y)) if y != 0 => return self.int(x / y),
            (_, Some(1)) => return a,
            (Some(0), _) => return a,
            (_, Some(c)) if c > 1 => {
                // Exact if every coefficient is divisible.
                let p = self.poly(a);
                if p.terms.iter().all(|(_, k)| k % c == 0) {
                    let q = Poly { terms: p.terms.into_iter().map(|(m, k)| (m, k / c)).collect() };
                    return self.from_poly(q);
                }
                if self.range(a).lo.is_some_and(|v| v >= 0) {
                    return self.floor_div(a, c);
                }
            }
            _ => {}
        }
        self.intern(Term::Div(a, b))
    }

    // ---- other integer operations ----
    /// C remainder (sign of the dividend).
    pub fn rem(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_int(a), self.as_int(b)) {
            (Some(x), Some(y)) if y != 0 => return self.int(x % y),
            (_, Some(1 | -1)) => return self.int(0),
            (_, Some(c)) if c > 1 && self.range(a).lo.is_some_and(|v| v >= 0) => return self.modulo(a, c),
            _ => {}
        }
        self.intern(Term::Rem(a, b))
    }

    /// Floor division by a positive constant.
    pub fn floor_div(&mut self, a: TermId, c: i128) -> TermId {
        debug_assert!(c > 0);
        if c == 1 {
            return a;
        }
        if let Some(x) = self.as_int(a) {
            return self.int(x.div_euclid(c));
        }
        let p = self.poly(a);
        if p.terms.iter().all(|(_, k)| k % c == 0) {
            let q = Poly { terms: p.terms.into_iter().map(|(m, k)| (m, k / c)).collect() };
            return self.from_poly(q);
        }
        let r = self.range(a);
        if let (Some(l), Some(h)) = (r.lo, r.hi)
            && l.div_euclid(c) == h.div_euclid(c)
        {
            return self.int(l.div_euclid(c));
        }
        // (c·x + y) div c = x + y div c
        let (whole, rest): (Vec<_>, Vec<_>) = p.terms.into_iter().partition(|(_, k)| k % c == 0);
        if whole.is_empty() {
            return self.intern(Term::FloorDiv(a, c));
        }
        let whole = self.from_poly(Poly { terms: whole.into_iter().map(|(m, k)| (m, k / c)).collect() });
        let rest = self.from_poly(Poly { terms: rest });
        let q = self.floor_div(rest, c);
        self.add(whole, q)
    }

    /// Greatest multiple of a positive constant that is at most this.
    pub fn iteration_down(&mut self, a: TermId, c: i128) -> TermId {
        let rest = self.modulo(a, c);
        if let Some(less) = self.as_int(rest) {
            return self.add_const(a, -less);
        }
        let q = self.floor_div(a, c);
        self.scale(q, c)
    }

    /// Whether a monomial is an atom that is known to be a multiple of a number.
    fn is_multiple(&self, m: &Monomial, of: i128) -> bool {
        matches!(m.as_slice(), [atom] if self.known_multiple(*atom) % of == 0)
    }

    /// Non-negative remainder by a positive constant.
    pub fn modulo(&mut self, a: TermId, c: i128) -> TermId {
        debug_assert!(c > 0);
        if let Some(x) = self.as_int(a) {
            return self.int(x.rem_euclid(c));
        }
        if Interval::new(0, c - 1).contains(self.range(a)) {
            return a;
        }
        let p = self.poly(a);
        let rest: Vec<_> = p
            .terms
            .into_iter()
            .filter_map(|(m, k)| {
                let k = k.rem_euclid(c);
                (k != 0 && !self.is_multiple(&m, c)).then_some((m, k))
            })
            .collect();
        let rest = self.from_poly(Poly { terms: rest });
        if let Some(x) = self.as_int(rest) {
            return self.int(x.rem_euclid(c));
        }
        if Interval::new(0, c - 1).contains(self.range(rest)) {
            return rest;
        }
        self.intern(Term::Mod(rest, c))
    }

    /// Interpretation of a representative: the term itself if its range shows that nothing wraps.
    pub fn wrap(&mut self, a: TermId, bits: u32, signed: bool) -> TermId {
        let want = Interval::of_int(bits, signed);
        if want.contains(self.range(a)) {
            return a;
        }
        if bits > WIDEST {
            return self.apply(
                UninterpretedFunction::Reading { bits, signed },
                vec![a],
                Interval::of_value(bits, signed),
            );
        }
        if let Some(v) = self.as_int(a) {
            return self.int(wrap_value(v, bits, signed));
        }
        // wrap(wrap(x, wide)) = wrap(x) for a narrower or equal width.
        if let Term::Wrap { arg, bits: inner, .. } = self.get(a)
            && *inner >= bits
        {
            let arg = *arg;
            return self.wrap(arg, bits, signed);
        }
        self.intern(Term::Wrap { arg: a, bits, signed })
    }

    /// Whether only the width of a number is known, so that another interpretation of it is an arbitrary number too.
    #[must_use]
    pub fn is_opaque(&self, t: TermId) -> bool {
        match self.get(t) {
            // Sums of loops are unknown too, but have bounds from facts rather than a machine integer's range.
            Term::Sym(s) => {
                matches!(self.symbol(*s).kind, SymKind::Unknown { .. } | SymKind::Content { .. })
                    && matches!(self.range(t), Interval { lo: Some(_), hi: Some(_) })
            }
            Term::Apply { function, .. } => *function == UninterpretedFunction::Content,
            _ => false,
        }
    }

    /// Argument of a term that interprets a number as a machine integer, with the width in bits and the signedness.
    #[must_use]
    pub fn reading(&self, t: TermId) -> Option<(TermId, u32, bool)> {
        match self.get(t) {
            Term::Wrap { arg, bits, signed } => Some((*arg, *bits, *signed)),
            Term::Apply { function: UninterpretedFunction::Reading { bits, signed }, args, .. } => {
                let [arg] = args[..] else { return None };
                Some((arg, *bits, *signed))
            }
            _ => None,
        }
    }

    pub fn bit_and(&mut self, a: TermId, b: TermId, bits: u32) -> TermId {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        for (x, y) in [(a, b), (b, a)] {
            if let Some(m) = self.as_int(x) {
                let m = wrap_value(m, bits, false);
                if let Some(v) = self.as_int(y) {
                    return self.int(wrap_value(v, bits, false) & m);
                }
                if m == 0 {
                    return self.int(0);
                }
                if (m + 1) & m == 0 {
                    return self.modulo(y, m + 1);
                }
                // Clearing low bits: y & ~(2^k - 1).
                let low = (1i128 << bits) - m;
                if low & (low - 1) == 0 {
                    let u = self.wrap(y, bits, false);
                    return self.iteration_down(u, low);
                }
            }
        }
        if a == b {
            return self.wrap(a, bits, false);
        }
        self.intern(Term::BitAnd(a, b, bits))
    }

    pub fn bit_or(&mut self, a: TermId, b: TermId, bits: u32) -> TermId {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if let (Some(x), Some(y)) = (self.as_int(a), self.as_int(b)) {
            return self.int(wrap_value(x | y, bits, false));
        }
        for (x, y) in [(a, b), (b, a)] {
            if self.as_int(x) == Some(0) {
                return self.wrap(y, bits, false);
            }
            // Disjoint bits add: y is a multiple of 2^k and x < 2^k.
            let rx = self.range(x);
            if rx.lo.is_some_and(|v| v >= 0)
                && let Some(h) = rx.hi
                && h < 1i128 << 100
            {
                let k = 1i128 << (128 - h.leading_zeros());
                if self.poly(y).terms.iter().all(|(m, c)| c % k == 0 || self.is_multiple(m, k))
                    && self.range(y).lo.is_some_and(|v| v >= 0)
                {
                    return self.add(x, y);
                }
            }
        }
        if a == b {
            return self.wrap(a, bits, false);
        }
        self.intern(Term::BitOr(a, b, bits))
    }

    pub fn bit_xor(&mut self, a: TermId, b: TermId, bits: u32) -> TermId {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if let (Some(x), Some(y)) = (self.as_int(a), self.as_int(b)) {
            return self.int(wrap_value(x ^ y, bits, false));
        }
        if a == b {
            return self.int(0);
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.as_int(x) {
                Some(0) => return self.wrap(y, bits, false),
                // ~y = -1 - y, congruent modulo 2^bits.
                Some(v) if wrap_value(v, bits, false) == (1i128 << bits) - 1 => {
                    let n = self.neg(y);
                    return self.add_const(n, -1);
                }
                _ => {}
            }
        }
        self.intern(Term::BitXor(a, b, bits))
    }

    pub fn pow2(&mut self, a: TermId) -> TermId {
        match self.as_int(a) {
            Some(v) if (0..=126).contains(&v) => self.int(1i128 << v),
            _ => self.intern(Term::Pow2(a)),
        }
    }

    pub fn apply(&mut self, function: UninterpretedFunction, args: Vec<TermId>, range: Interval) -> TermId {
        if function == UninterpretedFunction::Product
            && let Some(known) = self.product_of_few(&args)
        {
            return known;
        }
        self.intern(Term::Apply { function, args, range })
    }

    /// Product of at most one integer in memory, by the arguments of [`UninterpretedFunction::Product`].
    fn product_of_few(&mut self, args: &[TermId]) -> Option<TermId> {
        let [.., bits, count] = *args else { return None };
        match self.as_int(count)? {
            ..=0 => Some(self.int(1)),
            1 => {
                let range = Interval::of_value(u32::try_from(self.as_int(bits)?).ok()?, true);
                Some(self.apply(UninterpretedFunction::Content, args[..4].to_vec(), range))
            }
            _ => None,
        }
    }

    pub fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        if a == b {
            return a;
        }
        match self.get(c) {
            Term::True => a,
            Term::False => b,
            Term::Not(n) => {
                let n = *n;
                self.ite(n, b, a)
            }
            _ => {
                // ite(c, ite(c, x, _), y) = ite(c, x, y)
                let a = if let Term::Ite(c2, x, _) = self.get(a)
                    && *c2 == c
                {
                    *x
                } else {
                    a
                };
                let b = if let Term::Ite(c2, _, y) = self.get(b)
                    && *c2 == c
                {
                    *y
                } else {
                    b
                };
                if a == b {
                    return a;
                }
                self.intern(Term::Ite(c, a, b))
            }
        }
    }

    pub fn min(&mut self, a: TermId, b: TermId) -> TermId {
        let c = self.le(a, b);
        self.ite(c, a, b)
    }

    pub fn max(&mut self, a: TermId, b: TermId) -> TermId {
        let c = self.le(a, b);
        self.ite(c, b, a)
    }
}
