//! Initial values of memory variables that a loop changes.
//!
//! A cell that has not been read or written yet is part of its object's rest, and an unknown cell has no number. If an
//! iteration leaves an integer in such a cell, the cell holds integers: it then gets a number for its value before the
//! first iteration, so that the loop can be solved for it.

use crate::symbolic::exec::state::State;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::loops::types::LoopVar;
use crate::symbolic::memory::object::ObjState;
use crate::symbolic::memory::value::Value;
use std::rc::Rc;

impl MemoryDomain<'_> {
    /// Gives the cells among `vars` that hold an integer after an iteration (in `after`) a number for their value
    /// before the first one (in `before`); returns whether any got one.
    pub(in crate::symbolic) fn number_starts<'v>(
        &mut self,
        before: &mut State,
        after: &State,
        vars: impl Iterator<Item = &'v LoopVar>,
    ) -> bool {
        let mut any = false;
        for v in vars {
            let LoopVar::Cell(o, at, size @ 1..=8) = *v else { continue };
            if !matches!(after.mem.get(&o).and_then(|s| s.cells.get(&at)), Some((s, Value::Int(_))) if *s == size) {
                continue;
            }
            let Some(state) = before.mem.get(&o).cloned() else { continue };
            let start = match state.cells.get(&at) {
                Some((s, Value::Unknown(why))) if *s == size => {
                    let why = why.clone();
                    Value::Int(self.unknown_int(&why, size * 8))
                }
                None if state.overlapping(at, at + i64::from(size)).next().is_none() => {
                    match self.cell_for_merge(o, &state, at, size) {
                        Some(v @ Value::Int(_)) => v,
                        // The cell stays unknown, and so arbitrary.
                        _ => continue,
                    }
                }
                // The cell stays unknown, and so arbitrary.
                _ => continue,
            };
            let Some(rc) = before.mem.get_mut(&o) else { continue };
            let s: &mut ObjState = Rc::make_mut(rc);
            s.cells.insert(at, (size, start));
            any = true;
        }
        any
    }
}
