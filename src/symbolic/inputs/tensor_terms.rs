//! What functions of tensors in contracts mean in a state of an execution.
//!
//! In: a parameter that is a tensor, the name of a function of it and its arguments ([`crate::models::tensors`]), a state. Out: the number that
//! the models of ATen would give there, and that the tensor has the dimensions for it.

use super::contract_facts::Called;
use super::contract_terms::{Asked, Names};
use crate::contracts::Term;
use crate::contracts::ast::TermKind;
use crate::ir::{FuncRef, Module, TypeId, TypeKind};
use crate::models::tensors::{self, TENSOR};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::value::{Target, Value};
use crate::symbolic::terms::term::TermId;
use std::rc::Rc;

/// A number of a tensor.
struct OfTensor {
    number: TermId,
    /// Under which there is such a number.
    defined: TermId,
}

impl Executor<'_> {
    /// As C takes a number for a condition.
    pub(super) fn is_true(&mut self, t: TermId) -> TermId {
        let zero = self.arena.int(0);
        self.arena.ne(t, zero)
    }

    /// A condition where what it asks for has a meaning.
    pub(super) fn where_defined(&mut self, asked: &mut Asked<'_>, holds: TermId) -> TermId {
        let defined = std::mem::take(&mut asked.defined);
        self.arena.and_all(defined.into_iter().chain([holds]).collect())
    }

    /// What a function of a parameter gives.
    pub(super) fn method_of(
        &mut self,
        asked: &mut Asked<'_>,
        of: &Term,
        function: &str,
        args: &[Term],
    ) -> Result<TermId, String> {
        let called = match (&of.kind, &asked.names) {
            (TermKind::Name(_), Names::Of(called)) => *called,
            _ => return Err(format!("`{of}` has no functions that are known here")),
        };
        let mut numbers = vec![];
        for a in args {
            let t = self.number_said(asked, a)?;
            let n = self.arena.as_int(t);
            numbers.push(n.ok_or_else(|| format!("`{function}` of something other than a number is not followed"))?);
        }
        let found = self.of_tensor((called, &asked.state), &of.to_string(), function, &numbers)?;
        asked.defined.push(found.defined);
        Ok(found.number)
    }

    /// What a function of a tensor gives that a function is called with.
    fn of_tensor(
        &mut self,
        (called, state): (Called<'_>, &State),
        parameter: &str,
        function: &str,
        args: &[i128],
    ) -> Result<OfTensor, String> {
        let f = called.f;
        let func = self.program.func(f);
        let at = func.params.iter().position(|p| p.name == parameter);
        let at = at.ok_or_else(|| self.no_such_name(f, parameter))?;
        let declared = func.params[at].class.as_deref().or_else(|| func.declared_type(parameter)).unwrap_or_default();
        if !tensors::is_handle(declared) {
            return Err(format!("`{parameter}` is no tensor"));
        }
        let asked = || {
            format!("{parameter}.{function}({})", args.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        };
        let answer = tensors::answer(function, args).ok_or_else(|| format!("`{}` is not followed", asked()))?;
        let m = self.module(f);
        let pointer =
            m.types.iter().position(|t| matches!(t.kind, TypeKind::Ptr(0))).and_then(|i| u32::try_from(i).ok());
        let (Some(tensor), Some(pointer)) = (m.type_named(TENSOR), pointer) else {
            return Err(format!("nothing is known of tensors where `{}` is", func.display));
        };
        let handle = match called.args.get(at) {
            Some(v @ Value::Ptr(_)) => self.as_pointer(v),
            _ => return Err(format!("what `{parameter}` is there is not known")),
        };
        let (offset, ty) = member(m, tensor, answer.member, answer.index).ok_or("its layout is not known")?;
        let (dims, dims_ty) = member(m, tensor, "dim", 0).ok_or("its layout is not known")?;
        let used = self.runtime.used_by_host.clone();
        let mut state = state.clone();
        let to = self.load_typed(&mut state, f, &handle, TypeId(pointer));
        let to = self.as_pointer(&to);
        let number = self.member_at(&mut state, f, &to, (offset, ty));
        let dimensions = self.member_at(&mut state, f, &to, (dims, dims_ty));
        self.runtime.used_by_host = used;
        let (Some(number), Some(dimensions)) = (number, dimensions) else {
            return Err(format!("`{}` is not known there", asked()));
        };
        let least = self.arena.int(i128::from(answer.dimensions));
        Ok(OfTensor { number, defined: self.arena.le(least, dimensions) })
    }

    fn member_at(&mut self, s: &mut State, f: FuncRef, of: &[Target], (offset, ty): (u64, TypeId)) -> Option<TermId> {
        let moved: Vec<Target> = of
            .iter()
            .map(|t| Target { offset: self.arena.add_const(t.offset, i128::from(offset)), ..t.clone() })
            .collect();
        let TypeKind::Int(bits) = self.module(f).ty(ty).kind else { return None };
        match self.load_typed(s, f, &Rc::new(moved), ty) {
            Value::Unknown(_) => None,
            Value::Bool(b) => {
                let (one, zero) = (self.arena.int(1), self.arena.int(0));
                Some(self.arena.ite(b, one, zero))
            }
            v => Some(self.as_int_value(&v, bits)),
        }
    }
}

/// Where an element of a member lies, in bytes, and its type.
fn member(m: &Module, ty: TypeId, name: &str, index: u64) -> Option<(u64, TypeId)> {
    let (at, field) = m.member(ty, name)?;
    match &m.ty(field.ty).kind {
        TypeKind::Array { elem, .. } => Some((at + index * m.size_of(*elem).get(), *elem)),
        _ => Some((at, field.ty)),
    }
}
