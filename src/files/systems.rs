//! File systems whose change times prove nothing.
//!
//! Read-only images (SquashFS, EROFS, ISO 9660, cramfs, romfs) store one time for each file, chosen by the maker of the
//! image; the kernel reports it as the time of the last change as well. A replacement image may hold a file of equal
//! size, time and inode. Some file systems in user space (FUSE) do the same (sshfs, rclone).

use super::stamp::Stamp;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

/// `f_type` of images: statfs(2), include/uapi/linux/magic.h.
const IMAGES: [u32; 5] = [0x7371_7368, 0xE0F5_E1E2, 0x9660, 0x28CD_3D45, 0x7275];
const FUSE: u32 = 0x6573_5546;
/// `f_type` of overlayfs, which may pass on the times of another file system.
const OVERLAY: u32 = 0x794C_7630;

/// Reliability of the change times of one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimeReliability {
    /// The kernel records each change of a file.
    Kept,
    /// Times may be arbitrary.
    MadeUp,
    /// Times may come from an image.
    Overlay,
}

impl TimeReliability {
    fn of(path: &Path) -> Self {
        // Magic numbers have 32 bits, whatever the width of the field.
        match rustix::fs::statfs(path).map(|status| status.f_type as u32) {
            Ok(FUSE) | Err(_) => Self::MadeUp,
            Ok(OVERLAY) => Self::Overlay,
            Ok(image) if IMAGES.contains(&image) => Self::MadeUp,
            Ok(_) => Self::Kept,
        }
    }
}

/// Whether a kernel recorded the time of the file's last change. It did if that time differs from that of the last
/// write: makers of images choose a single time.
pub(super) fn note_changes(stamp: &Stamp, path: &Path) -> bool {
    static DEVICES: LazyLock<Mutex<HashMap<u64, TimeReliability>>> = LazyLock::new(Mutex::default);
    if stamp.changed != stamp.modified {
        return true;
    }
    let mut devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    match *devices.entry(stamp.device).or_insert_with(|| TimeReliability::of(path)) {
        TimeReliability::Kept => true,
        TimeReliability::MadeUp => false,
        TimeReliability::Overlay => !stamp.changed.is_whole_seconds(),
    }
}

#[cfg(test)]
mod tests {
    use super::{TimeReliability, note_changes};
    use crate::Stamp;
    use std::path::Path;

    #[test]
    fn kernels_note_changes_of_files_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "text").unwrap();
        assert!(note_changes(&Stamp::at(&path).unwrap(), &path));
        assert_eq!(TimeReliability::of(Path::new("/proc")), TimeReliability::Kept);
        assert_eq!(TimeReliability::of(Path::new("/no/such")), TimeReliability::MadeUp);
    }
}
