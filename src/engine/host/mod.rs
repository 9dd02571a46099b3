//! The host side: models of the CUDA runtime, the C library and the C++ library, as far as allocation sizes, launches
//! and pointers depend on them, and the roots from which a program runs.
//!
//! In: a linked program. Out: launch events. This module is independent of the shim and of Z3.

mod copies;
mod cuda;
mod cuda_launch;
mod cuda_memory;
mod driver_api;
mod entry_points;
mod files;
mod formats;
mod getopt;
mod guards;
mod launch_shapes;
mod libc;
mod libc_memory;
mod libc_text;
mod outputs;
mod root;
mod runs;
mod stdcxx;
mod table;
mod tensors;
mod variables;
mod waits;

pub use root::{Root, lead_to_launches, roots};
pub use table::keys;

use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::library::{Call, Library, Modelled};
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::value::Value;
use base::axioms::Axiom;
use base::reasons::UnknownReason;
use ir::{Linkage, Side};

/// The models of this crate, of hosts and of kernels.
pub struct Models;

impl Library for Models {
    fn call(&self, executor: &mut Executor<'_>, call: &Call<'_>, state: State) -> Modelled {
        match executor.side {
            Side::Host => executor.host_call(call, state),
            Side::Device => executor.device_call(call, state),
        }
    }
}

/// Whether a mangled name is of an operator `new` or `delete` that a program may define itself (C++17, 21.6.2).
fn is_replaceable(name: &str) -> bool {
    ["_Znw", "_Zna", "_Zdl", "_Zda"].iter().any(|p| name.starts_with(p))
}

impl Executor<'_> {
    /// Models a library function by name, before any body is entered.
    fn host_call(&mut self, call: &Call<'_>, s: State) -> Modelled {
        let program = self.program;
        let func = program.func(call.func);
        if func.is_declaration() && cuda::may_fail(call) && !self.assumptions.takes(Axiom::CallsSucceed) {
            return self.call_that_may_fail(call, s);
        }
        self.library_call(call, s)
    }

    fn library_call(&mut self, call: &Call<'_>, s: State) -> Modelled {
        let (program, f, args, site, ty) = (self.program, call.func, call.args, call.site, call.ty);
        let func = program.func(f);
        if let Some(rest) = call.name.strip_prefix("llvm.") {
            return self.intrinsic(rest, args, s, site, ty);
        }
        let s = match self.result_call(call, s) {
            Err(s) => *s,
            done => return done,
        };
        let s = match self.cuda_call(call, s) {
            Err(s) => *s,
            done => return done,
        };
        let s = match self.torch_call(call, s) {
            Err(s) => *s,
            done => return done,
        };
        // A program that defines a function of the C library means its own.
        let own = !func.is_declaration()
            && matches!(func.linkage, Linkage::External | Linkage::Internal | Linkage::Weak)
            && !program.loc(f.module, func.loc).system;
        if own && (!call.name.starts_with("_Z") || is_replaceable(call.name)) {
            return Err(Box::new(s));
        }
        let s = match self.libc_call(call, s) {
            Err(s) => *s,
            done => return done,
        };
        self.stdcxx_call(call, s)
    }

    pub(crate) fn success(&mut self, s: State) -> Modelled {
        Ok(Some((Value::Int(self.arena.int(0)), s)))
    }

    pub(crate) fn no_value(s: State) -> Modelled {
        Ok(Some((Value::unknown(UnknownReason::NoValue), s)))
    }

    /// Models the call as unknown: havocs everything that it could write.
    pub(crate) fn opaque(&mut self, c: &Call<'_>, mut s: State, reason: &UnknownReason) -> Modelled {
        self.others_run(&mut s);
        let parts = self.library_objects(c);
        let args = self.without_texts_read(&[c.func], c.args);
        self.forget_parts(&mut s, &args, &parts, reason);
        let m = self.program.module(c.site.func.module);
        let v = self.unknown_of(m, c.ty, reason);
        Ok(Some((v, s)))
    }
}
