// Handlers that come back into a loop that never ends, or launch and end the program; clean-up that launches; calls of anything in a
// handler. What was done before something was thrown is not known to the executor; a replay knows it where the handler has begun.
//@ undecided: 3
#include <cstdlib>

typedef void (*Setter)();
Setter any(int x);

static int again = 8, last = 8, left = 8, set = 8;

__global__ void in_rounds(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void at_the_end(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void on_the_way(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void set_by_any(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

static void sets() { set = 64; }
Setter kept = sets;

static void fails(int x, int &n) {
  n = 64;
  if (x > 1) throw x;
  n = 8;
}
static void serve(int *a, int x) {
  for (;;) {
    try {
      fails(x, again);
    } catch (...) {
    }
    in_rounds<<<1, 64>>>(a, again);
  }
}

struct Launches {
  int *a;
  ~Launches() { on_the_way<<<1, 64>>>(a, left); }
};
static void cleans_up(int *a, int x) {
  Launches launches = {a};
  fails(x, left);
}

int main(int argc, char **argv) {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  try {
    cleans_up(a, argc);
  } catch (...) {
  }
  int none;
  try {
    fails(argc, none);
  } catch (...) {
    any(argc)();
  }
  set_by_any<<<1, 64>>>(a, set);
  try {
    fails(argc, last);
  } catch (...) {
    at_the_end<<<1, 64>>>(a, last);
    exit(1);
  }
  serve(a, argc);
}
