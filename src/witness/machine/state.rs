//! State of a run: memory, compiled functions and observations.
//!
//! Each subsystem has one field, whose type is defined in the subsystem, below this file: threads in `thread`,
//! outcomes of calls in `call`, the instructions in `form`. Models receive the whole machine.

use super::call::{Ret, ThreadStop};
use super::form::{CallInfo, FunctionCode};
use super::operands;
use super::thread::{CurrentLaunch, Thread, ThreadPosition, site_of};
use super::thrown::Exceptions;
use super::value::{Reason, Reasons, Val};
use crate::api::Cause;
use crate::api::{AccessFault, BadAccess, ConcreteInputs, IntendedObject, ObjectKind, ProgramPoint, RunBudget};
use crate::code::effect::FunctionEffects;
use crate::code::region::BranchMemo;
use crate::library::process::Libc;
use crate::library::runtime::Cuda;
use crate::memory::space::{ConcreteMemory, WindowId, split};
use crate::observe::{BadAccessKey, Observer};
use base::work::{self, Allotment, cost};
use finding::Direction;
use ir::{BlockId, FuncRef, GlobalRef, Program};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Steps between budget checks.
const BETWEEN_CHECKS: u64 = 50_000;

/// Model of a function.
pub type ConcreteModel = fn(&mut Machine<'_>, &mut Thread, &CallInfo, &[Val]) -> Result<Ret, ThreadStop>;

pub struct Machine<'p> {
    pub program: &'p Program,
    pub mem: ConcreteMemory,
    pub reasons: Reasons,
    pub codes: FxHashMap<FuncRef, Rc<FunctionCode>>,
    pub globals: FxHashMap<GlobalRef, u64>,
    /// The single object behind all `extern __shared__` arrays.
    pub dynamic_shared: Option<WindowId>,
    pub budget: RunBudget,
    /// Work budget of the run.
    pub allotment: Allotment,
    charged: u64,
    pub steps: u64,
    /// Step count at which to check the budget next.
    pub next_check: u64,
    pub inputs: ConcreteInputs,
    pub libc: Libc,
    pub cuda: Cuda,
    pub launch: Option<CurrentLaunch>,
    /// Beginning of the program's output.
    pub output: String,
    pub exceptions: Exceptions,
    pub seen: Observer,
    pub effects: FunctionEffects,
    /// Whether the root is called once the functions that run now have returned.
    pub before_root: bool,
    pub known: BranchMemo<'p>,
    /// Whether to look for operations that wrap.
    pub watch: bool,
    /// Whether an operation wrapped.
    pub wrapped: bool,
    pub order: ObjectOrder,
}

/// Order of objects in memory, which differs between runs of one program.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObjectOrder {
    /// Whether objects lie in the reverse of the interpreter's order.
    pub is_reversed: bool,
    /// Whether the program compared addresses of two objects.
    pub is_used: bool,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, inputs: &ConcreteInputs, budget: &RunBudget, seen: Observer) -> Self {
        Self {
            program,
            mem: ConcreteMemory::default(),
            reasons: Reasons::new(),
            codes: FxHashMap::default(),
            globals: FxHashMap::default(),
            dynamic_shared: None,
            budget: *budget,
            allotment: Allotment::of(budget.work),
            charged: 0,
            steps: 0,
            next_check: 0,
            inputs: inputs.clone(),
            libc: Libc::default(),
            cuda: Cuda::default(),
            launch: None,
            output: String::new(),
            exceptions: Exceptions::default(),
            seen,
            effects: FunctionEffects::default(),
            before_root: false,
            known: BranchMemo::default(),
            watch: false,
            wrapped: false,
            order: ObjectOrder::default(),
        }
    }

    pub fn reason(&mut self, cause: Cause, text: &str) -> Reason {
        self.reasons.intern(cause, text)
    }
    /// Poison with this reason.
    pub fn unknown(&mut self, text: &str) -> Val {
        Val::poison(self.reasons.intern(Cause::Other, text))
    }
    pub fn text(&self, r: Reason) -> String {
        self.reasons.text(r).to_owned()
    }

    /// Whether written contents take all the memory that the budget allows.
    pub fn fills_memory(&self) -> bool {
        crate::memory::store::held() > self.budget.memory
    }

    /// Checks the budget; called at jumps and calls.
    #[inline]
    pub fn tick(&mut self) -> Result<(), ThreadStop> {
        if self.steps < self.next_check {
            return Ok(());
        }
        self.next_check = (self.steps + BETWEEN_CHECKS).min(self.budget.steps);
        self.charge_steps();
        if self.steps >= self.budget.steps || self.allotment.is_spent() || self.fills_memory() {
            return Err(ThreadStop::Budget);
        }
        Ok(())
    }

    /// Charges the steps since the last call.
    pub fn charge_steps(&mut self) {
        work::charge_each(cost::INSTRUCTION, usize::try_from(self.steps - self.charged).unwrap_or(0));
        self.charged = self.steps;
    }

    /// `file:line` of an instruction (the block's terminator if `inst` is past the end).
    pub fn line(&self, site: ProgramPoint) -> String {
        let f = self.program.func(site.func);
        let loc =
            f.blocks.get(site.block.index()).map(|b| b.insts.get(site.inst as usize).map_or(b.term_loc, |i| i.loc));
        let Some(loc) = loc else { return f.display.clone() };
        let l = self.program.loc(site.func.module, loc);
        let file = l.file.rsplit('/').next().unwrap_or_default();
        if file.is_empty() { f.display.clone() } else { format!("{file}:{}", l.line) }
    }

    /// `file:line` of the end of a block.
    pub fn block_line(&self, func: FuncRef, block: BlockId) -> String {
        self.line(ProgramPoint { func, block, inst: u32::MAX })
    }

    /// The instruction that `th` is executing.
    pub fn site(&self, th: &Thread) -> Option<ProgramPoint> {
        th.frames.last().map(|f| site_of(&f.code, f.pc.wrapping_sub(1)))
    }

    /// The innermost call outside launch stubs and system headers that `th` is in: what a user takes for the site of
    /// an allocation or a launch.
    pub fn user_site(&self, th: &Thread) -> Option<ProgramPoint> {
        let all = th.frames.iter().rev().map(|f| site_of(&f.code, f.pc.wrapping_sub(1)));
        let mut first = None;
        for s in all {
            first = first.or(Some(s));
            let f = self.program.func(s.func);
            let loc = f.blocks[s.block.index()]
                .insts
                .get(s.inst as usize)
                .map_or(f.blocks[s.block.index()].term_loc, |i| i.loc);
            if !self.program.loc(s.func.module, loc).system && Program::kernel_symbol_of_stub(&f.name).is_none() {
                return Some(s);
            }
        }
        first
    }

    /// Description of an object for reports.
    pub fn describe(&self, th: &Thread, id: WindowId) -> IntendedObject {
        match self.mem.get(&th.stack, id) {
            Some(o) => IntendedObject {
                kind: o.kind,
                name: o.name.to_string(),
                alloc: o.alloc,
                extent: o.size,
                freed: o.freed,
            },
            None => {
                IntendedObject { kind: ObjectKind::Wild, name: String::new(), alloc: None, extent: 0, freed: false }
            }
        }
    }

    /// Describes the object that a fault's address was meant for, and returns the bytes from its start. An address that
    /// is too far from every object was meant for the one that it was computed from.
    fn meant(
        &self,
        th: &Thread,
        depth: usize,
        site: ProgramPoint,
        (fault, address): (AccessFault, u64),
    ) -> (IntendedObject, i64) {
        let (id, offset) = split(address);
        let object = self.describe(th, id);
        if object.kind != ObjectKind::Wild {
            return (object, offset);
        }
        let start = operands::start_of_address(self.program, th, depth, site).filter(|_| fault == AccessFault::Bounds);
        let from = start.map(|start| self.describe(th, split(start).0)).filter(|o| o.kind != ObjectKind::Wild);
        match (start, from) {
            (Some(start), Some(object)) => (object, address.wrapping_sub(split(start).0.address()).cast_signed()),
            _ => (object, address.cast_signed()),
        }
    }

    /// Records an access out of bounds or to freed memory by the innermost frame.
    #[cold]
    pub fn bad_access(
        &mut self,
        th: &Thread,
        site: ProgramPoint,
        address: u64,
        bytes: u64,
        direction: Direction,
    ) -> Result<(), ThreadStop> {
        let (id, _) = split(address);
        let fault = match self.mem.get(&th.stack, id) {
            Some(o) if o.freed => AccessFault::Freed,
            Some(_) => AccessFault::Bounds,
            None if id.is_null() => AccessFault::Null,
            None if th.on_device() && id.is_on_hosts_stack() => AccessFault::HostMemory,
            None => AccessFault::Bounds,
        };
        self.fault(th, site, fault, address, bytes, direction)
    }

    /// Records that a kernel uses host memory that was never registered with devices.
    #[cold]
    pub fn hosts_memory(
        &mut self,
        th: &Thread,
        site: ProgramPoint,
        address: u64,
        bytes: u64,
        direction: Direction,
    ) -> Result<(), ThreadStop> {
        self.fault(th, site, AccessFault::HostMemory, address, bytes, direction)
    }

    /// Records an access at a misaligned address.
    #[cold]
    pub fn misaligned(
        &mut self,
        th: &Thread,
        site: ProgramPoint,
        address: u64,
        bytes: u64,
        direction: Direction,
    ) -> Result<(), ThreadStop> {
        self.fault(th, site, AccessFault::Misaligned, address, bytes, direction)
    }

    /// Ends the run at a false claim of the program. On a device this is also a fault; on the host it is not, because
    /// another end of the program (an uncaught exception) looks the same.
    pub fn false_claim<T>(&mut self, th: &Thread, what: &str) -> Result<T, ThreadStop> {
        if let Some(site) = self.site(th).filter(|_| th.on_device()) {
            self.fault(th, site, AccessFault::FalseClaim, 0, 0, Direction::Read)?;
        }
        Err(ThreadStop::Ended(what.to_owned()))
    }

    /// Records that memory is freed twice.
    #[cold]
    pub fn freed_again(&mut self, th: &Thread, address: u64) -> Result<(), ThreadStop> {
        let Some(site) = self.site(th) else { return Ok(()) };
        self.fault(th, site, AccessFault::FreedAgain, address, 0, Direction::Write)
    }

    pub fn fault(
        &mut self,
        th: &Thread,
        site: ProgramPoint,
        fault: AccessFault,
        address: u64,
        bytes: u64,
        direction: Direction,
    ) -> Result<(), ThreadStop> {
        self.fault_at(th, th.frames.len(), site, (fault, address, bytes, direction))
    }

    /// Records a fault in the innermost of the first `depth` frames.
    pub fn fault_at(
        &mut self,
        th: &Thread,
        depth: usize,
        site: ProgramPoint,
        (fault, address, bytes, direction): (AccessFault, u64, u64, Direction),
    ) -> Result<(), ThreadStop> {
        let (id, _) = split(address);
        let launch = if th.on_device() { self.launch.as_ref() } else { None };
        let callers = th.frames[..depth.saturating_sub(1)].iter().map(|f| site_of(&f.code, f.pc.wrapping_sub(1)));
        let (alloc, name) = self.mem.get(&th.stack, id).map_or((None, ""), |o| (o.alloc, &*o.name));
        if self.seen.again(&BadAccessKey {
            site,
            callers: callers.clone(),
            launch_site: launch.and_then(|l| l.site),
            alloc,
            name,
            direction,
        }) {
            return Ok(());
        }
        let (object, offset) = self.meant(th, depth, site, (fault, address));
        let u64s = |v: [u32; 3]| v.map(u64::from);
        let place = th.place.unwrap_or(ThreadPosition { block: [0; 3], thread: [0; 3] });
        let bad = BadAccess {
            fault,
            site,
            callers: callers.collect(),
            launch_site: launch.and_then(|l| l.site),
            launch: launch.map_or(0, |l| l.ordinal),
            grid: launch.map_or([0; 3], |l| u64s(l.grid)),
            block_dim: launch.map_or([0; 3], |l| u64s(l.block)),
            block: u64s(place.block),
            thread: u64s(place.thread),
            object,
            offset,
            bytes,
            direction,
            count: 1,
            frames: operands::at_fault(self.program, th, depth, site),
        };
        self.seen.bad(bad, id, th.on_device())
    }
}
