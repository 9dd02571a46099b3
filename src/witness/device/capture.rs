//! Takes the snapshot of a launch: its arguments, and the contents of all memory that the kernel can reach.

use super::block::KernelCall;
use crate::api::ObjectKind;
use crate::machine::state::Machine;
use crate::machine::thread::{CurrentLaunch, Thread};
use crate::machine::value::Val;
use crate::memory::globals::leaves;
use crate::memory::space::{WindowId, looks_like_address, split};
use crate::memory::store::{Fill, ObjectBytes};
use crate::snapshot::{Image, Snapshot, SnapshotObject};
use ir::GlobalRef;

/// Most bytes of contents of one object to keep; the rest stays zero.
const MAX_CONTENTS: usize = 16 << 20;
/// Longest piece of contents; longer ones are split.
const MAX_PIECE: usize = 4096;

impl Machine<'_> {
    /// Snapshot of the launch about to start with these arguments.
    pub fn snapshot(&mut self, args: &KernelCall, launch: &CurrentLaunch) -> Snapshot {
        let program = self.program;
        let (m, f) = (program.module(args.kernel.module), program.func(args.kernel));
        let mut variables: Vec<(WindowId, GlobalRef)> = self
            .globals
            .iter()
            .map(|(r, a)| (split(*a).0, *r))
            .filter(|(id, _)| {
                self.mem.global(*id).is_some_and(|o| matches!(o.kind, ObjectKind::DeviceGlobal | ObjectKind::Constant))
            })
            .collect();
        variables.sort();
        // Each parameter has one or more scalars; a structure is passed by address.
        let mut stores: Vec<(u64, ObjectBytes)> = Vec::new();
        let mut rest = args.values.iter();
        for p in &f.params {
            if p.byval.is_some() {
                let image =
                    rest.next().and_then(|v| self.mem.global(split(v.bits).0)).map(|o| (o.size, o.store.clone()));
                stores.push(image.unwrap_or((0, ObjectBytes::new(0, Fill::Byte(0)))));
                continue;
            }
            let size = m.size_of(p.ty).get();
            let mut store = ObjectBytes::new(size, Fill::Byte(0));
            for (off, bits) in leaves(m, p.ty) {
                let v = rest.next().copied().unwrap_or(Val::ZERO);
                if bits > 0 && off + u64::from(bits).div_ceil(8) <= size {
                    store.write(off, u32::from(bits).div_ceil(8), v);
                }
            }
            stores.push((size, store));
        }
        let roots: Vec<WindowId> = stores
            .iter()
            .flat_map(|(_, s)| s.words())
            .map(|w| split(w).0)
            .chain(variables.iter().map(|v| v.0))
            .collect();
        let nobody = Thread::host();
        let mut ids = self.mem.reachable(&nobody.stack, &roots);
        ids.retain(|id| self.mem.global(*id).is_some());
        ids.sort();
        let position = |id: WindowId| ids.binary_search(&id).ok();
        let objects = ids
            .iter()
            .filter_map(|id| {
                let o = self.mem.global(*id)?;
                let size = if o.unknown.is_some() { 0 } else { o.size };
                let variable = variables.iter().find(|v| v.0 == *id).map(|v| v.1);
                Some(SnapshotObject { kind: o.kind, variable, freed: o.freed, image: image(&o.store, size, position) })
            })
            .collect();
        let parameters = stores.iter().map(|(size, s)| image(s, *size, position)).collect();
        let sought = self.seen.found_object;
        Snapshot {
            target: sought.and_then(position),
            target_kind: self.seen.found.as_ref().map(|b| b.object.kind),
            target_variable: self.globals.iter().find(|(_, a)| sought == Some(split(**a).0)).map(|(r, _)| *r),
            kernel: args.kernel,
            grid: launch.grid,
            block: launch.block,
            shared: args.shared,
            parameters,
            objects,
            device_bytes: self.mem.device_bytes(),
        }
    }
}

/// Contents of a store, addresses apart from plain bytes.
fn image(store: &ObjectBytes, size: u64, position: impl Fn(WindowId) -> Option<usize>) -> Image {
    let mut out = Image { size, ..Image::default() };
    let mut total = 0;
    for (start, run) in store.known() {
        let mut plain: Vec<u8> = Vec::new();
        let mut at = start;
        let mut put = |at: u64, plain: &mut Vec<u8>| {
            total += plain.len();
            if plain.iter().any(|b| *b != 0) && total <= MAX_CONTENTS {
                out.bytes.push((at - plain.len() as u64, std::mem::take(plain)));
            }
            plain.clear();
        };
        let mut rest = run.as_slice();
        while let Some((first, after)) = rest.split_first() {
            if at % 8 == 0
                && let Some(word) =
                    rest.first_chunk::<8>().map(|w| u64::from_le_bytes(*w)).filter(|w| looks_like_address(*w))
                && let Some(target) = position(split(word).0)
            {
                put(at, &mut plain);
                out.addresses.push((at, target, split(word).1));
                rest = &rest[8..];
                at += 8;
                continue;
            }
            plain.push(*first);
            rest = after;
            at += 1;
            if plain.len() == MAX_PIECE {
                put(at, &mut plain);
            }
        }
        put(at, &mut plain);
    }
    out
}
