//! Obligations as GPU kernels give them, and the prover that must decide each.

use super::notation::Scope;
use crate::solver::*;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum By {
    /// The polynomial bound proves it.
    Poly,
    /// Z3 proves it.
    Z3,
    /// The goal does not follow.
    No,
}
use By::{No, Poly, Z3};

pub struct Case {
    pub name: &'static str,
    pub names: &'static str,
    pub facts: &'static [&'static str],
    pub goal: &'static str,
    pub by: By,
}

const fn case(
    name: &'static str,
    names: &'static str,
    facts: &'static [&'static str],
    goal: &'static str,
    by: By,
) -> Case {
    Case { name, names, facts, goal, by }
}

pub const CASES: &[Case] = &[
    case("guarded 1-D", "n i32, bid size, tid 0..255", &["bid*256 + tid < n"], "4*(bid*256 + tid) + 4 <= 4*n", Poly),
    case(
        "guarded 1-D, from below",
        "n i32, bid size, tid 0..255",
        &["bid*256 + tid < n"],
        "0 - 4*(bid*256 + tid) <= 0",
        Poly,
    ),
    case("ceil grid without a guard", "n i32, bid size, tid 0..255", &["bid < (n + 255)/256"], "bid*256 + tid < n", No),
    case("floor grid without a guard", "n count, bid size, tid 0..255", &["bid < n/256"], "bid*256 + tid < n", Poly),
    case(
        "floor grid of a signed size",
        "n i32, bid size, tid 0..255",
        &["n > 0", "bid < n/256"],
        "bid*256 + tid < n",
        Poly,
    ),
    case(
        "ceil grid of a multiple",
        "n i32, bid size, tid 0..255",
        &["n % 256 == 0", "n >= 0", "bid < (n + 255)/256"],
        "bid*256 + tid < n",
        Poly,
    ),
    case(
        "rounded up allocation",
        "n count, bid size, tid 0..255",
        &["bid < (n + 255)/256"],
        "bid*256 + tid < (n + 255)/256*256",
        Poly,
    ),
    case("off by one guard", "n i32, bid size, tid 0..255", &["bid*256 + tid <= n"], "bid*256 + tid < n", No),
    case(
        "symbolic block",
        "n count, bs 1..1024, bid size, tid 0..1023",
        &["tid < bs", "bid < n/bs"],
        "bid*bs + tid < n",
        Poly,
    ),
    case(
        "symbolic block, rounded up",
        "n count, bs 1..1024, bid size, tid 0..1023",
        &["tid < bs", "bid < (n + bs - 1)/bs"],
        "bid*bs + tid < n + bs - 1",
        Poly,
    ),
    case(
        "row-major 2-D",
        "rows i32, cols i32, row size, col size",
        &["row < rows", "col < cols"],
        "row*cols + col < rows*cols",
        Poly,
    ),
    case(
        "row-major 2-D in bytes",
        "rows i32, cols i32, row size, col size",
        &["row < rows", "col < cols"],
        "8*(row*cols + col) + 8 <= 8*rows*cols",
        Poly,
    ),
    case(
        "column used as stride",
        "rows count, cols count, row size, col size",
        &["row < rows", "col < cols"],
        "col*cols + row < rows*cols",
        No,
    ),
    case("square", "n i32, i size, j size", &["i < n", "j < n"], "i*n + j < n*n", Poly),
    case(
        "3-D volume",
        "d count, h count, w count, z size, y size, x size",
        &["z < d", "y < h", "x < w"],
        "(z*h + y)*w + x < d*h*w",
        Poly,
    ),
    case(
        "NCHW",
        "B count, C count, H count, W count, b size, c size, h size, w size",
        &["b < B", "c < C", "h < H", "w < W"],
        "((b*C + c)*H + h)*W + w < B*C*H*W",
        Poly,
    ),
    case(
        "launched rows",
        "rows count, cols count, bx size, by size, tx 0..15, ty 0..15",
        &["by*16 + ty < rows", "bx*16 + tx < cols"],
        "(by*16 + ty)*cols + bx*16 + tx < rows*cols",
        Poly,
    ),
    case(
        "stencil, west and north",
        "H i32, W i32, y i32, x i32",
        &["y >= 1", "x >= 1", "y < H - 1", "x < W - 1"],
        "(y - 1)*W + x - 1 >= 0",
        Poly,
    ),
    case(
        "stencil, east and south",
        "H i32, W i32, y i32, x i32",
        &["y >= 1", "x >= 1", "y < H - 1", "x < W - 1"],
        "(y + 1)*W + x + 1 < H*W",
        Poly,
    ),
    case(
        "valid convolution",
        "H count, W count, R count, S count, y size, x size, r size, s size",
        &["y <= H - R", "x <= W - S", "r < R", "s < S"],
        "(y + r)*W + x + s < H*W",
        Poly,
    ),
    case(
        "same convolution without padding",
        "H count, W count, R count, S count, y size, x size, r size, s size",
        &["y < H", "x < W", "r < R", "s < S"],
        "(y + r)*W + x + s < H*W",
        No,
    ),
    case("clamped index", "n i32, i i32", &["n >= 1"], "max(0, min(i, n - 1)) < n", Poly),
    case("clamped index, from below", "n i32, i i32", &["n >= 1"], "max(0, min(i, n - 1)) >= 0", Poly),
    case("clamped row", "H count, W count, y i32, x size", &["x < W"], "max(0, min(y, H - 1))*W + x < H*W", Poly),
    case(
        "strided loop",
        "n i32, start size, k size, step count",
        &["start + step*k < n"],
        "start + step*k < n && start + step*k >= 0",
        Poly,
    ),
    case(
        "grid-stride loop",
        "n i32, bid size, tid 0..255, g count, k size",
        &["bid < g", "bid*256 + tid + 256*g*k < n"],
        "4*(bid*256 + tid + 256*g*k) + 4 <= 4*n",
        Poly,
    ),
    case("unrolled by four", "n count, i size", &["4*i < n", "n % 4 == 0"], "4*i + 3 < n", Poly),
    case("unrolled by four of any size", "n count, i size", &["4*i < n"], "4*i + 3 < n", No),
    case("vector load", "n count, i size", &["i < n/4"], "16*i + 16 <= 4*n", Poly),
    case(
        "partition of shared memory",
        "sections count, width count, s size, w size",
        &["s < sections", "w < width"],
        "sections*width + s*width + w < 2*sections*width",
        Poly,
    ),
    case(
        "second partition begins after the first",
        "n count, m count, i size",
        &["i < m"],
        "4*n + 4*i + 4 <= 4*n + 4*m",
        Poly,
    ),
    case(
        "per-series blocks",
        "nseries i32, nobs i32, bid size, it size",
        &["bid < nseries", "it < nobs"],
        "bid*nobs + it < nseries*nobs",
        Poly,
    ),
    case(
        "element matrices",
        "Nel i32, p count, e size, k 0..15, j 0..15, i 0..15, m size",
        &["e < Nel", "m < p"],
        "8*(m*4096*Nel + e*4096 + k*16*16 + j*16 + i) + 8 <= 8*p*4096*Nel",
        Poly,
    ),
    case(
        "geometric factors",
        "Nel count, e size, g 0..6, k 0..7, j 0..7, i 0..7",
        &["e < Nel"],
        "8*(e*7*512 + g*512 + k*64 + j*8 + i) + 8 <= 8*7*512*Nel",
        Poly,
    ),
    case("triangular", "tx 0..15, m 0..15", &["tx <= m"], "tx*16 + m < 256", Poly),
    case("triangular loops", "n i32, i size, j size", &["j < n", "i <= j"], "i*n + j < n*n", Poly),
    case("packed triangle", "n 1..30000, i size, j size", &["j < n", "i <= j"], "j*(j + 1)/2 + i < n*(n + 1)/2", Poly),
    case("tile in shared memory", "tx 0..15, ty 0..15", &[], "(ty*16 + tx)*4 + 4 <= 1024", Poly),
    case("padded tile", "tx 0..31, ty 0..31", &[], "ty*33 + tx < 1056", Poly),
    case("transposed tile", "tx 0..31, ty 0..7, j 0..3", &[], "tx*33 + ty + 8*j < 1056", Poly),
    case("halo in shared memory", "tx 0..255, r 0..8", &[], "tx + r + 8 < 272", Poly),
    case("halo that is too small", "tx 0..255, r 0..9", &[], "tx + r + 8 < 272", No),
    case("reduction stride", "bs 1..1024, tid 0..1023, s 1..512", &["tid < s", "2*s <= bs"], "tid + s < bs", Poly),
    case("halving stride by powers", "tid 0..1023, k 0..9", &["tid < pow2(9 - k)"], "tid + pow2(9 - k) < 1024", Poly),
    case(
        "scan offset",
        "n 1..1024, tid 0..1023, d 0..9",
        &["tid >= pow2(d)", "tid < n"],
        "tid - pow2(d) >= 0 && tid - pow2(d) < n",
        Poly,
    ),
    case(
        "scan of pairs",
        "n 1..512, tid 0..511, o count",
        &["tid < n", "o*(2*tid + 2) <= 2*n"],
        "o*(2*tid + 2) - 1 < 2*n",
        Poly,
    ),
    case("warp id", "tid 0..1023, bs 1..1024", &["tid < bs"], "tid/32 < 32 && tid/32*32 + tid%32 < bs", Poly),
    case(
        "lane and warp in a row",
        "tid 0..255, n count, row size",
        &["row*8 + tid/32 < n"],
        "(row*8 + tid/32)*32 + tid%32 < n*32",
        Poly,
    ),
    case(
        "row and column of a flat index",
        "n i32, m i32, i size",
        &["m >= 1", "n >= 0", "i < n*m"],
        "i/m < n && i%m < m",
        Poly,
    ),
    case("transposed flat index", "n count, m count, i size", &["i < n*m"], "i%m*n + i/m < n*m", Poly),
    case("flat index of three dimensions", "d count, h count, w count, i size", &["i < d*h*w"], "i/(h*w) < d", Poly),
    case("masked index", "i i32", &[], "and(i, 255) < 256", Poly),
    case("hash by mask", "n 1..1048576, i u32", &[], "and(i, n - 1) < n", Poly),
    case("modular index", "n count, i size", &[], "i % n < n && i % n >= 0", Poly),
    case("modular index of a signed value", "n count, i i32", &[], "i % n >= 0", No),
    case("wrapped neighbour", "n count, i size", &["i < n"], "(i + 1) % n < n && (i + n - 1) % n >= 0", Poly),
    case(
        "chosen neighbour",
        "n count, i size",
        &["i < n"],
        "ite(i == 0, n - 1, i - 1) < n && ite(i == 0, n - 1, i - 1) >= 0",
        Poly,
    ),
    case("one of two guards", "n count, m count, i size", &["i < n || i < m"], "i < n + m", Poly),
    case("one of two guards is not both", "n count, m count, i size", &["i < n || i < m"], "i < n", No),
    case("guard through a flag", "n count, i i32, p flag", &["!p || i < n", "p", "i >= 0"], "i < n", Poly),
    case("last tile", "n count, t size, i size", &["64*t < n", "i < min(64, n - 64*t)"], "64*t + i < n", Poly),
    case("rounded down loop", "n count, i size", &["i < n/8*8"], "i < n", Poly),
    case("symbolic rounding", "n count, c count, i size", &["i < n/c*c"], "i < n", Poly),
    case(
        "chunk per block",
        "n count, g count, bid size, i size",
        &["bid < g", "i < (bid + 1)*((n + g - 1)/g)", "i < n"],
        "i < n",
        Poly,
    ),
    case(
        "chunk per block without a guard",
        "n count, g 1..64, bid 0..63, i size",
        &["bid < g", "i < (bid + 1)*((n + g - 1)/g)"],
        "i < n",
        No,
    ),
    case(
        "exact chunks",
        "n count, g count, c count, bid size, i size",
        &["n == g*c", "bid < g", "i >= bid*c", "i < (bid + 1)*c"],
        "i < n",
        Poly,
    ),
    case("allocation of two arrays", "n i32, m i32, i size", &["n >= 1", "m >= n", "i < n"], "4*i + 4 <= 4*m", Poly),
    case(
        "range obligation from the guard",
        "n i32, bid size, tid 0..255, g count",
        &["bid < g", "g*256 < n + 256"],
        "bid*256 + tid <= 2147483647 + 256",
        Poly,
    ),
    case(
        "range obligation of a product",
        "rows i32, cols i32, row size, col size",
        &["row < rows", "col < cols", "rows*cols <= 2147483647"],
        "row*cols + col <= 2147483647",
        Poly,
    ),
    case(
        "range obligation of a product, unbounded",
        "rows i32, cols i32, row size, col size",
        &["row < rows", "col < cols"],
        "row*cols + col <= 2147483647",
        No,
    ),
    case("allocation axiom bounds a size", "n size, m size", &["4*n + 8*m <= 206158430208"], "n <= 51539607552", Poly),
    case("infeasible path", "n i32, i size", &["i < n", "n <= 0"], "i < 0", Poly),
    case("contradiction through products", "n count, m count, i size", &["i >= n*m", "i < n"], "i < 0", Z3),
    case("row of a flat index by a constant", "n count, i size", &["i < 48*n"], "i/48 < n && i%48 < 48", Poly),
    case("quotient of a quotient", "n count, i size", &["i < 12*n"], "i/4/3 < n", Poly),
    case("sign through a product", "a i32, b i32, c i32, i size", &["4*a*b*c >= 0", "b > i", "c > 0"], "a >= 0", Poly),
    case(
        "size through a halved product",
        "a i32, b i32, c i32, y size, z size",
        &["4*c*(a*b) >= 0", "y < b/2", "z < c"],
        "0 - (a/2)*(b/2)*c <= 0",
        Poly,
    ),
    case("closed form of a loop", "i size, n i32", &["n >= 1", "i <= n || i <= 0", "n <= 19"], "i < 20", Poly),
    case(
        "closed form of a variable set in rounds",
        "x i32, m size, k size",
        &["x <= 12", "x + 12*m - 12 <= 0 || m <= 0", "k < x + 12*m"],
        "k < 24 && k + 1 <= 12",
        Poly,
    ),
    case(
        "closed form of a halving loop",
        "b 1..1024, k 0..8, s size",
        &["k + s - 8 <= 0 || s <= 0"],
        "pow2(k + s + 1) <= 512",
        Poly,
    ),
    case("square of a difference", "x i32, y i32", &[], "2*x*y <= x*x + y*y", Z3),
];

fn decide(c: &Case, limits: &SolverLimits) -> (Answer, Scope) {
    let mut s = Scope::default();
    s.declare(c.names);
    let facts: Vec<TermId> = c.facts.iter().map(|f| s.term(f)).collect();
    let goal = s.term(c.goal);
    (prove(&mut s.arena, &facts, goal, WrapMode::Exact, limits), s)
}

#[test]
fn every_obligation_is_decided_by_whom_it_should_be() {
    let mut wrong = vec![];
    for c in CASES {
        let (answer, _) = decide(c, &SolverLimits::default());
        let got = match &answer {
            Answer::Proved { by: Prover::Poly, .. } => Some(Poly),
            Answer::Proved { .. } => Some(Z3),
            Answer::Model(_) => Some(No),
            Answer::Unknown(_) => None,
        };
        if got != Some(c.by) {
            wrong.push(format!("{}: {answer:?}", c.name));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}

#[test]
fn the_polynomial_bound_decides_most_of_what_holds() {
    let holds = CASES.iter().filter(|c| c.by != No).count();
    let poly = CASES.iter().filter(|c| c.by == Poly).count();
    assert!(poly * 5 >= holds * 4, "{poly} of {holds}");
}
