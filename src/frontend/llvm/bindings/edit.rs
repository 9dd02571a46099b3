//! Edits of a module: new instructions, and other operands of present ones.

#![allow(unsafe_code, reason = "the LLVM C API is foreign; every handle is tied to the module's lifetime by its type")]
#![allow(clippy::wildcard_imports, reason = "a hundred functions, told apart by their prefix")]

use super::{Bitcode, IntPredicate, LlvmLinkage, LlvmTypeKind, Opcode, Type, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMBuilderRef, LLVMValueRef};

/// LLVM's builder, which names no values. Its position is set before each use.
pub struct Editor<'m> {
    pub bitcode: Bitcode<'m>,
    builder: LLVMBuilderRef,
}

impl Drop for Editor<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and disposed of once.
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

fn raw(values: &[Value<'_>]) -> Vec<LLVMValueRef> {
    values.iter().map(|v| v.0).collect()
}

// SAFETY of all builders: values and types belong to the live module, and LLVM copies the empty name.
impl<'m> Editor<'m> {
    pub fn new(bitcode: Bitcode<'m>) -> Self {
        // SAFETY: the context is alive.
        Self { builder: unsafe { LLVMCreateBuilderInContext(bitcode.context) }, bitcode }
    }
    pub fn go_before(&self, instruction: Value<'m>) {
        assert!(instruction.opcode().is_some());
        // SAFETY: an instruction in a block.
        unsafe { LLVMPositionBuilderBefore(self.builder, instruction.0) }
    }
    /// Goes behind an instruction that does not end its block.
    pub fn go_after(&self, instruction: Value<'m>) {
        assert!(instruction.opcode().is_some());
        // SAFETY: an instruction; the next one is checked for null.
        self.go_before(Value::wrap(unsafe { LLVMGetNextInstruction(instruction.0) }));
    }
    pub fn integer(&self, bits: u32) -> Type<'m> {
        // SAFETY: see above.
        Type::wrap(unsafe { LLVMIntTypeInContext(self.bitcode.context, bits) })
    }
    pub fn pointer(&self, space: u32) -> Type<'m> {
        // SAFETY: see above.
        Type::wrap(unsafe { LLVMPointerTypeInContext(self.bitcode.context, space) })
    }
    pub fn null(&self) -> Value<'m> {
        // SAFETY: see above.
        Value::wrap(unsafe { LLVMConstNull(self.pointer(0).0) })
    }
    pub fn constant(&self, ty: Type<'m>, value: u64) -> Value<'m> {
        assert_eq!(ty.kind(), LlvmTypeKind::LLVMIntegerTypeKind);
        // SAFETY: an integer type, as just asserted.
        Value::wrap(unsafe { LLVMConstInt(ty.0, value, 0) })
    }
    pub fn call(&self, function: Value<'m>, arguments: &[Value<'m>]) -> Value<'m> {
        let (ty, mut list) = (function.value_type(), raw(arguments));
        assert_eq!(function.params().len(), list.len());
        // SAFETY: see above.
        Value::wrap(unsafe {
            LLVMBuildCall2(self.builder, ty.0, function.0, list.as_mut_ptr(), list.len() as u32, c"".as_ptr())
        })
    }
    pub fn compare(&self, is: IntPredicate, a: Value<'m>, b: Value<'m>) -> Value<'m> {
        // SAFETY: see above.
        Value::wrap(unsafe { LLVMBuildICmp(self.builder, is, a.0, b.0, c"".as_ptr()) })
    }
    pub fn select(&self, condition: Value<'m>, a: Value<'m>, b: Value<'m>) -> Value<'m> {
        // SAFETY: see above.
        Value::wrap(unsafe { LLVMBuildSelect(self.builder, condition.0, a.0, b.0, c"".as_ptr()) })
    }
    pub fn binary(&self, op: Opcode, a: Value<'m>, b: Value<'m>) -> Value<'m> {
        // SAFETY: see above.
        Value::wrap(unsafe { LLVMBuildBinOp(self.builder, op, a.0, b.0, c"".as_ptr()) })
    }
    pub fn cast(&self, op: Opcode, value: Value<'m>, to: Type<'m>) -> Value<'m> {
        // SAFETY: see above.
        Value::wrap(unsafe { LLVMBuildCast(self.builder, op, value.0, to.0, c"".as_ptr()) })
    }
    /// Adds a number of bytes to a pointer.
    pub fn offset(&self, pointer: Value<'m>, bytes: Value<'m>) -> Value<'m> {
        let (byte, mut index) = (self.integer(8), bytes.0);
        // SAFETY: see above.
        Value::wrap(unsafe { LLVMBuildGEP2(self.builder, byte.0, pointer.0, &raw mut index, 1, c"".as_ptr()) })
    }
    /// Inserts a copy of an address computation with 0 as its last index.
    pub fn row_start(&self, gep: Value<'m>) -> Value<'m> {
        gep.expect(&[Opcode::LLVMGetElementPtr]);
        let last = gep.operands().len() - 1;
        // SAFETY: a fresh copy, inserted once.
        let copy = unsafe {
            let copy = LLVMInstructionClone(gep.0);
            LLVMInsertIntoBuilder(self.builder, copy);
            Value::wrap(copy)
        };
        let index = gep.operand(last as u32).ty();
        self.set_operand(copy, last as u32, self.constant(index, 0));
        copy
    }
    /// Hides a function or variable from other modules.
    pub fn make_internal(&self, v: Value<'m>) {
        v.expect_global();
        // SAFETY: a global value, as just asserted.
        unsafe { LLVMSetLinkage(v.0, LlvmLinkage::LLVMInternalLinkage) }
    }
    pub fn set_operand(&self, user: Value<'m>, i: u32, value: Value<'m>) {
        assert!(user.operand(i).ty() == value.ty());
        // SAFETY: an operand of the user, of its type, as just asserted.
        unsafe { LLVMSetOperand(user.0, i, value.0) }
    }
}
