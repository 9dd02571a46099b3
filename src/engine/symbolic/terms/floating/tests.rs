//! Random small floating-point programs: facts about terms hold for the machine's numbers.

use super::{FloatComparison, FloatFormat, IntegerRounding};
use crate::symbolic::memory::value::{Ratio, Rounding};
use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{InputSource, SymId, SymKind, Term, TermId};
use ir::BinOp;

struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

/// A machine number with 24 or 53 significand bits.
#[derive(Clone, Copy, Debug)]
enum Number {
    F(f32),
    D(f64),
}

impl Number {
    fn wide(self) -> f64 {
        match self {
            Self::F(x) => f64::from(x),
            Self::D(x) => x,
        }
    }
    fn precision(self) -> u32 {
        match self {
            Self::F(_) => 24,
            Self::D(_) => 53,
        }
    }
    fn like(self, x: f64) -> Self {
        match self {
            Self::F(_) => Self::F(x as f32),
            Self::D(_) => Self::D(x),
        }
    }
    fn op(self, op: BinOp, other: Self) -> Self {
        macro_rules! of {
            ($x:expr, $y:expr) => {
                match op {
                    BinOp::FAdd => $x + $y,
                    BinOp::FSub => $x - $y,
                    BinOp::FMul => $x * $y,
                    _ => $x / $y,
                }
            };
        }
        match (self, other) {
            (Self::F(x), Self::F(y)) => Self::F(of!(x, y)),
            (Self::D(x), Self::D(y)) => Self::D(of!(x, y)),
            _ => unreachable!(),
        }
    }
}

/// Writes a finite number as `m / 2^k`.
fn dyadic(x: f64) -> Option<(i128, u32)> {
    let (mut x, mut k) = (x, 0);
    while x.fract() != 0.0 {
        x *= 2.0;
        k += 1;
        if k > 100 {
            return None;
        }
    }
    (x.abs() < 1e30).then_some((x as i128, k))
}

/// Checks that the machine's number lies within the ratio's error, for a given `num`; `None` if this needs larger
/// integers.
fn holds(num: i128, r: &Ratio, x: f64) -> Option<bool> {
    let (m, k) = dyadic(x)?;
    let off = m.checked_mul(r.den)?.checked_sub(num.checked_mul(1 << k.min(120))?)?.abs();
    let most = r.rounding.error().checked_mul(r.den)?;
    // off / 2^k <= most / 2^60
    Some(if k <= 60 {
        off.checked_mul(1 << (60 - k))? <= most
    } else {
        off <= most.checked_mul(1i128.checked_shl(k - 60)?)?
    })
}

fn at(a: &Arena, t: TermId, given: &[(SymId, i128)], others: bool) -> i128 {
    let of = |s: SymId| {
        given.iter().find(|(x, _)| *x == s).map(|(_, v)| *v).or_else(|| {
            let r = a.symbol(s).range;
            if others { r.hi } else { r.lo }
        })
    };
    a.eval(t, &of).expect("a value")
}

fn constant(a: &mut Arena, x: f64) -> Option<Ratio> {
    let (m, k) = dyadic(x)?;
    Some(Ratio { num: a.int(m), den: 1 << k, rounding: Rounding::Exact })
}

#[test]
fn what_terms_say_of_numbers_holds() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let constants = [
        0.5, 0.25, 2.0, 3.0, 7.0, 10.0, 41.0, 48.0, 49.0, 100.0, 255.0, 256.0, 328.0, 1.5, -2.0, -3.0, 0.125, 1000.0,
        1e6, 1e9,
    ];
    let (mut compared, mut decided, mut steps) = (0, 0, 0);
    for _ in 0..6000 {
        let mut a = Arena::new();
        let most = [10i128, 1000, 1 << 20, (1 << 24) + 3, 1 << 31, 1 << 53, 1 << 55][random.next(7) as usize];
        let least = if random.next(2) == 0 { 0 } else { -most };
        let n = a.fresh(SymKind::Input(InputSource::World("n".into())), "n", Interval::new(least, most));
        let Term::Sym(s) = *a.get(n) else { unreachable!() };
        let samples: Vec<i128> = (0..6)
            .map(|i| match i {
                0 => most,
                1 => least,
                2 => 1.min(most),
                3 => 49.min(most),
                _ => least + i128::from(random.next(1 << 60)) % (most - least + 1),
            })
            .collect();
        let single = random.next(2) == 0;
        let Some(mut r) = a.real_of_int(n, if single { 24 } else { 53 }) else { continue };
        let mut machine: Vec<Number> =
            samples.iter().map(|v| if single { Number::F(*v as f32) } else { Number::D(*v as f64) }).collect();
        for _ in 0..1 + random.next(6) {
            steps += 1;
            let format = FloatFormat { precision: machine[0].precision(), rough_division: false };
            match random.next(12) {
                0 => {
                    r = a.real_negated(&r).expect("followed");
                    for x in &mut machine {
                        *x = x.like(-x.wide());
                    }
                }
                1 => {
                    r = a.real_magnitude(&r).expect("followed");
                    for x in &mut machine {
                        *x = x.like(x.wide().abs());
                    }
                }
                2 => {
                    for x in &mut machine {
                        *x = Number::D(x.wide());
                    }
                }
                3 => {
                    let Some(narrow) = a.real_narrowed(&r, 24) else { break };
                    r = narrow;
                    for x in &mut machine {
                        *x = Number::F(x.wide() as f32);
                    }
                }
                4 => {
                    // A product and a sum, rounded once or twice.
                    let (x, y) = (constants[random.next(20) as usize], constants[random.next(20) as usize]);
                    let (Some(cx), Some(cy)) = (constant(&mut a, x), constant(&mut a, y)) else { break };
                    let Some(sum) = a
                        .real_binary(BinOp::FMul, &r, &cx, format)
                        .and_then(|p| a.real_binary(BinOp::FAdd, &p, &cy, format))
                    else {
                        break;
                    };
                    r = sum;
                    let fused = random.next(2) == 0;
                    for m in &mut machine {
                        *m = match *m {
                            Number::F(v) if fused => Number::F(v.mul_add(x as f32, y as f32)),
                            Number::D(v) if fused => Number::D(v.mul_add(x, y)),
                            v => v.op(BinOp::FMul, v.like(x)).op(BinOp::FAdd, v.like(y)),
                        };
                    }
                }
                k => {
                    let op = [BinOp::FAdd, BinOp::FSub, BinOp::FMul, BinOp::FDiv][(k % 4) as usize];
                    if op != BinOp::FDiv && random.next(6) == 0 {
                        let Some(own) = a.real_binary(op, &r, &r, format) else { break };
                        r = own;
                        for x in &mut machine {
                            *x = x.op(op, *x);
                        }
                    } else {
                        let c = constants[random.next(20) as usize];
                        let Some(k) = constant(&mut a, c) else { break };
                        let Some(next) = a.real_binary(op, &r, &k, format) else { break };
                        r = next;
                        for x in &mut machine {
                            *x = x.op(op, x.like(c));
                        }
                    }
                }
            }
            for (v, x) in samples.iter().zip(&machine) {
                let num = at(&a, r.num, &[(s, *v)], false);
                if let Some(there) = holds(num, &r, x.wide()) {
                    assert!(there, "{r:?} at {v}: {num} and {x:?}");
                }
            }
            for way in [IntegerRounding::Floor, IntegerRounding::Ceil, IntegerRounding::Trunc] {
                let before = a.symbols().len();
                let Some(t) = a.real_whole(&r, way) else { continue };
                decided += usize::from(a.symbols().len() == before);
                for (v, x) in samples.iter().zip(&machine) {
                    let x = x.wide();
                    let expected = match way {
                        IntegerRounding::Floor => x.floor(),
                        IntegerRounding::Ceil => x.ceil(),
                        IntegerRounding::Trunc => x.trunc(),
                    } as i128;
                    let (low, high) = (at(&a, t, &[(s, *v)], false), at(&a, t, &[(s, *v)], true));
                    assert!((low..=high).contains(&expected), "{way:?} of {r:?} at {v}: {x} is not in {low}..={high}");
                }
            }
            let c = match random.next(3) {
                0 => constants[random.next(20) as usize],
                1 => machine[3].wide(),
                _ => machine[random.next(6) as usize].wide().floor(),
            };
            if let Some(k) = constant(&mut a, c).filter(|k| k.den <= 1 << 40) {
                for how in [
                    FloatComparison::Eq,
                    FloatComparison::Ne,
                    FloatComparison::Lt,
                    FloatComparison::Le,
                    FloatComparison::Gt,
                    FloatComparison::Ge,
                ] {
                    let Some(t) = a.real_compare(how, &r, &k) else { continue };
                    for (v, x) in samples.iter().zip(&machine) {
                        let x = x.wide();
                        let expected = match how {
                            FloatComparison::Eq => x == c,
                            FloatComparison::Ne => x != c,
                            FloatComparison::Lt => x < c,
                            FloatComparison::Le => x <= c,
                            FloatComparison::Gt => x > c,
                            _ => x >= c,
                        };
                        let both = [at(&a, t, &[(s, *v)], false), at(&a, t, &[(s, *v)], true)];
                        compared += 1;
                        assert!(both.contains(&i128::from(expected)), "{how:?} of {r:?} and {c} at {v}: {x}");
                    }
                }
            }
        }
    }
    assert!(
        compared > 50_000 && decided > 5_000 && steps > 10_000,
        "{compared} comparisons, {decided} exact integers, {steps} steps"
    );
}

#[test]
fn a_rough_quotient_is_within_its_error() {
    let mut random = Random(77);
    for _ in 0..2000 {
        let mut a = Arena::new();
        let n = i128::from(random.next(1 << 24));
        let d = [3.0f32, 7.0, 41.0, 49.0, 48.0, 1000.0][random.next(6) as usize];
        let x = a.fresh(SymKind::Input(InputSource::World("n".into())), "n", Interval::new(0, 1 << 24));
        let Term::Sym(s) = *a.get(x) else { unreachable!() };
        let (x, k) = (a.real_of_int(x, 24).expect("exact"), constant(&mut a, f64::from(d)).expect("exact"));
        let r =
            a.real_binary(BinOp::FDiv, &x, &k, FloatFormat { precision: 24, rough_division: true }).expect("followed");
        let t = a.real_whole(&r, IntegerRounding::Trunc).expect("followed");
        let q = n as f32 / d;
        for q in [q, q.next_up(), q.next_up().next_up(), q.next_down().max(0.0), q.next_down().next_down().max(0.0)] {
            let (low, high) = (at(&a, t, &[(s, n)], false), at(&a, t, &[(s, n)], true));
            assert!((low..=high).contains(&(q as i128)), "{n} / {d}: {q}");
        }
    }
}

#[test]
fn sizes_of_grids_stay_exact() {
    let mut a = Arena::new();
    let n = a.fresh(SymKind::Input(InputSource::World("n".into())), "n", Interval::of_int(32, true));
    let wide = FloatFormat { precision: 53, rough_division: false };
    let x = a.real_of_int(n, 53).expect("exact");
    for d in [256.0, 48.0, 49.0, 1000.0] {
        let k = constant(&mut a, d).expect("exact");
        let q = a.real_binary(BinOp::FDiv, &x, &k, wide).expect("followed");
        let before = a.symbols().len();
        a.real_whole(&q, IntegerRounding::Ceil).expect("followed");
        assert_eq!(a.symbols().len(), before, "{d}");
        // Multiplied again, it may be less than before.
        let p = a.real_binary(BinOp::FMul, &q, &k, wide).expect("followed");
        let back = a.real_whole(&p, IntegerRounding::Trunc).expect("followed");
        assert_eq!(back == n, d == 256.0, "{d}");
    }
}
