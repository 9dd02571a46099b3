//! Functions of CUDA's headers that stand for one machine operation.

use ir::AtomicOp;

/// A function of CUDA's headers that performs one machine operation through its first argument. A call of it is lowered
/// to that operation: the access is the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forwarder {
    Rmw(AtomicOp),
    Cas,
    Load,
}

/// Returns the operation with this name for the type of its value.
pub(super) fn operation(op: &str, unsigned: bool, float: bool) -> Option<Forwarder> {
    Some(Forwarder::Rmw(match op {
        "cas" => return Some(Forwarder::Cas),
        "add" if float => AtomicOp::FAdd,
        "add" => AtomicOp::Add,
        "sub" => AtomicOp::Sub,
        "min" if unsigned => AtomicOp::UMin,
        "max" if unsigned => AtomicOp::UMax,
        "min" => AtomicOp::Min,
        "max" => AtomicOp::Max,
        "xchg" | "exch" => AtomicOp::Xchg,
        "and" => AtomicOp::And,
        "or" => AtomicOp::Or,
        "xor" => AtomicOp::Xor,
        "inc" => AtomicOp::UIncWrap,
        "dec" => AtomicOp::UDecWrap,
        _ => return None,
    }))
}
