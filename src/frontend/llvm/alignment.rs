//! Alignment that nvcc takes for granted in an access: that of the accessed type.
//!
//! In: loads, stores and copies of structures. Out: their alignments in bytes, where clang gives less than nvcc takes.
//!
//! clang (22, CGExpr.cpp, `EmitPointerWithAlignment`) keeps the alignment of what is declared (a variable, an array, a
//! member) through a cast in the access itself, as in `*(float4 *)&shared[i]`, and that of a typedef that lowers it.
//! nvcc (13) takes the type's, and makes one wide access. The bitcode does not name the type of such an access:
//!
//! - A scalar has its own alignment; the access is one if its type-based alias tag (TBAA) is of that scalar alone. A
//!   member's tag has the structure, which may be packed.
//! - A member has that of its structure at its offset.
//! - A copy of a structure (a copy with a `tbaa.struct`; `memcpy` has none) has that of either side that shows it: an
//!   address of just that type, or one that is no member of anything declared. If none does, it is presumed to be as
//!   large as the size allows.

use super::ModuleReader;
use super::bindings::{Bitcode, LlvmTypeKind, Meta, Opcode, Type, Value, ValueKind};
use super::constants::GepPart;
use super::debug::DebugTables;
use ir::{Bytes, Side};
use rustc_hash::{FxHashMap, FxHashSet};

/// Alignment in bytes of the widest access of a thread.
const WIDEST: u32 = 16;

/// Largest number of address computations that are followed.
const DEPTH: usize = 16;

/// Tag of what may alias everything, by which members of unions are accessed.
const CHAR: &str = "omnipotent char";

/// Alignments of structures, in bytes, as variables of these types have them: LLVM's types lack `__align__`.
pub(super) type StructureAlignments<'m> = FxHashMap<Type<'m>, u32>;

/// Finds the alignments of the module's structures. A variable that is declared with an alignment of its own tells
/// nothing of its type.
pub(super) fn of_structures<'m>(bitcode: &Bitcode<'m>, debug: &DebugTables<'m>) -> StructureAlignments<'m> {
    let mut found = StructureAlignments::default();
    let mut add = |mut ty: Type<'m>, align: u32| {
        while let Some((element, _)) = ty.sequence() {
            ty = element;
        }
        if ty.kind() == LlvmTypeKind::LLVMStructTypeKind {
            let known = found.entry(ty).or_insert(align);
            *known = align.min(*known);
        }
    };
    for g in bitcode.globals() {
        if !g.attached().into_iter().filter_map(Meta::global_variable).any(|v| debug.is_aligned_by_itself(v)) {
            add(g.value_type(), g.global_alignment());
        }
    }
    for f in bitcode.functions() {
        for block in f.blocks() {
            let instructions = block.instructions();
            let declared = instructions.iter().flat_map(|i| i.declares());
            let by_itself: FxHashSet<Value<'m>> =
                declared.filter(|d| debug.is_aligned_by_itself(d.variable)).map(|d| d.address).collect();
            let is_alloca = |i: &Value<'m>| i.opcode() == Some(Opcode::LLVMAlloca) && !by_itself.contains(i);
            for alloca in instructions.into_iter().filter(is_alloca) {
                add(alloca.allocated_type(), alloca.alignment());
            }
        }
    }
    found
}

/// Type at an address, as its computation shows it.
struct Shown<'m> {
    /// The type at the address, if it says one.
    ty: Option<Type<'m>>,
    /// Whether the address lies in something declared: clang gives its alignment, whatever it is cast to.
    declared: bool,
}

impl<'m> ModuleReader<'m> {
    /// Returns the alignment in bytes of a load or store of a value of type `ty`.
    pub(super) fn required_alignment(&mut self, access: Value<'m>, ty: Type<'m>, address: Value<'m>) -> u32 {
        let stated = access.alignment();
        if self.about.side != Side::Device
            || matches!(ty.kind(), LlvmTypeKind::LLVMStructTypeKind | LlvmTypeKind::LLVMArrayTypeKind)
        {
            return stated;
        }
        let natural = self.bitcode.layout(ty).1;
        let Some(tag) = access.metadata("tbaa") else { return stated };
        let [base, accessed] = [0, 1].map(|i| self.bitcode.meta_operand(tag, i));
        if base != accessed {
            return stated.max(self.of_member(address).unwrap_or(1));
        }
        let is_known = base.and_then(|b| self.bitcode.meta_string(b, 0)).is_some_and(|name| name != CHAR);
        if is_known { stated.max(natural) } else { stated }
    }

    /// Returns the alignments in bytes of both sides of a copy, destination first, and whether they are presumed.
    pub(super) fn copied_alignment(&mut self, copy: Value<'m>) -> ([u32; 2], bool) {
        let stated = [copy.argument_alignment(0), copy.argument_alignment(1)];
        let args = copy.arguments();
        let structure = self.about.side == Side::Device && copy.metadata("tbaa.struct").is_some();
        let Some(bytes) = args.get(2).and_then(|n| n.int()).and_then(|n| u64::try_from(n).ok()).filter(|_| structure)
        else {
            return (stated, false);
        };
        let sides = [self.shown(args[0]), self.shown(args[1])];
        let of_type = |(side, stated): (&Shown<'m>, u32)| match side.ty.filter(|ty| self.is_structure_of(*ty, bytes)) {
            Some(ty) if side.declared => Some(self.alignment_of(ty)),
            _ => (!side.declared).then_some(stated),
        };
        let known = sides.iter().zip(stated).filter_map(of_type).min();
        let is_cast = |side: &Shown<'m>| side.declared && !side.ty.is_some_and(|ty| self.is_structure_of(ty, bytes));
        let most = 1 << bytes.trailing_zeros().min(WIDEST.trailing_zeros());
        match known {
            Some(known) => (stated.map(|s| s.max(known)), false),
            None if sides.iter().any(is_cast) => (stated.map(|s| s.max(most)), stated.into_iter().any(|s| s < most)),
            None => (stated, false),
        }
    }

    fn is_structure_of(&self, ty: Type<'m>, bytes: u64) -> bool {
        ty.kind() == LlvmTypeKind::LLVMStructTypeKind && self.bitcode.layout(ty).0 == bytes
    }

    /// Returns the alignment of a structure: that of its variables, or else what LLVM's layout or the CUDA headers give.
    fn alignment_of(&self, ty: Type<'m>) -> u32 {
        self.aligned.get(&ty).copied().unwrap_or_else(|| {
            let of_cuda = ty.struct_name().and_then(|name| of_vector_type(name.strip_prefix("struct.")?));
            of_cuda.unwrap_or(1).max(self.bitcode.layout(ty).1)
        })
    }

    /// Returns the alignment of an address within a structure by the structure's own.
    fn of_member(&mut self, address: Value<'m>) -> Option<u32> {
        let gep = computation(address)?;
        let mut align: Option<u32> = None;
        for part in self.gep_parts(gep)? {
            match part {
                GepPart::Field { offset, of, .. } => {
                    if of.is_packed() {
                        return None;
                    }
                    align = Some(at_offset(align.unwrap_or_else(|| self.alignment_of(of)), offset));
                }
                GepPart::Index { index, stride: Bytes(stride), .. } => {
                    align = align.map(|a| match index.int() {
                        Some(i) => at_offset(a, stride.wrapping_mul(u64::try_from(i).unwrap_or(1))),
                        None => at_offset(a, stride),
                    });
                }
            }
        }
        // What contains it may be packed.
        let mut outer = gep;
        for _ in 0..DEPTH {
            let base = outer.operand(0);
            let Some(next) = computation(base) else { break };
            let within = self.shown(base).ty.is_some_and(|ty| element(ty) == element(outer.gep_source_type()));
            let is_packed = |part: &GepPart<'m>| matches!(part, GepPart::Field { of, .. } if of.is_packed());
            if !within {
                break;
            }
            if self.gep_parts(next)?.iter().any(is_packed) {
                return None;
            }
            outer = next;
        }
        align
    }

    /// Returns what is known of the type at an address.
    fn shown(&mut self, address: Value<'m>) -> Shown<'m> {
        let mut at = uncast(address);
        let mut ty = None;
        let mut declared = false;
        for step in 0..DEPTH {
            let Some(gep) = computation(at) else { break };
            let parts = self.gep_parts(gep);
            declared |= parts.iter().flatten().any(|p| matches!(p, GepPart::Field { .. }));
            if step == 0 {
                ty = self.type_at(gep);
            }
            at = uncast(gep.operand(0));
        }
        let own = match at.kind() {
            ValueKind::LLVMGlobalVariableValueKind => Some(at.value_type()),
            ValueKind::LLVMInstructionValueKind if at.opcode() == Some(Opcode::LLVMAlloca) => Some(at.allocated_type()),
            ValueKind::LLVMArgumentValueKind => at.by_value(),
            _ => None,
        };
        // A choice between addresses has the least alignment of these.
        declared |= own.is_some() || !is_pointer_of_type(at);
        if computation(uncast(address)).is_none() {
            ty = own;
        }
        Shown { ty, declared }
    }

    /// Returns the type at the end of an address computation.
    fn type_at(&mut self, gep: Value<'m>) -> Option<Type<'m>> {
        let mut ty = gep.gep_source_type();
        for index in gep.operands().into_iter().skip(2) {
            ty = match ty.sequence() {
                Some((element, _)) => element,
                None if ty.kind() == LlvmTypeKind::LLVMStructTypeKind => {
                    *ty.fields().get(usize::try_from(index.int()?).ok()?)?
                }
                None => return None,
            };
        }
        Some(ty)
    }
}

/// Returns the type of the elements of an array, of any dimensions.
fn element(ty: Type<'_>) -> Type<'_> {
    let mut ty = ty;
    while let Some((of, _)) = ty.sequence() {
        ty = of;
    }
    ty
}

/// Whether clang gives what a pointer points to the alignment of its type: it comes from memory, a caller or a callee.
fn is_pointer_of_type(pointer: Value<'_>) -> bool {
    let comes = [Opcode::LLVMLoad, Opcode::LLVMCall, Opcode::LLVMInvoke, Opcode::LLVMIntToPtr];
    pointer.kind() == ValueKind::LLVMArgumentValueKind || pointer.opcode().is_some_and(|o| comes.contains(&o))
}

/// Returns the address computation that gives this address.
fn computation(address: Value<'_>) -> Option<Value<'_>> {
    let at = uncast(address);
    let is_gep = [at.opcode(), at.const_opcode()].contains(&Some(Opcode::LLVMGetElementPtr));
    is_gep.then_some(at).filter(|gep| gep.ty().sequence().is_none())
}

/// Strips conversions of address spaces.
fn uncast(address: Value<'_>) -> Value<'_> {
    let mut at = address;
    while [at.opcode(), at.const_opcode()].contains(&Some(Opcode::LLVMAddrSpaceCast)) {
        at = at.operand(0);
    }
    at
}

/// Returns what `align` leaves at an offset in bytes.
fn at_offset(align: u32, offset: u64) -> u32 {
    1 << align.trailing_zeros().min(offset.trailing_zeros())
}

/// Returns the alignment in bytes of a vector type of CUDA (CUDA Programming Guide 13, table of built-in vector types).
fn of_vector_type(name: &str) -> Option<u32> {
    let (name, stated) = match name.rsplit_once('_') {
        Some((name, "16a")) => (name, Some(16)),
        Some((name, "32a")) => (name, Some(32)),
        _ => (name, None),
    };
    let (element, lanes) = name.split_at(name.len().checked_sub(1)?);
    let bytes = match element {
        "char" | "uchar" => 1,
        "short" | "ushort" => 2,
        "int" | "uint" | "float" => 4,
        "long" | "ulong" | "longlong" | "ulonglong" | "double" => 8,
        _ => return None,
    };
    match lanes {
        "1" | "3" => Some(bytes),
        "2" => Some(2 * bytes),
        "4" => stated.or(Some((4 * bytes).min(WIDEST))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{at_offset, of_vector_type};

    #[test]
    fn vector_types_are_aligned_as_the_guide_says() {
        for (name, align) in [
            ("char1", 1),
            ("uchar4", 4),
            ("short3", 2),
            ("float2", 8),
            ("float3", 4),
            ("float4", 16),
            ("double2", 16),
            ("double4", 16),
            ("longlong4_16a", 16),
            ("double4_32a", 32),
        ] {
            assert_eq!(of_vector_type(name), Some(align), "{name}");
        }
        for name in ["", "float", "float5", "Float4", "myfloat4"] {
            assert_eq!(of_vector_type(name), None, "{name}");
        }
    }

    #[test]
    fn offsets_leave_what_divides_them() {
        assert_eq!([0, 4, 8, 12, 32].map(|o| at_offset(16, o)), [16, 4, 8, 4, 16]);
    }
}
