//! Numbers in arrays that a function is given: the array and the element, as contracts write them.
//!
//! In: a term in an index expression. Out: array, element and member if the term is a number that the array held at
//! function entry, and contracts read it as such. A number written since is a different one.

use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::memory::object::{ObjId, ObjKind, UncoveredContents};
use crate::symbolic::terms::functions::UninterpretedFunction;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{Poly, SymKind, Term, TermId};
use contracts::ContractTerm;
use contracts::Span;
use contracts::ast::{MemberOperator, TermKind};
use ir::{FuncRef, Module, TypeId, TypeKind};
use models::tensors;

/// Number in an array behind a parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementRead {
    pub object: ObjId,
    /// The pointer to the array: a parameter, or a member as the source writes it; or the tensor.
    pub array: String,
    /// The member if the element is a structure; several for nested members, outermost first.
    pub members: Vec<String>,
    /// Index of the element.
    pub at: TermId,
    /// Size of an element in bytes.
    pub size: i128,
    /// Range of its type.
    pub range: Interval,
}

impl ElementRead {
    /// Returns the element with a given index, as a contract writes it.
    pub fn written(&self, index: ContractTerm) -> ContractTerm {
        let of = |kind| ContractTerm::new(kind, Span::default());
        let element = of(TermKind::Subscript(Box::new(ContractTerm::name(&self.array)), Box::new(index)));
        self.members.iter().fold(element, |t, m| of(TermKind::Member(Box::new(t), MemberOperator::Dot, m.clone())))
    }

    /// Whether both read the same numbers of the same array.
    pub fn is_of_the_same(&self, other: &Self) -> bool {
        (self.object, &self.members) == (other.object, &other.members)
    }
}

impl MemoryDomain<'_> {
    /// Returns the array element that a term is; `None` if contracts cannot express it. `copies`: the result of
    /// `contiguous()` has the tensor's elements in order, at the indices that contracts use if the tensor is
    /// contiguous.
    pub fn element_read(&mut self, f: FuncRef, t: TermId, copies: bool) -> Option<ElementRead> {
        if let Some(read) = self.tensor_element_read(f, t, copies) {
            return Some(read);
        }
        // Memory contents are signed numbers by themselves.
        let (content, signed, range) = match self.arena.get(t) {
            Term::Apply { function: UninterpretedFunction::Reading { signed, .. }, args, range } => {
                (*args.first()?, *signed, *range)
            }
            Term::Apply { function: UninterpretedFunction::Content, range, .. } => (t, true, *range),
            _ => return None,
        };
        let Term::Apply { function: UninterpretedFunction::Content, args, .. } = self.arena.get(content) else {
            return None;
        };
        let [object, version, offset, width] = args.as_slice() else { return None };
        let number = |t: TermId| u32::try_from(self.arena.as_int(t)?).ok();
        let (o, version, offset, width) = (ObjId(number(*object)?), number(*version)?, *offset, number(*width)?);
        let UncoveredContents::Unknown { version: first, .. } = &self.heap.at_entry(o)?.rest else { return None };
        if !matches!(self.object(o).kind, ObjKind::Parameter)
            || *first != version
            || range != Interval::of_int(width, signed)
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

    /// Returns the element type of an array, whether it is an unsigned number, and its size in bytes.
    fn elements_behind(&self, f: FuncRef, o: ObjId, array: &str) -> Option<(TypeId, bool, i128)> {
        let func = self.program.func(f);
        if let Some(parameter) = func.params.iter().position(|p| p.name == array && p.byval.is_none()) {
            let element = self.element_named(f, func.declared_type(array).unwrap_or_default());
            let size = i128::from(func.element_bytes(parameter).or(element.bytes)?);
            return Some((element.ty?, element.unsigned, size));
        }
        // The array is behind a pointer in a structure: members record their own signedness.
        let given = self.heap.given(o).filter(|g| g.function == f && !g.by_value && g.class.is_none())?;
        let (ty, m) = (given.ty?, self.module(f));
        let is_structure = matches!(m.ty(ty).kind, TypeKind::Struct { .. });
        (is_structure && given.module == f.module).then(|| (ty, false, i128::from(m.size_of(ty).get())))
    }

    /// Returns the element of a tensor's storage that a term is; contracts index it from its first element.
    /// The lowest bits of an element, or its bits without a sign, are another number.
    fn tensor_element_read(&mut self, f: FuncRef, t: TermId, copies: bool) -> Option<ElementRead> {
        let Term::Apply { function: UninterpretedFunction::Content, args, range } = self.arena.get(t) else {
            return None;
        };
        let range = *range;
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
}

impl Terms {
    /// Returns a symbol for an arbitrary element of an array.
    pub fn any_element(&mut self, of: &ElementRead) -> TermId {
        let name = of.written(ContractTerm::name("…")).to_string();
        self.arena.fresh(SymKind::Iteration { name: name.clone() }, name, of.range)
    }
}

/// Returns quotient and remainder of an offset by the size of an element; `None` if the offset within an element is
/// unknown.
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

/// Returns whether the number at a byte of a type is unsigned, and collects the members that lead to it.
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
