//! Dialects in a mix that no recorded program has: kernels written by hand, in bounds and just out of them.

use super::programs::check;
use scuba::cgeist::lower::unit::SourceFacts;
use scuba::cgeist::lower_text;
use scuba::check::{AccessStanding, ProgramReport};
use scuba::ir::Program;
use std::sync::Arc;

/// A program whose kernel `k(int*, int)` has this body, launched with 32 threads on a buffer of 64 `int`s and 64.
fn program(body: &str) -> ProgramReport {
    named("Pii", body)
}

/// As [`program`], with other parameter types in the kernel's symbol.
fn named(parameters: &str, body: &str) -> ProgramReport {
    let lowered = lower_text(&text(parameters, body), &SourceFacts { source: "a.cu".into(), ..SourceFacts::default() })
        .unwrap_or_else(|e| panic!("{e}"));
    check(&Program::link(vec![Arc::new(lowered.device), Arc::new(lowered.host)]))
}

/// What cgeist would print for it.
pub fn text(parameters: &str, body: &str) -> String {
    format!(r#""builtin.module"() ({{
  "func.func"() <{{function_type = (memref<?xi32>, i32) -> (), sym_name = "_Z16__device_stub__kPii", sym_visibility = "private"}}> ({{
  ^bb0(%p: memref<?xi32>, %n: i32):
    "func.call"(%p, %n) <{{callee = @_Z1kPii}}> : (memref<?xi32>, i32) -> ()
    "func.return"() : () -> ()
  }}) {{llvm.linkage = #llvm.linkage<external>, polygeist.cuda_global, polygeist.device_only_func = "1"}} : () -> ()
  "func.func"() <{{function_type = (memref<?xi32>, i32) -> (), sym_name = "_Z1kPii", sym_visibility = "private"}}> ({{
  ^bb0(%p: memref<?xi32>, %n: i32):
    %t = "gpu.thread_id"() <{{dimension = #gpu<dim x>}}> : () -> index
    %t32 = "arith.index_cast"(%t) : (index) -> i32
    %m = "arith.index_cast"(%n) : (i32) -> index
    %z = "arith.constant"() <{{value = 0 : index}}> : () -> index
    %v = "arith.constant"() <{{value = 7 : i32}}> : () -> i32
{body}
    "func.return"() : () -> ()
  }}) {{llvm.linkage = #llvm.linkage<external>, polygeist.cuda_global, polygeist.device_only_func = "1"}} : () -> ()
  "func.func"() <{{function_type = () -> i32, sym_name = "main"}}> ({{
    %one = "arith.constant"() <{{value = 1 : index}}> : () -> index
    %threads = "arith.constant"() <{{value = 32 : index}}> : () -> index
    %bytes = "arith.constant"() <{{value = 256 : i64}}> : () -> i64
    %n = "arith.constant"() <{{value = 64 : i32}}> : () -> i32
    %d = "memref.alloca"() : () -> memref<1xmemref<?xi32>>
    %z = "arith.constant"() <{{value = 0 : index}}> : () -> index
    %q = "polygeist.memref2pointer"(%d) : (memref<1xmemref<?xi32>>) -> !llvm.ptr
    %r = "polygeist.pointer2memref"(%q) : (!llvm.ptr) -> memref<?xmemref<?xi8>>
    %e = "func.call"(%r, %bytes) <{{callee = @cudaMalloc}}> : (memref<?xmemref<?xi8>>, i64) -> i32
    %p = "memref.load"(%d, %z) : (memref<1xmemref<?xi32>>, index) -> memref<?xi32>
    "gpu.launch"(%one, %one, %one, %threads, %one, %one) <{{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0>}}> ({{
    ^bb0(%a0: index, %a1: index, %a2: index, %a3: index, %a4: index, %a5: index, %a6: index, %a7: index, %a8: index, %a9: index, %a10: index, %a11: index):
      "func.call"(%p, %n) <{{callee = @_Z16__device_stub__kPii}}> : (memref<?xi32>, i32) -> ()
      "gpu.terminator"() : () -> ()
    }}) : (index, index, index, index, index, index) -> ()
    %zero = "arith.constant"() <{{value = 0 : i32}}> : () -> i32
    "func.return"(%zero) : (i32) -> ()
  }}) {{llvm.linkage = #llvm.linkage<external>}} : () -> ()
  "func.func"() <{{function_type = (memref<?xmemref<?xi8>>, i64) -> i32, sym_name = "cudaMalloc", sym_visibility = "private"}}> ({{ }}) {{llvm.linkage = #llvm.linkage<external>}} : () -> ()
}}) : () -> ()"#).replace("kPii", &format!("k{parameters}"))
}

fn standings(body: &str) -> Vec<AccessStanding> {
    program(body).places.iter().map(|p| p.standing).collect()
}

/// The last access of a kernel that holds `GOOD` or, just out of bounds, `BAD` where it says `HERE`.
#[track_caller]
fn told_apart(body: &str, good: &str, bad: &str) {
    assert_eq!(standings(&body.replace("HERE", good)), [AccessStanding::Safe], "{good}");
    assert_eq!(standings(&body.replace("HERE", bad)), [AccessStanding::Found], "{bad}");
}

#[test]
fn affine_maps_are_exact() {
    // Thread 31 reaches 2 * 31 + 1 = 63.
    told_apart(
        r#""affine.store"(%v, %p, %t) <{map = affine_map<(d0) -> (d0 * 2 + HERE)>}> : (i32, memref<?xi32>, index) -> ()"#,
        "1",
        "2",
    );
    // Rounding is downwards and remainders are never negative, below zero too.
    told_apart(
        r#""affine.store"(%v, %p, %t) <{map = affine_map<(d0) -> ((d0 - HERE) floordiv 4 + 8)>}> : (i32, memref<?xi32>, index) -> ()"#,
        "32",
        "33",
    );
    told_apart(
        r#""affine.store"(%v, %p, %t) <{map = affine_map<(d0) -> ((d0 - HERE) mod 65)>}> : (i32, memref<?xi32>, index) -> ()"#,
        "-32",
        "1",
    );
    told_apart(
        r#""affine.store"(%v, %p, %t, %m) <{map = affine_map<(d0)[s0] -> (d0 ceildiv 31 + s0 - HERE)>}> : (i32, memref<?xi32>, index, index) -> ()"#,
        "2",
        "1",
    );
}

#[test]
fn affine_loops_and_conditions_are_exact() {
    told_apart(
        r#"
    "affine.for"(%m) <{lowerBoundMap = affine_map<() -> (0)>, upperBoundMap = affine_map<()[s0] -> (s0 - HERE, 100)>, step = 1 : index}> ({
    ^bb0(%i: index):
      "affine.store"(%v, %p, %i) <{map = affine_map<(d0) -> (d0 + 1)>}> : (i32, memref<?xi32>, index) -> ()
      "affine.yield"() : () -> ()
    }) : (index) -> ()"#,
        "1",
        "0",
    );
    told_apart(
        r#"
    "affine.if"(%t, %m) <{condition = affine_set<(d0)[s0] : (s0 - d0 * 2 - HERE >= 0)>}> ({
      "affine.store"(%v, %p, %t) <{map = affine_map<(d0) -> (d0 * 2 + 4)>}> : (i32, memref<?xi32>, index) -> ()
      "affine.yield"() : () -> ()
    }, { }) : (index, index) -> ()"#,
        "5",
        "4",
    );
    told_apart(
        r#"
    "affine.parallel"() <{lowerBoundsMap = affine_map<() -> (0, 0)>, upperBoundsMap = affine_map<() -> (8, HERE)>, lowerBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsGroups = dense<1> : tensor<2xi32>, steps = [1, 1], reductions = []}> ({
    ^bb0(%i: index, %j: index):
      "affine.store"(%v, %p, %i, %j) <{map = affine_map<(d0, d1) -> (d0 * 8 + d1)>}> : (i32, memref<?xi32>, index, index) -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()"#,
        "8",
        "9",
    );
}

#[test]
fn structured_loops_of_every_kind() {
    told_apart(
        r#"
    %s = "arith.constant"() <{value = 3 : index}> : () -> index
    %e = "arith.constant"() <{value = HERE : index}> : () -> index
    "scf.for"(%z, %e, %s) ({
    ^bb0(%i: index):
      "memref.store"(%v, %p, %i) : (i32, memref<?xi32>, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()"#,
        "66",
        "67",
    );
    told_apart(
        r#"
    %s = "arith.constant"() <{value = 1 : index}> : () -> index
    %e = "arith.constant"() <{value = HERE : index}> : () -> index
    "scf.parallel"(%z, %e, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %j = "arith.addi"(%i, %t) : (index, index) -> index
      "memref.store"(%v, %p, %j) : (i32, memref<?xi32>, index) -> ()
      "scf.reduce"() : () -> ()
    }) : (index, index, index) -> ()"#,
        "33",
        "34",
    );
    told_apart(
        r#"
    %x = "scf.index_switch"(%t) <{cases = array<i64: 3, 4>}> ({
      %a = "arith.constant"() <{value = 1 : index}> : () -> index
      "scf.yield"(%a) : (index) -> ()
    }, {
      %a = "arith.constant"() <{value = HERE : index}> : () -> index
      "scf.yield"(%a) : (index) -> ()
    }, {
      "scf.yield"(%t) : (index) -> ()
    }) : (index) -> index
    "memref.store"(%v, %p, %x) : (i32, memref<?xi32>, index) -> ()"#,
        "63",
        "64",
    );
}

#[test]
fn pointers_across_types_and_dimensions() {
    // 16 bytes a step: structures of an `int` and an array of three.
    told_apart(
        r#"
    %q = "polygeist.memref2pointer"(%p) : (memref<?xi32>) -> !llvm.ptr
    %g = "llvm.getelementptr"(%q, %n) <{elem_type = !llvm.struct<(i32, array<3 x i32>)>, rawConstantIndices = array<i32: 15, 1, HERE>}> : (!llvm.ptr, i32) -> !llvm.ptr
    "llvm.store"(%v, %g) <{ordering = 0 : i64}> : (i32, !llvm.ptr) -> ()"#,
        "2",
        "3",
    );
    told_apart(
        r#"
    %q = "polygeist.memref2pointer"(%p) : (memref<?xi32>) -> !llvm.ptr
    %r = "polygeist.pointer2memref"(%q) : (!llvm.ptr) -> memref<?x2xi64>
    %c = "arith.constant"() <{value = HERE : index}> : () -> index
    %w = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %s = "polygeist.subindex"(%r, %c) : (memref<?x2xi64>, index) -> memref<2xi64>
    %o = "arith.constant"() <{value = 1 : index}> : () -> index
    "memref.store"(%w, %s, %o) : (i64, memref<2xi64>, index) -> ()"#,
        "15",
        "16",
    );
    told_apart(
        r#"
    %s = "memref.alloca"() : () -> memref<4x8xi32, 5>
    %c = "arith.constant"() <{value = HERE : index}> : () -> index
    %r = "arith.constant"() <{value = 3 : index}> : () -> index
    "memref.store"(%v, %s, %r, %c) : (i32, memref<4x8xi32, 5>, index, index) -> ()"#,
        "7",
        "8",
    );
}

#[test]
fn what_is_not_known_is_named() {
    let r = program(
        r#"
    %x = "new.number"(%t) : (index) -> index
    "memref.store"(%v, %p, %x) : (i32, memref<?xi32>, index) -> ()"#,
    );
    assert_eq!(r.places.iter().map(|p| p.standing).collect::<Vec<_>>(), [AccessStanding::Undecided]);
    assert!(r.undecided[0].reason.contains("`new.number`"), "{:?}", r.undecided);
    // It may be an access itself.
    let r = program(r#""new.vector_store"(%v, %p, %t) : (i32, memref<?xi32>, index) -> ()"#);
    assert_eq!(r.places.iter().map(|p| p.standing).collect::<Vec<_>>(), [AccessStanding::Undecided]);
    assert!(r.undecided[0].reason.contains("`new.vector_store`"), "{:?}", r.undecided);
    // What it gives is memory: an access is what happens to that.
    let r = program(
        r#"
    %q = "memref.subview"(%p, %t) : (memref<?xi32>, index) -> memref<?xi32>
    "memref.store"(%v, %q, %z) : (i32, memref<?xi32>, index) -> ()"#,
    );
    assert_eq!(r.places.iter().map(|p| p.standing).collect::<Vec<_>>(), [AccessStanding::Undecided]);
    assert!(r.undecided[0].reason.contains("`memref.subview`"), "{:?}", r.undecided);
    // Behind control flow that is not known, nothing is safe.
    let r = program(
        r#"
    "new.loop"(%t) ({
      "memref.store"(%v, %p, %z) : (i32, memref<?xi32>, index) -> ()
    }) : (index) -> ()
    "memref.store"(%v, %p, %z) : (i32, memref<?xi32>, index) -> ()"#,
    );
    assert!(r.places.iter().all(|p| p.standing != AccessStanding::Safe), "{:?}", r.places);
    assert!(r.notes.iter().any(|n| n.contains("`new.loop`")), "{:?}", r.notes);
}

#[test]
fn barriers_of_every_dialect_are_barriers() {
    for barrier in ["gpu.barrier", "nvvm.barrier0", "polygeist.barrier"] {
        let module = text(
            "Pii",
            &format!("\"{barrier}\"() : () -> ()\n\"memref.store\"(%v, %p, %t) : (i32, memref<?xi32>, index) -> ()"),
        );
        let lowered = lower_text(&module, &SourceFacts { source: "a.cu".into(), ..SourceFacts::default() }).unwrap();
        assert!(
            lowered.unknown.is_empty() && lowered.device.functions.iter().any(|f| f.name == "llvm.nvvm.barrier0"),
            "{barrier}: {:?}",
            lowered.unknown
        );
    }
}

#[test]
fn rows_whose_length_is_lost_are_not_followed() {
    let store = r#""memref.store"(%v, %p, %t) : (i32, memref<?xi32>, index) -> ()"#;
    assert_eq!(program(store).places[0].standing, AccessStanding::Safe);
    // `int (*p)[16]`: a step of one is 16 elements to the compiler.
    let r = named("PA16_ii", store);
    assert_eq!(r.places[0].standing, AccessStanding::Undecided, "{:?}", r.findings);
    assert!(r.undecided[0].reason.contains("rows, whose length cgeist loses"), "{:?}", r.undecided);
}

#[test]
fn kernels_in_headers_have_names() {
    let module = text("Pii", r#""memref.store"(%v, %p, %t) : (i32, memref<?xi32>, index) -> ()"#);
    let about = SourceFacts {
        source: "a.cu".into(),
        text: "#include \"k.h\"\nint main() {}\n".into(),
        headers: vec!["__global__ void k(int *data, int n) { data[threadIdx.x] = 7; }".into()],
        ..SourceFacts::default()
    };
    let lowered = lower_text(&module, &about).unwrap();
    let r = check(&Program::link(vec![Arc::new(lowered.device), Arc::new(lowered.host)]));
    assert_eq!(r.places[0].array, "data");
}

#[test]
fn one_shared_element_may_be_dynamic_shared_memory() {
    // Unmodified cgeist prints `__shared__ int s` and `extern __shared__ int s[]` alike.
    let module = text(
        "Pii",
        r#"
    %s = "memref.alloca"() : () -> memref<1xi32, 5>
    "memref.store"(%v, %s, %z) : (i32, memref<1xi32, 5>, index) -> ()"#,
    )
    .replace("polygeist.cuda_global, ", "");
    let of = |source: &str, header: &str| {
        let about = SourceFacts {
            source: "a.cu".into(),
            text: source.into(),
            headers: vec![header.into()],
            ..SourceFacts::default()
        };
        let lowered = lower_text(&module, &about).unwrap();
        check(&Program::link(vec![Arc::new(lowered.device), Arc::new(lowered.host)]))
    };
    assert_eq!(of("void k() { __shared__ int s; }", "").places[0].standing, AccessStanding::Safe);
    for (source, header) in
        [("void k() { extern __shared__ int s[]; }", ""), ("void k() {}", "#define SHARED extern __shared__"), ("", "")]
    {
        let r = of(source, header);
        assert_eq!(r.places[0].standing, AccessStanding::Undecided, "{source} {header}: {:?}", r.findings);
        assert!(
            r.undecided[0].reason.contains("the size of dynamic shared memory, which cgeist leaves out"),
            "{:?}",
            r.undecided
        );
    }
}
