//! What CUDA's runtime makes of calls: launches that it refuses, copies that go on behind their call, work that is captured and not done, kernels
//! that trap, frees of the wrong kind, constant variables that kernels write. A number goes through some of that and is an index at the end.

use super::{Gen, Stmt};

impl Gen {
    /// Lets a program end with such calls.
    pub fn runtime(&mut self, items: &mut Vec<Stmt>) {
        let Some(Stmt::Block { head, mut body, tail }) = items.pop() else { return };
        let end = body.len().saturating_sub(1);
        let v = body[..end]
            .iter()
            .filter_map(|s| match s {
                Stmt::Line(l) => l
                    .strip_prefix("int v")
                    .and_then(|r| r.split_once(' '))
                    .map(|(n, _)| format!("v{}", n.trim_end_matches(';'))),
                Stmt::Block { .. } => None,
            })
            .next_back();
        let Some(v) = v else {
            items.push(Stmt::Block { head, body, tail });
            return;
        };
        let [put, take, read, named] = [(); 4].map(|()| self.name('k'));
        let (constant, trap) = (self.name('g'), self.chance(8));
        let bounds = if self.chance(25) {
            format!("__launch_bounds__({}) ", self.choose(&["1", "32", "64"]))
        } else {
            String::new()
        };
        let statics = if self.chance(30) {
            format!(
                "__shared__ int s[{}]; s[threadIdx.x] = n; __syncthreads(); n = s[0]; ",
                self.choose(&["64", "4096", "12288"])
            )
        } else {
            String::new()
        };
        let stop = if trap {
            format!("if (n {} 5) {} ", self.choose(&[">", "<", "=="]), self.choose(&["__trap();", "asm(\"trap;\");"]))
        } else {
            String::new()
        };
        items.push(Stmt::line(format!("__constant__ int @{constant} = 1;")));
        items.push(Stmt::line(format!(
            "__global__ void {bounds}@{put}(int *p, int n) {{ {stop}{statics}if (threadIdx.x == 0) *p = n; }}"
        )));
        items.push(Stmt::line(format!("__global__ void @{take}(int *out, int i) {{ out[i] = 1; }}")));
        items.push(Stmt::line(format!("__global__ void @{read}(int *out, const int *p) {{ out[*p] = 1; }}")));
        items.push(Stmt::line(format!("__global__ void @{named}(int *out) {{ out[@{constant}] = 1; }}")));
        let [a, p, h, s, q] = ['a', 'p', 'h', 's', 'q'].map(|k| self.name(k));
        let small = |e: &mut Self| e.choose(&["0", "1", "3", "7", "8", "9", v.as_str()]).to_owned();
        let mut out: Vec<String> = vec![];
        let pinned = self.chance(60);
        let managed = self.chance(20);
        out.push(format!("int *{a}, *{p}, *{h};"));
        out.push(format!("cudaMalloc(&{a}, 8 * sizeof(int));"));
        out.push(format!("{}(&{p}, sizeof(int));", if managed { "cudaMallocManaged" } else { "cudaMalloc" }));
        out.push(if pinned {
            format!("cudaMallocHost(&{h}, sizeof(int));")
        } else {
            format!("{h} = (int *)malloc(sizeof(int));")
        });
        let x = small(self);
        out.push(format!("*{h} = {x};"));
        out.push(format!(
            "cudaStream_t {s}; {}",
            if self.chance(50) {
                format!("cudaStreamCreate(&{s});")
            } else {
                format!("cudaStreamCreateWithFlags(&{s}, cudaStreamNonBlocking);")
            }
        ));
        out.push(format!("cudaMemcpy({p}, {h}, sizeof(int), cudaMemcpyHostToDevice);"));
        for _ in 0..=self.below(4) {
            let (x, stream) = (small(self), if self.chance(50) { "0" } else { s.as_str() }.to_owned());
            let shared = match self.below(9) {
                0 => "49152".into(),
                1 => "49153".into(),
                2 => "65536".into(),
                3 => "232448".into(),
                4 => "232452".into(),
                5 => format!("{v} * 8192"),
                6 => "40000".into(),
                _ => "0".to_owned(),
            };
            let threads = self.choose(&["1", "1", "1", "32", "64", "65", v.as_str()]).to_owned();
            match self.weigh(&[34, 12, 8, 14, 8, 8, 6, 6, 6]) {
                0 => out.push(format!("@{put}<<<1, {threads}, {shared}, {stream}>>>({p}, {x});")),
                1 => out.push(format!(
                    "cudaFuncSetAttribute(@{put}, cudaFuncAttributeMaxDynamicSharedMemorySize, {});",
                    self.choose(&["65536", "1024", "232448", "300000", "-1", v.as_str()])
                )),
                2 => out.push(format!("if (cudaGetLastError() != cudaSuccess) *{h} = {x};")),
                3 => {
                    let (to, from, kind) = if self.chance(60) {
                        (&h, &p, "cudaMemcpyDeviceToHost")
                    } else {
                        (&p, &h, "cudaMemcpyHostToDevice")
                    };
                    out.push(if self.chance(60) {
                        format!("cudaMemcpyAsync({to}, {from}, sizeof(int), {kind}, {stream});")
                    } else {
                        format!("cudaMemcpy({to}, {from}, sizeof(int), {kind});")
                    });
                    if self.chance(30) {
                        out.push(format!("*{h} = {x};"));
                    }
                }
                4 => out.push(self.choose(&[
                    "cudaDeviceSynchronize();".to_owned(),
                    format!("cudaStreamSynchronize({s});"),
                    format!("cudaStreamSynchronize({stream});"),
                ])),
                5 => {
                    let graph = self.name('g');
                    out.push(format!("cudaGraph_t {graph}; cudaStreamBeginCapture({s}, cudaStreamCaptureModeGlobal);"));
                    out.push(if self.chance(50) {
                        format!("@{put}<<<1, 1, 0, {s}>>>({p}, {x});")
                    } else {
                        format!("cudaMemcpyAsync({p}, {h}, sizeof(int), cudaMemcpyHostToDevice, {s});")
                    });
                    out.push(format!("cudaStreamEndCapture({s}, &{graph});"));
                }
                6 => {
                    let c = self.name('c');
                    out.push(format!(
                        "void *{c}; cudaGetSymbolAddress(&{c}, @{constant}); @{put}<<<1, 1>>>((int *){c}, {x});"
                    ));
                }
                7 => {
                    let c = self.name('c');
                    out.push(format!(
                        "int {c} = {x}; cudaMemcpyToSymbol{}(@{constant}, &{c}, sizeof(int));",
                        if self.chance(40) { "Async" } else { "" }
                    ));
                }
                // Refused: the memory stays.
                _ => out.push(self.choose(&[
                    format!("cudaFreeHost({p});"),
                    format!("cudaFree({h});"),
                    format!("cudaFree({a} + 1);"),
                ])),
            }
        }
        if managed && self.chance(50) {
            let x = small(self);
            out.push(format!("*{p} = {x}; cudaDeviceSynchronize();"));
        }
        if self.chance(20) {
            let x = small(self);
            out.push(format!("cudaFree({p}); int *{q}; cudaMalloc(&{q}, sizeof(int)); if ({q} == {p}) *{h} = {x}; {p} = {q}; cudaMemcpy({p}, {h}, sizeof(int), cudaMemcpyHostToDevice);"));
        }
        out.push(match self.below(3) {
            0 => format!("@{take}<<<1, 1>>>({a}, *{h});"),
            1 => format!(
                "@{read}<<<1, 1{}>>>({a}, {p});",
                if self.chance(40) { format!(", 0, {s}") } else { String::new() }
            ),
            _ => {
                format!("@{named}<<<1, 1{}>>>({a});", if self.chance(40) { format!(", 0, {s}") } else { String::new() })
            }
        });
        for (i, text) in out.into_iter().enumerate() {
            body.insert(end + i, Stmt::line(text));
        }
        items.push(Stmt::Block { head, body, tail });
    }
}
