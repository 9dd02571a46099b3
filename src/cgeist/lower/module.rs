//! Entry point: lowers one module of MLIR to a module of the analysis form for each side.

use super::side::SideBuilder;
use super::unit::{LoweringUnit, SourceFacts};
use crate::mlir::{self, MlirOp};
use std::collections::BTreeMap;

/// Modules of both sides.
#[derive(Clone, Debug)]
pub struct LoweredModules {
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
pub fn lower(module: &mlir::MlirModule, about: &SourceFacts) -> Result<LoweredModules, LowerError> {
    let top: Vec<&MlirOp> = match module.ops.as_slice() {
        [m] if m.name == "builtin.module" => m.regions.iter().flat_map(|r| &r.blocks).flat_map(|b| &b.ops).collect(),
        [] => return Err(LowerError::NoModule),
        ops => ops.iter().collect(),
    };
    let unit = LoweringUnit::new(top, about);
    let mut unknown = BTreeMap::new();
    let device = SideBuilder::new(&unit, ir::Side::Device).build(&mut unknown);
    let host = SideBuilder::new(&unit, ir::Side::Host).build(&mut unknown);
    Ok(LoweredModules { device, host, unknown })
}
