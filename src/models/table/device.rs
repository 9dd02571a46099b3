//! Device functions: libdevice (user's guide 13.0), NVPTX intrinsics (LLVM 22, NVPTX usage guide), C library functions
//! that kernels call.

use crate::row::{CallSide, FunctionRow, MatchKind, device, device_starts};

#[rustfmt::skip]
pub(super) const ROWS: &[FunctionRow] = &[
    device(&[
        "__assertfail", "__assert_fail", "__trap", "vprintf", "printf", "malloc", "_Znwm", "_Znam", "free", "_ZdlPv",
        "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "__nv_min", "__nv_max", "__nv_umin", "__nv_umax", "__nv_abs", "__nv_clz",
        "__nv_ffs", "__nv_popc", "__nv_brev", "__nv_llmin", "__nv_llmax", "__nv_ullmin", "__nv_ullmax", "__nv_llabs",
        "__nv_clzll", "__nv_ffsll", "__nv_popcll", "__nv_brevll", "llvm.nvvm.read.ptx.sreg.tid.x",
        "llvm.nvvm.read.ptx.sreg.tid.y", "llvm.nvvm.read.ptx.sreg.tid.z", "llvm.nvvm.read.ptx.sreg.ctaid.x",
        "llvm.nvvm.read.ptx.sreg.ctaid.y", "llvm.nvvm.read.ptx.sreg.ctaid.z", "llvm.nvvm.read.ptx.sreg.ntid.x",
        "llvm.nvvm.read.ptx.sreg.ntid.y", "llvm.nvvm.read.ptx.sreg.ntid.z", "llvm.nvvm.read.ptx.sreg.nctaid.x",
        "llvm.nvvm.read.ptx.sreg.nctaid.y", "llvm.nvvm.read.ptx.sreg.nctaid.z", "llvm.nvvm.read.ptx.sreg.warpsize",
        "llvm.nvvm.read.ptx.sreg.cluster.ctaid.x", "llvm.nvvm.read.ptx.sreg.cluster.ctaid.y",
        "llvm.nvvm.read.ptx.sreg.cluster.ctaid.z", "llvm.nvvm.read.ptx.sreg.cluster.nctaid.x",
        "llvm.nvvm.read.ptx.sreg.cluster.nctaid.y", "llvm.nvvm.read.ptx.sreg.cluster.nctaid.z",
        "llvm.nvvm.read.ptx.sreg.clusterid.x", "llvm.nvvm.read.ptx.sreg.clusterid.y",
        "llvm.nvvm.read.ptx.sreg.clusterid.z", "llvm.nvvm.read.ptx.sreg.nclusterid.x",
        "llvm.nvvm.read.ptx.sreg.nclusterid.y", "llvm.nvvm.read.ptx.sreg.nclusterid.z",
        "llvm.nvvm.read.ptx.sreg.cluster.ctarank", "llvm.nvvm.read.ptx.sreg.cluster.nctarank",
        "llvm.nvvm.read.ptx.sreg.laneid", "llvm.nvvm.read.ptx.sreg.lanemask.eq", "llvm.nvvm.read.ptx.sreg.lanemask.lt",
        "llvm.nvvm.read.ptx.sreg.lanemask.le", "llvm.nvvm.read.ptx.sreg.lanemask.gt",
        "llvm.nvvm.read.ptx.sreg.lanemask.ge", "llvm.nvvm.exit", "llvm.nvvm.fmin.f", "llvm.nvvm.fmin.d",
        "llvm.nvvm.fmin.ftz.f", "llvm.nvvm.fmax.f", "llvm.nvvm.fmax.d", "llvm.nvvm.fmax.ftz.f", "llvm.nvvm.floor.f", "llvm.nvvm.floor.d",
        "llvm.nvvm.floor.ftz.f", "llvm.nvvm.ceil.f", "llvm.nvvm.ceil.d", "llvm.nvvm.ceil.ftz.f", "llvm.nvvm.trunc.f",
        "llvm.nvvm.trunc.d", "llvm.nvvm.trunc.ftz.f", "llvm.nvvm.barrier0", "llvm.nvvm.barrier.cta.sync.aligned.all",
        "llvm.nvvm.barrier.cta.sync.all", "llvm.nvvm.barrier.sync", "llvm.nvvm.barrier", "llvm.nvvm.barrier.n",
        "llvm.nvvm.barrier.cta.sync.aligned.count", "llvm.nvvm.barrier.cta.sync.count", "llvm.nvvm.barrier.sync.cnt",
        "llvm.nvvm.barrier0.and", "llvm.nvvm.barrier0.or", "llvm.nvvm.barrier0.popc",
        "llvm.nvvm.barrier.cta.red.and.aligned.all", "llvm.nvvm.barrier.cta.red.and.all",
        "llvm.nvvm.barrier.cta.red.and.aligned.count", "llvm.nvvm.barrier.cta.red.or.aligned.all",
        "llvm.nvvm.barrier.cta.red.or.all", "llvm.nvvm.barrier.cta.red.or.aligned.count",
        "llvm.nvvm.barrier.cta.red.popc.aligned.all", "llvm.nvvm.barrier.cta.red.popc.all",
        "llvm.nvvm.barrier.cta.red.popc.aligned.count", "llvm.nvvm.mulhi.i", "llvm.nvvm.mulhi.ui", "llvm.nvvm.mulhi.ll",
        "llvm.nvvm.mulhi.ull", "llvm.nvvm.prmt", "llvm.nvvm.sad.i", "llvm.nvvm.sad.ll", "llvm.nvvm.sad.ui",
        "llvm.nvvm.sad.ull",
    ]),
    device(&["__syncthreads", "__syncwarp"]).symbolic_only("clang gives the intrinsic in its place"),
    FunctionRow::new(CallSide::Device, MatchKind::Rest, &[
        "__nv_",
    ]).symbolic_only("the interpreter runs the body, or loses what the arguments reach"),
    FunctionRow::new(CallSide::Device, MatchKind::DemangledPart, &[
        "::BlockScan<",
    ]).symbolic_only("the interpreter runs the body"),
    device(&[
        "llvm.nvvm.min.i", "llvm.nvvm.min.ll", "llvm.nvvm.max.i", "llvm.nvvm.max.ll", "llvm.nvvm.min.ui",
        "llvm.nvvm.min.ull", "llvm.nvvm.max.ui", "llvm.nvvm.max.ull",
    ]).symbolic_only("clang 22 gives the intrinsic of every target in its place"),
    device(&[
        "llvm.nvvm.isspacep.global", "llvm.nvvm.isspacep.shared", "llvm.nvvm.isspacep.shared.cluster", "llvm.nvvm.isspacep.local",
        "llvm.nvvm.isspacep.const",
    ]),
    device(&[
        "__cudaCDP2GetParameterBuffer", "cudaGetParameterBuffer", "__cudaCDP2LaunchDevice", "__cudaCDP2LaunchDevice_ptsz",
        "cudaLaunchDevice", "cudaLaunchDevice_ptsz", "__cudaCDP2GetLastError", "__cudaCDP2PeekAtLastError",
        "__cudaCDP2StreamCreateWithFlags", "__cudaCDP2StreamDestroy", "__cudaCDP2StreamWaitEvent",
        "__cudaCDP2StreamWaitEvent_ptsz", "__cudaCDP2EventCreateWithFlags", "__cudaCDP2EventRecord",
        "__cudaCDP2EventRecord_ptsz", "__cudaCDP2EventDestroy",
    ]),
    device_starts(&[
        "llvm.nvvm.isspacep.", "llvm.nvvm.mapa.", "llvm.nvvm.getctarank.", "llvm.nvvm.move.", "llvm.nvvm.texsurf.",
    ]).symbolic_only("not yet: it touches no memory; what it gives is unknown"),
    device_starts(&[
        "llvm.nvvm.prefetch.", "llvm.nvvm.prefetchu.", "llvm.nvvm.ptr.", "llvm.nvvm.applypriority.",
        "llvm.nvvm.ldg.", "llvm.nvvm.ldu.", "llvm.nvvm.atomic.add.", "llvm.nvvm.atomic.exch.",
        "llvm.nvvm.atomic.min.", "llvm.nvvm.atomic.max.", "llvm.nvvm.atomic.and.", "llvm.nvvm.atomic.or.",
        "llvm.nvvm.atomic.xor.", "llvm.nvvm.atomic.inc.", "llvm.nvvm.atomic.dec.", "llvm.nvvm.atomic.cas.",
    ]),
    device_starts(&[
        "llvm.nvvm.barrier0", "llvm.nvvm.barrier", "llvm.nvvm.atomic.",
    ]).symbolic_only("the interpreter tells the operations apart: they have rows of their own"),
    device(&["exit", "__nv_trap", "abort"]).concrete_only("not yet: it ends the thread, or all work"),
    device(&[
        "llvm.nvvm.barrier.cluster.arrive", "llvm.nvvm.barrier.cluster.arrive.aligned",
        "llvm.nvvm.barrier.cluster.arrive.relaxed", "llvm.nvvm.barrier.cluster.arrive.relaxed.aligned",
        "llvm.nvvm.barrier.cluster.wait", "llvm.nvvm.barrier.cluster.wait.aligned",
    ]),
    device_starts(&["llvm.nvvm.barrier."]),
    device(&[
        "__nvvm_reflect", "llvm.nvvm.vote.all.sync", "llvm.nvvm.vote.any.sync", "llvm.nvvm.vote.uni.sync",
        "llvm.nvvm.vote.ballot.sync", "llvm.nvvm.match.any.sync.i32", "llvm.nvvm.match.any.sync.i64",
        "llvm.nvvm.redux.sync.add", "llvm.nvvm.redux.sync.min", "llvm.nvvm.redux.sync.max",
        "llvm.nvvm.redux.sync.umin", "llvm.nvvm.redux.sync.umax", "llvm.nvvm.redux.sync.and",
        "llvm.nvvm.redux.sync.or", "llvm.nvvm.redux.sync.xor", "llvm.nvvm.activemask", "llvm.nvvm.reflect",
    ]).concrete_only("what it gives is unknown; it touches no memory"),
    device(&[
        "cudaCGSynchronize", "cudaCGSynchronizeGrid", "cudaCGSynchronizeMultiGrid",
    ]).concrete_only("not yet: a barrier of the grid: the call is unknown"),
    device(&["memcpy", "memmove", "memset"]).concrete_only("clang gives an instruction, or the body is linked"),
    device(&["strlen", "strcmp"]).concrete_only("not yet: what it gives is unknown"),
    device(&[
        "llvm.nvvm.bar.sync", "llvm.nvvm.bar.warp.sync",
    ]).concrete_only("not yet: it is no barrier there, and touches no memory"),
    device_starts(&[
        "llvm.nvvm.read.ptx.sreg.", "llvm.nvvm.shfl.sync.idx", "llvm.nvvm.shfl.sync.up", "llvm.nvvm.shfl.sync.down",
        "llvm.nvvm.shfl.sync.", "llvm.nvvm.membar", "llvm.nvvm.fence", "llvm.nvvm.prefetch", "llvm.nvvm.nanosleep",
        "llvm.nvvm.discard", "llvm.nvvm.applypriority", "llvm.nvvm.pm.event", "llvm.nvvm.griddepcontrol",
    ]).concrete_only("what it gives is unknown; it touches no memory"),
    device(&[
        "__nv_mulhi", "__nv_umulhi", "__nv_isnand", "__nv_isnanf", "__nv_isnan", "__nv_isinfd", "__nv_isinff",
        "__nv_isinf", "__nv_isfinited", "__nv_finitef", "__nv_signbitd", "__nv_signbitf", "__nv_llrintf",
        "__nv_llrint", "__nv_llroundf", "__nv_llround", "llvm.nvvm.mul24.i", "llvm.nvvm.mul24.ui",
        "llvm.nvvm.sad.s", "llvm.nvvm.sad.us", "llvm.nvvm.popc.i", "llvm.nvvm.popc.ll", "llvm.nvvm.d2i.lo", "llvm.nvvm.d2i.hi",
        "llvm.nvvm.lohi.i2d", "llvm.nvvm.bitcast.f2i", "llvm.nvvm.bitcast.i2f", "llvm.nvvm.bitcast.d2ll",
        "llvm.nvvm.bitcast.ll2d",
    ]).concrete_only("what it gives is an unknown number; it touches no memory"),
    FunctionRow::new(CallSide::Device, MatchKind::Real, &[
        "__nv_sqrt", "__nv_rsqrt", "__nv_cbrt", "__nv_sin", "__nv_cos", "__nv_tan", "__nv_asin", "__nv_acos",
        "__nv_atan", "__nv_sinh", "__nv_cosh", "__nv_tanh", "__nv_asinh", "__nv_acosh", "__nv_atanh", "__nv_exp",
        "__nv_exp2", "__nv_exp10", "__nv_expm1", "__nv_log", "__nv_log2", "__nv_log10", "__nv_log1p", "__nv_fabs",
        "__nv_floor", "__nv_ceil", "__nv_trunc", "__nv_round", "__nv_rint", "__nv_nearbyint", "__nv_roundeven",
        "__nv_sinpi", "__nv_cospi", "__nv_saturate", "__nv_pow", "__nv_atan2", "__nv_fmod", "__nv_remainder",
        "__nv_hypot", "__nv_fmax", "__nv_maxnum", "__nv_maximumnum", "__nv_fmin", "__nv_minnum", "__nv_minimumnum",
        "__nv_fdim", "__nv_copysign", "__nv_fma", "__nv_lround", "__nv_llround", "__nv_lrint", "__nv_llrint",
        "__nv_isnan", "__nv_isinf", "__nv_finite", "__nv_isfinite", "__nv_signbit", "llvm.nvvm.sqrt",
        "llvm.nvvm.rsqrt", "llvm.nvvm.rcp", "llvm.nvvm.fabs", "llvm.nvvm.floor", "llvm.nvvm.ceil", "llvm.nvvm.trunc",
        "llvm.nvvm.round", "llvm.nvvm.saturate", "llvm.nvvm.sin", "llvm.nvvm.cos", "llvm.nvvm.ex2", "llvm.nvvm.lg2",
        "llvm.nvvm.tanh", "llvm.nvvm.fmin", "llvm.nvvm.fmax", "llvm.nvvm.add", "llvm.nvvm.mul", "llvm.nvvm.div",
        "llvm.nvvm.fma", "llvm.nvvm.d2i",
    ]).concrete_only("what it gives is an unknown number; it touches no memory"),
    FunctionRow::new(CallSide::Device, MatchKind::Real, &[
        "llvm.nvvm.f2i", "llvm.nvvm.d2ll", "llvm.nvvm.f2ll",
    ]),
];
