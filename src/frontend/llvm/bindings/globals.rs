//! Functions, global variables and aliases. Each accessor asserts the kind of value that it applies to.

#![allow(unsafe_code, reason = "the LLVM C API is foreign; every handle is tied to the module's lifetime by its type")]
#![allow(clippy::wildcard_imports, reason = "a hundred functions, told apart by their prefix")]

use super::{BasicBlock, LlvmLinkage, Meta, Type, Value, ValueKind, list, text};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;

impl<'m> Value<'m> {
    pub fn linkage(self) -> LlvmLinkage {
        self.expect_global();
        // SAFETY: a global value.
        unsafe { LLVMGetLinkage(self.0) }
    }
    pub fn expect_global(self) {
        self.expect_kind(&[
            ValueKind::LLVMFunctionValueKind,
            ValueKind::LLVMGlobalVariableValueKind,
            ValueKind::LLVMGlobalAliasValueKind,
            ValueKind::LLVMGlobalIFuncValueKind,
        ]);
    }
    pub fn is_declaration(self) -> bool {
        self.expect_global();
        // SAFETY: a global value.
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }
    /// Returns the type of a global variable's contents, or a function's type.
    pub fn value_type(self) -> Type<'m> {
        self.expect_global();
        // SAFETY: a global value.
        Type::wrap(unsafe { LLVMGlobalGetValueType(self.0) })
    }
    pub fn aliasee(self) -> Value<'m> {
        self.expect_kind(&[ValueKind::LLVMGlobalAliasValueKind]);
        // SAFETY: an alias, as just asserted.
        Value::wrap(unsafe { LLVMAliasGetAliasee(self.0) })
    }
    pub fn initializer(self) -> Option<Value<'m>> {
        self.expect_kind(&[ValueKind::LLVMGlobalVariableValueKind]);
        // SAFETY: a global variable, as just asserted.
        Value::option(unsafe { LLVMGetInitializer(self.0) })
    }
    pub fn is_constant_global(self) -> bool {
        self.expect_kind(&[ValueKind::LLVMGlobalVariableValueKind]);
        // SAFETY: a global variable, as just asserted.
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }
    pub fn is_externally_initialized(self) -> bool {
        self.expect_kind(&[ValueKind::LLVMGlobalVariableValueKind]);
        // SAFETY: a global variable, as just asserted.
        unsafe { LLVMIsExternallyInitialized(self.0) != 0 }
    }
    /// Returns the metadata attached to a global variable.
    pub fn attached(self) -> Vec<Meta<'m>> {
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
    /// Returns the alignment of a global variable in bytes; 1 if it has none of its own.
    pub fn global_alignment(self) -> u32 {
        self.expect_kind(&[ValueKind::LLVMGlobalVariableValueKind]);
        // SAFETY: a global variable.
        unsafe { LLVMGetAlignment(self.0) }.max(1)
    }
    fn expect_function(self) {
        self.expect_kind(&[ValueKind::LLVMFunctionValueKind]);
    }
    pub fn subprogram(self) -> Option<Meta<'m>> {
        self.expect_function();
        // SAFETY: a function.
        Meta::option(unsafe { LLVMGetSubprogram(self.0) })
    }
    pub fn params(self) -> Vec<Value<'m>> {
        self.expect_function();
        // SAFETY: a function.
        list(unsafe { LLVMGetFirstParam(self.0) }, LLVMGetNextParam)
    }
    pub fn blocks(self) -> Vec<BasicBlock<'m>> {
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
    pub fn calling_convention(self) -> u32 {
        self.expect_function();
        // SAFETY: a function.
        unsafe { LLVMGetFunctionCallConv(self.0) }
    }
    /// Returns a string attribute of the function itself (`"nvvm.maxntid"`).
    pub fn string_attribute(self, key: &str) -> Option<String> {
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
    /// Whether the function itself has the attribute (`noreturn`).
    pub fn has_attribute(self, key: &str) -> bool {
        self.expect_function();
        // SAFETY: a function.
        unsafe {
            let id = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            !LLVMGetEnumAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, id).is_null()
        }
    }
    /// Returns the type in a parameter's type attribute (`byval(T)`, `sret(T)`); parameters count from 0.
    pub fn param_type_attribute(self, param: u32, key: &str) -> Option<Type<'m>> {
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

    /// Returns the type of a parameter that is passed by value in memory.
    pub fn by_value(self) -> Option<Type<'m>> {
        self.expect_kind(&[ValueKind::LLVMArgumentValueKind]);
        // SAFETY: an argument, which belongs to a function.
        let function = Value::wrap(unsafe { LLVMGetParamParent(self.0) });
        let at = function.params().iter().position(|p| *p == self)?;
        function.param_type_attribute(u32::try_from(at).ok()?, "byval")
    }

    /// Returns the integer in a parameter's attribute (`dereferenceable(n)`), 0 without one; parameters count from 0.
    pub fn param_int_attribute(self, param: u32, key: &str) -> u64 {
        self.expect_function();
        // SAFETY: a function; attribute index 0 is the return value, hence the shift.
        unsafe {
            let id = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            let a = LLVMGetEnumAttributeAtIndex(self.0, param + 1, id);
            if a.is_null() { 0 } else { LLVMGetEnumAttributeValue(a) }
        }
    }
}
