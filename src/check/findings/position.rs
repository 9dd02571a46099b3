//! Where instructions stand in the source, and what the source calls what they use.
//!
//! In: a program and instructions of it. It knows nothing of launches, models or findings.

use super::wording;
use crate::ir::{Program, SourceLoc};
use crate::report::finding::Position;
use crate::symbolic::exec::events::AccessEvent;
use crate::symbolic::exec::site::Site;

/// One access in the source: position and array.
pub(in crate::check) type Place = (SourceLoc, String);

/// Source position (of the innermost call outside system headers) and array.
pub(in crate::check) fn place_of(program: &Program, ev: &AccessEvent) -> Place {
    let site = innermost_of_user(program, &ev.stack).unwrap_or(ev.site);
    let text = wording::listed(program, &ev.stack, site, ev.kind);
    (loc_of(program, site), text.unwrap_or_else(|| wording::side(program, site, ev.kind)).array)
}

/// Source position of an instruction.
pub(in crate::check) fn loc_of(program: &Program, s: Site) -> SourceLoc {
    let b = &program.func(s.func).blocks[s.block.index()];
    program.loc(s.func.module, b.insts.get(s.inst as usize).map_or(b.term_loc, |i| i.loc))
}

pub(in crate::check) fn numbers(s: Site) -> [u32; 4] {
    [s.func.module.0, s.func.func.0, s.block.0, s.inst]
}

/// The innermost of these calls that stands in the user's own code.
pub(in crate::check) fn users_call(program: &Program, stack: &[Site]) -> Option<Site> {
    innermost_of_user(program, stack).or_else(|| stack.last().copied())
}

/// The source's name of an argument of a call, else that of the memory.
pub(in crate::check) fn named(program: &Program, call: Site, argument: usize, object: &str) -> String {
    match wording::argument(program, call, argument) {
        Some(name) => name,
        None if object.is_empty() => "memory".to_owned(),
        None => object.to_owned(),
    }
}

/// Position of an instruction.
pub(in crate::check) fn position(program: &Program, s: Site) -> Position {
    let l = loc_of(program, s);
    Position { file: l.file, line: l.line, column: l.column }
}

fn innermost_of_user(program: &Program, stack: &[Site]) -> Option<Site> {
    stack.iter().rev().copied().find(|s| {
        let l = loc_of(program, *s);
        l.line > 0 && !l.system
    })
}
