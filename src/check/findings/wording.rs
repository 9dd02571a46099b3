//! Accesses in the source's words; [`engine::symbolic::terms::display`] prints terms.
//!
//! In: a term, or an instruction. Out: a C-like expression, or the variable and the index of an access, derived from
//! the instructions that compute its address. The module is independent of launches and models.

use engine::symbolic::exec::events::AccessKind;
use engine::symbolic::exec::site::Site;
use finding::names::base_name;
use ir::{
    AddressStep, BinOp, BlockId, Callee, CastOp, Const, FuncRef, Function, Inst, Module, Op, Operand, Program, TypeId,
    TypeKind, ValueId,
};
use models::access::AccessMode;
use models::{ptx, tiles};

/// Most values on the path from an address back to the parameter that it derives from.
const LONGEST: usize = 64;

/// Text for a value without a name in the source.
const A_TEMPORARY: &str = "a temporary";

/// Mark before a number of a run: the index 0 of an expression stands for none.
const NUMBER: char = '\u{1}';

/// Source text of an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessText {
    /// The variable or expression that is subscripted.
    pub array: String,
    /// `i`, or `[j][i]` for several dimensions.
    pub index: String,
}

/// Returns the source expression of an access; for a copy, of the side that `kind` selects.
fn side(r: &AddressReader<'_>, site: Site, kind: AccessKind) -> AccessText {
    let program = r.program;
    let block = &program.func(site.func).blocks[site.block.index()];
    match block.insts.get(site.inst as usize).map(|i| &i.op) {
        Some(Op::MemCopy { src, .. }) if kind == AccessKind::Read => r.place(src, 0),
        _ => match listed_address(program, site, kind) {
            Some(address) => r.place(r.without_sums(address), 0),
            None => access(r, site),
        },
    }
}

/// Returns the text of an access as seen at `at`: one of the calls that lead there, or the access itself. Parameters
/// in the address are followed outwards to the argument of that call. Where this fails, the text is the call's first
/// argument, without an index.
#[must_use]
pub fn seen(program: &Program, stack: &[Site], at: Site, kind: AccessKind) -> AccessText {
    seen_in_run(program, stack, at, kind, &[])
}

/// Does the same with the numbers of a run in the place of index expressions; `values` are those of the frame at `at`.
#[must_use]
pub fn seen_in_run(program: &Program, stack: &[Site], at: Site, kind: AccessKind, values: RunValues<'_>) -> AccessText {
    let text = seen_by(&AddressReader::new(program, at.func, values), stack, at, kind);
    let unmarked = |text: String| text.replace(NUMBER, "");
    AccessText { array: unmarked(text.array), index: unmarked(text.index) }
}

fn seen_by(r: &AddressReader<'_>, stack: &[Site], at: Site, kind: AccessKind) -> AccessText {
    let program = r.program;
    if stack.last().is_none_or(|own| *own == at) {
        return side(r, at, kind);
    }
    let first = || {
        let (_, args) = program.call_at(at.func, at.block, at.inst)?;
        r.given(args.first()?)
    };
    from_outside(r, stack, at, kind).unwrap_or_else(|| {
        let text = first().unwrap_or_else(|| side(r, at, kind));
        AccessText { index: String::new(), ..text }
    })
}

fn from_outside(r: &AddressReader<'_>, stack: &[Site], at: Site, kind: AccessKind) -> Option<AccessText> {
    let program = r.program;
    let reader = |s: &Site| AddressReader::new(program, s.func, &[]);
    let (own, outer) = stack.split_last()?;
    let mut inner = *own;
    let mut address = address(program, *own, kind)?;
    let mut way = AddressTrace::default();
    for call in outer.iter().rev() {
        way.passed.clear();
        let position = reader(&inner).parameter(address, &mut way)?;
        let (_, args) = program.call_at(call.func, call.block, call.inst)?;
        address = args.get(position)?;
        inner = *call;
        if inner == at {
            let text = r.given(address)?;
            return Some(if way.moved { AccessText { index: String::new(), ..text } } else { text });
        }
    }
    None
}

/// State of following an address back to its parameter.
#[derive(Default)]
struct AddressTrace {
    passed: Vec<ValueId>,
    /// Whether the address was moved within an array: then the argument alone does not determine the index.
    moved: bool,
}

/// Derives the source expression of an access from the instructions that compute its address; for a copy, of its
/// destination; for a call, of its first argument.
fn access(r: &AddressReader<'_>, site: Site) -> AccessText {
    let program = r.program;
    let first = || match program.call_at(site.func, site.block, site.inst)? {
        (_, [first, ..]) => Some(first),
        _ => None,
    };
    match address(program, site, AccessKind::Write).or_else(first) {
        Some(p) => r.place(p, 0),
        None => AccessText { array: "?".into(), index: String::new() },
    }
}

/// Returns the operand through which an instruction accesses memory.
pub(super) fn address(program: &Program, site: Site, kind: AccessKind) -> Option<&Operand> {
    let block = &program.func(site.func).blocks[site.block.index()];
    match &block.insts.get(site.inst as usize)?.op {
        Op::Load { ptr, .. } | Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. } => Some(ptr),
        Op::MemCopy { src, .. } if kind == AccessKind::Read => Some(src),
        Op::MemCopy { dst, .. } | Op::MemSet { dst, .. } => Some(dst),
        _ => listed_address(program, site, kind),
    }
}

/// Returns the address operand of an access by inline assembly or by a block-moving intrinsic: the first of this
/// kind.
fn listed_address(program: &Program, site: Site, kind: AccessKind) -> Option<&Operand> {
    let block = &program.func(site.func).blocks[site.block.index()];
    let (list, args) = match &block.insts.get(site.inst as usize)?.op {
        Op::Asm { text, constraints, args, .. } => (ptx::accesses(text, constraints), args),
        Op::Call { callee: Callee::Direct(f), args } => {
            let name = &program.module(site.func.module).func(*f).name;
            (tiles::accesses(name.strip_prefix("llvm.")?)?, args)
        }
        _ => return None,
    };
    let wanted = match kind {
        AccessKind::Read => AccessMode::Read,
        AccessKind::Write => AccessMode::Write,
        AccessKind::Atomic => AccessMode::Atomic,
    };
    let place = list.iter().filter(|a| a.kind == wanted).find_map(|a| a.place)?;
    args.get(place.address.argument)
}

/// Returns the source expression of a call argument; `None` where it has none.
#[must_use]
pub fn argument(program: &Program, call: Site, index: usize) -> Option<String> {
    let r = AddressReader::new(program, call.func, &[]);
    let (_, args) = program.call_at(call.func, call.block, call.inst)?;
    let AccessText { array, .. } = r.place(args.get(index)?, 0);
    (!array.contains('?') && array != A_TEMPORARY).then_some(array)
}

/// Returns the name of the variable, member or element that an instruction loads or stores; `None` where it has none.
#[must_use]
pub fn variable(program: &Program, site: Site) -> Option<String> {
    let block = &program.func(site.func).blocks[site.block.index()];
    let (Op::Load { ptr, .. } | Op::Store { ptr, .. }) = &block.insts.get(site.inst as usize)?.op else { return None };
    let text = AddressReader::new(program, site.func, &[]).place(ptr, 0);
    let name = if text.index == "0" { text.array } else { format!("{}{}", text.array, bracket(&text.index)) };
    let is_the_compilers = name.is_empty() || name.contains(A_TEMPORARY) || name.starts_with("__");
    (!is_the_compilers && !name.contains(['?', '…', '('])).then_some(name)
}

/// Returns the expression that an instruction computes; for a width extension, the extended operand. `None` where
/// some part has no name.
#[must_use]
pub fn computed(program: &Program, site: Site) -> Option<String> {
    let block = &program.func(site.func).blocks[site.block.index()];
    let result = block.insts.get(site.inst as usize)?.result?;
    let r = AddressReader::new(program, site.func, &[]);
    let text = r.expr(&Operand::Value(result), 0);
    (!text.contains(['?', '…'])).then_some(text)
}

/// Numbers of one frame of a run, by the value that holds them, in order.
pub type RunValues<'a> = &'a [(ValueId, i64)];

pub(super) struct AddressReader<'a> {
    pub program: &'a Program,
    f: FuncRef,
    module: &'a Module,
    values: RunValues<'a>,
}

impl<'a> AddressReader<'a> {
    pub fn new(program: &'a Program, f: FuncRef, values: RunValues<'a>) -> Self {
        Self { program, f, module: program.module(f.module), values }
    }

    /// Returns the number that an operand has in the run.
    pub fn value(&self, o: &Operand) -> Option<i64> {
        let Operand::Value(v) = o else { return None };
        self.values.binary_search_by_key(v, |(v, _)| *v).ok().map(|i| self.values[i].1)
    }

    /// Returns the width of an integer type in bits.
    pub fn width(&self, ty: TypeId) -> Option<u32> {
        if let TypeKind::Int(bits) = self.module.ty(ty).kind { Some(bits) } else { None }
    }

    pub fn def(&self, v: ValueId) -> Option<(&Inst, BlockId)> {
        let (block, inst) = self.program.definition(self.f, v)?;
        Some((&self.program.func(self.f).blocks[block.index()].insts[inst], block))
    }

    fn place(&self, o: &Operand, depth: u32) -> AccessText {
        let plain = |array: String| AccessText { array, index: "0".into() };
        if depth > 12 {
            return plain("?".into());
        }
        match o {
            Operand::Const(Const::Global { id, .. }) => plain(self.module.global(*id).source_name.clone()),
            Operand::Const(_) => plain("?".into()),
            Operand::Value(v) => {
                let f = self.program.func(self.f);
                if let Some(p) = f.params.get(v.index()) {
                    return plain(p.source_name().to_owned());
                }
                let Some((inst, block)) = self.def(*v) else { return plain("?".into()) };
                match &inst.op {
                    Op::Gep { base, steps, .. } => {
                        let inner = self.place(base, depth + 1);
                        // `v` and `[i].x` where a non-array member is accessed: `v` is subscripted.
                        let mut outer: Option<AccessText> = None;
                        let mut out = if inner.index == "0" {
                            AccessText { array: inner.array, index: String::new() }
                        } else {
                            inner
                        };
                        for (i, s) in steps.iter().enumerate() {
                            match s {
                                // The first step of an array type is the array itself.
                                AddressStep::Index { index: Operand::Const(Const::Int { value: 0, .. }), .. }
                                    if steps.len() > 1 && i == 0 => {}
                                AddressStep::Index { index, .. } => {
                                    push_index(&mut out.index, &self.subscript(index, depth + 1));
                                }
                                AddressStep::Field { field, of, .. } => {
                                    let n = if out.index.is_empty() { String::new() } else { bracket(&out.index) };
                                    let dot = if i == 0 && n.is_empty() && self.is_loaded(base) { "->" } else { "." };
                                    let array = match self.module.member_name(*of, *field) {
                                        Some("") => format!("{}{n}", out.array),
                                        Some(name) if out.array == "this" && n.is_empty() => name.to_owned(),
                                        Some(name) => format!("{}{n}{dot}{name}", out.array),
                                        None => format!("{}{n}{dot}{field}", out.array),
                                    };
                                    outer = (!n.is_empty()).then(|| AccessText {
                                        index: array[out.array.len()..].to_owned(),
                                        array: out.array,
                                    });
                                    out = AccessText { array, index: String::new() };
                                }
                            }
                        }
                        if !out.index.is_empty() {
                            return out;
                        }
                        outer.unwrap_or_else(|| plain(out.array))
                    }
                    Op::Alloca { var, .. } => {
                        plain(var.as_ref().map_or_else(|| A_TEMPORARY.into(), |v| v.name.clone()))
                    }
                    Op::Load { ptr, .. } => {
                        let p = self.place(ptr, depth + 1);
                        plain(if p.index == "0" { p.array } else { format!("{}{}", p.array, bracket(&p.index)) })
                    }
                    Op::Cast { value, .. } | Op::Freeze(value) => self.place(value, depth + 1),
                    Op::Call { callee: Callee::Direct(id), args, .. } => {
                        let f = self.module.func(*id);
                        self.operator(f, (args, block), depth + 1)
                            .unwrap_or_else(|| plain(format!("{}(…)", short_name(&f.display))))
                    }
                    Op::Select { a, .. } => self.place(a, depth + 1),
                    Op::Phi(e) => e.first().map_or_else(|| plain("?".into()), |(_, o)| self.place(o, depth + 1)),
                    _ => plain("?".into()),
                }
            }
        }
    }

    /// Returns the result of a class's operator, called in a block, as the source writes it: an element of the object
    /// that it is called on, or of that object's target.
    fn operator(&self, f: &Function, (args, block): (&[Operand], BlockId), depth: u32) -> Option<AccessText> {
        let name = base_name(&f.display);
        // For some names only the symbol is known (Itanium C++ ABI, 5.1.3).
        let is = |sign: &str, code: &str| name.ends_with(sign) || name.starts_with("_Z") && f.name.contains(code);
        let by_memory = usize::from(f.params.first().is_some_and(|p| p.sret.is_some()));
        let (of, indices) = args.get(by_memory..)?.split_first()?;
        let of = match self.place(of, depth) {
            temporary if temporary.array == A_TEMPORARY => self.given_back(of, block, depth)?,
            of if of.index == "0" => of,
            _ => return None,
        };
        if of.array.contains('?') {
            return None;
        }
        let index = indices.iter().map(|i| self.index(i, depth)).collect::<Vec<_>>().join(", ");
        match indices {
            [_] if is("operator[]", "Eix") => {
                let index = if of.index == "0" { index } else { format!("{}[{index}]", bracket(&of.index)) };
                Some(AccessText { array: of.array, index })
            }
            [_, ..] if is("operator()", "Ecl") && of.index == "0" => Some(AccessText { array: of.array, index }),
            [] if is("operator*", "Ede") => Some(of),
            [] if f.params.get(by_memory).is_some_and(|p| p.name == "this")
                && !name.is_empty()
                && !name.starts_with("_Z") =>
            {
                Some(AccessText { array: format!("{}.{name}()", of.array), index: of.index })
            }
            _ => None,
        }
    }

    /// Returns the text of an operator's result that is an object in a temporary (`a[i]` of `a[i][j]`): from the call
    /// that gets the temporary for its result, or whose result is stored there. The block must contain exactly one
    /// such call.
    fn given_back(&self, temporary: &Operand, block: BlockId, depth: u32) -> Option<AccessText> {
        if depth > 12 {
            return None;
        }
        let insts = &self.program.func(self.f).blocks[block.index()].insts;
        let mut found: Option<&Inst> = None;
        for inst in insts {
            let call = match &inst.op {
                Op::Call { callee: Callee::Direct(id), args, .. } if args.first() == Some(temporary) => {
                    self.module.func(*id).params.first().is_some_and(|p| p.sret.is_some()).then_some(inst)
                }
                Op::Store { ptr, value, .. } if self.within(ptr) == temporary => self.call_of(value),
                _ => None,
            };
            if let Some(call) = call
                && found.replace(call).is_some_and(|other| !std::ptr::eq(other, call))
            {
                return None;
            }
        }
        let Op::Call { callee: Callee::Direct(id), args, .. } = &found?.op else { return None };
        let text = self.operator(self.module.func(*id), (args, block), depth + 1)?;
        Some(AccessText { index: bracket(&text.index), ..text })
    }

    /// Returns the base object of a member's address.
    fn within<'o>(&'o self, mut o: &'o Operand) -> &'o Operand {
        for _ in 0..8 {
            let Operand::Value(v) = o else { break };
            let Some((Inst { op: Op::Gep { base, .. }, .. }, _)) = self.def(*v) else { break };
            o = base;
        }
        o
    }

    /// Returns the call that produces a value, or an object that contains it.
    fn call_of<'o>(&'o self, mut o: &'o Operand) -> Option<&'o Inst> {
        for _ in 0..8 {
            let Operand::Value(v) = o else { break };
            match self.def(*v)? {
                (Inst { op: Op::ExtractValue { agg, .. }, .. }, _) => o = agg,
                (inst @ Inst { op: Op::Call { .. }, .. }, _) => return Some(inst),
                _ => break,
            }
        }
        None
    }

    /// Returns the number of an index in the run, else its text.
    fn subscript(&self, index: &Operand, depth: u32) -> String {
        self.value(index).map_or_else(|| self.expr(index, depth), |n| format!("{NUMBER}{n}"))
    }

    /// Returns the text of an index, or of the variable that holds it and is passed by reference.
    fn index(&self, o: &Operand, depth: u32) -> String {
        match o {
            Operand::Value(v) if matches!(self.def(*v), Some((Inst { op: Op::Alloca { .. }, .. }, _))) => {
                self.place(o, depth).array
            }
            _ => self.subscript(o, depth),
        }
    }

    /// Returns the text of a call's argument, where it has a name; for a temporary, the text of its constructor's
    /// argument.
    fn given(&self, argument: &Operand) -> Option<AccessText> {
        let named = |t: AccessText| (!t.array.contains('?') && t.array != A_TEMPORARY).then_some(t);
        if let Some(text) = named(self.place(self.without_sums(argument), 0)) {
            return Some(text);
        }
        let insts = self.program.func(self.f).blocks.iter().flat_map(|b| &b.insts);
        insts
            .filter_map(|i| match &i.op {
                Op::Call { args, .. } => args.split_first().filter(|(this, _)| *this == argument)?.1.first(),
                _ => None,
            })
            .find_map(|from| named(self.place(from, 0)))
    }

    /// Returns the parameter that an address derives from, through variables that hold it or a derived value; `None`
    /// where there is none, or several are possible.
    fn parameter(&self, o: &Operand, way: &mut AddressTrace) -> Option<usize> {
        let Operand::Value(v) = o else { return None };
        let f = self.program.func(self.f);
        if v.index() < f.params.len() {
            return Some(v.index());
        }
        if way.passed.len() >= LONGEST || way.passed.contains(v) {
            return None;
        }
        way.passed.push(*v);
        match &self.def(*v)?.0.op {
            Op::Gep { base, steps, .. } => {
                way.moved |= steps.iter().any(|s| match s {
                    AddressStep::Index { index, .. } => !matches!(index, Operand::Const(Const::Int { value: 0, .. })),
                    AddressStep::Field { .. } => false,
                });
                self.parameter(base, way)
            }
            Op::Cast { value, .. } | Op::Freeze(value) => self.parameter(value, way),
            Op::Bin { op: BinOp::Add | BinOp::Sub, a, b, .. } => {
                way.moved = true;
                self.parameter(a, way).or_else(|| self.parameter(b, way))
            }
            Op::Load { ptr, .. } => {
                // The value of a variable, or else the contents of memory behind the parameter.
                way.moved |= !self.is_variable(ptr);
                self.parameter(ptr, way)
            }
            // Calls such as `addressof`.
            Op::Call { args, .. } => match args.as_slice() {
                [only] => self.parameter(only, way),
                _ => None,
            },
            Op::Select { a, b, .. } => self.one_of([a, b].into_iter(), way),
            Op::Phi(e) => self.one_of(e.iter().map(|(_, o)| o), way),
            Op::Alloca { .. } => {
                let stored = f.blocks.iter().flat_map(|b| &b.insts).filter_map(|i| match &i.op {
                    Op::Store { ptr: Operand::Value(to), value, .. } if to == v => Some(value),
                    _ => None,
                });
                self.one_of(stored, way)
            }
            _ => None,
        }
    }

    fn is_variable(&self, o: &Operand) -> bool {
        let Operand::Value(v) = o else { return false };
        matches!(self.def(*v), Some((Inst { op: Op::Alloca { .. }, .. }, _)))
    }

    /// Returns the parameter that the operands derive from, if all that derive from any derive from the same one.
    fn one_of<'o>(&self, all: impl Iterator<Item = &'o Operand>, way: &mut AddressTrace) -> Option<usize> {
        let mut found = all.filter_map(|o| self.parameter(o, way));
        let first = found.next()?;
        found.all(|p| p == first).then_some(first)
    }

    /// Returns the address from which sums formed a value.
    fn without_sums<'o>(&'o self, mut o: &'o Operand) -> &'o Operand {
        for _ in 0..8 {
            let Operand::Value(v) = o else { break };
            match self.def(*v) {
                Some((Inst { op: Op::Bin { op: BinOp::Add | BinOp::Sub, a, .. }, .. }, _)) => o = a,
                Some((Inst { op: Op::Cast { value, .. }, .. }, _)) => o = value,
                _ => break,
            }
        }
        o
    }

    /// Whether an address is the value of a pointer variable, rather than the address of the variable itself.
    fn is_loaded(&self, o: &Operand) -> bool {
        let Operand::Value(v) = o else { return false };
        matches!(self.def(*v), Some((Inst { op: Op::Load { .. }, .. }, _)))
    }

    pub fn expr(&self, o: &Operand, depth: u32) -> String {
        if depth > 12 {
            return "…".into();
        }
        match o {
            Operand::Const(Const::Int { value, .. }) => value.to_string(),
            Operand::Const(Const::Global { id, .. }) => self.module.global(*id).source_name.clone(),
            Operand::Const(Const::Zero(_)) => "0".into(),
            Operand::Const(_) => "?".into(),
            Operand::Value(v) => {
                let f = self.program.func(self.f);
                if let Some(p) = f.params.get(v.index()) {
                    return p.name.clone();
                }
                let Some((inst, _)) = self.def(*v) else { return "?".into() };
                match &inst.op {
                    Op::Load { ptr, .. } => {
                        let p = self.place(ptr, depth + 1);
                        if p.index == "0" { p.array } else { format!("{}{}", p.array, bracket(&p.index)) }
                    }
                    Op::Cast { op, value, .. } => match op {
                        CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::Bitcast => self.expr(value, depth + 1),
                        _ => format!("(…){}", self.expr(value, depth + 1)),
                    },
                    Op::Freeze(v) => self.expr(v, depth + 1),
                    Op::Bin { op, a, b, .. } => {
                        let (x, y) = (self.expr(a, depth + 1), self.expr(b, depth + 1));
                        let wrap = |s: String, sub: bool| {
                            if sub && (s.contains(" + ") || s.contains(" - ")) && !s.starts_with('(') {
                                format!("({s})")
                            } else {
                                s
                            }
                        };
                        let tight = !matches!(op, BinOp::Add | BinOp::Sub);
                        format!("{} {} {}", wrap(x, tight), symbol(*op), wrap(y, tight || *op == BinOp::Sub))
                    }
                    Op::Call { callee: Callee::Direct(id), .. } => builtin(&self.module.func(*id).name)
                        .unwrap_or_else(|| format!("{}(…)", short_name(&self.module.func(*id).display))),
                    Op::Select { a, b, .. } => {
                        format!("(… ? {} : {})", self.expr(a, depth + 1), self.expr(b, depth + 1))
                    }
                    Op::AtomicRmw { .. } => "atomic(…)".into(),
                    _ => "…".into(),
                }
            }
        }
    }
}

fn push_index(to: &mut String, i: &str) {
    if to.is_empty() {
        to.push_str(i);
        return;
    }
    *to = format!("{}[{i}]", bracket(to));
}

fn bracket(i: &str) -> String {
    if i.starts_with('[') { i.to_owned() } else { format!("[{i}]") }
}

fn short_name(display: &str) -> String {
    let name = base_name(display);
    if name.is_empty() || name.starts_with("_Z") { "…".to_owned() } else { name }
}

/// Returns a function's name for people; `None` where only its symbol is known.
#[must_use]
pub fn function(program: &Program, f: FuncRef) -> Option<String> {
    let name = base_name(&program.func(f).display);
    (!name.is_empty() && !name.starts_with("_Z")).then_some(name)
}

/// Parses `threadIdx.x` and its kin from clang's wrappers (`_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv`).
fn builtin(name: &str) -> Option<String> {
    let rest = &name[name.find("__cuda_builtin_")? + "__cuda_builtin_".len()..];
    let var = rest.split("_t").next()?;
    let axis = rest[rest.find("__fetch_builtin_")? + "__fetch_builtin_".len()..].chars().next()?;
    Some(format!("{var}.{axis}"))
}

fn symbol(op: BinOp) -> &'static str {
    match op {
        BinOp::Add | BinOp::FAdd => "+",
        BinOp::Sub | BinOp::FSub => "-",
        BinOp::Mul | BinOp::FMul => "*",
        BinOp::UDiv | BinOp::SDiv | BinOp::FDiv => "/",
        BinOp::URem | BinOp::SRem | BinOp::FRem => "%",
        BinOp::Shl => "<<",
        BinOp::LShr | BinOp::AShr => ">>",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
    }
}
