//! Algorithms of CCCL that run on a whole device, by their demangled names: which ranges they read and write.
//!
//! Source: the documentation of CCCL 3.3 (Thrust and CUB API). Iterators count if they are plain addresses of elements of an
//! arithmetic type.

/// Use of the elements of a range by an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementUse {
    Read,
    Write,
    Change,
}

/// Arguments of an algorithm of Thrust behind the policy.
#[derive(Debug)]
pub struct ThrustAlgorithm {
    /// Part of its demangled name.
    pub name: &'static str,
    /// The range of the first two iterators.
    pub range: ElementUse,
    /// Ranges of as many elements, each by its first iterator.
    pub beside: &'static [ElementUse],
}

const fn thrust(name: &'static str, range: ElementUse, beside: &'static [ElementUse]) -> ThrustAlgorithm {
    ThrustAlgorithm { name, range, beside }
}

/// Algorithms of Thrust, by the functions of its CUDA backend, to which all its calls for a device lead.
pub const THRUST: &[ThrustAlgorithm] = &[
    thrust("::cuda_cub::sort<", ElementUse::Change, &[]),
    thrust("::cuda_cub::stable_sort<", ElementUse::Change, &[]),
    thrust("::cuda_cub::sort_by_key<", ElementUse::Change, &[ElementUse::Change]),
    thrust("::cuda_cub::stable_sort_by_key<", ElementUse::Change, &[ElementUse::Change]),
    thrust("::cuda_cub::inclusive_scan<", ElementUse::Read, &[ElementUse::Write]),
    thrust("::cuda_cub::exclusive_scan<", ElementUse::Read, &[ElementUse::Write]),
    thrust("::cuda_cub::reduce<", ElementUse::Read, &[]),
    thrust("::cuda_cub::fill<", ElementUse::Write, &[]),
    thrust("::cuda_cub::tabulate<", ElementUse::Write, &[]),
    thrust("::cuda_cub::copy<", ElementUse::Read, &[ElementUse::Write]),
];

/// Number of elements of a range of CUB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementCount {
    All,
    One,
}

/// Algorithm of CUB: behind the temporary storage and its size come ranges and the number of elements.
#[derive(Debug)]
pub struct CubAlgorithm {
    /// Part of its demangled name.
    pub name: &'static str,
    pub ranges: &'static [(ElementUse, ElementCount)],
}

const IN: (ElementUse, ElementCount) = (ElementUse::Read, ElementCount::All);
const OUT: (ElementUse, ElementCount) = (ElementUse::Write, ElementCount::All);
const RESULT: (ElementUse, ElementCount) = (ElementUse::Write, ElementCount::One);

pub const CUB: &[CubAlgorithm] = &[
    CubAlgorithm { name: "::DeviceRadixSort::SortKeys<", ranges: &[IN, OUT] },
    CubAlgorithm { name: "::DeviceRadixSort::SortKeysDescending<", ranges: &[IN, OUT] },
    CubAlgorithm { name: "::DeviceRadixSort::SortPairs<", ranges: &[IN, OUT, IN, OUT] },
    CubAlgorithm { name: "::DeviceRadixSort::SortPairsDescending<", ranges: &[IN, OUT, IN, OUT] },
    CubAlgorithm { name: "::DeviceScan::ExclusiveSum<", ranges: &[IN, OUT] },
    CubAlgorithm { name: "::DeviceScan::InclusiveSum<", ranges: &[IN, OUT] },
    CubAlgorithm { name: "::DeviceReduce::Sum<", ranges: &[IN, RESULT] },
    CubAlgorithm { name: "::DeviceReduce::Min<", ranges: &[IN, RESULT] },
    CubAlgorithm { name: "::DeviceReduce::Max<", ranges: &[IN, RESULT] },
];

/// Algorithms with a function of the program, which may do more than this: their bodies are followed, and these ranges are only
/// what they touch in any case. An algorithm has as many parameters as it has ranges, and those that the number says.
const WITH_FUNCTIONS: &[(ThrustAlgorithm, usize)] = &[
    (thrust("::cuda_cub::transform<", ElementUse::Read, &[ElementUse::Write]), 1),
    (thrust("::cuda_cub::transform<", ElementUse::Read, &[ElementUse::Read, ElementUse::Write]), 1),
    (thrust("::cuda_cub::transform_reduce<", ElementUse::Read, &[]), 3),
    (thrust("::cuda_cub::count_if<", ElementUse::Read, &[]), 1),
    (thrust("::cuda_cub::copy_if<", ElementUse::Read, &[]), 2),
    (thrust("::cuda_cub::remove_if<", ElementUse::Change, &[]), 1),
    (thrust("::cuda_cub::sort<", ElementUse::Change, &[]), 1),
    (thrust("::cuda_cub::stable_sort<", ElementUse::Change, &[]), 1),
    (thrust("::cuda_cub::sort_by_key<", ElementUse::Change, &[ElementUse::Change]), 1),
    (thrust("::cuda_cub::stable_sort_by_key<", ElementUse::Change, &[ElementUse::Change]), 1),
    (thrust("::cuda_cub::reduce<", ElementUse::Read, &[]), 2),
    (thrust("::cuda_cub::inclusive_scan<", ElementUse::Read, &[ElementUse::Write]), 1),
    (thrust("::cuda_cub::exclusive_scan<", ElementUse::Read, &[ElementUse::Write]), 2),
    (thrust("::cuda_cub::gather<", ElementUse::Read, &[]), 2),
];

/// Function objects of the library that touch no memory.
const OPERATORS: &[&str] = &[
    "plus",
    "multiplies",
    "minimum",
    "maximum",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "equal_to",
    "bit_and",
    "bit_or",
    "bit_xor",
    "logical_and",
    "logical_or",
    "compute_sequence_value",
];

/// Splits a demangled name into the name without template arguments and the types of the parameters.
fn parts_of(display: &str) -> Option<(&str, Vec<&str>)> {
    let (mut depth, mut open, mut name) = (0usize, None, None);
    for (i, b) in display.bytes().enumerate() {
        match b {
            b'<' => {
                name = name.or((depth == 0).then_some(i));
                depth += 1;
            }
            b'>' => depth = depth.checked_sub(1)?,
            b'(' if depth == 0 => {
                open = Some(i);
                break;
            }
            _ => {}
        }
    }
    let inside = display[open? + 1..].strip_suffix(')')?;
    Some((&display[..name?], split(inside)))
}

/// Splits a list of types at its commas.
fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut from, mut out) = (0i32, 0, vec![]);
    for (i, b) in list.bytes().enumerate() {
        match b {
            b'<' | b'(' => depth += 1,
            b'>' | b')' => depth -= 1,
            b',' if depth == 0 => {
                out.push(list[from..i].trim());
                from = i + 1;
            }
            _ => {}
        }
    }
    out.push(list[from..].trim());
    out
}

/// Returns the template and its arguments of a type.
fn template_of(ty: &str) -> Option<(&str, Vec<&str>)> {
    let (name, arguments) = ty.split_once('<')?;
    Some((name, split(arguments.strip_suffix('>')?)))
}

/// Returns the size in bytes of the elements that an iterator reaches, if it is an address of numbers.
fn element_size(ty: &str) -> Option<u64> {
    if let Some(element) = ty.strip_suffix('*') {
        return number_size(element.strip_suffix(" const").unwrap_or(element));
    }
    let (name, arguments) = template_of(ty).filter(|(name, _)| name.starts_with("thrust::"))?;
    let element = *arguments.first()?;
    if name.ends_with("::device_ptr") {
        return number_size(element.strip_suffix(" const").unwrap_or(element));
    }
    if name.ends_with("::detail::normal_iterator") { element_size(element) } else { None }
}

/// Returns the size in bytes of an arithmetic type.
fn number_size(ty: &str) -> Option<u64> {
    Some(match ty {
        "bool" | "char" | "signed char" | "unsigned char" => 1,
        "short" | "unsigned short" => 2,
        "int" | "unsigned int" | "float" => 4,
        "long" | "unsigned long" | "long long" | "unsigned long long" | "double" => 8,
        _ => return None,
    })
}

/// Whether a parameter is a number, or a reference to one.
fn is_number(ty: &str) -> bool {
    number_size(ty.strip_suffix(" const&").unwrap_or(ty)).is_some()
}

/// Whether a parameter is a function object of the library for numbers.
fn is_operator(ty: &str) -> bool {
    let Some((name, arguments)) = template_of(ty) else { return false };
    (name.starts_with("cuda::std::") || name.starts_with("thrust::"))
        && name.rsplit("::").next().is_some_and(|n| OPERATORS.contains(&n))
        && arguments.iter().all(|a| *a == "void" || number_size(a).is_some())
}

/// A call of an algorithm of Thrust whose iterators are addresses of numbers.
#[derive(Debug)]
pub struct ThrustCall {
    pub algorithm: &'static ThrustAlgorithm,
    /// Bytes of an element of each range. The iterators are the arguments behind the policy: first and last of the first
    /// range, then the first of each other one.
    pub sizes: Vec<u64>,
    /// Whether these ranges are all that it touches, before the host goes on.
    pub is_whole: bool,
    /// Types of the function objects that it calls; where they touch nothing but their arguments, the ranges are all that it
    /// touches. Absent where it touches more than its ranges, or the host does not wait for it.
    pub functions: Option<Vec<String>>,
    /// Result of the call, or what it selects.
    pub result: ThrustResult,
}

/// Result of an algorithm of Thrust with functions of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThrustResult {
    /// The end of the last range, or a number that is not known.
    End,
    /// The number of elements that a function selects.
    Count,
    /// The end of the elements that are kept, in the first range.
    Kept,
    /// The end of the elements that are copied, in memory that the argument behind the ranges points to; bytes of an element.
    Copied(u64),
}

/// A call of an algorithm of CUB on addresses of numbers.
#[derive(Debug)]
pub struct CubCall {
    pub algorithm: &'static CubAlgorithm,
    /// Bytes of an element of each range. The ranges are the arguments behind the temporary storage and its size.
    pub sizes: Vec<u64>,
    /// The argument that is the number of elements, its bits, and whether it is signed.
    pub count: (usize, u32, bool),
    /// The argument that is the stream.
    pub stream: usize,
}

impl ThrustCall {
    /// Reads a demangled name.
    #[must_use]
    pub fn of(display: &str) -> Option<Self> {
        let (name, parameters) = parts_of(display).filter(|(name, _)| name.starts_with("thrust::"))?;
        let is_called = |a: &ThrustAlgorithm| is_named(display, name, a.name);
        let sizes = |a: &ThrustAlgorithm| {
            let all = parameters.iter().skip(1).take(2 + a.beside.len()).map(|p| element_size(p));
            all.collect::<Option<Vec<u64>>>().filter(|s| s.len() == 2 + a.beside.len() && s[0] == s[1])
        };
        let policy = parameters.first().is_some_and(|p| p.contains("execution_policy<"));
        // Only streams that the host waits for, and operators without memory of their own.
        let is_plain = |a: &ThrustAlgorithm| {
            ["::cuda_cub::par_t>&", "::cuda_cub::tag>&"].iter().any(|p| parameters[0].ends_with(p))
                && parameters[3 + a.beside.len()..].iter().all(|p| is_number(p) || is_operator(p))
        };
        if !policy {
            return None;
        }
        if let Some((algorithm, sizes)) =
            THRUST.iter().filter(|a| is_called(a)).find_map(|a| Some((a, sizes(a).filter(|_| is_plain(a))?)))
        {
            let (functions, result) = (None, ThrustResult::End);
            return Some(Self { algorithm, sizes: sizes[1..].to_vec(), is_whole: true, functions, result });
        }
        WITH_FUNCTIONS
            .iter()
            .filter(|(a, more)| is_called(a) && parameters.len() == 3 + a.beside.len() + more)
            .find_map(|(a, _)| Some((a, sizes(a)?)))
            .map(|(a, sizes)| {
                let rest = &parameters[3 + a.beside.len()..];
                let (result, rest) = match (a.name, rest) {
                    ("::cuda_cub::copy_if<", [to, rest @ ..]) => (element_size(to).map(ThrustResult::Copied), rest),
                    ("::cuda_cub::remove_if<", rest) => (Some(ThrustResult::Kept), rest),
                    ("::cuda_cub::count_if<", rest) => (Some(ThrustResult::Count), rest),
                    // It reads where the elements of its range say.
                    ("::cuda_cub::gather<", rest) => (None, rest),
                    (_, rest) => (Some(ThrustResult::End), rest),
                };
                let waits = ["::cuda_cub::par_t>&", "::cuda_cub::tag>&"].iter().any(|p| parameters[0].ends_with(p));
                let own = rest.iter().filter(|p| !is_number(p) && !is_operator(p)).map(ToString::to_string);
                let functions = result.filter(|_| waits).map(|_| own.collect());
                let result = result.unwrap_or(ThrustResult::End);
                Self { algorithm: a, sizes: sizes[1..].to_vec(), is_whole: false, functions, result }
            })
    }
}

impl CubCall {
    /// Reads a demangled name.
    #[must_use]
    pub fn of(display: &str) -> Option<Self> {
        let (name, parameters) = parts_of(display).filter(|(name, _)| name.starts_with("cub::"))?;
        let algorithm = CUB.iter().find(|a| is_named(display, name, a.name))?;
        let number = 2 + algorithm.ranges.len();
        let is_plain = parameters.len() > number
            && parameters[..2] == ["void*", "unsigned long&"]
            && is_number(parameters[number])
            && parameters[number + 1..].iter().all(|p| *p == "int" || *p == "CUstream_st*");
        if !is_plain {
            return None;
        }
        let sizes: Option<Vec<u64>> =
            parameters.iter().skip(2).take(algorithm.ranges.len()).map(|p| element_size(p)).collect();
        let bits = u32::try_from(number_size(parameters[number])? * 8).ok()?;
        let count = (number, bits, !parameters[number].starts_with("unsigned"));
        let stream = parameters.iter().position(|p| *p == "CUstream_st*")?;
        Some(Self { algorithm, sizes: sizes?, count, stream })
    }
}

/// Whether a template's name ends as a part of a demangled name does, which ends with `<`.
fn is_named(display: &str, name: &str, part: &str) -> bool {
    name.ends_with(&part[..part.len() - 1]) && display[name.len()..].starts_with('<')
}

#[cfg(test)]
mod tests {
    use super::{CubCall, ThrustCall, element_size, is_operator, parts_of};

    #[test]
    fn names_are_taken_apart() {
        let sort = "thrust::_V_1::cuda_cub::sort<thrust::_V_1::cuda_cub::par_t, int*>(thrust::_V_1::cuda_cub::\
                    execution_policy<thrust::_V_1::cuda_cub::par_t>&, int*, int*)";
        let (name, parameters) = parts_of(sort).unwrap();
        assert_eq!(name, "thrust::_V_1::cuda_cub::sort");
        assert_eq!(parameters[1..], ["int*", "int*"]);
        assert_eq!(parts_of("main"), None);
        assert_eq!(parts_of("f(int)"), None);
    }

    #[test]
    fn elements_are_numbers() {
        let iterator = "thrust::_V_1::detail::normal_iterator<thrust::_V_1::device_ptr<double const> >";
        for (ty, size) in [("int*", Some(4)), ("char const*", Some(1)), (iterator, Some(8)), ("Point*", None)] {
            assert_eq!(element_size(ty), size, "{ty}");
        }
        assert_eq!(element_size("thrust::_V_1::counting_iterator<int>"), None);
        assert_eq!(element_size("mine::device_ptr<int>"), None);
    }

    #[test]
    fn operators_are_the_librarys() {
        assert!(is_operator("cuda::std::__4::less<int>"));
        assert!(is_operator("cuda::std::__4::plus<void>"));
        for other in ["less<int>", "cuda::std::__4::less<Point>", "mine::plus<int>", "cuda::std::__4::hash<int>"] {
            assert!(!is_operator(other), "{other}");
        }
    }

    #[test]
    fn calls_are_known_by_their_parameters() {
        let policy = "thrust::_V_1::cuda_cub::execution_policy<thrust::_V_1::cuda_cub::par_t>&";
        let call =
            |name: &str, rest: &str| ThrustCall::of(&format!("thrust::_V_1::cuda_cub::{name}<X>({policy}, {rest})"));
        assert!(call("sort", "int*, int*").is_some_and(|c| c.is_whole && c.sizes == [4]));
        assert!(call("sort", "int*, int*, Less").is_some_and(|c| !c.is_whole));
        assert!(call("transform", "int*, int*, double*, Square").is_some_and(|c| !c.is_whole && c.sizes == [4, 8]));
        let two = call("transform", "int*, int*, char*, double*, Square").unwrap();
        assert_eq!((two.sizes, two.algorithm.beside.len()), (vec![4, 1, 8], 2));
        assert!(call("transform", "int*, int*, Point*, Square").is_none());
        assert!(call("transform", "int*, double*, int*, Square").is_none());
        let sum = "cub::_V_1::DeviceScan::InclusiveSum<int*, int*, int>(void*, unsigned long&, int*, int*, int, CUstream_st*)";
        assert!(CubCall::of(sum).is_some_and(|c| c.count == (4, 32, true) && c.stream == 5));
    }
}
