//! The analysis form of small programs, as text.

use super::{Project, side};
use scuba::ir::{Module, Side};

/// The definitions of the user's own functions and globals; what headers bring depends on their versions.
fn own(module: &Module) -> String {
    let text = module.to_string();
    let mut out = String::new();
    let mut keep = false;
    for line in text.lines() {
        let head = !line.starts_with(' ');
        if head {
            let from_header =
                line.contains("_ZNSt") || line.contains(".h:") || line.contains(".hpp:") || line.contains("/c++/");
            keep = !from_header
                && !line.starts_with("declare")
                && !line.starts_with("module")
                && !line.contains("__cuda_builtin");
        }
        if keep {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

fn program(name: &str) -> Project {
    let path = format!("{}/tests/frontend/programs/{name}", env!("CARGO_MANIFEST_DIR"));
    Project::new(&[(name, &std::fs::read_to_string(path).unwrap())])
}

#[test]
fn kernels() {
    let extraction = program("kernel.cu").extract("kernel.cu -arch=sm_80 -std=c++17");
    insta::assert_snapshot!(own(side(&extraction, Side::Device)));
}

#[test]
fn host_code() {
    let extraction = program("host.cu").extract("host.cu -arch=sm_80 -std=c++17");
    insta::assert_snapshot!(own(side(&extraction, Side::Host)));
}

#[test]
fn plain_c() {
    let extraction = program("plain.c").extract("plain.c");
    assert_eq!(extraction.modules.len(), 1, "a C source has a host side only");
    insta::assert_snapshot!(own(side(&extraction, Side::Host)));
}

#[test]
fn cached_loads_and_stores_are_plain_accesses() {
    use scuba::ir::{Bytes, Op, Terminator};
    let extraction = program("kernel.cu").extract("kernel.cu -arch=sm_80 -std=c++17");
    let device = side(&extraction, Side::Device);
    let asm: Vec<&str> = device
        .functions
        .iter()
        .flat_map(|f| &f.blocks)
        .flat_map(|b| &b.insts)
        .filter_map(|i| if let Op::Asm { text, .. } = &i.op { Some(text.as_str()) } else { None })
        .collect();
    assert_eq!(asm, ["st.shared.u32 [$0], $1;"], "an address that is no pointer stays");
    let accesses = |name: &str| {
        let f = super::function(device, name);
        assert!(matches!(f.blocks[0].term, Terminator::Ret(_)));
        f.blocks[0]
            .insts
            .iter()
            .filter_map(|i| match &i.op {
                Op::Load { .. } => Some(("load", device.size_of(i.ty))),
                Op::Store { value: scuba::ir::Operand::Value(v), .. } => {
                    let made = f.blocks[0].insts.iter().find(|i| i.result == Some(*v))?;
                    Some(("store", device.size_of(made.ty)))
                }
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    assert!(accesses("__ldcs(float4 const*)").contains(&("load", Bytes(16))), "one access of 16 bytes");
    assert!(accesses("__ldcg(unsigned char const*)").contains(&("load", Bytes(1))));
    assert!(accesses("__stwt(float4*, float4)").contains(&("store", Bytes(16))));
}
