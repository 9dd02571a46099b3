//! Tables of the host functions that the executor models, and the lookup from a name to its model.
//!
//! In: a name. Out: the model. A function is modelled only by a row of a family's table, so that [`keys`] has all of
//! them: `tests/models/table.rs` compares them with `models::table` and the interpreter's.

use super::waits;
use super::{
    arrays, copies, cuda, cuda_launch, cuda_memory, device_wide, driver_api, entry_points, files, formats, graphs,
    host_threads, libc, libc_memory, libc_text, openmp, outputs, queries, stdcxx, tensors, volume_calls,
};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use models::returns::Returns;
use models::row::{CallSide, MatchKind, NameKey};
use models::table::not_returning;

/// Effect of a call on the state, and its result; the unchanged state if the model does not apply to the call.
pub(super) type HostModel = for<'e, 'c> fn(&mut Executor<'e>, &LibraryCall<'c>, State) -> ModelOutcome;

/// A family: symbols (of CUDA's runtime without the suffix of a default stream), and their common model.
pub(super) type HostTable = &'static [(&'static [&'static str], HostModel)];

/// Returns the model of a function.
pub(super) fn find(families: &[HostTable], name: &str) -> Option<HostModel> {
    families.iter().copied().flatten().find(|(names, _)| names.contains(&name)).map(|(_, model)| *model)
}

/// Returns the host functions that the executor models.
#[must_use]
pub fn keys() -> Vec<(CallSide, NameKey)> {
    let families = [
        arrays::ARRAYS,
        copies::COPIES,
        volume_calls::VOLUMES,
        waits::WAITS,
        cuda_memory::MEMORY,
        cuda_launch::LAUNCHES,
        graphs::GRAPHS,
        host_threads::THREADS,
        openmp::OPENMP,
        cuda::STATUS,
        driver_api::DRIVER,
        entry_points::LOOK_UPS,
        outputs::POOLS,
        queries::QUERIES,
        entry_points::OF_LIBRARIES,
        files::FILES,
        libc_memory::MEMORY,
        libc_text::TEXT,
        formats::FORMATS,
        libc::NUMBERS,
        tensors::BASIS,
    ];
    let by_name = families.into_iter().flatten().flat_map(|(names, _)| *names).map(|n| NameKey::whole(*n));
    // If a call may return, nothing of it is followed.
    let ends = not_returning()
        .filter(|(_, how)| matches!(how, Returns::Never | Returns::IfZero(_)))
        .map(|(n, _)| NameKey::whole(n));
    let rest = cuda::REST.iter().map(|p| NameKey::new(MatchKind::Rest, *p));
    by_name
        .chain(ends)
        .chain(rest)
        .chain(outputs::keys())
        .chain(queries::keys())
        .chain(stdcxx::keys())
        .chain(device_wide::keys())
        .map(|k| (CallSide::Host, k))
        .collect()
}
