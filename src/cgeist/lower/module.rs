//! Entry point: lowers one module of MLIR to a module of the analysis form for each side.

use super::side::SideBuilder;
use super::unit::{About, Unit};
use crate::mlir::{self, Op};
use std::collections::BTreeMap;

/// Modules of both sides.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub device: ir::Module,
    pub host: ir::Module,
    /// Operations that became unknowns, with their counts.
    pub unknown: BTreeMap<String, u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    #[error("cgeist's output holds no module")]
    NoModule,
}

/// Lowers a module.
///
/// # Errors
/// Fails without a module.
pub fn lower(module: &mlir::Module, about: &About) -> Result<Lowered, LowerError> {
    let top: Vec<&Op> = match module.ops.as_slice() {
        [m] if m.name == "builtin.module" => m.regions.iter().flat_map(|r| &r.blocks).flat_map(|b| &b.ops).collect(),
        [] => return Err(LowerError::NoModule),
        ops => ops.iter().collect(),
    };
    let unit = Unit::new(top, about);
    let mut unknown = BTreeMap::new();
    let device = SideBuilder::new(&unit, ir::Side::Device).build(&mut unknown);
    let host = SideBuilder::new(&unit, ir::Side::Host).build(&mut unknown);
    Ok(Lowered { device, host, unknown })
}
