//! Calls whose callee is known but not executed: calls through an unknown pointer, recursion beyond the depth limit,
//! or calls by a library that was given the function.
//!
//! In: the functions that may be called. Out: a state in which everything that they could write is unknown. The
//! executor records them by `Limits::miss` where they may do what a claim depends on: launch, allocate or copy on the
//! host, access memory in a kernel.
//!
//! A library finds functions among its arguments and in all memory reachable from them, including virtual tables; of
//! an argument that points into an object, only from that offset on. Libraries with an interface for C, and the C++
//! library itself, look no further than the memory that their arguments point to. A library may call functions and
//! write objects that it was given, whenever something outside the program is called later. In unknown memory it may
//! find any function whose address is taken; the analysis assumes that the program's C library and CUDA look at none
//! there. Addresses of functions that were passed on as integers are not seen.

use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::limits::cost::HostPart;
use crate::symbolic::memory::object::{ObjId, ObjKind, UncoveredContents};
use crate::symbolic::memory::value::has_unknown_pointer;
use crate::symbolic::memory::value::{Base, GuardedTarget, UnknownPointer, Value};
use crate::symbolic::pointers::points_to::StoredAddresses;
use crate::symbolic::pointers::reached::ReachedObjects;
use base::inside::{self, Dump};
use base::reasons::UnknownReason;
use ir::{FuncRef, GlobalRef, Program, Side};
use models::attributes::{
    asks_about_kernels, calls_nothing, is_launch, is_manipulator, is_of_c_interface, is_of_cuda, is_of_library,
    keeps_functions, may_be_the_programs, may_keep_addresses, may_launch_given, writes_what_it_is_given,
};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Functions and objects that a library was given and may use.
#[derive(Default)]
struct LibraryEscapes {
    functions: FxHashSet<FuncRef>,
    /// Whether any function whose address is taken is among them; `anywhere`: any function whose address is stored at
    /// an unknown address.
    taken: bool,
    anywhere: bool,
    /// Whether a kernel is among them.
    kernel: bool,
    /// Objects that these functions may write, since the library knows them.
    objects: FxHashSet<ObjId>,
}

/// Returns the targets of the pointers in a value.
pub(in crate::symbolic) fn targets(v: &Value) -> Vec<GuardedTarget> {
    match v {
        Value::Ptr(p) => p.to_vec(),
        Value::Aggregate(e) => e.iter().flat_map(targets).collect(),
        // Integers are no pointers, and the targets of an unknown value cannot be listed.
        _ => vec![],
    }
}

impl ExecutionContext<'_> {
    /// Havocs what one of these functions may change, without executing it.
    pub fn havoc_call(&mut self, s: &mut State, callees: &[FuncRef], args: &[Value], why: &UnknownReason) {
        self.kernel.unknown_code |= self.side == Side::Device;
        inside::dump(Dump::State, || self.passed_by(callees, why));
        if self.change_nothing(s, callees) {
            return;
        }
        let args = &self.without_texts_read(callees, args);
        let with_bodies: Vec<FuncRef> =
            callees.iter().copied().filter(|f| !self.function(*f).is_declaration()).collect();
        let (mut objects, anything) = self.could_write(&with_bodies, why);
        // The callee may be a function of the program in an unavailable unit.
        if callees.iter().any(|f| self.may_be_the_programs(*f)) {
            // On a device it may write the variables that it names, and what they lead to.
            self.kernel.written_anywhere |= self.side == Side::Device;
            let mut exported = self.limits.effort().exported().to_vec();
            exported.retain(|g| !self.runtime.of_constructors.contains(g));
            for g in exported {
                objects.push(self.global_object(g.module, g.global));
            }
            self.exported_run(s, why);
            // The caller of the analysed function may have stored its arguments where others find them.
            objects.extend(self.heap.parameters());
        }
        let given = args;
        let mut args = given.clone();
        args.extend(objects.into_iter().map(|o| self.pointer(o, 0)));
        let libraries: Vec<FuncRef> = callees.iter().copied().filter(|f| self.function(*f).is_declaration()).collect();
        self.lend(s, &libraries, &args, why);
        let keeps = self.side == Side::Host && libraries.iter().any(|f| may_keep_addresses(&self.function(*f).name));
        if keeps {
            for o in self.points_to.given() {
                let given = self.pointer(o, 0);
                args.push(given);
            }
        }
        // Targets of unknown pointers.
        let anywhere =
            self.side == Side::Host && (keeps || libraries.len() < callees.len()) && self.may_reach_anything(s, &args);
        if keeps {
            let reached = self.reached_from(s, &args);
            self.points_to.give(&reached);
        }
        self.clobber(s, &args, why);
        let written = self.side == Side::Host
            && libraries.iter().any(|f| writes_what_it_is_given(&self.function(*f).name))
            && given.iter().any(has_unknown_pointer);
        if anything || anywhere || written {
            self.havoc_escaped(s, why, false);
        }
    }

    /// Names the skipped callees and the call stack, for the dump of states.
    fn passed_by(&self, callees: &[FuncRef], why: &UnknownReason) -> String {
        let at = self.call_stack().iter().rev().map(|s| {
            let block = &self.function(s.func).blocks[s.block.index()];
            let loc = block.insts.get(s.inst as usize).map_or(block.term_loc, |i| i.loc);
            self.program.loc(s.func.module, loc).to_string()
        });
        let names: Vec<&str> = callees.iter().map(|f| self.function(*f).display.as_str()).collect();
        format!("passed by: {}: {why}, at {}", names.join(", "), at.collect::<Vec<_>>().join(" < "))
    }

    /// Whether a call with these arguments reaches an unknown pointer.
    fn may_reach_anything(&mut self, s: &State, args: &[Value]) -> bool {
        args.iter().any(has_unknown_pointer)
            || self
                .reached_from(s, args)
                .into_iter()
                .any(|o| s.mem.get(&o).is_some_and(|st| st.cells.values().any(|(_, v)| has_unknown_pointer(v))))
    }

    /// Havocs like [`Self::havoc_call`], for a function that may run at any later time, such as that of a thread.
    pub fn start(&mut self, s: &mut State, callee: FuncRef, args: &[Value], why: &UnknownReason) {
        let (mut objects, anything) = self.could_write(&[callee], why);
        for a in args {
            self.collect_objects(a, &mut objects);
        }
        let anything = anything || args.iter().any(has_unknown_pointer);
        self.points_to.lend(objects, anything);
        self.havoc_call(s, &[callee], args, why);
    }

    /// Havocs what callbacks may do that the library function `f` calls, if the program registered some earlier.
    pub(in crate::symbolic) fn may_be_called_back(&mut self, s: &mut State, f: FuncRef) {
        // All reads and writes of a stream use the buffer that the program gave it.
        if self.runtime.stream_buffers || !calls_nothing(&self.function(f).name) {
            self.others_run(s);
        }
    }

    /// Havocs what earlier registered callbacks and other host threads may write. They may run at calls of anything
    /// outside the program, and before reads of memory that others may write meanwhile.
    pub fn others_run(&mut self, s: &mut State) {
        if self.side == Side::Device {
            return;
        }
        let (objects, anything) = self.points_to.lent();
        let anything = anything || s.lent.anything;
        let mut objects: Vec<ObjId> = objects.iter().chain(&s.lent.objects).copied().collect();
        // A library is given no function that only constructors call.
        objects.retain(
            |o| !matches!(self.object(*o).kind, ObjKind::HostGlobal(g) if self.runtime.of_constructors.contains(&g)),
        );
        if !anything && objects.is_empty() {
            return;
        }
        objects.sort_unstable();
        objects.dedup();
        let objects: Vec<Value> = objects.into_iter().map(|o| self.pointer(o, 0)).collect();
        let why = &UnknownReason::LibraryCalls;
        self.clobber(s, &objects, why);
        if anything {
            self.havoc_escaped(s, why, false);
        }
    }

    /// Records the functions that these library functions are given and may call, at once or at any later time.
    pub fn lend(&mut self, s: &mut State, callees: &[FuncRef], args: &[Value], why: &UnknownReason) {
        if self.side == Side::Device {
            return;
        }
        for f in callees {
            let func = self.function(*f);
            let lent = self.callbacks(s, &func.name, args);
            let calls_them = !lent.functions.is_empty();
            if lent.kernel && (may_launch_given(&func.name) || calls_them && !asks_about_kernels(&func.name)) {
                self.limits.miss(|| UnknownReason::GivenKernel(func.display.clone()));
            }
            if lent.functions.is_empty() {
                continue;
            }
            let functions: Vec<FuncRef> = lent.functions.into_iter().collect();
            self.runtime.given_away.extend(&functions);
            let (mut objects, anything) = self.could_write(&functions, why);
            objects.extend(lent.objects);
            let places: Vec<Value> = objects.iter().map(|o| self.pointer(*o, 0)).collect();
            if keeps_functions(&func.name) {
                self.lend_on_this_way(s, objects, anything);
            }
            self.clobber(s, &places, why);
            if anything {
                self.havoc_escaped(s, why, false);
            }
        }
    }

    /// Lets libraries write these objects at any later call on this path. In a loop, or if `longjmp` may come back,
    /// the executor does so for all paths, since earlier calls may run again.
    fn lend_on_this_way(&mut self, s: &mut State, objects: Vec<ObjId>, anything: bool) {
        let sites = self.call_stack().to_vec();
        if self.points_to.comes_back || sites.iter().any(|site| self.is_in_loop(site.func, site.block)) {
            return self.points_to.lend(objects, anything);
        }
        let more = StoredAddresses { objects: objects.into_iter().collect(), anything, ..StoredAddresses::default() };
        s.lent = Rc::new(s.lent.with(&more));
    }

    /// Returns the globals that these functions may write, and whether they may write anything else by its name.
    /// Records that they may launch, or access memory in a kernel.
    fn could_write(&mut self, functions: &[FuncRef], why: &UnknownReason) -> (Vec<ObjId>, bool) {
        let (mut globals, mut anything) = (FxHashSet::default(), false);
        let mut seen: FxHashSet<FuncRef> = FxHashSet::default();
        for f in functions.iter().filter(|f| seen.insert(**f)) {
            if self.function(*f).is_declaration() {
                continue;
            }
            if self.side == Side::Device || self.limits.effort().leads_to_cuda(*f) {
                self.limits.miss(|| why.clone());
            }
            if self.side == Side::Device {
                continue;
            }
            let named = self.globals_of(HostPart::Function(*f));
            if named.opaque {
                anything = true;
            } else {
                globals.extend(named.globals.iter().copied());
            }
        }
        // Many functions name the same globals.
        let program = self.program;
        let mut written: Vec<GlobalRef> = globals.into_iter().filter(|g| !program.global(*g).constant).collect();
        if !self.runtime.of_constructors.is_empty() {
            let graph = self.limits.effort().call_graph();
            let once = graph.initialised_once(program);
            if !functions.iter().any(|f| once.is_initialising(*f)) {
                written.retain(|g| !self.runtime.of_constructors.contains(g));
            }
        }
        written.sort_unstable();
        (written.into_iter().map(|g| self.global_object(g.module, g.global)).collect(), anything)
    }

    /// Returns the functions of the program that a library finds in its arguments.
    fn callbacks(&mut self, s: &mut State, library: &str, args: &[Value]) -> LibraryEscapes {
        let mut lent = LibraryEscapes::default();
        if calls_nothing(library) {
            return lent;
        }
        // Libraries that store no functions call their arguments directly.
        if !keeps_functions(library) {
            for t in args.iter().flat_map(targets) {
                self.add_callback(&t.base, &mut lent);
            }
            return lent;
        }
        let deep = !(is_of_c_interface(library) || is_of_library(library));
        let mut open = ReachedObjects::among(self.heap.len());
        for a in args {
            for t in targets(a) {
                if t.base.is_anywhere() && may_keep_addresses(library) {
                    self.add_taken(&mut lent);
                }
                self.add_callback(&t.base, &mut lent);
                self.look_at(s, &t, library, &mut lent, &mut open);
            }
        }
        // Variables of the library itself.
        let own: Vec<ObjId> = s.mem.keys().filter(|o| self.is_of_a_library(*o)).collect();
        for o in own {
            lent.objects.insert(o);
            self.add_stored(s, library, o, &mut lent, &mut open);
        }
        while let Some(o) = open.next() {
            lent.objects.insert(o);
            if deep {
                self.add_stored(s, library, o, &mut lent, &mut open);
            }
        }
        lent
    }

    /// Adds all functions whose address is taken.
    fn add_taken(&self, lent: &mut LibraryEscapes) {
        if !std::mem::replace(&mut lent.taken, true) {
            lent.functions.extend(self.limits.effort().taken());
        }
    }

    /// Adds the functions in memory from a pointer's target on, and the virtual methods if the target is an object of
    /// a class.
    fn look_at(
        &mut self,
        s: &mut State,
        t: &GuardedTarget,
        library: &str,
        lent: &mut LibraryEscapes,
        open: &mut ReachedObjects,
    ) {
        let objects = match &t.base {
            Base::Object(o) => vec![*o],
            Base::Unknown(UnknownPointer { among: Some(a), .. }) => a.objects.clone(),
            // Null and functions hold nothing; for unknown pointers, `callbacks` takes any function.
            _ => return,
        };
        let from = if matches!(t.base, Base::Object(_)) { self.arena.as_int(t.offset) } else { None };
        for o in objects {
            lent.objects.insert(o);
            if self.is_of_device(o) {
                continue;
            }
            self.ensure(s, o);
            let lost = from.is_none()
                || s.mem.get(&o).is_none_or(|m| !matches!(m.rest, UncoveredContents::Uninit | UncoveredContents::Zero));
            let whole = lost || from == Some(0);
            if whole && !is_of_library(library) && !is_of_c_interface(library) {
                self.add_stored(s, library, o, lent, open);
                continue;
            }
            let Some(state) = s.mem.get(&o).cloned() else { continue };
            for (at, (_, v)) in state.cells.range(from.and_then(|b| i64::try_from(b).ok()).unwrap_or(i64::MIN)..) {
                for x in targets(v) {
                    self.add_callback(&x.base, lent);
                    let first = from.is_none_or(|b| b == i128::from(*at));
                    if let Base::Object(table) = x.base {
                        open.add([table]);
                        if first && !is_of_c_interface(library) && self.read_only(table) {
                            self.add_stored(s, library, table, lent, &mut ReachedObjects::among(0));
                        }
                    }
                }
            }
            if whole && let Some(functions) = self.points_to.functions_in(o) {
                for f in functions {
                    self.add_callback(&Base::Func(f), lent);
                }
            }
            if lost && !is_of_c_interface(library) {
                let mut there = StoredAddresses::default();
                self.stored_at(s, o, &mut there);
                for table in there.objects {
                    if self.read_only(table) {
                        self.add_stored(s, library, table, lent, &mut ReachedObjects::among(0));
                    }
                }
            }
        }
    }

    /// Adds the functions that an object holds, and the objects reachable from it.
    fn add_stored(
        &mut self,
        s: &mut State,
        library: &str,
        o: ObjId,
        lent: &mut LibraryEscapes,
        open: &mut ReachedObjects,
    ) {
        if self.is_of_device(o) {
            return;
        }
        self.ensure(s, o);
        let mut there = StoredAddresses::default();
        let elsewhere = self.stored_itself_at(s, o, &mut there);
        // A library's own variables hold only functions that it was given earlier.
        if there.anything && may_keep_addresses(library) && self.is_followed(o) && !self.is_of_a_library(o) {
            self.add_taken(lent);
        }
        for f in there.functions {
            self.add_callback(&Base::Func(f), lent);
        }
        open.add(there.objects);
        // Pointers stored at unknown addresses are the same for all objects.
        if elsewhere.objects {
            self.reach_anywhere(open);
        }
        if elsewhere.functions && !std::mem::replace(&mut lent.anywhere, true) {
            for f in self.points_to.functions_anywhere() {
                self.add_callback(&Base::Func(f), lent);
            }
        }
    }

    /// Returns the functions that a value may point to.
    pub fn functions_of(&self, v: Option<&Value>) -> Vec<FuncRef> {
        let of = |t: GuardedTarget| match t.base {
            Base::Func(f) => vec![f],
            Base::Unknown(UnknownPointer { among: Some(a), .. }) => a.functions.clone(),
            Base::Unknown(_) => self.limits.effort().taken().to_vec(),
            // An object and a null pointer are no functions.
            _ => vec![],
        };
        match v {
            Some(Value::Unknown(_)) => self.limits.effort().taken().to_vec(),
            Some(v) => targets(v).into_iter().flat_map(of).collect(),
            None => vec![],
        }
    }

    /// Records functions that run when the program ends: launches by them are not followed.
    pub fn at_exit(&mut self, functions: &[FuncRef]) {
        for f in functions {
            let named = self.globals_of(HostPart::Function(*f));
            if named.reached.iter().chain([f]).any(|g| is_launch(&self.function(*g).name)) {
                let why = UnknownReason::LaunchesAtExit(self.function(*f).display.clone());
                self.limits.miss(|| why);
            }
            let uses = self.limits.effort().leads_to_cuda(*f);
            self.used_at_exit(uses);
        }
    }

    /// Returns the state at a `setjmp` to which `longjmp` may come back, and the number that `setjmp` returns: zero
    /// with the state `s`, or nonzero after anything may have been written (C11, 7.13.2.1).
    pub fn may_come_back(&mut self, s: State) -> Option<(Value, State)> {
        self.points_to.comes_back = true;
        let why = &UnknownReason::JumpBack;
        let (zero, number) = (self.arena.int(0), self.unknown_int(why, 32));
        let (first, again) = (self.arena.eq(number, zero), self.arena.ne(number, zero));
        let (now, later) = (self.assume(s.clone(), first), self.assume(s, again));
        let later = later.map(|mut s| {
            let mut all: Vec<ObjId> = s.mem.keys().collect();
            all.sort_unstable();
            for o in all {
                if !self.read_only(o) || self.is_of_device(o) {
                    self.havoc(&mut s, o, why, false);
                }
            }
            s
        });
        let (s, _) = self.merge(now.into_iter().chain(later).collect())?;
        Some((Value::Int(number), s))
    }
}

impl MemoryDomain<'_> {
    /// Lets the C library write these objects at any later call, and anything if `anything` is set.
    pub fn lend_objects(&mut self, objects: Vec<ObjId>, anything: bool) {
        self.points_to.lend(objects, anything);
    }

    fn is_of_a_library(&self, o: ObjId) -> bool {
        matches!(self.object(o).kind, ObjKind::HostGlobal(r) if !self.program.global(r).defined)
    }
}

impl ValueDomain<'_> {
    /// Whether a function without a body may belong to the program itself, and so know its variables by name: any
    /// function not known to be a library's. Units that no CUDA compiler reads are of that kind, those in C above all.
    fn may_be_the_programs(&self, f: FuncRef) -> bool {
        let func = self.function(f);
        if self.side == Side::Device {
            // Reserved names belong to the compiler and to CUDA, which know nothing of the program.
            return func.is_declaration()
                && !func.name.starts_with("__")
                && !is_of_cuda(&func.name)
                && !is_of_library(&func.name);
        }
        func.is_declaration() && may_be_the_programs(&func.name)
    }

    fn add_callback(&self, base: &Base, lent: &mut LibraryEscapes) {
        let among = match base {
            Base::Func(f) => std::slice::from_ref(f),
            Base::Unknown(UnknownPointer { among: Some(a), .. }) => &a.functions,
            // Objects are no functions; for unknown pointers, `callbacks` takes any function.
            _ => &[],
        };
        for f in among {
            let name = &self.function(*f).name;
            if Program::kernel_symbol_of_stub(name).is_some() {
                lent.kernel = true;
            } else if !is_manipulator(name) {
                lent.functions.insert(*f);
            }
        }
    }
}
