// argv: 0 1 2 50 99
// What a table of pointers points to may be written through any of its elements, on either side.
__global__ void @one(int *a, int n) { a[n] = 1; }
__global__ void @two(int *a, int n) { a[n] = 1; }
__global__ void @three(int *a, int n) { a[n] = 1; }
__global__ void @table(int *a, int n) {
    int x = 1, y = 2;
    int *t[100];
    for (int i = 0; i < 100; i++) t[i] = i & 1 ? &x : &y;
    *t[n] = 100;
    a[x] = 1;
}
struct @List { int v; @List *next; };
__global__ void @list(int *a) {
    @List l[3] = {{1, 0}, {2, 0}, {3, 0}};
    @List *head = 0;
    for (int i = 0; i < 3; i++) { l[i].next = head; head = &l[i]; }
    for (@List *p = head; p; p = p->next) p->v += 50;
    a[l[1].v] = 1;
}
__global__ void @shared(int *a) {
    __shared__ int *p;
    int x = 1;
    p = &x;
    *p = 100;
    a[x] = 1;
}
int @main(int argc, char **argv) {
    int n = atoi(argv[1]);
    if (n < 0 || n > 99) return 1;
    int *a;
    cudaMalloc(&a, 8 * sizeof(int));
    @table<<<1, 1>>>(a, n);
    @list<<<1, 1>>>(a);
    @shared<<<1, 1>>>(a);
    int x = 1, y = 1, *xs[100];
    for (int i = 0; i < 100; i++) xs[i] = i & 1 ? &x : &y;
    *xs[n] = 100;
    @one<<<1, 1>>>(a, x);
    int z = 1, w = 1, big = 100, *zs[100];
    for (int i = 0; i < 100; i++) zs[i] = i & 1 ? &z : &w;
    memcpy(zs[n], &big, 4);
    @two<<<1, 1>>>(a, z);
    int q = 1, r = 1, *qs[100];
    for (int i = 0; i < 100; i++) qs[i] = i & 1 ? &q : &r;
    memset(qs[n], 1, 4);
    @three<<<1, 1>>>(a, q);
    return 0;
}
