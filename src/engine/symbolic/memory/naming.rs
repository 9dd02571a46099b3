//! Naming of parts: which pointer variables name a part of an object, and in which declared arrays an address lies.
//!
//! In: stores to local pointer variables of kernels, and address computations, as the executor reaches them. Out:
//! entries in [`Partitions`](super::partition::Partitions), pointers with the part through which they were derived, and
//! the rows of an access. The module must not know what an access outside its part means.

use super::partition::{ArrayRow, Partition, PointerRole};
use super::value::{Base, GuardedTarget, Value};
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::{Activation, State};
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::terms::term::TermId;
use ir::{AddressStep, FuncRef, Op, Operand, Side, ValueId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl ExecutionContext<'_> {
    /// Rows that an address lies in: those of its base address, then the one of the last index, if that is not a
    /// constant. Moving a pointer by elements (`(&a[i][0])[j]`) drops its rows.
    pub(in crate::symbolic) fn rows(
        &mut self,
        fr: &Activation,
        gep: Site,
        base: &Operand,
        steps: &[AddressStep],
        delta: TermId,
    ) -> Option<Rc<Vec<ArrayRow>>> {
        if self.side != Side::Device
            || !self.events.recording
            || matches!(steps, [AddressStep::Index { count: None, .. }])
        {
            return None;
        }
        let mut rows: Vec<ArrayRow> = fr.rows(base).map_or_else(Vec::new, |r| r.to_vec());
        for r in &mut rows {
            r.offset = self.arena.add(r.offset, delta);
        }
        if let Some(AddressStep::Index { index: index @ Operand::Value(_), stride, count: Some(count) }) = steps.last()
            && count.get() > 1
        {
            let i = self.operand_int(fr, index, 64);
            rows.push(ArrayRow {
                gep,
                offset: self.arena.scale(i, i128::from(*stride)),
                size: *count * *stride,
                element: *stride,
            });
        }
        (!rows.is_empty()).then(|| Rc::new(rows))
    }
}

impl MemoryDomain<'_> {
    /// Value that a store puts into a variable: a pointer gets the variable's part name, if it has one to give.
    pub(in crate::symbolic) fn named(
        &mut self,
        fr: &Activation,
        s: &State,
        site: Site,
        ptr: &Operand,
        v: Value,
    ) -> Value {
        let Value::Ptr(p) = &v else { return v };
        if self.side != Side::Device {
            return v;
        }
        let Operand::Value(variable) = ptr else { return unnamed(p) };
        let roles = self.roles(fr.func);
        match (roles.get(variable), p.as_slice()) {
            (Some(PointerRole::Passes), _) => v,
            (Some(PointerRole::Names(name)), [GuardedTarget { base: Base::Object(o), offset, .. }]) => {
                let to = self.pointer_operand(fr, ptr);
                let [GuardedTarget { base: Base::Object(variable), .. }] = to.as_slice() else { return v };
                if !self.is_same_for_all(*offset) {
                    if let Some(id) = self.kernel.partitions.of_variable.get(variable) {
                        self.kernel.partitions.all[id.0 as usize].fixed = false;
                    }
                    return v;
                }
                let named = self.kernel.partitions.tick();
                let part = Partition {
                    name: name.clone(),
                    set: site,
                    object: *o,
                    start: *offset,
                    path: s.path,
                    named,
                    ended: None,
                    fixed: true,
                };
                let id = self.kernel.partitions.name(*variable, part);
                Value::Ptr(Rc::new(vec![GuardedTarget { part: Some(id), ..p[0].clone() }]))
            }
            (Some(PointerRole::Names(_)), _) => v,
            _ => unnamed(p),
        }
    }

    /// Whether a term has one value for all threads, blocks and iterations: it consists of symbols older than the
    /// kernel.
    fn is_same_for_all(&self, t: TermId) -> bool {
        self.arena.symbols_of(&[t]).into_iter().all(|s| (s.0 as usize) < self.kernel.partitions.outside)
    }

    fn roles(&mut self, f: FuncRef) -> Rc<FxHashMap<ValueId, PointerRole>> {
        if let Some(r) = self.kernel.partitions.roles.get(&f) {
            return r.clone();
        }
        let roles = Rc::new(self.find_roles(f));
        self.kernel.partitions.roles.insert(f, roles.clone());
        roles
    }
}

impl ValueDomain<'_> {
    fn find_roles(&self, f: FuncRef) -> FxHashMap<ValueId, PointerRole> {
        let func = self.function(f);
        let mut roles: FxHashMap<ValueId, PointerRole> = FxHashMap::default();
        let insts = || func.blocks.iter().flat_map(|b| &b.insts);
        for inst in insts() {
            let (Some(r), Op::Alloca { var, .. }) = (inst.result, &inst.op) else { continue };
            let named = var
                .as_ref()
                .filter(|v| v.param.is_none() && is_pointer(&v.type_name) && !self.program.loc(f.module, v.loc).system);
            roles.insert(r, named.map_or(PointerRole::Passes, |v| PointerRole::Names(v.name.clone())));
        }
        let mut stores: FxHashMap<ValueId, u32> = FxHashMap::default();
        let mut taken = |o: &Operand| {
            if let Operand::Value(v) = o {
                stores.entry(*v).and_modify(|n| *n += 2).or_insert(2);
            }
        };
        for inst in insts() {
            match &inst.op {
                Op::Load { .. } | Op::Lifetime { .. } => {}
                Op::Store { value, .. } => taken(value),
                op => op.operands(&mut taken),
            }
        }
        for b in &func.blocks {
            b.term.operands(&mut taken);
        }
        for inst in insts() {
            if let Op::Store { ptr: Operand::Value(v), .. } = &inst.op {
                *stores.entry(*v).or_default() += 1;
            }
        }
        for (v, role) in &mut roles {
            if stores.get(v).is_some_and(|n| *n > 1) {
                *role = PointerRole::Several;
            }
        }
        roles
    }
}

/// Whether the spelling of a type is that of a pointer, rather than of a reference to one.
fn is_pointer(type_name: &str) -> bool {
    type_name.contains('*') && !type_name.contains('&')
}

/// Returns the pointer without part names.
fn unnamed(p: &Rc<Vec<GuardedTarget>>) -> Value {
    if p.iter().all(|t| t.part.is_none()) {
        return Value::Ptr(p.clone());
    }
    Value::Ptr(Rc::new(p.iter().map(|t| GuardedTarget { part: None, ..t.clone() }).collect()))
}
