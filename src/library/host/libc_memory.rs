//! The C library's heap, and its copies and fills of memory.

use super::cuda;
use super::libc;
use super::table::HostTable;
use base::reasons::UnknownReason;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::memory::object::{ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::value::{GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::TermId;
use std::rc::Rc;

/// Maximum number of bytes that a host allocation gets.
const MAX_OF_HOST: i128 = 1 << 40;

/// Allocations, frees, copies and fills.
pub(super) const MEMORY: HostTable = &[
    (
        &[
            "malloc",
            "_Znwm",
            "_Znam",
            "valloc",
            "_ZnwmSt11align_val_t",
            "_ZnamSt11align_val_t",
            "_ZnwmRKSt9nothrow_t",
            "_ZnamRKSt9nothrow_t",
        ],
        |e, c, s| malloc(e, c, s),
    ),
    (&["aligned_alloc", "memalign"], |e, c, s| aligned_alloc(e, c, s)),
    (&["calloc"], |e, c, s| calloc(e, c, s)),
    (&["realloc"], |e, c, s| realloc(e, c, s)),
    (&["posix_memalign"], |e, c, s| posix_memalign(e, c, s)),
    (
        &["free", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t"],
        |e, c, s| free(e, c, s),
    ),
    (&["memcpy", "memmove", "__memcpy_chk", "__memmove_chk"], |e, c, s| memcpy(e, c, s)),
    (&["memset", "__memset_chk"], |e, c, s| memset(e, c, s)),
];

fn malloc(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let n = libc::int_arg(e, c, 0, 64);
    host_allocation(e, c, s, n, UncoveredContents::Uninit)
}

fn aligned_alloc(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let n = libc::int_arg(e, c, 1, 64);
    host_allocation(e, c, s, n, UncoveredContents::Uninit)
}

fn calloc(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let (a, b) = (libc::int_arg(e, c, 0, 64), libc::int_arg(e, c, 1, 64));
    let n = e.arena.mul(a, b);
    host_allocation(e, c, s, n, UncoveredContents::Zero)
}

fn realloc(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let (old, n) = (cuda::pointer_arg(e, c, 0), libc::int_arg(e, c, 1, 64));
    let v = e.heap.next_version();
    let made = host_allocation(
        e,
        c,
        s,
        n,
        UncoveredContents::Unknown { version: v, input: false, reason: Rc::new(UnknownReason::Reallocated) },
    );
    match made {
        Ok(Some((Value::Ptr(new), mut s))) => {
            e.keep_copy(&s, &new, &old);
            release_moved(e, &mut s, &old, &new);
            Ok(Some((Value::Ptr(new), s)))
        }
        // The call does not return, or returns no known memory.
        other => other,
    }
}

fn posix_memalign(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let out = cuda::pointer_arg(e, c, 0);
    let n = libc::int_arg(e, c, 2, 64);
    let Ok(Some((p, mut s))) = host_allocation(e, c, s, n, UncoveredContents::Uninit) else { return Ok(None) };
    e.store_value(&mut s, &out, p.clone(), 8);
    let status = e.status_of_given(&p);
    Ok(Some((Value::Int(status), s)))
}

fn free(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let p = cuda::pointer_arg(e, c, 0);
    e.release(&mut s, &p);
    super::no_value(s)
}

fn memcpy(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let (d, f) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    let n = libc::int_arg(e, c, 2, 64);
    let n = e.interpret(n, 64, false);
    e.copy(&mut s, &d, &f, n);
    Ok(Some((Value::Ptr(d), s)))
}

fn memset(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let d = cuda::pointer_arg(e, c, 0);
    let (b, n) = (libc::int_arg(e, c, 1, 8), libc::int_arg(e, c, 2, 64));
    let n = e.interpret(n, 64, false);
    e.fill(&mut s, &d, b, n);
    Ok(Some((Value::Ptr(d), s)))
}

/// Releases the old block if `realloc` returned a new one. A call site reached again represents both: it begins
/// anew.
fn release_moved(e: &mut ExecutionContext<'_>, s: &mut State, old: &[GuardedTarget], new: &Rc<Vec<GuardedTarget>>) {
    let status = e.status_of_given(&Value::Ptr(new.clone()));
    let zero = e.arena.int(0);
    let given = e.arena.eq(status, zero);
    let freed: Vec<GuardedTarget> = old
        .iter()
        .filter(|t| new.iter().all(|n| n.base != t.base))
        .map(|t| GuardedTarget { cond: e.arena.and(t.cond, given), ..t.clone() })
        .collect();
    e.release(s, &freed);
}

pub(crate) fn host_allocation(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    mut s: State,
    size: TermId,
    rest: UncoveredContents,
) -> ModelOutcome {
    let want = Interval::new(0, (1 << 63) - 1);
    let size = if want.contains(e.arena.range(size)) { size } else { e.interpret(size, 64, false) };
    // A larger request fails, as does a negative number read as `size_t`: C++ then throws, C returns null.
    let most = e.most_of_host(MAX_OF_HOST);
    let most = e.arena.int(most);
    let fits = e.arena.le(size, most);
    let throws = c.name.starts_with("_Znw") || c.name.starts_with("_Zna");
    let throws = throws && !c.name.ends_with("nothrow_t");
    let assumed = if throws {
        e.assume(s, fits).map(|s| (s, None))
    } else {
        e.scarce(s, fits, c.site).map(|(s, well)| (s, Some(well)))
    };
    let Some((assumed, given)) = assumed else { return Ok(None) };
    s = assumed;
    let place = e.user_location();
    let o = e.heap.allocate(
        (c.context, c.site, 1),
        Object {
            kind: ObjKind::HostHeap,
            name: String::new(),
            extent: Some(size),
            site: place,
            func: None,
            array: true,
        },
    );
    if let Some(given) = given {
        e.note_scarce(o, given);
    }
    s.mem.insert(o, Rc::new(ObjState::new(rest)));
    Ok(Some((e.pointer(o, 0), s)))
}
