//! Arrays of CUDA (CUDA Runtime API reference 13.0, `cudaMallocArray`; Driver API reference 13.0, `cuArrayCreate`): their
//! sizes, which limit what can be copied to and from them; textures and surfaces, and what lies behind them. What is in an array is
//! not followed. What handles point to: [`engine::symbolic::memory::images`].

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
use engine::symbolic::memory::images::{BEHIND, ENDED, LINEAR_BYTES, OF_ARRAY, OF_IMAGE, SIZES};
use engine::symbolic::memory::object::{ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::term::TermId;
use models::cuda_arrays::MOST_ELEMENTS;
use std::rc::Rc;

/// Arrays and the formats of their elements.
pub(super) const ARRAYS: HostTable = &[
    (&["cudaMallocArray"], |e, c, s| malloc_array(e, c, s)),
    (&["cudaMalloc3DArray"], |e, c, s| malloc_3d_array(e, c, s)),
    (&["cuArrayCreate_v2"], |e, c, s| driver_array(e, c, s, false)),
    (&["cuArray3DCreate_v2"], |e, c, s| driver_array(e, c, s, true)),
    (&["cudaCreateChannelDesc"], |e, c, s| channel_format(e, c, s)),
    (&["cudaCreateTextureObject", "cudaCreateSurfaceObject"], |e, c, s| create_image(e, c, s)),
    (&["cudaFreeArray", "cuArrayDestroy", "cudaDestroyTextureObject", "cudaDestroySurfaceObject"], |e, c, s| {
        destroy(e, c, s)
    }),
];

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
    let all = e.handles(handle, OF_ARRAY)?;
    let [array] = all.as_slice() else { return None };
    let mut fields = SIZES.into_iter().map(|at| e.image_number(s, *array, at));
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
    let limits = [width, height, depth].into_iter().zip(MOST_ELEMENTS);
    let within = limits.map(|(n, most)| {
        let most = e.arena.int(i128::from(most));
        e.arena.le(n, most)
    });
    let within: Vec<TermId> = within.collect();
    let fits = e.arena.and_all(within);
    let Some(assumed) = e.assume(s, fits) else { return Ok(None) };
    s = assumed;
    let (row, height, depth) = (e.arena.mul(width, element), e.arena.max(height, one), e.arena.max(depth, one));
    let (out, zero) = (cuda::pointer_arg(e, c, 0), Value::Int(e.arena.int(0)));
    let [a, b, c2, d] = SIZES;
    let sizes = [(a, row), (b, height), (c2, depth), (d, element)].map(|(at, size)| (at, Value::Int(size)));
    let cells = sizes.into_iter().chain([(ENDED, zero)]);
    let slice = e.arena.mul(row, height);
    let extent = e.arena.mul(slice, depth);
    let handle = new_handle(e, c, &mut s, (OF_ARRAY, Some(extent)), cells);
    e.store_value(&mut s, &out, handle, 8);
    // The program may find that the allocation failed; of what it does then with the handle nothing is claimed.
    let status = e.allocation_status();
    Ok(Some((Value::Int(status), s)))
}

/// Returns a handle that points to a new object of this name and size with such contents.
fn new_handle(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    (name, extent): (&str, Option<TermId>),
    cells: impl Iterator<Item = (i64, Value)>,
) -> Value {
    let site = e.user_location();
    let object = Object { kind: ObjKind::Opaque, name: name.to_owned(), extent, site, func: None, array: true };
    let o = e.heap.allocate((c.context, c.site, 1), object);
    let mut state = ObjState::new(UncoveredContents::Uninit);
    state.cells.extend(cells.map(|(at, v)| (at, (8, v))));
    s.mem.insert(o, Rc::new(state));
    e.pointer(o, 0)
}

/// `(texture or surface *, resource, …)`: a `cudaResourceDesc` has its kind, and a union at byte 8 (`driver_types.h` of CUDA 13.0): an
/// array; linear memory, its format and bytes; or rows of linear memory, their format, width and number in elements, and pitch in bytes.
fn create_image(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let (out, resource) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    let reason = || UnknownReason::Gives(c.base().to_owned());
    let kind = number(e, &mut s, &resource, (0, 4), reason());
    let place = moved(e, &resource, 8);
    let behind = e.load_pointer(&mut s, &place);
    let of_device = |e: &ExecutionContext<'_>| {
        behind.iter().all(|t| matches!(t.base, Base::Object(o) if matches!(e.object(o).kind, ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_) | ObjKind::Managed)))
    };
    let bytes = match e.arena.as_int(kind) {
        Some(0) => e.handles(&behind, OF_ARRAY).map(|_| e.arena.int(0)),
        Some(2) if of_device(e) => Some(number(e, &mut s, &resource, (40, 8), reason())),
        Some(3) if of_device(e) => {
            let format = moved(e, &resource, 16);
            let element = bytes_of_format(e, &mut s, &format);
            let [width, height, pitch] = [40, 48, 56].map(|at| number(e, &mut s, &resource, (at, 8), reason()));
            let one = e.arena.int(1);
            let (rows, row) = (e.arena.sub(height, one), e.arena.mul(width, element));
            let before = e.arena.mul(rows, pitch);
            Some(e.arena.add(before, row))
        }
        _ => None,
    };
    let Some(bytes) = bytes.filter(|_| !behind.is_empty()) else {
        e.store_value(&mut s, &out, Value::unknown(reason()), 8);
        return super::success(e, s);
    };
    let zero = Value::Int(e.arena.int(0));
    let cells = [(BEHIND, Value::Ptr(behind)), (LINEAR_BYTES, Value::Int(bytes)), (ENDED, zero)];
    let handle = new_handle(e, c, &mut s, (OF_IMAGE, None), cells.into_iter());
    e.store_value(&mut s, &out, handle, 8);
    super::success(e, s)
}

/// `(handle)`: an array, texture or surface ends.
fn destroy(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let handle = c.args.first().cloned().unwrap_or_else(|| Value::unknown(UnknownReason::ArraySize));
    let handle = if matches!(handle, Value::Int(_) | Value::Ptr(_)) { e.as_pointer(&handle) } else { Rc::new(vec![]) };
    e.note_end_of_images(&s, &handle, c.base());
    e.end_images(&mut s, &handle);
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
