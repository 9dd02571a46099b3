//! Caches for commands under test: nothing was ever said in them, but the headers of the toolkit are parsed once for all tests, which takes
//! most of the time of a small check otherwise. Given by `SCUBA_CACHE`.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A cache of its own for one command. It goes when a later process finds it left behind.
pub fn fresh() -> PathBuf {
    static OURS: LazyLock<PathBuf> = LazyLock::new(|| {
        let caches = Path::new(env!("CARGO_TARGET_TMPDIR")).join("caches");
        for left in std::fs::read_dir(&caches).into_iter().flatten().flatten() {
            if !Path::new("/proc").join(left.file_name()).exists() {
                let _ = std::fs::remove_dir_all(left.path());
            }
        }
        caches.join(std::process::id().to_string())
    });
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let headers = Path::new(env!("CARGO_TARGET_TMPDIR")).join("headers");
    std::fs::create_dir_all(&headers).unwrap();
    let cache = OURS.join(NEXT.fetch_add(1, Ordering::Relaxed).to_string());
    std::fs::create_dir_all(&cache).unwrap();
    std::os::unix::fs::symlink(headers, cache.join("headers")).unwrap();
    cache
}
