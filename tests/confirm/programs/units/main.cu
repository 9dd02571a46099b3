void fill();
int main() {
    fill();
    return cudaDeviceSynchronize() != cudaSuccess;
}
