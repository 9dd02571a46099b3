//! State of a launch just before its kernel begins: everything needed to repeat it on a device. Types only;
//! `device/capture.rs` takes the snapshot.

use super::api::ObjectKind;
use ir::{FuncRef, GlobalRef};

/// Contents of a piece of memory. Bytes that are not listed are zero or unknown; the target access does not depend on
/// the unknown ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Size in bytes.
    pub size: u64,
    /// Known bytes by their offset.
    pub bytes: Vec<(u64, Vec<u8>)>,
    /// Addresses by their offset: index of the object in [`Snapshot::objects`] and offset in it.
    pub addresses: Vec<(u64, usize, i64)>,
}

/// An object that the kernel can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotObject {
    pub kind: ObjectKind,
    /// Device variable, if the object is one.
    pub variable: Option<GlobalRef>,
    pub freed: bool,
    pub image: Image,
}

/// A launch before its kernel begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub kernel: FuncRef,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: u64,
    /// The kernel's parameters, in order.
    pub parameters: Vec<Image>,
    pub objects: Vec<SnapshotObject>,
    /// Index of the object that the access was meant for; `None` for memory of a block or a thread.
    pub target: Option<usize>,
    /// Kind of the target object.
    pub target_kind: Option<ObjectKind>,
    /// Device variable, if the target object is one.
    pub target_variable: Option<GlobalRef>,
    /// Bytes of all live device allocations of the program, whether or not the kernel can reach them.
    pub device_bytes: u64,
}
