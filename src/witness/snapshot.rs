//! A launch as it stands just before its kernel begins: all that is needed to make it again on a device. Types alone; it is taken in
//! `device/capture.rs`.

use super::api::ObjectKind;
use ir::{FuncRef, GlobalRef};

/// What a piece of memory holds. Bytes that are not mentioned are zero or not known: nothing that decided the access
/// depends on the latter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// In bytes.
    pub size: u64,
    /// Known bytes by their offset.
    pub bytes: Vec<(u64, Vec<u8>)>,
    /// Addresses by their offset: the object's position in [`Snapshot::objects`] and the distance from its start.
    pub addresses: Vec<(u64, usize, i64)>,
}

/// Memory that the kernel can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotObject {
    pub kind: ObjectKind,
    /// For a variable of the device.
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
    /// The object that the access was meant for, by its position; `None` for memory of a block or a thread.
    pub target: Option<usize>,
    /// What that object is.
    pub target_kind: Option<ObjectKind>,
    /// The variable of the device that it is.
    pub target_variable: Option<GlobalRef>,
    /// Bytes of all live device allocations of the program, whether the kernel can reach them or not.
    pub device_bytes: u64,
}
