//! What is found out of a program's functions once and holds for every run of it: a check replays the same program thousands of times.
//!
//! In: a program. Out: flat forms and effects that an earlier run of this thread found out. What a run is charged for does not depend on it.

use super::effect::Effects;
use crate::machine::form::Flat;
use ir::initialisers::Initialisers;
use ir::{FuncRef, Program};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Of the program that was run last.
#[derive(Default)]
struct Kept {
    program: Option<u64>,
    flat: FxHashMap<FuncRef, Rc<Flat>>,
    effects: Effects,
    initialisers: FxHashMap<FuncRef, Rc<Initialisers>>,
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

fn with<T>(program: &Program, f: impl FnOnce(&mut Kept) -> T) -> T {
    KEPT.with_borrow_mut(|kept| {
        if kept.program != Some(program.identity()) {
            *kept = Kept { program: Some(program.identity()), ..Kept::default() };
        }
        f(kept)
    })
}

/// The flat form of a function that an earlier run made.
pub(super) fn flat(program: &Program, func: FuncRef) -> Option<Rc<Flat>> {
    with(program, |kept| kept.flat.get(&func).cloned())
}

/// Keeps a flat form for later runs.
pub(super) fn keep(program: &Program, flat: &Rc<Flat>) {
    with(program, |kept| kept.flat.insert(flat.func, flat.clone()));
}

/// What earlier runs found out that functions do, until it is given back.
pub(crate) fn take_effects(program: &Program) -> Effects {
    with(program, |kept| std::mem::take(&mut kept.effects))
}

/// Gives back what a run knows of the effects of functions.
pub(crate) fn keep_effects(program: &Program, effects: Effects) {
    with(program, |kept| kept.effects = effects);
}

/// What is initialised before a root of a library is called.
pub(crate) fn initialisers(program: &Program, root: FuncRef) -> Rc<Initialisers> {
    with(program, |kept| {
        kept.initialisers.entry(root).or_insert_with(|| Rc::new(Initialisers::before(program, root))).clone()
    })
}
