//! Calls of functions with a body, of modelled functions, and of unknown functions, which may write everything
//! reachable from their arguments.

use super::call::{Ret, ThreadStop, Wait};
use super::form::{CallInfo, CallTarget, FunctionCode, I};
use super::interp::Pause;
use super::state::Machine;
use super::step::get;
use super::thread::Thread;
use super::value::{Reason, Val};
use crate::api::{Cause, UndecidedReason};
use crate::library::device_wide;
use crate::library::modelled::{const_arguments, resolve};
use crate::memory::space::{WindowId, split};
use ir::{FuncRef, GlobalId, GlobalRef, ModuleId, Side, space};
use models::attributes::{is_of_cuda, may_be_the_programs};
pub use models::ptx::WaitEvent;
use smallvec::SmallVec;
use std::rc::Rc;

/// How a thread continues at a call.
pub enum CallStep {
    /// The call is complete.
    Goes,
    /// The callee has its own frame.
    Enters,
    Waits(Wait),
}

impl Machine<'_> {
    /// Executes a call; the thread's position is saved before.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "an arm of the machine's loop")]
    fn call_instruction(
        &mut self,
        th: &mut Thread,
        code: &Rc<FunctionCode>,
        base: usize,
        info: u32,
    ) -> Result<CallStep, ThreadStop> {
        let call = &code.calls[info as usize];
        let mut args: SmallVec<[Val; 16]> = SmallVec::new();
        for a in &call.args {
            for k in 0..a.slots {
                args.push(get(th, code, base, a.opd.plus(k)));
            }
        }
        let resolved;
        let named;
        let (mut call, mut through) = (call, None);
        let callee = match &call.callee {
            CallTarget::Indirect(o) => {
                let p = get(th, code, base, *o);
                let Some(f) = p.known().and_then(|a| self.mem.func_at(a)) else {
                    self.call_unknown_pointer(th, call, p, &args)?;
                    return Ok(CallStep::Goes);
                };
                resolved = resolve(self.program, f);
                if matches!(resolved, CallTarget::Unknown) {
                    self.call_unknown(th, call, f, &args)?;
                    return Ok(CallStep::Goes);
                }
                through = Some(f);
                &resolved
            }
            c => c,
        };
        match callee {
            CallTarget::Body(f) | CallTarget::Algorithm(f) => {
                if matches!(callee, CallTarget::Algorithm(_)) {
                    device_wide::check(self, th, *f, &args)?;
                }
                self.enter(th, *f, &args, call.dst, call.slots)?;
                self.keep_varargs(th, call, &args);
                return Ok(CallStep::Enters);
            }
            CallTarget::Model(m) => {
                // A model asks by which name it was called.
                if through.is_some() {
                    let CallInfo { dst, slots, .. } = *call;
                    named = CallInfo {
                        callee: CallTarget::Model(*m),
                        target: through,
                        args: call.args.clone(),
                        dst,
                        slots,
                    };
                    call = &named;
                }
                let r = m(self, th, call, &args)?;
                match r {
                    Ret::Void => {}
                    Ret::Val(v) => {
                        if call.slots > 0 {
                            th.regs[base + call.dst as usize] = v;
                        }
                    }
                    Ret::Many(v) => {
                        for (k, v) in (0..call.slots).zip(v) {
                            th.regs[base + (call.dst + k) as usize] = v;
                        }
                    }
                    Ret::Wait(w) => return Ok(CallStep::Waits(w)),
                }
            }
            CallTarget::Unknown => {
                if let Some(f) = call.target {
                    self.call_unknown(th, call, f, &args)?;
                }
            }
            CallTarget::Indirect(_) => {}
        }
        Ok(CallStep::Goes)
    }

    /// Executes a call or inline assembly; the thread's position is saved before.
    pub fn call_or_assembly(
        &mut self,
        th: &mut Thread,
        code: &Rc<FunctionCode>,
        base: usize,
        op: &I,
    ) -> Result<CallStep, ThreadStop> {
        match op {
            I::Asm { info } => self.assembly(th, code, base, *info),
            I::Call { info } => {
                self.tick()?;
                self.call_instruction(th, code, base, *info)
            }
            _ => Ok(CallStep::Goes),
        }
    }

    fn assembly(
        &mut self,
        th: &mut Thread,
        code: &Rc<FunctionCode>,
        base: usize,
        info: u32,
    ) -> Result<CallStep, ThreadStop> {
        let a = &code.asms[info as usize];
        match a.waiting.filter(|_| th.on_device()) {
            None => {}
            Some(WaitEvent::Block(id)) => return Ok(CallStep::Waits(Wait::Barrier { id, vote: None })),
            Some(WaitEvent::Cluster) => return Ok(CallStep::Waits(self.wait_for_cluster())),
            Some(WaitEvent::Otherwise) => {
                let text: String = a.text.trim().chars().take(40).collect();
                let text = format!("inline assembly that waits for other threads (`{text}`)");
                return Err(ThreadStop::Unknown(UndecidedReason { text, cause: Cause::Assembly }));
            }
        }
        let args: Vec<Val> = a.args.iter().map(|x| get(th, code, base, x.opd)).collect();
        let out = self.inline_asm(th, a, &args)?;
        for (k, v) in (0..a.slots).zip(out) {
            th.regs[base + (a.dst + k) as usize] = v;
        }
        Ok(CallStep::Goes)
    }

    /// Calls a function from a model and runs it to its end. The function must not wait for other threads.
    pub fn call(&mut self, th: &mut Thread, func: FuncRef, args: &[Val]) -> Result<Vec<Val>, ThreadStop> {
        match resolve(self.program, func) {
            CallTarget::Body(f) | CallTarget::Algorithm(f) => {
                let floor = th.frames.len();
                self.enter(th, f, args, 0, 0)?;
                match self.run(th, floor)? {
                    Pause::Returned(v) => Ok(v),
                    Pause::Waits(_) => Err(ThreadStop::Unknown("a barrier inside a callback".into())),
                }
            }
            CallTarget::Model(m) => {
                let info =
                    CallInfo { callee: CallTarget::Model(m), target: Some(func), args: Vec::new(), dst: 0, slots: 0 };
                match m(self, th, &info, args)? {
                    Ret::Val(v) => Ok(vec![v]),
                    Ret::Many(v) => Ok(v),
                    Ret::Void => Ok(Vec::new()),
                    Ret::Wait(_) => Err(ThreadStop::Unknown("a barrier inside a callback".into())),
                }
            }
            _ => {
                let why = self.reason(
                    Cause::Call,
                    &format!("the result of `{}`, which is not modelled", self.program.func(func).display),
                );
                self.havoc_reachable(th, args, why);
                Ok(vec![Val::poison(why)])
            }
        }
    }

    /// Writes the result of its call into a waiting thread.
    pub fn deliver(&mut self, th: &mut Thread, values: &[Val]) {
        let Some(f) = th.frames.last() else { return };
        let Some(I::Call { info }) = f.code.insts.get(f.pc - 1) else { return };
        let (dst, n) = (f.code.calls[*info as usize].dst as usize, f.code.calls[*info as usize].slots as usize);
        let at = f.base + dst;
        for (i, v) in values.iter().take(n).enumerate() {
            th.regs[at + i] = *v;
        }
    }

    fn keep_varargs(&mut self, th: &mut Thread, call: &CallInfo, args: &[Val]) {
        let Some(f) = th.frames.last_mut() else { return };
        let fixed = f.code.param_slots as usize;
        if args.len() <= fixed || !self.program.func(f.code.func).variadic {
            return;
        }
        let mut at = 0;
        for a in &call.args {
            if at >= fixed {
                f.varargs.push(*a);
                f.vararg_values.extend(&args[at..at + a.slots as usize]);
            }
            at += a.slots as usize;
        }
    }

    /// Calls a function that has neither body nor model.
    #[cold]
    fn call_unknown(&mut self, th: &mut Thread, call: &CallInfo, f: FuncRef, args: &[Val]) -> Result<(), ThreadStop> {
        let func = self.program.func(f);
        if func.noreturn {
            return Err(ThreadStop::Ended(format!("the call of `{}`, which does not return", func.display)));
        }
        if !th.on_device() && self.libc.threads.is_another() {
            let text = format!("a host thread calls `{}`, which may wait for another one", func.display);
            return Err(ThreadStop::Unknown(text.into()));
        }
        let why = self.reason(Cause::Call, &format!("the result of `{}`, which is not modelled", func.display));
        self.doubt_call(th, f);
        // The prefix `__nv_` is reserved for libdevice, whose functions cannot access the program's variables.
        if th.on_device() && !is_of_cuda(&func.name) && !func.name.starts_with("__nv_") {
            self.havoc_device_variables(th, why);
        }
        if !th.on_device() && may_be_the_programs(&func.name) {
            self.exported_run(th, why);
        }
        if !th.on_device() {
            self.given_run(th, args, why);
        }
        self.calls_out(th, call, args, why, &const_arguments(func))
    }

    /// Havocs device variables: device code outside the program, or code that a kernel launches, knows them by name.
    fn havoc_device_variables(&mut self, th: &mut Thread, why: Reason) {
        let program = self.program;
        for (mi, m) in (0u32..).zip(&program.modules).filter(|(_, m)| m.side == Side::Device) {
            for (gi, g) in (0u32..).zip(&m.globals) {
                if g.defined && !g.constant && g.space == space::GLOBAL {
                    let address = self.global_address(ModuleId(mi), GlobalId(gi));
                    self.havoc_object(th, split(address).0, why);
                }
            }
        }
    }

    /// Havocs the effects of functions passed to an unknown function, which may call them: variables that they write
    /// by name, and everything reachable from those.
    fn given_run(&mut self, th: &mut Thread, args: &[Val], why: Reason) {
        let program = self.program;
        let given: Vec<FuncRef> =
            args.iter().filter_map(|a| a.known()).filter_map(|address| self.mem.func_at(address)).collect();
        for f in given {
            let effect = self.effects.of(program, f);
            let mut written: Vec<GlobalRef> = effect.globals.iter().copied().collect();
            written.sort_unstable();
            let written: Vec<Val> =
                written.into_iter().map(|g| Val::new(self.global_address(g.module, g.global))).collect();
            self.havoc_reachable(th, &written, why);
            if effect.cuda || effect.indirect {
                let name = &program.func(f).display;
                self.seen.assume(format!("`{name}`, which a library is given, does nothing on a device"));
            }
        }
    }

    /// Havocs the effects of exported functions, which code outside the program may call: variables that they write,
    /// and everything reachable from those.
    fn exported_run(&mut self, th: &mut Thread, why: Reason) {
        let program = self.program;
        let outside = program.outside();
        let address = |m: &mut Self, all: &[GlobalRef]| -> Vec<Val> {
            all.iter().map(|g| Val::new(m.global_address(g.module, g.global))).collect()
        };
        let (written, read, device) =
            (address(self, &outside.written), address(self, &outside.read), address(self, &outside.device));
        self.havoc_reachable(th, &written, why);
        let only_read: Vec<WindowId> = read.iter().map(|v| split(v.bits).0).collect();
        for id in self.mem.reachable(&th.stack, &only_read) {
            if !only_read.contains(&id) {
                self.havoc_object(th, id, why);
            }
        }
        for v in device {
            self.havoc_object(th, split(v.bits).0, why);
        }
        if outside.frees {
            self.seen.assume("code outside of the program calls no function of it that frees memory".to_owned());
        }
        if outside.attributes {
            self.seen.assume("code outside of the program sets no attribute of a kernel".to_owned());
        }
    }

    #[cold]
    fn call_unknown_pointer(
        &mut self,
        th: &mut Thread,
        call: &CallInfo,
        p: Val,
        args: &[Val],
    ) -> Result<(), ThreadStop> {
        if p.known() == Some(0) {
            let what = "a call through a null pointer";
            return Err(if th.on_device() { self.trap(what) } else { ThreadStop::Ended(what.to_owned()) });
        }
        let why = if p.is_poison() {
            p.poison
        } else {
            self.reason(Cause::Call, "a call through a pointer that is not a function's address")
        };
        let at = self.site(th).map(|s| self.line(s)).unwrap_or_default();
        let called = format!("{at}: the function called through a pointer ({})", self.reasons.text(why));
        if th.on_device() {
            self.havoc_device_variables(th, why);
            self.seen.doubt_path(format!("{called} returns"));
        } else if self.effects.may_matter_unknown() {
            self.seen.assume(format!("{called} launches nothing"));
        }
        self.calls_out(th, call, args, why, &[])
    }

    /// Havocs everything reachable from an unknown function's arguments, except through pointers to const.
    fn calls_out(
        &mut self,
        th: &mut Thread,
        call: &CallInfo,
        args: &[Val],
        why: Reason,
        konst: &[bool],
    ) -> Result<(), ThreadStop> {
        let mut at = 0;
        let mut roots = Vec::new();
        for (i, a) in call.args.iter().enumerate() {
            let values = &args[at..at + a.slots as usize];
            at += a.slots as usize;
            if !konst.get(i).copied().unwrap_or(false) {
                roots.extend(values.iter().filter(|v| !v.is_poison()));
            }
        }
        self.havoc_reachable(th, &roots, why);
        let base = th.frames.last().map_or(0, |f| f.base);
        for k in 0..call.slots {
            th.regs[base + (call.dst + k) as usize] = Val::poison(why);
        }
        Ok(())
    }

    /// Module of the innermost frame's function.
    pub fn module_of(&self, th: &Thread) -> ModuleId {
        th.frames.last().map_or(ModuleId(0), |f| f.code.func.module)
    }
}
