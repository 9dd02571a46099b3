//! Arrays of CUDA (CUDA Runtime API reference 13.0, `cudaMallocArray`; Driver API reference 13.0, `cuArrayCreate`): their
//! sizes, which limit what can be copied to and from them. What is in an array is not followed.
//!
//! A handle points to an object with the array's sizes: bytes of a row, rows, slices, and bytes of an element.

use super::copies::size_arg;
use super::cuda;
use super::cuda_memory::moved;
use super::libc;
use super::table::HostTable;
use base::reasons::UnknownReason;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::memory::object::{ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::term::TermId;
use std::rc::Rc;

/// Arrays and the formats of their elements.
pub(super) const ARRAYS: HostTable = &[
    (&["cudaMallocArray"], |e, c, s| malloc_array(e, c, s)),
    (&["cudaMalloc3DArray"], |e, c, s| malloc_3d_array(e, c, s)),
    (&["cuArrayCreate_v2"], |e, c, s| driver_array(e, c, s, false)),
    (&["cuArray3DCreate_v2"], |e, c, s| driver_array(e, c, s, true)),
    (&["cudaCreateChannelDesc"], |e, c, s| channel_format(e, c, s)),
];

/// Name of the objects that hold sizes, as no variable is called.
const OF_ARRAY: &str = "sizes of an array of CUDA";

/// Sizes of an array: bytes of a row, rows, slices (or layers), and bytes of an element.
#[derive(Clone, Copy)]
pub(super) struct ArraySizes {
    pub row: TermId,
    pub height: TermId,
    pub depth: TermId,
    pub element: TermId,
}

/// Returns the sizes of the array behind a handle, if it is one that the program made.
pub(super) fn sizes(e: &mut MemoryDomain<'_>, s: &mut State, handle: &[GuardedTarget]) -> Option<ArraySizes> {
    let [GuardedTarget { base: Base::Object(o), .. }] = handle else { return None };
    let object = e.object(*o);
    if object.kind != ObjKind::Opaque || object.name != OF_ARRAY {
        return None;
    }
    let mut fields = [0, 8, 16, 24].into_iter().map(|at| {
        let place = moved(e, handle, at);
        e.load_number(s, &place, 8)
    });
    let mut field = || fields.next().flatten();
    Some(ArraySizes { row: field()?, height: field()?, depth: field()?, element: field()? })
}

/// Reads an unsigned number of so many bytes at an offset from a place; unknown for this reason if memory holds none.
pub(super) fn number(
    e: &mut MemoryDomain<'_>,
    s: &mut State,
    p: &[GuardedTarget],
    (at, bytes): (i128, u64),
    reason: UnknownReason,
) -> TermId {
    let place = moved(e, p, at);
    let bits = u32::try_from(8 * bytes).unwrap_or(64);
    let v = match e.load_number(s, &place, bytes) {
        Some(t) => Value::Int(t),
        None => Value::unknown(reason),
    };
    let t = e.value_int(&v, bits);
    e.interpret(t, bits, false)
}

/// Makes an array of elements of so many bytes, and writes its handle through the first argument. A height or depth of 0 says
/// that the array has no such dimension.
fn make(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    mut s: State,
    [width, height, depth]: [TermId; 3],
    element: TermId,
) -> ModelOutcome {
    let one = e.arena.int(1);
    let (row, height, depth) = (e.arena.mul(width, element), e.arena.max(height, one), e.arena.max(depth, one));
    let (out, extent) = (cuda::pointer_arg(e, c, 0), e.arena.int(32));
    let place = e.user_location();
    let o = e.heap.allocate(
        (c.context, c.site, 1),
        Object {
            kind: ObjKind::Opaque,
            name: OF_ARRAY.to_owned(),
            extent: Some(extent),
            site: place,
            func: None,
            array: true,
        },
    );
    s.mem.insert(o, Rc::new(ObjState::new(UncoveredContents::Uninit)));
    for (at, size) in [(0, row), (8, height), (16, depth), (24, element)] {
        if let Value::Ptr(p) = e.pointer(o, at) {
            e.store_value(&mut s, &p, Value::Int(size), 8);
        }
    }
    let handle = e.pointer(o, 0);
    e.store_value(&mut s, &out, handle, 8);
    super::success(e, s)
}

/// Returns the bytes of an element, from a `cudaChannelFormatDesc`: bits of four components, and their kind. Others than
/// integers and floating-point numbers are packed.
fn bytes_of_format(e: &mut MemoryDomain<'_>, s: &mut State, p: &[GuardedTarget]) -> TermId {
    let [x, y, z, w, kind] = [0, 4, 8, 12, 16].map(|at| number(e, s, p, (at, 4), UnknownReason::ArraySize));
    if e.arena.as_int(kind).is_some_and(|kind| (0..=2).contains(&kind)) {
        let bits = [y, z, w].into_iter().fold(x, |sum, n| e.arena.add(sum, n));
        return e.arena.floor_div(bits, 8);
    }
    e.value_int(&Value::unknown(UnknownReason::ArraySize), 32)
}

/// `(array *, format *, width, height, flags)`: sizes in elements.
fn malloc_array(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let format = cuda::pointer_arg(e, c, 1);
    let element = bytes_of_format(e, &mut s, &format);
    let (width, height, depth) = (size_arg(e, c, 2), size_arg(e, c, 3), e.arena.int(1));
    make(e, c, s, [width, height, depth], element)
}

/// `(array *, format *, extent, flags)`: the extent is passed by value in memory; a cube has six faces, and layers stand in
/// its depth.
fn malloc_3d_array(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let (format, extent) = (cuda::pointer_arg(e, c, 1), cuda::pointer_arg(e, c, 2));
    let element = bytes_of_format(e, &mut s, &format);
    let sizes = [0, 8, 16].map(|at| number(e, &mut s, &extent, (at, 8), UnknownReason::ArraySize));
    make(e, c, s, sizes, element)
}

/// `(array *, descriptor *)`: width, height, depth if it has one, format, and number of components (`cuda.h` of CUDA 13.0).
fn driver_array(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State, volume: bool) -> ModelOutcome {
    let p = cuda::pointer_arg(e, c, 1);
    let [width, height, third] = [0, 8, 16].map(|at| number(e, &mut s, &p, (at, 8), UnknownReason::ArraySize));
    let (depth, at) = if volume { (third, 24) } else { (e.arena.int(1), 16) };
    let [format, components] = [at, at + 4].map(|at| number(e, &mut s, &p, (at, 4), UnknownReason::ArraySize));
    let element = match e.arena.as_int(format).and_then(models::cuda_arrays::bytes_of_component) {
        Some(bytes) => e.arena.scale(components, i128::from(bytes)),
        None => e.value_int(&Value::unknown(UnknownReason::ArraySize), 32),
    };
    make(e, c, s, [width, height, depth], element)
}

/// `(result, x, y, z, w, kind)`: the result is a `cudaChannelFormatDesc` in memory.
fn channel_format(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    if c.args.len() != 6 {
        return Err(Box::new(s));
    }
    let out = cuda::pointer_arg(e, c, 0);
    for (i, at) in [(1, 0), (2, 4), (3, 8), (4, 12), (5, 16)] {
        let (place, v) = (moved(e, &out, at), libc::int_arg(e, c, i, 32));
        e.store_value(&mut s, &place, Value::Int(v), 4);
    }
    super::no_value(s)
}
