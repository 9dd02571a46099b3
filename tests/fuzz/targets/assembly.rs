//! Inline assembly: in sources, and as LLVM spells it. Input: the constraints, a line end, the text.

#![no_main]

use frontend::clang::assembly_text::{escape_percents, with_commas};
use ir::TypeKind;
use libfuzzer_sys::fuzz_target;
use models::access::{AccessExtent, AccessMode, StateSpace};
use models::ptx::{self, single};

/// The two readers of a single load or store agree.
fn readers_agree(text: &str, constraints: &str) {
    let Some(access) = single::parse(text) else { return };
    let all = ptx::accesses(text, constraints);
    let [one] = all.as_slice() else { panic!("{access:?}, and {all:?}") };
    assert_eq!(one.kind == AccessMode::Write, access.store, "{access:?}, and {one:?}");
    let (Some(place), Some(results)) = (one.place, single::outputs(constraints)) else { return };
    let bits = match access.element {
        TypeKind::Int(bits) | TypeKind::Float(bits) => u64::from(bits),
        other => panic!("an element is {other:?}"),
    };
    assert_eq!(place.extent, AccessExtent::Bytes(bits / 8 * access.registers.len() as u64), "{access:?}");
    assert!(matches!(place.space, StateSpace::Generic | StateSpace::Global), "{access:?}, and {place:?}");
    // An argument that is tied to a result is named by the result.
    if access.address >= results {
        assert_eq!((place.address.argument, place.address.offset), (access.address - results, access.offset));
    }
}

/// Whether all of `inner` stands in `outer` in its order, with only `added` between.
fn is_within(inner: &[u8], outer: &[u8], added: u8) -> bool {
    let mut rest = inner.iter().peekable();
    for byte in outer {
        if rest.next_if_eq(&byte).is_none() && *byte != added {
            return false;
        }
    }
    rest.next().is_none()
}

fuzz_target!(|data: &[u8]| {
    let (escaped, commas) = (escape_percents(data), with_commas(data));
    assert!(is_within(data, &escaped, b'%') && is_within(data, &commas, b','));
    assert!(escape_percents(&escaped) == escaped && with_commas(&commas) == commas);
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (constraints, text) = text.split_once('\n').unwrap_or(("", text));
    let _ = (ptx::ending(text), ptx::waiting(text), ptx::shared_address(text, constraints));
    let _ = (ptx::special_register(text, constraints), ptx::accesses(text, constraints));
    readers_agree(text, constraints);
});
