//! LLVM intrinsics of every target (LLVM 22 Language Reference), without type suffixes.

use crate::row::{CallSide, FunctionRow, MatchKind, either};

#[rustfmt::skip]
pub(super) const ROWS: &[FunctionRow] = &[
    either(&[
        "llvm.memcpy", "llvm.memcpy.inline", "llvm.memmove", "llvm.memset", "llvm.memset.inline",
    ]).gives_nothing_else().neither("the front end gives an instruction"),
    either(&[
        "llvm.lifetime.start", "llvm.lifetime.end",
    ]).gives_nothing_else().neither("what it gives is unknown; it touches no memory"),
    either(&["llvm.eh.typeid.for"]).gives_nothing_else().concrete_only("what it gives is unknown; it touches no memory"),
    either(&["llvm.assume"]).gives_nothing_else().symbolic_only("not yet: it does nothing"),
    either(&[
        "llvm.expect", "llvm.expect.with.probability", "llvm.is.constant", "llvm.objectsize",
        "llvm.experimental.noalias.scope.decl", "llvm.abs", "llvm.smax", "llvm.smin", "llvm.umax", "llvm.umin",
        "llvm.ctpop", "llvm.ctlz", "llvm.cttz", "llvm.bswap", "llvm.bitreverse", "llvm.fshl", "llvm.fshr",
        "llvm.sadd.with.overflow", "llvm.uadd.with.overflow", "llvm.ssub.with.overflow", "llvm.usub.with.overflow",
        "llvm.smul.with.overflow", "llvm.umul.with.overflow", "llvm.sadd.sat", "llvm.uadd.sat", "llvm.ssub.sat",
        "llvm.usub.sat", "llvm.fabs", "llvm.floor", "llvm.ceil", "llvm.trunc", "llvm.fma", "llvm.fmuladd",
        "llvm.maxnum", "llvm.minnum", "llvm.maximum", "llvm.minimum", "llvm.maximumnum", "llvm.minimumnum",
        "llvm.is.fpclass", "llvm.stacksave", "llvm.stackrestore", "llvm.trap", "llvm.va_start", "llvm.va_end",
        "llvm.va_copy",
    ]).gives_nothing_else(),
    either(&[
        "llvm.sqrt", "llvm.pow", "llvm.powi", "llvm.exp", "llvm.exp2", "llvm.exp10", "llvm.log", "llvm.log2",
        "llvm.log10", "llvm.sin", "llvm.cos", "llvm.round", "llvm.roundeven", "llvm.rint", "llvm.nearbyint",
        "llvm.copysign",
    ]).gives_nothing_else().concrete_only("what it gives is an unknown number; it touches no memory"),
    either(&[
        "llvm.debugtrap", "llvm.ubsantrap", "llvm.prefetch", "llvm.dbg.declare", "llvm.dbg.value", "llvm.dbg.assign",
        "llvm.dbg.label", "llvm.donothing", "llvm.sideeffect", "llvm.pseudoprobe", "llvm.invariant.start",
        "llvm.invariant.end", "llvm.var.annotation", "llvm.fake.use", "llvm.annotation", "llvm.ptr.annotation",
        "llvm.launder.invariant.group", "llvm.strip.invariant.group", "llvm.ssa.copy", "llvm.arithmetic.fence",
        "llvm.ptrmask", "llvm.threadlocal.address",
    ]),
    either(&[
        "llvm.preserve.array.access.index", "llvm.preserve.struct.access.index", "llvm.preserve.union.access.index",
    ]).symbolic_only("no code that a replay comes to has it"),
    FunctionRow::new(CallSide::Either, MatchKind::Start, &["llvm.coro."]).symbolic_only("no code that a replay comes to has it"),
    either(&["llvm.stackprotector"]).concrete_only("it does nothing"),
    either(&[
        "llvm.tan", "llvm.asin", "llvm.acos", "llvm.atan", "llvm.sinh", "llvm.cosh", "llvm.tanh", "llvm.atan2",
        "llvm.lround", "llvm.llround", "llvm.lrint", "llvm.llrint",
    ]).concrete_only("what it gives is an unknown number; it touches no memory"),
];
