//! Exceptions that a replay does not follow: those of functions without a model, and of code that it skips.
//!
//! In: code that may throw, and the frames of the thread. Out: whether a handler may take the exception, after which
//! the program goes on. What a replay reaches without the exception is then not certain. A handler that only ends the
//! program (it prints a message and returns from `main`) changes nothing.

use super::effect::FunctionEffect;
use crate::api::{Cause, UndecidedReason};
use crate::machine::form::FunctionCode;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use ir::{BlockId, Callee, FuncRef, Program, Terminator};
use models::attributes::{is_of_library, may_throw};
use models::tensors::{is_stable_operation, may_refuse, operation_name};
use rustc_hash::FxHashSet;

impl Machine<'_> {
    /// Doubts that the run comes this way, if skipped code of the running function may throw what a handler takes.
    pub(crate) fn doubt_skipped_throws(
        &mut self,
        th: &Thread,
        code: &FunctionCode,
        blocks: &[BlockId],
        e: &FunctionEffect,
    ) {
        if self.may_throw_to_handler(th, code, blocks, e) {
            let at = blocks.first().map(|b| self.block_line(code.func, *b)).unwrap_or_default();
            self.seen.doubt_path(format!("{at}: no exception is thrown in a part that is not followed"));
        } else if !th.on_device() && (e.checks || e.throws && self.program.func(code.func).is_library_model()) {
            let at = blocks.first().map(|b| self.block_line(code.func, *b)).unwrap_or_default();
            let text = format!("{at}: functions of PyTorch accept their arguments in a part that is not followed");
            self.seen.doubt_path(UndecidedReason { text, cause: Cause::Operation });
        }
    }

    /// Whether code of the running function may throw an exception, after which the program goes on.
    pub(crate) fn may_throw_to_handler(
        &mut self,
        th: &Thread,
        code: &FunctionCode,
        blocks: &[BlockId],
        e: &FunctionEffect,
    ) -> bool {
        !th.on_device()
            && e.throws
            && (blocks.iter().any(|b| self.goes_on_behind(code.func, *b, th.frames.len() <= 1))
                || self.callers_go_on(th))
    }

    /// Doubts that the run comes this way, if a function without a model may throw what a handler takes. The running
    /// function is about to go on behind the call.
    pub(crate) fn doubt_call(&mut self, th: &Thread, called: FuncRef) {
        let program = self.program;
        if !th.on_device() && is_stable_operation(&program.func(called).name) {
            self.doubt_acceptance(th, &program.func(called).name);
        }
        if th.on_device() || !throws(program, called) {
            return;
        }
        let own = th.frames.last().map(|f| (f.code.clone(), f.code.block_of(f.pc.saturating_sub(1))));
        let own = own.is_some_and(|(code, block)| {
            invokes(program, code.func, block, called) && self.goes_on_behind(code.func, block, th.frames.len() <= 1)
        });
        let name = &program.func(called).display;
        if own || self.callers_go_on(th) {
            self.seen.doubt_path(format!("`{name}`, which is not modelled, throws nothing"));
        } else if may_refuse(name) {
            self.doubt_acceptance(th, &operation_name(name));
        }
    }

    /// Doubts that the run goes on behind a function of PyTorch that may refuse its arguments: it throws then.
    pub(crate) fn doubt_acceptance(&mut self, th: &Thread, name: &str) {
        let at = self.user_site(th).map(|s| self.line(s)).unwrap_or_default();
        let text = format!(
            "{at}: the program continues there, although that depends on whether `{name}` accepts these arguments"
        );
        self.seen.doubt_path(UndecidedReason { text, cause: Cause::Operation });
    }

    /// Whether a handler goes on in a function that waits for the running one.
    fn callers_go_on(&mut self, th: &Thread) -> bool {
        let waiting: Vec<(FuncRef, BlockId, bool)> = th
            .frames
            .iter()
            .enumerate()
            .rev()
            .skip(1)
            .map(|(depth, f)| (f.code.func, f.code.block_of(f.pc.saturating_sub(1)), depth == 0))
            .collect();
        waiting.into_iter().any(|(f, block, root)| self.goes_on_behind(f, block, root))
    }

    /// Whether the function goes on after an exception of the call that ends this block: its handlers return to a
    /// caller, reach code that runs without exceptions too, or do work on a device.
    fn goes_on_behind(&mut self, f: FuncRef, block: BlockId, root: bool) -> bool {
        if let Some(known) = self.known.handlers.get(&(f, block, root)) {
            return *known;
        }
        let func = self.program.func(f);
        let on = match func.blocks[block.index()].term {
            Terminator::Invoke { unwind, .. } => {
                let (mut seen, mut open) = (FxHashSet::default(), vec![unwind]);
                while let Some(b) = open.pop() {
                    if seen.insert(b) {
                        open.extend(func.blocks[b.index()].term.successors());
                    }
                }
                let goes_on = |b: &BlockId| match func.blocks[b.index()].term {
                    Terminator::Other(_) => true,
                    Terminator::Ret(_) => !root,
                    _ => false,
                };
                let mut blocks: Vec<BlockId> = seen.into_iter().collect();
                blocks.sort_unstable();
                blocks.iter().any(goes_on) || self.effects.of_blocks(self.program, f, &blocks).cuda
            }
            _ => false,
        };
        self.known.handlers.insert((f, block, root), on);
        on
    }
}

/// Whether a block ends with a call of this function that has a landing pad.
fn invokes(program: &Program, caller: FuncRef, block: BlockId, called: FuncRef) -> bool {
    match &program.func(caller).blocks[block.index()].term {
        Terminator::Invoke { callee: Callee::Direct(f), .. } => program.resolve_func(caller.module, *f) == called,
        Terminator::Invoke { .. } => true,
        _ => false,
    }
}

/// Whether a function without a body may throw. Destructors of libraries throw nothing (C++ [res.on.exception.handling]).
pub(super) fn throws(program: &Program, f: FuncRef) -> bool {
    let f = program.func(f);
    f.is_declaration() && may_throw(&f.name) && !is_of_destructor(&f.name)
}

/// Whether a name is that of a destructor of a library.
pub(super) fn is_of_destructor(name: &str) -> bool {
    is_of_library(name) && ["D0Ev", "D1Ev", "D2Ev"].iter().any(|end| name.ends_with(end))
}
