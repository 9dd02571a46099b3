//! Accesses that stay inside only while no operation wraps: inputs for which one does.
//!
//! In: launches whose accesses are decided. Out: a finding of the rule `index-overflow` where a replay, in the machine's own
//! arithmetic, goes out of bounds. What no replay reaches stays safe if nothing wraps and is no finding: nobody wants a
//! warning for each multiplication. Nor is one raised for every access behind an operation; for what takes more threads in
//! one dimension than an `int` can count, since the index of a thread wraps in nearly every kernel then; or for sizes with
//! which the host's own arithmetic wraps: it allocates too little, or nothing, and was never meant to work with them.

use super::bounds::obligation;
use super::rule::Rule;
use crate::check::context::{Context, InObject, Place, Places, Run, Tools};
use crate::check::counterexample::replay::Wanted;
use crate::check::findings::build::verb;
use crate::check::findings::kernel::Suspected;
use crate::check::obligations::cone;
use crate::check::obligations::obligation::Counterexample;
use crate::check::obligations::verdict::Outcome;
use crate::check::solver::WrapMode;
use crate::ir::FuncRef;
use crate::report::finding::Verdict;
use crate::rules::Rule as Class;
use crate::symbolic::exec::events::AccessEvent;
use crate::symbolic::memory::value::Base;
use crate::symbolic::terms::interval::Range;
use crate::symbolic::terms::term::{Term, TermId};
use crate::witness::Fault;
use crate::work::Work;
use rustc_hash::FxHashMap;

/// What one root's overflows get together, and what one of them gets: they are worth less than everything else.
const MOST: Work = Work::seconds(4);
const ONE: Work = Work::millis(1500);

/// Bytes that a replay of one may fill here: sizes are large, and loops over them need not be followed.
const BYTES: u64 = 128 << 20;

/// Accesses that are tried for one set of operations.
const TRIES: u32 = 2;

/// Letters of an operation beyond which nobody reads it.
const LONG: usize = 80;

/// Threads in one dimension that an `int` can count.
const COUNTED: i128 = i32::MAX as i128;

/// The rule. It is asked last, of all that came out safe if nothing wraps.
pub(in crate::check) struct IndexOverflow;

impl Rule for IndexOverflow {
    fn classes(&self) -> &'static [Class] {
        &[Class::IndexOverflow]
    }
}

/// What was found at an access.
pub(in crate::check) struct Overflow<'r> {
    pub kernel: FuncRef,
    pub event: &'r AccessEvent,
    pub outcome: Outcome,
}

/// Looks for inputs under which what is safe if nothing wraps goes out of bounds. `places` says of which accesses that is so.
pub(in crate::check) fn find<'r>(
    cx: &Context<'_>,
    tools: &mut Tools<'_>,
    runs: &'r [Run],
    places: &Places,
) -> Vec<Overflow<'r>> {
    let mut out = vec![];
    if cx.bare || !tools.root.trusted {
        return out;
    }
    let until = cx.phase(MOST, 100);
    tools.judge.replay_within(cx.scaled(ONE), BYTES);
    let mut tried: FxHashMap<&[String], u32> = FxHashMap::default();
    let mut found: Vec<String> = vec![];
    for run in runs {
        for event in &run.run.accesses {
            let place = cx.place_of(event);
            let ops = rests_on(places, &place);
            if ops.is_empty() || ops.iter().any(|o| found.contains(o)) {
                continue;
            }
            let times = tried.entry(ops).or_default();
            *times += 1;
            if *times > TRIES || until.is_spent() {
                continue;
            }
            let Some((wrapped, outcome)) = overflow(cx, tools, run, event, (place, ops)) else { continue };
            // Whoever rests on one of these is not looked at again, this place among them.
            found.extend(wrapped);
            out.push(Overflow { kernel: run.kernel, event, outcome });
        }
    }
    out
}

/// The operations that must not wrap for a place to be safe; none where it is not, or is anyway.
fn rests_on<'p>(places: &'p Places, place: &Place) -> &'p [String] {
    match places.get(place) {
        Some((Outcome::SafeIfNoWrap(ops), ..)) => ops,
        _ => &[],
    }
}

/// A replay in which an access goes out of bounds because something wraps; and what does.
fn overflow(
    cx: &Context<'_>,
    tools: &mut Tools<'_>,
    run: &Run,
    event: &AccessEvent,
    (place, ops): (Place, &[String]),
) -> Option<(Vec<String>, Outcome)> {
    event.targets.iter().find_map(|target| {
        let Base::Object(o) = target.base else { return None };
        let object = tools.e.object(o).clone();
        let facts = tools.e.arena.and(event.path, target.cond);
        let access = InObject { event, object: &object, target, facts, extent: object.extent? };
        overflow_in(cx, tools, run, &access, (&place, ops))
    })
}

fn overflow_in(
    cx: &Context<'_>,
    tools: &mut Tools<'_>,
    run: &Run,
    access: &InObject<'_>,
    (place, ops): (&Place, &[String]),
) -> Option<(Vec<String>, Outcome)> {
    let InObject { event, object, .. } = *access;
    let (mut ob, _) = obligation(tools, Some(run), access);
    let (counted, meant) = (threads_are_counted(tools, run), host_does_not_wrap(tools, run, ob.extent));
    ob.facts = tools.e.arena.and_all(vec![ob.facts, counted, meant]);
    let (model, wrapped) = tools.decider.wraps(&mut tools.e.arena, &ob, cx.scaled(ONE))?;
    let operation = wrapped.iter().find(|w| ops.contains(w))?;
    let below = model.value(&tools.e.arena, ob.offset, WrapMode::Exact).is_some_and(|v| v < 0);
    let what = verb(event.kind);
    let message = format!(
        "{what} {} of `{}`, since {} wraps",
        if below { "before the start" } else { "past the end" },
        place.1,
        shortened(operation)
    );
    let suspected = Suspected {
        rule: Class::IndexOverflow,
        wanted: Wanted::Fault(Fault::Bounds),
        event,
        object,
        obligation: &ob,
        essential: &[ob.offset, ob.extent],
        message,
    };
    let c = Counterexample { model, mode: WrapMode::Exact, degenerate: false };
    let finding = suspected.replayed(tools, run, &c, place.clone()).ok()?;
    (finding.verdict == Verdict::Proved).then(|| (wrapped, Outcome::Found(Box::new(finding))))
}

fn shortened(operation: &str) -> &str {
    if operation.len() > LONG { "an operation that it depends on" } else { operation }
}

/// That no dimension of the launch has more threads than an `int` can count.
fn threads_are_counted(tools: &mut Tools<'_>, run: &Run) -> TermId {
    let (a, c) = (&mut tools.e.arena, &run.launch.config);
    let each = (0..3)
        .map(|i| {
            let (n, most) = (a.mul(c.grid[i], c.block[i]), a.int(COUNTED));
            a.le(n, most)
        })
        .collect();
    a.and_all(each)
}

/// That nothing wraps which the host computes for the launch, on its way there, or for the sizes of memory.
fn host_does_not_wrap(tools: &mut Tools<'_>, run: &Run, extent: TermId) -> TermId {
    let computed = cone::mentioned(&tools.e, &run.launch, &[run.launch.path, extent]);
    let a = &mut tools.e.arena;
    let mut all = vec![];
    for w in a.cone(&computed) {
        let Term::Wrap { arg, bits, signed } = *a.get(w) else { continue };
        let (Some(lo), Some(hi)) = (Range::of_int(bits, signed).lo, Range::of_int(bits, signed).hi) else { continue };
        let (lo, hi) = (a.int(lo), a.int(hi));
        all.extend([a.le(lo, arg), a.le(arg, hi)]);
    }
    a.and_all(all)
}
