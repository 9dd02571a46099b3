// argv: 1
// A kernel reaches a buffer through a pointer that device memory holds.
__global__ void @set(int **t) { t[0][0] = 100; }
__global__ void @use(int *a, int *d) { a[d[0]] = 1; }
__global__ void @use2(int *a, int *d) { a[d[0]] = 1; }
__global__ void @keep(int **t, int *d) { t[0] = d; }
__global__ void @use3(int *a, int *d) { a[d[0]] = 1; }
__global__ void @both(int *a, int **t, int *d) { t[0][0] = 100; a[d[0]] = 1; }
int @main(int argc, char **argv) {
    int *a, *d, *e, **t, **u, h = 3;
    cudaMalloc(&a, 8 * sizeof(int));
    cudaMalloc(&d, 4);
    cudaMalloc(&e, 4);
    cudaMalloc(&t, 8);
    cudaMalloc(&u, 8);
    cudaMemcpy(d, &h, 4, cudaMemcpyHostToDevice);
    cudaMemcpy(e, &h, 4, cudaMemcpyHostToDevice);
    cudaMemcpy(t, &d, 8, cudaMemcpyHostToDevice);
    cudaMemcpy(u, &e, 8, cudaMemcpyHostToDevice);
    @both<<<1, 1>>>(a, t, d);
    @set<<<1, 1>>>(u);
    cudaMemcpy(e, &h, 4, cudaMemcpyHostToDevice);
    @set<<<1, 1>>>(u);
    @use<<<1, 1>>>(a, e);
    int *f, *g, *fs[4];
    cudaMalloc(&f, 4);
    cudaMalloc(&g, 4);
    for (int i = 0; i < 4; i++) fs[i] = f;
    fs[atoi(argv[1])] = g;
    cudaMemcpy(g, &h, 4, cudaMemcpyHostToDevice);
    int big = 100;
    cudaMemcpy(fs[atoi(argv[1])], &big, 4, cudaMemcpyHostToDevice);
    @use2<<<1, 1>>>(a, g);
    int *x, **v;
    cudaMalloc(&x, 4);
    cudaMalloc(&v, 8);
    @keep<<<1, 1>>>(v, x);
    cudaMemcpy(x, &h, 4, cudaMemcpyHostToDevice);
    @set<<<1, 1>>>(v);
    @use3<<<1, 1>>>(a, x);
    return 0;
}
