//! Tensors of a counterexample: from a model's values for some of their properties to tensors that a caller can make.
//!
//! In: contents of a root's objects that are parts of tensors (`scuba::Tensor` in `templates/models/aten.cpp`), as
//! far as the access depends on them. Out: complete, consistent tensors: sizes, strides and contiguity that fit, and
//! the least storage that these need. A replay decides whether these still reach the access.

pub use engine::symbolic::memory::tensors::{OF_HANDLE, OF_STORAGE};
use finding::{HeldScalar, HeldValue, TensorArgument};
use ir::{Module, Program, TypeKind};
use models::tensors::{CUDA, TENSOR};
use std::collections::BTreeMap;

/// `at::kFloat` (c10/core/ScalarType.h).
pub(super) const FLOAT: i128 = 6;

/// An element type: its number (torch/headeronly/core/ScalarType.h), Python's name, the element size in bytes, and
/// DLPack's code (dlpack/dlpack.h, `DLDataTypeCode`).
type TensorElement = (i128, &'static str, u64, i128);

const TYPES: &[TensorElement] = &[
    (0, "uint8", 1, 1),
    (1, "int8", 1, 0),
    (2, "int16", 2, 0),
    (3, "int32", 4, 0),
    (4, "int64", 8, 0),
    (5, "float16", 2, 2),
    (6, "float32", 4, 2),
    (7, "float64", 8, 2),
    (8, "complex32", 4, 5),
    (9, "complex64", 8, 5),
    (10, "complex128", 16, 5),
    (11, "bool", 1, 6),
    (15, "bfloat16", 2, 4),
    (27, "uint16", 2, 1),
    (28, "uint32", 4, 1),
    (29, "uint64", 8, 1),
];

/// Returns the type of DLPack with a code and a number of bits, of which either may be open; the usual one if it fits.
fn of_dlpack(code: Option<i128>, bits: Option<i128>) -> Option<&'static TensorElement> {
    let fits = |(_, _, bytes, of): &&TensorElement| {
        code.is_none_or(|c| c == *of) && bits.is_none_or(|b| b == i128::from(*bytes) * 8)
    };
    TYPES.iter().filter(fits).max_by_key(|(n, ..)| *n == FLOAT)
}

/// Returns the default of an unset tensor property, by the source's expression for it: for types and devices; the
/// other properties follow from these.
pub(super) fn usual(path: &str) -> Option<i128> {
    if path.ends_with(".scalar_type()") {
        Some(FLOAT)
    } else if path.ends_with(".device().type()") {
        Some(CUDA)
    } else if path.ends_with(".dtype().lanes") {
        Some(1)
    } else {
        None
    }
}

/// How a type holds numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberType {
    /// Integers of so many bytes, with a sign.
    Whole(i128),
    /// Integers of so many bytes, without a sign.
    Unsigned(i128),
    Half,
    BFloat16,
    Float,
    Double,
}

impl NumberType {
    /// Size in bytes.
    pub(super) const fn bytes(self) -> i128 {
        match self {
            Self::Whole(bytes) | Self::Unsigned(bytes) => bytes,
            Self::Half | Self::BFloat16 => 2,
            Self::Float => 4,
            Self::Double => 8,
        }
    }

    /// Returns the bits of a small whole number, or of the greatest integer of the type if that is less, as an integer
    /// with a sign.
    pub(super) fn held(self, number: i128) -> i128 {
        let single = (number as f32).to_bits();
        match self {
            Self::Whole(bytes) => number.min((1 << (8 * bytes - 1)) - 1),
            Self::Unsigned(bytes) => with_sign(number.min((1 << (8 * bytes)) - 1), bytes),
            Self::Half => i128::from(to_half(single).cast_signed()),
            Self::BFloat16 => i128::from(((single >> 16) as u16).cast_signed()),
            Self::Float => i128::from(single.cast_signed()),
            Self::Double => i128::from((number as f64).to_bits().cast_signed()),
        }
    }

    /// Returns the whole number whose bits an integer has; `None` for any other number.
    #[expect(clippy::cast_possible_truncation, reason = "the bits of a narrower type; the number is whole and small")]
    fn number(self, bits: i128) -> Option<i64> {
        let real = match self {
            Self::Whole(bytes) => return i64::try_from(with_sign(bits, bytes)).ok(),
            Self::Unsigned(bytes) => return i64::try_from(bits.rem_euclid(1 << (8 * bytes))).ok(),
            Self::Half => return (-2048..=2048).find(|n| self.held(*n) == bits).and_then(|n| i64::try_from(n).ok()),
            Self::BFloat16 => f64::from(f32::from_bits(u32::from(bits as u16) << 16)),
            Self::Float => f64::from(f32::from_bits(bits as u32)),
            Self::Double => f64::from_bits(bits as u64),
        };
        (real.fract() == 0.0 && real.abs() < 9e15).then_some(real as i64)
    }
}

/// Reads the lowest bytes of a number as an integer with a sign.
fn with_sign(number: i128, bytes: i128) -> i128 {
    let half = 1 << (8 * bytes - 1);
    (number + half).rem_euclid(2 * half) - half
}

/// Returns the bits of a number of half precision with few digits, by those of single precision (IEEE 754-2019, 3.6).
fn to_half(single: u32) -> u16 {
    let (sign, exponent, digits) = (single >> 31, (single >> 23) & 0xff, single & 0x007f_ffff);
    // Zero, and the bias of 127 instead of 15.
    let rest = if exponent == 0 { 0 } else { (exponent + 15 - 127) << 10 | digits >> 13 };
    u16::try_from(sign << 15 | rest).unwrap_or(0)
}

/// Returns how a type holds numbers, by its number, or by code and bits of DLPack; that of the usual type where nothing
/// is said. `None` for other types.
pub(super) fn number_type(of_type: Option<i128>, code: Option<i128>, bits: Option<i128>) -> Option<NumberType> {
    let (number, name, bytes, _) = match (code.or(bits), of_type) {
        (Some(_), _) => of_dlpack(code, bits)?,
        (None, of_type) => TYPES.iter().find(|(n, ..)| *n == of_type.unwrap_or(FLOAT))?,
    };
    match (*number, *name) {
        (5, _) => Some(NumberType::Half),
        (15, _) => Some(NumberType::BFloat16),
        (FLOAT, _) => Some(NumberType::Float),
        (7, _) => Some(NumberType::Double),
        (_, name) if name.starts_with("uint") => Some(NumberType::Unsigned(i128::from(*bytes))),
        (_, name) => name.starts_with("int").then_some(NumberType::Whole(i128::from(*bytes))),
    }
}

/// Layout of a tensor's members.
struct TensorLayout<'a> {
    module: &'a Module,
    fields: &'a [ir::Field],
}

impl<'a> TensorLayout<'a> {
    fn find(program: &'a Program) -> Option<Self> {
        program.modules.iter().find_map(|m| match &m.ty(m.type_named(TENSOR)?).kind {
            TypeKind::Struct { fields, .. } => Some(Self { module: m, fields }),
            _ => None,
        })
    }

    /// Returns the byte offset of an element of a member, and its width in bits.
    fn at(&self, member: &str, index: usize) -> Option<(i64, u32)> {
        let field = self.fields.iter().find(|f| f.name.as_deref() == Some(member))?;
        let ty = match &self.module.ty(field.ty).kind {
            TypeKind::Array { elem, .. } => *elem,
            _ => field.ty,
        };
        let bytes = self.module.size_of(ty).get();
        let at = field.offset + bytes * u64::try_from(index).ok()?;
        Some((i64::try_from(at).ok()?, u32::try_from(bytes * 8).ok()?))
    }
}

/// Properties of one tensor that a model gave.
struct PartialTensor<'a> {
    layout: &'a TensorLayout<'a>,
    numbers: BTreeMap<i64, i128>,
}

impl PartialTensor<'_> {
    fn get(&self, member: &str, index: usize) -> Option<i128> {
        self.numbers.get(&self.layout.at(member, index)?.0).copied()
    }

    fn element_type(&self) -> TensorElement {
        let number = self.get("dtype", 0);
        let numbered = TYPES.iter().find(|(n, ..)| Some(*n) == number.or(Some(FLOAT)));
        let (code, bits) = (self.get("code", 0), self.get("bits", 0));
        let asked = code.or(bits).and_then(|_| of_dlpack(code, bits));
        asked.or(numbered).copied().unwrap_or((FLOAT, "float32", 4, 2))
    }

    fn sizes(&self) -> Vec<i128> {
        let said = (0..64).filter(|i| self.get("sizes", *i).is_some() || self.get("strides", *i).is_some()).max();
        let from_end = (0..4).filter(|i| self.get("last", *i).is_some()).max();
        let least = said.map_or(0, |i| i + 1).max(from_end.map_or(0, |i| i + 1));
        let dim = self.get("dim", 0).and_then(|d| usize::try_from(d).ok());
        let mut sizes: Vec<i128> =
            (0..dim.unwrap_or(least).min(64)).map(|i| self.get("sizes", i).unwrap_or(1)).collect();
        for i in 0..4.min(sizes.len()) {
            let at = sizes.len() - 1 - i;
            if let (Some(n), None) = (self.get("last", i), self.get("sizes", at)) {
                sizes[at] = n;
            }
        }
        // An unset size is chosen to match the given number of elements.
        let product = number_of_elements(&sizes);
        if let Some(n) = self.get("numel", 0)
            && n != product
        {
            let open = |i: &usize| self.get("sizes", *i).is_none() && self.get("last", sizes.len() - 1 - *i).is_none();
            let others = |i: usize| number_of_elements(&sizes[..i]).saturating_mul(number_of_elements(&sizes[i + 1..]));
            if let Some(i) = (0..sizes.len()).find(open) {
                if n == 0 {
                    sizes[i] = 0;
                } else if others(i) > 0 && n % others(i) == 0 {
                    sizes[i] = n / others(i);
                }
            }
        }
        // An additional dimension, where allowed, is chosen to match the given number of elements.
        let product = number_of_elements(&sizes);
        if let (Some(n), None) = (self.get("numel", 0), dim)
            && n != product
            && sizes.len() < 64
        {
            if n == 0 {
                sizes.push(0);
            } else if product > 0 && n % product == 0 {
                sizes.insert(0, n / product);
            }
        }
        sizes
    }
}

/// Returns the product of sizes; the largest number where it is larger: nobody makes such a tensor.
fn number_of_elements(sizes: &[i128]) -> i128 {
    sizes.iter().fold(1, |n, size| n.saturating_mul(*size))
}

/// Returns the strides of a contiguous tensor.
fn packed(sizes: &[i128]) -> Vec<i128> {
    let mut n: i128 = 1;
    let mut strides: Vec<i128> = sizes
        .iter()
        .rev()
        .map(|size| {
            let stride = n;
            n = n.saturating_mul((*size).max(1));
            stride
        })
        .collect();
    strides.reverse();
    strides
}

/// Whether the strides are contiguous, as `TensorImpl::compute_contiguous` (c10/core/TensorImpl.h) decides.
fn is_contiguous(sizes: &[i128], strides: &[i128]) -> bool {
    sizes.contains(&0) || sizes.iter().zip(strides).zip(packed(sizes)).all(|((n, s), p)| *n == 1 || *s == p)
}

/// Completes the tensors among a root's inputs, and returns them by the names of their handles.
pub(super) fn complete(
    program: &Program,
    held: &mut Vec<HeldScalar>,
    extents: &mut BTreeMap<String, u64>,
) -> BTreeMap<String, TensorArgument> {
    let mut out = BTreeMap::new();
    let Some(layout) = TensorLayout::find(program) else { return out };
    let mut names: Vec<String> = vec![];
    for h in held.iter() {
        if let HeldValue::Pointer(to) = &h.what
            && to.ends_with(OF_HANDLE)
            && !names.contains(to)
        {
            names.push(to.clone());
        }
    }
    for name in names {
        let handle = name.strip_suffix(OF_HANDLE).unwrap_or(&name).to_owned();
        let numbers = held
            .iter()
            .filter(|h| h.object == name)
            .filter_map(|h| if let HeldValue::Number { value, .. } = h.what { Some((h.at, value)) } else { None })
            .collect();
        let partial = PartialTensor { layout: &layout, numbers };
        let sizes = partial.sizes();
        let packed = packed(&sizes);
        let strided = partial.get("contiguous", 0) != Some(1);
        let dims = sizes.len();
        let stride = |i: usize| partial.get("strides", i).or_else(|| partial.get("last_strides", dims - 1 - i));
        let strides: Vec<i128> =
            (0..dims).map(|i| stride(i).filter(|_| strided || sizes[i] == 1).unwrap_or(packed[i])).collect();
        let (dtype, type_name, bytes, code) = partial.element_type();
        let lanes = partial.get("lanes", 0).unwrap_or(1);
        let numel = number_of_elements(&sizes);
        let reach = |(n, s): (&i128, &i128)| (n - 1).saturating_mul(*s);
        let last = sizes.iter().zip(&strides).map(reach).fold(0, i128::saturating_add);
        let elements = if numel == 0 { 0 } else { last.saturating_add(1) };
        let device = partial.get("device", 0).unwrap_or(CUDA);
        held.retain(|h| h.object != name);
        let mut put = |member: &str, index: usize, value: i128| {
            if let Some((at, bits)) = layout.at(member, index) {
                held.push(HeldScalar { object: name.clone(), at, what: HeldValue::Number { bits, value } });
            }
        };
        let lead = number_of_elements(&sizes[..sizes.len().saturating_sub(1)]);
        put("dim", 0, i128::try_from(sizes.len()).unwrap_or(0));
        put("numel", 0, numel);
        put("lead", 0, lead);
        put("dtype", 0, dtype);
        put("code", 0, code);
        put("bits", 0, i128::from(bytes) * 8);
        put("lanes", 0, lanes);
        put("device", 0, device);
        put("contiguous", 0, i128::from(is_contiguous(&sizes, &strides)));
        put("made", 0, 0);
        for (i, (n, s)) in sizes.iter().zip(&strides).enumerate() {
            put("sizes", i, *n);
            put("strides", i, *s);
        }
        for i in 0..=sizes.len().min(63) {
            put("rest", i, number_of_elements(&sizes[i..]));
        }
        for (i, (n, s)) in sizes.iter().zip(&strides).rev().take(4).enumerate() {
            put("last", i, *n);
            put("last_strides", i, *s);
        }
        let data = format!("{handle}{OF_STORAGE}");
        if let Some((at, _)) = layout.at("data", 0) {
            held.push(HeldScalar { object: name.clone(), at, what: HeldValue::Pointer(data.clone()) });
        }
        let bytes = bytes.saturating_mul(u64::try_from(lanes).unwrap_or(1));
        let storage = u64::try_from(elements).unwrap_or(0).saturating_mul(bytes);
        extents.insert(data, storage);
        let numbers = |all: &[i128]| all.iter().map(|n| i64::try_from(*n).unwrap_or(i64::MAX)).collect();
        let argument = TensorArgument {
            dtype: type_name.to_owned(),
            sizes: numbers(&sizes),
            strides: numbers(&strides),
            on_device: device == CUDA,
            elements: BTreeMap::new(),
        };
        out.insert(handle, argument);
    }
    out
}

/// Records the storage contents that are tensor elements.
pub(super) fn note_contents(tensors: &mut BTreeMap<String, TensorArgument>, contents: &[HeldScalar]) {
    for h in contents {
        let handle = h.object.strip_suffix(OF_STORAGE).unwrap_or(&h.object);
        let (Some(t), HeldValue::Number { bits, value }) = (tensors.get_mut(handle), &h.what) else { continue };
        let of_name = TYPES.iter().find(|(_, name, ..)| *name == t.dtype);
        let (bytes, held) = of_name.map_or((1, None), |(n, name, bytes, _)| {
            let truth = (*name == "bool").then_some(NumberType::Unsigned(1));
            (*bytes, truth.or_else(|| number_type(Some(*n), None, None)))
        });
        let at = u64::try_from(h.at).unwrap_or(0);
        // An element read in another width has no Python number.
        if let Some(held) = held.filter(|_| u64::from(*bits) == bytes * 8 && at.is_multiple_of(bytes))
            && let Some(number) = held.number(*value)
        {
            t.elements.insert(at / bytes, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NumberType::{BFloat16, Double, Float, Half, Unsigned, Whole};
    use super::{BTreeMap, TensorArgument, is_contiguous, number_of_elements, number_type, packed};

    #[test]
    fn nobody_makes_a_tensor_that_needs_more_memory_than_there_is() {
        let of = |sizes: &[i64], strides: &[i64]| TensorArgument {
            dtype: "float32".into(),
            sizes: sizes.to_vec(),
            strides: strides.to_vec(),
            on_device: true,
            elements: BTreeMap::new(),
        };
        assert!(of(&[4, 8], &[8, 1]).can_be_made());
        assert!(of(&[1 << 40, 0], &[1, 1]).can_be_made());
        // More than 2^64 elements: their number wraps.
        assert!(!of(&[2_147_483_584, 8_589_934_849], &[8_589_934_849, 1]).can_be_made());
        assert!(!of(&[1 << 31, 1 << 31], &[0, 0]).can_be_made());
    }

    #[test]
    fn numbers_are_held_by_their_bits() {
        let types = [Half, BFloat16, Float, Double, Whole(2)];
        for (number, bits) in [
            (0, [0, 0, 0, 0, 0]),
            (1, [0x3c00, 0x3f80, 0x3f80_0000, 0x3ff0_0000_0000_0000, 1]),
            (1000, [0x63d0, 0x447a, 0x447a_0000, 0x408f_4000_0000_0000, 1000]),
            (-2, [-0x4000, -0x4000, -0x4000_0000, -0x4000_0000_0000_0000, -2]),
        ] {
            assert_eq!(types.map(|t| t.held(number)), bits, "{number}");
            assert!(types.iter().zip(bits).all(|(t, b)| t.number(b).map(i128::from) == Some(number)), "{number}");
        }
        assert_eq!([-1, 200, 0].map(|bits| Unsigned(1).number(bits)), [Some(255), Some(200), Some(0)]);
        assert_eq!([Whole(1), Unsigned(1), Unsigned(2)].map(|t| t.held(1000)), [127, -1, 1000]);
        assert_eq!((Unsigned(8).number(-1), Whole(8).number(-1)), (None, Some(-1)));
        assert_eq!(Float.number(0x3f00_0000), None, "0.5");
        assert_eq!(Float.number(0x7f80_0000), None, "infinity");
        assert_eq!(number_type(None, None, None), Some(Float));
        assert_eq!(number_type(None, Some(4), Some(16)), Some(BFloat16));
        assert_eq!((number_type(Some(3), None, None), number_type(Some(11), None, None)), (Some(Whole(4)), None));
        assert_eq!(number_type(Some(0), None, None), Some(Unsigned(1)));
    }

    #[test]
    fn contiguous_is_what_pytorch_says() {
        assert_eq!(packed(&[2, 3, 4]), [12, 4, 1]);
        // A model may choose sizes whose product is beyond any number.
        assert_eq!(number_of_elements(&[1 << 40; 4]), i128::MAX);
        assert_eq!(packed(&[1 << 40; 5])[0], i128::MAX);
        // Strides of dimensions of size 1, and all strides of an empty tensor, are arbitrary.
        assert!(is_contiguous(&[2, 1, 4], &[4, 77, 1]));
        assert!(is_contiguous(&[2, 0], &[5, 5]));
        assert!(!is_contiguous(&[2, 3], &[1, 2]));
        assert!(!is_contiguous(&[2, 3], &[0, 0]));
    }
}
