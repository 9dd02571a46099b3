//! MLIR as cgeist prints it. Input: text; behind a line `====`, the source that it was made from.

#![no_main]

use cgeist::lower::module::lower;
use cgeist::lower::unit::SourceFacts;
use cgeist::{mlir, signs};
use ir::{Module, Op, Operand, Terminator, ValueId};
use libfuzzer_sys::fuzz_target;

/// Longest input: the reader's time grows with the text, and a unit of this size has all constructs.
const LONGEST: usize = 60_000;

/// Each index of the lowered code is one of its table.
fn is_sound(m: &Module) {
    for f in &m.functions {
        assert!(f.ret.index() < m.types.len() && f.params.len() <= f.values as usize);
        let value = |o: &Operand| {
            if let Operand::Value(ValueId(v)) = o {
                assert!(*v < f.values, "{}: %{v}", f.name);
            }
        };
        for b in &f.blocks {
            assert!(b.term_loc.index() < m.locs.len());
            for t in b.term.successors() {
                assert!(t.index() < f.blocks.len(), "{}", f.name);
            }
            b.term.operands(&mut |o| value(o));
            if let Terminator::Invoke { result: Some(ValueId(v)), .. } = &b.term {
                assert!(*v < f.values);
            }
            for i in &b.insts {
                i.op.operands(&mut |o| value(o));
                assert!(i.ty.index() < m.types.len() && i.loc.index() < m.locs.len());
                assert!(i.result.is_none_or(|r| r.0 < f.values));
                if let Op::Phi(edges) = &i.op {
                    assert!(edges.iter().all(|(from, _)| from.index() < f.blocks.len()));
                }
            }
        }
    }
    // A dump prints all of it, a store keeps it.
    let _ = m.to_string();
    let bytes = postcard::to_stdvec(m).expect("a module");
    let again: Module = postcard::from_bytes(&bytes).expect("a module that was written");
    assert!(postcard::to_stdvec(&again).expect("a module") == bytes);
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if text.len() > LONGEST {
        return;
    }
    let parts = scuba_fuzz::parts(text);
    let (text, source) = (parts[0], parts.get(1).copied().unwrap_or_default());
    match mlir::read(text) {
        Ok(mut module) => {
            let _ = signs::settle(&mut module, &[source]);
            let about = SourceFacts { text: source.to_owned(), ..SourceFacts::default() };
            if let Ok(lowered) = lower(&module, &about) {
                is_sound(&lowered.device);
                is_sound(&lowered.host);
            }
        }
        Err(e) => assert!(e.line >= 1 && e.column >= 1 && !e.message.contains('\n'), "{e}"),
    }
});
