// Members are named as the source names them: through an object, a pointer, `this`, and an element of an array.
//@ snapshot
#include <cstdlib>

struct Particle { float3 position; float mass; };

class Cloud {
  Particle *particles;
  float *energy;
  int count;

public:
  __host__ Cloud(int n) : count(n) {
    cudaMalloc(&particles, n * sizeof(Particle));
    cudaMalloc(&energy, n * sizeof(float));
  }
  int size() const { return count; }
  __device__ void settle(int i) { if (i < count) energy[i] = 0; }
  __device__ void heat(int i) { if (i <= count) energy[i] = 1; } //~ oob-global proved
  __device__ void weigh(int i) { if (i <= count) particles[i].mass = 1; } //~ oob-global proved
};

__global__ void step(Cloud cloud) {
  int i = blockIdx.x * 128 + threadIdx.x;
  cloud.settle(i);
  cloud.heat(i);
  cloud.weigh(i);
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  Cloud cloud(n);
  step<<<(cloud.size() + 128) / 128, 128>>>(cloud);
  return cudaDeviceSynchronize();
}
