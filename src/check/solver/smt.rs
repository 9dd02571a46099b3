//! Z3 on integers: a fresh context and solver per query.
//!
//! In: facts, a goal, bounds on symbols, a budget. Out: unsatisfiable, a model, or the reason for neither. Exact
//! evaluation checks every model before it is returned.

use super::encode::{Encoder, SymbolAst};
use super::query::{Model, Query, SolverBudget, SolverOutcome, WrapMode};
use super::{boundary, cache, enumerate};
use base::alarm;
use base::inside::{self, Dump};
use base::nets;
use base::reasons::UnknownReason;
use base::work::{Allotment, Work, charge, charge_each, cost};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymId, Term, TermId};
use z3::ast::{Bool, Int};
use z3::{Context, Params, SatResult, Solver, StatisticsValue, Tactic};

/// Oldest major version of Z3 that decides typical index queries; 4.8.12 (Debian 12) times out on many.
const OLDEST_Z3: u32 = 5;

/// Smallest limit, in Z3's resource units, that a query is given: with less, Z3 does not get beyond reading it.
const LEAST_RESOURCES: u64 = 1_000;

/// Returns why the linked Z3 cannot be used, if it cannot.
pub(super) fn refuse() -> Option<UnknownReason> {
    let v = z3::full_version();
    let digits = v.trim_start_matches(|c: char| !c.is_ascii_digit());
    let major: u32 = digits.split('.').next().and_then(|m| m.parse().ok()).unwrap_or(0);
    (major < OLDEST_Z3).then(|| UnknownReason::SolverTooOld(v.to_owned(), OLDEST_Z3))
}

/// Answers one query in an arena and a context of its own, so that neither its answer nor its cost depends on earlier
/// queries.
pub(super) fn check(arena: &Arena, query: &Query, most: Work) -> SolverOutcome {
    cache::answer(arena, query, most, search)
}

/// Searches for the answer to a query within `most` work; the arena holds nothing but the query.
fn search(arena: &Arena, query: &Query, most: Work) -> SolverOutcome {
    let all = Allotment::of(most);
    if let Some(m) = boundary::model(arena, query) {
        return SolverOutcome::Sat(m);
    }
    z3::with_z3_config(&z3::Config::new(), || {
        // Z3's default strategy for non-linear integers bit-blasts and runs nlsat first: a hundred times slower on
        // row-major indices than its SMT core alone (Z3 5.4).
        let solver = Tactic::new("smt").solver();
        charge(cost::CONTEXT);
        let mut enc = Encoder::new(arena, query.mode, query.strict);
        for (t, truth) in query.want {
            let b = enc.surely(*t, *truth);
            solver.assert(&b);
        }
        for b in enc.take_side() {
            solver.assert(&b);
        }
        for (s, r) in query.bounds {
            for b in bound(&mut enc, *s, *r) {
                solver.assert(&b);
            }
        }
        charge_each(cost::ENCODE, arena.len());
        let (mut found, mut spent) = (SatResult::Unknown, SolverWork::default());
        for (attempt, (mending, most, of)) in ATTEMPTS.into_iter().enumerate() {
            let left = Work::units(all.left().get() / of).min(most);
            let given = limit(&solver, left, mending);
            (found, spent) = run(&solver, given, z3::Solver::check);
            // Without the clock there would have been another attempt.
            spent.cut |= spent.late && attempt + 1 < ATTEMPTS.len() && !all.is_spent();
            if found != SatResult::Unknown || spent.late || all.is_spent() {
                break;
            }
        }
        inside::dump(Dump::Smt2, || {
            format!("; rlimit {}: {found:?} with {}\n{}", spent.given, spent.units, solver.to_smt2())
        });
        match found {
            SatResult::Unsat => SolverOutcome::Unsat,
            SatResult::Sat => read_model(arena, &solver, &enc)
                .map_or_else(|| SolverOutcome::Unknown(UnknownReason::SolverModel), SolverOutcome::Sat),
            SatResult::Unknown => SolverOutcome::Unknown(why_unknown(&solver, &spent)),
        }
    })
}

/// Attempts at a query, in order: the most work of each, and the divisor of the remaining work that it may use.
const ATTEMPTS: [(LinearRepair, Work, u64); 3] = [
    (LinearRepair::On, Work::units(20_000 * cost::RESOURCE), 1),
    (LinearRepair::Off, Work::MAX, 2),
    (LinearRepair::On, Work::MAX, 1),
];

/// Switch for Z3's check (5.4), before each other step, of whether nlsat can mend the linear assignment. Proofs of
/// quotients need the check and mostly succeed at once with it. Where values are roots of long polynomials, Z3
/// isolates them in binary fractions of many thousand digits, none of which counts as a resource: one query of `x /
/// (y * z) * w` took more than two minutes on a budget of 0.5 s. Each of the slowest queries has an answer without
/// the check.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinearRepair {
    Off,
    On,
}

/// Limits Z3 to this much work; returns the limit in Z3's resource units.
fn limit(solver: &Solver, work: Work, mending: LinearRepair) -> u32 {
    let units = u32::try_from((work.get() / cost::RESOURCE).max(LEAST_RESOURCES)).unwrap_or(u32::MAX);
    let mut p = Params::new();
    p.set_u32("rlimit", units);
    // Gröbner bases cost more than they decide here: without them none of 200 queries of real programs was lost, and
    // queries of wrapped products took a fifth of the time. Z3 (5.4) also ignores its limits while it multiplies out
    // long sums. (`grobner_expand_terms` alone loses models; turning off `enable_hnf` saves half as much again, but also
    // loses models.)
    p.set_bool("arith.nl.grobner", false);
    p.set_bool("arith.nl.nra_check_assignment", mending == LinearRepair::On);
    solver.set_params(&p);
    units
}

/// Runs Z3 and charges the resource units that it took of those `given`; interrupts it if a safety net is reached.
fn run<T>(solver: &Solver, given: u32, f: impl FnOnce(&Solver) -> T) -> (T, SolverWork) {
    let resources = || match solver.get_statistics().value("rlimit count") {
        Some(StatisticsValue::UInt(n)) => n,
        _ => 0,
    };
    let (context, before) = (Context::thread_local(), resources());
    let handle = context.handle();
    // Z3's own limit of time is one of wall time.
    let (out, late) = alarm::during(nets::solver_limit(), &|| handle.interrupt(), || f(solver));
    let units = resources().wrapping_sub(before);
    charge_each(cost::RESOURCE, units as usize);
    (out, SolverWork { given, units, late, cut: late && units < given })
}

/// Work of one run of Z3.
#[derive(Default)]
struct SolverWork {
    given: u32,
    units: u32,
    /// Whether a safety net was reached.
    late: bool,
    /// Whether Z3 could have done more without that net.
    cut: bool,
}

/// Returns the limit that ended a search. Z3's own words for a limit depend on where it noticed, so the spent units
/// decide.
fn why_unknown(solver: &Solver, spent: &SolverWork) -> UnknownReason {
    match solver.get_reason_unknown().as_deref() {
        _ if spent.cut => {
            nets::hit(nets::Net::Solver);
            UnknownReason::SolverTime
        }
        Some(why) if why.contains("memory") || why.contains("memout") => {
            nets::hit(nets::Net::Memory);
            UnknownReason::SolverMemory
        }
        _ if spent.units >= spent.given => UnknownReason::SolverWork,
        Some("timeout" | "canceled") => UnknownReason::SolverWork,
        why => UnknownReason::SolverSays(why.unwrap_or("no reason given").to_owned()),
    }
}

fn bound(enc: &mut Encoder, s: SymId, r: Interval) -> Vec<Bool> {
    let Some(i) = enc.symbol_int(s) else { return vec![] };
    r.lo.map(|l| i.ge(Int::from_i128(l))).into_iter().chain(r.hi.map(|h| i.le(Int::from_i128(h)))).collect()
}

fn read_model(arena: &Arena, solver: &Solver, enc: &Encoder) -> Option<Model> {
    let m = solver.get_model()?;
    let mut out = Model::default();
    for (s, ast) in &enc.symbols {
        let v = match ast {
            SymbolAst::Int(i) => m.eval(i, true)?.as_i128()?,
            SymbolAst::Bool(b) => i128::from(m.eval(b, true)?.as_bool()?),
        };
        out.values.insert(*s, v);
    }
    for (t, args, value) in &enc.applications {
        let Term::Apply { function, .. } = arena.get(*t) else { continue };
        let args: Option<Vec<i128>> = args.iter().map(|a| m.eval(a, true)?.as_i128()).collect();
        out.applications.insert((*function, args?), m.eval(value, true)?.as_i128()?);
    }
    Some(out)
}

/// Asks the whole query within the remaining budget. Where Z3 gives up, enumerates all assignments if they are few.
fn check_whole(
    arena: &Arena,
    want: &[(TermId, bool)],
    mode: WrapMode,
    strict: bool,
    budget: &SolverBudget,
) -> SolverOutcome {
    let query = Query { want, bounds: &[], mode, strict };
    match check(arena, &query, budget.at_most(Work::MAX)) {
        SolverOutcome::Unknown(why) => enumerate::decide(arena, want, mode).unwrap_or(SolverOutcome::Unknown(why)),
        decided => decided,
    }
}

/// Answers a query with a checked model. The model leaves undefined operations without value only if there is no
/// other.
pub(super) fn decide(arena: &Arena, want: &[(TermId, bool)], mode: WrapMode, budget: &SolverBudget) -> SolverOutcome {
    let loose = check_whole(arena, want, mode, false, budget);
    let SolverOutcome::Sat(m) = loose else { return loose };
    let Some((t, value)) = m.refuted(arena, want, mode) else { return SolverOutcome::Sat(m) };
    if value.is_some() {
        return disagreement(t);
    }
    if budget.spent() {
        return SolverOutcome::Unknown(UnknownReason::SolverWork);
    }
    let strict = check_whole(arena, want, mode, true, budget);
    match strict {
        SolverOutcome::Sat(m) => checked(arena, m, want, mode),
        SolverOutcome::Unsat => SolverOutcome::Unknown(UnknownReason::SolverPartial),
        SolverOutcome::Unknown(_) => strict,
    }
}

/// Returns the model if exact evaluation agrees with it.
pub(super) fn checked(arena: &Arena, m: Model, want: &[(TermId, bool)], mode: WrapMode) -> SolverOutcome {
    match m.refuted(arena, want, mode) {
        None => SolverOutcome::Sat(m),
        Some((_, None)) => SolverOutcome::Unknown(UnknownReason::SolverWide),
        Some((t, Some(_))) => disagreement(t),
    }
}

fn disagreement(t: TermId) -> SolverOutcome {
    debug_assert!(false, "the encoding of {t:?} disagrees with its evaluation");
    SolverOutcome::Unknown(UnknownReason::SolverDisagrees(t.0))
}

/// Returns the facts of an unsatisfiable core; all facts if the second run does not find one.
pub(super) fn core(
    arena: &Arena,
    facts: &[TermId],
    goal: TermId,
    mode: WrapMode,
    budget: &SolverBudget,
) -> Vec<TermId> {
    let kept = z3::with_z3_config(&z3::Config::new(), || {
        let solver = Solver::new();
        charge(cost::CONTEXT);
        charge_each(cost::ENCODE, facts.len());
        let given = limit(&solver, budget.at_most(Work::seconds(1)), LinearRepair::On);
        let mut enc = Encoder::new(arena, mode, false);
        let no = enc.surely(goal, false);
        solver.assert(&no);
        let marks: Vec<Bool> = facts
            .iter()
            .map(|f| {
                let b = enc.surely(*f, true);
                let mark = Bool::fresh_const("fact");
                solver.assert(mark.implies(&b));
                mark
            })
            .collect();
        for b in enc.take_side() {
            solver.assert(&b);
        }
        let (found, spent) = run(&solver, given, |s| s.check_assumptions(&marks));
        if found != SatResult::Unsat {
            if spent.cut {
                nets::hit(nets::Net::Solver);
            }
            return None;
        }
        let core = solver.get_unsat_core();
        Some(facts.iter().zip(&marks).filter(|(_, m)| core.contains(m)).map(|(f, _)| *f).collect::<Vec<TermId>>())
    });
    kept.unwrap_or_else(|| facts.to_vec())
}
