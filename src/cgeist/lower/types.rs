//! Converts MLIR types to the analysis form's, with the sizes and offsets that x86-64 and NVPTX share.

use super::super::mlir::{MemRef, Type};
use ir::{Bytes, Elements, Field, TypeDef, TypeId, TypeKind};

/// A module's type table; equal types share one entry.
#[derive(Default)]
pub struct MlirTypeTable {
    pub defs: Vec<TypeDef>,
}

impl MlirTypeTable {
    fn intern(&mut self, kind: TypeKind, size: Bytes, align: u32) -> TypeId {
        let at = self.defs.iter().position(|d| d.kind == kind).unwrap_or_else(|| {
            self.defs.push(TypeDef { kind, size, align, source: None });
            self.defs.len() - 1
        });
        TypeId(u32::try_from(at).unwrap_or(u32::MAX))
    }

    pub fn void(&mut self) -> TypeId {
        self.intern(TypeKind::Void, Bytes(0), 1)
    }
    pub fn ptr(&mut self) -> TypeId {
        self.intern(TypeKind::Ptr(0), Bytes(8), 8)
    }

    pub fn int(&mut self, bits: u32) -> TypeId {
        let bytes = bits.min(1 << 24).div_ceil(8).max(1).next_power_of_two();
        self.intern(TypeKind::Int(bits), Bytes(u64::from(bytes)), bytes.min(16))
    }

    pub fn float(&mut self, bits: u32) -> TypeId {
        let bytes = bits.min(1 << 24).div_ceil(8).max(1).next_power_of_two();
        self.intern(TypeKind::Float(bits), Bytes(u64::from(bytes)), bytes)
    }

    pub fn other(&mut self, what: &str) -> TypeId {
        self.intern(TypeKind::Other(what.to_owned()), Bytes(0), 1)
    }

    pub fn array(&mut self, elem: TypeId, count: Elements) -> TypeId {
        let d = &self.defs[elem.index()];
        let (size, align) = (count * d.size, d.align);
        self.intern(TypeKind::Array { elem, count }, size, align)
    }

    pub fn structure(&mut self, name: Option<String>, members: &[TypeId], packed: bool) -> TypeId {
        let (mut at, mut most) = (0u64, 1u32);
        let mut fields = vec![];
        for m in members {
            let d = &self.defs[m.index()];
            let align = if packed { 1 } else { d.align.max(1) };
            at = at.checked_next_multiple_of(u64::from(align)).unwrap_or(at);
            fields.push(Field { offset: at, ty: *m, name: None, declared: None });
            at = at.saturating_add(d.size.get());
            most = most.max(align);
        }
        let size = at.checked_next_multiple_of(u64::from(most)).unwrap_or(at);
        self.intern(TypeKind::Struct { name, fields }, Bytes(size), most)
    }

    /// Returns the table entry of a type; memory references become pointers, whose pointees are known at their uses.
    pub fn of(&mut self, t: &Type) -> TypeId {
        match t {
            Type::Int(b) => self.int(*b),
            Type::Index => self.int(64),
            Type::Float(b) => self.float(*b),
            Type::MemRef(_) | Type::Ptr { .. } | Type::Func(_) => self.ptr(),
            Type::Void => self.void(),
            Type::Vector { shape, elem } => {
                let elem = self.of(elem);
                let count = shape
                    .iter()
                    .try_fold(1u64, |a, n| a.checked_mul(*n))
                    .filter(|n| u32::try_from(*n).is_ok())
                    .map(Elements);
                let Some(count) = count else { return self.other("a huge vector") };
                let size = (count * self.size(elem)).get().checked_next_power_of_two().unwrap_or(u64::MAX);
                self.intern(TypeKind::Vector { elem, count }, Bytes(size), u32::try_from(size).unwrap_or(16).min(16))
            }
            Type::Array { count, elem } => {
                let e = self.of(elem);
                self.array(e, Elements(*count))
            }
            Type::Struct { name, fields: Some(fields), packed } => {
                let members: Vec<TypeId> = fields.iter().map(|f| self.of(f)).collect();
                self.structure(name.clone(), &members, *packed)
            }
            Type::Struct { name, fields: None, .. } => self.other(name.as_deref().unwrap_or("an opaque structure")),
            Type::Other(what) => self.other(what),
        }
    }

    /// Returns the type of a variable of this shape. A leading dimension of one is the variable itself; a single
    /// further dimension then counts the members of a structure of equal ones (`dim3`, `float4`).
    pub fn variable(&mut self, m: &MemRef) -> TypeId {
        let elem = self.of(&m.elem);
        let mut shape: Vec<u64> = m.shape.iter().map(|d| d.unwrap_or(1)).collect();
        if shape.first() == Some(&1) {
            shape.remove(0);
            if let [n] = shape.as_slice()
                && *n <= 16
            {
                let members = vec![elem; usize::try_from(*n).unwrap_or(0)];
                return self.structure(None, &members, false);
            }
        }
        shape.into_iter().rev().fold(elem, |t, n| self.array(t, Elements(n)))
    }

    pub fn size(&self, t: TypeId) -> Bytes {
        self.defs[t.index()].size
    }
    pub fn kind(&self, t: TypeId) -> &TypeKind {
        &self.defs[t.index()].kind
    }
}
