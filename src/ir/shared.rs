//! A kernel's static shared memory: an upper bound on its size, and where its variables begin.

use super::reach::Mentions;
use super::{Bytes, FuncRef, GlobalRef, Op, Program, Side, space};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Shared variables that a kernel and its callees mention.
struct SharedVariables {
    variables: BTreeSet<GlobalRef>,
    /// Whether they call through pointers: there may be others.
    open: bool,
    /// Whether they have code that is not modelled, or assembly with variables of its own.
    unclear: bool,
}

/// Whether inline assembly in a function declares shared variables (PTX ISA 9, `.shared .align 4 .b8 name[64];`).
fn declares_shared(program: &Program, f: FuncRef) -> bool {
    let mut all = program.func(f).blocks.iter().flat_map(|b| &b.insts);
    all.any(|i| matches!(&i.op, Op::Asm { text, .. } if text.contains(".shared .") || text.contains(".shared\t.")))
}

/// Returns the bytes that a kernel's static shared variables begin at a multiple of, at most `widest`: what divides all
/// their sizes. They lie one behind another, in any order, with gaps for alignments alone (axiom `given-alignment`).
#[must_use]
pub fn shared_begin(program: &Program, kernel: FuncRef, widest: u32) -> u32 {
    let found = shared_variables(program, kernel);
    if found.open || found.unclear || !program.func(kernel).kernel {
        return 1;
    }
    let sizes = found.variables.iter().map(|g| program.module(g.module).size_of(program.global(*g).ty).get());
    sizes.filter(|size| *size > 0).fold(widest, |begin, size| begin.min(1 << size.trailing_zeros().min(31)))
}

fn shared_variables(program: &Program, kernel: FuncRef) -> SharedVariables {
    let (mut functions, mut open) = (FxHashSet::default(), vec![kernel]);
    let mut found = SharedVariables { variables: BTreeSet::new(), open: false, unclear: false };
    while let Some(f) = open.pop() {
        if program.module(f.module).side != Side::Device || !functions.insert(f) {
            continue;
        }
        let m = Mentions::of(program, f.module, &program.func(f).blocks);
        found.open |= !m.indirect.is_empty();
        found.unclear |= m.opaque || declares_shared(program, f);
        open.extend(m.called.into_iter().chain(m.named));
        found.variables.extend(
            m.globals.into_iter().filter(|g| program.global(*g).space == space::SHARED && program.global(*g).defined),
        );
    }
    found
}

/// Returns an upper bound, in bytes, on a kernel's static shared memory: all variables that it and its callees mention,
/// or all of its module if it calls through pointers. A compiler may remove unused ones.
#[must_use]
pub fn most_static_shared(program: &Program, kernel: FuncRef) -> u64 {
    let found = shared_variables(program, kernel);
    if found.open {
        let m = program.module(kernel.module);
        return m
            .globals
            .iter()
            .filter(|g| g.space == space::SHARED && g.defined)
            .map(|g| m.size_of(g.ty))
            .sum::<Bytes>()
            .get();
    }
    found.variables.into_iter().map(|g| program.module(g.module).size_of(program.global(g).ty)).sum::<Bytes>().get()
}
