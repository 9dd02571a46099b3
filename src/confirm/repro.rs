//! Generates a script for each finding of a PyTorch operator, which calls it from Python with the finding's arguments
//! (`templates/repro.py`).
//!
//! In: a finding with its witness, the program and its units. Out: the script, or the reason why there is none if an
//! argument is of an unsupported kind.

use super::prepare::{Generated, Material};
use finding::{Finding, SAME_CHECK, TensorArgument, USED_HERE, Witness};
use ir::{FuncId, FuncRef, ModuleId};
use models::dlpack::carrier;
use nvcc::unit::{PreprocessorFlag, TranslationUnit};
use serde_json::{Value, json};
use std::path::Path;
use witness::python::{self, PythonArgument};

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
    let arguments = match python::arguments(material.program, root, &witness.run) {
        Ok(all) => arguments(all),
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

/// Writes the arguments in order for the script.
fn arguments(all: Vec<PythonArgument>) -> Vec<Value> {
    let tensor = |t: TensorArgument| json!({ "tensor": t });
    let one = |argument| match argument {
        PythonArgument::Tensor(t) => tensor(t),
        PythonArgument::List(all) => json!({ "list": all.into_iter().map(tensor).collect::<Vec<_>>() }),
        PythonArgument::Numbers(all) => json!({ "value": all }),
        PythonArgument::Text(text) => json!({ "value": text }),
        PythonArgument::Bool(b) => json!({ "value": b }),
        PythonArgument::Integer(n) => json!({ "value": n }),
        PythonArgument::Float(x) => json!({ "value": x }),
        PythonArgument::Nothing => json!({ "value": null }),
    };
    all.into_iter().map(one).collect()
}
