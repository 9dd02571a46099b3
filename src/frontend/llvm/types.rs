//! Converts LLVM types to [`TypeDef`]s with the sizes and offsets of the module's data layout.

use super::bindings::{Bitcode, LlvmTypeKind as K, Type};
use super::order::NameNumbers;
use ir::{Bytes, Elements, Field, TypeDef, TypeId, TypeKind};
use rustc_hash::FxHashMap;

/// The module's type table; equal LLVM types share one entry.
pub(super) struct LlvmTypeTable<'m> {
    bitcode: Bitcode<'m>,
    ids: FxHashMap<Type<'m>, TypeId>,
    numbers: NameNumbers,
    pub(super) defs: Vec<TypeDef>,
}

impl<'m> LlvmTypeTable<'m> {
    pub(super) fn new(bitcode: Bitcode<'m>) -> Self {
        Self { bitcode, ids: FxHashMap::default(), numbers: NameNumbers::default(), defs: vec![] }
    }

    /// Returns the table entry of a type. Pointers are opaque, so the recursion ends.
    pub(super) fn id(&mut self, ty: Type<'m>) -> TypeId {
        if let Some(id) = self.ids.get(&ty) {
            return *id;
        }
        let kind = match ty.kind() {
            K::LLVMVoidTypeKind => TypeKind::Void,
            K::LLVMIntegerTypeKind => TypeKind::Int(ty.int_width()),
            K::LLVMHalfTypeKind | K::LLVMBFloatTypeKind => TypeKind::Float(16),
            K::LLVMFloatTypeKind => TypeKind::Float(32),
            K::LLVMDoubleTypeKind => TypeKind::Float(64),
            K::LLVMPointerTypeKind => TypeKind::Ptr(ty.address_space()),
            K::LLVMArrayTypeKind | K::LLVMVectorTypeKind => match ty.sequence() {
                Some((elem, count)) => {
                    let elem = self.id(elem);
                    if ty.kind() == K::LLVMArrayTypeKind {
                        TypeKind::Array { elem, count: Elements(count) }
                    } else {
                        TypeKind::Vector { elem, count: Elements(count) }
                    }
                }
                None => TypeKind::Other(ty.print()),
            },
            K::LLVMStructTypeKind => {
                let fields = ty
                    .fields()
                    .into_iter()
                    .zip(0..)
                    .map(|(f, i)| Field {
                        offset: self.bitcode.field_offset(ty, i),
                        ty: self.id(f),
                        name: None,
                        declared: None,
                    })
                    .collect();
                TypeKind::Struct { name: ty.struct_name().map(|n| self.numbers.name(&n)), fields }
            }
            K::LLVMFunctionTypeKind => TypeKind::Other("function".into()),
            _ => TypeKind::Other(ty.print()),
        };
        let (size, align) = self.bitcode.layout(ty);
        self.add(ty, TypeDef { kind, size: Bytes(size), align, source: None })
    }

    /// Returns the entry of a scalar, or of a vector of scalars, which the module itself need not mention.
    pub(super) fn synthetic(&mut self, element: &TypeKind, lanes: u32) -> TypeId {
        let bytes = match element {
            TypeKind::Int(b) | TypeKind::Float(b) => b.div_ceil(8),
            _ => 0,
        };
        let mut entry = |kind: TypeKind, size: u32| {
            if let Some(i) = self.defs.iter().position(|d| d.kind == kind) {
                return TypeId(u32::try_from(i).unwrap_or(u32::MAX));
            }
            let id = TypeId(u32::try_from(self.defs.len()).unwrap_or(u32::MAX));
            self.defs.push(TypeDef { kind, size: Bytes(u64::from(size)), align: size, source: None });
            id
        };
        let elem = entry(element.clone(), bytes);
        if lanes == 1 {
            return elem;
        }
        entry(TypeKind::Vector { elem, count: Elements(u64::from(lanes)) }, bytes * lanes)
    }

    /// Returns the entry of a type that the module does not mention, of so many bytes.
    pub(super) fn described(&mut self, kind: TypeKind, bytes: u64) -> TypeId {
        let same = |d: &TypeDef| d.kind == kind && d.size.get() == bytes && d.source.is_none();
        if let Some(i) = self.defs.iter().position(same) {
            return TypeId(u32::try_from(i).unwrap_or(u32::MAX));
        }
        let id = TypeId(u32::try_from(self.defs.len()).unwrap_or(u32::MAX));
        self.defs.push(TypeDef { kind, size: Bytes(bytes), align: 1, source: None });
        id
    }

    fn add(&mut self, ty: Type<'m>, def: TypeDef) -> TypeId {
        let id = TypeId(u32::try_from(self.defs.len()).unwrap_or(u32::MAX));
        self.defs.push(def);
        self.ids.insert(ty, id);
        id
    }

    /// Returns the allocation size in bytes.
    pub(super) fn size(&self, ty: Type<'m>) -> u64 {
        self.bitcode.layout(ty).0
    }
    /// Returns the offset of a structure member in bytes.
    pub(super) fn field_offset(&self, ty: Type<'m>, field: u32) -> u64 {
        self.bitcode.field_offset(ty, field)
    }
}
