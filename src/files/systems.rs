//! File systems whose times of change are no evidence.
//!
//! Images that are made once (SquashFS, EROFS, ISO 9660, cramfs, romfs) keep one time for each file, which whoever makes the image chooses;
//! the kernel shows it as the time of the last change, too. An image may be replaced by another in which a file of
//! equal size and time has the same inode. Of file systems in user space (FUSE) some do the same (sshfs, rclone).

use super::stamp::Stamp;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

/// `f_type` of images: statfs(2), include/uapi/linux/magic.h.
const IMAGES: [u32; 5] = [0x7371_7368, 0xE0F5_E1E2, 0x9660, 0x28CD_3D45, 0x7275];
const FUSE: u32 = 0x6573_5546;
/// Another's times may show through it.
const OVERLAY: u32 = 0x794C_7630;

/// What is behind one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Files change, and the kernel notes when.
    Kept,
    /// Times may be anybody's.
    MadeUp,
    /// Times may be an image's.
    Overlay,
}

impl Kind {
    fn of(path: &Path) -> Self {
        // Magic numbers have 32 bits, whatever the field has.
        match rustix::fs::statfs(path).map(|status| status.f_type as u32) {
            Ok(FUSE) | Err(_) => Self::MadeUp,
            Ok(OVERLAY) => Self::Overlay,
            Ok(image) if IMAGES.contains(&image) => Self::MadeUp,
            Ok(_) => Self::Kept,
        }
    }
}

/// Whether the time of the file's last change was noted by a kernel. A time that differs from that of the last write was: nobody makes
/// up two.
pub(super) fn note_changes(stamp: &Stamp, path: &Path) -> bool {
    static DEVICES: LazyLock<Mutex<HashMap<u64, Kind>>> = LazyLock::new(Mutex::default);
    if stamp.changed != stamp.modified {
        return true;
    }
    let mut devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    match *devices.entry(stamp.device).or_insert_with(|| Kind::of(path)) {
        Kind::Kept => true,
        Kind::MadeUp => false,
        Kind::Overlay => !stamp.changed.is_whole_seconds(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, note_changes};
    use crate::Stamp;
    use std::path::Path;

    #[test]
    fn kernels_note_changes_of_files_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "text").unwrap();
        assert!(note_changes(&Stamp::at(&path).unwrap(), &path));
        assert_eq!(Kind::of(Path::new("/proc")), Kind::Kept);
        assert_eq!(Kind::of(Path::new("/no/such")), Kind::MadeUp);
    }
}
