//! Independent parts of a check, one after the other or on several threads: roots, and kernels by themselves.
//!
//! Each part has an engine of its own, whose results are combined in the order of the parts. A panic in one, a fault of
//! the analysis, costs its results and no others: what it was about is undecided, and one line tells it.

use super::Engine;
use super::parallel::{StackAllowance, joined, start};
use crate::solver::cache;
use base::panics;
use base::reasons::UnknownReason;
use base::work;
use ir::{FuncRef, Side};
use library::host::HostRoot;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// An item of [`Engine::by_turns`].
pub(crate) trait Turn {
    /// Returns the function that it is about.
    fn function(&self) -> FuncRef;
}

impl Turn for FuncRef {
    fn function(&self) -> FuncRef {
        *self
    }
}

impl Turn for HostRoot {
    fn function(&self) -> FuncRef {
        self.func
    }
}

impl<T: Turn, R> Turn for (T, R) {
    fn function(&self) -> FuncRef {
        self.0.function()
    }
}

impl Engine<'_> {
    /// Runs `work` on each item, with a separate engine for each; combines the results in the items' order. A panic costs
    /// the results of its item.
    pub(crate) fn by_turns<T: Turn + Sync>(&mut self, all: &[T], work: impl Fn(&mut Self, &T) + Sync) {
        let n = self.threads.min(all.len() / 2).max(1);
        let next = AtomicUsize::new(0);
        let this: &Self = self;
        let turns = |threads: usize| {
            let mut done = vec![];
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(t) = all.get(i) else { return done };
                let mut own = this.helper();
                own.threads = threads;
                own.cx.total = this.cx.total / all.len() as u64;
                cache::begin_task();
                let begun = work::done();
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(&mut own, t))) {
                    own = this.helper();
                    own.note_fault(t.function(), &panics::described(&*panic));
                    own.spend_since(begun);
                }
                done.push((i, own));
            }
        };
        let mut done = if n < 2 {
            turns(this.threads)
        } else {
            std::thread::scope(|scope| {
                let _room = StackAllowance::new(n - 1);
                let others: Vec<_> = (1..n).filter_map(|_| start(scope, || turns(1))).collect();
                let own = turns(1);
                others.into_iter().flat_map(joined).chain(own).collect::<Vec<_>>()
            })
        };
        done.sort_by_key(|(i, _)| *i);
        for (_, engine) in done {
            self.absorb(engine);
        }
    }

    /// Records a fault of the analysis in a root, or in a kernel that it looked at by itself.
    fn note_fault(&mut self, function: FuncRef, panic: &str) {
        let f = self.cx.program.func(function);
        self.report
            .internal
            .push(format!("internal fault in the analysis of `{}` ({panic}); please report it", f.display));
        let why = UnknownReason::InternalFault(f.name.clone());
        if self.cx.program.module(function.module).side == Side::Host {
            self.note_unfollowed(function, &why);
        } else {
            self.kernels.insert(function);
            self.partly.insert(function, why);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::options::CheckOptions;
    use crate::pipeline::Engine;
    use base::panics;
    use base::work::Work;
    use ir::{Block, FuncRef, Function, LaunchShape, Linkage, LocId, Module, Program, Side, Terminator, TypeId};
    use std::sync::Arc;

    fn function(name: &str, kernel: bool) -> Function {
        Function {
            name: name.into(),
            display: name.into(),
            linkage: Linkage::External,
            kernel,
            variadic: false,
            noreturn: false,
            ret: TypeId(0),
            params: vec![],
            blocks: vec![Block { name: String::new(), insts: vec![], term: Terminator::Ret(None), term_loc: LocId(0) }],
            values: 0,
            requires: vec![],
            max_threads: None,
            tile: None,
            shape: LaunchShape::default(),
            loc: LocId(0),
        }
    }

    fn module(side: Side, functions: Vec<Function>) -> Arc<Module> {
        Arc::new(Module {
            side,
            source: "a.cu".into(),
            producer: String::new(),
            arch: String::new(),
            asserts_restored: false,
            relocatable: false,
            doubts: vec![],
            types: vec![],
            files: vec![],
            locs: vec![],
            globals: vec![],
            functions,
        })
    }

    #[test]
    fn a_fault_in_one_root_or_kernel_costs_no_other() {
        let host = module(Side::Host, vec![function("left", false), function("right", false)]);
        let program = Program::link(vec![host, module(Side::Device, vec![function("kernel", true)])]);
        let find = |side, name| program.find_func(side, name).unwrap();
        let all: Vec<FuncRef> = vec![find(Side::Host, "left"), find(Side::Host, "right"), find(Side::Device, "kernel")];
        let by = |threads: usize| {
            let options = CheckOptions::default();
            let mut engine = Engine::new(&program, &options);
            (engine.threads, engine.cx.total) = (threads, Work::MAX);
            engine.by_turns(&all, |engine, f| {
                engine.report.notes.push(program.func(*f).name.clone());
                assert!(program.func(*f).name == "right", "no {}", program.func(*f).name);
            });
            (
                engine.report.notes.clone(),
                engine.report.internal.clone(),
                engine.lost.clone().map(|why| why.to_string()),
            )
        };
        panics::keep_quiet();
        for threads in [1, 3] {
            let run = || std::thread::Builder::new().name(panics::THREAD.into());
            let (notes, internal, lost) =
                std::thread::scope(|s| run().spawn_scoped(s, || by(threads)).unwrap().join().unwrap());
            assert_eq!(notes, ["right"]);
            let at = internal[0].find(" at ").unwrap();
            assert_eq!(&internal[0][..at], "internal fault in the analysis of `left` (no left");
            assert!(
                internal[0][at..].contains("turns.rs:") && internal[0].ends_with("; please report it"),
                "{}",
                internal[0]
            );
            assert!(internal[1].contains("`kernel` (no kernel at "), "{}", internal[1]);
            assert_eq!((internal.len(), lost.as_deref()), (2, Some("a fault of the analysis in `left`")));
        }
    }
}
