//! LLVM intrinsics of either side, by their whole names (LLVM 22 Language Reference, NVPTX usage guide).
//!
//! An unknown intrinsic has an unknown result, and the targets of its pointers are unknown after it; in a kernel it
//! counts as an undecided access unless it is known to touch no memory.

use super::bits;
use base::reasons::UnknownReason;
use engine::symbolic::exec::events::AccessKind;
use engine::symbolic::exec::library::ModelOutcome;
use engine::symbolic::exec::listed_accesses::Argument;
use engine::symbolic::exec::site::Site;
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::floors::terms::Terms;
use engine::symbolic::floors::value_domain::ValueDomain;
use engine::symbolic::memory::object::ObjKind;
use engine::symbolic::memory::value::{Base, Ratio, Value};
use engine::symbolic::terms::floating::IntegerRounding;
use engine::symbolic::terms::functions::BitFunction;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymKind, TermId};
use ir::{FuncRef, Module, Side, TypeId, TypeKind, intrinsic};
use models::access::ModelledAccess;
use models::row::NameKey;
use models::tiles;
use std::rc::Rc;

/// Intrinsics that do not return.
const ENDS: &[&str] = &["trap", "debugtrap", "ubsantrap", "nvvm.exit"];

/// Intrinsics without visible effect.
const NOTHING: &[&str] = &[
    "prefetch",
    "stackrestore",
    "experimental.noalias.scope.decl",
    "dbg.declare",
    "dbg.value",
    "dbg.assign",
    "dbg.label",
    "donothing",
    "sideeffect",
    "assume",
    "pseudoprobe",
    "invariant.start",
    "invariant.end",
    "var.annotation",
    "fake.use",
];

/// Intrinsics that return their first argument.
const SAME: &[&str] = &[
    "expect",
    "expect.with.probability",
    "annotation",
    "ptr.annotation",
    "launder.invariant.group",
    "strip.invariant.group",
    "ssa.copy",
    "arithmetic.fence",
    // The calling thread's own variable: threads of a host are not followed beside each other.
    "threadlocal.address",
];

/// Intrinsics with pointers that read and write no memory. Their results are unknown.
const TOUCH_NO_MEMORY: &[&str] = &[
    "ptrmask",
    "objectsize",
    "is.constant",
    "preserve.array.access.index",
    "preserve.struct.access.index",
    "preserve.union.access.index",
    // Variable arguments are in the frame.
    "va_start",
    "va_end",
    "va_copy",
];

/// Intrinsics of variable arguments.
const VARIADIC: &[&str] = &["va_start", "va_end", "va_copy"];

const STACK: &str = "stacksave";

/// Tests whether a number is in one of some classes.
const CLASS: &str = "is.fpclass";

/// Prefix of the parts of a coroutine.
const COROUTINE: &str = "coro.";

/// Model of an integer function: its result from its name, operands and width.
type IntegerModel = for<'e> fn(&mut MemoryDomain<'e>, &str, &[Value], u32) -> Option<Value>;

/// Functions of integers of 2 to 64 bits.
const INTEGERS: &[(&[&str], IntegerModel)] = &[
    (&["smin", "smax", "umin", "umax"], |e, base, args, bits| {
        let all = number_operands(e, args, bits)?;
        Some(extreme(e, base.ends_with("max"), base.starts_with('s'), all, bits))
    }),
    (
        &[
            "nvvm.min.i",
            "nvvm.min.ll",
            "nvvm.max.i",
            "nvvm.max.ll",
            "nvvm.min.ui",
            "nvvm.min.ull",
            "nvvm.max.ui",
            "nvvm.max.ull",
        ],
        |e, base, args, bits| {
            let all = number_operands(e, args, bits)?;
            Some(extreme(e, base.starts_with("nvvm.max"), !base.contains(".u"), all, bits))
        },
    ),
    (&["abs"], |e, _, args, bits| {
        let a = number_operand(e, args, 0, bits)?;
        Some(absolute(e, a, bits))
    }),
    (&["ctpop"], |e, _, args, bits| bits_of_operand(e, BitFunction::Ones, args, bits)),
    (&["ctlz"], |e, _, args, bits| zeros(e, BitFunction::ZerosInFront, args, bits)),
    (&["cttz"], |e, _, args, bits| zeros(e, BitFunction::ZerosBehind, args, bits)),
    (&["bswap"], |e, _, args, bits| bits_of_operand(e, BitFunction::BytesReversed, args, bits)),
    (&["bitreverse"], |e, _, args, bits| bits_of_operand(e, BitFunction::Reversed, args, bits)),
    (&["fshl", "fshr"], |e, base, args, bits| {
        let all = number_operands(e, args, bits)?;
        bits::funnel(e, base == "fshl", all, bits).map(Value::Int)
    }),
    (&["nvvm.mulhi.i", "nvvm.mulhi.ll", "nvvm.mulhi.ui", "nvvm.mulhi.ull"], |e, base, args, bits| {
        let all = number_operands(e, args, bits)?;
        bits::high_half(e, !base.contains(".u"), all, bits).map(Value::Int)
    }),
    (&["nvvm.prmt"], |e, _, args, bits| {
        let [a, b, selector] = number_operands(e, args, bits)?;
        bits::permuted(e, [a, b], selector, bits).map(Value::Int)
    }),
    (&["nvvm.sad.i", "nvvm.sad.ll", "nvvm.sad.ui", "nvvm.sad.ull"], |e, base, args, bits| {
        let all = number_operands(e, args, bits)?;
        bits::added_difference(e, !base.contains(".u"), all, bits).map(Value::Int)
    }),
    (&["uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"], |e, base, args, bits| {
        let all = number_operands(e, args, bits)?;
        bits::saturated(e, base.ends_with("add.sat"), base.starts_with('s'), all, bits).map(Value::Int)
    }),
];

/// Arithmetic that also returns whether its result overflows; the last field tells whether it is signed.
const OVERFLOWS: &[(&str, char, bool)] = &[
    ("uadd.with.overflow", '+', false),
    ("usub.with.overflow", '-', false),
    ("umul.with.overflow", '*', false),
    ("sadd.with.overflow", '+', true),
    ("ssub.with.overflow", '-', true),
    ("smul.with.overflow", '*', true),
];

/// Conversions of real numbers to signed integers; the rounding mode follows the dot (PTX ISA 9.0, `cvt`).
const CONVERSIONS: &[&str] = &["nvvm.f2i", "nvvm.f2ll", "nvvm.d2ll"];

enum RealModel {
    Rounded(IntegerRounding),
    Magnitude,
    MultiplyAdd,
    Least,
    Greatest,
}

/// Functions of real numbers.
const REALS: &[(&[&str], RealModel)] = &[
    (&["floor", "nvvm.floor.f", "nvvm.floor.d", "nvvm.floor.ftz.f"], RealModel::Rounded(IntegerRounding::Floor)),
    (&["ceil", "nvvm.ceil.f", "nvvm.ceil.d", "nvvm.ceil.ftz.f"], RealModel::Rounded(IntegerRounding::Ceil)),
    (&["trunc", "nvvm.trunc.f", "nvvm.trunc.d", "nvvm.trunc.ftz.f"], RealModel::Rounded(IntegerRounding::Trunc)),
    (&["fabs"], RealModel::Magnitude),
    (&["fmuladd", "fma"], RealModel::MultiplyAdd),
    (&["minnum", "minimum", "minimumnum", "nvvm.fmin.f", "nvvm.fmin.d", "nvvm.fmin.ftz.f"], RealModel::Least),
    (&["maxnum", "maximum", "maximumnum", "nvvm.fmax.f", "nvvm.fmax.d", "nvvm.fmax.ftz.f"], RealModel::Greatest),
];

/// Functions of two numbers that are NaNs if one of them is (IEEE 754-2019, 9.6).
const PROPAGATING: &[&str] = &["minimum", "maximum"];

/// Kind of access and reason for the unknown result of an NVPTX intrinsic, by the part after `nvvm.`.
const ACCESSES: &[(&str, AccessKind, UnknownReason)] = &[
    // Loads through the read-only cache.
    ("ldg", AccessKind::Read, UnknownReason::BufferHolds),
    ("ldu", AccessKind::Read, UnknownReason::BufferHolds),
    ("atomic", AccessKind::Atomic, UnknownReason::AtomicResult),
];

/// Barriers of a block, by the part after `nvvm.`.
const BARRIERS: &[&str] = &["barrier0", "barrier"];

/// Returns the intrinsics for which more is known than an unknown result.
pub(super) fn keys() -> impl Iterator<Item = NameKey> {
    let whole = [ENDS, NOTHING, SAME, TOUCH_NO_MEMORY, &[STACK, CLASS]].into_iter().flatten().copied();
    let numbers = INTEGERS.iter().flat_map(|(n, _)| *n).copied().chain(OVERFLOWS.iter().map(|(n, ..)| *n));
    let reals = REALS.iter().flat_map(|(n, _)| *n).copied();
    let parts = TOUCH_NO_MEMORY_OF_DEVICES.iter().copied().chain(ACCESSES.iter().map(|(n, ..)| *n));
    let of_device = parts.map(|n| format!("{n}.")).chain(BARRIERS.iter().map(|n| (*n).to_owned()));
    whole
        .chain(numbers)
        .chain(reals)
        .map(|n| NameKey::whole(format!("llvm.{n}")))
        .chain(SPACES.iter().map(|n| NameKey::whole(format!("llvm.nvvm.isspacep.{n}"))))
        .chain(CONVERSIONS.iter().map(|n| NameKey::real(format!("llvm.{n}"))))
        .chain(of_device.map(|n| NameKey::start(format!("llvm.nvvm.{n}"))))
        .chain([NameKey::start(format!("llvm.{COROUTINE}"))])
}

/// Windows of the generic address space that `isspacep` asks for.
const SPACES: &[&str] = &["global", "shared", "shared.cluster", "local", "const"];

/// NVPTX intrinsics that touch no memory: their types are in their names, so these are the parts before the next dot.
const TOUCH_NO_MEMORY_OF_DEVICES: &[&str] =
    &["isspacep", "prefetch", "prefetchu", "ptr", "mapa", "getctarank", "applypriority", "move", "texsurf"];

/// Models LLVM intrinsics of either side, without the `llvm.` prefix.
pub(crate) fn intrinsic(
    e: &mut ExecutionContext<'_>,
    name: &str,
    args: &[Value],
    mut s: State,
    site: Site,
    ty: TypeId,
) -> ModelOutcome {
    let m = e.program.module(site.func.module);
    let base = intrinsic::without_types(name);
    match base {
        _ if ENDS.contains(&base) => return Ok(None),
        _ if NOTHING.contains(&base) => return Ok(Some((Value::unknown(UnknownReason::NoValue), s))),
        _ if VARIADIC.contains(&base) => {
            e.havoc_pointees(&mut s, args, &UnknownReason::VariadicArguments);
            return Ok(Some((Value::unknown(UnknownReason::NoValue), s)));
        }
        STACK => {
            let v = e.unknown_pointer(&UnknownReason::StackPointer);
            return Ok(Some((v, s)));
        }
        _ if SAME.contains(&base) && !args.is_empty() => return Ok(Some((args[0].clone(), s))),
        // By result type, below.
        _ => {}
    }
    let known = match m.ty(ty).kind {
        TypeKind::Int(1) if base == CLASS => class_of_number(e, args),
        TypeKind::Int(bits) => of_integers(e, base, args, bits).or_else(|| converted(e, base, args, bits)),
        TypeKind::Float(_) => of_reals(e, base, args, site.func, ty),
        TypeKind::Struct { .. } => with_overflow(e, base, args, m, ty),
        // Vectors, pointers and void: not known below.
        _ => None,
    };
    if let Some(v) = known {
        return Ok(Some((v, s)));
    }
    if name.starts_with("nvvm.")
        && let Some(v) = access_of_intrinsic(e, name, args, &mut s, site, ty)
    {
        return Ok(Some((v, s)));
    }
    if let Some(space) = name.strip_prefix("nvvm.isspacep.")
        && let Some(v) = is_in_space(e, space, args)
    {
        return Ok(Some((v, s)));
    }
    // Parts of a coroutine, which run the program's own code.
    if name.starts_with(COROUTINE) {
        e.limits.miss(|| UnknownReason::Coroutine);
        e.kernel.unknown_code |= e.side == Side::Device;
    }
    if !touches_no_memory(name, base) && args.iter().any(|a| matches!(a, Value::Ptr(_))) {
        e.unknown_access(&s, site, AccessKind::Read, &UnknownReason::UsedBy(format!("llvm.{name}")));
    }
    e.havoc_pointees(&mut s, args, &UnknownReason::EffectOf(format!("llvm.{name}")));
    let v = e.unknown_of(m, ty, &UnknownReason::ResultOf(format!("llvm.{base}")));
    Ok(Some((v, s)))
}

/// Returns whether an address is in a window of the generic space (PTX ISA 9.0, `isspacep`). For constants and local
/// variables this is unknown: parameters are in the window of global memory, and may be copied.
fn is_in_space(e: &mut MemoryDomain<'_>, space: &str, args: &[Value]) -> Option<Value> {
    let Some(Value::Ptr(targets)) = args.first() else { return None };
    let mut held = e.arena.bool(false);
    for t in targets.iter() {
        let Base::Object(o) = &t.base else { return None };
        let is = match e.object(*o).kind {
            ObjKind::DeviceHeap | ObjKind::Managed | ObjKind::DeviceGlobal(_) => space == "global",
            ObjKind::SharedStatic(_) | ObjKind::SharedDynamic => space.starts_with("shared"),
            _ => return None,
        };
        if is {
            held = e.arena.or(held, t.cond);
        }
    }
    SPACES.contains(&space).then_some(Value::Bool(held))
}

fn of_integers(e: &mut MemoryDomain<'_>, base: &str, args: &[Value], bits: u32) -> Option<Value> {
    if !(2..=64).contains(&bits) {
        return None;
    }
    let (_, model) = INTEGERS.iter().find(|(names, _)| names.contains(&base))?;
    model(e, base, args, bits)
}

/// Returns an operand that is as wide as the result.
fn number_operand(e: &mut MemoryDomain<'_>, args: &[Value], i: usize, bits: u32) -> Option<TermId> {
    args.get(i).filter(|v| matches!(v, Value::Int(_) | Value::Unknown(_))).map(|v| e.value_int(v, bits))
}

fn number_operands<const N: usize>(e: &mut MemoryDomain<'_>, args: &[Value], bits: u32) -> Option<[TermId; N]> {
    let mut all = [e.arena.int(0); N];
    for (i, t) in all.iter_mut().enumerate() {
        *t = number_operand(e, args, i, bits)?;
    }
    Some(all)
}

fn bits_of_operand(e: &mut MemoryDomain<'_>, f: BitFunction, args: &[Value], bits: u32) -> Option<Value> {
    let a = number_operand(e, args, 0, bits)?;
    bits::of_bits(e, f, a, bits).map(Value::Int)
}

/// Returns leading or trailing zeros of a number; the flag tells whether the result is undefined for zero.
fn zeros(e: &mut MemoryDomain<'_>, f: BitFunction, args: &[Value], bits: u32) -> Option<Value> {
    let a = number_operand(e, args, 0, bits)?;
    let defined = matches!(args.get(1), Some(Value::Bool(c)) if e.arena.as_bool(*c) == Some(false));
    if defined { bits::of_bits(e, f, a, bits) } else { bits::of_bits_but_zero(e, f, a, bits) }.map(Value::Int)
}

pub(crate) fn extreme(e: &mut ValueDomain<'_>, max: bool, signed: bool, [a, b]: [TermId; 2], bits: u32) -> Value {
    let (a, b) = (e.interpret(a, bits, signed), e.interpret(b, bits, signed));
    Value::Int(if max { e.arena.max(a, b) } else { e.arena.min(a, b) })
}

pub(crate) fn absolute(e: &mut ValueDomain<'_>, a: TermId, bits: u32) -> Value {
    let a = e.interpret(a, bits, true);
    let n = e.arena.neg(a);
    let zero = e.arena.int(0);
    let c = e.arena.le(zero, a);
    Value::Int(e.arena.ite(c, a, n))
}

/// Returns a sum, difference or product, and whether it overflows: how `new T[n]` computes its size.
fn with_overflow(e: &mut MemoryDomain<'_>, base: &str, args: &[Value], m: &Module, ty: TypeId) -> Option<Value> {
    let (_, op, signed) = *OVERFLOWS.iter().find(|(n, ..)| *n == base)?;
    let TypeKind::Struct { fields, .. } = &m.ty(ty).kind else { return None };
    let TypeKind::Int(bits @ 2..=64) = m.ty(fields.first()?.ty).kind else { return None };
    let (a, b) = (e.value_int(args.first()?, bits), e.value_int(args.get(1)?, bits));
    let (a, b) = (e.interpret(a, bits, signed), e.interpret(b, bits, signed));
    let exact = match op {
        '+' => e.arena.add(a, b),
        '-' => e.arena.sub(a, b),
        _ => e.arena.mul(a, b),
    };
    let Interval { lo: Some(lo), hi: Some(hi) } = Interval::of_int(bits, signed) else { return None };
    let (lo, hi) = (e.arena.int(lo), e.arena.int(hi));
    let (below, above) = (e.arena.lt(exact, lo), e.arena.lt(hi, exact));
    let over = e.arena.or(below, above);
    Some(Value::Aggregate(Rc::new(vec![Value::Int(exact), Value::Bool(over)])))
}

/// Converts a real number to a signed integer, rounded down, up or towards zero.
fn converted(e: &mut ValueDomain<'_>, base: &str, args: &[Value], bits: u32) -> Option<Value> {
    let mode = CONVERSIONS.iter().find_map(|n| base.strip_prefix(n)?.strip_prefix('.'))?;
    let way = match mode.strip_suffix(".ftz").unwrap_or(mode) {
        "rm" => IntegerRounding::Floor,
        "rp" => IntegerRounding::Ceil,
        "rz" => IntegerRounding::Trunc,
        _ => return None,
    };
    let Some(Value::Real(r)) = args.first() else { return None };
    e.real_as_int(r, way, bits, true).map(Value::Int)
}

fn of_reals(e: &mut ValueDomain<'_>, base: &str, args: &[Value], f: FuncRef, ty: TypeId) -> Option<Value> {
    let real = |i: usize| match args.get(i) {
        Some(Value::Real(r)) => Some(*r),
        _ => None,
    };
    let (_, operation) = REALS.iter().find(|(names, _)| names.contains(&base))?;
    let way = match operation {
        RealModel::Rounded(way) => *way,
        RealModel::Magnitude => {
            let r = real(0)?;
            return e.arena.real_magnitude(&r).map(Value::Real);
        }
        RealModel::MultiplyAdd => {
            let (x, y, z, format) = (real(0)?, real(1)?, real(2)?, e.format_of(f, ty)?);
            let product = e.arena.real_binary(ir::BinOp::FMul, &x, &y, format)?;
            // The compiler decides whether the product is rounded in between: where that could matter, the sum is
            // within both errors.
            return e.arena.real_binary(ir::BinOp::FAdd, &product, &z, format).map(Value::Real);
        }
        RealModel::Least | RealModel::Greatest => {
            let greatest = matches!(operation, RealModel::Greatest);
            let (x, y) = match (args.first()?, args.get(1)?) {
                (Value::Real(x), Value::Real(y)) => (*x, *y),
                // A bound of any number.
                (Value::Real(known), Value::Unknown(why)) | (Value::Unknown(why), Value::Real(known)) => {
                    (e.arena.real_unknown(why), *known)
                }
                _ => return None,
            };
            if x.is_floored() || y.is_floored() {
                let spreads = PROPAGATING.contains(&base);
                return e.arena.real_floored_extreme(greatest, &x, &y, spreads).map(Value::Real);
            }
            return e.arena.real_extreme(greatest, &x, &y).map(Value::Real);
        }
    };
    if let Some(r) = args.first().and_then(|_| real(0)).filter(Ratio::is_floored) {
        return e.arena.real_floored_whole(&r, way).map(Value::Real);
    }
    let t = e.arena.real_whole(&real(0)?, way)?;
    Some(Value::Real(Ratio::exact(t)))
}

/// Returns whether a number is of one of the classes of a mask: a tracked number is finite; a zero may have either
/// sign, and a small number may be zero.
fn class_of_number(e: &mut Terms, args: &[Value]) -> Option<Value> {
    const FINITE: i128 = 0b01_1111_1000;
    let (Some(Value::Real(r)), Some(Value::Int(mask))) = (args.first(), args.get(1)) else { return None };
    if r.is_floored() {
        return None;
    }
    let mask = e.arena.as_int(*mask)? & FINITE;
    if mask == 0 || mask == FINITE {
        return Some(Value::Bool(e.arena.bool(mask != 0)));
    }
    Some(Value::Bool(e.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::FloatClass }, "?")))
}

/// Records the access of a device intrinsic, if known; returns its result.
fn access_of_intrinsic(
    e: &mut ExecutionContext<'_>,
    name: &str,
    args: &[Value],
    s: &mut State,
    site: Site,
    ty: TypeId,
) -> Option<Value> {
    let m = e.program.module(site.func.module);
    if let Some(list) = tiles::accesses(name) {
        return Some(blocks_of_intrinsic(e, name, &list, args, s, site, ty));
    }
    let part = name.split('.').nth(1)?;
    let (_, kind, result) = ACCESSES.iter().find(|(n, ..)| *n == part)?;
    let kind = *kind;
    let p = e.as_pointer(args.first()?);
    let size = m.size_of(ty).get();
    if kind != AccessKind::Atomic {
        e.note_alignment(s, site, &p, size, u32::try_from(size).unwrap_or(1), kind);
    }
    let bytes = e.arena.int(i128::from(size));
    e.note_access(s, site, &p, bytes, kind);
    if kind == AccessKind::Atomic {
        e.havoc_pointees(s, args, result);
    }
    Some(e.unknown_of(m, ty, result))
}

/// Models an intrinsic that moves matrices or blocks: its result is unknown, as are the targets of its pointers if
/// it writes.
fn blocks_of_intrinsic(
    e: &mut ExecutionContext<'_>,
    name: &str,
    list: &[ModelledAccess],
    args: &[Value],
    s: &mut State,
    site: Site,
    ty: TypeId,
) -> Value {
    let m = e.program.module(site.func.module);
    let listed: Vec<Argument> = args.iter().map(|v| Argument { value: v.clone(), bits: None }).collect();
    if !e.listed_accesses(s, site, list, &listed, &UnknownReason::UsedBy(format!("llvm.{name}"))) {
        e.kernel.unknown_code |= e.side == Side::Device;
    }
    if list.iter().any(ModelledAccess::writes) {
        e.havoc_pointees(s, args, &UnknownReason::EffectOf(format!("llvm.{name}")));
    }
    e.unknown_of(m, ty, &UnknownReason::ResultOf(format!("llvm.{name}")))
}

/// Whether an intrinsic reads and writes nothing through its pointers.
fn touches_no_memory(name: &str, base: &str) -> bool {
    TOUCH_NO_MEMORY.contains(&base)
        || name
            .strip_prefix("nvvm.")
            .and_then(|n| n.split('.').next())
            .is_some_and(|n| TOUCH_NO_MEMORY_OF_DEVICES.contains(&n))
}

/// Whether a function lets the threads of a block wait for each other.
pub(super) fn is_barrier(name: &str) -> bool {
    name == "__syncthreads"
        || name.strip_prefix("llvm.nvvm.").and_then(|n| n.split('.').next()).is_some_and(|n| BARRIERS.contains(&n))
}

/// Whether a function lets all threads of a block wait for each other, and each must reach it in the same statement:
/// aligned barriers without a number of threads (PTX ISA 9.0, `barrier.cta`; `__syncthreads` and its variants).
pub(super) fn is_block_barrier(name: &str) -> bool {
    let Some(name) = name.strip_prefix("llvm.nvvm.") else { return name == "__syncthreads" };
    matches!(name, "barrier0" | "barrier0.popc" | "barrier0.and" | "barrier0.or")
        || name == "barrier.cta.sync.aligned.all"
        || name.starts_with("barrier.cta.red.") && name.ends_with(".aligned.all")
}

#[cfg(test)]
mod tests;
