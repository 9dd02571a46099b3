//! Code that runs as part of the initialisation of variables, and at no other time.
//!
//! In: a linked program and the functions that run before `main`. Out: the functions that these alone call, and the blocks of
//! others that the guard of a local static variable lets run once (Itanium C++ ABI, 3.3.2).

use super::reach::{Mentions, Reach};
use super::registered::registered;
use super::signature::LIBRARY_MODEL;
use super::{
    BlockId, Callee, Const, FuncRef, Function, GlobalRef, Linkage, ModuleId, Op, Operand, Pred, Program, Side,
    Terminator,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// GuardSet that are set once the code is over.
pub(super) type GuardSet = BTreeSet<GlobalRef>;

/// Host functions that only initialisers call, each with the guards of the calls that lead there.
pub(super) struct InitialisingCalls {
    pub(super) functions: FxHashMap<FuncRef, GuardSet>,
    /// Blocks that run once, by function.
    guarded: FxHashMap<FuncRef, FxHashMap<BlockId, GlobalRef>>,
}

impl InitialisingCalls {
    pub(super) fn of(program: &Program, reach: &Reach, constructors: &[FuncRef]) -> Self {
        let host = || program.functions().filter(|(_, m, f)| m.side == Side::Host && !f.is_declaration());
        // Callers of an operator that is registered know it by its name.
        let taken: FxHashSet<FuncRef> = reach.taken().iter().copied().chain(registered(program)).collect();
        let named = named_beside_tables(program, reach);
        let mut guarded = FxHashMap::default();
        let mut callers: FxHashMap<FuncRef, Vec<(FuncRef, BlockId)>> = FxHashMap::default();
        for (r, _, f) in host() {
            let blocks = guarded_blocks(program, r, f);
            if !blocks.is_empty() {
                guarded.insert(r, blocks);
            }
            for (i, b) in (0u32..).zip(&f.blocks) {
                let called = b
                    .insts
                    .iter()
                    .filter_map(|i| if let Op::Call { callee, .. } = &i.op { Some(callee) } else { None });
                let invoked = if let Terminator::Invoke { callee, .. } = &b.term { Some(callee) } else { None };
                for callee in called.chain(invoked) {
                    if let Callee::Direct(id) = callee {
                        callers.entry(program.resolve_func(r.module, *id)).or_default().push((r, BlockId(i)));
                    }
                }
            }
        }
        // Whoever calls a function that nothing calls here is not known.
        let may_be = |r: &FuncRef, f: &Function| {
            let is_own = matches!(f.linkage, Linkage::Internal | Linkage::Odr);
            let runs_once = constructors.contains(r) && !named.contains(r);
            is_own && (runs_once || !taken.contains(r) && callers.contains_key(r))
        };
        let mut functions: FxHashMap<FuncRef, GuardSet> =
            host().filter(|(r, _, f)| may_be(r, f)).map(|(r, ..)| (r, GuardSet::new())).collect();
        // Greatest fixed point: each call is one of an initialiser, or runs once.
        loop {
            let of_others: Vec<FuncRef> = functions
                .keys()
                .filter(|f| {
                    callers.get(f).into_iter().flatten().any(|(by, block)| {
                        !functions.contains_key(by)
                            && guarded.get(by).is_none_or(|g: &FxHashMap<_, _>| !g.contains_key(block))
                    })
                })
                .copied()
                .collect();
            if of_others.is_empty() {
                break;
            }
            of_others.iter().for_each(|f| {
                functions.remove(f);
            });
        }
        let mut all = Self { functions, guarded };
        all.find_guards(&callers);
        all
    }

    /// Gives each function the guards of its calls.
    fn find_guards(&mut self, callers: &FxHashMap<FuncRef, Vec<(FuncRef, BlockId)>>) {
        loop {
            let mut changed = vec![];
            for (f, known) in &self.functions {
                let needed: GuardSet =
                    callers.get(f).into_iter().flatten().flat_map(|(by, block)| self.guards_at(*by, *block)).collect();
                if !needed.is_subset(known) {
                    changed.push((*f, needed));
                }
            }
            if changed.is_empty() {
                return;
            }
            for (f, needed) in changed {
                self.functions.entry(f).or_default().extend(needed);
            }
        }
    }

    /// Returns the guards that a block of an initialising function, or a guarded block, runs under.
    fn guards_at(&self, f: FuncRef, block: BlockId) -> GuardSet {
        self.at(f, block).unwrap_or_default()
    }

    /// Returns the guards under which a block is part of an initialisation; `None` if it may run at any time.
    pub(super) fn at(&self, f: FuncRef, block: BlockId) -> Option<GuardSet> {
        if let Some(guard) = self.guarded.get(&f).and_then(|g| g.get(&block)) {
            return Some(GuardSet::from([*guard]));
        }
        self.functions.get(&f).cloned()
    }
}

/// Returns the functions whose addresses are taken other than in the tables of constructors and destructors.
fn named_beside_tables(program: &Program, reach: &Reach) -> FxHashSet<FuncRef> {
    let host = || program.functions().filter(|(_, m, _)| m.side == Side::Host);
    let mut named: FxHashSet<FuncRef> =
        host().filter_map(|(r, ..)| reach.mentions(r)).flat_map(|m| m.named.iter().copied()).collect();
    for (mi, m) in (0u32..).zip(&program.modules).filter(|(_, m)| m.side == Side::Host) {
        let mut initial = Mentions::default();
        for g in m.globals.iter().filter(|g| !matches!(g.name.as_str(), "llvm.global_ctors" | "llvm.global_dtors")) {
            if let Some(c) = &g.init {
                initial.add_constant(program, ModuleId(mi), c);
            }
        }
        named.extend(initial.named);
    }
    named
}

/// Returns the blocks of a function that run only where `__cxa_guard_acquire` has returned that a variable is not initialised
/// yet, each with the guard.
fn guarded_blocks(program: &Program, r: FuncRef, f: &Function) -> FxHashMap<BlockId, GlobalRef> {
    let mut out = FxHashMap::default();
    for b in &f.blocks {
        let Terminator::CondBr { cond: Operand::Value(cond), then, otherwise } = &b.term else { continue };
        let Some(guard) = b.insts.iter().find_map(|i| acquired(program, r, &i.op).map(|g| (g, i.result))) else {
            continue;
        };
        let (guard, Some(result)) = guard else { continue };
        // `icmp ne %result, 0`, or the opposite.
        let Some(taken) = b.insts.iter().find_map(|i| match &i.op {
            Op::Icmp { pred, a: Operand::Value(a), b: Operand::Const(Const::Int { value: 0, .. }) }
                if i.result == Some(*cond) && *a == result =>
            {
                match pred {
                    Pred::Ne => Some(*then),
                    Pred::Eq => Some(*otherwise),
                    _ => None,
                }
            }
            _ => None,
        }) else {
            continue;
        };
        if then == otherwise {
            continue;
        }
        let from = f.blocks.iter().position(|x| std::ptr::eq(x, b));
        let without = reachable_without(f, from, taken);
        for i in (0u32..).zip(&f.blocks).map(|(i, _)| BlockId(i)) {
            if !without.contains(&i) {
                out.insert(i, guard);
            }
        }
    }
    out
}

/// Returns a function's symbol, which a model replaces.
pub(super) fn symbol(f: &Function) -> &str {
    f.name.strip_prefix(LIBRARY_MODEL).unwrap_or(&f.name)
}

/// Returns the guard that an instruction acquires.
fn acquired(program: &Program, r: FuncRef, op: &Op) -> Option<GlobalRef> {
    let Op::Call { callee: Callee::Direct(id), args } = op else { return None };
    let callee = program.resolve_func(r.module, *id);
    let [Operand::Const(Const::Global { id, offset: 0 })] = &args[..] else { return None };
    (symbol(program.func(callee)) == "__cxa_guard_acquire").then(|| program.resolve_global(r.module, *id))
}

/// Returns the blocks that are reachable from the entry without an edge.
fn reachable_without(f: &Function, from: Option<usize>, to: BlockId) -> FxHashSet<BlockId> {
    let (mut seen, mut open) = (FxHashSet::default(), vec![BlockId(0)]);
    while let Some(b) = open.pop() {
        if !seen.insert(b) {
            continue;
        }
        let is_from = from == Some(b.index());
        open.extend(f.blocks[b.index()].term.successors().into_iter().filter(|s| !(is_from && *s == to)));
    }
    seen
}
