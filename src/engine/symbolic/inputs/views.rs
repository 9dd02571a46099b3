//! Semantics of caller-given memory views: their pointer leads to as many elements as they state.
//!
//! In: a part of a given object whose type is such a view ([`models::views`]). Out: conditions on its contents at
//! function entry. This module must not depend on what a user states of the type: that is [`super::invariants`].

use super::contract_terms::{ElementType, PointerOrObject, TermScope};
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use crate::symbolic::terms::term::TermId;
use contracts::ContractTerm;
use ir::{ArithmeticType, FuncRef, Module, SourceTypeFacts, TypeId, TypeKind, plain_number};
pub use models::views::{DimensionSize, ElementLayout, View, container};
use std::rc::Rc;

/// Byte offsets of the first and the past-the-end element of a container in their object, and of the end of its
/// storage.
pub(super) struct ContainerEnds {
    pub object: ObjId,
    pub first: TermId,
    pub last: TermId,
    pub storage: TermId,
}

/// Maximum number of scalars in a view.
const MAX: usize = 32;

/// Number or pointer in a structure.
struct MemberScalar {
    /// Offset in bytes from the start of the structure.
    at: u64,
    ty: TypeId,
    declared: Option<SourceTypeFacts>,
}

impl ExecutionContext<'_> {
    /// Returns the semantics of a view in an object at a byte offset; `None` if its scalars are not the expected ones.
    pub(super) fn view_means(
        &mut self,
        s: &mut State,
        (o, at): (ObjId, u64),
        ty: TypeId,
        view: &View,
    ) -> Option<TermId> {
        let given = *self.heap.given(o)?;
        let m = self.program.module(given.module);
        let mut scalars = vec![];
        flatten(m, (ty, None), 0, &mut scalars);
        let is_pointer = |x: &&MemberScalar| matches!(m.ty(x.ty).kind, TypeKind::Ptr(_));
        let data = scalars.iter().find(is_pointer)?;
        let bytes = data.declared.as_ref().and_then(|d| d.pointee).or_else(|| match plain_number(&view.element)? {
            ArithmeticType::Int { bits, .. } | ArithmeticType::Float(bits) => Some(u64::from(bits / 8)),
        })?;
        let target = |e: &mut Self, x: &MemberScalar| {
            let (cond, offset) = (e.arena.bool(true), e.arena.int(i128::from(at + x.at)));
            Rc::new(vec![GuardedTarget::new(cond, Base::Object(o), offset)])
        };
        let to = target(self, data);
        let Value::Ptr(targets) = self.load_typed(s, given.function, &to, data.ty) else { return None };
        let [GuardedTarget { base: Base::Object(behind), offset, .. }] = targets.as_slice() else { return None };
        let extent = self.extent_of_parameter(given.function, *behind).ok()?;
        let extent = self.arena.sub(extent, *offset);
        let index = view.index.as_deref().and_then(plain_number);
        let mut numbers = vec![];
        for x in scalars.iter().filter(|x| !is_pointer(x)) {
            let TypeKind::Int(bits) = m.ty(x.ty).kind else { return None };
            let unsigned = match (&x.declared, index) {
                (Some(d), _) => d.unsigned,
                (None, Some(ArithmeticType::Int { unsigned, .. })) => unsigned,
                // Sizes are of type `size_t`.
                (None, _) => bits == 64,
            };
            let from = target(self, x);
            let v = self.load_typed(s, given.function, &from, x.ty);
            if matches!(v, Value::Unknown(_)) {
                return None;
            }
            let t = self.as_int_value(&v, bits);
            numbers.push(self.interpret(t, bits, !unsigned));
        }
        let mut numbers = numbers.into_iter();
        let sides: Vec<TermId> = view
            .sides
            .iter()
            .map(|side| match side {
                DimensionSize::Fixed(n) => Some(self.arena.int(i128::from(*n))),
                DimensionSize::Given => numbers.next(),
            })
            .collect::<Option<_>>()?;
        let further: Vec<TermId> = numbers.collect();
        self.memory_of(view, &sides, &further, index, (extent, i128::from(bytes)))
    }

    /// Returns the semantics of a container in an object at a byte offset: its elements lie in its storage. `None` if
    /// its pointers are unknown.
    pub(super) fn container_means(&mut self, s: &mut State, (o, at): (ObjId, u64)) -> Option<TermId> {
        let given = *self.heap.given(o)?;
        let place = self.place_of_part(o, at);
        let ends = self.ends_of_container(s, given.function, &place)?;
        let extent = self.extent_of_parameter(given.function, ends.object).ok()?;
        let a = &mut self.arena;
        let (used, reserved) = (a.le(ends.last, ends.storage), a.le(ends.storage, extent));
        Some(a.and(used, reserved))
    }

    /// Returns the pointers of a container at an address; `None` if they do not lead to one object.
    pub(super) fn ends_of_container(
        &mut self,
        s: &mut State,
        f: FuncRef,
        at: &Rc<Vec<GuardedTarget>>,
    ) -> Option<ContainerEnds> {
        let m = self.program.module(f.module);
        let pointer = m.types.iter().position(|t| matches!(t.kind, TypeKind::Ptr(0)))?;
        let pointer = TypeId(u32::try_from(pointer).ok()?);
        let mut found: Vec<(ObjId, TermId)> = vec![];
        for k in 0..3 {
            let place: Vec<GuardedTarget> = at
                .iter()
                .map(|t| GuardedTarget { offset: self.arena.add_const(t.offset, 8 * k), ..t.clone() })
                .collect();
            let Value::Ptr(targets) = self.load_typed(s, f, &Rc::new(place), pointer) else { return None };
            let [GuardedTarget { base: Base::Object(o), offset, .. }] = targets.as_slice() else { return None };
            found.push((*o, *offset));
        }
        let [(object, first), (second, last), (third, storage)] = found[..] else { return None };
        (object == second && object == third).then_some(ContainerEnds { object, first, last, storage })
    }

    /// Returns the number of elements of a container in a condition.
    pub(super) fn size_of_container(
        &mut self,
        asked: &mut TermScope<'_>,
        at: &PointerOrObject,
        said: &ContractTerm,
    ) -> Result<TermId, String> {
        let (ends, bytes) = self.container_said(asked, at, said)?;
        let used = self.arena.sub(ends.last, ends.first);
        let bytes = bytes.ok_or_else(|| format!("the size of an element of `{}` is not known", at.element.name))?;
        Ok(self.arena.floor_div(used, i128::from(bytes)))
    }

    /// Returns the pointer to the first element of a container.
    pub(super) fn data_of_container(
        &mut self,
        asked: &mut TermScope<'_>,
        at: &PointerOrObject,
        said: &ContractTerm,
    ) -> Result<PointerOrObject, String> {
        let (ends, bytes) = self.container_said(asked, at, said)?;
        let name = self.element_of_container(asked.function, at).unwrap_or_default();
        let unsigned = matches!(plain_number(&name), Some(ArithmeticType::Int { unsigned: true, .. }));
        let ty = self.program.module(asked.function.module).type_named(&name);
        let cond = self.arena.bool(true);
        let targets = Rc::new(vec![GuardedTarget::new(cond, Base::Object(ends.object), ends.first)]);
        Ok(PointerOrObject { targets, element: ElementType { name, ty, unsigned, bytes, pointee: None } })
    }

    /// Returns the ends of a container, and the size of an element in bytes.
    fn container_said(
        &mut self,
        asked: &mut TermScope<'_>,
        at: &PointerOrObject,
        said: &ContractTerm,
    ) -> Result<(ContainerEnds, Option<u64>), String> {
        let element = self
            .element_of_container(asked.function, at)
            .ok_or_else(|| format!("`{said}` is of no container that is known here"))?;
        let m = self.program.module(asked.function.module);
        let of_type = || m.type_named(&element).map(|ty| m.size_of(ty).get()).filter(|b| *b > 0);
        let bytes = match plain_number(&element) {
            Some(ArithmeticType::Int { bits, .. } | ArithmeticType::Float(bits)) => Some(u64::from(bits / 8)),
            None => of_type(),
        };
        let used = self.runtime.used_by_host.clone();
        let ends = self.ends_of_container(&mut asked.state.clone(), asked.function, &at.targets);
        self.runtime.used_by_host = used;
        let ends = ends.ok_or_else(|| format!("where the elements of `{said}` lie is not known there"))?;
        Ok((ends, bytes))
    }
}

impl ValueDomain<'_> {
    fn element_of_container(&self, f: FuncRef, at: &PointerOrObject) -> Option<String> {
        container(self.program.module(f.module).ty(at.element.ty?).source.as_deref()?)
    }
}

impl Terms {
    fn place_of_part(&mut self, o: ObjId, at: u64) -> Rc<Vec<GuardedTarget>> {
        let (cond, offset) = (self.arena.bool(true), self.arena.int(i128::from(at)));
        Rc::new(vec![GuardedTarget::new(cond, Base::Object(o), offset)])
    }

    /// Returns the condition that the memory is large enough for the view, with the constraints on the numbers
    /// themselves.
    fn memory_of(
        &mut self,
        view: &View,
        sides: &[TermId],
        further: &[TermId],
        index: Option<ArithmeticType>,
        (extent, bytes): (TermId, i128),
    ) -> Option<TermId> {
        let a = &mut self.arena;
        let (zero, one) = (a.int(0), a.int(1));
        let mut all: Vec<TermId> = sides.iter().map(|s| a.le(zero, *s)).collect();
        let product = sides.iter().fold(one, |p, s| a.mul(p, *s));
        // [mdspan.layout.right.cons]: the size of the index space is a number of the index's type.
        if let Some(ArithmeticType::Int { bits, unsigned }) = index {
            let most = a.int((1 << (bits - u32::from(!unsigned))) - 1);
            all.push(a.le(product, most));
        }
        let needed = match (view.layout, further) {
            (ElementLayout::Dense, []) => product,
            (ElementLayout::Reserved, [used, ..]) => {
                all.push(a.le(*used, product));
                product
            }
            // [mdspan.layout.stride.expo]: one more than the largest offset, if there is any element.
            (ElementLayout::Strided, strides) if strides.len() == sides.len() => {
                let mut last = one;
                for (side, stride) in sides.iter().zip(strides) {
                    all.push(a.le(one, *stride));
                    let before = a.add_const(*side, -1);
                    let far = a.mul(before, *stride);
                    last = a.add(last, far);
                }
                let none = a.le(product, zero);
                a.ite(none, zero, last)
            }
            _ => return None,
        };
        let size = a.scale(needed, bytes);
        all.push(a.le(size, extent));
        Some(a.and_all(all))
    }
}

/// Collects the scalars of a type in memory order.
fn flatten(m: &Module, (ty, declared): (TypeId, Option<SourceTypeFacts>), at: u64, out: &mut Vec<MemberScalar>) {
    if out.len() > MAX {
        return;
    }
    match &m.ty(ty).kind {
        TypeKind::Struct { fields, .. } => {
            for f in fields {
                flatten(m, (f.ty, f.declared.clone()), at + f.offset, out);
            }
        }
        TypeKind::Array { elem, count } => {
            // Padding, and the byte of an empty base.
            if matches!(m.ty(*elem).kind, TypeKind::Int(8)) {
                return;
            }
            for offset in count.offsets(m.size_of(*elem)).take(MAX) {
                flatten(m, (*elem, declared.clone()), at + offset, out);
            }
        }
        // An empty structure has a byte.
        TypeKind::Int(8) => {}
        _ => out.push(MemberScalar { at, ty, declared }),
    }
}
