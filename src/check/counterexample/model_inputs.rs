//! From a model to a program's inputs: input values, and contents of objects behind parameters.

use super::{completion, tensors};
use crate::solver::Model;
use engine::symbolic::inputs::command_line::option_name;
use engine::symbolic::inputs::contract_facts::{DISJOINT, UNCHANGED};
use engine::symbolic::memory::callers;
pub use engine::symbolic::memory::tensors::OF_HANDLE;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::functions::UninterpretedFunction;
use engine::symbolic::terms::term::{InputSource, SymId, SymKind, Symbol, TermId};
use finding::{HeldScalar, HeldValue};
use ir::{Function, Operand, ValueId};
use models::devices::PROPERTIES;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Returns the model's values of the program's inputs in these terms, one for each. An input that the model does not
/// set may have any value.
pub(super) fn values(a: &Arena, depends: &[TermId], model: &Model) -> Vec<(InputSource, i128)> {
    let source = |s: SymId| if let SymKind::Input(source) = &a.symbol(s).kind { Some(source.clone()) } else { None };
    // Of an input read in several widths, the widest value is the whole.
    let mut said: Vec<(SymId, i128)> = model.values.iter().map(|(s, v)| (*s, *v)).collect();
    said.sort_by_key(|(s, _)| (std::cmp::Reverse(a.symbol(*s).range.hi), *s));
    let of_tensor = |s: &SymId| matches!(&a.symbol(*s).kind, SymKind::Input(InputSource::Given { object, .. }) if object.ends_with(OF_HANDLE));
    let of_device = |s: &SymId| matches!(a.symbol(*s).kind, SymKind::Input(InputSource::Device { .. }));
    let open = a.symbols_of(depends).into_iter().filter(|s| !of_tensor(s) && !of_device(s)).map(|s| (s, 1));
    let mut out: Vec<(InputSource, i128)> = vec![];
    for (s, v) in said.into_iter().chain(open) {
        if let Some(source) = source(s)
            && !out.iter().any(|(o, _)| *o == source)
        {
            out.push((source, v));
        }
    }
    out.extend(tensors_left_open(a, depends, model));
    out
}

/// Returns an input's name and value for users; `None` for an input that users do not set by itself.
pub(crate) fn shown(s: &InputSource, v: i128) -> Option<(String, String)> {
    let name = match s {
        InputSource::Argc => "argc".into(),
        InputSource::Argv(i) => format!("argv[{i}]"),
        InputSource::ArgvLen(i) => format!("strlen(argv[{i}])"),
        InputSource::Read { what, ordinal } => format!("number {} read from {what}", ordinal + 1),
        InputSource::Word { file, ordinal } => format!("number {} read from {file}", ordinal + 1),
        InputSource::File { file, at, bits } => {
            format!("bytes {at} to {} of {file}", at + u64::from(bits / 8) - 1)
        }
        InputSource::FileSize(file) => format!("the size of {file}"),
        InputSource::Param { name, .. } => match name.strip_prefix(callers::NULL) {
            Some(pointer) => return (v == 1).then(|| (pointer.to_owned(), "nullptr".to_owned())),
            None if name.starts_with(DISJOINT) || name.starts_with(UNCHANGED) => return None,
            None => name.clone(),
        },
        InputSource::Given { path, .. } | InputSource::Count { path, .. } => path.clone(),
        InputSource::ArgvWord { index, word } => {
            return (v == 0).then(|| (format!("argv[{index}]"), word.clone()));
        }
        InputSource::Option { word, .. } => format!("the value of {}", option_name(word)),
        InputSource::Device { property, device, .. } => {
            let p = &PROPERTIES[*property];
            let of = device.filter(|d| *d > 0).map_or("the device".to_owned(), |d| format!("device {d}"));
            return Some((format!("{} of {of}", p.name), v.to_string()));
        }
        InputSource::World(w) => w.clone(),
    };
    Some((name, v.to_string()))
}

/// Returns values of tensor properties that the model does not set.
fn tensors_left_open(a: &Arena, depends: &[TermId], model: &Model) -> Vec<(InputSource, i128)> {
    let number = |(i, s): (u32, &Symbol)| match &s.kind {
        SymKind::Input(InputSource::Given { object, path, .. }) if object.ends_with(OF_HANDLE) => {
            Some((SymId(i), tensors::usual(path)))
        }
        _ => None,
    };
    let symbols: Vec<(SymId, Option<i128>)> = (0..).zip(a.symbols()).filter_map(number).collect();
    if symbols.is_empty() {
        return vec![];
    }
    let mut known: BTreeMap<SymId, i128> = model.values.iter().map(|(s, v)| (*s, *v)).collect();
    completion::complete(a, depends, &mut known, &symbols);
    let found = |s: &SymId| match &a.symbol(*s).kind {
        SymKind::Input(source) if !model.values.contains_key(s) => Some((source.clone(), *known.get(s)?)),
        _ => None,
    };
    symbols.iter().filter_map(|(s, _)| found(s)).collect()
}

/// Returns the contents of objects that a caller gives; values that the model leaves unset are 1.
pub(super) fn held(a: &Arena, values: &[(InputSource, i128)], root: &str) -> Vec<HeldScalar> {
    let given = |s: &InputSource| match s {
        InputSource::Given { function, object, at, bits, path } if function == root => {
            let number = values.iter().find(|(of, _)| of == s).map(|(_, v)| *v);
            let what = if *bits == 0 {
                HeldValue::Pointer(path.clone())
            } else {
                // A tensor is completed once all its known properties are collected.
                let left_open = if object.ends_with(OF_HANDLE) { None } else { Some(1) };
                HeldValue::Number { bits: *bits, value: number.or(left_open)? }
            };
            Some(HeldScalar { object: object.clone(), at: *at, what })
        }
        InputSource::Count { function, object, data, at, bytes, .. } if function == root => {
            let count = values.iter().find(|(of, _)| of == s).map_or(1, |(_, v)| *v);
            let bytes = i64::try_from(count.checked_mul(i128::from(*bytes))?).ok()?;
            Some(HeldScalar { object: object.clone(), at: *at, what: HeldValue::Behind { data: *data, bytes } })
        }
        _ => None,
    };
    a.symbols().iter().filter_map(|s| if let SymKind::Input(source) = &s.kind { given(source) } else { None }).collect()
}

/// Returns the model's values for the contents of tensor storages within their extents. `storages` names storages by
/// object and version of contents. Values that the model leaves unset are 0.
pub(super) fn contents_held(
    model: &Model,
    storages: &FxHashMap<(i128, i128), String>,
    extents: &BTreeMap<String, u64>,
) -> Vec<HeldScalar> {
    let said = |((function, args), value): (&(UninterpretedFunction, Vec<i128>), &i128)| {
        let [object, version, at, bits] = args[..] else { return None };
        let name = storages.get(&(object, version)).filter(|_| *function == UninterpretedFunction::Content)?;
        let (at, bits) = (u64::try_from(at).ok()?, u32::try_from(bits).ok()?);
        let end = at.checked_add(u64::from(bits.div_ceil(8)))?;
        (end <= *extents.get(name)?).then_some(())?;
        let what = HeldValue::Number { bits, value: *value };
        Some(HeldScalar { object: name.clone(), at: i64::try_from(at).ok()?, what })
    };
    let mut all: Vec<HeldScalar> = model.applications.iter().filter_map(said).collect();
    // The widest of several values at one offset is written last.
    all.sort_by(|x, y| (&x.object, width(x), x.at).cmp(&(&y.object, width(y), y.at)));
    all
}

const fn width(h: &HeldScalar) -> u32 {
    match h.what {
        HeldValue::Number { bits, .. } => bits,
        HeldValue::Pointer(_) | HeldValue::Behind { .. } | HeldValue::Text(_) => 64,
    }
}

/// Whether the function uses `argc` of `main`. The first values of a function are its parameters.
pub(super) fn uses_first_parameter(f: &Function) -> bool {
    let mut used = false;
    let mut look = |o: &Operand| used |= *o == Operand::Value(ValueId(0));
    for b in &f.blocks {
        for i in &b.insts {
            i.op.operands(&mut look);
        }
        b.term.operands(&mut look);
    }
    used
}
