//! Device memory and memory accessible to both sides, in the CUDA runtime API (CUDA Runtime API reference 13.0):
//! allocations, frees, registrations and addresses of symbols.

use super::table::Table;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::library::{Call, Modelled};
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, Rest};
use crate::symbolic::memory::value::{Base, Target, Value};
use crate::symbolic::terms::interval::Range;
use crate::symbolic::terms::term::{InputSource, SymKind, TermId};
use base::axioms::Axiom;
use base::reasons::UnknownReason;
use std::rc::Rc;

/// Allocations, frees and addresses.
pub(super) const MEMORY: Table = &[
    (&["cudaMalloc", "cudaMallocAsync", "cudaMallocFromPoolAsync"], |e, c, s| e.cuda_malloc(c, s)),
    (&["cuMemAlloc_v2", "cuMemAllocAsync", "cuMemAllocFromPoolAsync"], |e, c, s| e.cuda_malloc(c, s)),
    (&["cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc"], |e, c, s| e.cuda_malloc_shared(c, s)),
    (&["cuMemAllocManaged", "cuMemAllocHost_v2", "cuMemHostAlloc"], |e, c, s| e.cuda_malloc_shared(c, s)),
    (&["cudaMallocPitch", "cuMemAllocPitch_v2"], |e, c, s| e.cuda_malloc_pitch(c, s)),
    (&["cudaFree", "cudaFreeAsync", "cudaFreeHost", "cuMemFree_v2", "cuMemFreeAsync", "cuMemFreeHost"], |e, c, s| {
        e.cuda_free(c, s)
    }),
    (&["cudaHostRegister", "cuMemHostRegister_v2"], |e, c, s| e.cuda_host_register(c, s)),
    (&["cudaHostGetDevicePointer", "cuMemHostGetDevicePointer_v2"], |e, c, s| e.cuda_host_device_pointer(c, s)),
    (&["cudaGetSymbolAddress"], |e, c, s| e.cuda_symbol_address(c, s)),
];

impl Executor<'_> {
    fn cuda_malloc(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let n = self.int_arg(c, 1, 64);
        self.device_allocation(c, s, n, ObjKind::DeviceHeap)
    }

    fn cuda_malloc_shared(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let name = c.base();
        let n = self.int_arg(c, 1, 64);
        let done = self.device_allocation(c, s, n, ObjKind::Managed);
        if let Some(o) = self.heap.allocated_at(c.context, c.site) {
            if matches!(name, "cudaMallocManaged" | "cuMemAllocManaged") {
                self.runtime.managed.insert(o);
            } else {
                self.runtime.pinned.insert(o);
            }
        }
        done
    }

    fn cuda_malloc_pitch(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let (w, h) = (self.int_arg(c, 2, 64), self.int_arg(c, 3, 64));
        let pitch = self.arena.fresh(
            SymKind::Input(InputSource::World("the pitch of cudaMallocPitch".into())),
            "pitch",
            Range::new(0, 1 << 40),
        );
        let wide = self.arena.le(w, pitch);
        let Some(mut s) = self.assume(s, wide) else { return Ok(None) };
        let p = c.args.get(1).map(|a| self.as_pointer(a)).unwrap_or_default();
        self.store_value(&mut s, &p, Value::Int(pitch), 8);
        let n = self.arena.mul(pitch, h);
        self.device_allocation(c, s, n, ObjKind::DeviceHeap)
    }

    fn cuda_free(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let name = c.base();
        let p = self.pointer_arg(c, 0);
        let p = self.freed_by(name, &p);
        self.release(&mut s, &p);
        self.release_lost(&mut s, &p);
        self.success(s)
    }

    fn cuda_host_register(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let p = self.pointer_arg(c, 0);
        self.register(&s, &p);
        self.success(s)
    }

    fn cuda_host_device_pointer(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        // With unified addressing, both sides use the same address.
        let (out, host) = (self.pointer_arg(c, 0), self.pointer_arg(c, 1));
        self.register(&s, &host);
        self.store_value(&mut s, &out, Value::Ptr(host), 8);
        self.success(s)
    }

    fn cuda_symbol_address(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let out = self.pointer_arg(c, 0);
        let symbol = self.pointer_arg(c, 1);
        let variable = self.device_symbol(&symbol);
        self.reach_constant(variable);
        let v = match variable {
            Some(o) => self.pointer(o, 0),
            None => {
                self.lose_variables(&mut s, &UnknownReason::UnknownSymbolAddress);
                self.unknown_pointer(&UnknownReason::SymbolAddress)
            }
        };
        self.store_value(&mut s, &out, v, 8);
        self.success(s)
    }

    pub(super) fn device_allocation(&mut self, c: &Call<'_>, s: State, size: TermId, kind: ObjKind) -> Modelled {
        let out = self.pointer_arg(c, 0);
        // The allocation succeeds. A negative size is one of at least 2^63 bytes, more than any device has.
        let want = Range::new(-(1 << 63), (1 << 64) - 1);
        let size = if want.contains(self.arena.range(size)) { size } else { self.interpret(size, 64, false) };
        let zero = self.arena.int(0);
        let lower = self.arena.le(zero, size);
        let most = self.most_of_device();
        let memory = self.arena.int(most);
        let upper = self.arena.le(size, memory);
        let fits = self.arena.and(lower, upper);
        let Some(mut s) = self.assume(s, fits) else { return Ok(None) };
        let name = self.pointee_name(&out);
        let place = self.user_location();
        // The executor follows the program after a failed allocation; about an access to the missing memory it claims
        // only that the extent is 0.
        let early = (!self.assumptions.takes(Axiom::DeviceAllocation)).then(|| self.allocation_status());
        let size = match early {
            Some(status) => {
                let given = self.arena.eq(status, zero);
                self.bytes_given(given, size)
            }
            None => size,
        };
        let o = self.heap.allocate(
            (c.context, c.site, 1),
            Object { kind, name, extent: Some(size), site: place, func: None, array: true },
        );
        s.mem.insert(o, Rc::new(ObjState::new(Rest::Uninit)));
        let p = self.pointer(o, 0);
        self.store_value(&mut s, &out, p, 8);
        let status = early.unwrap_or_else(|| self.allocation_status());
        Ok(Some((Value::Int(status), s)))
    }

    /// Returns the targets that a function of the runtime frees: memory of its own kind. The runtime refuses other
    /// targets, and leaves them unchanged.
    pub(super) fn freed_by(&self, name: &str, p: &[Target]) -> Vec<Target> {
        let of_host = matches!(name, "cudaFreeHost" | "cuMemFreeHost");
        let frees = |t: &&Target| match t.base {
            Base::Object(o) => match self.object(o).kind {
                ObjKind::DeviceHeap => !of_host,
                // An object that summarises the allocations of earlier iterations may be of either kind.
                ObjKind::Managed if of_host => !self.runtime.managed.contains(&o),
                ObjKind::Managed => !self.runtime.pinned.contains(&o),
                ObjKind::Parameter => true,
                // The runtime did not allocate host memory, variables and thread memory.
                ObjKind::HostLocal
                | ObjKind::HostHeap
                | ObjKind::HostGlobal(_)
                | ObjKind::ArgvArray
                | ObjKind::ArgvText(_)
                | ObjKind::ArgvTexts
                | ObjKind::DeviceGlobal(_)
                | ObjKind::Constant(_)
                | ObjKind::SharedStatic(_)
                | ObjKind::SharedDynamic
                | ObjKind::DeviceLocal
                | ObjKind::Stream(_)
                | ObjKind::Opaque => false,
            },
            Base::Null | Base::Func(_) | Base::Unknown(_) => true,
        };
        p.iter().filter(frees).cloned().collect()
    }

    /// Returns the name of the variable that an out-parameter points to.
    pub(super) fn pointee_name(&self, p: &[Target]) -> String {
        match p {
            // The name is only for users: any other target has none.
            [Target { base: Base::Object(o), .. }, ..] => self.object(*o).name.clone(),
            _ => String::new(),
        }
    }

    /// Returns the device variable whose host shadow a pointer names.
    pub(super) fn device_symbol(&mut self, p: &[Target]) -> Option<ObjId> {
        // The runtime identifies variables by their start address: any other address is refused, or means another
        // variable.
        let [Target { base: Base::Object(o), offset, .. }] = p else { return None };
        if self.arena.as_int(*offset) != Some(0) {
            return None;
        }
        let ObjKind::HostGlobal(r) = self.object(*o).kind else { return None };
        let d = self.program.device_variable(r)?;
        Some(self.global_of(d))
    }
}
