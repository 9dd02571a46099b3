//! Objects of the program's variables, created at their first use.

use super::space::{Obj, WindowId, split};
use super::store::Fill;
use crate::api::Cause;
use crate::api::ObjectKind;
use crate::machine::state::Machine;
use crate::machine::value::{Reason, Val, mask, parse_fp80};
use ir::{Const, Global, GlobalId, Module, ModuleId, Side, TypeDef, TypeId, TypeKind, space};

impl Machine<'_> {
    /// Address of a new object as a variable of the host begins; `None` where it is not defined, or where memory is none of a variable.
    pub fn another_variable(&mut self, address: u64) -> Option<u64> {
        let of = self.globals.iter().find(|(_, a)| **a == address).map(|(r, _)| *r)?;
        if !self.program.global(of).defined {
            return None;
        }
        self.globals.remove(&of);
        let own = self.global_address(of.module, of.global);
        self.globals.insert(of, address);
        (own != 0).then_some(own)
    }

    /// Address of a variable as `module` names it.
    pub fn global_address(&mut self, module: ModuleId, global: GlobalId) -> u64 {
        let r = self.program.resolve_global(module, global);
        if let Some(a) = self.globals.get(&r) {
            return *a;
        }
        let program = self.program;
        let (m, g) = (program.module(r.module), program.global(r));
        let size = m.size_of(g.ty).get();
        if m.side == Side::Device && g.space == space::SHARED {
            let dynamic = !g.defined || size == 0;
            let id = if dynamic {
                self.dynamic_shared_object()
            } else {
                let fill = Fill::Poison(Reason::UNINIT);
                let obj = Obj::new(ObjectKind::Shared, g.source_name.as_str().into(), size, fill);
                self.mem.add_shared(Obj { align: g.align, ..obj })
            };
            self.globals.insert(r, id.address());
            return id.address();
        }
        let kind = match (m.side, g.space) {
            (Side::Host, _) => ObjectKind::HostGlobal,
            (Side::Device, space::CONSTANT) => ObjectKind::Constant,
            (Side::Device, _) => ObjectKind::DeviceGlobal,
        };
        let name = g.source_name.as_str();
        if !g.defined
            && m.side == Side::Host
            && let Some(a) = self.library_variable(&g.name)
        {
            self.globals.insert(r, a);
            return a;
        }
        let obj = if g.defined {
            Obj { constant: g.constant, align: g.align, ..Obj::new(kind, name.into(), size, initial_fill(g)) }
        } else {
            let why = self.reason(Cause::Other, &format!("`{name}`, which is defined outside the program"));
            Obj::unbounded(ObjectKind::Foreign, name.into(), why)
        };
        let Some(id) = self.mem.add(obj) else { return 0 };
        // The variable's own initialiser may mention it.
        self.globals.insert(r, id.address());
        match &g.init {
            None | Some(Const::Zero(_)) => {}
            Some(Const::Bytes { data, .. }) => {
                if let Some(o) = self.mem.initial_mut(id) {
                    o.store.write_bytes(0, &data[..data.len().min(size as usize)]);
                }
            }
            Some(init) => {
                let scalars = self.const_scalars(r.module, init, g.ty);
                if let Some(o) = self.mem.initial_mut(id) {
                    for (off, bits, v) in scalars {
                        let bytes = u32::from(bits).div_ceil(8);
                        if bits != 0 && off + u64::from(bytes) <= size {
                            o.store.write(off, bytes.min(8), v);
                        }
                    }
                }
            }
        }
        id.address()
    }

    /// Address of a C library variable that models read or set.
    fn library_variable(&mut self, name: &str) -> Option<u64> {
        let content = match name {
            "stdin" => Val::new(self.stdin().ok()?),
            "stdout" | "stderr" => Val::new(self.sink(name).ok()?),
            // glibc: reference counts then need no atomic operations, which would have the same result.
            "optind" | "opterr" | "__libc_single_threaded" => Val::new(1),
            "optarg" => Val::ZERO,
            _ => return None,
        };
        let mut obj = Obj::new(ObjectKind::HostGlobal, name.into(), 8, Fill::Byte(0));
        obj.store.write(0, 8, content);
        self.mem.add(obj).map(WindowId::address)
    }

    /// The object behind every `extern __shared__` array; the launch gives its size.
    pub fn dynamic_shared_object(&mut self) -> WindowId {
        if let Some(id) = self.dynamic_shared {
            return id;
        }
        let id = self.mem.add_shared(Obj::new(
            ObjectKind::DynamicShared,
            "dynamic shared memory".into(),
            0,
            Fill::Poison(Reason::UNINIT),
        ));
        self.dynamic_shared = Some(id);
        id
    }

    /// Object of the device variable that a host variable shadows.
    pub fn device_twin(&mut self, host: u64) -> Option<WindowId> {
        let r = *self.globals.iter().find(|(_, a)| split(**a).0 == split(host).0)?.0;
        let twin = self.program.device_variable(r)?;
        let address = self.global_address(twin.module, twin.global);
        Some(split(address).0)
    }

    /// Scalars of a constant: offset in bytes, width in bits, value. Long byte strings and zero-filled parts are left
    /// out if the caller fills them.
    pub fn const_scalars(&mut self, module: ModuleId, c: &Const, ty: TypeId) -> Vec<(u64, u8, Val)> {
        let mut out = Vec::new();
        self.flatten(module, c, ty, 0, &mut out);
        out
    }

    fn flatten(&mut self, module: ModuleId, c: &Const, ty: TypeId, at: u64, out: &mut Vec<(u64, u8, Val)>) {
        let program = self.program;
        let m = program.module(module);
        match c {
            Const::Int { bits, value } if *bits <= 64 => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "at most 64 bits by the guard"
                )]
                out.push((at, *bits as u8, Val::new(*value as u64 & mask(*bits))));
            }
            Const::Address { value, .. } => out.push((at, 64, Val::new(*value))),
            Const::Int { value, .. } => {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the two halves")]
                {
                    out.push((at, 64, Val::new(*value as u64)));
                    out.push((at + 8, 64, Val::new((*value >> 64) as u64)));
                }
            }
            Const::Float { bits, value } if *bits <= 64 => {
                out.push((at, u8::try_from(*bits).unwrap_or(64), Val::new(*value)));
            }
            Const::Float { .. } | Const::Opaque { .. } => {
                if let Const::Opaque { what, .. } = c
                    && is_fp80(m, ty)
                    && let Some(v) = parse_fp80(what)
                {
                    out.push((at, 80, Val::f64(v)));
                    return;
                }
                let what = if let Const::Opaque { what, .. } = c {
                    what.clone()
                } else {
                    "a wide floating-point constant".to_owned()
                };
                let why = self.reason(Cause::Other, &format!("{what}, which is not modelled"));
                for (off, bits) in leaves(m, ty) {
                    out.push((at + off, bits, Val::poison(why)));
                }
            }
            Const::Zero(_) => {
                for (off, bits) in leaves(m, ty) {
                    out.push((at + off, bits, Val::ZERO));
                }
            }
            Const::Undef(_) => {
                for (off, bits) in leaves(m, ty) {
                    out.push((at + off, bits, Val::UNINIT));
                }
            }
            Const::Global { id, offset } => {
                let a = self.global_address(module, *id).wrapping_add_signed(*offset);
                out.push((at, 64, Val::new(a)));
            }
            Const::Func(f) => {
                let r = program.resolve_func(module, *f);
                out.push((at, 64, Val::new(self.mem.func_address(r))));
            }
            Const::Aggregate { ty, elems } => {
                let parts = parts(m, *ty);
                for (e, (off, t)) in elems.iter().zip(parts) {
                    self.flatten(module, e, t, at + off, out);
                }
            }
            Const::Bytes { ty, data } => {
                // Elements of an array or vector of integers or floats.
                let width = match &m.ty(*ty).kind {
                    TypeKind::Array { elem, .. } | TypeKind::Vector { elem, .. } => m.size_of(*elem).get().clamp(1, 8),
                    _ => 1,
                };
                for (i, chunk) in data.chunks(width as usize).enumerate() {
                    let mut raw = [0; 8];
                    raw[..chunk.len()].copy_from_slice(chunk);
                    out.push((at + i as u64 * width, (chunk.len() * 8) as u8, Val::new(u64::from_le_bytes(raw))));
                }
            }
        }
    }
}

fn initial_fill(g: &Global) -> Fill {
    match &g.init {
        // Variables without an initialiser are zero in C and CUDA; shared ones are handled elsewhere.
        None | Some(Const::Zero(_) | Const::Aggregate { .. } | Const::Int { .. } | Const::Bytes { .. }) => {
            Fill::Byte(0)
        }
        Some(_) => Fill::Poison(Reason::UNINIT),
    }
}

/// Members of an aggregate with their byte offsets.
pub fn parts(m: &Module, ty: TypeId) -> Vec<(u64, TypeId)> {
    match &m.ty(ty).kind {
        TypeKind::Array { elem, count } | TypeKind::Vector { elem, count } => {
            count.offsets(m.size_of(*elem)).map(|at| (at, *elem)).collect()
        }
        TypeKind::Struct { fields, .. } => fields.iter().map(|f| (f.offset, f.ty)).collect(),
        _ => Vec::new(),
    }
}

/// Whether a type is `long double` on x86, which the analysis form represents only by name.
pub fn is_fp80(m: &Module, ty: TypeId) -> bool {
    matches!(&m.ty(ty).kind, TypeKind::Other(name) if name == "x86_fp80")
}

/// Most scalars of a value that the machine keeps in registers.
pub const MAX_LEAVES: usize = 1 << 16;

/// Scalars of a type: byte offset and width in bits, 0 if not modelled.
pub fn leaves(m: &Module, ty: TypeId) -> Vec<(u64, u8)> {
    fn go(m: &Module, ty: TypeId, at: u64, out: &mut Vec<(u64, u8)>) {
        if out.len() > MAX_LEAVES {
            return;
        }
        let TypeDef { kind, .. } = m.ty(ty);
        match kind {
            TypeKind::Void => {}
            TypeKind::Int(128) => out.extend([(at, 64), (at + 8, 64)]),
            TypeKind::Int(b) | TypeKind::Float(b) => {
                out.push((at, u8::try_from(*b).ok().filter(|b| *b <= 64).unwrap_or(0)));
            }
            TypeKind::Ptr(_) => out.push((at, 64)),
            TypeKind::Other(_) => out.push((at, if is_fp80(m, ty) { 80 } else { 0 })),
            TypeKind::Array { .. } | TypeKind::Vector { .. } | TypeKind::Struct { .. } => {
                for (off, t) in parts(m, ty) {
                    if out.len() > MAX_LEAVES {
                        return;
                    }
                    go(m, t, at + off, out);
                }
            }
        }
    }
    let mut out = Vec::new();
    go(m, ty, 0, &mut out);
    out
}
