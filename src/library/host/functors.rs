//! Function objects of the program that touch no memory but what they are given.
//!
//! In: the type of a function object. Out: whether all its call operators read nothing but their arguments, their own object
//! (pointers in it are not followed) and variables of their own, and write to the latter alone. An algorithm that calls such
//! objects, and nothing else of the program, touches its ranges alone.

use ir::reach::Mentions;
use ir::{
    AddressStep, Callee, CastOp, Const, FuncRef, Op, Operand, Param, Program, Side, Terminator, TypeId, TypeKind,
    ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Size of the widest access in bytes.
const WIDEST: u64 = 16;

/// Deepest calls that are followed.
const MAX_DEPTH: usize = 16;

/// Returns the call operators of a type in device code if they touch nothing but their arguments; the type as in demangled names.
pub(super) fn that_touch_their_arguments(program: &Program, class: &str) -> Option<Vec<FuncRef>> {
    let class = class.trim_end_matches('&').trim_end_matches(" const").trim();
    let operators: Vec<FuncRef> = program
        .functions()
        .filter(|(_, m, f)| m.side == Side::Device && !f.is_declaration() && is_operator_of(&f.display, class))
        .map(|(f, ..)| f)
        .collect();
    (!operators.is_empty() && operators.iter().all(|f| touches_given(program, *f, false, &mut vec![])))
        .then_some(operators)
}

fn is_operator_of(display: &str, class: &str) -> bool {
    display.match_indices(class).any(|(at, _)| {
        let before = display[..at].chars().next_back();
        before.is_none_or(|c| c == ' ') && display[at + class.len()..].starts_with("::operator()")
    })
}

/// Folders of CCCL, and starts of the names of the toolkit's headers with device code.
const CCCL: &[&str] = &["thrust/", "cub/", "cuda/", "nv/"];
const TOOLKIT: &[&str] = &["crt/", "cuda_", "device_", "math_", "sm_", "vector_", "cooperative_groups"];

/// Whether kernels of an algorithm execute nothing but code of its library, call operators, and what these call. Other code of the program
/// may be an inherited operator, a constructor or a conversion. The library are the headers of CCCL in which the algorithm is defined, the
/// toolkit's for device code beside them, and clang's own.
pub(super) fn execute_nothing_else(
    program: &Program,
    algorithm: FuncRef,
    kernels: &[FuncRef],
    operators: &[FuncRef],
) -> bool {
    let at = |f: FuncRef| program.loc(f.module, program.func(f).loc);
    let place = at(algorithm);
    let folders = ["/thrust/", "/cub/"].map(|folder| place.file.split_once(folder).map(|(before, _)| before));
    let Some(cccl) = folders.into_iter().flatten().next().filter(|_| place.system) else { return false };
    let toolkit = cccl.strip_suffix("/cccl").unwrap_or(cccl);
    let of_library = |f: FuncRef| {
        let func = program.func(f);
        if func.is_declaration() {
            return !func.name.starts_with("_Z");
        }
        let place = at(f);
        let below = |folder: &str, starts: &[&str]| {
            let rest = place.file.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
            rest.is_some_and(|rest| starts.iter().any(|start| rest.starts_with(start)))
        };
        // libdevice has no lines.
        if func.name.starts_with("__nv_") {
            return true;
        }
        place.system && (below(cccl, CCCL) || below(toolkit, TOOLKIT) || place.file.contains("/lib/clang/"))
    };
    let reached = |from: &[FuncRef], known: &FxHashSet<FuncRef>| {
        let (mut all, mut open) = (FxHashSet::default(), from.to_vec());
        while let Some(f) = open.pop() {
            if !known.contains(&f) && all.insert(f) {
                let m = Mentions::of(program, f.module, &program.func(f).blocks);
                open.extend(m.called.into_iter().chain(m.named));
            }
        }
        all
    };
    let quiet = reached(operators, &FxHashSet::default());
    !kernels.is_empty() && reached(kernels, &quiet).into_iter().all(of_library)
}

/// An address in a variable of a function, or in what a parameter points to.
#[derive(Clone, Copy, PartialEq, Eq)]
struct OwnPointer {
    /// Bytes of the variable or of the pointee.
    room: u64,
    offset: u64,
    /// Number of bytes of which the address of the variable or of the pointee is a multiple.
    begins: u64,
    /// Whether the function may write there.
    written: bool,
}

impl OwnPointer {
    /// Whether so many bytes from the address on are inside.
    const fn holds(self, bytes: u64) -> bool {
        match self.offset.checked_add(bytes) {
            Some(end) => end <= self.room,
            None => false,
        }
    }

    /// Whether the address is a multiple of so many bytes.
    const fn is_multiple(self, align: u64) -> bool {
        self.begins.is_multiple_of(align) && self.offset.is_multiple_of(align)
    }
}

/// Whether a function touches nothing but what its parameters point to, given that these are arguments; it may write there if
/// they are `writable`.
fn touches_given(program: &Program, f: FuncRef, writable: bool, around: &mut Vec<FuncRef>) -> bool {
    let func = program.func(f);
    if func.is_declaration() {
        return func.name.starts_with("__nv_");
    }
    if around.contains(&f) || around.len() >= MAX_DEPTH {
        return false;
    }
    around.push(f);
    let module = program.module(f.module);
    let own = own_pointers(program, f, writable);
    let at = |o: &Operand| if let Operand::Value(v) = o { own.get(v).copied() } else { None };
    let constant = |o: &Operand| match o {
        Operand::Const(Const::Int { value, .. }) => u64::try_from(*value).ok(),
        _ => None,
    };
    let inside = |o: &Operand, bytes: Option<u64>, align: u32, writes: bool| {
        at(o).zip(bytes).is_some_and(|(p, bytes)| {
            // Where the front end gives no alignment, an access may need as much as it has bytes.
            let align = if align == 0 { bytes.next_power_of_two().min(WIDEST) } else { align.into() };
            p.holds(bytes) && p.is_multiple(align) && (p.written || !writes)
        })
    };
    let mut call = |callee: &Callee, args: &[Operand]| {
        let Callee::Direct(id) = callee else { return false };
        let called = program.resolve_func(f.module, *id);
        let (name, params) = (&program.func(called).name, &program.func(called).params);
        if name.starts_with("llvm.") {
            let of_memory = ["mem", "atomic", ".ld", ".st", "load", "store", "gather", "scatter", "prefetch", "cp."];
            return !of_memory.iter().any(|m| name.contains(m));
        }
        // It is given the name of an option of the compiler.
        if name == "__nvvm_reflect" {
            return true;
        }
        let mut all_written = true;
        for (i, a) in args.iter().enumerate().filter(|(_, a)| may_be_pointer(program, f, a)) {
            let Some(p) = at(a) else { return false };
            all_written &= p.written;
            let fits = |param: &Param| {
                p.holds(room_of(program, called, param)) && p.is_multiple(begin_of(program, called, param))
            };
            if !params.get(i).is_some_and(fits) {
                return false;
            }
        }
        touches_given(program, called, all_written, around)
    };
    let quiet = func.blocks.iter().all(|b| {
        b.insts.iter().all(|i| match &i.op {
            Op::Load { ptr, volatile, align } => {
                !volatile && inside(ptr, Some(module.size_of(i.ty).get()), *align, false)
            }
            Op::Store { ptr, value, volatile, align } => {
                !volatile && inside(ptr, bytes_of(program, f, value), *align, true)
            }
            Op::MemCopy { dst, src, len, align: [to, from], .. } => {
                inside(dst, constant(len), *to, true) && inside(src, constant(len), *from, false)
            }
            Op::MemSet { dst, len, .. } => inside(dst, constant(len), 1, true),
            Op::Call { callee, args } => call(callee, args),
            Op::Alloca { .. }
            | Op::Gep { .. }
            | Op::Bin { .. }
            | Op::Icmp { .. }
            | Op::Fcmp { .. }
            | Op::FNeg(_)
            | Op::Cast { .. }
            | Op::Select { .. }
            | Op::Phi(_)
            | Op::Lifetime { .. }
            | Op::ExtractValue { .. }
            | Op::InsertValue { .. } => true,
            _ => false,
        }) && match &b.term {
            Terminator::Invoke { callee, args, .. } => call(callee, args),
            Terminator::Other(_) => false,
            _ => true,
        }
    });
    around.pop();
    quiet
}

/// Type of a value.
fn type_of(program: &Program, f: FuncRef, v: ValueId) -> Option<TypeId> {
    let func = program.func(f);
    let made = || func.blocks.iter().flat_map(|b| &b.insts).find(|i| i.result == Some(v)).map(|i| i.ty);
    let invoked = || {
        func.blocks.iter().find_map(|b| match &b.term {
            Terminator::Invoke { result, ty, .. } if *result == Some(v) => Some(*ty),
            _ => None,
        })
    };
    func.params.get(v.index()).map(|p| p.ty).or_else(made).or_else(invoked)
}

/// Size of an operand in bytes.
fn bytes_of(program: &Program, f: FuncRef, o: &Operand) -> Option<u64> {
    let size = |ty: TypeId| program.module(f.module).size_of(ty).get();
    match o {
        Operand::Const(Const::Int { bits, .. } | Const::Float { bits, .. }) => Some(u64::from(bits.div_ceil(8))),
        Operand::Const(
            Const::Zero(ty)
            | Const::Undef(ty)
            | Const::Aggregate { ty, .. }
            | Const::Bytes { ty, .. }
            | Const::Opaque { ty, .. },
        ) => Some(size(*ty)),
        Operand::Const(Const::Global { .. } | Const::Func(_) | Const::Address { .. }) => Some(8),
        Operand::Value(v) => type_of(program, f, *v).map(size),
    }
}

fn may_be_pointer(program: &Program, f: FuncRef, o: &Operand) -> bool {
    let is_number = |ty: TypeId| matches!(program.module(f.module).ty(ty).kind, TypeKind::Int(_) | TypeKind::Float(_));
    match o {
        Operand::Const(Const::Int { .. } | Const::Float { .. }) => false,
        Operand::Const(Const::Zero(ty) | Const::Undef(ty)) => !is_number(*ty),
        Operand::Const(_) => true,
        Operand::Value(v) => !type_of(program, f, *v).is_some_and(is_number),
    }
}

/// Bytes that a parameter surely points to: its object, a reference's, or the result's.
fn room_of(program: &Program, f: FuncRef, param: &Param) -> u64 {
    let whole = param.byval.or(param.sret).map(|ty| program.module(f.module).size_of(ty).get());
    whole.unwrap_or(param.dereferenceable)
}

/// Number of bytes of which the address in a parameter is a multiple.
fn begin_of(program: &Program, f: FuncRef, param: &Param) -> u64 {
    let of_type = param.byval.or(param.sret).map_or(1, |ty| program.module(f.module).ty(ty).align);
    param.align.max(of_type).max(1).into()
}

/// Offset in bytes of an address from its base, if it stays in the arrays that it is computed in.
fn offset_of(steps: &[AddressStep]) -> Option<u64> {
    steps.iter().try_fold(0_u64, |sum, step| {
        let more = match step {
            AddressStep::Field { offset, .. } => *offset,
            AddressStep::Index { index: Operand::Const(Const::Int { value, .. }), stride, count } => {
                let index = u64::try_from(*value).ok()?;
                if index != 0 && count.is_none_or(|n| index >= n.get()) {
                    return None;
                }
                index.checked_mul(stride.get())?
            }
            AddressStep::Index { .. } => return None,
        };
        sum.checked_add(more)
    })
}

/// Returns the values of a function that surely are addresses in its own variables, or in what its parameters point to.
fn own_pointers(program: &Program, f: FuncRef, writable: bool) -> FxHashMap<ValueId, OwnPointer> {
    let (func, module) = (program.func(f), program.module(f.module));
    let insts = || func.blocks.iter().flat_map(|b| &b.insts);
    let mut own: FxHashMap<ValueId, OwnPointer> = FxHashMap::default();
    for (i, p) in (0_u32..).zip(&func.params) {
        if matches!(module.ty(p.ty).kind, TypeKind::Ptr(_)) {
            let written = writable || p.sret.is_some();
            let begins = begin_of(program, f, p);
            own.insert(ValueId(i), OwnPointer { room: room_of(program, f, p), offset: 0, begins, written });
        }
    }
    // A variable whose address is used for loads and stores alone.
    let is_slot = |slot: ValueId| {
        insts().all(|i| match &i.op {
            Op::Store { value: Operand::Value(v), .. } if *v == slot => false,
            Op::Load { .. } | Op::Lifetime { .. } | Op::Store { .. } => true,
            op => {
                let mut named = false;
                op.operands(&mut |o: &Operand| named |= matches!(o, Operand::Value(v) if *v == slot));
                !named
            }
        }) && func.blocks.iter().all(|b| {
            let mut named = false;
            b.term.operands(&mut |o: &Operand| named |= matches!(o, Operand::Value(v) if *v == slot));
            !named
        })
    };
    let variables: FxHashSet<ValueId> =
        insts().filter(|i| matches!(i.op, Op::Alloca { .. })).filter_map(|i| i.result).collect();
    loop {
        let at = |o: &Operand| if let Operand::Value(v) = o { own.get(v).copied() } else { None };
        let same = |all: Vec<Option<OwnPointer>>| {
            let first = (*all.first()?)?;
            all.iter().all(|p| *p == Some(first)).then_some(first)
        };
        let new: Vec<(ValueId, OwnPointer)> = insts()
            .filter_map(|i| Some((i.result?, &i.op)))
            .filter(|(v, _)| !own.contains_key(v))
            .filter_map(|(v, op)| {
                let p = match op {
                    Op::Alloca { ty, count: Operand::Const(Const::Int { value, .. }), align, .. } => {
                        let room = module.size_of(*ty).get().checked_mul(u64::try_from(*value).ok()?)?;
                        OwnPointer { room, offset: 0, begins: (*align).max(1).into(), written: true }
                    }
                    Op::Gep { base, steps, .. } => {
                        let base = at(base)?;
                        OwnPointer { offset: base.offset.checked_add(offset_of(steps)?)?, ..base }
                    }
                    Op::Cast { op: CastOp::AddrSpaceCast | CastOp::Bitcast, value, .. } => at(value)?,
                    Op::Select { a, b, .. } => same(vec![at(a), at(b)])?,
                    Op::Phi(all) => same(all.iter().map(|(_, o)| at(o)).collect())?,
                    // What all stores to the variable have.
                    Op::Load { ptr: Operand::Value(slot), .. } if variables.contains(slot) && is_slot(*slot) => {
                        let stored = insts().filter_map(|i| match &i.op {
                            Op::Store { ptr: Operand::Value(p), value, .. } if p == slot => Some(at(value)),
                            _ => None,
                        });
                        same(stored.collect())?
                    }
                    _ => return None,
                };
                Some((v, p))
            })
            .collect();
        if new.is_empty() {
            return own;
        }
        own.extend(new);
    }
}
