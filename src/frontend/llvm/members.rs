//! Names of structure members: LLVM's structures have none, the debug information's have.
//!
//! In: the types that variables and functions mention. Out: [`Field::name`]s. The two sides are not linked: a structure is
//! found by its name without template arguments, its size and the offsets of its members, and where several types of the
//! debug information fit and disagree, a member stays without a name.

use super::bindings::{Bitcode, Meta, MetaKind};
use super::debug::operand;
use crate::ir::{Field, TypeDef, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// DWARF 5 tags, section 7.5.3.
mod tag {
    pub const CLASS: u16 = 0x02;
    pub const MEMBER: u16 = 0x0d;
    pub const STRUCTURE: u16 = 0x13;
    pub const INHERITANCE: u16 = 0x1c;
}

/// Operand of a DISubprogram: its type, after file, scope, name and linkage name (LLVM 22, DebugInfoMetadata.h).
const SUBPROGRAM_TYPE: usize = 4;

/// A structure as the source has it.
struct Layout<'m> {
    /// Bytes.
    size: u64,
    members: Vec<Member<'m>>,
}

struct Member<'m> {
    /// Offset in bits.
    bit: u64,
    /// Bases and unnamed members have an empty one.
    name: String,
    ty: Option<Meta<'m>>,
}

/// The structures that the debug information describes.
pub(super) struct Members<'m> {
    bitcode: Bitcode<'m>,
    seen: FxHashSet<Meta<'m>>,
    by_name: FxHashMap<String, Vec<Layout<'m>>>,
}

impl<'m> Members<'m> {
    pub(super) fn new(bitcode: Bitcode<'m>) -> Self {
        Self { bitcode, seen: FxHashSet::default(), by_name: FxHashMap::default() }
    }

    /// Notes the structures in a function's signature.
    pub(super) fn see_function(&mut self, subprogram: Meta<'m>) {
        if subprogram.is(MetaKind::LLVMDISubprogramMetadataKind) {
            self.see(self.bitcode.meta_operand(subprogram, SUBPROGRAM_TYPE));
        }
    }

    /// Notes the structures that a type is made of.
    pub(super) fn see(&mut self, ty: Option<Meta<'m>>) {
        let mut work: Vec<Meta<'m>> = ty.into_iter().collect();
        while let Some(ty) = work.pop() {
            if !self.seen.insert(ty) {
                continue;
            }
            match ty.kind() {
                // Of a subroutine type the list of parameters stands where others have their base.
                MetaKind::LLVMDIDerivedTypeMetadataKind => {
                    work.extend(self.bitcode.meta_operand(ty, operand::BASE_TYPE));
                }
                MetaKind::LLVMDISubroutineTypeMetadataKind => {
                    if let Some(list) = self.bitcode.meta_operand(ty, operand::BASE_TYPE) {
                        work.extend(self.list(list));
                    }
                }
                MetaKind::LLVMDICompositeTypeMetadataKind => {
                    let elements =
                        self.bitcode.meta_operand(ty, operand::ELEMENTS).map(|e| self.list(e)).unwrap_or_default();
                    if matches!(ty.tag(), tag::STRUCTURE | tag::CLASS) && !elements.is_empty() {
                        self.add(ty, &elements);
                    }
                    work.extend(self.bitcode.meta_operand(ty, operand::BASE_TYPE));
                    // Methods are followed where they are called.
                    work.extend(elements.into_iter().filter(|e| e.is(MetaKind::LLVMDIDerivedTypeMetadataKind)));
                }
                _ => {}
            }
        }
    }

    fn list(&self, list: Meta<'m>) -> Vec<Meta<'m>> {
        (0..self.bitcode.meta_operands(list).len()).filter_map(|i| self.bitcode.meta_operand(list, i)).collect()
    }

    fn add(&mut self, ty: Meta<'m>, elements: &[Meta<'m>]) {
        let members = elements
            .iter()
            .filter(|e| matches!(e.tag(), tag::MEMBER | tag::INHERITANCE) && !e.is_static_member())
            .map(|e| Member {
                bit: e.offset_in_bits(),
                name: if e.tag() == tag::MEMBER {
                    self.bitcode.meta_string(*e, operand::NAME).unwrap_or_default()
                } else {
                    String::new()
                },
                ty: self.bitcode.meta_operand(*e, operand::BASE_TYPE),
            })
            .collect();
        let name = self.bitcode.meta_string(ty, operand::NAME).unwrap_or_default();
        let name = name.split('<').next().unwrap_or_default().to_owned();
        self.by_name.entry(name).or_default().push(Layout { size: ty.size_in_bits() / 8, members });
    }

    /// Gives every structure of the table the names of its members. Gives back which member has which type in the source.
    pub(super) fn name_fields(&self, types: &mut [TypeDef]) -> Vec<(usize, usize, Meta<'m>)> {
        let mut typed = vec![];
        for (n, def) in types.iter_mut().enumerate() {
            let TypeKind::Struct { name: Some(name), fields } = &mut def.kind else { continue };
            let Some(layouts) = self.by_name.get(source_name(name)) else { continue };
            let fitting: Vec<&Layout> =
                layouts.iter().filter(|l| l.size == def.size.get() || name.ends_with(".base")).collect();
            for i in 0..fields.len() {
                let end =
                    fields[i + 1..].iter().map(|f| f.offset).find(|o| *o > fields[i].offset).unwrap_or(def.size.get());
                let mut members = fitting.iter().map(|l| member(l, &fields[i], end));
                let first = members.next().flatten();
                if members.all(|m| m.as_ref().map(|m| &m.0) == first.as_ref().map(|m| &m.0)) {
                    // Of instances of one template each has its own types.
                    typed.extend(first.as_ref().and_then(|m| m.1).filter(|_| fitting.len() == 1).map(|ty| (n, i, ty)));
                    fields[i].name = first.map(|m| m.0);
                }
            }
        }
        typed
    }
}

/// The one member that stands where a field does; several share one storage unit in bit-fields.
fn member<'m>(layout: &Layout<'m>, field: &Field, end: u64) -> Option<(String, Option<Meta<'m>>)> {
    let mut within =
        layout.members.iter().filter(|m| (field.offset * 8..end.max(field.offset + 1) * 8).contains(&m.bit));
    let named: Vec<_> = within.clone().filter(|m| !m.name.is_empty()).collect();
    match named.as_slice() {
        // An empty base has no field of its own.
        [m] if m.bit == field.offset * 8 => Some((m.name.clone(), m.ty)),
        [] => within.next().filter(|m| m.bit == field.offset * 8).map(|_| (String::new(), None)),
        _ => None,
    }
}

/// `Image` of `struct.ns::Image.3`: clang writes the qualified name without template arguments, and LLVM numbers equal ones.
fn source_name(llvm: &str) -> &str {
    let name = llvm.split_once('.').map_or(llvm, |(_, n)| n);
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('.').unwrap_or(name);
    let name = name.strip_suffix(".base").unwrap_or(name);
    let name = name.rsplit("::").next().unwrap_or(name);
    if name == "anon" { "" } else { name }
}

#[cfg(test)]
mod tests {
    use super::source_name;

    #[test]
    fn names_of_llvms_structures() {
        for (llvm, source) in [
            ("struct.Image", "Image"),
            ("class.ns::Image.12", "Image"),
            ("struct.a::b2", "b2"),
            ("class.Base.base", "Base"),
            ("struct.anon.3", ""),
            ("struct.float4", "float4"),
        ] {
            assert_eq!(source_name(llvm), source, "{llvm}");
        }
    }
}
