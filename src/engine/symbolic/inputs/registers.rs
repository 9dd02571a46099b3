//! Structures passed by value in registers, as contracts see them: one object with members.
//!
//! In: a function with its arguments, a state and a name. Out: an object in the state with their contents.

use super::contract_facts::{ContractCall, ContractParty};
use super::contract_terms::{ElementType, PointerOrObject};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, UncoveredContents};
use crate::symbolic::memory::value::{Base, GuardedTarget};
use ir::TypeId;
use std::rc::Rc;

impl MemoryDomain<'_> {
    /// Returns the structure that is passed under a name, if it is passed in registers.
    pub(super) fn structure_in_registers(
        &mut self,
        s: &mut State,
        called: ContractCall<'_>,
        name: &str,
    ) -> Option<PointerOrObject> {
        let func = self.program.func(called.f);
        let part = |i| func.in_registers(i).filter(|(of, ..)| *of == name).map(|(_, ty, at)| (i, ty, at));
        let parts: Vec<(usize, TypeId, u64)> = (0..func.params.len()).filter_map(part).collect();
        let (_, ty, _) = *parts.first()?;
        let given = if called.by == ContractParty::Entry { self.structure_given(called.f, name) } else { None };
        let o = match given {
            Some(o) => o,
            None => self.made_of_parts(s, called, (name, ty), &parts),
        };
        let (cond, zero) = (self.arena.bool(true), self.arena.int(0));
        let targets = Rc::new(vec![GuardedTarget::new(cond, Base::Object(o), zero)]);
        let type_name = func.declared_type(name).unwrap_or_default().to_owned();
        Some(PointerOrObject {
            targets,
            element: ElementType { name: type_name, ty: Some(ty), ..ElementType::default() },
        })
    }

    fn made_of_parts(
        &mut self,
        s: &mut State,
        called: ContractCall<'_>,
        (name, ty): (&str, TypeId),
        parts: &[(usize, TypeId, u64)],
    ) -> ObjId {
        let m = self.program.module(called.f.module);
        let extent = self.arena.int(i128::from(m.size_of(ty)));
        let o = self.heap.add(Object {
            kind: ObjKind::HostLocal,
            name: name.to_owned(),
            extent: Some(extent),
            site: None,
            func: Some(called.f),
            array: false,
        });
        let mut state = ObjState::new(UncoveredContents::Uninit);
        for (i, _, at) in parts {
            let bytes = m.size_of(self.program.func(called.f).params[*i].ty).get();
            let (Ok(at), Ok(bytes), Some(v)) = (i64::try_from(*at), u32::try_from(bytes), called.args.get(*i)) else {
                continue;
            };
            state.cells.insert(at, (bytes, v.clone()));
        }
        self.starts_with(s, o, state);
        o
    }
}
