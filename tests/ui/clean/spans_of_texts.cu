//@ decided
// strspn and strcspn: no more than the string has, and exact for strings that are known.
#include <cstdio>
#include <cstring>

__global__ void mark(int *a, size_t i) { a[i] = 1; }

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int *a;
  // The string's end counts as well.
  cudaMalloc(&a, (strlen(argv[1]) + 1) * sizeof(int));
  mark<<<1, 1>>>(a, strcspn(argv[1], ","));
  mark<<<1, 1>>>(a, strspn(argv[1], "0123456789"));

  int *b;
  cudaMalloc(&b, 4 * sizeof(int));
  char line[] = "abc,d\n";
  mark<<<1, 1>>>(b, strcspn(line, ","));
  mark<<<1, 1>>>(b, strspn("aab-", "ab"));

  // The idiom that cuts a line's end off changes nothing else.
  int n = 4;
  char text[100];
  snprintf(text, sizeof text, "%s", argv[2]);
  text[strcspn(text, "\r\n")] = 0;
  mark<<<1, 1>>>(b, n - 1);
  return cudaDeviceSynchronize();
}
