//! Upper bound on a kernel's static shared memory.

use super::reach::Mentions;
use super::{Bytes, FuncRef, Program, Side, space};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Returns an upper bound, in bytes, on a kernel's static shared memory: all variables that it and its callees mention,
/// or all of its module if it calls through pointers. A compiler may remove unused ones.
#[must_use]
pub fn most_static_shared(program: &Program, kernel: FuncRef) -> u64 {
    let (mut functions, mut open) = (FxHashSet::default(), vec![kernel]);
    let mut variables = BTreeSet::new();
    let mut everything = false;
    while let Some(f) = open.pop() {
        if program.module(f.module).side != Side::Device || !functions.insert(f) {
            continue;
        }
        let m = Mentions::of(program, f.module, &program.func(f).blocks);
        everything |= !m.indirect.is_empty();
        open.extend(m.called.into_iter().chain(m.named));
        variables.extend(
            m.globals.into_iter().filter(|g| program.global(*g).space == space::SHARED && program.global(*g).defined),
        );
    }
    if everything {
        let m = program.module(kernel.module);
        return m
            .globals
            .iter()
            .filter(|g| g.space == space::SHARED && g.defined)
            .map(|g| m.size_of(g.ty))
            .sum::<Bytes>()
            .get();
    }
    variables.into_iter().map(|g| program.module(g.module).size_of(program.global(g).ty)).sum::<Bytes>().get()
}
