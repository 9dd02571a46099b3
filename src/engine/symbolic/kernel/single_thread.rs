//! Launches of a single thread: nothing else runs beside it, so the executor follows its stores to device memory like
//! the host's. Afterwards an object that such a kernel initialises, or two pointers that it exchanges, are known.
//!
//! In: a kernel, its arguments and the state at its launch. Out: the state after it. If the thread stores through an
//! unknown pointer, calls unknown code, allocates or frees, it is treated like any other launch: what it may write is
//! unknown. The same holds if device work overlaps, and for memory that the host can write meanwhile.

use crate::symbolic::effects::write_set::Footprint;
use crate::symbolic::exec::events::LaunchConfig;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::kernel::context::ThreadIndices;
use crate::symbolic::limits::budget::Allowance;
use crate::symbolic::memory::object::{ObjId, ObjKind, Object};
use crate::symbolic::memory::value::Value;
use ir::{FuncRef, Side};
use std::hash::{Hash, Hasher};

/// Step limit of one launch.
const STEPS: u64 = 20_000;

impl Executor<'_> {
    /// Executes a launch that the host reached, if it has a single thread. Returns whether it did.
    pub fn launch_single(&mut self, s: &mut State, kernel: FuncRef, args: &[Value], config: &LaunchConfig) -> bool {
        if !self.is_single(kernel, config) {
            return false;
        }
        let left = self.limits.left();
        let given = Allowance { steps: STEPS.min(left.steps), ..left };
        let (found, taken, points_to) = self.aside(given, |e| e.follow_single(kernel, s.clone(), args, config));
        self.limits.take_steps(taken);
        let Some((left, written)) = found else { return false };
        self.points_to = points_to;
        self.note_alone(written.objects());
        s.mem = left.mem;
        true
    }

    /// Returns the write set of a launch's only thread, if it has only one and can be followed; the caller executes it
    /// again.
    pub(crate) fn written_by_single(
        &mut self,
        kernel: FuncRef,
        args: &[Value],
        config: &LaunchConfig,
        s: State,
    ) -> Option<Footprint> {
        if !self.is_single(kernel, config) {
            return None;
        }
        let given = Allowance { steps: STEPS, ..self.limits.left() };
        let (found, ..) = self.aside(given, |e| e.follow_single(kernel, s, args, config));
        found.map(|(_, written)| written)
    }

    /// Returns the state after the thread, without its own memory, and its write set; `None` if these are unknown.
    fn follow_single(
        &mut self,
        kernel: FuncRef,
        s: State,
        args: &[Value],
        config: &LaunchConfig,
    ) -> Option<(State, Footprint)> {
        let (known, freed) = (self.heap.len(), self.heap.count_of_frees());
        let mut h = rustc_hash::FxHasher::default();
        (kernel, known, "alone").hash(&mut h);
        let shared = self.heap.add(Object {
            kind: ObjKind::SharedDynamic,
            name: String::new(),
            extent: Some(config.shared),
            site: None,
            func: None,
            array: true,
        });
        let (zero, one) = (self.arena.int(0), self.arena.int(1));
        let first = self.arena.symbols().len();
        self.kernel.partitions.begin(first);
        self.kernel.thread = Some(ThreadIndices {
            tid: [zero; 3],
            bid: [zero; 3],
            block: [one; 3],
            grid: [one; 3],
            cluster: config.limits.cluster,
            shared: Some(shared),
        });
        self.kernel.alone = true;
        let out = self.call(kernel, args.to_vec(), s, h.finish());
        self.kernel.alone = false;
        let (_, mut left) = out?;
        left.mem.retain(|o| !matches!(self.object(*o).kind, ObjKind::SharedStatic(_) | ObjKind::SharedDynamic));
        let ended = self.limits.is_whole();
        let surely = !self.kernel.written_anywhere
            && !self.kernel.launches
            && !self.kernel.unknown_code
            && self.kernel.written_otherwise.is_empty()
            && self.heap.count_of_frees() == freed;
        let allocates = self.heap.objects()[known..].iter().any(|o| matches!(o.kind, ObjKind::DeviceHeap));
        let written = std::mem::take(&mut self.kernel.written);
        let elsewhere = |o: ObjId| {
            !matches!(
                self.object(o).kind,
                ObjKind::SharedStatic(_)
                    | ObjKind::SharedDynamic
                    | ObjKind::DeviceLocal
                    | ObjKind::DeviceHeap
                    | ObjKind::DeviceGlobal(_)
            )
        };
        (ended && surely && !allocates && !written.objects().any(elsewhere)).then_some((left, written))
    }
}

impl MemoryDomain<'_> {
    /// Whether stores to an object are followed.
    pub(in crate::symbolic) fn knows_stores(&self, o: ObjId) -> bool {
        self.side == Side::Host
            || match self.object(o).kind {
                ObjKind::DeviceLocal => true,
                ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_) => self.kernel.alone,
                // The executor follows neither shared memory, constant variables nor host memory: others may write
                // these.
                ObjKind::SharedStatic(_)
                | ObjKind::SharedDynamic
                | ObjKind::Constant(_)
                | ObjKind::Managed
                | ObjKind::Parameter
                | ObjKind::HostLocal
                | ObjKind::HostHeap
                | ObjKind::HostGlobal(_)
                | ObjKind::ArgvArray
                | ObjKind::ArgvText(_)
                | ObjKind::ArgvTexts
                | ObjKind::Stream(_)
                | ObjKind::Opaque => false,
            }
    }

    /// Whether a launch has one thread, which has the device for itself.
    fn is_single(&self, kernel: FuncRef, c: &LaunchConfig) -> bool {
        !self.runtime.overlapping
            && !self.function(kernel).is_declaration()
            && c.grid.iter().chain(&c.block).all(|n| self.arena.as_int(*n) == Some(1))
    }
}
