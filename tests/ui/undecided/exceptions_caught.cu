// Exceptions that a handler of the program takes, and no size that is bad: the executor does not tell their types apart. In oob-global/ the
// handler chooses a bad one.
//@ undecided: 1
//@ flags: -DLEFT=34
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

__global__ void of_handler(int *a, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n + (n == 33)) a[i] = 1;
}
__global__ void thrown_on(int *a, int n, int count) { a[n == 7 && count == 1000 + LEFT ? n : n - 1] = 1; }

class bad_option : public std::runtime_error {
 public:
  explicit bad_option(const std::string &what) : std::runtime_error("bad option: " + what) {}
};

struct Guard {
  int *n;
  ~Guard() { *n += 33; }
};

int number(const char *text, int *count) {
  Guard guard{count};
  try {
    if (text[0] == '-') throw std::invalid_argument("negative: " + std::string(text));
    return 1 + (text[0] == '0');
  } catch (const std::out_of_range &) {
    return 1;
  } catch (const std::invalid_argument &e) {
    throw bad_option(text);
  }
}

int nested(const char *text, int *count) {
  try {
    return number(text, count);
  } catch (const std::logic_error &) {
    return 2;
  } catch (...) {
    *count += 1000;
    throw;
  }
}

int *array(int n) {
  int *a;
  cudaMalloc(&a, 4 * n);
  return a;
}

int main(int argc, char **argv) {
  int n, m, count = 0;
  try {
    if (argc < 2) throw std::runtime_error("usage: " + std::string(argv[0]) + " n");
    n = atoi(argv[1]);
    if (n < 100 || n > 1000) throw std::out_of_range(std::to_string(n) + " is too small");
  } catch (const std::exception &e) {
    fprintf(stderr, "%s\n", e.what());
    n = LEFT;
  }
  of_handler<<<(n + 127) / 128, 128>>>(array(n), n);
  try {
    m = nested("-", &count);
  } catch (int) {
    m = 3;
  } catch (const std::runtime_error &e) {
    m = 7;
  }
  thrown_on<<<1, 1>>>(array(m), m, count);
  cudaDeviceSynchronize();
}
