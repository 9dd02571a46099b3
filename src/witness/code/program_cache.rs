//! Analysis results that hold for every run of a program: a check replays the same program thousands of times.
//!
//! In: a program. Out: flat forms and effects from earlier runs of this thread. The work charged to a run does not
//! depend on this cache.

use super::effect::FunctionEffects;
use crate::machine::form::FlatFunction;
use ir::initialisers::Initialisers;
use ir::{FuncRef, Program};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Cached results for the program that ran last.
#[derive(Default)]
struct ProgramCache {
    program: Option<u64>,
    flat: FxHashMap<FuncRef, Rc<FlatFunction>>,
    effects: FunctionEffects,
    initialisers: FxHashMap<FuncRef, Rc<Initialisers>>,
}

thread_local! {
    static KEPT: RefCell<ProgramCache> = RefCell::default();
}

fn with<T>(program: &Program, f: impl FnOnce(&mut ProgramCache) -> T) -> T {
    KEPT.with_borrow_mut(|kept| {
        if kept.program != Some(program.identity()) {
            *kept = ProgramCache { program: Some(program.identity()), ..ProgramCache::default() };
        }
        f(kept)
    })
}

/// Flat form from an earlier run.
pub(super) fn flat(program: &Program, func: FuncRef) -> Option<Rc<FlatFunction>> {
    with(program, |kept| kept.flat.get(&func).cloned())
}

/// Keeps a flat form for later runs.
pub(super) fn keep(program: &Program, flat: &Rc<FlatFunction>) {
    with(program, |kept| kept.flat.insert(flat.func, flat.clone()));
}

/// Takes the function effects that earlier runs computed; [`keep_effects`] puts them back.
pub(crate) fn take_effects(program: &Program) -> FunctionEffects {
    with(program, |kept| std::mem::take(&mut kept.effects))
}

/// Puts function effects into the cache.
pub(crate) fn keep_effects(program: &Program, effects: FunctionEffects) {
    with(program, |kept| kept.effects = effects);
}

/// Initialisers to run before a library root is called.
pub(crate) fn initialisers(program: &Program, root: FuncRef) -> Rc<Initialisers> {
    with(program, |kept| {
        kept.initialisers.entry(root).or_insert_with(|| Rc::new(Initialisers::before(program, root))).clone()
    })
}
