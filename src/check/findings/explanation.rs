//! Explanation of how one access is judged, for `--explain FILE:LINE` and `--dump obligations`: from its index in the
//! source to the verdict.
//!
//! In: an access in one context, its obligation, and the result. Out: lines for the user. The module decides nothing,
//! and does nothing unless an explanation was requested.

use crate::context::{ArrayPosition, CheckContext, ExecutedLaunch, InObject};
use crate::obligations::obligation::{Decision, Obligation};
use crate::obligations::verdict::{AccessExamination, AccessVerdict, Effort, FurtherEffort};
use crate::solver::{Model, WrapMode};
use base::inside::{self, Dump};
use engine::symbolic::exec::events::{AccessEvent, StaleEvent, StaleOperation};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::site::Site;
use engine::symbolic::memory::object::Object;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::display;
use engine::symbolic::terms::term::TermId;
use finding::Verdict;
use ir::{FuncRef, Program};

/// Most facts of a path that are written out.
const FACTS: usize = 40;

/// Whether an explanation of this access was requested.
pub(crate) fn is_wanted(cx: &CheckContext<'_>, ev: &AccessEvent) -> bool {
    inside::is_explaining() && is_asked_for(&cx.place_of(ev))
}

fn is_asked_for((loc, _): &ArrayPosition) -> bool {
    inside::explains(&loc.file, loc.line, loc.column)
}

/// Whether an explanation was requested of the host or kernel call that this call stack leads to.
pub(crate) fn is_wanted_call(program: &Program, stack: &[Site]) -> bool {
    inside::is_explaining()
        && super::position::users_call(program, stack).is_some_and(|call| {
            let loc = super::position::loc_of(program, call);
            inside::explains(&loc.file, loc.line, loc.column)
        })
}

fn at(program: &Program, site: Site) -> String {
    super::position::loc_of(program, site).to_string()
}

fn function(program: &Program, f: FuncRef) -> &str {
    &program.func(f).display
}

/// Returns the accessed expression, as far as source names are known; without a line number only this identifies the
/// access.
fn expression(program: &Program, ev: &AccessEvent) -> String {
    let (_, text) = super::position::seen(program, &ev.stack, ev.site, ev.kind);
    if text.index.is_empty() { text.array } else { format!("{}[{}]", text.array, text.index) }
}

/// Explains the access itself, once for each look at it.
pub(crate) fn access(cx: &CheckContext<'_>, run: Option<&ExecutedLaunch>, ev: &AccessEvent, effort: Effort) {
    inside::explain(|| {
        let (loc, array) = cx.place_of(ev);
        let look = match effort {
            Effort::Glance => "a glance",
            Effort::First => "a first look",
            Effort::Full => "a second look",
        };
        let program = cx.program;
        let of = match run {
            Some(run) => format!(
                "`{}`, launch {} at {}",
                function(program, run.kernel),
                run.number + 1,
                at(program, run.launch.site)
            ),
            None => "a kernel without a known launch".to_owned(),
        };
        let calls: Vec<String> =
            ev.stack.iter().skip(1).map(|s| format!("\n  inlined or called at {}", at(program, *s))).collect();
        format!("{loc}: `{array}` in {of}: {look}{}", calls.concat())
    });
}

fn facts(a: &Arena, path: TermId) -> String {
    let all = a.conjuncts(path);
    let mut text: String = all.iter().take(FACTS).map(|f| format!("\n      {}", display::term(a, *f))).collect();
    if all.len() > FACTS {
        text.push_str(&format!("\n      and {} more", all.len() - FACTS));
    }
    if all.is_empty() {
        text.push_str(" nothing");
    }
    text
}

/// Describes the origin of an object's extent.
fn origin(program: &Program, object: &Object) -> String {
    let made = object.site.map_or_else(String::new, |(module, loc)| {
        let loc = program.loc(module, loc);
        format!(", made at {loc}")
    });
    format!("`{}` ({:?}{made})", object.name, object.kind)
}

fn bounds(a: &Arena, program: &Program, object: &Object, ob: &Obligation) -> String {
    format!(
        "  object {}\n    0 <= {}\n    and {} + {} <= {} (bytes)\n    where{}",
        origin(program, object),
        display::term(a, ob.offset),
        display::term(a, ob.offset),
        display::term(a, ob.bytes),
        display::term(a, ob.extent),
        facts(a, ob.facts)
    )
}

/// Explains the obligation of one side of a copying or filling call.
pub(crate) fn side(e: &Executor<'_>, (loc, array): &ArrayPosition, object: &Object, ob: &Obligation) {
    inside::explain(|| format!("{loc}: the call and `{array}`\n{}", bounds(&e.arena, e.program, object, ob)));
}

/// Explains an operation on possibly freed memory.
pub(crate) fn stale(e: &Executor<'_>, event: &StaleEvent) {
    inside::explain(|| {
        let freed: Vec<String> = event
            .freed
            .at
            .iter()
            .filter_map(|way| super::position::users_call(e.program, way))
            .map(|site| format!("\n    freed at {}", at(e.program, site)))
            .collect();
        let deed = if matches!(event.deed, StaleOperation::FreedAgain) { "freed again" } else { "used" };
        let used = super::position::users_call(e.program, &event.stack).map_or_else(String::new, |s| at(e.program, s));
        format!(
            "{used}: {deed} after a possible free: object {}{}\n    where{}",
            origin(e.program, e.object(event.object)),
            freed.concat(),
            facts(&e.arena, event.path)
        )
    });
}

/// Explains whether a recorded event can happen.
pub(crate) fn happens(e: &Executor<'_>, decision: &Decision, cut: bool) {
    inside::explain(|| {
        let said = match decision {
            Decision::Safe => "it cannot happen, even if operations wrap".to_owned(),
            Decision::SafeIfNoWrap(ops) => format!("it cannot happen if {} does not wrap", ops.join(" and ")),
            Decision::Fails(c) => format!("it happens {}", values(&e.arena, &c.model)),
            Decision::Unknown(why) => format!("undecided: {why}"),
        };
        format!("    -> {said}{}", if cut { " (a budget ended some search)" } else { "" })
    });
}

/// Explains the outcome of an event that is not a counted access.
pub(crate) fn outcome(outcome: &AccessVerdict) {
    inside::explain(|| format!("  => {}", words(outcome)));
}

/// Explains the final outcome of a source position: the worst over all launches and instances that reach it, and all
/// rules.
pub(crate) fn counts_as(place: &ArrayPosition, kernel: &str, outcome: &AccessVerdict) {
    if inside::is_explaining() {
        inside::at_the_place(is_asked_for(place), || {
            inside::explain(|| {
                let (loc, array) = place;
                format!("{loc}: `{array}` in `{kernel}` counts as {}", words(outcome))
            });
        });
    }
}

fn words(outcome: &AccessVerdict) -> String {
    match outcome {
        AccessVerdict::Safe => "safe".to_owned(),
        AccessVerdict::SafeIfNoWrap(ops) => format!("safe if {} does not wrap", ops.join(" and ")),
        AccessVerdict::Unknown(why) => format!("undecided: {why}"),
        AccessVerdict::Found(f) if f.verdict == Verdict::Proved => format!("proved: {}", f.message),
        AccessVerdict::Found(f) => format!("possible: {}", f.message),
    }
}

/// Explains the obligation of the access in one object.
pub(crate) fn obligation(cx: &CheckContext<'_>, e: &Executor<'_>, access: &InObject<'_>, ob: &Obligation) {
    let text = || bounds(&e.arena, cx.program, access.object, ob);
    inside::explain(text);
    inside::dump(Dump::Obligations, || {
        let (loc, array) = cx.place_of(access.event);
        let named = if loc.line == 0 { expression(cx.program, access.event) } else { array };
        format!("obligation of `{named}` at {loc}\n{}", text())
    });
}

/// Lists the values that a model gives to the inputs and other symbols of an obligation.
fn values(a: &Arena, m: &Model) -> String {
    let mut values: Vec<String> = m.values.iter().map(|(s, v)| format!("{} = {v}", a.symbol(*s).name)).collect();
    values.sort();
    values.dedup();
    values.truncate(FACTS);
    if values.is_empty() { "always".to_owned() } else { format!("where {}", values.join(", ")) }
}

fn model(a: &Arena, m: &Model, mode: WrapMode) -> String {
    let reading = if mode == WrapMode::Exact { ", with wrap-around as it is" } else { "" };
    format!("it fails{reading} {}", values(a, m))
}

/// Explains the decision of the obligation.
pub(crate) fn decision(e: &Executor<'_>, decision: &Decision, cut: bool) {
    let text = || {
        let said = match decision {
            Decision::Safe => "it holds, even if operations wrap".to_owned(),
            Decision::SafeIfNoWrap(ops) => format!("it holds if {} does not wrap", ops.join(" and ")),
            Decision::Fails(c) => model(&e.arena, &c.model, c.mode),
            Decision::Unknown(why) => format!("undecided: {why}"),
        };
        format!("    -> {said}{}", if cut { " (a budget ended some search)" } else { "" })
    };
    inside::explain(text);
    inside::dump(Dump::Obligations, text);
}

/// Explains the verdict of a look.
pub(crate) fn verdict(look: &AccessExamination) {
    inside::explain(|| match (look.more, &look.outcome) {
        (FurtherEffort::Nothing, o) => format!("  => {}", words(o)),
        (FurtherEffort::Work, AccessVerdict::Unknown(_)) => {
            "  => left to the second pass, if work is left for one".to_owned()
        }
        (FurtherEffort::Work, o) => format!("  => {}; the second pass could change that", words(o)),
        (FurtherEffort::Replay, o) => format!("  => {}; a replay could change that", words(o)),
    });
}
