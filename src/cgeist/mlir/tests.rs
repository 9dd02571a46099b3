use super::*;
use proptest::prelude::*;

pub(crate) fn fixtures() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cgeist/fixtures");
    let mut all: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "mlir"))
        .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(p).unwrap()))
        .collect();
    all.sort();
    all
}

#[test]
fn every_recorded_module_is_read() {
    let all = fixtures();
    assert_eq!(all.len(), 92);
    for (name, text) in all {
        let m = read(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(m.ops.len(), 1, "{name}");
        let mut seen = std::collections::HashSet::new();
        let mut ops = 0;
        m.ops[0].walk(&mut |o| {
            ops += 1;
            for v in &o.results {
                assert!(seen.insert(*v), "{name}: {v:?} defined twice");
            }
            for a in o.regions.iter().flat_map(|r| &r.blocks).flat_map(|b| &b.args) {
                assert!(seen.insert(a.0), "{name}");
            }
        });
        assert!(ops > 50, "{name}: {ops} operations");
        m.ops[0].walk(&mut |o| {
            for v in &o.operands {
                assert!(seen.contains(v), "{name}: {v:?} is used by {} and never defined", o.name);
            }
        });
        let located = {
            let mut n = 0;
            m.ops[0].walk(&mut |o| n += usize::from(matches!(o.loc, MlirLoc::File(..))));
            n
        };
        assert_eq!(located > 0, !name.contains(".stock."), "{name}: {located} locations");
    }
}

#[test]
fn an_operation_has_all_its_parts() {
    let text = r##"
// a comment
#map = affine_map<(d0)[s0] -> (d0 * 4 + s0, -d0 floordiv 2, (d0 mod 3) - 1)>
#set = affine_set<(d0, d1) : (d0 - 1 >= 0, d1 == 4)>
!v = vector<2x4xi32>
"builtin.module"() ({
  "f.f"() <{sym_name = "a\22b\00"}> ({
  ^bb0(%arg0: i32 loc("x.cu":1:2), %arg1: memref<4x?x!llvm.struct<"S", (ptr<i8>, array<3 x i8>, struct<packed (i1)>)>, 5>):
    %0:2 = "t.two"(%arg0, %late)[^bb2, ^bb1] <{a = -3 : i8, b = #map}> {c, d = [1.5e-3 : f32, 0xFF : i32], "e.f" = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>} : (i32, !v) -> (i1, f64) loc(#loc1)
  ^bb1:  // pred: ^bb0
    "t.end"(%0#1) {s = #set, g = #gpu<dim x>, y = @a::@"b c", t = (i32) -> (), u = array<i32: 1, -2>} : (f64) -> ()
  ^bb2:
    %late = "t.late"() : () -> !v loc(callsite("a.h":3:4 at fused["b.cu":5:6, unknown]))
  }) : () -> ()
}) : () -> ()
#loc1 = loc("y.cu":7:8)
"##;
    let m = read(text).unwrap();
    let f = &m.ops[0].regions[0].blocks[0].ops[0];
    assert_eq!(f.text("sym_name"), Some("a\"b\0"));
    let blocks = &f.regions[0].blocks;
    let two = &blocks[0].ops[0];
    assert_eq!(two.successors, [2, 1]);
    assert_eq!(two.loc, MlirLoc::File("y.cu".into(), 7, 8));
    assert_eq!(two.operands, [blocks[0].args[0].0, blocks[2].ops[0].results[0]]);
    assert_eq!(two.operand_types[1], Type::Vector { shape: vec![2, 4], elem: Arc::new(Type::Int(32)) });
    assert_eq!(blocks[1].ops[0].operands, [two.results[1]]);
    assert_eq!((two.int("a"), two.attr("c")), (Some(-3), Some(&Attr::Unit)));
    assert_eq!(
        two.attr("d"),
        Some(&Attr::Array(vec![Attr::Float(1.5e-3, Some(Type::Float(32))), Attr::Int(255, Some(Type::Int(32)))]))
    );
    assert_eq!(two.attr("e.f").and_then(Attr::ints), Some(vec![1, 2, 3, 4]));
    let Some(Attr::Map(map)) = two.attr("b") else { panic!("{:?}", two.attr("b")) };
    assert_eq!((map.dims, map.symbols, map.results.len()), (1, 1, 3));
    let Type::MemRef(r) = &blocks[0].args[1].1 else { panic!() };
    assert_eq!((r.shape.as_slice(), r.space), ([Some(4), None].as_slice(), 5));
    let Type::Struct { fields: Some(fields), name, packed: false } = &r.elem else { panic!("{:?}", r.elem) };
    assert_eq!((name.as_deref(), fields.len()), (Some("S"), 3));
    let end = &blocks[1].ops[0];
    assert_eq!(end.text("y"), Some("b c"));
    assert_eq!(end.attr("g"), Some(&Attr::Other("#gpu<dim x>".into())));
    assert_eq!(end.attr("u").and_then(Attr::ints), Some(vec![1, -2]));
    let Some(Attr::Set(set)) = end.attr("s") else { panic!() };
    assert_eq!(set.constraints.iter().map(|c| c.1).collect::<Vec<_>>(), [false, true]);
    let MlirLoc::Call(at) = &blocks[2].ops[0].loc else { panic!() };
    assert_eq!(at.0, MlirLoc::File("a.h".into(), 3, 4));
    assert_eq!(at.1, MlirLoc::File("b.cu".into(), 5, 6));
}

#[test]
fn a_value_of_another_region_is_none_that_the_text_defines() {
    let m =
        read("\"f\"() ({\n\"g\"() ({\n%1 = \"a\"() : () -> i32\n}) : () -> ()\n\"b\"(%1) : (i32) -> ()\n}) : () -> ()")
            .unwrap();
    let mut made: Vec<MlirValue> = vec![];
    let mut used: Vec<MlirValue> = vec![];
    m.ops[0].walk(&mut |o| {
        made.extend(&o.results);
        used.extend(&o.operands);
    });
    assert_eq!((made.len(), used.len(), made.contains(&used[0])), (1, 1, false));
}

#[test]
fn errors_say_where() {
    for (text, line, column, what) in [
        ("\n  \"a.b\"() : () ->", 2, 18, "expected a type"),
        ("\"a.b\"(%x) : (i32) -> ()", 1, 7, "`%x` is not defined"),
        ("module {\n}", 1, 1, "expected an operation in generic form"),
        ("\"a.b\"() ({\n\"c.d\"()[^bb1] : () -> ()\n}) : () -> ()", 2, 9, "no block"),
        ("\"a.b\"() : (i32) -> ()", 1, 1, "0 operands and 1 operand types"),
        ("%0 = \"a.b\"() : () -> i32\n%0 = \"a.b\"() : () -> i32", 2, 1, "defined twice"),
        ("\"a.b\"() {x = dense<[1, 2> : i32} : () -> ()", 1, 25, "expected"),
        ("\"a.b", 1, 1, "a string without an end"),
    ] {
        let e = read(text).unwrap_err();
        assert!(e.message.contains(what), "{text:?}: {e}");
        assert_eq!((e.line, e.column), (line, column), "{text:?}: {e}");
    }
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    for (open, close) in [
        ("\"a.b\"() ({", "}) : () -> ()"),
        ("\"a.b\"() {x = [", "]} : () -> ()"),
        ("\"a.b\"() {x = memref<1x", ">} : () -> ()"),
        ("\"a.b\"() {x = affine_map<() -> (", ")>} : () -> ()"),
    ] {
        let inner = match open {
            "\"a.b\"() ({" => open.repeat(50_000),
            _ => format!("{open}{}", open[open.rfind(['[', 'm', '(']).unwrap()..].repeat(50_000)),
        };
        let e = read(&(inner + close)).unwrap_err();
        assert!(!e.message.is_empty());
    }
    let text = "\"a.b\"() ({".repeat(150) + &"}) : () -> ()".repeat(150);
    assert!(read(&text).is_ok());
}

/// Texts that are small and expand to something huge, or nest without brackets.
#[test]
fn aliases_and_long_sums_are_bounded() {
    let op = |what: &str| format!("\"a.b\"() {{x = {what}}} : () -> ()\n");
    let chain = |first: &str, n: usize, next: &dyn Fn(usize) -> String| {
        let mut t = format!("{first}\n");
        for i in 1..n {
            t.push_str(&next(i));
            t.push('\n');
        }
        t
    };
    let doubled = [
        chain("#a0 = 1 : i32", 64, &|i| format!("#a{i} = [#a{0}, #a{0}]", i - 1)) + &op("#a63"),
        chain("!a0 = i32", 64, &|i| format!("!a{i} = (!a{0}, !a{0}) -> !a{0}", i - 1)) + &op("memref<*x!a63>"),
        chain("", 64, &|i| op(&format!("!llvm.struct<\"s{i}\", (struct<\"s{0}\">, struct<\"s{0}\">)>", i - 1)))
            + &op("!llvm.struct<\"s63\">"),
    ];
    for text in doubled {
        let e = read(&text).unwrap_err();
        assert!(e.message.contains("aliases that stand for more"), "{e}");
    }
    let deep = [
        chain("#a0 = 1 : i32", 50_000, &|i| format!("#a{i} = [#a{}]", i - 1)),
        chain("!a0 = i32", 50_000, &|i| format!("!a{i} = !llvm.array<1 x !a{}>", i - 1)),
        chain("", 50_000, &|i| op(&format!("!llvm.struct<\"s{i}\", (struct<\"s{}\">)>", i - 1))),
        op(&format!("affine_map<(d0) -> (d0{})>", " + 1".repeat(500_000))),
        op(&format!("affine_map<(d0) -> (d0{})>", " mod 2".repeat(500_000))),
    ];
    for text in deep {
        let e = read(&text).unwrap_err();
        assert!(e.message.contains("nested deeper"), "{e}");
    }
    // Aliases as printed stay far below the limit.
    let many = chain("!a0 = i32", 300, &|i| format!("!a{i} = (!a0, !a0) -> !a0"))
        + &op("affine_map<(d0, d1) -> (d0 * 4 + d1 floordiv 2 - 1)>").repeat(3000);
    assert_eq!(read(&many).unwrap().ops.len(), 3000);
}

#[test]
fn positions_that_name_each_other_are_cut() {
    let mut text = String::from(
        "\"a.b\"() : () -> () loc(#loc60)\n\"a.b\"() : () -> () loc(#loop)\n\"a.b\"() : () -> () loc(#loc2)\n#loop = loc(callsite(#loop at #loop))\n#loc0 = loc(\"a.cu\":1:2)\n",
    );
    for i in 1..=60 {
        text.push_str(&format!("#loc{i} = loc(callsite(#loc{0} at #loc{0}))\n", i - 1));
    }
    let m = read(&text).unwrap();
    fn places(l: &MlirLoc) -> usize {
        match l {
            MlirLoc::Call(p) => places(&p.0) + places(&p.1),
            _ => 1,
        }
    }
    assert!(places(&m.ops[0].loc) <= 64 && places(&m.ops[1].loc) <= 64);
    assert_eq!(places(&m.ops[2].loc), 4);
}

/// Generates a text with a few damaged spots.
fn damaged() -> impl Strategy<Value = String> {
    let short: Vec<String> = fixtures().into_iter().filter(|f| f.0.contains("light")).map(|f| f.1).collect();
    let edit = (
        any::<prop::sample::Index>(),
        0..4usize,
        prop::sample::select(vec![
            "",
            "(",
            ")",
            "{",
            "}",
            "<",
            ">",
            "[",
            "]",
            "\"",
            "%0",
            "^bb1",
            "#",
            "!",
            ":",
            "->",
            ",",
            "-",
            "0",
            "x",
            "affine_map",
            "loc",
            "\\",
            "é",
            "\0",
            "memref<",
            "99999999999999999999999",
        ]),
    );
    (prop::sample::select(short), prop::collection::vec(edit, 1..6), any::<prop::sample::Index>()).prop_map(
        |(mut text, edits, cut)| {
            for (at, remove, insert) in edits {
                let floor = |mut i: usize| {
                    while !text.is_char_boundary(i) {
                        i -= 1;
                    }
                    i
                };
                let from = floor(at.index(text.len() + 1));
                let to = floor((from + remove).min(text.len())).max(from);
                text.replace_range(from..to, insert);
            }
            if cut.index(4) == 0 {
                let mut n = cut.index(text.len() + 1);
                while !text.is_char_boundary(n) {
                    n -= 1;
                }
                text.truncate(n);
            }
            text
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") { let _ = read(&text); }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) { let _ = read(&String::from_utf8_lossy(&bytes)); }

    #[test]
    fn texts_of_its_own_tokens_are_read_or_refused(words in prop::collection::vec(prop::sample::select(vec![
        "\"a.b\"", "(", ")", "({", "})", "{", "}", "<{", "}>", "<", ">", "[", "]", ":", "->", "=", ",", "%0", "%1:2", "%1#1", "^bb0", "^bb1:", "i32", "index", "memref<", "4x", "?x", "f32",
        "!llvm.ptr", "!llvm.struct<", "!llvm.array<", "#map", "affine_map<", "(d0)", "d0", "affine_set<", "dense<", "array<i32:", "1", "-1", "0x", "1.0e", "true", "loc(", "unknown", "callsite(", "fused[", "\"f\":1:2", "@f", "// c\n", "unit",
    ]), 0..60)) { let _ = read(&words.join(" ")); }

    #[test]
    fn damaged_modules_are_read_or_refused(text in damaged()) {
        match read(&text) {
            Ok(m) => m.ops.iter().for_each(|o| o.walk(&mut |o| { let _ = (o.segments(), o.dialect()); })),
            Err(e) => prop_assert!(e.line >= 1 && e.column >= 1 && !e.message.contains('\n'), "{e}"),
        }
    }
}
