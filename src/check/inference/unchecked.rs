//! `unchecked-argument` for raw pointers of entry points: their extents, which no code can check.
//!
//! In: the decisions of a program whose entry points are named. Out: where only the extent of an entry point's own
//! pointers is missing, one finding for each entry point, with the condition that its callers must keep. A contract
//! that states the condition decides these accesses.

use super::SourceAccess;
use super::entry::{self, EntryRequirements, LaunchedAccess};
use super::missing::check_of;
use crate::context::ArrayPosition;
use crate::findings::position::{inner_places, position_of};
use crate::findings::wording::seen;
use crate::obligations::verdict::AccessVerdict;
use crate::pipeline::{Engine, budgets};
use base::rules::{Level, Rule};
use contracts::Cond;
use contracts::ast::{ContractFunction, TermKind};
use engine::symbolic::exec::events::AccessKind;
use finding::{Access, Direction, Finding, MemorySpace, MissingCheck, ReasonCode, Verdict};
use ir::FuncRef;
use library::host::{HostRoot, roots};
use std::collections::{BTreeMap, BTreeSet};

/// Most characters of one finding's condition.
const LONGEST: usize = 400;

/// Turns accesses that are undecided for want of an extent into findings, if a condition on the pointers of an entry
/// point makes them safe.
pub(crate) fn of_entries(engine: &mut Engine<'_>) {
    let open: BTreeMap<SourceAccess, ArrayPosition> = engine
        .places
        .iter()
        .filter(|(_, t)| matches!(&t.outcome, AccessVerdict::Unknown(why) if why.code() == ReasonCode::ExtentUnknown))
        .map(|(place, _)| (place.clone().into(), place.clone()))
        .collect();
    if open.is_empty() {
        return;
    }
    let options = engine.cx.options;
    let entries: Vec<HostRoot> =
        roots(engine.cx.program, &options.roots, &options.entry).into_iter().filter(|root| root.entry).collect();
    let count = entries.len();
    engine.by_turns(&entries, |engine, root| {
        engine.cx.all = engine.cx.phase(budgets::asked_for(count), 100);
        let mut alone = engine.again();
        let Some(required) = entry::infer(&mut alone, root) else { return };
        for (place, kernel, finding) in findings(engine, root, &required, &open) {
            engine.put_at(place, kernel, AccessVerdict::Found(Box::new(finding)), vec![]);
        }
    });
}

/// Returns a finding for each open access that the conditions of an entry point cover; all have the same condition.
fn findings(
    engine: &Engine<'_>,
    root: &HostRoot,
    required: &EntryRequirements,
    open: &BTreeMap<SourceAccess, ArrayPosition>,
) -> Vec<(ArrayPosition, FuncRef, Finding)> {
    let program = engine.cx.program;
    let f = program.func(root.func);
    let is_own = |name: &str| f.params.iter().any(|p| p.name == name);
    let (mut all, mut found) = (vec![], BTreeMap::new());
    let uncovered = |place: &SourceAccess| required.found.open.iter().any(|o| o.place == *place);
    for condition in &required.found.conditions {
        let covered: Vec<&SourceAccess> =
            condition.covers.iter().filter(|place| open.contains_key(place) && !uncovered(place)).collect();
        let Some(pointer) = pointer_of(&condition.condition, &is_own) else { continue };
        let with = Cond::all(all.iter().chain([&condition.condition]).cloned().collect());
        if covered.is_empty() || with.to_string().len() > LONGEST {
            continue;
        }
        all.push(condition.condition.clone());
        for place in covered {
            found.entry(place).or_insert_with(|| pointer.clone());
        }
    }
    let position = position_of(program.users_loc(root.func.module, f.loc));
    let check = MissingCheck {
        contract: true,
        narrow: BTreeSet::new(),
        wide: BTreeSet::new(),
        unsigned: BTreeSet::new(),
        ..check_of((program.module(root.func.module), f), Cond::all(all).to_string(), position)
    };
    found
        .into_iter()
        .filter_map(|(place, pointer)| {
            let of = required.accesses.get(place)?;
            Some((open[place].clone(), of.kernel, finding(engine, root, (place, of), &pointer, check.clone())))
        })
        .collect()
}

/// Returns a pointer whose extent a condition restricts, if all pointers in it are parameters of the function.
fn pointer_of(condition: &Cond, is_own: &dyn Fn(&str) -> bool) -> Option<String> {
    let (mut pointer, mut open) = (None, condition.terms());
    while let Some(term) = open.pop() {
        match &term.kind {
            TermKind::Apply(ContractFunction::Extent | ContractFunction::Elements, of) => {
                match of.first().map(|a| &a.kind) {
                    Some(TermKind::Name(name)) if is_own(name) => pointer = Some(name.clone()),
                    _ => return None,
                }
            }
            _ => open.extend(term.parts()),
        }
    }
    pointer
}

fn finding(
    engine: &Engine<'_>,
    root: &HostRoot,
    (place, of): (&SourceAccess, &LaunchedAccess),
    pointer: &str,
    check: MissingCheck,
) -> Finding {
    let program = engine.cx.program;
    let entry = program.func(root.func).display.clone();
    let function = entry.split('(').next().unwrap_or(&entry);
    let event = &of.event;
    let index = seen(program, &event.stack, event.site, event.kind).index;
    Finding {
        fingerprint: String::new(),
        rule: Rule::UncheckedArgument,
        level: Level::Warn,
        verdict: Verdict::Possible,
        degenerate: false,
        occurrences: 1,
        program: String::new(),
        message: format!("`{function}` cannot check how long `{pointer}` is"),
        access: Access {
            position: place.position.clone(),
            kernel: program.func(of.kernel).display.clone(),
            array: place.array.clone(),
            partition: None,
            direction: match event.kind {
                AccessKind::Read => Direction::Read,
                AccessKind::Write => Direction::Write,
                AccessKind::Atomic => Direction::Atomic,
            },
            space: MemorySpace::Global,
            index,
            bytes: of.bytes.unwrap_or(0),
        },
        allocation: None,
        launch: None,
        related: inner_places(program, &event.stack, event.kind),
        witness: None,
        confirmation: None,
        steps: vec![],
        confirmation_not_run: None,
        assumptions: vec![],
        unknowns: vec![],
        arguments: BTreeMap::default(),
        missing_check: Some(check),
        architecture: None,
        fix: None,
        root: entry,
    }
}
