//! State of the compilation of one function: its registers and constants, the layouts of its values, and its register
//! variables.

use super::flow::Flow;
use crate::api::ProgramPoint;
use crate::machine::form::{FlatFunction, I, Leaf, Opd, Relocation, TypeLayout};
use crate::machine::state::Machine;
use crate::machine::value::Val;
use crate::memory::globals::{MAX_LEAVES, is_fp80, leaves};
use ir::{BlockId, Const, FuncRef, Function, Module, ModuleId, Op, Operand, Terminator, TypeId, TypeKind, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A function under compilation.
pub(super) struct Builder<'a, 'p> {
    pub(super) machine: &'a mut Machine<'p>,
    pub(super) m: &'p Module,
    pub(super) f: &'p Function,
    pub(super) mid: ModuleId,
    pub(super) code: FlatFunction,
    const_index: FxHashMap<Val, u32>,
    types: Vec<Option<TypeId>>,
    /// Jumps whose target block has no position yet.
    pub(super) patches: Vec<(usize, Patch, BlockId)>,
    pub(super) place: (u32, u32),
}

/// Which field of an instruction needs the position of a block.
#[derive(Clone, Copy)]
pub(super) enum Patch {
    Jump,
    Yes,
    No,
}

impl<'a, 'p> Builder<'a, 'p> {
    pub(super) fn new(machine: &'a mut Machine<'p>, m: &'p Module, f: &'p Function, func: FuncRef) -> Self {
        let code = FlatFunction {
            func,
            insts: Vec::new(),
            places: Vec::new(),
            consts: Vec::new(),
            relocations: Vec::new(),
            regs: 0,
            param_slots: 0,
            byval: Vec::new(),
            layouts: Vec::new(),
            calls: Vec::new(),
            switches: Vec::new(),
            asms: Vec::new(),
            names: Vec::new(),
            block_pc: Vec::new(),
            values: vec![(0, 0); f.values as usize],
            promoted: FxHashMap::default(),
            loop_regs: FxHashMap::default(),
            flow: Flow::of(f),
        };
        Self {
            machine,
            m,
            f,
            mid: func.module,
            code,
            const_index: FxHashMap::default(),
            types: vec![None; f.values as usize],
            patches: Vec::new(),
            place: (0, 0),
        }
    }

    pub(super) fn assign_registers(&mut self) {
        let mut next = 0;
        let mut give =
            |code: &mut FlatFunction, types: &mut Vec<Option<TypeId>>, m: &Module, v: ValueId, ty: TypeId| {
                #[expect(clippy::cast_possible_truncation, reason = "capped by MAX_LEAVES")]
                let n = leaves(m, ty).len().min(MAX_LEAVES) as u32;
                code.values[v.index()] = (next, n);
                types[v.index()] = Some(ty);
                next += n;
            };
        for (i, p) in self.f.params.iter().enumerate() {
            #[expect(clippy::cast_possible_truncation, reason = "values are numbered by u32")]
            give(&mut self.code, &mut self.types, self.m, ValueId(i as u32), p.ty);
            if let Some(t) = p.byval {
                self.code.byval.push((self.code.values[i].0, self.m.size_of(t).get()));
            }
        }
        let param_slots: u32 = self.code.values[..self.f.params.len()].iter().map(|v| v.1).sum();
        for b in &self.f.blocks {
            for inst in &b.insts {
                if let Some(r) = inst.result {
                    give(&mut self.code, &mut self.types, self.m, r, inst.ty);
                }
            }
            if let Terminator::Invoke { result: Some(r), ty, .. } = &b.term {
                give(&mut self.code, &mut self.types, self.m, *r, *ty);
            }
        }
        self.code.param_slots = param_slots;
        self.code.regs = next;
    }

    /// Finds the stack variables that are only loaded and stored as a whole.
    pub(super) fn promote(&mut self) {
        let mut candidates: FxHashMap<ValueId, u64> = FxHashMap::default();
        for inst in self.f.blocks.iter().flat_map(|b| &b.insts) {
            if let (Some(r), Op::Alloca { ty, count: Operand::Const(Const::Int { value: 1, .. }), .. }) =
                (inst.result, &inst.op)
            {
                let l = leaves(self.m, *ty);
                if l.len() == 1 && l[0].1 != 0 {
                    candidates.insert(r, bytes_of(l[0].1));
                }
            }
        }
        let mut bad: FxHashSet<ValueId> = FxHashSet::default();
        let scalar_bytes = |b: &Self, ty: TypeId| {
            let l = leaves(b.m, ty);
            if l.len() == 1 && l[0].1 != 0 { Some(bytes_of(l[0].1)) } else { None }
        };
        for (bi, b) in (0u32..).zip(&self.f.blocks) {
            for (ii, inst) in (0u32..).zip(&b.insts) {
                match &inst.op {
                    Op::Load { ptr: Operand::Value(p), .. } => {
                        if candidates.get(p).is_some_and(|s| scalar_bytes(self, inst.ty) != Some(*s)) {
                            bad.insert(*p);
                        }
                    }
                    Op::Store { ptr: Operand::Value(p), value, .. } => {
                        if let Operand::Value(v) = value {
                            bad.insert(*v);
                        }
                        if self.machine.names_part(ProgramPoint { func: self.code.func, block: BlockId(bi), inst: ii })
                        {
                            bad.insert(*p);
                        }
                        if let Some(s) = candidates.get(p)
                            && self.operand_type(value).map_or_else(|| const_bytes(value), |t| scalar_bytes(self, t))
                                != Some(*s)
                        {
                            bad.insert(*p);
                        }
                    }
                    Op::Lifetime { .. } => {}
                    op => op.operands(&mut |o| {
                        if let Operand::Value(v) = o {
                            bad.insert(*v);
                        }
                    }),
                }
            }
            b.term.operands(&mut |o| {
                if let Operand::Value(v) = o {
                    bad.insert(*v);
                }
            });
        }
        for v in candidates.into_keys().filter(|v| !bad.contains(v)) {
            self.code.promoted.insert(v, self.code.regs);
            self.code.regs += 1;
        }
    }

    pub(super) fn emit(&mut self, i: I) -> usize {
        self.code.insts.push(i);
        self.code.places.push(self.place);
        self.code.insts.len() - 1
    }

    #[expect(clippy::cast_possible_truncation, reason = "far fewer constants than 2^31")]
    pub(super) fn constant(&mut self, v: Val) -> Opd {
        if let Some(&i) = self.const_index.get(&v) {
            return Opd::constant(i);
        }
        let i = self.code.consts.len() as u32;
        self.code.consts.push(v);
        self.const_index.insert(v, i);
        Opd::constant(i)
    }

    /// Registers or constants of an operand, and its number of scalars.
    #[expect(clippy::cast_possible_truncation, reason = "capped by MAX_LEAVES")]
    pub(super) fn operand(&mut self, o: &Operand) -> (Opd, u32) {
        match o {
            Operand::Value(v) => {
                let (r, n) = self.code.values[v.index()];
                (Opd::reg(r), n)
            }
            Operand::Const(c) => {
                // Only constants that carry their type need one.
                let ty = match c {
                    Const::Int { .. } | Const::Float { .. } | Const::Global { .. } | Const::Func(_) => TypeId(0),
                    _ => const_type(c).unwrap_or(TypeId(0)),
                };
                let scalars = self.machine.const_scalars(self.mid, c, ty);
                if !is_the_same_everywhere(c) {
                    let by = Relocation::Scalars { module: self.mid, constant: c.clone(), ty };
                    return (self.relocated(by, scalars.len()), scalars.len() as u32);
                }
                if let [(_, _, v)] = scalars[..] {
                    return (self.constant(v), 1);
                }
                let i = self.code.consts.len() as u32;
                self.code.consts.extend(scalars.iter().map(|s| s.2));
                (Opd::constant(i), scalars.len() as u32)
            }
        }
    }

    pub(super) fn one(&mut self, o: &Operand) -> Opd {
        let (opd, n) = self.operand(o);
        if n == 0 { self.constant(Val::UNINIT) } else { opd }
    }

    pub(super) fn operand_type(&self, o: &Operand) -> Option<TypeId> {
        match o {
            Operand::Value(v) => self.types[v.index()],
            Operand::Const(c) => const_type(c),
        }
    }

    /// Width in bits of an operand's scalars (128 for wide integers), and whether they are floating point.
    pub(super) fn width(&self, o: &Operand) -> (u32, bool) {
        match o {
            Operand::Const(Const::Int { bits, .. }) => (*bits, false),
            Operand::Const(Const::Float { bits, .. }) => (*bits, true),
            Operand::Const(Const::Global { .. } | Const::Func(_)) => (64, false),
            o => self.operand_type(o).map_or((0, false), |t| self.type_width(t)),
        }
    }

    pub(super) fn type_width(&self, ty: TypeId) -> (u32, bool) {
        match &self.m.ty(ty).kind {
            TypeKind::Int(b) => (*b, false),
            TypeKind::Float(b) => (*b, true),
            TypeKind::Ptr(_) => (64, false),
            TypeKind::Other(_) if is_fp80(self.m, ty) => (80, true),
            TypeKind::Vector { elem, .. } | TypeKind::Array { elem, .. } => self.type_width(*elem),
            _ => (0, false),
        }
    }

    pub(super) fn layout(&mut self, ty: TypeId) -> u32 {
        let l = leaves(self.m, ty);
        #[expect(clippy::cast_possible_truncation, reason = "values larger than 4 GiB do not occur in registers")]
        let leaves: Vec<Leaf> = l.iter().map(|(off, bits)| Leaf { off: *off as u32, bits: *bits }).collect();
        let bytes = leaves.last().map_or(0, |l| u64::from(l.off) + u64::from(l.bytes()));
        self.code.layouts.push(TypeLayout { leaves, bytes });
        #[expect(clippy::cast_possible_truncation, reason = "at most one per instruction")]
        let i = self.code.layouts.len() as u32 - 1;
        i
    }

    /// Poison with this reason.
    pub(super) fn unknown(&mut self, why: String) -> Opd {
        self.relocated(Relocation::Poison(why), 1)
    }

    pub(super) fn poison(&mut self, d: u32, n: u32, what: &str) {
        let s = self.unknown(what.to_owned());
        self.emit(I::Poison { d, n, s });
    }

    /// Adds constants whose values differ between machines.
    #[expect(clippy::cast_possible_truncation, reason = "far fewer constants than 2^31")]
    fn relocated(&mut self, by: Relocation, n: usize) -> Opd {
        let at = self.code.consts.len();
        self.code.consts.extend(std::iter::repeat_n(Val::UNINIT, n));
        self.code.relocations.push((at, by));
        Opd::constant(at as u32)
    }

    pub(super) fn promoted(&self, ptr: &Operand) -> Option<u32> {
        let Operand::Value(v) = ptr else { return None };
        self.code.promoted.get(v).copied()
    }
}

/// Whether a constant has the same value in every machine: it holds no address and is modelled.
fn is_the_same_everywhere(c: &Const) -> bool {
    match c {
        Const::Global { .. } | Const::Func(_) | Const::Opaque { .. } => false,
        Const::Float { bits, .. } => *bits <= 64,
        Const::Aggregate { elems, .. } => elems.iter().all(is_the_same_everywhere),
        Const::Int { .. } | Const::Address { .. } | Const::Zero(_) | Const::Undef(_) | Const::Bytes { .. } => true,
    }
}

const fn bytes_of(bits: u8) -> u64 {
    (bits as u64).div_ceil(8)
}

fn const_bytes(o: &Operand) -> Option<u64> {
    match o {
        Operand::Const(Const::Int { bits, .. } | Const::Float { bits, .. }) if *bits <= 64 => {
            Some(u64::from(bits.div_ceil(8)))
        }
        Operand::Const(Const::Global { .. } | Const::Func(_)) => Some(8),
        _ => None,
    }
}

/// Type of a constant, if it carries one.
const fn const_type(c: &Const) -> Option<TypeId> {
    match c {
        Const::Zero(t) | Const::Undef(t) => Some(*t),
        Const::Aggregate { ty, .. }
        | Const::Bytes { ty, .. }
        | Const::Opaque { ty, .. }
        | Const::Address { ty, .. } => Some(*ty),
        Const::Int { .. } | Const::Float { .. } | Const::Global { .. } | Const::Func(_) => None,
    }
}
