//! Structures that no type of LLVM shows: a class whose members only functions of its library read (`std::tuple`) is
//! an address where it is passed.
//!
//! In: the source types of parameters. Out: structures with the layout of the debug information. A member that is not
//! followed (a union, a bit-field, a virtual base) has an opaque type.

use super::bindings::{Meta, MetaKind};
use super::debug::{DebugTables, operand};
use super::types::LlvmTypeTable;
use ir::{Elements, Field, TypeDef, TypeId, TypeKind};
use rustc_hash::FxHashMap;

/// DWARF 5 tags, section 7.5.3.
mod tag {
    pub const ARRAY: u16 = 0x01;
    pub const CLASS: u16 = 0x02;
    pub const ENUMERATION: u16 = 0x04;
    pub const POINTER: u16 = 0x0f;
    pub const REFERENCE: u16 = 0x10;
    pub const STRUCTURE: u16 = 0x13;
    pub const RVALUE_REFERENCE: u16 = 0x42;
}

/// Size of a pointer in bytes.
const POINTER: u64 = 8;

/// Structures under construction.
struct PassedTypes<'t, 'm> {
    types: &'t mut LlvmTypeTable<'m>,
    made: FxHashMap<Meta<'m>, TypeId>,
}

impl<'m> DebugTables<'m> {
    /// Adds the classes of parameters that the table lacks.
    pub(super) fn add_passed(&mut self, types: &mut LlvmTypeTable<'m>) {
        let mut all = PassedTypes { types, made: FxHashMap::default() };
        for ty in std::mem::take(&mut self.passed) {
            let name = self.type_name(Some(ty));
            let is_it = |d: &TypeDef| {
                let named = |n: &str| n.split_once('.').is_some_and(|(_, n)| n == name);
                match &d.kind {
                    TypeKind::Struct { name: n, fields } if !fields.is_empty() => {
                        d.source.as_ref() == Some(&name) || n.as_deref().is_some_and(named)
                    }
                    _ => false,
                }
            };
            if !all.types.defs.iter().any(is_it) {
                self.entry(&mut all, ty);
            }
        }
    }

    /// Returns the entry of a source type.
    fn entry(&mut self, all: &mut PassedTypes<'_, 'm>, ty: Meta<'m>) -> TypeId {
        let Some(ty) = self.plain(ty) else { return opaque(all, 0) };
        if let Some(id) = all.made.get(&ty) {
            return *id;
        }
        let bytes = ty.size_in_bits() / 8;
        let id = match ty.tag() {
            _ if ty.is(MetaKind::LLVMDIBasicTypeMetadataKind) => self.scalar(all, ty),
            tag::ENUMERATION => all.types.synthetic(&TypeKind::Int(bits(bytes)), 1),
            tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE => all.types.described(TypeKind::Ptr(0), POINTER),
            tag::ARRAY => {
                let of = self.bitcode.meta_operand(ty, operand::BASE_TYPE).map(|of| self.entry(all, of));
                match of.map(|of| (of, all.types.defs[of.index()].size.get())) {
                    Some((elem, size)) if size > 0 => {
                        let count = Elements(bytes / size);
                        all.types.described(TypeKind::Array { elem, count }, bytes)
                    }
                    _ => opaque(all, bytes),
                }
            }
            tag::STRUCTURE | tag::CLASS => match self.fields(all, ty) {
                Some(fields) => {
                    let source = self.type_name(Some(ty));
                    let name = format!("class.{}", source.split('<').next().unwrap_or_default());
                    let id = all.types.described(TypeKind::Struct { name: Some(name), fields }, bytes);
                    all.types.defs[id.index()].source = Some(source);
                    id
                }
                None => opaque(all, bytes),
            },
            _ => opaque(all, bytes),
        };
        all.made.insert(ty, id);
        id
    }

    fn scalar(&self, all: &mut PassedTypes<'_, 'm>, ty: Meta<'m>) -> TypeId {
        let (text, bytes) = (self.bitcode.print_meta(ty), ty.size_in_bits() / 8);
        match (text.contains("float"), bytes) {
            (true, 4 | 8) if text.contains("DW_ATE_float") => all.types.synthetic(&TypeKind::Float(bits(bytes)), 1),
            (false, 1 | 2 | 4 | 8) => all.types.synthetic(&TypeKind::Int(bits(bytes)), 1),
            _ => opaque(all, bytes),
        }
    }

    /// Returns the members of a class by their offsets, without those that have no bytes; `None` where it is not described.
    fn fields(&mut self, all: &mut PassedTypes<'_, 'm>, ty: Meta<'m>) -> Option<Vec<Field>> {
        let mut fields = vec![];
        for m in self.members.members_of(ty)? {
            let of = m.ty?;
            if self.members.has_no_bytes(of) {
                continue;
            }
            let bytes = of.size_in_bits() / 8;
            let id = if m.is_plain { self.entry(all, of) } else { opaque(all, bytes) };
            let declared = (!m.name.is_empty()).then(|| self.facts_of(of, m.private));
            fields.push(Field { offset: m.bit / 8, ty: id, name: Some(m.name), declared });
        }
        fields.sort_by_key(|f| f.offset);
        Some(fields)
    }
}

/// Width in bits of an integer or a floating-point number.
fn bits(bytes: u64) -> u32 {
    u32::try_from(bytes * 8).unwrap_or(0)
}

fn opaque(all: &mut PassedTypes<'_, '_>, bytes: u64) -> TypeId {
    all.types.described(TypeKind::Other("not followed".into()), bytes)
}
