// A library calls its own launching functions with sizes that fit. Others get their addresses, too, and call them with any: by a
// result, in memory that they give, in a variable that they see, by an object with virtual functions, by constructors.
//@ undecided: 6
__global__ void by_result(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = 1;
}
__global__ void in_memory(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = 1;
}
__global__ void in_a_table(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = 1;
}
__global__ void by_object(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = 1;
}

__global__ void to_a_library(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = 1;
}
__global__ void in_a_variable(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = 1;
}

using Launcher = void (*)(float *, int);
static void first(float *x, int n) { by_result<<<1, 64>>>(x, n); }
static void second(float *x, int n) { in_memory<<<1, 64>>>(x, n); }
static void third(float *x, int n) { in_a_table<<<1, 64>>>(x, n); }
struct Operation {
  virtual void run(float *x, int n) = 0;
};
struct Fourth : Operation {
  void run(float *x, int n) override { by_object<<<1, 64>>>(x, n); }
};

static void fifth(float *x, int n) { to_a_library<<<1, 64>>>(x, n); }
static void sixth(float *x, int n) { in_a_variable<<<1, 64>>>(x, n); }
void register_launcher(const char *, Launcher);
Launcher library_launcher;
static struct Registration {
  Registration() {
    register_launcher("fifth", fifth);
    library_launcher = sixth;
  }
} registration;

struct Table {
  int version;
  Launcher launch;
};
extern "C" {
extern const Table library_table;
const Table library_table = {1, third};
Launcher get_first() { return first; }
void get_second(Table *table) { table->launch = second; }
Operation *get_fourth() { return new Fourth; }

int direct() {
  float *x;
  if (cudaMalloc(&x, 64 * sizeof(float)) != cudaSuccess) return 1;
  first(x, 64);
  second(x, 64);
  third(x, 64);
  Fourth fourth;
  Operation *operation = &fourth;
  operation->run(x, 64);
  fifth(x, 64);
  sixth(x, 64);
  cudaFree(x);
  return 0;
}
}
