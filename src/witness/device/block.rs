//! Executes the threads of one block: each runs until it waits, then barriers and warp operations release it.

use crate::api::UndecidedReason;
use crate::machine::arith;
use crate::machine::call::{Shuffle, ThreadStop, Wait, WarpOp};
use crate::machine::interp::Pause;
use crate::machine::state::Machine;
use crate::machine::thread::{CurrentLaunch, Thread, ThreadPosition};
use crate::machine::value::{Reason, Val, mask};
use crate::memory::store::Fill;
use ir::FuncRef;

/// A kernel and the arguments of its launch.
#[derive(Clone)]
pub struct KernelCall {
    pub kernel: FuncRef,
    pub values: Vec<Val>,
    pub shared: u64,
}

/// How a block or a thread ended.
#[derive(Debug, PartialEq)]
pub enum BlockEnd {
    All,
    /// A thread could not continue, with the reason.
    Stuck(UndecidedReason),
}

enum ThreadState {
    Ready,
    Waits(Wait),
    Done,
    Stuck,
}

/// Lanes per warp.
const WARP: usize = 32;

impl Machine<'_> {
    /// Resets shared memory to its state at the start of a block.
    fn fresh_shared(&mut self, bytes: u64, content: Reason) {
        let id = self.dynamic_shared_object();
        for o in &mut self.mem.shared {
            o.store.fill_all(Fill::Poison(content));
        }
        let mut host = crate::memory::space::Stack::host();
        if let Some(o) = self.mem.get_mut(&mut host, id) {
            o.size = bytes;
            o.store = crate::memory::store::ObjectBytes::new(bytes, Fill::Poison(content));
        }
    }

    /// Runs one thread without the other threads of its block.
    pub fn run_alone(&mut self, args: &KernelCall, place: ThreadPosition) -> Result<BlockEnd, ThreadStop> {
        self.fresh_shared(args.shared, Reason::OTHERS);
        let mut th = Thread::device(place, true);
        self.enter(&mut th, args.kernel, &args.values, 0, 0)?;
        loop {
            match self.run(&mut th, 0) {
                Ok(Pause::Returned(_)) | Err(ThreadStop::Ended(_)) => return Ok(BlockEnd::All),
                Err(ThreadStop::Unknown(why)) => return Ok(BlockEnd::Stuck(why)),
                Err(stop) => return Err(stop),
                Ok(Pause::Waits(w)) => {
                    th.synced = true;
                    let answer = match w {
                        Wait::Barrier { vote: None, .. } | Wait::Warp { op: WarpOp::Sync, .. } => Vec::new(),
                        _ => vec![Val::poison(Reason::OTHERS); 2],
                    };
                    self.deliver(&mut th, &answer);
                }
            }
        }
    }

    /// Runs all threads of one block.
    pub fn run_block(
        &mut self,
        args: &KernelCall,
        launch: &CurrentLaunch,
        block: [u32; 3],
    ) -> Result<BlockEnd, ThreadStop> {
        self.fresh_shared(args.shared, Reason::UNINIT);
        let [x, y, z] = launch.block;
        let mut threads: Vec<Thread> = Vec::with_capacity((x * y * z) as usize);
        for tz in 0..z {
            for ty in 0..y {
                for tx in 0..x {
                    let mut th = Thread::device(ThreadPosition { block, thread: [tx, ty, tz] }, false);
                    self.enter(&mut th, args.kernel, &args.values, 0, 0)?;
                    threads.push(th);
                }
            }
        }
        let mut states: Vec<ThreadState> = threads.iter().map(|_| ThreadState::Ready).collect();
        let mut stuck: Option<UndecidedReason> = None;
        loop {
            for (th, state) in threads.iter_mut().zip(&mut states) {
                if !matches!(state, ThreadState::Ready) {
                    continue;
                }
                *state = match self.run(th, 0) {
                    Ok(Pause::Returned(_)) | Err(ThreadStop::Ended(_)) => ThreadState::Done,
                    Ok(Pause::Waits(w)) => ThreadState::Waits(w),
                    Err(ThreadStop::Unknown(why)) => {
                        stuck.get_or_insert(why);
                        ThreadState::Stuck
                    }
                    Err(stop) => return Err(stop),
                };
                if matches!(state, ThreadState::Done | ThreadState::Stuck) {
                    // A finished thread needs no registers.
                    th.regs = Vec::new();
                }
            }
            if self.warps(&mut threads, &mut states) {
                continue;
            }
            let waiting = states.iter().any(|s| matches!(s, ThreadState::Waits(_)));
            if !waiting {
                return Ok(stuck.map_or(BlockEnd::All, BlockEnd::Stuck));
            }
            // The effects of a stuck thread before the barrier are unknown.
            if let Some(why) = stuck {
                return Ok(BlockEnd::Stuck(why));
            }
            self.barrier(&mut threads, &mut states);
        }
    }

    /// Releases the threads that wait at a barrier; finished threads count as arrived.
    fn barrier(&mut self, threads: &mut [Thread], states: &mut [ThreadState]) {
        // Releases different barriers of a block in the order of their numbers.
        let first = states
            .iter()
            .filter_map(|s| match s {
                ThreadState::Waits(Wait::Barrier { id, .. }) => Some(*id),
                _ => None,
            })
            .min();
        let at = |s: &ThreadState| match s {
            ThreadState::Waits(Wait::Barrier { id, vote }) if Some(*id) == first => Some(*vote),
            _ => None,
        };
        let preds: Vec<Val> = states.iter().filter_map(at).flatten().map(|v| v.1).collect();
        let unknown = preds.iter().find(|p| p.is_poison()).map(|p| p.poison);
        let known: Vec<(u32, bool)> = preds.iter().map(|p| (0, p.bits != 0)).collect();
        for (th, s) in threads.iter_mut().zip(states) {
            let Some(vote) = at(s) else { continue };
            if let Some((kind, _)) = vote {
                let v = unknown.map_or_else(|| Val::new(arith::vote(kind, &known)), Val::poison);
                self.deliver(th, &[v]);
            }
            *s = ThreadState::Ready;
        }
    }

    /// Executes warp operations whose lanes have all arrived; returns whether there was one.
    fn warps(&mut self, threads: &mut [Thread], states: &mut [ThreadState]) -> bool {
        let mut any = false;
        for w in 0..threads.len().div_ceil(WARP) {
            let lanes = w * WARP..threads.len().min((w + 1) * WARP);
            let waits: Vec<(usize, u32, WarpOp)> = lanes
                .clone()
                .filter_map(|i| match states[i] {
                    ThreadState::Waits(Wait::Warp { mask, op }) => Some((i, mask, op)),
                    _ => None,
                })
                .collect();
            let Some(&(_, mask, first)) = waits.first() else { continue };
            // Lanes that wait with the same mask for the same kind of operation form a group.
            let group: Vec<(usize, WarpOp)> = waits
                .iter()
                .filter(|(_, m, op)| *m == mask && std::mem::discriminant(op) == std::mem::discriminant(&first))
                .map(|(i, _, op)| (*i, *op))
                .collect();
            let absent = lanes.clone().any(|i| matches!(states[i], ThreadState::Stuck) && mask >> (i % WARP) & 1 == 1);
            let results = exchange(&group, absent);
            for ((i, _), values) in group.iter().zip(results) {
                self.deliver(&mut threads[*i], &values);
                states[*i] = ThreadState::Ready;
            }
            any = true;
        }
        any
    }
}

/// Values that the lanes of a warp operation receive. `absent`: a lane of the mask is stuck.
fn exchange(group: &[(usize, WarpOp)], absent: bool) -> Vec<Vec<Val>> {
    let lane_of = |i: usize| (i % WARP) as u32;
    let unknown = Val::poison(Reason::OTHERS);
    group
        .iter()
        .map(|(me, op)| match op {
            WarpOp::Sync => Vec::new(),
            WarpOp::Shuffle { kind, value, lane, clamp, pair } => {
                let (Some(b), Some(c)) = (lane.known(), clamp.known()) else {
                    return vec![Val::poison(if lane.is_poison() { lane.poison } else { clamp.poison }); 2];
                };
                let (source, inside) = source_lane(*kind, lane_of(*me), b as u32 & 31, c as u32);
                let from = if inside { source } else { lane_of(*me) };
                let sent = group.iter().find(|(i, _)| lane_of(*i) == from).map(|(_, o)| match o {
                    WarpOp::Shuffle { value, .. } => *value,
                    _ => unknown,
                });
                // The value of a lane that does not take part is undefined.
                let v = sent.unwrap_or(unknown);
                let v = if inside { v } else { *value };
                if *pair { vec![v, Val::new(u64::from(inside))] } else { vec![v] }
            }
            WarpOp::Vote { vote, .. } => {
                let mut preds = Vec::new();
                for (i, o) in group {
                    if let WarpOp::Vote { pred, .. } = o {
                        if pred.is_poison() {
                            return vec![Val::poison(pred.poison)];
                        }
                        preds.push((lane_of(*i), pred.bits != 0));
                    }
                }
                if absent {
                    return vec![unknown];
                }
                vec![Val::new(arith::vote(*vote, &preds) & mask(32))]
            }
            WarpOp::MatchAny { value } => {
                let mut m = 0;
                for (i, o) in group {
                    if let WarpOp::MatchAny { value: other } = o {
                        if other.is_poison() || value.is_poison() || absent {
                            return vec![unknown];
                        }
                        if other.bits == value.bits {
                            m |= 1 << lane_of(*i);
                        }
                    }
                }
                vec![Val::new(m)]
            }
            WarpOp::Reduce { op, value } => {
                let mut total: Option<u64> = None;
                for (_, o) in group {
                    if let WarpOp::Reduce { value: v, .. } = o {
                        let Some(b) = v.known().filter(|_| !absent) else {
                            return vec![if v.is_poison() { Val::poison(v.poison) } else { unknown }];
                        };
                        total = Some(total.map_or(b, |t| arith::reduce(*op, t, b)));
                    }
                }
                vec![total.map_or(*value, Val::new)]
            }
        })
        .collect()
}

/// PTX `shfl`: the source lane and whether it is within the segment. `c` holds the clamp and, from bit 8, the segment
/// mask.
const fn source_lane(kind: Shuffle, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (clamp, segment) = (c & 31, c >> 8 & 31);
    let max = (lane & segment) | (clamp & !segment);
    let min = lane & segment;
    match kind {
        Shuffle::Up => (lane.wrapping_sub(b), lane.wrapping_sub(b) as i32 >= max as i32),
        Shuffle::Down => (lane + b, lane + b <= max),
        Shuffle::Xor => (lane ^ b, lane ^ b <= max),
        Shuffle::Index => {
            let j = min | (b & !segment);
            (j, j <= max)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::call::Vote;

    #[test]
    fn shuffles_read_the_lane_ptx_says() {
        // `__shfl_down_sync(…, 1)` over the whole warp: c = 31; up: c = 0.
        assert_eq!(source_lane(Shuffle::Down, 3, 1, 31), (4, true));
        assert!(!source_lane(Shuffle::Down, 31, 1, 31).1);
        assert_eq!(source_lane(Shuffle::Up, 3, 1, 0), (2, true));
        assert!(!source_lane(Shuffle::Up, 0, 1, 0).1);
        assert_eq!(source_lane(Shuffle::Xor, 5, 4, 31), (1, true));
        assert_eq!(source_lane(Shuffle::Index, 7, 2, 31), (2, true));
        // Width 8: segments of eight lanes, c = (32 - 8) << 8 | 31.
        assert_eq!(source_lane(Shuffle::Index, 13, 2, 24 << 8 | 31), (10, true));
        assert!(!source_lane(Shuffle::Down, 15, 1, 24 << 8 | 31).1);
        assert!(!source_lane(Shuffle::Up, 8, 1, 24 << 8).1);
    }

    #[test]
    fn lanes_exchange_values() {
        let sh = |v: u64| WarpOp::Shuffle {
            kind: Shuffle::Down,
            value: Val::new(v),
            lane: Val::new(1),
            clamp: Val::new(31),
            pair: false,
        };
        let r = exchange(&[(0, sh(10)), (1, sh(11)), (2, sh(12))], false);
        assert_eq!(r[..2], [vec![Val::new(11)], vec![Val::new(12)]]);
        assert!(r[2][0].is_poison(), "lane 3 takes no part");
        let vote = |p: u64| WarpOp::Vote { vote: Vote::Ballot, pred: Val::new(p) };
        assert_eq!(exchange(&[(32, vote(1)), (33, vote(0)), (34, vote(1))], false)[0], vec![Val::new(0b101)]);
        assert!(exchange(&[(0, vote(1))], true)[0][0].is_poison());
    }
}
