/* Copies, fills and frees of the host, right and wrong, for `tests/confirm/calls.rs`. */
#include <stdio.h>
#include <stdlib.h>

int cudaMalloc(void **, size_t);
int cudaMallocPitch(void **, size_t *, size_t, size_t);
int cudaFree(void *);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpyAsync_ptsz(void *, const void *, size_t, int, void *);
int cudaMemset(void *, int, size_t);
int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemset2D(void *, size_t, int, size_t, size_t);
int cudaDeviceReset(void);
int cudaMallocHost(void **, size_t);
int cudaFreeHost(void *);
struct extent { unsigned x, y, z; };
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int __cudaGetKernel(void **, const void *);
int cudaLaunchKernel(const void *, struct extent, struct extent, void **, size_t, void *);
int __cudaLaunchKernel(const void *, struct extent, struct extent, void **, size_t, void *);
int cudaLaunchKernelExC(const void *, const void *, void **);
int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);

static int numbers[8];
int weights;

int main(void) {
    int status = 0;
    int local[4] = {0};
    char *h = malloc(24), *back = calloc(4, 8), *d, *pitched, *gone;
    size_t pitch = 0;
    status |= cudaMalloc((void **)&d, 48) | cudaMalloc((void **)&gone, 16) | cudaMallocPitch((void **)&pitched, &pitch, 4, 2);
    /* What fits, to the last byte and of no bytes at all. */
    status |= cudaMemcpy(d, h, 24, 1) | cudaMemcpy(d + 48, h, 0, 1) | cudaMemset(d, 0, 48) | cudaMemcpy(numbers, d, sizeof numbers, 2);
    status |= cudaMemcpy2D(pitched, pitch, h, 12, 4, 2, 1) | cudaMemset2D(pitched, pitch, 0, pitch, 2);
    status |= cudaMemcpyToSymbol(&weights, h, 24, 40, 1);
    /* Either side, a byte too many; from inside a block; beyond a variable. */
    status |= cudaMemcpy(d, h, 25, 1) | cudaMemset(d + 8, 0, 41) | cudaMemcpy(numbers + 7, d, 8, 2);
    status |= cudaMemcpyAsync_ptsz(back, d, 40, 2, NULL);
    status |= cudaMemcpy2D(pitched, pitch, h, 12, 4, 3, 1) | cudaMemset2D(pitched, pitch, 0, pitch, 3);
    status |= cudaMemcpyToSymbol(&weights, h, 24, 44, 1);
    h = realloc(h, 8);
    status |= cudaMemcpy(d, h, 9, 1);
    /* After it was freed; into a variable of a function. */
    status |= cudaFree(gone) | cudaMemset(gone, 0, 4) | cudaMemcpy(local, d, sizeof local, 2);
    /* After all of it was. */
    status |= cudaDeviceReset() | cudaMemset(d, 0, 4);
    printf("%d\n", status);
    /* Two kernels, by each of their names. */
    struct extent two = {2, 1, 1}, three = {1, 1, 3};
    void *handle;
    __cudaRegisterFunction(NULL, (char *)1, NULL, "_Z4fillPi", 0, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(NULL, (char *)2, NULL, "_ZL4lastPi", 0, NULL, NULL, NULL, NULL, NULL);
    for (size_t stub = 1; stub < 3; ++stub) {
        status |= cudaLaunchKernel((void *)stub, two, three, NULL, 0, NULL) | cudaLaunchKernelExC(&three, (void *)stub, NULL);
        status |= __cudaGetKernel(&handle, (void *)stub) | __cudaLaunchKernel(handle, two, three, NULL, 0, NULL);
    }
    fflush(stdout);
    /* An access of the program's own to what was freed. */
    volatile int *pinned;
    status |= cudaMallocHost((void **)&pinned, 64) | cudaFreeHost((void *)pinned);
    pinned[3] = 1;
    free(h);
    free(back);
    return status;
}
