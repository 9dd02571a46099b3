//! Cone of influence: the host conditions and terms that a launch depends on.
//!
//! In: a launch, or terms. Out: the conjuncts of the launch's path condition that share symbols with its
//! configuration, arguments and memory; and the unknowns in terms, with their reasons. Fewer facts prove less, so
//! skipping some is sound. This module decides nothing.

use base::reasons::UnknownReason;
use engine::symbolic::exec::events::{AccessEvent, LaunchEvent};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::kernel::launch::KernelRun;
use engine::symbolic::memory::object::ObjKind;
use engine::symbolic::memory::value::{Base, Rounding, Value};
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::term::{SymId, SymKind, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Collects the terms that a value consists of.
fn terms_of(v: &Value, out: &mut Vec<TermId>) {
    match v {
        Value::Int(t) | Value::Bool(t) => out.push(*t),
        Value::Ptr(p) => out.extend(p.iter().flat_map(|t| [t.cond, t.offset])),
        Value::Real(r) => {
            out.push(r.num);
            if let Rounding::Floored { nan } = r.rounding {
                out.push(nan);
            }
        }
        Value::Aggregate(_) | Value::Unknown(_) => {}
    }
}

/// Returns the terms of configuration and arguments.
fn own_terms(l: &LaunchEvent) -> Vec<TermId> {
    let mut out = vec![l.config.shared];
    out.extend(l.config.grid.iter().chain(&l.config.block));
    for v in &l.args {
        terms_of(v, &mut out);
    }
    out
}

/// Returns the terms through which a launch depends on the program's inputs.
pub(crate) fn mentioned(e: &Executor<'_>, l: &LaunchEvent, facts: &[TermId]) -> Vec<TermId> {
    let mut all = facts.to_vec();
    all.extend(own_terms(l));
    all.extend(e.heap.objects().iter().filter_map(|o| o.extent));
    all
}

/// Returns the launch's conditions, without those on host loops and unknowns that the launch does not depend on.
/// Conditions on such a symbol stay where two or more of them bound it by the launch's own symbols (`i < n`, where
/// `n` is the iteration count of an earlier loop). Fewer facts prove less, so this is sound; a witness is replayed in
/// full anyway.
pub(crate) fn conditions(e: &Executor<'_>, l: &LaunchEvent) -> Vec<TermId> {
    let mut roots = own_terms(l);
    roots.extend(l.always.iter().flat_map(engine::symbolic::loops::quantified_facts::QuantifiedFact::terms));
    for (o, st) in l.memory.iter() {
        roots.extend(st.freed.as_ref().map(|f| f.cond));
        if matches!(e.object(o).kind, ObjKind::DeviceHeap | ObjKind::Managed) {
            st.rest.terms(&mut roots);
        }
        if matches!(
            e.object(o).kind,
            ObjKind::DeviceLocal | ObjKind::DeviceGlobal(_) | ObjKind::Constant(_) | ObjKind::Managed
        ) {
            st.cells.values().for_each(|(_, v)| terms_of(v, &mut roots));
        }
    }
    roots.extend(
        l.memory
            .keys()
            .filter(|o| matches!(e.object(*o).kind, ObjKind::DeviceHeap | ObjKind::Managed))
            .filter_map(|o| e.object(o).extent),
    );
    let known: FxHashSet<_> = e.arena.symbols_of(&roots).into_iter().collect();
    let others = |c: TermId| {
        e.arena
            .symbols_of(&[c])
            .into_iter()
            .filter(|s| !known.contains(s) && !matches!(e.arena.symbol(*s).kind, SymKind::Input(_)))
            .collect::<Vec<SymId>>()
    };
    let all: Vec<(TermId, Vec<SymId>)> = e.arena.conjuncts(l.path).into_iter().map(|c| (c, others(c))).collect();
    let mut times: FxHashMap<SymId, u32> = FxHashMap::default();
    for (c, others) in &all {
        let [one] = others[..] else { continue };
        if e.arena.symbols_of(&[*c]).iter().any(|s| known.contains(s)) {
            *times.entry(one).or_default() += 1;
        }
    }
    all.into_iter()
        .filter(|(_, others)| others.iter().all(|s| times.get(s).is_some_and(|n| *n > 1)))
        .map(|(c, _)| c)
        .collect()
}

/// Returns the atomic counters that an offset depends on: symbols for the old value that an atomic operation returns.
pub(crate) fn counters(e: &Executor<'_>, offset: TermId) -> Vec<SymId> {
    e.arena.symbols_of(&[offset]).into_iter().filter(|s| e.loaded.get(s).is_some_and(|l| l.counts)).collect()
}

/// Whether a term is a value from a file's array, or the content of a caller-given tensor.
fn is_data(e: &Executor<'_>, t: TermId) -> bool {
    match e.arena.get(t) {
        Term::Apply { function: UninterpretedFunction::Content | UninterpretedFunction::Product, args, .. } => {
            e.given_contents_of(args).is_some()
        }
        Term::Apply { function, .. } => function.is_file(),
        _ => false,
    }
}

/// Whether an offset depends on such values: directly, or through the iteration count of a loop.
pub(crate) fn reads_data(e: &Executor<'_>, facts: TermId, offset: TermId) -> bool {
    let reads = |terms: &[TermId]| e.arena.cone(terms).iter().any(|t| is_data(e, *t));
    if !reads(&[facts, offset]) {
        return false;
    }
    if reads(&[offset]) {
        return true;
    }
    // The final value of a counter depends on how many threads reach it.
    if !counters(e, offset).is_empty() && reads(&[facts]) {
        return true;
    }
    reads(&conditions_of_loops(e, facts, offset, |t| is_data(e, t)))
}

/// Returns the reasons of unmodelled values in the iteration counts of the loops that an offset counts; a model may
/// choose such values freely.
pub(crate) fn unknown_iterations(e: &Executor<'_>, facts: TermId, offset: TermId) -> Vec<UnknownReason> {
    let mut conditions = conditions_of_loops(e, facts, offset, |_| false);
    conditions.retain(|c| !is_range_of_steps(e, *c));
    unknowns(e, &conditions)
}

/// Returns the reasons of unmodelled values in the conditions that bound an offset; a model may choose such a bound
/// freely.
pub(crate) fn unknown_bounds(e: &Executor<'_>, facts: TermId, offset: TermId) -> Vec<UnknownReason> {
    let of_offset: FxHashSet<_> = e.arena.symbols_of(&[offset]).into_iter().collect();
    let bounds: Vec<TermId> = e
        .arena
        .conjuncts(facts)
        .into_iter()
        .filter(|c| e.arena.symbols_of(&[*c]).iter().any(|s| of_offset.contains(s)))
        .filter(|c| !is_range_of_steps(e, *c))
        .collect();
    unknowns(e, &bounds)
}

/// Whether a fact says how far a variable may have moved in `k` iterations, `l · k <= moved` or `moved <= u · k` with
/// `l <= 0 <= u`: some such distance exists for every `k >= 0`, so that the fact bounds no number of iterations
/// (elimination of a variable by Fourier and Motzkin).
fn is_range_of_steps(e: &Executor<'_>, fact: TermId) -> bool {
    let Term::Le(t) = *e.arena.get(fact) else { return false };
    let kind = |t: &TermId| if let Term::Sym(s) = e.arena.get(*t) { Some(&e.arena.symbol(*s).kind) } else { None };
    let mut of_steps = 0;
    let are_usual = e.arena.poly(t).terms.iter().all(|(factors, coefficient)| match &factors[..] {
        [one] => match kind(one) {
            Some(SymKind::Unknown { reason: UnknownReason::LoopMoves }) => {
                of_steps += 1;
                true
            }
            Some(SymKind::Iteration { .. }) => *coefficient <= 0,
            _ => false,
        },
        _ => false,
    });
    are_usual && of_steps == 1
}

/// Returns the facts on iterations that an offset counts, or on iterations that these depend on. The search does not
/// enter `closed` terms: a condition on a value says nothing about the iteration that read it.
fn conditions_of_loops(
    e: &Executor<'_>,
    facts: TermId,
    offset: TermId,
    closed: impl Fn(TermId) -> bool,
) -> Vec<TermId> {
    let iterations = |t: TermId| {
        let (mut open, mut seen, mut out) = (vec![t], FxHashSet::default(), vec![]);
        while let Some(t) = open.pop() {
            if closed(t) || !seen.insert(t) {
                continue;
            }
            match e.arena.get(t) {
                Term::Sym(s) if matches!(e.arena.symbol(*s).kind, SymKind::Iteration { .. }) => out.push(*s),
                _ => open.extend(e.arena.children(t)),
            }
        }
        out
    };
    let mut loops: FxHashSet<_> = iterations(offset).into_iter().collect();
    let conditions: Vec<(TermId, Vec<_>)> =
        e.arena.conjuncts(facts).into_iter().map(|c| (c, iterations(c))).filter(|(_, r)| !r.is_empty()).collect();
    loop {
        let before = loops.len();
        let of_these = conditions.iter().filter(|(_, r)| r.iter().any(|s| loops.contains(s)));
        let (found, more): (Vec<TermId>, Vec<&Vec<_>>) = of_these.map(|(c, r)| (*c, r)).unzip();
        loops.extend(more.into_iter().flatten());
        if loops.len() == before {
            return found;
        }
    }
}

/// Returns, for each data-dependent read of the kernel, that it lies inside its object, so that its value is known.
pub(crate) fn reads_inside(e: &mut Executor<'_>, run: &KernelRun, ev: &AccessEvent) -> Vec<TermId> {
    let mut out = vec![];
    let others = || run.accesses.iter().filter(|o| o.site != ev.site);
    // One walk over all, which have most of their terms in common, shows whether any reads data.
    let all: Vec<TermId> = others().flat_map(|o| o.targets.iter().flat_map(|t| [o.path, t.cond, t.offset])).collect();
    if !e.arena.cone(&all).iter().any(|t| is_data(e, *t)) {
        return out;
    }
    for other in others() {
        for t in other.targets.iter() {
            let Base::Object(o) = t.base else { continue };
            let Some(extent) = e.object(o).extent else { continue };
            let facts = e.arena.and(other.path, t.cond);
            if !reads_data(e, facts, t.offset) {
                continue;
            }
            let (zero, end) = (e.arena.int(0), e.arena.add(t.offset, other.bytes));
            let (lower, upper, not) = (e.arena.le(zero, t.offset), e.arena.le(end, extent), e.arena.not(facts));
            let inside = e.arena.and(lower, upper);
            out.push(e.arena.or(not, inside));
        }
    }
    out
}

/// Returns the reasons for which memory is assumed to hold one of several pointers under a condition.
pub(crate) fn choices(e: &Executor<'_>, cond: TermId) -> Vec<UnknownReason> {
    unknowns(e, &[cond]).into_iter().filter(|why| matches!(why, UnknownReason::WhichPointer(_))).collect()
}

/// Returns the reasons of unmodelled values in these terms; a model may choose such values freely.
pub(crate) fn unknowns(e: &Executor<'_>, terms: &[TermId]) -> Vec<UnknownReason> {
    let mut out: Vec<UnknownReason> = vec![];
    for t in e.arena.cone(terms) {
        let reason = match e.arena.get(t) {
            Term::Sym(s) | Term::BoolSym(s) => match &e.arena.symbol(*s).kind {
                SymKind::Unknown { reason } => Some(reason.clone()),
                SymKind::Content { what, .. } => Some(what.clone()),
                _ => None,
            },
            Term::Apply { function: UninterpretedFunction::Content, args, .. } => {
                e.given_contents_of(args).is_none().then_some(UnknownReason::BufferHolds)
            }
            // A model chooses a product and its factors apart.
            Term::Apply { function: UninterpretedFunction::Product, .. } => Some(UnknownReason::BufferHolds),
            Term::Apply { function: UninterpretedFunction::Round(_), .. } => Some(UnknownReason::LoopWrites),
            _ => None,
        };
        if let Some(r) = reason
            && !out.contains(&r)
        {
            out.push(r);
        }
    }
    out
}
