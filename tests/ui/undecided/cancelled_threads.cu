// A thread that another one may end before it stores the size.
//@ undecided: 1
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

__global__ void fill(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}

struct Job { int *a; int size, n; };

static void *run(void *given) {
  Job *job = (Job *)given;
  cudaMemset(job->a, 0, 4);
  usleep(1000000);
  job->size = job->n;
  return nullptr;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  if (n < 1 || n > 1 << 20) return 1;
  int *a;
  cudaMalloc(&a, n * sizeof(int));
  Job job{a, n + 3000, n};
  pthread_t thread;
  pthread_create(&thread, nullptr, run, &job);
  pthread_cancel(thread);
  pthread_join(thread, nullptr);
  fill<<<n / 256 + 20, 256>>>(a, job.size);
}
