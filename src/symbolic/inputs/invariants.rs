//! What invariants of types say of the objects that a caller gave.
//!
//! In: objects behind parameters and behind pointers in them, with their types; invariants. Out: conditions over what these objects held when the function
//! was called, to be added where something depends on them; extents of what pointers in them lead to. Objects that the program makes are what it
//! made them.

use super::contract_facts::{By, Said};
use super::contract_terms::{Asked, Element, Names, Pointed};
use crate::ir::{Side, TypeKind, source_name};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::value::{Base, Target};
use crate::symbolic::terms::term::TermId;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// How far facts are followed from what is asked to what they mention in turn.
const ROUNDS: usize = 3;

impl Executor<'_> {
    /// Looks at the objects that were given since this was last done. What an invariant itself leads to was not used by the program, and has none.
    pub(crate) fn apply_invariants(&mut self) {
        if self.assumptions.invariants.is_empty() || self.assumptions.ignored {
            return;
        }
        let given = self.heap.parameters().to_vec();
        let new = given.get(self.assumptions.looked_at..).unwrap_or_default().to_vec();
        for o in new {
            self.invariants_of(o);
        }
        self.assumptions.looked_at = self.heap.parameters().len();
    }

    fn invariants_of(&mut self, o: ObjId) {
        let Some(given) = self.heap.given(o).copied() else { return };
        let m = self.program.module(given.module);
        let all = self.assumptions.invariants.clone();
        let name = match given.ty.map(|ty| &m.ty(ty).kind) {
            Some(TypeKind::Struct { name: Some(llvm), .. }) => plain_name(source_name(llvm)),
            _ => return,
        };
        let of_it = all.iter().filter(|i| plain_name(&i.type_name) == name);
        for invariant in of_it {
            for required in &invariant.conditions {
                let (cond, zero) = (self.arena.bool(true), self.arena.int(0));
                let targets = Rc::new(vec![Target::new(cond, Base::Object(o), zero)]);
                let element = Element { name: invariant.type_name.clone(), ty: given.ty, ..Element::default() };
                let mut state = self.state_at_start();
                self.ensure(&mut state, o);
                let mut asked = Asked {
                    names: Names::Members(Pointed { targets, element }),
                    function: given.function,
                    state,
                    bound: vec![],
                };
                // As the host's code reads it, whoever asks.
                let side = std::mem::replace(&mut self.side, Side::Host);
                let said = self.said(&mut asked, required, By::Entry);
                self.side = side;
                let text = &required.text;
                let who = format!("`{text}` ({}), the invariant of `{}`", required.origin, invariant.type_name);
                match said {
                    Ok(Said::Now(c)) => {
                        for part in self.arena.conjuncts(c) {
                            self.assumptions.note(part, &who);
                        }
                        if self.arena.as_bool(c) != Some(true) && !self.assumptions.of_objects.contains(&c) {
                            self.assumptions.of_objects.push(c);
                        }
                    }
                    Ok(Said::Always(always)) => self.assumptions.note_always(always, &who),
                    Err(why) => {
                        let name = &invariant.type_name;
                        self.problem(format!("{}: `{text}` is not assumed of `{name}`: {why}", required.origin));
                    }
                }
            }
        }
    }

    /// What invariants say of everything that the roots depend on.
    pub(crate) fn of_objects(&mut self, roots: &[TermId]) -> Option<TermId> {
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

    /// Whether any of them says something.
    pub(crate) fn has_invariants(&self) -> bool {
        !self.assumptions.of_objects.is_empty()
    }

    /// All that is assumed of the objects.
    pub(crate) fn all_of_objects(&mut self) -> TermId {
        let all = self.assumptions.of_objects.clone();
        self.arena.and_all(all)
    }
}

/// The name of a type, or of the template that it is an instance of, without words before it and without inline namespaces of versions
/// (`cuda::std::__4::span`).
fn plain_name(name: &str) -> String {
    let mut name = name.trim();
    for word in ["const ", "struct ", "class "] {
        name = name.strip_prefix(word).unwrap_or(name).trim_start();
    }
    let name = name.split('<').next().unwrap_or_default();
    let is_version = |part: &&str| part.strip_prefix("__").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    name.split("::").filter(|part| !is_version(part)).collect::<Vec<_>>().join("::")
}

#[cfg(test)]
mod tests {
    use super::plain_name;

    #[test]
    fn names_of_types() {
        for (written, name) in [
            ("struct matrix", "matrix"),
            ("cuda::std::__4::span<float, 3>", "cuda::std::span"),
            ("const a::__b::c", "a::__b::c"),
        ] {
            assert_eq!(plain_name(written), name, "{written}");
        }
    }
}
