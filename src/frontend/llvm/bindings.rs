//! Typed, lifetime-bound access to a parsed LLVM module, over llvm-sys.
//!
//! In: an [`inkwell`] module. Out: [`Value`], [`Type`] and [`Meta`] handles that cannot outlive it. It knows
//! nothing of `ir/`. inkwell itself offers no debug records, no metadata operands and no constant expressions,
//! which is why these few calls go to the C API directly.
//!
//! An accessor that only makes sense for one kind of value asserts that kind first, so that a mistake of ours is
//! a panic of the worker process and never undefined behaviour.

#![allow(unsafe_code, reason = "the LLVM C API is foreign; every handle is tied to the module's lifetime below")]
#![allow(clippy::wildcard_imports, reason = "a hundred functions, told apart by their prefix")]

use inkwell::module::Module;
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVMABIAlignmentOfType, LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMTargetDataRef,
};
use std::ffi::CStr;
use std::marker::PhantomData;

pub(super) use llvm_sys::debuginfo::LLVMMetadataKind as MetaKind;
pub(super) use llvm_sys::{
    LLVMAtomicRMWBinOp as RmwOp, LLVMIntPredicate as IntPredicate, LLVMLinkage as LlvmLinkage, LLVMOpcode as Opcode,
    LLVMRealPredicate as RealPredicate, LLVMTypeKind as LlvmTypeKind, LLVMValueKind as ValueKind,
};

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

/// Takes over a message that LLVM allocated.
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
    pub(super) fn aliases(&self) -> Vec<Value<'m>> {
        // SAFETY: the module is alive.
        list(unsafe { LLVMGetFirstGlobalAlias(self.module) }, LLVMGetNextGlobalAlias)
    }
    /// Allocation size (array stride) and ABI alignment in bytes; 0 for unsized types.
    pub(super) fn layout(&self, ty: Type<'m>) -> (u64, u32) {
        // SAFETY: type and layout belong to the live module; unsized types are never passed on.
        unsafe {
            if LLVMTypeIsSized(ty.0) == 0 {
                return (0, 1);
            }
            (LLVMABISizeOfType(self.layout, ty.0), LLVMABIAlignmentOfType(self.layout, ty.0))
        }
    }
    /// Offset of a structure member in bytes.
    pub(super) fn field_offset(&self, ty: Type<'m>, field: u32) -> u64 {
        assert!(ty.kind() == LlvmTypeKind::LLVMStructTypeKind && (field as usize) < ty.fields().len());
        // SAFETY: a structure type and one of its members, as just asserted.
        unsafe { LLVMOffsetOfElement(self.layout, ty.0, field) }
    }
    /// A metadata node as assembly text, its operands as raw addresses: the only way of the C API to a
    /// node's plain fields (`arg:`, `encoding:`, `count:`). Cheap, because nothing is numbered.
    pub(super) fn print_meta(&self, meta: Meta<'m>) -> String {
        // SAFETY: context and node are alive.
        message(unsafe { LLVMPrintValueToString(LLVMMetadataAsValue(self.context, meta.0)) })
    }
    /// Operands of a metadata node; `None` where one is null or is not metadata.
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
    /// An operand that is itself metadata.
    pub(super) fn meta_operand(&self, meta: Meta<'m>, index: usize) -> Option<Meta<'m>> {
        let v = self.meta_operands(meta).get(index).copied().flatten()?;
        if v.kind() != ValueKind::LLVMMetadataAsValueValueKind {
            return None;
        }
        // SAFETY: a MetadataAsValue, as just checked.
        Meta::option(unsafe { LLVMValueAsMetadata(v.0) })
    }
    /// An operand that is a string.
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
    /// Element type and length of an array or vector.
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
    pub(super) fn struct_name(self) -> Option<String> {
        assert_eq!(self.kind(), LlvmTypeKind::LLVMStructTypeKind);
        // SAFETY: a structure type; the name is null for literal structures.
        unsafe {
            let p = LLVMGetStructName(self.0);
            (!p.is_null()).then(|| CStr::from_ptr(p).to_string_lossy().into_owned())
        }
    }
    /// Return type and variadicity of a function type.
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
    /// Instructions in order, the terminator last.
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
    /// Of this kind? (llvm-sys derives no comparison for these.)
    pub(super) fn is(self, kind: MetaKind) -> bool {
        self.kind() as u32 == kind as u32
    }
    /// DWARF tag of a debug information node; 0 for other nodes.
    pub(super) fn tag(self) -> u16 {
        // SAFETY: LLVM casts dynamically here.
        unsafe { LLVMGetDINodeTag(self.0) }
    }
    /// Line, column, scope and the call site it was inlined at.
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
    /// The file of a scope or variable.
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
    /// Line of a variable or subprogram; 0 for other nodes.
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
    /// Size of a DIType.
    pub(super) fn size_in_bits(self) -> u64 {
        self.expect_type();
        // SAFETY: a DIType, as just asserted.
        unsafe { LLVMDITypeGetSizeInBits(self.0) }
    }
    /// Offset of a member or base class in its structure.
    pub(super) fn offset_in_bits(self) -> u64 {
        self.expect_type();
        // SAFETY: a DIType, as just asserted.
        unsafe { LLVMDITypeGetOffsetInBits(self.0) }
    }
    /// Is the member one of the class rather than of its objects?
    pub(super) fn is_static_member(self) -> bool {
        self.expect_type();
        // SAFETY: a DIType, as just asserted.
        unsafe { LLVMDITypeGetFlags(self.0) & LLVMDIFlagStaticMember != 0 }
    }
    /// Directory and file name of a DIFile.
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
    /// The variable of a DIGlobalVariableExpression.
    pub(super) fn global_variable(self) -> Option<Meta<'m>> {
        if !self.is(MetaKind::LLVMDIGlobalVariableExpressionMetadataKind) {
            return None;
        }
        // SAFETY: of the right kind, as just checked.
        Meta::option(unsafe { LLVMDIGlobalVariableExpressionGetVariable(self.0) })
    }
}

/// A `#dbg_declare` record: where a source variable lives.
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
    /// Operands of an instruction or constant; empty for other values.
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
    /// Operand `i`; panics where there is none.
    pub(super) fn operand(self, i: u32) -> Value<'m> {
        // SAFETY: the index is within the operand list, as asserted.
        unsafe {
            assert!(!LLVMIsAUser(self.0).is_null() && i64::from(i) < i64::from(LLVMGetNumOperands(self.0)));
            Value::wrap(LLVMGetOperand(self.0, i))
        }
    }
    /// Opcode of an instruction.
    pub(super) fn opcode(self) -> Option<Opcode> {
        // SAFETY: asked of instructions only.
        (self.kind() == ValueKind::LLVMInstructionValueKind).then(|| unsafe { LLVMGetInstructionOpcode(self.0) })
    }
    /// Opcode of a constant expression.
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

    // --- constants ---

    /// A constant integer of up to 128 bits, sign-extended.
    pub(super) fn int(self) -> Option<i128> {
        if self.kind() != ValueKind::LLVMConstantIntValueKind {
            return None;
        }
        let width = self.ty().int_width();
        if width <= 64 {
            // SAFETY: a ConstantInt of at most 64 bits.
            return Some(i128::from(unsafe { LLVMConstIntGetSExtValue(self.0) }));
        }
        // The C API gives 64 bits only; the text is `i128 -5`.
        self.print().split(' ').nth(1)?.parse().ok()
    }
    /// Bit pattern of a floating-point constant of up to 64 bits.
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
    /// Little-endian bytes of a constant data array or vector.
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

    // --- functions, globals, aliases ---

    pub(super) fn linkage(self) -> LlvmLinkage {
        self.expect_global();
        // SAFETY: a global value.
        unsafe { LLVMGetLinkage(self.0) }
    }
    fn expect_global(self) {
        self.expect_kind(&[
            ValueKind::LLVMFunctionValueKind,
            ValueKind::LLVMGlobalVariableValueKind,
            ValueKind::LLVMGlobalAliasValueKind,
            ValueKind::LLVMGlobalIFuncValueKind,
        ]);
    }
    pub(super) fn is_declaration(self) -> bool {
        self.expect_global();
        // SAFETY: a global value.
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }
    /// Type of a global variable's contents, or a function's type.
    pub(super) fn value_type(self) -> Type<'m> {
        self.expect_global();
        // SAFETY: a global value.
        Type::wrap(unsafe { LLVMGlobalGetValueType(self.0) })
    }
    pub(super) fn aliasee(self) -> Value<'m> {
        self.expect_kind(&[ValueKind::LLVMGlobalAliasValueKind]);
        // SAFETY: an alias, as just asserted.
        Value::wrap(unsafe { LLVMAliasGetAliasee(self.0) })
    }
    pub(super) fn initializer(self) -> Option<Value<'m>> {
        self.expect_kind(&[ValueKind::LLVMGlobalVariableValueKind]);
        // SAFETY: a global variable, as just asserted.
        Value::option(unsafe { LLVMGetInitializer(self.0) })
    }
    pub(super) fn is_constant_global(self) -> bool {
        self.expect_kind(&[ValueKind::LLVMGlobalVariableValueKind]);
        // SAFETY: a global variable, as just asserted.
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }
    pub(super) fn is_externally_initialized(self) -> bool {
        self.expect_kind(&[ValueKind::LLVMGlobalVariableValueKind]);
        // SAFETY: a global variable, as just asserted.
        unsafe { LLVMIsExternallyInitialized(self.0) != 0 }
    }
    /// Metadata attached to a global variable.
    pub(super) fn attached(self) -> Vec<Meta<'m>> {
        self.expect_kind(&[ValueKind::LLVMGlobalVariableValueKind]);
        let mut n = 0usize;
        // SAFETY: a global variable; the entries are freed after use.
        unsafe {
            let entries = LLVMGlobalCopyAllMetadata(self.0, &raw mut n);
            let out = (0..u32::try_from(n).unwrap_or(0))
                .filter_map(|i| Meta::option(LLVMValueMetadataEntriesGetMetadata(entries, i)))
                .collect();
            LLVMDisposeValueMetadataEntries(entries);
            out
        }
    }
    fn expect_function(self) {
        self.expect_kind(&[ValueKind::LLVMFunctionValueKind]);
    }
    pub(super) fn subprogram(self) -> Option<Meta<'m>> {
        self.expect_function();
        // SAFETY: a function.
        Meta::option(unsafe { LLVMGetSubprogram(self.0) })
    }
    pub(super) fn params(self) -> Vec<Value<'m>> {
        self.expect_function();
        // SAFETY: a function.
        list(unsafe { LLVMGetFirstParam(self.0) }, LLVMGetNextParam)
    }
    pub(super) fn blocks(self) -> Vec<BasicBlock<'m>> {
        self.expect_function();
        let mut out = vec![];
        // SAFETY: a function and the list of its blocks.
        unsafe {
            let mut next = BasicBlock::option(LLVMGetFirstBasicBlock(self.0));
            while let Some(b) = next {
                out.push(b);
                next = BasicBlock::option(LLVMGetNextBasicBlock(b.0));
            }
        }
        out
    }
    pub(super) fn calling_convention(self) -> u32 {
        self.expect_function();
        // SAFETY: a function.
        unsafe { LLVMGetFunctionCallConv(self.0) }
    }
    /// A string attribute of the function itself (`"nvvm.maxntid"`).
    pub(super) fn string_attribute(self, key: &str) -> Option<String> {
        self.expect_function();
        // SAFETY: a function; the attribute is checked for null.
        unsafe {
            let a = LLVMGetStringAttributeAtIndex(
                self.0,
                llvm_sys::LLVMAttributeFunctionIndex,
                key.as_ptr().cast(),
                u32::try_from(key.len()).unwrap_or(0),
            );
            if a.is_null() {
                return None;
            }
            let mut len = 0;
            let p = LLVMGetStringAttributeValue(a, &raw mut len);
            Some(text(p, len as usize))
        }
    }
    /// Does the function itself carry the attribute (`noreturn`)?
    pub(super) fn has_attribute(self, key: &str) -> bool {
        self.expect_function();
        // SAFETY: a function.
        unsafe {
            let id = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            !LLVMGetEnumAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, id).is_null()
        }
    }
    /// The type in a parameter's type attribute (`byval(T)`, `sret(T)`); parameters count from 0.
    pub(super) fn param_type_attribute(self, param: u32, key: &str) -> Option<Type<'m>> {
        self.expect_function();
        // SAFETY: a function; attribute index 0 is the return value, hence the shift.
        unsafe {
            let id = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            let a = LLVMGetEnumAttributeAtIndex(self.0, param + 1, id);
            if a.is_null() {
                return None;
            }
            Type::option(LLVMGetTypeAttributeValue(a))
        }
    }

    /// The number in a parameter's attribute (`dereferenceable(n)`), 0 without one; parameters count from 0.
    pub(super) fn param_int_attribute(self, param: u32, key: &str) -> u64 {
        self.expect_function();
        // SAFETY: a function; attribute index 0 is the return value, hence the shift.
        unsafe {
            let id = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            let a = LLVMGetEnumAttributeAtIndex(self.0, param + 1, id);
            if a.is_null() { 0 } else { LLVMGetEnumAttributeValue(a) }
        }
    }

    // --- instructions ---

    pub(super) fn debug_location(self) -> Option<Meta<'m>> {
        self.expect_kind(&[ValueKind::LLVMInstructionValueKind]);
        // SAFETY: an instruction.
        Meta::option(unsafe { LLVMInstructionGetDebugLoc(self.0) })
    }
    /// `#dbg_declare` records in front of an instruction.
    pub(super) fn declares(self) -> Vec<Declare<'m>> {
        self.expect_kind(&[ValueKind::LLVMInstructionValueKind]);
        let mut out = vec![];
        // SAFETY: an instruction and the list of its records; kinds are checked before their accessors.
        unsafe {
            let mut r = LLVMGetFirstDbgRecord(self.0);
            while !r.is_null() {
                if LLVMDbgRecordGetKind(r) == llvm_sys::LLVMDbgRecordKind::LLVMDbgRecordDeclare {
                    let address = Value::option(LLVMDbgVariableRecordGetValue(r, 0));
                    if let Some(address) = address {
                        out.push(Declare {
                            address,
                            variable: Meta::wrap(LLVMDbgVariableRecordGetVariable(r)),
                            expression: Meta::wrap(LLVMDbgVariableRecordGetExpression(r)),
                        });
                    }
                }
                r = LLVMGetNextDbgRecord(r);
            }
        }
        out
    }
    pub(super) fn allocated_type(self) -> Type<'m> {
        self.expect(&[Opcode::LLVMAlloca]);
        // SAFETY: an alloca.
        Type::wrap(unsafe { LLVMGetAllocatedType(self.0) })
    }
    pub(super) fn alignment(self) -> u32 {
        self.expect(&[Opcode::LLVMAlloca, Opcode::LLVMLoad, Opcode::LLVMStore]);
        // SAFETY: an instruction with an alignment.
        unsafe { LLVMGetAlignment(self.0) }
    }
    /// What a pointer argument of a call is said to be a multiple of; 1 where nothing is said.
    pub(super) fn argument_alignment(self, argument: u32) -> u32 {
        self.expect(&[Opcode::LLVMCall, Opcode::LLVMInvoke]);
        let key = "align";
        // SAFETY: a call; attribute index 0 is the return value, hence the shift; the attribute is checked for null.
        unsafe {
            let id = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            let a = LLVMGetCallSiteEnumAttribute(self.0, argument + 1, id);
            if a.is_null() { 1 } else { u32::try_from(LLVMGetEnumAttributeValue(a)).unwrap_or(1) }
        }
    }
    /// Whether others may see or change the memory meanwhile: volatile, or atomic in any order.
    pub(super) fn is_volatile(self) -> bool {
        self.expect(&[Opcode::LLVMLoad, Opcode::LLVMStore]);
        // SAFETY: a load or store.
        unsafe {
            LLVMGetVolatile(self.0) != 0
                || LLVMGetOrdering(self.0) != llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
        }
    }
    pub(super) fn rmw_op(self) -> RmwOp {
        self.expect(&[Opcode::LLVMAtomicRMW]);
        // SAFETY: an atomicrmw.
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }
    /// Source element type of an address computation, instruction or constant.
    pub(super) fn gep_source_type(self) -> Type<'m> {
        assert!([self.opcode(), self.const_opcode()].contains(&Some(Opcode::LLVMGetElementPtr)));
        // SAFETY: a GEPOperator.
        Type::wrap(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }
    pub(super) fn gep_inbounds(self) -> bool {
        assert!([self.opcode(), self.const_opcode()].contains(&Some(Opcode::LLVMGetElementPtr)));
        // SAFETY: a GEPOperator.
        unsafe { LLVMIsInBounds(self.0) != 0 }
    }
    /// `(nsw, nuw)` of integer add, sub, mul and shl.
    pub(super) fn no_wrap(self) -> (bool, bool) {
        self.expect(&[Opcode::LLVMAdd, Opcode::LLVMSub, Opcode::LLVMMul, Opcode::LLVMShl]);
        // SAFETY: an overflowing binary operator.
        unsafe { (LLVMGetNSW(self.0) != 0, LLVMGetNUW(self.0) != 0) }
    }
    pub(super) fn nneg(self) -> bool {
        self.expect(&[Opcode::LLVMZExt, Opcode::LLVMUIToFP]);
        // SAFETY: an instruction with an nneg flag.
        unsafe { LLVMGetNNeg(self.0) != 0 }
    }
    pub(super) fn icmp(self) -> IntPredicate {
        self.expect(&[Opcode::LLVMICmp]);
        // SAFETY: an integer comparison.
        unsafe { LLVMGetICmpPredicate(self.0) }
    }
    pub(super) fn fcmp(self) -> RealPredicate {
        self.expect(&[Opcode::LLVMFCmp]);
        // SAFETY: a floating-point comparison.
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }
    pub(super) fn incoming(self) -> Vec<(BasicBlock<'m>, Value<'m>)> {
        self.expect(&[Opcode::LLVMPHI]);
        // SAFETY: a phi and indices within its list.
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .map(|i| {
                    (BasicBlock::wrap(LLVMGetIncomingBlock(self.0, i)), Value::wrap(LLVMGetIncomingValue(self.0, i)))
                })
                .collect()
        }
    }
    /// Member path of extractvalue and insertvalue.
    pub(super) fn path(self) -> Vec<u32> {
        self.expect(&[Opcode::LLVMExtractValue, Opcode::LLVMInsertValue]);
        // SAFETY: the list has LLVMGetNumIndices entries.
        unsafe { std::slice::from_raw_parts(LLVMGetIndices(self.0), LLVMGetNumIndices(self.0) as usize).to_vec() }
    }
    /// Mask of a shufflevector; -1 for undefined lanes.
    pub(super) fn mask(self) -> Vec<i32> {
        self.expect(&[Opcode::LLVMShuffleVector]);
        // SAFETY: a shufflevector and indices within its mask.
        unsafe {
            let undef = LLVMGetUndefMaskElem();
            (0..LLVMGetNumMaskElements(self.0))
                .map(|i| LLVMGetMaskValue(self.0, i))
                .map(|m| if m == undef { -1 } else { m })
                .collect()
        }
    }
    /// What a call or invoke calls.
    pub(super) fn called(self) -> Value<'m> {
        self.expect(&[Opcode::LLVMCall, Opcode::LLVMInvoke, Opcode::LLVMCallBr]);
        // SAFETY: a call site.
        Value::wrap(unsafe { LLVMGetCalledValue(self.0) })
    }
    /// Arguments of a call or invoke, without operand bundles.
    pub(super) fn arguments(self) -> Vec<Value<'m>> {
        self.expect(&[Opcode::LLVMCall, Opcode::LLVMInvoke, Opcode::LLVMCallBr]);
        // SAFETY: a call site; arguments are its first operands.
        unsafe { (0..LLVMGetNumArgOperands(self.0)).map(|i| Value::wrap(LLVMGetOperand(self.0, i))).collect() }
    }
    /// Normal and unwind destination of an invoke.
    pub(super) fn invoke_targets(self) -> (BasicBlock<'m>, BasicBlock<'m>) {
        self.expect(&[Opcode::LLVMInvoke]);
        // SAFETY: an invoke.
        unsafe { (BasicBlock::wrap(LLVMGetNormalDest(self.0)), BasicBlock::wrap(LLVMGetUnwindDest(self.0))) }
    }
    /// Condition of a conditional branch or switch.
    pub(super) fn condition(self) -> Option<Value<'m>> {
        self.expect(&[Opcode::LLVMBr, Opcode::LLVMSwitch]);
        // LLVMGetCondition takes branches only (LLVM 22); a switch's condition is its first operand.
        if self.opcode() == Some(Opcode::LLVMSwitch) {
            return Some(self.operand(0));
        }
        // SAFETY: the condition is asked of conditional branches only.
        unsafe { (LLVMIsConditional(self.0) != 0).then(|| Value::wrap(LLVMGetCondition(self.0))) }
    }
    pub(super) fn successors(self) -> Vec<BasicBlock<'m>> {
        self.expect(&[Opcode::LLVMBr, Opcode::LLVMSwitch]);
        // SAFETY: a terminator with successors.
        unsafe { (0..LLVMGetNumSuccessors(self.0)).map(|i| BasicBlock::wrap(LLVMGetSuccessor(self.0, i))).collect() }
    }
    /// Value of the switch case that leads to successor `i` (1-based: successor 0 is the default).
    pub(super) fn case_value(self, i: u32) -> Value<'m> {
        self.expect(&[Opcode::LLVMSwitch]);
        // SAFETY: a switch; LLVM asserts the index.
        unsafe {
            assert!(i > 0 && i < LLVMGetNumSuccessors(self.0));
            Value::wrap(LLVMGetSwitchCaseValue(self.0, i))
        }
    }
    /// Text, constraints and side effects of inline assembly.
    pub(super) fn inline_asm(self) -> Option<(String, String, bool)> {
        if self.kind() != ValueKind::LLVMInlineAsmValueKind {
            return None;
        }
        let (mut t, mut c) = (0, 0);
        // SAFETY: inline assembly, as just checked.
        unsafe {
            let asm = LLVMGetInlineAsmAsmString(self.0, &raw mut t);
            let constraints = LLVMGetInlineAsmConstraintString(self.0, &raw mut c);
            Some((text(asm, t), text(constraints, c), LLVMGetInlineAsmHasSideEffects(self.0) != 0))
        }
    }
}
