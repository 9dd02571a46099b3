//! Tensors that a caller gave (`at::Tensor`, `std::optional<at::Tensor>`, by value or by reference).
//!
//! In: the name of a parameter's type. Out: which part of it points to a tensor, in the layout of the models of ATen's
//! functions (`scuba::Tensor` in `templates/models/aten.cpp`); its members' names as in the source (`x.size(0)`), and
//! their ranges.

use crate::symbolic::terms::interval::Interval;
use models::tensors::{bytes_of_handle, bytes_of_optional_handle};

/// A library class that a caller gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::symbolic) enum LibraryClass {
    /// `at::Tensor`, or `torch::stable::Tensor`, which is longer.
    Handle { bytes: i64 },
    /// Optional handle, followed by the flag whether there is a value.
    OptionalHandle { bytes: i64 },
    /// Argument that carries a tensor of DLPack ([`models::dlpack`]); its first word is that of a handle.
    Carrier,
    /// Pointee of a handle.
    Tensor,
}

pub use models::tensors::{OF_HANDLE, OF_STORAGE};

/// Maximum number of elements in one dimension, and of bytes between neighbouring elements; larger ones are not
/// considered.
const LARGEST_SIZE: i128 = 1 << 40;

/// Maximum number of elements of a tensor.
const LARGEST: i128 = 1 << 47;

impl LibraryClass {
    /// Class of a type as the source spells it, or of the type to which it refers.
    pub(in crate::symbolic) fn of(type_name: &str) -> Option<Self> {
        let optional = || bytes_of_optional_handle(type_name).map(|bytes| Self::OptionalHandle { bytes });
        bytes_of_handle(type_name).map(|bytes| Self::Handle { bytes }).or_else(optional)
    }
}

/// Expression with which the source would ask for a member of a given tensor, and the member's range.
pub(in crate::symbolic) fn member(handle: &str, name: &str, index: Option<u64>) -> Option<(String, Interval)> {
    let at = index.unwrap_or(0);
    let (asked, least, most) = match name {
        "dim" => ("dim()".to_owned(), 0, 64),
        "numel" => ("numel()".to_owned(), 0, LARGEST),
        "lead" => ("numel() / size(-1)".to_owned(), 0, LARGEST),
        "dtype" => ("scalar_type()".to_owned(), 0, 44),
        "device" => ("device().type()".to_owned(), 0, 20),
        "contiguous" => ("is_contiguous()".to_owned(), 0, 1),
        // The program did not make this tensor.
        "made" => ("made".to_owned(), 0, 0),
        "code" => ("dtype().code".to_owned(), 0, 255),
        "bits" => ("dtype().bits".to_owned(), 1, 255),
        "lanes" => ("dtype().lanes".to_owned(), 1, 65535),
        "sizes" => (format!("size({at})"), 0, LARGEST_SIZE),
        "strides" => (format!("stride({at})"), 0, LARGEST_SIZE),
        "rest" => (format!("numel() from size({at}) on"), 0, LARGEST),
        "last_strides" => (format!("stride(-{})", at + 1), 0, LARGEST_SIZE),
        "last" => (format!("size(-{})", at + 1), 0, LARGEST_SIZE),
        _ => return None,
    };
    Some((format!("{handle}.{asked}"), Interval::new(least, most)))
}

#[cfg(test)]
mod tests {
    use super::LibraryClass;

    #[test]
    fn classes_by_their_names() {
        for (name, class) in [
            ("at::Tensor", Some(LibraryClass::Handle { bytes: 8 })),
            ("const at::Tensor &", Some(LibraryClass::Handle { bytes: 8 })),
            ("const std::optional<at::Tensor> &", Some(LibraryClass::OptionalHandle { bytes: 8 })),
            ("const torch::stable::Tensor &", Some(LibraryClass::Handle { bytes: 16 })),
            ("std::optional<torch::stable::Tensor>", Some(LibraryClass::OptionalHandle { bytes: 16 })),
            ("std::optional<long>", None),
            ("at::Tensor *", None),
            ("my::Tensor", None),
            ("Tensor", None),
        ] {
            assert_eq!(LibraryClass::of(name), class, "{name}");
        }
    }
}
