//! Instructions. Each accessor asserts the opcode that it applies to.

#![allow(unsafe_code, reason = "the LLVM C API is foreign; every handle is tied to the module's lifetime by its type")]
#![allow(clippy::wildcard_imports, reason = "a hundred functions, told apart by their prefix")]

use super::{BasicBlock, Declare, IntPredicate, Meta, Opcode, RealPredicate, RmwOp, Type, Value, ValueKind, text};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;

impl<'m> Value<'m> {
    pub fn debug_location(self) -> Option<Meta<'m>> {
        self.expect_kind(&[ValueKind::LLVMInstructionValueKind]);
        // SAFETY: an instruction.
        Meta::option(unsafe { LLVMInstructionGetDebugLoc(self.0) })
    }
    /// Returns the `#dbg_declare` records before an instruction.
    pub fn declares(self) -> Vec<Declare<'m>> {
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
    pub fn allocated_type(self) -> Type<'m> {
        self.expect(&[Opcode::LLVMAlloca]);
        // SAFETY: an alloca.
        Type::wrap(unsafe { LLVMGetAllocatedType(self.0) })
    }
    pub fn alignment(self) -> u32 {
        self.expect(&[Opcode::LLVMAlloca, Opcode::LLVMLoad, Opcode::LLVMStore]);
        // SAFETY: an instruction with an alignment.
        unsafe { LLVMGetAlignment(self.0) }
    }
    /// Returns the alignment attribute of a call's pointer argument in bytes; 1 without one.
    pub fn argument_alignment(self, argument: u32) -> u32 {
        self.expect(&[Opcode::LLVMCall, Opcode::LLVMInvoke]);
        let key = "align";
        // SAFETY: a call; attribute index 0 is the return value, hence the shift; the attribute is checked for null.
        unsafe {
            let id = LLVMGetEnumAttributeKindForName(key.as_ptr().cast(), key.len());
            let a = LLVMGetCallSiteEnumAttribute(self.0, argument + 1, id);
            if a.is_null() { 1 } else { u32::try_from(LLVMGetEnumAttributeValue(a)).unwrap_or(1) }
        }
    }
    /// Returns the metadata node that an instruction has under this name.
    pub fn metadata(self, name: &str) -> Option<Meta<'m>> {
        self.expect_kind(&[ValueKind::LLVMInstructionValueKind]);
        // SAFETY: an instruction; its type belongs to the context of the names; a node is checked for null.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.0));
            let kind = LLVMGetMDKindIDInContext(context, name.as_ptr().cast(), u32::try_from(name.len()).unwrap_or(0));
            let node = LLVMGetMetadata(self.0, kind);
            if node.is_null() { None } else { Meta::option(LLVMValueAsMetadata(node)) }
        }
    }
    /// Whether others may read or write the memory concurrently: volatile, or atomic with any ordering.
    pub fn is_volatile(self) -> bool {
        self.expect(&[Opcode::LLVMLoad, Opcode::LLVMStore]);
        // SAFETY: a load or store.
        unsafe {
            LLVMGetVolatile(self.0) != 0
                || LLVMGetOrdering(self.0) != llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
        }
    }
    pub fn rmw_op(self) -> RmwOp {
        self.expect(&[Opcode::LLVMAtomicRMW]);
        // SAFETY: an atomicrmw.
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }
    /// Returns the source element type of an address computation, instruction or constant.
    pub fn gep_source_type(self) -> Type<'m> {
        assert!([self.opcode(), self.const_opcode()].contains(&Some(Opcode::LLVMGetElementPtr)));
        // SAFETY: a GEPOperator.
        Type::wrap(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }
    pub fn gep_inbounds(self) -> bool {
        assert!([self.opcode(), self.const_opcode()].contains(&Some(Opcode::LLVMGetElementPtr)));
        // SAFETY: a GEPOperator.
        unsafe { LLVMIsInBounds(self.0) != 0 }
    }
    /// Returns `(nsw, nuw)` of an integer add, sub, mul or shl.
    pub fn no_wrap(self) -> (bool, bool) {
        self.expect(&[Opcode::LLVMAdd, Opcode::LLVMSub, Opcode::LLVMMul, Opcode::LLVMShl]);
        // SAFETY: an overflowing binary operator.
        unsafe { (LLVMGetNSW(self.0) != 0, LLVMGetNUW(self.0) != 0) }
    }
    pub fn nneg(self) -> bool {
        self.expect(&[Opcode::LLVMZExt, Opcode::LLVMUIToFP]);
        // SAFETY: an instruction with an nneg flag.
        unsafe { LLVMGetNNeg(self.0) != 0 }
    }
    pub fn icmp(self) -> IntPredicate {
        self.expect(&[Opcode::LLVMICmp]);
        // SAFETY: an integer comparison.
        unsafe { LLVMGetICmpPredicate(self.0) }
    }
    pub fn fcmp(self) -> RealPredicate {
        self.expect(&[Opcode::LLVMFCmp]);
        // SAFETY: a floating-point comparison.
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }
    pub fn incoming(self) -> Vec<(BasicBlock<'m>, Value<'m>)> {
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
    /// Returns the member path of an extractvalue or insertvalue.
    pub fn path(self) -> Vec<u32> {
        self.expect(&[Opcode::LLVMExtractValue, Opcode::LLVMInsertValue]);
        // SAFETY: the list has LLVMGetNumIndices entries.
        unsafe { std::slice::from_raw_parts(LLVMGetIndices(self.0), LLVMGetNumIndices(self.0) as usize).to_vec() }
    }
    /// Returns the mask of a shufflevector; -1 for undefined lanes.
    pub fn mask(self) -> Vec<i32> {
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
    /// Returns the callee of a call or invoke.
    pub fn called(self) -> Value<'m> {
        self.expect(&[Opcode::LLVMCall, Opcode::LLVMInvoke, Opcode::LLVMCallBr]);
        // SAFETY: a call site.
        Value::wrap(unsafe { LLVMGetCalledValue(self.0) })
    }
    /// Returns the arguments of a call or invoke, without operand bundles.
    pub fn arguments(self) -> Vec<Value<'m>> {
        self.expect(&[Opcode::LLVMCall, Opcode::LLVMInvoke, Opcode::LLVMCallBr]);
        // SAFETY: a call site; arguments are its first operands.
        unsafe { (0..LLVMGetNumArgOperands(self.0)).map(|i| Value::wrap(LLVMGetOperand(self.0, i))).collect() }
    }
    /// Returns the normal and the unwind destination of an invoke.
    pub fn invoke_targets(self) -> (BasicBlock<'m>, BasicBlock<'m>) {
        self.expect(&[Opcode::LLVMInvoke]);
        // SAFETY: an invoke.
        unsafe { (BasicBlock::wrap(LLVMGetNormalDest(self.0)), BasicBlock::wrap(LLVMGetUnwindDest(self.0))) }
    }
    /// Returns the condition of a conditional branch or switch.
    pub fn condition(self) -> Option<Value<'m>> {
        self.expect(&[Opcode::LLVMBr, Opcode::LLVMSwitch]);
        // LLVMGetCondition accepts branches only (LLVM 22); a switch's condition is its first operand.
        if self.opcode() == Some(Opcode::LLVMSwitch) {
            return Some(self.operand(0));
        }
        // SAFETY: the condition is asked of conditional branches only.
        unsafe { (LLVMIsConditional(self.0) != 0).then(|| Value::wrap(LLVMGetCondition(self.0))) }
    }
    pub fn successors(self) -> Vec<BasicBlock<'m>> {
        self.expect(&[Opcode::LLVMBr, Opcode::LLVMSwitch]);
        // SAFETY: a terminator with successors.
        unsafe { (0..LLVMGetNumSuccessors(self.0)).map(|i| BasicBlock::wrap(LLVMGetSuccessor(self.0, i))).collect() }
    }
    /// Returns the value of the switch case that leads to successor `i` (1-based: successor 0 is the default).
    pub fn case_value(self, i: u32) -> Value<'m> {
        self.expect(&[Opcode::LLVMSwitch]);
        // SAFETY: a switch; LLVM asserts the index.
        unsafe {
            assert!(i > 0 && i < LLVMGetNumSuccessors(self.0));
            Value::wrap(LLVMGetSwitchCaseValue(self.0, i))
        }
    }
    /// Returns text, constraints and side effects of inline assembly.
    pub fn inline_asm(self) -> Option<(String, String, bool)> {
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
