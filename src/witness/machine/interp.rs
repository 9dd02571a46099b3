//! The interpreter loop: runs one thread from its current state until it ends or waits.
//!
//! In: a thread with a frame. Out: the frame's result, what the thread waits for, or why it stops. The loop has one
//! arm for each instruction of `form`. Longer arms are in `step`, and calls are in `calls`.

use super::arith::{self, ArithmeticFault};
use super::call::{ThreadStop, Wait};
use super::calls::CallStep;
use super::form::I;
use super::state::Machine;
use super::step::{
    both, cast_wide, compare_wide, either, element, exchange, extract, get, insert, leave, offset, repack,
    wide_arithmetic,
};
use super::thread::{Frame, Thread, site_of};
use super::value::{Reason, Val, float};
use ir::{AtomicOp, FuncRef};
use smallvec::SmallVec;

/// Reason why [`Machine::run`] returned.
#[derive(Debug)]
pub enum Pause {
    /// The frame at index `floor` has returned these values.
    Returned(Vec<Val>),
    Waits(Wait),
}

/// Most frames of one thread.
const MAX_FRAMES: usize = 10_000;

impl Machine<'_> {
    /// Pushes a frame for a function with a body.
    pub fn enter(
        &mut self,
        th: &mut Thread,
        func: FuncRef,
        args: &[Val],
        dst: u32,
        slots: u32,
    ) -> Result<(), ThreadStop> {
        if self.contract_of(func).is_some() {
            self.contract_at_call(th, func, args)?;
        }
        if th.frames.len() >= MAX_FRAMES {
            return Err(ThreadStop::Unknown("recursion deeper than the interpreter follows".into()));
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
            let copy = self.stack_object(th, "a parameter".into(), None, (size, 1))?;
            let site = site_of(&code, 0);
            self.copy(th, || site, copy, from, Val::new(size))?;
            th.regs[base + reg as usize] = copy;
        }
        th.frames.push(Frame { code, pc: 0, base, depth, dst, slots, varargs: Vec::new(), vararg_values: Vec::new() });
        Ok(())
    }

    /// Runs until the frame at index `floor` returns, the thread waits, or it stops.
    pub fn run(&mut self, th: &mut Thread, floor: usize) -> Result<Pause, ThreadStop> {
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
                            Ok(v) => self.low_bits(&th.stack, (*op, *w), (get!(*a), get!(*b)), v),
                            Err(ArithmeticFault::Divide) if !th.on_device() => {
                                save!();
                                return Err(ThreadStop::Ended("a division by zero".to_owned()));
                            }
                            Err(_) => Val::poison(Reason::OPEN),
                        };
                        put!(*d, v);
                    }
                    I::Float { op, w, d, a, b } => {
                        put!(*d, both(get!(*a), get!(*b), |a, b| arith::computed(*op, u32::from(*w), a, b)));
                    }
                    I::Wide { op, d, a, b } => wide_arithmetic(th, &code, base, *op, *d, (*a, *b)),
                    I::Icmp { pred, w, d, a, b } => {
                        put!(*d, self.compare(&th.stack, *pred, u32::from(*w), get!(*a), get!(*b)));
                    }
                    I::IcmpWide { pred, d, a, b } => put!(*d, compare_wide(th, &code, base, *pred, (*a, *b))),
                    I::Fcmp { pred, w, d, a, b } => {
                        let holds = |a, b| pred.holds(float(a, u32::from(*w)), float(b, u32::from(*w)));
                        put!(*d, both(get!(*a), get!(*b), |a, b| Val::new(u64::from(holds(a, b)))));
                    }
                    I::FNeg { w, d, a } => {
                        let a = get!(*a);
                        put!(*d, if a.is_poison() { Val::poison(a.poison) } else { arith::negated(u32::from(*w), a) });
                    }
                    I::Cast { op, from, to, d, a } => {
                        if self.watch && !self.wrapped {
                            self.wrapped = arith::cast_wraps(*op, u32::from(*from), u32::from(*to), get!(*a));
                        }
                        put!(*d, self.cast(&th.stack, *op, u32::from(*from), u32::from(*to), get!(*a)));
                    }
                    I::Window { to_number, d, a } => put!(*d, self.window(*to_number, get!(*a))),
                    I::CastWide { op, from, to, d, a } => cast_wide(th, &code, base, (*op, *from, *to), *d, *a),
                    I::Repack { d, a, from, to } => {
                        repack(th, &code, base, (*d, *a), &code.layouts[*from as usize], &code.layouts[*to as usize]);
                    }
                    I::Select { d, c, a, b } => {
                        let c = get!(*c);
                        let v = match c.known() {
                            Some(bit) if bit & 1 == 1 => get!(*a),
                            Some(_) => get!(*b),
                            None => either(c, get!(*a), get!(*b)),
                        };
                        put!(*d, v);
                    }
                    I::Offset { d, base: p, off } => put!(*d, offset(get!(*p), *off)),
                    I::Index { d, base: p, index, w, stride } => {
                        let p = get!(*p);
                        if self.seen.has_parts() {
                            self.note_row(site!()(), p);
                        }
                        put!(*d, element(p, get!(*index), u32::from(*w), *stride));
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
                        let values: SmallVec<[Val; 8]> =
                            (0..).map(|i| get!(v.plus(i))).take(layout.leaves.len()).collect();
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
                        let old = check!(self.update(th, site!(), p, u32::from(*bits), |old| exchange(old, e, n)));
                        put!(*d, old);
                        put!(*d + 1, both(old, e, |old, e| Val::new(u64::from(old == e))));
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
                    I::Alloca { d, elem, align, count, name } => {
                        let name = code.names[*name as usize].clone();
                        let v = check!(self.variable(th, name, site!(), (*elem, *align), get!(*count)));
                        put!(*d, v);
                    }
                    I::Extract { d, vec, n, stride, index } => {
                        extract(th, &code, base, *d, *vec, (*n, *stride, *index));
                    }
                    I::Insert { d, n, stride, index, v } => insert(th, &code, base, *d, *v, (*n, *stride, *index)),
                    I::Poison { d, n, s } => {
                        let v = get!(*s);
                        for k in 0..*n {
                            put!(*d + k, v);
                        }
                    }
                    I::Fresh { p } => {
                        let p = get!(*p);
                        if !p.is_poison() {
                            self.havoc(th, p, Reason::UNINIT);
                        }
                    }
                    I::Assume { c } => {
                        if get!(*c).known().is_some_and(|b| b & 1 == 0) {
                            save!();
                            let what = "an assumption of the program (`__builtin_assume`) does not hold";
                            return self.false_claim(th, what);
                        }
                    }
                    op @ (I::Asm { .. } | I::Call { .. }) => {
                        save!();
                        match self.call_or_unwind(th, (&code, base), floor, op)? {
                            CallStep::Goes => {}
                            CallStep::Enters => continue 'frame,
                            CallStep::Waits(w) => return Ok(Pause::Waits(w)),
                        }
                    }
                    I::Enter { d } => put!(*d, Val::new(self.steps)),
                    I::Back { d, header } => {
                        check!(self.tick());
                        if self.steps - th.regs[base + *d as usize].bits > self.budget.loop_steps {
                            save!();
                            // The next attempt comes only after as many steps again.
                            let (d, header) = (*d, *header);
                            put!(d, Val::new(self.steps));
                            if let Some(to) = self.skip_loop(th, &code, base, ir::BlockId(header))? {
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
                            Some(b) if b & 1 == 1 => *yes as usize,
                            Some(_) => *no as usize,
                            None => {
                                save!();
                                self.undecided(th, &code, base, pc - 1, c.poison)?
                            }
                        };
                    }
                    I::Switch { v, info } => {
                        let s = &code.switches[*info as usize];
                        let v = self.switched(s, get!(*v));
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
                        if leave(th, floor, &values) {
                            return Ok(Pause::Returned(values.to_vec()));
                        }
                        continue 'frame;
                    }
                    I::Unreachable => {
                        save!();
                        if self.flies_on(th, floor)? {
                            continue 'frame;
                        }
                        return self.false_claim(th, "the program reaches what it declares unreachable");
                    }
                    I::Stuck { why } => {
                        save!();
                        return Err(ThreadStop::Unknown(self.reasons.why(get!(*why).poison, str::to_owned)));
                    }
                }
            }
        }
    }
}
