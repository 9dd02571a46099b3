//! Failed allocations of the C library or of a kernel's heap: which pointers may be null for that reason, and what the
//! program does then.
//!
//! In: allocations as the executor reaches them, and comparisons with null. Out: the condition under which an
//! allocation failed. A pointer that the program does not compare with null is taken to be valid; if the program does
//! compare it, both paths are followed, and on the failing path nothing is claimed about the memory.

use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use crate::symbolic::terms::functions;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, Term, TermId};
use base::axioms::Axiom;
use base::reasons::UnknownReason;
use ir::{BlockId, Callee, Const, FuncRef, Function, Op, Operand, Pred, Side, Terminator, ValueId};
use rustc_hash::FxHashSet;

/// Maximum number of functions through which a pointer is followed, outwards and inwards.
const DEPTH: usize = 6;

impl ExecutionContext<'_> {
    /// Returns the state after an allocation, and the condition under which it succeeds. The program may find that the
    /// allocation failed, because it was too large or for another reason; `fits` is the condition that it is not too
    /// large. Later code may rely on `fits` unless the program checks for failure and continues after it.
    pub fn scarce(&mut self, s: State, fits: TermId, site: Site) -> Option<(State, TermId)> {
        let status = self.allocation_status();
        let zero = self.arena.int(0);
        let well = self.arena.eq(status, zero);
        let fits_known = self.arena.as_bool(fits);
        // An allocation that never fits fails whether or not the program checks, and the program goes on.
        if fits_known == Some(false) || fits_known.is_none() && self.is_failure_followed(site) {
            return Some((s, self.arena.and(well, fits)));
        }
        self.assume(s, fits).map(|s| (s, well))
    }

    /// Records the condition under which an object exists.
    pub fn note_scarce(&mut self, o: ObjId, given: TermId) {
        self.scarce.given.insert(o, Some(given));
    }

    /// Records that a twin stands for allocations of an object in earlier iterations.
    pub(in crate::symbolic) fn note_scarce_twin(&mut self, made: ObjId, twin: ObjId) {
        if self.scarce.given.contains_key(&made) {
            self.scarce.given.insert(twin, None);
        }
    }

    /// Condition under which a target compared with null is null: its allocation failed, or a caller passed null.
    pub(in crate::symbolic) fn is_missing(&mut self, t: &GuardedTarget) -> Option<TermId> {
        let Base::Object(o) = t.base else { return None };
        if self.arena.as_int(t.offset) != Some(0) {
            return None;
        }
        self.is_missing_object(o)
    }

    fn is_missing_object(&mut self, o: ObjId) -> Option<TermId> {
        let Some(given) = self.scarce.given.get(&o).copied() else { return self.is_null_parameter(o) };
        let given = match given.filter(|_| !self.several.has_other_names(o)) {
            Some(t) => t,
            None => {
                let (status, zero) = (self.allocation_status(), self.arena.int(0));
                self.arena.eq(status, zero)
            }
        };
        Some(self.arena.not(given))
    }

    /// Status that an allocation function returns if it reports failure by a non-zero code instead of null.
    pub fn status_of_given(&mut self, p: &Value) -> TermId {
        let zero = self.arena.int(0);
        let Value::Ptr(p) = p else { return self.allocation_status() };
        let missing = p.first().and_then(|t| self.is_missing(t));
        // A failure code is not 0.
        let code = self.arena.int(12);
        missing.map_or(zero, |missing| self.arena.ite(missing, code, zero))
    }

    /// Result of comparing an address, as an integer, with 0: true exactly if the object's pointer is null (for `==`).
    pub(in crate::symbolic) fn is_missing_address(&mut self, pred: Pred, x: TermId, y: TermId) -> Option<TermId> {
        if !matches!(pred, Pred::Eq | Pred::Ne) {
            return None;
        }
        let address = match (self.arena.as_int(x), self.arena.as_int(y)) {
            (Some(0), None) => y,
            (None, Some(0)) => x,
            _ => return None,
        };
        let Term::Apply { function: functions::UninterpretedFunction::Address, args, .. } = self.arena.get(address)
        else {
            return None;
        };
        let id = args.first().and_then(|a| self.arena.as_int(*a)).and_then(|n| u32::try_from(n).ok())?;
        let missing = self.is_missing_object(ObjId(id))?;
        Some(if pred == Pred::Eq { missing } else { self.arena.not(missing) })
    }

    /// Whether the path implies that an object's memory does not exist, so that its pointer is null.
    pub(in crate::symbolic) fn is_null_here(&mut self, s: &State, o: ObjId) -> bool {
        let given = match self.scarce.given.get(&o).copied() {
            Some(Some(given)) => given,
            Some(None) => return false,
            None => match self.is_null_parameter(o) {
                Some(is_null) => self.arena.not(is_null),
                None => return false,
            },
        };
        let both = self.arena.and(s.path, given);
        self.arena.as_bool(both) == Some(false)
    }

    /// Whether the program may compare the result of an allocating call with null and do more than end if it is null.
    fn is_failure_followed(&mut self, site: Site) -> bool {
        if self.side == Side::Device && !self.assumptions.takes(Axiom::DeviceAllocation) {
            return true;
        }
        let func = self.function(site.func);
        let Some(v) = result_of(func, site) else { return true };
        let callers: Vec<Site> = self.stack.iter().rev().skip(1).copied().collect();
        let mut seen = FxHashSet::default();
        self.follows_null(site.func, vec![v], &callers, &mut seen, 0)
    }

    /// Looks for a comparison with null of a pointer held in these values, after which the program does more than end
    /// if it is null: in a function, in callers that get the pointer from it, and in callees that it passes the pointer
    /// to.
    fn follows_null(
        &mut self,
        f: FuncRef,
        values: Vec<ValueId>,
        callers: &[Site],
        seen: &mut FxHashSet<(FuncRef, ValueId)>,
        depth: usize,
    ) -> bool {
        if depth > DEPTH {
            return true;
        }
        let func = self.function(f);
        let PointerValues { values: held, elsewhere } = PointerValues::of(func, values);
        if !held.iter().any(|v| seen.insert((f, *v))) {
            return false;
        }
        let is_held = |o: &Operand| matches!(o, Operand::Value(v) if held.contains(v));
        if elsewhere && self.compares_members() {
            return true;
        }
        let mut inwards = vec![];
        for block in &func.blocks {
            for inst in &block.insts {
                match &inst.op {
                    Op::Icmp { a, b, .. }
                        if (is_held(a) && is_null(b) || is_held(b) && is_null(a))
                            && self.goes_on_without(f, inst.result, &inst.op) =>
                    {
                        return true;
                    }
                    // Other instructions neither compare the pointer nor pass it on; escaping stores were handled
                    // above.
                    Op::Call { callee, args } => inwards.push((callee, args)),
                    _ => {}
                }
            }
            match &block.term {
                Terminator::Invoke { callee, args, .. } => inwards.push((callee, args)),
                Terminator::Ret(Some(o)) if is_held(o) => {
                    let outwards = callers.split_first().and_then(|(site, rest)| {
                        result_of(self.function(site.func), *site).map(|v| (site.func, v, rest))
                    });
                    if let Some((caller, v, rest)) = outwards
                        && self.follows_null(caller, vec![v], rest, seen, depth + 1)
                    {
                        return true;
                    }
                }
                _ => {}
            }
        }
        for (callee, args) in inwards {
            let given: Vec<usize> = (0..args.len()).filter(|i| is_held(&args[*i])).collect();
            if given.is_empty() {
                continue;
            }
            let Callee::Direct(id) = callee else { return true };
            let r = self.program.resolve_func(f.module, *id);
            let callee = self.program.func(r);
            if callee.is_declaration() || self.program.loc(r.module, callee.loc).system {
                continue;
            }
            // Parameters are the first values of a function.
            let values = given.iter().filter_map(|i| u32::try_from(*i).ok()).map(ValueId).collect();
            if self.follows_null(r, values, &[], seen, depth + 1) {
                return true;
            }
        }
        false
    }

    /// Whether the program does more than end where a comparison with null reports a failed allocation.
    fn goes_on_without(&self, f: FuncRef, compared: Option<ValueId>, op: &Op) -> bool {
        let (Some(v), Op::Icmp { pred, a, b }) = (compared, op) else { return false };
        // A status is 0 if the allocation succeeded.
        let is_pointer = [a, b].iter().any(|o| matches!(o, Operand::Const(Const::Zero(_))));
        let func = self.function(f);
        let mut branches = 0;
        for block in &func.blocks {
            if let Terminator::CondBr { cond: Operand::Value(c), then, otherwise } = &block.term
                && *c == v
            {
                branches += 1;
                let failed = if (*pred == Pred::Eq) == is_pointer { *then } else { *otherwise };
                if !self.only_ends(f, failed) {
                    return true;
                }
            }
        }
        // Otherwise the comparison is stored, negated or combined with another.
        branches == 0
    }

    /// Whether any user code compares a pointer loaded from memory with null and does more than end if it is null.
    fn compares_members(&mut self) -> bool {
        if let Some(known) = self.scarce.compares_members {
            return known;
        }
        let program = self.program;
        let found = program.functions().any(|(r, _, func)| {
            if program.loc(r.module, func.loc).system {
                return false;
            }
            let loaded: FxHashSet<ValueId> = func
                .blocks
                .iter()
                .flat_map(|b| &b.insts)
                .filter(|i| matches!(i.op, Op::Load { .. }))
                .filter_map(|i| i.result)
                .collect();
            func.blocks.iter().flat_map(|b| &b.insts).any(|i| match &i.op {
                Op::Icmp { a, b, .. } => {
                    let is_loaded = |o: &Operand| matches!(o, Operand::Value(v) if loaded.contains(v));
                    (is_loaded(a) && is_null(b) || is_loaded(b) && is_null(a))
                        && self.goes_on_without(r, i.result, &i.op)
                }
                _ => false,
            })
        });
        self.scarce.compares_members = Some(found);
        found
    }
}

impl Terms {
    /// Returns an unknown status code.
    pub fn status(&mut self, call: &str) -> Value {
        Value::Int(self.status_of(call))
    }

    /// Returns a code that tells whether an allocation succeeded.
    pub fn allocation_status(&mut self) -> TermId {
        self.status_of("an allocation")
    }

    fn status_of(&mut self, call: &str) -> TermId {
        self.arena.fresh(
            SymKind::Unknown { reason: UnknownReason::Status(call.to_owned()) },
            "a status",
            Interval::new(0, 999),
        )
    }
}

fn is_null(o: &Operand) -> bool {
    matches!(o, Operand::Const(Const::Zero(_) | Const::Int { value: 0, .. }))
}

/// Result of a call.
fn result_of(func: &Function, site: Site) -> Option<ValueId> {
    let block = func.blocks.get(site.block.index())?;
    match block.insts.get(site.inst as usize) {
        Some(i) => i.result,
        None => match &block.term {
            Terminator::Invoke { result, .. } => *result,
            _ => None,
        },
    }
}

/// Values of a function that may be a pointer, and whether it is also stored where other code may find it.
struct PointerValues {
    values: FxHashSet<ValueId>,
    elsewhere: bool,
}

impl PointerValues {
    fn of(func: &Function, values: Vec<ValueId>) -> Self {
        let mut held = Self { values: values.into_iter().collect(), elsewhere: false };
        let insts =
            || func.blocks.iter().enumerate().flat_map(|(b, x)| x.insts.iter().map(move |i| (BlockId(b as u32), i)));
        let locals: FxHashSet<ValueId> =
            insts().filter(|(_, i)| matches!(i.op, Op::Alloca { .. })).filter_map(|(_, i)| i.result).collect();
        let mut places: FxHashSet<ValueId> = FxHashSet::default();
        loop {
            let before = (held.values.len(), places.len());
            for (_, i) in insts() {
                let is_held = |o: &Operand| matches!(o, Operand::Value(v) if held.values.contains(v));
                let new = match &i.op {
                    Op::Cast { value, .. } | Op::Freeze(value) => is_held(value),
                    Op::Select { a, b, .. } => is_held(a) || is_held(b),
                    Op::Phi(edges) => edges.iter().any(|(_, o)| is_held(o)),
                    Op::Load { ptr: Operand::Value(p), .. } => places.contains(p),
                    Op::Store { ptr, value, .. } if is_held(value) => {
                        match ptr {
                            Operand::Value(p) if locals.contains(p) => {
                                places.insert(*p);
                            }
                            _ => held.elsewhere = true,
                        }
                        false
                    }
                    Op::InsertValue { value, .. } | Op::InsertElement { value, .. } if is_held(value) => {
                        held.elsewhere = true;
                        false
                    }
                    _ => false,
                };
                if new && let Some(r) = i.result {
                    held.values.insert(r);
                }
            }
            if before == (held.values.len(), places.len()) {
                return held;
            }
        }
    }
}
