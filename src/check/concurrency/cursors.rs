//! Cursors: integers in memory to which the threads of a launch add atomically (`atomicAdd(tail, 1)`).
//!
//! In: one launch's accesses and loops. Out: how much all threads together add to the integers of an object, so that
//! bounds on them follow from those at the launch and after other stores. An addition is counted by an injection: a
//! condition of its path keeps an index of thread and iteration below some number, and the index differs between any
//! two of them (mixed radix, Knuth, TAOCP 4.1). If its loop ends once the old value has reached some number, then each
//! thread adds at most once from there on.

use super::reads_from::of_own_memory;
use engine::symbolic::exec::events::{AccessEvent, LoopEvent, MemoryAfterWrite};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::kernel::context::ExchangedNumber;
use engine::symbolic::kernel::launch::KernelRun;
use engine::symbolic::memory::object::ObjId;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{Monomial, Term, TermId};
use rustc_hash::FxHashSet;

/// Most ways to count additions that are tried.
const WAYS: usize = 4;

/// Sum of what threads add to the integers of an object.
#[derive(Clone, Debug)]
pub(super) struct Additions {
    /// Upper bound of all that is added after an integer is `top` or more for the first time, or in all.
    pub total: TermId,
    pub top: Option<TermId>,
    /// Claims on which this rests.
    pub claims: Vec<CursorClaim>,
}

/// Claim that a number is in `0..below` under some facts.
#[derive(Clone, Debug)]
pub(super) struct CursorClaim {
    pub facts: TermId,
    pub number: TermId,
    pub below: TermId,
}

/// Most executions of an addition, and what is to be shown for that.
#[derive(Clone, Debug)]
struct AdditionCount {
    most: TermId,
    claims: Vec<CursorClaim>,
}

/// An atomic addition, and the loops around it.
struct Addition<'a> {
    ev: &'a AccessEvent,
    before: TermId,
    /// Most that one execution adds.
    most: i128,
    loops: Vec<&'a LoopEvent>,
}

/// Whether threads add to an object's integers atomically.
pub(super) fn is_cursor(run: &KernelRun, o: ObjId) -> bool {
    run.accesses.iter().any(|ev| ev.writes(o) && matches!(ev.stores, MemoryAfterWrite::Added { .. }))
}

/// Returns the integers to which threads add atomically and whose old values they use, one for each object and width.
pub(super) fn all(e: &Executor<'_>, run: &KernelRun) -> Vec<ExchangedNumber> {
    let read = |ev: &AccessEvent| match ev.stores {
        MemoryAfterWrite::Added { before, .. } => Some(before),
        _ => None,
    };
    let mut open: Vec<TermId> = run.accesses.iter().filter_map(read).collect();
    if open.is_empty() {
        return vec![];
    }
    let mut used = vec![];
    for ev in &run.accesses {
        used.push(ev.path);
        used.extend(ev.targets.iter().flat_map(|t| [t.cond, t.offset]));
        if let MemoryAfterWrite::Value(t) = ev.stores {
            used.push(t);
        }
    }
    let used: FxHashSet<TermId> = e.arena.cone(&used).into_iter().collect();
    open.retain(|t| used.contains(t));
    let mut out: Vec<ExchangedNumber> = vec![];
    for t in open {
        if let Term::Sym(s) = e.arena.get(t)
            && let Some(l) = e.loaded.get(s)
            && !out.iter().any(|o| o.object == l.object && o.bits == l.bits)
        {
            out.push(*l);
        }
    }
    out
}

/// Returns ways to bound what threads add to an object's integers; `None` if they add nothing.
pub(super) fn additions(e: &mut Executor<'_>, run: &KernelRun, o: ObjId) -> Option<Vec<Additions>> {
    if !is_cursor(run, o) {
        return None;
    }
    let Some(all) = collected(e, run, o).filter(|_| run.limit.is_none()) else { return Some(vec![]) };
    let counted: Vec<Vec<AdditionCount>> = all.iter().map(|a| counts(e, run, a)).collect();
    let mut ways: Vec<Additions> = (0..WAYS).filter_map(|n| counted_way(e, &all, &counted, n)).collect();
    ways.extend(stopping_way(e, run, &all, &counted));
    Some(ways)
}

/// Collects the additions; `None` if one adds an unknown or a negative number, or its loops are not known.
fn collected<'a>(e: &mut Executor<'_>, run: &'a KernelRun, o: ObjId) -> Option<Vec<Addition<'a>>> {
    let mut out = vec![];
    for (number, ev) in run.accesses.iter().enumerate().filter(|(_, ev)| ev.writes(o)) {
        let MemoryAfterWrite::Added { before, amount } = ev.stores else { continue };
        let range = e.arena.range(amount);
        let most = range.hi.filter(|_| range.lo.is_some_and(|l| l >= 0))?;
        let loops: Vec<&LoopEvent> = run.loops.iter().filter(|l| l.accesses.contains(&number)).collect();
        // Those of the program: an addition in a loop that was not executed as one would be counted once.
        let around: usize = ev.stack.iter().map(|s| e.loops_around(s.func, s.block)).sum();
        if around != loops.len() || ev.stack.last() != Some(&ev.site) {
            return None;
        }
        out.push(Addition { ev, before, most, loops });
    }
    Some(out)
}

/// Adds up what each addition adds, counted in way `n` of its ways.
fn counted_way(
    e: &mut Executor<'_>,
    all: &[Addition<'_>],
    counted: &[Vec<AdditionCount>],
    n: usize,
) -> Option<Additions> {
    if counted.iter().all(|c| c.len() <= n) {
        return None;
    }
    let (mut total, mut claims) = (e.arena.int(0), vec![]);
    for (a, ways) in all.iter().zip(counted) {
        let count = ways.get(n).or(ways.last())?;
        let sum = e.arena.scale(count.most, a.most);
        total = e.arena.add(total, sum);
        claims.extend(count.claims.iter().cloned());
    }
    Some(Additions { total, top: None, claims })
}

/// Bounds the additions in loops that end once a cursor has reached some number, and counts all others.
fn stopping_way(
    e: &mut Executor<'_>,
    run: &KernelRun,
    all: &[Addition<'_>],
    counted: &[Vec<AdditionCount>],
) -> Option<Additions> {
    let (mut total, mut last, mut claims) = (e.arena.int(0), None, vec![]);
    let threads = product(e, run.thread.grid.iter().chain(&run.thread.block));
    for (a, ways) in all.iter().zip(counted) {
        let count = match (a.loops.as_slice(), ways.first()) {
            // Executed by each thread once, up to the last iteration: a loop in no other loop.
            ([l], _) if let Some(below) = stop(e, run, a, l) => {
                let facts = e.arena.and(l.continues, a.ev.path);
                claims.push(CursorClaim { facts, number: a.before, below });
                last = Some(last.map_or(below, |l| e.arena.max(l, below)));
                threads
            }
            (_, Some(count)) => {
                claims.extend(count.claims.iter().cloned());
                count.most
            }
            _ => return None,
        };
        let sum = e.arena.scale(count, a.most);
        total = e.arena.add(total, sum);
    }
    // The last addition to less than any of these numbers may be the largest one.
    let most = all.iter().map(|a| a.most).max()?;
    let top = e.arena.add_const(last?, most - 1);
    Some(Additions { total, top: Some(top), claims })
}

/// Returns a number below which the old value must be for the loop to go on, if its condition says so.
fn stop(e: &mut Executor<'_>, run: &KernelRun, a: &Addition<'_>, l: &LoopEvent) -> Option<TermId> {
    for t in e.arena.cone(&[l.continues]) {
        let Term::Le(p) = *e.arena.get(t) else { continue };
        for (m, c) in e.arena.poly(p).terms {
            let [x] = m[..] else { continue };
            if c != 1 || !e.arena.cone(&[x]).contains(&a.before) {
                continue;
            }
            // x + rest <= 0
            let rest = e.arena.sub(p, x);
            if is_uniform(e, run, rest) {
                let below = e.arena.neg(rest);
                return Some(e.arena.add_const(below, 1));
            }
        }
    }
    None
}

/// Returns bounds on how often all threads together execute an addition.
fn counts(e: &mut Executor<'_>, run: &KernelRun, a: &Addition<'_>) -> Vec<AdditionCount> {
    let mut out = vec![];
    for c in e.arena.conjuncts(a.ev.path) {
        let sums = match *e.arena.get(c) {
            Term::Le(t) => vec![t],
            Term::EqZ(t) => vec![t, e.arena.neg(t)],
            _ => continue,
        };
        out.extend(sums.into_iter().filter_map(|t| count_of_indices(e, run, a, t)));
    }
    if a.loops.is_empty() {
        let most = product(e, run.thread.grid.iter().chain(&run.thread.block));
        out.push(AdditionCount { most, claims: vec![] });
    }
    out.truncate(WAYS);
    out
}

/// Returns how many threads and iterations satisfy `sum <= 0` at most, if the sum consists of digits that tell them
/// apart, and of something that is the same for all.
fn count_of_indices(e: &mut Executor<'_>, run: &KernelRun, a: &Addition<'_>, sum: TermId) -> Option<AdditionCount> {
    let thread = &run.thread;
    let places: Vec<(TermId, TermId)> =
        thread.tid.into_iter().chain(thread.bid).zip(thread.block.into_iter().chain(thread.grid)).collect();
    let (sum, claims) = without_wraps(e, run, a, sum);
    let iterations: Vec<TermId> = a.loops.iter().map(|l| l.iteration).collect();
    let (mut digits, mut rest): (Vec<(TermId, TermId)>, TermId) = (vec![], e.arena.int(0));
    for (m, c) in e.arena.poly(sum).terms {
        let digit = m.iter().copied().find(|x| iterations.contains(x) || places.iter().any(|p| p.0 == *x));
        let mut others: Monomial = m.clone();
        if let Some(at) = digit.and_then(|d| m.iter().position(|x| *x == d)) {
            others.remove(at);
        }
        let mut factor = e.arena.int(c);
        for x in &others {
            factor = e.arena.mul(factor, *x);
        }
        if !is_uniform(e, run, factor) {
            return None;
        }
        match digit {
            None => rest = e.arena.add(rest, factor),
            Some(d) => match digits.iter_mut().find(|(x, _)| *x == d) {
                Some((_, f)) => *f = e.arena.add(*f, factor),
                None => digits.push((d, factor)),
            },
        }
    }
    let used: Vec<TermId> = digits.iter().map(|d| d.0).collect();
    // Each loop must be counted by the index.
    if used.is_empty() || iterations.iter().any(|k| !used.contains(k)) {
        return None;
    }
    let mut base = e.arena.int(1);
    while !digits.is_empty() {
        let next = digits.iter().position(|(_, f)| is_at_least(e, *f, base))?;
        let (d, factor) = digits.remove(next);
        match places.iter().find(|p| p.0 == d) {
            Some((_, extent)) => base = e.arena.mul(factor, *extent),
            // Any number of iterations: only the last digit has no end.
            None if digits.is_empty() => {}
            None => return None,
        }
    }
    let (zero, most) = (e.arena.int(0), e.arena.neg(rest));
    let most = e.arena.add_const(most, 1);
    let most = e.arena.max(zero, most);
    let unused: Vec<TermId> = places.iter().filter(|p| !used.contains(&p.0)).map(|p| p.1).collect();
    let others = product(e, unused.iter());
    Some(AdditionCount { most: e.arena.mul(most, others), claims })
}

/// Replaces integers that were read in their width by the numbers behind them, which must not wrap.
fn without_wraps(e: &mut Executor<'_>, run: &KernelRun, a: &Addition<'_>, sum: TermId) -> (TermId, Vec<CursorClaim>) {
    let (mut out, mut claims) = (sum, vec![]);
    for (m, c) in e.arena.poly(sum).terms {
        let [x] = m[..] else { continue };
        let Term::Wrap { arg, bits, signed } = *e.arena.get(x) else { continue };
        let (Interval { lo: Some(lo), hi: Some(hi) }, false) = (Interval::of_int(bits, signed), is_uniform(e, run, x))
        else {
            continue;
        };
        let more = e.arena.sub(arg, x);
        let more = e.arena.scale(more, c);
        out = e.arena.add(out, more);
        let (number, below) = (e.arena.add_const(arg, -lo), e.arena.int(hi - lo + 1));
        claims.push(CursorClaim { facts: a.ev.path, number, below });
    }
    (out, claims)
}

/// Whether a factor is a number at least as large as another, or the same term.
fn is_at_least(e: &Executor<'_>, factor: TermId, base: TermId) -> bool {
    factor == base || e.arena.as_int(factor).zip(e.arena.as_int(base)).is_some_and(|(f, b)| f >= b)
}

/// Whether a term is the same for all threads and iterations.
fn is_uniform(e: &Executor<'_>, run: &KernelRun, t: TermId) -> bool {
    e.arena.symbols_of(&[t]).into_iter().all(|s| s < run.own_from)
        && !e.arena.cone(&[t]).into_iter().any(|t| of_own_memory(e, t).is_some())
}

fn product<'a>(e: &mut Executor<'_>, factors: impl Iterator<Item = &'a TermId>) -> TermId {
    let one = e.arena.int(1);
    factors.fold(one, |p, f| e.arena.mul(p, *f))
}
