// Structures in device memory of which kernels change numbers: the pointers beside them stay as the host set them.
#include <cstdlib>

struct Name { char *text; int used; };
struct Row { float *values; int size; int hits; };
struct List { Row *rows; int count; };

__global__ void set(Name *n) { n->text[0] = 'd'; n->used++; }
__global__ void last(Name *n) { n->text[5] = 'd'; }
__global__ void touch(Row *rows) { rows[threadIdx.x].hits = 1; }
__global__ void fill(Row *r) { if (threadIdx.x < r->size) { r->values[threadIdx.x] = 1; r->hits++; } }
__global__ void both(List *l) { l->rows[0].values[31] = 2; l->count = 1; }

int main() {
    Name *n;
    char *text;
    cudaMalloc(&n, sizeof(Name));
    cudaMalloc(&text, 6);
    cudaMemcpy(&n->text, &text, sizeof(char *), cudaMemcpyHostToDevice);
    set<<<1, 1>>>(n);
    last<<<1, 1>>>(n);
    set<<<1, 1>>>(n);

    Row host = {nullptr, 32, 0};
    Row *rows;
    cudaMalloc(&host.values, 32 * sizeof(float));
    cudaMalloc(&rows, 4 * sizeof(Row));
    cudaMemcpy(rows, &host, sizeof(Row), cudaMemcpyHostToDevice);
    touch<<<1, 4>>>(rows);
    fill<<<1, 64>>>(rows);
    fill<<<1, 128>>>(rows);

    List *list;
    cudaMalloc(&list, sizeof(List));
    cudaMemcpy(&list->rows, &rows, sizeof(Row *), cudaMemcpyHostToDevice);
    both<<<1, 1>>>(list);
    both<<<1, 1>>>(list);
    return 0;
}
