//! Arguments that carry a DLPack tensor (dlpack/dlpack.h 1.2): `nanobind::ndarray`, `tvm::ffi::TensorView`,
//! `tvm::ffi::Tensor` and `DLTensor`.
//!
//! In: a parameter of a function. Out: the model that turns a caller's tensor (`scuba::Tensor` in
//! `templates/models/aten.cpp`) into the argument, as the library does before it calls the function
//! (`templates/models/dlpack.cpp`), and what the argument's type requires of the tensor.

use ir::{Function, Module};

/// Prefix of the names of functions that turn a caller's tensor into an argument; the argument's class follows.
pub const CONVERSION: &str = ir::CONVERSION;

/// Name, after the prefix, of the model that states the length of a tensor's memory.
pub const LAID_OUT: &str = "scuba::laid_out";

/// A parameter that carries a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// Class of the argument, as the models name it.
    pub class: &'static str,
    /// Size of the argument in bytes. Its first eight bytes hold the tensor's address before the conversion.
    pub bytes: u32,
    /// Requirements of the type on the tensor, in the conversion's form.
    pub required: Vec<i64>,
}

/// Class of nanobind's arrays, and the structure of DLPack.
pub const NDARRAY: &str = "nanobind::ndarray";
pub const STRUCTURE: &str = "DLTensor";
/// Member of this structure that is added to the pointer to the data.
pub const BYTE_OFFSET: &str = ".byte_offset";

/// Classes without requirements, with the number of bytes of an object.
const OTHERS: &[(&str, u32)] = &[("tvm::ffi::TensorView", 48), ("tvm::ffi::Tensor", 8), (STRUCTURE, 48)];

/// Largest number of dimensions for which a type's sizes are known.
const MAX: usize = 8;

/// Returns how a parameter of a module's function carries a tensor; `None` if it does not, if its type requires
/// something unknown, or if its class has another size: then it belongs to another version of the library.
#[must_use]
pub fn carrier(m: &Module, f: &Function, parameter: usize) -> Option<Carrier> {
    let p = f.params.get(parameter)?;
    let of_class = p.of_class.as_deref()?;
    let arguments = of_class.strip_prefix(NDARRAY).and_then(|rest| rest.strip_prefix('<')?.strip_suffix('>'));
    let (class, bytes, required) = match arguments {
        Some(arguments) => (NDARRAY, 56, Required::of(arguments)?.listed()),
        None => OTHERS.iter().find(|(class, _)| *class == of_class).map(|(class, bytes)| (*class, *bytes, vec![]))?,
    };
    let sizes = m.type_named(of_class).map(|ty| m.size_of(ty).get()).into_iter().chain([p.dereferenceable]);
    let fits = sizes.into_iter().all(|size| size == 0 || size == u64::from(bytes));
    fits.then_some(Carrier { class, bytes, required })
}

/// Requirements of an `nb::ndarray` (nanobind's documentation, *The `nb::ndarray<..>` class*, "Array constraints";
/// `ndarray_import` in its sources); -1 where there is none.
#[derive(Debug, PartialEq, Eq)]
struct Required {
    dimensions: i64,
    /// `DLDeviceType`.
    device: i64,
    /// `DLDataType`: code and bits.
    element: (i64, i64),
    order: i64,
    sizes: Vec<i64>,
}

/// `nb::device::*` (nanobind/ndarray.h).
const DEVICES: &[(&str, i64)] = &[
    ("none", -1),
    ("cpu", 1),
    ("cuda", 2),
    ("cuda_host", 3),
    ("opencl", 4),
    ("vulkan", 7),
    ("metal", 8),
    ("rocm", 10),
    ("rocm_host", 11),
    ("cuda_managed", 13),
    ("oneapi", 14),
];

/// Annotations that require nothing of the tensor.
const FREE: &[&str] = &[
    "numpy",
    "pytorch",
    "tensorflow",
    "jax",
    "cupy",
    "memview",
    "array_api",
    "mlx",
    "no_framework",
    "ro",
    "detail::unused",
];

/// Element types with code and bits of their `DLDataType` (dlpack.h, `DLDataTypeCode`; `dtype_traits` in
/// nanobind/ndarray.h). CUDA's own ones have the traits that the documentation gives.
const ELEMENTS: &[(&str, i64, i64)] = &[
    ("signed char", 0, 8),
    ("short", 0, 16),
    ("int", 0, 32),
    ("long", 0, 64),
    ("long long", 0, 64),
    ("unsigned char", 1, 8),
    ("unsigned short", 1, 16),
    ("unsigned int", 1, 32),
    ("unsigned long", 1, 64),
    ("unsigned long long", 1, 64),
    ("char", 0, 8),
    ("float", 2, 32),
    ("double", 2, 64),
    ("__half", 2, 16),
    ("__nv_bfloat16", 4, 16),
    ("std::complex<float>", 5, 64),
    ("std::complex<double>", 5, 128),
    ("bool", 6, 8),
    ("void", -1, -1),
];

impl Required {
    /// Parses the template arguments of an `nb::ndarray`; `None` where one is unknown.
    fn of(arguments: &str) -> Option<Self> {
        let mut all = Self { dimensions: -1, device: -1, element: (-1, -1), order: -1, sizes: vec![] };
        for argument in listed(arguments) {
            let name = argument.strip_prefix("nanobind::").unwrap_or(argument);
            if FREE.contains(&name) {
                continue;
            }
            if let Some(device) = name.strip_prefix("device::") {
                all.device = DEVICES.iter().find(|(n, _)| *n == device)?.1;
            } else if let Some(order) = name.strip_suffix("_contig") {
                all.order = match order {
                    "c" => i64::from(b'C'),
                    "f" => i64::from(b'F'),
                    "any" => i64::from(b'A'),
                    _ => return None,
                };
            } else if let Some(sizes) = name.strip_prefix("detail::").unwrap_or(name).strip_prefix("shape<") {
                all.sizes = listed(sizes.strip_suffix('>')?).map(size).collect::<Option<_>>()?;
                all.dimensions = i64::try_from(all.sizes.len()).ok().filter(|_| all.sizes.len() <= MAX)?;
            } else {
                let (_, code, bits) = ELEMENTS.iter().find(|(n, ..)| *n == plain(name))?;
                all.element = (*code, *bits);
            }
        }
        Some(all)
    }

    fn listed(self) -> Vec<i64> {
        let mut all = vec![self.dimensions, self.device, self.element.0, self.element.1, self.order];
        all.extend((0..MAX).map(|i| self.sizes.get(i).copied().unwrap_or(-1)));
        all
    }
}

/// Parses an argument of `nb::shape`: -1, or the largest `size_t` up to nanobind 1, stands for any size.
fn size(argument: &str) -> Option<i64> {
    let number = argument.rsplit(')').next().unwrap_or(argument).trim_end_matches(['u', 'U', 'l', 'L']);
    if number == "18446744073709551615" { Some(-1) } else { number.parse().ok().filter(|n| *n >= -1) }
}

/// Strips qualifiers from a type's name.
fn plain(name: &str) -> &str {
    let mut name = name;
    for word in ["const", "volatile", "struct", "class"] {
        name = name.strip_prefix(word).filter(|rest| rest.starts_with(' ')).unwrap_or(name).trim_start();
        name = name.strip_suffix(word).filter(|rest| rest.ends_with(' ')).unwrap_or(name).trim_end();
    }
    name
}

/// Splits a list of template arguments.
fn listed(arguments: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let is_between = move |c: char| {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    };
    arguments.split(is_between).map(str::trim).filter(|a| !a.is_empty())
}

#[cfg(test)]
mod tests {
    use super::Required;

    #[test]
    fn requirements_of_arrays() {
        let all = "const float, nanobind::device::cuda, nanobind::detail::shape<-1L, 4L>, nanobind::c_contig";
        let of = |text: &str| Required::of(text).map(Required::listed);
        assert_eq!(of(all).unwrap(), [2, 2, 2, 32, 67, -1, 4, -1, -1, -1, -1, -1, -1]);
        assert_eq!(of("").unwrap()[..5], [-1; 5]);
        assert_eq!(of("nanobind::pytorch, nanobind::ro").unwrap()[..5], [-1; 5]);
        assert_eq!(of("nanobind::shape<18446744073709551615UL>").unwrap()[..6], [1, -1, -1, -1, -1, -1]);
        assert_eq!(of("std::complex<float>, nanobind::f_contig").unwrap()[..5], [-1, -1, 5, 64, 70]);
        // Traits of a user's own type are not known, nor is what an annotation of a later version requires.
        assert_eq!(of("mine::Half"), None);
        assert_eq!(of("nanobind::later"), None);
    }
}
