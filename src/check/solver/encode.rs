//! Terms as Z3 integers and booleans.
//!
//! In: terms of an [`Arena`]. Out: Z3 formulas and the side conditions that define their symbols (ranges of symbols,
//! quotients and remainders, bits). The encoder is independent of facts, goals and budgets.
//!
//! Some terms may lack a value: [`Term::Wrap`] whose argument leaves the range, where wraps are only assumed away;
//! and, where the encoding is *strict*, division by zero or an exponent out of range. A boolean is therefore encoded
//! twice, as *surely true* and as *surely false*, in the sense of [`Arena::eval_under`]. For the great majority of
//! terms, which always have a value, one is the negation of the other. Where the encoding is not strict, an operation
//! without value takes any value.

use super::query::WrapMode;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymId, Term, TermId};
use rustc_hash::FxHashMap;
use z3::ast::{Ast, Bool, Int};

pub(super) struct Encoder<'a> {
    arena: &'a Arena,
    mode: WrapMode,
    strict: bool,
    ints: FxHashMap<TermId, Int>,
    bools: FxHashMap<TermId, Bool>,
    /// Condition under which the term has a value; `None`: always.
    defined: FxHashMap<TermId, Option<Bool>>,
    divisions: FxHashMap<(TermId, TermId), (Int, Int)>,
    bits: FxHashMap<(TermId, u32), Vec<Bool>>,
    side: Vec<Bool>,
    pub symbols: FxHashMap<SymId, SymbolAst>,
    /// Applications encoded so far, with the encodings of their arguments and value.
    pub applications: Vec<(TermId, Vec<Int>, Int)>,
}

pub(super) enum SymbolAst {
    Int(Int),
    Bool(Bool),
}

fn num(v: i128) -> Int {
    i64::try_from(v).map_or_else(|_| Int::from_i128(v), Int::from_i64)
}

fn all(v: Vec<Bool>) -> Bool {
    match v.as_slice() {
        [] => Bool::from_bool(true),
        [b] => b.clone(),
        _ => Bool::and(&v),
    }
}
fn any(v: Vec<Bool>) -> Bool {
    match v.as_slice() {
        [] => Bool::from_bool(false),
        [b] => b.clone(),
        _ => Bool::or(&v),
    }
}

fn join(parts: impl IntoIterator<Item = Option<Bool>>) -> Option<Bool> {
    let v: Vec<Bool> = parts.into_iter().flatten().collect();
    (!v.is_empty()).then(|| all(v))
}

impl<'a> Encoder<'a> {
    pub fn new(arena: &'a Arena, mode: WrapMode, strict: bool) -> Self {
        Self {
            arena,
            mode,
            strict,
            ints: FxHashMap::default(),
            bools: FxHashMap::default(),
            defined: FxHashMap::default(),
            divisions: FxHashMap::default(),
            bits: FxHashMap::default(),
            side: vec![],
            symbols: FxHashMap::default(),
            applications: vec![],
        }
    }

    /// Takes the side conditions added since the last call; they never restrict the values of encoded terms.
    pub fn take_side(&mut self) -> Vec<Bool> {
        std::mem::take(&mut self.side)
    }

    /// Encodes that the boolean term has a value and that this is `truth`.
    pub fn surely(&mut self, t: TermId, truth: bool) -> Bool {
        // Children first, so that no chain of terms causes recursion.
        for n in self.arena.cone(&[t]) {
            self.visit(n);
        }
        self.sure(t, truth)
    }

    /// Returns the integer that stands for a symbol; booleans count as 0 and 1.
    pub fn symbol_int(&mut self, s: SymId) -> Option<Int> {
        match self.symbols.get(&s)? {
            SymbolAst::Int(i) => Some(i.clone()),
            SymbolAst::Bool(b) => Some(b.ite(&num(1), &num(0))),
        }
    }

    fn visit(&mut self, n: TermId) {
        if self.ints.contains_key(&n) || self.bools.contains_key(&n) {
            return;
        }
        if self.arena.is_boolean(n) {
            let b = self.encode_bool(n);
            self.bools.insert(n, b);
        } else {
            let i = self.encode_int(n);
            self.ints.insert(n, i);
        }
        let d = self.definedness(n);
        self.defined.insert(n, d);
    }

    fn int(&self, t: TermId) -> Int {
        self.ints[&t].clone()
    }
    fn bool(&self, t: TermId) -> Bool {
        self.bools[&t].clone()
    }
    fn when(&self, t: TermId) -> Option<Bool> {
        self.defined[&t].clone()
    }

    fn sure(&self, t: TermId, truth: bool) -> Bool {
        if self.defined[&t].is_none() {
            return if truth { self.bool(t) } else { self.bool(t).not() };
        }
        match self.arena.get(t) {
            Term::Not(a) => self.sure(*a, !truth),
            Term::And(v) | Term::Or(v) => {
                let parts = v.iter().map(|x| self.sure(*x, truth)).collect();
                if matches!(self.arena.get(t), Term::And(_)) == truth { all(parts) } else { any(parts) }
            }
            _ => {
                let value = if truth { self.bool(t) } else { self.bool(t).not() };
                self.when(t).map_or_else(|| value.clone(), |d| Bool::and(&[&d, &value]))
            }
        }
    }

    fn definedness(&mut self, n: TermId) -> Option<Bool> {
        match self.arena.get(n) {
            Term::Ite(c, a, b) => {
                let (dc, da, db) = (self.when(*c), self.when(*a), self.when(*b));
                if dc.is_none() && da.is_none() && db.is_none() {
                    return None;
                }
                let yes = join([Some(self.sure(*c, true)), da])?;
                let no = join([Some(self.sure(*c, false)), db])?;
                Some(Bool::or(&[&yes, &no]))
            }
            Term::Wrap { arg, bits, signed } => {
                let below = self.when(*arg);
                if self.mode == WrapMode::Exact {
                    return below;
                }
                let r = self.in_range(&self.int(*arg), Interval::of_int(*bits, *signed));
                join([below, Some(all(r))])
            }
            Term::Div(a, b) | Term::Rem(a, b) => {
                let nonzero =
                    (self.strict && self.arena.range(*b).contains_value(0)).then(|| self.int(*b).eq(num(0)).not());
                join([self.when(*a), self.when(*b), nonzero])
            }
            Term::Pow2(a) => {
                let want = Interval::new(0, 126);
                let fits = (self.strict && !want.contains(self.arena.range(*a)))
                    .then(|| all(self.in_range(&self.int(*a), want)));
                join([self.when(*a), fits])
            }
            Term::And(v) | Term::Or(v) => {
                if v.iter().all(|x| self.defined[x].is_none()) {
                    return None;
                }
                Some(Bool::or(&[&self.sure_members(n, true), &self.sure_members(n, false)]))
            }
            _ => {
                let kids = self.arena.children(n);
                join(kids.iter().map(|k| self.when(*k)))
            }
        }
    }

    fn sure_members(&self, n: TermId, truth: bool) -> Bool {
        let (Term::And(v) | Term::Or(v)) = self.arena.get(n) else { return self.bool(n) };
        let parts = v.iter().map(|x| self.sure(*x, truth)).collect();
        if matches!(self.arena.get(n), Term::And(_)) == truth { all(parts) } else { any(parts) }
    }

    fn in_range(&self, i: &Int, r: Interval) -> Vec<Bool> {
        r.lo.map(|l| i.ge(num(l))).into_iter().chain(r.hi.map(|h| i.le(num(h)))).collect()
    }

    fn encode_bool(&mut self, n: TermId) -> Bool {
        match self.arena.get(n) {
            Term::False => Bool::from_bool(false),
            Term::BoolSym(s) => {
                let b = Bool::new_const(format!("b{}", s.0));
                self.symbols.insert(*s, SymbolAst::Bool(b.clone()));
                b
            }
            Term::Le(a) => self.int(*a).le(num(0)),
            Term::EqZ(a) => self.int(*a).eq(num(0)),
            Term::Not(a) => self.bool(*a).not(),
            Term::And(v) => all(v.iter().map(|x| self.bool(*x)).collect()),
            Term::Or(v) => any(v.iter().map(|x| self.bool(*x)).collect()),
            _ => Bool::from_bool(true),
        }
    }

    fn encode_int(&mut self, n: TermId) -> Int {
        let arena = self.arena;
        match arena.get(n) {
            Term::Int(v) => num(*v),
            Term::Sym(s) => {
                let i = Int::new_const(format!("s{}", s.0));
                let r = self.in_range(&i, arena.symbol(*s).range);
                self.side.extend(r);
                self.symbols.insert(*s, SymbolAst::Int(i.clone()));
                i
            }
            Term::Poly(p) => {
                let parts: Vec<Int> = p
                    .terms
                    .iter()
                    .map(|(m, c)| {
                        let mut f: Vec<Int> = Vec::with_capacity(m.len() + 1);
                        if *c != 1 || m.is_empty() {
                            f.push(num(*c));
                        }
                        f.extend(m.iter().map(|a| self.int(*a)));
                        if f.len() == 1 { f.swap_remove(0) } else { Int::mul(&f) }
                    })
                    .collect();
                match parts.len() {
                    0 => num(0),
                    1 => parts[0].clone(),
                    _ => Int::add(&parts),
                }
            }
            Term::Div(a, b) => self.division(*a, *b).0,
            Term::Rem(a, b) => self.division(*a, *b).1,
            Term::FloorDiv(a, c) => self.int(*a).div(num(*c)),
            Term::Mod(a, c) => self.int(*a).modulo(num(*c)),
            Term::Ite(c, a, b) => self.bool(*c).ite(&self.int(*a), &self.int(*b)),
            Term::Wrap { arg, bits, signed } => {
                let x = self.int(*arg);
                if self.mode == WrapMode::Assume || *bits >= 127 {
                    return x;
                }
                let m = num(1i128 << bits);
                if *signed {
                    let half = num(1i128 << (bits - 1));
                    Int::sub(&[&Int::add(&[&x, &half]).modulo(&m), &half])
                } else {
                    x.modulo(&m)
                }
            }
            Term::BitAnd(a, b, w) | Term::BitOr(a, b, w) | Term::BitXor(a, b, w) => self.bitwise(n, *a, *b, *w),
            Term::Pow2(a) => self.power_of_two(*a),
            Term::Apply { function, args, range } => {
                let args: Vec<Int> = args
                    .iter()
                    .map(|a| if arena.is_boolean(*a) { self.bool(*a).ite(&num(1), &num(0)) } else { self.int(*a) })
                    .collect();
                let sort = z3::Sort::int();
                let domain: Vec<&z3::Sort> = args.iter().map(|_| &sort).collect();
                let f = z3::FuncDecl::new(format!("f:{function}/{}", args.len()), &domain, &sort);
                let refs: Vec<&dyn Ast> = args.iter().map(|a| a as &dyn Ast).collect();
                // The declared range of `f` is Int, so the application is one.
                let v = f.apply(&refs).as_int().unwrap_or_else(|| Int::fresh_const("f"));
                let r = self.in_range(&v, *range);
                self.side.extend(r);
                self.reading(n, &v);
                self.applications.push((n, args, v.clone()));
                v
            }
            _ => num(0),
        }
    }

    /// Ties an interpretation to the number that is interpreted. Signed and unsigned of one width, it is the same bits;
    /// of fewer bits (`unsigned n = count`), it is the same number wherever that number fits.
    fn reading(&mut self, n: TermId, value: &Int) {
        let Some((arg, bits, signed)) = self.arena.reading(n).filter(|(_, bits, _)| *bits <= 64) else { return };
        let range = self.arena.range(arg);
        let (x, all) = (self.int(arg), num(1i128 << bits));
        let (half, zero) = (num(1i128 << (bits - 1)), num(0));
        let tie = if !signed && Interval::of_int(bits, true).contains(range) {
            value.eq(x.lt(zero).ite(&Int::add(&[&x, &all]), &x))
        } else if signed && Interval::of_int(bits, false).contains(range) {
            value.eq(x.ge(half).ite(&Int::sub(&[&x, &all]), &x))
        } else if [true, false].iter().any(|s| Interval::of_int(64, *s).contains(range)) {
            Bool::and(&self.in_range(&x, Interval::of_int(bits, signed))).implies(value.eq(&x))
        } else {
            return;
        };
        self.side.push(self.when(arg).map_or_else(|| tie.clone(), |w| w.implies(&tie)));
    }

    /// Returns quotient and remainder of C's division, by their defining conditions; unconstrained where the divisor
    /// is zero.
    fn division(&mut self, a: TermId, b: TermId) -> (Int, Int) {
        if let Some(qr) = self.divisions.get(&(a, b)) {
            return qr.clone();
        }
        let (x, d) = (self.int(a), self.int(b));
        let (ra, rb) = (self.arena.range(a), self.arena.range(b));
        let never_negative = ra.lo.is_some_and(|v| v >= 0);
        let qr = match self.arena.as_int(b) {
            Some(c) if c > 0 && never_negative => (x.div(&d), x.modulo(&d)),
            Some(c) if c != 0 => {
                // Floor division of the dividend's magnitude by the divisor's magnitude.
                let m = num(c.saturating_abs());
                let nonneg = x.ge(num(0));
                let minus = x.unary_minus();
                let q = nonneg.ite(&x.div(&m), &minus.div(&m).unary_minus());
                let r = nonneg.ite(&x.modulo(&m), &minus.modulo(&m).unary_minus());
                (if c > 0 { q } else { q.unary_minus() }, r)
            }
            _ => {
                let (q, r) = (Int::fresh_const("q"), Int::fresh_const("r"));
                let zero = num(0);
                let mut def = vec![x.eq(Int::add(&[&Int::mul(&[&d, &q]), &r]))];
                let positive = rb.lo.is_some_and(|v| v >= 1);
                if positive {
                    def.push(r.lt(&d));
                    if !never_negative {
                        def.push(r.gt(d.unary_minus()));
                    }
                } else {
                    let size = d.ge(&zero).ite(&d, &d.unary_minus());
                    def.push(r.lt(&size));
                    def.push(r.gt(size.unary_minus()));
                }
                // The remainder has the sign of the dividend; so has the quotient where the divisor is positive.
                def.push(if never_negative { r.ge(&zero) } else { x.ge(&zero).implies(r.ge(&zero)) });
                if !never_negative {
                    def.push(x.le(&zero).implies(r.le(&zero)));
                }
                if positive {
                    def.push(if never_negative { q.ge(&zero) } else { x.ge(&zero).implies(q.ge(&zero)) });
                    if never_negative {
                        def.push(q.le(&x));
                    }
                }
                let def = all(def);
                // The definition holds only where both terms have a value.
                let when = join([self.when(a), self.when(b), (!positive).then(|| d.eq(&zero).not())]);
                self.side.push(when.map_or_else(|| def.clone(), |w| w.implies(&def)));
                (q, r)
            }
        };
        self.divisions.insert((a, b), qr.clone());
        qr
    }

    fn power_of_two(&mut self, a: TermId) -> Int {
        let x = self.int(a);
        let r = self.arena.range(a).intersect(Interval::new(0, 126));
        let (lo, hi) = (r.lo.unwrap_or(0), r.hi.unwrap_or(126));
        let known = r == self.arena.range(a);
        let mut value = if known { num(1i128 << hi) } else { Int::fresh_const("pow2") };
        let mut k = if known { hi - 1 } else { hi };
        while k >= lo {
            value = x.eq(num(k)).ite(&num(1i128 << k), &value);
            k -= 1;
        }
        value
    }

    fn bitwise(&mut self, n: TermId, a: TermId, b: TermId, width: u32) -> Int {
        let and = matches!(self.arena.get(n), Term::BitAnd(..));
        let xor = matches!(self.arena.get(n), Term::BitXor(..));
        let unsigned = Interval::of_int(width, false);
        // The operands bound the number of bits.
        let top = |r: Interval| {
            if unsigned.contains(r) { r.hi.map(|h| 128 - h.leading_zeros()) } else { None }.unwrap_or(width)
        };
        let (ta, tb) = (top(self.arena.range(a)), top(self.arena.range(b)));
        for (x, y) in [(a, b), (b, a)] {
            let Some(m) = self.arena.as_int(x) else { continue };
            let mask = engine::symbolic::terms::term::wrap_value(m, width, false);
            let v = self.int(y);
            let masked = Self::masked(&v, mask, width);
            if and {
                return masked;
            }
            let low = if unsigned.contains(self.arena.range(y)) { v } else { v.modulo(num(1i128 << width)) };
            let k = num(if xor { 2 } else { 1 });
            return Int::sub(&[&Int::add(&[&low, &num(mask)]), &Int::mul(&[&k, &masked])]);
        }
        let bits = if and { ta.min(tb) } else { ta.max(tb) };
        let (va, vb) = (self.bits_of(a, width), self.bits_of(b, width));
        let zero = num(0);
        let no = Bool::from_bool(false);
        let parts: Vec<Int> = (0..bits as usize)
            .map(|i| {
                let (p, q) = (va.get(i).unwrap_or(&no), vb.get(i).unwrap_or(&no));
                let bit = if and {
                    Bool::and(&[p, q])
                } else if xor {
                    p.xor(q)
                } else {
                    Bool::or(&[p, q])
                };
                bit.ite(&num(1i128 << i), &zero)
            })
            .collect();
        let value = if parts.is_empty() { zero } else { Int::add(&parts) };
        self.bit_lemmas(n, a, b, &value, &unsigned);
        value
    }

    /// Adds bounds of bitwise operations that hold whatever the bits are.
    fn bit_lemmas(&mut self, n: TermId, a: TermId, b: TermId, value: &Int, unsigned: &Interval) {
        let (x, y) = (self.int(a), self.int(b));
        let fits = |t: TermId| unsigned.contains(self.arena.range(t)) && self.when(t).is_none();
        let (fa, fb) = (fits(a), fits(b));
        let mut lemmas = vec![value.ge(num(0))];
        match self.arena.get(n) {
            Term::BitAnd(..) => {
                if fa {
                    lemmas.push(value.le(&x));
                }
                if fb {
                    lemmas.push(value.le(&y));
                }
            }
            Term::BitOr(..) => {
                if fa {
                    lemmas.push(value.ge(&x));
                }
                if fb {
                    lemmas.push(value.ge(&y));
                }
                if fa && fb {
                    lemmas.push(value.le(Int::add(&[&x, &y])));
                }
            }
            _ => {
                if fa && fb {
                    lemmas.push(value.le(Int::add(&[&x, &y])));
                }
            }
        }
        self.side.extend(lemmas);
    }

    /// Encodes `v & mask` by the runs of ones in the mask.
    fn masked(v: &Int, mask: i128, width: u32) -> Int {
        let mut parts = vec![];
        let mut i = 0;
        while i < width {
            if mask >> i & 1 == 0 {
                i += 1;
                continue;
            }
            let start = i;
            while i < width && mask >> i & 1 == 1 {
                i += 1;
            }
            let run = v.div(num(1i128 << start)).modulo(num(1i128 << (i - start)));
            parts.push(Int::mul(&[&num(1i128 << start), &run]));
        }
        if parts.is_empty() { num(0) } else { Int::add(&parts) }
    }

    /// Returns the low bits of a term, lowest first; one linear equation ties them to it.
    fn bits_of(&mut self, t: TermId, width: u32) -> Vec<Bool> {
        if let Some(v) = self.bits.get(&(t, width)) {
            return v.clone();
        }
        let r = self.arena.range(t);
        let fits = Interval::of_int(width, false).contains(r);
        let n = if fits { r.hi.map_or(width, |h| 128 - h.leading_zeros()) } else { width };
        let v: Vec<Bool> = (0..n).map(|_| Bool::fresh_const("bit")).collect();
        let zero = num(0);
        let mut parts: Vec<Int> = v.iter().enumerate().map(|(i, b)| b.ite(&num(1i128 << i), &zero)).collect();
        parts.push(zero);
        let x = self.int(t);
        let low = if fits { x } else { x.modulo(num(1i128 << width)) };
        let tie = low.eq(Int::add(&parts));
        self.side.push(self.when(t).map_or_else(|| tie.clone(), |w| w.implies(&tie)));
        self.bits.insert((t, width), v.clone());
        v
    }
}
