//! Given containers that hold pointers to their ends: `std::vector`.
//!
//! In: a given object and a byte of it at which a container has a pointer. Out: the pointer, into one block of memory
//! owned by the container, with the size and the capacity (`v.size()`, `v.capacity()`) as distances from the block's
//! beginning (`v.data()`). A container without storage has a block of no bytes, like containers that the program itself
//! makes.

use super::given::GivenScalar;
use super::object::ObjId;
use super::tensors::LibraryClass;
use super::value::{Base, GuardedTarget, Value};
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::InputSource;
use ir::{ArithmeticType, Module, SourceTypeFacts, TypeId, TypeKind, plain_number};
use models::tensors::bytes_of_handle;
use models::views;
use std::rc::Rc;

/// Size of a pointer in bytes.
const POINTER: i64 = 8;
/// Maximum size of a block in bytes.
pub(super) const LARGEST: i128 = 1 << 47;

/// Suffix of the name of the object in which a container's first element lies; it follows the container's own name.
pub(in crate::symbolic) const OF_CONTAINER: &str = ".data()";

impl MemoryDomain<'_> {
    /// Pointer of the container that lies at a byte of a given object; `None` if there is no container.
    pub(super) fn pointer_of_container(&mut self, o: ObjId, at: i64, place: &GivenScalar) -> Option<Value> {
        let given = *self.heap.given(o)?;
        let m = self.program.module(given.module);
        let ty = given.ty?;
        let size = i64::try_from(m.size_of(ty).get()).ok().filter(|s| *s > 0)?;
        let (from, element) = container_around(m, ty, at.rem_euclid(size))?;
        let from = from + at - at.rem_euclid(size);
        let within = views::WITHIN_CONTAINERS.iter().find_map(|member| place.path.rfind(member))?;
        let container = place.path[..within].trim_end_matches(['.', '-', '>']).to_owned();
        let of_number = || match plain_number(&element)? {
            ArithmeticType::Int { bits, .. } | ArithmeticType::Float(bits) => Some(u64::from(bits / 8)),
        };
        let of_type = || m.type_named(&element).map(|ty| m.size_of(ty).get());
        let told = place.declared.as_ref().and_then(|d| d.pointee);
        let of_element = bytes_of_handle(&element);
        let handle = of_element.map(|bytes| LibraryClass::Handle { bytes });
        let of_handle = || of_element.map(i64::unsigned_abs);
        let bytes = told.or_else(of_number).or_else(of_type).or_else(of_handle).filter(|b| *b > 0)?;
        // The library's own name of the pointer type does not give the pointee's type.
        let declared =
            SourceTypeFacts { type_name: format!("{element} *"), ..place.declared.clone().unwrap_or_default() };
        let to_element = GivenScalar { declared: Some(declared), leads_to: handle, ..place.clone() };
        let first = self.given_pointee(o, from, format!("{container}{OF_CONTAINER}"), &to_element)?;
        let count = match (at - from) / POINTER {
            0 => return Some(self.pointer(first, 0)),
            1 => "size",
            _ => "capacity",
        };
        let source = InputSource::Count {
            function: self.program.func(given.function).display.clone(),
            object: self.object(o).name.clone(),
            data: from,
            at,
            bytes,
            path: format!("{container}.{count}()"),
        };
        let count = self.bounded_input(source, 64, Interval::new(0, LARGEST / i128::from(bytes)));
        let (always, offset) = (self.arena.bool(true), self.arena.scale(count, i128::from(bytes)));
        Some(Value::Ptr(Rc::new(vec![GuardedTarget::new(always, Base::Object(first), offset)])))
    }
}

/// Returns the first byte of the container that has a pointer at byte `at` of a type, and the name of its element type.
fn container_around(m: &Module, ty: TypeId, at: i64) -> Option<(i64, String)> {
    match &m.ty(ty).kind {
        TypeKind::Struct { fields, .. } => {
            if let Some(element) = m.ty(ty).source.as_deref().and_then(views::container) {
                return (0..3).any(|k| k * POINTER == at).then_some((0, element));
            }
            let offset = |o: u64| i64::try_from(o).ok().filter(|o| *o <= at);
            let (field, offset) = fields.iter().rev().find_map(|f| Some((f, offset(f.offset)?)))?;
            container_around(m, field.ty, at - offset).map(|(from, element)| (from + offset, element))
        }
        TypeKind::Array { elem, .. } => {
            let size = i64::try_from(m.size_of(*elem).get()).ok().filter(|s| *s > 0)?;
            container_around(m, *elem, at % size).map(|(from, element)| (from + at - at % size, element))
        }
        _ => None,
    }
}
