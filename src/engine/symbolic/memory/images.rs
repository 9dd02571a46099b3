//! Arrays of CUDA, and the textures and surfaces through which kernels read and write arrays and linear memory (CUDA C++
//! Programming Guide 13.0, Texture and Surface Memory).
//!
//! A handle points to an object that no code reads: that of an array has its bytes and sizes, and that of a texture or surface says what
//! lies behind it. What is in arrays is not followed.
//! Handles that stand for several calls are not followed.

use super::object::{ObjId, ObjKind};
use super::value::{Base, GuardedTarget, Value};
use crate::symbolic::exec::events::{AccessDetail, AccessKind};
use crate::symbolic::exec::listed_accesses::Argument;
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::terms::term::TermId;
use models::access::ImageAccess;
use std::rc::Rc;

/// Name of the objects behind handles of arrays, as no variable is called.
pub const OF_ARRAY: &str = "sizes of an array of CUDA";
/// Name of the objects behind handles of textures and surfaces.
pub const OF_IMAGE: &str = "what a texture or surface of CUDA shows";
/// Offsets in the object of an array: bytes of a row, rows, slices (or layers), bytes of an element.
pub const SIZES: [i64; 4] = [0, 8, 16, 24];
/// Offset of a number that is 0 until the array, texture or surface is destroyed.
pub const ENDED: i64 = 32;
/// Offsets in the object of a texture or surface: the linear memory or array behind it, and the bytes of linear memory (0 for an array).
pub const BEHIND: i64 = 0;
pub const LINEAR_BYTES: i64 = 8;

impl MemoryDomain<'_> {
    /// Returns the objects of this name to which a handle points; `None` where it may be another value.
    pub fn handles(&self, handle: &[GuardedTarget], name: &str) -> Option<Vec<ObjId>> {
        let of = |t: &GuardedTarget| match t.base {
            Base::Object(o) => {
                let object = self.object(o);
                (object.kind == ObjKind::Opaque && object.name == name && self.arena.as_int(t.offset) == Some(0))
                    .then_some(o)
            }
            _ => None,
        };
        handle.iter().map(of).collect::<Option<Vec<_>>>().filter(|all| !all.is_empty())
    }

    fn image_cell(&self, s: &State, o: ObjId, at: i64) -> Option<Value> {
        s.mem.get(&o)?.cells.get(&at).map(|(_, v)| v.clone())
    }

    /// Returns a number that an object behind a handle has at an offset.
    pub fn image_number(&self, s: &State, o: ObjId, at: i64) -> Option<TermId> {
        match self.image_cell(s, o, at)? {
            Value::Int(t) => Some(t),
            _ => None,
        }
    }

    /// Whether an object is that of an array, a texture or a surface.
    pub(in crate::symbolic) fn is_image(&self, o: ObjId) -> bool {
        let object = self.object(o);
        object.kind == ObjKind::Opaque && (object.name == OF_ARRAY || object.name == OF_IMAGE)
    }

    /// Whether an array, texture or surface may have been destroyed, or the object may stand for another one as well.
    pub(in crate::symbolic) fn is_image_ended(&self, s: &State, o: ObjId) -> bool {
        self.heap.is_made_again(o)
            || self.image_number(s, o, ENDED).and_then(|t| self.arena.as_int(t)).is_none_or(|n| n != 0)
    }

    /// Records that an array, texture or surface is destroyed: each that the handle may mean, all of them where it has no known target.
    pub fn end_images(&mut self, s: &mut State, handle: &[GuardedTarget]) {
        let named = self.handles(handle, OF_ARRAY).or_else(|| self.handles(handle, OF_IMAGE));
        let all = named.unwrap_or_else(|| s.mem.keys().filter(|o| self.is_image(*o)).collect());
        let one = Value::Int(self.arena.int(1));
        for o in all {
            if let Some(st) = s.mem.get_mut(&o) {
                Rc::make_mut(st).cells.insert(ENDED, (8, one.clone()));
            }
        }
    }
}

/// Place to which an access through a texture or surface goes.
struct ImagePlace {
    targets: Rc<Vec<GuardedTarget>>,
    bytes: TermId,
    happens: TermId,
}

impl ExecutionContext<'_> {
    /// Records an access through a texture or surface. Returns whether it is known what lies behind it.
    ///
    /// Coordinates of a texture are never out of bounds; those of a surface may be, unless it clamps them.
    pub fn image_access(
        &mut self,
        s: &mut State,
        site: Site,
        kind: AccessKind,
        image: &ImageAccess,
        args: &[Argument],
    ) -> bool {
        let Some(places) = self.image_places(s, image, args) else { return false };
        for place in places {
            let before = std::mem::replace(&mut s.path, place.happens);
            if let Some(x) = image.coordinates[0].and_then(|i| args.get(i)) {
                // In bytes; rows begin aligned.
                let x = self.value_int(&x.value, 32);
                let offset = self.interpret(x, 32, true);
                let in_row: Vec<GuardedTarget> =
                    place.targets.iter().map(|t| GuardedTarget { offset, ..t.clone() }).collect();
                let align = u32::try_from(image.bytes).unwrap_or(1);
                self.note_alignment(s, site, &in_row, image.bytes, align, kind);
            }
            self.record_range(s, site, &place.targets, place.bytes, kind, AccessDetail::default());
            s.path = before;
        }
        true
    }

    fn image_places(&mut self, s: &State, image: &ImageAccess, args: &[Argument]) -> Option<Vec<ImagePlace>> {
        let handle = args.get(image.handle)?.value.clone();
        if !matches!(handle, Value::Int(_) | Value::Ptr(_)) {
            return None;
        }
        let handle = self.as_pointer(&handle);
        let images = self.handles(&handle, OF_IMAGE)?;
        let mut places = vec![];
        for (o, t) in images.into_iter().zip(handle.iter()) {
            let happens = self.arena.and(s.path, t.cond);
            if self.is_image_ended(s, o) {
                return None;
            }
            let Value::Ptr(behind) = self.image_cell(s, o, BEHIND)? else { return None };
            let bytes = self.image_number(s, o, LINEAR_BYTES)?;
            if self.arena.as_int(bytes) != Some(0) {
                if image.traps {
                    return None;
                }
                places.push(ImagePlace { targets: behind, bytes, happens });
                continue;
            }
            let arrays = self.handles(&behind, OF_ARRAY)?;
            if arrays.iter().any(|a| self.is_image_ended(s, *a)) {
                return None;
            }
            let (zero, bytes) = (self.arena.int(0), self.arena.int(i128::from(image.bytes)));
            let (mut targets, mut width) = (vec![], zero);
            for (array, t) in arrays.into_iter().zip(behind.iter()) {
                let (mut offset, mut here) = (zero, zero);
                if image.traps {
                    // Coordinates that are inside access what is there.
                    let (inside, below) = self.place_in_array(s, array, image, args)?;
                    let end = self.object(array).extent?;
                    let before = self.arena.sub(zero, bytes);
                    let outside = self.arena.ite(below, before, end);
                    offset = self.arena.ite(inside, zero, outside);
                    here = self.arena.ite(inside, zero, bytes);
                }
                width = self.arena.ite(t.cond, here, width);
                targets.push(GuardedTarget { offset, ..t.clone() });
            }
            places.push(ImagePlace { targets: Rc::new(targets), bytes: width, happens });
        }
        Some(places)
    }

    /// Conditions that coordinates are in an array, and that one of them is negative: the first counts bytes, and the others rows and
    /// slices or layers.
    fn place_in_array(
        &mut self,
        s: &State,
        array: ObjId,
        image: &ImageAccess,
        args: &[Argument],
    ) -> Option<(TermId, TermId)> {
        let (mut inside, mut below) = (vec![], vec![]);
        for (i, coordinate) in image.coordinates.iter().enumerate() {
            let Some(argument) = coordinate else { continue };
            let size = self.image_number(s, array, SIZES[i])?;
            let t = self.value_int(&args.get(*argument)?.value, 32);
            let t = self.interpret(t, 32, true);
            let (zero, wide) = (self.arena.int(0), if i == 0 { image.bytes } else { 1 });
            let wide = self.arena.int(i128::from(wide));
            let behind = self.arena.add(t, wide);
            inside.push(self.arena.le(zero, t));
            inside.push(self.arena.le(behind, size));
            below.push(self.arena.lt(t, zero));
        }
        Some((self.arena.and_all(inside), self.arena.or_all(below)))
    }
}
