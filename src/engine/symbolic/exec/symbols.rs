//! Symbols for values that are not computed: program inputs, unknown values, pointers with known and unknown targets;
//! objects of globals.

use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind, Object};
use crate::symbolic::memory::value::{Base, GuardedTarget, UnknownPointer, Value};
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{InputSource, SymKind, Term, TermId};
use base::axioms::Axiom;
use base::reasons::UnknownReason;
use ir::{Module, ModuleId, Side, TypeId, TypeKind};
use models::devices;
use std::rc::Rc;

impl MemoryDomain<'_> {
    /// Returns the maximum number of bytes of a device allocation; without [`Axiom::DeviceMemory`], as many as can be
    /// requested.
    pub fn most_of_device(&self) -> i128 {
        if self.assumptions.takes(Axiom::DeviceMemory) { self.runtime.device_memory.into() } else { (1 << 64) - 1 }
    }

    /// Returns the object of a global variable, which is created on first use.
    pub fn global_object(&mut self, module: ModuleId, id: ir::GlobalId) -> ObjId {
        let r = self.program.resolve_global(module, id);
        let g = self.program.global(r);
        let managed = self.program.is_managed(r);
        let host = managed || self.program.module(r.module).side == Side::Host;
        if let Some(o) = self.heap.global(r, host) {
            return o;
        }
        let size = self.program.module(r.module).size_of(g.ty);
        let kind = if host {
            ObjKind::HostGlobal(r)
        } else {
            match g.space {
                ir::space::SHARED if size.is_zero() || !g.defined => ObjKind::SharedDynamic,
                ir::space::SHARED => ObjKind::SharedStatic(r),
                ir::space::CONSTANT => ObjKind::Constant(r),
                _ => ObjKind::DeviceGlobal(r),
            }
        };
        if kind == ObjKind::SharedDynamic
            && let Some(o) = self.kernel.thread.as_ref().and_then(|t| t.shared)
        {
            self.heap.name(o, &g.source_name);
            return o;
        }
        let known = !size.is_zero() && (g.defined || !host);
        let extent = known.then(|| self.arena.int(i128::from(size)));
        let object = Object {
            kind,
            name: g.source_name.clone(),
            extent,
            site: Some((r.module, g.loc)),
            func: None,
            array: true,
        };
        let o = self.heap.add_global(r, host, object);
        if managed {
            // Devices see it like memory from `cudaMallocManaged`.
            self.heap.register([o]);
            self.runtime.managed.insert(o);
        }
        o
    }
}

impl ValueDomain<'_> {
    /// Returns the symbol of a program input; equal sources have the same symbol.
    pub fn input(&mut self, source: InputSource, bits: u32) -> TermId {
        self.signed_input(source, bits, true)
    }

    /// Returns an input in a given range.
    pub(in crate::symbolic) fn bounded_input(&mut self, source: InputSource, bits: u32, range: Interval) -> TermId {
        if let (Some(only), true) = (range.lo, range.lo == range.hi) {
            return self.arena.int(only);
        }
        if let Some(t) = self.inputs.symbols.get(&(source.clone(), bits)) {
            return *t;
        }
        let name = match &source {
            InputSource::Given { path, .. } | InputSource::Count { path, .. } => path.clone(),
            _ => String::new(),
        };
        let t = self.arena.fresh(SymKind::Input(source.clone()), name, range);
        self.inputs.symbols.insert((source, bits), t);
        t
    }

    /// Returns an input that the source declares signed or unsigned: the declaration determines the number that its
    /// bits mean.
    pub fn signed_input(&mut self, source: InputSource, bits: u32, signed: bool) -> TermId {
        if let Some(t) = self.inputs.symbols.get(&(source.clone(), bits)) {
            return *t;
        }
        let name = match &source {
            InputSource::Argc => "argc".to_owned(),
            InputSource::Argv(i) => format!("argv[{i}]"),
            InputSource::ArgvLen(i) => format!("strlen(argv[{i}])"),
            InputSource::Read { what, ordinal } => format!("{what} #{}", ordinal + 1),
            InputSource::File { file, at, .. } => format!("{file} at byte {at}"),
            InputSource::Word { file, ordinal } => format!("{file} #{}", ordinal + 1),
            InputSource::FileSize(file) => format!("the size of {file}"),
            InputSource::Param { name, .. }
            | InputSource::Given { path: name, .. }
            | InputSource::Count { path: name, .. } => name.clone(),
            InputSource::ArgvWord { index, word } => format!("whether argv[{index}] is {word}"),
            InputSource::Option { word, .. } => {
                format!("the value of {}", crate::symbolic::inputs::command_line::option_name(word))
            }
            InputSource::Device { property, .. } => devices::PROPERTIES[*property].name.to_owned(),
            InputSource::World(w) => w.clone(),
        };
        let range = match &source {
            InputSource::Argc => Interval::new(self.assumptions.takes(Axiom::Argc).into(), i128::from(i32::MAX)),
            InputSource::ArgvLen(_) => Interval::new(0, self.most_of_host(1 << 20)),
            InputSource::FileSize(_) => Interval::new(0, self.most_of_host(1 << 40)),
            // The range is symmetric, so that the negated result is an `int` too.
            InputSource::ArgvWord { .. } => Interval::new(-i128::from(i32::MAX), i128::from(i32::MAX)),
            _ => Interval::of_value(bits, signed),
        };
        let t = self.arena.fresh(SymKind::Input(source.clone()), name, range);
        self.inputs.symbols.insert((source, bits), t);
        t
    }

    /// Returns a property of a device, by its number in `models::devices`; without the number of the device, a value
    /// that no other query gives.
    pub fn device_property(&mut self, property: usize, device: Option<u32>, bits: u32, range: Interval) -> TermId {
        let query = if device.is_some() { 0 } else { u32::try_from(self.arena.symbols().len()).unwrap_or(u32::MAX) };
        let source = InputSource::Device { property, device, query };
        if let Some(t) = self.inputs.symbols.get(&(source.clone(), bits)) {
            return *t;
        }
        let t = self.arena.fresh(SymKind::Input(source.clone()), devices::PROPERTIES[property].name, range);
        if device.is_some() {
            self.inputs.symbols.insert((source, bits), t);
        }
        t
    }

    /// Returns the maximum size of a host object; without [`Axiom::HostMemory`], the whole address space.
    pub fn most_of_host(&self, most: i128) -> i128 {
        if self.assumptions.takes(Axiom::HostMemory) { most } else { (1 << 63) - 1 }
    }

    /// Returns the bytes of an allocation that a kernel may use: none if it was refused, unless
    /// [`Axiom::DeviceAllocation`] excludes that.
    pub fn bytes_given(&mut self, given: TermId, size: TermId) -> TermId {
        if self.assumptions.takes(Axiom::DeviceAllocation) {
            return size;
        }
        let none = self.arena.int(0);
        self.arena.ite(given, size, none)
    }

    /// Relates the inputs below the roots: an input that is read as `long` here and as `int` there is the same number
    /// wherever it is an `int`. `None` if there are no such inputs.
    pub fn same_inputs(&mut self, roots: &[TermId]) -> Option<TermId> {
        let mut read: Vec<(InputSource, u32, TermId)> = vec![];
        for s in self.arena.symbols_of(roots) {
            let SymKind::Input(source) = self.arena.symbol(s).kind.clone() else { continue };
            let t = self.arena.symbol_term(s);
            let bits =
                [8, 16, 32, 64].into_iter().find(|bits| self.inputs.symbols.get(&(source.clone(), *bits)) == Some(&t));
            read.extend(bits.map(|bits| (source, bits, t)));
        }
        read.sort();
        let mut facts = vec![];
        for pair in read.windows(2) {
            let [(a, bits, narrow), (b, _, wide)] = pair else { continue };
            let (a, b) = (a.clone(), b.clone());
            if a != b {
                continue;
            }
            let Interval { lo: Some(lo), hi: Some(hi) } = Interval::of_int(*bits, true) else { continue };
            let (narrow, wide) = (*narrow, *wide);
            let (lo, hi) = (self.arena.int(lo), self.arena.int(hi));
            let (below, above, equal) = (self.arena.lt(wide, lo), self.arena.lt(hi, wide), self.arena.eq(narrow, wide));
            facts.push(self.arena.or_all(vec![below, above, equal]));
        }
        (!facts.is_empty()).then(|| self.arena.and_all(facts))
    }
}

impl Terms {
    /// Returns an unknown value of a type.
    pub fn unknown_of(&mut self, module: &Module, ty: TypeId, reason: &UnknownReason) -> Value {
        match &module.ty(ty).kind {
            TypeKind::Int(1) => Value::Bool(self.arena.fresh_bool(SymKind::Unknown { reason: reason.clone() }, "?")),
            TypeKind::Int(bits) => {
                let range = Interval::of_value(*bits, true);
                Value::Int(self.arena.fresh(SymKind::Unknown { reason: reason.clone() }, "?", range))
            }
            TypeKind::Ptr(_) => self.unknown_pointer(reason),
            TypeKind::Struct { fields, .. } => {
                let v = fields.iter().map(|f| self.unknown_of(module, f.ty, reason)).collect();
                Value::Aggregate(Rc::new(v))
            }
            TypeKind::Array { elem, count } if count.get() <= 16 => {
                let v = (0..count.get()).map(|_| self.unknown_of(module, *elem, reason)).collect();
                Value::Aggregate(Rc::new(v))
            }
            TypeKind::Vector { elem, count } => {
                let v = (0..count.get()).map(|_| self.unknown_of(module, *elem, reason)).collect();
                Value::Aggregate(Rc::new(v))
            }
            _ => Value::unknown(reason.clone()),
        }
    }

    /// Returns the reasons of all unmodelled symbols on which the terms depend.
    #[must_use]
    pub fn unknowns_of(&self, roots: &[TermId]) -> Vec<UnknownReason> {
        let mut out: Vec<UnknownReason> = vec![];
        for t in self.arena.cone(roots) {
            let reason = match self.arena.get(t) {
                Term::Sym(s) | Term::BoolSym(s) => match &self.arena.symbol(*s).kind {
                    SymKind::Unknown { reason } => Some(reason.clone()),
                    _ => None,
                },
                _ => None,
            };
            if let Some(r) = reason
                && !out.contains(&r)
            {
                out.push(r);
            }
        }
        out
    }

    pub fn pointer(&mut self, object: ObjId, offset: i128) -> Value {
        let cond = self.arena.bool(true);
        let offset = self.arena.int(offset);
        Value::Ptr(Rc::new(vec![GuardedTarget::new(cond, Base::Object(object), offset)]))
    }

    pub fn null(&mut self) -> Value {
        let cond = self.arena.bool(true);
        let offset = self.arena.int(0);
        Value::Ptr(Rc::new(vec![GuardedTarget::new(cond, Base::Null, offset)]))
    }

    pub fn unknown_pointer(&mut self, reason: &UnknownReason) -> Value {
        self.lost_pointer(UnknownPointer::anywhere(reason.clone()))
    }

    pub(in crate::symbolic) fn lost_pointer(&mut self, lost: UnknownPointer) -> Value {
        let cond = self.arena.bool(true);
        let offset = self.arena.int(0);
        Value::Ptr(Rc::new(vec![GuardedTarget::new(cond, Base::Unknown(lost), offset)]))
    }
}
