//! Calls: resolution of the callee, and whether it is executed, modelled or skipped.

use super::events::CollectiveEvent;
use super::executor::Executor;
use super::library::LibraryCall;
use crate::symbolic::effects::unanalysed_call::targets;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::{Activation, State};
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::limits::cost::HostPart;
use crate::symbolic::memory::scalar::Scalar;
use crate::symbolic::memory::value::{Base, GuardedTarget, UnknownPointer, Value};
use crate::symbolic::terms::term::{Term, TermId};
use base::reasons::UnknownReason;
use ir::reach::Mentions;
use ir::{Block, Callee, FuncRef, Inst, Op, Operand, Program, Side, Terminator, TypeId};
use models::attributes::{is_launch, is_of_c_library, is_of_cuda, is_of_library};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of candidate callees that a call through an undetermined pointer is followed to.
const MAX_CALLEES: usize = 32;

/// Maximum number of nested calls of one function that are followed; the greater limit holds if all its integer
/// arguments are known, since the executor can then see where the recursion ends.
const MAX_INSIDE: usize = 3;
const MAX_INSIDE_KNOWN: usize = 40;

impl Executor<'_> {
    pub(in crate::symbolic) fn call_instruction(
        &mut self,
        fr: &mut Activation,
        inst: &Inst,
        site: Site,
        s: State,
        callee: &Callee,
        args: &[Operand],
    ) -> Option<State> {
        let values: Vec<Value> = args.iter().map(|a| self.any_operand(fr, a)).collect();
        // A function of CUDA that is looked up by a name that is unknown here may launch and free.
        let mut callees_of_look_ups = false;
        let targets: Vec<(TermId, Option<FuncRef>)> = match self.direct_callee(fr.func.module, callee) {
            Some(f) => vec![(self.arena.bool(true), Some(f))],
            None => {
                // A call that is not direct is indirect.
                let Callee::Indirect(o) = callee else { return Some(s) };
                let p = self.pointer_operand(fr, o);
                callees_of_look_ups = self.program.looks_up() && !p.iter().all(is_of_another_library);
                self.callees(s.path, &p, values.len())
            }
        };
        let mut states = vec![];
        let mut results: Vec<Value> = vec![];
        let mut before = Some(s);
        let last = targets.len().saturating_sub(1);
        for (i, (cond, f)) in targets.into_iter().enumerate() {
            // The last target takes the state by move.
            let Some(s) = (if i == last { before.take() } else { before.clone() }) else { continue };
            // No path leads to this callee.
            let Some(s) = self.assume(s, cond) else { continue };
            let r = match f {
                Some(f) => self.call_function(f, &values, s, fr.context, site, inst.ty),
                None => {
                    let mut callees = self.called_through_pointers(fr.func, args);
                    if self.is_of_caught(fr.func, args) {
                        let thrown = self.thrown_classes();
                        callees.retain(|f| thrown.methods.contains(f));
                    }
                    let (mut s, why) = (s, &UnknownReason::UnknownCallee);
                    self.may_wait_for_thread();
                    let launches = callees_of_look_ups
                        || self.may_launch_what_is_given(&values)
                        || callees.iter().any(|f| self.limits.effort().leads_to_cuda(*f));
                    if launches && self.side == Side::Host && !self.is_of_caught(fr.func, args) {
                        self.limits.miss(|| why.clone());
                    }
                    if self.side == Side::Host && self.may_call_outside() {
                        self.exported_run(&mut s, why);
                    }
                    self.havoc_call(&mut s, &callees, &values, why);
                    Some((Value::unknown(why.clone()), s))
                }
            };
            if let Some((v, s)) = r {
                results.push(v);
                states.push(s);
            }
        }
        let (s, sels) = self.merge(states)?;
        let mut it = results.into_iter();
        let mut v = it.next()?;
        for (x, sel) in it.zip(sels) {
            v = self.ite_value(sel, &v, &x);
        }
        if inst.result.is_some() {
            if let Value::Unknown(r) = &v {
                let m = self.module(fr.func);
                let r = r.clone();
                v = self.unknown_of(m, inst.ty, &r);
            }
            self.set(fr, inst.result, v);
        }
        Some(s)
    }

    /// Calls a function: by its library model if there is one, else by the program's definition, else with an unknown
    /// result.
    fn call_function(
        &mut self,
        f: FuncRef,
        args: &[Value],
        s: State,
        context: u64,
        site: Site,
        ty: TypeId,
    ) -> Option<(Value, State)> {
        self.stack.push(site);
        let r = self.call_function_inner(f, args, s, context, site, ty);
        self.stack.pop();
        r
    }

    fn call_function_inner(
        &mut self,
        f: FuncRef,
        args: &[Value],
        mut s: State,
        context: u64,
        site: Site,
        ty: TypeId,
    ) -> Option<(Value, State)> {
        let func = self.function(f);
        let caller = site.func;
        if self.side == Side::Host && func.is_declaration() {
            self.may_be_called_back(&mut s, f);
            self.may_destroy_exceptions(&mut s, &func.name);
            self.wait_for_threads(&mut s, &func.name);
        }
        let call = LibraryCall { func: f, name: &func.name, display: &func.display, args, context, site, ty };
        match self.library.call(self, &call, s) {
            Ok(r) => {
                if r.is_none() {
                    self.may_end_thread();
                }
                return r;
            }
            Err(back) => s = *back,
        }
        if func.noreturn {
            self.may_end_thread();
        }
        if func.noreturn && (func.is_declaration() || self.ends_quietly(f)) {
            return None;
        }
        if func.is_declaration() || self.is_too_deep(f, args) {
            let why = if func.is_declaration() {
                UnknownReason::ResultOf(func.display.clone())
            } else if self.stack.iter().any(|x| x.func == f) {
                UnknownReason::CallsItself(func.display.clone())
            } else {
                UnknownReason::CalledTooDeeply(func.display.clone())
            };
            if !func.is_declaration() {
                self.may_wait_for_thread();
            }
            self.havoc_call(&mut s, &[f], args, &why);
            let m = self.module(caller);
            let v = self.unknown_of(m, ty, &why);
            return Some((v, s));
        }
        if self.spared(HostPart::Function(f)).is_some() {
            let (m, why) = (self.module(caller), self.left_out(f));
            self.may_wait_for_thread();
            return Some(self.skip_call(f, args, s, (m, ty), (context, site), &why));
        }
        if self.side == Side::Host {
            self.runtime.followed.insert(f);
        }
        let inner = mix(context, site);
        let begun = self.begin(HostPart::Function(f));
        let (before, from) = (s.path, self.events.accesses.len());
        let called = self.call(f, args.to_vec(), s, inner);
        self.limits.end(begun);
        let (v, mut s) = called?;
        if self.events.recording
            && self.side == Side::Device
            && !self.kernel.disturbed
            && self.library.bound_results(self, &call, before, &mut s)
        {
            let accesses = from..self.events.accesses.len();
            self.events.collectives.push(CollectiveEvent { accesses, path: before });
        }
        if func.noreturn {
            return None;
        }
        Some((v.unwrap_or_else(|| Value::unknown(UnknownReason::NoValue)), s))
    }
}

impl ExecutionContext<'_> {
    /// Whether a host function that does not return ends without device work: no path from it calls CUDA, its callees
    /// without a body do not return or are in the C and C++ libraries, and its calls through pointers launch nothing.
    /// Exceptions and jumps out of it are handled separately.
    fn ends_quietly(&mut self, f: FuncRef) -> bool {
        if let Some(known) = self.functions.quiet.get(&f) {
            return *known;
        }
        let (mut seen, mut open) = (FxHashSet::default(), vec![(f, true)]);
        let mut quiet = self.side == Side::Host;
        while let Some((g, direct)) = open.pop().filter(|_| quiet) {
            if !seen.insert((g, direct)) {
                continue;
            }
            let func = self.function(g);
            if func.is_declaration() {
                let name = &func.name;
                quiet = match is_of_cuda(name) {
                    true => !direct && !is_launch(name),
                    false => func.noreturn || is_of_c_library(name) || is_of_library(name),
                };
                continue;
            }
            let mentions = Mentions::of(self.program, g.module, &func.blocks);
            open.extend(mentions.called.iter().chain(&mentions.named).map(|f| (*f, direct)));
            for args in func.blocks.iter().flat_map(calls_through_pointers) {
                open.extend(self.called_through_pointers(g, args).into_iter().map(|f| (f, false)));
            }
        }
        self.functions.quiet.insert(f, quiet);
        quiet
    }

    /// Whether some argument is a kernel, or a function that may launch one.
    fn may_launch_what_is_given(&self, args: &[Value]) -> bool {
        args.iter().flat_map(targets).any(|t| match t.base {
            Base::Func(f) => {
                Program::kernel_symbol_of_stub(&self.function(f).name).is_some()
                    || self.limits.effort().leads_to_cuda(f)
            }
            _ => false,
        })
    }

    /// Whether a recursive function has been entered often enough.
    pub(in crate::symbolic) fn is_too_deep(&self, f: FuncRef, args: &[Value]) -> bool {
        let inside = self.stack.iter().filter(|x| x.func == f).count();
        if self.stack.len() > self.limits.depth() || inside >= MAX_INSIDE_KNOWN {
            return true;
        }
        let known = |v: &Value| match v {
            Value::Int(t) => self.arena.as_int(*t).is_some(),
            Value::Unknown(_) => false,
            _ => true,
        };
        inside >= MAX_INSIDE && !(args.iter().any(|v| matches!(v, Value::Int(_))) && args.iter().all(known))
    }

    /// Returns what a host call through an unknown pointer may reach: functions whose address is taken, with as many
    /// parameters, passed like these arguments. A call of a function of another type is invalid (C++ [expr.call]).
    pub(in crate::symbolic) fn called_through_pointers(&self, caller: FuncRef, args: &[Operand]) -> Vec<FuncRef> {
        let m = self.program.module(caller.module);
        let types = self.value_types(caller);
        let passed = |a: &Operand| match a {
            Operand::Value(v) => {
                types.get(v.index()).copied().flatten().map_or(Scalar::Bytes, |t| Scalar::of(&m.ty(t).kind))
            }
            Operand::Const(_) => Scalar::Bytes,
        };
        let passed: Vec<Scalar> = args.iter().map(passed).collect();
        self.called_with(&passed)
    }

    /// Returns the functions that may be called with arguments of these scalar types; [`Scalar::Bytes`] may be any.
    pub(super) fn called_with(&self, passed: &[Scalar]) -> Vec<FuncRef> {
        if self.side == Side::Device {
            return vec![];
        }
        let fits = |r: &&FuncRef| {
            let (m, f) = (self.program.module(r.module), self.function(**r));
            let as_its_own = f.params.iter().zip(passed).all(|(p, passed)| {
                let own = Scalar::of(&m.ty(p.ty).kind);
                own == Scalar::Bytes || *passed == Scalar::Bytes || own == *passed
            });
            as_its_own && (f.params.len() == passed.len() || f.variadic && f.params.len() < passed.len())
        };
        self.limits.effort().taken().iter().filter(fits).copied().collect()
    }
}

impl Terms {
    /// Whether a path contradicts a condition that gives values to symbols: whether it is false with these values.
    fn excludes(&mut self, path: TermId, cond: TermId) -> bool {
        let mut values: FxHashMap<TermId, TermId> = FxHashMap::default();
        for c in self.arena.conjuncts(cond) {
            let Term::EqZ(t) = *self.arena.get(c) else { continue };
            let (rest, constant) = self.arena.apart(t);
            if let [(m, coefficient)] = self.arena.poly(rest).terms.as_slice()
                && let [atom] = m.as_slice()
                && matches!(self.arena.get(*atom), Term::Sym(_))
                && constant.checked_rem(*coefficient) == Some(0)
                && let Some(value) = (constant / coefficient).checked_neg()
            {
                let (atom, value) = (*atom, self.arena.int(value));
                values.insert(atom, value);
            }
        }
        if values.is_empty() {
            return false;
        }
        let at_these = self.arena.substitute(path, &values);
        self.arena.as_bool(at_these) == Some(false)
    }
}

impl MemoryDomain<'_> {
    /// Returns the possible callees of a call through a pointer on a path, each under its condition; `None` for an
    /// unknown function.
    fn callees(&mut self, path: TermId, p: &[GuardedTarget], args: usize) -> Vec<(TermId, Option<FuncRef>)> {
        let mut out = vec![];
        for t in p {
            if p.len() > 1 && self.excludes(path, t.cond) {
                continue;
            }
            match &t.base {
                Base::Func(f) => out.push((t.cond, Some(*f))),
                // A valid call does not lead to null.
                Base::Null if p.len() > 1 && self.arena.as_int(t.offset) == Some(0) => {}
                Base::Unknown(UnknownPointer { among: Some(a), .. }) if self.side == Side::Host => {
                    // Valid calls reach neither a function of another type nor null.
                    let fitting: Vec<FuncRef> = a
                        .functions
                        .iter()
                        .copied()
                        .filter(|f| {
                            let f = self.function(*f);
                            f.params.len() == args || f.variadic && f.params.len() < args
                        })
                        .collect();
                    if fitting.is_empty() || fitting.len() > MAX_CALLEES {
                        out.push((t.cond, None));
                        continue;
                    }
                    let places: Vec<(Base, TermId)> = fitting.into_iter().map(|f| (Base::Func(f), t.offset)).collect();
                    let any = self.any_of(&places, &UnknownReason::WhichFunction);
                    for c in self.as_pointer(&any).iter() {
                        let cond = self.arena.and(t.cond, c.cond);
                        out.push((cond, if let Base::Func(f) = c.base { Some(f) } else { None }));
                    }
                }
                _ => out.push((t.cond, None)),
            }
        }
        out
    }
}

/// Returns the arguments of each call through a pointer in a block.
pub(super) fn calls_through_pointers(b: &Block) -> Vec<&[Operand]> {
    let last = match &b.term {
        Terminator::Invoke { callee: Callee::Indirect(_), args, .. } => Some(args.as_slice()),
        _ => None,
    };
    let calls = b.insts.iter().filter_map(|i| match &i.op {
        Op::Call { callee: Callee::Indirect(_), args } => Some(args.as_slice()),
        _ => None,
    });
    calls.chain(last).collect()
}

/// Returns the hash of a call stack extended by a site.
#[must_use]
pub fn mix(context: u64, site: Site) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut h = rustc_hash::FxHasher::default();
    context.hash(&mut h);
    site.hash(&mut h);
    h.finish()
}
/// Whether a pointer leads to no function of CUDA that was looked up by name.
fn is_of_another_library(t: &GuardedTarget) -> bool {
    match &t.base {
        Base::Unknown(UnknownPointer { reason, among, .. }) => {
            among.is_some() || matches!(&**reason, UnknownReason::LookedUp(name, _) if !is_of_cuda(name))
        }
        _ => true,
    }
}
