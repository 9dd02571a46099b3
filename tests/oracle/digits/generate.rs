//! Random kernels that take an index apart into digits and put it together again, each with the shape that it writes
//! down.

use super::shape::{DigitUse, Expr, Shape};
use crate::program::{Program, Stmt};
use rand::{RngExt, SeedableRng};
use rand_xorshift::XorShiftRng;

/// How a kernel takes its index apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TakenApart {
    /// `t % r`, then `t / r`
    Remainders,
    /// `t - t / r * r`
    Differences,
    /// `t & (r - 1)`, then `t >> log`, where the radix is a constant power of two; else `t % r`
    Masks,
    /// Each digit in another of these ways.
    Mixed,
    /// `i / (r0 * r1) % r2`
    Products,
    /// `i % (r0 * r1 * r2) / (r0 * r1)`
    Remainder,
    /// From the greatest digit: `t / (r0 * r1)`, then `t % (r0 * r1)`
    Nested,
    /// The same with `t - d * (r0 * r1)`
    NestedDifferences,
    /// A loop over an array of radices.
    Loop,
    /// A struct that divides by a multiplication (`__umulhi`) and a shift, both written as constants.
    FastDivision,
    /// The same, from structs that the host makes and passes.
    PassedDividers,
    /// As CUTLASS divides: the factor is rounded up, and the divisor 1 is treated apart. The host tests bits.
    RoundedUp,
    /// The same, with an instruction that counts zeros.
    RoundedUpByCount,
}

/// How it puts the digits together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PutTogether {
    /// `d0 + d1 * s1 + d2 * s2`
    Sum,
    /// The same, with strides that the host computes.
    PassedStrides,
    /// `(d2 * r1 + d1) * r0 + d0`
    Horner,
}

/// What is known of the radices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RadixKind {
    Constant,
    /// From the command line, at most so much.
    UpTo(i64),
    /// From the command line, positive.
    Positive,
}

pub struct DigitsProgram {
    pub program: Program,
    pub shape: Shape,
    pub apart: TakenApart,
    pub together: PutTogether,
    pub radices: RadixKind,
    /// Line of the access.
    pub line: u32,
}

const APART: [TakenApart; 13] = [
    TakenApart::Remainders,
    TakenApart::Differences,
    TakenApart::Masks,
    TakenApart::Mixed,
    TakenApart::Products,
    TakenApart::Remainder,
    TakenApart::Nested,
    TakenApart::NestedDifferences,
    TakenApart::Loop,
    TakenApart::FastDivision,
    TakenApart::PassedDividers,
    TakenApart::RoundedUp,
    TakenApart::RoundedUpByCount,
];

struct Draw {
    rng: XorShiftRng,
}

impl TakenApart {
    /// Whether dividers are made by the host and passed.
    const fn passes_dividers(self) -> bool {
        matches!(self, Self::PassedDividers | Self::RoundedUp | Self::RoundedUpByCount)
    }
}

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.rng.random_range(0..n)
    }
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }
    fn choose<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
    fn shuffled(&mut self, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            all.swap(i, self.below(i + 1));
        }
        all
    }

    fn radices(&mut self, apart: TakenApart) -> (RadixKind, Vec<Expr>) {
        let all_constant = matches!(apart, TakenApart::FastDivision);
        let kind = match self.below(10) {
            _ if all_constant => RadixKind::Constant,
            0..=3 => RadixKind::Constant,
            4..=7 => RadixKind::UpTo(self.choose(&[2, 3, 3, 4])),
            _ => RadixKind::Positive,
        };
        let n = match kind {
            RadixKind::Constant => self.choose(&[2, 3, 3, 4, 4, 5]),
            RadixKind::UpTo(2) => self.choose(&[2, 3, 4, 5]),
            _ => self.choose(&[2, 3, 3, 4]),
        };
        let values: &[i64] = match (n, apart) {
            (2, TakenApart::Masks) => &[2, 4, 8, 16, 6],
            (2, _) => &[2, 3, 4, 5, 7, 8, 12, 16],
            (3, TakenApart::Masks) => &[2, 4, 8, 2, 3],
            (3, _) => &[2, 3, 4, 5, 6, 8],
            (_, TakenApart::Masks) => &[2, 4, 2, 4, 3],
            _ => &[1, 2, 3, 4],
        };
        let fixed = if kind == RadixKind::Constant { 100 } else { 20 };
        let mut radices: Vec<Expr> =
            (0..n).map(|k| Expr::Radix(k, self.chance(fixed).then(|| self.choose(values)))).collect();
        if kind != RadixKind::Constant && radices.iter().all(|r| r.constant().is_some()) {
            radices[0] = Expr::Radix(0, None);
        }
        (kind, radices)
    }

    fn use_of(&mut self) -> DigitUse {
        match self.below(16) {
            0 => DigitUse::Mirrored,
            1 => DigitUse::Clamped(self.choose(&[1, 1, 2])),
            2 => DigitUse::Strided(2, self.choose(&[0, 1])),
            3 => DigitUse::Strided(1, self.choose(&[1, 2])),
            _ => DigitUse::Same,
        }
    }

    /// A right shape, then at most one mistake.
    fn shape(&mut self, radices: Vec<Expr>, order: &[usize]) -> (Shape, Vec<Expr>) {
        let n = radices.len();
        let uses: Vec<DigitUse> = (0..n).map(|_| self.use_of()).collect();
        let plain = uses.iter().all(|u| *u == DigitUse::Same);
        // Elements of each dimension that the digits reach, and those that there are.
        let greatest: Vec<Expr> = (0..n)
            .map(|k| match uses[k] {
                DigitUse::Strided(s, o) => {
                    radices[k].clone().plus(Expr::Int(-1)).times(Expr::Int(s)).plus(Expr::Int(o))
                }
                _ => radices[k].clone().plus(Expr::Int(-1)),
            })
            .collect();
        let padded = self.chance(25);
        let mut lengths: Vec<Expr> = (0..n)
            .map(|k| {
                let pad = if padded { self.choose(&[0, 0, 1, 2]) } else { 0 };
                let all = match uses[k] {
                    DigitUse::Strided(..) => greatest[k].clone().plus(Expr::Int(1)),
                    _ => radices[k].clone(),
                };
                all.plus(Expr::Int(pad))
            })
            .collect();
        let mut offset = Expr::Int(if self.chance(20) { self.choose(&[1, 3]) } else { 0 });
        let stride = |lengths: &[Expr], k: usize| {
            let at = order.iter().position(|o| *o == k).unwrap_or(0);
            Expr::product(order[at + 1..].iter().map(|o| lengths[*o].clone()))
        };
        let whole = Expr::product(order.iter().map(|o| lengths[*o].clone())).plus(offset.clone());
        let exact = (0..n)
            .fold(Expr::Int(1), |sum, k| sum.plus(greatest[k].clone().times(stride(&lengths, k))))
            .plus(offset.clone());
        let mut extent = if (plain && !padded) || self.chance(50) { whole } else { exact };
        let mut apart = radices.clone();
        let mut count = Expr::product(radices.iter().cloned());
        let (mut inclusive, mut reduced) = (false, self.chance(40));
        let (a, b) = (self.below(n), self.below(n));
        match self.below(20) {
            0..=3 => extent = extent.plus(Expr::Int(-1)),
            4 => extent = extent.plus(Expr::Int(1)),
            5 => (inclusive, reduced) = (true, false),
            6 => inclusive = true,
            7 => apart[a] = apart[a].clone().plus(Expr::Int(1)),
            8 => apart.swap(a, b),
            9 => lengths.swap(a, b),
            10 => lengths[a] = lengths[a].clone().plus(Expr::Int(1)),
            11 => offset = offset.plus(Expr::Int(1)),
            12 => offset = offset.plus(Expr::Int(-1)),
            13 => count = count.plus(radices[a].clone()),
            _ => {}
        }
        let strides = (0..n).map(|k| stride(&lengths, k)).collect();
        (Shape { radices, apart, reduced, uses, strides, offset, count, inclusive, extent }, lengths)
    }
}

/// Statements that take `i0` apart into `d0`, `d1` and so on, and names of these digits.
fn take_apart(draw: &mut Draw, way: TakenApart, shape: &Shape, ty: &str) -> (Vec<String>, Vec<String>) {
    let n = shape.apart.len();
    let names: Vec<String> = (0..n).map(|k| format!("d{k}")).collect();
    let below = |k: usize| Expr::product(shape.apart[..k].iter().cloned());
    let plain = |k: usize| k == n - 1 && !shape.reduced;
    let mut out = vec![];
    match way {
        TakenApart::Loop => {
            let radices: Vec<String> = shape.apart.iter().map(ToString::to_string).collect();
            out.push(format!("{ty} q0[{n}] = {{{}}}, d0[{n}], t0 = i0;", radices.join(", ")));
            let last = if shape.reduced { n } else { n - 1 };
            out.push(format!("for (int k = 0; k < {last}; k++) {{ d0[k] = t0 % q0[k]; t0 = t0 / q0[k]; }}"));
            if !shape.reduced {
                out.push(format!("d0[{last}] = t0;"));
            }
            return (out, (0..n).map(|k| format!("d0[{k}]")).collect());
        }
        TakenApart::Products | TakenApart::Remainder => {
            for k in 0..n {
                let (low, r) = (below(k), &shape.apart[k]);
                let high = low.clone().times(r.clone());
                let text = match (way, low == Expr::Int(1)) {
                    _ if plain(k) => format!("i0 / {low}"),
                    (_, true) => format!("i0 % {r}"),
                    (TakenApart::Products, _) => format!("i0 / {low} % {r}"),
                    _ => format!("i0 % {high} / {low}"),
                };
                out.push(format!("{ty} d{k} = {text};"));
            }
        }
        TakenApart::Nested | TakenApart::NestedDifferences => {
            out.push(format!("{ty} t0 = i0;"));
            for k in (1..n).rev() {
                let low = below(k);
                let cut = if k == n - 1 && shape.reduced { format!(" % {}", shape.apart[k]) } else { String::new() };
                // The difference needs the whole quotient.
                let difference = way == TakenApart::NestedDifferences && cut.is_empty();
                out.push(format!("{ty} d{k} = t0 / {low}{cut};"));
                out.push(if difference { format!("t0 = t0 - d{k} * {low};") } else { format!("t0 = t0 % {low};") });
            }
            out.push(format!("{ty} d0 = t0;"));
        }
        TakenApart::FastDivision
        | TakenApart::PassedDividers
        | TakenApart::RoundedUp
        | TakenApart::RoundedUpByCount => {
            out.push(format!("{ty} t0 = i0, u0;"));
            for (k, radix) in shape.apart.iter().enumerate() {
                if plain(k) {
                    out.push(format!("{ty} d{k} = t0;"));
                    continue;
                }
                let by = match way {
                    way if way.passes_dividers() => format!("v{k}"),
                    _ => divider(radix.constant().unwrap_or(1)),
                };
                out.push(format!("u0 = {by}.over(t0);"));
                out.push(format!("{ty} d{k} = t0 - u0 * {radix};"));
                out.push("t0 = u0;".into());
            }
        }
        _ => {
            out.push(format!("{ty} t0 = i0;"));
            for (k, r) in shape.apart.iter().enumerate() {
                if plain(k) {
                    out.push(format!("{ty} d{k} = t0;"));
                    continue;
                }
                let power = r.constant().filter(|v| v.count_ones() == 1);
                let way = match way {
                    TakenApart::Mixed => {
                        draw.choose(&[TakenApart::Remainders, TakenApart::Differences, TakenApart::Masks])
                    }
                    way => way,
                };
                let (digit, left) = match (way, power) {
                    (TakenApart::Masks, Some(v)) => (format!("t0 & {}", v - 1), format!("t0 >> {}", v.ilog2())),
                    (TakenApart::Differences, _) => (format!("t0 - t0 / {r} * {r}"), format!("t0 / {r}")),
                    _ => (format!("t0 % {r}"), format!("t0 / {r}")),
                };
                out.extend([format!("{ty} d{k} = {digit};"), format!("t0 = {left};")]);
            }
        }
    }
    (out, names)
}

/// A divider as PyTorch's `IntDivider` computes it (c10, after Granlund and Montgomery 1994).
fn divider(d: i64) -> String {
    let shift = if d <= 1 { 0 } else { (d - 1).ilog2() + 1 };
    let magic = (((1_i128 << 32) * ((1_i128 << shift) - i128::from(d))) / i128::from(d)) + 1;
    format!("@D{{{magic}u, {shift}}}")
}

const DIVIDER: &str =
    "struct @D { unsigned m, s; __device__ unsigned over(unsigned n) const { return (__umulhi(n, m) + n) >> s; } };";

/// The same, made by the host with PyTorch's own loop.
const MADE_DIVIDER: &str = "struct @D { unsigned m, s; @D(unsigned d) { for (s = 0; s < 32; s++) if ((1u << s) >= d) break; \
    m = ((1ull << 32) * ((1ull << s) - d)) / d + 1; } \
    __device__ unsigned over(unsigned n) const { return (__umulhi(n, m) + n) >> s; } };";

/// A divider as `cutlass::FastDivmod`; `LOG` stands for statements that set `l` to the logarithm, rounded down.
const ROUNDED_UP: &str = "struct @D { int d; unsigned m = 0, s = 0; @D(int by) : d(by) { if (d != 1) { LOG \
    unsigned p = 31 + l + ((d & (d - 1)) != 0); m = unsigned(((1ull << p) + unsigned(d) - 1) / unsigned(d)); s = p - 32; } } \
    __device__ int over(int n) const { return d != 1 ? __umulhi(n, m) >> s : n; } };";
const SEARCHED: &str = "int l = 0; for (int i = 31; i >= 0; --i) if ((1 << i) & d) { l = i; break; }";
const COUNTED: &str = "int l = 31 - __builtin_clz(d);";

/// Dividers that the kernel uses, each by the digit that it takes off.
fn dividers(apart: TakenApart, shape: &Shape) -> std::ops::Range<usize> {
    let all = shape.apart.len();
    if apart.passes_dividers() { 0..if shape.reduced { all } else { all - 1 } } else { 0..0 }
}

/// Statements that put digits together into `x0`.
fn put_together(
    draw: &mut Draw,
    way: PutTogether,
    (shape, lengths, order): (&Shape, &[Expr], &[usize]),
    names: &[String],
    ty: &str,
) -> Vec<String> {
    let used = |k: usize| {
        let (d, r) = (&names[k], &shape.radices[k]);
        match shape.uses[k] {
            DigitUse::Same => d.clone(),
            DigitUse::Mirrored => format!("({r} - 1 - {d})"),
            DigitUse::Clamped(by) => format!("min({d} + {by}, ({ty})({r} - 1))"),
            DigitUse::Strided(1, o) => format!("({d} + {o})"),
            DigitUse::Strided(s, 0) => format!("{d} * {s}"),
            DigitUse::Strided(s, o) => format!("({d} * {s} + {o})"),
        }
    };
    let offset = if shape.offset == Expr::Int(0) { String::new() } else { format!(" + {}", shape.offset) };
    if way == PutTogether::Horner {
        let mut text = used(order[0]);
        for k in &order[1..] {
            text = format!("({text} * {} + {})", lengths[*k], used(*k));
        }
        return vec![format!("{ty} x0 = {text}{offset};")];
    }
    let terms: Vec<String> = draw
        .shuffled(names.len())
        .into_iter()
        .map(|k| match (&shape.strides[k], way) {
            (Expr::Int(1), _) => used(k),
            (stride, PutTogether::PassedStrides) if stride.constant().is_none() => format!("{} * s{k}", used(k)),
            (stride, _) => format!("{} * {stride}", used(k)),
        })
        .collect();
    vec![format!("{ty} x0 = {}{offset};", terms.join(" + "))]
}

/// Host code: reads the radices, allocates, launches.
fn host(draw: &mut Draw, p: &DigitsProgram, passed: &[String], ty: &str) -> Vec<String> {
    let mut out = vec![];
    let mut arguments = 0;
    for (k, r) in p.shape.radices.iter().enumerate().filter(|(_, r)| r.constant().is_none()) {
        arguments += 1;
        out.push(format!("int {r} = atoi(argv[{arguments}]);"));
        out.push(match p.radices {
            RadixKind::UpTo(most) => format!("if (r{k} < 1 || r{k} > {most}) return 0;"),
            _ => format!("if (r{k} < 1) return 0;"),
        });
    }
    for (k, stride) in p.shape.strides.iter().enumerate().filter(|(k, _)| passed.contains(&format!("s{k}"))) {
        out.push(format!("{ty} s{k} = {stride};"));
    }
    for k in dividers(p.apart, &p.shape) {
        out.push(format!("@D v{k}({});", p.shape.apart[k]));
    }
    let block = draw.choose(&[32, 32, 64, 128]);
    out.extend([
        format!("int n0 = {};", p.shape.count),
        "int *a0;".into(),
        format!("cudaMalloc(&a0, {} * sizeof(int));", p.shape.extent),
        format!(
            "@k<<<(n0 + {}) / {block}, {block}>>>(a0, n0{});",
            // The last index of an inclusive bound needs a thread, too.
            if p.shape.inclusive { block } else { block - 1 },
            passed.iter().map(|v| format!(", {v}")).collect::<String>()
        ),
        "return 0;".into(),
    ]);
    out
}

/// The program of a seed.
pub fn program(seed: u64) -> DigitsProgram {
    let mut draw = Draw { rng: XorShiftRng::seed_from_u64(seed) };
    let apart = APART[usize::try_from(seed).unwrap_or(0) % APART.len()];
    let together = draw.choose(&[PutTogether::Sum, PutTogether::PassedStrides, PutTogether::Horner]);
    let (kind, radices) = draw.radices(apart);
    let order = if draw.chance(40) { (0..radices.len()).rev().collect() } else { draw.shuffled(radices.len()) };
    let (shape, lengths) = draw.shape(radices, &order);
    let ty = match apart {
        TakenApart::FastDivision | TakenApart::PassedDividers => "unsigned",
        TakenApart::RoundedUp | TakenApart::RoundedUpByCount => draw.choose(&["int", "unsigned"]),
        _ => draw.choose(&["int", "int", "unsigned", "long long", "size_t"]),
    };
    let (mut body, names) = take_apart(&mut draw, apart, &shape, ty);
    body.extend(put_together(&mut draw, together, (&shape, &lengths, &order), &names, ty));
    let mut passed: Vec<String> =
        shape.radices.iter().filter(|r| r.constant().is_none()).map(ToString::to_string).collect();
    if together == PutTogether::PassedStrides {
        let symbolic = |k: &usize| shape.strides[*k].constant().is_none();
        passed.extend((0..shape.strides.len()).filter(symbolic).map(|k| format!("s{k}")));
    }
    let mut items = vec![];
    match apart {
        TakenApart::FastDivision => items.push(Stmt::line(DIVIDER)),
        TakenApart::PassedDividers => items.push(Stmt::line(MADE_DIVIDER)),
        TakenApart::RoundedUp => items.push(Stmt::line(ROUNDED_UP.replace("LOG", SEARCHED))),
        TakenApart::RoundedUpByCount => items.push(Stmt::line(ROUNDED_UP.replace("LOG", COUNTED))),
        _ => {}
    }
    let numbers = passed.iter().map(|v| format!(", {ty} {v}"));
    let made: Vec<String> = dividers(apart, &shape).map(|k| format!("v{k}")).collect();
    let parameters: String = numbers.chain(made.iter().map(|v| format!(", @D {v}"))).collect();
    passed.extend(made);
    let head = format!("__global__ void @k(int *a0, {ty} n0{parameters}) {{");
    let mut lines = vec![format!("{ty} i0 = blockIdx.x * blockDim.x + threadIdx.x;")];
    let (less, beyond) = if shape.inclusive { ("<=", ">") } else { ("<", ">=") };
    let access = "a0[x0] = 1;".to_owned();
    let (kernel, at) = match draw.below(3) {
        0 => {
            lines.push(format!("if (i0 {beyond} n0) return;"));
            lines.extend(body);
            lines.push(access);
            let at = lines.len();
            (Stmt::block(head, lines.into_iter().map(Stmt::line).collect()), at)
        }
        way => {
            let at = lines.len() + body.len() + 2;
            body.push(access);
            let inner = body.into_iter().map(Stmt::line).collect();
            let outer = if way == 1 {
                Stmt::block(format!("if (i0 {less} n0) {{"), inner)
            } else {
                Stmt::block(format!("for (; i0 {less} n0; i0 += gridDim.x * blockDim.x) {{"), inner)
            };
            (Stmt::block(head, lines.into_iter().map(Stmt::line).chain([outer]).collect()), at)
        }
    };
    let line = u32::try_from(items.len() + 1 + at).unwrap_or(u32::MAX);
    items.push(kernel);
    let values: Vec<i64> = match kind {
        RadixKind::UpTo(most) => (1..=most).chain([0, most + 1]).collect(),
        _ => vec![1, 2, 3, 4, 0],
    };
    let symbolic = shape.radices.iter().filter(|r| r.constant().is_none()).count();
    let program = Program { seed, items: vec![], inputs: vec![values; symbolic], indices: false };
    let mut out = DigitsProgram { program, shape, apart, together, radices: kind, line };
    let main = host(&mut draw, &out, &passed, ty);
    items.push(Stmt::block("int @main(int argc, char **argv) {", main.into_iter().map(Stmt::line).collect()));
    out.program.items = items;
    out
}
