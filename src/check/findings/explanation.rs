//! How one access is judged, for `--explain FILE:LINE` and `--dump obligations`: from its index in the source to the verdict.
//!
//! In: an access in one context, what it must keep to, what came of that. Out: lines for whoever asked. It decides nothing, and does
//! nothing where nobody asked.

use crate::check::context::{Context, InObject, Run};
use crate::check::obligations::obligation::{Decision, Obligation};
use crate::check::obligations::verdict::{Effort, Look, Outcome};
use crate::check::solver::{Model, WrapMode};
use crate::inside::{self, Dump};
use crate::ir::{FuncRef, Program};
use crate::report::finding::Verdict;
use crate::symbolic::exec::events::AccessEvent;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::site::Site;
use crate::symbolic::memory::object::Object;
use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::display;
use crate::symbolic::terms::term::TermId;

/// Facts of a path that are written out.
const FACTS: usize = 40;

/// Whether somebody asked for this access.
pub(in crate::check) fn is_wanted(cx: &Context<'_>, ev: &AccessEvent) -> bool {
    inside::is_explaining() && {
        let (loc, _) = cx.place_of(ev);
        inside::explains(&loc.file, loc.line, loc.column)
    }
}

fn at(program: &Program, site: Site) -> String {
    let loc = super::position::loc_of(program, site);
    format!("{}:{}:{}", loc.file, loc.line, loc.column)
}

fn function(program: &Program, f: FuncRef) -> &str {
    &program.func(f).display
}

/// The access itself, once for each look at it.
pub(in crate::check) fn access(cx: &Context<'_>, run: Option<&Run>, ev: &AccessEvent, effort: Effort) {
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
            None => "a kernel that no known code launches".to_owned(),
        };
        let calls: Vec<String> =
            ev.stack.iter().skip(1).map(|s| format!("\n  inlined or called at {}", at(program, *s))).collect();
        format!("{}:{}:{}: `{array}` in {of}: {look}{}", loc.file, loc.line, loc.column, calls.concat())
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

/// Where an object's extent comes from.
fn origin(program: &Program, object: &Object) -> String {
    let made = object.site.map_or_else(String::new, |(module, loc)| {
        let loc = program.loc(module, loc);
        format!(", made at {}:{}:{}", loc.file, loc.line, loc.column)
    });
    format!("`{}` ({:?}{made})", object.name, object.kind)
}

/// What the access must keep to in one object.
pub(in crate::check) fn obligation(cx: &Context<'_>, e: &Executor<'_>, access: &InObject<'_>, ob: &Obligation) {
    let text = || {
        let a = &e.arena;
        format!(
            "  object {}\n    0 <= {}\n    and {} + {} <= {} (bytes)\n    where{}",
            origin(cx.program, access.object),
            display::term(a, ob.offset),
            display::term(a, ob.offset),
            display::term(a, ob.bytes),
            display::term(a, ob.extent),
            facts(a, ob.facts)
        )
    };
    inside::explain(text);
    inside::dump(Dump::Obligations, || {
        let (loc, array) = cx.place_of(access.event);
        format!("obligation of `{array}` at {}:{}:{}\n{}", loc.file, loc.line, loc.column, text())
    });
}

/// What a model gives to the inputs and other symbols of an obligation.
fn model(a: &Arena, m: &Model, mode: WrapMode) -> String {
    let mut values: Vec<String> = m.values.iter().map(|(s, v)| format!("{} = {v}", a.symbol(*s).name)).collect();
    values.sort();
    values.dedup();
    values.truncate(FACTS);
    let reading = if mode == WrapMode::Exact { ", with wrap-around as it is" } else { "" };
    format!("it fails{reading} where {}", values.join(", "))
}

/// What became of the obligation.
pub(in crate::check) fn decision(e: &Executor<'_>, decision: &Decision, cut: bool) {
    let text = || {
        let said = match decision {
            Decision::Safe => "it holds, also where operations wrap".to_owned(),
            Decision::SafeIfNoWrap(ops) => format!("it holds where {} does not wrap", ops.join(" and ")),
            Decision::Fails { model: m, mode, .. } => model(&e.arena, m, *mode),
            Decision::Unknown(why) => format!("open: {why}"),
        };
        format!("    -> {said}{}", if cut { " (a budget ended some search)" } else { "" })
    };
    inside::explain(text);
    inside::dump(Dump::Obligations, text);
}

/// The verdict of a look.
pub(in crate::check) fn verdict(look: &Look) {
    inside::explain(|| {
        let said = match &look.outcome {
            Outcome::Safe => "safe".to_owned(),
            Outcome::SafeIfNoWrap(ops) => format!("safe if {} does not wrap", ops.join(" and ")),
            Outcome::Unknown(why) => format!("undecided: {why}"),
            Outcome::Found(f) if f.verdict == Verdict::Proved => format!("proved: {}", f.message),
            Outcome::Found(f) => format!("possible: {}", f.message),
        };
        format!("  => {said}; more effort could change: {:?}", look.more)
    });
}
