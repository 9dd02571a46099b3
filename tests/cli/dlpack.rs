//! Tensors of DLPack: functions that nanobind and TVM-FFI call, what the types of their arguments require, and accessors that read the structure itself.
//! The headers are ours, with the libraries' names (`tests/support/include`).

use super::spellings::safe;
use super::tensors::{checked, proved};
use scuba::finding::{Report, Verdict};
use scuba::rules::{Level, Rule};

const NANOBIND: &str = "#include <nanobind/nanobind.h>\n#include <nanobind/ndarray.h>\nnamespace nb = nanobind;\n";
const TVM: &str = "#include <tvm/ffi/tvm_ffi.h>\nnamespace ffi = tvm::ffi;\nnamespace refl = tvm::ffi::reflection;\n";

/// Kernel of all programs, behind three lines.
const KERNEL: &str = "\
__global__ void scale(const float *x, const float *w, float *y, int64_t n, int64_t c) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n * c)
    y[i] = x[i] *
           w[i % c];
}
";
/// Lines of the accesses to `y` and `x`, and to `w`.
const Y: u32 = 7;
const W: u32 = 8;

const LAUNCH: &str =
    "if (n * c > 0) scale<<<(n * c + 255) / 256, 256>>>((const float *)X, (const float *)W, (float *)Y, n, c);";

fn launch(x: &str, w: &str, y: &str) -> String {
    LAUNCH.replace('X', x).replace('W', w).replace('Y', y)
}

fn judged(library: &str, rest: &str) -> Report {
    checked(&format!("{library}{KERNEL}{rest}")).0
}

fn is_safe(report: &Report, what: &str) {
    assert_eq!(safe(report), (3, 3), "{what}: {:?} {:?}", report.findings, report.undecided);
    assert!(report.findings.is_empty(), "{what}: {:?}", report.findings);
}

/// An operator of arrays, with types for `x` and `w`, checks, and its registration.
fn arrays(x: &str, w: &str, checks: &str, registration: &str) -> String {
    let launch = launch("x.data()", "w.data()", "y.data()");
    format!(
        "using Matrix = nb::ndarray<float, nb::device::cuda, nb::ndim<2>, nb::c_contig>;\n\
         void op({x} x, {w} w, const Matrix &y) {{\n  int64_t n = x.shape(0), c = x.shape(1);\n  {checks}\n  {launch}\n}}\n\
         NB_MODULE(ext, m) {{ {registration} }}\n"
    )
}

const DEF: &str = "m.def(\"op\", &op, nb::arg(\"x\"), nb::arg(\"w\"), nb::arg(\"y\"));";
const VECTOR: &str = "nb::ndarray<const float, nb::device::cuda, nb::shape<-1>, nb::c_contig>";
const SAME: &str = "if (y.shape(0) != n || y.shape(1) != c) throw nb::value_error(\"y\");";
const ALL: &str = "if (w.shape(0) != c || y.shape(0) != n || y.shape(1) != c) throw nb::value_error(\"sizes\");";

#[test]
fn functions_of_nanobind_are_entry_points() {
    let lambda = format!("m.def(\"op\", [](Matrix x, {VECTOR} w, Matrix y) {{ op(x, w, y); }});");
    for registration in [DEF, &lambda] {
        is_safe(&judged(NANOBIND, &arrays("Matrix", VECTOR, ALL, registration)), registration);
        let report = judged(NANOBIND, &arrays("Matrix", VECTOR, SAME, registration));
        assert_eq!(proved(&report), [(Rule::UncheckedArgument, W)], "{registration}: {:?}", report.undecided);
        let finding = &report.findings[0];
        let (w, x) = (&finding.arguments["w"], &finding.arguments["x"]);
        assert_eq!((finding.level, w.dtype.as_str()), (Level::Warn, "float32"));
        assert!(w.sizes[0] < x.sizes[1], "{w} {x}");
        assert_eq!(finding.witness.as_ref().unwrap().run.operator.as_deref(), Some("op"), "{registration}");
        let check = finding.missing_check.as_ref().unwrap().statement().unwrap();
        assert!(check.starts_with("if (!(w.shape(0) >= x.shape(1))) throw nanobind::value_error("), "{check}");
    }
    // Nobody is known to call it.
    let report = judged(NANOBIND, &arrays("Matrix", VECTOR, SAME, ""));
    assert_eq!(proved(&report), []);
}

#[test]
fn nanobind_refuses_what_the_types_of_arguments_do_not_allow() {
    let of = |x: &str, w: &str, checks: &str| judged(NANOBIND, &arrays(x, w, checks, DEF));
    let matrix = "nb::ndarray<float, nb::shape<-1, 4>, nb::device::cuda, nb::c_contig>";
    let vector = |n: u32| format!("nb::ndarray<float, nb::device::cuda, nb::shape<{n}>, nb::c_contig>");
    is_safe(&of(matrix, &vector(4), SAME), "sizes of the types fit together");
    // No arguments fit where they do not.
    let report = of(matrix, &vector(3), SAME);
    assert_eq!(proved(&report), [(Rule::OobGlobal, W)], "{:?}", report.undecided);
    let (x, w) = (&report.findings[0].arguments["x"], &report.findings[0].arguments["w"]);
    assert_eq!((x.sizes[1], &w.sizes[..]), (4, &[3][..]), "{x} {w}");
    // Without an order an array may be a view with less memory than elements, without a type its elements may be short,
    // without a device it may lie on the host.
    let strided = of("nb::ndarray<float, nb::device::cuda, nb::ndim<2>>", VECTOR, ALL);
    assert_eq!(proved(&strided), [(Rule::UncheckedArgument, Y)], "{:?}", strided.undecided);
    assert!(!strided.findings[0].arguments["x"].is_packed(), "{:?}", strided.findings);
    let untyped = of("nb::ndarray<nb::device::cuda, nb::ndim<2>, nb::c_contig>", VECTOR, ALL);
    assert_eq!(proved(&untyped), [(Rule::UncheckedArgument, Y)], "{:?}", untyped.undecided);
    let x = &untyped.findings[0].arguments["x"];
    assert!(["int8", "uint8", "bool", "float16", "int16", "uint16", "bfloat16"].contains(&x.dtype.as_str()), "{x}");
    let typed = format!("{ALL} if (x.dtype() != nb::dtype<float>()) throw nb::value_error(\"type\");");
    is_safe(&of("nb::ndarray<nb::device::cuda, nb::ndim<2>, nb::c_contig>", VECTOR, &typed), "checked type");
    let anywhere = of("nb::ndarray<float, nb::ndim<2>, nb::c_contig>", VECTOR, ALL);
    let possible = |f: &&scuba::finding::Finding| f.verdict == Verdict::Possible;
    assert_eq!(proved(&anywhere), []);
    let found = anywhere.findings.iter().find(possible).unwrap_or_else(|| panic!("{:?}", anywhere.undecided));
    let check = found.missing_check.as_ref().unwrap().statement().unwrap();
    assert!(check.contains("x.device_type() == nanobind::device::cuda::value") && !check.contains("w."), "{check}");
}

#[test]
fn what_is_required_by_an_unknown_annotation_is_not_taken_for_nothing() {
    let report = judged(
        NANOBIND,
        &format!(
            "struct Later {{}};\n{}",
            arrays("nb::ndarray<float, Later, nb::device::cuda, nb::ndim<2>>", VECTOR, SAME, DEF)
        ),
    );
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    assert!(!report.undecided.is_empty());
}

#[test]
fn arrays_with_the_order_of_fortran_are_read_by_columns() {
    let of = |order: &str| {
        judged(
            NANOBIND,
            &format!(
                "__global__ void columns(const float *a, int64_t n, int64_t m) {{\n\
                 \x20 for (int64_t j = threadIdx.x; j < m; j += blockDim.x) if (a[j * n] > 3) __trap();\n}}\n\
                 void op(nb::ndarray<float, nb::device::cuda, nb::ndim<2>{order}> a) {{\n\
                 \x20 if (a.shape(0) > 0 && a.shape(1) > 0) columns<<<1, 256>>>(a.data(), a.shape(0), a.shape(1));\n}}\n\
                 NB_MODULE(ext, m) {{ m.def(\"op\", &op); }}\n"
            ),
        )
    };
    let report = of(", nb::f_contig");
    let is_of_a = |u: &&scuba::finding::Undecided| u.array == "a";
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    assert_eq!(
        (report.summary.safe, report.undecided.iter().filter(is_of_a).count()),
        (1, 0),
        "{:?}",
        report.undecided
    );
    let report = of("");
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 11)], "{:?}", report.undecided);
    assert!(!report.findings[0].arguments["a"].is_packed(), "{:?}", report.findings);
}

/// An operator of TVM-FFI with a class for its arguments, further checks, and its registration.
fn functions(class: &str, checks: &str, registration: &str) -> String {
    let launch = launch("x.data_ptr()", "w.data_ptr()", "y.data_ptr()");
    format!(
        "void op(ffi::{class} x, ffi::{class} w, ffi::{class} y) {{\n\
         \x20 DLDataType f32{{kDLFloat, 32, 1}};\n\
         \x20 TVM_FFI_ICHECK_EQ(x.stride(-1), 1) << \"x\";\n\
         \x20 TVM_FFI_ICHECK_EQ(x.ndim(), 2) << \"x\";\n\
         \x20 TVM_FFI_ICHECK(w.ndim() == 1 && y.ndim() == x.ndim());\n\
         \x20 TVM_FFI_ICHECK(x.IsContiguous() && w.IsContiguous() && y.IsContiguous());\n\
         \x20 TVM_FFI_ICHECK(x.dtype() == f32 && w.dtype() == f32 && y.dtype() == f32);\n\
         \x20 TVM_FFI_ICHECK_EQ(x.device().device_type, kDLCUDA);\n\
         \x20 TVM_FFI_ICHECK(w.device().device_type == kDLCUDA && y.device().device_type == kDLCUDA);\n\
         \x20 int64_t n = x.size(0), c = x.size(-1);\n\
         \x20 TVM_FFI_ICHECK_EQ(y.size(0), n) << \"y\";\n\
         \x20 TVM_FFI_ICHECK_EQ(y.size(1), c) << \"y\";\n\
         \x20 {checks}\n  {launch}\n}}\n{registration}\n"
    )
}

const EXPORTED: &str = "TVM_FFI_DLL_EXPORT_TYPED_FUNC(op, op)";
const GLOBAL: &str = "TVM_FFI_STATIC_INIT_BLOCK() { refl::GlobalDef().def(\"ext.op\", op); }";
const FITS: &str = "TVM_FFI_ICHECK_EQ(w.size(0), c) << \"w\";";

#[test]
fn functions_of_tvm_ffi_are_entry_points() {
    for (class, registration, name) in
        [("TensorView", EXPORTED, "op"), ("TensorView", GLOBAL, "ext.op"), ("Tensor", EXPORTED, "op")]
    {
        is_safe(&judged(TVM, &functions(class, FITS, registration)), registration);
        let report = judged(TVM, &functions(class, "", registration));
        assert_eq!(proved(&report), [(Rule::UncheckedArgument, W)], "{registration}: {:?}", report.undecided);
        let finding = &report.findings[0];
        let (w, x) = (&finding.arguments["w"], &finding.arguments["x"]);
        assert!(w.sizes[0] < x.sizes[1], "{w} {x}");
        assert_eq!(finding.witness.as_ref().unwrap().run.operator.as_deref(), Some(name), "{registration}");
        let check = finding.missing_check.as_ref().unwrap().statement().unwrap();
        assert!(check.starts_with("TVM_FFI_ICHECK(w.size(0) >= x.size(1)) << "), "{check}");
    }
}

#[test]
fn tensors_of_any_rank_are_compared_by_their_number_of_elements() {
    let of = |checks: &str| {
        let launch = launch("x.data_ptr()", "x.data_ptr()", "y.data_ptr()");
        let source = format!(
            "void op(ffi::Tensor x, ffi::Tensor y) {{\n  DLDataType f32{{kDLFloat, 32, 1}};\n\
             \x20 TVM_FFI_ICHECK(x.dtype() == f32 && y.dtype() == f32 && x.IsContiguous() && y.IsContiguous());\n\
             \x20 TVM_FFI_ICHECK(x.device().device_type == kDLCUDA && y.device().device_type == kDLCUDA);\n\
             \x20 int64_t n = x.numel(), c = 1;\n  {checks}\n  {launch}\n}}\n{EXPORTED}\n"
        );
        judged(TVM, &source)
    };
    is_safe(&of("TVM_FFI_ICHECK_EQ(y.numel(), n);"), "same number of elements");
    // Each argument is a tensor of its own.
    let report = of("");
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 7)], "{:?}", report.undecided);
    assert_eq!(report.findings[0].access.array, "y");
}

#[test]
fn the_structure_of_dlpack_is_read_by_its_members() {
    let of = |checks: &str| {
        let launch = launch("x->data", "x->data", "y->data");
        let source = format!(
            "void op(DLTensor *x, const DLTensor *y) {{\n\
             \x20 TVM_FFI_ICHECK(x->ndim == 1 && y->ndim == x->ndim && x->strides[0] == 1 && y->strides[0] == 1);\n\
             \x20 TVM_FFI_ICHECK(x->dtype.code == kDLFloat && x->dtype.bits == 32 && y->dtype.bits == 32);\n\
             \x20 TVM_FFI_ICHECK(x->device.device_type == kDLCUDA && y->device.device_type == kDLCUDA);\n\
             \x20 int64_t n = x->shape[0], c = 1;\n  {checks}\n  {launch}\n}}\n{EXPORTED}\n"
        );
        judged(TVM, &source)
    };
    is_safe(&of("TVM_FFI_ICHECK(y->shape[0] >= n);"), "long enough");
    let report = of("");
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 7)], "{:?}", report.undecided);
    let check = report.findings[0].missing_check.as_ref().unwrap().statement().unwrap();
    assert!(check.starts_with("TVM_FFI_ICHECK(x->shape[0] <= y->shape[0]) << "), "{check}");
}

#[test]
fn copies_of_arrays_of_any_rank_are_as_long_as_these() {
    let of = |checks: &str| {
        let source = format!(
            "using Array = nb::ndarray<float, nb::device::cuda, nb::c_contig>;\nvoid op(Array x, Array y) {{\n\
             \x20 {checks}\n  cudaMemcpy(y.data(), x.data(), x.size() * sizeof(float), cudaMemcpyDeviceToDevice);\n}}\n\
             NB_MODULE(ext, m) {{ m.def(\"op\", &op); }}\n"
        );
        checked(&format!("{NANOBIND}{KERNEL}{source}"))
    };
    let (report, said) = of("if (x.size() != y.size()) throw nb::value_error(\"sizes\");");
    assert!(report.findings.is_empty() && !said.err.contains("is not decided"), "{:?} {said:?}", report.findings);
    let (report, _) = of("");
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 13)], "{:?}", report.undecided);
}

#[test]
fn indices_in_arrays_are_data() {
    let of = |check: &str| {
        let source = format!(
            "__global__ void gather(const float *a, const int64_t *at, float *out, int64_t n, int64_t m) {{\n\
             \x20 int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;\n\
             \x20 if (i < m{check}) out[i] = a[at[i]];\n}}\n\
             template <typename T> using Vector = nb::ndarray<T, nb::device::cuda, nb::ndim<1>, nb::c_contig>;\n\
             void op(Vector<float> a, Vector<const int64_t> at, Vector<float> out) {{\n\
             \x20 if (out.shape(0) != at.shape(0)) throw nb::value_error(\"out\");\n\
             \x20 int64_t m = at.shape(0);\n\
             \x20 if (m > 0) gather<<<(m + 255) / 256, 256>>>(a.data(), at.data(), out.data(), a.shape(0), m);\n}}\n\
             NB_MODULE(ext, m) {{ m.def(\"op\", &op); }}\n"
        );
        judged(NANOBIND, &source)
    };
    let report = of(" && at[i] >= 0 && at[i] < n");
    assert!(report.findings.is_empty() && report.summary.safe > 2, "{:?} {:?}", report.findings, report.undecided);
    let report = of("");
    assert_eq!(proved(&report), [(Rule::DataIndex, 12)], "{:?}", report.undecided);
    // An element of 0 is too much for an empty array.
    let (a, at) = (&report.findings[0].arguments["a"], &report.findings[0].arguments["at"]);
    assert!(at.dtype == "int64" && (a.sizes == [0] || !at.elements.is_empty()), "{a} {at}");
}

#[test]
fn exceptions_of_nanobind_end_a_call() {
    let of = |check: &str| {
        let source = format!(
            "__global__ void copy(const float *a, float *out, int n) {{\n\
             \x20 int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
             \x20 if (i < n) out[i] =\n\
             \x20   a[i];\n}}\n\
             using Vector = nb::ndarray<float, nb::device::cuda, nb::ndim<1>, nb::c_contig>;\n\
             NB_MODULE(ext, m) {{\n  m.def(\"op\", [](Vector a, Vector out) {{\n\
             \x20   {check}\n\
             \x20   if (a.shape(0) > 1 << 28 || out.shape(0) > 1 << 28) throw nb::value_error(\"too many\");\n\
             \x20   int n = out.shape(0);\n\
             \x20   if (n > 0) copy<<<(n + 255) / 256, 256>>>(a.data(), out.data(), n);\n  }});\n}}\n"
        );
        checked(&format!("{NANOBIND}{source}")).0
    };
    let report = of("if (a.shape(0) != out.shape(0)) throw nb::value_error(\"sizes\");");
    assert!(report.findings.is_empty() && report.undecided.is_empty(), "{:?} {:?}", report.findings, report.undecided);
    let report = of("");
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 7)], "{:?}", report.undecided);
}

#[test]
fn what_a_function_allocates_is_as_long_as_it_says() {
    let of = |shape: &str, device: &str| {
        let launch = launch("x.data_ptr()", "x.data_ptr()", "y.data_ptr()");
        let source = format!(
            "ffi::Tensor op(ffi::TensorView x) {{\n\
             \x20 TVM_FFI_ICHECK(x.dtype() == (DLDataType{{kDLFloat, 32, 1}}) && x.IsContiguous() && x.ndim() == 2);\n\
             \x20 TVM_FFI_ICHECK(x.device().device_type == kDLCUDA);\n\
             \x20 int64_t rows = x.size(0), n = x.numel(), c = 1;\n\
             \x20 ffi::Tensor y = ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, {shape}, x.dtype(), {device});\n\
             \x20 {launch}\n  return y;\n}}\n{EXPORTED}\n"
        );
        judged(TVM, &source)
    };
    is_safe(&of("x.shape()", "x.device()"), "the shape of the input");
    let report = of("ffi::ShapeView(&rows, 1)", "x.device()");
    assert_eq!(proved(&report), [(Rule::OobGlobal, Y)], "{:?}", report.undecided);
    // Kernels cannot reach what is allocated on the host.
    let report = of("x.shape()", "DLDevice{kDLCPU, 0}");
    let found: Vec<_> = report.findings.iter().map(|f| (f.rule, f.verdict, f.access.position.line)).collect();
    assert_eq!(found, [(Rule::InvalidPointer, Verdict::Possible, Y)], "{:?}", report.undecided);
}

#[test]
fn what_runs_before_an_operator_does_not_end_it() {
    // An initialiser of a variable that the operator uses depends on something unknown, and launches nothing.
    let source = "int ask();\ninline int chosen = ask() > 3 ? ask() : 7;\n";
    let checks = "if (chosen == 1234567) return;";
    let report = judged(TVM, &format!("{source}{}", functions("TensorView", checks, EXPORTED)));
    // A run may also return there, so that it is not proved.
    let found: Vec<_> = report.findings.iter().map(|f| (f.rule, f.verdict, f.access.position.line)).collect();
    assert_eq!(found, [(Rule::UncheckedArgument, Verdict::Possible, W)], "{:?}", report.undecided);
}

#[test]
fn what_a_function_allocates_has_as_many_dimensions_as_its_input() {
    let of = |element: &str| {
        let launch = launch("x.data_ptr()", "x.data_ptr()", "y.data_ptr()");
        let source = format!(
            "ffi::Tensor op(ffi::TensorView x) {{\n\
             \x20 TVM_FFI_ICHECK(x.dtype() == (DLDataType{{kDLFloat, 32, 1}}) && x.IsContiguous());\n\
             \x20 TVM_FFI_ICHECK(x.device().device_type == kDLCUDA);\n\
             \x20 int64_t n = x.numel(), c = 1;\n\
             \x20 ffi::Tensor y = ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, x.shape(), {element}, x.device());\n\
             \x20 {launch}\n  return y;\n}}\n{EXPORTED}\n"
        );
        judged(TVM, &source)
    };
    is_safe(&of("x.dtype()"), "the type of the input");
    let report = of("DLDataType{kDLFloat, 16, 1}");
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, Y)], "{:?}", report.undecided);
}

#[test]
fn tensors_without_dimensions_may_have_no_strides() {
    let launch = launch("x->data", "x->data", "x->data");
    let of = |check: &str| {
        let source = format!(
            "void op(DLTensor *x) {{\n\
             \x20 TVM_FFI_ICHECK(x->dtype.code == kDLFloat && x->dtype.bits == 32 && x->dtype.lanes == 1);\n\
             \x20 TVM_FFI_ICHECK(x->device.device_type == kDLCUDA && {check});\n\
             \x20 int64_t n = x->strides == nullptr ? 4 : 1, c = 1;\n  {launch}\n}}\n{EXPORTED}\n"
        );
        judged(TVM, &source)
    };
    is_safe(&of("x->ndim == 1 && x->shape[0] == 1"), "one dimension");
    // A replay is one with what is usual.
    let report = of("x->ndim == 0");
    let open: Vec<_> = report.undecided.iter().map(|u| (u.position.line, &*u.array)).collect();
    assert_eq!((open, report.summary.safe), (vec![(Y, "y"), (Y, "x")], 1), "{:?}", report.findings);
}
