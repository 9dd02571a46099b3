//! Computes what a call may do, as far as the decision to skip it needs.

use super::effect::{DeclarationFacts, FunctionEffect, FunctionEffects};
use super::handlers::{is_of_destructor, throws};
use crate::device::builtins::is_trap;
use crate::library::model::ModelClass;
use crate::library::modelled;
use crate::machine::form::CallTarget;
use ir::launched::is_launch_by_device;
use ir::{self, BlockId, CONCRETE_MODEL, Const, FuncRef, ModuleId, Op, Operand, Program, Side, Terminator};
use models::attributes::{may_throw, may_throw_for_size};
use models::ptx;
use models::tensors::{is_stable_operation, may_refuse};
use std::rc::Rc;

impl FunctionEffects {
    /// Effect of a call of `f`.
    pub fn of(&mut self, program: &Program, f: FuncRef) -> Rc<FunctionEffect> {
        if let Some(e) = self.memo.get(&f) {
            return e.clone();
        }
        // Visits each function of the call graph once, so that cycles need no special case.
        let mut all = FunctionEffect::default();
        let mut work = vec![f];
        while let Some(g) = work.pop() {
            if !all.calls.insert(g) {
                continue;
            }
            let indirect = all.indirect;
            for b in &program.func(g).blocks {
                for inst in &b.insts {
                    step(program, g.module, &inst.op, &mut all, &mut work);
                }
                if let Terminator::Invoke { callee, args, .. } = &b.term {
                    call(program, g.module, (callee, args), &mut all, &mut work);
                }
            }
            // What a library's function calls is counted where it is given.
            if is_model(program, g) {
                all.indirect = indirect;
            }
        }
        all.checks |= all.throws && all.calls.iter().any(|g| program.func(*g).is_library_model());
        let e = Rc::new(all);
        self.memo.insert(f, e.clone());
        e
    }

    /// Effect of some blocks of a function, including the functions that they call.
    pub fn of_blocks(&mut self, program: &Program, func: FuncRef, blocks: &[BlockId]) -> Rc<FunctionEffect> {
        let key = (func, blocks.to_vec());
        if let Some(e) = self.regions.get(&key) {
            return e.clone();
        }
        let mut all = FunctionEffect::default();
        let mut work = vec![];
        for b in blocks {
            let block = &program.func(func).blocks[b.index()];
            for inst in &block.insts {
                step(program, func.module, &inst.op, &mut all, &mut work);
            }
            if let Terminator::Invoke { callee, args, .. } = &block.term {
                call(program, func.module, (callee, args), &mut all, &mut work);
            }
        }
        for f in work {
            all.add(&self.of(program, f));
        }
        let e = Rc::new(all);
        self.regions.insert(key, e.clone());
        e
    }

    /// Properties of the callee of a direct call.
    pub fn called(&mut self, program: &Program, f: FuncRef) -> Rc<DeclarationFacts> {
        if let Some(known) = self.targets.get(&f) {
            return known.clone();
        }
        let pure = match modelled::resolve(program, f) {
            CallTarget::Model(_) => modelled::class(program, f) == ModelClass::Pure,
            CallTarget::Body(g) => is_model(program, g) && self.only_computes(program, g),
            CallTarget::Algorithm(_) | CallTarget::Unknown | CallTarget::Indirect(_) => false,
        };
        let konst = modelled::const_arguments(program.func(f));
        self.targets.entry(f).or_insert(Rc::new(DeclarationFacts { pure, konst })).clone()
    }

    /// Whether a function writes nothing but its variables, and calls no function that writes more.
    fn only_computes(&mut self, program: &Program, f: FuncRef) -> bool {
        let insts = || program.func(f).blocks.iter().flat_map(|b| &b.insts);
        let is_variable = |v| insts().any(|i| i.result == Some(v) && matches!(i.op, Op::Alloca { .. }));
        insts().all(|i| match &i.op {
            Op::Store { ptr: Operand::Value(v), .. } => is_variable(*v),
            Op::Call { callee: ir::Callee::Direct(id), .. } => {
                self.called(program, program.resolve_func(f.module, *id)).pure
            }
            op => !matches!(
                op,
                Op::Store { .. }
                    | Op::AtomicRmw { .. }
                    | Op::CmpXchg { .. }
                    | Op::MemCopy { .. }
                    | Op::MemSet { .. }
                    | Op::Call { .. }
                    | Op::Asm { .. }
            ),
        })
    }
}

fn is_model(program: &Program, f: FuncRef) -> bool {
    program.func(f).name.starts_with(CONCRETE_MODEL)
}

/// Whether a function calls others by their addresses.
fn calls_back(program: &Program, f: FuncRef) -> bool {
    let mut insts = program.func(f).blocks.iter().flat_map(|b| &b.insts);
    insts.any(|i| matches!(&i.op, Op::Call { callee: ir::Callee::Indirect(_), .. }))
}

/// Adds the effect of one instruction, and its callees to `work`.
fn step(program: &Program, module: ModuleId, op: &Op, all: &mut FunctionEffect, work: &mut Vec<FuncRef>) {
    let mut writes = |o: &Operand| {
        if let Operand::Const(Const::Global { id, .. }) = o {
            all.globals.insert(program.resolve_global(module, *id));
        }
    };
    match op {
        Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. } => writes(ptr),
        Op::MemCopy { dst, .. } | Op::MemSet { dst, .. } => writes(dst),
        Op::Gep { base, .. } => writes(base),
        Op::Call { callee, args } => {
            args.iter().for_each(&mut writes);
            call(program, module, (callee, args), all, work);
        }
        Op::Asm { text, .. } if program.module(module).side == Side::Device => {
            all.traps |= text.contains("trap");
            all.barrier |= ptx::waiting(text).is_some();
        }
        // No other operation writes memory by name, calls a function or ends the program.
        _ => {}
    }
}

fn call(
    program: &Program,
    module: ModuleId,
    (callee, args): (&ir::Callee, &[Operand]),
    all: &mut FunctionEffect,
    work: &mut Vec<FuncRef>,
) {
    // A function that is given to another one may be called by it (`qsort`).
    let before = work.len();
    work.extend(args.iter().filter_map(|a| match a {
        Operand::Const(Const::Func(id)) => Some(program.resolve_func(module, *id)),
        _ => None,
    }));
    let gives_function = work.len() > before;
    match callee {
        ir::Callee::Indirect(_) => {
            all.indirect = true;
            // The pointer may be null.
            all.traps |= program.module(module).side == Side::Device;
        }
        ir::Callee::Direct(id) => {
            let r = program.resolve_func(module, *id);
            all.traps |= program.module(module).side == Side::Device && is_trap(&program.func(r).name);
            all.launches |= is_launch_by_device(&program.func(r).name);
            let by_size = may_throw_for_size(&program.func(r).name) && !matches!(args.first(), Some(Operand::Const(_)));
            all.throws |= program.module(module).side == Side::Host && (by_size || throws(program, r));
            match modelled::resolve(program, r) {
                CallTarget::Body(f) | CallTarget::Algorithm(f) => {
                    all.indirect |= is_model(program, f) && !gives_function && calls_back(program, f);
                    work.push(f);
                }
                CallTarget::Model(_) => {
                    // A model may take the place of a body that throws.
                    let name = &program.func(r).name;
                    all.throws |=
                        program.module(module).side == Side::Host && may_throw(name) && !is_of_destructor(name);
                    match modelled::class(program, r) {
                        ModelClass::Pure | ModelClass::Memory | ModelClass::Ends => {}
                        ModelClass::Cuda => all.cuda = true,
                        ModelClass::Barrier => all.barrier = true,
                        ModelClass::Random => all.random = true,
                        ModelClass::Input => all.input = true,
                    }
                }
                CallTarget::Unknown => {
                    let f = program.func(r);
                    all.checks |= throws(program, r) && may_refuse(&f.display) || is_stable_operation(&f.name);
                }
                CallTarget::Indirect(_) => {}
            }
        }
    }
}
