//! The floor above terms: values of a program, its inputs, and what is assumed of them.

use crate::symbolic::exec::site::Site;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::inputs::assume::Assumptions;
use crate::symbolic::inputs::sources::InputSymbols;
use crate::symbolic::kernel::context::ExchangedNumber;
use crate::symbolic::terms::term::{SymId, TermId};
use ir::{Callee, FuncRef, Function, LocId, Module, ModuleId, Program, Side};
use rustc_hash::FxHashMap;
use std::ops::{Deref, DerefMut};

/// The program whose values are terms: its inputs, the assumptions on them, and the side under execution.
#[derive(Clone)]
pub struct ValueDomain<'p> {
    terms: Terms,
    pub program: &'p Program,
    pub side: Side,
    pub inputs: InputSymbols,
    /// Numbers that a kernel read from memory that its threads write.
    pub loaded: FxHashMap<SymId, ExchangedNumber>,
    pub assumptions: Assumptions,
}

impl<'p> ValueDomain<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self {
            terms: Terms::new(),
            program,
            side: Side::Host,
            inputs: InputSymbols::default(),
            loaded: Default::default(),
            assumptions: Default::default(),
        }
    }

    pub(in crate::symbolic) fn module(&self, f: FuncRef) -> &'p Module {
        let p: &'p Program = self.program;
        p.module(f.module)
    }

    pub(in crate::symbolic) fn function(&self, f: FuncRef) -> &'p Function {
        let p: &'p Program = self.program;
        p.func(f)
    }

    /// Returns the site at which the user wrote the call or launch of this stack: the innermost site outside launch
    /// stubs.
    #[must_use]
    pub fn user_site(&self, stack: &[Site]) -> Option<Site> {
        stack.iter().rev().copied().find(|s| Program::kernel_symbol_of_stub(&self.function(s.func).name).is_none())
    }

    /// Returns the location of an instruction.
    #[must_use]
    pub fn location(&self, site: Site) -> (ModuleId, LocId) {
        let b = &self.function(site.func).blocks[site.block.index()];
        (site.func.module, b.insts.get(site.inst as usize).map_or(b.term_loc, |i| i.loc))
    }

    pub(in crate::symbolic) fn direct_callee(&self, module: ModuleId, callee: &Callee) -> Option<FuncRef> {
        match callee {
            Callee::Direct(f) => Some(self.program.resolve_func(module, *f)),
            Callee::Indirect(_) => None,
        }
    }

    /// Returns what the assumptions state of the elements that these terms read.
    pub fn facts_of_elements(&mut self, roots: &[TermId]) -> Option<TermId> {
        self.assumptions.of_elements(&mut self.terms.arena, roots)
    }
}

impl<'p> Deref for ValueDomain<'p> {
    type Target = Terms;

    fn deref(&self) -> &Self::Target {
        &self.terms
    }
}

impl DerefMut for ValueDomain<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.terms
    }
}
