//! Measures the cost of host code parts while they are executed ([`Effort`](super::cost::PartCosts)), and tells which of
//! them are skipped.
//!
//! In: functions and loops as the executor enters and leaves them. Out: their cost in steps and work, by the enclosing
//! part.

use super::cost::{HostPart, PartTreatment, RunningPart};
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::memory::value::Value;
use ir::reach::{MentionedGlobals, Mentions};
use ir::{BlockId, FuncRef, Side};
use std::rc::Rc;

impl ExecutionContext<'_> {
    /// Begins a part; `None` if it is not measured.
    pub(in crate::symbolic) fn begin(&mut self, part: HostPart) -> Option<RunningPart> {
        if self.side != Side::Host || self.limits.effort.is_active(part) {
            return None;
        }
        match part {
            HostPart::Function(f) => {
                if !self.limits.effort.reach.is_harmless(f) {
                    return None;
                }
            }
            HostPart::Loop(f, header) => {
                if !self.is_harmless_loop(f, header) {
                    self.limits.effort.on_device.insert(part);
                }
            }
        }
        let (begun, over) = self.limits.begin(part);
        if let Some(limit) = over {
            self.end_by(limit);
        }
        Some(begun)
    }

    /// Returns how the executor treats a host part that costs too much.
    pub(in crate::symbolic) fn spared(&self, part: HostPart) -> Option<PartTreatment> {
        if self.side == Side::Host { self.limits.effort.spared(part) } else { None }
    }

    /// Returns pointers to the variables with matching names that a host function, or its callees, may write by name;
    /// `None` if these are unknown.
    pub fn globals_written_by(&mut self, f: FuncRef, of: impl Fn(&str) -> bool) -> Option<Vec<Value>> {
        let named = self.globals_of(HostPart::Function(f));
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

    /// Whether a host function is, or may reach, such a function, or may reach one that is not known.
    pub fn reaches_such(&mut self, f: FuncRef, such: impl Fn(FuncRef) -> bool) -> bool {
        let named = self.globals_of(HostPart::Function(f));
        named.opaque || such(f) || named.reached.iter().any(|r| such(*r))
    }

    pub(in crate::symbolic) fn is_harmless_loop(&mut self, f: FuncRef, header: BlockId) -> bool {
        if let Some(known) = self.limits.effort.loops.get(&(f, header)) {
            return *known;
        }
        let mentions = self.mentioned_in_loop(f, header);
        let harmless = self.limits.effort.reach.are_harmless(&mentions);
        self.limits.effort.loops.insert((f, header), harmless);
        harmless
    }

    fn mentioned_in_loop(&mut self, f: FuncRef, header: BlockId) -> Mentions {
        let cfg = self.cfg(f);
        let func = self.function(f);
        let blocks =
            cfg.loops.iter().filter(|l| l.header == header).flat_map(|l| &l.blocks).map(|b| &func.blocks[b.index()]);
        Mentions::of(self.program, f.module, blocks)
    }

    /// Returns the globals that a part may touch by name.
    pub(in crate::symbolic) fn globals_of(&mut self, part: HostPart) -> Rc<MentionedGlobals> {
        if let Some(known) = self.limits.effort.named.get(&part) {
            return known.clone();
        }
        let named = match part {
            HostPart::Function(f) => self.limits.effort.reach.mentions(f).map(|m| self.limits.effort.reach.globals(m)),
            HostPart::Loop(f, header) => {
                let m = self.mentioned_in_loop(f, header);
                Some(self.limits.effort.reach.globals(&m))
            }
        };
        let named = Rc::new(named.unwrap_or(MentionedGlobals { opaque: true, ..MentionedGlobals::default() }));
        self.limits.effort.named.insert(part, named.clone());
        named
    }
}
