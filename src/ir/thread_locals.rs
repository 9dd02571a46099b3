//! Variables of which each thread of the host has its own (`thread_local`, C++ [basic.stc.thread]), as clang 22 names them.

use crate::{Callee, Const, GlobalId, GlobalRef, ModuleId, Op, Operand, Program, Side};
use rustc_hash::FxHashSet;

/// Names of the intrinsic: one for each address space.
const ADDRESS: &str = "llvm.threadlocal.address";

/// Guard of a unit's variables that have to be initialised by code.
const UNIT_GUARD: &str = "__tls_guard";

/// Whether code initialises some variable of threads, which a guard records.
#[must_use]
pub fn are_guarded(program: &Program) -> bool {
    of_threads(program).iter().any(|g| {
        let name = &program.global(*g).name;
        name == UNIT_GUARD || name.starts_with("_ZGV")
    })
}

/// Returns the variables of threads, in order; those that the code asks for in another way are not among them.
#[must_use]
pub fn of_threads(program: &Program) -> Vec<GlobalRef> {
    let mut all = vec![];
    for (f, _, func) in program.functions().filter(|(_, m, _)| m.side == Side::Host) {
        for inst in func.blocks.iter().flat_map(|b| &b.insts) {
            let Op::Call { callee: Callee::Direct(callee), args } = &inst.op else { continue };
            if let [Operand::Const(Const::Global { id, .. }), ..] = args.as_slice()
                && program.func(program.resolve_func(f.module, *callee)).name.starts_with(ADDRESS)
            {
                all.push(program.resolve_global(f.module, *id));
            }
        }
    }
    // Their guards are named directly: one for all of a unit, and one for each in a function (Itanium C++ ABI, 5.1.2, guard variables).
    let names: FxHashSet<&str> = all.iter().filter_map(|g| program.global(*g).name.strip_prefix("_Z")).collect();
    let is_guard = |name: &str| name == UNIT_GUARD || name.strip_prefix("_ZGV").is_some_and(|of| names.contains(of));
    let mut guards = vec![];
    for (mi, m) in (0u32..).zip(&program.modules).filter(|(_, m)| m.side == Side::Host) {
        let of_unit = (0u32..).zip(&m.globals).filter(|(_, g)| is_guard(&g.name));
        guards.extend(of_unit.map(|(gi, _)| program.resolve_global(ModuleId(mi), GlobalId(gi))));
    }
    all.extend(guards);
    all.sort_unstable();
    all.dedup();
    all
}
