pub(super) mod notation;
mod obligations;
mod operations;
mod random;

use super::query::{Query, SolverOutcome};
use super::*;
use base::cpu_time;
use base::nets::{self, Net, Nets};
use base::reasons::UnknownReason;
use base::work::Work;
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{InputSource, SymKind, Term, wrap_value};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub(super) fn sym(a: &mut Arena, name: &str, lo: i128, hi: i128) -> TermId {
    a.fresh(SymKind::Input(InputSource::World(name.into())), name, Interval::new(lo, hi))
}

pub(super) fn id(a: &Arena, t: TermId) -> SymId {
    match a.get(t) {
        Term::Sym(s) | Term::BoolSym(s) => *s,
        other => panic!("not a symbol: {other:?}"),
    }
}

const I32: (i128, i128) = (-(1 << 31), (1 << 31) - 1);

#[test]
fn a_row_major_index_without_a_guard_has_the_smallest_counterexample() {
    let mut a = Arena::new();
    let n = sym(&mut a, "n", I32.0, I32.1);
    let bid = sym(&mut a, "bid", 0, I32.1);
    let tid = sym(&mut a, "tid", 0, 255);
    // grid = ceil(n / 256), no guard in the kernel.
    let up = a.add_const(n, 255);
    let two56 = a.int(256);
    let grid = a.div(up, two56);
    let in_grid = a.lt(bid, grid);
    let i = a.scale(bid, 256);
    let i = a.add(i, tid);
    let goal = a.lt(i, n);
    let answer = prove(&mut a, &[in_grid], goal, WrapMode::Assume, &SolverLimits::default());
    assert!(matches!(answer, Answer::Model(_)), "{answer:?}");
    let bad = a.not(goal);
    let (n, tid) = (id(&a, n), id(&a, tid));
    let ModelAnswer::Model(m) = find_model(
        &a,
        &[in_grid, bad],
        &[n],
        &PositiveSymbols { wished: vec![n], sizes: vec![n] },
        WrapMode::Assume,
        &SolverLimits::default(),
        &mut GroupResults::default(),
    ) else {
        panic!("no model")
    };
    assert_eq!(m.values[&n], 1);
    assert!(m.values[&tid] >= 1);
    let guard = goal;
    let answer = prove(&mut a, &[in_grid, guard], goal, WrapMode::Assume, &SolverLimits::default());
    assert!(matches!(answer, Answer::Proved { .. }), "{answer:?}");
}

#[test]
fn division_by_zero_is_neither_assumed_away_nor_a_counterexample() {
    let mut a = Arena::new();
    let (x, y) = (sym(&mut a, "x", 0, 10), sym(&mut a, "y", 0, 10));
    let q = a.div(x, y);
    let goal = a.le(q, x);
    let answer = prove(&mut a, &[], goal, WrapMode::Exact, &SolverLimits::default());
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    let one = a.int(1);
    let positive = a.le(one, y);
    let answer = prove(&mut a, &[positive], goal, WrapMode::Exact, &SolverLimits::default());
    assert!(matches!(answer, Answer::Proved { .. }), "{answer:?}");
}

#[test]
fn an_assumed_wrap_only_counts_where_it_is_evaluated() {
    let mut a = Arena::new();
    let x = sym(&mut a, "x", -100, 1000);
    let zero = a.int(0);
    let c = a.le(zero, x);
    // x >= 0 ? 5 : (unsigned char) x. The wrap does not constrain x where x >= 0.
    let w = a.wrap(x, 8, false);
    let five = a.int(5);
    let v = a.ite(c, five, w);
    let limit = a.int(255);
    let never = a.le(v, zero);
    let answer = prove(&mut a, &[never], c, WrapMode::Assume, &SolverLimits::default());
    // v <= 0 needs x < 0, where the wrap leaves its range: no case remains that refutes.
    assert!(matches!(answer, Answer::Proved { .. }), "{answer:?}");
    let small = a.le(x, limit);
    let some = a.lt(zero, v);
    let answer = prove(&mut a, &[some], small, WrapMode::Assume, &SolverLimits::default());
    let Answer::Model(m) = answer else { panic!("{answer:?}") };
    assert!(m.values[&id(&a, x)] > 255);
}

#[test]
fn bit_tricks_over_thread_ids_are_decided() {
    let mut s = notation::Scope::default();
    s.declare("tx 0..31, ty 0..7");
    // Each bit of the sum is one of the two: x + y = (x ^ y) + 2 (x & y).
    let goal = s.term("xor(tx, ty) + 2*and(tx, ty) == tx + ty");
    let answer = prove(&mut s.arena, &[], goal, WrapMode::Exact, &SolverLimits::default());
    assert!(matches!(answer, Answer::Proved { .. }), "{answer:?}");
    let goal = s.term("xor(tx, 5) < 31");
    let answer = prove(&mut s.arena, &[], goal, WrapMode::Exact, &SolverLimits::default());
    let Answer::Model(m) = answer else { panic!("{answer:?}") };
    assert_eq!(m.value(&s.arena, goal, WrapMode::Exact), Some(0));
}

#[test]
fn bounds_of_terms_under_facts_look_through_products_quotients_and_choices() {
    let mut a = Arena::new();
    let (n, m) = (sym(&mut a, "n", I32.0, I32.1), sym(&mut a, "m", -7, 9));
    let (one, most) = (a.int(1), a.int(1000));
    let facts = [a.le(one, n), a.le(n, most)];
    let context = FactContext::new(&mut a, &facts, WrapMode::Assume);
    let square = a.mul(n, n);
    let wrapped = a.wrap(square, 32, true);
    let up = a.add_const(wrapped, 127);
    let by = a.int(128);
    let blocks = a.div(up, by);
    let (back, down) = (a.scale(m, -10), a.floor_div(m, 4));
    let quotient = a.div(m, by);
    let less = a.lt(n, m);
    let least = a.ite(less, n, m);
    let all = [square, wrapped, blocks, back, down, quotient, least].map(|t| {
        let r = context.range(&a, t);
        (r.lo, r.hi)
    });
    let within = |lo: i128, hi: i128| (Some(lo), Some(hi));
    assert_eq!(
        all,
        [
            within(1, 1_000_000),
            within(1, 1_000_000),
            within(1, 7813),
            within(-90, 70),
            within(-2, 2),
            // Rounded towards zero, at least as far down as rounded down.
            within(0, 0),
            within(-7, 1000)
        ]
    );
}

/// Three cubes whose sum is 114: nobody knows any.
fn endless_query(a: &mut Arena) -> TermId {
    let cube = |a: &mut Arena, name: &str| {
        let x = sym(a, name, -(1 << 60), 1 << 60);
        let square = a.mul(x, x);
        a.mul(square, x)
    };
    let (x, y, z) = (cube(a, "x"), cube(a, "y"), cube(a, "z"));
    let sum = a.add(x, y);
    let sum = a.add(sum, z);
    let wanted = a.int(114);
    a.eq(sum, wanted)
}

/// Asks the endless query for this much work, and returns the answer and the CPU time that it took.
fn ask_endlessly(nets: &Nets, most: Work) -> (SolverOutcome, Duration) {
    let mut a = Arena::new();
    let want = [(endless_query(&mut a), true)];
    let query = Query { want: &want, bounds: &[], mode: WrapMode::Assume, strict: false };
    let begun = cpu_time::of_this_thread();
    let answer = nets::under(Some(nets.clone()), || smt::check(&a, &query, most));
    (answer, cpu_time::of_this_thread() - begun)
}

#[test]
fn a_query_that_computes_too_long_is_interrupted() {
    let nets = Nets::new(300, None);
    let (answer, used) = ask_endlessly(&nets, Work::seconds(600));
    assert!(matches!(answer, SolverOutcome::Unknown(UnknownReason::SolverTime)), "{answer:?}");
    assert_eq!(nets.reached(), [Net::Solver]);
    assert!(used > Duration::from_millis(250) && used < Duration::from_secs(20), "{used:?}");
}

#[test]
fn on_a_busy_machine_a_query_has_as_much_time_as_on_an_idle_one() {
    let most = Work::millis(100);
    let (answer, alone) = ask_endlessly(&Nets::new(60_000, None), most);
    assert!(matches!(answer, SolverOutcome::Unknown(UnknownReason::SolverWork)), "{answer:?}");
    let over = AtomicBool::new(false);
    let busy = std::thread::available_parallelism().map_or(1, usize::from) * 8;
    std::thread::scope(|s| {
        for _ in 0..busy {
            s.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        // Each core has nine threads, and this one three times the time that it needs.
        let nets = Nets::new(u32::try_from(alone.as_millis()).unwrap() * 3, None);
        let begun = Instant::now();
        let (answer, _) = ask_endlessly(&nets, most);
        let took = begun.elapsed();
        over.store(true, Ordering::Relaxed);
        assert!(matches!(answer, SolverOutcome::Unknown(UnknownReason::SolverWork)), "{answer:?}");
        assert_eq!(nets.reached(), [], "{alone:?} of CPU time alone, {took:?} of wall time beside others");
    });
}

/// Tests `n = (T)x`, kept apart from `x` by the engine: Z3 knows the value of the reading where it is decided, and nothing is
/// contradictory where it is not.
#[test]
fn a_reading_of_a_number_has_the_value_that_a_machine_reads() {
    for (signed, (lo, hi)) in [(false, (-128, 127)), (true, (0, 255)), (false, (-300, 600)), (true, (-300, 600))] {
        for v in (lo..=hi).filter(|v| v % 37 == 0 || [lo, -129, -128, -1, 0, 127, 128, 255, 256, hi].contains(v)) {
            let mut a = Arena::new();
            let x = sym(&mut a, "x", lo, hi);
            let range = Interval::of_int(8, signed);
            let n = a.apply(UninterpretedFunction::Reading { bits: 8, signed }, vec![x], range);
            let (value, read) = (a.int(v), a.int(wrap_value(v, 8, signed)));
            let facts = [a.eq(x, value)];
            let goal = a.eq(n, read);
            let other = a.not(goal);
            let proves = |goal| {
                let answer = entail::prove(
                    &a,
                    &facts,
                    goal,
                    WrapMode::Exact,
                    &SolverLimits::default(),
                    &mut GroupResults::default(),
                );
                matches!(answer, Answer::Proved { .. })
            };
            assert!(!proves(other), "{v} contradicts its reading");
            let is_known = hi - lo == 255 || range.contains_value(v);
            assert_eq!(proves(goal), is_known, "the reading of {v}");
        }
    }
}
