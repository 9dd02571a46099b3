//! Readable dump of a module, for `scuba-extract --dump`, logs and tests: close to LLVM's assembly, with source
//! positions (`@line:column`, and the file if it is not the main one) and the names of source variables.

use super::{
    AddressStep, BlockId, Callee, Const, Function, Global, Inst, LocId, Module, Op, Operand, Terminator, TypeId,
    TypeKind, Var,
};
use std::fmt::{self, Display};

/// A part of a module together with the module, for printing.
struct PrintedPart<'m, T: ?Sized>(&'m Module, &'m T);

impl Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "module {:?} {} ({}", self.side, self.source, self.producer)?;
        writeln!(f, "{}{})", if self.arch.is_empty() { "" } else { ", " }, self.arch)?;
        for (i, g) in self.globals.iter().enumerate() {
            writeln!(f, "g{i} {}", PrintedPart(self, g))?;
        }
        for func in &self.functions {
            write!(f, "{}", PrintedPart(self, func))?;
        }
        Ok(())
    }
}

impl Display for PrintedPart<'_, TypeId> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(def) = self.0.types.get(self.1.index()) else { return write!(f, "?type{}", self.1.0) };
        match &def.kind {
            TypeKind::Void => f.write_str("void"),
            TypeKind::Int(bits) => write!(f, "i{bits}"),
            TypeKind::Float(bits) => write!(f, "f{bits}"),
            TypeKind::Ptr(0) => f.write_str("ptr"),
            TypeKind::Ptr(space) => write!(f, "ptr({space})"),
            TypeKind::Array { elem, count } => write!(f, "[{count} x {}]", PrintedPart(self.0, elem)),
            TypeKind::Vector { elem, count } => write!(f, "<{count} x {}>", PrintedPart(self.0, elem)),
            TypeKind::Struct { name: Some(name), .. } => write!(f, "{name}"),
            TypeKind::Struct { name: None, fields } => {
                f.write_str("{")?;
                for (i, field) in fields.iter().enumerate() {
                    write!(f, "{}{}", if i == 0 { "" } else { ", " }, PrintedPart(self.0, &field.ty))?;
                }
                f.write_str("}")
            }
            TypeKind::Other(what) => write!(f, "<{what}>"),
        }
    }
}

impl Display for PrintedPart<'_, LocId> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(loc) = self.0.locs.get(self.1.index()).filter(|_| self.1.0 != 0) else { return Ok(()) };
        write!(f, "  @")?;
        if let Some(file) = self.0.files.get(loc.file.index()).filter(|s| !s.path.ends_with(&self.0.source)) {
            write!(f, "{}:", file.path.rsplit('/').next().unwrap_or_default())?;
        }
        write!(f, "{}:{}", loc.line, loc.column)?;
        if let Some(at) = &loc.inlined_at {
            write!(f, " inlined{}", PrintedPart(self.0, at))?;
        }
        Ok(())
    }
}

impl Display for PrintedPart<'_, Const> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |id: usize| self.0.globals.get(id).map_or("?", |g| g.name.as_str());
        match self.1 {
            Const::Int { value, .. } => write!(f, "{value}"),
            Const::Float { bits: 32, value } => write!(f, "{:?}", f32::from_bits(u32::try_from(*value).unwrap_or(0))),
            Const::Float { bits: 64, value } => write!(f, "{:?}", f64::from_bits(*value)),
            Const::Float { bits, value } => write!(f, "f{bits} {value:#x}"),
            Const::Zero(_) => f.write_str("zero"),
            Const::Undef(_) => f.write_str("undef"),
            Const::Global { id, offset: 0 } => write!(f, "@{}", name(id.index())),
            Const::Global { id, offset } => write!(f, "@{}{offset:+}", name(id.index())),
            Const::Func(id) => write!(f, "@{}", self.0.functions.get(id.index()).map_or("?", |g| g.name.as_str())),
            Const::Address { value, .. } => write!(f, "address {value:#x}"),
            Const::Aggregate { ty, elems } => {
                write!(f, "{} {{", PrintedPart(self.0, ty))?;
                for (i, e) in elems.iter().enumerate() {
                    write!(f, "{}{}", if i == 0 { "" } else { ", " }, PrintedPart(self.0, e))?;
                }
                f.write_str("}")
            }
            Const::Bytes { ty, data } => write!(f, "{} \"{}\"", PrintedPart(self.0, ty), data.escape_ascii()),
            Const::Opaque { what, .. } => write!(f, "opaque({what})"),
        }
    }
}

impl Display for PrintedPart<'_, Operand> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Operand::Value(id) => write!(f, "%{}", id.0),
            Operand::Const(c) => write!(f, "{}", PrintedPart(self.0, c)),
        }
    }
}

impl Display for PrintedPart<'_, [Operand]> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, a) in self.1.iter().enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { ", " }, PrintedPart(self.0, a))?;
        }
        Ok(())
    }
}

impl Display for PrintedPart<'_, Global> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let g = self.1;
        write!(f, "{:?} {} {}", g.linkage, if g.constant { "constant" } else { "global" }, g.name)?;
        if g.source_name != g.name {
            write!(f, " `{}`", g.source_name)?;
        }
        write!(f, ": {}", PrintedPart(self.0, &g.ty))?;
        if g.space != 0 {
            write!(f, " space {}", g.space)?;
        }
        match &g.init {
            Some(init) => write!(f, " = {}", PrintedPart(self.0, init))?,
            None if g.defined => {}
            None => f.write_str(" declared")?,
        }
        write!(f, "{}", PrintedPart(self.0, &g.loc))
    }
}

impl Display for PrintedPart<'_, Function> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (m, func) = (self.0, self.1);
        let kind = match (func.is_declaration(), func.kernel) {
            (true, _) => "declare",
            (_, true) => "kernel",
            _ => "define",
        };
        write!(f, "{kind} {:?} {} {}(", func.linkage, PrintedPart(m, &func.ret), func.name)?;
        for (i, p) in func.params.iter().enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { ", " }, PrintedPart(m, &p.ty))?;
            if let Some(t) = &p.byval {
                write!(f, " byval {}", PrintedPart(m, t))?;
            }
            if let Some(t) = &p.sret {
                write!(f, " sret {}", PrintedPart(m, t))?;
            }
            write!(f, " %{i}")?;
            if !p.name.is_empty() {
                write!(f, ":{}", p.name)?;
            }
        }
        write!(f, "{})", if func.variadic { ", ..." } else { "" })?;
        if func.noreturn {
            f.write_str(" noreturn")?;
        }
        if let Some(n) = func.max_threads {
            write!(f, " max_threads {n}")?;
        }
        write!(f, "{}", func.shape)?;
        if let Some(tile) = &func.tile {
            write!(f, " tile{}", if tile.may_trap { " may_trap" } else { "" })?;
            for a in &tile.accesses {
                write!(f, " {}{}", a.what, PrintedPart(m, &a.loc))?;
            }
        }
        if func.display != func.name {
            write!(f, "  `{}`", func.display)?;
        }
        writeln!(f, "{}", PrintedPart(m, &func.loc))?;
        for (i, b) in func.blocks.iter().enumerate() {
            writeln!(f, "  b{i}: {}", b.name)?;
            for inst in &b.insts {
                writeln!(f, "    {}", PrintedPart(m, inst))?;
            }
            writeln!(f, "    {}{}", PrintedPart(m, &b.term), PrintedPart(m, &b.term_loc))?;
        }
        Ok(())
    }
}

impl Display for PrintedPart<'_, Inst> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(r) = self.1.result {
            write!(f, "%{}: {} = ", r.0, PrintedPart(self.0, &self.1.ty))?;
        }
        write!(f, "{}{}", PrintedPart(self.0, &self.1.op), PrintedPart(self.0, &self.1.loc))
    }
}

impl Display for PrintedPart<'_, Var> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{} {}`", self.1.type_name, self.1.name)?;
        if self.1.unsigned {
            f.write_str(" unsigned")?;
        }
        if let Some(p) = self.1.param {
            write!(f, " parameter {p}")?;
        }
        Ok(())
    }
}

impl Display for PrintedPart<'_, Callee> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Callee::Direct(id) => write!(f, "{}", PrintedPart(self.0, &Const::Func(*id))),
            Callee::Indirect(o) => write!(f, "*{}", PrintedPart(self.0, o)),
        }
    }
}

impl Display for PrintedPart<'_, Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let m = self.0;
        let o = |x: &'_ Operand| PrintedPart(m, x).to_string();
        let volatile = |v: bool| if v { " volatile" } else { "" };
        match self.1 {
            Op::Alloca { ty, count, align, var } => {
                write!(f, "alloca {} x {} align {align}", PrintedPart(m, ty), o(count))?;
                var.as_ref().map_or(Ok(()), |v| write!(f, " {}", PrintedPart(m, v)))
            }
            Op::Load { ptr, volatile: v, .. } => write!(f, "load{} {}", volatile(*v), o(ptr)),
            Op::Store { ptr, value, volatile: v, .. } => write!(f, "store{} {} -> {}", volatile(*v), o(value), o(ptr)),
            Op::AtomicRmw { op, ptr, value } => write!(f, "atomic {} {}, {}", lower(op), o(ptr), o(value)),
            Op::CmpXchg { ptr, expected, new } => write!(f, "cmpxchg {}, {}, {}", o(ptr), o(expected), o(new)),
            Op::Gep { base, steps, inbounds } => {
                write!(f, "gep{} {}", if *inbounds { " inbounds" } else { "" }, o(base))?;
                for step in steps {
                    match step {
                        AddressStep::Field { offset, field, of, .. } => match m.member_name(*of, *field) {
                            Some(name) if !name.is_empty() => write!(f, " .{name}+{offset}")?,
                            _ => write!(f, " .{field}+{offset}")?,
                        },
                        AddressStep::Index { index, stride, count: None } => write!(f, " [{}]*{stride}", o(index))?,
                        AddressStep::Index { index, stride, count: Some(n) } => {
                            write!(f, " [{} of {n}]*{stride}", o(index))?;
                        }
                    }
                }
                Ok(())
            }
            Op::Bin { op, a, b, nsw, nuw } => {
                let flags = format!("{}{}", if *nsw { " nsw" } else { "" }, if *nuw { " nuw" } else { "" });
                write!(f, "{}{flags} {}, {}", lower(op), o(a), o(b))
            }
            Op::Icmp { pred, a, b } => write!(f, "icmp {} {}, {}", lower(pred), o(a), o(b)),
            Op::Fcmp { pred, a, b } => write!(f, "fcmp {pred} {}, {}", o(a), o(b)),
            Op::FNeg(a) => write!(f, "fneg {}", o(a)),
            Op::Cast { op, value, from, nneg } => {
                write!(f, "{}{} {} {}", lower(op), if *nneg { " nneg" } else { "" }, PrintedPart(m, from), o(value))
            }
            Op::Select { cond, a, b } => write!(f, "select {}, {}, {}", o(cond), o(a), o(b)),
            Op::Phi(list) => {
                f.write_str("phi")?;
                list.iter().try_for_each(|(BlockId(b), v)| write!(f, " [b{b}: {}]", o(v)))
            }
            Op::Call { callee, args } => {
                write!(f, "call {}({})", PrintedPart(m, callee), PrintedPart(m, args.as_slice()))
            }
            Op::Asm { text, constraints, args, side_effects } => {
                let effects = if *side_effects { " sideeffect" } else { "" };
                write!(f, "asm{effects} {text:?} {constraints:?} ({})", PrintedPart(m, args.as_slice()))
            }
            Op::MemCopy { dst, src, len, .. } => write!(f, "memcopy {} <- {}, {}", o(dst), o(src), o(len)),
            Op::MemSet { dst, byte, len } => write!(f, "memset {} <- {}, {}", o(dst), o(byte), o(len)),
            Op::ExtractValue { agg, path } => write!(f, "extractvalue {} {path:?}", o(agg)),
            Op::InsertValue { agg, value, path } => write!(f, "insertvalue {} {path:?} {}", o(agg), o(value)),
            Op::ExtractElement { vec, index } => write!(f, "extractelement {}, {}", o(vec), o(index)),
            Op::InsertElement { vec, value, index } => {
                write!(f, "insertelement {}, {}, {}", o(vec), o(value), o(index))
            }
            Op::Shuffle { a, b, mask } => write!(f, "shuffle {}, {} {mask:?}", o(a), o(b)),
            Op::Freeze(a) => write!(f, "freeze {}", o(a)),
            Op::Fence => f.write_str("fence"),
            Op::Assume(a) => write!(f, "assume {}", o(a)),
            Op::Lifetime { start, ptr } => write!(f, "lifetime {} {}", if *start { "start" } else { "end" }, o(ptr)),
            Op::Other { what, args } => write!(f, "other {what} ({})", PrintedPart(m, args.as_slice())),
        }
    }
}

impl Display for PrintedPart<'_, Terminator> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let m = self.0;
        match self.1 {
            Terminator::Ret(None) => f.write_str("ret"),
            Terminator::Ret(Some(v)) => write!(f, "ret {}", PrintedPart(m, v)),
            Terminator::Br(b) => write!(f, "br b{}", b.0),
            Terminator::CondBr { cond, then, otherwise } => {
                write!(f, "br {} ? b{} : b{}", PrintedPart(m, cond), then.0, otherwise.0)
            }
            Terminator::Switch { value, default, cases } => {
                write!(f, "switch {} default b{}", PrintedPart(m, value), default.0)?;
                cases.iter().try_for_each(|(v, b)| write!(f, ", {v}: b{}", b.0))
            }
            Terminator::Invoke { result, ty, callee, args, normal, unwind } => {
                if let Some(r) = result {
                    write!(f, "%{}: {} = ", r.0, PrintedPart(m, ty))?;
                }
                write!(
                    f,
                    "invoke {}({}) b{} unwind b{}",
                    PrintedPart(m, callee),
                    PrintedPart(m, args.as_slice()),
                    normal.0,
                    unwind.0
                )
            }
            Terminator::Unreachable => f.write_str("unreachable"),
            Terminator::Other(what) => write!(f, "other {what}"),
        }
    }
}

/// Returns the lower-case name of a variant.
fn lower(text: impl fmt::Debug) -> String {
    format!("{text:?}").to_lowercase()
}
