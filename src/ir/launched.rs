//! Kernels that code may launch, without executing it.

use crate::reach::{MentionedGlobals, Mentions, Reach};
use crate::{FuncRef, ModuleId, Program, Side};
use rustc_hash::FxHashSet;

/// Returns the kernels whose address device code takes: it may launch them with any arguments (dynamic parallelism).
#[must_use]
pub fn launched_by_kernels(program: &Program) -> FxHashSet<FuncRef> {
    let mut named: FxHashSet<FuncRef> = FxHashSet::default();
    for (r, _, f) in program.functions().filter(|(_, m, _)| m.side == Side::Device) {
        named.extend(Mentions::of(program, r.module, &f.blocks).named);
    }
    for (mi, m) in (0u32..).zip(&program.modules).filter(|(_, m)| m.side == Side::Device) {
        let mut initial = Mentions::default();
        for c in m.globals.iter().filter_map(|g| g.init.as_ref()) {
            initial.add_constant(program, ModuleId(mi), c);
        }
        named.extend(initial.named);
    }
    named.retain(|f| program.func(*f).kernel);
    named
}

impl Reach {
    /// Returns the kernels that a host function may launch, by what it leads to and by stubs whose address is kept.
    #[must_use]
    pub fn kernels_launched_from(&self, program: &Program, f: FuncRef) -> FxHashSet<FuncRef> {
        let found = self.reached_from(f);
        kernels_of(program, found.reached.iter().chain(&found.functions).chain(&self.taken_stubs))
    }

    /// Returns the kernels that a host function may launch in functions that are not among those that were followed.
    #[must_use]
    pub fn kernels_launched_unseen(
        &self,
        program: &Program,
        f: FuncRef,
        followed: &FxHashSet<FuncRef>,
    ) -> FxHashSet<FuncRef> {
        let found = self.reached_from(f);
        let unseen = found.reached.iter().filter(|g| !followed.contains(g) && !is_stub(program, **g));
        kernels_of(program, unseen.filter_map(|g| self.mentions(*g)).flat_map(|m| m.called.iter().chain(&m.named)))
    }

    fn reached_from(&self, f: FuncRef) -> MentionedGlobals {
        self.globals(&Mentions { called: vec![f], ..Mentions::default() })
    }
}

fn is_stub(program: &Program, f: FuncRef) -> bool {
    Program::kernel_symbol_of_stub(&program.func(f).name).is_some()
}

/// Returns the kernels whose stubs are among some functions.
fn kernels_of<'f>(program: &Program, functions: impl Iterator<Item = &'f FuncRef>) -> FxHashSet<FuncRef> {
    functions.filter_map(|f| program.kernel_of_stub(f.module, &program.func(*f).name)).collect()
}
