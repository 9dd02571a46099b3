// As in the program of that name that is clean, but out of bounds; and pointers that a kernel may change itself.
//@ undecided: 1
#include <cstdlib>

struct Name { char *text; int used; };
struct Row { float *values; int size; int hits; };
struct Chain { int *data; Chain *self; int *spare; };

__global__ void set(Name *n) { n->text[0] = 'd'; n->used++; }
__global__ void behind(Name *n) { n->text[6] = 'd'; } //~ oob-global proved
__global__ void fill(Row *r) { if (threadIdx.x < r->size) { r->values[threadIdx.x] = 1; r->hits++; } } //~ oob-global proved
// The first launch exchanges the buffers through another name of the same memory. Between blocks that is not replayed.
__global__ void exchange(Chain *c) { c->self->data = c->spare; }
__global__ void use(Chain *c) { c->data[7] = 1; } //~ oob-global proved
__global__ void use_then(Chain *c) { c->data[7] = 1; } //~ oob-global proved
__global__ void exchange_late(Chain *c) { c->data[7] = 1; c->self->data = c->spare; }

int main() {
    Name *n;
    char *text;
    cudaMalloc(&n, sizeof(Name));
    cudaMalloc(&text, 6);
    cudaMemcpy(&n->text, &text, sizeof(char *), cudaMemcpyHostToDevice);
    set<<<1, 1>>>(n);
    behind<<<1, 1>>>(n);

    Row host = {nullptr, 33, 0};
    Row *row;
    cudaMalloc(&host.values, 32 * sizeof(float));
    cudaMalloc(&row, sizeof(Row));
    cudaMemcpy(row, &host, sizeof(Row), cudaMemcpyHostToDevice);
    fill<<<1, 64>>>(row);
    fill<<<1, 32>>>(row);

    Chain *c;
    int *large, *small;
    cudaMalloc(&c, sizeof(Chain));
    cudaMalloc(&large, 8 * sizeof(int));
    cudaMalloc(&small, 4 * sizeof(int));
    Chain first = {large, c, small};
    cudaMemcpy(c, &first, sizeof(Chain), cudaMemcpyHostToDevice);
    exchange_late<<<2, 1>>>(c);
    cudaMemcpy(c, &first, sizeof(Chain), cudaMemcpyHostToDevice);
    exchange<<<1, 2>>>(c);
    use<<<1, 1>>>(c);
    cudaMemcpy(c, &first, sizeof(Chain), cudaMemcpyHostToDevice);
    exchange<<<1, 1>>>(c);
    use_then<<<1, 1>>>(c);
    return 0;
}
