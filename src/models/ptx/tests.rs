//! Inline assembly from CUDA 13.0's headers, as clang passes it on, and from programs.

use super::*;
use AccessMode::{Atomic, Read, Write};
use StateSpace::{Generic, Global, Shared};

fn place(space: StateSpace, argument: usize, extent: AccessExtent) -> AddressRange {
    AddressRange { space, address: Address { argument, offset: 0 }, extent, guard: Guard::Always, lanes: WARP }
}

fn bytes(kind: AccessMode, space: StateSpace, argument: usize, n: u64) -> ModelledAccess {
    ModelledAccess { kind, place: Some(place(space, argument, AccessExtent::Bytes(n))), image: None }
}

#[test]
fn loads_and_stores() {
    assert_eq!(
        accesses("ld.global.nc.L1::no_allocate.v4.f32 {$0,$1,$2,$3}, [$4];", "=f,=f,=f,=f,l"),
        [bytes(Read, Global, 0, 16)]
    );
    assert_eq!(accesses("ld.acquire.gpu.u32 $0,[$1];", "=r,l,~{memory}"), [bytes(Read, Generic, 0, 4)]);
    assert_eq!(accesses("st.mmio.relaxed.sys.b64 [$0],$1;", "l,l,~{memory}"), [bytes(Write, Generic, 0, 8)]);
    assert_eq!(
        accesses("{ .reg .b8 datum; cvt.u8.u16 datum, $1; st.cg.u8 [$0], datum; }", "l,h"),
        [bytes(Write, Generic, 0, 1)]
    );
    let mut shifted = bytes(Write, Shared, 0, 4);
    shifted.place.as_mut().unwrap().address.offset = 16;
    assert_eq!(accesses("st.shared.u32[$0 + 16], $1;", "r,r"), [shifted]);
    assert_eq!(accesses("st.param.b64 [x], $0; ld.param.u32 $0, [y];", "=r,l"), []);
}

#[test]
fn atomic_operations() {
    assert_eq!(accesses("atom.add.release.gpu.u32 $0,[$1],$2;", "=r,l,r,~{memory}"), [bytes(Atomic, Generic, 0, 4)]);
    assert_eq!(accesses("red.or.release.cta.b32 [$0],$1;", "l,r,~{memory}"), [bytes(Atomic, Generic, 0, 4)]);
    assert_eq!(
        accesses("red.global.add.noftz.v4.bf16x2 [$0], {$1,$2,$3,$4};", "l,r,r,r,r"),
        [bytes(Atomic, Global, 0, 16)]
    );
    assert_eq!(accesses("atom.global.cas.b16 $0, [$1], $2, $3;", "=h,l,h,h"), [bytes(Atomic, Global, 0, 2)]);
    assert_eq!(accesses("{atom.add.noftz.f16x2 $0,[$1],$2;\n}\n", "=r,l,r,~{memory}"), [bytes(Atomic, Generic, 0, 4)]);
    assert_eq!(accesses("multimem.red.release.sys.global.add.u64 [$0], $1;", "l,l"), [ModelledAccess::open(Atomic)]);
}

#[test]
fn asynchronous_copies() {
    let read = |e| ModelledAccess { kind: Read, place: Some(place(Global, 1, e)), image: None };
    let write = |e| ModelledAccess { kind: Write, place: Some(place(Shared, 0, e)), image: None };
    assert_eq!(
        accesses("cp.async.cg.shared.global [$0], [$1], $2, $3;", "r,l,n,n,~{memory}"),
        [write(AccessExtent::Argument(2)), read(AccessExtent::Argument(3))]
    );
    assert_eq!(
        accesses("cp.async.ca.shared.global.L2::128B [$0], [$1], 4;\n\tcp.async.commit_group;\n", "r,l,~{memory}"),
        [write(AccessExtent::Bytes(4)), read(AccessExtent::Bytes(4))]
    );
    let guarded = |mut a: ModelledAccess, argument, set| {
        a.place.as_mut().unwrap().guard = Guard::Argument { argument, set };
        a
    };
    let under =
        "{\n  .reg .pred p;\n  setp.ne.b32 p, $0, 0;\n  @p cp.async.cg.shared.global.L2::128B [$1], [$2], $3;\n}\n";
    let mut both = [write(AccessExtent::Argument(3)), read(AccessExtent::Argument(3))].map(|a| guarded(a, 0, true));
    both[0].place.as_mut().unwrap().address.argument = 1;
    both[1].place.as_mut().unwrap().address.argument = 2;
    assert_eq!(accesses(under, "r,r,l,n"), both);
    assert_eq!(
        accesses("{ .reg .pred p; setp.eq.u32 p, $2, 0; cp.async.ca.shared.global [$0], [$1], 16, p; }", "r,l,r"),
        [write(AccessExtent::Bytes(16)), guarded(read(AccessExtent::Bytes(16)), 2, true)]
    );
    assert_eq!(accesses("cp.async.wait_group $0;", "n"), []);
    assert_eq!(accesses("cp.async.mbarrier.arrive.shared.b64 [$0];", "r"), [bytes(Atomic, Shared, 0, 8)]);
}

#[test]
fn copies_of_blocks() {
    let bulk = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3]; // 1a.";
    assert_eq!(
        accesses(bulk, "r,l,r,r,~{memory}"),
        [
            ModelledAccess { kind: Write, place: Some(place(Shared, 0, AccessExtent::Argument(2))), image: None },
            ModelledAccess { kind: Read, place: Some(place(Global, 1, AccessExtent::Argument(2))), image: None },
            bytes(Atomic, Shared, 3, 8),
        ]
    );
    let tensor =
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3}], [$4];";
    assert_eq!(
        accesses(tensor, "r,l,r,r,r"),
        [ModelledAccess::open(Read), ModelledAccess::open(Write), bytes(Atomic, Shared, 4, 8)]
    );
    assert_eq!(accesses("cp.async.bulk.commit_group;", ""), []);
    assert_eq!(accesses("cp.async.bulk.prefetch.L2.global [$0], $1;", "l,r"), []);
    let reduce = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [$0], [$1], $2; // 3.";
    assert_eq!(
        accesses(reduce, "l,r,r")[0],
        ModelledAccess { kind: Atomic, place: Some(place(Global, 0, AccessExtent::Argument(2))), image: None }
    );
}

#[test]
fn matrices() {
    let rows = |text: &str| accesses(text, "=r,r")[0].place.map(|p| (p.lanes, p.extent));
    assert_eq!(rows("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {$0}, [$1];"), Some((8, AccessExtent::Bytes(16))));
    assert_eq!(
        rows("ldmatrix.sync.aligned.x4.trans.m8n8.shared::cta.b16 {$0}, [$1];"),
        Some((32, AccessExtent::Bytes(16)))
    );
    assert_eq!(accesses("stmatrix.sync.aligned.m8n8.x2.shared.b16 [$0], {$1, $2};", "r,r,r")[0].kind, Write);
    let load = accesses("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {$0,$1}, [$2], $3;", "=r,=r,r,r");
    let Some(AccessExtent::Tile(t)) = load[0].place.map(|p| p.extent) else { panic!("{load:?}") };
    assert_eq!((t.lines, t.line_bytes.get(), t.leading), (16, 32, LeadingDimension::Argument(1)));
    assert_eq!(
        accesses("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0}, $1, $2, p, 1, 1, 0, 0;", "=f,l,l"),
        [ModelledAccess::open(Read)]
    );
    assert_eq!(accesses("wgmma.fence.sync.aligned;", ""), []);
}

#[test]
fn barriers_fences_and_hints() {
    assert_eq!(accesses("mbarrier.init.shared.b64 [$0], $1;", "r,r"), [bytes(Write, Shared, 0, 8)]);
    assert_eq!(
        accesses("mbarrier.arrive.release.cta.shared::cta.b64 $0, [$1]; // 3a. ", "=l,r"),
        [bytes(Atomic, Shared, 0, 8)]
    );
    let wait = "{\n\t.reg .pred p;\n\tLAB_WAIT:\n\tmbarrier.try_wait.parity.shared.b64 p, [$0], $1;\n\t@p bra DONE;\n\tbra LAB_WAIT;\n\tDONE:\n\t}";
    assert_eq!(accesses(wait, "r,r"), [bytes(Read, Shared, 0, 8)]);
    for text in [
        "prefetch.global.L2 [$0];",
        "fence.proxy.tensormap::generic.acquire.gpu [$0], $1;",
        "membar.gl;",
        "bar.sync 0;",
    ] {
        assert_eq!(accesses(text, "l,n"), [], "{text}");
    }
    assert_eq!(accesses("discard.global.L2 [$0], 128;", "l"), [bytes(Write, Global, 0, 128)]);
}

#[test]
fn images_have_handles_and_surfaces_coordinates() {
    let image = |kind, coordinates, bytes, traps| {
        ModelledAccess::of_image(kind, ImageAccess { handle: 0, coordinates, bytes, traps })
    };
    let none = [None; 3];
    for text in [
        "tex.2d.v4.f32.f32 {$0,$1,$2,$3}, [$4, {$5,$6}];",
        "tex.level.3d.v4.f32.f32\t{$0, $1, $2, $3}, [$4, {$5, $6, $6, $6}], $6;",
        "tld4.r.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];",
    ] {
        assert_eq!(accesses(text, "=f,=f,=f,=f,l,f,f"), [image(Read, none, 0, false)], "{text}");
    }
    let three = "l,r,r,r,r";
    for (text, coordinates, bytes) in [
        ("sust.b.1d.b8.trap [$0, {$1}], {$2};", [Some(1), None, None], 1),
        ("sust.b.2d.v2.b32.trap [$0, {$1, $2}], {$3, $4};", [Some(1), Some(2), None], 8),
        ("sust.b.3d.b32.trap [$0, {$1, $2, $3, $3}], {$4};", [Some(1), Some(2), Some(3)], 4),
        ("sust.b.a1d.b32.trap [$0, {$1, $2}], {$3};", [Some(2), None, Some(1)], 4),
        ("sust.b.a2d.b16.trap [$0, {$1, $2, $3, $3}], {$4};", [Some(2), Some(3), Some(1)], 2),
    ] {
        assert_eq!(accesses(text, three), [image(Write, coordinates, bytes, true)], "{text}");
    }
    let at = [Some(1), Some(2), None];
    assert_eq!(accesses("sust.b.2d.b32.clamp [$0, {$1, $2}], {$3};", three), [image(Write, at, 4, false)]);
    assert_eq!(accesses("suld.b.2d.b32.zero {$0}, [$1, {$2, $3}];", "=r,l,r,r"), [image(Read, at, 4, false)]);
    assert_eq!(accesses("sust.p.2d.v4.b32.clamp [$0, {$1,$2}], {$3};", three), [image(Write, none, 0, false)]);
}

#[test]
fn what_is_not_known_counts() {
    assert_eq!(accesses("ld.global.u32 $0, [x];", "=r"), [ModelledAccess::open(Read)]);
    assert_eq!(accesses("@%p1 st.global.u32 [$0], $1;", "l,r"), [ModelledAccess::open(Write)]);
    assert_eq!(accesses("bra L; st.global.u32 [$0], $1; L:", "l,r"), [ModelledAccess::open(Write)]);
    assert_eq!(
        accesses("tex.2d.v4.f32.f32 {$0,$1,$2,$3}, [t, {$4,$5}];", "=f,=f,=f,=f,f,f"),
        [ModelledAccess::open(Read)]
    );
    assert_eq!(accesses("sust.p.2d.v4.b32.trap [$0, {$1,$2}], {$3};", "l,r,r,r"), [ModelledAccess::open(Write)]);
    assert_eq!(accesses("strange.op $0, [$1];", "=r,l"), [ModelledAccess::open(Atomic)]);
    for text in ["strange $0;", ".visible .func f;", "ld.$2.u32 $0, [$1];", "@ st.u32 [$0], 1;", "st.u32 [$0, 1;"] {
        assert_eq!(accesses(text, "r,l,n"), [ModelledAccess::open(Atomic)], "{text}");
    }
    assert_eq!(
        accesses("{ .reg .u64 a; mul.lo.u64 a, $1, 4; ld.global.u32 $0, [a]; }", "=r,l"),
        [ModelledAccess::open(Read)]
    );
    assert_eq!(accesses("ld.global.u32 $0, [$1];", "=*m,l"), [ModelledAccess::open(Read)]);
}

#[test]
fn registers_of_the_text_are_followed() {
    let text = "{ .reg .u64 a; .reg .u32 b; cvta.to.shared.u64 a, $1; cvt.u32.u64 b, a; add.u32 b, b, 8; ld.shared.u32 $0, [b+4]; }";
    let found = accesses(text, "=r,l");
    assert_eq!(found[0].place.unwrap().address, Address { argument: 0, offset: 12 });
    // A result may be the argument that is tied to it.
    assert_eq!(accesses("st.shared.u32 [$0], 1; add.u32 $0, $0, 4;", "=r,0"), [bytes(Write, Shared, 0, 4)]);
    let overwritten = "mul.lo.u32 $0, $0, 4; st.shared.u32 [$0], 1;";
    assert_eq!(accesses(overwritten, "=r,0"), [ModelledAccess::open(Write)]);
}

#[test]
fn addresses_of_shared_memory_are_results() {
    let text = "{ .reg .u64 u64addr; cvta.to.shared.u64 u64addr, $1; cvt.u32.u64 $0, u64addr; }\n";
    assert_eq!(shared_address(text, "=r,l"), Some(0));
    assert_eq!(shared_address("mov.u32 $0, $1;", "=r,r"), None);
}

#[test]
fn special_registers_are_results() {
    let register = |text: &str| special_register(text, "=r");
    assert_eq!(register("mov.u32 $0, %laneid;").as_deref(), Some("laneid"));
    assert_eq!(register("{ mov.b32 $0, %lanemask_lt; }\n").as_deref(), Some("lanemask.lt"));
    assert_eq!(register("mov.u32 $0, %cluster_ctaid.x;").as_deref(), Some("cluster.ctaid.x"));
    assert_eq!(register("mov.u32 $0, %clusterid.x;").as_deref(), Some("clusterid.x"));
    assert_eq!(register("mov.u32 $0, WARP_SZ;").as_deref(), Some("warpsize"));
    // A register of the text, another width, a condition, a second statement, a second result.
    assert_eq!(register("mov.u32 $0, r;"), None);
    assert_eq!(register("mov.u64 $0, %clock64;"), None);
    assert_eq!(register("@p mov.u32 $0, %laneid;"), None);
    assert_eq!(register("mov.u32 $0, %laneid; add.u32 $0, $0, 1;"), None);
    assert_eq!(special_register("mov.u32 $0, %laneid;", "=r,=r"), None);
    assert_eq!(special_register("mov.u32 $0, %laneid;", "=l"), None);
}

#[test]
fn labels_hide_nothing() {
    for label in ["L${:uid}:", "$$L__BB0_1:", "%l:", "A: B${:uid}_x:", "L$1 :\n", "/* : */ L:", "bar.sync 0; L:"] {
        let text = format!("{label} st.global.u32 [$0], 1;");
        assert_eq!(accesses(&text, "l,n"), [bytes(Write, Global, 0, 4)], "{label}");
    }
}

#[test]
fn blocks_hide_registers_and_predicates() {
    let when = |text: &str| accesses(text, "l,r,r")[0].place.map(|p| (p.address.argument, p.guard));
    let of = |argument| Some((0, Guard::Argument { argument, set: true }));
    let set = |n: usize| format!("setp.ne.u32 p, ${n}, 0;");
    let inner = format!("{{ .reg .pred p; {} {{ .reg .pred p; {} }} @p st.u32 [$0], 1; }}", set(1), set(2));
    assert_eq!(when(&inner), of(1));
    let assigned = format!("{{ .reg .pred p; {} {{ {} }} @p st.u32 [$0], 1; }}", set(1), set(2));
    assert_eq!(when(&assigned), of(2));
    let numbered = "{ .reg .u64 a<2>; mov.u64 a0, $0; { .reg .u64 a0; mov.u64 a0, $1; } st.u32 [a0], 1; }";
    assert_eq!(accesses(numbered, "l,l"), [bytes(Write, Generic, 0, 4)]);
    // After a brace that another statement opens, a name denotes another variable.
    assert_eq!(accesses("mov.u64 a, $0; } st.u32 [a], 1;", "l"), [ModelledAccess::open(Write)]);
    assert_eq!(accesses("} st.u32 [$0], 1; {", "l"), [bytes(Write, Generic, 0, 4)]);
}

#[test]
fn directives_declare_and_end() {
    let text = ".reg .v2 .f32 v; .reg.pred p; .shared .align 16 .b8 buf[16]; .pragma \"x; y\";\n.loc 1 2 3\n L: .branchtargets M;\n\
                st.u32 [$0+0x10], 1; ld.u32 $1, [buf];";
    let mut moved = bytes(Write, Generic, 0, 4);
    moved.place.as_mut().unwrap().address.offset = 16;
    assert_eq!(accesses(text, "l,r"), [moved, ModelledAccess::open(Read)]);
    let hidden = "{ .reg .u64 a; mov.u64 a, $0; { .shared .b8 a[4]; ld.u32 $1, [a]; } }";
    assert_eq!(accesses(hidden, "l,r"), [ModelledAccess::open(Read)]);
}

#[test]
fn copies_without_a_qualifier_are_unknown() {
    for text in ["cp", "cp;", "@p cp [$0], [$1], 16;"] {
        assert_eq!(accesses(text, "l,l"), [ModelledAccess::open(Atomic)], "{text}");
    }
}

#[test]
fn numbers_and_cut_addresses() {
    let offset = |text: &str| accesses(text, "l")[0].place.map(|p| p.address.offset);
    assert_eq!(offset("st.u32 [$0+010], 1;"), Some(8));
    assert_eq!(offset("st.u32 [$0+-4], 1;"), Some(-4));
    assert_eq!(offset("st.u32 [$0 - 4], 1;"), Some(-4));
    assert_eq!(offset("st.u32 [$0+x], 1;"), None);
    let cut = "{ .reg .u32 b; .reg .u64 a; cvt.u32.u64 b, $0; cvt.u64.u32 a, b; st.global.u32 [a], 1; }";
    assert_eq!(accesses(cut, "l"), [ModelledAccess::open(Write)]);
    assert_eq!(accesses("ld.local.u32 $0, [$1];", "=r,l"), [ModelledAccess::open(Read)]);
    assert_eq!(accesses("ld.param.u32 $0, [$1];", "=r,l"), [ModelledAccess::open(Read)]);
}

#[test]
fn ends_of_threads() {
    let says = |text: &str| ending(text).map(|e| (e.how, e.certain));
    assert_eq!(says("{ exit; }"), Some((ThreadEnd::Exit, true)));
    assert_eq!(says("bar.sync 0; L: trap ;"), Some((ThreadEnd::Trap, true)));
    assert_eq!(says("@p exit;"), Some((ThreadEnd::Exit, false)));
    assert_eq!(says("@p bra L; trap; L:"), Some((ThreadEnd::Trap, false)));
    assert_eq!(says("bar.sync 0; // trap;"), None);
    assert_eq!(accesses("@p exit; st.u32 [$0], 1;", "l"), [ModelledAccess::open(Write)]);
}
