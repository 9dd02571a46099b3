//! Branches on the status codes that calls return, where the program does nothing but end on a failure.
//!
//! In: a branch. Out: the direction on success, if its condition depends on status codes alone and every path from the
//! other direction ends the program (CUDA Runtime API reference 13.0, Error Handling). Codes that are no errors, or that
//! report a refusal by the runtime, are arbitrary; if the program only ends on a code other than success, the analysis
//! assumes success.

use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::terms::term::{SymKind, Term, TermId};
use base::axioms::Axiom;
use base::reasons::UnknownReason;
use ir::{BlockId, Callee, FuncRef, Op, Terminator};
use rustc_hash::FxHashSet;

/// Calls that a program makes on its way to an end, without effect on its other behaviour.
const HARMLESS: &[&str] = &[
    "cudaGetErrorString",
    "cudaGetErrorName",
    "cudaGetLastError",
    "cudaPeekAtLastError",
    "cudaDeviceReset",
    "cudaFree",
    "cudaFreeHost",
    "cudaGetDevice",
];

impl ExecutionContext<'_> {
    /// Returns the direction on success of a branch that depends only on status codes, if the program merely ends on
    /// any other code.
    pub(super) fn ends_on_failure(
        &mut self,
        f: FuncRef,
        cond: TermId,
        then: BlockId,
        otherwise: BlockId,
    ) -> Option<bool> {
        // Comparisons of codes are small.
        let mut symbols = vec![];
        let (mut open, mut looked) = (vec![cond], 0);
        while let Some(t) = open.pop() {
            looked += 1;
            if looked > 16 {
                return None;
            }
            match self.arena.get(t) {
                Term::Sym(s) => symbols.push(*s),
                Term::BoolSym(_) => return None,
                _ => open.extend(self.arena.children(t)),
            }
        }
        if symbols.is_empty() {
            return None;
        }
        let zero = self.arena.int(0);
        if !self.assumptions.takes(Axiom::CallsSucceed) || !self.assumptions.takes(Axiom::DeviceAllocation) {
            return None;
        }
        let mut success = rustc_hash::FxHashMap::default();
        for s in symbols {
            if !matches!(&self.arena.symbol(s).kind, SymKind::Unknown { reason: UnknownReason::Status(_) }) {
                return None;
            }
            success.insert(self.arena.symbol_term(s), zero);
        }
        let mut done = rustc_hash::FxHashMap::default();
        let well = self.arena.substitute_more(cond, &success, &mut done);
        let well = self.arena.as_bool(well)?;
        let failed = if well { otherwise } else { then };
        self.only_ends(f, failed).then_some(well)
    }

    /// Whether code from a block on ends the program on every path, without device work before.
    pub(in crate::symbolic) fn only_ends(&self, f: FuncRef, from: BlockId) -> bool {
        let func = self.program.func(f);
        let (mut seen, mut open): (FxHashSet<BlockId>, Vec<BlockId>) = (FxHashSet::default(), vec![from]);
        while let Some(b) = open.pop() {
            if !seen.insert(b) {
                continue;
            }
            if seen.len() > 32 {
                return false;
            }
            let block = &func.blocks[b.index()];
            let harmless = |callee: &Callee| match callee {
                Callee::Direct(id) => {
                    let r = self.program.resolve_func(f.module, *id);
                    HARMLESS.contains(&self.program.func(r).name.as_str()) || !self.limits.effort().leads_to_cuda(r)
                }
                Callee::Indirect(_) => false,
            };
            if block.insts.iter().any(|i| matches!(&i.op, Op::Call { callee, .. } if !harmless(callee))) {
                return false;
            }
            match &block.term {
                Terminator::Unreachable => {}
                Terminator::Br(to) => open.push(*to),
                Terminator::CondBr { then, otherwise, .. } => open.extend([*then, *otherwise]),
                // An exception thrown here may be caught here; if it is caught further out, everything that this
                // function could write is unknown (`symbolic/exec/exceptions.rs`).
                Terminator::Invoke { callee, normal, .. } => {
                    if !harmless(callee) || self.throws_here(f, callee) {
                        return false;
                    }
                    open.push(*normal);
                }
                Terminator::Ret(_) | Terminator::Switch { .. } | Terminator::Other(_) => return false,
            }
        }
        true
    }
}

impl ValueDomain<'_> {
    fn throws_here(&self, f: FuncRef, callee: &Callee) -> bool {
        let Callee::Direct(id) = callee else { return true };
        let callee = self.program.func(self.program.resolve_func(f.module, *id));
        !callee.is_declaration() || callee.name.starts_with("__cxa_")
    }
}
