//! Built-ins of device code: thread and block numbers, barriers, warp operations, atomics.

use super::inner_launches::{launch_by_device, made_on_device, parameter_buffer};
use crate::api::Cause;
use crate::library::arguments::arg;
use crate::library::heap::{free, malloc};
use crate::library::model::{self, ModelClass, ModelEntry, ModelTable, by_name, by_start};
use crate::library::simple::{ends, first, nothing, outside, zero};
use crate::library::string;
use crate::machine::arith;
use crate::machine::call::ModelResult;
use crate::machine::call::{Reduce, Ret, Shuffle, ThreadStop, Vote, Wait, WarpOp};
use crate::machine::form::CallInfo;
use crate::machine::state::{ConcreteModel, Machine};
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val};
use ir::AtomicOp;
use models::row::NameKey;
use models::tiles;

/// NVPTX intrinsics by their name after `llvm.nvvm.`.
const NVVM: ModelTable = &[
    (
        &[
            "barrier0",
            "barrier.cta.sync.aligned.all",
            "barrier.cta.sync.all",
            "barrier.sync",
            "barrier",
            "barrier.n",
            "barrier.cta.sync.aligned.count",
            "barrier.cta.sync.count",
            "barrier.sync.cnt",
            "bar.sync",
        ],
        barrier,
        ModelClass::Barrier,
    ),
    (
        &[
            "barrier.cluster.arrive",
            "barrier.cluster.arrive.aligned",
            "barrier.cluster.arrive.relaxed",
            "barrier.cluster.arrive.relaxed.aligned",
        ],
        nothing,
        ModelClass::Barrier,
    ),
    (&["barrier.cluster.wait", "barrier.cluster.wait.aligned"], cluster_wait, ModelClass::Barrier),
    (&["barrier0.and"], barrier_and0, ModelClass::Barrier),
    (&["barrier0.or"], barrier_or0, ModelClass::Barrier),
    (&["barrier0.popc"], barrier_count0, ModelClass::Barrier),
    (
        &["barrier.cta.red.and.aligned.all", "barrier.cta.red.and.all", "barrier.cta.red.and.aligned.count"],
        barrier_and,
        ModelClass::Barrier,
    ),
    (
        &["barrier.cta.red.or.aligned.all", "barrier.cta.red.or.all", "barrier.cta.red.or.aligned.count"],
        barrier_or,
        ModelClass::Barrier,
    ),
    (
        &["barrier.cta.red.popc.aligned.all", "barrier.cta.red.popc.all", "barrier.cta.red.popc.aligned.count"],
        barrier_count,
        ModelClass::Barrier,
    ),
    (&["bar.warp.sync"], warp_sync, ModelClass::Barrier),
    (&["vote.all.sync"], vote_all, ModelClass::Barrier),
    (&["vote.any.sync"], vote_any, ModelClass::Barrier),
    (&["vote.uni.sync"], vote_uniform, ModelClass::Barrier),
    (&["vote.ballot.sync"], vote_ballot, ModelClass::Barrier),
    (&["match.any.sync.i32", "match.any.sync.i64"], match_any, ModelClass::Barrier),
    (&["redux.sync.add"], redux_add, ModelClass::Barrier),
    (&["redux.sync.min"], redux_min, ModelClass::Barrier),
    (&["redux.sync.max"], redux_max, ModelClass::Barrier),
    (&["redux.sync.umin"], redux_umin, ModelClass::Barrier),
    (&["redux.sync.umax"], redux_umax, ModelClass::Barrier),
    (&["redux.sync.and"], redux_and, ModelClass::Barrier),
    (&["redux.sync.or"], redux_or, ModelClass::Barrier),
    (&["redux.sync.xor"], redux_xor, ModelClass::Barrier),
    (&["activemask"], active_mask, ModelClass::Pure),
    (&["exit"], ends, ModelClass::Ends),
    (&["reflect"], reflect, ModelClass::Pure),
];

/// NVPTX intrinsics by prefix; the first matching row counts. Types, an axis or a scope follow the prefix.
const STARTS: ModelTable = &[
    (&["read.ptx.sreg."], outside, ModelClass::Pure),
    (&["barrier."], other_barrier, ModelClass::Barrier),
    (&["shfl.sync.idx"], shuffle_index, ModelClass::Barrier),
    (&["shfl.sync.up"], shuffle_up, ModelClass::Barrier),
    (&["shfl.sync.down"], shuffle_down, ModelClass::Barrier),
    (&["shfl.sync."], shuffle_xor, ModelClass::Barrier),
    (
        &["membar", "fence", "prefetch", "nanosleep", "discard", "applypriority", "pm.event", "griddepcontrol"],
        nothing,
        ModelClass::Pure,
    ),
    (&["ldg.", "ldu."], load, ModelClass::Pure),
    (&["ptr."], first, ModelClass::Pure),
];

/// Model of an NVPTX intrinsic, by its name without `llvm.`. Models of arithmetic ones are with the other
/// mathematical functions.
pub fn intrinsic(name: &str) -> Option<ModelEntry> {
    let n = name.strip_prefix("nvvm.")?;
    if let Some(model) = n.strip_prefix(REGISTER).and_then(special_register) {
        return Some((model, ModelClass::Pure));
    }
    if let Some(rest) = n.strip_prefix(ATOMIC) {
        return atomic(rest).map(|m| (m, ModelClass::Memory));
    }
    if tiles::accesses(name).is_some() {
        return Some((blocks, ModelClass::Memory));
    }
    by_name(NVVM, n).or_else(|| by_start(STARTS, n))
}

/// Names of the device functions and intrinsics that have a model here.
pub fn keys() -> impl Iterator<Item = NameKey> {
    model::keys(DEVICE, "", NameKey::whole)
        .chain(TEXTS.iter().chain(TRAPS).map(|n| NameKey::whole(*n)))
        .chain(model::keys(NVVM, "llvm.nvvm.", NameKey::whole))
        .chain(model::keys(STARTS, "llvm.nvvm.", NameKey::start))
        .chain(REGISTERS.iter().map(|(n, _)| NameKey::whole(format!("llvm.nvvm.{REGISTER}{n}"))))
        .chain(ATOMICS.iter().map(|(n, _)| NameKey::start(format!("llvm.nvvm.{ATOMIC}{n}."))))
}

/// Whether a device function or an intrinsic ends all device work.
pub fn is_trap(name: &str) -> bool {
    TRAPS.contains(&name) || matches!(name, "llvm.trap" | "llvm.debugtrap") || name.starts_with("llvm.ubsantrap")
}

/// Functions of [`TRAPS`] that a failing `assert` calls.
const ASSERTS: &[&str] = &["__assertfail", "__assert_fail"];

/// Functions that end all device work.
const TRAPS: &[&str] = &["__assertfail", "__assert_fail", "__trap", "__nv_trap", "abort"];

pub fn trap(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    if !th.on_device() {
        return ends(m, th, call, a);
    }
    let what = call.target.map_or("a trap", |f| m.program.func(f).name.as_str()).to_owned();
    // The program as built does not contain this assert.
    if ASSERTS.contains(&what.as_str()) && call.target.is_some_and(|f| m.program.module(f.module).asserts_restored) {
        return m.false_claim(th, "an assert that the build removes");
    }
    Err(m.trap(&what))
}

/// Models of device functions by symbol.
const DEVICE: ModelTable = &[
    (&["exit"], ends, ModelClass::Ends),
    (&["vprintf", "printf"], zero, ModelClass::Pure),
    (&["malloc", "_Znwm", "_Znam"], malloc, ModelClass::Memory),
    (&["free", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"], free, ModelClass::Memory),
    (&["__cudaCDP2GetParameterBuffer", "cudaGetParameterBuffer"], parameter_buffer, ModelClass::Memory),
    (
        &["__cudaCDP2LaunchDevice", "__cudaCDP2LaunchDevice_ptsz", "cudaLaunchDevice", "cudaLaunchDevice_ptsz"],
        launch_by_device,
        ModelClass::Cuda,
    ),
    (&["__cudaCDP2StreamCreateWithFlags", "__cudaCDP2EventCreateWithFlags"], made_on_device, ModelClass::Memory),
    (
        &[
            "__cudaCDP2GetLastError",
            "__cudaCDP2PeekAtLastError",
            "__cudaCDP2StreamDestroy",
            "__cudaCDP2StreamWaitEvent",
            "__cudaCDP2StreamWaitEvent_ptsz",
            "__cudaCDP2EventRecord",
            "__cudaCDP2EventRecord_ptsz",
            "__cudaCDP2EventDestroy",
        ],
        zero,
        ModelClass::Pure,
    ),
    (&["__nvvm_reflect"], reflect, ModelClass::Pure),
    (&["cudaCGSynchronize", "cudaCGSynchronizeGrid", "cudaCGSynchronizeMultiGrid"], grid_barrier, ModelClass::Barrier),
];

/// Functions that have the same effect on a device as in the C library.
const TEXTS: &[&str] = &["memcpy", "memmove", "memset", "strlen", "strcmp"];

/// Model of a device function.
pub fn find(name: &str) -> Option<ModelEntry> {
    if is_trap(name) {
        return Some((trap, ModelClass::Ends));
    }
    by_name(DEVICE, name).or_else(|| TEXTS.contains(&name).then(|| string::find(name)).flatten())
}

macro_rules! register {
    ($f:expr) => {{
        fn model(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
            let f: fn(&crate::machine::thread::CurrentLaunch, crate::machine::thread::ThreadPosition) -> u32 = $f;
            let (Some(l), Some(p)) = (m.launch.as_ref(), th.place) else { return Ok(Ret::Val(Val::UNINIT)) };
            Ok(Ret::Val(Val::new(u64::from(f(l, p)))))
        }
        model as ConcreteModel
    }};
}

macro_rules! cluster_register {
    ($f:expr) => {{
        fn model(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
            let f: fn([u32; 3], [u32; 3], [u32; 3]) -> u32 = $f;
            let (Some(l), Some(p)) = (m.launch.as_ref(), th.place) else { return Ok(Ret::Val(Val::UNINIT)) };
            let Some(size) = l.cluster else { return outside(m, th, call, a) };
            Ok(Ret::Val(Val::new(u64::from(f(p.block, l.grid, size)))))
        }
        model as ConcreteModel
    }};
}

/// Linear index of a thread in its block.
pub const fn linear(thread: [u32; 3], block: [u32; 3]) -> u32 {
    thread[0] + block[0] * (thread[1] + block[1] * thread[2])
}

/// Prefix of the names of special registers.
const REGISTER: &str = "read.ptx.sreg.";

/// Special registers with known contents.
const REGISTERS: &[(&str, ConcreteModel)] = &[
    ("tid.x", register!(|_, p| p.thread[0])),
    ("tid.y", register!(|_, p| p.thread[1])),
    ("tid.z", register!(|_, p| p.thread[2])),
    ("ntid.x", register!(|l, _| l.block[0])),
    ("ntid.y", register!(|l, _| l.block[1])),
    ("ntid.z", register!(|l, _| l.block[2])),
    ("ctaid.x", register!(|_, p| p.block[0])),
    ("ctaid.y", register!(|_, p| p.block[1])),
    ("ctaid.z", register!(|_, p| p.block[2])),
    ("nctaid.x", register!(|l, _| l.grid[0])),
    ("nctaid.y", register!(|l, _| l.grid[1])),
    ("nctaid.z", register!(|l, _| l.grid[2])),
    ("warpsize", register!(|_, _| 32)),
    ("cluster.ctaid.x", cluster_register!(|b, _, c| b[0] % c[0])),
    ("cluster.ctaid.y", cluster_register!(|b, _, c| b[1] % c[1])),
    ("cluster.ctaid.z", cluster_register!(|b, _, c| b[2] % c[2])),
    ("clusterid.x", cluster_register!(|b, _, c| b[0] / c[0])),
    ("clusterid.y", cluster_register!(|b, _, c| b[1] / c[1])),
    ("clusterid.z", cluster_register!(|b, _, c| b[2] / c[2])),
    ("nclusterid.x", cluster_register!(|_, g, c| g[0] / c[0])),
    ("nclusterid.y", cluster_register!(|_, g, c| g[1] / c[1])),
    ("nclusterid.z", cluster_register!(|_, g, c| g[2] / c[2])),
    ("cluster.nctaid.x", cluster_register!(|_, _, c| c[0])),
    ("cluster.nctaid.y", cluster_register!(|_, _, c| c[1])),
    ("cluster.nctaid.z", cluster_register!(|_, _, c| c[2])),
    ("cluster.ctarank", cluster_register!(|b, _, c| linear([b[0] % c[0], b[1] % c[1], b[2] % c[2]], c))),
    ("cluster.nctarank", cluster_register!(|_, _, c| c[0] * c[1] * c[2])),
    ("laneid", register!(|l, p| linear(p.thread, l.block) % 32)),
    ("lanemask.eq", register!(|l, p| 1 << (linear(p.thread, l.block) % 32))),
    ("lanemask.lt", register!(|l, p| (1 << (linear(p.thread, l.block) % 32)) - 1)),
    ("lanemask.le", register!(|l, p| u32::MAX >> (31 - linear(p.thread, l.block) % 32))),
    ("lanemask.gt", register!(|l, p| !(u32::MAX >> (31 - linear(p.thread, l.block) % 32)))),
    ("lanemask.ge", register!(|l, p| !((1 << (linear(p.thread, l.block) % 32)) - 1))),
];

/// Model of a special register by its name in NVVM intrinsics: `laneid`, `tid.x`.
pub fn special_register(name: &str) -> Option<ConcreteModel> {
    REGISTERS.iter().find(|(n, _)| *n == name).map(|(_, model)| *model)
}

fn wait(w: Wait) -> ModelResult {
    Ok(Ret::Wait(w))
}

/// Number of a barrier; all barriers of unknown number count as one.
fn number(v: Val) -> u32 {
    v.known().map_or(0, crate::machine::value::low32)
}

fn barrier(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    wait(Wait::Barrier { id: a.first().map_or(0, |v| number(*v)), vote: None })
}

macro_rules! barrier_vote {
    ($name:ident, $vote:expr, $numbered:expr) => {
        fn $name(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
            let (id, pred) = if $numbered { (number(arg(a, 0)), arg(a, a.len() - 1)) } else { (0, arg(a, 0)) };
            wait(Wait::Barrier { id, vote: Some(($vote, pred)) })
        }
    };
}
barrier_vote!(barrier_and0, Vote::All, false);
barrier_vote!(barrier_or0, Vote::Any, false);
barrier_vote!(barrier_count0, Vote::Count, false);
barrier_vote!(barrier_and, Vote::All, true);
barrier_vote!(barrier_or, Vote::Any, true);
barrier_vote!(barrier_count, Vote::Count, true);

/// Lanes of a mask; all lanes if the mask is unknown.
fn lanes(v: Val) -> u32 {
    v.known().map_or(u32::MAX, crate::machine::value::low32)
}

fn warp_sync(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    wait(Wait::Warp { mask: lanes(arg(a, 0)), op: WarpOp::Sync })
}

macro_rules! shuffle {
    ($name:ident, $kind:expr) => {
        fn $name(_: &mut Machine<'_>, _: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
            wait(Wait::Warp {
                mask: lanes(arg(a, 0)),
                op: WarpOp::Shuffle {
                    kind: $kind,
                    value: arg(a, 1),
                    lane: arg(a, 2),
                    clamp: arg(a, 3),
                    pair: call.slots > 1,
                },
            })
        }
    };
}
shuffle!(shuffle_index, Shuffle::Index);
shuffle!(shuffle_up, Shuffle::Up);
shuffle!(shuffle_down, Shuffle::Down);
shuffle!(shuffle_xor, Shuffle::Xor);

macro_rules! warp_vote {
    ($name:ident, $vote:expr) => {
        fn $name(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
            wait(Wait::Warp { mask: lanes(arg(a, 0)), op: WarpOp::Vote { vote: $vote, pred: arg(a, 1) } })
        }
    };
}
warp_vote!(vote_all, Vote::All);
warp_vote!(vote_any, Vote::Any);
warp_vote!(vote_uniform, Vote::Uniform);
warp_vote!(vote_ballot, Vote::Ballot);

fn match_any(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    wait(Wait::Warp { mask: lanes(arg(a, 0)), op: WarpOp::MatchAny { value: arg(a, 1) } })
}

macro_rules! redux {
    ($name:ident, $op:expr) => {
        fn $name(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
            wait(Wait::Warp { mask: lanes(arg(a, 1)), op: WarpOp::Reduce { op: $op, value: arg(a, 0) } })
        }
    };
}
redux!(redux_add, Reduce::Add);
redux!(redux_min, Reduce::Min);
redux!(redux_max, Reduce::Max);
redux!(redux_umin, Reduce::UMin);
redux!(redux_umax, Reduce::UMax);
redux!(redux_and, Reduce::And);
redux!(redux_or, Reduce::Or);
redux!(redux_xor, Reduce::Xor);

fn active_mask(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    Ok(Ret::Val(m.unknown("which lanes are active")))
}

/// `__nvvm_reflect("__CUDA_ARCH")` is the architecture; every other query (`__CUDA_FTZ`) gives the default 0.
fn reflect(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let what = m.mem.c_string(&th.stack, arg(a, 0)).unwrap_or_default();
    let arch = m
        .program
        .module(m.module_of(th))
        .arch
        .trim_start_matches("sm_")
        .trim_end_matches(char::is_alphabetic)
        .parse()
        .unwrap_or(80u64);
    Ok(Ret::Val(Val::new(if what == b"__CUDA_ARCH" { arch * 10 } else { 0 })))
}

fn cluster_wait(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    wait(m.wait_for_cluster())
}

fn other_barrier(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    Err(ThreadStop::Unknown("a barrier that is not modelled".into()))
}

fn grid_barrier(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    Err(ThreadStop::Unknown("a barrier of the whole grid".into()))
}

/// Loads through the read-only cache; the second argument is the alignment.
fn load(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let (Some(site), Some(f)) = (m.site(th), call.target) else { return Ok(Ret::Void) };
    let (module, ret) = (m.program.module(f.module), m.program.func(f).ret);
    let leaves = crate::memory::globals::leaves(module, ret);
    let mut out = Vec::new();
    for (off, bits) in leaves {
        let p = arg(a, 0);
        out.push(m.load(th, || site, Val { bits: p.bits + off, ..p }, u32::from(bits.max(8)))?);
    }
    Ok(Ret::Many(out))
}

/// Checks moves of matrices and tiles line by line.
fn blocks(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let name = call.target.map_or("", |f| m.program.func(f).name.as_str());
    let list = name.strip_prefix("llvm.").and_then(tiles::accesses).unwrap_or_default();
    let why = m.reason(Cause::Call, &format!("the result of `{name}`"));
    m.listed_accesses(th, &list, a, why)?;
    Ok(Ret::Many(vec![Val::poison(why); call.slots as usize]))
}

fn width(call: &CallInfo) -> u32 {
    call.args.get(1).map_or(32, |a| u32::from(a.bits.max(8)))
}

fn update(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val], op: AtomicOp) -> ModelResult {
    let Some(site) = m.site(th) else { return Ok(Ret::Void) };
    let (w, v) = (width(call), arg(a, 1));
    m.update(th, || site, arg(a, 0), w, |old| arith::atomic(op, w, old, v).or(Some(Val::poison(Reason::OPEN))))
        .map(Ret::Val)
}

macro_rules! atomic_op {
    ($op:expr) => {{
        fn model(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
            update(m, th, call, a, $op)
        }
        model as ConcreteModel
    }};
}

/// Prefix of the names of atomic operations.
const ATOMIC: &str = "atomic.";

/// Atomic operations by the name after [`ATOMIC`].
const ATOMICS: &[(&str, ConcreteModel)] = &[
    ("add", atomic_op!(AtomicOp::Add)),
    ("exch", atomic_op!(AtomicOp::Xchg)),
    ("min", atomic_op!(AtomicOp::Min)),
    ("max", atomic_op!(AtomicOp::Max)),
    ("and", atomic_op!(AtomicOp::And)),
    ("or", atomic_op!(AtomicOp::Or)),
    ("xor", atomic_op!(AtomicOp::Xor)),
    ("inc", atomic_op!(AtomicOp::UIncWrap)),
    ("dec", atomic_op!(AtomicOp::UDecWrap)),
    ("cas", compare_and_swap),
];

/// Model of a scoped atomic operation such as `atomic.add.gen.i.cta.i32.p0`.
fn atomic(name: &str) -> Option<ConcreteModel> {
    let op = name.split('.').next()?;
    if op == "add" && name.contains(".f.") {
        return Some(atomic_op!(AtomicOp::FAdd));
    }
    ATOMICS.iter().find(|(n, _)| *n == op).map(|(_, model)| *model)
}

fn compare_and_swap(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let Some(site) = m.site(th) else { return Ok(Ret::Void) };
    let (expected, new) = (arg(a, 1), arg(a, 2));
    m.update(
        th,
        || site,
        arg(a, 0),
        width(call),
        |old| match (old.known(), expected.known()) {
            (Some(o), Some(e)) => {
                if o == e {
                    Some(new)
                } else {
                    None
                }
            }
            _ => Some(Val::poison(if old.is_poison() { old.poison } else { expected.poison })),
        },
    )
    .map(Ret::Val)
}
