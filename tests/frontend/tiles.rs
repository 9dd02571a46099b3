//! Tile kernels: units that nvcc compiles with `-enable-tile` (13.3). The nvcc of these tests does not know that flag; its headers have the words.

use super::{Project, function, side};
use scuba::frontend::Extraction;
use scuba::ir::Side;

const SOURCE: &str = "#ifdef __CUDACC_TILE__\n\
    namespace cuda::tiles::inline __1 {\n\
    template <class T> struct __NV_TL_BUILTIN__ tile { T all[4]; };\n\
    template <class T> __NV_TL_BUILTIN__ tile<T> load(T *from) noexcept;\n\
    template <class T> __NV_TL_BUILTIN__ tile<T> full(T x) noexcept;\n\
    template <class T> __tile_builtin__ void atomic_add_masked(T *to, tile<T> x) noexcept;\n\
    template <class T> struct view { T *at; __tile_builtin__ void store(tile<T> x) const noexcept; };\n\
    }\n\
    using namespace cuda::tiles;\n\
    __NV_TL__ __host__ __device__ constexpr int three() { return 3; }\n\
    __tile__ void inner(int *to) { atomic_add_masked(to, full(three())); }\n\
    __tile_global__ void t(int *a, float *b) {\n\
    auto x = load(a);\n\
    view<float>{b}.store(full(1.0f));\n\
    inner(a);\n\
    a[2] = 1;\n\
    int own[2]; own[1] = 1;\n\
    }\n\
    #endif\n\
    __global__ void k(int *a) { a[threadIdx.x] = 1; }\n\
    int main() {\n\
    #ifdef __CUDACC_TILE__\n\
    t<<<2, 1>>>(nullptr, nullptr);\n\
    #endif\n\
    k<<<1, 32>>>(nullptr);\n\
    }\n";

fn read(flags: &str) -> Extraction {
    let e = Project::new(&[("a.cu", SOURCE)]).extract(&format!("a.cu -std=c++20 {flags}"));
    assert!(e.not_analysed.is_empty(), "{:?}", e.not_analysed);
    e
}

#[test]
fn tile_kernels_are_known_by_their_accesses_alone() {
    let e = read("-enable-tile");
    let device = side(&e, Side::Device);
    let t = function(device, "t(int*, float*)");
    let tile = t.tile.as_ref().expect("a tile kernel");
    let accesses: Vec<(u32, &str)> =
        tile.accesses.iter().map(|a| (device.locs[a.loc.index()].line, a.what.as_str())).collect();
    assert_eq!(accesses, [(11, "atomic_add_masked"), (13, "load"), (14, "store"), (16, "memory")]);
    assert!(t.kernel && t.is_declaration() && t.params.len() == 2 && !tile.may_trap);
    let k = function(device, "k(int*)");
    assert!(k.kernel && k.tile.is_none() && !k.is_declaration());
}

#[test]
fn without_the_flag_there_are_none() {
    let e = read("");
    assert!(side(&e, Side::Device).functions.iter().all(|f| f.tile.is_none() && !f.display.starts_with("t(")));
}

#[test]
fn either_half_of_such_a_unit_is_read_the_same() {
    for flags in ["-simt-only", "-tile-only", "--enable-tile --tile-preview simt"] {
        assert!(function(side(&read(flags), Side::Device), "t(int*, float*)").tile.is_some(), "{flags}");
    }
}
