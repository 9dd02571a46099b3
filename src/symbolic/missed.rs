//! Calls whose callee is not executed, though its body is known: through a pointer of which nothing is known, of a function that calls
//! itself further than it is followed, or by a library that was given the function.
//!
//! In: the functions that may be called. Out: a state in which nothing is known of what they could write, and [`Executor::missed`]
//! where they may do what a claim rests on: launch, allocate or copy on the host, access memory in a kernel.

use super::access::collect;
use super::exec::{Executor, State};
use super::value::{Base, Value};
use crate::ir::{FuncRef, Program, Side};

/// Calls of one function inside each other that are followed, and where all numbers that it is given are known: there it is seen
/// where they end.
const MOST_INSIDE: usize = 3;
const MOST_INSIDE_KNOWN: usize = 40;

impl Executor<'_> {
    /// Whether a function that is called once more has been entered often enough.
    pub(super) fn is_too_deep(&self, f: FuncRef, args: &[Value]) -> bool {
        let inside = self.stack.iter().filter(|x| x.func == f).count();
        if self.stack.len() > self.budget.depth || inside >= MOST_INSIDE_KNOWN { return true; }
        let known = |v: &Value| match v { Value::Int(t) => self.arena.as_int(*t).is_some(), Value::Unknown(_) => false, _ => true };
        inside >= MOST_INSIDE && !(args.iter().any(|v| matches!(v, Value::Int(_))) && args.iter().all(known))
    }

    /// The state after one of these functions was called, which is not executed.
    pub(crate) fn pass_by(&mut self, s: &mut State, callees: &[FuncRef], args: &[Value], why: &str) {
        self.unknown_code |= self.side == Side::Device;
        let mut args = args.to_vec();
        let mut anything = false;
        let callbacks = self.callbacks(s, callees, &args);
        for f in callees.iter().chain(&callbacks) {
            if self.function(*f).is_declaration() { continue; }
            if self.side == Side::Device || self.leads_to_cuda(*f) { self.missed.get_or_insert_with(|| why.to_owned()); }
            if self.side == Side::Device { continue; }
            match self.globals_written_by(*f, |_| true) { Some(globals) => args.extend(globals), None => anything = true }
        }
        self.clobber(s, &args, why);
        if anything { self.forget_escaped(s, why, false); }
    }

    /// The functions that those of these which are libraries' are given: themselves, or in memory that they are given.
    fn callbacks(&self, s: &State, callees: &[FuncRef], args: &[Value]) -> Vec<FuncRef> {
        if self.side == Side::Device || !callees.iter().any(|f| self.function(*f).is_declaration()) { return vec![]; }
        let functions = |v: &Value| match v { Value::Ptr(p) => p.iter().filter_map(|t| if let Base::Func(f) = t.base { Some(f) } else { None }).collect(), _ => vec![] };
        // CUDA is given kernels to ask about them; it calls none by its stub.
        let mut out: Vec<FuncRef> = args.iter().flat_map(functions).collect();
        let mut objects = vec![];
        for a in args { collect(a, &mut objects); }
        for o in objects { if let Some(state) = s.mem.get(&o) { out.extend(state.cells.values().flat_map(|(_, v)| functions(v))); } }
        out.retain(|f| Program::kernel_symbol_of_stub(&self.function(*f).name).is_none());
        out
    }

    /// What a call on the host through a pointer of which nothing is known may reach, with so many arguments.
    pub(super) fn called_through_pointers(&self, args: usize) -> Vec<FuncRef> {
        if self.side == Side::Device { return vec![]; }
        let fits = |f: &&FuncRef| { let f = self.function(**f); f.params.len() == args || f.variadic && f.params.len() < args };
        self.effort.taken().iter().filter(fits).copied().collect()
    }
}
