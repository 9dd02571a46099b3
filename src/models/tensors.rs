//! Tensor functions that contracts may use, in terms of the members that the ATen models keep of a tensor
//! (`scuba::Tensor` in `templates/models/aten.cpp`).
//!
//! In: the name of a function of `at::Tensor` (ATen/core/TensorBase.h) and its arguments. Out: the member that holds
//! its result, the index of the element, and the least number of dimensions for which there is a result.

use ir::{Function, Param};

/// Source of the result of a tensor function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorResult {
    pub member: &'static str,
    pub index: u64,
    /// Least number of dimensions of the tensor.
    pub dimensions: u64,
}

/// Functions, each with the member that holds its result and its number of arguments. All of them return integers.
const FUNCTIONS: &[(&str, &str, usize)] = &[
    ("dim", "dim", 0),
    ("ndimension", "dim", 0),
    ("numel", "numel", 0),
    ("size", "sizes", 1),
    ("stride", "strides", 1),
    ("is_contiguous", "contiguous", 0),
    ("scalar_type", "dtype", 0),
];

/// Scalar types whose elements are integers used as indices, by their number (torch/headeronly/core/ScalarType.h), with
/// the width of an element in bits. The first is assumed where the type is unknown.
pub const WHOLE_NUMBERS: &[(i128, u32)] = &[(4, 64), (3, 32), (2, 16)];

/// `at::kCPU` and `at::kCUDA` (torch/headeronly/core/DeviceType.h).
pub const CPU: i128 = 0;
pub const CUDA: i128 = 1;

/// Handle class of the stable ABI.
const STABLE: &str = "torch::stable::Tensor";

/// Namespaces of PyTorch's own functions.
const NAMESPACES: &[&str] = &["at::", "torch::", "c10::", "caffe2::"];

/// Whether a demangled name is that of a function in one of PyTorch's namespaces. Extensions define functions of their
/// own there, too.
#[must_use]
pub fn is_of_torch(display: &str) -> bool {
    NAMESPACES.iter().any(|n| display.starts_with(n))
}

/// Functions of PyTorch that accept any tensor which the example of a finding makes, by the beginnings of their names:
/// the counter of versions (torch/csrc/autograd/variable.h; it refuses tensors made in inference mode alone), modes of
/// autograd (c10/core/GradMode.h), devices and streams (c10/cuda), and warnings (c10/util/Exception.h).
const ACCEPTING: &[&str] = &[
    "torch::autograd::impl::bump_version(",
    "c10::AutogradState::",
    "c10::GradMode::",
    "c10::cuda::",
    "at::cuda::get",
    "c10::warn(",
];

/// Whether a function of PyTorch without a model may refuse its arguments: it throws then.
#[must_use]
pub fn may_refuse(display: &str) -> bool {
    is_of_torch(display) && !ACCEPTING.iter().any(|n| display.starts_with(n))
}

/// Whether a symbol is of the stable ABI's C interface and runs an operation, which gives a status where it refuses its
/// arguments (torch/csrc/inductor/aoti_torch/c/shim.h).
#[must_use]
pub fn is_stable_operation(symbol: &str) -> bool {
    const ASK: &[&str] = &["get", "is", "dtype", "device_type", "layout", "memory_format", "delete", "free", "new"];
    let asks = |rest: &str| ASK.iter().any(|a| rest.strip_prefix(a).is_some_and(|r| r.starts_with('_')));
    symbol == "torch_call_dispatcher" || symbol.strip_prefix("aoti_torch_").is_some_and(|rest| !asks(rest))
}

/// Returns the name of a function of PyTorch for users: that of its operation (`at::max`) for a dispatcher
/// (`at::_ops::max::call(at::Tensor const&)`).
#[must_use]
pub fn operation_name(display: &str) -> String {
    let name = display.split('(').next().unwrap_or_default();
    match name.strip_prefix("at::_ops::").and_then(|n| n.strip_suffix("::call")) {
        Some(operation) => format!("at::{operation}"),
        None => name.to_owned(),
    }
}

/// Type of the object behind a handle.
pub const TENSOR: &str = "scuba::Tensor";

/// Suffix of the name of the object behind a handle; the handle's name precedes it.
pub const OF_HANDLE: &str = ".impl";

/// Suffix of the name of a tensor's storage; the handle's name precedes it.
pub const OF_STORAGE: &str = ".data_ptr()";

/// Number of sizes that are also kept from the last dimension backwards.
const FROM_THE_LAST: i128 = 4;

/// Iterates over the names of the functions.
pub fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, ..)| *name)
}

/// Returns the number of arguments of a function; `None` if contracts cannot use it.
pub fn arguments(name: &str) -> Option<usize> {
    FUNCTIONS.iter().find(|(n, ..)| *n == name).map(|(.., count)| *count)
}

/// Whether a type, or what it refers to, is a tensor handle, plain or optional, that an operator receives.
pub fn is_given_class(type_name: &str) -> bool {
    is_handle(type_name) || bytes_of_optional_handle(type_name).is_some()
}

/// Returns the source of the result of a function with these arguments; `None` if it is not kept.
pub fn answer(name: &str, args: &[i128]) -> Option<TensorResult> {
    let (_, member, count) = *FUNCTIONS.iter().find(|(n, ..)| *n == name)?;
    match (count, args) {
        (0, []) => Some(TensorResult { member, index: 0, dimensions: 0 }),
        (1, [at @ 0..64]) => {
            let index = u64::try_from(*at).ok()?;
            Some(TensorResult { member, index, dimensions: index + 1 })
        }
        (1, [at]) if member == "sizes" && *at < 0 && -*at <= FROM_THE_LAST => {
            let from_end = u64::try_from(-*at).ok()?;
            Some(TensorResult { member: "last", index: from_end - 1, dimensions: from_end })
        }
        _ => None,
    }
}

/// Whether a type, as debug information spells it, is a tensor handle or a reference to one. A class of that name in
/// another namespace, or in none, is no tensor.
pub fn is_handle(type_name: &str) -> bool {
    bytes_of_handle(type_name).is_some()
}

/// Size in bytes of a tensor handle, whose first eight bytes are the pointer. A handle of the stable ABI is a `std::shared_ptr`
/// (torch/csrc/stable/tensor_struct.h).
pub fn bytes_of_handle(type_name: &str) -> Option<i64> {
    match class_of(type_name) {
        "at::Tensor" | "torch::Tensor" | "at::TensorBase" => Some(8),
        STABLE => Some(16),
        _ => None,
    }
}

/// Whether a function is given tensors of the stable ABI.
pub fn is_of_stable_abi(f: &Function) -> bool {
    let is_one =
        |p: &Param| p.class.as_deref().or_else(|| f.declared_type(&p.name)).is_some_and(|t| class_of(t) == STABLE);
    f.params.iter().any(is_one)
}

/// Size in bytes of the handle in an optional tensor handle, or in one to which a type refers.
pub fn bytes_of_optional_handle(type_name: &str) -> Option<i64> {
    let of = class_of(type_name).split_once("optional<").and_then(|(_, of)| of.strip_suffix('>'));
    of.and_then(|of| bytes_of_handle(of.trim()))
}

/// Returns the class of an object or of a reference's target.
fn class_of(type_name: &str) -> &str {
    let mut name = type_name.trim();
    for word in ["const ", "struct ", "class "] {
        name = name.strip_prefix(word).unwrap_or(name).trim_start();
    }
    name.trim_end_matches(['&', ' ']).trim_end_matches("const").trim()
}

#[cfg(test)]
mod tests {
    use super::{TensorResult, answer};

    #[test]
    fn dimensions_count_from_either_end() {
        assert_eq!(answer("size", &[1]), Some(TensorResult { member: "sizes", index: 1, dimensions: 2 }));
        assert_eq!(answer("size", &[-1]), Some(TensorResult { member: "last", index: 0, dimensions: 1 }));
        assert_eq!(answer("stride", &[-1]), None);
        assert_eq!(answer("size", &[64]), None);
        assert_eq!(answer("size", &[]), None);
        assert_eq!(answer("dim", &[]), Some(TensorResult { member: "dim", index: 0, dimensions: 0 }));
    }
}
