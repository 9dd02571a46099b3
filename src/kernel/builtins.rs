//! Thread builtins, barriers, warp operations and device library calls.
//!
//! Names are those that clang 22 gives: `llvm.nvvm.*` intrinsics (NVPTX usage guide) and libdevice's `__nv_*`.

use crate::ir::{FuncRef, Module, TypeId, TypeKind};
use crate::symbolic::exec::{AccessKind, Executor, Site, State};
use crate::symbolic::memory::{ObjKind, ObjState, Object, Rest};
use crate::symbolic::term::Range;
use crate::symbolic::value::Value;
use std::rc::Rc;

/// What a model says of a call: handled (with `None` where the call does not return), or the state given back.
pub type Modelled = Result<Option<(Value, State)>, Box<State>>;

impl Executor<'_> {
    pub(crate) fn device_call(&mut self, f: FuncRef, args: &[Value], s: State, context: u64, site: Site, ty: TypeId) -> Modelled {
        let func = self.program.func(f);
        let name = func.name.as_str();
        if let Some(v) = self.thread_register(name) { return Ok(Some((v, s))); }
        if is_barrier(name) { self.partitions.barrier(); }
        if let Some(rest) = name.strip_prefix("llvm.") { return self.intrinsic(rest, args, s, site, ty); }
        if !func.is_declaration() { return Err(Box::new(s)); }
        match name {
            "__assertfail" | "__assert_fail" | "__trap" => return Ok(None),
            "vprintf" | "printf" | "__syncthreads" | "__syncwarp" => return Ok(Some((Value::unknown("no value"), s))),
            "malloc" | "_Znwm" | "_Znam" => return Ok(self.heap_of_device(args.first(), s, context, site)),
            "free" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" | "_ZdaPvm" => {
                let mut s = s;
                let p = args.first().map_or_else(|| Rc::new(vec![]), |a| self.as_pointer(a));
                self.release(&mut s, &p);
                return Ok(Some((Value::unknown("no value"), s)));
            }
            _ => {}
        }
        if let Some(op) = name.strip_prefix("__nv_") {
            let bits = 32;
            let int = |e: &mut Self, i: usize| args.get(i).map(|v| e.value_int(v, bits));
            match op {
                "min" | "max" => {
                    if let (Some(a), Some(b)) = (int(self, 0), int(self, 1)) {
                        let (a, b) = (self.interpret(a, 32, true), self.interpret(b, 32, true));
                        let t = if op == "min" { self.arena.min(a, b) } else { self.arena.max(a, b) };
                        return Ok(Some((Value::Int(t), s)));
                    }
                }
                "umin" | "umax" => {
                    if let (Some(a), Some(b)) = (int(self, 0), int(self, 1)) {
                        let (a, b) = (self.interpret(a, 32, false), self.interpret(b, 32, false));
                        let t = if op == "umin" { self.arena.min(a, b) } else { self.arena.max(a, b) };
                        return Ok(Some((Value::Int(t), s)));
                    }
                }
                "abs" => {
                    if let Some(a) = int(self, 0) { let v = self.absolute(a, 32); return Ok(Some((v, s))); }
                }
                _ => {}
            }
            // libdevice computes; only pointer arguments (sincos, modf, frexp) are written.
            let mut s = s;
            self.forget_pointees(&mut s, args, "the result of a math function");
            let m = self.program.module(site.func.module);
            let v = self.unknown_of(m, ty, "the result of a math function");
            return Ok(Some((v, s)));
        }
        Err(Box::new(s))
    }

    /// `malloc` and `new` in a kernel: an allocation that is used has succeeded.
    fn heap_of_device(&mut self, size: Option<&Value>, s: State, context: u64, site: Site) -> Option<(Value, State)> {
        let size = match size { Some(v) => self.value_int(v, 64), None => self.arena.int(0) };
        let size = self.interpret(size, 64, false);
        let memory = self.arena.int(i128::from(self.device_memory));
        let fits = self.arena.le(size, memory);
        let mut s = self.assume(s, fits)?;
        let place = self.user_location();
        let object = Object { kind: ObjKind::DeviceHeap, name: String::new(), extent: Some(size), site: place, func: None, array: true };
        let o = self.allocate(context, site, 1, |_| object);
        s.mem.insert(o, Rc::new(ObjState::new(Rest::Uninit)));
        Some((self.pointer(o, 0), s))
    }

    /// `threadIdx` and its kin, by register name or by clang's wrapper.
    fn thread_register(&mut self, name: &str) -> Option<Value> {
        let reg = name.strip_prefix("llvm.nvvm.read.ptx.sreg.")?;
        let t = self.thread.clone()?;
        if reg == "warpsize" { return Some(Value::Int(self.arena.int(32))); }
        if reg == "laneid" {
            // Lanes count within the linearised block.
            let xy = self.arena.mul(t.tid[2], t.block[1]);
            let y = self.arena.add(xy, t.tid[1]);
            let y = self.arena.mul(y, t.block[0]);
            let lin = self.arena.add(y, t.tid[0]);
            return Some(Value::Int(self.arena.modulo(lin, 32)));
        }
        let (base, axis) = reg.rsplit_once('.')?;
        let (i, _) = Self::axis(axis)?;
        let v = match base { "tid" => t.tid[i], "ctaid" => t.bid[i], "ntid" => t.block[i], "nctaid" => t.grid[i], _ => return None };
        Some(Value::Int(v))
    }

    /// LLVM intrinsics of either side, without the `llvm.` prefix.
    pub(crate) fn intrinsic(&mut self, name: &str, args: &[Value], mut s: State, site: Site, ty: TypeId) -> Modelled {
        let m = self.program.module(site.func.module);
        let bits = match m.ty(ty).kind { TypeKind::Int(b) => b, _ => 32 };
        let base = name.split('.').next().unwrap_or(name);
        let two = |e: &mut Self, signed: bool| {
            let (a, b) = (args.first().map(|v| e.value_int(v, bits))?, args.get(1).map(|v| e.value_int(v, bits))?);
            Some((e.interpret(a, bits, signed), e.interpret(b, bits, signed)))
        };
        let scalar = matches!(m.ty(ty).kind, TypeKind::Int(_));
        let value = match base {
            "smin" | "smax" if scalar => two(self, true).map(|(a, b)| if base == "smin" { self.arena.min(a, b) } else { self.arena.max(a, b) }).map(Value::Int),
            "umin" | "umax" if scalar => two(self, false).map(|(a, b)| if base == "umin" { self.arena.min(a, b) } else { self.arena.max(a, b) }).map(Value::Int),
            "abs" if scalar => args.first().map(|v| self.value_int(v, bits)).map(|a| self.absolute(a, bits)),
            "expect" | "annotation" | "ptr" | "launder" | "strip" | "ssa_copy" if !args.is_empty() && name != "ptr.mask" => args.first().cloned(),
            "ctpop" | "ctlz" | "cttz" if scalar => {
                let r = Range::new(0, i128::from(bits));
                let a = args.first().map(|v| self.value_int(v, bits));
                a.map(|a| { let a = self.interpret(a, bits, false); Value::Int(self.arena.apply(base, vec![a], r)) })
            }
            "is" => Some(Value::Bool(self.arena.bool(false))),
            "ceil" | "floor" | "trunc" => match args.first() {
                Some(Value::Real(r)) => {
                    let r = *r;
                    let num = match base {
                        "floor" => self.arena.floor_div(r.num, r.den),
                        "ceil" => { let n = self.arena.neg(r.num); let q = self.arena.floor_div(n, r.den); self.arena.neg(q) }
                        _ => { let d = self.arena.int(r.den); self.arena.div(r.num, d) }
                    };
                    Some(Value::Real(crate::symbolic::value::Ratio { num, den: 1 }))
                }
                _ => None,
            },
            "umul" | "uadd" if name.contains(".with.overflow") => self.with_overflow(base, args, m, ty),
            "trap" | "debugtrap" | "ubsantrap" => return Ok(None),
            "va_start" | "va_end" | "va_copy" => { self.forget_pointees(&mut s, args, "variadic arguments"); Some(Value::unknown("no value")) }
            "stacksave" => Some(self.unknown_pointer("the stack pointer")),
            "prefetch" | "stackrestore" | "experimental" | "dbg" | "donothing" | "sideeffect" | "assume" | "invariant" | "var" => Some(Value::unknown("no value")),
            "nvvm" => return self.nvvm(name, args, s, site, ty),
            _ => None,
        };
        if let Some(v) = value { return Ok(Some((v, s))); }
        self.forget_pointees(&mut s, args, &format!("the effect of `llvm.{name}`"));
        let v = self.unknown_of(m, ty, &format!("the result of `llvm.{base}`"));
        Ok(Some((v, s)))
    }

    /// An unsigned product or sum, and whether it does not fit: how `new T[n]` computes its size.
    fn with_overflow(&mut self, op: &str, args: &[Value], m: &Module, ty: TypeId) -> Option<Value> {
        let TypeKind::Struct { fields, .. } = &m.ty(ty).kind else { return None };
        let TypeKind::Int(bits) = m.ty(fields.first()?.ty).kind else { return None };
        let (a, b) = (self.value_int(args.first()?, bits), self.value_int(args.get(1)?, bits));
        let (a, b) = (self.interpret(a, bits, false), self.interpret(b, bits, false));
        let exact = if op == "umul" { self.arena.mul(a, b) } else { self.arena.add(a, b) };
        let most = self.arena.int((1i128 << bits.min(64)) - 1);
        let over = self.arena.lt(most, exact);
        Some(Value::Aggregate(Rc::new(vec![Value::Int(exact), Value::Bool(over)])))
    }

    fn nvvm(&mut self, name: &str, args: &[Value], mut s: State, site: Site, ty: TypeId) -> Modelled {
        let m = self.program.module(site.func.module);
        // `ldg`, `ldu`: a load through the read-only cache.
        if name.starts_with("nvvm.ldg.") || name.starts_with("nvvm.ldu.") {
            let p = args.first().map_or_else(|| Rc::new(vec![]), |a| self.as_pointer(a));
            let bytes = self.arena.int(i128::from(m.size_of(ty)));
            self.note_access(&s, site, &p, bytes, AccessKind::Read);
            let v = self.unknown_of(m, ty, "what a buffer holds");
            return Ok(Some((v, s)));
        }
        if name.starts_with("nvvm.atomic.") {
            let p = args.first().map_or_else(|| Rc::new(vec![]), |a| self.as_pointer(a));
            let bytes = self.arena.int(i128::from(m.size_of(ty)));
            self.note_access(&s, site, &p, bytes, AccessKind::Atomic);
            let v = self.unknown_of(m, ty, "the result of an atomic operation");
            return Ok(Some((v, s)));
        }
        if name == "nvvm.exit" { return Ok(None); }
        let bits = match m.ty(ty).kind { TypeKind::Int(b) => b, _ => 0 };
        if bits > 1 {
            let op = name.trim_start_matches("nvvm.");
            if matches!(op, "min.i" | "max.i" | "min.ui" | "max.ui" | "min.ll" | "max.ll" | "min.ull" | "max.ull") && args.len() == 2 {
                let signed = !op.contains(".u");
                let (a, b) = (self.value_int(&args[0], bits), self.value_int(&args[1], bits));
                let (a, b) = (self.interpret(a, bits, signed), self.interpret(b, bits, signed));
                let t = if op.starts_with("min") { self.arena.min(a, b) } else { self.arena.max(a, b) };
                return Ok(Some((Value::Int(t), s)));
            }
        }
        self.forget_pointees(&mut s, args, &format!("the effect of `llvm.{name}`"));
        let v = self.unknown_of(m, ty, &format!("the result of `{}`", name.trim_start_matches("nvvm.")));
        Ok(Some((v, s)))
    }

    fn absolute(&mut self, a: crate::symbolic::term::TermId, bits: u32) -> Value {
        let a = self.interpret(a, bits, true);
        let n = self.arena.neg(a);
        let zero = self.arena.int(0);
        let c = self.arena.le(zero, a);
        Value::Int(self.arena.ite(c, a, n))
    }
}

/// Whether a function lets the threads of a block wait for each other.
fn is_barrier(name: &str) -> bool { name == "__syncthreads" || name.starts_with("llvm.nvvm.barrier") }
