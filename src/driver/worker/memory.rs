//! The memory that a check may take (`[limits] memory`).
//!
//! Three limits: executions end at half of it, and Z3 gives up on an obligation at three eighths, which leaves accesses
//! undecided; and the kernel refuses to give this process more, which ends it: with one line, or, where it is the worker of
//! another, with a status. Processes that it starts while the limit holds have it too; a build
//! command or a program on a GPU is never started meanwhile.

use crate::output;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicPtr, Ordering};

/// How a process ends that has no more memory.
struct Ending {
    line: String,
    status: i32,
}

/// Null while no limit of ours holds. Never freed: a thread may be about to read it.
static ENDING: AtomicPtr<Ending> = AtomicPtr::new(std::ptr::null_mut());

/// Status of a worker whose memory is spent; not one of [`crate::Status`].
pub const SPENT: i32 = 3;

/// A limit that ends with this value.
#[derive(Debug)]
pub struct Limited {
    before: Rlimit,
}

/// Limits this process to `bytes` of memory of its own, besides the check's stack. When it needs more, the process says so,
/// with what it was doing, and ends with status 2.
#[must_use]
pub fn limit(bytes: u64, doing: &str) -> Limited {
    let line = format!(
        "scuba: {}\n",
        output::harmless(&format!(
            "{doing} not analysed: it takes more memory than {} MiB (limits.memory)",
            bytes >> 20
        ))
    );
    set(bytes, Ending { line, status: 2 })
}

/// As [`limit`], for a process whose status says all.
#[must_use]
pub fn limit_worker(bytes: u64) -> Limited {
    set(bytes, Ending { line: String::new(), status: SPENT })
}

/// Of these bytes, what executions may take before they are undecided; the rest is for what is done with them.
#[must_use]
pub fn of_execution(bytes: u64) -> u64 {
    bytes / 2
}

fn set(bytes: u64, ending: Ending) -> Limited {
    check::limit_memory(bytes / 8 * 3);
    let before = getrlimit(Resource::Data);
    // Stacks count in full.
    let wanted = bytes.saturating_add(check::STACK as u64);
    ENDING.store(Box::into_raw(Box::new(ending)), Ordering::Release);
    let current = before.maximum.map_or(wanted, |m| m.min(wanted));
    // Without the limit everything works as long as the machine has the memory.
    let _ = setrlimit(Resource::Data, Rlimit { current: Some(current), maximum: before.maximum });
    Limited { before }
}

impl Drop for Limited {
    fn drop(&mut self) {
        ENDING.store(std::ptr::null_mut(), Ordering::Release);
        let _ = setrlimit(Resource::Data, Rlimit { current: self.before.current, maximum: self.before.maximum });
    }
}

/// The allocator of `scuba`: the system's, with our last words instead of an abort under a limit of ours.
#[derive(Debug)]
pub struct Bounded;

fn checked(p: *mut u8) -> *mut u8 {
    if p.is_null() {
        let ending = ENDING.load(Ordering::Acquire);
        if !ending.is_null() {
            // SAFETY: `set` made it from a box that is never freed.
            #[expect(unsafe_code, reason = "a pointer is all that can be exchanged without a lock")]
            let ending = unsafe { &*ending };
            let _ = rustix::io::write(rustix::stdio::stderr(), ending.line.as_bytes());
            // No destructors and no handlers: they may want memory.
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
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the ones that it wants (as in all of these).
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
