//! Evaluates contracts at the calls and launches of a run on concrete values.
//!
//! In: the condition to break, and a function about to be called or launched with concrete values. Out: a fault at
//! the call if the condition does not hold. An unknown value decides nothing.

use super::api::{AccessFault, RequiredCondition};
use super::machine::call::ThreadStop;
use super::machine::state::Machine;
use super::machine::thread::{CurrentLaunch, Thread, site_of};
use super::machine::value::Val;
use super::memory::globals::leaves;
use super::memory::space::split;
use contracts::ast::{Dim3Member, LaunchProperty};
use contracts::eval::{Truth, eval};
use contracts::world::{TermValue, World, WorldAnswer};
use finding::Direction;
use ir::{
    ArithmeticType, FuncRef, Function, Module, Program, TypeId, TypeKind, element_name, plain_number, pointee_name,
};
use models::{tensors, views};

/// Most nodes of a condition to evaluate; each value of a `forall` counts again.
const STEPS: u64 = 1_000_000;

impl Machine<'_> {
    /// Contract of `f`, if the run looks for a violation of it.
    #[inline]
    pub(crate) fn contract_of(&self, f: FuncRef) -> Option<&RequiredCondition> {
        self.seen.target.as_ref()?.contract.as_ref().filter(|c| c.function == f)
    }

    /// Checks that a caller may give the run's initial arguments.
    ///
    /// # Errors
    /// Ends the run if a caller may not.
    pub(crate) fn keeps_to_contracts(&mut self, th: &Thread, f: FuncRef, args: &[Val]) -> Result<(), ThreadStop> {
        if self.inputs.impossible {
            return Err(ThreadStop::Ended(
                "no caller passes these: they violate what one of their types means".to_owned(),
            ));
        }
        for required in self.inputs.required.clone() {
            let world = EvaluatedCall { machine: self, th, f, args, launch: None };
            match eval(&required.condition, &world, STEPS) {
                Ok(Truth::True) => {}
                Ok(Truth::False | Truth::Undefined(_)) => {
                    return Err(ThreadStop::Ended(format!("`{}`, its contract, does not hold", required.condition)));
                }
                Err(why) => self
                    .seen
                    .doubt(format!("whether `{}`, its contract, holds is not known: {why}", required.condition)),
            }
        }
        Ok(())
    }

    /// Checks the contract of a host function at its call, which is the innermost frame's.
    ///
    /// # Errors
    /// Stops if the contract is broken and this is the fault that the run looks for.
    #[cold]
    pub(crate) fn contract_at_call(&mut self, th: &Thread, f: FuncRef, args: &[Val]) -> Result<(), ThreadStop> {
        let depth = th.frames.len();
        self.owe(th, f, args, None, depth)
    }

    /// Checks a kernel's contract at its launch with `shared` bytes of dynamic shared memory.
    ///
    /// # Errors
    /// As [`Self::contract_at_call`].
    #[cold]
    pub(crate) fn contract_at_launch(
        &mut self,
        th: &Thread,
        launch: &CurrentLaunch,
        (args, shared): (&[Val], u64),
    ) -> Result<(), ThreadStop> {
        // If a launch stub exists, the launch site is the user's call of the stub.
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
        launch: Option<(&CurrentLaunch, u64)>,
        depth: usize,
    ) -> Result<(), ThreadStop> {
        let Some(required) = self.contract_of(f).cloned() else { return Ok(()) };
        let world = EvaluatedCall { machine: self, th, f, args, launch };
        match eval(&required.condition, &world, STEPS) {
            Ok(Truth::True) => Ok(()),
            Ok(Truth::False | Truth::Undefined(_)) => {
                let Some(frame) = depth.checked_sub(1).and_then(|i| th.frames.get(i)) else { return Ok(()) };
                let site = site_of(&frame.code, frame.pc.wrapping_sub(1));
                self.fault_at(th, depth, site, (AccessFault::BrokenContract, 0, 0, Direction::Read))
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

/// A call and its argument values, as the contract evaluator sees them.
struct EvaluatedCall<'a, 'p> {
    machine: &'a Machine<'p>,
    th: &'a Thread,
    f: FuncRef,
    args: &'a [Val],
    launch: Option<(&'a CurrentLaunch, u64)>,
}

/// A typed memory location.
#[derive(Clone)]
pub(crate) struct TypedLocation {
    address: u64,
    /// Element size in bytes, if known.
    size: Option<u64>,
    ty: Option<TypeId>,
    unsigned: bool,
    /// Type name as the source spells it.
    name: String,
    /// Contents of the two eight-byte registers of a structure passed in registers; `address` is then a byte offset
    /// into them.
    registers: Option<[Option<u64>; 2]>,
}

impl TypedLocation {
    /// Reads `bytes` bytes at the location's offset from its registers, if it has any.
    fn in_registers(&self, bytes: u32) -> Option<u64> {
        let (word, from) = (usize::try_from(self.address / 8).ok()?, self.address % 8);
        let value = (*self.registers?.get(word)?)?;
        let whole = from + u64::from(bytes) <= 8;
        whole.then(|| value >> (8 * from) & (u64::MAX >> (64 - 8 * bytes.clamp(1, 8))))
    }
}

impl EvaluatedCall<'_, '_> {
    fn function(&self) -> &Function {
        self.machine.program.func(self.f)
    }

    fn module(&self) -> &Module {
        self.machine.program.module(self.f.module)
    }

    /// Location at `address` with the pointee type of the pointer type `type_name`.
    fn pointed(&self, address: u64, type_name: &str) -> TypedLocation {
        let m = self.module();
        let name = pointee_name(type_name).unwrap_or_default();
        let plain = name.trim_start_matches("const ").trim();
        let ty = m.type_named(name);
        TypedLocation {
            address,
            size: ty.map(|ty| m.size_of(ty).get()).filter(|b| *b > 0).or_else(|| match plain_number(plain)? {
                ArithmeticType::Int { bits, .. } | ArithmeticType::Float(bits) => Some(u64::from(bits / 8)),
            }),
            ty,
            unsigned: matches!(plain_number(plain), Some(ArithmeticType::Int { unsigned: true, .. })),
            name: plain.to_owned(),
            registers: None,
        }
    }

    /// The structure `name`, if it is passed by value in registers.
    fn in_registers(&self, name: &str) -> Option<TypedLocation> {
        let (func, m) = (self.function(), self.module());
        let (mut slot, mut registers, mut of) = (0, [None; 2], None);
        for (i, p) in func.params.iter().enumerate() {
            if let Some((_, ty, at)) = func.in_registers(i).filter(|(n, ..)| *n == name) {
                let word = usize::try_from(at / 8).ok()?;
                *registers.get_mut(word)? = self.args.get(slot).copied().and_then(Val::known);
                of = Some(ty);
            }
            slot += if p.byval.is_some() { 1 } else { leaves(m, p.ty).len() };
        }
        let name = func.declared_type(name).unwrap_or_default().to_owned();
        Some(TypedLocation { address: 0, size: None, ty: Some(of?), unsigned: false, name, registers: Some(registers) })
    }

    /// The tensor implementation behind a tensor handle.
    fn tensor(&self, handle: &TypedLocation) -> Option<TypedLocation> {
        let ty = tensors::is_handle(&handle.name).then(|| self.module().type_named(tensors::TENSOR))??;
        let address = self.read(handle.address, 8)?;
        Some(TypedLocation { address, ty: Some(ty), name: tensors::TENSOR.to_owned(), ..handle.clone() })
    }

    /// Reads `bytes` bytes at an address, if they are known.
    fn read(&self, address: u64, bytes: u32) -> Option<u64> {
        let (id, offset) = split(address);
        let object = self.machine.mem.get(&self.th.stack, id)?;
        object.holds(offset, u64::from(bytes)).then(|| object.store.read(offset.cast_unsigned(), bytes).known())?
    }

    /// Value of a location by its type: an integer, a pointer, an object, or an array as the pointer to its first
    /// element.
    fn held(&self, at: &TypedLocation) -> WorldAnswer<TermValue<TypedLocation, TypedLocation>> {
        let m = self.module();
        let Some(ty) = at.ty else { return WorldAnswer::Unknown };
        let read = |bytes: u32| {
            if at.registers.is_some() { at.in_registers(bytes) } else { self.read(at.address, bytes) }
        };
        match &m.ty(ty).kind {
            TypeKind::Int(bits) if *bits <= 64 => {
                known(read(bits.div_ceil(8)).map(|v| TermValue::Int(number(v, *bits, at.unsigned))))
            }
            TypeKind::Ptr(_) => known(read(8).map(|v| match v {
                0 => TermValue::Null,
                v => TermValue::Pointer(self.pointed(v, &at.name)),
            })),
            TypeKind::Array { elem, .. } => WorldAnswer::Value(TermValue::Pointer(TypedLocation {
                address: at.address,
                size: Some(m.size_of(*elem).get()).filter(|b| *b > 0),
                ty: Some(*elem),
                unsigned: at.unsigned,
                name: element_name(&at.name),
                registers: at.registers,
            })),
            TypeKind::Struct { .. } => WorldAnswer::Value(TermValue::Object(at.clone())),
            _ => WorldAnswer::Unknown,
        }
    }

    /// Value of `data` or `size` of a standard-library container, from its pointers to its first element and past its
    /// last one.
    fn of_container(&self, of: &TypedLocation, name: &str) -> Option<TermValue<TypedLocation, TypedLocation>> {
        let m = self.module();
        let element = views::container(m.ty(of.ty?).source.as_deref()?)?;
        let first = self.pointed(0, &format!("{element} *"));
        let word = |at: u64| match self.held(&TypedLocation {
            address: of.address.wrapping_add(at),
            ty: m.type_named("void *"),
            name: "void *".to_owned(),
            ..of.clone()
        }) {
            WorldAnswer::Value(TermValue::Pointer(p)) => Some(p.address),
            WorldAnswer::Value(TermValue::Null) => Some(0),
            _ => None,
        };
        match name {
            "data" => Some(TermValue::Pointer(TypedLocation { address: word(0)?, ..first })),
            "size" => {
                let bytes = word(8)?.wrapping_sub(word(0)?);
                Some(TermValue::Int(i128::from(bytes.checked_div(first.size?)?)))
            }
            _ => None,
        }
    }

    /// Size in bytes of the object that an address was meant for, and the address's offset in it.
    fn object(&self, address: u64) -> Option<(u64, i64)> {
        let (id, offset) = split(address);
        self.machine.mem.get(&self.th.stack, id).map(|o| (o.size, offset))
    }
}

/// Converts `None` to [`WorldAnswer::Unknown`].
fn known<T>(value: Option<T>) -> WorldAnswer<T> {
    value.map_or(WorldAnswer::Unknown, WorldAnswer::Value)
}

/// The lowest `bits` bits of `v` as an integer.
fn number(v: u64, bits: u32, unsigned: bool) -> i128 {
    let shift = 64 - bits.max(1);
    if unsigned { i128::from(v << shift >> shift) } else { i128::from((v << shift).cast_signed() >> shift) }
}

impl World for EvaluatedCall<'_, '_> {
    type Pointer = TypedLocation;
    type Object = TypedLocation;

    fn name(&self, name: &str) -> WorldAnswer<TermValue<TypedLocation, TypedLocation>> {
        let func = self.function();
        let m = self.machine.program.module(self.f.module);
        let mut slot = 0;
        for (i, p) in func.params.iter().enumerate() {
            let slots = if p.byval.is_some() { 1 } else { leaves(m, p.ty).len() };
            if p.name != name {
                slot += slots;
                continue;
            }
            let Some(v) = self.args.get(slot).copied().and_then(Val::known) else { return WorldAnswer::Unknown };
            return match m.ty(p.ty).kind {
                TypeKind::Int(bits) if bits <= 64 => {
                    WorldAnswer::Value(TermValue::Int(number(v, bits, bits == 1 || func.is_unsigned(name))))
                }
                TypeKind::Ptr(_) => {
                    let type_name = func.declared_type(name).unwrap_or_default();
                    if let Some(ty) = p.byval {
                        let at = TypedLocation { ty: Some(ty), size: None, ..self.pointed(v, type_name) };
                        let at = TypedLocation { unsigned: false, name: type_name.into(), ..at };
                        return WorldAnswer::Value(TermValue::Object(at));
                    }
                    if v == 0 {
                        return WorldAnswer::Value(TermValue::Null);
                    }
                    let at = TypedLocation { size: func.element_bytes(i), ..self.pointed(v, type_name) };
                    let declared = p.class.as_deref().unwrap_or(type_name);
                    if tensors::is_handle(declared) {
                        return WorldAnswer::Value(TermValue::Object(TypedLocation {
                            ty: None,
                            name: declared.to_owned(),
                            ..at
                        }));
                    }
                    let structure = at.ty.is_some_and(|ty| matches!(m.ty(ty).kind, TypeKind::Struct { .. }));
                    let by_reference = structure && type_name.ends_with('&');
                    WorldAnswer::Value(if by_reference { TermValue::Object(at) } else { TermValue::Pointer(at) })
                }
                _ => WorldAnswer::Unknown,
            };
        }
        known(self.in_registers(name).map(TermValue::Object))
    }

    fn launch(&self, term: LaunchProperty) -> WorldAnswer<i128> {
        let Some((launch, shared)) = self.launch else { return WorldAnswer::Unknown };
        let axis = |of: [u32; 3], a: Dim3Member| {
            i128::from(
                of[match a {
                    Dim3Member::X => 0,
                    Dim3Member::Y => 1,
                    Dim3Member::Z => 2,
                }],
            )
        };
        WorldAnswer::Value(match term {
            LaunchProperty::Grid(a) => axis(launch.grid, a),
            LaunchProperty::Block(a) => axis(launch.block, a),
            LaunchProperty::DynamicShared => i128::from(shared),
        })
    }

    fn member(&self, of: &TypedLocation, name: &str) -> WorldAnswer<TermValue<TypedLocation, TypedLocation>> {
        let m = self.module();
        let Some((at, field)) = of.ty.and_then(|ty| m.member(ty, name)) else { return WorldAnswer::Unknown };
        let declared = field.declared.as_ref();
        self.held(&TypedLocation {
            address: of.address.wrapping_add(at),
            registers: of.registers,
            size: None,
            ty: Some(field.ty),
            unsigned: declared.is_some_and(|d| d.unsigned),
            name: declared.map(|d| d.type_name.clone()).unwrap_or_default(),
        })
    }

    fn method(
        &self,
        of: &TermValue<TypedLocation, TypedLocation>,
        name: &str,
        args: &[i128],
    ) -> WorldAnswer<TermValue<TypedLocation, TypedLocation>> {
        let TermValue::Object(of) = of else { return WorldAnswer::Unknown };
        if let ([], Some(found)) = (args, self.of_container(of, name)) {
            return WorldAnswer::Value(found);
        }
        let (Some(of), Some(answer)) = (self.tensor(of), tensors::answer(name, args)) else {
            return WorldAnswer::Unknown;
        };
        match self.member(&of, "dim") {
            WorldAnswer::Value(TermValue::Int(dim)) if dim < i128::from(answer.dimensions) => {
                return WorldAnswer::Nothing;
            }
            WorldAnswer::Value(TermValue::Int(_)) => {}
            other => return other,
        }
        match self.member(&of, answer.member) {
            WorldAnswer::Value(TermValue::Pointer(first)) => match self.advance(&first, i128::from(answer.index)) {
                WorldAnswer::Value(element) => self.held(&element),
                _ => WorldAnswer::Unknown,
            },
            whole => whole,
        }
    }

    fn element(&self, of: &TypedLocation, index: i128) -> WorldAnswer<TermValue<TypedLocation, TypedLocation>> {
        let Some(tensor) = self.tensor(of) else { return WorldAnswer::Unknown };
        let dtype = match self.member(&tensor, "dtype") {
            WorldAnswer::Value(TermValue::Int(dtype)) => dtype,
            other => return other,
        };
        let bits = tensors::WHOLE_NUMBERS.iter().find(|(t, _)| *t == dtype).map(|(_, bits)| *bits);
        let (Some(bits), WorldAnswer::Value(TermValue::Pointer(data))) = (bits, self.member(&tensor, "data")) else {
            return WorldAnswer::Unknown;
        };
        let at = index.checked_mul(i128::from(bits / 8)).and_then(|by| i64::try_from(by).ok());
        let Some(address) = at.map(|by| data.address.wrapping_add_signed(by)) else { return WorldAnswer::Nothing };
        match self.object(address) {
            Some((size, offset)) if offset < 0 || offset.cast_unsigned() + u64::from(bits / 8) > size => {
                WorldAnswer::Nothing
            }
            _ => known(self.read(address, bits / 8).map(|v| TermValue::Int(number(v, bits, false)))),
        }
    }

    fn load(&self, from: &TypedLocation) -> WorldAnswer<TermValue<TypedLocation, TypedLocation>> {
        self.held(from)
    }

    fn advance(&self, from: &TypedLocation, elements: i128) -> WorldAnswer<TypedLocation> {
        let bytes = from.size.and_then(|s| i64::try_from(i128::from(s).checked_mul(elements)?).ok());
        known(bytes.map(|b| TypedLocation { address: from.address.wrapping_add_signed(b), ..from.clone() }))
    }

    fn extent(&self, of: &TypedLocation) -> WorldAnswer<i128> {
        if of.registers.is_some() {
            return WorldAnswer::Unknown;
        }
        known(self.object(of.address).map(|(size, offset)| i128::from(size) - i128::from(offset)))
    }

    fn element_size(&self, of: &TypedLocation) -> WorldAnswer<i128> {
        known(of.size.map(i128::from))
    }

    fn size_of(&self, name: &str) -> WorldAnswer<i128> {
        let m = self.module();
        let ty = m.type_named(name);
        let named = || ty.map(|ty| i128::from(m.size_of(ty).get())).filter(|b| *b > 0);
        known(match plain_number(name) {
            Some(ArithmeticType::Int { bits, .. } | ArithmeticType::Float(bits)) => Some(i128::from(bits / 8)),
            None => named(),
        })
    }

    fn same(&self, a: &TypedLocation, b: &TypedLocation) -> WorldAnswer<bool> {
        WorldAnswer::Value(a.address == b.address)
    }

    fn shares(&self, a: &TypedLocation, b: &TypedLocation) -> WorldAnswer<bool> {
        if a.registers.is_some() || b.registers.is_some() {
            return WorldAnswer::Unknown;
        }
        // Two pointers share bytes if both are in one object, before its end.
        known(self.object(a.address).zip(self.object(b.address)).map(|((size, at), (_, other))| {
            split(a.address).0 == split(b.address).0 && at.max(other) < size.cast_signed()
        }))
    }
}
