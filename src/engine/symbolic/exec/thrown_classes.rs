//! Code of exceptions: destructors that run when a handler ends (Itanium C++ ABI, Exception Handling, 2.4.3), and
//! virtual methods that handlers call.
//!
//! In: a program. Out: those functions among them that may change more than the exception itself and memory of their
//! own. Calls of the others change nothing that the analysis follows: it knows nothing of a caught object.

use ir::reach::Mentions;
use ir::{
    Callee, CastOp, Const, FuncRef, Function, GlobalId, GlobalRef, ModuleId, Op, Operand, Program, Side, Terminator,
    TypeKind, ValueId,
};
use models::attributes::{acts_on_a_device, is_of_c_library, is_of_cuda, is_of_library, may_be_the_programs};
use rustc_hash::{FxHashMap, FxHashSet};

/// Functions of thrown classes that may change something besides the exception itself.
#[derive(Debug, Default)]
pub(in crate::symbolic) struct ThrownClasses {
    pub destructors: Vec<FuncRef>,
    pub methods: Vec<FuncRef>,
}

impl ThrownClasses {
    /// Collects the functions of the classes that a program throws. `taken`: the functions whose address is taken.
    pub fn of(program: &Program, taken: &[FuncRef]) -> Self {
        let (mut destructors, mut methods) = (FxHashSet::default(), FxHashSet::default());
        for (f, _, func) in program.functions().filter(|(_, m, _)| m.side == Side::Host) {
            for args in throws(program, f.module, func) {
                let [_, class, destructor] = args else {
                    destructors.extend(taken);
                    methods.extend(taken);
                    continue;
                };
                let of_class = virtual_methods(program, f.module, class);
                methods.extend(of_class.as_deref().unwrap_or(taken));
                match destructor {
                    Operand::Const(Const::Func(d)) => {
                        let d = program.resolve_func(f.module, *d);
                        if calls_virtual_destructor(program.func(d)) {
                            destructors.extend(of_class.as_deref().unwrap_or(taken));
                        } else {
                            destructors.insert(d);
                        }
                    }
                    Operand::Const(Const::Zero(_)) => {}
                    _ => destructors.extend(taken),
                }
            }
        }
        let replaced =
            program.functions().any(|(_, m, f)| m.side == Side::Host && !f.is_declaration() && is_allocation(&f.name));
        let mut effects =
            OwnEffects { program, replaced, known: FxHashMap::default(), containers: FxHashMap::default() };
        let mut keep = |all: FxHashSet<FuncRef>| {
            let mut all: Vec<FuncRef> = all.into_iter().filter(|f| effects.change_more(*f)).collect();
            all.sort_unstable();
            all
        };
        Self { destructors: keep(destructors), methods: keep(methods) }
    }
}

/// Whether a function destroys an exception by the virtual destructor of its class, which `std::make_exception_ptr` knows
/// (`__dest_thunk` of libstdc++ 14, `bits/exception_ptr.h`).
fn calls_virtual_destructor(f: &Function) -> bool {
    let indirect = |callee: &Callee| matches!(callee, Callee::Indirect(_));
    f.name.starts_with("_ZNSt15__exception_ptr12__dest_thunkI")
        && f.blocks.iter().any(|b| {
            b.insts.iter().any(|i| matches!(&i.op, Op::Call { callee, .. } if indirect(callee)))
                || matches!(&b.term, Terminator::Invoke { callee, .. } if indirect(callee))
        })
}

/// Returns the arguments of the calls that make exceptions in a function (`throw`, and `std::make_exception_ptr` of
/// libstdc++): object, class and destructor.
fn throws<'p>(program: &'p Program, module: ModuleId, func: &'p Function) -> impl Iterator<Item = &'p [Operand]> {
    let direct = move |callee: &Callee| match callee {
        Callee::Direct(f) => ["__cxa_throw", "__cxa_init_primary_exception"]
            .contains(&program.func(program.resolve_func(module, *f)).name.as_str()),
        Callee::Indirect(_) => false,
    };
    func.blocks.iter().flat_map(move |b| {
        let calls = b.insts.iter().filter_map(|i| match &i.op {
            Op::Call { callee, args } => Some((callee, args)),
            _ => None,
        });
        let last = match &b.term {
            Terminator::Invoke { callee, args, .. } => Some((callee, args)),
            _ => None,
        };
        calls.chain(last).filter(move |(callee, _)| direct(callee)).map(|(_, args)| args.as_slice())
    })
}

/// Returns the functions in the virtual table of the class whose type information this is: none for classes of the
/// C++ library and for classes without virtual methods. Absent where the class is not known.
fn virtual_methods(program: &Program, module: ModuleId, class: &Operand) -> Option<Vec<FuncRef>> {
    let Operand::Const(Const::Global { id, .. }) = class else { return None };
    let info = program.global(program.resolve_global(module, *id));
    let class = info.name.strip_prefix("_ZTI")?;
    let pointee = class.trim_start_matches(['P', 'K', 'V']);
    if class.starts_with('P') && pointee.len() > 1 {
        // The class of the object that a thrown pointer leads to is not known here.
        return None;
    }
    let name = format!("_ZTV{class}");
    let own = program.module(module).globals.iter().position(|g| g.name == name && g.init.is_some());
    let table = match own {
        Some(own) => Some(GlobalRef { module, global: GlobalId(u32::try_from(own).ok()?) }),
        None => program.find_global(Side::Host, &name).filter(|g| program.global(*g).init.is_some()),
    };
    let Some(table) = table else {
        // A class that its unit describes without a virtual table has no virtual methods. Fundamental types and
        // pointers to them are described by the library.
        let of_library = is_of_library(&format!("_Z{class}")) || pointee.len() == 1;
        return (info.init.is_some() || of_library).then(Vec::new);
    };
    let mut named = Mentions::default();
    if let Some(init) = &program.global(table).init {
        named.add_constant(program, table.module, init);
    }
    (!named.opaque).then_some(named.named)
}

/// Effects of functions on the objects that they are given, and beyond.
struct OwnEffects<'p> {
    program: &'p Program,
    /// True for a function that changes more than these parameters point to, and for functions under way.
    known: FxHashMap<(FuncRef, Vec<bool>), bool>,
    /// Whether the program has allocation functions of its own, which those of the library call (C++ [new.delete]).
    replaced: bool,
    /// True for a function of a container that calls code of the program which changes more.
    containers: FxHashMap<FuncRef, bool>,
}

impl OwnEffects<'_> {
    /// Whether a method may change more than its own object.
    fn change_more(&mut self, f: FuncRef) -> bool {
        let own = (0..self.program.func(f).params.len()).map(|i| i == 0).collect();
        self.changes_more(f, own)
    }

    fn changes_more(&mut self, f: FuncRef, own: Vec<bool>) -> bool {
        let func = self.program.func(f);
        if func.is_declaration() {
            // Functions of libraries are judged at their calls.
            return may_be_the_programs(&func.name);
        }
        if let Some(known) = self.known.get(&(f, own.clone())) {
            return *known;
        }
        self.known.insert((f, own.clone()), true);
        let values = self.own_values(f, &own);
        let more = func.blocks.iter().any(|b| {
            let last = match &b.term {
                Terminator::Invoke { callee, args, .. } => self.call_changes_more(f.module, callee, args, &values),
                Terminator::Other(_) => true,
                _ => false,
            };
            last || b.insts.iter().any(|i| self.instruction_changes_more(f.module, &i.op, &values))
        });
        self.known.insert((f, own), more);
        more
    }

    fn instruction_changes_more(&mut self, module: ModuleId, op: &Op, own: &FxHashSet<ValueId>) -> bool {
        let foreign = |o: &Operand| !self.is_own(module, o, own);
        match op {
            Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. } => foreign(ptr),
            Op::MemCopy { dst, .. } | Op::MemSet { dst, .. } => foreign(dst),
            Op::Call { callee, args } => self.call_changes_more(module, callee, args, own),
            Op::Other { what, .. } => what != "landingpad",
            Op::Asm { .. } => true,
            _ => false,
        }
    }

    fn call_changes_more(
        &mut self,
        module: ModuleId,
        callee: &Callee,
        args: &[Operand],
        own: &FxHashSet<ValueId>,
    ) -> bool {
        let Callee::Direct(f) = callee else { return true };
        let f = self.program.resolve_func(module, *f);
        let given: Vec<bool> = args.iter().map(|a| self.is_own(module, a, own)).collect();
        let func = self.program.func(f);
        let name = func.name.as_str();
        if ends_the_program(name) {
            return false;
        }
        if !func.is_declaration() {
            if owns_what_it_points_to(name) && given.iter().all(|g| *g) {
                return self.container_changes_more(f);
            }
            return given.len() != func.params.len() || self.changes_more(f, given);
        }
        let frees = !self.replaced && ["free", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm"].contains(&name);
        let of_host = (is_of_library(name) || is_of_c_library(name)) && !is_of_cuda(name);
        let asks = is_of_cuda(name) && !acts_on_a_device(name);
        !(frees || (of_host || asks) && given.iter().all(|g| *g))
    }

    /// Whether a function of a container that owns its elements changes more than these: by code of the program, which
    /// functions of the library call on elements.
    fn container_changes_more(&mut self, f: FuncRef) -> bool {
        if let Some(known) = self.containers.get(&f) {
            return *known;
        }
        let (mut of_library, mut open): (FxHashSet<FuncRef>, _) = (FxHashSet::default(), vec![f]);
        let mut more = false;
        while let Some(f) = open.pop().filter(|_| !more) {
            if !of_library.insert(f) {
                continue;
            }
            let (mut callees, mut unknown) = (vec![], false);
            let mut called = |callee: &Callee| match callee {
                Callee::Direct(g) => callees.push(self.program.resolve_func(f.module, *g)),
                Callee::Indirect(_) => unknown = true,
            };
            let mut strange = false;
            for b in &self.program.func(f).blocks {
                for i in &b.insts {
                    match &i.op {
                        Op::Call { callee, .. } => called(callee),
                        Op::Other { what, .. } => strange |= what != "landingpad",
                        Op::Asm { .. } => strange = true,
                        _ => {}
                    }
                }
                if let Terminator::Invoke { callee, .. } = &b.term {
                    called(callee);
                }
            }
            more = unknown || strange || callees.into_iter().any(|g| self.element_changes_more(g, &mut open));
        }
        self.containers.insert(f, more);
        more
    }

    /// Whether a function that one of a container calls changes more than what it is given. Adds those of the library
    /// that have bodies to `open`.
    fn element_changes_more(&mut self, f: FuncRef, open: &mut Vec<FuncRef>) -> bool {
        let func = self.program.func(f);
        if func.is_declaration() && is_allocation(&func.name) {
            return self.replaced;
        }
        if ends_the_program(&func.name) {
            return false;
        }
        match (is_of_library(&func.name) || is_of_c_library(&func.name), func.is_declaration()) {
            (true, declared) => {
                if !declared {
                    open.push(f);
                }
                false
            }
            (false, declared) => declared || self.changes_more(f, vec![true; func.params.len()]),
        }
    }

    /// Whether what an operand points to is the object itself, memory of the function or of the C++ library.
    fn is_own(&self, module: ModuleId, o: &Operand, own: &FxHashSet<ValueId>) -> bool {
        match o {
            Operand::Value(v) => own.contains(v),
            Operand::Const(Const::Global { id, .. }) => {
                let g = self.program.global(self.program.resolve_global(module, *id));
                g.constant || g.init.is_none() && is_of_library(&g.name)
            }
            Operand::Const(Const::Func(_) | Const::Opaque { .. } | Const::Address { .. } | Const::Aggregate { .. }) => {
                false
            }
            Operand::Const(_) => true,
        }
    }

    /// Returns the values of a function that are no pointers, or point to what it owns: its stack, what these parameters
    /// point to, and what functions of the C and C++ library made of such pointers.
    fn own_values(&self, f: FuncRef, given: &[bool]) -> FxHashSet<ValueId> {
        let (func, m) = (self.program.func(f), self.program.module(f.module));
        let pointer = |ty| !matches!(m.ty(ty).kind, TypeKind::Int(_) | TypeKind::Float(_) | TypeKind::Void);
        let mut own: FxHashSet<ValueId> = FxHashSet::default();
        for (i, p) in (0_u32..).zip(&func.params) {
            if !pointer(p.ty) || given.get(i as usize) == Some(&true) || p.byval.is_some() {
                own.insert(ValueId(i));
            }
        }
        let slots = slots(func);
        loop {
            let before = own.len();
            for b in &func.blocks {
                for i in &b.insts {
                    let Some(result) = i.result else { continue };
                    if !pointer(i.ty) || self.is_made_of_own(f.module, &i.op, &own, &slots) {
                        own.insert(result);
                    }
                }
                if let Terminator::Invoke { result: Some(r), ty, callee, args, .. } = &b.term
                    && (!pointer(*ty) || self.returns_own(f.module, callee, args, &own))
                {
                    own.insert(*r);
                }
            }
            if own.len() == before {
                return own;
            }
        }
    }

    /// Whether an instruction makes a pointer to memory of the function from such pointers. `slots`: the values that
    /// variables of the function hold, whose addresses go nowhere.
    fn is_made_of_own(
        &self,
        module: ModuleId,
        op: &Op,
        own: &FxHashSet<ValueId>,
        slots: &FxHashMap<ValueId, Vec<&Operand>>,
    ) -> bool {
        let is_own = |o: &Operand| self.is_own(module, o, own);
        match op {
            Op::Alloca { .. } => true,
            Op::Gep { base: o, .. }
            | Op::Freeze(o)
            | Op::Cast { op: CastOp::Bitcast | CastOp::AddrSpaceCast, value: o, .. } => is_own(o),
            Op::Select { a, b, .. } => is_own(a) && is_own(b),
            Op::Phi(of) => of.iter().all(|(_, o)| is_own(o)),
            Op::Load { ptr: Operand::Value(slot), .. } => {
                slots.get(slot).is_some_and(|stored| stored.iter().all(|o| is_own(o)))
            }
            Op::Call { callee, args } => self.returns_own(module, callee, args, own),
            _ => false,
        }
    }

    /// Whether a call returns a pointer into memory that it is given, or new memory: a function of the C and C++
    /// library that is given nothing else.
    fn returns_own(&self, module: ModuleId, callee: &Callee, args: &[Operand], own: &FxHashSet<ValueId>) -> bool {
        let Callee::Direct(f) = callee else { return false };
        let func = self.program.func(self.program.resolve_func(module, *f));
        func.is_declaration()
            && (is_of_library(&func.name) || ["_Znwm", "_Znam", "malloc"].contains(&func.name.as_str()))
            && args.iter().all(|a| self.is_own(module, a, own))
    }
}

/// Whether a function allocates or frees memory of the host.
fn is_allocation(name: &str) -> bool {
    ["malloc", "free"].contains(&name) || ["_Znw", "_Zna", "_Zdl", "_Zda"].iter().any(|start| name.starts_with(start))
}

/// Whether a function ends the program without code of the program.
fn ends_the_program(name: &str) -> bool {
    ["__clang_call_terminate", "_ZSt9terminatev", "abort"].contains(&name)
}

/// Whether a function belongs to a class of the C++ library that owns all memory that its objects point to.
fn owns_what_it_points_to(name: &str) -> bool {
    const CLASSES: [&str; 8] = [
        "7__cxx1112basic_string",
        "6vector",
        "11logic_error",
        "13runtime_error",
        "9exception",
        "12domain_error",
        "11range_error",
        "12system_error",
    ];
    let method = name.strip_prefix("_ZNKSt").or_else(|| name.strip_prefix("_ZNSt"));
    method.is_some_and(|m| CLASSES.iter().any(|c| m.starts_with(c)))
        || name.starts_with("_ZStplIcSt11char_traitsIcESaIcE")
}

/// Returns what is stored in each variable on a function's stack whose address is used for loads and stores alone.
fn slots(func: &Function) -> FxHashMap<ValueId, Vec<&Operand>> {
    let mut slots: FxHashMap<ValueId, Vec<&Operand>> = FxHashMap::default();
    let insts = || func.blocks.iter().flat_map(|b| &b.insts);
    slots.extend(insts().filter(|i| matches!(i.op, Op::Alloca { .. })).filter_map(|i| Some((i.result?, vec![]))));
    let mut used = FxHashSet::default();
    let mut note = |o: &Operand| {
        if let Operand::Value(v) = o {
            used.insert(*v);
        }
    };
    for b in &func.blocks {
        for i in &b.insts {
            match &i.op {
                Op::Load { .. } | Op::Lifetime { .. } => {}
                Op::Store { ptr, value, .. } => {
                    note(value);
                    if let Operand::Value(p) = ptr
                        && let Some(stored) = slots.get_mut(p)
                    {
                        stored.push(value);
                    }
                }
                op => op.operands(&mut note),
            }
        }
        b.term.operands(&mut note);
    }
    slots.retain(|v, _| !used.contains(v));
    slots
}
