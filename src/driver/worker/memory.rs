//! Memory limits of a check (`[limits] memory`).
//!
//! There are three: executions end at half of the limit, and Z3 gives up on an obligation at three eighths; both leave
//! accesses undecided. Beyond the whole limit the kernel refuses this process more memory, which ends it: with one
//! line, or with a status if it is the worker of another process. Processes that start while the limit holds inherit
//! it; a build command or a program on a GPU never starts meanwhile.

use crate::output;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicPtr, Ordering};

/// Last line and exit status of a process that has no more memory.
struct OutOfMemoryExit {
    line: String,
    status: i32,
}

/// Null while this module sets no limit. Never freed: a thread may be about to read it.
static ENDING: AtomicPtr<OutOfMemoryExit> = AtomicPtr::new(std::ptr::null_mut());

/// Exit status of a worker that reached its memory limit; differs from those of [`crate::Status`].
pub const SPENT: i32 = 3;

/// Guard of a memory limit, which ends when the guard is dropped.
#[derive(Debug)]
pub struct MemoryLimitGuard {
    before: Rlimit,
}

/// Limits this process to `bytes` of memory of its own, besides the check's stack. If it needs more, it prints one
/// line that names `doing` and ends with status 2.
#[must_use]
pub fn limit(bytes: u64, doing: &str) -> MemoryLimitGuard {
    let line = format!(
        "scuba: {}\n",
        output::harmless(&format!(
            "{doing} not analysed: it takes more memory than {} MiB (limits.memory)",
            bytes >> 20
        ))
    );
    set(bytes, OutOfMemoryExit { line, status: 2 })
}

/// Limits a worker as [`limit`] does, but ends it with status [`SPENT`] and no line.
#[must_use]
pub fn limit_worker(bytes: u64) -> MemoryLimitGuard {
    set(bytes, OutOfMemoryExit { line: String::new(), status: SPENT })
}

/// Part of a memory limit, in bytes, that executions may use before they become undecided; the rest serves the work on
/// their results.
#[must_use]
pub fn of_execution(bytes: u64) -> u64 {
    bytes / 2
}

fn set(bytes: u64, ending: OutOfMemoryExit) -> MemoryLimitGuard {
    check::limit_memory(bytes / 8 * 3);
    let before = getrlimit(Resource::Data);
    // The limit counts the whole stack.
    let wanted = bytes.saturating_add(check::STACK as u64);
    ENDING.store(Box::into_raw(Box::new(ending)), Ordering::Release);
    let current = before.maximum.map_or(wanted, |m| m.min(wanted));
    // Without a limit all works as long as the machine has memory.
    let _ = setrlimit(Resource::Data, Rlimit { current: Some(current), maximum: before.maximum });
    MemoryLimitGuard { before }
}

impl Drop for MemoryLimitGuard {
    fn drop(&mut self) {
        ENDING.store(std::ptr::null_mut(), Ordering::Release);
        let _ = setrlimit(Resource::Data, Rlimit { current: self.before.current, maximum: self.before.maximum });
    }
}

/// Allocator of `scuba`: the system's. Under a limit of this module, a failed allocation prints a last line instead of
/// aborting.
#[derive(Debug)]
pub struct BoundedAllocator;

fn checked(p: *mut u8) -> *mut u8 {
    if p.is_null() {
        let ending = ENDING.load(Ordering::Acquire);
        if !ending.is_null() {
            // SAFETY: `set` made the pointer from a box that is never freed.
            #[expect(unsafe_code, reason = "a pointer is all that can be exchanged without a lock")]
            let ending = unsafe { &*ending };
            let _ = rustix::io::write(rustix::stdio::stderr(), ending.line.as_bytes());
            // No destructors and no handlers run: they may need memory.
            #[expect(unsafe_code, reason = "ends this process")]
            // SAFETY: _exit does not return.
            unsafe {
                libc::_exit(ending.status)
            }
        }
    }
    p
}

// SAFETY: every call is the system allocator's; `checked` returns what it was given, or not at all.
#[expect(unsafe_code, reason = "an allocator")]
unsafe impl GlobalAlloc for BoundedAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` requires (as in all of these methods).
        checked(unsafe { System.alloc(layout) })
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.alloc_zeroed(layout) })
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(p, layout) }
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.realloc(p, layout, size) })
    }
}
