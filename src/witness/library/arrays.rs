//! Arrays of CUDA, and textures and surfaces (CUDA Runtime API reference 13.0, `cudaMallocArray`, `cudaCreateTextureObject`; Driver API
//! reference 13.0, `cuArrayCreate`): sizes and contents of arrays, and what textures and surfaces show. The handle of an array is the
//! address of an object that holds its elements, row by row and slice by slice.

use super::arguments::{arg, read, short_name, write};
use super::cuda::{enough_memory, handle};
use super::model::{ModelClass, ModelTable};
use super::runtime::{ArrayLayout, ImageBehind};
use crate::api::ObjectKind;
use crate::machine::call::{ModelResult, Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val};
use crate::memory::store::Fill;
use models::cuda_arrays::MOST_ELEMENTS;

/// Arrays and the formats of their elements.
pub(super) const ARRAYS: ModelTable = &[
    (&["cudaMallocArray"], malloc_array, ModelClass::Memory),
    (&["cudaMalloc3DArray"], malloc_3d_array, ModelClass::Memory),
    (&["cuArrayCreate_v2"], driver_array, ModelClass::Memory),
    (&["cuArray3DCreate_v2"], driver_volume, ModelClass::Memory),
    (&["cudaCreateChannelDesc"], channel_format, ModelClass::Memory),
    (&["cudaCreateTextureObject", "cudaCreateSurfaceObject"], create_image, ModelClass::Memory),
    (
        &["cudaFreeArray", "cuArrayDestroy", "cudaDestroyTextureObject", "cudaDestroySurfaceObject"],
        destroy,
        ModelClass::Cuda,
    ),
];

/// Makes an array of elements of so many bytes, and writes its handle through the first argument. A height or depth of 0 says
/// that the array has no such dimension.
fn make(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    args: &[Val],
    [width, height, depth]: [Val; 3],
    element: Option<u64>,
) -> ModelResult {
    m.works()?;
    let numbers = (width.known(), height.known(), depth.known(), element);
    let (Some(width), Some(height), Some(depth), Some(element)) = numbers else { return handle(m, th, call, args) };
    if [width, height, depth].into_iter().zip(MOST_ELEMENTS).any(|(n, most)| n > most) {
        return Err(ThreadStop::Ended(format!(
            "an array of {width} x {height} x {depth} elements, which no device has"
        )));
    }
    let (height, depth) = (height.max(1), depth.max(1));
    let row = width.saturating_mul(element);
    let bytes = row.saturating_mul(height).saturating_mul(depth);
    let site = m.user_site(th);
    enough_memory(m, site, bytes)?;
    let name = short_name(m, call);
    let p = m.heap_object(ObjectKind::Foreign, &name, site, Val::new(bytes), Fill::Poison(Reason::UNINIT))?;
    m.cuda.arrays.insert(p.bits, ArrayLayout { row, height, depth, element });
    write(m, th, call, arg(args, 0), 64, p)?;
    Ok(Ret::Val(Val::ZERO))
}

fn at(p: Val, by: u64) -> Val {
    Val { bits: p.bits.wrapping_add(by), ..p }
}

/// Returns the bytes of an element, from a `cudaChannelFormatDesc`: bits of four components, and their kind. Others than integers and
/// floating-point numbers are packed.
fn bytes_of_format(m: &mut Machine<'_>, th: &mut Thread, p: Val) -> Result<Option<u64>, ThreadStop> {
    let mut bits = Some(0);
    for component in 0..4 {
        let n = read(m, th, at(p, 4 * component), 32)?.known();
        bits = bits.zip(n).map(|(sum, n): (u64, u64)| sum.saturating_add(n));
    }
    let kind = read(m, th, at(p, 16), 32)?.known();
    Ok(bits.filter(|_| kind.is_some_and(|kind| kind <= 2)).map(|bits| bits / 8))
}

/// `(array *, format *, width, height, flags)`: sizes in elements.
fn malloc_array(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let element = bytes_of_format(m, th, arg(a, 1))?;
    make(m, th, call, a, [arg(a, 2), arg(a, 3), Val::new(1)], element)
}

/// `(array *, format *, extent, flags)`: the extent is passed by value in memory.
fn malloc_3d_array(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let element = bytes_of_format(m, th, arg(a, 1))?;
    let mut sizes = [Val::ZERO; 3];
    for (i, size) in (0u64..).zip(&mut sizes) {
        *size = read(m, th, at(arg(a, 2), 8 * i), 64)?;
    }
    make(m, th, call, a, sizes, element)
}

fn driver_array(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    described(m, th, call, a, false)
}

fn driver_volume(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    described(m, th, call, a, true)
}

/// `(array *, descriptor *)`: width, height, depth if it has one, format, and number of components (`cuda.h` of CUDA 13.0).
fn described(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val], volume: bool) -> ModelResult {
    let p = arg(a, 1);
    let mut sizes = [Val::ZERO, Val::ZERO, Val::new(1)];
    for (i, size) in (0u64..).zip(&mut sizes[..if volume { 3 } else { 2 }]) {
        *size = read(m, th, at(p, 8 * i), 64)?;
    }
    let end = if volume { 24 } else { 16 };
    let (format, components) = (read(m, th, at(p, end), 32)?, read(m, th, at(p, end + 4), 32)?);
    let bytes = format.known().and_then(|f| models::cuda_arrays::bytes_of_component(i128::from(f)));
    let element = bytes.zip(components.known()).map(|(bytes, n)| n.saturating_mul(u64::from(bytes)));
    make(m, th, call, a, sizes, element)
}

/// `(texture or surface *, resource, …)`: a `cudaResourceDesc` has its kind, and a union at byte 8 (`driver_types.h` of CUDA 13.0): an
/// array; linear memory, its format and bytes; or rows of linear memory, their format, width and number in elements, and pitch in bytes.
fn create_image(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    m.works()?;
    let resource = arg(a, 1);
    let mut number = |by, bits| read(m, th, at(resource, by), bits).map(Val::known);
    let (kind, behind) = (number(0, 32)?, number(8, 64)?);
    let [width, height, pitch] = [number(40, 64)?, number(48, 64)?, number(56, 64)?];
    let element = bytes_of_format(m, th, at(resource, 16))?;
    let found = match (kind, behind) {
        (Some(0), Some(array)) => Some(ImageBehind::Array(array)),
        (Some(2), Some(at)) => width.map(|bytes| ImageBehind::Linear { at, bytes }),
        (Some(3), Some(at)) => (|| {
            let rows = height?.checked_sub(1)?.checked_mul(pitch?)?;
            let bytes = rows.checked_add(width?.checked_mul(element?)?)?;
            Some(ImageBehind::Linear { at, bytes })
        })(),
        _ => None,
    };
    let name = short_name(m, call);
    let p = m.heap_object(ObjectKind::Foreign, &name, None, Val::new(8), Fill::Byte(0))?;
    m.cuda.images.extend(found.map(|behind| (p.bits, behind)));
    write(m, th, call, arg(a, 0), 64, p)?;
    Ok(Ret::Val(Val::ZERO))
}

/// `(handle)`: an array, texture or surface ends. One that is not known may be any.
fn destroy(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    match arg(a, 0).known() {
        Some(handle) => {
            m.cuda.images.remove(&handle);
            m.cuda.arrays.remove(&handle);
        }
        None => {
            m.cuda.images.clear();
            m.cuda.arrays.clear();
        }
    }
    Ok(Ret::Val(Val::ZERO))
}

/// `(result, x, y, z, w, kind)`: the result is a `cudaChannelFormatDesc` in memory.
fn channel_format(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    for i in 0..5 {
        write(m, th, call, at(arg(a, 0), 4 * i), 32, arg(a, i as usize + 1))?;
    }
    Ok(Ret::Val(Val::ZERO))
}
