//! Indices that are the old value of an atomic counter: the number of threads and iterations that must precede an
//! access for it to be out of bounds.
//!
//! In: an access whose index is the old value of a counter. Out: a counterexample in which enough threads of one
//! block, and enough of their iterations, reach it: the path condition is instantiated once for each, as in bounded
//! model checking. That the counter starts at zero is a guess; a replay decides.

use crate::context::{CheckContext, RootTools};
use crate::obligations::cone;
use crate::obligations::obligation::Obligation;
use crate::solver;
use crate::solver::{Model, ModelAnswer, SolverLimits, WrapMode};
use base::work::Work;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::kernel::launch::KernelRun;
use engine::symbolic::terms::term::{SymId, SymKind, Term, TermId};
use rustc_hash::FxHashMap;

/// Numbers of threads, and of iterations of each.
pub(crate) const SHAPES: [(usize, usize); 6] = [(2, 1), (1, 2), (2, 2), (3, 1), (3, 2), (2, 3)];
/// Most work of the search for one model.
const MAX: Work = Work::seconds(2);

/// Finds a model in which the given number of threads, each with the given number of iterations, reach the access, so
/// that the last one's counter is out of bounds; also returns whether it needs a size that is not positive.
pub(crate) fn model(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &KernelRun,
    ev: &AccessEvent,
    ob: &Obligation,
    (threads, iterations): (usize, usize),
) -> Option<(Model, bool)> {
    let e = &mut tools.e;
    if cone::counters(e, ob.offset).is_empty() {
        return None;
    }
    // Symbols younger than the thread belong to the kernel.
    let young = run
        .thread
        .tid
        .iter()
        .chain(&run.thread.bid)
        .filter_map(|t| if let Term::Sym(s) = e.arena.get(*t) { Some(*s) } else { None })
        .min()?;
    let within = cone::reads_inside(e, run, ev);
    let way = {
        let mut all = vec![ob.facts];
        all.extend(within);
        e.arena.and_all(all)
    };
    let own: Vec<SymId> = e
        .arena
        .symbols_of(&[way, ob.offset])
        .into_iter()
        .filter(|s| *s >= young && !run.thread.bid.iter().any(|b| *e.arena.get(*b) == Term::Sym(*s)))
        .collect();
    let loops = own.iter().filter(|s| matches!(e.arena.symbol(**s).kind, SymKind::Iteration { .. })).count();
    if iterations > 1 && loops != 1 {
        return None;
    }
    let mut facts = path_facts(e, run, way, &own, loops == 1, (threads, iterations));
    // Counter value of the last one.
    let last = e.arena.int(i128::try_from(threads * iterations).unwrap_or(1) - 1);
    let map: FxHashMap<TermId, TermId> =
        cone::counters(e, ob.offset).into_iter().map(|s| (e.arena.symbol_term(s), last)).collect();
    let offset = e.arena.substitute(ob.offset, &map);
    let end = e.arena.add(offset, ob.bytes);
    facts.push(e.arena.lt(ob.extent, end));
    let all = e.arena.and_all(facts);
    if e.arena.as_bool(all) == Some(false) {
        return None;
    }
    let facts = e.arena.conjuncts(all);
    let inputs: Vec<SymId> = e
        .arena
        .symbols_of(&facts)
        .into_iter()
        .filter(|s| matches!(e.arena.symbol(*s).kind, SymKind::Input(_)))
        .collect();
    let limits = SolverLimits { work: MAX.min(cx.attempt.limits.work), ..cx.attempt.limits };
    match solver::find_model(
        &e.arena,
        &facts,
        &inputs,
        &tools.decider.sizes.positive(&inputs),
        WrapMode::Assume,
        &limits,
        &mut solver::GroupResults::default(),
    ) {
        ModelAnswer::Model(m) => {
            let degenerate = tools.decider.sizes.degenerate(&e.arena, &m);
            Some((m, degenerate))
        }
        ModelAnswer::Unsat | ModelAnswer::Unknown(_) => None,
    }
}

/// Instantiates the path of an access for ordered threads of one block, each with several iterations: every thread,
/// and every iteration of it, has its own symbols. `counted`: the iterations of the only loop are numbered.
fn path_facts(
    e: &mut Executor<'_>,
    run: &KernelRun,
    way: TermId,
    own: &[SymId],
    counted: bool,
    (threads, iterations): (usize, usize),
) -> Vec<TermId> {
    let mut facts = vec![];
    let mut before: Option<TermId> = None;
    for thread in 0..threads {
        let mut place: FxHashMap<TermId, TermId> = FxHashMap::default();
        for s in own {
            if thread == 0 || !matches!(e.arena.symbol(*s).kind, SymKind::Thread(_)) {
                continue;
            }
            let (t, other) = (e.arena.symbol_term(*s), e.another(*s));
            place.insert(t, other);
        }
        let x = run.thread.tid[0];
        let x = place.get(&x).copied().unwrap_or(x);
        if let Some(b) = before {
            facts.push(e.arena.lt(b, x));
        }
        before = Some(x);
        for iteration in 0..iterations {
            let mut map = place.clone();
            for s in own {
                let t = e.arena.symbol_term(*s);
                let new = match e.arena.symbol(*s).kind {
                    SymKind::Thread(_) => continue,
                    SymKind::Iteration { .. } if counted => e.arena.int(i128::try_from(iteration).unwrap_or(0)),
                    _ if (thread, iteration) == (0, 0) => continue,
                    _ => e.another(*s),
                };
                map.insert(t, new);
            }
            facts.push(e.arena.substitute(way, &map));
        }
    }
    facts
}
