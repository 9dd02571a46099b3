//! Accesses that stay inside only while no operation wraps: inputs for which one does.
//!
//! In: launches whose accesses are decided. Out: one finding of the rule `index-overflow` for each operation, of host
//! or device, that wraps under some inputs so that an access goes out of bounds in machine arithmetic. The finding is
//! proved where a replay reached the access, and possible where none came so far. None is reported for inputs with
//! more threads in one dimension than an `int` can count, since the thread index then wraps in nearly every kernel;
//! nor for more memory than any device can hold, for empty allocations, or for inputs that the program rejects.

use super::bounds::obligation;
use super::rule::RuleCheck;
use crate::context::{
    ArrayPosition, CheckContext, ExecutedLaunch, InObject, PositionDecisions, RootTools, WorstDecision,
};
use crate::counterexample::replay_result::SoughtFault;
use crate::counterexample::surroundings;
use crate::findings::build::verb;
use crate::findings::kernel::Suspected;
use crate::findings::position::{position, position_of};
use crate::findings::wording;
use crate::obligations::obligation::{Counterexample, Obligation};
use crate::obligations::verdict::AccessVerdict;
use crate::obligations::wrapping::{inside, integer};
use crate::solver::{SolverLimits, WrapMode};
use base::rules::Rule;
use base::work::Work;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::memory::object::Object;
use engine::symbolic::memory::value::Base;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::display;
use engine::symbolic::terms::term::{Term, TermId};
use finding::steps::{Step, StepKind};
use finding::{Finding, Position, Related};
use ir::{FuncRef, Side};
use rustc_hash::FxHashSet;
use witness::AccessFault;

/// Work for all overflows of one root, and for one of them: they are worth less than everything else.
const MAX: Work = Work::seconds(2);
const ONE: Work = Work::millis(700);

/// Most bytes that a replay of one may fill here: sizes are large, and loops over them need not be followed.
const BYTES: u64 = 128 << 20;

/// Accesses that are tried for one set of operations.
const TRIES: usize = 2;

/// Most other failing accesses that a finding shows.
const SHOWN: usize = 4;

/// Bytes of an operation's text beyond which nobody reads it.
const LONG: usize = 80;

/// Threads in one dimension that an `int` can count.
const COUNTED: i128 = i32::MAX as i128;

/// The rule `index-overflow`. It is applied last, to all accesses that are safe if nothing wraps.
pub(crate) struct IndexOverflow;

impl RuleCheck for IndexOverflow {
    fn classes(&self) -> &'static [Rule] {
        &[Rule::IndexOverflow]
    }
}

/// Finding at an access.
pub(crate) struct Overflow<'r> {
    pub kernel: FuncRef,
    pub event: &'r AccessEvent,
    pub outcome: AccessVerdict,
}

/// An access that is safe only while some operations do not wrap.
struct WrapDependentAccess<'r, 'p> {
    run: &'r ExecutedLaunch,
    event: &'r AccessEvent,
    place: ArrayPosition,
    /// Operations by name.
    operations: &'p [String],
}

/// Identity of an operation for users: its position, and its text without smaller terms and factors. One change
/// corrects both `y * width + x` and `y * width + x + 1` in one function, and likewise `i + n` and `i + 2 * n`
/// (arrays of planes).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Operation {
    /// Position in the user's own code; `None` where a summarised loop gave the operation.
    position: Option<Position>,
    /// Whether a kernel computes it.
    on_device: bool,
    /// Text in the words of the source or of the inputs; `None` where it would be too long to read.
    text: Option<String>,
    bits: u32,
    function: Option<String>,
    leading: String,
}

impl Operation {
    fn of(tools: &mut RootTools<'_>, wrap: TermId) -> Self {
        let program = tools.e.program;
        let e = &mut tools.e;
        let site = e.operations.of_wrap(&e.arena, wrap);
        let (arg, bits) = if let Term::Wrap { arg, bits, .. } = *e.arena.get(wrap) { (arg, bits) } else { (wrap, 0) };
        let leading = leading_form(&mut e.arena, arg);
        let text = site.and_then(|s| wording::computed(program, s)).unwrap_or_else(|| display::term(&e.arena, arg));
        Self {
            position: site.map(|s| position(program, s)),
            on_device: site.is_some_and(|s| program.module(s.func.module).side == Side::Device),
            text: (text.len() <= LONG).then_some(text),
            bits,
            function: site.and_then(|s| wording::function(program, s.func)),
            leading: display::term(&e.arena, leading),
        }
    }

    fn is(&self, other: &Self) -> bool {
        self.position.is_some() && self.position == other.position
            || self.bits == other.bits && self.function == other.function && self.leading == other.leading
    }

    /// Describes the wrap in a model.
    fn wrapping(&self, a: &Arena, wrap: TermId, c: &Counterexample) -> String {
        let Term::Wrap { arg, bits, signed } = *a.get(wrap) else { return String::new() };
        let what =
            self.text.as_ref().map_or_else(|| "an operation that it depends on".to_owned(), |text| format!("`{text}`"));
        let kept = integer(bits, signed);
        let value = |t: TermId| c.model.value(a, t, WrapMode::Exact);
        match (value(arg), value(wrap)) {
            (Some(exact), Some(read)) => format!("{what} is {exact}, which wraps to {read} as {kept}"),
            _ => format!("{what} wraps as {kept}"),
        }
    }
}

impl Operation {
    /// Returns the step in which the operation wraps, at its position.
    fn step(&self, a: &Arena, wrap: TermId, c: &Counterexample) -> Option<Step> {
        let kind = if self.on_device { StepKind::Index } else { StepKind::Size };
        let value = c.model.value(a, wrap, WrapMode::Exact);
        let step = Step::new(kind, self.wrapping(a, wrap, c)).with_value(value);
        Some(step.at(self.position.clone()?))
    }
}

/// Returns the sum of a polynomial's monomials of the highest degree, without their coefficients.
fn leading_form(a: &mut Arena, t: TermId) -> TermId {
    let mut p = a.poly(t);
    let degree = p.terms.iter().map(|(m, _)| m.len()).max().unwrap_or(0);
    p.terms.retain(|(m, _)| m.len() == degree);
    p.terms.iter_mut().for_each(|(_, factor)| *factor = 1);
    a.from_poly(p)
}

/// Searches for inputs under which accesses that are safe if nothing wraps go out of bounds. `places` lists these
/// accesses.
pub(crate) fn find<'r>(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    runs: &'r [ExecutedLaunch],
    places: &PositionDecisions,
) -> Vec<Overflow<'r>> {
    let mut out = vec![];
    if cx.bare || !tools.root.trusted {
        return out;
    }
    let until = cx.phase(MAX, 100);
    let resting = resting(cx, runs, places);
    let mut names: Vec<&String> = resting.iter().flat_map(|r| r.operations).collect();
    let mut seen = FxHashSet::default();
    names.retain(|n| seen.insert(*n));
    let mut known: Vec<Operation> = vec![];
    for name in names {
        let of_it = resting.iter().filter(|r| r.operations.contains(name));
        for access in of_it.take(TRIES) {
            if until.is_spent() {
                return out;
            }
            let work = cx.scaled(ONE).min(until.left());
            tools.judge.replay_within(work, BYTES);
            let look = OperationDependence { work, access, all: &resting, name };
            if let Some(outcome) = look.wraps(cx, tools, &mut known) {
                out.push(Overflow { kernel: access.run.kernel, event: access.event, outcome });
                break;
            }
        }
    }
    out
}

/// Returns the accesses that rest on operations, in the order of the runs.
fn resting<'r, 'p>(
    cx: &CheckContext<'_>,
    runs: &'r [ExecutedLaunch],
    places: &'p PositionDecisions,
) -> Vec<WrapDependentAccess<'r, 'p>> {
    let mut out = vec![];
    for run in runs {
        for event in &run.run.accesses {
            let place = cx.place_of(event);
            if let Some(WorstDecision { outcome: AccessVerdict::SafeIfNoWrap(operations), .. }) = places.get(&place) {
                out.push(WrapDependentAccess { run, event, place, operations });
            }
        }
    }
    out
}

/// An operation and an access that rests on it.
struct OperationDependence<'a> {
    /// Work of each query and replay.
    work: Work,
    access: &'a WrapDependentAccess<'a, 'a>,
    all: &'a [WrapDependentAccess<'a, 'a>],
    name: &'a str,
}

impl OperationDependence<'_> {
    /// Returns a finding if the access goes out of bounds because the operation wraps; adds the operation to the
    /// known ones.
    fn wraps(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        known: &mut Vec<Operation>,
    ) -> Option<AccessVerdict> {
        let WrapDependentAccess { run, event, .. } = *self.access;
        event.targets.iter().find_map(|target| {
            let Base::Object(o) = target.base else { return None };
            let object = tools.e.object(o).clone();
            let facts = tools.e.arena.and(event.path, target.cond);
            let access = InObject { event, object: &object, target, facts, extent: object.extent? };
            let (mut ob, _) = obligation(tools, Some(run), &access);
            let (counted, one) = (threads_are_counted(tools, run), tools.e.arena.int(1));
            let some = tools.e.arena.le(one, ob.extent);
            let most = tools.e.most_of_device();
            let most = tools.e.arena.int(most);
            let held = tools.e.arena.le(ob.extent, most);
            let replayed = surroundings::of_replays(tools, &[ob.facts, ob.offset, ob.extent]);
            let facts = [ob.facts, counted, some, held].into_iter().chain(replayed).collect();
            ob.facts = tools.e.arena.and_all(facts);
            self.in_object(cx, tools, &object, &ob, known)
        })
    }

    fn in_object(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        object: &Object,
        ob: &Obligation,
        known: &mut Vec<Operation>,
    ) -> Option<AccessVerdict> {
        let operations = tools.decider.operations(&mut tools.e.arena, ob);
        let wrap = operations.get(self.name)?;
        let operation = Operation::of(tools, wrap);
        if known.iter().any(|k| k.is(&operation)) {
            return None;
        }
        let others: Vec<TermId> = self.access.operations.iter().filter_map(|n| operations.get(n)).collect();
        // The operation alone, or together with others that are not found yet.
        let found: Vec<TermId> = others
            .iter()
            .copied()
            .filter(|w| {
                let other = Operation::of(tools, *w);
                known.iter().any(|k| k.is(&other))
            })
            .collect();
        let limits = SolverLimits { work: self.work, ..cx.attempt.limits };
        let alone = tools.decider.wrapping(&mut tools.e.arena, ob, wrap, &others, &limits);
        let model = match alone {
            Some(model) => model,
            None if found.len() + 1 >= others.len() => return None,
            None => tools.decider.wrapping(&mut tools.e.arena, ob, wrap, &found, &limits)?,
        };
        let c = Counterexample { model, mode: WrapMode::Exact, degenerate: false };
        let mut finding = self.replayed(cx, tools, object, ob, (&operation, wrap, &c))?;
        let index = finding.steps.iter().position(|s| s.kind == StepKind::Index).unwrap_or(finding.steps.len());
        finding.steps.splice(index..index, operation.step(&tools.e.arena, wrap, &c));
        finding.related = self.related(tools, &operation, &c, std::mem::take(&mut finding.related));
        known.push(operation);
        Some(AccessVerdict::Found(Box::new(finding)))
    }

    /// Replays the model; `None` where the access does not fail there.
    fn replayed(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        object: &Object,
        ob: &Obligation,
        (operation, wrap, c): (&Operation, TermId, &Counterexample),
    ) -> Option<Finding> {
        let WrapDependentAccess { run, event, place, .. } = self.access;
        let value = |t: TermId| c.model.value(&tools.e.arena, t, WrapMode::Exact);
        let below = value(ob.offset).is_some_and(|v| v < 0);
        let where_ = if below { "before the start" } else { "past the end" };
        let why = operation.wrapping(&tools.e.arena, wrap, c);
        let message = format!("{} {where_} of `{}`, since {why}", verb(event.kind), place.1);
        let suspected = Suspected {
            rule: Rule::IndexOverflow,
            wanted: SoughtFault::Fault(AccessFault::Bounds),
            event,
            object,
            obligation: ob,
            essential: &[ob.offset, ob.extent],
            message,
        };
        suspected.replayed(cx, tools, run, c, place.clone()).ok()
    }

    /// Returns the operation's position, and other accesses that go out of bounds with it.
    fn related(
        &self,
        tools: &mut RootTools<'_>,
        operation: &Operation,
        c: &Counterexample,
        inner: Vec<Related>,
    ) -> Vec<Related> {
        let mut out = vec![];
        let what =
            operation.text.as_ref().map_or_else(|| "this wraps".to_owned(), |text| format!("`{text}` wraps here"));
        out.extend(operation.position.clone().map(|position| Related { position, what, inner: false }));
        let own = |at: &ArrayPosition| position_of(at.0.clone());
        let mut others: Vec<Related> = vec![];
        for other in self.all.iter().filter(|r| r.place != self.access.place && r.run.number == self.access.run.number)
        {
            if others.len() >= SHOWN || others.iter().any(|o| o.position == own(&other.place)) {
                continue;
            }
            if other.operations.iter().any(|n| n == self.name) && goes_wrong(tools, other, c) {
                let what = format!("`{}` is left here too", other.place.1);
                others.push(Related { position: own(&other.place), what, inner: false });
            }
        }
        out.into_iter().chain(others).chain(inner).collect()
    }
}

/// Whether a model of another access of the launch leads this one out of bounds too.
fn goes_wrong(tools: &mut RootTools<'_>, access: &WrapDependentAccess<'_, '_>, c: &Counterexample) -> bool {
    let WrapDependentAccess { run, event, .. } = *access;
    event.targets.iter().any(|target| {
        let Base::Object(o) = target.base else { return false };
        let object = tools.e.object(o).clone();
        let Some(extent) = object.extent else { return false };
        let facts = tools.e.arena.and(event.path, target.cond);
        let (ob, _) = obligation(tools, Some(run), &InObject { event, object: &object, target, facts, extent });
        let inside = inside(&mut tools.e.arena, &ob);
        c.model.refutes(&tools.e.arena, &[ob.facts], inside, WrapMode::Exact)
    })
}

/// Builds the condition that no dimension of the launch has more threads than an `int` can count.
fn threads_are_counted(tools: &mut RootTools<'_>, run: &ExecutedLaunch) -> TermId {
    let (a, c) = (&mut tools.e.arena, &run.launch.config);
    let each = (0..3)
        .map(|i| {
            let (n, most) = (a.mul(c.grid[i], c.block[i]), a.int(COUNTED));
            a.le(n, most)
        })
        .collect();
    a.and_all(each)
}
