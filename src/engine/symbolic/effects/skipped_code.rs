//! Skipped calls and loops of the host, which take too long to follow or whose effects are unknown: the executor
//! havocs whatever they could write and their results, except for where pointers can point (`pointers/closure.rs`).
//!
//! Skipped code does nothing on a device (`limits/cost.rs`), so no launch and no allocation is missed. It may not
//! return, because it calls `exit` or does not terminate; the code after it is still analysed in full.

use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::{Activation, State};
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::limits::cost::HostPart;
use crate::symbolic::loops::types::LoopOut;
use crate::symbolic::memory::object::{ObjId, ObjKind};
use crate::symbolic::memory::value::has_unknown_pointer;
use crate::symbolic::memory::value::{PossibleTargets, Value};
use crate::symbolic::pointers::closure::{AddressSources, among};
use crate::symbolic::pointers::points_to::StoredAddresses;
use crate::symbolic::pointers::reached::ReachedObjects;
use crate::symbolic::terms::term::SymKind;
use base::reasons::UnknownReason;
use ir::cfg::Loop;
use ir::reach::{MentionedGlobals, Mentions};
use ir::{FuncRef, Module, Op, Operand, Terminator, TypeId, ValueId};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Whether an object contains an unknown pointer.
fn may_lead_anywhere(s: &State, o: ObjId) -> bool {
    s.mem.get(&o).is_some_and(|state| state.cells.values().any(|(_, v)| has_unknown_pointer(v)))
}

/// Inputs of a piece of code.
#[derive(Default)]
struct CodeInputs {
    /// Objects that it may write, and from which it may reach others.
    objects: Vec<ObjId>,
    /// Whether it has an unknown pointer.
    anywhere: bool,
    sources: AddressSources,
}

impl ExecutionContext<'_> {
    /// Returns the result of a skipped call, with a type of `module`, and the state after it; `why` is the reason for
    /// what is then unknown.
    pub(in crate::symbolic) fn skip_call(
        &mut self,
        f: FuncRef,
        args: &[Value],
        mut s: State,
        (module, ty): (&Module, TypeId),
        at: (u64, Site),
        why: &UnknownReason,
    ) -> (Value, State) {
        let mut given = CodeInputs::default();
        for a in args {
            self.add_given(&mut given, a);
        }
        let named = self.globals_of(HostPart::Function(f));
        let places = self.havoc_given(&mut s, given, &named, why, at);
        let v = self.unknown_of(module, ty, why);
        (
            match places {
                Some(p) => among(v, &p),
                None => v,
            },
            s,
        )
    }

    /// Returns the states after a skipped loop that is entered with `s`; `why` is the reason for what is then unknown.
    pub(in crate::symbolic) fn skip_loop(
        &mut self,
        fr: &mut Activation,
        lp: &Loop,
        mut s: State,
        why: &UnknownReason,
    ) -> LoopOut {
        let func = self.function(fr.func);
        let mut blocks: Vec<_> = lp.blocks.iter().copied().collect();
        blocks.sort_unstable();
        let mut inside: FxHashSet<ValueId> = FxHashSet::default();
        for b in &blocks {
            let block = &func.blocks[b.index()];
            inside.extend(block.insts.iter().filter_map(|i| i.result));
            if let Terminator::Invoke { result, .. } = &block.term {
                inside.extend(*result);
            }
        }
        let mut given = CodeInputs::default();
        let outer = |fr: &Activation, o: &Operand| match o {
            // Constants are among the code's names; computed values derive from its inputs.
            Operand::Value(v) if !inside.contains(v) => fr.env[v.index()].clone(),
            _ => None,
        };
        for b in &blocks {
            let block = &func.blocks[b.index()];
            for i in &block.insts {
                match &i.op {
                    // A variable that is only read keeps its value; its pointee may be written.
                    Op::Load { ptr, .. } => {
                        if let Some(v) = outer(fr, ptr) {
                            self.add_held(&s, &v, &mut given);
                        }
                    }
                    op => op.operands(&mut |o| {
                        if let Some(v) = outer(fr, o) {
                            self.add_given(&mut given, &v);
                        }
                    }),
                }
            }
            block.term.operands(&mut |o| {
                if let Some(v) = outer(fr, o) {
                    self.add_given(&mut given, &v);
                }
            });
        }
        let named = self.globals_of(HostPart::Loop(fr.func, lp.header));
        let at = (fr.context, Site { func: fr.func, block: lp.header, inst: u32::MAX });
        self.havoc_given(&mut s, given, &named, why, at);
        for v in inside {
            fr.env[v.index()] = None;
            fr.rows.remove(&v);
        }
        let mut paths = vec![];
        for b in &blocks {
            let term = &func.blocks[b.index()].term;
            let next = if let Terminator::Invoke { normal, .. } = term { vec![*normal] } else { term.successors() };
            paths.extend(next.into_iter().filter(|to| !lp.blocks.contains(to)).map(|to| (*b, to)));
        }
        paths.sort_unstable();
        paths.dedup();
        let several = paths.len() > 1;
        let exits = paths
            .into_iter()
            .filter_map(|(from, to)| {
                let taken = if several {
                    self.arena.fresh_bool(SymKind::Unknown { reason: why.clone() }, "?")
                } else {
                    self.arena.bool(true)
                };
                self.assume(s.clone(), taken).map(|s| (from, to, s))
            })
            .collect();
        (exits, vec![])
    }

    /// Havocs everything that code with these inputs and these named globals could write. Returns the possible targets
    /// of the addresses that it then has, if known.
    fn havoc_given(
        &mut self,
        s: &mut State,
        mut given: CodeInputs,
        named: &MentionedGlobals,
        why: &UnknownReason,
        at: (u64, Site),
    ) -> Option<Rc<PossibleTargets>> {
        let after = if given.anywhere { None } else { self.addresses_after(s, &given.sources, named, at) };
        for g in &named.globals {
            let o = self.global_object(g.module, g.global);
            given.objects.push(o);
        }
        given.anywhere |= named.opaque;
        let there: Vec<ObjId> = s.mem.keys().collect();
        for o in there {
            match self.object(o).kind {
                // Variables of libraries, which their functions may set.
                ObjKind::HostGlobal(r) if !self.program.global(r).defined => given.objects.push(o),
                // The code may have read further in the file.
                ObjKind::Stream(file) => {
                    self.inputs.read_files.insert(file);
                    given.objects.push(o);
                }
                // All else is written through the inputs or the names of the code, which are in `given`.
                _ => {}
            }
        }
        if let Some(after) = after {
            return Some(self.havoc_addresses(s, &given.objects, &after, why));
        }
        let mut reached = ReachedObjects::among(self.heap.len());
        reached.add(given.objects);
        while let Some(o) = self.reach_on(s, &mut reached) {
            given.anywhere |= may_lead_anywhere(s, o);
            let named = self.named_at_first(o);
            reached.add(named);
        }
        // Variables of functions that have returned are dead.
        let mut reached = reached.in_order();
        reached.retain(|o| s.mem.contains_key(o) || !matches!(self.object(*o).kind, ObjKind::HostLocal));
        self.points_to.mix(&reached);
        for o in reached {
            // As with any unknown function, libraries that it calls may write device memory.
            if !self.read_only(o) || self.is_of_device(o) {
                self.havoc(s, o, why, false);
            }
        }
        if given.anywhere {
            self.havoc_escaped(s, why, false);
        }
        None
    }
}

impl MemoryDomain<'_> {
    fn add_given(&self, given: &mut CodeInputs, v: &Value) {
        self.collect_objects(v, &mut given.objects);
        given.anywhere |= has_unknown_pointer(v);
        given.sources.values.add_value(v, &|t| self.is_no_address(t));
    }

    /// Adds what is reachable through the pointee of a value, but not the pointee itself.
    fn add_held(&mut self, s: &State, v: &Value, given: &mut CodeInputs) {
        let mut read = vec![];
        self.collect_objects(v, &mut read);
        given.anywhere |= has_unknown_pointer(v);
        for o in &read {
            self.add_contents(s, *o, given);
        }
        given.sources.read.extend(read);
    }

    /// Adds the targets of pointers in an object.
    fn add_contents(&mut self, s: &State, o: ObjId, given: &mut CodeInputs) {
        self.held(s, o, &mut given.objects);
        given.anywhere |= may_lead_anywhere(s, o);
        let named = self.named_at_first(o);
        given.objects.extend(named);
    }

    /// Returns the objects that a variable's initialiser names.
    fn named_at_first(&mut self, o: ObjId) -> Vec<ObjId> {
        let ObjKind::HostGlobal(r) = self.object(o).kind else { return vec![] };
        let mut initial = Mentions::default();
        if let Some(c) = &self.program.global(r).init {
            initial.add_constant(self.program, r.module, c);
        }
        initial.globals.into_iter().map(|g| self.global_object(g.module, g.global)).collect()
    }

    /// Havocs contents that may have changed, where it is known which addresses they can contain.
    fn havoc_addresses(
        &mut self,
        s: &mut State,
        given: &[ObjId],
        after: &StoredAddresses,
        why: &UnknownReason,
    ) -> Rc<PossibleTargets> {
        let mut places = PossibleTargets {
            objects: after.objects.iter().copied().collect(),
            functions: after.functions.iter().copied().collect(),
        };
        places.objects.sort_unstable();
        places.functions.sort_unstable();
        for o in given {
            if !after.objects.contains(o) && !self.read_only(*o) {
                self.havoc(s, *o, why, false);
            }
        }
        for o in &places.objects {
            if self.read_only(*o) || matches!(self.object(*o).kind, ObjKind::HostLocal) && !s.mem.contains_key(o) {
                continue;
            }
            self.points_to.add(Some(*o), after);
            self.blank(s, *o, why, false);
        }
        Rc::new(places)
    }
}

impl ValueDomain<'_> {
    /// Returns the reason for what is unknown after a skipped call.
    pub(in crate::symbolic) fn left_out(&self, f: FuncRef) -> UnknownReason {
        let name: String = self.function(f).display.split('(').next().unwrap_or_default().chars().take(60).collect();
        UnknownReason::CallTooLong(name)
    }
}
