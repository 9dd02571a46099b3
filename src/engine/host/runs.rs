//! Conditions under which launches run (CUDA Runtime API reference 13.0,
//! Execution Control).
//!
//! A launch that asks for more than its kernel may have is refused: it has no effect, and the program goes on. In:
//! attributes that the program sets, launches. Out: the limits under which a launch runs at all, and whether it surely
//! does. `symbolic/exec/failure_branches.rs` follows the status codes that refused calls return.

use crate::symbolic::exec::events::{LaunchConfig, LaunchLimits};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::library::Call;
use crate::symbolic::exec::state::State;
use crate::symbolic::kernel::launch::{MAX_GRID, MAX_SHARED, MAX_THREADS};
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, Rest};
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::interval::Range;
use crate::symbolic::terms::term::{SymKind, TermId};
use base::reasons::UnknownReason;
use ir::shared::most_static_shared;
use ir::{FuncRef, Side};
use models::launches;
use std::rc::Rc;

/// Bytes of shared memory of a block, static and dynamic, that a kernel may have without its attribute.
const USUAL_SHARED: i128 = 48 * 1024;

/// `cudaFuncAttributeMaxDynamicSharedMemorySize`.
const MAX_DYNAMIC: i128 = 8;

/// Value that records an unset attribute. The cluster along each axis follows it in the object; zero is unset.
const NOT_SET: i128 = -1;

/// Maximum number of kernels whose attributes are followed: each state contains them.
const MOST: usize = 64;

impl Executor<'_> {
    /// Adds the attributes that the program may set to the state in which `main` starts.
    pub(super) fn first_attributes(&mut self, s: &mut State) {
        let program = self.program;
        let is_named = |names: &[&str]| {
            program.functions().any(|(_, m, f)| m.side == Side::Host && names.contains(&f.name.as_str()))
        };
        self.runtime.usual_shared = !is_named(&[
            "cudaFuncSetAttribute",
            "cudaKernelSetAttributeForDevice",
            "cuFuncSetAttribute",
            "cuKernelSetAttribute",
        ]);
        if self.runtime.usual_shared
            || is_named(&["cudaKernelSetAttributeForDevice", "cuFuncSetAttribute", "cuKernelSetAttribute"])
        {
            return;
        }
        let kernels: Vec<FuncRef> =
            program.functions().filter(|(_, m, f)| m.side == Side::Device && f.kernel).map(|(r, ..)| r).collect();
        if kernels.len() > MOST {
            return;
        }
        let not_set = self.arena.int(NOT_SET);
        for k in kernels {
            let extent = Some(self.arena.int(16));
            let o = self.heap.add(Object {
                kind: ObjKind::Opaque,
                name: program.func(k).name.clone(),
                extent,
                site: None,
                func: None,
                array: false,
            });
            let mut state = ObjState::new(Rest::Zero);
            state.cells.insert(0, (4, Value::Int(not_set)));
            let none = self.arena.int(0);
            for at in [4, 8, 12] {
                state.cells.insert(at, (4, Value::Int(none)));
            }
            s.mem.insert(o, Rc::new(state));
            self.runtime.attributes.insert(k, o);
        }
    }

    /// Returns the last requested attribute value that was granted.
    fn attribute(&self, s: &State, o: ObjId) -> Option<TermId> {
        match s.mem.get(&o).and_then(|st| st.cells.get(&0)) {
            Some((4, Value::Int(t))) => Some(*t),
            _ => None,
        }
    }

    fn most_static(&mut self, kernel: FuncRef) -> i128 {
        let program = self.program;
        *self.runtime.statics.entry(kernel).or_insert_with(|| i128::from(most_static_shared(program, kernel)))
    }

    /// Models `cudaFuncSetAttribute`: refused below 0, and if static and dynamic memory together exceed any device's.
    /// The static memory that the compiler keeps is unknown. Returns whether the call succeeds: assumed, except for
    /// clusters.
    pub(super) fn set_attribute(&mut self, c: &Call<'_>, s: &mut State) -> bool {
        let which = self.int_arg(c, 1, 32);
        let known = self.arena.as_int(which);
        if known.is_some_and(|n| n != MAX_DYNAMIC && !launches::is_of_clusters(n)) {
            return true;
        }
        let wanted = self.int_arg(c, 2, 32);
        let wanted = self.interpret(wanted, 32, true);
        let handle = self.pointer_arg(c, 0);
        let kernels: Option<Vec<FuncRef>> = handle.iter().map(|t| self.kernel_of_handle(&t.base)).collect();
        let all = kernels.is_none();
        let kernels = kernels.unwrap_or_else(|| self.runtime.attributes.keys().copied().collect());
        let succeeds = known == Some(MAX_DYNAMIC) || self.require_cluster(s, &kernels, known, wanted);
        if known.is_some_and(launches::is_of_clusters) {
            return succeeds;
        }
        let surely = !all && kernels.len() == 1 && self.arena.as_int(which).is_some();
        for k in kernels {
            // For a kernel whose attribute is not followed, no limit is assumed.
            let Some(o) = self.runtime.attributes.get(&k).copied() else { continue };
            let room = MAX_SHARED - self.most_static(k);
            let (zero, most, kept) = (self.arena.int(0), self.arena.int(MAX_SHARED), self.arena.int(room));
            let (lower, upper, granted) =
                (self.arena.le(zero, wanted), self.arena.le(wanted, most), self.arena.le(wanted, kept));
            let unknown = || SymKind::Unknown { reason: UnknownReason::KernelAttributeSet };
            let perhaps = if self.arena.as_bool(granted) == Some(true) {
                granted
            } else {
                let f = self.arena.fresh_bool(unknown(), "?");
                self.arena.or(granted, f)
            };
            let perhaps = if surely { perhaps } else { self.arena.fresh_bool(unknown(), "?") };
            let done = self.arena.and_all(vec![lower, upper, perhaps]);
            let value = match self.attribute(s, o) {
                Some(old) => {
                    let t = self.arena.ite(done, wanted, old);
                    Value::Int(t)
                }
                None => Value::unknown(UnknownReason::KernelAttribute),
            };
            if let Some(st) = s.mem.get_mut(&o) {
                Rc::make_mut(st).cells.insert(0, (4, value));
            }
        }
        succeeds
    }

    /// Returns the configuration with the limits of its kernel: conditions that hold wherever the launch runs.
    pub(super) fn limited(&mut self, s: &State, kernel: FuncRef, c: &LaunchConfig) -> LaunchConfig {
        let usual = self.arena.int(USUAL_SHARED);
        let shared = if let Some(o) = self.runtime.attributes.get(&kernel).copied() {
            self.attribute(s, o).map(|t| {
                let not_set = self.arena.int(NOT_SET);
                let is = self.arena.eq(t, not_set);
                self.arena.ite(is, usual, t)
            })
        } else {
            (self.from_the_start && self.runtime.usual_shared).then_some(usual)
        };
        let threads = self.program.func(kernel).max_threads;
        LaunchConfig { limits: LaunchLimits { shared, threads, ..c.limits }, ..c.clone() }
    }

    /// Whether nothing in its configuration can prevent a launch, by its constants and ranges.
    pub(super) fn surely_runs(&mut self, kernel: FuncRef, c: &LaunchConfig) -> bool {
        let within = |e: &Self, t: TermId, most: i128| Range::new(1, most).contains(e.arena.range(t));
        let runs = c.limits.runs.is_none_or(|t| self.arena.as_bool(t) == Some(true));
        if c.limits.refusable || !runs || !(0..3).all(|i| within(self, c.grid[i], MAX_GRID[i])) {
            return false;
        }
        for (blocks, cluster) in c.grid.into_iter().zip(c.limits.cluster.unwrap_or([1; 3])) {
            let rest = self.arena.modulo(blocks, i128::from(cluster));
            if self.arena.as_int(rest) != Some(0) {
                return false;
            }
        }
        let xy = self.arena.mul(c.block[0], c.block[1]);
        let xyz = self.arena.mul(xy, c.block[2]);
        let most = c.limits.threads.map_or(MAX_THREADS, |n| i128::from(n).min(MAX_THREADS));
        if !within(self, xyz, most)
            || !(0..3).all(|i| within(self, c.block[i], crate::symbolic::kernel::launch::MAX_BLOCK[i]))
        {
            return false;
        }
        let shared = self.arena.range(c.shared);
        if self.arena.as_int(c.shared) == Some(0) {
            return true;
        }
        let Some(limit) = c.limits.shared else { return false };
        // A requested limit is for dynamic memory alone; otherwise static memory counts as well.
        let most = match self.arena.as_int(limit).filter(|n| *n != USUAL_SHARED) {
            Some(n) => n,
            None => {
                let statics = self.most_static(kernel);
                self.arena.range(limit).lo.unwrap_or(0).min(USUAL_SHARED - statics)
            }
        };
        Range::new(0, most).contains(shared)
    }
}
