//! Collective operations of CUB in a block (CCCL 3.3, CUB API).
//!
//! Their bodies are executed like any code: they access shared memory, and pass barriers. In: such a call and the state
//! behind its body. Out: the state in which its results have the bounds that the documentation gives, since these follow
//! from what all threads exchange.

use base::reasons::UnknownReason;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::LibraryCall;
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::memory::object::ObjKind;
use engine::symbolic::memory::value::{Base, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymId, SymKind, Term, TermId};
use models::row::{MatchKind, NameKey};

/// Prefix sums of one number of each thread, with `T input, T& output` and perhaps `T& aggregate`. Part of the
/// demangled name.
const SCAN: &str = "::BlockScan<";

/// Integers whose sums are followed, with their widths in bits.
const NUMBERS: &[(&str, u32)] =
    &[("int", 32), ("unsigned int", 32), ("long", 64), ("unsigned long", 64), ("long long", 64)];

/// Returns the names of the functions whose results get bounds.
pub(super) fn keys() -> impl Iterator<Item = NameKey> {
    std::iter::once(NameKey::new(MatchKind::DemangledPart, SCAN))
}

/// A prefix sum over the threads of a block.
#[derive(Debug, PartialEq, Eq)]
struct BlockSum {
    inclusive: bool,
    bits: u32,
    block: [i128; 3],
    aggregate: bool,
}

impl BlockSum {
    /// Reads a demangled name.
    fn of(display: &str) -> Option<Self> {
        let (before, rest) = display.split_once(SCAN)?;
        if !before.starts_with("cub::") || before.contains('<') {
            return None;
        }
        let (arguments, member) = rest.split_once(">::")?;
        let arguments: Vec<&str> = arguments.split(", ").collect();
        let [number, x, _, y, z] = arguments[..] else { return None };
        let bits = NUMBERS.iter().find(|(n, _)| *n == number)?.1;
        let block = [x.parse().ok()?, y.parse().ok()?, z.parse().ok()?];
        let (name, parameters) = member.split_once('(')?;
        let reference = format!("{number}&");
        let aggregate = match parameters.strip_suffix(')')?.split(", ").collect::<Vec<_>>()[..] {
            [n, out] if n == number && out == reference => false,
            [n, out, all] if n == number && out == reference && all == reference => true,
            _ => return None,
        };
        let inclusive = match name {
            "InclusiveSum" => true,
            "ExclusiveSum" => false,
            _ => return None,
        };
        Some(Self { inclusive, bits, block, aggregate })
    }
}

/// Bounds the results of a call whose body was executed, and returns whether it did; `before` is the path to it.
pub(crate) fn bound_results(e: &mut Executor<'_>, c: &LibraryCall<'_>, before: TermId, s: &mut State) -> bool {
    if !c.display.contains(SCAN) {
        return false;
    }
    let Some(sum) = BlockSum::of(c.display) else { return false };
    let threads: i128 = sum.block.iter().product();
    let Some(Value::Int(input)) = c.args.get(1).cloned() else { return false };
    let range = e.arena.range(input);
    let (Some(least), Some(most)) = (range.lo, range.hi) else { return false };
    // Numbers that are never negative, so that no sum of some of them is greater than that of all.
    let all = most.checked_mul(threads);
    let fits = |all: &i128| *all < 1 << (sum.bits - 1);
    let (Some(all), true) = (all.filter(fits), least >= 0 && is_of_whole_block(e, before, sum.block)) else {
        return false;
    };
    let own = if sum.inclusive { Interval::new(least, all) } else { Interval::new(0, all - most) };
    bound(e, s, c, 2, (own, sum.bits));
    if sum.aggregate {
        bound(e, s, c, 3, (Interval::new(least * threads, all), sum.bits));
    }
    true
}

/// Gives a variable of the thread, which an argument refers to, any value of an interval.
fn bound(e: &mut ExecutionContext<'_>, s: &mut State, c: &LibraryCall<'_>, i: usize, (range, bits): (Interval, u32)) {
    let Some(v) = c.args.get(i).cloned() else { return };
    let p = e.as_pointer(&v);
    let [target] = p.as_slice() else { return };
    let Base::Object(o) = target.base else { return };
    if e.object(o).kind == ObjKind::DeviceLocal {
        let reason = UnknownReason::ResultOf("cub::BlockScan".to_owned());
        let any = e.arena.fresh(SymKind::Unknown { reason }, "?", range);
        e.store_value(s, &p, Value::Int(any), u64::from(bits / 8));
    }
}

/// Whether all threads of a block of this shape come here on this path: its conditions differ in no two of them.
fn is_of_whole_block(e: &mut MemoryDomain<'_>, path: TermId, shape: [i128; 3]) -> bool {
    let Some(thread) = e.kernel.thread.clone() else { return false };
    if thread.block.iter().zip(shape).any(|(b, n)| e.arena.as_int(*b) != Some(n)) {
        return false;
    }
    let symbol = |t: &TermId| if let Term::Sym(s) = e.arena.get(*t) { Some(*s) } else { None };
    let Some(first) = thread.tid.iter().chain(&thread.bid).filter_map(symbol).min() else { return false };
    let in_block: Vec<TermId> =
        thread.tid.iter().zip(&thread.block).map(|(t, b)| (*t, *b)).map(|(t, b)| e.arena.lt(t, b)).collect();
    let differs = |e: &MemoryDomain<'_>, s: SymId| {
        s >= first && !matches!(e.arena.symbol(s).kind, SymKind::Block(_) | SymKind::Iteration { .. })
    };
    let conditions = e.arena.conjuncts(path);
    conditions.into_iter().all(|c| {
        in_block.contains(&c)
            || !e.arena.symbols_of(&[c]).into_iter().any(|s| differs(e, s))
                && !e.arena.cone(&[c]).into_iter().any(|t| matches!(e.arena.get(t), Term::Apply { .. }))
    })
}

#[cfg(test)]
mod tests {
    use super::BlockSum;

    #[test]
    fn names_of_scans_are_read() {
        let scan = |of: &str, member: &str| {
            let class = format!("cub::_V_1::BlockScan<{of}, 64, (cub::_V_1::BlockScanAlgorithm)0, 2, 1>");
            BlockSum::of(&format!("{class}::{member}"))
        };
        let sum = |inclusive, bits, aggregate| Some(BlockSum { inclusive, bits, block: [64, 2, 1], aggregate });
        assert_eq!(scan("int", "ExclusiveSum(int, int&)"), sum(false, 32, false));
        assert_eq!(scan("long", "InclusiveSum(long, long&, long&)"), sum(true, 64, true));
        assert_eq!(scan("float", "ExclusiveSum(float, float&)"), None);
        assert_eq!(scan("int", "ExclusiveSum(int, int&, Prefix&)"), None);
        assert_eq!(scan("int", "ExclusiveScan(int, int&, int)"), None);
        assert_eq!(BlockSum::of("mine::BlockScan<int, 64, 0, 1, 1>::ExclusiveSum(int, int&)"), None);
    }
}
