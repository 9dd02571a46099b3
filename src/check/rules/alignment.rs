//! `misaligned`: loads, stores and copies of structures whose address is no multiple of what it must be.
//!
//! In: accesses of a kernel that are not surely aligned. Out: findings at them.

use crate::check::counterexample::replay::Wanted;
use crate::check::engine::Place;
use crate::check::findings::build::loc_of;
use crate::check::findings::host_call::{Tools, users_call};
use crate::check::findings::kernel::{Happens, Launched, Suspected};
use crate::check::findings::wording;
use crate::check::obligations::cone;
use crate::check::obligations::decide::{Decision, Obligation};
use crate::check::obligations::verdict::Outcome;
use crate::report::finding::Rule;
use crate::symbolic::exec::events::UnalignedEvent;
use crate::symbolic::exec::executor::{AccessEvent, AccessKind, Stores};
use crate::symbolic::memory::partition::Moment;
use crate::symbolic::terms::term::TermId;
use std::rc::Rc;

/// Where such a finding stands.
pub(in crate::check) fn place(tools: &Tools<'_>, event: &UnalignedEvent) -> Option<Place> {
    let site = users_call(tools.e.program, &event.stack)?;
    Some((loc_of(tools.e.program, site), wording::side(tools.e.program, site, event.kind).array))
}

/// Decides one; `None` where nothing can be said.
pub(in crate::check) fn of_kernel(
    tools: &mut Tools<'_>,
    l: &Launched<'_>,
    event: &UnalignedEvent,
    place: Place,
) -> Option<Outcome> {
    // An offset that rests on something unknown may well be aligned whatever that is.
    if !cone::unknowns(&tools.e, &[event.offset]).is_empty() {
        return None;
    }
    let Decision::Fails { model, mode, degenerate } = tools.decider.happens(&mut tools.e.arena, event.path) else {
        return None;
    };
    let object = tools.e.object(event.object).clone();
    let what = match event.kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Atomic => "atomic update",
    };
    let message = format!("{what} of `{}` at an address that is no multiple of {}", place.1, event.align);
    let obligation = Obligation {
        facts: event.path,
        offset: event.offset,
        bytes: event.bytes,
        extent: object.extent.unwrap_or(event.bytes),
    };
    let access = AccessEvent {
        site: *event.stack.last()?,
        stack: event.stack.clone(),
        targets: Rc::new(vec![]),
        bytes: event.bytes,
        kind: event.kind,
        path: event.path,
        at: Moment::default(),
        rows: None,
        stores: Stores::Unknown,
    };
    let essential: [TermId; 1] = [event.offset];
    let s = Suspected {
        rule: Rule::Misaligned,
        wanted: Wanted::Unaligned(event.align),
        event: &access,
        object: &object,
        obligation: &obligation,
        essential: &essential,
        message,
    };
    match l.replayed(tools, s, &Happens { model, mode, degenerate }, place) {
        Ok(f) => Some(Outcome::Found(Box::new(f))),
        Err(why) => Some(Outcome::Unknown(why)),
    }
}
