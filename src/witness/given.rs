//! Arguments of a root other than `main`: scalars, and objects behind pointers, filled from
//! [`Inputs`](super::api::ConcreteInputs).

use super::api::{Cause, ObjectKind};
use super::machine::call::ThreadStop;
use super::machine::state::Machine;
use super::machine::thread::Thread;
use super::machine::value::{Reason, Val, float_bits, mask};
use super::memory::globals::leaves;
use super::memory::space::{Obj, WindowId};
use super::memory::store::Fill;
use finding::{HeldScalar, HeldValue};
use ir::{FuncRef, Side, TypeKind};
use models::dlpack::{CONVERSION, Carrier, carrier};
use models::tensors::OF_STORAGE;
use rustc_hash::FxHashMap;

impl Machine<'_> {
    pub(super) fn root_arguments(&mut self, root: FuncRef) -> Result<Vec<Val>, ThreadStop> {
        let program = self.program;
        let (m, f) = (program.module(root.module), program.func(root));
        let mut out = Vec::new();
        let mut objects: FxHashMap<String, WindowId> = FxHashMap::default();
        // Parts of structures passed in registers: argument index, object, byte offset, number of bytes.
        let mut parts: Vec<(usize, WindowId, u64, u32)> = vec![];
        for (i, p) in f.params.iter().enumerate() {
            if let Some((name, ty, at)) = f.in_registers(i)
                && matches!(m.ty(p.ty).kind, TypeKind::Int(1..=64) | TypeKind::Ptr(_))
            {
                let id = match objects.get(name) {
                    Some(id) => *id,
                    None => {
                        let why = self.reason(Cause::Other, &format!("`{name}`, a parameter of `{}`", f.display));
                        let size = m.size_of(ty).get();
                        self.given_object(Obj::new(ObjectKind::KernelParam, name.into(), size, Fill::Poison(why)))?
                    }
                };
                objects.insert(name.to_owned(), id);
                parts.push((out.len(), id, at, u32::try_from(m.size_of(p.ty).get()).unwrap_or(8)));
                out.push(Val::ZERO);
                continue;
            }
            if let (Some(carrier), Side::Host) = (carrier(m, f, i), m.side) {
                out.push(Val::new(self.carrier_given(&p.name, &carrier, &mut objects)?));
                continue;
            }
            let given = self.inputs.args.get(i).copied();
            let name = if p.name.is_empty() { format!("parameter {}", i + 1) } else { p.name.clone() };
            let why = self.reason(Cause::Other, &format!("`{name}`, a parameter of `{}`", f.display));
            match (&m.ty(p.ty).kind, given) {
                (TypeKind::Ptr(_), _) if p.byval.is_some() => {
                    let size = p.byval.map_or(0, |t| m.size_of(t).get());
                    let obj = Obj::new(ObjectKind::KernelParam, name.as_str().into(), size, Fill::Poison(why));
                    let id = self.given_object(obj)?;
                    objects.insert(name, id);
                    out.push(Val::new(id.address()));
                }
                (TypeKind::Ptr(_), _) => out.push(Val::new(self.given_pointer(name, why, &mut objects)?)),
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "two's complement of the parameter's width"
                )]
                (TypeKind::Int(w), Some(v)) if *w <= 64 => out.push(Val::new(v as u64 & mask(*w))),
                #[expect(clippy::cast_precision_loss, reason = "an integer argument for a floating-point parameter")]
                (TypeKind::Float(w), Some(v)) if matches!(w, 32 | 64) => {
                    out.push(Val::new(float_bits(v as f64, *w)));
                }
                _ => out.extend(leaves(m, p.ty).iter().map(|_| Val::poison(why))),
            }
        }
        self.hold(&mut objects)?;
        for (argument, id, at, bytes) in parts {
            if let Some(object) = self.mem.global_mut(id) {
                out[argument] = object.store.read(at, bytes);
            }
        }
        Ok(out)
    }

    /// Address of the object of an argument that carries a tensor.
    fn carrier_given(
        &mut self,
        name: &str,
        carrier: &Carrier,
        objects: &mut FxHashMap<String, WindowId>,
    ) -> Result<u64, ThreadStop> {
        let why = self.reason(Cause::Other, &format!("the tensor of `{name}`"));
        let id = self.given_object(Obj::new(
            ObjectKind::HostHeap,
            name.into(),
            u64::from(carrier.bytes),
            Fill::Poison(why),
        ))?;
        objects.insert(name.to_owned(), id);
        Ok(id.address())
    }

    /// Runs the conversions of a root's arguments, as its library does before it calls the root.
    pub(super) fn convert(&mut self, th: &mut Thread, root: FuncRef, args: &[Val]) -> Result<(), ThreadStop> {
        let program = self.program;
        // Each parameter before such an argument has as many values as its type has scalars.
        let (m, f) = (program.module(root.module), program.func(root));
        let mut at = 0;
        for (i, p) in f.params.iter().enumerate() {
            if let Some(carrier) = carrier(m, f, i)
                && let Some(model) = program.own_function(root.module, &format!("{CONVERSION}{}", carrier.class))
                && let Some(argument) = args.get(at)
            {
                let required = carrier.required.iter().map(|n| Val::new(n.cast_unsigned()));
                let given: Vec<Val> = std::iter::once(*argument).chain(required).collect();
                self.call(th, model, &given)?;
            }
            at += leaves(m, p.ty).len();
        }
        Ok(())
    }

    fn given_object(&mut self, obj: Obj) -> Result<WindowId, ThreadStop> {
        self.mem.add(obj).ok_or_else(|| ThreadStop::Unknown("more objects than the interpreter can hold".into()))
    }

    /// Address of the caller's object with this name: a new object, or null.
    fn given_pointer(
        &mut self,
        name: String,
        why: Reason,
        objects: &mut FxHashMap<String, WindowId>,
    ) -> Result<u64, ThreadStop> {
        if self.inputs.null.contains(&name) {
            return Ok(0);
        }
        let tensor = name.strip_suffix(OF_STORAGE).and_then(|of| self.inputs.tensors.get(of));
        let obj = match (self.inputs.extents.get(&name), tensor) {
            // Tensor elements without given contents are 0.
            (Some(bytes), Some(tensor)) => {
                let kind = if tensor.on_device { ObjectKind::Device } else { ObjectKind::HostHeap };
                Obj::new(kind, name.as_str().into(), *bytes, Fill::Byte(0))
            }
            (Some(bytes), None) => Obj::new(ObjectKind::Device, name.as_str().into(), *bytes, Fill::Poison(why)),
            // The caller chose an unknown extent: accesses to the object stay undecided.
            (None, _) => {
                Obj { kind: ObjectKind::Device, ..Obj::unbounded(ObjectKind::Foreign, name.as_str().into(), why) }
            }
        };
        let id = self.given_object(obj)?;
        objects.insert(name, id);
        Ok(id.address())
    }

    /// Writes a `std::string` (libstdc++, C++11 ABI) into an object: a pointer to the characters, their number, and
    /// 16 bytes that hold a short string or the capacity.
    fn hold_text(
        &mut self,
        objects: &FxHashMap<String, WindowId>,
        object: &str,
        at: u64,
        text: &[u8],
    ) -> Result<(), ThreadStop> {
        let Some(id) = objects.get(object).copied() else { return Ok(()) };
        let (length, is_short) = (text.len() as u64, text.len() < 16);
        let characters = if is_short {
            id.address().wrapping_add(at + 16)
        } else {
            let own = Obj::new(ObjectKind::HostHeap, "std::string".into(), length + 1, Fill::Byte(0));
            let own = self.given_object(own)?;
            if let Some(o) = self.mem.global_mut(own) {
                o.store.write_bytes(0, text);
            }
            own.address()
        };
        let Some(held) = self.mem.global_mut(id).filter(|o| o.holds(at.cast_signed(), 32)) else { return Ok(()) };
        held.store.write(at, 8, Val::new(characters));
        held.store.write(at + 8, 8, Val::new(length));
        if is_short {
            held.store.write_bytes(at + 16, &[text, &[0]].concat());
        } else {
            held.store.write(at + 16, 8, Val::new(length));
        }
        Ok(())
    }

    /// Writes the initial contents into the objects given to the root.
    fn hold(&mut self, objects: &mut FxHashMap<String, WindowId>) -> Result<(), ThreadStop> {
        for HeldScalar { object, at, what } in self.inputs.held.clone() {
            let (bytes, value) = match what {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "two's complement of the member's width"
                )]
                HeldValue::Number { bits, value } => (bits.div_ceil(8), value as u64 & mask(bits)),
                HeldValue::Pointer(to) => {
                    let why = self.reason(Cause::Other, &format!("what `{to}` points to"));
                    (8, self.given_pointer(to, why, objects)?)
                }
                HeldValue::Behind { data, bytes } => {
                    let first = objects.get(&object).and_then(|id| self.mem.global_mut(*id)).and_then(|held| {
                        held.holds(data, 8).then(|| held.store.read(data.cast_unsigned(), 8).known())?
                    });
                    let Some(first) = first else { continue };
                    (8, first.wrapping_add_signed(bytes))
                }
                HeldValue::Text(text) => {
                    self.hold_text(objects, &object, at.cast_unsigned(), text.as_bytes())?;
                    continue;
                }
            };
            // A null pointer has no contents, and bytes past the end of an object are dropped.
            let Some(held) = objects.get(&object).and_then(|id| self.mem.global_mut(*id)) else { continue };
            if held.holds(at, u64::from(bytes)) {
                held.store.write(at.cast_unsigned(), bytes, Val::new(value));
            }
        }
        Ok(())
    }
}
