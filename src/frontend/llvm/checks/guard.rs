//! Guards all accesses without a check, so that no other bad access of a launch ends its kernel.
//!
//! In: a unit's code with checks. Out: every other access through the generic address space also passes through
//! `scuba_guard` (`templates/guard.ll`).

use super::super::bindings::{BasicBlock, IntPredicate, Opcode, Value};
use super::{CHECK, CheckedUnit, any_address_operand, is_generic, listed};
use crate::checks::RANGES;

const GUARD: &str = include_str!("../../../../templates/guard.ll");
/// Functions that allocate memory in a kernel.
pub const ALLOCATORS: [&str; 3] = ["malloc", "_Znwm", "_Znam"];
/// First architecture on which the system reserves part of the shared-memory window (PTX ISA 9.0,
/// `%reserved_smem_offset_cap`).
const RESERVES: u32 = 80;
const RESERVED: &str = r#"call i32 asm "mov.u32 $0, %reserved_smem_offset_cap;", "=r"()"#;
/// First architecture that has generic addresses of parameters (PTX ISA 9.0, `isspacep`).
const ADDRESSES_PARAMETERS: u32 = 70;
const IS_PARAMETER: &str =
    r#"call i32 asm "{ .reg .pred p; isspacep.param p, $1; selp.u32 $0, 1, 0, p; }", "=r,l"(i64 %address.i)"#;

/// Templates of the check and the guard, for checks in `rows` rows; the guard has one row more.
pub fn template(rows: usize, arch: u32) -> String {
    let guard = GUARD
        .replace("{{ranges}}", &RANGES.to_string())
        .replace("{{row}}", &rows.to_string())
        .replace("{{reserved}}", if arch >= RESERVES { RESERVED } else { "add i32 0, 0" })
        .replace("{{parameter}}", if arch >= ADDRESSES_PARAMETERS { IS_PARAMETER } else { "add i32 0, 0" });
    CHECK.replace("{{rows}}", &(rows + 1).to_string()) + &guard
}

impl<'m> CheckedUnit<'m> {
    /// Guards the accesses of these functions. `variables` are those of the unit itself.
    pub fn guard(&self, functions: &[Value<'m>], variables: &[Value<'m>]) {
        let Self(e) = self;
        let [guard, guard_if, check] = ["scuba_guard", "scuba_guard_if", "scuba_check"].map(|name| self.helper(name));
        for v in functions.iter().flat_map(|f| f.blocks()).flat_map(BasicBlock::instructions) {
            e.go_before(v);
            let listed = listed::accesses(v);
            if !listed.is_empty() {
                // Calls whose operands cannot be replaced stay unchanged.
                let _ = self.pass(v, &listed, &|happens, address, bytes| e.call(guard_if, &[happens, address, bytes]));
                continue;
            }
            let Some(operand) = any_address_operand(v).filter(|_| v.opcode() != Some(Opcode::LLVMCall)) else {
                continue;
            };
            let address = v.operand(operand);
            // A variable's bare name is a valid address.
            let is_named = address.is_constant() && address.print().contains('@');
            let is_checked = address.opcode() == Some(Opcode::LLVMCall) && address.called() == check;
            if !is_generic(address) || is_named || is_checked || address.opcode() == Some(Opcode::LLVMAlloca) {
                continue;
            }
            let accessed = match v.opcode() {
                Some(Opcode::LLVMLoad) => v.ty(),
                Some(Opcode::LLVMStore) => v.operand(0).ty(),
                _ => v.operand(1).ty(),
            };
            let bytes = e.constant(e.integer(64), e.bitcode.layout(accessed).0);
            e.set_operand(v, operand, e.call(guard, &[address, bytes]));
        }
        self.list_variables(variables);
    }

    /// Lets `scuba_variable` test whether an address is inside a variable in device memory.
    fn list_variables(&self, variables: &[Value<'m>]) {
        let (Self(e), test) = (self, self.helper("scuba_variable"));
        let (address, long) = (test.params()[0], self.0.integer(64));
        let Some(end) = test.blocks().first().and_then(|b| b.instructions().pop()) else { return };
        e.go_before(end);
        for v in variables.iter().filter(|v| matches!(v.pointer_space(), Some(1 | 4))) {
            let start = e.cast(Opcode::LLVMPtrToInt, self.generic(*v), long);
            let offset = e.binary(Opcode::LLVMSub, address, start);
            let bytes = e.constant(long, e.bitcode.layout(v.value_type()).0);
            let is_inside = e.compare(IntPredicate::LLVMIntULT, offset, bytes);
            e.set_operand(end, 0, e.binary(Opcode::LLVMOr, end.operand(0), is_inside));
        }
    }
}
