//! Laws that hold for every condition.

use super::random::{conds, numbers, worlds};
use super::small::Signature;
use crate::ast::Cond;
use crate::eval::{EvalError, eval};
use crate::parse::{DEEPEST, parse, parse_term};
use crate::resolve::resolve;
use crate::simplify::simplify;
use proptest::prelude::*;

const STEPS: u64 = 20_000;
const F: Signature = Signature { kernel: true };

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

/// Resolves a random condition. Only a choice between a bare pointer and a bare integer is no valid condition.
fn resolved(c: &Cond) -> Result<Cond, TestCaseError> {
    resolve(c, &F).map_err(|e| match e[0].message.starts_with("one branch") {
        true => TestCaseError::reject("branches differ"),
        false => TestCaseError::fail(format!("{c}: {e:?}")),
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_printed_is_read_back(c in conds(true)) {
        let text = c.to_string();
        prop_assert_eq!(parse(&text).map_err(|e| e.render(&text, "text", 1)), Ok(c), "{}", text);
    }

    #[test]
    fn terms_are_read_back(t in numbers(true)) {
        prop_assert_eq!(parse_term(&t.to_string()), Ok(t));
    }

    #[test]
    fn any_text_is_read_or_refused_in_its_place(text in "[-a-c0-2+*%/&|^~!<>=?:(),.\"' \\[\\]\\PCarvgc]{0,60}") {
        if let Err(e) = parse(&text) {
            prop_assert!(e.span.start <= e.span.end && e.span.end <= text.len(), "{:?}", e);
            prop_assert!(e.render(&text, "text", 1).contains(&e.message));
        }
    }

    #[test]
    fn words_of_contracts_in_any_order_are_read_or_refused(
        words in prop::collection::vec(prop::sample::select(vec![
            "forall", "i", "in", "[", "]", "(", ")", "0", ",", ":", "?", "==>", "==", "=", "&&", "||", "!", "-", "--", "*", "&",
            "->", ".", "x", "sizeof", "(long)", "(int)", "size_t(", "min(", "extent(", "disjoint(", "gridDim", "static_cast<", "1'0",
            "true", "\"", "dynamicSharedBytes", "data<float>(", "é",
        ]), 0..24)
    ) {
        let text = words.join(" ");
        match parse(&text) {
            Err(e) => prop_assert!(e.span.end <= text.len()),
            Ok(c) => prop_assert_eq!(parse(&c.to_string()), Ok(c)),
        }
    }

    #[test]
    fn what_repeats_no_part_holds_of_the_same_worlds(c in conds(true), d in conds(true), worlds in prop::collection::vec(worlds(), 8)) {
        let (c, d) = (resolved(&c)?, resolved(&d)?);
        let either = Cond::any(vec![c.clone(), Cond::all(vec![Cond::any(vec![c.clone(), d.clone()]), d, c])]);
        let fewer = either.without_repeats();
        for w in worlds {
            if let (Ok(before), Ok(after)) = (eval(&either, &w, STEPS), eval(&fewer, &w, STEPS)) {
                prop_assert_eq!(before.holds(), after.holds(), "{} became {} in {:?}", &either, &fewer, w);
            }
        }
    }

    #[test]
    fn what_is_simplified_holds_of_the_same_worlds(c in conds(true), worlds in prop::collection::vec(worlds(), 8)) {
        let c = resolved(&c)?;
        let simple = simplify(&c);
        for w in worlds {
            let (before, after) = (eval(&c, &w, STEPS), eval(&simple, &w, STEPS));
            // Integers that do not fit, or too many steps, are not compared.
            if let (Ok(before), Ok(after)) = (&before, &after) {
                prop_assert_eq!(before.holds(), after.holds(), "{} became {} in {:?}", &c, &simple, w);
            }
            let lost = matches!(after, Err(EvalError::Sort(_) | EvalError::Unknown(_))) && before.is_ok();
            prop_assert!(!lost, "{} became {}", &c, &simple);
        }
    }

    #[test]
    fn normal_forms_are_normal(c in conds(true)) {
        let c = resolved(&c)?;
        let simple = simplify(&c);
        prop_assert_eq!(&simplify(&simple), &simple, "{}", c);
        let read = parse(&simple.to_string());
        // Products are expanded, so a normal form may be too deep to be parsed.
        if !read.as_ref().is_err_and(|e| e.message.contains("deep") || e.message.contains("long")) {
            prop_assert_eq!(read.as_ref(), Ok(&simple), "{}", DEEPEST);
        }
    }

    #[test]
    fn the_order_of_conjuncts_does_not_matter(a in conds(true), b in conds(true)) {
        let both = |a: &Cond, b: &Cond| resolve(&Cond::all(vec![a.clone(), b.clone()]), &F).map(|c| simplify(&c));
        prop_assert_eq!(both(&a, &b), both(&b, &a));
    }

    #[test]
    fn nothing_wraps(c in conds(true), n in any::<i64>(), m in any::<i64>(), k in any::<u64>()) {
        let w = super::small::Small { n: n.into(), m: m.into(), k: k.into(), ..Default::default() };
        let _ = eval(&c, &w, 2000);
        let _ = simplify(&c);
    }
}

#[test]
fn parts_that_repeat_others_are_dropped() {
    for (text, expected) in [
        ("n != 2 || n != 2 || m >= n", "n != 2 || m >= n"),
        ("n > 0 && m > 0 && n > 0", "n > 0 && m > 0"),
        ("n != 2 || (n != 2 || m > 0) && (k > 3 || n != 2)", "n != 2 || m > 0 && k > 3"),
        ("n != 2 || m > 1 || (m > 1 || n != 2) && k > 3", "n != 2 || m > 1"),
        ("n != 2 || m > 0", "n != 2 || m > 0"),
    ] {
        assert_eq!(parse(text).expect(text).without_repeats().to_string(), expected);
    }
}
