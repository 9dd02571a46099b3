#include <cstdlib>

#include "padded.h"
#include "wrapper.h"

int length(int argc, char **argv) { return argc < 2 ? 1 : 2 * atoi(argv[1]); }

int main(int argc, char **argv) {
  int n = length(argc, argv);
  if (n < 1 || n > 1 << 20) return 1;
  Row row = allocate(padded(n));
  row.used = n;
  filter(row);
  release(row);
  return 0;
}
