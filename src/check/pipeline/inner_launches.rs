//! Launches by kernels (dynamic parallelism): each is executed behind the launch whose threads make it.
//!
//! In: an executed launch. Out: the launches that any of its threads may make, executed, those of these, and so on. The launching thread
//! is arbitrary: its indices stay symbols in the arguments. A kernel that comes to launch itself is executed once more, for every depth
//! (an invariant of the recursion, as a loop's): arguments that it passes on unchanged keep their values, all others are unknown.

use super::Engine;
use crate::context::ExecutedLaunch;
use base::reasons::UnknownReason;
use engine::symbolic::exec::events::LaunchEvent;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::kernel::recursive_launch::RecursiveLaunch;
use library::host::HostRoot;

/// Most launches by kernels that are executed below one launch of the host.
const MOST: usize = 64;

/// A launch on the way to an inner one, and whether it stands for those of every depth.
struct OuterLaunch {
    launch: LaunchEvent,
    stands_for: Option<RecursiveLaunch>,
}

/// Executions of the launches below one of the host.
pub(super) struct InnerLaunches<'a> {
    pub root: &'a HostRoot,
    /// Number of the first one among all launches of the root.
    pub first: usize,
    pub found: Vec<ExecutedLaunch>,
}

impl<'p> Engine<'p> {
    /// Executes the launches that the threads of a launch may make.
    pub(super) fn run_inner_launches(
        &mut self,
        e: &mut Executor<'p>,
        outer: &ExecutedLaunch,
        inner: &mut InnerLaunches<'_>,
    ) {
        let mut above = vec![OuterLaunch { launch: outer.launch.clone(), stands_for: None }];
        self.follow_launches_of(e, (&outer.run.launches, outer.partly.as_ref()), &mut above, inner);
    }

    fn follow_launches_of(
        &mut self,
        e: &mut Executor<'p>,
        (launches, partly): (&[LaunchEvent], Option<&UnknownReason>),
        above: &mut Vec<OuterLaunch>,
        inner: &mut InnerLaunches<'_>,
    ) {
        for launch in launches {
            let recursive = above.iter().rposition(|o| o.launch.kernel == launch.kernel);
            let (launch, stands_for) = match recursive.map(|i| &above[i]) {
                None => (launch.clone(), None),
                Some(OuterLaunch { launch: known, stands_for: Some(all) }) => {
                    if !all.covers(known, launch) {
                        self.note_inner_unknown(known);
                    }
                    continue;
                }
                Some(first) => {
                    let all = e.of_every_depth(&first.launch, launch);
                    (all.launch.clone(), Some(all))
                }
            };
            if inner.found.len() >= MOST {
                above.iter().for_each(|o| self.note_inner_unknown(&o.launch));
                return;
            }
            let number = inner.first + inner.found.len();
            // What it reads and writes its siblings and the launching kernel may write meanwhile.
            let overlapping = std::mem::replace(&mut e.runtime.overlapping, true);
            let run = self.run_launch(e, inner.root, (number, &launch), None);
            e.runtime.overlapping = overlapping;
            let Some(mut run) = run else { continue };
            run.run.exchanged.anywhere = true;
            // A proof for all launches of the host says nothing of this one.
            run.summaries = None;
            if run.partly.is_none() {
                run.partly = partly.cloned();
            }
            let (launches, partly) = (std::mem::take(&mut run.run.launches), run.partly.clone());
            above.push(OuterLaunch { launch: run.launch.clone(), stands_for });
            inner.found.push(run);
            self.follow_launches_of(e, (&launches, partly.as_ref()), above, inner);
            above.pop();
        }
    }

    /// Records that launches by a kernel are not all followed.
    fn note_inner_unknown(&mut self, launch: &LaunchEvent) {
        if let Ok(kernel) = launch.kernel {
            let name = self.cx.program.func(kernel).display.clone();
            self.partly.entry(kernel).or_insert(UnknownReason::LaunchesBelow(name));
        }
    }
}
