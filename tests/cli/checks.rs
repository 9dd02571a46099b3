//! Checks that operators of PyTorch extensions lack: what would have to be checked, told once for all accesses that it would mend.

use super::tensors::{checked, proved};
use super::{Project, Said};
use scuba::finding::{Finding, Report, SAME_CHECK};
use scuba::rules::{Level, Rule};

/// Faces of three vertices each, in a tensor of any rank; gradients that nobody checks against them.
const FACES: &str = "\
#include <torch/extension.h>
__global__ void backward(const float *areas, const float *normals, const int64_t *faces, float *out, size_t F) {
  for (size_t f = blockIdx.x * blockDim.x + threadIdx.x; f < F; f += gridDim.x * blockDim.x) {
    const int64_t i0 = faces[3 * f + 0];
    const int64_t i1 = faces[3 * f + 1];
    atomicAdd(out + 3 * i0 + 0, normals[3 * f + 0]);
    atomicAdd(out + 3 * i0 + 1, normals[3 * f + 1]);
    atomicAdd(out + 3 * i1 + 2, normals[3 * f + 2] * areas[f]);
  }
}
at::Tensor op(const at::Tensor areas, const at::Tensor normals, const at::Tensor verts, const at::Tensor faces) {
  TORCH_CHECK(areas.is_cuda() && normals.is_cuda() && verts.is_cuda() && faces.is_cuda());
  const auto V = verts.size(0);
  const auto F = faces.size(0);
  at::Tensor out = at::zeros({V, 3}, areas.options());
  if (out.numel() == 0) return out;
  backward<<<64, 512>>>(areas.contiguous().data_ptr<float>(), normals.contiguous().data_ptr<float>(),
                        faces.contiguous().data_ptr<int64_t>(), out.data_ptr<float>(), F);
  return out;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

fn lines(f: &Finding) -> Vec<u32> {
    f.related.iter().filter(|r| r.what == SAME_CHECK).map(|r| r.position.line).collect()
}

/// Of each finding the array, the check, and where else that is missing.
fn checks<'a>(report: &'a Report) -> Vec<(&'a str, &'a str, Vec<u32>)> {
    let check = |f: &'a Finding| f.missing_check.as_ref().map_or("", |m| &m.condition);
    report.findings.iter().map(|f| (&*f.access.array, check(f), lines(f))).collect()
}

#[test]
fn one_missing_check_is_one_finding() {
    let (report, _) = checked(FACES);
    let index = "3 * faces.size(0) <= faces.numel() + 1 && (forall i in [0, 3 * faces.size(0) - 1): faces[i] >= 0 && verts.size(0) > faces[i])";
    assert_eq!(
        checks(&report),
        [
            ("faces", "faces.dim() == 2 && faces.size(1) == 3", vec![5]),
            ("out", index, vec![7, 8]),
            ("normals", "3 * faces.size(0) <= normals.numel()", vec![7, 8]),
            ("areas", "areas.numel() >= faces.size(0)", vec![]),
        ]
    );
    // Each access counts all the same.
    assert_eq!((report.summary.accesses, report.summary.proved), (9, 9), "{:?}", report.summary);
}

/// Rows of fixed and of given lengths, in tensors of which neither layout nor rank is checked.
const ROWS: &str = "\
#include <torch/extension.h>
__global__ void inside(int boxes, int points, int channels, const float *rois, const float *pts, float *features) {
  int p = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
  if (p >= points || b >= boxes) return;
  pts += p * 3;
  rois += b * 7;
  for (int c = 0; c < channels; c++) features[p * channels + c] = pts[0] + pts[2] < rois[0] + rois[6];
}
int op(at::Tensor rois, at::Tensor pts, at::Tensor features, int channels) {
  TORCH_CHECK(rois.is_cuda() && pts.is_cuda() && features.is_cuda() && CHECKED);
  TORCH_CHECK(channels > 0 && channels < 1000 && pts.size(0) < 10000 && rois.size(0) < 10000 && features.size(0) >= pts.size(0));
  inside<<<dim3((pts.size(0) + 255) / 256, rois.size(0)), 256>>>(rois.size(0), pts.size(0), channels, rois.data_ptr<float>(),
                                                                pts.data_ptr<float>(), features.data_ptr<float>());
  return 1;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn a_check_of_rows_names_rank_and_length() {
    let packed = "rois.is_contiguous() && pts.is_contiguous() && features.is_contiguous()";
    for (checked_before, layout) in [(packed, false), ("true", true)] {
        let (report, _) = checked(&ROWS.replace("CHECKED", checked_before));
        let told: Vec<(&str, String)> =
            checks(&report).into_iter().map(|(array, check, _)| (array, check.into())).collect();
        let rows = |array: &'static str, length: &str| {
            let first = if layout { format!("{array}.is_contiguous() && ") } else { String::new() };
            (array, format!("{first}{array}.dim() == 2 && {array}.size(1) == {length}"))
        };
        // As many points as another tensor has rows.
        let first = if layout { "features.is_contiguous() && " } else { "" };
        let features = ("features", format!("{first}features.numel() >= pts.size(0) * channels"));
        let mut told = told;
        let mut expected = vec![features, rows("pts", "3"), rows("rois", "7")];
        told.sort();
        expected.sort();
        assert_eq!(told, expected);
        // With these checks everything is safe.
        let all: String = expected.iter().map(|(_, check)| format!("  TORCH_CHECK({check});\n")).collect();
        let checked_before = ROWS.replace("CHECKED", checked_before);
        let (mended, _) = checked(&checked_before.replace("  inside<<<", &format!("{all}  inside<<<")));
        assert_eq!((mended.findings.len(), mended.summary.unknown), (0, 0), "{:?}", mended.findings);
    }
}

/// Rows by blocks of 64, the last of which has as many as a floating-point minimum says.
const BLOCKS: &str = "\
#include <torch/extension.h>
__global__ void suppress(const float *boxes, int count, float *out) {
  int start = blockIdx.x * 64;
  const int rows = fminf(count - start, 64);
  if (threadIdx.x < rows) out[start + threadIdx.x] = boxes[(start + threadIdx.x) * 7 + 6];
}
int op(at::Tensor boxes) {
  TORCH_CHECK(boxes.is_cuda() && boxes.is_contiguous() && boxes.size(0) > 0 && boxes.size(0) < 10000);
  auto out = at::zeros({64 * ((boxes.size(0) + 63) / 64)}, boxes.options());
  suppress<<<(boxes.size(0) + 63) / 64, 64>>>(boxes.data_ptr<float>(), boxes.size(0), out.data_ptr<float>());
  return 1;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn a_block_of_rows_is_no_row() {
    let (report, _) = checked(BLOCKS);
    let of_boxes: Vec<&str> =
        checks(&report).into_iter().filter(|(array, ..)| *array == "boxes").map(|(_, check, _)| check).collect();
    assert_eq!(of_boxes.len(), 1, "{:?}", report.undecided);
    assert!(!of_boxes[0].contains("448"), "{of_boxes:?}");
}

#[test]
fn who_accepts_the_finding_of_a_check_accepts_all_its_places() {
    let p = Project::new();
    p.write("k.cu", FACES);
    let include = format!("-I{}/tests/support/include", env!("CARGO_MANIFEST_DIR"));
    let check = || {
        let mut c = p.command();
        c.args(["check", "k.cu", "--message-format", "json", "--", "-std=c++17", &include]);
        let said = Said::from(c.output().unwrap());
        serde_json::from_str::<Report>(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"))
    };
    assert_eq!(check().findings.len(), 4);
    // A comment at the place that speaks for the others.
    let comment = "// scuba: allow(unchecked-argument) callers give as many\n    atomicAdd(out + 3 * i0 + 0";
    p.write("k.cu", &FACES.replace("atomicAdd(out + 3 * i0 + 0", comment));
    let left: Vec<String> = check().findings.into_iter().map(|f| f.access.array).collect();
    assert_eq!(left, ["faces", "out", "areas"]);
}

/// Tensors of two dimensions through a view whose subscripts give objects.
const VIEWS: &str = "\
#include <torch/extension.h>
struct Row {
  float *data;
  __device__ float &operator[](int64_t i) const { return data[i]; }
};
struct View {
  float *data;
  int64_t columns;
  __device__ Row operator[](int64_t i) const { return Row{data + i * columns}; }
};
__global__ void add(View x, View y, const int64_t *index, int64_t m) {
  int64_t i = blockIdx.x;
  for (int64_t j = threadIdx.x; j < m; j += blockDim.x) {
    if (index[i] < 0) continue;
    y[i][j] += x[i][j];
  }
}
void op(const at::Tensor &x, const at::Tensor &y, const at::Tensor &index) {
  TORCH_CHECK(x.is_cuda() && y.is_cuda() && index.is_cuda());
  TORCH_CHECK(x.dim() == 2 && x.is_contiguous() && y.dim() == 2 && y.is_contiguous());
  TORCH_CHECK(index.dim() == 1 && index.is_contiguous() && index.size(0) >= y.size(0));
  if (y.numel() == 0) return;
  add<<<y.size(0), 256>>>(View{x.data_ptr<float>(), x.size(1)}, View{y.data_ptr<float>(), y.size(1)},
                          index.data_ptr<int64_t>(), y.size(1));
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn sizes_that_do_not_fit_are_told_dimension_by_dimension() {
    let (report, _) = checked(VIEWS);
    // That the access is made where the index is no sentinel does not make it one by an index.
    assert_eq!(proved(&report), [(Rule::UncheckedArgument, 15)], "{:?}", report.undecided);
    assert_eq!(checks(&report), [("x", "x.size(0) >= y.size(0) && x.size(1) >= y.size(1)", vec![])]);
    let access = &report.findings[0].access;
    assert_eq!((access.array.as_str(), access.index.as_str()), ("x", "[i][j]"));
}

/// A grid of as many blocks as a number of points needs, and products of `int` arguments.
const GATHER: &str = "\
#include <torch/extension.h>
#define DIVUP(m, n) ((m) / (n) + ((m) % (n) > 0))
__global__ void gather(int b, int c, int m, const float *points, float *out) {
  int bs = blockIdx.z, cs = blockIdx.y, pt = blockIdx.x * blockDim.x + threadIdx.x;
  if (bs >= b || cs >= c || pt >= m) return;
  out += bs * c * m + cs * m + pt;
  out[0] = points[0];
}
int op(NUMBER b, NUMBER c, NUMBER m, at::Tensor points, at::Tensor out) {
  TORCH_CHECK(points.is_cuda() && points.numel() > 0 && out.is_cuda() && out.is_contiguous());
  gather<<<dim3(DIVUP(m, 256), c, b), 256>>>(b, c, m, points.data_ptr<float>(), out.data_ptr<float>());
  return 1;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn a_grid_is_no_condition_and_products_do_not_wrap() {
    for (number, signs, product) in [("int", "m >= 0 && ", "int64_t(b) * c * m"), ("int64_t", "", "b * c * m")] {
        let (report, said) = checked(&GATHER.replace("NUMBER", number));
        let condition = format!("{signs}out.numel() >= b * c * m");
        assert_eq!(checks(&report), [("out", condition.as_str(), vec![])], "{number}: {}", said.err);
        let statement = report.findings[0].missing_check.as_ref().unwrap().statement().unwrap();
        let expected = format!("TORCH_CHECK({signs}out.numel() >= {product}, \"expected {condition}\");");
        assert_eq!(statement, expected);
    }
}

/// Vertices of faces, read three numbers at a time, at faces that nobody checks.
const CORNERS: &str = "\
#include <torch/extension.h>
struct vec3 { float x, y, z; };
__global__ void corners(const vec3 *vertices, const int64_t *faces, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  vec3 v = vertices[faces[i] * 3 + 1];
  out[i] = v.x + v.y + v.z;
}
void op(at::Tensor vertices, at::Tensor faces, at::Tensor out) {
  TORCH_CHECK(vertices.is_cuda() && vertices.is_contiguous() && faces.is_cuda() && faces.is_contiguous());
  TORCH_CHECK(out.is_cuda() && out.is_contiguous() && faces.dim() == 1 && out.dim() == 1 && out.size(0) == faces.size(0));
  TORCH_CHECK(vertices.dim() == 3 && vertices.size(1) == 3 && vertices.size(2) == 3);
  int n = faces.size(0);
  corners<<<(n + 511) / 512, 512>>>(reinterpret_cast<vec3 *>(vertices.data_ptr<float>()), faces.data_ptr<int64_t>(),
                                    out.data_ptr<float>(), n);
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn an_access_of_three_elements_is_in_one_row() {
    let (report, said) = checked(CORNERS);
    let each = "forall i in [0, faces.size(0)): faces[i] >= 0 && vertices.size(0) > faces[i]";
    assert_eq!(checks(&report), [("vertices", each, vec![])], "{}", said.err);
}

/// A weight for each of at most 256 elements, an even number of them.
const EVEN: &str = "\
#include <torch/extension.h>
__global__ void mul(float *x, const float *w, int n) { int i = threadIdx.x; if (i < n) x[i] *= w[i]; }
void mul_(torch::Tensor x, torch::Tensor w) {
  TORCH_CHECK(x.is_cuda() && w.is_cuda() && x.is_contiguous() && w.is_contiguous() && x.dim() == 1 && w.dim() == 1);
  TORCH_CHECK(x.size(0) <= 256 && x.size(0) % 2 == 0);
  mul<<<1, 256>>>(x.data_ptr<float>(), w.data_ptr<float>(), x.size(0));
}
PYBIND11_MODULE(ext, m) { m.def(\"mul_\", &mul_); }
";

#[test]
fn a_size_is_compared_with_a_size_whatever_divides_it() {
    let (report, said) = checked(EVEN);
    assert_eq!(checks(&report), [("w", "w.size(0) >= x.size(0)", vec![])], "{}", said.err);
}

/// An optional weight, of which length and layout are not checked.
const WEIGHT: &str = "\
#include <torch/extension.h>
__global__ void mul(float *x, const float *w, int n) { int i = threadIdx.x; if (i < n && w) x[i] *= w[i]; }
void mul_(torch::Tensor x, const std::optional<torch::Tensor> &w) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.dim() == 1 && x.size(0) <= 256);
  if (w.has_value()) TORCH_CHECK(w.value().is_cuda() && w.value().dim() == 1);
  mul<<<1, 256>>>(x.data_ptr<float>(), w.has_value() ? w.value().data_ptr<float>() : nullptr, x.size(0));
}
PYBIND11_MODULE(ext, m) { m.def(\"mul_\", &mul_); }
";

#[test]
fn an_optional_tensor_is_checked_where_it_is_given() {
    let (report, said) = checked(WEIGHT);
    let condition = "w.has_value() != 1 || w.is_contiguous() && w.numel() >= x.size(0)";
    assert_eq!(checks(&report), [("w", condition, vec![])], "{}", said.err);
    let check = report.findings[0].missing_check.as_ref().unwrap();
    let code = "TORCH_CHECK(!w.has_value() || (w->is_contiguous() && w->numel() >= x.size(0)), \"expected ";
    let expected = condition.replace("w.has_value() != 1", "!w.has_value()");
    assert_eq!(check.statement().unwrap(), format!("{code}{expected}\");"));
}

/// An element-wise operator of tensors of any rank.
const ACTIVATION: &str = "\
#include <torch/extension.h>
__global__ void half(const float *x, float *y, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
  if (i < n) y[i] = x[i] * 0.5f;
}
torch::Tensor op(torch::Tensor input) {
  TORCH_CHECK(input.is_cuda() && input.scalar_type() == at::ScalarType::Float);
  auto out = torch::empty_like(input);
  int64_t n = input.numel();
  if (n == 0) return out;
  half<<<(n + 255) / 256, 256>>>(input.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn tensors_of_any_rank_need_to_be_contiguous_alone() {
    let (report, said) = checked(ACTIVATION);
    assert_eq!(checks(&report), [("x", "input.is_contiguous()", vec![])], "{}", said.err);
    let mended = ACTIVATION.replace("input.is_cuda()", "input.is_contiguous() && input.is_cuda()");
    assert!(checked(&mended).0.findings.is_empty());
}

/// A scale that may be given, and is not compared with the rows.
const SCALE: &str = "\
#include <torch/extension.h>
__global__ void mul(const float *x, const float *s, float *y, int n, int d) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n * d) y[i] = x[i] * s[i / d];
}
torch::Tensor op(torch::Tensor input, std::optional<torch::Tensor> scale) {
  TORCH_CHECK(input.is_cuda() && input.dim() == 2);
  auto x = input.contiguous();
  auto s = scale.has_value() ? scale->contiguous() : torch::ones({x.size(0)}, x.options());
  TORCH_CHECK(s.is_cuda());
  auto y = torch::empty_like(x);
  int n = x.size(0), d = x.size(1);
  if (n == 0 || d == 0) return y;
  mul<<<(n * d + 255) / 256, 256>>>(x.data_ptr<float>(), s.data_ptr<float>(), y.data_ptr<float>(), n, d);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn an_optional_tensor_is_asked_for_its_presence_first() {
    let (report, said) = checked(SCALE);
    let check = report.findings[0].missing_check.as_ref().unwrap().statement().unwrap();
    let code = "TORCH_CHECK(!scale.has_value() || input.size(0) <= scale->numel(), ";
    assert!(check.starts_with(code), "{check} {}", said.err);
    let p = Project::new();
    p.write("k.cu", SCALE);
    let include = format!("-I{}/tests/support/include", env!("CARGO_MANIFEST_DIR"));
    let arguments = ["contracts", "--format", "checks", "k.cu", "--", "-std=c++17", &include];
    let said = Said::from(p.command().args(arguments).output().unwrap());
    let code = "TORCH_CHECK(scale.has_value() != 1 || (__int128)input.size(0) <= scale->numel());";
    assert!(said.out.contains(code), "{said:?}");
}

/// Elements from one number on, of which the sum with their count may exceed 64 bits.
const PART: &str = "\
#include <torch/extension.h>
__global__ void copy(const float *x, float *y, int64_t from, int64_t count) {
  int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
  if (i < count) y[i] = x[from + i];
}
torch::Tensor op(torch::Tensor x, int64_t from, int64_t count) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.dim() == 1);
  TORCH_CHECK(count > 0 && count < 1000000);
  auto y = torch::empty({count}, x.options());
  copy<<<(count + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), from, count);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn a_sum_of_arguments_is_checked_by_a_difference() {
    let (report, said) = checked(PART);
    let check = report.findings[0].missing_check.as_ref().unwrap().statement().unwrap();
    assert!(check.starts_with("TORCH_CHECK(from >= 0 && x.size(0) - from >= count, "), "{check} {}", said.err);
    let mended = PART.replace("  auto y", &format!("  {check}\n  auto y"));
    let report = checked(&mended).0;
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    // The sum may exceed 64 bits, for which no type is wider.
    let wraps = PART.replace("  auto y", "  TORCH_CHECK(from >= 0 && x.size(0) >= from + count);\n  auto y");
    let p = Project::new();
    p.write("k.cu", &wraps);
    let include = format!("-I{}/tests/support/include", env!("CARGO_MANIFEST_DIR"));
    let said = Said::from(p.command().args(["check", "k.cu", "--", "-std=c++17", &include]).output().unwrap());
    assert!(said.err.contains("warning[index-overflow]"), "{said:?}");
    assert!(said.err.contains("help: reject such numbers before they are computed with"), "{said:?}");
}

/// Elements of a ring, of which C's remainder makes negative indices.
const RING: &str = "\
#include <torch/extension.h>
__global__ void roll(const float *x, float *y, int n, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[(i - s) % n];
}
at::Tensor op(at::Tensor x, int64_t s) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.dim() == 1 && x.size(0) < 100000 && s >= 0 && s < 100000);
  at::Tensor y = at::empty_like(x);
  if (x.numel() > 0) roll<<<(x.size(0) + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(0), s);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn no_check_is_proposed_that_refuses_right_inputs() {
    let (report, said) = checked(RING);
    // `x.size(0) <= 1` suffices, and so does `s == 0`.
    assert_eq!(checks(&report), [("x", "", vec![])], "{}", said.err);
}

/// A kernel for each of two sizes of heads, and weights that nobody checks.
const HEADS: &str = "\
#include <torch/extension.h>
template <int D> __global__ void scale(const float *x, const float *w, float *y) {
  for (int i = threadIdx.x; i < D; i += blockDim.x) y[blockIdx.x * D + i] = x[blockIdx.x * D + i] * w[i];
}
__global__ void copy(const float *x, float *y) { y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x]; }
at::Tensor op(at::Tensor x, at::Tensor w) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 2 && x.is_contiguous());
  TORCH_CHECK(w.is_cuda() && w.dim() == 1 && w.is_contiguous());
  at::Tensor y = at::empty_like(x);
  int n = x.size(0);
  TORCH_CHECK(n <= 65535);
  if (n == 0) return y;
  const float *from = x.data_ptr<float>(), *by = w.data_ptr<float>();
  float *to = y.data_ptr<float>();
  switch (x.size(1)) {
    case 64: FEW; break;
    case 128: scale<128><<<n, 128>>>(from, by, to); break;
    default: TORCH_CHECK(false, \"head size\");
  }
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn a_check_of_launches_for_several_sizes_is_one_for_all_of_them() {
    let (report, said) = checked(&HEADS.replace("FEW", "scale<64><<<n, 64>>>(from, by, to)"));
    assert_eq!(checks(&report), [("w", "w.size(0) >= x.size(1)", vec![])], "{}", said.err);
    // Where another kernel takes over for some sizes, only the others need it.
    let (report, said) = checked(&HEADS.replace("FEW", "copy<<<n, 64>>>(from, to)"));
    assert_eq!(checks(&report), [("w", "x.size(1) != 128 || w.size(0) >= 128", vec![])], "{}", said.err);
}

/// The largest of each row, of which the output holds no more than there are.
const TOP: &str = "\
#include <torch/extension.h>
__global__ void top(const float *x, float *y, int n, int k) {
  for (int i = threadIdx.x; i < k; i += blockDim.x) y[blockIdx.x * k + i] = x[blockIdx.x * n + i];
}
at::Tensor op(at::Tensor x, int64_t k) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 2 && x.is_contiguous());
  TORCH_CHECK(k > 0 && k < 1000 && x.size(0) < 1000 && x.size(1) < 1000);
  auto y = at::empty({x.size(0), std::min(k, x.size(1))}, x.options());
  if (x.size(0) > 0) top<<<x.size(0), 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1), k);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn the_smaller_of_two_sizes_is_no_choice_in_a_check() {
    let (report, said) = checked(TOP);
    assert_eq!(checks(&report), [("y", "x.size(1) >= k", vec![3])], "{}", said.err);
    assert!(!said.err.contains('?'), "{}", said.err);
}

/// An optional tensor without which nothing is launched.
const OPTIONAL: &str = "\
#include <torch/extension.h>
__global__ void scale(const float *x, const float *w, float *y, int d) {
  for (int i = threadIdx.x; i < d; i += blockDim.x) y[blockIdx.x * d + i] = x[blockIdx.x * d + i] * w[i];
}
at::Tensor op(at::Tensor x, std::optional<at::Tensor> v) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 2 && x.is_contiguous() && x.numel() < 100000);
  at::Tensor y = at::empty_like(x);
  int n = x.size(0), d = x.size(1);
  if (n == 0 || !v.has_value()) return y;
  at::Tensor w = *v;
  TORCH_CHECK(w.is_cuda() && w.dim() == 1 && w.is_contiguous() && w.scalar_type() == at::ScalarType::Float);
  scale<<<n, 128>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), d);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn nothing_is_asked_of_an_optional_tensor_that_is_not_given() {
    let (report, said) = checked(OPTIONAL);
    assert_eq!(checks(&report), [("w", "v.has_value() != 1 || v.size(0) >= x.size(1)", vec![])], "{}", said.err);
    // Another tensor, whose name ends alike.
    let other = OPTIONAL.replace("std::optional<at::Tensor> v)", "at::Tensor wv, std::optional<at::Tensor> v)");
    let other = other.replace("n == 0 || !v.has_value()", "n == 0").replace("at::Tensor w = *v;", "at::Tensor w = wv;");
    let (report, said) = checked(&other);
    assert_eq!(checks(&report), [("w", "wv.size(0) >= x.size(1)", vec![])], "{}", said.err);
}

/// A kernel that is launched WHERE; another one does without the weights.
const GUARDED: &str = "\
#include <torch/extension.h>
__global__ void scale(const float *x, const float *w, float *y, int d) {
  for (int i = threadIdx.x; i < d; i += blockDim.x) y[blockIdx.x * d + i] = x[blockIdx.x * d + i] * w[i];
}
__global__ void copy(const float *x, float *y, int d) {
  for (int i = threadIdx.x; i < d; i += blockDim.x) y[blockIdx.x * d + i] = x[blockIdx.x * d + i];
}
at::Tensor op(at::Tensor x, at::Tensor w, bool use, int64_t mode) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 2 && x.is_contiguous() && x.numel() < 100000);
  TORCH_CHECK(w.is_cuda() && w.dim() == 1 && w.is_contiguous() && w.scalar_type() == at::ScalarType::Float);
  TORCH_CHECK(mode >= 0 && mode < 3);
  at::Tensor y = at::empty_like(x);
  int n = x.size(0), d = x.size(1);
  if (n == 0 || d == 0) return y;
  WHERE scale<<<n, 128>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), d);
  ELSE
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

/// Weights in groups of rows.
const GROUPS: &str = "\
#include <torch/extension.h>
__global__ void scale(const float *x, const float *w, float *y, int d, int k) {
  for (int i = threadIdx.x; i < d / k; i += blockDim.x) y[blockIdx.x * d + i] = x[blockIdx.x * d + i] * w[i];
}
at::Tensor op(at::Tensor x, at::Tensor w, int64_t k) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 2 && x.is_contiguous() && x.numel() < 100000 && k < 1000);
  TORCH_CHECK(w.is_cuda() && w.dim() == 1 && w.is_contiguous());
  at::Tensor y = at::empty_like(x);
  int n = x.size(0), d = x.size(1);
  WITHOUT
  if (n > 0) scale<<<n, 128>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), d, k);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn a_check_divides_by_nothing_that_is_zero() {
    for (without, first) in [("if (k <= 0) return y;", "k == 0 || "), ("TORCH_CHECK(k > 0);", "k != 0 && ")] {
        let (report, said) = checked(&GROUPS.replace("WITHOUT", without));
        let [("w", check, _)] = &checks(&report)[..] else { panic!("{said:?}") };
        assert!(check.starts_with(first) && check.contains("x.size(1) / k"), "{without}: {check}");
    }
}

#[test]
fn calls_that_need_no_check_pass_it() {
    let copy = "else copy<<<n, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), d);";
    let refuse = "else TORCH_CHECK(false, \"refused\");";
    let any = "w.size(0) >= x.size(1)";
    let cases = [
        ("if (mode == 2)", copy, "mode != 2 || w.size(0) >= x.size(1)"),
        ("if (d > 256)", copy, "x.size(1) <= 256 || w.size(0) >= x.size(1)"),
        ("if (w.numel() != 0)", "", "w.size(0) == 0 || w.size(0) >= x.size(1)"),
        // What the function refuses itself needs no guard, and neither does a tensor without elements that ends it early.
        ("if (mode == 2)", refuse, any),
        ("if (d > 256)", refuse, any),
        ("", "", any),
        // No contract has words for these.
        ("if (use)", copy, ""),
        ("if (x.scalar_type() == at::ScalarType::Float)", "", ""),
    ];
    for (place, otherwise, check) in cases {
        let (report, said) = checked(&GUARDED.replace("WHERE", place).replace("ELSE", otherwise));
        assert_eq!(checks(&report), [("w", check, vec![])], "{place} {otherwise}: {}", said.err);
    }
}

/// Weights that a kernel uses in one mode only.
const MODES: &str = "\
#include <torch/extension.h>
__global__ void scale(const float *x, const float *w, float *y, int d) {
  for (int j = threadIdx.x; j < d; j += blockDim.x) y[blockIdx.x * d + j] = x[blockIdx.x * d + j] * (w ? w[j] : 1.0f);
}
at::Tensor op(at::Tensor x, at::Tensor w, int64_t mode) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 2 && x.is_contiguous() && x.numel() < 100000);
  TORCH_CHECK(w.is_cuda() && w.dim() == 1 && w.is_contiguous() && mode >= 0 && mode < 3);
  at::Tensor y = at::empty_like(x);
  int n = x.size(0), d = x.size(1);
  if (n == 0 || d == 0) return y;
  const float *by = w.data_ptr<float>();
  if (mode == 2) scale<<<n, 128>>>(x.data_ptr<float>(), by, y.data_ptr<float>(), d);
  else scale<<<n, 128>>>(x.data_ptr<float>(), nullptr, y.data_ptr<float>(), d);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn a_check_names_each_alternative_once() {
    let (report, said) = checked(MODES);
    assert_eq!(checks(&report), [("w", "mode != 2 || w.size(0) >= x.size(1)", vec![])], "{}", said.err);
}

/// Rows whose length the operator takes from an argument, by a switch.
const LENGTHS: &str = "\
#include <torch/extension.h>
template <int D> __global__ void sum(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float s = 0; for (int j = 0; j < D; j++) s += x[i * D + j]; y[i] = s; }
}
torch::Tensor op(torch::Tensor x, int64_t head) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.dim() == 2 && x.scalar_type() == at::ScalarType::Float);
  TORCH_CHECK(x.size(0) < 100000);
  int n = x.size(0);
  auto y = torch::empty({n}, x.options());
  const float *p = x.data_ptr<float>(); float *q = y.data_ptr<float>();
  switch (head) {
  case 32: sum<32><<<(n + 127) / 128, 128>>>(p, q, n); break;
  case 128: sum<128><<<(n + 127) / 128, 128>>>(p, q, n); break;
  default: TORCH_CHECK(false);
  }
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

/// Elements of a type that is not checked.
const UNTYPED: &str = "\
#include <torch/extension.h>
__global__ void take(const float *x, const int64_t *idx, float *y, int n, int m) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) { int64_t j = idx[i]; y[i] = j >= 0 && j < m ? x[j] : 0; }
}
torch::Tensor op(torch::Tensor x, torch::Tensor idx) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.dim() == 1 && x.numel() < 100000);
  TORCH_CHECK(idx.is_cuda() && idx.is_contiguous() && idx.dim() == 1 && idx.numel() > 0 && idx.numel() < 100000);
  auto y = torch::empty({idx.size(0)}, x.options());
  int n = idx.numel();
  take<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), (const int64_t *)idx.data_ptr(), y.data_ptr<float>(), n, x.numel());
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

/// As many elements as a part of another tensor's has, by a number with a fraction.
const FRACTION: &str = "\
#include <torch/extension.h>
__global__ void mul(const float *x, const float *w, float *y, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = x[i] * w[i];
}
torch::Tensor op(torch::Tensor a, torch::Tensor w, double part) {
  TORCH_CHECK(a.is_cuda() && a.is_contiguous() && a.dim() == 1 && w.is_cuda() && w.is_contiguous() && w.dim() == 1);
  TORCH_CHECK(part > 0 && part <= 1 && a.size(0) > 0 && a.size(0) <= 1024);
  int n = (int)(a.size(0) * part);
  if (n == 0) n = 1;
  auto y = torch::empty({n}, a.options());
  mul<<<1, 1024>>>(a.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
PYBIND11_MODULE(ext, m) { m.def(\"op\", &op); }
";

#[test]
fn a_missing_check_never_fails_the_build() {
    for (source, array, check) in [(LENGTHS, "x", "x.size(1) >= head"), (UNTYPED, "idx", ""), (FRACTION, "w", "")] {
        let (report, said) = checked(source);
        let rules: Vec<(Rule, Level)> = report.findings.iter().map(|f| (f.rule, f.level)).collect();
        assert_eq!(rules, [(Rule::UncheckedArgument, Level::Warn)], "{}", said.err);
        // Numbers with a fraction are not followed, so that no condition is known.
        assert_eq!(checks(&report), [(array, check, vec![])], "{}", said.err);
    }
}
