//! Generates a script for each finding of a PyTorch operator, which calls it from Python with the finding's arguments
//! (`templates/repro.py`).
//!
//! In: a finding with its witness, the program and its units. Out: the script, or the reason why there is none if an
//! argument is of an unsupported kind.

use super::prepare::{Generated, Material};
use finding::{Finding, HeldScalar, HeldValue, RunInputs, SAME_CHECK, USED_HERE, Witness};
use ir::{FuncId, FuncRef, ModuleId, TypeKind};
use models::dlpack::carrier;
use models::tensors::{OF_HANDLE, bytes_of_optional_handle};
use models::views::is_text;
use nvcc::unit::{PreprocessorFlag, TranslationUnit};
use serde_json::{Value, json};
use std::path::Path;

/// Size of a pointer in bytes: the offset of a list's end pointer after its begin pointer.
const POINTER: i64 = 8;
/// Longest list to generate.
const MAX_IN_A_LIST: usize = 256;

const TEMPLATE: &str = include_str!("../../templates/repro.py");

/// Script of a finding, or the reason why there is none; `None` if the finding is not in an operator.
pub(super) fn script(
    finding: &Finding,
    witness: &Witness,
    material: &Material<'_>,
) -> Option<Result<Generated, String>> {
    let operator = witness.run.operator.as_deref()?;
    let [module, func] = witness.sites.as_ref()?.root;
    let root = FuncRef { module: ModuleId(module), func: FuncId(func) };
    let (m, f) = (material.program.module(root.module), material.program.func(root));
    if (0..f.params.len()).any(|i| carrier(m, f, i).is_some()) {
        return Some(Err("scripts call operators of PyTorch, not of nanobind or TVM-FFI".to_owned()));
    }
    let arguments = match arguments(material, root, &witness.run) {
        Ok(arguments) => arguments,
        Err(why) => return Some(Err(why)),
    };
    let units: Vec<&TranslationUnit> = material.units.clone();
    let absolute = |u: &TranslationUnit, p: &Path| u.directory.join(p).to_string_lossy().into_owned();
    let sources: Vec<String> = units.iter().map(|u| absolute(u, &u.source)).collect();
    let mut includes: Vec<String> = vec![];
    let mut flags: Vec<String> = vec![];
    for u in &units {
        for flag in &u.preprocessor {
            match flag {
                // The machine provides the headers of PyTorch, Python and CUDA.
                PreprocessorFlag::Include(p) | PreprocessorFlag::SystemInclude(p) => {
                    let folder = absolute(u, p);
                    let others = ["/torch/include", "/include/python", "/cuda", "/nvidia/cu"];
                    let of_torch = others.iter().any(|o| folder.contains(o))
                        || Path::new(&folder).join("torch/extension.h").exists();
                    if !of_torch && !includes.contains(&folder) {
                        includes.push(folder);
                    }
                }
                PreprocessorFlag::Define(d) => {
                    let flag = format!("-D{d}");
                    if !d.starts_with("TORCH_EXTENSION_NAME") && !flags.contains(&flag) {
                        flags.push(flag);
                    }
                }
                PreprocessorFlag::Undefine(_) | PreprocessorFlag::PreInclude(_) => {}
            }
        }
    }
    let mut cuda_flags: Vec<String> = vec![];
    for flag in units.iter().flat_map(|u| &u.language_flags) {
        if !cuda_flags.contains(flag) {
            cuda_flags.push(flag.clone());
        }
    }
    let case = json!({
        "operator": operator,
        "fingerprint": finding.fingerprint,
        "summary": format!("{} at {}:{}", finding.message, finding.access.position.file, finding.access.position.line),
        "places": places(finding),
        "sources": sources,
        "includes": includes,
        "flags": flags,
        "cuda_flags": cuda_flags,
        "arguments": arguments,
    });
    // The text is inside a raw Python string.
    let text = TEMPLATE.replace("@CASE@", &format!("{case:#}").replace('\'', "\\u0027"));
    let name = format!("repro-{}.py", finding.fingerprint.get(..12).unwrap_or(&finding.fingerprint));
    Some(Ok(Generated { name, text }))
}

/// Positions of wrong accesses: a finding may be at the launch that leads to them, or also cover others that the same
/// check would fix.
fn places(finding: &Finding) -> Vec<String> {
    let used = finding.related.iter().filter(|r| r.what == USED_HERE || r.what == SAME_CHECK).map(|r| &r.position);
    let all = std::iter::once(&finding.access.position).chain(used);
    all.map(|p| format!("{}:{}", p.file.rsplit('/').next().unwrap_or(&p.file), p.line)).collect()
}

/// Arguments in order: tensors, numbers, null for an optional without a value.
fn arguments(material: &Material<'_>, root: FuncRef, run: &RunInputs) -> Result<Vec<Value>, String> {
    let program = material.program;
    let (m, f) = (program.module(root.module), program.func(root));
    let mut out = vec![];
    for (i, p) in f.params.iter().enumerate().filter(|(_, p)| p.sret.is_none()) {
        // A list may be passed in two registers: the first one represents it.
        let (name, part) = f.in_registers(i).map_or((p.name.as_str(), 0), |(name, _, at)| (name, at));
        let declared = p.class.as_deref().or_else(|| f.declared_type(name)).unwrap_or_default();
        if part > 0 {
            continue;
        }
        let is_optional = declared.contains("optional<");
        let behind = bytes_of_optional_handle(declared).or(Some(POINTER));
        let has_value = run.held.iter().any(|h| {
            h.object == p.name
                && Some(h.at) == behind
                && matches!(h.what, HeldValue::Number { value, .. } if value != 0)
        });
        out.push(match (&m.ty(p.ty).kind, run.tensors.get(&p.name)) {
            (TypeKind::Ptr(_), _) if is_optional && !has_value => json!({ "value": null }),
            (TypeKind::Ptr(_), _) if is_text(declared) => json!({ "value": text(run, &p.name) }),
            (TypeKind::Ptr(_), Some(t)) => json!({ "tensor": t }),
            (TypeKind::Ptr(_), None) if is_list(declared) => match list(run, name, declared) {
                Some(tensors) => json!({ "list": tensors }),
                None => return Err(format!("`{name}` is a list of more than {MAX_IN_A_LIST} tensors")),
            },
            (TypeKind::Ptr(_), None) if declared.contains("Tensor") => any_tensor(),
            (TypeKind::Int(1), _) => json!({ "value": run.args.get(i).is_some_and(|v| *v != 0) }),
            (TypeKind::Int(_), _) => json!({ "value": run.args.get(i).copied().unwrap_or(1) }),
            (TypeKind::Float(_), _) => json!({ "value": 1.0 }),
            _ => return Err(format!("`{}` is a `{declared}`, which cannot be made", p.name)),
        });
    }
    Ok(out)
}

/// Contents of a string.
fn text<'r>(run: &'r RunInputs, name: &str) -> &'r str {
    let text = |h: &'r HeldScalar| if let HeldValue::Text(text) = &h.what { Some(text.as_str()) } else { None };
    run.held.iter().filter(|h| h.object == name).find_map(text).unwrap_or_default()
}

/// A tensor on which nothing depends.
fn any_tensor() -> Value {
    json!({ "tensor": { "dtype": "float32", "sizes": [1], "strides": [1], "on_device": true } })
}

/// Whether a parameter is a list of tensors.
fn is_list(declared: &str) -> bool {
    let kinds = ["std::vector<", "ArrayRef<", "TensorList"];
    kinds.iter().any(|kind| declared.contains(kind)) && declared.contains("Tensor")
}

/// Tensors of a list in order: as many as its length says, or as the witness names; `None` if there are too many.
fn list(run: &RunInputs, name: &str, declared: &str) -> Option<Vec<Value>> {
    let bytes = if declared.contains("torch::stable::Tensor") { 2 * POINTER } else { POINTER };
    let said = run.held.iter().filter(|h| h.object == name && h.at == POINTER).find_map(|h| match h.what {
        // The end of a vector, the length of an `ArrayRef`.
        HeldValue::Behind { bytes: behind, .. } => usize::try_from(behind / bytes).ok(),
        HeldValue::Number { value, .. } => usize::try_from(value).ok(),
        HeldValue::Pointer(_) | HeldValue::Text(_) => None,
    });
    let pointer = |object: &str, at: i64| {
        run.held.iter().filter(|h| h.object == object && h.at == at).find_map(HeldScalar::pointer_to)
    };
    let first = pointer(name, 0);
    let tensor = |i: usize| {
        let element = pointer(first?, bytes * i64::try_from(i).ok()?)?;
        run.tensors.get(element.strip_suffix(OF_HANDLE)?)
    };
    let asked_for = (0..MAX_IN_A_LIST).rev().find(|i| tensor(*i).is_some()).map_or(0, |i| i + 1);
    let count = said.unwrap_or(asked_for);
    let of = |i| tensor(i).map_or_else(any_tensor, |t| json!({ "tensor": t }));
    (count <= MAX_IN_A_LIST).then(|| (0..count).map(of).collect())
}
