//! Accesses of inline assembly and of block-moving intrinsics.
//!
//! In: a call and its accesses according to [`models`]. Out: the call with its addresses passed through a function that
//! may replace them. The text of an assembly statement stays unchanged; only its operands are replaced.

use super::super::bindings::{Editor, IntPredicate, LlvmTypeKind, Opcode, Value};
use super::CheckedUnit;
use models::access::{AccessExtent, AddressRange, Guard, LeadingDimension, ModelledAccess, StateSpace, Tile, WARP};
use models::{ptx, tiles};

/// Bytes on either side of the middle of `scuba_shared_sink`, and of `scuba_sink` (`templates/check.ll`).
const SHARED_ROOM: u64 = 256;
const ROOM: u64 = 2048;
/// Bytes to move if the size of a bad access is an operand: the minimum of each such instruction.
const LITTLE: u64 = 16;
/// Elements between the lines of a bad matrix, which then fits into the sink.
const NARROW: u64 = 32;

/// Accesses of a call that its assembly text or its name gives; none of other instructions.
pub fn accesses(v: Value<'_>) -> Vec<ModelledAccess> {
    if v.opcode() != Some(Opcode::LLVMCall) {
        return vec![];
    }
    match v.called().inline_asm() {
        Some((text, constraints, _)) => ptx::accesses(&text, &constraints),
        None => v.called().name().strip_prefix("llvm.").and_then(tiles::accesses).unwrap_or_default(),
    }
}

/// Function that an address passes through: whether the access happens, the address, the number of bytes.
type Through<'f, 'm> = dyn Fn(Value<'m>, Value<'m>, Value<'m>) -> Value<'m> + 'f;

/// An access of a call, before its address is passed on.
struct PassedAccess<'m> {
    happens: Value<'m>,
    /// Address and bytes of each piece: the lines of a matrix, or a single piece.
    pieces: Vec<(Value<'m>, Value<'m>)>,
    /// Operands of the call, and their values if the access is bad.
    instead: Vec<(u32, Value<'m>)>,
}

impl<'m> CheckedUnit<'m> {
    /// Passes the addresses of a call's accesses through a function, at the editor's position. If the function replaces
    /// an address, the operand points to unused memory. `Err` is the reason why this is impossible.
    pub fn pass(&self, call: Value<'m>, accesses: &[ModelledAccess], through: &Through<'_, 'm>) -> Result<(), String> {
        let Self(e) = self;
        let one = |a: &ModelledAccess| {
            let place = a.place.ok_or("the text of its assembly does not name its address")?;
            let argument = place.address.argument;
            self.passed(&CallOperands { e, arguments: call.arguments() }, &place, argument)
        };
        for access in accesses.iter().map(one).collect::<Result<Vec<_>, String>>()? {
            for (address, bytes) in access.pieces {
                let is_bad = e.compare(IntPredicate::LLVMIntNE, through(access.happens, address, bytes), address);
                for (operand, instead) in &access.instead {
                    e.set_operand(call, *operand, e.select(is_bad, *instead, call.operand(*operand)));
                }
            }
        }
        Ok(())
    }

    fn passed(
        &self,
        o: &CallOperands<'_, 'm>,
        place: &AddressRange,
        argument: usize,
    ) -> Result<PassedAccess<'m>, String> {
        let (start, instead) = self.replaceable(o.operand(argument)?, place)?;
        let last = o.arguments.len() - 1;
        let size = match place.extent {
            AccessExtent::Argument(i) => Some((i, LITTLE)),
            AccessExtent::Tile(Tile { leading: LeadingDimension::Argument(i), .. }) => Some((i, NARROW)),
            AccessExtent::Tile(Tile { leading: LeadingDimension::LastArgument, .. }) => Some((last, NARROW)),
            _ => None,
        };
        let small = |(i, n): (usize, u64)| Ok::<_, String>((i as u32, o.e.constant(o.operand(i)?.ty(), n)));
        let (happens, pieces) = (self.happens(o, place)?, o.pieces(start, place)?);
        let instead = std::iter::once((argument as u32, instead)).chain(size.map(small).transpose()?).collect();
        Ok(PassedAccess { happens, pieces, instead })
    }

    /// An `i1` value that is true if this thread makes the access.
    fn happens(&self, o: &CallOperands<'_, 'm>, place: &AddressRange) -> Result<Value<'m>, String> {
        let e = o.e;
        let mut all = e.constant(e.integer(1), 1);
        if let Guard::Argument { argument, set } = place.guard {
            let condition = o.operand(argument)?;
            if condition.ty().kind() != LlvmTypeKind::LLVMIntegerTypeKind {
                return Err("its condition is not an integer".into());
            }
            let is = if set { IntPredicate::LLVMIntNE } else { IntPredicate::LLVMIntEQ };
            all = e.compare(is, condition, e.constant(condition.ty(), 0));
        }
        if place.lanes < WARP {
            let takes_part = e.call(self.helper("scuba_lane"), &[e.constant(e.integer(32), place.lanes.into())]);
            all = e.binary(Opcode::LLVMAnd, all, takes_part);
        }
        Ok(all)
    }

    /// Generic address of an access, and the replacement of its operand if the access is bad.
    fn replaceable(&self, operand: Value<'m>, place: &AddressRange) -> Result<(Value<'m>, Value<'m>), String> {
        let Self(e) = self;
        let window = "its address is not in the generic address space, nor in the windows of shared and global memory";
        let is_shared = place.space == StateSpace::Shared || operand.pointer_space() == Some(3);
        if place.space == StateSpace::Other {
            return Err(window.into());
        }
        let (name, room) = if is_shared { ("scuba_shared_sink", SHARED_ROOM) } else { ("scuba_sink", ROOM) };
        // A matrix needs the whole sink.
        let middle = if matches!(place.extent, AccessExtent::Tile(_)) { 0 } else { room };
        let sink = e.offset(self.helper(name), e.constant(e.integer(64), middle));
        let (generic, ty) = (e.pointer(0), operand.ty());
        let width = (ty.kind() == LlvmTypeKind::LLVMIntegerTypeKind).then(|| ty.int_width());
        let (start, instead) = match (operand.pointer_space(), width, is_shared) {
            (Some(0), _, false) => (operand, self.generic(sink)),
            (Some(1), _, false) | (Some(3), _, true) => (self.generic(operand), sink),
            (_, Some(64), false) => {
                let sink = e.cast(Opcode::LLVMPtrToInt, self.generic(sink), ty);
                (e.cast(Opcode::LLVMIntToPtr, operand, generic), sink)
            }
            (_, Some(32 | 64), true) => {
                let pointer = e.cast(Opcode::LLVMIntToPtr, operand, e.pointer(3));
                (self.generic(pointer), e.cast(Opcode::LLVMPtrToInt, sink, ty))
            }
            _ => return Err(window.into()),
        };
        match place.address.offset {
            0 => Ok((start, instead)),
            far if far.unsigned_abs() > room / 2 => Err(format!("it goes {far} bytes beyond its operand")),
            near => Ok((e.offset(start, e.constant(e.integer(64), near.cast_unsigned())), instead)),
        }
    }
}

/// Operands of a call.
struct CallOperands<'e, 'm> {
    e: &'e Editor<'m>,
    arguments: Vec<Value<'m>>,
}

impl<'m> CallOperands<'_, 'm> {
    fn operand(&self, i: usize) -> Result<Value<'m>, String> {
        self.arguments.get(i).copied().ok_or_else(|| "its operands differ from those of its text".into())
    }

    /// Zero-extends an unsigned 32-bit integer to 64 bits.
    fn wide(&self, i: usize) -> Result<Value<'m>, String> {
        let (value, long) = (self.operand(i)?, self.e.integer(64));
        match value.ty() {
            ty if ty == self.e.integer(32) || ty == self.e.integer(16) => {
                Ok(self.e.cast(Opcode::LLVMZExt, value, long))
            }
            ty if ty == long => Ok(self.e.binary(Opcode::LLVMAnd, value, self.e.constant(long, u32::MAX.into()))),
            _ => Err("its size is not an integer".into()),
        }
    }

    /// Address and bytes of each piece of an access.
    fn pieces(&self, start: Value<'m>, place: &AddressRange) -> Result<Vec<(Value<'m>, Value<'m>)>, String> {
        let long = |n: u64| self.e.constant(self.e.integer(64), n);
        let tile = match place.extent {
            AccessExtent::Bytes(n) => return Ok(vec![(start, long(n))]),
            AccessExtent::Argument(i) => return Ok(vec![(start, self.wide(i)?)]),
            AccessExtent::Tile(tile) => tile,
        };
        let multiple = |a, n: u64| self.e.binary(Opcode::LLVMMul, a, long(n));
        let bytes = tile.line_bytes.get();
        let leading = match tile.leading {
            LeadingDimension::Packed => long(bytes * 8),
            LeadingDimension::Argument(i) => multiple(self.wide(i)?, tile.bits.into()),
            LeadingDimension::LastArgument => multiple(self.wide(self.arguments.len() - 1)?, tile.bits.into()),
        };
        let line = |i: u32| self.e.binary(Opcode::LLVMLShr, multiple(leading, i.into()), long(3));
        Ok((0..tile.lines).map(|i| (self.e.offset(start, line(i)), long(bytes))).collect())
    }
}
