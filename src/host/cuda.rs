//! The CUDA runtime API (CUDA Runtime API reference 13.0), copies apart. Calls succeed, but for launches and allocations, whose codes are any
//! (`runs.rs`), and queries.

use super::Call;
use crate::kernel::Modelled;
use crate::reasons::UnknownReason;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::value::Target;
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
        s = match self.cuda_memory(c, name, s) {
            Err(back) => *back,
            done => return done,
        };
        s = match self.cuda_launch(c, name, s) {
            Err(back) => *back,
            done => return done,
        };
        match name {
            "cudaSetDevice" => {
                let (device, zero) = (self.int_arg(c, 0, 32), self.arena.int(0));
                let first = self.arena.eq(device, zero);
                self.runtime.several_devices |= self.arena.as_bool(first) != Some(true);
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
                self.missed.get_or_insert_with(|| UnknownReason::KernelGraph(name.to_owned()));
                self.success(s)
            }
            "cudaGetErrorString" | "cudaGetErrorName" => {
                let v = self.unknown_pointer(&UnknownReason::ErrorText);
                Ok(Some((v, s)))
            }
            _ => {
                // The body of a template overload (`cudaMalloc<float>`) leads to the plain call.
                if !self.program.func(c.func).is_declaration() {
                    return Err(Box::new(s));
                }
                self.pass_by(&mut s, &[c.func], c.args, &UnknownReason::Returns(c.name.to_owned()));
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
}
