//! Maps each `memref.alloca` to a source variable, for messages only: by position, else by the order of declarations of
//! its class.

use super::names::{DeclaredVariable, VariableClass};
use super::side::SideBuilder;
use super::unit::{LoweringUnit, STUB};
use crate::mlir::{MlirLoc, MlirOp, MlirValue, Type};
use frontend::names::demangle;
use ir::{FuncId, Var};
use std::collections::HashMap;

/// Returns the variables of a function by the `alloca` that creates each.
pub(super) fn variables<'m>(
    unit: &LoweringUnit<'m>,
    side: &mut SideBuilder<'_, 'm>,
    func: FuncId,
    op: &'m MlirOp,
) -> HashMap<MlirValue, Var> {
    let mut out: HashMap<MlirValue, Var> = HashMap::new();
    let mut allocas: Vec<&'m MlirOp> = vec![];
    let mut same: HashMap<MlirValue, MlirValue> = HashMap::new();
    op.walk(&mut |o| match (o.name.as_str(), o.results.first(), o.operands.first()) {
        ("memref.alloca", Some(r), _) => {
            allocas.push(o);
            same.insert(*r, *r);
        }
        ("memref.cast", Some(r), Some(a)) => {
            if let Some(s) = same.get(a).copied() {
                same.insert(*r, s);
            }
        }
        _ => {}
    });
    let var = |name: &str, param: Option<u32>, loc| Var {
        name: name.to_owned(),
        type_name: String::new(),
        unsigned: false,
        pointee: None,
        param,
        loc,
    };
    // Parameters are stored to variables first.
    if let Some(entry) = op.regions.first().and_then(|r| r.blocks.first()) {
        let names: Vec<String> = side.of(func).params.iter().map(|p| p.name.clone()).collect();
        for o in entry.ops.iter().filter(|o| o.name == "memref.store") {
            let (Some(v), Some(to)) = (o.operands.first(), o.operands.get(1).and_then(|a| same.get(a))) else {
                continue;
            };
            let Some(i) = entry.args.iter().position(|a| a.0 == *v) else { continue };
            let loc = side.loc(&o.loc);
            out.entry(*to).or_insert_with(|| var(&names[i], u32::try_from(i + 1).ok(), loc));
        }
    }
    let display = demangle(op.text("sym_name").unwrap_or_default()).replace(STUB, "");
    let class = |o: &MlirOp| match o.result_types.first() {
        Some(Type::MemRef(m)) if m.shape.is_empty() => None,
        Some(Type::MemRef(m)) if m.space != 0 || m.shape.first().is_some_and(|d| *d != Some(1)) => {
            Some(VariableClass::Array)
        }
        Some(Type::MemRef(m)) if m.shape.len() > 1 => Some(VariableClass::Other),
        Some(Type::MemRef(m)) => Some(match &m.elem {
            Type::MemRef(_) | Type::Ptr { .. } => VariableClass::Pointer,
            Type::Int(_) | Type::Index => VariableClass::Int,
            Type::Float(_) => VariableClass::Float,
            _ => VariableClass::Other,
        }),
        _ => None,
    };
    // Later declarations come first in the MLIR.
    let locals: Vec<&MlirOp> =
        allocas.into_iter().rev().filter(|o| o.results.first().is_some_and(|r| !out.contains_key(r))).collect();
    let declared = unit.names.locals(&display);
    let mut number = 0;
    for c in
        [VariableClass::Array, VariableClass::Pointer, VariableClass::Int, VariableClass::Float, VariableClass::Other]
    {
        let mine: Vec<&&MlirOp> = locals.iter().filter(|o| class(o) == Some(c)).collect();
        let theirs: Vec<&DeclaredVariable> = declared.iter().filter(|d| d.class == c).collect();
        let mut at_place: HashMap<(u32, u32), usize> = HashMap::new();
        for (i, o) in mine.iter().enumerate() {
            let Some(r) = o.results.first() else { continue };
            let by_place = match &o.loc {
                MlirLoc::File(f, line, column) if unit.about.source.ends_with(f.as_ref()) => {
                    let nth = at_place.entry((*line, *column)).or_default();
                    *nth += 1;
                    unit.names.at(*line, *column).into_iter().filter(|d| d.class == c).nth(*nth - 1)
                }
                _ => None,
            };
            let by_order = (mine.len() == theirs.len()).then(|| theirs[i].clone());
            number += 1;
            let loc = side.loc(&o.loc);
            let fallback =
                || if c == VariableClass::Array { format!("array {number}") } else { format!("variable {number}") };
            let name = by_place.or(by_order).map_or_else(fallback, |d| d.name);
            out.insert(*r, var(&name, None, loc));
        }
    }
    out
}
