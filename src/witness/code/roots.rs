//! Points-to sets of addresses computed in a region: traced back through its instructions to values defined outside.

use super::region::SkippableRegion;
use crate::machine::form::FunctionCode;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::Val;
use crate::memory::space::{WindowId, split};
use ir::{BinOp, Const, Op, Operand, ValueId};
use rustc_hash::FxHashSet;

/// Objects into which addresses computed inside a region may point.
pub(super) struct Roots<'r, 'f> {
    pub region: &'r SkippableRegion<'f>,
    pub found: FxHashSet<WindowId>,
    pub unknown: bool,
}

impl Roots<'_, '_> {
    pub fn of(&mut self, m: &mut Machine<'_>, th: &Thread, code: &FunctionCode, base: usize, o: &Operand) {
        let mut seen = FxHashSet::default();
        let mut out = FxHashSet::default();
        self.walk(m, th, code, base, o, &mut seen, &mut out);
        self.found.extend(out);
    }

    #[expect(clippy::too_many_arguments, reason = "the state of one walk")]
    fn walk(
        &mut self,
        m: &mut Machine<'_>,
        th: &Thread,
        code: &FunctionCode,
        base: usize,
        o: &Operand,
        seen: &mut FxHashSet<ValueId>,
        out: &mut FxHashSet<WindowId>,
    ) {
        let mut value = |s: &mut Self, v: Val| {
            let id = split(v.bits).0;
            if m.mem.get(&th.stack, id).is_some() {
                out.insert(id);
            } else if v.is_poison() {
                s.unknown = true;
            }
        };
        let v = match o {
            Operand::Const(Const::Global { id, offset }) => {
                let a = m.global_address(code.func.module, *id).wrapping_add_signed(*offset);
                out.insert(split(a).0);
                return;
            }
            Operand::Const(_) => return,
            Operand::Value(v) => *v,
        };
        if !seen.insert(v) {
            return;
        }
        let now = th.regs[base + code.values[v.index()].0 as usize];
        if code.promoted.contains_key(&v) {
            return;
        }
        let Some(&op) = self.region.defs.get(&v) else { return value(self, now) };
        match op {
            Op::Alloca { .. } => value(self, now),
            Op::Gep { base: b, .. } => self.walk(m, th, code, base, b, seen, out),
            Op::Cast { value: a, .. } | Op::Freeze(a) => self.walk(m, th, code, base, a, seen, out),
            Op::Bin { op: BinOp::Add | BinOp::Sub | BinOp::And, a, b, .. } => {
                self.walk(m, th, code, base, a, seen, out);
                self.walk(m, th, code, base, b, seen, out);
            }
            Op::Select { a, b, .. } => {
                self.walk(m, th, code, base, a, seen, out);
                self.walk(m, th, code, base, b, seen, out);
            }
            Op::Phi(incoming) => {
                for (_, i) in incoming {
                    self.walk(m, th, code, base, i, seen, out);
                }
            }
            Op::Load { ptr, .. } => {
                if let Operand::Value(p) = ptr
                    && let Some(&r) = code.promoted.get(p)
                {
                    value(self, th.regs[base + r as usize]);
                    for s in self.region.stores.get(p).into_iter().flatten() {
                        self.walk(m, th, code, base, s, seen, out);
                    }
                    return;
                }
                // A pointer loaded from memory may be any pointer stored in the object. Pointers that the region
                // itself stores are traced to their own sources.
                let mut inner = FxHashSet::default();
                self.walk(m, th, code, base, ptr, seen, &mut inner);
                for id in inner {
                    let words = m.mem.get(&th.stack, id).map(|o| o.store.words()).unwrap_or_default();
                    out.extend(words.into_iter().map(|w| split(w).0).filter(|i| m.mem.get(&th.stack, *i).is_some()));
                }
            }
            Op::Call { args, .. } => {
                // A function that returns an address returns one that it was given, one that it loaded from there, or
                // a new object.
                let mut inner = FxHashSet::default();
                for a in args {
                    self.walk(m, th, code, base, a, seen, &mut inner);
                }
                out.extend(m.mem.reachable(&th.stack, &inner.into_iter().collect::<Vec<_>>()));
            }
            _ => {}
        }
    }
}
