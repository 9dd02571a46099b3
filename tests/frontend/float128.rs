//! `__float128` in code of the device, which nvcc takes for sm_100: its size, and the names of kernels that are given some.

use super::{Project, nvcc, side};
use scuba::ir::{Op, Side};
use std::process::Command;

const SOURCE: &str = "struct Pair { __float128 value; int index; };\n\
    template <class T> __global__ void k(T *p, Pair *pairs, T x) { p[1] = x * 2.5Q + pairs[2].value; }\n\
    __global__ void at_one(int *a, __float128 x) { a[(int)x] = 1; }\n\
    int main() { k<__float128><<<1, 1>>>(nullptr, nullptr, 3); at_one<<<1, 1>>>(nullptr, 2); }\n";

#[test]
fn numbers_of_128_bits_are_read_without_a_value() {
    let p = Project::new(&[("a.cu", SOURCE)]);
    let flags = "a.cu -arch=sm_100";
    let words = shlex::split(flags).unwrap();
    let real = Command::new(nvcc()).args(words).args(["-c", "-o", "/dev/null"]).current_dir(p.path()).output().unwrap();
    assert!(real.status.success(), "nvcc itself: {}", String::from_utf8_lossy(&real.stderr));
    let e = p.extract(flags);
    assert!(e.not_analysed.is_empty(), "{:?}", e.not_analysed);
    assert!(e.notes.iter().any(|n| n.contains("`__float128`")), "{:?}", e.notes);
    let device = side(&e, Side::Device);
    let mut kernels: Vec<(&str, &str)> =
        device.functions.iter().filter(|f| f.kernel).map(|f| (f.name.as_str(), f.display.as_str())).collect();
    kernels.sort_unstable();
    let shown = "k<__float128>(__float128*, Pair*, __float128)";
    assert_eq!(kernels, [("_Z1kIgEvPT_P4PairS0_", shown), ("_Z6at_onePig", "at_one(int*, __float128)")]);
    let of_numbers: Vec<(u64, u32)> = device
        .functions
        .iter()
        .filter(|f| f.kernel)
        .filter_map(|f| f.params.last()?.byval)
        .map(|t| (device.size_of(t).get(), device.ty(t).align))
        .collect();
    assert_eq!(of_numbers, [(16, 16), (16, 16)]);
    // What is computed comes from nowhere: no operation of another width stands for it.
    let own = device.functions.iter().filter(|f| f.kernel || f.display.contains("__float128"));
    let computes = |op: &Op| matches!(op, Op::Bin { op, .. } if format!("{op:?}").starts_with('F'));
    assert!(!own.flat_map(|f| &f.blocks).flat_map(|b| &b.insts).any(|i| computes(&i.op)));
}
