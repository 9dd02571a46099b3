//! Checks of tensors of DLPack, as the source of an operator writes them.
//!
//! In: a condition in contract syntax (`w.size(0) >= x.size(1)`), and how each argument carries its tensor. Out: the
//! statement that checks it, with the accessors of nanobind (nanobind/ndarray.h), of TVM-FFI
//! (tvm/ffi/container/tensor.h) or of the structure itself (dlpack/dlpack.h).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Class of an argument that carries a tensor of DLPack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Carried {
    /// `nanobind::ndarray`.
    Ndarray,
    /// `tvm::ffi::TensorView` or `tvm::ffi::Tensor`.
    TensorView,
    /// A pointer to a `DLTensor`.
    Structure,
    /// `std::optional<at::Tensor>`, or `c10::optional`, which carries a tensor of PyTorch.
    Optional,
}

/// Returns the statement that checks a condition; `None` if an accessor is missing.
pub(crate) fn statement(condition: &str, carriers: &BTreeMap<String, Carried>) -> Option<String> {
    let condition = written(condition, carriers)?;
    Some(if carriers.values().any(|c| *c == Carried::Ndarray) {
        format!("if (!({condition})) throw nanobind::value_error(\"expected {condition}\");")
    } else {
        format!("TVM_FFI_ICHECK({condition}) << \"expected {condition}\";")
    })
}

/// Replaces the functions of each argument.
pub fn written(condition: &str, carriers: &BTreeMap<String, Carried>) -> Option<String> {
    let mut out = String::new();
    let mut rest = condition;
    while let Some(at) = rest.find(|c: char| c.is_alphabetic() || c == '_') {
        let (before, from) = rest.split_at(at);
        out += before;
        let end = from.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(from.len());
        let (name, after) = from.split_at(end);
        let call = carriers.get(name).zip(after.strip_prefix('.'));
        let Some((carried, call)) = call else {
            out += name;
            rest = after;
            continue;
        };
        let (function, call) = call.split_once('(')?;
        let (argument, after) = call.split_once(')')?;
        out += &accessor(*carried, name, function, argument)?;
        rest = after;
    }
    Some(out + rest)
}

fn accessor(carried: Carried, x: &str, function: &str, argument: &str) -> Option<String> {
    use Carried::{Ndarray, Optional, Structure, TensorView};
    let from_end = argument.strip_prefix('-');
    Some(match (carried, function) {
        (Ndarray, "size") => match from_end {
            Some(n) => format!("{x}.shape({x}.ndim() - {n})"),
            None => format!("{x}.shape({argument})"),
        },
        (Structure, "size") => match from_end {
            Some(n) => format!("{x}->shape[{x}->ndim - {n}]"),
            None => format!("{x}->shape[{argument}]"),
        },
        (Structure, "stride") if from_end.is_none() => format!("{x}->strides[{argument}]"),
        (TensorView, "size") | (TensorView | Ndarray, "stride") => format!("{x}.{function}({argument})"),
        (TensorView | Ndarray, "dim") => format!("{x}.ndim()"),
        (Structure, "dim") => format!("{x}->ndim"),
        (Ndarray, "numel") => format!("{x}.size()"),
        (TensorView, "numel") => format!("{x}.numel()"),
        (TensorView, "is_contiguous") => format!("{x}.IsContiguous()"),
        (Structure, "is_contiguous") => format!("tvm::ffi::IsContiguous(*{x})"),
        (Ndarray, "is_cuda") => format!("{x}.device_type() == nanobind::device::cuda::value"),
        (TensorView, "is_cuda") => format!("{x}.device().device_type == kDLCUDA"),
        (Structure, "is_cuda") => format!("{x}->device.device_type == kDLCUDA"),
        (Optional, "has_value") => format!("{x}.has_value()"),
        (Optional, _) => format!("{x}->{function}({argument})"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Carried, statement};
    use std::collections::BTreeMap;

    #[test]
    fn checks_use_the_accessors_of_each_argument() {
        let of = |all: &[(&str, Carried)]| all.iter().map(|(n, c)| ((*n).to_owned(), *c)).collect::<BTreeMap<_, _>>();
        let arrays = of(&[("x", Carried::Ndarray), ("w", Carried::Ndarray)]);
        assert_eq!(
            statement("w.size(0) >= x.size(-1) + n", &arrays).unwrap(),
            "if (!(w.shape(0) >= x.shape(x.ndim() - 1) + n)) throw nanobind::value_error(\"expected w.shape(0) >= \
             x.shape(x.ndim() - 1) + n\");"
        );
        let mixed = of(&[("x", Carried::TensorView), ("y", Carried::Structure)]);
        assert_eq!(
            statement("x.is_cuda() && y.size(0) == 4 * x.numel()", &mixed).unwrap(),
            "TVM_FFI_ICHECK(x.device().device_type == kDLCUDA && y->shape[0] == 4 * x.numel()) << \"expected \
             x.device().device_type == kDLCUDA && y->shape[0] == 4 * x.numel()\";"
        );
        // An array has no such function.
        assert_eq!(statement("x.is_contiguous()", &arrays), None);
    }
}
