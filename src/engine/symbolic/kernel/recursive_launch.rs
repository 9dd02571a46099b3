//! Kernels that come to launch themselves (dynamic parallelism): one launch that stands for those of every depth.
//!
//! In: a launch, and one of the same kernel that its threads lead to. Out: a launch with what both have in common, and all else unknown.
//! If the launches that this one makes have the same in common, it stands for all: an invariant of the recursion, as of a loop.

use super::launch::{MAX_BLOCK, MAX_GRID, MAX_SHARED};
use crate::symbolic::exec::events::LaunchEvent;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjKind, ObjState, Object, UncoveredContents};
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, TermId};
use base::reasons::UnknownReason;
use ir::FuncRef;
use std::rc::Rc;

const WHY: UnknownReason = UnknownReason::LaunchedByItself;

/// Part of an argument that is the same in the launches of every depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommonArgument {
    Same,
    /// Objects to which it points, or nothing.
    Open,
    /// Members of a structure that is passed by value, which is a new object at each launch.
    Members,
}

/// Launch that stands for those of every depth.
#[derive(Clone, Debug)]
pub struct RecursiveLaunch {
    pub launch: LaunchEvent,
    common: Vec<CommonArgument>,
    open_configuration: [bool; 7],
    /// Offsets of pointers that stand for any.
    open_offsets: Vec<TermId>,
}

impl RecursiveLaunch {
    /// Whether it also stands for another launch. `known`: this launch with the values that its path decides.
    #[must_use]
    pub fn covers(&self, known: &LaunchEvent, other: &LaunchEvent) -> bool {
        let (own, numbers) = (configuration(known), configuration(other));
        let is_configuration = (0..7).all(|i| self.open_configuration[i] || own[i] == numbers[i]);
        is_configuration
            && known.args.len() == other.args.len()
            && self.common.iter().zip(known.args.iter().zip(&other.args)).all(|(common, (x, y))| match common {
                CommonArgument::Same => is_same(x, y),
                CommonArgument::Open => !matches!(x, Value::Ptr(_)) || self.stands_for(x, y),
                CommonArgument::Members => match (structure(x, known), structure(y, other)) {
                    (Some(x), Some(y)) => x.cells.iter().all(|(at, (size, x))| {
                        y.cells.get(at).is_some_and(|(other, y)| size == other && self.stands_for(x, y))
                    }),
                    _ => false,
                },
            })
    }

    /// Whether a value stands for another one: a pointer for those to the same objects, at the same offset or where its own is open.
    fn stands_for(&self, value: &Value, other: &Value) -> bool {
        let is_at = |x: &GuardedTarget, y: &GuardedTarget| {
            x.base == y.base && (x.offset == y.offset || self.open_offsets.contains(&x.offset))
        };
        match (value, other) {
            (Value::Ptr(x), Value::Ptr(y)) => y.iter().all(|y| x.iter().any(|x| is_at(x, y))),
            _ => value == other,
        }
    }
}

/// Returns the contents of a structure that is passed by value.
fn structure<'l>(v: &Value, launch: &'l LaunchEvent) -> Option<&'l Rc<ObjState>> {
    let Value::Ptr(targets) = v else { return None };
    let [GuardedTarget { base: Base::Object(o), .. }] = targets.as_slice() else { return None };
    launch.memory.get(o)
}

fn configuration(l: &LaunchEvent) -> [TermId; 7] {
    let ([gx, gy, gz], [bx, by, bz]) = (l.config.grid, l.config.block);
    [gx, gy, gz, bx, by, bz, l.config.shared]
}

/// Whether two arguments are the same: pointers to the same places, whatever the conditions of the path.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Ptr(a), Value::Ptr(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| (&a.base, a.offset) == (&b.base, b.offset))
        }
        _ => a == b,
    }
}

impl MemoryDomain<'_> {
    /// Returns a launch with what two launches of a kernel have in common. Its conditions are those of the first, which leads to the other.
    pub fn of_every_depth(&mut self, first: &LaunchEvent, next: &LaunchEvent) -> RecursiveLaunch {
        let (one, other) = (configuration(first), configuration(next));
        let most = [MAX_GRID, MAX_BLOCK].concat();
        let open_configuration = std::array::from_fn(|i| one[i] != other[i]);
        let numbers: [TermId; 7] = std::array::from_fn(|i| {
            if !open_configuration[i] {
                return other[i];
            }
            let (least, most) = most.get(i).map_or((0, MAX_SHARED), |most| (1, *most));
            let most = self.most_launched(most);
            self.arena.fresh(SymKind::Unknown { reason: WHY }, "?", Interval::new(least, most))
        });
        let mut launch = LaunchEvent { path: first.path, always: first.always.clone(), ..next.clone() };
        let [gx, gy, gz, bx, by, bz, shared] = numbers;
        (launch.config.grid, launch.config.block, launch.config.shared) = ([gx, gy, gz], [bx, by, bz], shared);
        let (mut common, mut open_offsets) = (vec![CommonArgument::Same; next.args.len()], vec![]);
        if let Ok(kernel) = next.kernel {
            for (i, common) in common.iter_mut().enumerate() {
                let (a, b) = (&first.args[i], &next.args[i]);
                if self.function(kernel).params[i].byval.is_some() {
                    *common = CommonArgument::Members;
                    let members = self.common_members(structure(a, first), structure(b, next), &mut open_offsets);
                    launch.args[i] = self.structure_of(kernel, i, members, &mut launch);
                } else if !is_same(a, b) {
                    *common = CommonArgument::Open;
                    let (m, ty) = (self.module(kernel), self.function(kernel).params[i].ty);
                    let pointer = self.either_pointer(a, b, &mut open_offsets);
                    launch.args[i] = pointer.unwrap_or_else(|| self.unknown_of(m, ty, &WHY));
                }
            }
        }
        RecursiveLaunch { launch, common, open_configuration, open_offsets }
    }

    /// Returns a new object for a structure that is passed by value.
    fn structure_of(&mut self, kernel: FuncRef, i: usize, contents: ObjState, launch: &mut LaunchEvent) -> Value {
        let p = &self.function(kernel).params[i];
        let extent = p.byval.map(|ty| self.module(kernel).size_of(ty));
        let (extent, name) = (extent.map(|bytes| self.arena.int(i128::from(bytes))), p.name.clone());
        let o = self.heap.add(Object {
            kind: ObjKind::DeviceLocal,
            name,
            extent,
            site: None,
            func: Some(kernel),
            array: false,
        });
        launch.memory.insert(o, Rc::new(contents));
        self.pointer(o, 0)
    }

    /// Returns contents with the members that two structures have in common; the others are unknown.
    fn common_members(
        &mut self,
        a: Option<&Rc<ObjState>>,
        b: Option<&Rc<ObjState>>,
        open_offsets: &mut Vec<TermId>,
    ) -> ObjState {
        let version = self.heap.next_version();
        let mut out = ObjState::new(UncoveredContents::Unknown { version, input: false, reason: Rc::new(WHY) });
        let (Some(a), Some(b)) = (a, b) else { return out };
        for (at, (size, x)) in &a.cells {
            let Some((_, y)) = b.cells.get(at).filter(|(other, _)| size == other) else { continue };
            let either = if is_same(x, y) { Some(x.clone()) } else { self.either_pointer(x, y, open_offsets) };
            if let Some(v) = either {
                out.cells.insert(*at, (*size, v));
            }
        }
        out
    }

    /// Returns a pointer to one of the objects to which two pointers lead, at their offset where it is one constant.
    fn either_pointer(&mut self, a: &Value, b: &Value, open_offsets: &mut Vec<TermId>) -> Option<Value> {
        let (Value::Ptr(a), Value::Ptr(b)) = (a, b) else { return None };
        let all = || a.iter().chain(b.iter());
        if all().any(|t| matches!(t.base, Base::Unknown(_))) {
            return None;
        }
        let mut bases: Vec<(Base, Option<i64>)> = vec![];
        for t in all() {
            let at = self.arena.as_int(t.offset).and_then(|at| i64::try_from(at).ok());
            match bases.iter_mut().find(|(base, _)| *base == t.base) {
                Some((_, known)) if *known != at => *known = None,
                Some(_) => {}
                None => bases.push((t.base.clone(), at)),
            }
        }
        bases.sort();
        let either = self.pointer_to(&bases);
        if let Value::Ptr(targets) = &either {
            open_offsets.extend(targets.iter().zip(&bases).filter(|(_, (_, at))| at.is_none()).map(|(t, _)| t.offset));
        }
        Some(either)
    }
}
