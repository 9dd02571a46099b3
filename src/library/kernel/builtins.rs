//! Thread builtins, barriers, warp operations and device library calls.
//!
//! Names are those that clang 22 emits: `llvm.nvvm.*` intrinsics (NVPTX usage guide) and libdevice's `__nv_*`.

use super::bits;
use super::intrinsics;
use super::intrinsics::{is_barrier, is_block_barrier};
use base::reasons::UnknownReason;
use engine::symbolic::exec::events::{AccessKind, BarrierEvent};
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::site::Site;
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::kernel::special_registers;
use engine::symbolic::memory::object::{ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::value::{Base, Value};
use engine::symbolic::terms::functions::BitFunction;
use ir::{Function, LocId};
use models::row::{MatchKind, NameKey};
use std::rc::Rc;

/// Effect of a device function on the state, and its result; `None` if it does not return.
type DeviceModel = for<'e> fn(&mut ExecutionContext<'e>, &[Value], State, u64, Site) -> Option<(Value, State)>;

/// Functions without bodies, by symbol.
const DEVICE: &[(&[&str], DeviceModel)] = &[
    (&["__assertfail", "__assert_fail", "__trap"], |_, _, _, _, _| None),
    (&["vprintf", "printf", "__syncthreads", "__syncwarp"], |_, _, s, _, _| {
        Some((Value::unknown(UnknownReason::NoValue), s))
    }),
    (&["malloc", "_Znwm", "_Znam"], |e, args, s, context, site| heap_of_device(e, args.first(), s, context, site)),
    (&["free", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"], |e, args, s, _, _| Some(free_of_device(e, args, s))),
];

/// Prefix of libdevice's names.
const LIBDEVICE: &str = "__nv_";

/// Integer functions of libdevice (libdevice user's guide 13.0), after `__nv_`: each has a width. The others, mostly
/// floating point, have bodies or are unknown.
const INTEGERS: &[(&str, u32, &str)] = &[
    ("min", 32, "min"),
    ("max", 32, "max"),
    ("umin", 32, "umin"),
    ("umax", 32, "umax"),
    ("abs", 32, "abs"),
    ("clz", 32, "clz"),
    ("ffs", 32, "ffs"),
    ("popc", 32, "popc"),
    ("brev", 32, "brev"),
    ("llmin", 64, "min"),
    ("llmax", 64, "max"),
    ("ullmin", 64, "umin"),
    ("ullmax", 64, "umax"),
    ("llabs", 64, "abs"),
    ("clzll", 64, "clz"),
    ("ffsll", 64, "ffs"),
    ("popcll", 64, "popc"),
    ("brevll", 64, "brev"),
];

/// Functions of libdevice that compute one number from numbers in hundreds of rounded operations, or in a loop, after
/// `__nv_`; those for `float` end in `f`. Their bodies hold no access of the program, and give no bounds.
const TRANSCENDENTAL: &[&str] = &[
    "sin",
    "cos",
    "tan",
    "sinpi",
    "cospi",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "pow",
    "powi",
    "fmod",
    "remainder",
    "cbrt",
    "rcbrt",
    "hypot",
    "rhypot",
    "norm3d",
    "rnorm3d",
    "norm4d",
    "rnorm4d",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "erfcinv",
    "normcdf",
    "normcdfinv",
    "tgamma",
    "lgamma",
    "j0",
    "j1",
    "jn",
    "y0",
    "y1",
    "yn",
    "cyl_bessel_i0",
    "cyl_bessel_i1",
];

/// Prefix of a special register's name.
const REGISTER: &str = "llvm.nvvm.read.ptx.sreg.";

/// Returns the device functions that the executor models, except for intrinsics.
pub(super) fn keys() -> impl Iterator<Item = NameKey> {
    DEVICE
        .iter()
        .flat_map(|(names, _)| *names)
        .map(|n| NameKey::whole(*n))
        .chain(INTEGERS.iter().map(|(n, ..)| NameKey::whole(format!("{LIBDEVICE}{n}"))))
        .chain(special_registers::names().map(|n| NameKey::whole(format!("{REGISTER}{n}"))))
        .chain([NameKey::new(MatchKind::Rest, LIBDEVICE)])
}

pub(crate) fn device_call(e: &mut ExecutionContext<'_>, call: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let LibraryCall { name, args, context, site, ty, .. } = *call;
    let func = e.program.func(call.func);
    if let Some(v) = name.strip_prefix(REGISTER).and_then(|n| special_registers::contents(e, n)) {
        return Ok(Some((v, s)));
    }
    if is_barrier(name) {
        e.kernel.partitions.barrier();
    }
    if is_block_barrier(name) && e.is_recording() {
        let accesses = e.events.accesses.len();
        e.events.barriers.push(BarrierEvent { accesses, path: s.path });
    }
    if let Some(rest) = name.strip_prefix("llvm.") {
        return intrinsics::intrinsic(e, rest, args, s, site, ty);
    }
    // With or without a body: if clang finds libdevice, its functions have bodies.
    if is_of_libdevice(func)
        && let Some(v) = integer_of_libdevice(e, name, args)
    {
        return Ok(Some((v, s)));
    }
    if is_of_libdevice(func) && is_transcendental(name) {
        let m = e.program.module(site.func.module);
        let v = e.unknown_of(m, ty, &UnknownReason::MathFunction);
        return Ok(Some((v, s)));
    }
    if !func.is_declaration() {
        return Err(Box::new(s));
    }
    if let Some((_, model)) = DEVICE.iter().find(|(names, _)| names.contains(&name)) {
        return Ok(model(e, args, s, context, site));
    }
    if name.starts_with(LIBDEVICE) {
        // libdevice computes; only pointer arguments (sincos, modf, frexp) are written.
        let mut s = s;
        let leads_out = |e: &ExecutionContext<'_>, a: &Value| matches!(a, Value::Ptr(p) if p.iter().any(|t| !matches!(t.base, Base::Object(o) if e.object(o).kind == ObjKind::DeviceLocal)));
        if args.iter().any(|a| leads_out(e, a)) {
            e.unknown_access(&s, site, AccessKind::Read, &UnknownReason::MathPointer);
        }
        e.havoc_pointees(&mut s, args, &UnknownReason::MathFunction);
        let m = e.program.module(site.func.module);
        let v = e.unknown_of(m, ty, &UnknownReason::MathFunction);
        return Ok(Some((v, s)));
    }
    Err(Box::new(s))
}

/// Models the integer functions of libdevice (libdevice user's guide 13.0), by their whole names: each has a
/// width.
pub(crate) fn integer_of_libdevice(e: &mut MemoryDomain<'_>, name: &str, args: &[Value]) -> Option<Value> {
    let op = name.strip_prefix(LIBDEVICE)?;
    let (_, bits, op) = *INTEGERS.iter().find(|(n, ..)| *n == op)?;
    let int = |e: &mut MemoryDomain<'_>, i: usize| args.get(i).map(|v| e.value_int(v, bits));
    let a = int(e, 0)?;
    let t = match op {
        "min" | "max" | "umin" | "umax" => {
            let b = int(e, 1)?;
            return Some(intrinsics::extreme(e, op.ends_with("max"), !op.starts_with('u'), [a, b], bits));
        }
        "abs" => return Some(intrinsics::absolute(e, a, bits)),
        "clz" => bits::of_bits(e, BitFunction::ZerosInFront, a, bits)?,
        "popc" => bits::of_bits(e, BitFunction::Ones, a, bits)?,
        "brev" => bits::of_bits(e, BitFunction::Reversed, a, bits)?,
        _ => bits::lowest_bit(e, a, bits)?,
    };
    Some(Value::Int(t))
}

fn free_of_device(e: &mut ExecutionContext<'_>, args: &[Value], mut s: State) -> (Value, State) {
    let p = args.first().map_or_else(|| Rc::new(vec![]), |a| e.as_pointer(a));
    e.release(&mut s, &p);
    e.release_lost(&mut s, &p);
    (Value::unknown(UnknownReason::NoValue), s)
}

/// Models `malloc` and `new` in a kernel: null if the heap is exhausted, if the program checks.
fn heap_of_device(
    e: &mut ExecutionContext<'_>,
    size: Option<&Value>,
    s: State,
    context: u64,
    site: Site,
) -> Option<(Value, State)> {
    let size = match size {
        Some(v) => e.value_int(v, 64),
        None => e.arena.int(0),
    };
    let size = e.interpret(size, 64, false);
    let most = e.most_of_device();
    let memory = e.arena.int(most);
    let fits = e.arena.le(size, memory);
    let (mut s, given) = e.scarce(s, fits, site)?;
    let size = e.bytes_given(given, size);
    let place = e.user_location();
    let object = Object {
        kind: ObjKind::DeviceHeap,
        name: String::new(),
        extent: Some(size),
        site: place,
        func: None,
        array: true,
    };
    let o = e.heap.allocate((context, site, 1), object);
    e.note_scarce(o, given);
    e.kernel.allocates = true;
    s.mem.insert(o, Rc::new(ObjState::new(UncoveredContents::Uninit)));
    Some((e.pointer(o, 0), s))
}

/// Whether this is the name of a transcendental function of libdevice, for either type.
fn is_transcendental(name: &str) -> bool {
    name.strip_prefix(LIBDEVICE).is_some_and(|f| {
        TRANSCENDENTAL.contains(&f) || f.strip_suffix('f').is_some_and(|f| TRANSCENDENTAL.contains(&f))
    })
}

/// Whether a function is of libdevice, with or without a body: its names are reserved, and none has a source location.
fn is_of_libdevice(f: &Function) -> bool {
    f.name.starts_with(LIBDEVICE) && (f.is_declaration() || f.loc == LocId(0))
}

#[cfg(test)]
mod tests {
    use super::is_transcendental;

    #[test]
    fn functions_of_libdevice_without_a_closed_form_are_known_for_both_types() {
        for name in [
            "__nv_sin",
            "__nv_sinf",
            "__nv_exp",
            "__nv_expf",
            "__nv_yn",
            "__nv_ynf",
            "__nv_powi",
            "__nv_powif",
            "__nv_fmodf",
        ] {
            assert!(is_transcendental(name), "{name}");
        }
        // Functions with an integer result that indices are made of, and names of others.
        for name in ["__nv_floor", "__nv_floorf", "__nv_float2int_rn", "__nv_abs", "sin", "__nv_f", "__nv_sinff"] {
            assert!(!is_transcendental(name), "{name}");
        }
    }
}
