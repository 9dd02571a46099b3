//! Synchronisation of the host (CUDA Runtime API reference 13.0, API synchronization behavior, Stream and Event
//! Management): after a wait, memory visible to both sides has the contents that the device stored.
//!
//! Streams and events are identified by the calls that make them, as long as each of these is executed once.

use super::table::Table;
use crate::symbolic::exec::executor::Executor;
use crate::symbolic::exec::library::{Call, Modelled};
use crate::symbolic::exec::state::State;
use crate::symbolic::memory::object::ObjKind;
use crate::symbolic::memory::value::{Base, Target, Value};
use base::reasons::UnknownReason;

/// The call that makes streams that wait for the default stream.
const WAITING_STREAM: &str = "cudaStreamCreate";

/// Number of the default stream; other streams follow.
const DEFAULT: i64 = 1;

/// Whether a function uses a default stream of its thread.
pub(super) fn is_per_thread(name: &str) -> bool {
    name.ends_with("_ptsz") || name.ends_with("_ptds")
}

/// Calls that wait, and those that define what to wait for. No other call waits: work in flight stays in flight.
pub(super) const WAITS: Table = &[
    (&["cudaDeviceReset", "cudaThreadExit", "cuDevicePrimaryCtxReset_v2"], |e, c, s| {
        e.waits(c, s, Executor::device_reset)
    }),
    (&["cudaDeviceSynchronize", "cudaThreadSynchronize", "cuCtxSynchronize"], |e, c, s| {
        e.waits(c, s, Executor::device_synchronize)
    }),
    (&["cudaStreamSynchronize", "cuStreamSynchronize"], |e, c, s| e.waits(c, s, Executor::stream_synchronize)),
    (&["cudaEventRecord", "cudaEventRecordWithFlags", "cuEventRecord"], |e, c, s| {
        e.waits(c, s, Executor::event_record)
    }),
    (&["cudaEventSynchronize", "cuEventSynchronize"], |e, c, s| e.waits(c, s, Executor::event_synchronize)),
];

impl Executor<'_> {
    /// Models a call that waits, or that defines what to wait for.
    fn waits(&mut self, c: &Call<'_>, mut s: State, wait: fn(&mut Self, &Call<'_>, &mut State)) -> Modelled {
        if !self.program.func(c.func).is_declaration() {
            return Err(Box::new(s));
        }
        wait(self, c, &mut s);
        self.success(s)
    }

    /// Returns a new handle of a stream or an event, made by the function of that name.
    pub(super) fn new_handle(&mut self, c: &Call<'_>, name: &str) -> Value {
        let n = self.runtime.made_at(c.context, c.site);
        self.unknown_pointer(&UnknownReason::Handle(name.to_owned(), n))
    }

    /// Returns the number of the call that made a stream or event, if it is known and was executed once.
    fn handle_number(&self, p: &[Target]) -> Option<i64> {
        let [Target { base: Base::Unknown(l), .. }] = p else { return None };
        let UnknownReason::Handle(_, n) = *l.reason else { return None };
        self.runtime.is_made_once(n).then(|| DEFAULT + 1 + i64::try_from(n).unwrap_or(i64::MAX / 2))
    }

    /// Returns the number of the stream that an argument names.
    pub(super) fn stream_number(&mut self, c: &Call<'_>, i: usize) -> Option<i64> {
        if is_per_thread(c.name) {
            return None;
        }
        let p = self.pointer_arg(c, i);
        if p.iter().all(|t| t.base == Base::Null) { Some(DEFAULT) } else { self.handle_number(&p) }
    }

    /// Returns the stream of a launch in the form in which its stub passes it on.
    pub(super) fn configured_stream(&mut self, stream: Option<i64>) -> Value {
        if stream == Some(DEFAULT) {
            self.null()
        } else {
            self.unknown_pointer(&UnknownReason::ConfiguredStream(stream))
        }
    }

    /// Returns the number of a launch's stream. A launch into a stream that may not be the default one may overlap
    /// with others.
    pub(super) fn note_stream(&mut self, c: &Call<'_>, i: usize, s: &mut State) -> Option<i64> {
        let stream = self.pointer_arg(c, i);
        // The stream was recorded when the launch was configured.
        let noted = stream.iter().find_map(|t| match &t.base {
            Base::Unknown(l) => match *l.reason {
                UnknownReason::ConfiguredStream(number) => Some(number),
                _ => None,
            },
            _ => None,
        });
        if let Some(number) = noted {
            return if stream.len() == 1 { number } else { None };
        }
        let number = self.stream_number(c, i);
        if number == Some(DEFAULT) {
            return number;
        }
        self.overlap(s);
        // Only streams from `cudaStreamCreate` are known to wait for the default stream, which waits for them.
        let waits = |t: &Target| match &t.base {
            Base::Unknown(l) => match &*l.reason {
                UnknownReason::Handle(call, _) | UnknownReason::Gives(call) => call == WAITING_STREAM,
                _ => false,
            },
            base => *base == Base::Null,
        };
        self.runtime.unordered |= is_per_thread(c.name) || !stream.iter().all(waits);
        number
    }

    fn device_synchronize(&mut self, _: &Call<'_>, s: &mut State) {
        self.all_done(s);
    }

    fn device_reset(&mut self, _: &Call<'_>, s: &mut State) {
        self.all_done(s);
        self.reset_device(s);
    }

    fn stream_synchronize(&mut self, c: &Call<'_>, s: &mut State) {
        if let Some(n) = self.stream_number(c, 0) {
            self.done_in(s, n);
        }
    }

    fn event_record(&mut self, c: &Call<'_>, s: &mut State) {
        // Covers all work so far, if the default stream waits for every other.
        let e = self.pointer_arg(c, 0);
        let all = self.stream_number(c, 1) == Some(DEFAULT) && !self.runtime.unordered;
        let n = self.handle_number(&e).filter(|_| all);
        self.set_recorded(s, n.unwrap_or(0));
    }

    fn event_synchronize(&mut self, c: &Call<'_>, s: &mut State) {
        let e = self.pointer_arg(c, 0);
        if let Some(n) = self.handle_number(&e)
            && self.is_recorded(s, n)
        {
            self.all_done(s);
        }
    }

    /// Models a synchronous copy between host and device memory: all earlier work is done, if the default stream waits
    /// for it.
    pub(super) fn copy_waits(&mut self, c: &Call<'_>, s: &mut State, sides: [&[Target]; 2]) {
        if self.runtime.unordered || is_per_thread(c.name) {
            return;
        }
        let of_host = |e: &Self, p: &[Target]| {
            !p.is_empty()
                && p.iter().all(|t| {
                    let Base::Object(o) = t.base else { return false };
                    matches!(e.object(o).kind, ObjKind::HostLocal | ObjKind::HostHeap | ObjKind::HostGlobal(_))
                        && !e.runtime.managed.contains(&o)
                        || e.runtime.pinned.contains(&o)
                })
        };
        if sides.iter().any(|p| of_host(self, p)) {
            self.all_done(s);
        }
    }
}
