//! Operators whose accesses depend on what an operation of PyTorch gives: the tensor itself or a copy, a view or a copy, which strides, which type, how
//! many elements.

use super::tensors::checked;
use scuba::finding::{Report, Verdict};

/// An operator that launches one kernel, whose access is the only one.
fn operator(kernel: &str, body: &str) -> String {
    format!(
        "#include <torch/extension.h>\n__global__ void k({kernel}\n}}\nvoid op(torch::Tensor x, int64_t n) {{\n  TORCH_CHECK(n > 1 && n < 1000 && x.is_cuda());\n  auto o = torch::TensorOptions().dtype(torch::kFloat32).device(torch::kCUDA);\n{body}}}\nPYBIND11_MODULE(ext, m) {{ m.def(\"op\", &op); }}\n"
    )
}

const FILL: &str =
    "float *p, int64_t n) {\n  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;\n  if (i < n) p[i] = 1;";
const FILL_LONG: &str =
    "int64_t *p, int64_t n) {\n  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;\n  if (i < n) p[i] = 1;";

/// Fills so many elements of a tensor.
fn filled(made: &str, count: &str) -> String {
    operator(FILL, &format!("  {made}\n  k<<<({count} + 255) / 256, 256>>>(y.data_ptr<float>(), {count});\n"))
}

fn is_wrong(source: &str) {
    let (report, _) = checked(source);
    assert_eq!(report.summary.safe, 0, "{source}: {:?}", report.undecided);
    assert!(
        report.findings.iter().any(|f| f.verdict == Verdict::Proved),
        "{source}: {:?} {:?}",
        report.findings,
        report.undecided
    );
}

fn not_safe(source: &str) -> Report {
    let (report, _) = checked(source);
    assert_eq!(report.summary.safe, 0, "{source}: {:?}", report.findings);
    report
}

fn is_right(source: &str) {
    let (report, _) = checked(source);
    assert_eq!(
        (report.summary.accesses, report.summary.safe),
        (1, 1),
        "{source}: {:?} {:?}",
        report.findings,
        report.undecided
    );
}

#[test]
fn what_is_as_it_is_asked_for_is_the_tensor_itself() {
    // One element, seen n times.
    is_wrong(&filled("auto y = torch::zeros({1}, o).expand({n}).cuda();", "n"));
    is_wrong(&filled("auto y = torch::zeros({1}, o).expand({n}).to(torch::kFloat32);", "n"));
    is_right(&filled("auto y = torch::zeros({1}, o).expand({n}).contiguous().cuda();", "n"));
    is_right(&filled("auto y = torch::zeros({1}, o).expand({n}).to(torch::kFloat32, false, true);", "n"));
    // What a caller gives may be expanded.
    let given = "TORCH_CHECK(x.dim() == 1 && x.size(0) == n && x.scalar_type() == torch::kFloat32);";
    is_wrong(&filled(&format!("{given} auto y = x.cuda();"), "n"));
    is_wrong(&filled(&format!("{given} auto y = x.to(torch::kFloat32);"), "n"));
    is_right(&filled(&format!("{given} auto y = x.cuda().contiguous();"), "n"));
}

#[test]
fn other_sizes_of_the_same_elements_are_a_view_where_that_is_possible() {
    is_wrong(&filled("auto y = torch::zeros({1, 2}, o).expand({n, 2}).reshape({n, 2});", "(2 * n)"));
    is_wrong(&filled("auto y = torch::zeros({1}, o).expand({n}).flatten();", "n"));
    is_right(&filled("auto y = torch::zeros({n, 2}, o).reshape({-1});", "(2 * n)"));
    is_right(&filled("auto y = torch::zeros({n, 2}, o).flatten();", "(2 * n)"));
    // Of a tensor that nobody knows to be contiguous it may be either.
    let given = "TORCH_CHECK(x.dim() == 2 && x.size(0) == n && x.size(1) == 2 && x.scalar_type() == torch::kFloat32);";
    is_wrong(&filled(&format!("{given} auto y = x.reshape({{-1}});"), "(2 * n)"));
    is_right(&filled(&format!("{given} TORCH_CHECK(x.is_contiguous()); auto y = x.reshape({{-1}});"), "(2 * n)"));
}

#[test]
fn ranges_go_down_as_well() {
    is_wrong(&filled("auto y = torch::arange(5, 0, -2, o);", "4"));
    is_wrong(&filled("auto y = torch::arange(n, 0, -1, o);", "(n + 1)"));
    is_right(&filled("auto y = torch::arange(5, 0, -2, o);", "3"));
}

#[test]
fn a_tensor_that_is_filled_has_the_type_of_the_number() {
    let cuda = "torch::TensorOptions().device(torch::kCUDA)";
    let of = |count: &str| {
        let body = format!(
            "  auto y = torch::full({{n}}, 7, {cuda});\n  k<<<({count} + 255) / 256, 256>>>(y.data_ptr<int64_t>(), {count});\n"
        );
        operator(FILL_LONG, &body)
    };
    is_wrong(&of("(n + 1)"));
    is_right(&of("n"));
    // A real number has the default type, which need not be this one.
    is_right(&filled(&format!("auto y = torch::full({{n}}, 7.5, {cuda});"), "n"));
    is_wrong(&filled(&format!("auto y = torch::full({{n}}, 7.5, {cuda});"), "(n + 1)"));
}

#[test]
fn what_has_no_type_of_its_own_has_the_default_one() {
    let cuda = "torch::TensorOptions().device(torch::kCUDA)";
    is_right(&filled(&format!("auto y = torch::empty({{n}}, {cuda});"), "n"));
    is_wrong(&filled(&format!("auto y = torch::empty({{n}}, {cuda});"), "(n + 1)"));
    // torch.set_default_dtype(torch.half) makes it half as long.
    let untyped = format!(
        "  auto y = torch::empty({{n}}, {cuda});\n  k<<<(n + 255) / 256, 256>>>(static_cast<float *>(y.data_ptr()), n);\n"
    );
    not_safe(&operator(FILL, &untyped));
}

/// Reads one element of the tensor that the caller gave, whose number is a stride.
fn at_stride(made: &str, check: &str) -> String {
    let kernel = "float *p, const float *q, int64_t s) {\n  *p = q[s - 1];";
    let body = format!(
        "  TORCH_CHECK(x.dim() == 1 && x.is_contiguous() && {check});\n  {made}\n  k<<<1, 1>>>(torch::empty({{1}}, o).data_ptr<float>(), x.data_ptr<float>(), y.stride(0));\n"
    );
    operator(kernel, &body)
}

#[test]
fn strides_are_those_of_pytorch() {
    // The stride of a dimension that `expand` puts in front.
    let made = "auto y = torch::zeros({n}, o).expand({1, n});";
    let wrong = checked(&at_stride(made, "x.size(0) == 1")).0;
    assert_eq!((wrong.summary.accesses, wrong.summary.safe), (2, 1), "{:?}", wrong.findings);
    let right = checked(&at_stride(made, "x.size(0) == n")).0;
    assert_eq!((right.summary.accesses, right.summary.safe), (2, 2), "{:?} {:?}", right.findings, right.undecided);
    // Channels lie together: the stride of the second last dimension is 15, not 5.
    for format in [
        "torch::empty({2, 3, 4, 5}, o, c10::MemoryFormat::ChannelsLast)",
        "torch::zeros({2, 3, 4, 5}, o).contiguous(c10::MemoryFormat::ChannelsLast)",
    ] {
        let made = format!("auto y = {format}.select(0, 0).select(0, 0);");
        let wrong = checked(&at_stride(&made, "x.size(0) == 5")).0;
        assert_eq!((wrong.summary.accesses, wrong.summary.safe), (2, 1), "{format} {:?}", wrong.findings);
        let right = checked(&at_stride(&made, "x.size(0) == 15")).0;
        assert_eq!(
            (right.summary.accesses, right.summary.safe),
            (2, 2),
            "{format} {:?} {:?}",
            right.findings,
            right.undecided
        );
    }
    // Where a tensor has no elements, 1 is taken for a size of 0.
    let made = "auto y = torch::empty({3, n - 2}, o);";
    let right = checked(&at_stride(made, "x.size(0) == n - 1")).0;
    assert_eq!((right.summary.accesses, right.summary.safe), (2, 2), "{:?} {:?}", right.findings, right.undecided);
    let wrong = checked(&at_stride(made, "x.size(0) == n - 1").replace("q[s - 1]", "q[s]")).0;
    assert_eq!((wrong.summary.accesses, wrong.summary.safe), (2, 1), "{:?}", wrong.findings);
}
