//! The CUDA runtime API (CUDA Runtime API reference 13.0), copies apart. Calls succeed, but for launches and allocations, whose codes are any
//! (`runs.rs`), and queries.

use super::Call;
use crate::ir::{FuncRef, Program, Side};
use crate::kernel::Modelled;
use crate::symbolic::exec::events::{LaunchConfig, LaunchEvent, Limits};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, Rest};
use crate::symbolic::memory::value::{Base, Target, Value};
use crate::symbolic::terms::term::{InputSource, Range, SymKind, TermId};
use std::rc::Rc;

impl Executor<'_> {
    pub(super) fn cuda_call(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let name = c.name.strip_suffix("_ptsz").or_else(|| c.name.strip_suffix("_ptds")).unwrap_or(c.name);
        if !name.starts_with("cuda") && !name.starts_with("__cuda") {
            return Err(Box::new(s));
        }
        s = match self.cuda_copy(name, c, s) {
            Err(back) => *back,
            done => return done,
        };
        if self.program.func(c.func).is_declaration() && self.wait(name, c, &mut s) {
            return self.success(s);
        }
        let int = |e: &mut Self, i: usize, bits: u32| {
            let v = c.args.get(i).cloned().unwrap_or_else(|| Value::unknown("a missing argument"));
            e.value_int(&v, bits)
        };
        match name {
            "cudaMalloc" | "cudaMallocAsync" | "cudaMallocFromPoolAsync" => {
                let n = int(self, 1, 64);
                self.device_allocation(c, s, n, ObjKind::DeviceHeap)
            }
            "cudaMallocManaged" | "cudaMallocHost" | "cudaHostAlloc" => {
                let n = int(self, 1, 64);
                let done = self.device_allocation(c, s, n, ObjKind::Managed);
                if let Some(o) = self.allocated_at(c.context, c.site) {
                    if name == "cudaMallocManaged" {
                        self.runtime.managed.insert(o);
                    } else {
                        self.runtime.pinned.insert(o);
                    }
                }
                done
            }
            "cudaMallocPitch" => {
                let (w, h) = (int(self, 2, 64), int(self, 3, 64));
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
            "cudaFree" | "cudaFreeAsync" | "cudaFreeHost" => {
                let p = self.pointer_arg(c, 0);
                let p = self.freed_by(name, &p);
                self.release(&mut s, &p);
                self.success(s)
            }
            "cudaHostRegister" => {
                let p = self.pointer_arg(c, 0);
                self.register(&p);
                self.success(s)
            }
            "cudaHostGetDevicePointer" => {
                // One address on both sides, on every system with unified addressing.
                let (out, host) = (self.pointer_arg(c, 0), self.pointer_arg(c, 1));
                self.register(&host);
                self.store_value(&mut s, &out, Value::Ptr(host), 8);
                self.success(s)
            }
            "cudaGetSymbolAddress" => {
                let out = self.pointer_arg(c, 0);
                let symbol = self.pointer_arg(c, 1);
                let variable = self.device_symbol(&symbol);
                self.reach_constant(variable);
                let v = match variable {
                    Some(o) => self.pointer(o, 0),
                    None => {
                        self.lose_variables(&mut s, "the address of a symbol that is not known");
                        self.unknown_pointer("the address of a symbol")
                    }
                };
                self.store_value(&mut s, &out, v, 8);
                self.success(s)
            }
            "__cudaPushCallConfiguration" => {
                let grid = self.packed(c, 0, 1);
                let block = self.packed(c, 2, 3);
                let shared = int(self, 4, 64);
                let shared = self.interpret(shared, 64, false);
                self.note_stream(c, 5, &mut s);
                s.pending = Some(Rc::new(LaunchConfig { grid, block, shared, limits: Limits::default() }));
                self.success(s)
            }
            "__cudaPopCallConfiguration" => {
                let Some(cfg) = s.pending.take() else {
                    self.forget_reachable(&mut s, c.args, "a launch configuration that is not known");
                    return self.success(s);
                };
                for (i, dims) in [(0, cfg.grid), (1, cfg.block)] {
                    let p = self.pointer_arg(c, i);
                    for (k, t) in dims.into_iter().enumerate() {
                        let delta = self.arena.int(4 * k as i128);
                        let q = self.offset_targets(&p, delta);
                        self.store_value(&mut s, &q, Value::Int(t), 4);
                    }
                }
                let p = self.pointer_arg(c, 2);
                self.store_value(&mut s, &p, Value::Int(cfg.shared), 8);
                let p = self.pointer_arg(c, 3);
                let null = self.null();
                self.store_value(&mut s, &p, null, 8);
                self.success(s)
            }
            "cudaLaunchKernel" | "cudaLaunchCooperativeKernel" => {
                let cfg = LaunchConfig {
                    grid: self.packed(c, 1, 2),
                    block: self.packed(c, 3, 4),
                    shared: {
                        let t = int(self, 6, 64);
                        self.interpret(t, 64, false)
                    },
                    limits: Limits::default(),
                };
                self.note_stream(c, 7, &mut s);
                let (f, args) = (self.pointer_arg(c, 0), self.pointer_arg(c, 5));
                self.launch(&mut s, &f, &args, &cfg);
                self.launched(name, s)
            }
            "cudaLaunchKernelExC" => {
                let cfg = self.launch_config(c, &mut s);
                // Its stream and attributes are not read.
                self.overlap(&mut s);
                (self.runtime.unordered, self.runtime.stream) = (true, None);
                let (f, args) = (self.pointer_arg(c, 1), self.pointer_arg(c, 2));
                self.launch(&mut s, &f, &args, &cfg);
                self.launched(name, s)
            }
            "cudaFuncSetAttribute" if self.program.func(c.func).is_declaration() => {
                self.set_attribute(c, &mut s);
                self.success(s)
            }
            "cudaGetLastError" | "cudaPeekAtLastError" if self.runtime.refusable => {
                let status = self.status(name);
                Ok(Some((status, s)))
            }
            "cudaGetLastError" | "cudaPeekAtLastError" => self.success(s),
            "cudaStreamQuery" | "cudaEventQuery" => {
                let status = self.status(name);
                Ok(Some((status, s)))
            }
            // What is captured is kept in a graph, and runs with the memory of the graph's launches: neither is followed.
            "cudaStreamBeginCapture" | "cudaStreamBeginCaptureToGraph" | "cudaGraphLaunch" => {
                self.missed.get_or_insert_with(|| format!("`{name}`: what a graph of kernels does is not followed"));
                self.success(s)
            }
            "cudaGetErrorString" | "cudaGetErrorName" => {
                let v = self.unknown_pointer("the text of an error");
                Ok(Some((v, s)))
            }
            _ => {
                // The body of a template overload (`cudaMalloc<float>`) leads to the plain call.
                if !self.program.func(c.func).is_declaration() {
                    return Err(Box::new(s));
                }
                self.pass_by(&mut s, &[c.func], c.args, &format!("what `{}` returns", c.name));
                self.success(s)
            }
        }
    }

    pub(super) fn pointer_arg(&mut self, c: &Call<'_>, i: usize) -> Rc<Vec<Target>> {
        match c.args.get(i) {
            Some(v) => {
                let v = v.clone();
                self.as_pointer(&v)
            }
            None => Rc::new(vec![]),
        }
    }

    /// A `dim3` in registers: x and y packed into 64 bits, then z.
    fn packed(&mut self, c: &Call<'_>, xy: usize, z: usize) -> [TermId; 3] {
        let missing = || Value::unknown("a missing argument");
        let v = c.args.get(xy).cloned().unwrap_or_else(missing);
        let p = self.value_int(&v, 64);
        let v = c.args.get(z).cloned().unwrap_or_else(missing);
        let z = self.value_int(&v, 32);
        let z = self.interpret(z, 32, false);
        let p = self.interpret(p, 64, false);
        let x = self.arena.modulo(p, 1 << 32);
        let y = self.arena.floor_div(p, 1 << 32);
        [x, y, z]
    }

    /// A `cudaLaunchConfig_t`: grid at 0, block at 12, bytes of dynamic shared memory at 24.
    fn launch_config(&mut self, c: &Call<'_>, s: &mut State) -> LaunchConfig {
        let config = self.pointer_arg(c, 0);
        let [gx, gy, gz, bx, by, bz, shared] =
            [(0, 4), (4, 4), (8, 4), (12, 4), (16, 4), (20, 4), (24, 8)].map(|(at, bytes)| {
                let delta = self.arena.int(at);
                let member = self.offset_targets(&config, delta);
                let bits = 8 * bytes;
                let v = match self.load_number(s, &member, u64::from(bytes)) {
                    Some(t) => Value::Int(t),
                    None => Value::unknown("a member of a launch configuration"),
                };
                let t = self.value_int(&v, bits);
                self.interpret(t, bits, false)
            });
        LaunchConfig { grid: [gx, gy, gz], block: [bx, by, bz], shared, limits: Limits::default() }
    }

    fn device_allocation(&mut self, c: &Call<'_>, s: State, size: TermId, kind: ObjKind) -> Modelled {
        let out = self.pointer_arg(c, 0);
        // The allocation succeeds. A negative size is one of at least 2^63 bytes, more than any device has.
        let want = Range::new(-(1 << 63), (1 << 64) - 1);
        let size = if want.contains(self.arena.range(size)) { size } else { self.interpret(size, 64, false) };
        let zero = self.arena.int(0);
        let lower = self.arena.le(zero, size);
        let memory = self.arena.int(i128::from(self.device_memory));
        let upper = self.arena.le(size, memory);
        let fits = self.arena.and(lower, upper);
        let Some(mut s) = self.assume(s, fits) else { return Ok(None) };
        let name = self.pointee_name(&out);
        let place = self.user_location();
        let o = self.allocate(c.context, c.site, 1, |_| Object {
            kind,
            name,
            extent: Some(size),
            site: place,
            func: None,
            array: true,
        });
        s.mem.insert(o, Rc::new(ObjState::new(Rest::Uninit)));
        let p = self.pointer(o, 0);
        self.store_value(&mut s, &out, p, 8);
        // What the program does where it had no memory is followed; of memory that is used all the same nothing else is claimed.
        let status = self.status("an allocation");
        Ok(Some((status, s)))
    }

    /// The code that a launch gives.
    fn launched(&mut self, name: &str, s: State) -> Modelled {
        if !self.runtime.refusable {
            return self.success(s);
        }
        let status = self.status(name);
        Ok(Some((status, s)))
    }

    /// What of some places a function of the runtime frees: memory of its own kind. What else it is given it refuses, and leaves as it is.
    fn freed_by(&self, name: &str, p: &[Target]) -> Vec<Target> {
        let frees = |t: &&Target| match t.base {
            Base::Object(o) => match self.object(o).kind {
                ObjKind::DeviceHeap => name != "cudaFreeHost",
                // One that stands for what earlier rounds of a loop allocated may be of either kind.
                ObjKind::Managed if name == "cudaFreeHost" => !self.runtime.managed.contains(&o),
                ObjKind::Managed => !self.runtime.pinned.contains(&o),
                ObjKind::Parameter => true,
                // Memory of the host, variables and what threads own was not allocated by the runtime.
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

    /// Name of the variable that an out-parameter points to.
    fn pointee_name(&self, p: &[Target]) -> String {
        match p {
            [Target { base: Base::Object(o), .. }, ..] => self.object(*o).name.clone(),
            _ => String::new(),
        }
    }

    /// The device variable whose host shadow a pointer names.
    pub(super) fn device_symbol(&mut self, p: &[Target]) -> Option<ObjId> {
        // The runtime knows variables by their first bytes: any other address is refused, or means another variable.
        let [Target { base: Base::Object(o), offset, .. }] = p else { return None };
        if self.arena.as_int(*offset) != Some(0) {
            return None;
        }
        let ObjKind::HostGlobal(r) = self.object(*o).kind else { return None };
        let name = &self.program.global(r).name;
        let d = self.program.find_global(Side::Device, name)?;
        Some(self.global_of(d))
    }

    fn launch(&mut self, s: &mut State, f: &[Target], args: &Rc<Vec<Target>>, cfg: &LaunchConfig) {
        for t in f {
            if matches!(t.base, Base::Null) {
                continue;
            }
            let Base::Func(stub) = t.base else {
                let why = "a kernel reached through a pointer that could not be followed";
                self.missed.get_or_insert_with(|| why.to_owned());
                self.record_launch(s, t.cond, Err(why.into()), cfg, vec![]);
                self.after_any_kernel(s);
                continue;
            };
            let name = &self.program.func(stub).name;
            let symbol = Program::kernel_symbol_of_stub(name).unwrap_or_else(|| name.clone());
            let kernel = self.program.kernel_of_stub(stub.module, name);
            let (values, copies) = match kernel {
                Some(k) => self.kernel_arguments(s, k, args),
                None => (vec![], vec![]),
            };
            let kernel = kernel.ok_or(symbol);
            let cfg = &match &kernel {
                Ok(k) => self.limited(s, *k, cfg),
                Err(_) => cfg.clone(),
            };
            let runs = kernel.as_ref().is_ok_and(|k| self.surely_runs(*k, cfg));
            self.runtime.refusable |= !runs;
            self.runtime.launched = true;
            let number = self.record_launch(s, t.cond, kernel.clone(), cfg, values.clone());
            let before = self.contents_so_far();
            match kernel {
                Ok(k) => {
                    let surely = f.len() == 1 && self.arena.as_bool(t.cond) == Some(true);
                    if !surely || !runs || !self.launch_single(s, k, &values, cfg) {
                        self.forget_device(s, Some(k), &values);
                    }
                    self.left_by_launch(s, number.filter(|_| surely), before);
                }
                Err(_) => self.after_any_kernel(s),
            }
            for o in copies {
                s.mem.remove(&o);
            }
        }
    }

    /// Values of a kernel's parameters, and the objects made for structures passed by value: they live as long as the launch.
    fn kernel_arguments(&mut self, s: &mut State, k: FuncRef, args: &Rc<Vec<Target>>) -> (Vec<Value>, Vec<ObjId>) {
        let program = self.program;
        let m = program.module(k.module);
        let func = program.func(k);
        let mut out = vec![];
        let mut copies = vec![];
        for (i, p) in func.params.iter().enumerate() {
            let delta = self.arena.int(8 * i as i128);
            let slot = self.offset_targets(args, delta);
            let place = self.load_pointer(s, &slot);
            if let Some(ty) = p.byval {
                let extent = self.arena.int(i128::from(m.size_of(ty)));
                let o = self.new_object(Object {
                    kind: ObjKind::Constant(crate::ir::GlobalRef {
                        module: k.module,
                        global: crate::ir::GlobalId(u32::MAX),
                    }),
                    name: p.name.clone(),
                    extent: Some(extent),
                    site: None,
                    func: Some(k),
                    array: false,
                });
                self.objects[o.0 as usize].kind = ObjKind::DeviceLocal;
                s.mem.insert(o, Rc::new(ObjState::new(Rest::Uninit)));
                let cond = self.arena.bool(true);
                let offset = self.arena.int(0);
                let d = Rc::new(vec![Target::new(cond, Base::Object(o), offset)]);
                self.copy(s, &d, &place, extent);
                out.push(Value::Ptr(d));
                copies.push(o);
            } else {
                out.push(self.load_typed(s, k, &place, p.ty));
            }
        }
        (out, copies)
    }

    /// The number of the launch, if it counts.
    fn record_launch(
        &mut self,
        s: &State,
        cond: TermId,
        kernel: Result<FuncRef, String>,
        config: &LaunchConfig,
        args: Vec<Value>,
    ) -> Option<usize> {
        if !self.is_recording() {
            return None;
        }
        let stack = Rc::new(self.call_stack().to_vec());
        let site = self.user_site(&stack)?;
        let path = self.arena.and(s.path, cond);
        self.events.launches.push(LaunchEvent {
            site,
            stack,
            kernel,
            config: config.clone(),
            args,
            memory: s.mem.clone(),
            path,
            always: s.always.clone(),
        });
        Some(self.events.launches.len() - 1)
    }
}
