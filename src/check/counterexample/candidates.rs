//! What the model of a bad access is worth: its replay, and where that does not reach the access, other inputs.
//!
//! In: an access, a model in which it is out of bounds. Out: a finding, or why it is none.

use super::concrete_trials::Tried;
use super::replay::{Judged, Wanted};
use crate::check::concurrency::atomic_counters;
use crate::check::engine::{Engine, Run};
use crate::check::findings::build::{Bad, Worth};
use crate::check::findings::host_call::Tools;
use crate::check::findings::kernel::Happens;
use crate::check::obligations::cone;
use crate::check::obligations::obligation::{Decision, Obligation};
use crate::check::obligations::verdict::Outcome;
use crate::check::rules::pointer;
use crate::check::solver::{Model, WrapMode};
use crate::symbolic::exec::executor::AccessEvent;
use crate::symbolic::memory::object::Object;
use crate::symbolic::terms::term::{SymId, SymKind, TermId};
use crate::witness::Fault;
use crate::work::{Allotment, Work, done, settle};

/// Inputs that are tried where a replay does not reach an access, and the most work for them.
const OTHER_INPUTS: [i128; 10] = [2, 3, 4, 1, 5, 7, 8, 12, 16, 33];
const OTHER_INPUTS_WORK: Work = Work::millis(100);
/// So many times that for one place, however many launches and models lead there.
const OTHER_INPUTS_TIMES: u64 = 3;

/// Most work on running a program with small inputs.
const TRIED: Work = Work::seconds(2);

impl<'p> Engine<'p> {
    /// What small inputs show, found out once for a root.
    pub(in crate::check) fn trials<'t>(&self, tools: &'t Tools<'p>) -> &'t Tried {
        tools.tried.get_or_init(|| {
            let before = done();
            let tried = Tried::of(tools, self.phase_work(TRIED, 25));
            // Whichever task asks first does it for all: none is charged.
            settle(before, Work::NONE);
            tried
        })
    }

    /// A finding where small inputs lead out of bounds. What is found so needs no model of what cannot be known.
    pub(in crate::check) fn seen(
        &self,
        tools: &mut Tools<'p>,
        run: &Run,
        ev: &AccessEvent,
        object: &Object,
        ob: &Obligation,
        unknowns: &[String],
    ) -> Option<Outcome> {
        let (model, judged, degenerate) = self.tried(tools, run, ev)?;
        let worth = Worth::of(&judged, &tools.root, self.program, unknowns.to_vec()).ok()?;
        let bad = Bad {
            root: &tools.root,
            launch: &run.launch,
            thread: &run.run.thread,
            kernel: run.kernel,
            event: ev,
            object,
            obligation: ob,
            model: &model,
            mode: WrapMode::Assume,
            degenerate,
        };
        Some(Outcome::Found(Box::new(bad.finding(&tools.e, &tools.judge, &judged, worth, self.place_of(ev)))))
    }

    /// An access through a pointer that was never set, under these facts.
    pub(in crate::check) fn unset(&self, tools: &mut Tools<'p>, run: &Run, ev: &AccessEvent, facts: TermId) -> Outcome {
        let happens = match tools.decider.happens(&mut tools.e.arena, facts) {
            Decision::Safe => return Outcome::Safe,
            Decision::Fails { model, mode, degenerate } => Happens { model, mode, degenerate },
            Decision::SafeIfNoWrap(_) | Decision::Unknown(_) => return Outcome::Unknown(String::new()),
        };
        let open = match pointer::unset_in_kernel(tools, &run.launched(), ev, (facts, happens), self.place_of(ev)) {
            Outcome::Unknown(why) => why,
            found => return found,
        };
        // What memory holds, say, the program decides otherwise than the model, but not under all inputs.
        let small = self
            .trials(tools)
            .inputs(&tools.e.arena, &run.launch, &run.run.thread, ev)
            .filter(|(_, random)| random.is_empty())
            .map(|(m, _)| m);
        let Some(model) = small else { return Outcome::Unknown(open) };
        let degenerate = tools.decider.sizes.degenerate(&tools.e.arena, &model);
        pointer::unset_in_kernel(
            tools,
            &run.launched(),
            ev,
            (facts, Happens { model, mode: WrapMode::Assume, degenerate }),
            self.place_of(ev),
        )
    }

    /// Small inputs under which the access was out of bounds in a run of the whole program, and a replay that reaches it.
    fn tried(&self, tools: &mut Tools<'p>, run: &Run, ev: &AccessEvent) -> Option<(Model, Judged, bool)> {
        let (model, random) = self.trials(tools).inputs(&tools.e.arena, &run.launch, &run.run.thread, ev)?;
        tools.judge.random = random.to_vec();
        let judged = self.reached(tools, run, ev, &model);
        tools.judge.random.clear();
        let mut judged = judged?;
        if let Judged::Reached { bad, .. } = &judged
            && !random.is_empty()
        {
            judged = Judged::ByChance(bad.clone());
        }
        let degenerate = tools.decider.sizes.degenerate(&tools.e.arena, &model);
        Some((model, judged, degenerate))
    }

    /// A model was found: replay decides what it is worth.
    #[expect(clippy::too_many_arguments, reason = "one access in its whole context")]
    pub(in crate::check) fn replayed(
        &self,
        tools: &mut Tools<'p>,
        run: &Run,
        ev: &AccessEvent,
        object: &Object,
        ob: &Obligation,
        model: &Model,
        mode: WrapMode,
        degenerate: bool,
        unknowns: Vec<String>,
    ) -> Outcome {
        let (launch, thread) = (&run.launch, &run.run.thread);
        let mut judged =
            tools.judge.judge(&tools.e.arena, launch, thread, ev, model, mode, Wanted::Fault(Fault::Bounds));
        let (mut model, mut mode, mut degenerate) = (model.clone(), mode, degenerate);
        if !matches!(judged, Judged::Reached { .. })
            && let Some((other, reached, small)) = self
                .tried(tools, run, ev)
                .or_else(|| self.another(tools, run, ev, ob))
                .or_else(|| self.with_other_inputs(tools, run, ev, &model))
        {
            (judged, model, mode, degenerate) = (reached, other, WrapMode::Assume, small);
        }
        if !matches!(judged, Judged::Reached { .. } | Judged::Astray { .. })
            && let Some((other, astray)) = self.astray(tools, run, ev, ob, &model, mode)
        {
            (judged, model) = (astray, other);
        }
        if matches!(judged, Judged::NotReached(_) | Judged::Incomplete(_))
            && let Some((other, seen, small)) = self.in_turn(tools, run, ev)
        {
            (judged, model, mode, degenerate) = (seen, other, WrapMode::Assume, small);
        }
        let mut unknowns = unknowns;
        if matches!(judged, Judged::Incomplete(_)) && unknowns.is_empty() {
            unknowns = cone::unknown_rounds(&tools.e, ob.facts, ob.offset);
            unknowns.extend(cone::unknown_bounds(&tools.e, ob.facts, ob.offset));
        }
        let (model, root) = (&model, &tools.root);
        let worth = match Worth::of(&judged, root, self.program, unknowns) {
            Ok(w) => w,
            Err(why) => return Outcome::Unknown(why),
        };
        let bad = Bad {
            root,
            launch,
            thread,
            kernel: run.kernel,
            event: ev,
            object,
            obligation: ob,
            model,
            mode,
            degenerate,
        };
        Outcome::Found(Box::new(bad.finding(&tools.e, &tools.judge, &judged, worth, self.place_of(ev))))
    }

    /// The model with small inputs in place of its own on which the access gets an address that was read out of bounds.
    fn astray(
        &self,
        tools: &mut Tools<'p>,
        run: &Run,
        ev: &AccessEvent,
        ob: &Obligation,
        first: &Model,
        mode: WrapMode,
    ) -> Option<(Model, Judged)> {
        let inputs = self.trials(tools).astray(ev)?.clone();
        let mut model = first.clone();
        model.values.extend(inputs.values);
        // What is shown of it must be out of bounds still.
        let value = |t| model.value(&tools.e.arena, t, mode);
        let (offset, bytes, extent) = (value(ob.offset)?, value(ob.bytes)?, value(ob.extent)?);
        if offset >= 0 && offset + bytes <= extent {
            return None;
        }
        let judged = tools.judge.judge(
            &tools.e.arena,
            &run.launch,
            &run.run.thread,
            ev,
            &model,
            mode,
            Wanted::Fault(Fault::Bounds),
        );
        matches!(judged, Judged::Astray { .. }).then_some((model, judged))
    }

    /// Another model, with a replay that reaches the access: one in which what the kernel reads before it lies inside, so that
    /// it is known, or one in which so many threads get there that a counter leaves its bounds.
    fn another(
        &self,
        tools: &mut Tools<'p>,
        run: &Run,
        ev: &AccessEvent,
        ob: &Obligation,
    ) -> Option<(Model, Judged, bool)> {
        let inside = cone::reads_inside(&mut tools.e, &run.run, ev);
        if !inside.is_empty() && !self.is_spent() {
            let facts = {
                let more = tools.e.arena.and_all(inside);
                tools.e.arena.and(ob.facts, more)
            };
            if let Decision::Fails { model, mode: WrapMode::Assume, degenerate } =
                tools.decider.decide(&mut tools.e.arena, &Obligation { facts, ..ob.clone() })
                && let Some(judged) = self.reached(tools, run, ev, &model)
            {
                return Some((model, judged, degenerate));
            }
        }
        for shape in atomic_counters::SHAPES {
            if self.is_spent() {
                return None;
            }
            let Some((model, degenerate)) = atomic_counters::model(tools, &run.run, ev, ob, shape) else { continue };
            if let Some(judged) = self.reached(tools, run, ev, &model) {
                return Some((model, judged, degenerate));
            }
        }
        None
    }

    /// The model with small inputs in place of its own: what it sets besides them, such as what memory holds, the program may
    /// decide otherwise under its inputs, and as the model wants under others.
    fn with_other_inputs(
        &self,
        tools: &mut Tools<'p>,
        run: &Run,
        ev: &AccessEvent,
        first: &Model,
    ) -> Option<(Model, Judged, bool)> {
        let begin = done();
        let place = (ev.site, ev.stack.to_vec(), run.launch.site);
        let spent = tools.judge.other_inputs.get(&place).copied().unwrap_or_default();
        let until = Allotment::of(OTHER_INPUTS_WORK.min(OTHER_INPUTS_WORK * OTHER_INPUTS_TIMES - spent));
        tools.judge.short = true;
        let found = self.of_other_inputs(tools, run, ev, first, until);
        tools.judge.short = false;
        *tools.judge.other_inputs.entry(place).or_default() = spent + (done() - begin);
        found
    }

    fn of_other_inputs(
        &self,
        tools: &mut Tools<'p>,
        run: &Run,
        ev: &AccessEvent,
        first: &Model,
        until: Allotment,
    ) -> Option<(Model, Judged, bool)> {
        let inputs: Vec<SymId> = first
            .values
            .keys()
            .copied()
            .filter(|s| matches!(tools.e.arena.symbol(*s).kind, SymKind::Input(_)))
            .collect();
        let kind = |s: &SymId| tools.e.arena.symbol(*s).kind.clone();
        // All at once, then each alone; those of one source together.
        let mut groups = vec![inputs.clone()];
        for s in &inputs {
            let same: Vec<SymId> = inputs.iter().copied().filter(|o| kind(o) == kind(s)).collect();
            if !groups.contains(&same) {
                groups.push(same);
            }
        }
        for group in groups {
            for v in OTHER_INPUTS {
                if until.is_spent() {
                    return None;
                }
                let mut model = first.clone();
                for s in &group {
                    model.values.insert(*s, v);
                }
                if model == *first {
                    continue;
                }
                let Some(judged) = self.reached(tools, run, ev, &model) else { continue };
                let degenerate = tools.decider.sizes.degenerate(&tools.e.arena, &model);
                return Some((model, judged, degenerate));
            }
        }
        None
    }

    /// A replay that reaches the access.
    fn reached(&self, tools: &mut Tools<'p>, run: &Run, ev: &AccessEvent, model: &Model) -> Option<Judged> {
        let judged = tools.judge.judge(
            &tools.e.arena,
            &run.launch,
            &run.run.thread,
            ev,
            model,
            WrapMode::Assume,
            Wanted::Fault(Fault::Bounds),
        );
        matches!(judged, Judged::Reached { .. }).then_some(judged)
    }
}
