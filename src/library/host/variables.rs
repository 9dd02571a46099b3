//! Device variables: their contents when the program starts, and who may change them by name.
//!
//! In: the program. Out: `main`'s first state with every such variable. Copies to them, kernels and requests of their
//! addresses are followed like those of other memory; code that names one in a way that is not followed makes it
//! unknown.

use super::runs;
use base::reasons::UnknownReason;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::memory::object::{ObjState, UncoveredContents};
use ir::{Const, GlobalId, GlobalRef, ModuleId, Side, space};
use rustc_hash::FxHashSet;

/// Maximum number of variables that are followed from the start: each state contains them.
const MAX: usize = 64;

/// Function that registers kernels and variables before `main`, by the name that clang 22 gives it.
pub(super) const REGISTERS: &str = "__cuda_module_ctor";

/// Adds the initial contents of device variables to the state in which `main` starts.
pub(crate) fn first_contents(e: &mut MemoryDomain<'_>, s: &mut State) {
    runs::first_attributes(e, s);
    let program = e.program;
    let mut found = vec![];
    for (mi, m) in (0u32..).zip(&program.modules) {
        if m.side != Side::Device {
            continue;
        }
        for (gi, g) in (0u32..).zip(&m.globals) {
            let r = GlobalRef { module: ModuleId(mi), global: GlobalId(gi) };
            if !g.defined || g.constant || !matches!(g.space, space::GLOBAL | space::CONSTANT) || program.is_managed(r)
            {
                continue;
            }
            let rest = match &g.init {
                Some(Const::Zero(_)) => UncoveredContents::Zero,
                Some(_) => UncoveredContents::Init,
                // An absent variable starts as unknown.
                None => continue,
            };
            // The linker chooses another module's definition.
            if program.resolve_global(r.module, r.global) != r {
                continue;
            }
            found.push((r, rest));
        }
    }
    // If there are too many, all of them start as unknown.
    if found.len() > MAX {
        return;
    }
    for (r, rest) in &found {
        let o = e.global_of(*r);
        e.starts_with(s, o, ObjState::new(rest.clone()));
    }
    let names: FxHashSet<&str> = found.iter().map(|(r, _)| program.global(*r).name.as_str()).collect();
    for (mi, m) in (0u32..).zip(&program.modules).filter(|(_, m)| m.side == Side::Host) {
        for (gi, _) in (0u32..).zip(&m.globals).filter(|(_, g)| names.contains(g.name.as_str())) {
            let shadow = program.resolve_global(ModuleId(mi), GlobalId(gi));
            if let Some(r) = program.device_variable(shadow).filter(|r| found.iter().any(|(f, _)| f == r)) {
                let o = e.global_of(r);
                e.heap.follow_variable(shadow, o);
            }
        }
    }
}

/// Makes any device variable unknown from here on, and lets its address be stored anywhere.
pub(crate) fn lose_variables(e: &mut MemoryDomain<'_>, s: &mut State, why: &UnknownReason) {
    let all: Vec<_> = e.heap.followed_variables().collect();
    e.lose_by_name(s, &all, why);
}

/// Resets the device: the lifetime of memory from the runtime ends, and variables are initialised again when the
/// device is used again.
pub(crate) fn reset_device(e: &mut ExecutionContext<'_>, s: &mut State) {
    let certain = !e.runtime.several_devices;
    reset_variables_and_memory(e, s, certain);
}

/// Havocs device variables, and frees device memory on some paths.
pub(crate) fn perhaps_reset_device(e: &mut ExecutionContext<'_>, s: &mut State) {
    reset_variables_and_memory(e, s, false);
}

fn reset_variables_and_memory(e: &mut ExecutionContext<'_>, s: &mut State, certain: bool) {
    e.end_context(s, certain);
    let mut all: Vec<_> = e.heap.followed_variables().collect();
    all.sort_unstable();
    for o in all {
        e.havoc(s, o, &UnknownReason::AfterReset, false);
    }
}

/// Havocs the device after the launch of an unknown kernel.
pub(crate) fn after_any_kernel(e: &mut Executor<'_>, s: &mut State, stream: Option<i64>) {
    let anywhere = e.unknown_pointer(&UnknownReason::UnknownKernelGiven);
    e.havoc_device(s, None, &[anywhere], stream);
}
