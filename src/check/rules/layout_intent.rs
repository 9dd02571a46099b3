//! Judgement of whether named parts of an object are meant to be separate.
//!
//! In: an access that can reach from one part into another, and all other accesses of the kernel. Out: evidence of
//! the programmer's intent. Parts count as certainly separate only if the access exceeds its part by very little, the
//! parts are larger than that, and no other access treats both as one array. A halo (`s = buf + R`, `s[i - R]`),
//! overlapping views of one array, and reused memory exceed it further, or do so elsewhere.

use super::crossing::{Neighbour, PartAccess, PartEnd};
use super::layout::UsedParts;
use crate::context::{CheckContext, ExecutedLaunch, RootTools};
use crate::obligations::obligation::{Counterexample, Decision, Obligation};
use engine::symbolic::exec::events::{AccessEvent, AccessKind};
use engine::symbolic::memory::object::ObjKind;
use engine::symbolic::memory::partition::PartId;
use engine::symbolic::memory::value::{Base, GuardedTarget};
use engine::symbolic::terms::term::TermId;
use ir::{Op, Operand, Program};

/// Largest distance, in access widths, by which an index meant to stay inside may exceed its part.
pub(crate) const SLIP: i128 = 2;

/// Least size of the parts, in access widths: smaller ones may be single values, or rows of one array.
const LEAST: i128 = 4;

/// Meaning of a crossing.
pub(crate) enum CrossingMeaning {
    /// The parts are separate; the model makes them large enough to show it.
    Apart(Counterexample),
    /// The parts may be separate; the reason for doubt.
    Doubtful(&'static str),
    /// Reaching across is meant, or there is no evidence of parts.
    Across,
}

impl UsedParts {
    /// Judges an access that can reach a neighbour.
    pub fn meaning(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        run: &ExecutedLaunch,
        t: &PartAccess<'_>,
        n: &Neighbour,
    ) -> CrossingMeaning {
        let Some(width) = tools.e.arena.as_int(t.event.bytes).filter(|w| *w > 0) else {
            return CrossingMeaning::Doubtful("its length varies");
        };
        let global = !matches!(t.object.kind, ObjKind::SharedDynamic | ObjKind::SharedStatic(_) | ObjKind::DeviceLocal);
        if self.are_one_array(cx, tools, run, t, n, SLIP * width) {
            return CrossingMeaning::Across;
        }
        let goal = t.goal(tools, n, SLIP * width);
        let slips = matches!(tools.decide(cx, &goal).decision, Decision::Safe);
        let used_otherwise = self.used_otherwise(cx, tools, run, t, n, SLIP * width);
        let wide = self.wide_parts(tools, run, t, n, LEAST * width);
        let wide = tools.decide(cx, &wide).decision;
        match (slips, used_otherwise, wide) {
            (true, Some(why), _) => CrossingMeaning::Doubtful(why),
            (true, None, _) if global && t.event.kind == AccessKind::Read => {
                CrossingMeaning::Doubtful("nothing is overwritten")
            }
            (true, None, Decision::Fails(c)) => CrossingMeaning::Apart(c),
            (true, None, _) => CrossingMeaning::Doubtful("they are too small to tell from elements of one array"),
            (false, None, Decision::Fails(_))
                if !global
                    && !stores_constant(tools.e.program, t.event)
                    && !self.fills(cx, tools, run, t, n, width) =>
            {
                CrossingMeaning::Doubtful("the access reaches far beyond the first")
            }
            (false, ..) => CrossingMeaning::Across,
        }
    }

    /// Whether accesses through the two names go well beyond the border between the parts.
    fn are_one_array(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        run: &ExecutedLaunch,
        t: &PartAccess<'_>,
        n: &Neighbour,
        slack: i128,
    ) -> bool {
        let border = border(t, n);
        run.run.accesses.iter().filter(|e| !std::ptr::eq(*e, t.event)).any(|e| {
            e.targets.iter().any(|x| {
                matches!(x.part, Some(p) if p == t.own || p == n.id) && spans(cx, tools, e, x, t, border, slack)
            })
        })
    }

    /// Returns other evidence that both parts serve as one, or that either serves twice.
    fn used_otherwise(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        run: &ExecutedLaunch,
        t: &PartAccess<'_>,
        n: &Neighbour,
        slack: i128,
    ) -> Option<&'static str> {
        let all = &run.run.partitions;
        let (own, other) = (run.part(t.own), run.part(n.id));
        let twice = (0u32..).map(PartId).zip(all).any(|(id, p)| {
            self.is_used(id)
                && p.object == own.object
                && (id != t.own && p.start == own.start || id != n.id && p.start == other.start)
        });
        if twice {
            return Some("one of them has a second name");
        }
        if own.named.phase != other.named.phase {
            return Some("one of them was named only after a barrier");
        }
        let in_use = run
            .run
            .accesses
            .iter()
            .any(|e| e.at.phase >= t.event.at.phase && e.targets.iter().any(|x| x.part == Some(n.id)));
        if !in_use && t.event.kind != AccessKind::Read && !in_loop(tools, t.event) {
            return Some("the second is not used any more");
        }
        let border = border(t, n);
        let spans = run.run.accesses.iter().any(|e| {
            e.targets
                .iter()
                .any(|x| x.part != Some(t.own) && x.part != Some(n.id) && spans(cx, tools, e, x, t, border, slack))
        });
        spans.then_some("another access uses them as one array")
    }

    /// Whether the access can fill the neighbour to its far end without exceeding it: a halo, or an array of both.
    fn fills(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        run: &ExecutedLaunch,
        t: &PartAccess<'_>,
        n: &Neighbour,
        width: i128,
    ) -> bool {
        let a = &mut tools.e.arena;
        let (within, far) = match n.end {
            PartEnd::Start => (None, a.eq(t.offset, n.start)),
            PartEnd::Finish => {
                let behind = self
                    .alive_at(&run.run.partitions, t.own, t.event.at)
                    .into_iter()
                    .map(|id| run.part(id).start)
                    .filter(|s| {
                        let d = a.sub(*s, n.start);
                        a.range(d).lo.is_some_and(|l| l > 0)
                    });
                let behind: Vec<TermId> = behind.collect();
                let far = behind
                    .iter()
                    .copied()
                    .find(|s| {
                        behind.iter().all(|o| {
                            let d = a.sub(*o, *s);
                            a.range(d).lo.is_some_and(|l| l >= 0)
                        })
                    })
                    .unwrap_or(t.extent);
                (
                    Some(Obligation { facts: n.facts, offset: a.int(0), bytes: t.finish, extent: far }),
                    a.eq(t.finish, far),
                )
            }
        };
        let several = a.add_const(n.start, 2 * width);
        let several = match n.end {
            PartEnd::Start => a.le(several, t.start),
            PartEnd::Finish => a.le(several, t.finish),
        };
        let filled = a.and_all(vec![n.facts, far, several]);
        within.is_none_or(|goal| matches!(tools.decide(cx, &goal).decision, Decision::Safe))
            && matches!(tools.happens(cx, filled).decision, Decision::Fails(_))
    }

    /// Builds the obligation of the crossing where its parts have at least `least` bytes, as far as other parts and
    /// the object's end permit.
    fn wide_parts(
        &self,
        tools: &mut RootTools<'_>,
        run: &ExecutedLaunch,
        t: &PartAccess<'_>,
        n: &Neighbour,
        least: i128,
    ) -> Obligation {
        let goal = t.goal(tools, n, 0);
        let a = &mut tools.e.arena;
        let mut facts = vec![goal.facts];
        for start in [t.start, n.start] {
            let wide = a.add_const(start, least);
            facts.push(a.le(wide, t.extent));
            for id in self.alive_at(&run.run.partitions, t.own, t.event.at).into_iter().chain([t.own]) {
                let other = run.part(id).start;
                if other == start {
                    continue;
                }
                let (outside, beyond) = (a.le(other, start), a.le(wide, other));
                facts.push(a.or(outside, beyond));
            }
        }
        Obligation { facts: a.and_all(facts), ..goal }
    }
}

/// Returns the border between two neighbouring parts.
fn border(t: &PartAccess<'_>, n: &Neighbour) -> TermId {
    match n.end {
        PartEnd::Finish => n.start,
        PartEnd::Start => t.start,
    }
}

/// Whether an access may go well beyond a border on both sides. Clearing memory through the undivided pointer is no
/// evidence of one array.
fn spans(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    e: &AccessEvent,
    x: &GuardedTarget,
    t: &PartAccess<'_>,
    border: TermId,
    slack: i128,
) -> bool {
    if x.base != Base::Object(t.id) || x.part.is_none() && stores_constant(tools.e.program, e) {
        return false;
    }
    let a = &mut tools.e.arena;
    let facts = a.and(e.path, x.cond);
    if a.as_bool(facts) == Some(false) {
        return false;
    }
    let finish = a.add(x.offset, e.bytes);
    let (zero, low, high) = (a.int(0), a.add_const(border, -slack), a.add_const(border, slack));
    let above = a.sub(x.offset, low);
    let below = Obligation { facts, offset: zero, bytes: finish, extent: high };
    let above = Obligation { facts, offset: above, bytes: zero, extent: above };
    [below, above]
        .iter()
        .all(|goal| !matches!(tools.decide(cx, goal).decision, Decision::Safe | Decision::SafeIfNoWrap(_)))
}

/// Whether an access stores a constant, as in clearing an array.
fn stores_constant(program: &Program, e: &AccessEvent) -> bool {
    let block = &program.func(e.site.func).blocks[e.site.block.index()];
    matches!(
        block.insts.get(e.site.inst as usize).map(|i| &i.op),
        Some(Op::Store { value: Operand::Const(_), .. } | Op::MemSet { .. })
    )
}

fn in_loop(tools: &mut RootTools<'_>, e: &AccessEvent) -> bool {
    std::iter::once(&e.site).chain(e.stack.iter()).any(|s| tools.e.is_in_loop(s.func, s.block))
}
