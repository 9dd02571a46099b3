//! Decides whether a launch runs, and models the state after a failed kernel (CUDA Runtime API 13.0, Execution
//! Control and Error Handling; codes and limits as measured on an H100 with CUDA 13.0).
//!
//! In: a kernel and its configuration. Out: the launch runs; the runtime refuses it, which changes nothing; or the
//! outcome is undecided.

use crate::api::Cause;
use crate::library::runtime::INVALID_VALUE;
use crate::machine::arith::icmp;
use crate::machine::call::ThreadStop;
use crate::machine::state::Machine;
use crate::machine::value::{Val, low32};
use ir::shared::most_static_shared;
use ir::{FuncRef, Pred};
use models::launches;

/// Bytes of shared memory of a block, static and dynamic together: without
/// `cudaFuncAttributeMaxDynamicSharedMemorySize`, and the largest value that any capability up to 12.0 accepts.
const USUAL_SHARED: u64 = 48 << 10;
const MAX_SHARED: u64 = 227 << 10;

/// `cudaFuncAttributeMaxDynamicSharedMemorySize`.
const MAX_DYNAMIC: u64 = 8;

/// Error codes of a refused launch: `cudaErrorInvalidConfiguration` by the documentation, `cudaErrorInvalidValue` on
/// an H100 with CUDA 13.0.
const CODES: [u64; 2] = [9, 1];

/// Value that stands for either of [`CODES`]; no real code has it.
pub const REFUSED: u64 = 0x3fff_c0de;

pub const WHICH_CODE: &str = "the error code of a refused launch";

/// Representative of the two codes, if `of` gives the same result for both.
pub fn one_of_refused<T: PartialEq>(of: impl Fn(u64) -> T) -> Option<u64> {
    (of(CODES[0]) == of(CODES[1])).then_some(CODES[0])
}

/// Result of a comparison that involves [`REFUSED`], if both codes give the same.
pub fn compare_refused(pred: Pred, w: u32, a: u64, b: u64) -> Option<bool> {
    let with = |code: u64| {
        let [a, b] = [a, b].map(|v| if v == REFUSED { code } else { v });
        icmp(pred, w, a, b)
    };
    one_of_refused(with).map(with)
}

/// Outcome of a launch.
pub enum LaunchOutcome {
    Runs,
    /// The runtime refuses the launch with this code.
    Refused(u64),
    Undecided(String),
}

impl Machine<'_> {
    fn static_shared(&self, kernel: FuncRef) -> u64 {
        most_static_shared(self.program, kernel)
    }

    /// Decides whether a launch with a known configuration runs.
    pub fn fate(&mut self, kernel: FuncRef, g: [u32; 3], b: [u32; 3], shared: u64) -> LaunchOutcome {
        let threads = b.iter().fold(1_u64, |all, n| all.saturating_mul(u64::from(*n)));
        let most = self.program.func(kernel).max_threads.map_or(1024, |n| u64::from(n).min(1024));
        let fits = g.iter().chain(&b).all(|n| *n >= 1)
            && b[0] <= 1024
            && b[1] <= 1024
            && b[2] <= 64
            && threads <= most
            && g[0] <= 0x7fff_ffff
            && g[1] <= 65_535
            && g[2] <= 65_535
            && shared <= MAX_SHARED;
        if !fits {
            return LaunchOutcome::Refused(REFUSED);
        }
        let asked = self.cuda.most_shared.get(&kernel).copied();
        match asked.map(crate::machine::value::Val::known) {
            Some(None) if shared > 0 => {
                LaunchOutcome::Undecided("the dynamic shared memory that the kernel may have is not known".to_owned())
            }
            Some(Some(n)) => {
                if shared > n {
                    LaunchOutcome::Refused(REFUSED)
                } else {
                    LaunchOutcome::Runs
                }
            }
            None if shared > USUAL_SHARED => LaunchOutcome::Refused(REFUSED),
            None if shared > 0 && shared + self.static_shared(kernel) > USUAL_SHARED => LaunchOutcome::Undecided(
                format!("static and dynamic shared memory together may be more than {USUAL_SHARED} bytes"),
            ),
            _ => LaunchOutcome::Runs,
        }
    }

    /// Performs `cudaFuncSetAttribute` and returns the error code.
    pub fn set_attribute(&mut self, handle: Val, attribute: Val, value: Val) -> u64 {
        let which = attribute.known().map(low32);
        let axis = launches::axis(which.map(i128::from));
        if which.is_some_and(|a| u64::from(a) != MAX_DYNAMIC) && axis.is_none() {
            return 0;
        }
        let kernel = match self.kernel_of(handle) {
            Ok(k) => k,
            Err(why) => {
                self.seen.doubt(why);
                return 0;
            }
        };
        let unknown = self.reason(Cause::Other, "an attribute of a kernel");
        if let Some(axis) = axis {
            return self.require_cluster(kernel, axis, value);
        }
        if which.is_none() {
            self.cuda.clusters.insert(kernel, [Val::poison(unknown); 3]);
        }
        let Some(v) = value.known().filter(|_| !attribute.is_poison()) else {
            self.cuda.most_shared.insert(kernel, Val::poison(if value.is_poison() { value.poison } else { unknown }));
            return 0;
        };
        let n = u64::from(low32(v));
        if n > MAX_SHARED {
            self.cuda.error = INVALID_VALUE;
            return INVALID_VALUE;
        }
        // The call is refused if static shared memory leaves no room. How much the compiler reserves is unknown.
        let room = n + self.static_shared(kernel) <= MAX_SHARED;
        self.cuda.most_shared.insert(kernel, if room { Val::new(n) } else { Val::poison(unknown) });
        0
    }

    /// Records that a device thread ends all work of the program on the device, by a trap or a failing assert.
    pub fn trap(&mut self, what: &str) -> ThreadStop {
        self.cuda.trapped.get_or_insert_with(|| what.to_owned());
        ThreadStop::Ended(what.to_owned())
    }

    /// Fails if a kernel has failed: every later call of the runtime then fails, too, and does nothing.
    pub fn works(&self) -> Result<(), ThreadStop> {
        match &self.cuda.trapped {
            Some(what) => {
                Err(ThreadStop::Ended(format!("a kernel fails ({what}): no later CUDA runtime call has an effect")))
            }
            None => Ok(()),
        }
    }
}
