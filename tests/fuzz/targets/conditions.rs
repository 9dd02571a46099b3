//! Conditions of contracts and of `[[assume]]`. Input: eight small numbers, then the text.

#![no_main]
#![allow(dead_code, reason = "the tests of contracts use all of the small world")]

use contracts::{ast, resolve, world};
use libfuzzer_sys::fuzz_target;

#[path = "../../../src/contracts/tests/small.rs"]
mod small;

use contracts::eval::eval;
use contracts::{assume, parse, parse_term, simplify};
use small::{Signature, Small};

const STEPS: u64 = 20_000;

fn world_of(numbers: &[u8; 8]) -> Small {
    let n = numbers.map(|byte| i128::from(byte as i8));
    let array = |at: usize| (numbers[at] % 5 != 0).then(|| (0..numbers[at] % 4).map(|k| n[usize::from(k)]).collect());
    Small {
        n: n[0],
        m: n[1],
        k: i128::from(numbers[2]),
        arrays: [array(3), array(4)],
        alias: (numbers[5] % 3 == 0).then_some(n[5] % 3),
        sizes: (0..numbers[6] % 4).map(|k| n[usize::from(k)]).collect(),
        ne: [n[6], n[7]],
        grid: i128::from(numbers[7]),
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((numbers, rest)) = data.split_first_chunk::<8>() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    if let Err(e) = assume::parse(text) {
        assert!(e.at() <= text.len() && !e.to_string().is_empty());
    }
    if let Ok(term) = parse_term(text) {
        assert_eq!(parse_term(&term.to_string()).as_ref(), Ok(&term), "{term}");
    }
    let condition = match parse(text) {
        Ok(condition) => condition,
        Err(e) => {
            assert!(e.span.start <= e.span.end && e.span.end <= text.len(), "{e:?}");
            // Control characters are replaced, those of directions too.
            let shown = e.render(text, "text", 1);
            assert!(
                shown.contains(&e.message) || !e.message.chars().all(|c| c.is_ascii_graphic() || c == ' '),
                "{shown}"
            );
            return;
        }
    };
    let is_too_long = |e: &contracts::ContractError| e.message.contains("deep") || e.message.contains("long");
    match parse(&condition.to_string()) {
        Ok(again) => assert_eq!(again, condition, "{condition}"),
        Err(e) => assert!(is_too_long(&e), "{condition}: {e:?}"),
    }
    let Ok(resolved) = contracts::resolve(&condition, &Signature { kernel: true }) else { return };
    let simple = simplify(&resolved);
    assert_eq!(simplify(&simple), simple, "{condition}");
    match parse(&simple.to_string()) {
        Ok(again) => assert_eq!(again, simple, "{simple}"),
        Err(e) => assert!(is_too_long(&e), "{simple}: {e:?}"),
    }
    let world = world_of(numbers);
    if let (Ok(before), Ok(after)) = (eval(&resolved, &world, STEPS), eval(&simple, &world, STEPS)) {
        assert_eq!(before.holds(), after.holds(), "{resolved} became {simple} in {world:?}");
    }
    let fewer = resolved.without_repeats();
    if let (Ok(before), Ok(after)) = (eval(&resolved, &world, STEPS), eval(&fewer, &world, STEPS)) {
        assert_eq!(before.holds(), after.holds(), "{resolved} became {fewer} in {world:?}");
    }
});
