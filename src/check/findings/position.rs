//! Source positions of instructions, and the source's names of their operands.
//!
//! In: a program and its instructions. Out: positions as users see them: the innermost frame, among calls and inlined
//! calls, in the user's own sources; and the frames below it in system headers. The module is independent of
//! launches, models and findings.

use super::wording::{self, AccessText};
use engine::symbolic::exec::events::{AccessEvent, AccessKind, LaunchEvent};
use engine::symbolic::exec::site::Site;
use finding::{Position, Related};
use ir::{Program, SourceLoc};

/// An access in the source: position and array.
pub(crate) type ArrayPosition = (SourceLoc, String);

/// Returns the source position (of the innermost call outside system headers) and the array.
pub(crate) fn place_of(program: &Program, ev: &AccessEvent) -> ArrayPosition {
    let (site, text) = seen(program, &ev.stack, ev.site, ev.kind);
    (loc_of(program, site), text.array)
}

/// Returns the site at which a user sees an access, and its text there.
pub(crate) fn seen(program: &Program, stack: &[Site], own: Site, kind: AccessKind) -> (Site, AccessText) {
    let site = innermost_of_user(program, stack).unwrap_or(own);
    (site, wording::seen(program, stack, site, kind))
}

/// Returns the source position of an instruction, as a user sees it.
pub(crate) fn loc_of(program: &Program, s: Site) -> SourceLoc {
    program.users_loc(s.func.module, program.loc_at(s.func, s.block, s.inst))
}

pub(crate) fn numbers(s: Site) -> [u32; 4] {
    [s.func.module.0, s.func.func.0, s.block.0, s.inst]
}

/// Returns the innermost of these calls in the user's own code.
pub(crate) fn users_call(program: &Program, stack: &[Site]) -> Option<Site> {
    innermost_of_user(program, stack).or_else(|| stack.last().copied())
}

/// Returns the source's name of a call argument, else the name of the memory.
pub(crate) fn named(program: &Program, call: Site, argument: usize, object: &str) -> String {
    match wording::argument(program, call, argument) {
        Some(name) => name,
        None if object.is_empty() => "memory".to_owned(),
        None => object.to_owned(),
    }
}

/// Returns the position of an instruction.
pub(crate) fn position(program: &Program, s: Site) -> Position {
    position_of(loc_of(program, s))
}

pub(crate) fn position_of(l: SourceLoc) -> Position {
    Position { file: l.file, line: l.line, column: l.column }
}

/// Returns the calls below a user's line in system headers, in call order, down to the access; none where the access
/// is in that line itself, or no line is the user's.
pub(crate) fn inner_places(program: &Program, stack: &[Site], kind: AccessKind) -> Vec<Related> {
    let what = match kind {
        AccessKind::Read => "the read itself",
        AccessKind::Write => "the write itself",
        AccessKind::Atomic => "the atomic update itself",
    };
    below_the_user(program, stack, what)
}

/// Does the same for an event that is no access: `what` happens at the innermost position.
pub(crate) fn below_the_user(program: &Program, stack: &[Site], what: &str) -> Vec<Related> {
    let mut out: Vec<Related> = vec![];
    for s in stack.iter().rev() {
        let mut chain = program.inlined(s.func.module, program.loc_at(s.func, s.block, s.inst)).peekable();
        while let Some(loc) = chain.next() {
            if loc.is_users() {
                out.reverse();
                return out;
            }
            // Code that the compiler or the front end added has no position.
            if loc.line == 0 || loc.is_added() {
                continue;
            }
            let what = if out.is_empty() { what.to_owned() } else { "called from here".to_owned() };
            // Inlined code has lost its function's name.
            let function = if chain.peek().is_none() { wording::function(program, s.func) } else { None };
            let within = function.map_or_else(String::new, |f| format!(", in `{f}`"));
            let place = Related { position: position_of(loc), what: what + &within, inner: true };
            // The calls of a macro share one position.
            if out.last().is_none_or(|l| l.position != place.position) {
                out.push(place);
            }
        }
    }
    // No line is the user's.
    vec![]
}

/// Returns the calls that lead to a launch, including itself. Stubs are excluded, because their lines are those of
/// their kernels.
fn calls_to_launch(launch: &LaunchEvent) -> &[Site] {
    let own = launch.stack.iter().rposition(|s| *s == launch.site);
    own.map_or(std::slice::from_ref(&launch.site), |at| &launch.stack[..=at])
}

/// Returns the site at which a user sees a launch: libraries launch kernels in their headers.
pub(crate) fn launched_at(program: &Program, launch: &LaunchEvent) -> Site {
    innermost_of_user(program, calls_to_launch(launch)).unwrap_or(launch.site)
}

/// Returns the calls below that line in system headers.
pub(crate) fn below_launch(program: &Program, launch: &LaunchEvent) -> Vec<Related> {
    below_the_user(program, calls_to_launch(launch), "the launch itself")
}

fn innermost_of_user(program: &Program, stack: &[Site]) -> Option<Site> {
    stack.iter().rev().copied().find(|s| loc_of(program, *s).is_users())
}
