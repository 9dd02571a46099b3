//! Structures that a caller gave: what their members are called, and the objects that pointers in them lead to.
//!
//! In: an object behind a parameter, or a structure passed by value, and the type that the source gives it. Out: of what it held when the function
//! was called, numbers as inputs with the names that the source has for them (`t->ne[0]`), and pointers to objects of their own
//! (`t->src[0]`), the same each time. What was written since is not looked at here: who asks knows that nothing was.

use super::object::{Given, ObjId, ObjKind, ObjState, Object};
use super::value::Value;
use crate::ir::{Declared, FuncRef, Module, TypeId, TypeKind, pointee_name};
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::terms::term::{InputSource, TermId};
use std::fmt::Write;
use std::rc::Rc;

/// A scalar in an object that a caller gave.
#[derive(Clone, Debug)]
pub(in crate::symbolic) struct Place {
    /// As the source writes it: `t->ne[0]`.
    pub path: String,
    pub ty: TypeId,
    pub declared: Option<Declared>,
}

/// Members within members.
const DEPTH: usize = 16;

impl Executor<'_> {
    /// The type of what a pointer of this type points to, where the module has it.
    pub(crate) fn pointee_type(&self, m: &Module, type_name: &str) -> Option<TypeId> {
        m.type_named(pointee_name(type_name)?)
    }

    /// Notes what a caller gave.
    pub(crate) fn note_given(&mut self, o: ObjId, function: FuncRef, ty: Option<TypeId>, by_value: bool) {
        self.heap.note_given(o, Given { function, module: function.module, ty, by_value });
    }

    /// The objects behind pointers that a function was given, with their names, and bytes of an element where its type tells.
    pub(crate) fn given_objects(&self, f: FuncRef) -> Vec<(ObjId, String, Option<u64>)> {
        let known = |o: &ObjId| {
            let given = self.heap.given(*o).filter(|g| g.function == f)?;
            let m = self.program.module(given.module);
            let bytes = given.ty.map(|ty| m.size_of(ty).get()).filter(|b| *b > 0);
            Some((*o, self.object(*o).name.clone(), bytes))
        };
        self.heap.parameters().iter().filter_map(known).collect()
    }

    /// The scalar of an object that begins at a byte.
    pub(in crate::symbolic) fn place_in(&self, o: ObjId, at: i64) -> Option<Place> {
        let given = self.heap.given(o)?;
        let m = self.program.module(given.module);
        let mut ty = given.ty?;
        let size = i64::try_from(m.size_of(ty).get()).ok().filter(|s| *s > 0)?;
        let (index, mut rest) = (at.div_euclid(size), at.rem_euclid(size));
        let mut path = self.object(o).name.clone();
        let structure = matches!(m.ty(ty).kind, TypeKind::Struct { .. });
        let mut before_member = match (given.by_value, structure, index) {
            (true, _, 0) => ".",
            (true, ..) => return None,
            (false, true, 0) => "->",
            (false, true, _) => {
                let _ = write!(path, "[{index}]");
                "."
            }
            // Elements of arrays are told apart by their number, which may be none that is written down.
            (false, false, _) => return None,
        };
        let mut declared = None;
        for _ in 0..DEPTH {
            match &m.ty(ty).kind {
                TypeKind::Struct { fields, .. } => {
                    let field = fields.iter().rev().find(|f| i64::try_from(f.offset).is_ok_and(|at| at <= rest))?;
                    let name = field.name.as_deref().filter(|n| !n.is_empty())?;
                    let _ = write!(path, "{before_member}{name}");
                    before_member = ".";
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
                    return (rest == 0).then_some(Place { path, ty, declared });
                }
                _ => return None,
            }
        }
        None
    }

    /// What a scalar held when the function was called; `None` where nothing but that it is some value is known.
    pub(in crate::symbolic) fn given_value(
        &mut self,
        (o, state): (ObjId, &ObjState),
        at: i64,
        size: u64,
        want: &TypeKind,
    ) -> Option<Value> {
        let given = *self.heap.given(o)?;
        // Since then it was written.
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
                let signed = !place.declared.is_some_and(|d| d.unsigned);
                Some(Value::Int(self.signed_input(source(*bits), *bits, signed)))
            }
            (TypeKind::Ptr(_), TypeKind::Ptr(_)) => {
                let to = match self.heap.pointee(o, at) {
                    Some(to) => to,
                    None => {
                        // So that whoever makes the object knows that there is a pointer.
                        self.signed_input(source(0), 1, false);
                        let ty = place.declared.as_ref().and_then(|d| self.pointee_type(m, &d.type_name));
                        let to = self.heap.add(Object {
                            kind: ObjKind::Parameter,
                            name: place.path,
                            extent: None,
                            site: self.object(o).site,
                            func: Some(given.function),
                            array: true,
                        });
                        self.heap.note_pointee(o, at, to);
                        self.note_given(to, given.function, ty, false);
                        to
                    }
                };
                Some(self.pointer(to, 0))
            }
            _ => None,
        }
    }

    /// What a caller gave with its scalars in `n` bytes from an offset on as cells, so that a copy of them has them.
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
