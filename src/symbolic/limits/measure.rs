//! Measures what parts of the host cost while they are executed ([`Effort`](super::cost::Effort)), and says which of them are left out.
//!
//! In: functions and loops as the executor enters and leaves them. Out: their cost in steps and work, by the part around them.

use super::budget::Limit;
use super::cost::{Begun, Part, Spared};
use crate::ir::reach::{Mentions, Named};
use crate::ir::{BlockId, FuncRef, Side};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::memory::value::Value;
use crate::work::done;
use std::rc::Rc;

impl Executor<'_> {
    /// Begins a part; `None` where it is not measured.
    pub(in crate::symbolic) fn begin(&mut self, part: Part) -> Option<Begun> {
        if self.side != Side::Host || self.effort.active.contains(&part) {
            return None;
        }
        match part {
            Part::Function(f) => {
                if !self.effort.reach.is_harmless(f) {
                    return None;
                }
            }
            Part::Loop(f, header) => {
                if !self.is_harmless_loop(f, header) {
                    self.effort.on_device.insert(part);
                }
            }
        }
        self.effort.active.push(part);
        let at = done();
        // Steps may take long.
        if self.budget.work.is_spent() {
            self.end_by(Limit::Work);
        } else if self.budget.is_late() {
            self.end_by(Limit::Time);
        }
        Some(Begun { part, steps: self.budget.steps, at })
    }

    pub(in crate::symbolic) fn end(&mut self, begun: Option<Begun>) {
        let Some(b) = begun else { return };
        self.effort.active.pop();
        let around = self.effort.active.last().copied();
        let (cost, times) = self.effort.spent.entry((around, b.part)).or_default();
        cost.steps += b.steps - self.budget.steps;
        cost.work = cost.work + (done() - b.at);
        *times += 1;
    }

    /// How a part of the host is spared.
    pub(in crate::symbolic) fn spared(&self, part: Part) -> Option<Spared> {
        if self.side == Side::Host { self.effort.spared(part) } else { None }
    }

    /// Whether CUDA may be called from a function of the host.
    pub(crate) fn leads_to_cuda(&self, f: FuncRef) -> bool {
        !self.effort.reach.is_harmless(f)
    }

    /// Pointers to the variables with such names that a function of the host, or what it calls, may write by their names; `None`
    /// where these are not known.
    pub(crate) fn globals_written_by(&mut self, f: FuncRef, of: impl Fn(&str) -> bool) -> Option<Vec<Value>> {
        let named = self.globals_of(Part::Function(f));
        if named.opaque {
            return None;
        }
        let program = self.program;
        let variables = named.globals.iter().filter(|g| {
            let global = program.global(**g);
            !global.constant && of(&global.name)
        });
        Some(
            variables
                .map(|g| {
                    let o = self.global_object(g.module, g.global);
                    self.pointer(o, 0)
                })
                .collect(),
        )
    }

    pub(in crate::symbolic) fn is_harmless_loop(&mut self, f: FuncRef, header: BlockId) -> bool {
        if let Some(known) = self.effort.loops.get(&(f, header)) {
            return *known;
        }
        let mentions = self.mentioned_in_loop(f, header);
        let harmless = self.effort.reach.are_harmless(&mentions);
        self.effort.loops.insert((f, header), harmless);
        harmless
    }

    fn mentioned_in_loop(&mut self, f: FuncRef, header: BlockId) -> Mentions {
        let cfg = self.cfg(f);
        let func = self.function(f);
        let blocks =
            cfg.loops.iter().filter(|l| l.header == header).flat_map(|l| &l.blocks).map(|b| &func.blocks[b.index()]);
        Mentions::of(self.program, f.module, blocks)
    }

    /// The globals that a part may touch by their names.
    pub(in crate::symbolic) fn globals_of(&mut self, part: Part) -> Rc<Named> {
        if let Some(known) = self.effort.named.get(&part) {
            return known.clone();
        }
        let named = match part {
            Part::Function(f) => self.effort.reach.mentions(f).map(|m| self.effort.reach.globals(m)),
            Part::Loop(f, header) => {
                let m = self.mentioned_in_loop(f, header);
                Some(self.effort.reach.globals(&m))
            }
        };
        let named = Rc::new(named.unwrap_or(Named { opaque: true, ..Named::default() }));
        self.effort.named.insert(part, named.clone());
        named
    }
}
