//! The C library's heap, and its copies and fills of memory.

use super::table::Table;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::library::{Call, Modelled};
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::{ObjKind, ObjState, Object, Rest};
use crate::symbolic::memory::value::{Target, Value};
use crate::symbolic::terms::interval::Range;
use crate::symbolic::terms::term::TermId;
use base::reasons::UnknownReason;
use std::rc::Rc;

/// Maximum number of bytes that a host allocation gets.
const MOST_OF_HOST: i128 = 1 << 40;

/// Allocations, frees, copies and fills.
pub(super) const MEMORY: Table = &[
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
        |e, c, s| e.malloc(c, s),
    ),
    (&["aligned_alloc", "memalign"], |e, c, s| e.aligned_alloc(c, s)),
    (&["calloc"], |e, c, s| e.calloc(c, s)),
    (&["realloc"], |e, c, s| e.realloc(c, s)),
    (&["posix_memalign"], |e, c, s| e.posix_memalign(c, s)),
    (
        &["free", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t"],
        |e, c, s| e.free(c, s),
    ),
    (&["memcpy", "memmove", "__memcpy_chk", "__memmove_chk"], |e, c, s| e.memcpy(c, s)),
    (&["memset", "__memset_chk"], |e, c, s| e.memset(c, s)),
];

impl Executor<'_> {
    fn malloc(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let n = self.int_arg(c, 0, 64);
        self.host_allocation(c, s, n, Rest::Uninit)
    }

    fn aligned_alloc(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let n = self.int_arg(c, 1, 64);
        self.host_allocation(c, s, n, Rest::Uninit)
    }

    fn calloc(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let (a, b) = (self.int_arg(c, 0, 64), self.int_arg(c, 1, 64));
        let n = self.arena.mul(a, b);
        self.host_allocation(c, s, n, Rest::Zero)
    }

    fn realloc(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let (old, n) = (self.pointer_arg(c, 0), self.int_arg(c, 1, 64));
        let v = self.heap.next_version();
        let made = self.host_allocation(
            c,
            s,
            n,
            Rest::Unknown { version: v, input: false, reason: Rc::new(UnknownReason::Reallocated) },
        );
        match made {
            Ok(Some((Value::Ptr(new), mut s))) => {
                self.keep_copy(&s, &new, &old);
                self.release_moved(&mut s, &old, &new);
                Ok(Some((Value::Ptr(new), s)))
            }
            // The call does not return, or returns no known memory.
            other => other,
        }
    }

    fn posix_memalign(&mut self, c: &Call<'_>, s: State) -> Modelled {
        let out = self.pointer_arg(c, 0);
        let n = self.int_arg(c, 2, 64);
        let Ok(Some((p, mut s))) = self.host_allocation(c, s, n, Rest::Uninit) else { return Ok(None) };
        self.store_value(&mut s, &out, p.clone(), 8);
        let status = self.status_of_given(&p);
        Ok(Some((Value::Int(status), s)))
    }

    fn free(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let p = self.pointer_arg(c, 0);
        self.release(&mut s, &p);
        Self::no_value(s)
    }

    fn memcpy(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let (d, f) = (self.pointer_arg(c, 0), self.pointer_arg(c, 1));
        let n = self.int_arg(c, 2, 64);
        let n = self.interpret(n, 64, false);
        self.copy(&mut s, &d, &f, n);
        Ok(Some((Value::Ptr(d), s)))
    }

    fn memset(&mut self, c: &Call<'_>, mut s: State) -> Modelled {
        let d = self.pointer_arg(c, 0);
        let (b, n) = (self.int_arg(c, 1, 8), self.int_arg(c, 2, 64));
        let n = self.interpret(n, 64, false);
        self.fill(&mut s, &d, b, n);
        Ok(Some((Value::Ptr(d), s)))
    }

    /// Releases the old block if `realloc` returned a new one. A call site reached again represents both: it begins
    /// anew.
    fn release_moved(&mut self, s: &mut State, old: &[Target], new: &Rc<Vec<Target>>) {
        let status = self.status_of_given(&Value::Ptr(new.clone()));
        let zero = self.arena.int(0);
        let given = self.arena.eq(status, zero);
        let freed: Vec<Target> = old
            .iter()
            .filter(|t| new.iter().all(|n| n.base != t.base))
            .map(|t| Target { cond: self.arena.and(t.cond, given), ..t.clone() })
            .collect();
        self.release(s, &freed);
    }

    pub(super) fn host_allocation(&mut self, c: &Call<'_>, mut s: State, size: TermId, rest: Rest) -> Modelled {
        let want = Range::new(0, (1 << 63) - 1);
        let size = if want.contains(self.arena.range(size)) { size } else { self.interpret(size, 64, false) };
        // A larger request fails, as does a negative number read as `size_t`: C++ then throws, C returns null.
        let most = self.most_of_host(MOST_OF_HOST);
        let most = self.arena.int(most);
        let fits = self.arena.le(size, most);
        let throws = c.name.starts_with("_Znw") || c.name.starts_with("_Zna");
        let throws = throws && !c.name.ends_with("nothrow_t");
        let assumed = if throws {
            self.assume(s, fits).map(|s| (s, None))
        } else {
            self.scarce(s, fits, c.site).map(|(s, well)| (s, Some(well)))
        };
        let Some((assumed, given)) = assumed else { return Ok(None) };
        s = assumed;
        let place = self.user_location();
        let o = self.heap.allocate(
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
            self.note_scarce(o, given);
        }
        s.mem.insert(o, Rc::new(ObjState::new(rest)));
        Ok(Some((self.pointer(o, 0), s)))
    }
}
