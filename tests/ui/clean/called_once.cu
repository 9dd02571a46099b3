// One-time calls: `std::call_once` runs its function at the first call alone, on this thread, and static variables of functions are
// constructed once. A second construction would allocate the wrong size.
//@ decided
#include <mutex>

__global__ void fill(float *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i] = 1.0f;
}

static float *buffer;
static std::once_flag flag;
static int calls;

static float *allocate(int n) {
    float *p = nullptr;
    cudaMalloc(&p, n * sizeof(float));
    ++calls;
    return p;
}

inline float *in_a_static() {
    static float *p = allocate(16);
    return p;
}

int main() {
    for (int k = 0; k < 3; ++k) std::call_once(flag, [](int n) { buffer = allocate(n); }, 32);
    fill<<<1, 64>>>(buffer, 31 + calls);
    fill<<<1, 64>>>(in_a_static(), 16);
    fill<<<1, 64>>>(in_a_static(), 14 + calls);
}
