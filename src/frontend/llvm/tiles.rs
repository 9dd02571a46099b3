//! Reduces tile kernels (`__tile_global__`) to their memory accesses.
//!
//! In: a module, and which of its kernels are tile kernels. Out: these without bodies, each with the positions at which
//! it or a callee accesses memory: calls of library functions that do ([`ir::tile::accessing`]), calls of undefined
//! functions that receive a pointer, and plain accesses in user code. An access in a system header counts at the user's
//! call.

use ir::tile::{accessing, is_of_library};
use ir::{
    AddressStep, Block, Callee, FuncId, Function, Inst, LocId, Module, Op, Operand, TileAccess, TileCode, TypeKind,
};
use ir::{Terminator, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Name of a plain access.
const MEMORY: &str = "memory";

/// Functions and intrinsics that end all work on the device and access no memory.
const TRAPS: [&str; 6] = ["__assertfail", "__assert_fail", "__trap", "llvm.trap", "llvm.debugtrap", "llvm.ubsantrap"];

/// Functions without a body that end nothing.
const PRINTS: [&str; 2] = ["vprintf", "printf"];

/// Removes the bodies of these kernels, and keeps their accesses.
pub(super) fn close(m: &mut Module, kernels: &[FuncId]) {
    let codes: Vec<TileCode> = kernels.iter().map(|k| TileWalk::of(m, *k)).collect();
    for (k, code) in kernels.iter().zip(codes) {
        let f = &mut m.functions[k.index()];
        (f.blocks, f.tile) = (vec![], Some(code));
        f.values = u32::try_from(f.params.len()).unwrap_or(u32::MAX);
    }
}

struct TileWalk<'m> {
    m: &'m Module,
    code: TileCode,
    /// Functions to visit, with the user's call that leads to a function in a header.
    open: Vec<(FuncId, Option<UserCall>)>,
}

/// The user's call of a function in a header.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct UserCall {
    loc: LocId,
    /// Whether the call passes memory, so that the callee's plain accesses count. In the tile library only functions
    /// without bodies access their arguments.
    lent: bool,
}

/// The instructions that define the values of one function.
struct DefiningInstructions<'f> {
    f: &'f Function,
    made: FxHashMap<ValueId, &'f Inst>,
}

impl<'m> TileWalk<'m> {
    fn of(m: &'m Module, kernel: FuncId) -> TileCode {
        let mut walk = Self { m, code: TileCode::default(), open: vec![(kernel, None)] };
        let mut seen = FxHashSet::default();
        while let Some((f, at)) = walk.open.pop() {
            if seen.insert((f, at)) {
                walk.function(m.func(f), at);
            }
        }
        let place = |a: &TileAccess| m.locs.get(a.loc.index()).map(|l| (l.file, l.line, l.column));
        walk.code.accesses.sort_by_key(|a| (place(a), a.what.clone()));
        walk.code.accesses.dedup_by_key(|a| (place(a), a.what.clone()));
        walk.code
    }

    fn function(&mut self, f: &Function, at: Option<UserCall>) {
        let made = f.blocks.iter().flat_map(|b| &b.insts).filter_map(|i| Some((i.result?, i))).collect();
        let values = DefiningInstructions { f, made };
        for block in &f.blocks {
            for inst in &block.insts {
                self.instruction(&values, inst, at);
            }
            self.end(&values, block, at);
        }
    }

    fn end(&mut self, values: &DefiningInstructions<'_>, block: &Block, at: Option<UserCall>) {
        if let Terminator::Invoke { callee, args, .. } = &block.term {
            self.call(values, (callee, args), block.term_loc, at);
        }
    }

    fn instruction(&mut self, values: &DefiningInstructions<'_>, inst: &Inst, at: Option<UserCall>) {
        let through: &[&Operand] = match &inst.op {
            Op::Load { ptr, .. } | Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. } => {
                &[ptr]
            }
            Op::MemCopy { dst, src, .. } => &[dst, src],
            Op::MemSet { dst, .. } => &[dst],
            Op::Asm { args, .. } | Op::Other { args, .. } => {
                self.code.may_trap |= matches!(inst.op, Op::Asm { .. });
                if args.iter().any(|a| self.lends(values, a)) {
                    self.access(inst.loc, at, MEMORY);
                }
                return;
            }
            Op::Call { callee, args } => return self.call(values, (callee, args), inst.loc, at),
            _ => return,
        };
        if at.is_none_or(|a| a.lent) && !through.iter().all(|p| values.is_variable(p)) {
            self.access(inst.loc, at, MEMORY);
        }
    }

    fn call(
        &mut self,
        values: &DefiningInstructions<'_>,
        (callee, args): (&Callee, &[Operand]),
        loc: LocId,
        at: Option<UserCall>,
    ) {
        let Callee::Direct(id) = callee else {
            self.code.may_trap = true;
            return self.access(loc, at, MEMORY);
        };
        let f = self.m.func(*id);
        let name = f.name.as_str();
        self.code.may_trap |= TRAPS.contains(&name) || f.noreturn;
        if TRAPS.contains(&name) || f.noreturn && f.is_declaration() {
            // Such calls need no visit.
        } else if !f.is_declaration() {
            let lent = !is_of_library(name) && args.iter().any(|a| self.lends(values, a));
            let here = || self.is_own(loc).then_some(UserCall { loc, lent });
            let at = if self.is_own(f.loc) { None } else { at.or_else(here) };
            self.open.push((*id, at));
        } else if is_of_library(name) {
            if let Some(what) = accessing(name) {
                self.access(loc, at, what);
            }
        } else if !name.starts_with("llvm.") {
            self.code.may_trap |= !PRINTS.contains(&name);
            if args.iter().any(|a| self.lends(values, a)) {
                self.access(loc, at, f.display.split(['(', '<']).next().unwrap_or_default());
            }
        }
    }

    /// Records an access at the user's position; code that no user code leads to has none.
    fn access(&mut self, loc: LocId, at: Option<UserCall>, what: &str) {
        if let Some(loc) = at.map(|a| a.loc).or(self.is_own(loc).then_some(loc)) {
            self.code.accesses.push(TileAccess { loc, what: what.to_owned() });
        }
    }

    fn is_own(&self, loc: LocId) -> bool {
        let place = self.m.locs.get(loc.index()).filter(|l| loc.0 != 0 && l.line > 0);
        place.and_then(|l| self.m.files.get(l.file.index())).is_some_and(|f| !f.system)
    }

    /// Whether an argument is a pointer to something other than a plain variable.
    fn lends(&self, values: &DefiningInstructions<'_>, a: &Operand) -> bool {
        let ty = match a {
            Operand::Value(v) => {
                values.made.get(v).map(|i| i.ty).or_else(|| values.f.params.get(v.index()).map(|p| p.ty))
            }
            Operand::Const(_) => None,
        };
        ty.is_some_and(|t| matches!(self.m.ty(t).kind, TypeKind::Ptr(_))) && !values.is_variable(a)
    }
}

impl DefiningInstructions<'_> {
    /// Whether an address is that of a variable of the function, or of a part of one at a constant offset.
    fn is_variable(&self, address: &Operand) -> bool {
        let mut address = address;
        loop {
            let Operand::Value(v) = address else { return false };
            if self.f.params.get(v.index()).is_some_and(|p| p.byval.is_some() || p.sret.is_some()) {
                return true;
            }
            let constant = |s: &AddressStep| match s {
                AddressStep::Field { .. } => true,
                AddressStep::Index { index, .. } => matches!(index, Operand::Const(_)),
            };
            match self.made.get(v).map(|i| &i.op) {
                Some(Op::Alloca { .. }) => return true,
                Some(Op::Gep { base, steps, .. }) if steps.iter().all(constant) => address = base,
                _ => return false,
            }
        }
    }
}
