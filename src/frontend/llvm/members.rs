//! Names of structure members: LLVM's structures lack them, the debug information has them.
//!
//! In: the types that variables and functions mention. Out: [`Field::name`]s. LLVM's types and the debug information
//! are not linked. Where a variable has a structure type, both descriptions are known to match, and so are those of its
//! members. Other structures are matched by name without template arguments, by size and by member offsets. Where
//! several debug types match and disagree, a member gets no name.

use super::bindings::{Bitcode, Meta, MetaKind};
use super::debug::operand;
use ir::{Field, TypeDef, TypeId, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// DWARF 5 tags, section 7.5.3.
mod tag {
    pub const ARRAY: u16 = 0x01;
    pub const CLASS: u16 = 0x02;
    pub const MEMBER: u16 = 0x0d;
    pub const POINTER: u16 = 0x0f;
    pub const STRUCTURE: u16 = 0x13;
    pub const TYPEDEF: u16 = 0x16;
    pub const INHERITANCE: u16 = 0x1c;
    pub const BASE: u16 = 0x24;
    pub const CONST: u16 = 0x26;
    pub const VOLATILE: u16 = 0x35;
}

/// Operand of a DISubprogram: its type, after file, scope, name and linkage name (LLVM 22, DebugInfoMetadata.h).
const SUBPROGRAM_TYPE: usize = 4;

/// Largest number of typedefs and qualifiers stripped from a type.
const DEPTH: usize = 24;

/// Source layout of a structure.
struct SourceLayout<'m> {
    /// Size in bytes.
    size: u64,
    members: Vec<Member<'m>>,
}

#[derive(Clone)]
pub(super) struct Member<'m> {
    /// Offset in bits.
    pub(super) bit: u64,
    /// Name; empty for bases and unnamed members.
    pub(super) name: String,
    pub(super) ty: Option<Meta<'m>>,
    pub(super) private: bool,
    /// Whether it is neither a bit-field nor a virtual base.
    pub(super) is_plain: bool,
}

/// The structures that the debug information describes.
pub(super) struct StructMembers<'m> {
    bitcode: Bitcode<'m>,
    seen: FxHashSet<Meta<'m>>,
    layouts: FxHashMap<Meta<'m>, SourceLayout<'m>>,
    by_name: FxHashMap<String, Vec<Meta<'m>>>,
    /// Structures that a variable identifies.
    of_variables: Vec<(TypeId, Meta<'m>)>,
    /// Structures with a member of a type that a typedef aligns less, and the names of these typedefs.
    lowered: BTreeSet<(String, String)>,
}

/// Facts of the debug information about the module's structures.
pub(super) struct DebugStructures<'m> {
    /// Pairs of structure and source type.
    pub(super) types: Vec<(usize, Meta<'m>)>,
    /// Structure, member, the member's source type, and whether it is private.
    pub(super) members: Vec<(usize, usize, Meta<'m>, bool)>,
}

impl<'m> StructMembers<'m> {
    pub(super) fn new(bitcode: Bitcode<'m>) -> Self {
        Self {
            bitcode,
            seen: FxHashSet::default(),
            layouts: FxHashMap::default(),
            by_name: FxHashMap::default(),
            of_variables: vec![],
            lowered: BTreeSet::new(),
        }
    }

    /// Records that a variable of this source type has this structure.
    pub(super) fn is_of(&mut self, structure: TypeId, ty: Meta<'m>) {
        self.of_variables.push((structure, ty));
    }

    /// Records the structures in a function's signature.
    pub(super) fn see_function(&mut self, subprogram: Meta<'m>) {
        if subprogram.is(MetaKind::LLVMDISubprogramMetadataKind) {
            self.see(self.bitcode.meta_operand(subprogram, SUBPROGRAM_TYPE));
        }
    }

    /// Records the structures that a type contains.
    pub(super) fn see(&mut self, ty: Option<Meta<'m>>) {
        let mut work: Vec<Meta<'m>> = ty.into_iter().collect();
        while let Some(ty) = work.pop() {
            if !self.seen.insert(ty) {
                continue;
            }
            match ty.kind() {
                // A subroutine type has its parameter list where other types have their base type.
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
                    // Methods are visited where they are called.
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
        let members: Vec<Member<'m>> = elements
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
                // Without an access specifier the default of the kind of type applies.
                private: e.is_private().unwrap_or(ty.tag() == tag::CLASS),
                is_plain: !e.is_bit_field_or_virtual(),
            })
            .collect();
        let name = self.bitcode.meta_string(ty, operand::NAME).unwrap_or_default();
        for member in &members {
            self.lowered.extend(member.ty.and_then(|ty| self.lowered_by(ty)).map(|by| (name.clone(), by)));
        }
        let name = name.split('<').next().unwrap_or_default().to_owned();
        self.by_name.entry(name).or_default().push(ty);
        self.layouts.insert(ty, SourceLayout { size: ty.size_in_bits() / 8, members });
    }

    /// Returns the name of the typedef that aligns a type, or the elements of an array, to less than its size, where that
    /// is its own alignment.
    fn lowered_by(&self, ty: Meta<'m>) -> Option<String> {
        let mut ty = ty;
        let mut by: Option<(u64, Meta<'m>)> = None;
        for _ in 0..DEPTH {
            if ty.tag() == tag::TYPEDEF && ty.align_in_bits() > 0 && by.is_none() {
                by = Some((ty.align_in_bits(), ty));
            }
            if !matches!(ty.tag(), tag::TYPEDEF | tag::CONST | tag::VOLATILE | tag::ARRAY) {
                break;
            }
            ty = self.bitcode.meta_operand(ty, operand::BASE_TYPE)?;
        }
        let (align, by) = by.filter(|_| ty.tag() == tag::BASE || ty.tag() == tag::POINTER)?;
        (align < ty.size_in_bits()).then(|| self.spelled(by).unwrap_or_default())
    }

    /// Returns the structures that nvcc lays out in its own way in device code, each with the typedef that is the reason.
    pub(super) fn lowered(&self) -> &BTreeSet<(String, String)> {
        &self.lowered
    }

    /// Returns the structure behind the typedefs and qualifiers of a source type; for an array, that of its elements.
    fn structure(&self, ty: Meta<'m>) -> Option<Meta<'m>> {
        let mut ty = ty;
        for _ in 0..DEPTH {
            if self.layouts.contains_key(&ty) {
                return Some(ty);
            }
            let named = matches!(ty.tag(), tag::TYPEDEF | tag::CONST | tag::VOLATILE | tag::ARRAY);
            ty = self.bitcode.meta_operand(ty, operand::BASE_TYPE).filter(|_| named)?;
        }
        None
    }

    /// Returns the only member at a field; bit-fields may share a storage unit.
    fn member(&self, layout: &SourceLayout<'m>, field: &Field, end: u64) -> Option<(String, Option<Meta<'m>>, bool)> {
        let mut within =
            layout.members.iter().filter(|m| (field.offset * 8..end.max(field.offset + 1) * 8).contains(&m.bit));
        // A member without size shares its offset with another one.
        let named: Vec<_> = within.clone().filter(|m| !m.name.is_empty() && !self.is_empty(m)).collect();
        match named.as_slice() {
            // An empty base has no field of its own.
            [m] if m.bit == field.offset * 8 => Some((m.name.clone(), m.ty, m.private)),
            [] => within.next().filter(|m| m.bit == field.offset * 8).map(|_| (String::new(), None, false)),
            _ => None,
        }
    }

    /// Returns the members of a class, bases included; `None` where it is not described.
    pub(super) fn members_of(&self, ty: Meta<'m>) -> Option<Vec<Member<'m>>> {
        Some(self.layouts.get(&self.structure(ty)?)?.members.clone())
    }

    /// Whether a type is a class none of whose bases and members has bytes.
    pub(super) fn has_no_bytes(&self, ty: Meta<'m>) -> bool {
        let mut ty = ty;
        while matches!(ty.tag(), tag::TYPEDEF | tag::CONST | tag::VOLATILE) {
            let Some(of) = self.bitcode.meta_operand(ty, operand::BASE_TYPE) else { return false };
            ty = of;
        }
        let is_class = matches!(ty.tag(), tag::STRUCTURE | tag::CLASS) && (1..=8).contains(&ty.size_in_bits());
        is_class
            && self
                .layouts
                .get(&ty)
                .is_none_or(|l| l.members.iter().all(|m| m.ty.is_some_and(|ty| self.has_no_bytes(ty))))
    }

    fn is_empty(&self, m: &Member<'m>) -> bool {
        let layout = m.ty.and_then(|ty| self.layouts.get(&self.structure(ty)?));
        layout.is_some_and(|l| l.members.is_empty())
    }

    /// Returns the source types of structures, derived from variables and from members of known structures; none if
    /// they contradict each other.
    fn known(&self, types: &[TypeDef]) -> FxHashMap<usize, Meta<'m>> {
        let mut known: FxHashMap<usize, Option<Meta<'m>>> = FxHashMap::default();
        let mut open: Vec<(TypeId, Meta<'m>)> = self.of_variables.clone();
        while let Some((id, ty)) = open.pop() {
            let mut id = id;
            while let TypeKind::Array { elem, .. } = &types[id.index()].kind {
                id = *elem;
            }
            let (TypeKind::Struct { name: Some(name), fields }, Some(ty)) =
                (&types[id.index()].kind, self.structure(ty))
            else {
                continue;
            };
            let Some(layout) = self.layouts.get(&ty) else { continue };
            let is_base = name.ends_with(".base");
            let called = self.spelled(ty).unwrap_or_default();
            let fits = layout.size == types[id.index()].size.get() || is_base;
            if !fits || called.split('<').next() != Some(source_name(name)) {
                continue;
            }
            match known.get_mut(&id.index()) {
                Some(before) => {
                    // A structure's declarations and typedefs may occur twice.
                    if before.is_some_and(|b| b != ty && self.spelled(b) != self.spelled(ty)) {
                        *before = None;
                    }
                    continue;
                }
                None => known.insert(id.index(), Some(ty)),
            };
            for field in fields {
                let here = |m: &&Member<'m>| m.bit == field.offset * 8;
                // An empty base shares its offset with the next member.
                open.extend(layout.members.iter().filter(here).filter_map(|m| Some((field.ty, m.ty?))));
            }
        }
        known.into_iter().filter_map(|(id, ty)| Some((id, ty?))).collect()
    }

    fn spelled(&self, ty: Meta<'m>) -> Option<String> {
        self.bitcode.meta_string(ty, operand::NAME)
    }

    /// Adds member names to every structure of the table.
    pub(super) fn name_fields(&self, types: &mut [TypeDef]) -> DebugStructures<'m> {
        let mut out = DebugStructures { types: vec![], members: vec![] };
        let known = self.known(types);
        let mut namesakes: FxHashMap<String, usize> = FxHashMap::default();
        for def in types.iter() {
            if let TypeKind::Struct { name: Some(name), .. } = &def.kind {
                *namesakes.entry(whole_name(name).to_owned()).or_default() += 1;
            }
        }
        for (n, def) in types.iter_mut().enumerate() {
            let size = def.size.get();
            let TypeKind::Struct { name: Some(name), fields } = &mut def.kind else { continue };
            let fitting: Vec<Meta<'m>> = match known.get(&n) {
                Some(ty) => vec![*ty],
                None => {
                    let Some(all) = self.by_name.get(source_name(name)) else { continue };
                    let fits = |ty: &&Meta<'m>| self.layouts[*ty].size == size || name.ends_with(".base");
                    all.iter().filter(fits).copied().collect()
                }
            };
            // With several instances of one template, this may be another one than the matching type.
            let alone = known.contains_key(&n) || namesakes.get(whole_name(name)) == Some(&1);
            if let ([ty], true) = (fitting.as_slice(), alone) {
                out.types.push((n, *ty));
            }
            for i in 0..fields.len() {
                let end = fields[i + 1..].iter().map(|f| f.offset).find(|o| *o > fields[i].offset).unwrap_or(size);
                let mut members = fitting.iter().map(|ty| self.member(&self.layouts[ty], &fields[i], end));
                let first = members.next().flatten();
                if members.all(|m| m.as_ref().map(|m| &m.0) == first.as_ref().map(|m| &m.0)) {
                    // Each instance of a template has its own types.
                    let ty = first.as_ref().and_then(|m| Some((m.1?, m.2))).filter(|_| fitting.len() == 1 && alone);
                    out.members.extend(ty.map(|(ty, private)| (n, i, ty, private)));
                    fields[i].name = first.map(|m| m.0);
                }
            }
        }
        out
    }
}

/// Extracts `ns::Image` from `struct.ns::Image.3`.
fn whole_name(llvm: &str) -> &str {
    let name = llvm.split_once('.').map_or(llvm, |(_, n)| n);
    name.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('.').unwrap_or(name)
}

/// Extracts `Image` from `struct.ns::Image.3`: clang writes the qualified name without template arguments, and LLVM
/// numbers equal ones.
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
