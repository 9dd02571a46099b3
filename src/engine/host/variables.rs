//! Device variables: their contents when the program starts, and who may change them by name.
//!
//! In: the program. Out: `main`'s first state with every such variable. Copies to them, kernels and requests of their
//! addresses are followed like those of other memory; code that names one in a way that is not followed makes it
//! unknown.

use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::{ObjState, Rest};
use base::reasons::UnknownReason;
use ir::{Const, GlobalId, GlobalRef, ModuleId, Side, space};
use rustc_hash::FxHashSet;

/// Maximum number of variables that are followed from the start: each state contains them.
const MOST: usize = 64;

/// Function that registers kernels and variables before `main`, by the name that clang 22 gives it.
pub(super) const REGISTERS: &str = "__cuda_module_ctor";

impl Executor<'_> {
    /// Adds the initial contents of device variables to the state in which `main` starts.
    pub(super) fn first_contents(&mut self, s: &mut State) {
        self.first_attributes(s);
        let program = self.program;
        let mut found = vec![];
        for (mi, m) in (0u32..).zip(&program.modules) {
            if m.side != Side::Device {
                continue;
            }
            for (gi, g) in (0u32..).zip(&m.globals) {
                let r = GlobalRef { module: ModuleId(mi), global: GlobalId(gi) };
                if !g.defined
                    || g.constant
                    || !matches!(g.space, space::GLOBAL | space::CONSTANT)
                    || program.is_managed(r)
                {
                    continue;
                }
                let rest = match &g.init {
                    Some(Const::Zero(_)) => Rest::Zero,
                    Some(_) => Rest::Init,
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
        if found.len() > MOST {
            return;
        }
        for (r, rest) in &found {
            let o = self.global_of(*r);
            self.starts_with(s, o, ObjState::new(rest.clone()));
        }
        let names: FxHashSet<&str> = found.iter().map(|(r, _)| program.global(*r).name.as_str()).collect();
        for (mi, m) in (0u32..).zip(&program.modules).filter(|(_, m)| m.side == Side::Host) {
            for (gi, _) in (0u32..).zip(&m.globals).filter(|(_, g)| names.contains(g.name.as_str())) {
                let shadow = program.resolve_global(ModuleId(mi), GlobalId(gi));
                if let Some(r) = program.device_variable(shadow).filter(|r| found.iter().any(|(f, _)| f == r)) {
                    let o = self.global_of(r);
                    self.heap.follow_variable(shadow, o);
                }
            }
        }
    }

    /// Makes any device variable unknown from here on, and lets its address be stored anywhere.
    pub(super) fn lose_variables(&mut self, s: &mut State, why: &UnknownReason) {
        let all: Vec<_> = self.heap.followed_variables().collect();
        self.lose_by_name(s, &all, why);
    }

    /// Resets the device: the lifetime of memory from the runtime ends, and variables are initialised again when the
    /// device is used again.
    pub(super) fn reset_device(&mut self, s: &mut State) {
        let certain = !self.runtime.several_devices;
        self.end_context(s, certain);
        let mut all: Vec<_> = self.heap.followed_variables().collect();
        all.sort_unstable();
        for o in all {
            self.forget(s, o, &UnknownReason::AfterReset, false);
        }
    }

    /// Havocs the device after the launch of an unknown kernel.
    pub(super) fn after_any_kernel(&mut self, s: &mut State, stream: Option<i64>) {
        let anywhere = self.unknown_pointer(&UnknownReason::UnknownKernelGiven);
        self.forget_device(s, None, &[anywhere], stream);
    }
}
