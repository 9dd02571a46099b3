//! Tile kernels: they have no threads that could be executed, so their accesses count as undecided, launched or not.
//!
//! In: the front end's record of them ([`ir::TileCode`]). Out: a position in the tally for each access.

use super::Engine;
use crate::obligations::verdict::AccessVerdict;
use base::reasons::UnknownReason;
use ir::{FuncRef, Function, Linkage, Side, TileCode};
use rustc_hash::FxHashSet;

impl<'p> Engine<'p> {
    fn tile_kernels(&self) -> impl Iterator<Item = (FuncRef, &'p Function, &'p TileCode)> + use<'p> {
        let device = self.cx.program.functions().filter(|(_, m, _)| m.side == Side::Device);
        device.filter_map(|(r, _, f)| Some((r, f, f.tile.as_ref()?)))
    }

    /// Returns a tile kernel by its symbol.
    pub(super) fn tile_kernel(&self, symbol: &str) -> Option<&'p Function> {
        self.tile_kernels().find(|(_, f, _)| f.name == symbol).map(|(_, f, _)| f)
    }

    /// Counts the accesses of tile kernels.
    pub(super) fn tiles(&mut self) {
        // Several units may have an instance of one template.
        let mut known = FxHashSet::default();
        for (r, f, code) in self.tile_kernels() {
            if f.linkage != Linkage::Internal && !known.insert(&f.name) {
                continue;
            }
            self.kernels.insert(r);
            for access in &code.accesses {
                let place = (self.cx.program.users_loc(r.module, access.loc), access.what.clone());
                self.put_at(place, r, AccessVerdict::Unknown(UnknownReason::TileKernel), vec![]);
            }
        }
    }
}
