//! Kernels that code may launch, without executing it.

use crate::reach::{MentionedGlobals, Mentions, Reach};
use crate::registered::registers;
use crate::{FuncRef, Function, Global, GlobalId, GlobalRef, Linkage, Module, ModuleId, Program, Side};
use rustc_hash::FxHashSet;

/// Returns the kernels whose address device code takes: it may launch them with any arguments (dynamic parallelism).
#[must_use]
pub fn launched_by_kernels(program: &Program) -> FxHashSet<FuncRef> {
    let mut named: FxHashSet<FuncRef> = FxHashSet::default();
    for (r, _, f) in program.functions().filter(|(_, m, _)| m.side == Side::Device) {
        named.extend(Mentions::of(program, r.module, &f.blocks).named);
    }
    for (mi, m) in (0u32..).zip(&program.modules).filter(|(_, m)| m.side == Side::Device) {
        let mut initial = Mentions::default();
        for c in m.globals.iter().filter_map(|g| g.init.as_ref()) {
            initial.add_constant(program, ModuleId(mi), c);
        }
        named.extend(initial.named);
    }
    named.retain(|f| program.func(*f).kernel);
    named
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
