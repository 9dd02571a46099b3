//! Launches in the CUDA runtime API (CUDA Runtime API reference 13.0): the configuration, the kernel and its arguments
//! become a [`LaunchEvent`].

use super::table::Table;
use crate::symbolic::exec::events::{LaunchAttributes, LaunchConfig, LaunchEvent, LaunchLimits};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::library::{Call, Modelled};
use crate::symbolic::exec::state::State;
use crate::symbolic::inputs::contract_facts::{By, Called};
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, Rest};
use crate::symbolic::memory::value::{Base, Target, Value};
use crate::symbolic::terms::term::TermId;
use base::reasons::UnknownReason;
use ir::{FuncRef, Program};
use std::rc::Rc;

/// Configurations and launches.
pub(super) const LAUNCHES: Table = &[
    (&["__cudaPushCallConfiguration"], |e, c, s| e.push_configuration(c, s)),
    (&["__cudaPopCallConfiguration"], |e, c, s| e.pop_configuration(c, s)),
    (&["cudaLaunchKernel", "cudaLaunchCooperativeKernel"], |e, c, s| e.launch_kernel(c, s)),
    (&["cudaLaunchKernelExC"], |e, c, s| e.launch_kernel_ex(c, s)),
    (&["cudaFuncSetAttribute"], |e, c, s| e.func_set_attribute(c, s)),
];

impl Executor<'_> {
    fn push_configuration(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let grid = self.packed(c, 0, 1);
        let block = self.packed(c, 2, 3);
        let shared = self.int_arg(c, 4, 64);
        let shared = self.interpret(shared, 64, false);
        let stream = self.note_stream(c, 5, &mut s);
        let (limits, attributes) = (LaunchLimits::default(), LaunchAttributes::default());
        s.pending = Some(Rc::new(LaunchConfig { grid, block, shared, stream, limits, attributes }));
        self.success(s)
    }

    fn pop_configuration(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let Some(cfg) = s.pending.take() else {
            self.forget_reachable(&mut s, c.args, &UnknownReason::LaunchConfiguration);
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
        let stream = self.configured_stream(cfg.stream);
        self.store_value(&mut s, &p, stream, 8);
        self.success(s)
    }

    fn launch_kernel(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let name = c.base();
        let grid = self.packed(c, 1, 2);
        let block = self.packed(c, 3, 4);
        let shared = self.int_arg(c, 6, 64);
        let shared = self.interpret(shared, 64, false);
        let stream = self.note_stream(c, 7, &mut s);
        // All blocks must be resident at the same time: a single one is.
        let single = grid.iter().all(|n| self.arena.as_int(*n) == Some(1));
        let refusable = name == "cudaLaunchCooperativeKernel" && !single;
        let attributes = LaunchAttributes { refusable, ..LaunchAttributes::default() };
        let cfg = LaunchConfig { grid, block, shared, stream, limits: LaunchLimits::default(), attributes };
        let (f, args) = (self.pointer_arg(c, 0), self.pointer_arg(c, 5));
        self.launch(&mut s, &f, &args, &cfg);
        self.launched(name, s)
    }

    fn launch_kernel_ex(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let name = c.base();
        let cfg = self.launch_config(c, &mut s, 8);
        // The model does not read its stream, and an attribute may let it begin before earlier work has ended.
        self.overlap(&mut s);
        self.runtime.unordered = true;
        let (f, args) = (self.pointer_arg(c, 1), self.pointer_arg(c, 2));
        self.launch(&mut s, &f, &args, &cfg);
        self.launched(name, s)
    }

    fn func_set_attribute(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        if !self.program.func(c.func).is_declaration() {
            return Err(Box::new(s));
        }
        let name = c.base();
        if self.set_attribute(c, &mut s) {
            return self.success(s);
        }
        let status = self.status(name);
        Ok(Some((status, s)))
    }

    /// Unpacks a `dim3` in registers: x and y packed into 64 bits, then z.
    pub(super) fn packed(&mut self, c: &Call<'_>, xy: usize, z: usize) -> [TermId; 3] {
        let missing = || Value::unknown(UnknownReason::MissingArgument);
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

    /// Reads a `cudaLaunchConfig_t`: grid at 0, block at 12, bytes of dynamic shared memory at 24; then stream and
    /// attributes.
    pub(super) fn launch_config(&mut self, c: &Call<'_>, s: &mut State, shared: u32) -> LaunchConfig {
        let config = self.pointer_arg(c, 0);
        let [gx, gy, gz, bx, by, bz, shared] =
            [(0, 4), (4, 4), (8, 4), (12, 4), (16, 4), (20, 4), (24, shared)].map(|(at, bytes)| {
                let delta = self.arena.int(at);
                let member = self.offset_targets(&config, delta);
                let bits = 8 * bytes;
                let v = match self.load_number(s, &member, u64::from(bytes)) {
                    Some(t) => Value::Int(t),
                    None => Value::unknown(UnknownReason::LaunchMember),
                };
                let t = self.value_int(&v, bits);
                self.interpret(t, bits, false)
            });
        let (grid, block) = ([gx, gy, gz], [bx, by, bz]);
        let (limits, attributes) = (LaunchLimits::default(), self.launch_attributes(c, s));
        LaunchConfig { grid, block, shared, stream: None, limits, attributes }
    }

    /// Returns the status code of a launch.
    pub(super) fn launched(&mut self, name: &str, s: State) -> Modelled {
        if !self.runtime.refusable {
            return self.success(s);
        }
        let status = self.status(name);
        Ok(Some((status, s)))
    }

    pub(super) fn launch(&mut self, s: &mut State, f: &[Target], args: &Rc<Vec<Target>>, cfg: &LaunchConfig) {
        for t in f {
            // A launch of a null function is refused.
            if matches!(t.base, Base::Null) {
                continue;
            }
            let Base::Func(stub) = t.base else {
                let why = UnknownReason::KernelByPointer;
                self.limits.miss(|| why.clone());
                self.record_launch(s, t.cond, Err(why.to_string()), cfg, vec![]);
                self.after_any_kernel(s, cfg.stream);
                continue;
            };
            let name = &self.program.func(stub).name;
            let symbol = Program::kernel_symbol_of_stub(name).unwrap_or_else(|| name.clone());
            let kernel = self.program.kernel_of_stub(stub.module, name);
            let tile = if kernel.is_none() { self.program.tile_kernel_of_stub(stub.module, name) } else { None };
            let (values, copies) = match kernel.or(tile) {
                Some(k) => self.kernel_arguments(s, k, args),
                None => (vec![], vec![]),
            };
            let kernel = kernel.ok_or(symbol);
            let cfg = &match &kernel {
                Ok(k) => {
                    let cfg = self.shaped(s, *k, cfg);
                    self.limited(s, *k, &cfg)
                }
                Err(_) => cfg.clone(),
            };
            let runs = kernel.as_ref().is_ok_and(|k| self.surely_runs(*k, cfg));
            self.runtime.refusable |= !runs;
            self.runtime.launched = true;
            let number = self.record_launch(s, t.cond, kernel.clone(), cfg, values.clone());
            let before = self.heap.version();
            match kernel {
                Ok(k) => {
                    let surely = f.len() == 1 && self.arena.as_bool(t.cond) == Some(true);
                    if !surely || !runs || !self.launch_single(s, k, &values, cfg) {
                        self.forget_device(s, Some(k), &values, cfg.stream);
                    }
                    self.left_by_launch(s, number.filter(|_| surely), before);
                }
                // A tile kernel may write its arguments, and what they lead to.
                Err(_) if tile.is_some() => self.forget_device(s, None, &values, cfg.stream),
                Err(_) => self.after_any_kernel(s, cfg.stream),
            }
            for o in copies {
                s.mem.remove(&o);
            }
        }
    }

    /// Returns the values of a kernel's parameters, and the objects for structures passed by value, which live as long
    /// as the launch.
    pub(super) fn kernel_arguments(
        &mut self,
        s: &mut State,
        k: FuncRef,
        args: &Rc<Vec<Target>>,
    ) -> (Vec<Value>, Vec<ObjId>) {
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
                let o = self.heap.add(Object {
                    kind: ObjKind::Constant(ir::GlobalRef { module: k.module, global: ir::GlobalId(u32::MAX) }),
                    name: p.name.clone(),
                    extent: Some(extent),
                    site: None,
                    func: Some(k),
                    array: false,
                });
                self.heap.set_kind(o, ObjKind::DeviceLocal);
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

    /// Records a launch. Returns its number, if launches are recorded.
    pub(super) fn record_launch(
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
        let mut path = self.arena.and(s.path, cond);
        if let Ok(k) = &kernel
            && !self.assumptions.owed.is_empty()
            && let Some(at) = stack.iter().rposition(|s| *s == site)
        {
            let called = Called { f: *k, args: &args, launch: Some(config), by: By::Caller };
            path = self.owe_contracts(called, State { path, ..s.clone() }, &stack[..=at]).path;
        }
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
