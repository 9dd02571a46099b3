//! Structures that a caller gave: the names of their members, and the objects to which their pointers lead.
//!
//! In: an object behind a parameter or a structure passed by value, and its type in the source. Out: for contents at
//! the call of the function, integers as inputs named as in the source (`t->ne[0]`), and pointers to objects of their
//! own (`t->src[0]`), the same ones each time. Cells written since then are the concern of callers; only a change of
//! the rest is noticed here.

use super::containers::{LARGEST, OF_CONTAINER};
use super::object::{CallerObject, ObjId, ObjKind, ObjState, Object, UncoveredContents};
use super::tensors::{self, LibraryClass, OF_HANDLE, OF_STORAGE};
use super::value::Value;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{InputSource, TermId};
use base::axioms::Axiom;
use ir::{FuncRef, Module, SourceTypeFacts, TypeId, TypeKind, pointee_name, source_name};
use models::dlpack::Carrier;
use models::tensors::TENSOR;
use models::views;
use std::fmt::Write;
use std::rc::Rc;

/// A scalar in a given object.
#[derive(Clone, Debug)]
pub(in crate::symbolic) struct GivenScalar {
    /// Source expression of the scalar: `t->ne[0]`.
    pub path: String,
    pub ty: TypeId,
    pub declared: Option<SourceTypeFacts>,
    /// Range of an integer, if narrower than its type.
    pub range: Option<Interval>,
    /// Class of a pointer's pointee, if it belongs to a library with models.
    pub leads_to: Option<LibraryClass>,
}

/// Maximum nesting depth of members.
const DEPTH: usize = 16;

impl ExecutionContext<'_> {
    /// Writes the contents of handles passed by value as cells, so that they stay known when another path assigns one
    /// of them another tensor.
    pub fn fill_given_handles(&mut self, s: &mut State) {
        // Handles passed by reference may be aliases.
        let own = |e: &Self, o: &ObjId| !matches!(e.object(*o).kind, ObjKind::Parameter);
        for o in self.heap.of_classes().into_iter().filter(|o| own(self, o)).collect::<Vec<_>>() {
            let class = self.heap.given(o).and_then(|given| given.class);
            let places: &[(i64, u32, TypeKind)] = match class {
                Some(LibraryClass::Handle { .. } | LibraryClass::Carrier) => &[(0, 8, TypeKind::Ptr(0))],
                Some(LibraryClass::OptionalHandle { bytes }) => {
                    &[(0, 8, TypeKind::Ptr(0)), (bytes, 1, TypeKind::Int(8))]
                }
                Some(LibraryClass::Tensor) | None => continue,
            };
            self.ensure(s, o);
            for (at, bytes, want) in places {
                let Some(state) = s.mem.get(&o).cloned() else { continue };
                if let Some(v) = self.given_value((o, &state), *at, u64::from(*bytes), want) {
                    let mut filled = state.as_ref().clone();
                    filled.cells.insert(*at, (*bytes, v));
                    s.mem.insert(o, Rc::new(filled));
                }
            }
        }
    }

    /// Writes the given contents of a structure into a state, scalar by scalar, since a read may cover several scalars.
    pub(crate) fn whole_as_given(&mut self, s: &mut State, o: ObjId) {
        self.ensure(s, o);
        let extent = self.object(o).extent.and_then(|e| self.arena.as_int(e));
        let (Some(state), Some(bytes)) = (s.mem.get(&o).cloned(), extent) else { return };
        let zero = self.arena.int(0);
        let filled = self.with_given(o, state, (&zero, bytes));
        s.mem.insert(o, filled);
    }
}

impl MemoryDomain<'_> {
    /// Adds the object of an argument that carries a tensor of DLPack. Its first word points to the tensor, as that of a
    /// handle.
    pub(in crate::symbolic) fn carrier_given(&mut self, f: FuncRef, carrier: &Carrier, object: Object) -> Value {
        let extent = Some(self.arena.int(i128::from(carrier.bytes)));
        let o = self.heap.add(Object { kind: ObjKind::HostLocal, extent, array: false, ..object });
        self.note_carrier(o, f);
        self.pointer(o, 0)
    }

    /// Records an argument that carries a tensor of DLPack.
    fn note_carrier(&mut self, o: ObjId, function: FuncRef) {
        let class = Some(LibraryClass::Carrier);
        self.heap.note_given(o, CallerObject { function, module: function.module, ty: None, by_value: true, class });
    }

    /// Returns the tensors that arguments carry, each with the function that has the argument.
    pub fn tensors_carried(&self) -> Vec<(ObjId, FuncRef)> {
        let carried = |o: ObjId| {
            let given = self.heap.given(o).filter(|g| g.class == Some(LibraryClass::Carrier))?;
            Some((self.heap.pointee(o, 0)?, given.function))
        };
        self.heap.of_classes().into_iter().filter_map(carried).collect()
    }

    /// Records the provenance of a given object.
    pub(crate) fn note_given(&mut self, o: ObjId, function: FuncRef, ty: Option<TypeId>, by_value: bool) {
        self.heap.note_given(o, CallerObject { function, module: function.module, ty, by_value, class: None });
    }

    /// Records a given object if its type is a class of a library with models; returns whether it is.
    pub(crate) fn note_given_class(&mut self, o: ObjId, function: FuncRef, type_name: &str, by_value: bool) -> bool {
        let class = LibraryClass::of(type_name);
        if class.is_some() {
            self.heap.note_given(o, CallerObject { function, module: function.module, ty: None, by_value, class });
        }
        class.is_some()
    }

    /// A scalar of a handle or of its pointee.
    fn place_in_class(&self, o: ObjId, class: LibraryClass, at: i64) -> Option<GivenScalar> {
        let given = self.heap.given(o)?;
        let m = self.program.module(given.module);
        let name = self.object(o).name.clone();
        let pointer = || m.types.iter().position(|t| matches!(t.kind, TypeKind::Ptr(0)));
        let int = |bits| m.types.iter().position(|t| t.kind == TypeKind::Int(bits));
        let id = |i: usize| u32::try_from(i).ok().map(TypeId);
        let handle = || {
            Some(GivenScalar {
                path: format!("{name}{OF_HANDLE}"),
                ty: id(pointer()?)?,
                declared: None,
                range: None,
                leads_to: Some(LibraryClass::Tensor),
            })
        };
        match (class, at) {
            // An element of a list.
            (LibraryClass::Handle { bytes }, _) if name.ends_with(OF_CONTAINER) && at >= 0 && at % bytes == 0 => {
                let list = &name[..name.len() - OF_CONTAINER.len()];
                handle().map(|place| GivenScalar { path: format!("{list}[{}]{OF_HANDLE}", at / bytes), ..place })
            }
            (LibraryClass::Handle { .. } | LibraryClass::OptionalHandle { .. } | LibraryClass::Carrier, 0) => handle(),
            // After the value: `_M_engaged` of libstdc++, `__engaged_` of libc++.
            (LibraryClass::OptionalHandle { bytes }, _) if at == bytes => Some(GivenScalar {
                path: format!("{name}.has_value()"),
                ty: id(int(8)?)?,
                declared: None,
                range: Some(Interval::new(0, 1)),
                leads_to: None,
            }),
            (LibraryClass::Tensor, _) => self.place_in_tensor(m, &name, at),
            _ => None,
        }
    }

    /// Name of the tensor whose given contents these arguments of
    /// [`Function::Content`](crate::symbolic::terms::functions::UninterpretedFunction) denote.
    pub fn given_contents_of(&self, args: &[TermId]) -> Option<&str> {
        let [object, version, ..] = args else { return None };
        let o = ObjId(u32::try_from(self.arena.as_int(*object)?).ok()?);
        let given = self.arena.as_int(*version)?;
        self.tensor_contents().find(|(of, version, _)| *of == o && i128::from(*version) == given).map(|(.., name)| name)
    }

    /// Storages of given tensors, with the version of their contents at the call and the tensors' names.
    pub fn tensor_contents(&self) -> impl Iterator<Item = (ObjId, u32, &str)> {
        self.heap.parameters().iter().filter_map(|o| {
            let name = self.object(*o).name.strip_suffix(OF_STORAGE)?;
            match self.heap.at_entry(*o)?.rest {
                UncoveredContents::Unknown { version, .. } => Some((*o, version, name)),
                _ => None,
            }
        })
    }

    /// Structure that a function receives by value under a name.
    pub(crate) fn structure_given(&self, f: FuncRef, name: &str) -> Option<ObjId> {
        self.heap.all_given().iter().copied().find(|o| {
            let is_it = |g: &CallerObject| g.by_value && g.function == f;
            self.heap.given(*o).is_some_and(is_it) && self.object(*o).name == name
        })
    }

    /// Objects behind a function's pointers, with their names and, if the type is known, the element size in bytes.
    pub fn given_objects(&self, f: FuncRef) -> Vec<(ObjId, String, Option<u64>)> {
        let known = |o: &ObjId| {
            let given = self.heap.given(*o).filter(|g| g.function == f)?;
            let m = self.program.module(given.module);
            let bytes = given.ty.map(|ty| m.size_of(ty).get()).filter(|b| *b > 0);
            Some((*o, self.object(*o).name.clone(), bytes))
        };
        self.heap.parameters().iter().filter_map(known).collect()
    }

    /// The scalar of an object that begins at a byte.
    pub(in crate::symbolic) fn place_in(&self, o: ObjId, at: i64) -> Option<GivenScalar> {
        let given = self.heap.given(o)?;
        if let Some(class) = given.class {
            return self.place_in_class(o, class, at);
        }
        let m = self.program.module(given.module);
        let mut ty = given.ty?;
        let size = i64::try_from(m.size_of(ty).get()).ok().filter(|s| *s > 0)?;
        let (index, mut rest) = (at.div_euclid(size), at.rem_euclid(size));
        let mut path = self.object(o).name.clone();
        let structure = matches!(m.ty(ty).kind, TypeKind::Struct { .. });
        let mut before_member = match (given.by_value, structure, index) {
            (true, _, 0) => ".",
            (true, ..) => return None,
            (false, true, _) if path.ends_with(OF_CONTAINER) => {
                path.truncate(path.len() - OF_CONTAINER.len());
                let _ = write!(path, "[{index}]");
                "."
            }
            (false, true, 0) => "->",
            (false, true, _) => {
                let _ = write!(path, "[{index}]");
                "."
            }
            // Elements of arrays are distinguished by their index, which may not be a constant.
            (false, false, _) => return None,
        };
        let (mut declared, mut range) = (None, None);
        for _ in 0..DEPTH {
            if m.ty(ty).source.as_deref().and_then(views::list).is_some() {
                range = Some(Interval::new(0, LARGEST));
            }
            match &m.ty(ty).kind {
                TypeKind::Struct { name: Some(name), .. } if LibraryClass::of(source_name(name)).is_some() => {
                    let ty = m.types.iter().position(|t| matches!(t.kind, TypeKind::Ptr(0)))?;
                    let ty = TypeId(u32::try_from(ty).ok()?);
                    let path = format!("{path}{OF_HANDLE}");
                    return (rest == 0).then_some(GivenScalar {
                        path,
                        ty,
                        declared: None,
                        range: None,
                        leads_to: Some(LibraryClass::Tensor),
                    });
                }
                TypeKind::Struct { fields, .. } => {
                    let field = fields.iter().rev().find(|f| i64::try_from(f.offset).is_ok_and(|at| at <= rest))?;
                    let name = field.name.as_deref()?;
                    // Members of bases and of unnamed members count as members of the whole.
                    if let Some(i) = m.ty(ty).source.as_deref().and_then(tuple_element) {
                        path = format!("std::get<{i}>({path})");
                        before_member = ".";
                    } else if !name.is_empty() {
                        let _ = write!(path, "{before_member}{name}");
                        before_member = ".";
                    }
                    rest -= i64::try_from(field.offset).ok()?;
                    (ty, declared) = (field.ty, field.declared.clone());
                }
                TypeKind::Array { elem, .. } => {
                    let size = i64::try_from(m.size_of(*elem).get()).ok().filter(|s| *s > 0)?;
                    let _ = write!(path, "[{}]", rest / size);
                    rest %= size;
                    ty = *elem;
                }
                TypeKind::Int(_) | TypeKind::Ptr(_) | TypeKind::Float(_) => {
                    return (rest == 0).then_some(GivenScalar { path, ty, declared, range, leads_to: None });
                }
                _ => return None,
            }
        }
        None
    }

    /// Names the ranks, types, contiguity flags and first sizes and strides of the tensors that a function receives,
    /// whether or not it reads them.
    pub fn name_numbers_of_tensors(&mut self, dimensions: u64) {
        let is_tensor = |o: &ObjId| self.heap.given(*o).is_some_and(|g| g.class == Some(LibraryClass::Tensor));
        let tensors: Vec<ObjId> = self.heap.all_given().iter().copied().filter(is_tensor).collect();
        for o in tensors {
            let (Some(given), Some(state)) = (self.heap.given(o).copied(), self.heap.at_entry(o).cloned()) else {
                continue;
            };
            let m = self.program.module(given.module);
            let Some(TypeKind::Struct { fields, .. }) = m.type_named(TENSOR).map(|t| &m.ty(t).kind) else { continue };
            for field in fields {
                let (elem, count) = match (field.name.as_deref(), &m.ty(field.ty).kind) {
                    (Some("dim" | "dtype" | "contiguous"), _) => (field.ty, 1),
                    (Some("sizes" | "strides"), TypeKind::Array { elem, .. }) => (*elem, dimensions),
                    _ => continue,
                };
                let bytes = m.size_of(elem).get();
                for i in 0..count {
                    if let Ok(at) = i64::try_from(field.offset + i * bytes) {
                        self.given_value((o, &state), at, bytes, &m.ty(elem).kind);
                    }
                }
            }
        }
    }

    /// Value of a scalar when the function was called; `None` if it is simply unknown.
    pub(in crate::symbolic) fn given_value(
        &mut self,
        (o, state): (ObjId, &ObjState),
        at: i64,
        size: u64,
        want: &TypeKind,
    ) -> Option<Value> {
        let given = *self.heap.given(o)?;
        // The object was written since.
        if self.heap.at_entry(o)?.rest != state.rest {
            return None;
        }
        let place = self.place_in(o, at)?;
        let m = self.program.module(given.module);
        if m.size_of(place.ty).get() != size {
            return None;
        }
        let function = self.program.func(given.function).display.clone();
        let object = self.object(o).name.clone();
        let source = |bits| InputSource::Given { function, object, at, bits, path: place.path.clone() };
        match (&m.ty(place.ty).kind, want) {
            (TypeKind::Int(bits), TypeKind::Int(_)) if *bits > 1 => {
                if let Some(range) = place.range.filter(|_| self.assumptions.takes(Axiom::TensorSizes)) {
                    return Some(Value::Int(self.bounded_input(source(*bits), *bits, range)));
                }
                let signed = !place.declared.is_some_and(|d| d.unsigned);
                Some(Value::Int(self.signed_input(source(*bits), *bits, signed)))
            }
            (TypeKind::Ptr(_), TypeKind::Ptr(_)) => {
                if let Some(v) = self.pointer_of_container(o, at, &place) {
                    return Some(v);
                }
                let to = self.given_pointee(o, at, place.path.clone(), &place)?;
                Some(self.pointer(to, 0))
            }
            _ => None,
        }
    }

    /// Pointee, created under `name`, of the pointer at a byte of a given object.
    pub(super) fn given_pointee(&mut self, o: ObjId, at: i64, name: String, place: &GivenScalar) -> Option<ObjId> {
        if let Some(to) = self.heap.pointee(o, at) {
            return Some(to);
        }
        let given = *self.heap.given(o)?;
        let m = self.program.module(given.module);
        // Whoever reconstructs the object thereby knows that there is a pointer.
        let function = self.program.func(given.function).display.clone();
        let object = self.object(o).name.clone();
        self.signed_input(InputSource::Given { function, object, at, bits: 0, path: name.clone() }, 1, false);
        let ty = place.declared.as_ref().and_then(|d| self.pointee_type(m, &d.type_name));
        let to = self.heap.add(Object {
            kind: ObjKind::Parameter,
            name,
            extent: None,
            site: self.object(o).site,
            func: Some(given.function),
            array: true,
        });
        self.heap.note_pointee(o, at, to);
        let class = place.leads_to;
        self.heap.note_given(
            to,
            CallerObject { function: given.function, module: given.module, ty, by_value: false, class },
        );
        Some(to)
    }

    /// Adds the given scalars in `n` bytes from an offset on as cells, so that a copy has them too.
    pub(in crate::symbolic) fn with_given(
        &mut self,
        o: ObjId,
        state: Rc<ObjState>,
        (offset, n): (&TermId, i128),
    ) -> Rc<ObjState> {
        let (Some(_), Some(at)) = (self.heap.given(o), self.arena.as_int(*offset)) else { return state };
        let (Ok(from), Ok(to)) = (i64::try_from(at), i64::try_from(at + n)) else { return state };
        let mut filled = state.as_ref().clone();
        let mut at = from;
        while at < to {
            let place = self.place_in(o, at);
            let m = self.heap.given(o).map(|given| self.program.module(given.module));
            let (Some(place), Some(m)) = (place, m) else {
                at += 1;
                continue;
            };
            let size = m.size_of(place.ty).get();
            let end = at.saturating_add(i64::try_from(size).unwrap_or(i64::MAX)).max(at + 1);
            if state.overlapping(at, end).next().is_none()
                && let Some(v) = self.given_value((o, &state), at, size, &m.ty(place.ty).kind)
                && let Ok(size) = u32::try_from(size)
            {
                filled.cells.insert(at, (size, v));
            }
            at = end;
        }
        Rc::new(filled)
    }
}

/// Number of the element of a `std::tuple` that a class is the holder of (libstdc++ 12, `tuple`).
fn tuple_element(class: &str) -> Option<u64> {
    let number = class.strip_prefix("std::_Head_base<")?.split(',').next()?;
    number.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()
}

impl Terms {
    /// Pointee type of a pointer type, if the module has it.
    pub(crate) fn pointee_type(&self, m: &Module, type_name: &str) -> Option<TypeId> {
        m.type_named(pointee_name(type_name)?)
    }

    fn place_in_tensor(&self, m: &Module, object: &str, at: i64) -> Option<GivenScalar> {
        let TypeKind::Struct { fields, .. } = &m.ty(m.type_named(TENSOR)?).kind else { return None };
        let handle = object.strip_suffix(OF_HANDLE).unwrap_or(object);
        let field = fields.iter().rev().find(|f| i64::try_from(f.offset).is_ok_and(|from| from <= at))?;
        let (name, rest) = (field.name.as_deref()?, at - i64::try_from(field.offset).ok()?);
        let (ty, index) = match &m.ty(field.ty).kind {
            TypeKind::Array { elem, .. } => {
                let size = i64::try_from(m.size_of(*elem).get()).ok().filter(|s| *s > 0 && rest % s == 0)?;
                (*elem, u64::try_from(rest / size).ok())
            }
            _ => ((rest == 0).then_some(field.ty)?, None),
        };
        if let TypeKind::Ptr(_) = m.ty(ty).kind {
            return Some(GivenScalar {
                path: format!("{handle}{OF_STORAGE}"),
                ty,
                declared: None,
                range: None,
                leads_to: None,
            });
        }
        let (path, range) = tensors::member(handle, name, index)?;
        Some(GivenScalar { path, ty, declared: None, range: Some(range), leads_to: None })
    }
}
