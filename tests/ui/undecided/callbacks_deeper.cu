// Functions that a library finds behind what it is given: in a table of virtual functions, behind two pointers, in an earlier call, in
// a stream; functions that CUDA calls. What they write is not known after them; a replay knows what is surely called.
//@ undecided: 5
#include <cstdlib>
#include <future>
#include <iostream>
#include <mutex>
#include <streambuf>

struct Task {
  virtual void run() = 0;
  virtual ~Task() {}
};
extern "C" void library_runs(Task *task);
extern "C" void library_reads(void *table);
extern "C" void library_keeps(void (*f)());
extern "C" void library_steps();

static int by_method = 8, by_table = 8, by_earlier = 8, by_stream = 8, by_manipulator = 8, by_stream_of_cuda = 8, by_future = 8, once = 8;

__global__ void method(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void table(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void earlier(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void stream(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void manipulator(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void of_cuda(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void future(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void only_once(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved

struct Set : Task {
  void run() override { by_method = 64; }
};
static void set_by_table() { by_table = 64; }
static void set_by_earlier() { by_earlier = 64; }
struct Operations { void (*set)(); };
struct Library { Operations *operations; };
struct Buffer : std::streambuf {
  int overflow(int c) override { by_stream = 64; return c; }
};
static std::ostream &manipulate(std::ostream &o) { by_manipulator = 64; return o; }
static void of_host(void *) { by_stream_of_cuda = 64; }
static void set_once() { once = 64; }

int main() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  Set set;
  library_runs(&set);
  method<<<1, 64>>>(a, by_method);
  Operations operations = {set_by_table};
  Library library = {&operations};
  library_reads(&library);
  table<<<1, 64>>>(a, by_table);
  library_keeps(set_by_earlier);
  by_earlier = 8;
  library_steps();
  earlier<<<1, 64>>>(a, by_earlier);
  Buffer buffer;
  std::ostream o(&buffer);
  o << "x";
  stream<<<1, 64>>>(a, by_stream);
  std::cout << manipulate;
  manipulator<<<1, 64>>>(a, by_manipulator);
  cudaLaunchHostFunc(0, of_host, nullptr);
  cudaDeviceSynchronize();
  of_cuda<<<1, 64>>>(a, by_stream_of_cuda);
  auto later = std::async(std::launch::deferred, [] { by_future = 64; });
  by_future = 8;
  later.get();
  future<<<1, 64>>>(a, by_future);
  static std::once_flag flag;
  std::call_once(flag, set_once);
  only_once<<<1, 64>>>(a, once);
  return cudaDeviceSynchronize();
}
