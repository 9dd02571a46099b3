//! Statements about families: what is an instance, and that each premise is part of the form.

use super::super::decide::{Decider, DecisionAttempt};
use super::super::obligation::{Decision, Obligation};
use super::{ConstantLine, ConstantSpan, FamilyMember};
use base::reasons::UnknownReason;
use base::work;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{InputSource, SymKind, TermId};

fn input(a: &mut Arena, name: &str, range: Interval) -> TermId {
    a.fresh(SymKind::Input(InputSource::World(name.into())), name, range)
}

/// Image of `count` rows of `w·h` numbers, and a pixel of one row.
struct Rows {
    w: TermId,
    h: TermId,
    pixel: TermId,
    facts: Vec<TermId>,
    extent: TermId,
}

fn rows(a: &mut Arena, count: i128) -> Rows {
    let size = Interval::new(1, 2000);
    let (w, h, pixel) = (input(a, "w", size), input(a, "h", size), input(a, "pixel", Interval::new(0, 1 << 40)));
    let all = a.mul(w, h);
    let inside = a.lt(pixel, all);
    let extent = a.scale(all, 4 * count);
    Rows { w, h, pixel, facts: vec![inside], extent }
}

/// Obligation of the pixel in a row.
fn in_row(a: &mut Arena, rows: &Rows, row: i128) -> Obligation {
    let before = a.mul(rows.w, rows.h);
    let before = a.scale(before, row);
    let index = a.add(before, rows.pixel);
    let (offset, bytes, facts) = (a.scale(index, 4), a.int(4), a.and_all(rows.facts.clone()));
    Obligation { facts, offset, bytes, extent: rows.extent }
}

fn is_safe(d: &mut Decider, a: &mut Arena, o: &Obligation) -> bool {
    matches!(d.with(DecisionAttempt::default()).decide_roughly(a, o).decision, Decision::Safe)
}

fn is_instance(d: &mut Decider, a: &Arena, o: &Obligation) -> bool {
    let member = FamilyMember::of(d, a, o).expect("an obligation of a family");
    d.families.has_instance(&member)
}

#[test]
fn one_proof_decides_all_rows() {
    let mut a = Arena::new();
    let rows = rows(&mut a, 100);
    let mut d = Decider::default();
    // Row 0 has another form: its offset has one monomial less.
    let all: Vec<Obligation> = (1..100).map(|row| in_row(&mut a, &rows, row)).collect();
    all.iter().for_each(|o| d.expect(&mut a, o));
    assert!(!is_instance(&mut d, &a, &all[50]));
    assert!(is_safe(&mut d, &mut a, &all[7]));
    for (row, o) in all.iter().enumerate() {
        assert!(is_instance(&mut d, &a, o), "row {}", row + 1);
        assert!(is_safe(&mut d, &mut a, o));
    }
    let beyond = in_row(&mut a, &rows, 100);
    assert!(!is_instance(&mut d, &a, &beyond) && !is_safe(&mut d, &mut a, &beyond));
}

/// Counts the work of an index that a device function computes with other constants at each call: it grows by much less
/// than one proof with each further call.
#[test]
fn work_grows_by_less_than_a_proof_for_each_call() {
    let spent = |count: i128, announced: bool| {
        let mut a = Arena::new();
        let rows = rows(&mut a, 1);
        let bytes = a.int(4);
        let mut at_call = |call: i128| {
            let (row, column) = (a.int(call), a.add_const(rows.pixel, call % 20 + 1));
            let (row, column) = (a.rem(row, rows.h), a.rem(column, rows.w));
            let before = a.mul(row, rows.w);
            let index = a.add(before, column);
            let (offset, facts) = (a.scale(index, 4), a.and_all(rows.facts.clone()));
            Obligation { facts, offset, bytes, extent: rows.extent }
        };
        let all: Vec<Obligation> = (2..count + 2).map(&mut at_call).collect();
        let (mut d, before) = (Decider::default(), work::done().get());
        if announced {
            all.iter().for_each(|o| d.expect(&mut a, o));
        }
        assert!(all.iter().all(|o| is_safe(&mut d, &mut a, o)));
        work::done().get() - before
    };
    let [few, many] = [10, 400].map(|count| (spent(count, true), spent(count, false)));
    let (together, alone) = (many.0 - few.0, many.1 - few.1);
    assert!(8 * together < alone, "{together} for 390 more together, {alone} one by one");
}

#[test]
fn a_member_that_leaves_its_object_is_none_of_the_statement() {
    let mut a = Arena::new();
    let rows = rows(&mut a, 50);
    let mut d = Decider::default();
    let all: Vec<Obligation> = (1..=60).map(|row| in_row(&mut a, &rows, row)).collect();
    all.iter().for_each(|o| d.expect(&mut a, o));
    for (o, row) in all.iter().zip(1..) {
        assert_eq!(is_safe(&mut d, &mut a, o), row < 50, "row {row}");
        assert!(!is_instance(&mut d, &a, o) || row < 50, "row {row}");
    }
}

#[test]
fn facts_are_part_of_the_form() {
    let mut a = Arena::new();
    let rows = rows(&mut a, 100);
    let mut d = Decider::default();
    let all: Vec<Obligation> = (1..100).map(|row| in_row(&mut a, &rows, row)).collect();
    all.iter().for_each(|o| d.expect(&mut a, o));
    assert!(is_safe(&mut d, &mut a, &all[7]));
    let known = all[20].clone();
    assert!(is_instance(&mut d, &a, &known));
    let always = a.bool(true);
    let more = a.add_const(rows.pixel, -1);
    let product = a.mul(rows.w, rows.h);
    let weaker = a.lt(more, product);
    // One pixel more stays in the object: it is proved, but not as an instance.
    for (facts, safe) in [(always, false), (weaker, true)] {
        let o = Obligation { facts, ..known.clone() };
        assert!(!is_instance(&mut d, &a, &o));
        assert_eq!(is_safe(&mut d, &mut a, &o), safe);
    }
    // Facts on other symbols change nothing.
    let other = input(&mut a, "other", Interval::new(0, 9));
    let positive = a.lt(more, other);
    let facts = a.and(known.facts, positive);
    assert!(is_instance(&mut d, &a, &Obligation { facts, ..known }));
}

#[test]
fn a_constant_in_a_fact_and_an_offset_moves_along_a_line() {
    let mut a = Arena::new();
    let (x, n) = (input(&mut a, "x", Interval::new(0, 1 << 30)), input(&mut a, "n", Interval::new(0, 1 << 30)));
    let (bytes, extent) = (a.int(4), a.scale(n, 4));
    let mut at = |by: i128, guard: i128| {
        let (index, guarded) = (a.add_const(x, by), a.add_const(x, guard));
        let (offset, facts) = (a.scale(index, 4), a.lt(guarded, n));
        Obligation { facts, offset, bytes, extent }
    };
    let all: Vec<Obligation> = (1..60).map(|k| at(k, k)).collect();
    let wrong = at(7, 6);
    let mut d = Decider::default();
    all.iter().for_each(|o| d.expect(&mut a, o));
    assert!(is_safe(&mut d, &mut a, &all[3]));
    assert!(all.iter().all(|o| is_instance(&mut d, &a, o)));
    assert!(!is_instance(&mut d, &a, &wrong) && !is_safe(&mut d, &mut a, &wrong));
}

#[test]
fn iterations_of_other_loops_are_other_names() {
    let mut a = Arena::new();
    let n = input(&mut a, "n", Interval::new(1, 1000));
    let (bytes, extent) = (a.int(1), n);
    let mut loops = vec![];
    for (range, unknown) in [(1 << 62, false), (1 << 62, false), (1 << 62, true), (1 << 40, false)] {
        let kind = if unknown {
            SymKind::Unknown { reason: UnknownReason::NoValue }
        } else {
            SymKind::Iteration { name: "i".into() }
        };
        let i = a.fresh(kind, "i", Interval::new(0, range));
        let facts = a.lt(i, n);
        loops.push(Obligation { facts, offset: i, bytes, extent });
    }
    let mut d = Decider::default();
    d.expect(&mut a, &loops[0]);
    d.expect(&mut a, &loops[1]);
    assert!(is_safe(&mut d, &mut a, &loops[0]));
    let instances: Vec<bool> = loops.iter().map(|o| is_instance(&mut d, &a, o)).collect();
    assert_eq!(instances, [true, true, true, false], "only the range of a symbol tells it from another");
    // A parameter of the launch is no other name.
    let m = input(&mut a, "m", Interval::new(1, 1000));
    let facts = a.and_all(vec![loops[0].facts]);
    assert!(!is_instance(&mut d, &a, &Obligation { facts, extent: m, ..loops[0].clone() }));
}

#[test]
fn an_operation_that_may_wrap_for_some_member_is_no_statement() {
    let mut a = Arena::new();
    let n = input(&mut a, "n", Interval::new(1, 1 << 20));
    let (bytes, extent) = (a.int(1), a.int(1 << 32));
    let mut at = |factor: i128| {
        let product = a.scale(n, factor);
        let offset = a.wrap(product, 32, true);
        let facts = a.bool(true);
        Obligation { facts, offset, bytes, extent }
    };
    // 2^20 · 2047 fits, and 2^20 · 2048 is 2^31.
    let all: Vec<Obligation> = [2, 3, 2047, 2048].map(&mut at).to_vec();
    let mut d = Decider::default();
    all.iter().for_each(|o| d.expect(&mut a, o));
    for (o, fits) in all.iter().zip([true, true, true, false]) {
        assert_eq!(is_safe(&mut d, &mut a, o), fits);
        assert!(fits || !is_instance(&mut d, &a, o));
    }
}

#[test]
fn spans_are_lines_while_all_members_lie_on_one() {
    let mut span = ConstantSpan::default();
    let members: [&[i128]; 4] = [&[5, 1, 7], &[9, 1, 13], &[7, 1, 10], &[1, 1, 1]];
    for m in members {
        span.include(m);
    }
    let line = ConstantLine::Through { direction: vec![2, 0, 3], least: -2, greatest: 2 };
    assert_eq!(span.line, line);
    for (constants, within) in [([3, 1, 4], true), ([3, 1, 5], false), ([4, 1, 5], false), ([11, 1, 16], false)] {
        assert_eq!(span.contains(&constants), within, "{constants:?}");
    }
    span.include(&[5, 2, 7]);
    assert_eq!(span.line, ConstantLine::Off);
    assert!(span.contains(&[3, 2, 5]) && !span.contains(&[3, 3, 5]) && !span.contains(&[0, 2, 5]));
    let mut far = ConstantSpan::default();
    far.include(&[i128::MIN]);
    far.include(&[i128::MAX]);
    assert_eq!(far.line, ConstantLine::Off);
    let mut once = ConstantSpan::default();
    once.include(&[3]);
    once.include(&[3]);
    assert!(once.contains(&[3]) && !once.contains(&[4]));
}
