//! Kernel launches: whether a launch runs at all, its arguments, and which of its threads to run.

use super::block::{BlockEnd, KernelCall};
use super::configuration::{InnerLaunch, LaunchConfiguration};
use super::outcome::LaunchOutcome;
use super::shape::GridShape;
use crate::api::{BlockThread, IsolatedLaunch, ObjectKind, ProgramPoint, TriedThreads};
use crate::api::{Cause, UndecidedReason};
use crate::library::arguments::read;
use crate::library::runtime::COOPERATIVE_TOO_LARGE;
use crate::machine::call::{ThreadStop, Wait};
use crate::machine::state::Machine;
use crate::machine::thread::{CurrentLaunch, Thread, ThreadPosition};
use crate::machine::value::{Reason, Val, mask};
use crate::memory::globals::leaves;
use crate::memory::space::{Obj, WindowId, split};
use crate::memory::store::Fill;
use ir::{FuncRef, Param, Program};
use std::rc::Rc;

/// First-pass bounds on running launches only for their effects: steps of one launch, and of all together. Beyond
/// them the effects are havocked.
const SIDE_STEPS: u64 = 100_000;
const ALL_SIDE_STEPS: u64 = 2_000_000;
/// Most threads of a launch that runs only for its effects; a larger one is not tried.
const SIDE_THREADS: u64 = 1 << 14;

/// Most launches of one run; with more, the program is assumed to run forever, as a server does.
const MAX_LAUNCHES: u64 = 50_000;

/// Most launches inside each other (CUDA C++ Programming Guide 13.0, 4.18, nesting depth).
const MAX_DEPTH: u32 = 24;

/// Whether no device has room for all blocks of a launch at the same time. Bound: the multiprocessors of a B200, with
/// 2048 threads and 32 blocks each.
fn is_too_large_together(grid: [u32; 3], block: [u32; 3]) -> bool {
    let count = |v: [u32; 3]| v.iter().fold(1u64, |n, k| n.saturating_mul(u64::from(*k)));
    let blocks = count(grid);
    blocks > 148 * 32 || blocks.saturating_mul(count(block)) > 148 * 2048
}

impl Machine<'_> {
    /// Kernel behind a launch handle, which is the address of the kernel's host stub.
    pub fn kernel_of(&self, handle: Val) -> Result<FuncRef, UndecidedReason> {
        let Some(a) = handle.known() else {
            return Err(self.reasons.why(handle.poison, |why| format!("which kernel is launched depends on {why}")));
        };
        let Some(stub) = self.mem.func_at(a) else {
            return Err("the launched kernel is not a function of the program".into());
        };
        let name = &self.program.func(stub).name;
        match (self.program.kernel_of_stub(stub.module, name), Program::kernel_symbol_of_stub(name)) {
            (Some(k), _) => Ok(k),
            (None, Some(symbol)) => Err(format!("the kernel `{symbol}` has no device code here").into()),
            (None, None) => Err(format!("`{name}` is launched, but is not a kernel").into()),
        }
    }

    /// Executes a launch and returns the runtime's error code. `args` points to an array of pointers to the
    /// arguments.
    pub fn launch(
        &mut self,
        th: &mut Thread,
        handle: Val,
        configuration: &LaunchConfiguration,
        args: Val,
    ) -> Result<u64, ThreadStop> {
        let LaunchConfiguration { grid, block, shared, attributes } = configuration;
        let ordinal = self.cuda.launches;
        self.cuda.launches += 1;
        if self.cuda.launches > MAX_LAUNCHES {
            return Err(ThreadStop::Unknown(format!("the program launches more than {MAX_LAUNCHES} times").into()));
        }
        let site = self.launch_site(th);
        self.cuda.sites.extend(site);
        let at = site.map(|s| self.line(s)).unwrap_or_default();
        if let Some(kernel) = self.tile_kernel_of(handle) {
            return self.launch_of_tiles(th, kernel, configuration, args);
        }
        let kernel = match self.kernel_of(handle) {
            Ok(k) => k,
            Err(why) => {
                let reason = self.reason(why.cause, &why.text);
                self.seen.doubt(why.said(|why| format!("{at}: {why}")));
                self.havoc_reachable(th, &[args], reason);
                return Ok(0);
            }
        };
        let values = self.kernel_arguments(th, kernel, args)?;
        let unknown = grid.iter().chain(block).chain([shared]).find(|v| v.is_poison());
        if let Some(v) = unknown {
            let why = self.reasons.why(v.poison, |why| format!("{at}: a launch parameter depends on {why}"));
            if self.sought(kernel, site, None) {
                self.seen.doubt(why);
            }
            self.havoc_effects(kernel, &values, v.poison);
            return Ok(0);
        }
        let small = |v: Val| crate::machine::value::low32(v.bits);
        let shared = shared.bits;
        let asked = (grid.map(small), block.map(small));
        let (GridShape { grid, block, cluster }, fate) = match self.shape(kernel, asked, attributes) {
            Ok(shape) => {
                let fate = self.fate(kernel, shape.grid, shape.block, shared);
                (shape, fate)
            }
            Err(fate) => (GridShape { grid: asked.0, block: asked.1, cluster: [1; 3] }, fate),
        };
        match fate {
            LaunchOutcome::Runs => {}
            LaunchOutcome::Refused(code) => {
                self.cuda.error = code;
                return Ok(code);
            }
            LaunchOutcome::Undecided(why) => {
                let why = format!("{at}: whether the launch runs is not known: {why}");
                let reason = self.reason(Cause::Other, &why);
                self.seen.doubt(why);
                self.havoc_effects(kernel, &values, reason);
                return Ok(0);
            }
        }
        if attributes.cooperative && is_too_large_together(grid, block) {
            self.cuda.error = COOPERATIVE_TOO_LARGE;
            return Ok(COOPERATIVE_TOO_LARGE);
        }
        self.cuda.ran += 1;
        let given = Rc::new(values.clone());
        let launch = CurrentLaunch { ordinal, site, kernel, grid, block, cluster: Some(cluster), arguments: given };
        if self.contract_of(kernel).is_some() {
            self.contract_at_launch(th, &launch, (&values, shared))?;
        }
        let arguments = KernelCall { kernel, values, shared };
        let outer = self.launch.replace(launch.clone());
        let r = self.run_launch(&arguments, &launch);
        self.launch = outer;
        r.map(|()| 0)
    }

    /// Launches a kernel that is itself the root, with these arguments.
    ///
    /// # Errors
    /// Returns how the launch stops; also fails if the launch is unknown or would be refused.
    pub fn launch_alone(&mut self, kernel: FuncRef, values: Vec<Val>) -> Result<(), ThreadStop> {
        let Some(IsolatedLaunch { grid, block, shared }) = self.inputs.launch else {
            return Err(ThreadStop::Unknown("its launch configuration is unknown".into()));
        };
        let (cluster, fate) = match self.may_be_launched(kernel, (grid, block)) {
            Ok(cluster) => (cluster, self.fate(kernel, grid, block, shared)),
            Err(fate) => (None, fate),
        };
        match fate {
            LaunchOutcome::Runs => {}
            LaunchOutcome::Refused(_) => return Err(ThreadStop::Ended("the launch is refused".to_owned())),
            LaunchOutcome::Undecided(why) => return Err(ThreadStop::Unknown(why.into())),
        }
        self.cuda.ran += 1;
        let given = Rc::new(values.clone());
        let launch = CurrentLaunch { ordinal: 0, site: None, kernel, grid, block, cluster, arguments: given };
        let arguments = KernelCall { kernel, values, shared };
        self.launch = Some(launch.clone());
        self.run_launch(&arguments, &launch)
    }

    /// Runs a launch, and then those that its threads made.
    pub(super) fn run_launch(&mut self, args: &KernelCall, launch: &CurrentLaunch) -> Result<(), ThreadStop> {
        let begun = self.cuda.inner.len();
        let r = if self.seen.target.is_none() { self.run_all(args, launch) } else { self.run_for_target(args, launch) };
        // The attempt's effects are rolled back.
        if self.seen.wants_snapshot && r == Err(ThreadStop::Found) {
            self.seen.snapshot = Some(self.snapshot(args, launch));
        }
        r?;
        self.run_inner_launches(begun)
    }

    /// Launch site in the user's code, outside the launch stub: of a graph's work, where the program asked for it.
    pub fn launch_site(&self, th: &Thread) -> Option<ProgramPoint> {
        if self.cuda.launched_for.is_some() {
            return self.cuda.launched_for;
        }
        let mut frames = th.frames.iter().rev();
        let inner = frames.next()?;
        let site = |f: &crate::machine::thread::Frame| crate::machine::thread::site_of(&f.code, f.pc.wrapping_sub(1));
        if Program::kernel_symbol_of_stub(&self.program.func(inner.code.func).name).is_some() {
            return frames.next().map(site);
        }
        Some(site(inner))
    }

    /// Runs the launches that device threads made, from a place in their list on.
    pub(super) fn run_inner_launches(&mut self, from: usize) -> Result<(), ThreadStop> {
        let mut launches = self.cuda.inner.split_off(from);
        launches.sort_by_key(|launch| launch.tail);
        if !launches.is_empty() && self.cuda.inner_depth >= MAX_DEPTH {
            return Err(ThreadStop::Unknown("a kernel launches deeper than a device may go".into()));
        }
        let ordinal = self.launch.as_ref().map_or(0, |l| l.ordinal);
        for InnerLaunch { kernel, values, grid, block, cluster, shared, site, .. } in launches {
            self.tick()?;
            if self.cuda.trapped.is_some() {
                return Ok(());
            }
            let arguments = Rc::new(values.clone());
            let launch = CurrentLaunch { ordinal, site, kernel, grid, block, cluster: Some(cluster), arguments };
            let outer = self.launch.replace(launch.clone());
            self.cuda.inner_depth += 1;
            let r = self.run_launch(&KernelCall { kernel, values, shared }, &launch);
            self.cuda.inner_depth -= 1;
            self.launch = outer;
            r?;
        }
        Ok(())
    }

    /// Records that a kernel was not run to its end, if it might have launched one that executes the target.
    pub(super) fn launches_are_lost(&mut self, kernel: FuncRef) {
        let e = self.effects.of(self.program, kernel);
        let Some(target) = self.seen.target.as_ref().filter(|_| e.launches) else { return };
        if e.indirect || e.calls.contains(&target.site.func) {
            let name = &self.program.func(kernel).display;
            self.seen.doubt(format!("what `{name}` launches is not known"));
        }
    }
    /// Reads the arguments from host memory in the layout of the kernel's parameters.
    pub(super) fn kernel_arguments(&mut self, th: &Thread, kernel: FuncRef, args: Val) -> Result<Vec<Val>, ThreadStop> {
        let mut out = Vec::new();
        for (i, p) in (0u64..).zip(&self.program.func(kernel).params) {
            let at = read(self, th, Val { bits: args.bits + 8 * i, ..args }, 64)?;
            self.kernel_argument(th, (kernel, p), at, &mut out)?;
        }
        Ok(out)
    }

    /// Reads one argument of a kernel from an address.
    pub(super) fn kernel_argument(
        &mut self,
        th: &Thread,
        (kernel, p): (FuncRef, &Param),
        at: Val,
        out: &mut Vec<Val>,
    ) -> Result<(), ThreadStop> {
        let m = self.program.module(kernel.module);
        if let Some(t) = p.byval {
            let size = m.size_of(t).get();
            let mut obj = Obj::new(ObjectKind::KernelParam, p.name.as_str().into(), size, Fill::Poison(at.poison));
            let (id, off) = split(at.bits);
            if let Some(o) = self.mem.get(&th.stack, id).filter(|o| !at.is_poison() && o.holds(off, size)) {
                obj.store.paste(0, &o.store.cut(off.cast_unsigned(), size));
            }
            let id = self
                .mem
                .add(obj)
                .ok_or_else(|| ThreadStop::Unknown("more objects than the interpreter can hold".into()))?;
            out.push(Val::new(id.address()));
            return Ok(());
        }
        for (off, bits) in leaves(m, p.ty) {
            if bits == 0 {
                out.push(Val::poison(Reason::OPEN));
                continue;
            }
            let v = read(self, th, Val { bits: at.bits + off, ..at }, u32::from(bits))?;
            out.push(if v.is_poison() { v } else { Val::new(v.bits & mask(u32::from(bits))) });
        }
        Ok(())
    }

    /// Runs all blocks and threads.
    fn run_all(&mut self, args: &KernelCall, launch: &CurrentLaunch) -> Result<(), ThreadStop> {
        let [gx, gy, gz] = launch.grid;
        for z in 0..gz {
            for y in 0..gy {
                for x in 0..gx {
                    self.tick()?;
                    if let BlockEnd::Stuck(why) = self.run_block(args, launch, [x, y, z])? {
                        let kernel = &self.program.func(launch.kernel).display;
                        self.seen.doubt(why.said(|why| format!("in `{kernel}`: {why}")));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a launch of this kernel at this site may execute the target access.
    fn sought(&mut self, kernel: FuncRef, site: Option<ProgramPoint>, ordinal: Option<u64>) -> bool {
        let Some(t) = self.seen.target.clone() else { return true };
        if t.launch_site.is_some() && t.launch_site != site {
            return false;
        }
        if let (Some(want), Some(is)) = (t.launch, ordinal)
            && want != is
        {
            return false;
        }
        let e = self.effects.of(self.program, kernel);
        e.calls.contains(&t.site.func) || e.indirect
    }

    fn run_for_target(&mut self, args: &KernelCall, launch: &CurrentLaunch) -> Result<(), ThreadStop> {
        if self.sought(launch.kernel, launch.site, Some(launch.ordinal)) {
            self.seen.armed = true;
            let before = self.steps;
            let r = self.attempts(args, launch);
            self.cuda.tried_steps += self.steps - before;
            self.seen.armed = false;
            r?;
        }
        self.side_effects(args, launch)
    }

    /// Runs the threads to try, then rolls back their effects.
    fn attempts(&mut self, args: &KernelCall, launch: &CurrentLaunch) -> Result<(), ThreadStop> {
        let Some(target) = self.seen.target.clone() else { return Ok(()) };
        let inside = |v: [u64; 3], limit: [u32; 3]| v.iter().zip(limit).all(|(a, n)| *a < u64::from(n));
        #[expect(clippy::cast_possible_truncation, reason = "checked to be inside the grid or block")]
        let narrow = |v: [u64; 3]| v.map(|x| x as u32);
        match target.threads {
            TriedThreads::List(list) => {
                let mut blocks: Vec<[u32; 3]> = Vec::new();
                for (b, t) in
                    list.into_iter().filter(|(b, t): &BlockThread| inside(*b, launch.grid) && inside(*t, launch.block))
                {
                    let place = ThreadPosition { block: narrow(b), thread: narrow(t) };
                    if !self.try_thread(args, place, target.site)? && !blocks.contains(&place.block) {
                        blocks.push(place.block);
                    }
                }
                for b in blocks {
                    self.try_block(args, launch, b)?;
                }
            }
            TriedThreads::Block(b) => {
                if inside(b, launch.grid) {
                    self.try_block(args, launch, narrow(b))?;
                }
            }
            TriedThreads::Any => {
                let [gx, gy, gz] = launch.grid;
                let last = [gx - 1, gy - 1, gz - 1];
                self.try_block(args, launch, [0; 3])?;
                if last != [0; 3] {
                    self.try_block(args, launch, last)?;
                }
                for z in 0..gz {
                    for y in 0..gy {
                        for x in 0..gx {
                            if [x, y, z] != [0; 3] && [x, y, z] != last {
                                self.try_block(args, launch, [x, y, z])?;
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs one thread alone; returns whether that decides what the thread does. Otherwise nothing is kept of it.
    fn try_thread(
        &mut self,
        args: &KernelCall,
        place: ThreadPosition,
        target: ProgramPoint,
    ) -> Result<bool, ThreadStop> {
        let was_unclear = self.seen.unclear.contains_key(&target);
        self.seen.hidden = false;
        let end = self.attempt(|m| m.run_alone(args, place))?;
        let is_hidden = std::mem::take(&mut self.seen.hidden);
        if is_hidden && !was_unclear {
            self.seen.clear(target);
        }
        Ok(end == BlockEnd::All && !is_hidden)
    }

    fn try_block(&mut self, args: &KernelCall, launch: &CurrentLaunch, block: [u32; 3]) -> Result<(), ThreadStop> {
        if let BlockEnd::Stuck(why) = self.attempt(|m| m.run_block(args, launch, block))? {
            let kernel = &self.program.func(launch.kernel).display;
            self.seen.doubt(why.said(|why| format!("in `{kernel}`: {why}")));
        }
        Ok(())
    }

    fn attempt(&mut self, f: impl FnOnce(&mut Self) -> Result<BlockEnd, ThreadStop>) -> Result<BlockEnd, ThreadStop> {
        let launched = self.cuda.inner.len();
        self.mem.begin();
        let r = f(self);
        self.mem.rollback();
        self.cuda.inner.truncate(launched);
        self.cuda.trapped = None;
        r
    }

    /// Applies the launch's effects on memory: runs it if it is small, otherwise havocs what it may write.
    fn side_effects(&mut self, args: &KernelCall, launch: &CurrentLaunch) -> Result<(), ThreadStop> {
        let count = |v: [u32; 3]| v.iter().fold(1_u64, |all, n| all.saturating_mul(u64::from(*n)));
        let threads = count(launch.grid).saturating_mul(count(launch.block));
        let patient = self.budget.loop_steps == u64::MAX;
        let tried = patient
            || threads <= SIDE_THREADS
                && !self.cuda.dear.contains(&launch.kernel)
                && self.cuda.side_steps < ALL_SIDE_STEPS;
        let mut done = false;
        if tried {
            let (total, before) = (self.budget.steps, self.steps);
            let launched = self.cuda.inner.len();
            if !patient {
                self.budget.steps = total.min(self.steps + SIDE_STEPS);
            }
            self.next_check = 0;
            let r = self.side_blocks(args, launch);
            self.budget.steps = total;
            self.next_check = 0;
            self.cuda.side_steps += self.steps - before;
            match r {
                Ok(all) => done = all,
                // Either the launch's own bound or the run's is spent.
                Err(ThreadStop::Budget) => self.tick()?,
                Err(stop) => return Err(stop),
            }
            if !done {
                self.cuda.inner.truncate(launched);
            }
        }
        if !done {
            self.launches_are_lost(launch.kernel);
            if ir::kernels_may_wait(self.program) && self.libc.threads.leave_unfinished() {
                let text = "a host thread may wait for a kernel that was not run to its end";
                return Err(ThreadStop::Unknown(text.into()));
            }
            // A trap would end the device work, which decides everything that follows.
            if self.effects.of(self.program, launch.kernel).traps && self.cuda.trapped.is_none() {
                let name = &self.program.func(launch.kernel).display;
                if !patient {
                    self.seen.skipped = true;
                    return Err(ThreadStop::Unknown(format!("whether a thread of `{name}` traps is not known").into()));
                }
                self.seen.assume(format!("no thread of `{name}` traps or fails an assert"));
            }
            self.cuda.dear.insert(launch.kernel);
            self.seen.skipped = true;
            let why =
                self.reason(Cause::Contents, &format!("what `{}` writes", self.program.func(launch.kernel).display));
            self.havoc_effects(launch.kernel, &args.values, why);
        }
        Ok(())
    }

    fn side_blocks(&mut self, args: &KernelCall, launch: &CurrentLaunch) -> Result<bool, ThreadStop> {
        let [gx, gy, gz] = launch.grid;
        for z in 0..gz {
            for y in 0..gy {
                for x in 0..gx {
                    if self.run_block(args, launch, [x, y, z])? != BlockEnd::All {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Wait of a thread at the barrier of its cluster. Blocks run one by one, so that writes of the cluster's other
    /// blocks before the barrier are unknown.
    pub fn wait_for_cluster(&mut self) -> Wait {
        if let Some(launch) = self.launch.clone().filter(|l| l.cluster != Some([1; 3])) {
            let why = self.reason(Cause::Contents, "what other blocks of the cluster write");
            self.havoc_effects(launch.kernel, &launch.arguments, why);
            let mut nobody = Thread::device(ThreadPosition { block: [0; 3], thread: [0; 3] }, false);
            for id in self.mem.shared_ids() {
                self.havoc_object(&mut nobody, id, why);
            }
        }
        Wait::Barrier { id: u32::MAX, vote: None }
    }

    /// Havocs everything that a kernel may write.
    fn havoc_effects(&mut self, kernel: FuncRef, values: &[Val], why: Reason) {
        let program = self.program;
        let konst = crate::library::modelled::const_arguments(program.func(kernel));
        let m = program.module(kernel.module);
        // Const flags are per parameter; each parameter has one or more scalars.
        let mut roots: Vec<WindowId> = Vec::new();
        let mut at = 0;
        for (i, p) in program.func(kernel).params.iter().enumerate() {
            let n = if p.byval.is_some() { 1 } else { leaves(m, p.ty).len() };
            if !konst.get(i).copied().unwrap_or(false) {
                roots.extend(values.iter().skip(at).take(n).map(|v| split(v.bits).0).filter(|id| id.0 != 0));
            }
            at += n;
        }
        let e: Rc<crate::code::effect::FunctionEffect> = self.effects.of(program, kernel);
        for g in &e.globals {
            let a = self.global_address(g.module, g.global);
            roots.push(split(a).0);
        }
        let mut nobody = Thread::device(ThreadPosition { block: [0; 3], thread: [0; 3] }, false);
        for id in self.mem.reachable(&nobody.stack, &roots) {
            self.havoc_object(&mut nobody, id, why);
        }
    }

    /// Performs `cudaMemcpyToSymbol`, which may write variables that kernels cannot.
    pub fn write_symbol(
        &mut self,
        th: &mut Thread,
        site: ProgramPoint,
        dst: Val,
        src: Val,
        len: Val,
    ) -> Result<(), ThreadStop> {
        let id = split(dst.bits).0;
        let constant = self.mem.global_mut(id).is_some_and(|o| std::mem::take(&mut o.constant));
        let r = self.copy(th, || site, dst, src, len);
        if let Some(o) = self.mem.global_mut(id) {
            o.constant = constant;
        }
        r
    }
}
