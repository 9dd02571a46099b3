//! Invariants of types for the objects that a caller gave.
//!
//! In: objects behind parameters and behind pointers in them, and structures passed by value, with their types;
//! invariants, and the semantics of library types. Out: conditions on the contents of these objects at function entry,
//! to be added where something depends on them; extents of the objects that their pointers lead to. Objects that the
//! program makes get no invariants.

use super::contract_facts::{ConditionMeaning, ContractParty};
use super::contract_terms::{ElementType, NameMeanings, PointerOrObject, TermScope, elements};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::value::{Base, GuardedTarget};
use crate::symbolic::terms::term::TermId;
use base::axioms::Axiom;
use contracts::ast::CondKind;
use contracts::{Requirement, plain_name};
use ir::{FuncRef, Module, TypeId, TypeKind, source_name};
use models::views;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Maximum number of steps from the queried symbols to facts that mention them in turn.
const ROUNDS: usize = 3;

impl ExecutionContext<'_> {
    /// Applies invariants to the objects that were given since the last call. Objects that only an invariant reaches
    /// were not used by the program, and get none.
    pub fn apply_invariants(&mut self) {
        let new = self.heap.all_given().get(self.assumptions.looked_at..).unwrap_or_default().to_vec();
        for o in new {
            let Some(given) = self.heap.given(o).copied() else { continue };
            let Some(ty) = given.ty else { continue };
            let mut parts = vec![];
            parts_of(self.program.module(given.module), ty, 0, &mut parts);
            for part in parts {
                self.invariants_of(o, part);
                self.meaning_of(o, part);
            }
        }
        self.assumptions.looked_at = self.heap.all_given().len();
    }

    /// Adds the invariants of a structure that is, or lies in, a caller-given object.
    fn invariants_of(&mut self, o: ObjId, part: StructurePart) {
        let Some(given) = self.heap.given(o).copied() else { return };
        let m = self.program.module(given.module);
        let (mut all, mut classes) = (self.assumptions.invariants.clone(), self.assumptions.classes.clone());
        if !all.is_empty() && !self.assumptions.takes(Axiom::Invariant) {
            all = Rc::default();
        }
        if !classes.is_empty() && !self.assumptions.takes(Axiom::ClassInvariant) {
            classes = Rc::default();
        }
        let name = match &m.ty(part.ty).kind {
            TypeKind::Struct { name: Some(llvm), .. } => plain_name(source_name(llvm)),
            _ => return,
        };
        let source = m.ty(part.ty).source.as_ref();
        let of_it = all.iter().filter(|i| plain_name(&i.type_name) == name);
        for invariant in of_it.chain(classes.iter().filter(|i| Some(&i.type_name) == source)) {
            for required in &invariant.conditions {
                let (cond, at) = (self.arena.bool(true), self.arena.int(i128::from(part.at)));
                let targets = Rc::new(vec![GuardedTarget::new(cond, Base::Object(o), at)]);
                let mut state = self.state_at_start();
                self.ensure(&mut state, o);
                let member =
                    ClassObject { at: &targets, class: &invariant.type_name, ty: part.ty, function: given.function };
                let said =
                    self.of_members(&mut state, member, |e, asked| e.said(asked, required, ContractParty::Entry));
                let text = &required.text;
                let who = format!("`{text}` ({}), the invariant of `{}`", required.origin, invariant.type_name);
                match said {
                    Ok(ConditionMeaning::Now(c)) => self.holds_of_objects(c, &who),
                    Ok(ConditionMeaning::Always(always)) => self.assumptions.note_always(always, &who),
                    Err(why) => {
                        let name = &invariant.type_name;
                        self.problem(format!("{}: `{text}` is not assumed of `{name}`: {why}", required.origin));
                    }
                }
            }
        }
    }

    /// Evaluates a query on the members of an object in a state, and stores the state after the reads. The reads are
    /// those of host code, on either side.
    fn of_members<T>(
        &mut self,
        state: &mut State,
        of: ClassObject<'_>,
        ask: impl FnOnce(&mut Self, &mut TermScope<'_>) -> T,
    ) -> T {
        let element = ElementType { name: of.class.to_owned(), ty: Some(of.ty), ..ElementType::default() };
        let names = NameMeanings::Members(PointerOrObject { targets: of.at.clone(), element });
        let (function, before) = (of.function, state.clone());
        let mut asked = TermScope { names, function, state: before, bound: vec![], defined: vec![] };
        let out = self.on_the_host(|e| ask(e, &mut asked));
        *state = asked.state;
        out
    }

    /// Returns the condition that a requirement on members holds in a state, and that the pointers whose elements it
    /// counts lead to no freed memory; `None` if that is unknown.
    pub fn holds_of_members(
        &mut self,
        state: &mut State,
        of: ClassObject<'_>,
        required: &Requirement,
    ) -> Option<TermId> {
        let said = self.of_members(state, of, |e, asked| e.said(asked, required, ContractParty::Entry));
        let Ok(ConditionMeaning::Now(mut holds)) = said else { return None };
        let CondKind::Compare(_, left, right) = &required.condition.kind else { return Some(holds) };
        for pointer in [left, right].into_iter().filter_map(|t| elements(t)) {
            let pointed = self.of_members(state, of, |e, asked| e.pointer_of(asked, pointer));
            for t in pointed.ok()??.targets.iter() {
                let Base::Object(o) = t.base else { continue };
                let freed = self.freed_when(state, o);
                let freed = self.arena.and(t.cond, freed);
                let lives = self.arena.not(freed);
                holds = self.arena.and(holds, lives);
            }
        }
        Some(holds)
    }

    /// Adds the semantics of a memory view that is, or lies in, a caller-given object.
    fn meaning_of(&mut self, o: ObjId, part: StructurePart) {
        let Some(given) = self.heap.given(o).copied() else { return };
        let source = self.program.module(given.module).ty(part.ty).source.as_deref();
        let (view, container) = (source.and_then(views::view), source.and_then(views::container));
        if view.is_none() && container.is_none() || !self.assumptions.takes(Axiom::View) {
            return;
        }
        let mut state = self.state_at_start();
        self.ensure(&mut state, o);
        let means = self.on_the_host(|e| match &view {
            Some(view) => e.view_means(&mut state, (o, part.at), part.ty, view),
            None => e.container_means(&mut state, (o, part.at)),
        });
        if let Some(c) = means {
            let name = view.map_or("std::vector", |view| view.name);
            let who = format!("what `{name}` means: `{}` has the elements that it says", self.object(o).name);
            self.holds_of_objects(c, &who);
        }
    }
}

impl ValueDomain<'_> {
    fn holds_of_objects(&mut self, c: TermId, who: &str) {
        for part in self.arena.conjuncts(c) {
            self.assumptions.note(part, who);
        }
        if self.arena.as_bool(c) != Some(true) && !self.assumptions.of_objects.contains(&c) {
            self.assumptions.of_objects.push(c);
        }
    }

    /// Returns the invariants' conditions on everything that the roots depend on.
    pub fn of_objects(&mut self, roots: &[TermId]) -> Option<TermId> {
        if self.assumptions.of_objects.is_empty() {
            return None;
        }
        let mut asked: FxHashSet<_> = self.arena.symbols_of(roots).into_iter().collect();
        let mut open: Vec<(TermId, Vec<_>)> =
            self.assumptions.of_objects.clone().into_iter().map(|c| (c, self.arena.symbols_of(&[c]))).collect();
        let mut out = vec![];
        for _ in 0..ROUNDS {
            let (related, rest): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|(_, symbols)| symbols.iter().any(|s| asked.contains(s)));
            open = rest;
            if related.is_empty() {
                break;
            }
            for (c, symbols) in related {
                asked.extend(symbols);
                out.push(c);
            }
        }
        (!out.is_empty()).then(|| self.arena.and_all(out))
    }

    /// Whether there are any conditions on objects.
    pub fn has_invariants(&self) -> bool {
        !self.assumptions.of_objects.is_empty()
    }

    /// Returns all assumptions on the objects.
    pub fn all_of_objects(&mut self) -> TermId {
        let all = self.assumptions.of_objects.clone();
        self.arena.and_all(all)
    }
}

/// Object of a class.
#[derive(Clone, Copy)]
pub struct ClassObject<'a> {
    pub at: &'a Rc<Vec<GuardedTarget>>,
    /// Name of the class as the source spells it.
    pub class: &'a str,
    pub ty: TypeId,
    /// Function whose module has the type.
    pub function: FuncRef,
}

/// Structure in a caller-given object.
#[derive(Clone, Copy)]
struct StructurePart {
    /// Offset in bytes from the start of the object.
    at: u64,
    ty: TypeId,
}

/// Maximum number of structures in a structure that are examined.
const MAX_PARTS: usize = 64;

/// Collects a structure and those that are its members, its bases, or elements of its arrays.
fn parts_of(m: &Module, ty: TypeId, at: u64, out: &mut Vec<StructurePart>) {
    match &m.ty(ty).kind {
        TypeKind::Struct { fields, .. } if out.len() < MAX_PARTS => {
            out.push(StructurePart { at, ty });
            for f in fields {
                parts_of(m, f.ty, at + f.offset, out);
            }
        }
        TypeKind::Array { elem, count } if matches!(m.ty(*elem).kind, TypeKind::Struct { .. }) => {
            for offset in count.offsets(m.size_of(*elem)).take(MAX_PARTS) {
                parts_of(m, *elem, at + offset, out);
            }
        }
        _ => {}
    }
}
