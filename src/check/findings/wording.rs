//! Accesses in the words of the source; terms are in [`crate::symbolic::terms::display`].
//!
//! In: a term, or an instruction. Out: a C-like expression, or the variable and the index that an access names, read off the instructions
//! which compute its address. It knows nothing of launches or models.

use crate::ir::{BinOp, BlockId, Callee, CastOp, Const, FuncRef, Inst, Module, Op, Operand, Program, Step, ValueId};
use crate::models::access::Kind;
use crate::models::{ptx, tiles};
use crate::symbolic::exec::events::AccessKind;
use crate::symbolic::exec::site::Site;

/// What an access looks like in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessText {
    /// The variable or expression that is subscripted.
    pub array: String,
    /// `i`, or `[j][i]` for several dimensions.
    pub index: String,
}

/// The source expression of an access: of a copy, the side that is meant.
#[must_use]
pub fn side(program: &Program, site: Site, kind: AccessKind) -> AccessText {
    let block = &program.func(site.func).blocks[site.block.index()];
    match block.insts.get(site.inst as usize).map(|i| &i.op) {
        Some(Op::MemCopy { src, .. }) if kind == AccessKind::Read => {
            Reader { program, f: site.func, module: program.module(site.func.module) }.place(src, 0)
        }
        _ => match listed(program, &[site], site, kind) {
            Some(text) => text,
            None => access(program, site),
        },
    }
}

/// Reads the source expression of an access off the instructions that compute its address; of a copy, of where it goes.
#[must_use]
pub fn access(program: &Program, site: Site) -> AccessText {
    let r = Reader { program, f: site.func, module: program.module(site.func.module) };
    let block = &program.func(site.func).blocks[site.block.index()];
    let ptr = block.insts.get(site.inst as usize).and_then(|i| match &i.op {
        Op::Load { ptr, .. } | Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. } => Some(ptr),
        Op::MemCopy { dst, .. } | Op::MemSet { dst, .. } => Some(dst),
        Op::Call { args, .. } => args.first(),
        _ => None,
    });
    match ptr {
        Some(p) => r.place(p, 0),
        None => AccessText { array: "?".into(), index: String::new() },
    }
}

/// The source expression of an access of inline assembly or of an intrinsic that moves blocks, as it is called at one of the calls that lead
/// there: parameters are followed outwards. `None` for other instructions, and where that is not found.
#[must_use]
pub fn listed(program: &Program, stack: &[Site], at: Site, kind: AccessKind) -> Option<AccessText> {
    let reader = |s: &Site| Reader { program, f: s.func, module: program.module(s.func.module) };
    let (site, outer) = stack.split_last()?;
    let r = reader(site);
    let mut text = r.place(r.without_sums(listed_address(program, *site, kind)?), 0);
    let mut inner = site;
    for call in outer.iter().rev() {
        if *inner == at {
            break;
        }
        let params = &program.func(inner.func).params;
        let position = params.iter().position(|p| p.name == text.array)?;
        let (_, args) = program.call_at(call.func, call.block, call.inst)?;
        let r = reader(call);
        text = r.place(r.without_sums(args.get(position)?), 0);
        inner = call;
    }
    (*inner == at && text.array != "?").then_some(text)
}

/// The operand that is the address of such an access, of the first of this kind.
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
        AccessKind::Read => Kind::Read,
        AccessKind::Write => Kind::Write,
        AccessKind::Atomic => Kind::Atomic,
    };
    let place = list.iter().filter(|a| a.kind == wanted).find_map(|a| a.place)?;
    args.get(place.address.argument)
}

/// The source expression of an argument of a call; `None` where it has none.
#[must_use]
pub fn argument(program: &Program, call: Site, index: usize) -> Option<String> {
    let r = Reader { program, f: call.func, module: program.module(call.func.module) };
    let (_, args) = program.call_at(call.func, call.block, call.inst)?;
    let AccessText { array, .. } = r.place(args.get(index)?, 0);
    (!array.contains('?') && array != "a temporary").then_some(array)
}

struct Reader<'a> {
    program: &'a Program,
    f: FuncRef,
    module: &'a Module,
}

impl Reader<'_> {
    fn def(&self, v: ValueId) -> Option<(&Inst, BlockId)> {
        let f = self.program.func(self.f);
        f.blocks.iter().enumerate().find_map(|(b, blk)| {
            blk.insts.iter().find(|i| i.result == Some(v)).map(|i| (i, BlockId(u32::try_from(b).unwrap_or(0))))
        })
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
                    return plain(p.name.trim_end_matches(".coerce").to_owned());
                }
                let Some((inst, _)) = self.def(*v) else { return plain("?".into()) };
                match &inst.op {
                    Op::Gep { base, steps, .. } => {
                        let inner = self.place(base, depth + 1);
                        // `v` and `[i].x` where a member that is no array is accessed: what is subscripted is `v`.
                        let mut outer: Option<AccessText> = None;
                        let mut out = if inner.index == "0" {
                            AccessText { array: inner.array, index: String::new() }
                        } else {
                            inner
                        };
                        for (i, s) in steps.iter().enumerate() {
                            match s {
                                // The first step of an array type is the array itself.
                                Step::Index { index: Operand::Const(Const::Int { value: 0, .. }), .. }
                                    if steps.len() > 1 && i == 0 => {}
                                Step::Index { index, .. } => push_index(&mut out.index, &self.expr(index, depth + 1)),
                                Step::Field { field, of, .. } => {
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
                        plain(var.as_ref().map_or_else(|| "a temporary".into(), |v| v.name.clone()))
                    }
                    Op::Load { ptr, .. } => {
                        let p = self.place(ptr, depth + 1);
                        plain(if p.index == "0" { p.array } else { format!("{}{}", p.array, bracket(&p.index)) })
                    }
                    Op::Cast { value, .. } | Op::Freeze(value) => self.place(value, depth + 1),
                    Op::Call { callee: Callee::Direct(id), .. } => {
                        plain(format!("{}(…)", short_name(&self.module.func(*id).display)))
                    }
                    Op::Select { a, .. } => self.place(a, depth + 1),
                    Op::Phi(e) => e.first().map_or_else(|| plain("?".into()), |(_, o)| self.place(o, depth + 1)),
                    _ => plain("?".into()),
                }
            }
        }
    }

    /// The address that a number was made of by sums.
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

    /// Whether an address is the value of a pointer variable, rather than that of the variable itself.
    fn is_loaded(&self, o: &Operand) -> bool {
        let Operand::Value(v) = o else { return false };
        matches!(self.def(*v), Some((Inst { op: Op::Load { .. }, .. }, _)))
    }

    fn expr(&self, o: &Operand, depth: u32) -> String {
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

fn short_name(display: &str) -> &str {
    let head = display.split('(').next().unwrap_or(display);
    head.rsplit("::").next().unwrap_or(head)
}

/// `threadIdx.x` and its kin from clang's wrappers (`_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv`).
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

#[cfg(test)]
mod tests {
    use crate::reasons::UnknownReason;
    use crate::symbolic::terms::arena::Arena;
    use crate::symbolic::terms::display::term;
    use crate::symbolic::terms::interval::Range;
    use crate::symbolic::terms::term::SymKind;

    #[test]
    fn what_a_term_has_in_common_with_itself_does_not_make_it_endless() {
        let mut a = Arena::new();
        let fresh =
            |a: &mut Arena| a.fresh(SymKind::Unknown { reason: UnknownReason::NoValue }, "x", Range::of_int(32, true));
        let mut t = fresh(&mut a);
        for _ in 0..12 {
            let parts: Vec<_> = (0..8)
                .map(|_| {
                    let x = fresh(&mut a);
                    let x = a.mul(x, t);
                    a.le_zero(x)
                })
                .collect();
            let (c, other) = (a.and_all(parts), fresh(&mut a));
            t = a.ite(c, t, other);
        }
        assert!(term(&a, t).len() < 20_000);
    }
}
