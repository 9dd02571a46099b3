//! Algorithms of CCCL that run on a whole device: Thrust's as its CUDA backend starts them, and CUB's.
//!
//! In: a call whose iterators are plain addresses of elements of an arithmetic type, with operators of the library. Out:
//! what it reads and writes, by the documentation (CCCL 3.3, Thrust and CUB API), in place of a body that launches
//! kernels by the architecture and the number of elements. Any other call is entered.

use super::cuda;
use super::libc;
use super::waits;
use base::reasons::UnknownReason;
use engine::symbolic::exec::events::AccessKind;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::memory::object::ObjKind;
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymKind, TermId};
use ir::reach::Mentions;
use ir::{FuncRef, Program, TypeKind};
use models::row::{MatchKind, NameKey};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Use of the elements of a range by an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ElementUse {
    Read,
    Write,
    Change,
}

/// Arguments of an algorithm of Thrust behind the policy.
struct ThrustAlgorithm {
    /// Part of its demangled name.
    name: &'static str,
    /// The range of the first two iterators.
    range: ElementUse,
    /// Ranges of as many elements, each by its first iterator.
    beside: &'static [ElementUse],
}

const fn thrust(name: &'static str, range: ElementUse, beside: &'static [ElementUse]) -> ThrustAlgorithm {
    ThrustAlgorithm { name, range, beside }
}

/// Algorithms of Thrust, by the functions of its CUDA backend, to which all its calls for a device lead.
const THRUST: &[ThrustAlgorithm] = &[
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
enum ElementCount {
    All,
    One,
}

/// Algorithm of CUB: behind the temporary storage and its size come ranges and the number of elements.
struct CubAlgorithm {
    /// Part of its demangled name.
    name: &'static str,
    ranges: &'static [(ElementUse, ElementCount)],
}

const IN: (ElementUse, ElementCount) = (ElementUse::Read, ElementCount::All);
const OUT: (ElementUse, ElementCount) = (ElementUse::Write, ElementCount::All);
const RESULT: (ElementUse, ElementCount) = (ElementUse::Write, ElementCount::One);

const CUB: &[CubAlgorithm] = &[
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

/// Returns the names of the modelled functions.
pub(super) fn keys() -> impl Iterator<Item = NameKey> {
    let names = THRUST.iter().map(|a| a.name).chain(CUB.iter().map(|a| a.name));
    names.map(|n| NameKey::new(MatchKind::DemangledPart, n))
}

/// Models a call of such an algorithm.
pub(super) fn device_wide_call(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let own = e.program.is_own(c.func) && !e.program.loc(c.func.module, e.program.func(c.func).loc).system;
    let Some((name, parameters)) = parts_of(c.display).filter(|_| !own) else { return Err(Box::new(s)) };
    let is_called = |part: &str| name.ends_with(&part[..part.len() - 1]) && c.display[name.len()..].starts_with('<');
    if name.starts_with("thrust::")
        && let Some(a) = THRUST.iter().find(|a| is_called(a.name))
    {
        return thrust_call(e, c, s, a, &parameters);
    }
    if name.starts_with("cub::")
        && let Some(a) = CUB.iter().find(|a| is_called(a.name))
    {
        return cub_call(e, c, s, a, &parameters);
    }
    Err(Box::new(s))
}

/// A range of elements on a device.
struct DeviceRange {
    place: Rc<Vec<GuardedTarget>>,
    bytes: TermId,
    used: ElementUse,
}

fn thrust_call(
    e: &mut Executor<'_>,
    c: &LibraryCall<'_>,
    mut s: State,
    a: &ThrustAlgorithm,
    parameters: &[&str],
) -> ModelOutcome {
    let iterators = 2 + a.beside.len();
    // Only streams that the host waits for, and operators without memory of their own.
    let is_plain = parameters.len() > iterators
        && parameters[0].contains("execution_policy<")
        && ["::cuda_cub::par_t>&", "::cuda_cub::tag>&"].iter().any(|p| parameters[0].ends_with(p))
        && parameters[iterators + 1..].iter().all(|p| is_number(p) || is_operator(p));
    let sizes: Option<Vec<u64>> = parameters.iter().skip(1).take(iterators).map(|p| element_size(p)).collect();
    let (Some(sizes), true) = (sizes.filter(|s| s[0] == s[1]), is_plain) else { return Err(Box::new(s)) };
    let places: Vec<_> = (1..=iterators).map(|i| cuda::pointer_arg(e, c, i)).collect();
    let ([first], [last]) = (places[0].as_slice(), places[1].as_slice()) else { return Err(Box::new(s)) };
    if first.base != last.base || !places.iter().all(|p| is_of_device(e, p)) {
        return Err(Box::new(s));
    }
    let (bytes, zero) = (e.arena.sub(last.offset, first.offset), e.arena.int(0));
    let bytes = e.arena.max(bytes, zero);
    let count = e.arena.floor_div(bytes, i128::from(sizes[0]));
    let mut ranges = vec![DeviceRange { place: places[0].clone(), bytes, used: a.range }];
    for (i, used) in a.beside.iter().enumerate() {
        let bytes = if sizes[i + 2] == sizes[0] { bytes } else { e.arena.scale(count, i128::from(sizes[i + 2])) };
        ranges.push(DeviceRange { place: places[i + 2].clone(), bytes, used: *used });
    }
    let end = ranges.last().map(|r| (r.place.clone(), r.bytes));
    run(e, c, &mut s, &ranges);
    // Scans and copies return the end of what they write.
    let m = e.program.module(c.site.func.module);
    let v = match (end, &m.ty(c.ty).kind) {
        (Some((place, bytes)), TypeKind::Ptr(_)) => Value::Ptr(e.offset_targets(&place, bytes)),
        _ => e.unknown_of(m, c.ty, &UnknownReason::Algorithm),
    };
    Ok(Some((v, s)))
}

fn cub_call(
    e: &mut Executor<'_>,
    c: &LibraryCall<'_>,
    mut s: State,
    a: &CubAlgorithm,
    parameters: &[&str],
) -> ModelOutcome {
    let number = 2 + a.ranges.len();
    let is_plain = parameters.len() > number
        && parameters[..2] == ["void*", "unsigned long&"]
        && is_number(parameters[number])
        && parameters[number + 1..].iter().all(|p| *p == "int" || *p == "CUstream_st*");
    let sizes: Option<Vec<u64>> = parameters.iter().skip(2).take(a.ranges.len()).map(|p| element_size(p)).collect();
    let (Some(sizes), Some(bits), true) = (sizes, parameters.get(number).and_then(|p| number_size(p)), is_plain) else {
        return Err(Box::new(s));
    };
    let (storage, needed) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    if storage.iter().all(|t| t.base == Base::Null) {
        // Only the size of the temporary storage is asked for: at least a byte, or a null address would ask again.
        let reason = UnknownReason::Algorithm;
        let size = e.arena.fresh(SymKind::Unknown { reason }, "?", Interval::new(1, 1 << 40));
        e.store_value(&mut s, &needed, Value::Int(size), 8);
        return super::success(e, s);
    }
    let places: Vec<_> = (2..number).map(|i| cuda::pointer_arg(e, c, i)).collect();
    let stream = parameters.iter().position(|p| *p == "CUstream_st*");
    let Some(stream) = stream.filter(|i| *i < c.args.len()) else { return Err(Box::new(s)) };
    if !is_of_device(e, &storage) || !places.iter().all(|p| is_of_device(e, p)) {
        return Err(Box::new(s));
    }
    let Some(held) = e.load_number(&mut s, &needed, 8) else { return Err(Box::new(s)) };
    let held = e.interpret(held, 64, false);
    let bits = u32::try_from(bits * 8).unwrap_or(64);
    let (count, zero) = (libc::int_arg(e, c, number, bits), e.arena.int(0));
    let count = e.interpret(count, bits, !parameters[number].starts_with("unsigned"));
    let count = e.arena.max(count, zero);
    let mut ranges = vec![DeviceRange { place: storage, bytes: held, used: ElementUse::Change }];
    for ((place, size), (used, many)) in places.into_iter().zip(sizes).zip(a.ranges) {
        let one = e.arena.int(1);
        let count = if *many == ElementCount::All { count } else { one };
        let bytes = e.arena.scale(count, i128::from(size));
        ranges.push(DeviceRange { place, bytes, used: *used });
    }
    waits::note_stream(e, c, stream, &mut s);
    run(e, c, &mut s, &ranges);
    super::success(e, s)
}

/// Records what an algorithm reads and writes, and that it has launched the kernels which its body may launch.
fn run(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State, ranges: &[DeviceRange]) {
    e.runtime.launched = true;
    let kernels = kernels_behind(e.program, c.func);
    e.runtime.behind_models.extend(kernels);
    for r in ranges {
        if r.used != ElementUse::Write {
            e.note_copy(s, &r.place, r.bytes, AccessKind::Read);
        }
        if r.used != ElementUse::Read {
            e.note_copy(s, &r.place, r.bytes, AccessKind::Write);
        }
    }
    for r in ranges.iter().filter(|r| r.used != ElementUse::Read) {
        for o in e.objects_at(s, &r.place) {
            e.note_written_by_device(o);
        }
        e.havoc_targets(s, &r.place, &UnknownReason::Algorithm);
    }
}

/// Returns the kernels that a host function may launch, by what it mentions.
fn kernels_behind(program: &Program, f: FuncRef) -> Vec<FuncRef> {
    let (mut out, mut seen, mut open) = (vec![], FxHashSet::default(), vec![f]);
    while let Some(g) = open.pop() {
        if !seen.insert(g) {
            continue;
        }
        let func = program.func(g);
        out.extend(program.kernel_of_stub(g.module, &func.name));
        let mentions = Mentions::of(program, g.module, &func.blocks);
        open.extend(mentions.called.into_iter().chain(mentions.named));
    }
    out
}

/// Whether all that is known of a place is memory of a device.
fn is_of_device(e: &MemoryDomain<'_>, p: &[GuardedTarget]) -> bool {
    !p.is_empty()
        && p.iter().all(|t| match t.base {
            Base::Object(o) => matches!(e.object(o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_)),
            _ => false,
        })
}

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

#[cfg(test)]
mod tests {
    use super::{element_size, is_operator, parts_of};

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
}
