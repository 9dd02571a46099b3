//! Launches of tile kernels (`__tile_global__`). They have no threads and are not run: what they may write becomes
//! unknown.

use super::configuration::LaunchConfiguration;
use super::outcome::LaunchOutcome;
use crate::api::Cause;
use crate::machine::call::ThreadStop;
use crate::machine::state::Machine;
use crate::machine::thread::{Thread, ThreadPosition};
use crate::machine::value::{Reason, Val, low32};
use crate::memory::space::{WindowId, split};
use ir::{FuncRef, GlobalId, ModuleId, Side, space};

impl Machine<'_> {
    /// Tile kernel behind a launch handle.
    pub(super) fn tile_kernel_of(&self, handle: Val) -> Option<FuncRef> {
        let stub = self.mem.func_at(handle.known()?)?;
        let name = &self.program.func(stub).name;
        let of_threads = self.program.kernel_of_stub(stub.module, name);
        if of_threads.is_some() { None } else { self.program.tile_kernel_of_stub(stub.module, name) }
    }

    /// Executes a launch of a tile kernel and returns the runtime's error code.
    pub(super) fn launch_of_tiles(
        &mut self,
        th: &mut Thread,
        kernel: FuncRef,
        configuration: &LaunchConfiguration,
        args: Val,
    ) -> Result<u64, ThreadStop> {
        let func = self.program.func(kernel);
        let values = self.kernel_arguments(th, kernel, args)?;
        let LaunchConfiguration { grid, block, shared, .. } = configuration;
        let all_known = grid.iter().chain(block).chain([shared]).all(|v| !v.is_poison());
        let small = |v: Val| low32(v.bits);
        let fate = all_known.then(|| self.fate(kernel, grid.map(small), block.map(small), shared.bits));
        match fate {
            Some(LaunchOutcome::Refused(code)) => {
                self.cuda.error = code;
                return Ok(code);
            }
            Some(LaunchOutcome::Runs) if block.iter().all(|n| n.bits == 1) && shared.bits == 0 => {}
            _ => self.seen.assume(format!("the launch of `{}` is accepted", func.display)),
        }
        self.cuda.ran += 1;
        if func.tile.as_ref().is_none_or(|t| t.may_trap) {
            if self.budget.loop_steps != u64::MAX {
                self.seen.skipped = true;
                return Err(ThreadStop::Unknown(format!("whether `{}` traps is not known", func.display).into()));
            }
            self.seen.assume(format!("`{}` does not trap, and no assert in it fails", func.display));
        }
        if self.seen.target.is_none() {
            self.seen.doubt(format!("`{}` is a tile kernel, which is not run", func.display));
        }
        let why = self.reason(Cause::Contents, &format!("what the tile kernel `{}` writes", func.display));
        self.havoc_as_of_tiles(&values, why);
        Ok(0)
    }

    /// Havocs everything reachable from the kernel's arguments and from device variables.
    fn havoc_as_of_tiles(&mut self, values: &[Val], why: Reason) {
        let program = self.program;
        let (mut variables, mut constant) = (values.to_vec(), vec![]);
        for (mi, m) in (0u32..).zip(&program.modules).filter(|(_, m)| m.side == Side::Device) {
            for (gi, g) in (0u32..).zip(&m.globals).filter(|(_, g)| g.defined) {
                let list = match g.space {
                    space::GLOBAL if !g.constant => &mut variables,
                    space::CONSTANT => &mut constant,
                    _ => continue,
                };
                list.push(Val::new(self.global_address(ModuleId(mi), GlobalId(gi))));
            }
        }
        let mut nobody = Thread::device(ThreadPosition { block: [0; 3], thread: [0; 3] }, false);
        self.havoc_reachable(&mut nobody, &variables, why);
        // For constant variables only their pointees change.
        let constant: Vec<WindowId> = constant.iter().map(|v| split(v.bits).0).collect();
        for id in self.mem.reachable(&nobody.stack, &constant) {
            if !constant.contains(&id) {
                self.havoc_object(&mut nobody, id, why);
            }
        }
    }
}
