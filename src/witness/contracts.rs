//! Contracts at the calls and launches of a run: whether one holds of the values at hand.
//!
//! In: the condition that somebody seeks to be broken, a function that is about to be called or launched with these values. Out: a fault at the
//! call where the condition does not hold. What the run does not know decides nothing.

use super::api::{Fault, Required};
use super::machine::call::Stop;
use super::machine::state::Machine;
use super::machine::thread::{Launch, Thread, site_of};
use super::machine::value::Val;
use super::memory::globals::leaves;
use super::memory::space::split;
use crate::contracts::ast::{Axis, Launch as Word};
use crate::contracts::eval::{Truth, eval};
use crate::contracts::world::{Reading, Value, World};
use crate::ir::{FuncRef, Function, Program, TypeKind};
use crate::report::finding::Direction;

/// Nodes of a condition that are visited, each value of a `forall` again.
const STEPS: u64 = 1_000_000;

impl Machine<'_> {
    /// Whether somebody seeks a broken contract of this function.
    #[inline]
    pub(in crate::witness) fn contract_of(&self, f: FuncRef) -> Option<&Required> {
        self.seen.target.as_ref()?.contract.as_ref().filter(|c| c.function == f)
    }

    /// The arguments that a run begins with are such as a caller may give.
    ///
    /// # Errors
    /// Where they are not, which ends the run.
    pub(in crate::witness) fn keeps_to_contracts(&mut self, th: &Thread, f: FuncRef, args: &[Val]) -> Result<(), Stop> {
        for required in self.inputs.required.clone() {
            let world = Called { machine: self, th, f, args, launch: None };
            match eval(&required.condition, &world, STEPS) {
                Ok(Truth::True) => {}
                Ok(Truth::False | Truth::Undefined(_)) => {
                    return Err(Stop::Ended(format!("`{}`, its contract, does not hold", required.condition)));
                }
                Err(why) => self
                    .seen
                    .doubt(format!("whether `{}`, its contract, holds is not known: {why}", required.condition)),
            }
        }
        Ok(())
    }

    /// A function of the host is called: the call is the innermost frame's.
    ///
    /// # Errors
    /// Where its contract is broken, which is what is sought.
    #[cold]
    pub(in crate::witness) fn contract_at_call(&mut self, th: &Thread, f: FuncRef, args: &[Val]) -> Result<(), Stop> {
        let depth = th.frames.len();
        self.owe(th, f, args, None, depth)
    }

    /// A kernel is launched with so many bytes of dynamic shared memory.
    ///
    /// # Errors
    /// As [`Self::contract_at_call`].
    #[cold]
    pub(in crate::witness) fn contract_at_launch(
        &mut self,
        th: &Thread,
        launch: &Launch,
        (args, shared): (&[Val], u64),
    ) -> Result<(), Stop> {
        // The launch is the user's call of the stub, where there is one.
        let stub = th
            .frames
            .last()
            .is_some_and(|f| Program::kernel_symbol_of_stub(&self.program.func(f.code.func).name).is_some());
        self.owe(th, launch.kernel, args, Some((launch, shared)), th.frames.len() - usize::from(stub))
    }

    fn owe(
        &mut self,
        th: &Thread,
        f: FuncRef,
        args: &[Val],
        launch: Option<(&Launch, u64)>,
        depth: usize,
    ) -> Result<(), Stop> {
        let Some(required) = self.contract_of(f).cloned() else { return Ok(()) };
        let world = Called { machine: self, th, f, args, launch };
        match eval(&required.condition, &world, STEPS) {
            Ok(Truth::True) => Ok(()),
            Ok(Truth::False | Truth::Undefined(_)) => {
                let Some(frame) = depth.checked_sub(1).and_then(|i| th.frames.get(i)) else { return Ok(()) };
                let site = site_of(&frame.code, frame.pc.wrapping_sub(1));
                self.fault_at(th, depth, site, (Fault::BrokenContract, 0, 0, Direction::Read))
            }
            Err(why) => {
                self.seen.doubt(format!(
                    "whether `{}` holds where `{}` is called: {why}",
                    required.condition,
                    self.program.func(f).display
                ));
                Ok(())
            }
        }
    }
}

/// A call with its values, as a contract sees it.
struct Called<'a, 'p> {
    machine: &'a Machine<'p>,
    th: &'a Thread,
    f: FuncRef,
    args: &'a [Val],
    launch: Option<(&'a Launch, u64)>,
}

/// A pointer, and bytes of what it points to, where they are known.
type Pointer = (u64, Option<u64>);

impl Called<'_, '_> {
    fn function(&self) -> &Function {
        self.machine.program.func(self.f)
    }

    /// Bytes and offset of the object that an address was meant for.
    fn object(&self, address: u64) -> Option<(u64, i64)> {
        let (id, offset) = split(address);
        self.machine.mem.get(&self.th.stack, id).map(|o| (o.size, offset))
    }
}

/// Known, or not.
fn known<T>(value: Option<T>) -> Reading<T> {
    value.map_or(Reading::Unknown, Reading::Value)
}

impl World for Called<'_, '_> {
    type Pointer = Pointer;
    /// Structures are not looked into.
    type Object = ();

    fn name(&self, name: &str) -> Reading<Value<Pointer, ()>> {
        let func = self.function();
        let m = self.machine.program.module(self.f.module);
        let mut slot = 0;
        for (i, p) in func.params.iter().enumerate() {
            let slots = if p.byval.is_some() { 1 } else { leaves(m, p.ty).len() };
            if p.name != name {
                slot += slots;
                continue;
            }
            let Some(v) = self.args.get(slot).copied().and_then(Val::known) else { return Reading::Unknown };
            return match m.ty(p.ty).kind {
                TypeKind::Int(bits) if bits <= 64 => {
                    let unsigned = v << (64 - bits.max(1)) >> (64 - bits.max(1));
                    let signed = (v << (64 - bits.max(1))).cast_signed() >> (64 - bits.max(1));
                    let plain = bits == 1 || func.is_unsigned(name);
                    Reading::Value(Value::Int(if plain { i128::from(unsigned) } else { i128::from(signed) }))
                }
                TypeKind::Ptr(_) if p.byval.is_some() => Reading::Unknown,
                TypeKind::Ptr(_) if v == 0 => Reading::Value(Value::Null),
                TypeKind::Ptr(_) => Reading::Value(Value::Pointer((v, func.element_bytes(i)))),
                _ => Reading::Unknown,
            };
        }
        Reading::Unknown
    }

    fn launch(&self, term: Word) -> Reading<i128> {
        let Some((launch, shared)) = self.launch else { return Reading::Unknown };
        let axis = |of: [u32; 3], a: Axis| {
            i128::from(
                of[match a {
                    Axis::X => 0,
                    Axis::Y => 1,
                    Axis::Z => 2,
                }],
            )
        };
        Reading::Value(match term {
            Word::Grid(a) => axis(launch.grid, a),
            Word::Block(a) => axis(launch.block, a),
            Word::DynamicShared => i128::from(shared),
        })
    }

    fn member(&self, (): &(), _: &str) -> Reading<Value<Pointer, ()>> {
        Reading::Unknown
    }

    fn method(&self, _: &Value<Pointer, ()>, _: &str, _: &[i128]) -> Reading<Value<Pointer, ()>> {
        Reading::Unknown
    }

    fn load(&self, _: &Pointer) -> Reading<Value<Pointer, ()>> {
        Reading::Unknown
    }

    fn advance(&self, (address, size): &Pointer, elements: i128) -> Reading<Pointer> {
        let bytes = size.and_then(|s| i64::try_from(i128::from(s).checked_mul(elements)?).ok());
        known(bytes.map(|b| (address.wrapping_add_signed(b), *size)))
    }

    fn extent(&self, (address, _): &Pointer) -> Reading<i128> {
        known(self.object(*address).map(|(size, offset)| i128::from(size) - i128::from(offset)))
    }

    fn element_size(&self, (_, size): &Pointer) -> Reading<i128> {
        known(size.map(i128::from))
    }

    fn size_of(&self, _: &str) -> Reading<i128> {
        Reading::Unknown
    }

    fn same(&self, (a, _): &Pointer, (b, _): &Pointer) -> Reading<bool> {
        Reading::Value(a == b)
    }

    fn shares(&self, (a, _): &Pointer, (b, _): &Pointer) -> Reading<bool> {
        // From either to the end of one object.
        known(
            self.object(*a)
                .zip(self.object(*b))
                .map(|((size, at), (_, other))| split(*a).0 == split(*b).0 && at.max(other) < size.cast_signed()),
        )
    }
}
