//! Thread builtins, barriers, warp operations and device library calls.
//!
//! Names are those that clang 22 gives: `llvm.nvvm.*` intrinsics (NVPTX usage guide) and libdevice's `__nv_*`.

use super::bits::Bits;
use super::intrinsics::is_barrier;
use crate::ir::{FuncRef, Function, LocId, TypeId};
use crate::reasons::UnknownReason;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::{ObjKind, ObjState, Object, Rest};
use crate::symbolic::memory::value::{Base, Value};
use std::rc::Rc;

/// What a model says of a call: handled (with `None` where the call does not return), or the state given back.
pub type Modelled = Result<Option<(Value, State)>, Box<State>>;

impl Executor<'_> {
    pub(crate) fn device_call(
        &mut self,
        f: FuncRef,
        args: &[Value],
        s: State,
        context: u64,
        site: Site,
        ty: TypeId,
    ) -> Modelled {
        let func = self.program.func(f);
        let name = func.name.as_str();
        if let Some(v) = self.thread_register(name) {
            return Ok(Some((v, s)));
        }
        if is_barrier(name) {
            self.kernel.partitions.barrier();
        }
        if let Some(rest) = name.strip_prefix("llvm.") {
            return self.intrinsic(rest, args, s, site, ty);
        }
        // With a body or without: where clang finds libdevice, its functions have theirs.
        if is_of_libdevice(func)
            && let Some(v) = self.integer_of_libdevice(name, args)
        {
            return Ok(Some((v, s)));
        }
        if !func.is_declaration() {
            return Err(Box::new(s));
        }
        match name {
            "__assertfail" | "__assert_fail" | "__trap" => return Ok(None),
            "vprintf" | "printf" | "__syncthreads" | "__syncwarp" => {
                return Ok(Some((Value::unknown(UnknownReason::NoValue), s)));
            }
            "malloc" | "_Znwm" | "_Znam" => return Ok(self.heap_of_device(args.first(), s, context, site)),
            "free" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" | "_ZdaPvm" => {
                let mut s = s;
                let p = args.first().map_or_else(|| Rc::new(vec![]), |a| self.as_pointer(a));
                self.release(&mut s, &p);
                self.release_lost(&mut s, &p);
                return Ok(Some((Value::unknown(UnknownReason::NoValue), s)));
            }
            // Functions of libdevice below; any other is not known.
            _ => {}
        }
        if name.starts_with("__nv_") {
            // libdevice computes; only pointer arguments (sincos, modf, frexp) are written.
            let mut s = s;
            let leads_out = |e: &Self, a: &Value| matches!(a, Value::Ptr(p) if p.iter().any(|t| !matches!(t.base, Base::Object(o) if e.object(o).kind == ObjKind::DeviceLocal)));
            if args.iter().any(|a| leads_out(self, a)) {
                self.unknown_access(&s, site, &UnknownReason::MathPointer);
            }
            self.forget_pointees(&mut s, args, &UnknownReason::MathFunction);
            let m = self.program.module(site.func.module);
            let v = self.unknown_of(m, ty, &UnknownReason::MathFunction);
            return Ok(Some((v, s)));
        }
        Err(Box::new(s))
    }

    /// Functions of integers in libdevice (libdevice user's guide 13.0), by their whole names: each has a width.
    pub(super) fn integer_of_libdevice(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        let op = name.strip_prefix("__nv_")?;
        let (bits, op) = match op {
            "llmin" | "llmax" | "llabs" => (64, &op[2..]),
            "ullmin" => (64, "umin"),
            "ullmax" => (64, "umax"),
            "clzll" | "ffsll" | "popcll" | "brevll" => (64, &op[..op.len() - 2]),
            "min" | "max" | "umin" | "umax" | "abs" | "clz" | "ffs" | "popc" | "brev" => (32, op),
            // The others, of floating point most of them, have bodies or are not known.
            _ => return None,
        };
        let int = |e: &mut Self, i: usize| args.get(i).map(|v| e.value_int(v, bits));
        let a = int(self, 0)?;
        let t = match op {
            "min" | "max" | "umin" | "umax" => {
                let b = int(self, 1)?;
                return Some(self.extreme(op.ends_with("max"), !op.starts_with('u'), [a, b], bits));
            }
            "abs" => return Some(self.absolute(a, bits)),
            "clz" => self.of_bits(Bits::ZerosInFront, a, bits)?,
            "popc" => self.of_bits(Bits::Ones, a, bits)?,
            "brev" => self.of_bits(Bits::Reversed, a, bits)?,
            _ => self.lowest_bit(a, bits)?,
        };
        Some(Value::Int(t))
    }

    /// `malloc` and `new` in a kernel: null where the heap has no more, if the program looks.
    fn heap_of_device(&mut self, size: Option<&Value>, s: State, context: u64, site: Site) -> Option<(Value, State)> {
        let size = match size {
            Some(v) => self.value_int(v, 64),
            None => self.arena.int(0),
        };
        let size = self.interpret(size, 64, false);
        let memory = self.arena.int(i128::from(self.device_memory));
        let fits = self.arena.le(size, memory);
        let (mut s, given) = self.scarce(s, fits, site)?;
        let place = self.user_location();
        let object = Object {
            kind: ObjKind::DeviceHeap,
            name: String::new(),
            extent: Some(size),
            site: place,
            func: None,
            array: true,
        };
        let o = self.allocate(context, site, 1, |_| object);
        self.note_scarce(o, given);
        s.mem.insert(o, Rc::new(ObjState::new(Rest::Uninit)));
        Some((self.pointer(o, 0), s))
    }

    /// `threadIdx` and its kin, by register name or by clang's wrapper.
    fn thread_register(&mut self, name: &str) -> Option<Value> {
        let reg = name.strip_prefix("llvm.nvvm.read.ptx.sreg.")?;
        let t = self.kernel.thread.clone()?;
        if reg == "warpsize" {
            return Some(Value::Int(self.arena.int(32)));
        }
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
        let v = match base {
            "tid" => t.tid[i],
            "ctaid" => t.bid[i],
            "ntid" => t.block[i],
            "nctaid" => t.grid[i],
            _ => return None,
        };
        Some(Value::Int(v))
    }
}

/// Whether a function is of libdevice, with a body or without: its names are reserved, and none has a place in the source.
fn is_of_libdevice(f: &Function) -> bool {
    f.name.starts_with("__nv_") && (f.is_declaration() || f.loc == LocId(0))
}
