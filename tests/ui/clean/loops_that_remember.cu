//@ decided
// Loops whose variables depend on what they were in the round before: searches that halve, indices that start over, buffers that take
// turns, stacks, heaps, probes.
#include <cstdlib>

__global__ void lower_bound(const int *a, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (a[mid] < i) lo = mid + 1; else hi = mid;
  }
  out[i] = lo < n ? a[lo] : -1;
}
__global__ void search(const int *a, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int lo = 0, hi = n - 1, found = -1;
  while (lo <= hi) {
    int mid = lo + (hi - lo) / 2;
    if (a[mid] == i) { found = mid; break; }
    if (a[mid] < i) lo = mid + 1; else hi = mid - 1;
  }
  out[i] = found;
}
__global__ void last_before(const int *a, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned lo = 0, hi = n;
  while (hi - lo > 1) {
    unsigned mid = (lo + hi) >> 1;
    if (a[mid] <= i) lo = mid; else hi = mid;
  }
  out[i] = a[lo];
}
__global__ void counted(const int *a, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int first = 0, count = n;
  while (count > 0) {
    int step = count / 2, it = first + step;
    if (a[it] < i) { first = it + 1; count -= step + 1; } else count = step;
  }
  out[i] = first;
}
__global__ void probe(const int *key, int *table, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned slot = (unsigned)key[i] % (unsigned)n;
  while (table[slot] != 0) slot = (slot + 1) % (unsigned)n;
  table[slot] = key[i];
}
__global__ void probe_by_mask(const int *key, int *table, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned slot = (unsigned)key[i] & 63;
  while (true) {
    int old = atomicCAS(&table[slot], 0, key[i]);
    if (old == 0 || old == key[i]) return;
    slot = (slot + 1) & 63;
  }
}
__global__ void ring(const float *in, float *out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float delay[8];
  for (int k = 0; k < 8; k++) delay[k] = 0;
  int at = 0, from = i;
  float sum = 0;
  for (int r = 0; r < rounds; r++) {
    sum += delay[at];
    delay[at] = in[from];
    at = at == 7 ? 0 : at + 1;
    if (++from == n) from = 0;
  }
  out[i] = sum + delay[at] + in[from];
}
__global__ void in_turns(int *out, int n, int rounds) {
  __shared__ int tile[2][128], flat[256], ring[3 * 128];
  int t = threadIdx.x, p = 0, q = 1, side = 0, stage = 0;
  for (int r = 0; r < rounds; r++) {
    tile[side][t] = tile[1 - side][t] + r;
    flat[p * 128 + t] = flat[q * 128 + t] + 1;
    ring[stage * 128 + t] = r;
    side = 1 - side;
    int s = p; p = q; q = s;
    stage = (stage + 1) % 3;
    __syncthreads();
  }
  int i = blockIdx.x * blockDim.x + t, toggled = 0;
  for (int r = 0; r < rounds; r++) toggled ^= 1;
  if (i < n) out[i] = tile[side][t] + flat[p * 128 + t] + ring[stage * 128 + t] + tile[toggled][t];
}
__global__ void stack(const int *a, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int left[64], top = 0, sum = 0;
  left[top++] = i;
  while (top > 0) {
    int v = left[--top];
    sum += v;
    if (v > 1 && top < 62) { left[top++] = v / 2; left[top++] = v / 3; }
  }
  out[i] = sum;
}
__global__ void heap(int *a, int n) {
  int i = 0;
  while (2 * i + 1 < n) {
    int c = 2 * i + 1;
    if (c + 1 < n && a[c + 1] > a[c]) c++;
    if (a[i] >= a[c]) break;
    int t = a[i]; a[i] = a[c]; a[c] = t;
    i = c;
  }
  i = n - 1;
  while (i > 0) {
    int p = (i - 1) / 2;
    if (a[p] >= a[i]) break;
    int t = a[i]; a[i] = a[p]; a[p] = t;
    i = p;
  }
}
__global__ void merge(const int *a, const int *b, int *out, int n, int m) {
  int i = 0, j = 0, k = 0;
  while (i < n && j < m) {
    if (a[i] < b[j]) out[k++] = a[i++]; else out[k++] = b[j++];
  }
  while (i < n) out[k++] = a[i++];
  while (j < m) out[k++] = b[j++];
}
__global__ void walk(const int *by, int *seen, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = i, y = i;
  for (int r = 0; r < rounds; r++) {
    x += by[i];
    x = max(0, min(x, n - 1));
    seen[x] = r;
    int next = y + by[i];
    if (next >= 0 && next < n) y = next;
    seen[y] = r;
  }
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  int n = atoi(argv[1]), m = atoi(argv[2]), rounds = atoi(argv[3]);
  if (n < 1 || n > 100000 || m < 1 || m > 100000) return 1;
  int *a, *b, *both, *table;
  float *in, *out;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, m * sizeof(int));
  cudaMalloc(&both, (n + m) * sizeof(int));
  cudaMalloc(&table, 64 * sizeof(int));
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(a, 0, n * sizeof(int));
  cudaMemset(b, 0, m * sizeof(int));
  int grid = (n + 127) / 128;
  lower_bound<<<grid, 128>>>(a, both, n);
  search<<<grid, 128>>>(a, both, n);
  last_before<<<grid, 128>>>(a, both, n);
  counted<<<grid, 128>>>(a, both, n);
  probe<<<grid, 128>>>(both, a, n);
  probe_by_mask<<<grid, 128>>>(both, table, n);
  ring<<<grid, 128>>>(in, out, n, rounds);
  in_turns<<<grid, 128>>>(both, n, rounds);
  stack<<<grid, 128>>>(a, both, n);
  heap<<<1, 1>>>(a, n);
  merge<<<1, 1>>>(a, b, both, n, m);
  walk<<<grid, 128>>>(a, both, n, rounds);
  cudaDeviceSynchronize();
  return 0;
}
