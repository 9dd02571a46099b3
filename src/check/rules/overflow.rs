//! Accesses that stay inside only while no operation wraps: inputs for which one does.
//!
//! In: launches whose accesses are decided. Out: a finding of the rule `index-overflow` where a replay, in the machine's own
//! arithmetic, goes out of bounds. What no replay reaches stays safe if nothing wraps and is no finding: nobody wants a
//! warning for each multiplication. Nor is one raised for every access behind an operation; for what takes more threads in
//! one dimension than an `int` can count, since the index of a thread wraps in nearly every kernel then; or for sizes with
//! which the host's own arithmetic wraps: it allocates too little, or nothing, and was never meant to work with them.

use crate::check::counterexample::replay::Wanted;
use crate::check::engine::{Engine, Run, obligation};
use crate::check::findings::build::verb;
use crate::check::findings::host_call::Tools;
use crate::check::findings::kernel::{Happens, Suspected};
use crate::check::obligations::cone;
use crate::check::obligations::verdict::Outcome;
use crate::check::solver::WrapMode;
use crate::report::finding::{Rule, Verdict};
use crate::symbolic::exec::executor::AccessEvent;
use crate::symbolic::memory::object::Object;
use crate::symbolic::memory::value::{Base, Target};
use crate::symbolic::terms::term::{Range, Term, TermId};
use crate::witness::Fault;
use crate::work::{Work, done};
use rustc_hash::FxHashMap;

/// What one root's overflows get together, and what one of them gets: they are worth less than everything else.
const MOST: Work = Work::seconds(4);
const ONE: Work = Work::millis(1500);

/// Bytes that a replay of one may fill here: sizes are large, and loops over them need not be followed.
const BYTES: u64 = 128 << 20;

/// Accesses that are tried for one set of operations.
const TRIES: u32 = 2;

/// Letters of an operation beyond which nobody reads it.
const LONG: usize = 80;

/// Threads in one dimension that an `int` can count.
const COUNTED: i128 = i32::MAX as i128;

impl<'p> Engine<'p> {
    /// Looks for inputs under which what is safe if nothing wraps goes out of bounds.
    pub(in crate::check) fn overflows(&mut self, tools: &mut Tools<'p>, runs: &[Run]) {
        if self.assumed.asked.is_some() || !tools.root.trusted {
            return;
        }
        let before = done();
        let until = self.phase(MOST, 100);
        tools.judge.replay_within(self.scaled(ONE), BYTES);
        let mut tried: FxHashMap<Vec<String>, u32> = FxHashMap::default();
        let mut found: Vec<String> = vec![];
        for run in runs {
            for event in &run.run.accesses {
                let ops = self.rests_on(&self.place_of(event)).to_vec();
                if ops.is_empty() || ops.iter().any(|o| found.contains(o)) {
                    continue;
                }
                let times = tried.entry(ops.clone()).or_default();
                *times += 1;
                if *times > TRIES || until.is_spent() {
                    continue;
                }
                let Some((wrapped, outcome)) = self.overflow(tools, run, event) else { continue };
                found.extend(wrapped);
                self.put(run.kernel, event, outcome);
            }
        }
        self.spend_since(before);
    }

    /// A replay in which an access goes out of bounds because something wraps; and what does.
    fn overflow(&self, tools: &mut Tools<'p>, run: &Run, event: &AccessEvent) -> Option<(Vec<String>, Outcome)> {
        event.targets.iter().find_map(|t| {
            let Base::Object(o) = t.base else { return None };
            let object = tools.e.object(o).clone();
            self.overflow_in(tools, run, event, &object, t)
        })
    }

    fn overflow_in(
        &self,
        tools: &mut Tools<'p>,
        run: &Run,
        event: &AccessEvent,
        object: &Object,
        target: &Target,
    ) -> Option<(Vec<String>, Outcome)> {
        let facts = tools.e.arena.and(event.path, target.cond);
        let (mut ob, _) = obligation(tools, Some(run), event, facts, target, object.extent?);
        let (counted, meant) = (threads_are_counted(tools, run), host_does_not_wrap(tools, run, ob.extent));
        ob.facts = tools.e.arena.and_all(vec![ob.facts, counted, meant]);
        let (model, wrapped) = tools.decider.wraps(&mut tools.e.arena, &ob, self.scaled(ONE))?;
        let operation = wrapped.iter().find(|w| self.rests_on(&self.place_of(event)).contains(w))?;
        let below = model.value(&tools.e.arena, ob.offset, WrapMode::Exact).is_some_and(|v| v < 0);
        let what = verb(event.kind);
        let message = format!(
            "{what} {} of `{}`, since {} wraps",
            if below { "before the start" } else { "past the end" },
            self.place_of(event).1,
            shortened(operation)
        );
        let suspected = Suspected {
            rule: Rule::IndexOverflow,
            wanted: Wanted::Fault(Fault::Bounds),
            event,
            object,
            obligation: &ob,
            essential: &[ob.offset, ob.extent],
            message,
        };
        let happens = Happens { model, mode: WrapMode::Exact, degenerate: false };
        let finding = run.launched().replayed(tools, suspected, &happens, self.place_of(event)).ok()?;
        (finding.verdict == Verdict::Proved).then(|| (wrapped, Outcome::Found(Box::new(finding))))
    }
}

fn shortened(operation: &str) -> &str {
    if operation.len() > LONG { "an operation that it depends on" } else { operation }
}

/// That no dimension of the launch has more threads than an `int` can count.
fn threads_are_counted(tools: &mut Tools<'_>, run: &Run) -> TermId {
    let (a, c) = (&mut tools.e.arena, &run.launch.config);
    let each = (0..3)
        .map(|i| {
            let (n, most) = (a.mul(c.grid[i], c.block[i]), a.int(COUNTED));
            a.le(n, most)
        })
        .collect();
    a.and_all(each)
}

/// That nothing wraps which the host computes for the launch, on its way there, or for the sizes of memory.
fn host_does_not_wrap(tools: &mut Tools<'_>, run: &Run, extent: TermId) -> TermId {
    let computed = cone::mentioned(&tools.e, &run.launch, &[run.launch.path, extent]);
    let a = &mut tools.e.arena;
    let mut all = vec![];
    for w in a.cone(&computed) {
        let Term::Wrap { arg, bits, signed } = *a.get(w) else { continue };
        let (Some(lo), Some(hi)) = (Range::of_int(bits, signed).lo, Range::of_int(bits, signed).hi) else { continue };
        let (lo, hi) = (a.int(lo), a.int(hi));
        all.extend([a.le(lo, arg), a.le(arg, hi)]);
    }
    a.and_all(all)
}
