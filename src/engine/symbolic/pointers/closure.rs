//! Transitive closure: the targets of the addresses that skipped code can have.
//!
//! In: the sources of addresses of such code. Out: all possible targets of a pointer that it returns or leaves in
//! memory: objects that it receives or names, everything reachable from these, and memory that it allocates. This holds
//! if none of these objects holds an unknown address, and if external code that it calls returns no other addresses.

use super::points_to::{MAX_PLACES, StoredAddresses};
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind, Object};
use crate::symbolic::memory::value::{Base, GuardedTarget, PossibleTargets, UnknownPointer, Value, collect};
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::term::{InputSource, SymKind, Term, TermId};
use ir::Linkage;
use ir::reach::MentionedGlobals;
use models::attributes::gives_nothing_else;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Library variables that point to memory into which programs do not look.
const STREAMS: &[&str] = &["stdin", "stdout", "stderr"];

/// Addresses that a piece of code starts from.
#[derive(Default)]
pub(in crate::symbolic) struct AddressSources {
    /// Addresses in registers.
    pub values: StoredAddresses,
    /// Memory that the code only reads.
    pub read: Vec<ObjId>,
}

impl ExecutionContext<'_> {
    /// Possible targets of the addresses that a piece of code has after it was skipped, from `sources` and from what it
    /// names. Memory that it allocates is one new object, identified by its context and site. `None` if there may be
    /// other targets.
    pub(in crate::symbolic) fn addresses_after(
        &mut self,
        s: &mut State,
        sources: &AddressSources,
        named: &MentionedGlobals,
        (context, site): (u64, Site),
    ) -> Option<StoredAddresses> {
        if sources.values.anything || !self.points_to.is_settled() || !self.calls_nothing_else(named) {
            return None;
        }
        let mut all = StoredAddresses {
            functions: sources.values.functions.iter().chain(&named.functions).copied().collect(),
            ..StoredAddresses::default()
        };
        let mut open: Vec<ObjId> = sources.values.objects.iter().copied().collect();
        for g in &named.globals {
            let o = self.global_object(g.module, g.global);
            open.push(o);
        }
        for o in &sources.read {
            self.add_addresses_in(s, *o, &mut all, &mut open);
        }
        while let Some(o) = open.pop() {
            if all.anything || all.size() > MAX_PLACES {
                return None;
            }
            if all.objects.insert(o) {
                self.add_addresses_in(s, o, &mut all, &mut open);
            }
        }
        // Objects of several iterations of a loop: which of them holds what is unknown.
        if all.anything || all.objects.iter().any(|o| self.points_to.has_twin(*o)) {
            return None;
        }
        let made = Object {
            kind: ObjKind::HostHeap,
            name: String::new(),
            extent: None,
            site: Some(self.location(site)),
            func: None,
            array: true,
        };
        let made = self.heap.allocate((context, site, u32::MAX), made);
        all.objects.insert(made);
        (all.size() <= MAX_PLACES).then_some(all)
    }

    /// Records the functions whose addresses a root leaves to its caller: by its result, in memory that it was given, and
    /// in variables that others see. Virtual functions are among them where an object is.
    pub fn give_away(&mut self, s: &mut State, result: Option<&Value>) {
        let mut all = StoredAddresses::default();
        if let Some(result) = result {
            all.add_value(result, &|_| true);
        }
        let mut open: Vec<ObjId> = all.objects.drain().chain(self.heap.parameters().iter().copied()).collect();
        let is_seen = |o: &ObjId| match self.object(*o).kind {
            ObjKind::HostGlobal(g) => {
                let global = self.program.global(g);
                // Of an inline function, others would have to include its header.
                !global.constant && !matches!(global.linkage, Linkage::Internal | Linkage::Odr)
            }
            _ => false,
        };
        open.extend(s.mem.keys().filter(is_seen));
        let mut seen: FxHashSet<ObjId> = FxHashSet::default();
        while let Some(o) = open.pop() {
            if seen.insert(o) {
                self.add_addresses_in(s, o, &mut all, &mut open);
            }
        }
        self.runtime.given_away.extend(all.functions);
    }

    fn add_addresses_in(&mut self, s: &mut State, o: ObjId, all: &mut StoredAddresses, open: &mut Vec<ObjId>) {
        match &self.object(o).kind {
            // The host cannot read these.
            ObjKind::DeviceHeap | ObjKind::Stream(_) => return,
            ObjKind::HostGlobal(r) if STREAMS.contains(&self.program.global(*r).name.as_str()) => return,
            // Variables of functions that have returned are gone.
            ObjKind::HostLocal if !s.mem.contains_key(&o) => return,
            // Contents of all others are added below.
            _ => {}
        }
        let mut there = StoredAddresses::default();
        self.ensure(s, o);
        self.stored_at(s, o, &mut there);
        all.anything |= there.anything;
        all.functions.extend(there.functions);
        open.extend(there.objects);
    }
}

impl MemoryDomain<'_> {
    /// Collects the objects to which a value leads: by its pointers, and by numbers that contain addresses.
    pub(in crate::symbolic) fn collect_objects(&self, v: &Value, out: &mut Vec<ObjId>) {
        collect(v, out);
        if self.points_to.exposed.iter().next().is_some() {
            self.collect_by_numbers(v, out);
        }
    }

    fn collect_by_numbers(&self, v: &Value, out: &mut Vec<ObjId>) {
        match v {
            // An address may be passed or kept as an integer, or in pieces.
            Value::Int(t) => out.extend(self.addresses_in(*t)),
            Value::Aggregate(e) => e.iter().for_each(|v| self.collect_by_numbers(v, out)),
            Value::Ptr(_) | Value::Bool(_) | Value::Real(_) | Value::Unknown(_) => {}
        }
    }

    /// Objects whose addresses are part of a number.
    pub(in crate::symbolic) fn addresses_in(&self, t: TermId) -> Vec<ObjId> {
        self.arena
            .cone(&[t])
            .into_iter()
            .filter_map(|n| match self.arena.get(n) {
                Term::Apply { function: UninterpretedFunction::Address, args, .. } => {
                    self.arena.as_int(args[0]).and_then(|id| u32::try_from(id).ok()).map(ObjId)
                }
                _ => None,
            })
            .chain(self.arena.cone(&[t]).into_iter().flat_map(|n| self.made_by(n)))
            .collect()
    }
}

impl ValueDomain<'_> {
    fn calls_nothing_else(&self, named: &MentionedGlobals) -> bool {
        !named.opaque
            && !named.strange
            && named.reached.iter().all(|f| {
                let f = self.function(*f);
                !f.is_declaration() || gives_nothing_else(&f.name)
            })
    }
}

impl Terms {
    /// Whether a number certainly contains no address: it consists of constants, user inputs and iteration numbers
    /// only.
    pub(in crate::symbolic) fn is_no_address(&self, t: TermId) -> bool {
        let (mut open, mut seen) = (vec![t], FxHashSet::default());
        while let Some(t) = open.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.arena.get(t) {
                Term::Sym(s) => match &self.arena.symbol(*s).kind {
                    SymKind::Input(InputSource::Argc | InputSource::Argv(_) | InputSource::ArgvLen(_))
                    | SymKind::Iteration { .. } => {}
                    _ => return false,
                },
                Term::Apply { .. } => return false,
                Term::Ite(_, a, b) => open.extend([*a, *b]),
                _ => open.extend(self.arena.children(t)),
            }
        }
        true
    }
}

/// Restricts each unknown pointer in a value to candidate targets.
pub(in crate::symbolic) fn among(v: Value, places: &Rc<PossibleTargets>) -> Value {
    match v {
        Value::Ptr(p) => Value::Ptr(Rc::new(
            p.iter()
                .map(|t| match &t.base {
                    Base::Unknown(l @ UnknownPointer { among: None, .. }) => GuardedTarget {
                        base: Base::Unknown(UnknownPointer { among: Some(places.clone()), ..l.clone() }),
                        ..t.clone()
                    },
                    _ => t.clone(),
                })
                .collect(),
        )),
        Value::Aggregate(e) => Value::Aggregate(Rc::new(e.iter().map(|v| among(v.clone(), places)).collect())),
        v => v,
    }
}
