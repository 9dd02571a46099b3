//! Numbers that lie in arrays which a function is given: which element of which array, as contracts write it.
//!
//! In: a term that an index is made of. Out: array, element and member where the term is a number that the array held when the function was
//! called, and contracts read it as such. What was written since is another number.

use crate::symbolic::exec::executor::Executor;
use crate::symbolic::memory::object::{ObjId, ObjKind, Rest};
use crate::symbolic::terms::functions::Function;
use crate::symbolic::terms::interval::Range;
use crate::symbolic::terms::term::{Poly, SymKind, Term, TermId};
use contracts::Span;
use contracts::Term as Written;
use contracts::ast::{Access, TermKind};
use ir::{FuncRef, Module, TypeId, TypeKind};
use models::tensors;

/// A number in an array, behind a parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementRead {
    pub object: ObjId,
    /// What points to the array: a parameter, or a member as the source writes it; or the tensor.
    pub array: String,
    /// The member of the element where that is a structure; several, each within the one before.
    pub members: Vec<String>,
    /// Which element it is.
    pub at: TermId,
    /// Bytes of an element.
    pub size: i128,
    /// What numbers of its type may be.
    pub range: Range,
}

impl ElementRead {
    /// The element of a number, as a contract writes it.
    pub fn written(&self, index: Written) -> Written {
        let of = |kind| Written::new(kind, Span::default());
        let element = of(TermKind::Subscript(Box::new(Written::name(&self.array)), Box::new(index)));
        self.members.iter().fold(element, |t, m| of(TermKind::Member(Box::new(t), Access::Dot, m.clone())))
    }

    /// Whether both are of the same numbers of the same array.
    pub fn is_of_the_same(&self, other: &Self) -> bool {
        (self.object, &self.members) == (other.object, &other.members)
    }
}

impl Executor<'_> {
    /// The number of an array that a term is; `None` where contracts have no word for it. `copies`: what `contiguous()` makes holds what the tensor
    /// holds, in order, which is where contracts say it is if the tensor is contiguous.
    pub fn element_read(&mut self, f: FuncRef, t: TermId, copies: bool) -> Option<ElementRead> {
        if let Some(read) = self.tensor_element_read(f, t, copies) {
            return Some(read);
        }
        // What memory holds is a signed number by itself.
        let (content, signed, range) = match self.arena.get(t) {
            Term::Apply { function: Function::Reading { signed, .. }, args, range } => {
                (*args.first()?, *signed, *range)
            }
            Term::Apply { function: Function::Content, range, .. } => (t, true, *range),
            _ => return None,
        };
        let Term::Apply { function: Function::Content, args, .. } = self.arena.get(content) else { return None };
        let [object, version, offset, width] = args.as_slice() else { return None };
        let number = |t: TermId| u32::try_from(self.arena.as_int(t)?).ok();
        let (o, version, offset, width) = (ObjId(number(*object)?), number(*version)?, *offset, number(*width)?);
        let Rest::Unknown { version: first, .. } = &self.heap.at_entry(o)?.rest else { return None };
        if !matches!(self.object(o).kind, ObjKind::Parameter)
            || *first != version
            || range != Range::of_int(width, signed)
        {
            return None;
        }
        let array = self.object(o).name.clone();
        let (ty, unsigned, size) = self.elements_behind(f, o, &array)?;
        let m = self.module(f);
        if size < 1 || i128::from(m.size_of(ty).get()) != size {
            return None;
        }
        let (at, within) = divided(&self.arena.poly(offset), size)?;
        let mut members = vec![];
        let unsigned = member_at(m, (ty, unsigned), u64::try_from(within).ok()?, width, &mut members)?;
        let at = self.arena.from_poly(at);
        (unsigned != signed).then_some(ElementRead { object: o, array, members, at, size, range })
    }

    /// The type of what an array holds, whether that is an unsigned number, and its bytes.
    fn elements_behind(&self, f: FuncRef, o: ObjId, array: &str) -> Option<(TypeId, bool, i128)> {
        let func = self.program.func(f);
        if let Some(parameter) = func.params.iter().position(|p| p.name == array && p.byval.is_none()) {
            let element = self.element_named(f, func.declared_type(array).unwrap_or_default());
            let size = i128::from(func.element_bytes(parameter).or(element.bytes)?);
            return Some((element.ty?, element.unsigned, size));
        }
        // Behind a pointer in a structure: members say themselves whether they are unsigned.
        let given = self.heap.given(o).filter(|g| g.function == f && !g.by_value && g.class.is_none())?;
        let (ty, m) = (given.ty?, self.module(f));
        let is_structure = matches!(m.ty(ty).kind, TypeKind::Struct { .. });
        (is_structure && given.module == f.module).then(|| (ty, false, i128::from(m.size_of(ty).get())))
    }

    /// The same of a tensor's storage, whose elements contracts count from its first one on.
    fn tensor_element_read(&mut self, f: FuncRef, t: TermId, copies: bool) -> Option<ElementRead> {
        let (args, range) = match self.arena.get(t) {
            Term::Apply { function: Function::Content, args, range } => (args, *range),
            Term::Apply { function: Function::Reading { signed: true, .. }, args, range } => {
                match self.arena.get(*args.first()?) {
                    Term::Apply { function: Function::Content, args, .. } => (args, *range),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let [object, _, offset, width] = args.as_slice() else { return None };
        let array = self.given_contents_of(args)?.to_owned();
        self.tensor_parameter(f, &array)?;
        let size = self
            .arena
            .as_int(*width)
            .filter(|bits| tensors::WHOLE_NUMBERS.iter().any(|(_, b)| i128::from(*b) == *bits))?
            / 8;
        let p = self.arena.poly(*offset);
        let (at, 0) = divided(&p, size)? else { return None };
        let object = ObjId(u32::try_from(self.arena.as_int(*object)?).ok()?);
        if !copies && self.heap.is_copy_of_given(object) {
            return None;
        }
        let at = self.arena.from_poly(at);
        Some(ElementRead { object, array, members: vec![], at, size, range })
    }

    /// A number that stands for any element of an array.
    pub fn any_element(&mut self, of: &ElementRead) -> TermId {
        let name = of.written(Written::name("…")).to_string();
        self.arena.fresh(SymKind::Iteration { name: name.clone() }, name, of.range)
    }
}

/// Quotient and remainder of an offset by the size of an element; `None` where it is not known where in an element that is.
fn divided(offset: &Poly, size: i128) -> Option<(Poly, i128)> {
    let mut within = 0;
    let mut terms = vec![];
    for (m, c) in &offset.terms {
        if m.is_empty() {
            within = c.rem_euclid(size);
        }
        let c = if m.is_empty() { c - within } else { *c };
        if c % size != 0 {
            return None;
        }
        if c != 0 {
            terms.push((m.clone(), c / size));
        }
    }
    Some((Poly { terms }, within))
}

/// The members that lead to the number at a byte of a type, and whether it is unsigned.
fn member_at(
    m: &Module,
    (ty, unsigned): (TypeId, bool),
    at: u64,
    bits: u32,
    members: &mut Vec<String>,
) -> Option<bool> {
    match &m.ty(ty).kind {
        TypeKind::Int(width) => (at == 0 && *width == bits).then_some(unsigned),
        TypeKind::Struct { fields, .. } => {
            let field = fields.iter().rev().find(|f| f.offset <= at)?;
            let name = field.name.clone()?;
            if !name.is_empty() {
                members.push(name);
            }
            let unsigned = field.declared.as_ref().is_some_and(|d| d.unsigned);
            member_at(m, (field.ty, unsigned), at - field.offset, bits, members)
        }
        _ => None,
    }
}
