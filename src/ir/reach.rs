//! Call graph reachability: the functions that functions call or name, and the globals that they name.
//!
//! In: a linked program, and which functions to watch for. Out: the functions that reach none of these. A call through
//! a pointer may reach every function whose address is taken and that has no more parameters than there are arguments,
//! except launch stubs: a caller of a stub through a pointer configures a launch first. A function without a body has
//! as many parameters. What functions do is unknown here.

use super::opaque::symbols_in;
use super::{
    Block, Callee, Const, FuncRef, Function, GlobalId, GlobalRef, Linkage, ModuleId, Op, Operand, Program, Side,
    Terminator, TypeKind, ValueId,
};
use crate::initialised_once::InitialisedOnce;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// The symbols that a piece of code mentions.
#[derive(Clone, Debug, Default)]
pub struct Mentions {
    pub called: Vec<FuncRef>,
    /// Functions whose address the code takes.
    pub named: Vec<FuncRef>,
    pub globals: Vec<GlobalRef>,
    /// Numbers of arguments of the code's calls through pointers.
    pub indirect: BTreeSet<usize>,
    /// True where the code has a constant or terminator that is not modelled, which may mention anything.
    pub opaque: bool,
    /// True where the code has an instruction that is not modelled, or inline assembly, which may compute any address.
    pub strange: bool,
}

impl Mentions {
    /// Collects the mentions of blocks of a function in this module.
    pub fn of<'b>(program: &Program, module: ModuleId, blocks: impl IntoIterator<Item = &'b Block>) -> Self {
        let mut all = Self::default();
        for b in blocks {
            for i in &b.insts {
                match &i.op {
                    Op::Call { callee, args } => all.add_callee(program, module, callee, args.len()),
                    Op::Asm { .. } | Op::Other { .. } => all.strange = true,
                    _ => {}
                }
                i.op.operands(&mut |o| all.add_operand(program, module, o));
            }
            if let Terminator::Invoke { callee, args, .. } = &b.term {
                all.add_callee(program, module, callee, args.len());
            }
            all.opaque |= matches!(b.term, Terminator::Other(_));
            b.term.operands(&mut |o| all.add_operand(program, module, o));
        }
        all
    }

    fn add_callee(&mut self, program: &Program, module: ModuleId, callee: &Callee, arguments: usize) {
        match callee {
            Callee::Direct(f) => self.called.push(program.resolve_func(module, *f)),
            Callee::Indirect(_) => {
                self.indirect.insert(arguments);
            }
        }
    }

    fn add_operand(&mut self, program: &Program, module: ModuleId, o: &Operand) {
        if let Operand::Const(c) = o {
            self.add_constant(program, module, c);
        }
    }

    /// Adds the mentions of a constant.
    pub fn add_constant(&mut self, program: &Program, module: ModuleId, c: &Const) {
        match c {
            Const::Global { id, .. } => {
                let g = program.resolve_global(module, *id);
                self.globals.push(g);
                self.named.extend(program.named_by_text(g));
            }
            Const::Func(id) => self.named.push(program.resolve_func(module, *id)),
            Const::Aggregate { elems, .. } => {
                for e in elems {
                    self.add_constant(program, module, e);
                }
            }
            // A single bit holds no address.
            Const::Opaque { ty, what } => {
                symbols_in((program, module), what, &mut self.globals, &mut self.named);
                let kind = program.module(module).types.get(ty.index()).map(|t| &t.kind);
                self.opaque |= kind != Some(&TypeKind::Int(1));
            }
            Const::Int { .. }
            | Const::Float { .. }
            | Const::Address { .. }
            | Const::Zero(_)
            | Const::Undef(_)
            | Const::Bytes { .. } => {}
        }
    }
}

/// Returns the globals that blocks mention other than as operands of loads.
pub(super) fn written_by(program: &Program, module: ModuleId, blocks: &[Block]) -> Vec<GlobalRef> {
    let mut all = Mentions::default();
    for b in blocks {
        for i in &b.insts {
            if !matches!(i.op, Op::Load { .. }) {
                i.op.operands(&mut |o| all.add_operand(program, module, o));
            }
        }
        b.term.operands(&mut |o| all.add_operand(program, module, o));
    }
    all.globals
}

/// Returns the globals whose addresses blocks use for more than loads and stores.
fn addressed_by(program: &Program, module: ModuleId, blocks: &[Block]) -> Vec<GlobalRef> {
    let insts = || blocks.iter().flat_map(|b| &b.insts);
    let (mut bases, mut all): (FxHashMap<ValueId, &Operand>, _) = (FxHashMap::default(), Mentions::default());
    for i in insts() {
        if let (Op::Gep { base: base @ Operand::Const(_), .. }, Some(r)) = (&i.op, i.result) {
            bases.insert(r, base);
        }
    }
    let mut add = |o: &Operand| {
        let of = if let Operand::Value(v) = o { bases.get(v).copied().unwrap_or(o) } else { o };
        all.add_operand(program, module, of);
    };
    for i in insts() {
        match &i.op {
            Op::Load { .. } | Op::Gep { base: Operand::Const(_), .. } => {}
            Op::Store { value, .. } => add(value),
            op => op.operands(&mut add),
        }
    }
    blocks.iter().for_each(|b| b.term.operands(&mut add));
    all.globals
}

/// Counts the instructions of some functions and of those that they reach by direct calls. Calls through pointers and
/// invokes are ignored.
#[must_use]
pub fn instructions(program: &Program, from: impl IntoIterator<Item = FuncRef>) -> u64 {
    let (mut seen, mut work, mut count) = (FxHashSet::default(), Vec::from_iter(from), 0);
    while let Some(f) = work.pop() {
        if !seen.insert(f) {
            continue;
        }
        for i in program.func(f).blocks.iter().flat_map(|b| &b.insts) {
            count += 1;
            if let Op::Call { callee: Callee::Direct(id), .. } = &i.op {
                work.push(program.resolve_func(f.module, *id));
            }
        }
    }
    count
}

/// The call graph of a program's host side.
#[derive(Debug, Default)]
pub struct Reach {
    mentions: FxHashMap<FuncRef, Mentions>,
    /// Functions whose address is taken anywhere, except launch stubs.
    taken: Vec<FuncRef>,
    /// Launch stubs whose address is taken otherwise than by themselves.
    pub(super) taken_stubs: Vec<FuncRef>,
    /// Number of parameters of each of these functions, and whether a call may pass more arguments.
    arity: FxHashMap<FuncRef, (usize, bool)>,
    harmless: FxHashSet<FuncRef>,
    /// Variables that are mentioned other than as operands of loads.
    written: FxHashSet<GlobalRef>,
    /// Variables whose addresses are used for more than loads and stores.
    addressed: FxHashSet<GlobalRef>,
    /// Variables that other units can name.
    exported: Vec<GlobalRef>,
    once: OnceLock<InitialisedOnce>,
}

impl Reach {
    /// Builds the call graph of the host side, with the functions to watch for.
    pub fn of(program: &Program, watched: impl Fn(&Function) -> bool) -> Self {
        let mut reach = Self::default();
        let (operators, mut taken) = (super::registered::registered(program), FxHashSet::default());
        let is_stub = |f: &FuncRef| Program::kernel_symbol_of_stub(&program.func(*f).name).is_some();
        let mut taken_stubs = FxHashSet::default();
        for (r, m, f) in program.functions() {
            if m.side != Side::Host {
                continue;
            }
            let mut mentions = Mentions::of(program, r.module, &f.blocks);
            reach.addressed.extend(addressed_by(program, r.module, &f.blocks));
            // Callers of PyTorch's dispatcher ask for an operator by name, not by address.
            if super::registered::registers(m, f) {
                mentions.named.retain(|f| !operators.contains(f));
            }
            taken.extend(&mentions.named);
            taken_stubs.extend(mentions.named.iter().filter(|named| **named != r && is_stub(named)));
            reach.mentions.insert(r, mentions);
            reach
                .written
                .extend(written_by(program, r.module, &f.blocks).into_iter().filter(|g| !program.global(*g).constant));
        }
        for (mi, m) in program.modules.iter().enumerate().filter(|(_, m)| m.side == Side::Host) {
            let mut initial = Mentions::default();
            for c in m.globals.iter().filter_map(|g| g.init.as_ref()) {
                initial.add_constant(program, ModuleId(u32::try_from(mi).unwrap_or(u32::MAX)), c);
            }
            taken_stubs.extend(initial.named.iter().filter(|named| is_stub(named)));
            taken.extend(initial.named);
            reach.addressed.extend(initial.globals.iter().copied());
            reach.written.extend(initial.globals.into_iter().filter(|g| !program.global(*g).constant));
            for (i, g) in (0u32..).zip(&m.globals) {
                if g.defined && !g.constant && !matches!(g.linkage, Linkage::Internal | Linkage::Available) {
                    reach.exported.push(GlobalRef {
                        module: ModuleId(u32::try_from(mi).unwrap_or(u32::MAX)),
                        global: GlobalId(i),
                    });
                }
            }
        }
        // Kernels write managed variables, which both sides name.
        reach.written.extend(program.managed_variables());
        reach.taken = taken.into_iter().filter(|f| !is_stub(f)).collect();
        reach.taken_stubs = taken_stubs.into_iter().collect();
        reach.taken.sort_unstable();
        reach.arity = reach.taken.iter().map(|f| (*f, arity(program.func(*f)))).collect();
        reach.find_harmless(|f| watched(program.func(f)));
        reach
    }

    fn find_harmless(&mut self, watched: impl Fn(FuncRef) -> bool) {
        let mut harmful: FxHashSet<FuncRef> = self.mentions.keys().copied().filter(|f| watched(*f)).collect();
        loop {
            let taken: Vec<FuncRef> = self.taken.iter().copied().filter(|f| harmful.contains(f)).collect();
            let more: Vec<FuncRef> = self
                .mentions
                .iter()
                .filter(|(f, m)| !harmful.contains(f) && self.leads_to(m, &harmful, &taken))
                .map(|(f, _)| *f)
                .collect();
            if more.is_empty() {
                break;
            }
            harmful.extend(more);
        }
        self.harmless = self.mentions.keys().copied().filter(|f| !harmful.contains(f)).collect();
    }

    fn leads_to(&self, m: &Mentions, harmful: &FxHashSet<FuncRef>, taken: &[FuncRef]) -> bool {
        m.called.iter().chain(&m.named).any(|f| harmful.contains(f))
            || m.indirect.iter().any(|n| taken.iter().any(|f| self.accepts(*f, *n)))
    }

    /// Whether a call through a pointer with so many arguments may reach a function whose address is taken.
    fn accepts(&self, f: FuncRef, arguments: usize) -> bool {
        let (parameters, more) = self.arity.get(&f).copied().unwrap_or((0, true));
        parameters == arguments || more && parameters < arguments
    }

    /// Returns the variables of this program that initialisers alone write.
    pub fn initialised_once(&self, program: &Program) -> &InitialisedOnce {
        self.once.get_or_init(|| InitialisedOnce::of(program, self))
    }

    /// Returns a function and those that it leads to by calls: by name, and through pointers to those that `may_reach` names.
    pub(super) fn called_from(&self, f: FuncRef, may_reach: impl Fn(FuncRef) -> bool) -> FxHashSet<FuncRef> {
        let (mut seen, mut open, mut counts, mut more) = (FxHashSet::default(), vec![f], BTreeSet::new(), vec![]);
        while let Some(f) = open.pop() {
            let Some(m) = self.mentions.get(&f).filter(|_| seen.insert(f)) else { continue };
            self.add_reached_through(&m.indirect, &mut counts, &mut more);
            open.extend(m.called.iter().copied().chain(more.drain(..).filter(|f| may_reach(*f))));
        }
        seen
    }

    /// Returns the functions whose address is taken, except launch stubs.
    #[must_use]
    pub fn taken(&self) -> &[FuncRef] {
        &self.taken
    }

    /// Whether any host code mentions a variable other than to load it by name.
    #[must_use]
    pub fn may_be_written(&self, g: GlobalRef) -> bool {
        self.written.contains(&g)
    }

    /// Whether the address of a variable is used for more than loads and stores.
    #[must_use]
    pub fn is_addressed(&self, g: GlobalRef) -> bool {
        self.addressed.contains(&g)
    }

    /// Returns all variables, constants excepted, for which [`Self::may_be_written`] holds.
    #[must_use]
    pub fn written(&self) -> Vec<GlobalRef> {
        let mut all: Vec<GlobalRef> = self.written.iter().copied().collect();
        all.sort_unstable();
        all
    }

    /// Returns the host variables that other translation units can name, constants excepted.
    #[must_use]
    pub fn exported(&self) -> &[GlobalRef] {
        &self.exported
    }

    /// Whether a function reaches no watched function.
    #[must_use]
    pub fn is_harmless(&self, f: FuncRef) -> bool {
        self.harmless.contains(&f)
    }

    /// Whether a piece of code reaches no watched function.
    #[must_use]
    pub fn are_harmless(&self, m: &Mentions) -> bool {
        let all = |fs: &[FuncRef]| fs.iter().all(|f| self.harmless.contains(f));
        let through =
            |n: &usize| self.taken.iter().filter(|f| self.accepts(**f, *n)).all(|f| self.harmless.contains(f));
        all(&m.called) && all(&m.named) && m.indirect.iter().all(through)
    }

    /// Returns the globals that code and its possible callees mention.
    #[must_use]
    pub fn globals(&self, from: &Mentions) -> MentionedGlobals {
        let mut named = MentionedGlobals {
            opaque: from.opaque,
            strange: from.strange,
            globals: from.globals.clone(),
            functions: from.named.clone(),
            reached: vec![],
        };
        let mut seen: FxHashSet<FuncRef> = FxHashSet::default();
        let mut indirect: BTreeSet<usize> = BTreeSet::new();
        let mut work: Vec<FuncRef> = from.called.iter().chain(&from.named).copied().collect();
        self.add_reached_through(&from.indirect, &mut indirect, &mut work);
        while let Some(f) = work.pop() {
            if !seen.insert(f) {
                continue;
            }
            named.reached.push(f);
            let Some(m) = self.mentions.get(&f) else { continue };
            named.globals.extend(&m.globals);
            named.functions.extend(&m.named);
            named.opaque |= m.opaque;
            named.strange |= m.strange;
            work.extend(m.called.iter().chain(&m.named));
            self.add_reached_through(&m.indirect, &mut indirect, &mut work);
        }
        for functions in [&mut named.functions, &mut named.reached] {
            functions.sort_unstable();
            functions.dedup();
        }
        named.globals.sort_unstable();
        named.globals.dedup();
        named
    }

    /// Adds the functions that calls through pointers with these numbers of arguments reach, except for numbers that are
    /// `done`.
    fn add_reached_through(&self, arguments: &BTreeSet<usize>, done: &mut BTreeSet<usize>, work: &mut Vec<FuncRef>) {
        for n in arguments {
            if done.insert(*n) {
                work.extend(self.taken.iter().filter(|f| self.accepts(**f, *n)));
            }
        }
    }

    /// Returns the mentions of a function itself, without its callees.
    #[must_use]
    pub fn mentions(&self, f: FuncRef) -> Option<&Mentions> {
        self.mentions.get(&f)
    }
}

/// Returns the number of a function's parameters, and whether a call may pass more arguments: C programs cast functions
/// of their own to types with more parameters (the ABI ignores the rest), but not those of a library.
fn arity(f: &Function) -> (usize, bool) {
    (f.params.len(), f.variadic || !f.is_declaration())
}

/// The globals that some code and its possible callees mention.
#[derive(Clone, Debug, Default)]
pub struct MentionedGlobals {
    pub globals: Vec<GlobalRef>,
    /// True where the code may mention other globals.
    pub opaque: bool,
    /// Functions whose address the code takes.
    pub functions: Vec<FuncRef>,
    /// Functions that the code may reach.
    pub reached: Vec<FuncRef>,
    /// True where [`Mentions::strange`] holds for some of the code.
    pub strange: bool,
}

#[cfg(test)]
mod tests {
    use super::{Mentions, Reach};
    use crate::{
        Block, Callee, Const, FuncId, FuncRef, Function, Global, GlobalId, GlobalRef, Inst, Linkage, LocId, Module,
        ModuleId, Op, Operand, Param, Program, Side, Terminator, TypeId, ValueId,
    };
    use std::sync::Arc;

    fn call(callee: Callee, args: Vec<Const>) -> Op {
        Op::Call { callee, args: args.into_iter().map(Operand::Const).collect() }
    }
    fn direct(f: u32) -> Op {
        call(Callee::Direct(FuncId(f)), vec![])
    }
    fn through_pointer() -> Op {
        call(Callee::Indirect(Operand::Value(ValueId(0))), vec![])
    }

    fn function(name: &str, ops: Vec<Op>) -> Function {
        let insts = ops.into_iter().map(|op| Inst { result: None, ty: TypeId(0), op, loc: LocId(0) }).collect();
        Function {
            name: name.into(),
            display: name.into(),
            linkage: Linkage::External,
            kernel: false,
            variadic: false,
            noreturn: false,
            ret: TypeId(0),
            params: vec![],
            blocks: vec![Block { name: String::new(), insts, term: Terminator::Ret(None), term_loc: LocId(0) }],
            values: 1,
            requires: vec![],
            max_threads: None,
            shape: crate::LaunchShape::default(),
            tile: None,
            loc: LocId(0),
        }
    }

    /// A host side with one global, which may hold the address of a function.
    fn program(functions: Vec<Function>, table: Option<u32>) -> Program {
        let global = Global {
            name: "g".into(),
            source_name: "g".into(),
            ty: TypeId(0),
            align: 1,
            space: 0,
            linkage: Linkage::External,
            constant: false,
            defined: true,
            init: table.map(|f| Const::Func(FuncId(f))),
            loc: LocId(0),
        };
        Program::link(vec![Arc::new(Module {
            side: Side::Host,
            source: "a.cu".into(),
            producer: String::new(),
            arch: String::new(),
            asserts_restored: false,
            relocatable: false,
            doubts: vec![],
            types: vec![],
            files: vec![],
            locs: vec![],
            globals: vec![global],
            functions,
        })])
    }

    fn harmless(p: &Program) -> Vec<&str> {
        let reach = Reach::of(p, |f| f.name.starts_with("cuda"));
        p.functions().filter(|(r, ..)| reach.is_harmless(*r)).map(|(.., f)| f.name.as_str()).collect()
    }

    #[test]
    fn what_calls_or_names_it_leads_to_it() {
        let p = program(
            vec![
                function("cudaMalloc", vec![]),
                function("calls", vec![direct(0)]),
                function("calls_that", vec![direct(1)]),
                function("names", vec![call(Callee::Direct(FuncId(4)), vec![Const::Func(FuncId(1))])]),
                function("sort", vec![]),
                function("rounds", vec![direct(5), direct(4)]),
            ],
            None,
        );
        assert_eq!(harmless(&p), ["sort", "rounds"]);
    }

    #[test]
    fn a_call_through_a_pointer_leads_wherever_an_address_is_taken() {
        let functions = || {
            vec![
                function("cudaFree", vec![]),
                function("frees", vec![direct(0)]),
                function("plain", vec![]),
                function("through_pointer", vec![through_pointer()]),
                function("above", vec![direct(3)]),
            ]
        };
        assert_eq!(harmless(&program(functions(), None)), ["plain", "through_pointer", "above"]);
        assert_eq!(harmless(&program(functions(), Some(2))), ["plain", "through_pointer", "above"]);
        assert_eq!(harmless(&program(functions(), Some(1))), ["plain"]);
    }

    #[test]
    fn a_call_through_a_pointer_leads_to_functions_that_take_its_arguments() {
        let parameter = || Param {
            name: String::new(),
            ty: TypeId(0),
            byval: None,
            sret: None,
            dereferenceable: 0,
            align: 0,
            class: None,
            of_class: None,
        };
        let functions = |parameters: usize, arguments: usize, body: bool| {
            let mut frees = function("cudaFree", vec![]);
            frees.params = (0..parameters).map(|_| parameter()).collect();
            if !body {
                frees.blocks.clear();
            }
            let through = call(
                Callee::Indirect(Operand::Value(ValueId(0))),
                (0..arguments).map(|_| Const::Int { bits: 32, value: 0 }).collect(),
            );
            vec![frees, function("through_pointer", vec![through])]
        };
        for (parameters, arguments, body, reached) in [
            (1, 1, true, true),
            (1, 1, false, true),
            (2, 1, true, false),
            (2, 1, false, false),
            // Programs cast their own functions to types with more parameters.
            (1, 2, true, true),
            (1, 2, false, false),
        ] {
            let p = program(functions(parameters, arguments, body), Some(0));
            let is_harmless = harmless(&p).contains(&"through_pointer");
            assert_eq!(is_harmless, !reached, "{parameters} {arguments} {body}");
        }
    }

    #[test]
    fn a_launch_stub_is_reached_where_a_launch_is_configured() {
        let p = program(
            vec![
                function("cudaLaunchKernel", vec![]),
                function("_Z16__device_stub__kv", vec![direct(0)]),
                function("cudaPushCallConfiguration", vec![]),
                function("launches", vec![direct(2), through_pointer()]),
                function("through_pointer", vec![through_pointer()]),
            ],
            Some(1),
        );
        assert_eq!(harmless(&p), ["through_pointer"]);
    }

    #[test]
    fn globals_are_those_of_all_that_is_called() {
        let store = Op::Store {
            ptr: Operand::Const(Const::Global { id: GlobalId(0), offset: 0 }),
            value: Operand::Value(ValueId(0)),
            volatile: false,
            align: 4,
        };
        let p = program(
            vec![
                function("sets", vec![store]),
                function("calls", vec![direct(0)]),
                function(
                    "opaque",
                    vec![call(
                        Callee::Direct(FuncId(3)),
                        vec![Const::Opaque { ty: TypeId(0), what: "ptrtoint".into() }],
                    )],
                ),
                function("other", vec![]),
            ],
            None,
        );
        let reach = Reach::of(&p, |_| false);
        let of = |n: u32| {
            let f = FuncRef { module: ModuleId(0), func: FuncId(n) };
            let named = reach.globals(&Mentions::of(&p, f.module, &p.func(f).blocks));
            (named.globals, named.opaque)
        };
        assert_eq!(of(1), (vec![GlobalRef { module: ModuleId(0), global: GlobalId(0) }], false));
        assert_eq!(of(2), (vec![], true));
        assert_eq!(of(3), (vec![], false));
    }
}
