//! Typed, lifetime-bound access to a parsed LLVM module, over llvm-sys.
//!
//! In: an [`inkwell`] module. Out: [`Value`], [`Type`] and [`Meta`] handles that cannot outlive it. It does not know
//! `ir/`. inkwell itself offers no debug records, no metadata operands and no constant expressions, so these few calls
//! go to the C API directly.
//!
//! Each accessor for a single kind of value first asserts that kind, so that a mistake in the reader panics the worker
//! process and is never undefined behaviour.

#![allow(unsafe_code, reason = "the LLVM C API is foreign; every handle is tied to the module's lifetime below")]
#![allow(clippy::wildcard_imports, reason = "a hundred functions, told apart by their prefix")]

mod edit;
mod globals;
mod instructions;
mod names;

use inkwell::module::Module;
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVMABIAlignmentOfType, LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMTargetDataRef,
};
use rustc_hash::FxHashMap;
use std::ffi::CStr;
use std::marker::PhantomData;

pub(super) use edit::Editor;
pub(super) use llvm_sys::debuginfo::LLVMMetadataKind as MetaKind;
pub(super) use llvm_sys::{
    LLVMAtomicRMWBinOp as RmwOp, LLVMIntPredicate as IntPredicate, LLVMLinkage as LlvmLinkage, LLVMOpcode as Opcode,
    LLVMRealPredicate as RealPredicate, LLVMTypeKind as LlvmTypeKind, LLVMValueKind as ValueKind,
};
pub(super) use names::demangle;

macro_rules! handle {
    ($(#[$m:meta])* $name:ident, $raw:ty) => {
        $(#[$m])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) struct $name<'m>($raw, PhantomData<&'m ()>);
        impl<'m> $name<'m> {
            fn wrap(raw: $raw) -> Self { debug_assert!(!raw.is_null()); Self(raw, PhantomData) }
            fn option(raw: $raw) -> Option<Self> { (!raw.is_null()).then(|| Self::wrap(raw)) }
        }
    };
}
handle!(/// Any value: constant, global, argument, instruction.
    Value, LLVMValueRef);
handle!(/// A type.
    Type, LLVMTypeRef);
handle!(/// A basic block.
    BasicBlock, LLVMBasicBlockRef);
handle!(/// A metadata node, mostly debug information.
    Meta, LLVMMetadataRef);

/// The module as a whole: its lists and its data layout.
#[derive(Clone, Copy)]
pub(super) struct Bitcode<'m> {
    module: LLVMModuleRef,
    context: LLVMContextRef,
    layout: LLVMTargetDataRef,
    _module: PhantomData<&'m ()>,
}

/// Copies LLVM's (pointer, length) strings.
fn text(ptr: *const libc::c_char, len: usize) -> String {
    if ptr.is_null() {
        return String::new();
    }
    // SAFETY: LLVM hands out `len` readable bytes that live as long as the module.
    let bytes = unsafe { std::slice::from_raw_parts(ptr.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

fn rename(value: Value<'_>, name: &str) {
    // SAFETY: the value is alive, and LLVM copies the name.
    unsafe { LLVMSetValueName2(value.0, name.as_ptr().cast(), name.len()) };
}

/// Strips the suffix that clang adds to a name (clang/lib/CodeGen/CodeGenModule.cpp,
/// `printPostfixForExternalizedDecl`).
fn own_name(name: &str) -> Option<&str> {
    let (own, number) = name.rsplit_once("__static__").or_else(|| name.rsplit_once("__intern__"))?;
    (number.len() == 16 && number.bytes().all(|b| b.is_ascii_hexdigit())).then_some(own)
}

/// Copies a message that LLVM allocated, and frees it.
fn message(ptr: *mut libc::c_char) -> String {
    if ptr.is_null() {
        return String::new();
    }
    // SAFETY: a NUL-terminated string that the caller owns and that LLVMDisposeMessage frees.
    unsafe {
        let out = CStr::from_ptr(ptr).to_string_lossy().into_owned();
        LLVMDisposeMessage(ptr);
        out
    }
}

fn list<'m>(first: LLVMValueRef, next: unsafe extern "C" fn(LLVMValueRef) -> LLVMValueRef) -> Vec<Value<'m>> {
    let mut out = vec![];
    let mut v = first;
    while !v.is_null() {
        out.push(Value::wrap(v));
        // SAFETY: `v` is a member of the list that `next` walks.
        v = unsafe { next(v) };
    }
    out
}

impl<'m> Bitcode<'m> {
    pub(super) fn new<'c>(module: &'m Module<'c>) -> Self
    where
        'c: 'm,
    {
        let raw = module.as_mut_ptr();
        // SAFETY: the module is alive for 'm; layout and context belong to it.
        let (context, layout) = unsafe { (LLVMGetModuleContext(raw), LLVMGetModuleDataLayout(raw)) };
        Self { module: raw, context, layout, _module: PhantomData }
    }
    pub(super) fn functions(&self) -> Vec<Value<'m>> {
        // SAFETY: the module is alive.
        list(unsafe { LLVMGetFirstFunction(self.module) }, LLVMGetNextFunction)
    }
    pub(super) fn globals(&self) -> Vec<Value<'m>> {
        // SAFETY: the module is alive.
        list(unsafe { LLVMGetFirstGlobal(self.module) }, LLVMGetNextGlobal)
    }
    /// Returns the function or variable of this symbol.
    pub(super) fn named(&self, symbol: &str) -> Option<Value<'m>> {
        self.functions().into_iter().chain(self.globals()).find(|v| v.name() == symbol)
    }
    /// Returns the text of `asm("…")` outside functions.
    pub(super) fn file_level_assembly(&self) -> String {
        let mut length = 0;
        // SAFETY: the module is live, and the text belongs to it.
        unsafe {
            let asm = LLVMGetModuleInlineAsm(self.module, &raw mut length);
            text(asm, length)
        }
    }

    /// Restores the names of symbols that clang externalised for `-fgpu-rdc`: `_ZL1a` instead of `_ZL1a__static__` and
    /// a number. Uses from before the renaming refer to a declaration with the original name (LLVM 22), which denotes
    /// the same symbol.
    pub(super) fn restore_names(&self) {
        let mut all: Vec<Value<'m>> = self.functions();
        all.extend(self.globals());
        let named: FxHashMap<String, Value<'m>> = all.iter().map(|v| (v.name(), *v)).collect();
        for value in &all {
            let name = value.name();
            let Some(own) = own_name(&name) else { continue };
            if let Some(declared) = named.get(own) {
                // SAFETY: both are globals of the live module, in one address space: pointers of one type.
                unsafe { LLVMReplaceAllUsesWith(declared.0, value.0) };
                rename(*declared, &format!("{own}.declared"));
            }
            rename(*value, own);
        }
    }

    /// Names a function or variable.
    pub(super) fn rename(&self, value: Value<'m>, name: &str) {
        rename(value, name);
    }

    pub(super) fn aliases(&self) -> Vec<Value<'m>> {
        // SAFETY: the module is alive.
        list(unsafe { LLVMGetFirstGlobalAlias(self.module) }, LLVMGetNextGlobalAlias)
    }
    /// Returns allocation size (array stride) and ABI alignment in bytes; size 0 for unsized types.
    pub(super) fn layout(&self, ty: Type<'m>) -> (u64, u32) {
        // SAFETY: type and layout belong to the live module; unsized types are never passed on.
        unsafe {
            if LLVMTypeIsSized(ty.0) == 0 {
                return (0, 1);
            }
            (LLVMABISizeOfType(self.layout, ty.0), LLVMABIAlignmentOfType(self.layout, ty.0))
        }
    }
    /// Returns the offset of a structure member in bytes.
    pub(super) fn field_offset(&self, ty: Type<'m>, field: u32) -> u64 {
        assert!(ty.kind() == LlvmTypeKind::LLVMStructTypeKind && (field as usize) < ty.fields().len());
        // SAFETY: a structure type and one of its members, as just asserted.
        unsafe { LLVMOffsetOfElement(self.layout, ty.0, field) }
    }
    /// Prints a metadata node as assembly text, with its operands as raw addresses: the C API's only access to a node's
    /// plain fields (`arg:`, `encoding:`, `count:`). Cheap, because nothing is numbered.
    pub(super) fn print_meta(&self, meta: Meta<'m>) -> String {
        // SAFETY: context and node are alive.
        message(unsafe { LLVMPrintValueToString(LLVMMetadataAsValue(self.context, meta.0)) })
    }
    /// Returns the operands of a metadata node; `None` for one that is null or not metadata.
    pub(super) fn meta_operands(&self, meta: Meta<'m>) -> Vec<Option<Value<'m>>> {
        if meta.is(MetaKind::LLVMMDStringMetadataKind) {
            return vec![];
        }
        // SAFETY: every kind but strings and value wrappers is an MDNode; wrappers are checked by LLVMIsAMDNode.
        unsafe {
            let v = LLVMMetadataAsValue(self.context, meta.0);
            if LLVMIsAMDNode(v).is_null() {
                return vec![];
            }
            let mut out: Vec<LLVMValueRef> = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(v) as usize];
            LLVMGetMDNodeOperands(v, out.as_mut_ptr());
            out.into_iter().map(Value::option).collect()
        }
    }
    /// Returns an operand that is itself metadata.
    pub(super) fn meta_operand(&self, meta: Meta<'m>, index: usize) -> Option<Meta<'m>> {
        let v = self.meta_operands(meta).get(index).copied().flatten()?;
        if v.kind() != ValueKind::LLVMMetadataAsValueValueKind {
            return None;
        }
        // SAFETY: a MetadataAsValue, as just checked.
        Meta::option(unsafe { LLVMValueAsMetadata(v.0) })
    }
    /// Returns an operand that is a string.
    pub(super) fn meta_string(&self, meta: Meta<'m>, index: usize) -> Option<String> {
        let v = self.meta_operands(meta).get(index).copied().flatten()?;
        let mut len = 0;
        // SAFETY: LLVMGetMDString returns null for anything that is no metadata string.
        let p = unsafe { LLVMGetMDString(v.0, &raw mut len) };
        (!p.is_null()).then(|| text(p, len as usize))
    }
}

impl<'m> Type<'m> {
    pub(super) fn kind(self) -> LlvmTypeKind {
        // SAFETY: the type is alive (as in all methods below).
        unsafe { LLVMGetTypeKind(self.0) }
    }
    pub(super) fn int_width(self) -> u32 {
        assert_eq!(self.kind(), LlvmTypeKind::LLVMIntegerTypeKind);
        // SAFETY: an integer type, as just asserted.
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }
    pub(super) fn address_space(self) -> u32 {
        assert_eq!(self.kind(), LlvmTypeKind::LLVMPointerTypeKind);
        // SAFETY: a pointer type, as just asserted.
        unsafe { LLVMGetPointerAddressSpace(self.0) }
    }
    /// Returns element type and length of an array or vector.
    pub(super) fn sequence(self) -> Option<(Type<'m>, u64)> {
        // SAFETY: element and length are asked of arrays and vectors only.
        unsafe {
            match self.kind() {
                LlvmTypeKind::LLVMArrayTypeKind => {
                    Some((Type::wrap(LLVMGetElementType(self.0)), LLVMGetArrayLength2(self.0)))
                }
                LlvmTypeKind::LLVMVectorTypeKind => {
                    Some((Type::wrap(LLVMGetElementType(self.0)), u64::from(LLVMGetVectorSize(self.0))))
                }
                _ => None,
            }
        }
    }
    pub(super) fn fields(self) -> Vec<Type<'m>> {
        assert_eq!(self.kind(), LlvmTypeKind::LLVMStructTypeKind);
        // SAFETY: a structure type, as just asserted.
        unsafe {
            if LLVMIsOpaqueStruct(self.0) != 0 {
                return vec![];
            }
            (0..LLVMCountStructElementTypes(self.0)).map(|i| Type::wrap(LLVMStructGetTypeAtIndex(self.0, i))).collect()
        }
    }
    /// Whether the members of a structure follow each other without padding.
    pub(super) fn is_packed(self) -> bool {
        assert_eq!(self.kind(), LlvmTypeKind::LLVMStructTypeKind);
        // SAFETY: a structure type, as just asserted.
        unsafe { LLVMIsPackedStruct(self.0) != 0 }
    }
    pub(super) fn struct_name(self) -> Option<String> {
        assert_eq!(self.kind(), LlvmTypeKind::LLVMStructTypeKind);
        // SAFETY: a structure type; the name is null for literal structures.
        unsafe {
            let p = LLVMGetStructName(self.0);
            (!p.is_null()).then(|| CStr::from_ptr(p).to_string_lossy().into_owned())
        }
    }
    /// Returns the return type of a function type, and whether it is variadic.
    pub(super) fn signature(self) -> (Type<'m>, bool) {
        assert_eq!(self.kind(), LlvmTypeKind::LLVMFunctionTypeKind);
        // SAFETY: a function type, as just asserted.
        unsafe { (Type::wrap(LLVMGetReturnType(self.0)), LLVMIsFunctionVarArg(self.0) != 0) }
    }
    pub(super) fn print(self) -> String {
        // SAFETY: the type is alive.
        message(unsafe { LLVMPrintTypeToString(self.0) })
    }
}

impl<'m> BasicBlock<'m> {
    pub(super) fn name(self) -> String {
        // SAFETY: the block is alive; LLVM returns a NUL-terminated name, empty for unnamed blocks.
        unsafe { CStr::from_ptr(LLVMGetBasicBlockName(self.0)).to_string_lossy().into_owned() }
    }
    /// Returns the instructions in order, the terminator last.
    pub(super) fn instructions(self) -> Vec<Value<'m>> {
        // SAFETY: the block is alive.
        list(unsafe { LLVMGetFirstInstruction(self.0) }, LLVMGetNextInstruction)
    }
}

impl<'m> Meta<'m> {
    pub(super) fn kind(self) -> MetaKind {
        // SAFETY: the node is alive.
        unsafe { LLVMGetMetadataKind(self.0) }
    }
    /// Whether the node is of this kind. (llvm-sys derives no comparison for kinds.)
    pub(super) fn is(self, kind: MetaKind) -> bool {
        self.kind() as u32 == kind as u32
    }
    /// Returns the DWARF tag of a debug information node; 0 for other nodes.
    pub(super) fn tag(self) -> u16 {
        // SAFETY: LLVM casts dynamically here.
        unsafe { LLVMGetDINodeTag(self.0) }
    }
    /// Returns line, column, scope and inlining call site.
    pub(super) fn location(self) -> (u32, u32, Meta<'m>, Option<Meta<'m>>) {
        assert!(self.is(MetaKind::LLVMDILocationMetadataKind));
        // SAFETY: a DILocation, as just asserted.
        unsafe {
            (
                LLVMDILocationGetLine(self.0),
                LLVMDILocationGetColumn(self.0),
                Meta::wrap(LLVMDILocationGetScope(self.0)),
                Meta::option(LLVMDILocationGetInlinedAt(self.0)),
            )
        }
    }
    /// Returns the file of a scope or variable.
    pub(super) fn file(self) -> Option<Meta<'m>> {
        use MetaKind::*;
        // SAFETY: each accessor is called on the kind it wants.
        Meta::option(unsafe {
            match self.kind() {
                LLVMDIGlobalVariableMetadataKind | LLVMDILocalVariableMetadataKind => LLVMDIVariableGetFile(self.0),
                LLVMDIFileMetadataKind => return Some(self),
                LLVMDISubprogramMetadataKind
                | LLVMDILexicalBlockMetadataKind
                | LLVMDILexicalBlockFileMetadataKind
                | LLVMDICompileUnitMetadataKind
                | LLVMDINamespaceMetadataKind
                | LLVMDICompositeTypeMetadataKind
                | LLVMDIDerivedTypeMetadataKind
                | LLVMDIBasicTypeMetadataKind => LLVMDIScopeGetFile(self.0),
                _ => return None,
            }
        })
    }
    /// Returns the line of a variable or subprogram; 0 for other nodes.
    pub(super) fn line(self) -> u32 {
        use MetaKind::*;
        // SAFETY: each accessor is called on the kind it wants.
        unsafe {
            match self.kind() {
                LLVMDIGlobalVariableMetadataKind | LLVMDILocalVariableMetadataKind => LLVMDIVariableGetLine(self.0),
                LLVMDISubprogramMetadataKind => LLVMDISubprogramGetLine(self.0),
                _ => 0,
            }
        }
    }
    fn expect_type(self) {
        use MetaKind::*;
        assert!(matches!(
            self.kind(),
            LLVMDICompositeTypeMetadataKind
                | LLVMDIDerivedTypeMetadataKind
                | LLVMDIBasicTypeMetadataKind
                | LLVMDISubroutineTypeMetadataKind
        ));
    }
    /// Returns the size of a DIType.
    pub(super) fn size_in_bits(self) -> u64 {
        self.expect_type();
        // SAFETY: a DIType, as just asserted.
        unsafe { LLVMDITypeGetSizeInBits(self.0) }
    }
    /// Returns the alignment that a type is declared with; 0 without one.
    pub(super) fn align_in_bits(self) -> u64 {
        self.expect_type();
        // SAFETY: a DIType, as just asserted.
        unsafe { LLVMDITypeGetAlignInBits(self.0) }.into()
    }
    /// Returns the offset of a member or base class in its structure.
    pub(super) fn offset_in_bits(self) -> u64 {
        self.expect_type();
        // SAFETY: a DIType, as just asserted.
        unsafe { LLVMDITypeGetOffsetInBits(self.0) }
    }
    /// Whether the member is static.
    pub(super) fn is_static_member(self) -> bool {
        self.expect_type();
        // SAFETY: a DIType, as just asserted.
        unsafe { LLVMDITypeGetFlags(self.0) & LLVMDIFlagStaticMember != 0 }
    }
    /// Whether the member is a bit-field, or the base is a virtual one.
    pub(super) fn is_bit_field_or_virtual(self) -> bool {
        self.expect_type();
        // SAFETY: a DIType, as just asserted.
        unsafe { LLVMDITypeGetFlags(self.0) & (LLVMDIFlagBitField | LLVMDIFlagVirtual) != 0 }
    }
    /// Returns whether the member or base is private; `None` without an access specifier.
    pub(super) fn is_private(self) -> Option<bool> {
        self.expect_type();
        // SAFETY: a DIType, as just asserted.
        match unsafe { LLVMDITypeGetFlags(self.0) } & LLVMDIFlagPublic {
            0 => None,
            access => Some(access == LLVMDIFlagPrivate),
        }
    }
    /// Returns directory and file name of a DIFile.
    pub(super) fn path(self) -> (String, String) {
        assert!(self.is(MetaKind::LLVMDIFileMetadataKind));
        let (mut d, mut f) = (0, 0);
        // SAFETY: a DIFile, as just asserted.
        unsafe {
            let dir = LLVMDIFileGetDirectory(self.0, &raw mut d);
            let name = LLVMDIFileGetFilename(self.0, &raw mut f);
            (text(dir, d as usize), text(name, f as usize))
        }
    }
    /// Returns the variable of a DIGlobalVariableExpression.
    pub(super) fn global_variable(self) -> Option<Meta<'m>> {
        if !self.is(MetaKind::LLVMDIGlobalVariableExpressionMetadataKind) {
            return None;
        }
        // SAFETY: of the right kind, as just checked.
        Meta::option(unsafe { LLVMDIGlobalVariableExpressionGetVariable(self.0) })
    }
}

/// A `#dbg_declare` record: the address of a source variable.
pub(super) struct Declare<'m> {
    pub(super) address: Value<'m>,
    pub(super) variable: Meta<'m>,
    pub(super) expression: Meta<'m>,
}

impl<'m> Value<'m> {
    pub(super) fn kind(self) -> ValueKind {
        // SAFETY: the value is alive (as in all methods below).
        unsafe { LLVMGetValueKind(self.0) }
    }
    pub(super) fn ty(self) -> Type<'m> {
        // SAFETY: the value is alive.
        Type::wrap(unsafe { LLVMTypeOf(self.0) })
    }
    pub(super) fn name(self) -> String {
        let mut len = 0;
        // SAFETY: the value is alive.
        text(unsafe { LLVMGetValueName2(self.0, &raw mut len) }, len)
    }
    pub(super) fn print(self) -> String {
        // SAFETY: the value is alive.
        message(unsafe { LLVMPrintValueToString(self.0) })
    }
    /// Returns the operands of an instruction or constant; none for other values.
    pub(super) fn operands(self) -> Vec<Value<'m>> {
        // SAFETY: LLVMIsAUser is a dynamic cast; operands of a User are values.
        unsafe {
            if LLVMIsAUser(self.0).is_null() {
                return vec![];
            }
            let n = u32::try_from(LLVMGetNumOperands(self.0)).unwrap_or(0);
            (0..n).filter_map(|i| Value::option(LLVMGetOperand(self.0, i))).collect()
        }
    }
    /// Returns operand `i`; panics without one.
    pub(super) fn operand(self, i: u32) -> Value<'m> {
        // SAFETY: the index is within the operand list, as asserted.
        unsafe {
            assert!(!LLVMIsAUser(self.0).is_null() && i64::from(i) < i64::from(LLVMGetNumOperands(self.0)));
            Value::wrap(LLVMGetOperand(self.0, i))
        }
    }
    /// Returns the opcode of an instruction.
    pub(super) fn opcode(self) -> Option<Opcode> {
        // SAFETY: asked of instructions only.
        (self.kind() == ValueKind::LLVMInstructionValueKind).then(|| unsafe { LLVMGetInstructionOpcode(self.0) })
    }
    /// Returns the opcode of a constant expression.
    pub(super) fn const_opcode(self) -> Option<Opcode> {
        // SAFETY: asked of constant expressions only.
        (self.kind() == ValueKind::LLVMConstantExprValueKind).then(|| unsafe { LLVMGetConstOpcode(self.0) })
    }
    fn expect(self, opcodes: &[Opcode]) {
        assert!(self.opcode().is_some_and(|o| opcodes.contains(&o)), "{} is not {opcodes:?}", self.print());
    }
    fn expect_kind(self, kinds: &[ValueKind]) {
        assert!(kinds.contains(&self.kind()), "{} is not {kinds:?}", self.print());
    }

    /// Returns the address space of a pointer.
    pub(super) fn pointer_space(self) -> Option<u32> {
        (self.ty().kind() == LlvmTypeKind::LLVMPointerTypeKind).then(|| self.ty().address_space())
    }
    pub(super) fn is_constant(self) -> bool {
        // SAFETY: the value is alive.
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    // --- constants ---

    /// Returns a constant integer of up to 128 bits, sign-extended.
    pub(super) fn int(self) -> Option<i128> {
        if self.kind() != ValueKind::LLVMConstantIntValueKind {
            return None;
        }
        let width = self.ty().int_width();
        if width <= 64 {
            // SAFETY: a ConstantInt of at most 64 bits.
            return Some(i128::from(unsafe { LLVMConstIntGetSExtValue(self.0) }));
        }
        // The C API returns 64 bits only; the text is `i128 -5`.
        self.print().split(' ').nth(1)?.parse().ok()
    }
    /// Returns width and bit pattern of a floating-point constant of up to 64 bits.
    pub(super) fn float_bits(self) -> Option<(u32, u64)> {
        if self.kind() != ValueKind::LLVMConstantFPValueKind {
            return None;
        }
        let bits = match self.ty().kind() {
            LlvmTypeKind::LLVMHalfTypeKind | LlvmTypeKind::LLVMBFloatTypeKind => 16,
            LlvmTypeKind::LLVMFloatTypeKind => 32,
            LlvmTypeKind::LLVMDoubleTypeKind => 64,
            _ => return None,
        };
        // SAFETY: bitcasting a float constant to an integer of its width folds to a ConstantInt.
        unsafe {
            let c = LLVMConstBitCast(self.0, LLVMIntTypeInContext(LLVMGetTypeContext(self.ty().0), bits));
            (LLVMGetValueKind(c) == ValueKind::LLVMConstantIntValueKind).then(|| (bits, LLVMConstIntGetZExtValue(c)))
        }
    }
    /// Returns the little-endian bytes of a constant data array or vector.
    pub(super) fn raw_data(self) -> Vec<u8> {
        self.expect_kind(&[ValueKind::LLVMConstantDataArrayValueKind, ValueKind::LLVMConstantDataVectorValueKind]);
        let mut len = 0usize;
        // SAFETY: constant data, as just asserted. llvm-sys 221 declares the out-parameter as an integer; the C header
        // (llvm-c/Core.h, LLVM 22) says `size_t *`.
        unsafe {
            let p = LLVMGetRawDataValues(self.0, &raw mut len as usize);
            if p.is_null() { vec![] } else { std::slice::from_raw_parts(p.cast::<u8>(), len).to_vec() }
        }
    }
}
