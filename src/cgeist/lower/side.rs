//! One side of a unit: its functions and globals, and the tables that they share.

use super::super::mlir::{Attr, MlirLoc, MlirOp, Type};
use super::body::BodyBuilder;
use super::forwarder::Forwarder;
use super::names;
use super::types::MlirTypeTable;
use super::unit::{LoweringUnit, STUB, has_body};
use files::normalise;
use frontend::names::{demangle, is_internal};
use ir::{
    self, Const, Elements, FileId, FuncId, Function, Global, GlobalId, Linkage, Loc, LocId, Param, Side, SourceFile,
    TypeId, space,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// Functions that do not return. cgeist puts no terminator after a call of one.
pub(super) const ENDS: &[&str] = &[
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "abort",
    "__assert_fail",
    "__assertfail",
    "__trap",
    "_ZSt9terminatev",
    "__cxa_throw",
    "__cxa_rethrow",
];

pub(super) struct SideBuilder<'u, 'm> {
    pub unit: &'u LoweringUnit<'m>,
    pub side: Side,
    pub types: MlirTypeTable,
    files: Vec<SourceFile>,
    file_ids: HashMap<String, FileId>,
    locs: Vec<Loc>,
    loc_ids: HashMap<Loc, LocId>,
    pub globals: Vec<Global>,
    global_ids: BTreeMap<String, GlobalId>,
    functions: Vec<Function>,
    function_ids: BTreeMap<String, FuncId>,
    /// Functions whose bodies are still to be lowered.
    bodies: Vec<(FuncId, &'m MlirOp)>,
    stubs: Vec<FuncId>,
    /// Numbers of operations without a position: by function, without template arguments, and index in it, so that
    /// instances of one template share theirs.
    ordinals: HashMap<(String, u32), u32>,
    group: String,
    in_group: u32,
    pub unknown: BTreeMap<String, u32>,
    pub forwarders: HashMap<String, Option<Forwarder>>,
    /// Number of bytes copied by each function that only copies.
    pub copies: HashMap<String, Option<u64>>,
}

impl<'u, 'm> SideBuilder<'u, 'm> {
    pub fn new(unit: &'u LoweringUnit<'m>, side: Side) -> Self {
        Self {
            unit,
            side,
            types: MlirTypeTable::default(),
            files: vec![SourceFile { path: String::new(), system: true }],
            file_ids: HashMap::new(),
            locs: vec![Loc { file: FileId(0), line: 0, column: 0, inlined_at: None }],
            loc_ids: HashMap::new(),
            globals: vec![],
            global_ids: BTreeMap::new(),
            functions: vec![],
            function_ids: BTreeMap::new(),
            bodies: vec![],
            stubs: vec![],
            ordinals: HashMap::new(),
            group: String::new(),
            in_group: 0,
            unknown: BTreeMap::new(),
            forwarders: HashMap::new(),
            copies: HashMap::new(),
        }
    }

    pub fn build(mut self, unknown: &mut BTreeMap<String, u32>) -> ir::Module {
        let unit = self.unit;
        let roots: Vec<&str> = unit
            .symbols
            .iter()
            .filter(|(n, f)| {
                if !f.name.ends_with("func") || !has_body(f) || LoweringUnit::is_stub(n) {
                    return false;
                }
                match self.side {
                    Side::Device => LoweringUnit::device_only(f),
                    Side::Host => !LoweringUnit::device_only(f),
                }
            })
            .map(|(n, _)| *n)
            .collect();
        // Functions in the order of the text, as users count them; the rest follow in the order in which they are
        // named.
        let mut roots = roots;
        roots.sort_by_key(|n| unit.order.get(n));
        for r in roots {
            self.function(r);
        }
        loop {
            if let Some(id) = self.stubs.pop() {
                self.stub(id);
                continue;
            }
            if self.bodies.is_empty() {
                break;
            }
            let (id, f) = self.bodies.remove(0);
            self.body(id, f);
        }
        for (k, n) in self.unknown {
            *unknown.entry(k).or_default() += n;
        }
        let mut module = ir::Module {
            side: self.side,
            source: unit.about.source.clone(),
            producer: unit.about.producer.clone(),
            asserts_restored: unit.about.asserts_restored,
            relocatable: unit.about.relocatable,
            doubts: vec![],
            arch: if self.side == Side::Device { unit.about.arch.clone() } else { String::new() },
            types: self.types.defs,
            files: self.files,
            locs: self.locs,
            globals: self.globals,
            functions: self.functions,
        };
        module.declare_entry_points();
        module
    }

    fn body(&mut self, id: FuncId, f: &'m MlirOp) {
        self.group = names::StrippedSource::base(&self.functions[id.index()].display).to_owned();
        self.in_group = 0;
        let (blocks, values) = BodyBuilder::lower(self, id, f);
        let function = &mut self.functions[id.index()];
        function.blocks = blocks;
        function.values = values;
        super::passes::tidy::function(function, &self.types);
    }

    /// Lowers the pending body of a function.
    pub fn lower_now(&mut self, id: FuncId) {
        let Some(at) = self.bodies.iter().position(|b| b.0 == id) else { return };
        let (id, f) = self.bodies.remove(at);
        let (group, in_group) = (std::mem::take(&mut self.group), self.in_group);
        self.body(id, f);
        (self.group, self.in_group) = (group, in_group);
    }

    pub fn of(&self, id: FuncId) -> &Function {
        &self.functions[id.index()]
    }

    pub fn set_linkage(&mut self, id: FuncId, linkage: Linkage) {
        self.functions[id.index()].linkage = linkage;
    }

    pub fn set_body(&mut self, id: FuncId, blocks: Vec<ir::Block>, values: u32) {
        let f = &mut self.functions[id.index()];
        f.blocks = blocks;
        f.values = values;
    }

    /// Returns a function by symbol, and schedules its body if this side has one.
    pub fn function(&mut self, name: &str) -> FuncId {
        if let Some(id) = self.function_ids.get(name) {
            return *id;
        }
        let Some((key, f)) =
            self.unit.symbols.get_key_value(name).filter(|(_, f)| f.name.ends_with("func")).map(|(k, f)| (*k, *f))
        else {
            let void = self.types.void();
            return self.declare(name, void, &[]);
        };
        let Some(signature) = self.unit.signature(name) else {
            let void = self.types.void();
            return self.declare(name, void, &[]);
        };
        let ret = match signature.results.as_slice() {
            [] => self.types.void(),
            [t] => self.types.of(t),
            _ => self.types.other("several results"),
        };
        let id = self.reserve(name, ret);
        let stub = LoweringUnit::is_stub(name);
        let kernel = stub || self.unit.kernels.contains(key);
        let names = self.unit.names.parameters(&demangle(name).replace(STUB, ""), signature.params.len());
        let by_value = if kernel { names::values(&demangle(name)) } else { vec![] };
        let mut params = vec![];
        for (i, t) in signature.params.iter().enumerate() {
            let (ty, mut byval) = (self.types.of(t), None);
            // A structure of equal members is passed as its address; the symbol shows that it is passed by value.
            if kernel
                && !stub
                && by_value.get(i) == Some(&true)
                && let Type::MemRef(m) = t
            {
                byval = Some(self.types.variable(m));
            }
            params.push(Param {
                name: names[i].clone(),
                ty,
                byval,
                sret: None,
                dereferenceable: 0,
                align: 0,
                class: None,
                of_class: None,
            });
        }
        let linkage = linkage(f, name, self.side);
        let loc = self.loc(&f.loc);
        let function = &mut self.functions[id.index()];
        function.params = params;
        function.values = u32::try_from(function.params.len()).unwrap_or(0);
        function.variadic = signature.variadic;
        function.linkage = linkage;
        function.loc = loc;
        function.kernel = self.side == Side::Device && kernel && !stub;
        if stub && self.side == Side::Host {
            self.stubs.push(id);
        } else if has_body(f) && !stub && (self.side == Side::Device || !self.unit.kernels.contains(key)) {
            self.bodies.push((id, f));
        }
        id
    }

    /// Declares a function that the text need not mention.
    pub fn declare(&mut self, name: &str, ret: TypeId, params: &[TypeId]) -> FuncId {
        if let Some(id) = self.function_ids.get(name) {
            return *id;
        }
        let id = self.reserve(name, ret);
        let f = &mut self.functions[id.index()];
        f.params = params
            .iter()
            .enumerate()
            .map(|(i, t)| Param {
                name: format!("arg{i}"),
                ty: *t,
                byval: None,
                sret: None,
                dereferenceable: 0,
                align: 0,
                class: None,
                of_class: None,
            })
            .collect();
        f.values = u32::try_from(params.len()).unwrap_or(0);
        id
    }

    fn reserve(&mut self, name: &str, ret: TypeId) -> FuncId {
        let id = FuncId(u32::try_from(self.functions.len()).unwrap_or(u32::MAX));
        self.function_ids.insert(name.to_owned(), id);
        self.functions.push(Function {
            name: name.to_owned(),
            display: demangle(name),
            linkage: Linkage::External,
            kernel: false,
            variadic: false,
            noreturn: ENDS.contains(&name),
            ret,
            params: vec![],
            blocks: vec![],
            values: 0,
            requires: vec![],
            max_threads: None,
            shape: ir::LaunchShape::default(),
            tile: None,
            loc: LocId(0),
        });
        id
    }

    // ---- globals ----

    /// Returns a global (`memref.global` or `llvm.mlir.global`) by symbol.
    pub fn global(&mut self, name: &str) -> Option<GlobalId> {
        if let Some(id) = self.global_ids.get(name) {
            return Some(*id);
        }
        let g = *self.unit.symbols.get(name)?;
        let loc = self.loc(&g.loc);
        let made = match g.name.as_str() {
            "memref.global" => {
                let Some(Attr::Type(Type::MemRef(m))) = g.attr("type") else { return None };
                let dynamic = self.side == Side::Device && self.unit.is_dynamic_global(g);
                let elem = self.types.of(&m.elem);
                let variable = self.types.variable(m);
                let ty = if dynamic { self.types.array(elem, Elements(0)) } else { variable };
                let has = |n: &str| g.attr(n).is_some();
                let space = if dynamic || has("polygeist.cuda_shared") {
                    space::SHARED
                } else if has("polygeist.cuda_constant") {
                    space::CONSTANT
                } else if self.side == Side::Device {
                    space::GLOBAL
                } else {
                    0
                };
                // A declaration unless it has an initial value.
                let defined = !dynamic && has("initial_value");
                let init = match g.attr("initial_value") {
                    None => None,
                    Some(Attr::Dense { elems, .. }) => Some(self.dense(elems, m, ty)),
                    // C++ variables with static storage duration start as zero.
                    Some(_) => Some(Const::Zero(ty)),
                };
                Global {
                    name: name.to_owned(),
                    source_name: demangle(name),
                    ty,
                    align: 1,
                    space,
                    linkage: linkage(g, name, self.side),
                    constant: has("constant"),
                    defined,
                    init: if defined { init } else { None },
                    loc,
                }
            }
            "llvm.mlir.global" => {
                let Some(Attr::Type(t)) = g.attr("global_type") else { return None };
                let ty = self.types.of(t);
                let init = match g.attr("value") {
                    Some(Attr::String(s)) => Some(Const::Bytes {
                        ty,
                        data: s.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect(),
                    }),
                    Some(a) => self.constant(a, t),
                    None => None,
                };
                let defined = init.is_some() || has_body(g);
                Global {
                    name: name.to_owned(),
                    source_name: demangle(name),
                    ty,
                    align: 1,
                    space: 0,
                    linkage: linkage(g, name, self.side),
                    constant: g.attr("constant").is_some(),
                    defined,
                    init,
                    loc,
                }
            }
            _ => return None,
        };
        let id = self.add_global(made);
        self.global_ids.insert(name.to_owned(), id);
        Some(id)
    }

    pub fn add_global(&mut self, g: Global) -> GlobalId {
        self.globals.push(g);
        GlobalId(u32::try_from(self.globals.len() - 1).unwrap_or(u32::MAX))
    }

    fn dense(&mut self, elems: &[Attr], m: &super::super::mlir::MemRef, ty: TypeId) -> Const {
        let Some(all) = elems.iter().map(|e| self.constant(e, &m.elem)).collect::<Option<Vec<_>>>() else {
            return Const::Opaque { ty, what: "an initial value".into() };
        };
        let zero = |c: &Const| matches!(c, Const::Int { value: 0, .. } | Const::Float { value: 0, .. });
        if all.iter().all(zero) {
            return Const::Zero(ty);
        }
        match (all.as_slice(), m.shape.as_slice()) {
            ([one], [] | [Some(1)]) => one.clone(),
            (_, [Some(n)]) if u64::try_from(all.len()) == Ok(*n) => Const::Aggregate { ty, elems: all },
            _ => Const::Opaque { ty, what: "an initial value of several dimensions".into() },
        }
    }

    /// Converts a scalar attribute into a constant of a type.
    pub fn constant(&mut self, a: &Attr, t: &Type) -> Option<Const> {
        let bits = match t {
            Type::Int(b) => *b,
            Type::Index => 64,
            Type::Float(b) => *b,
            _ => 0,
        };
        Some(match (a, t) {
            (Attr::Bool(b), Type::Int(_)) => {
                Const::Int { bits, value: if bits == 1 { -i128::from(*b) } else { i128::from(*b) } }
            }
            (Attr::Int(v, _), Type::Int(_) | Type::Index) => Const::Int { bits, value: wrapped(*v, bits) },
            (Attr::Float(v, _), Type::Float(32)) => {
                #[expect(clippy::cast_possible_truncation, reason = "the value was printed from a float of this width")]
                let v = *v as f32;
                Const::Float { bits, value: u64::from(v.to_bits()) }
            }
            (Attr::Float(v, _), Type::Float(64)) => Const::Float { bits, value: v.to_bits() },
            (Attr::Int(v, _), Type::Float(_)) => Const::Float { bits, value: u64::try_from(*v).ok()? },
            (_, t) => {
                let ty = self.types.of(t);
                Const::Opaque { ty, what: "a constant".into() }
            }
        })
    }

    // ---- positions ----

    /// Returns a location; an operation without a position gets a unique location with line 0.
    pub fn loc(&mut self, l: &MlirLoc) -> LocId {
        let known = self.position(l, 0);
        if known.0 != 0 {
            return known;
        }
        self.in_group += 1;
        let next = u32::try_from(self.ordinals.len() + 1).unwrap_or(u32::MAX);
        let column = *self.ordinals.entry((self.group.clone(), self.in_group)).or_insert(next);
        let file = self.unit.about.source.clone();
        let file = self.file(&file);
        self.intern(Loc { file, line: 0, column, inlined_at: None })
    }

    fn position(&mut self, l: &MlirLoc, depth: u32) -> LocId {
        match l {
            MlirLoc::File(f, ..) if f.as_ref() == "<stdin>" => LocId(0),
            MlirLoc::File(f, line, column) => {
                let file = self.file(f);
                self.intern(Loc { file, line: *line, column: *column, inlined_at: None })
            }
            MlirLoc::Call(p) if depth < 16 => {
                let (inner, outer) = (self.position(&p.0, depth + 1), self.position(&p.1, depth + 1));
                if inner.0 == 0 {
                    return outer;
                }
                let Loc { file, line, column, .. } = self.locs[inner.index()].clone();
                self.intern(Loc { file, line, column, inlined_at: (outer.0 != 0).then_some(outer) })
            }
            _ => LocId(0),
        }
    }

    fn intern(&mut self, l: Loc) -> LocId {
        if let Some(id) = self.loc_ids.get(&l) {
            return *id;
        }
        let id = LocId(u32::try_from(self.locs.len()).unwrap_or(u32::MAX));
        self.locs.push(l.clone());
        self.loc_ids.insert(l, id);
        id
    }

    fn file(&mut self, name: &str) -> FileId {
        if let Some(id) = self.file_ids.get(name) {
            return *id;
        }
        let path = normalise(&self.unit.about.directory, Path::new(name));
        let system = self.unit.about.own.is_system(&path);
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(SourceFile { path: path.to_string_lossy().into_owned(), system });
        self.file_ids.insert(name.to_owned(), id);
        id
    }

    /// Returns the symbols that a symbol can reach.
    pub fn reaches(&self, name: &'m str) -> BTreeSet<&'m str> {
        self.unit.reachable([name])
    }
}

/// Wraps a value to two's complement of this width, sign-extended.
pub(super) fn wrapped(v: i128, bits: u32) -> i128 {
    if bits == 0 || bits >= 128 {
        return v;
    }
    (v << (128 - bits)) >> (128 - bits)
}

fn linkage(f: &MlirOp, name: &str, side: Side) -> Linkage {
    let text = match f.attr("llvm.linkage").or_else(|| f.attr("linkage")) {
        Some(Attr::Other(t)) => t.as_str(),
        _ => "",
    };
    if side == Side::Device && is_internal(name) {
        return Linkage::Internal;
    }
    match text.trim_start_matches("#llvm.linkage<").trim_end_matches('>') {
        "internal" | "private" => Linkage::Internal,
        "linkonce_odr" | "linkonce" => Linkage::Odr,
        "weak_odr" => Linkage::Instance,
        "weak" | "common" | "extern_weak" => Linkage::Weak,
        "available_externally" => Linkage::Available,
        _ => {
            if is_internal(name) {
                Linkage::Internal
            } else {
                Linkage::External
            }
        }
    }
}
