//! Random facts and goals over small ranges, checked by trying all assignments.

use crate::solver::query::{Query, SolverOutcome};
use crate::solver::*;
use base::reasons::UnknownReason;
use engine::symbolic::terms::eval::Valuation;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{InputSource, SymKind, Term};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A term to be built; operands that do not fit are converted.
#[derive(Clone, Debug)]
enum Shape {
    Const(i128),
    Sym(usize),
    Add(Box<Shape>, Box<Shape>),
    Mul(Box<Shape>, Box<Shape>),
    Scale(i128, Box<Shape>),
    Div(Box<Shape>, Box<Shape>),
    Rem(Box<Shape>, Box<Shape>),
    Floor(Box<Shape>, i128),
    Mod(Box<Shape>, i128),
    Wrap(Box<Shape>, u32, bool),
    And(Box<Shape>, Box<Shape>),
    Or(Box<Shape>, Box<Shape>),
    Xor(Box<Shape>, Box<Shape>),
    Pow2(Box<Shape>),
    Min(Box<Shape>, Box<Shape>),
    Ite(Box<Cond>, Box<Shape>, Box<Shape>),
}

#[derive(Clone, Debug)]
enum Cond {
    Flag,
    Le(Box<Shape>, Box<Shape>),
    Eq(Box<Shape>, Box<Shape>),
    Not(Box<Cond>),
    All(Vec<Cond>),
    Any(Vec<Cond>),
}

/// Goal: independent, or a combination of facts, which often follows, or nearly.
#[derive(Clone, Debug)]
enum Goal {
    Free(Cond),
    Combined { factors: Vec<(i128, Option<usize>)>, slack: i128 },
}

const SYMBOLS: usize = 3;

fn shapes() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        (-8i128..=8).prop_map(Shape::Const),
        (0..SYMBOLS).prop_map(Shape::Sym),
        (0..SYMBOLS).prop_map(Shape::Sym)
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        let b = || inner.clone().prop_map(Box::new);
        prop_oneof![
            4 => (b(), b()).prop_map(|(x, y)| Shape::Add(x, y)),
            3 => (b(), b()).prop_map(|(x, y)| Shape::Mul(x, y)),
            3 => (-5i128..=5, b()).prop_map(|(c, x)| Shape::Scale(c, x)),
            2 => (b(), b()).prop_map(|(x, y)| Shape::Div(x, y)),
            2 => (b(), b()).prop_map(|(x, y)| Shape::Rem(x, y)),
            1 => (b(), 2i128..=5).prop_map(|(x, c)| Shape::Floor(x, c)),
            1 => (b(), 2i128..=5).prop_map(|(x, c)| Shape::Mod(x, c)),
            2 => (b(), 4u32..=8, any::<bool>()).prop_map(|(x, w, s)| Shape::Wrap(x, w, s)),
            1 => (b(), b()).prop_map(|(x, y)| Shape::And(x, y)),
            1 => (b(), b()).prop_map(|(x, y)| Shape::Or(x, y)),
            1 => (b(), b()).prop_map(|(x, y)| Shape::Xor(x, y)),
            1 => b().prop_map(Shape::Pow2),
            1 => (b(), b()).prop_map(|(x, y)| Shape::Min(x, y)),
            1 => (b(), b(), b(), b()).prop_map(|(p, q, x, y)| Shape::Ite(Box::new(Cond::Le(p, q)), x, y)),
            1 => (b(), b()).prop_map(|(x, y)| Shape::Ite(Box::new(Cond::Flag), x, y)),
        ]
    })
}

fn conditions() -> impl Strategy<Value = Cond> {
    let b = || shapes().prop_map(Box::new);
    let leaf = prop_oneof![
        8 => (b(), b()).prop_map(|(x, y)| Cond::Le(x, y)),
        2 => (b(), b()).prop_map(|(x, y)| Cond::Eq(x, y)),
        1 => Just(Cond::Flag),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            2 => inner.clone().prop_map(|c| Cond::Not(Box::new(c))),
            1 => prop::collection::vec(inner.clone(), 2).prop_map(Cond::All),
            2 => prop::collection::vec(inner, 2).prop_map(Cond::Any),
        ]
    })
}

fn goals() -> impl Strategy<Value = Goal> {
    prop_oneof![
        conditions().prop_map(Goal::Free),
        (prop::collection::vec((0i128..=3, prop::option::of(0..SYMBOLS)), 3), -2i128..=2)
            .prop_map(|(factors, slack)| Goal::Combined { factors, slack }),
    ]
}

#[derive(Clone, Debug)]
struct Problem {
    ranges: Vec<(i128, i128)>,
    facts: Vec<Cond>,
    goal: Goal,
}

fn problems() -> impl Strategy<Value = Problem> {
    let range = prop_oneof![(-8i128..=4, 0i128..=5), (0i128..=1, 0i128..=8)].prop_map(|(lo, n)| (lo, (lo + n).min(8)));
    (prop::collection::vec(range, SYMBOLS), prop::collection::vec(conditions(), 0..4), goals())
        .prop_map(|(ranges, facts, goal)| Problem { ranges, facts, goal })
}

struct Built {
    arena: Arena,
    symbols: Vec<TermId>,
    flag: TermId,
    facts: Vec<TermId>,
    goal: TermId,
}

impl Built {
    fn new(p: &Problem) -> Self {
        let mut arena = Arena::new();
        let symbols = p
            .ranges
            .iter()
            .enumerate()
            .map(|(i, (lo, hi))| {
                arena.fresh(SymKind::Input(InputSource::Argv(i as u32)), format!("x{i}"), Interval::new(*lo, *hi))
            })
            .collect();
        let flag = arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::NoValue }, "p");
        let goal = arena.bool(true);
        let mut b = Self { arena, symbols, flag, facts: vec![], goal };
        for f in &p.facts {
            let t = b.cond(f);
            b.facts.push(t);
        }
        b.goal = match &p.goal {
            Goal::Free(c) => b.cond(c),
            Goal::Combined { factors, slack } => {
                // Σ factor · fact, plus slack: often a consequence.
                let mut sum = b.arena.int(*slack);
                for (f, (k, x)) in b.facts.clone().into_iter().zip(factors) {
                    let Term::Le(t) = *b.arena.get(f) else { continue };
                    let mut part = b.arena.scale(t, *k);
                    if let Some(x) = x {
                        part = b.arena.mul(part, b.symbols[*x]);
                    }
                    sum = b.arena.add(sum, part);
                }
                b.arena.le_zero(sum)
            }
        };
        b
    }

    fn cond(&mut self, c: &Cond) -> TermId {
        match c {
            Cond::Flag => self.flag,
            Cond::Le(x, y) => {
                let (x, y) = (self.shape(x), self.shape(y));
                self.arena.le(x, y)
            }
            Cond::Eq(x, y) => {
                let (x, y) = (self.shape(x), self.shape(y));
                self.arena.eq(x, y)
            }
            Cond::Not(c) => {
                let c = self.cond(c);
                self.arena.not(c)
            }
            Cond::All(v) => {
                let v = v.iter().map(|c| self.cond(c)).collect();
                self.arena.and_all(v)
            }
            Cond::Any(v) => {
                let v = v.iter().map(|c| self.cond(c)).collect();
                self.arena.or_all(v)
            }
        }
    }

    fn shape(&mut self, s: &Shape) -> TermId {
        match s {
            Shape::Const(c) => self.arena.int(*c),
            Shape::Sym(i) => self.symbols[*i],
            Shape::Add(x, y) => {
                let (x, y) = (self.shape(x), self.shape(y));
                self.arena.add(x, y)
            }
            Shape::Mul(x, y) => {
                let (x, y) = (self.shape(x), self.shape(y));
                self.arena.mul(x, y)
            }
            Shape::Scale(c, x) => {
                let x = self.shape(x);
                self.arena.scale(x, *c)
            }
            Shape::Div(x, y) => {
                let (x, y) = (self.shape(x), self.shape(y));
                self.arena.div(x, y)
            }
            Shape::Rem(x, y) => {
                let (x, y) = (self.shape(x), self.shape(y));
                self.arena.rem(x, y)
            }
            Shape::Floor(x, c) => {
                let x = self.shape(x);
                self.arena.floor_div(x, *c)
            }
            Shape::Mod(x, c) => {
                let x = self.shape(x);
                self.arena.modulo(x, *c)
            }
            Shape::Wrap(x, w, s) => {
                let x = self.shape(x);
                self.arena.wrap(x, *w, *s)
            }
            Shape::And(x, y) => {
                let (x, y) = (self.shape(x), self.shape(y));
                self.arena.bit_and(x, y, 8)
            }
            Shape::Or(x, y) => {
                let (x, y) = (self.shape(x), self.shape(y));
                self.arena.bit_or(x, y, 8)
            }
            Shape::Xor(x, y) => {
                let (x, y) = (self.shape(x), self.shape(y));
                self.arena.bit_xor(x, y, 8)
            }
            Shape::Pow2(x) => {
                let x = self.shape(x);
                let x = self.arena.modulo(x, 6);
                self.arena.pow2(x)
            }
            Shape::Min(x, y) => {
                let (x, y) = (self.shape(x), self.shape(y));
                self.arena.min(x, y)
            }
            Shape::Ite(c, x, y) => {
                let (c, x, y) = (self.cond(c), self.shape(x), self.shape(y));
                self.arena.ite(c, x, y)
            }
        }
    }

    /// Calls `f` with the values of facts and goal under every assignment of the symbols.
    fn enumerate(&self, p: &Problem, mode: WrapMode, mut f: impl FnMut(&[i128], &[Option<i128>], Option<i128>)) {
        let ids: Vec<SymId> = self.symbols.iter().chain([&self.flag]).map(|t| super::id(&self.arena, *t)).collect();
        let mut roots = self.facts.clone();
        roots.push(self.goal);
        let mut at: Vec<i128> = p.ranges.iter().map(|r| r.0).chain([0]).collect();
        loop {
            let values = self.arena.eval_under(
                &roots,
                &Valuation {
                    symbols: &|s| ids.iter().position(|i| *i == s).map(|i| at[i]),
                    apply: &|_, _| None,
                    wraps: mode == WrapMode::Exact,
                },
            );
            let facts: Vec<Option<i128>> = self.facts.iter().map(|t| values[t]).collect();
            f(&at, &facts, values[&self.goal]);
            let tops: Vec<i128> = p.ranges.iter().map(|r| r.1).chain([1]).collect();
            let Some(i) = (0..at.len()).rev().find(|i| at[*i] < tops[*i]) else { return };
            at[i] += 1;
            for (j, v) in at.iter_mut().enumerate().skip(i + 1) {
                *v = if j < SYMBOLS { p.ranges[j].0 } else { 0 };
            }
        }
    }

    /// Returns an assignment that makes the `used` facts true and the goal false, if there is one.
    fn refuted(&self, p: &Problem, mode: WrapMode, used: &[TermId]) -> Option<Vec<i128>> {
        let mut found = None;
        self.enumerate(p, mode, |at, facts, goal| {
            let hold = self.facts.iter().zip(facts).all(|(f, v)| !used.contains(f) || *v == Some(1));
            if found.is_none() && hold && goal == Some(0) {
                found = Some(at.to_vec());
            }
        });
        found
    }

    fn check_model(&self, m: &Model, mode: WrapMode) -> Result<(), TestCaseError> {
        let roots: Vec<TermId> = self.facts.iter().copied().chain([self.goal]).collect();
        for s in self.arena.symbols_of(&roots) {
            let v = m.values.get(&s).copied();
            prop_assert!(v.is_some_and(|v| self.arena.symbol(s).range.contains_value(v)), "{:?} = {:?}", s, v);
        }
        for f in &self.facts {
            prop_assert_eq!(m.value(&self.arena, *f, mode), Some(1));
        }
        prop_assert_eq!(m.value(&self.arena, self.goal, mode), Some(0));
        Ok(())
    }

    /// Whether some value is missing where no assumed wrap is the reason.
    fn partial(&self, p: &Problem) -> bool {
        let mut found = false;
        self.enumerate(p, WrapMode::Exact, |_, facts, goal| {
            found |= goal.is_none() || facts.iter().any(Option::is_none);
        });
        found
    }
}

/// Configuration that runs the same cases every time; `PROPTEST_CASES` asks for that many new ones.
fn cases(n: u32) -> ProptestConfig {
    let more = std::env::var("PROPTEST_CASES").ok().and_then(|v| v.parse().ok());
    let rng_seed = if more.is_some() { RngSeed::Random } else { RngSeed::Fixed(22) };
    ProptestConfig {
        cases: more.unwrap_or(n),
        max_shrink_iters: 4000,
        failure_persistence: None,
        rng_seed,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn the_polynomial_bound_never_proves_what_has_a_counterexample(p in problems()) {
        for mode in [WrapMode::Assume, WrapMode::Exact] {
            let mut b = Built::new(&p);
            let (facts, goal) = (b.facts.clone(), b.goal);
            match FactContext::new(&mut b.arena, &facts, mode).quick(&mut b.arena, goal, &SolverLimits::default()) {
                Some(Answer::Proved { used, .. }) => prop_assert_eq!(b.refuted(&p, mode, &used), None, "{:?}, by {:?} of {:?}", mode, used, facts),
                Some(Answer::Model(m)) => b.check_model(&m, mode)?,
                _ => {}
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn trying_all_assignments_decides_exactly_what_has_values(p in problems()) {
        for mode in [WrapMode::Assume, WrapMode::Exact] {
            let b = Built::new(&p);
            let want: Vec<(TermId, bool)> = b.facts.iter().map(|f| (*f, true)).chain([(b.goal, false)]).collect();
            let roots: Vec<TermId> = want.iter().map(|w| w.0).collect();
            let divides = |t: &TermId| match b.arena.get(*t) {
                Term::Div(_, d) | Term::Rem(_, d) => b.arena.range(*d).contains_value(0),
                _ => false,
            };
            match enumerate::decide(&b.arena, &want, mode) {
                None => prop_assert!(b.arena.cone(&roots).iter().any(divides)),
                Some(SolverOutcome::Sat(m)) => b.check_model(&m, mode)?,
                Some(SolverOutcome::Unsat) => {
                    prop_assert!(!b.arena.cone(&roots).iter().any(divides));
                    prop_assert_eq!(b.refuted(&p, mode, &b.facts), None);
                }
                Some(other) => return Err(TestCaseError::fail(format!("{other:?}"))),
            }
        }
    }

    #[test]
    fn models_at_corners_and_boundaries_satisfy_all_facts(p in problems()) {
        for mode in [WrapMode::Assume, WrapMode::Exact] {
            let mut b = Built::new(&p);
            let wrong = b.arena.not(b.goal);
            let facts: Vec<TermId> = b.facts.iter().copied().chain([wrong]).collect();
            if let Some(m) = corners::model_at_corners(&b.arena, &facts, b.symbols[0], mode) {
                b.check_model(&m, mode)?;
            }
            let want: Vec<(TermId, bool)> = facts.iter().map(|f| (*f, true)).collect();
            if let Some(m) = boundary::model(&b.arena, &Query { want: &want, bounds: &[], mode, strict: true }) {
                b.check_model(&m, mode)?;
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn z3_proves_exactly_what_has_no_counterexample(p in problems()) {
        for mode in [WrapMode::Assume, WrapMode::Exact] {
            let b = Built::new(&p);
            let limits = SolverLimits { core: true, ..SolverLimits::default() };
            match entail::prove(&b.arena, &b.facts, b.goal, mode, &limits, &mut GroupResults::default()) {
                Answer::Proved { used, .. } => prop_assert_eq!(b.refuted(&p, mode, &used), None, "{:?}", mode),
                Answer::Model(m) => b.check_model(&m, mode)?,
                // The budget may end before a decision.
                Answer::Unknown(UnknownReason::SolverWork) => {}
                Answer::Unknown(why) => {
                    prop_assert_eq!(b.refuted(&p, mode, &b.facts), None, "{:?}: {}", mode, &why);
                    prop_assert!(b.partial(&p), "{:?}: {}", mode, why);
                }
            }
        }
    }

    #[test]
    fn models_exist_where_they_should_and_are_small(p in problems()) {
        for mode in [WrapMode::Assume, WrapMode::Exact] {
            let b = Built::new(&p);
            let facts = b.facts.clone();
            let inputs: Vec<SymId> = b.symbols.iter().map(|t| super::id(&b.arena, *t)).collect();
            let seen = b.arena.symbols_of(&facts);
            let size = |at: &[i128]| inputs.iter().zip(at).filter(|(s, _)| seen.contains(s)).map(|(_, v)| v.abs()).max().unwrap_or(0);
            let mut best: Option<i128> = None;
            b.enumerate(&p, mode, |at, facts, _| if facts.iter().all(|v| *v == Some(1)) {
                best = Some(best.map_or(size(at), |s| s.min(size(at))));
            });
            match find_model(&b.arena, &facts, &inputs, &PositiveSymbols::default(), mode, &SolverLimits::default(), &mut GroupResults::default()) {
                ModelAnswer::Unsat => prop_assert_eq!(best, None),
                ModelAnswer::Unknown(UnknownReason::SolverWork) => {}
                ModelAnswer::Unknown(why) => prop_assert!(best.is_none() && b.partial(&p), "{}", why),
                ModelAnswer::Model(m) => {
                    for f in &facts { prop_assert_eq!(m.value(&b.arena, *f, mode), Some(1)); }
                    let at: Vec<i128> = inputs.iter().map(|s| m.values.get(s).copied().unwrap_or(0)).collect();
                    // The bounds tried are 1, 2, 3, 4, 8.
                    let bound = [1, 2, 3, 4, 8].into_iter().find(|k| best.is_some_and(|b| b <= *k)).unwrap_or(8);
                    prop_assert!(size(&at) <= bound, "{:?} where {:?} would do", at, best);
                }
            }
        }
    }
}
