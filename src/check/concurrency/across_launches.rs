//! Inductive invariants of memory across launches and loops: bounds on stored integers that persist from one launch to
//! the next, through loops that launch, and through loops of the host that fill arrays: `0 <= index[i] < n` held at
//! first, and no launch or iteration stores anything else there.
//!
//! In: the executed launches of a root, and the origins of contents (memory SSA: the version at a launch, a join or a
//! loop head). Out: bounds on contents that are known only by version. The algorithm is Houdini (Flanagan and Leino,
//! FME 2001): the candidates are the bounds that indices of any kernel need. All are assumed at first; a candidate is
//! dropped if, at one of its origins, it does not follow from the assumptions on earlier versions, until nothing
//! changes. The remaining ones hold by induction over time: every proof uses only earlier contents.

use super::bounds::ContentBound;
use super::invariants::{element, is_open};
use super::known::{Claim, KnownBounds, contents};
use crate::context::{CheckContext, ExecutedLaunch, RootTools};
use crate::obligations::obligation::{Decision, Obligation};
use crate::obligations::specialise::DecidedValues;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::kernel::context::ExchangedNumber;
use engine::symbolic::loops::quantified_facts;
use engine::symbolic::memory::memory_ssa::{ContentOrigin, ContentVersion, versions};
use engine::symbolic::memory::object::{Memory, ObjId, ObjKind};
use engine::symbolic::memory::value::Base;
use engine::symbolic::terms::term::{Term, TermId};
use ir::{FuncRef, TypeId, TypeKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Most candidate bounds, and most contents for which a bound is assumed: of arrays of the host, and of device memory.
const MAX: usize = 8;
const CONTENTS: usize = 160;

/// Assumed bounds, and those that are still to be shown.
#[derive(Debug, Default)]
pub(crate) struct LaunchInvariants {
    asked: Vec<ExchangedNumber>,
    known: KnownBounds,
}

impl LaunchInvariants {
    pub fn of(e: &mut Executor<'_>, runs: &[ExecutedLaunch]) -> Self {
        let mut out = Self::default();
        if e.runtime.overlapping || e.heap.origins().len() == 0 {
            return out;
        }
        let objects: FxHashSet<ObjId> = e.heap.origins().map(ContentOrigin::object).collect();
        let (mut bounds, mut read): (Vec<(ExchangedNumber, TermId)>, Vec<u32>) = Default::default();
        for run in runs {
            for ev in &run.run.accesses {
                for t in ev.targets.iter() {
                    let Base::Object(o) = t.base else { continue };
                    read.extend(e.arena.cone(&[t.offset]).into_iter().filter_map(|t| Some(contents(e, t)?.1)));
                    for (l, c) in numbers(e, run.kernel, t.offset, &objects) {
                        let alike = bounds.iter().filter(|(k, _)| is_of_host(e, k.object) == is_of_host(e, l.object));
                        let Some(size) = e.object(o).extent.filter(|_| alike.count() < MAX) else { continue };
                        let below = e.arena.floor_div(size, c);
                        if !bounds.iter().any(|(k, b)| k.object == l.object && k.bits == l.bits && *b == below) {
                            bounds.push((l, below));
                        }
                    }
                }
            }
        }
        let origins = reached(e, runs, read);
        for (l, below) in bounds {
            let Some(size) = e.object(l.object).extent else { continue };
            for (version, origin) in origins.iter().filter(|(_, o)| o.object() == l.object) {
                let lasts = match origin {
                    ContentOrigin::Launch(_, n) => n.is_some(),
                    ContentOrigin::Loop { before, .. } => e.is_older(below, *before) && e.is_older(size, *before),
                    ContentOrigin::Join { .. } => true,
                };
                let alike = out.known.claims.iter().filter(|c| is_of_host(e, c.object) == is_of_host(e, l.object));
                if !lasts || alike.count() >= CONTENTS {
                    continue;
                }
                out.known.claims.push(Claim { object: l.object, version: *version, bits: l.bits, below, size });
                if !out.asked.iter().any(|a| a.object == l.object && a.bits == l.bits) {
                    out.asked.push(l);
                }
            }
        }
        out
    }

    pub fn is_empty(&self) -> bool {
        self.known.claims.is_empty()
    }

    /// Returns the bounds that a launch must establish, and the bounds that it may assume.
    pub fn at(
        &self,
        e: &mut Executor<'_>,
        run: &ExecutedLaunch,
        decided: &DecidedValues,
    ) -> (Vec<ContentBound>, KnownBounds) {
        let known = self.known.under(e, decided);
        let mut asked: Vec<ContentBound> = vec![];
        for c in &known.claims {
            let left = matches!(e.heap.origin(c.version), Some(ContentOrigin::Launch(_, Some(n))) if *n == run.number);
            let Some(l) = self.number_of(c).filter(|_| left) else { continue };
            asked.push(ContentBound { loaded: l, below: c.below, left: true });
        }
        (asked, known)
    }

    fn number_of(&self, c: &Claim) -> Option<ExchangedNumber> {
        self.asked.iter().find(|l| l.object == c.object && l.bits == c.bits).copied()
    }

    /// Drops bounds that do not follow; returns whether the bounds or the operations that they rest on changed. The
    /// launches' results were computed under the current bounds.
    pub fn give_up(&mut self, cx: &CheckContext<'_>, tools: &mut RootTools<'_>, runs: &[ExecutedLaunch]) -> bool {
        let before = self.known.claims.len();
        let mut operations = vec![];
        let claims = self.known.claims.clone();
        let left: Vec<Claim> = claims
            .into_iter()
            .filter(|c| match tools.e.heap.origin(c.version).cloned() {
                Some(ContentOrigin::Launch(_, Some(n))) => runs.iter().find(|r| r.number == n).is_some_and(|r| {
                    let Some(l) = self.number_of(c) else { return false };
                    let below = r.decided.term(&mut tools.e.arena, c.below);
                    let leaves = r.invariants.leave(&l, below);
                    if leaves {
                        operations.extend(r.invariants.operations().to_vec());
                    }
                    leaves
                }),
                Some(ContentOrigin::Loop { moments, .. } | ContentOrigin::Join { moments, .. }) => {
                    moments.iter().all(|m| self.holds_at(cx, tools, c, m, &mut operations))
                }
                _ => false,
            })
            .collect();
        operations.sort();
        operations.dedup();
        let more = operations != self.known.operations;
        (self.known.claims, self.known.operations) = (left, operations);
        more || self.known.claims.len() != before
    }

    /// Drops all bounds.
    pub fn clear(&mut self) {
        self.known = KnownBounds::default();
    }

    fn holds_at(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        c: &Claim,
        m: &ContentVersion,
        operations: &mut Vec<String>,
    ) -> bool {
        let e = &mut tools.e;
        let Some(l) = self.number_of(c) else { return false };
        let memory: Memory = std::iter::once((c.object, m.held.clone())).collect();
        let Some((held, inside)) = element(e, &memory, &l, c.size) else { return false };
        let checked = quantified_facts::instances(&mut e.arena, &m.always, &[held]);
        if is_open(e, &self.known, held, checked.is_some()) {
            return false;
        }
        let number = e.interpret(held, l.bits, true);
        let one = e.arena.int(1);
        // The path to this point is mostly irrelevant.
        let no_path = e.arena.bool(true);
        for path in [no_path, m.path] {
            let mut facts = vec![path, inside];
            facts.extend(checked);
            facts.extend(self.known.facts(&mut tools.e, &[path, number]));
            let facts = tools.e.arena.and_all(facts);
            match tools.decide_roughly(cx, &Obligation { facts, offset: number, bytes: one, extent: c.below }).decision
            {
                Decision::Safe => return true,
                Decision::SafeIfNoWrap(ops) => {
                    operations.extend(ops);
                    return true;
                }
                Decision::Fails(_) | Decision::Unknown(_) => {}
            }
        }
        false
    }
}

fn is_of_host(e: &Executor<'_>, o: ObjId) -> bool {
    matches!(e.object(o).kind, ObjKind::HostHeap | ObjKind::HostLocal | ObjKind::HostGlobal(_))
}

/// Returns the versions of contents that launches start from, and those in `read`, with everything that they
/// originate from.
fn reached(e: &Executor<'_>, runs: &[ExecutedLaunch], read: Vec<u32>) -> Vec<(u32, ContentOrigin)> {
    let mut open = read;
    for run in runs {
        for held in run.launch.memory.values() {
            versions(held, &mut open);
        }
    }
    let mut out: BTreeMap<u32, ContentOrigin> = BTreeMap::new();
    while let Some(v) = open.pop() {
        let Some(origin) = e.heap.origin(v) else { continue };
        if out.insert(v, origin.clone()).is_some() {
            continue;
        }
        if let ContentOrigin::Loop { moments, .. } | ContentOrigin::Join { moments, .. } = origin {
            for m in moments {
                versions(&m.held, &mut open);
            }
        }
    }
    out.into_iter().collect()
}

/// Returns the integers, read from memory with a history, that an offset consists of, each with its stride in bytes.
fn numbers(
    e: &Executor<'_>,
    kernel: FuncRef,
    offset: TermId,
    objects: &FxHashSet<ObjId>,
) -> Vec<(ExchangedNumber, i128)> {
    let mut out = vec![];
    for (m, c) in e.arena.poly(offset).terms {
        if c <= 0 {
            continue;
        }
        for n in e.arena.cone(&m) {
            if let Term::Sym(s) = e.arena.get(n)
                && let Some(l) = e.loaded.get(s)
            {
                if objects.contains(&l.object) {
                    out.push((*l, c));
                }
            } else if let Some((object, version, _, bits)) = contents(e, n)
                && (e.heap.origin(version).is_some() || objects.contains(&object))
                && let Some(ty) = integer(e, kernel, bits)
            {
                out.push((
                    ExchangedNumber {
                        object,
                        bits,
                        ty: (kernel, ty),
                        counts: false,
                        adds: None,
                        place: None,
                        order: 0,
                        barriers: 0,
                    },
                    c,
                ));
            }
        }
    }
    out
}

/// Returns the integer type of a width in a function's module.
fn integer(e: &Executor<'_>, f: FuncRef, bits: u32) -> Option<TypeId> {
    let at = e.program.module(f.module).types.iter().position(|t| matches!(t.kind, TypeKind::Int(b) if b == bits))?;
    u32::try_from(at).ok().map(TypeId)
}
