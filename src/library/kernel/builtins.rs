//! Thread builtins, barriers, warp operations and device library calls.
//!
//! Names are those that clang 22 emits: `llvm.nvvm.*` intrinsics (NVPTX usage guide) and libdevice's `__nv_*`.

use super::bits;
use super::intrinsics;
use super::intrinsics::is_barrier;
use base::reasons::UnknownReason;
use engine::symbolic::exec::events::AccessKind;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::site::Site;
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::floors::terms::Terms;
use engine::symbolic::kernel::context::ThreadIndices;
use engine::symbolic::memory::object::{ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::value::{Base, Value};
use engine::symbolic::terms::functions::BitFunction;
use engine::symbolic::terms::term::TermId;
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

/// Functions of libdevice that compute one transcendental function of numbers, after `__nv_`; those for `float` end in
/// `f`. Their bodies hold no access of the program and give no bounds, but hundreds of rounded operations.
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

/// A special register that identifies a thread.
#[derive(Clone, Copy)]
enum Register {
    Thread(usize),
    Block(usize),
    BlockSize(usize),
    GridSize(usize),
    WarpSize,
    Lane,
    Cluster(ClusterRegister),
}

/// Value of a special register for clusters (PTX ISA 9.0, Special Registers).
#[derive(Clone, Copy)]
enum ClusterRegister {
    /// Index of the block in its cluster.
    Block(usize),
    /// Blocks per cluster.
    Size(usize),
    /// Index of the cluster in the grid.
    Number(usize),
    /// Clusters per grid.
    Count(usize),
    /// Linear index of the block in its cluster, and the number of blocks.
    Rank,
    Blocks,
}

/// Special registers with known contents.
const REGISTERS: &[(&str, Register)] = &[
    ("tid.x", Register::Thread(0)),
    ("tid.y", Register::Thread(1)),
    ("tid.z", Register::Thread(2)),
    ("ctaid.x", Register::Block(0)),
    ("ctaid.y", Register::Block(1)),
    ("ctaid.z", Register::Block(2)),
    ("ntid.x", Register::BlockSize(0)),
    ("ntid.y", Register::BlockSize(1)),
    ("ntid.z", Register::BlockSize(2)),
    ("nctaid.x", Register::GridSize(0)),
    ("nctaid.y", Register::GridSize(1)),
    ("nctaid.z", Register::GridSize(2)),
    ("warpsize", Register::WarpSize),
    ("laneid", Register::Lane),
    ("cluster.ctaid.x", Register::Cluster(ClusterRegister::Block(0))),
    ("cluster.ctaid.y", Register::Cluster(ClusterRegister::Block(1))),
    ("cluster.ctaid.z", Register::Cluster(ClusterRegister::Block(2))),
    ("cluster.nctaid.x", Register::Cluster(ClusterRegister::Size(0))),
    ("cluster.nctaid.y", Register::Cluster(ClusterRegister::Size(1))),
    ("cluster.nctaid.z", Register::Cluster(ClusterRegister::Size(2))),
    ("clusterid.x", Register::Cluster(ClusterRegister::Number(0))),
    ("clusterid.y", Register::Cluster(ClusterRegister::Number(1))),
    ("clusterid.z", Register::Cluster(ClusterRegister::Number(2))),
    ("nclusterid.x", Register::Cluster(ClusterRegister::Count(0))),
    ("nclusterid.y", Register::Cluster(ClusterRegister::Count(1))),
    ("nclusterid.z", Register::Cluster(ClusterRegister::Count(2))),
    ("cluster.ctarank", Register::Cluster(ClusterRegister::Rank)),
    ("cluster.nctarank", Register::Cluster(ClusterRegister::Blocks)),
];

/// Returns the device functions that the executor models, except for intrinsics.
pub(super) fn keys() -> impl Iterator<Item = NameKey> {
    DEVICE
        .iter()
        .flat_map(|(names, _)| *names)
        .map(|n| NameKey::whole(*n))
        .chain(INTEGERS.iter().map(|(n, ..)| NameKey::whole(format!("{LIBDEVICE}{n}"))))
        .chain(REGISTERS.iter().map(|(n, _)| NameKey::whole(format!("{REGISTER}{n}"))))
        .chain([NameKey::new(MatchKind::Rest, LIBDEVICE)])
}

pub(crate) fn device_call(e: &mut ExecutionContext<'_>, call: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let LibraryCall { name, args, context, site, ty, .. } = *call;
    let func = e.program.func(call.func);
    if let Some(v) = thread_register(e, name) {
        return Ok(Some((v, s)));
    }
    if is_barrier(name) {
        e.kernel.partitions.barrier();
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
    s.mem.insert(o, Rc::new(ObjState::new(UncoveredContents::Uninit)));
    Some((e.pointer(o, 0), s))
}

/// Returns `threadIdx` and similar registers, by the name of their intrinsic.
fn thread_register(e: &mut MemoryDomain<'_>, name: &str) -> Option<Value> {
    let reg = name.strip_prefix(REGISTER)?;
    let (_, register) = *REGISTERS.iter().find(|(n, _)| *n == reg)?;
    let t = e.kernel.thread.clone()?;
    Some(Value::Int(match register {
        Register::Thread(axis) => t.tid[axis],
        Register::Block(axis) => t.bid[axis],
        Register::BlockSize(axis) => t.block[axis],
        Register::GridSize(axis) => t.grid[axis],
        Register::WarpSize => e.arena.int(32),
        Register::Lane => return e.lane().map(Value::Int),
        Register::Cluster(of) => return of_cluster(e, &t, of).map(Value::Int),
    }))
}

/// Returns a thread's cluster register, if the cluster size is known: blocks of a cluster are adjacent in the
/// grid.
fn of_cluster(e: &mut Terms, t: &ThreadIndices, of: ClusterRegister) -> Option<TermId> {
    let size = t.cluster?.map(i128::from);
    let place = |e: &mut Terms, axis: usize| e.arena.modulo(t.bid[axis], size[axis]);
    Some(match of {
        ClusterRegister::Block(axis) => place(e, axis),
        ClusterRegister::Size(axis) => e.arena.int(size[axis]),
        ClusterRegister::Number(axis) => e.arena.floor_div(t.bid[axis], size[axis]),
        ClusterRegister::Count(axis) => e.arena.floor_div(t.grid[axis], size[axis]),
        ClusterRegister::Blocks => e.arena.int(size.iter().product()),
        ClusterRegister::Rank => {
            let [x, y, z] = [0, 1, 2].map(|axis| place(e, axis));
            let (row, plane) = (e.arena.int(size[0]), e.arena.int(size[0] * size[1]));
            let (y, z) = (e.arena.mul(y, row), e.arena.mul(z, plane));
            let xy = e.arena.add(x, y);
            e.arena.add(xy, z)
        }
    })
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
