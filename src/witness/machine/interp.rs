//! The machine's loop: one thread from where it stands until it ends or waits.

use super::arith;
use super::arith::Fault;
use super::call::{Ret, Stop, Wait};
use super::form::{CallInfo, Callee, Code, I, Layout, Opd};
use super::state::Machine;
use super::thread::{Frame, Thread, site_of};
use super::value::{Reason, Val, mask, signed};
use crate::ir::{AtomicOp, CastOp, FuncRef, ModuleId};
use crate::witness::device::outcome::{REFUSED, WHICH_CODE};
use smallvec::SmallVec;
use std::rc::Rc;

/// Why [`Machine::run`] came back.
#[derive(Debug)]
pub enum Pause {
    /// The frame above which it was started has returned this.
    Returned(Vec<Val>),
    Waits(Wait),
}

/// Frames of one thread, at most.
const MAX_FRAMES: usize = 10_000;

#[inline]
fn get(th: &Thread, code: &Code, base: usize, o: Opd) -> Val {
    if o.is_const() { code.consts[o.index()] } else { th.regs[base + o.index()] }
}

impl Machine<'_> {
    /// Enters a function that has a body.
    pub fn enter(&mut self, th: &mut Thread, func: FuncRef, args: &[Val], dst: u32, slots: u32) -> Result<(), Stop> {
        if th.frames.len() >= MAX_FRAMES {
            return Err(Stop::Unknown("recursion deeper than the interpreter follows".to_owned()));
        }
        let code = self.code(func);
        let base = th.frames.last().map_or(0, |f| f.base + f.code.regs as usize);
        let end = base + code.regs as usize;
        if th.regs.len() < end {
            th.regs.resize(end, Val::UNINIT);
        }
        let n = (code.param_slots as usize).min(args.len());
        th.regs[base..base + n].copy_from_slice(&args[..n]);
        th.regs[base + n..base + code.param_slots as usize].fill(Val::UNINIT);
        let depth = th.stack.depth();
        for &(reg, size) in &code.byval {
            let from = th.regs[base + reg as usize];
            let copy = self.stack_object(th, "a parameter".into(), None, size)?;
            let site = site_of(&code, 0);
            self.copy(th, || site, copy, from, Val::new(size))?;
            th.regs[base + reg as usize] = copy;
        }
        th.frames.push(Frame { code, pc: 0, base, depth, dst, slots, varargs: Vec::new(), vararg_values: Vec::new() });
        Ok(())
    }

    /// Calls a function from a model and runs it to its end. It must not wait for other threads.
    pub fn call(&mut self, th: &mut Thread, func: FuncRef, args: &[Val]) -> Result<Vec<Val>, Stop> {
        match crate::witness::library::modelled::resolve(self.program, func) {
            Callee::Body(f) => {
                let floor = th.frames.len();
                self.enter(th, f, args, 0, 0)?;
                match self.run(th, floor)? {
                    Pause::Returned(v) => Ok(v),
                    Pause::Waits(_) => Err(Stop::Unknown("a barrier inside a callback".to_owned())),
                }
            }
            Callee::Model(m) => {
                let info =
                    CallInfo { callee: Callee::Model(m), target: Some(func), args: Vec::new(), dst: 0, slots: 0 };
                match m(self, th, &info, args)? {
                    Ret::Val(v) => Ok(vec![v]),
                    Ret::Many(v) => Ok(v),
                    Ret::Void => Ok(Vec::new()),
                    Ret::Wait(_) => Err(Stop::Unknown("a barrier inside a callback".to_owned())),
                }
            }
            _ => {
                let why =
                    self.reason(&format!("the result of `{}`, which is not modelled", self.program.func(func).display));
                self.forget_reachable(th, args, why);
                Ok(vec![Val::poison(why)])
            }
        }
    }

    /// Gives a waiting thread the result of its call.
    pub fn deliver(&mut self, th: &mut Thread, values: &[Val]) {
        let Some(f) = th.frames.last() else { return };
        let Some(I::Call { info }) = f.code.insts.get(f.pc - 1) else { return };
        let (dst, n) = (f.code.calls[*info as usize].dst as usize, f.code.calls[*info as usize].slots as usize);
        let at = f.base + dst;
        for (i, v) in values.iter().take(n).enumerate() {
            th.regs[at + i] = *v;
        }
    }

    /// Runs until the frame at `floor` returns, the thread waits, or it stops.
    pub fn run(&mut self, th: &mut Thread, floor: usize) -> Result<Pause, Stop> {
        'frame: loop {
            let Some(f) = th.frames.last() else { return Ok(Pause::Returned(Vec::new())) };
            let (code, base) = (f.code.clone(), f.base);
            let mut pc = f.pc;
            macro_rules! get {
                ($o:expr) => {
                    get(th, &code, base, $o)
                };
            }
            macro_rules! put {
                ($d:expr, $v:expr) => {{
                    let v = $v;
                    th.regs[base + $d as usize] = v;
                }};
            }
            macro_rules! save {
                () => {
                    if let Some(f) = th.frames.last_mut() {
                        f.pc = pc;
                    }
                };
            }
            macro_rules! check {
                ($e:expr) => {
                    match $e {
                        Ok(v) => v,
                        Err(s) => {
                            save!();
                            return Err(s);
                        }
                    }
                };
            }
            macro_rules! hit {
                () => {{
                    let h = &code.hits[pc - 1];
                    h.set(h.get() + 1);
                }};
            }
            macro_rules! site {
                () => {{
                    let at = pc - 1;
                    let code = &code;
                    move || site_of(code, at)
                }};
            }
            loop {
                let inst = &code.insts[pc];
                pc += 1;
                self.steps += 1;
                match inst {
                    I::Mov { d, s } => put!(*d, get!(*s)),
                    I::Int { op, w, d, a, b } => {
                        if self.watch && !self.wrapped {
                            self.wrapped = arith::int_wraps(*op, u32::from(*w), get!(*a), get!(*b));
                        }
                        let v = match arith::int(*op, u32::from(*w), get!(*a), get!(*b)) {
                            Ok(v) => v,
                            Err(Fault::Divide) if !th.on_device() => {
                                save!();
                                return Err(Stop::Ended("a division by zero".to_owned()));
                            }
                            Err(_) => Val::poison(Reason::OPEN),
                        };
                        put!(*d, v);
                    }
                    I::Float { op, w, d, a, b } => {
                        let (a, b) = (get!(*a), get!(*b));
                        put!(
                            *d,
                            if a.is_poison() {
                                Val::poison(a.poison)
                            } else if b.is_poison() {
                                Val::poison(b.poison)
                            } else {
                                Val::new(arith::floating(*op, u32::from(*w), a.bits, b.bits))
                            }
                        );
                    }
                    I::Wide { op, d, a, b } => {
                        let (x, y) = (wide(th, &code, base, *a), wide(th, &code, base, *b));
                        let r = match (x, y) {
                            (Ok(x), Ok(y)) => arith::wide(*op, x, y).map_err(|_| Reason::OPEN),
                            (Err(r), _) | (_, Err(r)) => Err(r),
                        };
                        let [low, high] = halves(r);
                        put!(*d, low);
                        put!(*d + 1, high);
                    }
                    I::Icmp { pred, w, d, a, b } => {
                        let (a, b) = (get!(*a), get!(*b));
                        if self.watch && !self.wrapped {
                            self.wrapped = arith::icmp_wraps(*pred, u32::from(*w), a.bits, b.bits);
                        }
                        put!(
                            *d,
                            if a.is_poison() {
                                Val::poison(a.poison)
                            } else if b.is_poison() {
                                Val::poison(b.poison)
                            } else if *w == 64 && self.mem.may_be_one_address(a.bits, b.bits) {
                                Val::poison(self.reason("whether the address of a block that was freed came again"))
                            } else if *w >= 32 && (a.bits == REFUSED || b.bits == REFUSED) {
                                match crate::witness::device::outcome::compare_refused(
                                    *pred,
                                    u32::from(*w),
                                    a.bits,
                                    b.bits,
                                ) {
                                    Some(same) => Val::new(u64::from(same)),
                                    None => Val::poison(self.reason(WHICH_CODE)),
                                }
                            } else {
                                Val::new(u64::from(arith::icmp(*pred, u32::from(*w), a.bits, b.bits)))
                            }
                        );
                    }
                    I::IcmpWide { pred, d, a, b } => {
                        let v = match (wide(th, &code, base, *a), wide(th, &code, base, *b)) {
                            (Ok(x), Ok(y)) => Val::new(u64::from(arith::icmp_wide(*pred, x, y))),
                            (Err(r), _) | (_, Err(r)) => Val::poison(r),
                        };
                        put!(*d, v);
                    }
                    I::Fcmp { pred, w, d, a, b } => {
                        let (a, b, w) = (get!(*a), get!(*b), u32::from(*w));
                        put!(
                            *d,
                            if a.is_poison() {
                                Val::poison(a.poison)
                            } else if b.is_poison() {
                                Val::poison(b.poison)
                            } else {
                                Val::new(u64::from(
                                    pred.holds(super::value::float(a.bits, w), super::value::float(b.bits, w)),
                                ))
                            }
                        );
                    }
                    I::FNeg { w, d, a } => {
                        let a = get!(*a);
                        put!(*d, if a.is_poison() { Val::poison(a.poison) } else { Val::new(a.bits ^ 1 << (w - 1)) });
                    }
                    I::Cast { op, from, to, d, a } => {
                        if self.watch && !self.wrapped {
                            self.wrapped = arith::cast_wraps(*op, u32::from(*from), u32::from(*to), get!(*a));
                        }
                        put!(*d, arith::cast(*op, u32::from(*from), u32::from(*to), get!(*a)));
                    }
                    I::CastWide { op, from, to, d, a } => cast_wide(th, &code, base, (*op, *from, *to), *d, *a),
                    I::Repack { d, a, from, to } => {
                        repack(th, &code, base, (*d, *a), &code.layouts[*from as usize], &code.layouts[*to as usize]);
                    }
                    I::Select { d, c, a, b } => {
                        let c = get!(*c);
                        let v = match c.known() {
                            Some(bit) => {
                                if bit & 1 == 1 {
                                    get!(*a)
                                } else {
                                    get!(*b)
                                }
                            }
                            None => {
                                let (a, b) = (get!(*a), get!(*b));
                                if a == b {
                                    a
                                } else {
                                    Val {
                                        bits: if crate::witness::memory::space::split(a.bits).0
                                            == crate::witness::memory::space::split(b.bits).0
                                        {
                                            a.bits
                                        } else {
                                            0
                                        },
                                        poison: c.poison.of_result(),
                                    }
                                }
                            }
                        };
                        put!(*d, v);
                    }
                    I::Offset { d, base: p, off } => {
                        let p = get!(*p);
                        put!(
                            *d,
                            Val {
                                bits: if p.is_poison() { p.bits } else { p.bits.wrapping_add_signed(*off) },
                                poison: p.poison
                            }
                        );
                    }
                    I::Index { d, base: p, index, w, stride } => {
                        let (p, i) = (get!(*p), get!(*index));
                        if self.seen.has_parts() {
                            self.note_row(site!()(), p);
                        }
                        put!(
                            *d,
                            if p.is_poison() {
                                p
                            } else if i.is_poison() {
                                Val { bits: p.bits, poison: i.poison }
                            } else {
                                Val::new(
                                    p.bits.wrapping_add_signed(signed(i.bits, u32::from(*w)).wrapping_mul(*stride)),
                                )
                            }
                        );
                    }
                    I::Load { d, p, bits } => {
                        hit!();
                        let v = check!(self.load(th, site!(), get!(*p), u32::from(*bits)));
                        put!(*d, v);
                    }
                    I::LoadPointer { d, p } => {
                        hit!();
                        let v = check!(self.load(th, site!(), get!(*p), 64));
                        put!(*d, v.as_pointer());
                    }
                    I::LoadMany { d, p, layout } => {
                        hit!();
                        let mut out = Vec::new();
                        check!(self.load_many(th, site!(), get!(*p), &code.layouts[*layout as usize], &mut out));
                        let at = base + *d as usize;
                        th.regs[at..at + out.len()].copy_from_slice(&out);
                    }
                    I::Store { p, v, bits } => {
                        hit!();
                        let (p, v) = (get!(*p), get!(*v));
                        check!(self.store(th, site!(), p, u32::from(*bits), v));
                    }
                    I::StoreMany { p, v, layout } => {
                        hit!();
                        let layout = &code.layouts[*layout as usize];
                        let values: SmallVec<[Val; 8]> = (0..layout.leaves.len())
                            .map(|i| {
                                #[expect(clippy::cast_possible_truncation, reason = "capped when compiled")]
                                let i = i as u32;
                                get!(v.plus(i))
                            })
                            .collect();
                        let p = get!(*p);
                        check!(self.store_many(th, site!(), p, layout, &values));
                    }
                    I::Atomic { op, bits, d, p, v } => {
                        hit!();
                        let (p, v, w) = (get!(*p), get!(*v), u32::from(*bits));
                        let fallback = if *op == AtomicOp::Other {
                            Some(self.unknown("an atomic operation that is not modelled"))
                        } else {
                            None
                        };
                        let old = check!(self.update(th, site!(), p, w, |old| {
                            arith::atomic(*op, w, old, v).or(fallback).or(Some(Val::poison(Reason::OPEN)))
                        }));
                        put!(*d, old);
                    }
                    I::CmpXchg { bits, d, p, expected, new } => {
                        hit!();
                        let (p, e, n) = (get!(*p), get!(*expected), get!(*new));
                        let old = check!(self.update(th, site!(), p, u32::from(*bits), |old| {
                            match (old.known(), e.known()) {
                                (Some(o), Some(x)) => {
                                    if o == x {
                                        Some(n)
                                    } else {
                                        None
                                    }
                                }
                                _ => Some(Val::poison(if old.is_poison() { old.poison } else { e.poison })),
                            }
                        }));
                        let same = match (old.known(), e.known()) {
                            (Some(o), Some(x)) => Val::new(u64::from(o == x)),
                            _ => Val::poison(if old.is_poison() { old.poison } else { e.poison }),
                        };
                        put!(*d, old);
                        put!(*d + 1, same);
                    }
                    I::MemCopy { dst, src, len } => {
                        hit!();
                        let (dst, src, len) = (get!(*dst), get!(*src), get!(*len));
                        self.steps += len.known().unwrap_or(0) / 64;
                        check!(self.copy(th, site!(), dst, src, len));
                    }
                    I::MemSet { dst, byte, len } => {
                        hit!();
                        let (dst, byte, len) = (get!(*dst), get!(*byte), get!(*len));
                        self.steps += len.known().unwrap_or(0) / 256;
                        check!(self.set(th, site!(), dst, byte, len));
                    }
                    I::Alloca { d, elem, count, name } => {
                        let count = get!(*count);
                        let v = match count.known() {
                            Some(n) => check!(self.stack_object(
                                th,
                                code.names[*name as usize].clone(),
                                Some(site!()()),
                                elem.saturating_mul(n)
                            )),
                            None => {
                                save!();
                                return Err(Stop::Unknown(format!(
                                    "a stack array's size depends on {}",
                                    self.reasons.text(count.poison)
                                )));
                            }
                        };
                        put!(*d, v);
                    }
                    I::Extract { d, vec, n, stride, index } => {
                        let i = get!(*index);
                        for k in 0..*stride {
                            let v = match i.known() {
                                #[expect(
                                    clippy::cast_possible_truncation,
                                    reason = "checked against the number of lanes"
                                )]
                                Some(x) if x.saturating_mul(u64::from(*stride)) < u64::from(*n) => {
                                    get!(vec.plus(x as u32 * stride + k))
                                }
                                Some(_) => Val::poison(Reason::OPEN),
                                None => Val::poison(i.poison),
                            };
                            put!(*d + k, v);
                        }
                    }
                    I::Insert { d, n, stride, index, v } => {
                        let i = get!(*index);
                        match i.known() {
                            #[expect(clippy::cast_possible_truncation, reason = "checked against the number of lanes")]
                            Some(x) if x.saturating_mul(u64::from(*stride)) < u64::from(*n) => {
                                for k in 0..*stride {
                                    put!(*d + x as u32 * stride + k, get!(v.plus(k)));
                                }
                            }
                            known => {
                                let r = if known.is_some() { Reason::OPEN } else { i.poison };
                                for k in 0..*n {
                                    put!(*d + k, Val::poison(r));
                                }
                            }
                        }
                    }
                    I::Poison { d, n, reason } => {
                        for k in 0..*n {
                            put!(*d + k, Val::poison(*reason));
                        }
                    }
                    I::Fresh { p } => {
                        let p = get!(*p);
                        if !p.is_poison() {
                            self.forget(th, p, Reason::UNINIT);
                        }
                    }
                    I::Assume { c } => {
                        if get!(*c).known().is_some_and(|b| b & 1 == 0) {
                            save!();
                            return Err(Stop::Ended(
                                "an assumption of the program (`__builtin_assume`) does not hold".to_owned(),
                            ));
                        }
                    }
                    I::Asm { info } => {
                        let a = &code.asms[*info as usize];
                        let args: Vec<Val> = a.args.iter().map(|x| get!(x.opd)).collect();
                        save!();
                        let out = self.inline_asm(th, a, &args)?;
                        for (k, v) in (0..a.slots).zip(out) {
                            put!(a.dst + k, v);
                        }
                    }
                    I::Call { info } => {
                        save!();
                        self.tick()?;
                        let call = &code.calls[*info as usize];
                        let mut args: SmallVec<[Val; 16]> = SmallVec::new();
                        for a in &call.args {
                            for k in 0..a.slots {
                                args.push(get!(a.opd.plus(k)));
                            }
                        }
                        let resolved;
                        let callee = match &call.callee {
                            Callee::Indirect(o) => {
                                let p = get!(*o);
                                let Some(f) = p.known().and_then(|a| self.mem.func_at(a)) else {
                                    self.call_unknown_pointer(th, call, p, &args)?;
                                    continue;
                                };
                                resolved = crate::witness::library::modelled::resolve(self.program, f);
                                if matches!(resolved, Callee::Unknown) {
                                    self.call_unknown(th, call, f, &args)?;
                                    continue;
                                }
                                &resolved
                            }
                            c => c,
                        };
                        match callee {
                            Callee::Body(f) => {
                                self.enter(th, *f, &args, call.dst, call.slots)?;
                                self.keep_varargs(th, call, &args);
                                continue 'frame;
                            }
                            Callee::Model(m) => {
                                let r = m(self, th, call, &args)?;
                                match r {
                                    Ret::Void => {}
                                    Ret::Val(v) => {
                                        if call.slots > 0 {
                                            put!(call.dst, v);
                                        }
                                    }
                                    Ret::Many(v) => {
                                        for (k, v) in (0..call.slots).zip(v) {
                                            put!(call.dst + k, v);
                                        }
                                    }
                                    Ret::Wait(w) => return Ok(Pause::Waits(w)),
                                }
                            }
                            Callee::Unknown => {
                                if let Some(f) = call.target {
                                    self.call_unknown(th, call, f, &args)?;
                                }
                            }
                            Callee::Indirect(_) => {}
                        }
                    }
                    I::Enter { d } => put!(*d, Val::new(self.steps)),
                    I::Back { d, header } => {
                        check!(self.tick());
                        if self.steps - th.regs[base + *d as usize].bits > self.budget.loop_steps {
                            save!();
                            // Asked again only after as many steps again.
                            let (d, header) = (*d, *header);
                            put!(d, Val::new(self.steps));
                            if let Some(to) = self.skip_loop(th, &code, base, crate::ir::BlockId(header))? {
                                pc = to;
                            }
                        }
                    }
                    I::Jump { pc: to } => {
                        pc = *to as usize;
                        check!(self.tick());
                    }
                    I::Branch { c, yes, no } => {
                        let c = get!(*c);
                        pc = match c.known() {
                            Some(b) => {
                                if b & 1 == 1 {
                                    *yes as usize
                                } else {
                                    *no as usize
                                }
                            }
                            None => {
                                save!();
                                self.undecided(th, &code, base, pc - 1, c.poison)?
                            }
                        };
                    }
                    I::Switch { v, info } => {
                        let v = get!(*v);
                        let s = &code.switches[*info as usize];
                        let v = match v.known() {
                            Some(REFUSED) => {
                                match crate::witness::device::outcome::one_of_refused(|code| s.cases.get(&code)) {
                                    Some(code) => Val::new(code),
                                    None => Val::poison(self.reason(WHICH_CODE)),
                                }
                            }
                            _ => v,
                        };
                        pc = match v.known() {
                            Some(b) => s.cases.get(&b).copied().unwrap_or(s.default) as usize,
                            None => {
                                save!();
                                self.undecided(th, &code, base, pc - 1, v.poison)?
                            }
                        };
                    }
                    I::Ret { v, n } => {
                        let values: SmallVec<[Val; 8]> = (0..*n).map(|k| get!(v.plus(k))).collect();
                        let Some(f) = th.frames.pop() else { return Ok(Pause::Returned(values.to_vec())) };
                        th.stack.cut(f.depth);
                        if th.frames.len() <= floor {
                            return Ok(Pause::Returned(values.to_vec()));
                        }
                        if let Some(caller) = th.frames.last() {
                            let at = caller.base + f.dst as usize;
                            for (k, v) in values.iter().take(f.slots as usize).enumerate() {
                                th.regs[at + k] = *v;
                            }
                        }
                        continue 'frame;
                    }
                    I::Unreachable => {
                        save!();
                        return Err(Stop::Ended("the program reaches what it declares unreachable".to_owned()));
                    }
                    I::Stuck { reason } => {
                        save!();
                        return Err(Stop::Unknown(self.text(*reason)));
                    }
                }
            }
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

    /// A call of a function that has neither body nor model.
    #[cold]
    fn call_unknown(&mut self, th: &mut Thread, call: &CallInfo, f: FuncRef, args: &[Val]) -> Result<(), Stop> {
        let func = self.program.func(f);
        if func.noreturn {
            return Err(Stop::Ended(format!("the call of `{}`, which does not return", func.display)));
        }
        let why = self.reason(&format!("the result of `{}`, which is not modelled", func.display));
        self.calls_out(th, call, args, why, &crate::witness::library::modelled::const_params(&func.display))
    }

    #[cold]
    fn call_unknown_pointer(&mut self, th: &mut Thread, call: &CallInfo, p: Val, args: &[Val]) -> Result<(), Stop> {
        let why = if p.is_poison() { p.poison } else { self.reason("a call through a pointer that is no function's") };
        if self.effects.may_matter_unknown() && !th.on_device() {
            let at = self.site(th).map(|s| self.line(s)).unwrap_or_default();
            self.seen.assume(format!(
                "{at}: the function called through a pointer ({}) launches nothing",
                self.reasons.text(why)
            ));
        }
        self.calls_out(th, call, args, why, &[])
    }

    /// What is outside the program may write everything it is given, but what is behind a pointer to const.
    fn calls_out(
        &mut self,
        th: &mut Thread,
        call: &CallInfo,
        args: &[Val],
        why: Reason,
        konst: &[bool],
    ) -> Result<(), Stop> {
        let mut at = 0;
        let mut roots = Vec::new();
        for (i, a) in call.args.iter().enumerate() {
            let values = &args[at..at + a.slots as usize];
            at += a.slots as usize;
            if !konst.get(i).copied().unwrap_or(false) {
                roots.extend(values.iter().filter(|v| !v.is_poison()));
            }
        }
        self.forget_reachable(th, &roots, why);
        let base = th.frames.last().map_or(0, |f| f.base);
        for k in 0..call.slots {
            th.regs[base + (call.dst + k) as usize] = Val::poison(why);
        }
        Ok(())
    }

    /// The module of the innermost frame.
    pub fn module_of(&self, th: &Thread) -> ModuleId {
        th.frames.last().map_or(ModuleId(0), |f| f.code.func.module)
    }
}

fn wide(th: &Thread, code: &Rc<Code>, base: usize, o: Opd) -> Result<u128, Reason> {
    let (low, high) = (get(th, code, base, o), get(th, code, base, o.plus(1)));
    match (low.known(), high.known()) {
        (Some(l), Some(h)) => Ok(u128::from(h) << 64 | u128::from(l)),
        _ => Err(if low.is_poison() { low.poison } else { high.poison }),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the two halves")]
fn halves(v: Result<u128, Reason>) -> [Val; 2] {
    match v {
        Ok(x) => [Val::new(x as u64), Val::new((x >> 64) as u64)],
        Err(r) => [Val::poison(r); 2],
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "conversions are what this is for"
)]
fn cast_wide(th: &mut Thread, code: &Rc<Code>, base: usize, (op, from, to): (CastOp, u8, u8), d: u32, a: Opd) {
    let at = base + d as usize;
    if from == 128 {
        let v = wide(th, code, base, a);
        th.regs[at] = match (v, op) {
            (Err(r), _) => Val::poison(r),
            (Ok(x), CastOp::Trunc) => Val::new(x as u64 & mask(u32::from(to))),
            (Ok(x), CastOp::UiToFp) => Val::new(super::value::float_bits(x as f64, u32::from(to))),
            (Ok(x), CastOp::SiToFp) => Val::new(super::value::float_bits(x.cast_signed() as f64, u32::from(to))),
            _ => Val::poison(Reason::OPEN),
        };
        return;
    }
    let v = get(th, code, base, a);
    let r = match v.known() {
        None => Err(v.poison),
        Some(b) => match op {
            CastOp::ZExt => Ok(u128::from(b)),
            CastOp::SExt => Ok(i128::from(signed(b, u32::from(from))).cast_unsigned()),
            CastOp::FpToUi => Ok(super::value::float(b, u32::from(from)) as u128),
            CastOp::FpToSi => Ok((super::value::float(b, u32::from(from)) as i128).cast_unsigned()),
            _ => Err(Reason::OPEN),
        },
    };
    let [low, high] = halves(r);
    th.regs[at] = low;
    th.regs[at + 1] = high;
}

fn repack(th: &mut Thread, code: &Rc<Code>, base: usize, (d, a): (u32, Opd), from: &Layout, to: &Layout) {
    let mut s = crate::witness::memory::store::Store::new(
        from.bytes.max(to.bytes),
        crate::witness::memory::store::Fill::Poison(Reason::OPEN),
    );
    for (i, l) in (0..).zip(&from.leaves) {
        if l.bits != 0 {
            s.write(u64::from(l.off), l.bytes().min(8), get(th, code, base, a.plus(i)));
        }
    }
    for (i, l) in to.leaves.iter().enumerate() {
        let v = if l.bits == 0 { Val::poison(Reason::OPEN) } else { s.read(u64::from(l.off), l.bytes().min(8)) };
        th.regs[base + d as usize + i] = if v.is_poison() { v } else { Val::new(v.bits & mask(u32::from(l.bits))) };
    }
}
