//! Partitions: the parts into which named pointers cut an object, such as `float *b = &a[n];` in shared memory.
//!
//! In: what a kernel stores in its pointer variables. Out: where each part begins and when it was named; a pointer says
//! through which name it came ([`Target::part`]). It must not know what an access outside its part means.
//!
//! A variable names a part if it is set by one store, its address is never taken, and what it is set to is the same place
//! for all threads, all blocks and all rounds of loops. A pointer computed from it (`a + threadIdx.x * w`) still came
//! through it. A variable that is set several times (`p += stride`, `swap(a, b)`) names nothing, and neither do
//! parameters and members: what they hold is known by the name it had before, or by none.

use super::object::ObjId;
use super::value::{Base, Target, Value};
use crate::ir::{FuncRef, Op, Operand, Side, Step, ValueId};
use crate::symbolic::exec::executor::{Executor, Frame, Site, State};
use crate::symbolic::terms::term::TermId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Index into [`Partitions::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub u32);

/// When a thread does something in a kernel, in the order in which the kernel was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    pub order: u32,
    /// Barriers of the block that came before.
    pub phase: u32,
}

/// A part of an object.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The variable's name in the source.
    pub name: String,
    /// The one store that sets it.
    pub set: Site,
    pub object: ObjId,
    /// Bytes from the start of the object.
    pub start: TermId,
    /// What holds where it is set.
    pub path: TermId,
    pub named: Moment,
    /// When the variable went out of scope.
    pub ended: Option<Moment>,
    /// False where some execution of the store set it to another place: then it names nothing.
    pub fixed: bool,
}

/// The declared array inside an object that an access indexes: a row of `tile[32][33]`, a member that is an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The address computation.
    pub gep: Site,
    /// Bytes from the start of the row.
    pub offset: TermId,
    /// Bytes, of the row and of each of its elements.
    pub size: u64,
    pub element: u64,
}

/// What a local pointer variable may do.
#[derive(Clone, Debug)]
enum Role {
    Names(String),
    /// Holds what it was given once, under the name that this had.
    Passes,
    Several,
}

/// The parts of one kernel's objects.
#[derive(Clone, Default)]
pub struct Partitions {
    all: Vec<Partition>,
    of_variable: FxHashMap<ObjId, PartId>,
    roles: FxHashMap<FuncRef, Rc<FxHashMap<ValueId, Role>>>,
    now: Moment,
    /// Symbols that are older than the kernel.
    outside: usize,
}

impl Partitions {
    /// A kernel begins, in an arena of so many symbols.
    pub(crate) fn begin(&mut self, symbols: usize) {
        self.outside = symbols;
    }

    /// Forgets what was named so far.
    pub(crate) fn restart(&mut self) {
        self.all.clear();
        self.of_variable.clear();
        self.now = Moment::default();
    }

    pub(crate) fn take(&mut self) -> Vec<Partition> {
        let all = std::mem::take(&mut self.all);
        self.restart();
        all
    }

    /// The next moment.
    pub(in crate::symbolic) fn tick(&mut self) -> Moment {
        self.now.order += 1;
        self.now
    }

    pub(crate) fn barrier(&mut self) {
        self.now.phase += 1;
    }

    /// A variable goes out of scope.
    pub(in crate::symbolic) fn end(&mut self, variable: ObjId) {
        let Some(id) = self.of_variable.get(&variable).copied() else { return };
        let now = self.tick();
        self.all[id.0 as usize].ended = Some(now);
    }

    fn name(&mut self, variable: ObjId, p: Partition) -> PartId {
        match self.of_variable.get(&variable) {
            Some(id) => {
                let old = &mut self.all[id.0 as usize];
                let fixed = old.fixed && old.object == p.object && old.start == p.start;
                *old = Partition { fixed, ..p };
                *id
            }
            None => {
                let id = PartId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
                self.all.push(p);
                self.of_variable.insert(variable, id);
                id
            }
        }
    }
}

impl Executor<'_> {
    /// The rows that an address lies in: those of the address that it is computed from, and the one whose index, not a
    /// constant, comes last. A pointer that is moved by elements (`(&a[i][0])[j]`) has left its rows behind.
    pub(in crate::symbolic) fn rows(
        &mut self,
        fr: &Frame,
        gep: Site,
        base: &Operand,
        steps: &[Step],
        delta: TermId,
    ) -> Option<Rc<Vec<Row>>> {
        if self.side != Side::Device || !self.recording || matches!(steps, [Step::Index { count: None, .. }]) {
            return None;
        }
        let mut rows: Vec<Row> = fr.rows(base).map_or_else(Vec::new, |r| r.to_vec());
        for r in &mut rows {
            r.offset = self.arena.add(r.offset, delta);
        }
        if let Some(Step::Index { index: index @ Operand::Value(_), stride, count: Some(count @ 2..) }) = steps.last() {
            let i = self.operand_int(fr, index, 64);
            rows.push(Row {
                gep,
                offset: self.arena.scale(i, i128::from(*stride)),
                size: stride * count,
                element: *stride,
            });
        }
        (!rows.is_empty()).then(|| Rc::new(rows))
    }

    /// What a store puts into a variable: a pointer under the variable's name, where it has a name to give.
    pub(in crate::symbolic) fn named(&mut self, fr: &Frame, s: &State, site: Site, ptr: &Operand, v: Value) -> Value {
        let Value::Ptr(p) = &v else { return v };
        if self.side != Side::Device {
            return v;
        }
        let Operand::Value(variable) = ptr else { return unnamed(p) };
        let roles = self.roles(fr.func);
        match (roles.get(variable), p.as_slice()) {
            (Some(Role::Passes), _) => v,
            (Some(Role::Names(name)), [Target { base: Base::Object(o), offset, .. }]) => {
                let to = self.pointer_operand(fr, ptr);
                let [Target { base: Base::Object(variable), .. }] = to.as_slice() else { return v };
                if !self.is_same_for_all(*offset) {
                    if let Some(id) = self.partitions.of_variable.get(variable) {
                        self.partitions.all[id.0 as usize].fixed = false;
                    }
                    return v;
                }
                let named = self.partitions.tick();
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
                let id = self.partitions.name(*variable, part);
                Value::Ptr(Rc::new(vec![Target { part: Some(id), ..p[0].clone() }]))
            }
            (Some(Role::Names(_)), _) => v,
            _ => unnamed(p),
        }
    }

    /// Whether a term has one value for all threads of all blocks in all rounds: it is made of what was there before the kernel.
    fn is_same_for_all(&self, t: TermId) -> bool {
        self.arena.symbols_of(&[t]).into_iter().all(|s| (s.0 as usize) < self.partitions.outside)
    }

    fn roles(&mut self, f: FuncRef) -> Rc<FxHashMap<ValueId, Role>> {
        if let Some(r) = self.partitions.roles.get(&f) {
            return r.clone();
        }
        let roles = Rc::new(self.find_roles(f));
        self.partitions.roles.insert(f, roles.clone());
        roles
    }

    fn find_roles(&self, f: FuncRef) -> FxHashMap<ValueId, Role> {
        let func = self.function(f);
        let mut roles: FxHashMap<ValueId, Role> = FxHashMap::default();
        let insts = || func.blocks.iter().flat_map(|b| &b.insts);
        for inst in insts() {
            let (Some(r), Op::Alloca { var, .. }) = (inst.result, &inst.op) else { continue };
            let named = var
                .as_ref()
                .filter(|v| v.param.is_none() && is_pointer(&v.type_name) && !self.program.loc(f.module, v.loc).system);
            roles.insert(r, named.map_or(Role::Passes, |v| Role::Names(v.name.clone())));
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
                *role = Role::Several;
            }
        }
        roles
    }
}

/// Whether a type as it is spelled is that of pointers, and not of references to them.
fn is_pointer(type_name: &str) -> bool {
    type_name.contains('*') && !type_name.contains('&')
}

/// A pointer under no name.
fn unnamed(p: &Rc<Vec<Target>>) -> Value {
    if p.iter().all(|t| t.part.is_none()) {
        return Value::Ptr(p.clone());
    }
    Value::Ptr(Rc::new(p.iter().map(|t| Target { part: None, ..t.clone() }).collect()))
}
