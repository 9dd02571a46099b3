//! Kernels that code may launch, without executing it.

use crate::reach::{MentionedGlobals, Mentions, Reach};
use crate::registered::registers;
use crate::{
    Callee, Const, FuncRef, Function, Global, GlobalId, GlobalRef, Linkage, Module, ModuleId, Op, Operand, Program,
    Side,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The launch of the device runtime, and the function around it in the toolkit's header (CUDA 13.0, `cuda_device_runtime_api.h`).
const LAUNCH: [&str; 3] =
    ["__cudaCDP2LaunchDevice", "cudaLaunchDevice", "_ZL16cudaLaunchDevicePvS_4dim3S0_jP11CUstream_st"];

/// Whether a function launches the kernel that is its first argument, from device code. Others are the arguments' memory, the grid, the
/// block, bytes of dynamic shared memory, and a stream.
#[must_use]
pub fn is_launch_by_device(name: &str) -> bool {
    LAUNCH.contains(&name.strip_suffix("_ptsz").unwrap_or(name))
}

/// Launches by device code (dynamic parallelism).
#[derive(Debug, Default)]
pub struct LaunchesByKernels {
    /// Kernels that each kernel may launch: it, or a function that it calls by name, launches them by name.
    pub by: FxHashMap<FuncRef, FxHashSet<FuncRef>>,
    /// Kernels whose addresses device code has otherwise, or that functions launch whose addresses are taken: any code may
    /// launch them.
    pub by_address: FxHashSet<FuncRef>,
}

/// Functions that a device function calls, kernels that it launches by name, and functions that it names otherwise.
struct DeviceCode {
    called: Vec<FuncRef>,
    launched: FxHashSet<FuncRef>,
    named: Vec<FuncRef>,
}

impl DeviceCode {
    fn of(program: &Program, f: FuncRef) -> Self {
        let blocks = &program.func(f).blocks;
        let Mentions { called, mut named, .. } = Mentions::of(program, f.module, blocks);
        let mut launched = FxHashSet::default();
        for inst in blocks.iter().flat_map(|b| &b.insts) {
            let Op::Call { callee: Callee::Direct(callee), args } = &inst.op else { continue };
            let callee = program.resolve_func(f.module, *callee);
            if let [Operand::Const(Const::Func(id)), ..] = args.as_slice()
                && is_launch_by_device(&program.func(callee).name)
            {
                let kernel = program.resolve_func(f.module, *id);
                launched.insert(kernel);
                // Each mention counts once.
                if let Some(i) = named.iter().position(|n| *n == kernel) {
                    named.swap_remove(i);
                }
            }
        }
        Self { called, launched, named }
    }
}

impl LaunchesByKernels {
    /// Returns which kernels device code may launch.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        let functions = || program.functions().filter(|(_, m, _)| m.side == Side::Device);
        let code: FxHashMap<FuncRef, DeviceCode> = functions().map(|(r, ..)| (r, DeviceCode::of(program, r))).collect();
        let launched_from = |first: Vec<FuncRef>| {
            let (mut seen, mut open): (FxHashSet<FuncRef>, Vec<FuncRef>) = (FxHashSet::default(), first);
            let mut launched: FxHashSet<FuncRef> = FxHashSet::default();
            while let Some(f) = open.pop() {
                if let Some(code) = code.get(&f).filter(|_| seen.insert(f)) {
                    launched.extend(&code.launched);
                    open.extend(&code.called);
                }
            }
            launched
        };
        let mut taken: Vec<FuncRef> = code.values().flat_map(|code| &code.named).copied().collect();
        for (mi, m) in (0u32..).zip(&program.modules).filter(|(_, m)| m.side == Side::Device) {
            let mut initial = Mentions::default();
            for c in m.globals.iter().filter_map(|g| g.init.as_ref()) {
                initial.add_constant(program, ModuleId(mi), c);
            }
            taken.extend(initial.named);
        }
        let kernels = taken.iter().copied().filter(|f| program.func(*f).kernel);
        let mut by_address: FxHashSet<FuncRef> = kernels.collect();
        by_address.extend(launched_from(taken));
        let by = functions().filter(|(.., f)| f.kernel).map(|(r, ..)| (r, launched_from(vec![r])));
        Self { by: by.filter(|(_, launched)| !launched.is_empty()).collect(), by_address }
    }

    /// Whether a kernel may launch others.
    #[must_use]
    pub fn launches(&self, kernel: FuncRef) -> bool {
        self.by.contains_key(&kernel)
    }

    /// Returns the kernels of which device code may make launches that are not known. Known are those by a kernel that
    /// `is_followed` and has no unknown launches itself.
    #[must_use]
    pub fn with_unknown_launches(&self, is_followed: impl Fn(FuncRef) -> bool) -> FxHashSet<FuncRef> {
        let mut unknown = self.by_address.clone();
        loop {
            let before = unknown.len();
            let not_followed = self.by.iter().filter(|(k, _)| unknown.contains(k) || !is_followed(**k));
            let more: Vec<FuncRef> = not_followed.flat_map(|(_, launched)| launched).copied().collect();
            unknown.extend(more);
            if unknown.len() == before {
                return unknown;
            }
        }
    }
}

/// Returns the host functions whose addresses a library gives away, as far as the text of its code shows it:
///
/// - in the initial values of variables that others see;
/// - by code that registers operators (`class_<Engine>.def("run", &Engine::run)`);
/// - by constructors of variables that set a variable which others see, or call functions that `may_keep` addresses;
/// - by exported functions without a known caller. Of `roots`, executions tell more exactly.
#[must_use]
pub fn given_away(
    program: &Program,
    reach: &Reach,
    roots: &FxHashSet<FuncRef>,
    may_keep: &dyn Fn(&str) -> bool,
) -> FxHashSet<FuncRef> {
    let host = || program.functions().filter(|(_, m, f)| m.side == Side::Host && !f.is_declaration());
    let mut given = held_by(program, seen_by_others(program));
    for (r, ..) in host().filter(|(_, m, f)| registers(m, f)) {
        given.extend(reach.reached_from(r).functions);
    }
    for f in program.constructors().unwrap_or_default() {
        let code = reach.by_name(f);
        let keeps = |f: &FuncRef| program.func(*f).is_declaration() && may_keep(&program.func(*f).name);
        let sets = |g: &GlobalRef| !program.global(*g).constant && is_seen_by_others(program.global(*g));
        if code.called.iter().any(keeps) || code.globals.iter().any(sets) {
            given.extend(code.named);
            given.extend(held_by(program, code.globals));
        }
    }
    let called: FxHashSet<FuncRef> =
        host().filter_map(|(r, ..)| reach.mentions(r)).flat_map(|m| m.called.iter().copied()).collect();
    let by_others = |f: &Function| matches!(f.linkage, Linkage::External | Linkage::Instance | Linkage::Weak);
    for (r, _, f) in host().filter(|(r, _, f)| by_others(f) && !called.contains(r) && !roots.contains(r)) {
        if f.name != "main" && !is_stub(program, r) {
            let code = reach.by_name(r);
            given.extend(code.named);
            given.extend(held_by(program, code.globals));
        }
    }
    given
}

/// Returns the host variables that other units can name.
fn seen_by_others(program: &Program) -> Vec<GlobalRef> {
    let of = |(mi, m): (u32, &Module)| {
        let seen = (0u32..).zip(&m.globals).filter(|(_, g)| is_seen_by_others(g));
        seen.map(|(i, _)| GlobalRef { module: ModuleId(mi), global: GlobalId(i) }).collect::<Vec<_>>()
    };
    (0u32..).zip(program.modules.iter().map(|m| &**m)).filter(|(_, m)| m.side == Side::Host).flat_map(of).collect()
}

/// Whether other units can name a variable. Of an inline function, they would have to include its header; only an object
/// leads to the table of virtual functions of its class.
fn is_seen_by_others(g: &Global) -> bool {
    g.defined && !matches!(g.linkage, Linkage::Internal | Linkage::Odr) && !g.name.starts_with("_ZT")
}

impl Reach {
    /// Returns the kernels that a host function may launch, by what it leads to and by stubs whose address is kept.
    #[must_use]
    pub fn kernels_launched_from(&self, program: &Program, f: FuncRef) -> FxHashSet<FuncRef> {
        let found = self.reached_from(f);
        kernels_of(program, found.reached.iter().chain(&found.functions).chain(&self.taken_stubs))
    }

    /// Returns the kernels that a host function may launch by what it calls or names, and by what tables of functions hold
    /// that it reads; not those of the functions to `skip`. A constructor of variables only keeps what it names.
    #[must_use]
    pub fn kernels_launched_by(&self, program: &Program, f: FuncRef, skip: &FxHashSet<FuncRef>) -> FxHashSet<FuncRef> {
        let constructs = program.constructors().is_some_and(|all| all.contains(&f));
        let mut kernels: FxHashSet<FuncRef> = FxHashSet::default();
        let (mut seen, mut open): (FxHashSet<FuncRef>, Vec<FuncRef>) = (FxHashSet::default(), vec![f]);
        while let Some(f) = open.pop() {
            let Some(m) = self.mentions(f).filter(|_| seen.insert(f)) else { continue };
            let reads = !constructs && !m.indirect.is_empty();
            let held = if reads { held_by(program, m.globals.clone()) } else { FxHashSet::default() };
            let named = m.named.iter().filter(|_| !constructs);
            let next: Vec<FuncRef> = m.called.iter().chain(named).copied().chain(held).collect();
            kernels.extend(kernels_of(program, next.iter()));
            open.extend(next.into_iter().filter(|g| !skip.contains(g) && !is_stub(program, *g)));
        }
        kernels
    }

    /// Returns what a function mentions, and the functions that it calls by name.
    fn by_name(&self, f: FuncRef) -> Mentions {
        let (mut seen, mut open): (FxHashSet<FuncRef>, Vec<FuncRef>) = (FxHashSet::default(), vec![f]);
        let mut all = Mentions::default();
        while let Some(f) = open.pop() {
            if !seen.insert(f) {
                continue;
            }
            all.called.push(f);
            let Some(m) = self.mentions(f) else { continue };
            all.named.extend(&m.named);
            all.globals.extend(&m.globals);
            open.extend(&m.called);
        }
        all
    }

    fn reached_from(&self, f: FuncRef) -> MentionedGlobals {
        self.globals(&Mentions { called: vec![f], ..Mentions::default() })
    }
}

/// Returns the functions in the initial values of variables, and of those to which these lead.
fn held_by(program: &Program, mut globals: Vec<GlobalRef>) -> FxHashSet<FuncRef> {
    let (mut all, mut seen): (FxHashSet<FuncRef>, FxHashSet<GlobalRef>) = Default::default();
    while let Some(g) = globals.pop() {
        if let Some(init) = seen.insert(g).then(|| program.global(g).init.as_ref()).flatten() {
            let mut held = Mentions::default();
            held.add_constant(program, g.module, init);
            all.extend(held.named);
            globals.extend(held.globals);
        }
    }
    all
}

fn is_stub(program: &Program, f: FuncRef) -> bool {
    Program::kernel_symbol_of_stub(&program.func(f).name).is_some()
}

/// Returns the kernels whose stubs are among some functions.
fn kernels_of<'f>(program: &Program, functions: impl Iterator<Item = &'f FuncRef>) -> FxHashSet<FuncRef> {
    functions.filter_map(|f| program.kernel_of_stub(f.module, &program.func(*f).name)).collect()
}
