//! Where the addresses lead that code has which is left out.
//!
//! In: what such code starts from. Out: all that a pointer can point to which it gives back or leaves in memory: what it is given or
//! names, what can be reached from there, and memory that it makes anew. That holds where none of this holds an address that is not
//! known, and where everything outside the program that it calls gives no others.

use super::exec::{Executor, Site, State};
use super::kept::{MAX_PLACES, Stored};
use super::memory::{ObjId, ObjKind, Object};
use super::term::{InputSource, SymKind, Term, TermId};
use super::value::{Base, Lost, Places, Target, Value};
use crate::ir::reach::Named;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Functions of libraries that give memory made anew, an address made of one they are given, or none; that call nothing of the program's;
/// and that put no address anywhere but one of those. What reads (`fread`, `sscanf`, `read`) may read an address that was written.
const GIVE_NOTHING_ELSE: &[&str] = &[
    "malloc", "calloc", "realloc", "reallocarray", "valloc", "aligned_alloc", "memalign", "posix_memalign", "free",
    "_Znwm", "_Znam", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t",
    "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t",
    "memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strcpy", "strncpy",
    "strcat", "strncat", "strchr", "strrchr", "strstr", "strspn", "strcspn", "strpbrk", "strdup", "strndup", "toupper", "tolower", "isdigit", "isspace", "isalpha",
    "atoi", "atol", "atoll", "atof", "strtol", "strtoul", "strtoll", "strtoull", "strtof", "strtod", "__isoc23_strtol", "__isoc23_strtoul",
    "__isoc23_strtoll", "__isoc23_strtoull", "abs", "labs", "llabs",
    "printf", "fprintf", "vprintf", "vfprintf", "sprintf", "snprintf", "vsnprintf", "puts", "putchar", "putc", "fputc", "fputs", "fwrite", "fflush", "perror",
    "exit", "_exit", "abort", "__assert_fail", "__cxa_guard_acquire", "__cxa_guard_release", "__cxa_guard_abort", "_Unwind_Resume",
    "_ZSt9terminatev", "_ZSt17__throw_bad_allocv", "_ZSt28__throw_bad_array_new_lengthv", "_ZSt20__throw_length_errorPKc", "_ZSt20__throw_out_of_rangePKc",
    "_ZSt24__throw_out_of_range_fmtPKcz", "_ZSt19__throw_logic_errorPKc", "_ZSt24__throw_invalid_argumentPKc",
    "rand", "srand", "random", "srandom", "drand48", "lrand48", "mrand48", "srand48", "rand_r", "erand48", "time", "clock", "gettimeofday", "clock_gettime",
    "usleep", "sleep",
    "pow", "powf", "sqrt", "sqrtf", "exp", "expf", "exp2", "exp2f", "log", "logf", "log2", "log2f", "log10", "log10f", "sin", "sinf", "cos", "cosf", "tan",
    "tanf", "asin", "asinf", "acos", "acosf", "atan", "atanf", "atan2", "atan2f", "sinh", "cosh", "tanh", "tanhf", "fabs", "fabsf", "floor", "floorf", "ceil",
    "ceilf", "round", "roundf", "lround", "lroundf", "rint", "rintf", "trunc", "truncf", "fmod", "fmodf", "fmax", "fmaxf", "fmin", "fminf", "hypot", "hypotf",
    "cbrt", "cbrtf", "ldexp", "frexp", "erf", "erff", "erfc", "erfcf",
];

/// The same of intrinsics, by their beginnings.
const INTRINSICS: &[&str] = &[
    "llvm.memcpy.", "llvm.memmove.", "llvm.memset.", "llvm.lifetime.", "llvm.assume", "llvm.expect.", "llvm.abs.", "llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin.",
    "llvm.ctpop.", "llvm.ctlz.", "llvm.cttz.", "llvm.bswap.", "llvm.bitreverse.", "llvm.fshl.", "llvm.fshr.", "llvm.sadd.", "llvm.uadd.", "llvm.ssub.", "llvm.usub.",
    "llvm.smul.", "llvm.umul.", "llvm.fabs.", "llvm.sqrt.", "llvm.pow.", "llvm.powi.", "llvm.exp.", "llvm.exp2.", "llvm.log.", "llvm.log2.", "llvm.log10.", "llvm.sin.",
    "llvm.cos.", "llvm.floor.", "llvm.ceil.", "llvm.round.", "llvm.rint.", "llvm.nearbyint.", "llvm.trunc.", "llvm.copysign.", "llvm.fma.", "llvm.fmuladd.",
    "llvm.maxnum.", "llvm.minnum.", "llvm.stacksave", "llvm.stackrestore", "llvm.trap", "llvm.is.constant.", "llvm.objectsize.", "llvm.va_start", "llvm.va_end", "llvm.va_copy", "llvm.experimental.noalias.", "llvm.eh.typeid.for",
];

/// Variables of libraries that point to memory into which programs do not look.
const STREAMS: &[&str] = &["stdin", "stdout", "stderr"];

/// What a piece of code starts from, as far as it makes addresses of it.
#[derive(Default)]
pub(super) struct Sources {
    /// In registers.
    pub values: Stored,
    /// Memory that it only reads.
    pub read: Vec<ObjId>,
}

/// Whether a function of a library calls nothing of the program's, whatever it is given.
pub(super) fn calls_nothing(name: &str) -> bool { name.starts_with("llvm.") || GIVE_NOTHING_ELSE.contains(&name) }

impl Executor<'_> {
    /// What the addresses can be that a piece of code has after it was left out, which starts from `sources` and what it names. Memory
    /// that it makes is an object of its own; `at` tells which. `None` where they can be others too.
    pub(super) fn addresses_after(&mut self, s: &mut State, sources: &Sources, named: &Named, (context, site): (u64, Site)) -> Option<Stored> {
        if sources.values.anything || !self.kept.is_settled() || !self.calls_nothing_else(named) { return None; }
        let mut all = Stored { functions: sources.values.functions.iter().chain(&named.functions).copied().collect(), ..Stored::default() };
        let mut open: Vec<ObjId> = sources.values.objects.iter().copied().collect();
        for g in &named.globals { let o = self.global_object(g.module, g.global); open.push(o); }
        for o in &sources.read { self.add_addresses_in(s, *o, &mut all, &mut open); }
        while let Some(o) = open.pop() {
            if all.anything || all.size() > MAX_PLACES { return None; }
            if all.objects.insert(o) { self.add_addresses_in(s, o, &mut all, &mut open); }
        }
        // Of what was made in several rounds of a loop it is not known what each holds.
        if all.anything || all.objects.iter().any(|o| self.kept.has_twin(*o)) { return None; }
        let made = Object { kind: ObjKind::HostHeap, name: String::new(), extent: None, site: Some(self.location(site)), func: None, array: true };
        let made = self.allocate(context, site, u32::MAX, |_| made);
        all.objects.insert(made);
        (all.size() <= MAX_PLACES).then_some(all)
    }

    fn add_addresses_in(&mut self, s: &mut State, o: ObjId, all: &mut Stored, open: &mut Vec<ObjId>) {
        match &self.object(o).kind {
            // The host cannot read these.
            ObjKind::DeviceHeap | ObjKind::Stream(_) => return,
            ObjKind::HostGlobal(r) if STREAMS.contains(&self.program.global(*r).name.as_str()) => return,
            // Variables of functions that have returned are gone.
            ObjKind::HostLocal if !s.mem.contains_key(&o) => return,
            _ => {}
        }
        let mut there = Stored::default();
        self.ensure(s, o);
        self.stored_at(s, o, &mut there);
        all.anything |= there.anything;
        all.functions.extend(there.functions);
        open.extend(there.objects);
    }

    fn calls_nothing_else(&self, named: &Named) -> bool {
        !named.opaque && !named.strange && named.reached.iter().all(|f| {
            let f = self.function(*f);
            !f.is_declaration() || GIVE_NOTHING_ELSE.contains(&f.name.as_str()) || INTRINSICS.iter().any(|p| f.name.starts_with(p))
        })
    }

    /// The objects whose addresses a number is made of.
    pub(super) fn addresses_in(&self, t: TermId) -> Vec<ObjId> {
        self.arena.cone(&[t]).into_iter().filter_map(|n| match self.arena.get(n) {
            Term::Apply { name, args, .. } if name == "address" => self.arena.as_int(args[0]).and_then(|id| u32::try_from(id).ok()).map(ObjId),
            _ => None,
        }).collect()
    }

    /// Whether a number is surely no address nor part of one: nothing but constants, what the user gave and rounds of loops is in it.
    pub(super) fn is_no_address(&self, t: TermId) -> bool {
        let (mut open, mut seen) = (vec![t], FxHashSet::default());
        while let Some(t) = open.pop() {
            if !seen.insert(t) { continue; }
            match self.arena.get(t) {
                Term::Sym(s) => match &self.arena.symbol(*s).kind {
                    SymKind::Input(InputSource::Argc | InputSource::Argv(_) | InputSource::ArgvLen(_)) | SymKind::Iteration { .. } => {}
                    _ => return false,
                },
                Term::Apply { .. } => return false,
                Term::Ite(_, a, b) => open.extend([*a, *b]),
                _ => open.extend(self.arena.children(t)),
            }
        }
        true
    }
}

/// A value with each pointer in it that is not known bounded.
pub(super) fn among(v: Value, places: &Rc<Places>) -> Value {
    match v {
        Value::Ptr(p) => Value::Ptr(Rc::new(p.iter().map(|t| match &t.base {
            Base::Unknown(Lost { reason, among: None }) => Target { base: Base::Unknown(Lost { reason: reason.clone(), among: Some(places.clone()) }), ..t.clone() },
            _ => t.clone(),
        }).collect())),
        Value::Aggregate(e) => Value::Aggregate(Rc::new(e.iter().map(|v| among(v.clone(), places)).collect())),
        v => v,
    }
}
