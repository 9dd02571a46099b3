//! Lists, trees and hash tables of libstdc++: the library functions that its templates call, on the layout of its
//! nodes.

use super::arguments::{arg, read, write};
use crate::machine::call::ModelResult;
use crate::machine::call::{Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val};

/// Reads the word at an offset of a node.
fn field(m: &mut Machine<'_>, th: &Thread, node: Val, off: u64) -> Result<Val, ThreadStop> {
    read(m, th, Val { bits: node.bits + off, ..node }, 64)
}
fn set(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, node: Val, off: u64, v: Val) -> Result<(), ThreadStop> {
    write(m, th, call, Val { bits: node.bits + off, ..node }, 64, v)
}

/// Inserts a list node before a position. A node has its next pointer at offset 0 and its previous pointer at 8.
pub(super) fn list_hook(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let (node, position) = (arg(a, 0), arg(a, 1));
    let previous = field(m, th, position, 8)?;
    set(m, th, call, node, 0, position)?;
    set(m, th, call, node, 8, previous)?;
    set(m, th, call, previous, 0, node)?;
    set(m, th, call, position, 8, node)?;
    Ok(Ret::Void)
}

pub(super) fn list_unhook(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let (next, previous) = (field(m, th, arg(a, 0), 0)?, field(m, th, arg(a, 0), 8)?);
    set(m, th, call, previous, 0, next)?;
    set(m, th, call, next, 8, previous)?;
    Ok(Ret::Void)
}

const PARENT: u64 = 8;
const LEFT: u64 = 16;
const RIGHT: u64 = 24;

/// Inserts into a search tree without balancing it: only the order is observable.
pub(super) fn tree_insert(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let (left, x, p, header) = (arg(a, 0), arg(a, 1), arg(a, 2), arg(a, 3));
    let Some(left) = left.known() else {
        m.havoc_reachable(th, &[header], left.poison);
        return Ok(Ret::Void);
    };
    set(m, th, call, x, PARENT, p)?;
    set(m, th, call, x, LEFT, Val::ZERO)?;
    set(m, th, call, x, RIGHT, Val::ZERO)?;
    // Black: only the header is red, by which `decrement` recognises it.
    write(m, th, call, x, 32, Val::new(1))?;
    if left & 1 == 1 {
        set(m, th, call, p, LEFT, x)?;
        if p == header {
            set(m, th, call, header, PARENT, x)?;
            set(m, th, call, header, RIGHT, x)?;
        } else if field(m, th, header, LEFT)? == p {
            set(m, th, call, header, LEFT, x)?;
        }
    } else {
        set(m, th, call, p, RIGHT, x)?;
        if field(m, th, header, RIGHT)? == p {
            set(m, th, call, header, RIGHT, x)?;
        }
    }
    Ok(Ret::Void)
}

/// Next node in one direction; `toward` and `away` are the offsets of the child pointers.
fn tree_step(m: &mut Machine<'_>, th: &Thread, node: Val, toward: u64, away: u64) -> Result<Val, ThreadStop> {
    let mut x = node;
    let child = field(m, th, x, toward)?;
    if child != Val::ZERO {
        x = child;
        for _ in 0..1 << 20 {
            let c = field(m, th, x, away)?;
            if c == Val::ZERO || c.is_poison() {
                return Ok(if c.is_poison() { c } else { x });
            }
            x = c;
        }
        return Ok(Val::poison(Reason::OPEN));
    }
    let mut y = field(m, th, x, PARENT)?;
    for _ in 0..1 << 20 {
        if y.is_poison() {
            return Ok(y);
        }
        if field(m, th, y, toward)? != x {
            break;
        }
        x = y;
        y = field(m, th, y, PARENT)?;
    }
    Ok(if field(m, th, x, toward)? == y { x } else { y })
}

pub(super) fn tree_next(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    tree_step(m, th, arg(a, 0), RIGHT, LEFT).map(Ret::Val)
}

pub(super) fn tree_previous(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let x = arg(a, 0);
    // From the end, which is the header, the previous node is the rightmost one.
    let red = read(m, th, x, 32)? == Val::ZERO;
    let parent = field(m, th, x, PARENT)?;
    if red && field(m, th, parent, PARENT)? == x {
        return field(m, th, x, RIGHT).map(Ret::Val);
    }
    tree_step(m, th, x, LEFT, RIGHT).map(Ret::Val)
}

fn next_prime(n: u64) -> u64 {
    let prime = |n: u64| n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    (n.max(2)..).find(|n| prime(*n)).unwrap_or(n)
}

/// Computes the next number of buckets. The policy holds the largest load factor at offset 0 and the growth threshold
/// at 8.
pub(super) fn next_buckets(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let (policy, n) = (arg(a, 0), arg(a, 1));
    let Some(want) = n.known().filter(|n| *n < 1 << 32) else { return Ok(Ret::Val(Val::poison(n.poison))) };
    let p = next_prime(want);
    set(m, th, call, policy, 8, Val::new(p))?;
    Ok(Ret::Val(Val::new(p)))
}

pub(super) fn need_rehash(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let (policy, buckets, elements, more) = (arg(a, 0), arg(a, 1), arg(a, 2), arg(a, 3));
    let limit = field(m, th, policy, 8)?;
    let (Some(b), Some(e), Some(k), Some(limit)) = (buckets.known(), elements.known(), more.known(), limit.known())
    else {
        let why = [buckets, elements, more, limit].iter().map(|v| v.poison).find(|r| r.is_some()).unwrap_or_default();
        return Ok(Ret::Many(vec![Val::poison(why); 2]));
    };
    if e + k <= limit {
        return Ok(Ret::Many(vec![Val::ZERO, Val::ZERO]));
    }
    let least = (e + k).max(if limit == 0 { 11 } else { 0 });
    if least >= b {
        let p = next_prime((least + 1).max(2 * b));
        set(m, th, call, policy, 8, Val::new(p))?;
        return Ok(Ret::Many(vec![Val::new(1), Val::new(p)]));
    }
    set(m, th, call, policy, 8, Val::new(b))?;
    Ok(Ret::Many(vec![Val::ZERO, Val::ZERO]))
}

#[cfg(test)]
mod tests {
    use super::next_prime;

    #[test]
    fn tables_grow_to_primes() {
        assert_eq!(next_prime(12), 13);
    }
}
