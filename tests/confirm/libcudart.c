/* A CUDA runtime without a device, for the tests of templates/calls.cpp: memory of the device is the host's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int cudaMalloc(void **p, size_t n) { return (*p = malloc(n)) == NULL; }
int cudaMallocManaged(void **p, size_t n, unsigned flags) { return (void)flags, cudaMalloc(p, n); }
int cudaMallocAsync(void **p, size_t n, void *stream) { return (void)stream, cudaMalloc(p, n); }
int cudaMallocAsync_ptsz(void **p, size_t n, void *stream) { return (void)stream, cudaMalloc(p, n); }
int cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t rows) { return *pitch = (width + 511) / 512 * 512, cudaMalloc(p, *pitch * rows); }
/* Pages of their own: the machine refuses what comes after they were freed. */
int cudaMallocHost(void **p, size_t n) {
    return (*p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) == MAP_FAILED;
}
int cudaHostAlloc(void **p, size_t n, unsigned flags) { return (void)flags, cudaMalloc(p, n); }
int cudaFree(void *p) { return free(p), 0; }
int cudaFreeAsync(void *p, void *stream) { return (void)stream, free(p), 0; }
int cudaFreeAsync_ptsz(void *p, void *stream) { return (void)stream, free(p), 0; }
int cudaDeviceReset(void) { return 0; }
int cudaFreeHost(void *p) { return munmap(p, 1); }
int cudaMemcpy(void *to, const void *from, size_t n, int kind) { return (void)kind, memmove(to, from, n), 0; }
int cudaMemcpyAsync(void *to, const void *from, size_t n, int kind, void *stream) { return (void)stream, cudaMemcpy(to, from, n, kind); }
int cudaMemset(void *to, int value, size_t n) { return memset(to, value, n), 0; }
int cudaMemsetAsync(void *to, int value, size_t n, void *stream) { return (void)stream, cudaMemset(to, value, n); }
int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t rows, int kind) {
    for (size_t i = 0; i < rows; ++i) cudaMemcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width, kind);
    return 0;
}
int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t rows, int kind, void *stream) {
    return (void)stream, cudaMemcpy2D(to, to_pitch, from, from_pitch, width, rows, kind);
}
int cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t rows) {
    for (size_t i = 0; i < rows; ++i) memset((char *)to + i * pitch, value, width);
    return 0;
}
int cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t rows, void *stream) {
    return (void)stream, cudaMemset2D(to, pitch, value, width, rows);
}
/* Every variable of the device has 64 bytes, which nobody reads. */
int cudaGetSymbolSize(size_t *n, const void *symbol) { return *n = 64, symbol == NULL; }
int cudaGetLastError(void) { return 0; }
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n, size_t offset, int kind) {
    return (void)symbol, (void)from, (void)kind, offset + n > 64;
}
int cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t n, size_t offset, int kind, void *stream) {
    return (void)stream, cudaMemcpyToSymbol(symbol, from, n, offset, kind);
}
int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t n, size_t offset, int kind) {
    return (void)symbol, (void)to, (void)kind, offset + n > 64;
}
int cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t n, size_t offset, int kind, void *stream) {
    return (void)stream, cudaMemcpyFromSymbol(to, symbol, n, offset, kind);
}

/* What is called a kernel is a number; launches say which. */
void __cudaRegisterFunction(void **unit, const char *stub, char *kernel, const char *symbol, int threads, void *tid, void *bid, void *block, void *grid, int *warp) {
    (void)unit, (void)stub, (void)kernel, (void)symbol, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
}
int __cudaGetKernel(void **out, const void *stub) { return *out = (char *)stub + 100, 0; }
struct extent { unsigned x, y, z; };
int cudaLaunchKernel(const void *kernel, struct extent grid, struct extent block, void **of, size_t shared, void *stream) {
    (void)of, (void)shared, (void)stream;
    return printf("kernel %d by %u blocks of %u\n", (int)(size_t)kernel, grid.x, block.z), 0;
}
int cudaLaunchKernelExC(const void *configuration, const void *kernel, void **of) {
    struct extent one = {1, 1, 1};
    return cudaLaunchKernel(kernel, one, *(const struct extent *)configuration, of, 0, NULL);
}

/* With a stream for each thread they have names of their own. */
#define ALSO(other, name) __typeof__(name) other __attribute__((alias(#name)));
ALSO(cudaMemcpy_ptds, cudaMemcpy)
ALSO(cudaMemcpyAsync_ptsz, cudaMemcpyAsync)
ALSO(__cudaLaunchKernel, cudaLaunchKernel)
ALSO(cudaMemset_ptds, cudaMemset)
ALSO(cudaMemsetAsync_ptsz, cudaMemsetAsync)
ALSO(cudaMemcpy2D_ptds, cudaMemcpy2D)
ALSO(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync)
ALSO(cudaMemset2D_ptds, cudaMemset2D)
ALSO(cudaMemset2DAsync_ptsz, cudaMemset2DAsync)
ALSO(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol)
ALSO(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol)
