//! Uncovered code: accesses that no execution of a kernel reached. They are counted too: as unknown where an
//! execution gave up, and as safe where all executions completed, because then no path leads there.
//!
//! In: a kernel and the results of its executions. Out: every other access of it and of the functions that it calls,
//! in the tally.

use super::Engine;
use crate::context::ArrayPosition;
use crate::findings::position::{inner_places, loc_of};
use crate::findings::wording;
use crate::obligations::verdict::AccessVerdict;
use base::inside::{self, Dump};
use base::reasons::UnknownReason;
use engine::symbolic::exec::events::AccessKind;
use engine::symbolic::exec::site::Site;
use engine::symbolic::kernel::launch::KernelRun;
use ir::{AddressStep, BlockId, Callee, FuncRef, Function, Inst, Op, Operand, SourceLoc, TypeKind, ValueId};
use rustc_hash::FxHashSet;

/// A function, and the calls that lead to it where it is not the user's own: the user's call, then calls in headers.
/// The search follows only the first of several paths from the same user call.
struct CallPath {
    func: FuncRef,
    calls: Vec<Site>,
}

/// An instruction that accesses memory, and its position for the user.
struct AccessInstruction {
    at: Site,
    site: Site,
    /// Calls from the user's call inwards to the access.
    stack: Vec<Site>,
    kind: AccessKind,
    loc: SourceLoc,
}

impl Engine<'_> {
    /// Records the accesses that one execution of a kernel reached. If the execution did not complete, counts all
    /// other accesses in the kernel and the functions that it calls. Accesses in functions of system headers
    /// (`atomicAdd`, `__ldg`) count at the user's call.
    pub(crate) fn came_to(&mut self, kernel: FuncRef, run: &KernelRun, why: Option<&UnknownReason>) {
        self.own_alone.extend(&run.own);
        for e in &run.accesses {
            let (loc, array) = self.cx.place_of(e);
            show(&loc, e.kind, &array);
        }
        let Some(why) = why else { return };
        for a in self.beyond(kernel, run) {
            self.count(kernel, &a, AccessVerdict::Unknown(why.clone()));
        }
    }

    /// Returns the accesses of a kernel and its callees that an execution did not reach.
    fn beyond(&self, kernel: FuncRef, run: &KernelRun) -> Vec<AccessInstruction> {
        let visited: FxHashSet<(Site, Site)> = run
            .accesses
            .iter()
            .map(|e| (e.stack.iter().rev().copied().find(|s| self.is_own(*s)).unwrap_or(e.site), e.site))
            .collect();
        let is_new = |a: &AccessInstruction| !visited.contains(&(a.at, a.site)) && !run.own.contains(&a.site);
        self.accessing(kernel).into_iter().filter(is_new).collect()
    }

    /// Returns the positions of these accesses.
    pub(crate) fn places_beyond(&self, kernel: FuncRef, run: &KernelRun) -> Vec<ArrayPosition> {
        let place = |a: AccessInstruction| {
            let array = wording::seen(self.cx.program, &a.stack, a.at, a.kind).array;
            (a.loc, array)
        };
        self.beyond(kernel, run).into_iter().map(place).collect()
    }

    /// Counts the remaining accesses after all launches: those that no execution of their kernel reached, since their
    /// path is infeasible, or since every launch is rejected. They are undecided where an execution did not complete.
    /// Then those of functions that modelled calls call, which touch their arguments alone.
    pub(super) fn unreached(&mut self) {
        let mut kernels: Vec<FuncRef> = self.kernels.iter().copied().collect();
        kernels.sort_unstable();
        for kernel in kernels {
            let counted: FxHashSet<SourceLoc> = self.places.keys().map(|(loc, _)| loc.clone()).collect();
            let outcome = match self.partly.get(&kernel) {
                Some(why) => AccessVerdict::Unknown(why.clone()),
                None => AccessVerdict::Safe,
            };
            for a in self.accessing(kernel) {
                if !counted.contains(&a.loc) && !self.own_alone.contains(&a.site) {
                    self.count(kernel, &a, outcome.clone());
                }
            }
        }
        let mut called: Vec<FuncRef> = self.called_by_models.iter().copied().collect();
        called.sort_unstable();
        for function in called {
            let counted: FxHashSet<SourceLoc> = self.places.keys().map(|(loc, _)| loc.clone()).collect();
            for a in self.accessing(function) {
                if !counted.contains(&a.loc) {
                    self.count(function, &a, AccessVerdict::Safe);
                }
            }
        }
    }

    fn count(&mut self, kernel: FuncRef, a: &AccessInstruction, outcome: AccessVerdict) {
        let text = wording::seen(self.cx.program, &a.stack, a.at, a.kind);
        show(&a.loc, a.kind, &text.array);
        let inner = match outcome {
            AccessVerdict::Unknown(_) => inner_places(self.cx.program, &a.stack, a.kind),
            _ => vec![],
        };
        self.put_at((a.loc.clone(), text.array), kernel, outcome, inner);
    }

    fn is_own(&self, s: Site) -> bool {
        let line = self.inst(s).map_or(self.cx.program.func(s.func).loc, |i| i.loc);
        self.cx.program.users_loc(s.func.module, line).is_users()
    }

    /// Returns the instructions of a kernel, and of its callees, that access more than plain variables.
    fn accessing(&self, kernel: FuncRef) -> Vec<AccessInstruction> {
        let mut found = vec![];
        let mut called: Vec<CallPath> = vec![CallPath { func: kernel, calls: vec![] }];
        let mut next = 0;
        while let Some((func, calls)) = called.get(next).map(|c| (c.func, c.calls.clone())) {
            next += 1;
            let f = self.cx.program.func(func);
            for (b, block) in f.blocks.iter().enumerate() {
                for (i, inst) in block.insts.iter().enumerate() {
                    let site = Site {
                        func,
                        block: BlockId(u32::try_from(b).unwrap_or(0)),
                        inst: u32::try_from(i).unwrap_or(0),
                    };
                    let own = self.cx.program.users_loc(func.module, inst.loc).is_users();
                    let Some(at) = calls.first().copied().or(own.then_some(site)) else { continue };
                    if let Op::Call { callee: Callee::Direct(id), .. } = &inst.op {
                        let to = self.cx.program.resolve_func(func.module, *id);
                        let own = self.cx.program.loc(to.module, self.cx.program.func(to).loc).is_users();
                        let way = if own { vec![] } else { [&calls[..], &[site]].concat() };
                        let known = called.iter().any(|c| c.func == to && c.calls.first() == way.first());
                        if (own || self.lends(at)) && !known {
                            called.push(CallPath { func: to, calls: way });
                        }
                    }
                    let Some(kind) = kind_of(&inst.op) else { continue };
                    if is_array_access(f, inst) {
                        let stack = [&calls[..], &[site]].concat();
                        found.push(AccessInstruction { at, site, stack, kind, loc: loc_of(self.cx.program, at) });
                    }
                }
            }
        }
        found
    }

    fn inst(&self, s: Site) -> Option<&Inst> {
        self.cx.program.func(s.func).blocks.get(s.block.index())?.insts.get(s.inst as usize)
    }

    /// Whether a call passes an address of anything but plain variables (`max(a, b)` takes references to such).
    fn lends(&self, call: Site) -> bool {
        let Some(Op::Call { args, .. }) = self.inst(call).map(|i| &i.op) else { return false };
        let (f, m) = (self.cx.program.func(call.func), self.cx.program.module(call.func.module));
        let is_address = |v: ValueId| {
            let made = f.blocks.iter().flat_map(|b| &b.insts).find(|i| i.result == Some(v)).map(|i| i.ty);
            made.or_else(|| f.params.get(v.index()).map(|p| p.ty))
                .is_none_or(|t| matches!(m.ty(t).kind, TypeKind::Ptr(_)))
        };
        args.iter().any(|a| match a {
            Operand::Value(v) => !is_variable(f, *v) && is_address(*v),
            Operand::Const(_) => false,
        })
    }
}

/// Dumps an examined access on request.
fn show(loc: &SourceLoc, kind: AccessKind, array: &str) {
    inside::dump(Dump::Accesses, || {
        let kind = match kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Atomic => "atomic",
        };
        format!("{loc} {kind} {array}")
    });
}

fn kind_of(op: &Op) -> Option<AccessKind> {
    match op {
        Op::Load { .. } => Some(AccessKind::Read),
        Op::Store { .. } => Some(AccessKind::Write),
        Op::AtomicRmw { .. } | Op::CmpXchg { .. } => Some(AccessKind::Atomic),
        _ => None,
    }
}

/// Whether an instruction accesses memory other than a plain variable, or a part of one at a constant offset.
fn is_array_access(f: &Function, inst: &Inst) -> bool {
    let (Op::Load { ptr, .. } | Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. }) = &inst.op
    else {
        return false;
    };
    let mut ptr = ptr;
    loop {
        let Operand::Value(v) = ptr else { return true };
        if f.params.get(v.index()).is_some_and(|p| p.byval.is_some() || p.sret.is_some()) {
            return false;
        }
        let Some(made) = f.blocks.iter().flat_map(|b| &b.insts).find(|i| i.result == Some(*v)) else { return true };
        let constant = |s: &AddressStep| match s {
            AddressStep::Field { .. } => true,
            AddressStep::Index { index, .. } => matches!(index, Operand::Const(_)),
        };
        match &made.op {
            Op::Alloca { .. } => return false,
            Op::Gep { base, steps, .. } if steps.iter().all(constant) => ptr = base,
            _ => return true,
        }
    }
}

fn is_variable(f: &Function, v: ValueId) -> bool {
    f.blocks.iter().flat_map(|b| &b.insts).any(|i| i.result == Some(v) && matches!(i.op, Op::Alloca { .. }))
}
