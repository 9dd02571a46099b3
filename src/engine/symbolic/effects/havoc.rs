//! Havoc of calls that are neither followed nor modelled: which objects they can reach and write.
//!
//! In: a state and the arguments. Out: the state in which all reachable memory is unknown;
//! [`crate::symbolic::pointers::points_to::PointsTo`] records which addresses such a call may have stored there. If an
//! object of the C++ library is a member of another object, only the member is written.

use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::object::{ObjId, ObjKind, UncoveredContents};
use crate::symbolic::memory::value::is_known;
use crate::symbolic::memory::value::{Base, GuardedTarget, UnknownPointer, Value};
use crate::symbolic::pointers::reached::ReachedObjects;
use base::reasons::UnknownReason;
use ir::Side;

/// Maximum number of bytes of a [`WrittenPart`] that is havocked alone.
const MAX_PART: u64 = 1 << 14;

/// Part of an object that a call writes: `bytes` bytes from the argument's target on; 0 if the size is unknown. If
/// `linked`, another object may store the address of this one.
#[derive(Clone, Copy, Debug, Default)]
pub struct WrittenPart {
    pub bytes: u64,
    pub linked: bool,
}

impl MemoryDomain<'_> {
    /// Whether an object has ended: a variable of a function that has returned; for the host also what a kernel had
    /// for itself.
    pub(in crate::symbolic) fn has_ended(&self, s: &State, o: ObjId) -> bool {
        match self.object(o).kind {
            ObjKind::HostLocal => !s.mem.contains_key(&o),
            ObjKind::DeviceLocal | ObjKind::SharedStatic(_) | ObjKind::SharedDynamic => self.side == Side::Host,
            _ => false,
        }
    }
}

impl ExecutionContext<'_> {
    /// Returns the objects that a call with these arguments can reach, in order.
    pub fn reached_from(&mut self, s: &State, args: &[Value]) -> Vec<ObjId> {
        let mut first: Vec<ObjId> = vec![];
        for a in args {
            self.collect_objects(a, &mut first);
        }
        let mut reached = ReachedObjects::among(self.heap.len());
        reached.add(first);
        while self.reach_on(s, &mut reached).is_some() {}
        let mut reached = reached.in_order();
        self.limits.walk(reached.len());
        reached.retain(|o| !self.has_ended(s, *o));
        reached
    }

    /// Havocs everything that a call with these arguments can write. The call may store any reachable address in any
    /// reachable object, and may return it.
    pub fn clobber(&mut self, s: &mut State, args: &[Value], reason: &UnknownReason) {
        self.note_lost_writes(args);
        let reached = self.reached_from(s, args);
        if self.side == Side::Host {
            self.points_to.mix(&reached);
        }
        for o in reached {
            if self.side == Side::Device && !matches!(self.object(o).kind, ObjKind::DeviceLocal) {
                self.kernel.written.add_all(o);
                self.kernel.written_otherwise.insert(o);
                continue;
            }
            if let ObjKind::HostGlobal(r) = self.object(o).kind
                && let Some(variable) = self.heap.named_by(r)
            {
                self.lose_by_name(s, &[variable], reason);
            }
            // A library that gets the address of device memory may write there, by a copy or a kernel of its own.
            if self.read_only(o) && !self.is_of_device(o) {
                continue;
            }
            self.havoc(s, o, reason, false);
        }
    }

    /// Havocs like [`Self::clobber`], but of each argument's object only the bytes in `parts`, and what they lead to;
    /// a size of 0 is unknown. The first argument's object may store the addresses of the `linked` ones.
    pub fn havoc_parts(&mut self, s: &mut State, args: &[Value], parts: &[WrittenPart], reason: &UnknownReason) {
        let (mut from, mut linked) = (vec![], vec![]);
        let (mut written, mut first) = (vec![], false);
        for (i, a) in args.iter().enumerate() {
            let part = parts.get(i).copied().unwrap_or_default();
            match self.part(s, a, part.bytes) {
                Some((o, at)) => {
                    written.push((o, at, part.bytes));
                    if part.linked {
                        linked.push((o, at));
                    }
                    first |= i == 0;
                }
                None => from.push(a.clone()),
            }
        }
        // The object of a method stores its other arguments, as does memory in which a call returns its result.
        let mut keepers = vec![];
        for a in &from {
            self.collect_objects(a, &mut keepers);
        }
        for (other, to) in &linked {
            for o in &keepers {
                self.points_to.add_objects(Some(*o), &[*other]);
            }
            let Some((o, at, _)) = written.first().filter(|_| first) else { continue };
            if o != other {
                self.points_to.add_objects(Some(*o), &[*other]);
            } else if at != to {
                self.points_to.add_link(*o, *at, *to);
            }
        }
        let parts = written;
        for (o, at, size) in &parts {
            for v in self.held_in_part(s, *o, *at, *size) {
                from.push(v);
            }
        }
        let reached = self.reached_from(s, &from);
        self.clobber(s, &from, reason);
        for (o, at, size) in parts {
            if reached.contains(&o) {
                continue;
            }
            self.points_to.add_objects(Some(o), &reached);
            let here = self.pointer(o, i128::from(at));
            let here = self.as_pointer(&here);
            self.store(s, &here, Value::unknown(reason.clone()), size);
        }
    }

    /// Returns the object and the byte offset that an argument points to, if there is exactly one and it lies in
    /// cells.
    fn part(&mut self, s: &mut State, v: &Value, size: u64) -> Option<(ObjId, i64)> {
        let Value::Ptr(p) = v else { return None };
        let [GuardedTarget { base: Base::Object(o), offset, .. }] = p.as_slice() else { return None };
        if size == 0
            || size > MAX_PART
            || self.side == Side::Device
            || !matches!(self.object(*o).kind, ObjKind::HostLocal | ObjKind::HostHeap | ObjKind::HostGlobal(_))
        {
            return None;
        }
        let at = self.arena.as_int(*offset).and_then(|at| i64::try_from(at).ok())?;
        self.ensure(s, *o);
        Some((*o, at))
    }
}

impl MemoryDomain<'_> {
    /// Returns the pointers that part of an object may contain.
    fn held_in_part(&mut self, s: &State, o: ObjId, at: i64, size: u64) -> Vec<Value> {
        let Some(st) = s.mem.get(&o) else { return vec![] };
        let (end, mut covered) = (at.saturating_add_unsigned(size), 0);
        let cells: Vec<Value> = st
            .overlapping(at, end)
            .map(|(from, n, v)| {
                covered += (from + i64::from(n)).min(end) - from.max(at);
                v.clone()
            })
            .collect();
        let known = cells.iter().all(is_known)
            && (covered == end - at || matches!(st.rest, UncoveredContents::Uninit | UncoveredContents::Zero));
        // Pointers from the part into itself reach nothing else.
        let leads_on = |v: &Value| !matches!(v, Value::Ptr(p) if p.iter().all(|t| t.base == Base::Object(o) && self.arena.as_int(t.offset).is_some_and(|to| (i128::from(at)..i128::from(end)).contains(&to))));
        if known {
            return cells.into_iter().filter(leads_on).collect();
        }
        let mut there = vec![];
        self.held(s, o, &mut there);
        if self.points_to.leads_to_itself_only(o, at..end) {
            there.retain(|x| *x != o);
        }
        cells.into_iter().chain(there.into_iter().map(|o| self.pointer(o, 0))).collect()
    }

    /// Records in a kernel that it may write anywhere if one of these arguments is an unknown pointer.
    pub(in crate::symbolic) fn note_lost_writes(&mut self, args: &[Value]) {
        self.kernel.written_anywhere |= self.side == Side::Device && args.iter().any(|a| matches!(a, Value::Ptr(p) if p.iter().any(|t| matches!(t.base, Base::Unknown(UnknownPointer { unset: false, .. })))));
    }

    /// Havocs variables that skipped code may name: it may write them now or later.
    pub fn lose_by_name(&mut self, s: &mut State, variables: &[ObjId], reason: &UnknownReason) {
        self.points_to.add_objects(None, variables);
        for o in variables {
            self.havoc(s, *o, reason, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::symbolic::exec::executor::Executor;
    use crate::symbolic::exec::library::NoLibrary;
    use crate::symbolic::exec::state::State;
    use crate::symbolic::memory::object::{ObjId, ObjKind, Object};
    use crate::symbolic::memory::value::Value;
    use base::reasons::UnknownReason;
    use base::work::{Work, cost, done};
    use ir::Program;

    /// Returns `blocks` blocks with unknown contents, each of which may contain the address of any other.
    fn mixed(e: &mut Executor<'_>, s: &mut State, blocks: u32) -> Vec<ObjId> {
        let one = || Object {
            kind: ObjKind::HostHeap,
            name: String::new(),
            extent: None,
            site: None,
            func: None,
            array: true,
        };
        let all: Vec<ObjId> = (0..blocks).map(|_| e.heap.add(one())).collect();
        for o in &all {
            e.blank(s, *o, &UnknownReason::Parameter, false);
        }
        e.points_to.mix(&all);
        all
    }

    #[test]
    fn what_may_be_anywhere_is_passed_once_for_all_objects() {
        let program = Program::default();
        let mut e = Executor::new(&program, &NoLibrary);
        let mut s = e.initial_state();
        let all = mixed(&mut e, &mut s, 2000);
        let args: Vec<Value> = vec![e.pointer(all[7], 0)];
        let before = done();
        let reached = e.reached_from(&s, &args);
        let work = done() - before;
        assert_eq!(reached, all);
        // Each object is visited among the others, and expanded once.
        let each = Work::units(2000 * cost::OBJECT);
        assert!(work >= each * 2 && work < each * 4, "{work:?}");
    }
}
