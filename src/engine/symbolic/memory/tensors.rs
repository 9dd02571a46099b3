//! Tensors that a caller gave (`at::Tensor`, `std::optional<at::Tensor>`, by value or by reference).
//!
//! In: the name of a parameter's type. Out: what of it is a pointer to a tensor, as the models of ATen's functions lay it out (`scuba::Tensor` in
//! `templates/models/aten.cpp`); the names of its members in the source's words (`x.size(0)`), and the numbers that they may be.

use crate::symbolic::terms::interval::Range;
use models::tensors::{bytes_of_handle, bytes_of_optional_handle};

/// A class of a library that a caller gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::symbolic) enum Class {
    /// `at::Tensor`, or `torch::stable::Tensor`, which is longer.
    Handle { bytes: i64 },
    /// An optional one: whether there is one stands behind it.
    OptionalHandle { bytes: i64 },
    /// What a handle points to.
    Tensor,
}

pub use models::tensors::{OF_HANDLE, OF_STORAGE};

/// Elements in one dimension, and bytes from one element to the next, at most: larger ones are left out.
const LARGEST_SIZE: i128 = 1 << 40;

/// Elements of a tensor.
const LARGEST: i128 = 1 << 47;

impl Class {
    /// The class of a type as the source spells it, or of what it refers to.
    pub(in crate::symbolic) fn of(type_name: &str) -> Option<Self> {
        let optional = || bytes_of_optional_handle(type_name).map(|bytes| Self::OptionalHandle { bytes });
        bytes_of_handle(type_name).map(|bytes| Self::Handle { bytes }).or_else(optional)
    }
}

/// A member of a given tensor: as the source would ask for it, and what it may be.
pub(in crate::symbolic) fn member(handle: &str, name: &str, index: Option<u64>) -> Option<(String, Range)> {
    let at = index.unwrap_or(0);
    let (asked, least, most) = match name {
        "dim" => ("dim()".to_owned(), 0, 64),
        "numel" => ("numel()".to_owned(), 0, LARGEST),
        "lead" => ("numel() / size(-1)".to_owned(), 0, LARGEST),
        "dtype" => ("scalar_type()".to_owned(), 0, 44),
        "device" => ("device().type()".to_owned(), 0, 20),
        "contiguous" => ("is_contiguous()".to_owned(), 0, 1),
        // It was not made by the program.
        "made" => ("made".to_owned(), 0, 0),
        "sizes" => (format!("size({at})"), 0, LARGEST_SIZE),
        "strides" => (format!("stride({at})"), 0, LARGEST_SIZE),
        "rest" => (format!("numel() from size({at}) on"), 0, LARGEST),
        "last" => (format!("size(-{})", at + 1), 0, LARGEST_SIZE),
        _ => return None,
    };
    Some((format!("{handle}.{asked}"), Range::new(least, most)))
}

#[cfg(test)]
mod tests {
    use super::Class;

    #[test]
    fn classes_by_their_names() {
        for (name, class) in [
            ("at::Tensor", Some(Class::Handle { bytes: 8 })),
            ("const at::Tensor &", Some(Class::Handle { bytes: 8 })),
            ("const std::optional<at::Tensor> &", Some(Class::OptionalHandle { bytes: 8 })),
            ("const torch::stable::Tensor &", Some(Class::Handle { bytes: 16 })),
            ("std::optional<torch::stable::Tensor>", Some(Class::OptionalHandle { bytes: 16 })),
            ("std::optional<long>", None),
            ("at::Tensor *", None),
            ("my::Tensor", None),
            ("Tensor", None),
        ] {
            assert_eq!(Class::of(name), class, "{name}");
        }
    }
}
