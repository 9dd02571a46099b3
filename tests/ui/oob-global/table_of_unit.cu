// Without -rdc=true each unit has device code of its own: a variable of one name in two units is two, also by its address.
//@ with: table_of_unit_other.cu
__device__ int first;

void clear_other();

__global__ void put(int *a) { a[first] = 1; } //~ oob-global proved

int main() {
    int *a, *place, ten = 10;
    cudaMalloc(&a, 10 * sizeof(int));
    cudaGetSymbolAddress((void **)&place, first);
    cudaMemcpy(place, &ten, sizeof ten, cudaMemcpyHostToDevice);
    clear_other();
    put<<<1, 1>>>(a);
    cudaDeviceSynchronize();
}
