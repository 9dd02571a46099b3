//! Semantics of tensor functions of contracts in a state of an execution.
//!
//! In: a tensor parameter, the name of a tensor function and its arguments ([`models::tensors`]), a state. Out: the
//! number that the models of ATen would return there, and the condition that the tensor has enough dimensions.

use super::contract_facts::ContractCall;
use super::contract_terms::{NameMeanings, TermScope};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::tensors as memory;
use crate::symbolic::memory::value::{GuardedTarget, Value};
use crate::symbolic::terms::term::{InputSource, TermId};
use contracts::ContractTerm;
use contracts::ast::{MemberOperator, TermKind};
use ir::{FuncRef, Module, TypeId, TypeKind};
use models::tensors::{self, TENSOR};
use std::rc::Rc;

impl ExecutionContext<'_> {
    /// Returns the result of a tensor function, or an element of a tensor's storage; `None` for other terms.
    pub(super) fn number_of_tensor(
        &mut self,
        asked: &mut TermScope<'_>,
        t: &ContractTerm,
    ) -> Result<Option<TermId>, String> {
        match &t.kind {
            TermKind::Method(of, MemberOperator::Dot, function, args) => {
                let Some(tensor) = self.tensor_named(asked, of) else { return Ok(None) };
                self.method_of(asked, tensor, (t, function), args).map(Some)
            }
            TermKind::Subscript(of, index) => {
                let Some(tensor) = self.tensor_named(asked, of) else { return Ok(None) };
                let index = self.number_said(asked, index)?;
                self.element_of(asked, tensor, (t, index)).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn method_of(
        &mut self,
        asked: &mut TermScope<'_>,
        (called, at): (ContractCall<'_>, usize),
        (said, function): (&ContractTerm, &str),
        args: &[ContractTerm],
    ) -> Result<TermId, String> {
        let mut numbers = vec![];
        for a in args {
            let t = self.number_said(asked, a)?;
            let n = self.arena.as_int(t);
            numbers.push(n.ok_or_else(|| format!("`{said}`, of something other than a number, is not followed"))?);
        }
        let answer = tensors::answer(function, &numbers).ok_or_else(|| format!("`{said}` is not followed"))?;
        let used = self.runtime.used_by_host.clone();
        let found = self.tensor_at((called, at), &asked.state).and_then(|mut tensor| {
            let number = self.member_at(&mut tensor, answer.member, answer.index)?;
            Some((number, self.member_at(&mut tensor, "dim", 0)?))
        });
        self.runtime.used_by_host = used;
        let (number, dimensions) = found.ok_or_else(|| format!("`{said}` is not known there"))?;
        let least = self.arena.int(i128::from(answer.dimensions));
        asked.defined.push(self.arena.le(least, dimensions));
        Ok(number)
    }

    /// Returns an element of a tensor's storage that contains integers, as its dtype states.
    fn element_of(
        &mut self,
        asked: &mut TermScope<'_>,
        tensor: (ContractCall<'_>, usize),
        (said, index): (&ContractTerm, TermId),
    ) -> Result<TermId, String> {
        let f = tensor.0.f;
        let used = self.runtime.used_by_host.clone();
        let found = self.tensor_at(tensor, &asked.state).and_then(|mut of| {
            let dtype = self.member_at(&mut of, "dtype", 0)?;
            let (at, ty) = member(self.module(f), of.ty, "data", 0)?;
            let data = self.load_member(&mut of, at, ty);
            let data = self.as_pointer(&data);
            let mut value = None;
            for (of_type, bits) in tensors::WHOLE_NUMBERS {
                let m = self.module(f);
                let Some(ty) = m.types.iter().position(|t| t.kind == TypeKind::Int(*bits)) else { continue };
                let ty = TypeId(u32::try_from(ty).ok()?);
                let by = self.arena.scale(index, i128::from(bits / 8));
                let moved = |t: &GuardedTarget, offset| GuardedTarget { offset, ..t.clone() };
                let there: Vec<GuardedTarget> = data.iter().map(|t| moved(t, self.arena.add(t.offset, by))).collect();
                let element = match self.load_typed(&mut of.state, f, &Rc::new(there), ty) {
                    Value::Unknown(_) => continue,
                    v => self.as_int_value(&v, *bits),
                };
                value = Some(match value {
                    None => element,
                    Some(others) => {
                        let of_type = self.arena.int(*of_type);
                        let is_it = self.arena.eq(dtype, of_type);
                        self.arena.ite(is_it, element, others)
                    }
                });
            }
            value
        });
        self.runtime.used_by_host = used;
        found.ok_or_else(|| format!("`{said}` is not known there"))
    }

    /// Returns the tensor behind a handle argument of a function.
    fn tensor_at(&mut self, (called, at): (ContractCall<'_>, usize), state: &State) -> Option<StateTensor> {
        let f = called.f;
        let m = self.module(f);
        let pointer = m.types.iter().position(|t| matches!(t.kind, TypeKind::Ptr(0)))?;
        let (ty, pointer) = (m.type_named(TENSOR)?, TypeId(u32::try_from(pointer).ok()?));
        let handle = match called.args.get(at)? {
            v @ Value::Ptr(_) => self.as_pointer(v),
            _ => return None,
        };
        let mut state = state.clone();
        let to = self.load_typed(&mut state, f, &handle, pointer);
        Some(StateTensor { f, ty, to: self.as_pointer(&to), state })
    }

    /// Returns a numeric member of a tensor.
    fn member_at(&mut self, of: &mut StateTensor, name: &str, index: u64) -> Option<TermId> {
        let (offset, ty) = member(self.module(of.f), of.ty, name, index)?;
        let TypeKind::Int(bits) = self.module(of.f).ty(ty).kind else { return None };
        match self.load_member(of, offset, ty) {
            Value::Unknown(_) => None,
            Value::Bool(b) => {
                let (one, zero) = (self.arena.int(1), self.arena.int(0));
                Some(self.arena.ite(b, one, zero))
            }
            v => Some(self.as_int_value(&v, bits)),
        }
    }

    fn load_member(&mut self, of: &mut StateTensor, offset: u64, ty: TypeId) -> Value {
        let moved = |t: &GuardedTarget, offset| GuardedTarget { offset, ..t.clone() };
        let there: Vec<GuardedTarget> =
            of.to.iter().map(|t| moved(t, self.arena.add_const(t.offset, i128::from(offset)))).collect();
        self.load_typed(&mut of.state, of.f, &Rc::new(there), ty)
    }
}

impl ValueDomain<'_> {
    /// Returns a tensor parameter with its index.
    fn tensor_named<'a>(&self, asked: &TermScope<'a>, of: &ContractTerm) -> Option<(ContractCall<'a>, usize)> {
        match (&of.kind, &asked.names) {
            (TermKind::Name(name), NameMeanings::Of(called)) => {
                self.tensor_parameter(called.f, name).map(|at| (*called, at))
            }
            _ => None,
        }
    }

    /// Returns the index of a tensor parameter.
    pub(super) fn tensor_parameter(&self, f: FuncRef, name: &str) -> Option<usize> {
        let func = self.program.func(f);
        let at = func.params.iter().position(|p| p.name == name)?;
        let declared = func.params[at].class.as_deref().or_else(|| func.declared_type(name)).unwrap_or_default();
        tensors::is_handle(declared).then_some(at)
    }

    /// Returns the device type number of a given tensor.
    pub fn device_of_given(&mut self, f: FuncRef, tensor: &str) -> Option<TermId> {
        const BITS: u32 = 8;
        let m = self.module(f);
        let (at, _) = m.member(m.type_named(TENSOR)?, "device")?;
        let (path, range) = memory::member(tensor, "device", None)?;
        let function = self.program.func(f).display.clone();
        let object = format!("{tensor}{}", memory::OF_HANDLE);
        let source = InputSource::Given { function, object, at: i64::try_from(at).ok()?, bits: BITS, path };
        Some(self.bounded_input(source, BITS, range))
    }
}

impl Terms {
    /// Returns the truth of a number as in C, where it is defined.
    pub(super) fn is_true(&mut self, asked: &mut TermScope<'_>, t: TermId) -> TermId {
        let range = self.arena.range(t);
        let (zero, one) = (self.arena.int(0), self.arena.int(1));
        // A number in 0..=1 is its own truth value.
        let holds =
            if (range.lo, range.hi) == (Some(0), Some(1)) { self.arena.eq(t, one) } else { self.arena.ne(t, zero) };
        self.where_defined(asked, holds)
    }

    /// Returns a condition where its terms are defined.
    pub(super) fn where_defined(&mut self, asked: &mut TermScope<'_>, holds: TermId) -> TermId {
        let defined = std::mem::take(&mut asked.defined);
        self.arena.and_all(defined.into_iter().chain([holds]).collect())
    }
}

/// Tensor in a state.
struct StateTensor {
    f: FuncRef,
    /// Type of the tensor's members in the models.
    ty: TypeId,
    to: Rc<Vec<GuardedTarget>>,
    state: State,
}

/// Returns the byte offset and the type of an element of a member.
fn member(m: &Module, ty: TypeId, name: &str, index: u64) -> Option<(u64, TypeId)> {
    let (at, field) = m.member(ty, name)?;
    match &m.ty(field.ty).kind {
        TypeKind::Array { elem, .. } => Some((at + index * m.size_of(*elem).get(), *elem)),
        _ => Some((at, field.ty)),
    }
}
