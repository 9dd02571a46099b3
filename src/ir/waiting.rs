//! Code that may wait: kernels for what the host does after their launch, host functions for other threads.

use super::{Function, Op, Operand, Program, Side, ValueId};
use rustc_hash::FxHashSet;

/// Whether device code reads memory by volatile or atomic operations, or by inline assembly: a kernel may wait that way for
/// the host, or for later device work.
#[must_use]
pub fn kernels_may_wait(program: &Program) -> bool {
    let mut of_device = program.functions().filter(|(_, m, _)| m.side == Side::Device);
    of_device.any(|(.., f)| {
        let waits = |text: &str| ["ld", "atom", "wait", "bar"].iter().any(|word| text.contains(word));
        reads_again(f, waits)
    })
}

/// Starts of the names of type information of the classes whose virtual functions streams call: what derives from one names it
/// (Itanium C++ ABI, 2.9.5).
const CALLED_BY_STREAMS: &[&str] = &[
    "_ZTISt15basic_streambufI",
    "_ZTINSt6locale5facetE",
    "_ZTISt7num_putI",
    "_ZTISt5ctypeI",
    "_ZTISt8numpunctI",
    "_ZTINSt7__cxx118numpunctI",
    "_ZTISt7codecvtI",
    "_ZTISt9money_putI",
    "_ZTISt8time_putI",
];

/// Function that gives a stream a function to call.
const CALLBACK_OF_STREAM: &str = "_ZNSt8ios_base17register_callback";

/// Whether functions of the program may run where a stream of the C++ library writes: whether it has a class that derives from one of
/// those whose virtual functions streams call, or gives them a function.
#[must_use]
pub fn streams_call_program(program: &Program) -> bool {
    program.globals().any(|g| CALLED_BY_STREAMS.iter().any(|p| g.name.starts_with(p)))
        || program.functions().any(|(.., f)| f.name.starts_with(CALLBACK_OF_STREAM))
}

/// Whether a host function learns of other threads by its own instructions: by volatile or atomic reads, inline assembly, or
/// instructions that are not modelled.
#[must_use]
pub fn learns_of_threads(f: &Function) -> bool {
    let unmodelled = |op: &Op| matches!(op, Op::Other { what, .. } if what != "landingpad");
    reads_again(f, |_| true) || f.blocks.iter().flat_map(|b| &b.insts).any(|i| unmodelled(&i.op))
}

/// Whether a function reads memory by volatile or atomic operations, or by such inline assembly.
fn reads_again(f: &Function, such: impl Fn(&str) -> bool) -> bool {
    let mut used: FxHashSet<ValueId> = FxHashSet::default();
    let mut note = |o: &Operand| {
        if let Operand::Value(v) = o {
            used.insert(*v);
        }
    };
    for b in &f.blocks {
        b.insts.iter().for_each(|i| i.op.operands(&mut note));
        b.term.operands(&mut note);
    }
    f.blocks.iter().flat_map(|b| &b.insts).any(|i| match &i.op {
        Op::Load { volatile, .. } => *volatile,
        Op::AtomicRmw { .. } | Op::CmpXchg { .. } => i.result.is_some_and(|v| used.contains(&v)),
        Op::Asm { text, .. } => such(text),
        _ => false,
    })
}
