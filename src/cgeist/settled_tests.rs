//! Tests that clang's reading settles the signedness that cgeist leaves unknown.

use crate::lower::module::lower;
use crate::{mlir, signs};
use frontend::second::settled;
use ir::Module;

/// Builds `f` with 32-bit comparisons by these predicates; they are undecided if `source` names an unsigned type.
fn module(predicates: &[u32], source: &str) -> Module {
    let compare = |(i, p): (usize, &u32)| {
        let i = i + 2;
        format!(
            "%{i} = \"arith.cmpi\"(%0, %0) {{predicate = {p} : i64}} : (i32, i32) -> i1\n\"func.call\"(%{i}) {{callee = @_Z1gb}} : (i1) -> ()\n"
        )
    };
    let body: String = predicates.iter().enumerate().map(compare).collect();
    let text = format!(
        "\"builtin.module\"() ({{\n\"func.func\"() <{{sym_name = \"_Z1fi\", function_type = (i32) -> ()}}> ({{\n^bb0(%0: i32):\n{body}\"func.return\"() : () -> ()\n}}) : () -> ()\n}}) : () -> ()"
    );
    let mut m = mlir::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    signs::settle(&mut m, &[source]);
    lower(&m, &Default::default()).unwrap().host
}

#[test]
fn clang_says_what_a_function_compares() {
    const OPEN: &str = "bool f(uint32_t a) { return a < 3; }";
    let open = module(&[2], OPEN);
    assert!(open.to_string().contains("select opaque("), "{open}");
    let by = |clang: &[u32]| settled(&open, &[&module(clang, "bool f(int a);")]).map(|m| m.to_string());
    let choice = |m: &str| {
        m.lines()
            .find(|l| l.contains("select "))
            .unwrap()
            .split("select ")
            .nth(1)
            .unwrap()
            .split(',')
            .next()
            .unwrap()
            .to_owned()
    };
    let (unsigned, signed) = (by(&[6, 7]).unwrap(), by(&[2, 1]).unwrap());
    assert_ne!(choice(&unsigned), choice(&signed));
    assert!(!unsigned.contains("opaque") && !signed.contains("opaque"), "{unsigned}{signed}");
    assert!(choice(&unsigned).contains("-1") || choice(&unsigned).contains("true"), "{unsigned}");
    // Both kinds, or none.
    assert_eq!((by(&[2, 6]), by(&[0, 1]), settled(&open, &[]).is_none()), (None, None, true));
}
