//! Exceptions: the edges from calls to handlers (Itanium C++ ABI, Exception Handling).
//!
//! In: a call that may throw, and the state before and after it. Out: a state for its handler, where that goes on in the function. What the
//! callee could write before it threw is not known there. An edge that leads to clean-up alone is not followed: all that a function
//! does before an exception leaves it is forgotten where that is caught. Allocations succeed, CUDA's functions throw nothing, and methods of
//! what was thrown do nothing on a device and change no variable.

use super::effort::Part;
use super::exec::{Executor, Frame, Site, State};
use super::term::SymKind;
use super::value::Value;
use crate::ir::reach::Mentions;
use crate::ir::{BlockId, Callee, FuncRef, Side, Terminator, TypeId};
use rustc_hash::FxHashSet;

/// What is thrown where memory is exhausted. Beginnings of names.
const NO_MEMORY: &[&str] = &["_ZSt17__throw_bad_alloc", "_ZSt28__throw_bad_array_new_length", "_ZSt20__throw_length_error", "__cxa_throw_bad_array_new_length", "_Znw", "_Zna"];

/// Functions of the C++ library with bodies elsewhere that throw nothing. Beginnings of names.
const THROW_NOTHING: &[&str] = &["_ZNSo", "_ZStls", "_ZSt4endl", "_ZSt5flush", "_ZSt16__ostream_insert", "_ZNSt8ios_base", "_ZNSt9basic_ios", "_ZNKSt9basic_ios", "_ZNSt6chrono", "_ZdlPv", "_ZdaPv", "_ZSt9terminate", "__cxa_guard", "__cxa_begin_catch", "__cxa_end_catch", "__cxa_atexit", "__cxa_allocate_exception", "__cxa_free_exception"];

impl Executor<'_> {
    /// The state in which an exception of a call comes to its handler, where that goes on.
    pub(super) fn thrown(&mut self, fr: &Frame, site: Site, (callee, args): (&Callee, &[Value]), before: State, ty: TypeId) -> Option<State> {
        let what = "an exception that is caught";
        let thrown = self.arena.fresh_bool(SymKind::Unknown { reason: what.to_owned() }, "?");
        let mut s = self.assume(before, thrown)?;
        match self.direct_callee(fr.func.module, callee) {
            Some(f) if self.function(f).name == "__cxa_throw" => {}
            Some(f) if !self.function(f).is_declaration() => { let m = self.module(fr.func); s = self.leave_out_call(f, args, s, (m, ty), (fr.context, site)).1; }
            Some(f) => self.pass_by(&mut s, &[f], args, what),
            None => {
                for f in self.called_through_pointers(args.len()) {
                    if self.function(f).is_declaration() { continue; }
                    let m = self.module(fr.func);
                    s = self.leave_out_call(f, args, s, (m, ty), (fr.context, site)).1;
                }
            }
        }
        Some(s)
    }

    /// Whether a call may throw, and what it throws is caught in this function, which then goes on.
    pub(super) fn may_be_caught(&mut self, fr: &Frame, callee: &Callee, unwind: BlockId) -> bool {
        self.side == Side::Host && self.may_throw(fr.func, callee) && self.goes_on(fr.func, unwind)
    }

    /// Whether a block is executed only after something was caught: what is called there through an unknown pointer is a method of that.
    pub(super) fn is_in_handler(&mut self, f: FuncRef, b: BlockId) -> bool {
        if let Some(plain) = self.unthrown.get(&f) { return !plain.contains(&b); }
        let func = self.function(f);
        let (mut plain, mut open) = (FxHashSet::default(), vec![BlockId(0)]);
        while let Some(b) = open.pop() {
            if !plain.insert(b) { continue; }
            match &func.blocks[b.index()].term { Terminator::Invoke { normal, .. } => open.push(*normal), t => open.extend(t.successors()) }
        }
        let inside = !plain.contains(&b);
        self.unthrown.insert(f, plain);
        inside
    }

    fn may_throw(&mut self, caller: FuncRef, callee: &Callee) -> bool {
        let Some(f) = self.direct_callee(caller.module, callee) else { return true };
        if let Some(known) = self.throws.get(&f) { return *known; }
        let named = self.globals_of(Part::Function(f));
        let throws = named.reached.iter().chain([&f]).any(|g| {
            let g = self.function(*g);
            g.is_declaration() && (g.name.starts_with("_Z") || g.name.starts_with("__cxa_throw") || g.name == "__cxa_rethrow")
                && ![NO_MEMORY, THROW_NOTHING].concat().iter().any(|p| g.name.starts_with(p))
        });
        self.throws.insert(f, throws);
        throws
    }

    /// Whether a function comes back to its caller from a handler, or its handler does something on a device.
    fn goes_on(&mut self, f: FuncRef, unwind: BlockId) -> bool {
        if let Some(known) = self.handlers.get(&(f, unwind)) { return *known; }
        let func = self.function(f);
        let (mut seen, mut open) = (FxHashSet::default(), vec![unwind]);
        while let Some(b) = open.pop() { if seen.insert(b) { open.extend(func.blocks[b.index()].term.successors()); } }
        let back = seen.iter().any(|b| matches!(func.blocks[b.index()].term, Terminator::Ret(_)));
        let mut mentions = Mentions::of(self.program, f.module, seen.iter().map(|b| &func.blocks[b.index()]));
        // Methods of what was thrown.
        mentions.indirect = false;
        let on = back && (func.name != "main" || !self.effort.are_harmless(&mentions));
        self.handlers.insert((f, unwind), on);
        on
    }
}
