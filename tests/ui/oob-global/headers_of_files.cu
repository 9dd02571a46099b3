//@ flags: -DLEAST=1
// Sizes in headers of files: lines with comments, a word and numbers from a stream, lines of a stream read as streams of
// their own, and the length of a file. Small runs with files show what is read there. In clean/ all sizes are checked.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

__global__ void of_image(int *a) {
  for (int y = 0; y < 11; y++) a[y] = y; //~ oob-global proved
}
__global__ void of_stream(int *a) {
  for (int y = 0; y < 11; y++) a[y] = y; //~ oob-global proved
}
__global__ void of_lines(int *a) {
  for (int y = 0; y < 11; y++) a[y] = y; //~ oob-global proved
}
__global__ void of_length(int *a) {
  for (int y = 0; y < 600; y++) a[y] = y; //~ oob-global proved
}

int *array(long n) {
  int *a;
  cudaMalloc(&a, 4 * n);
  return a;
}

void image(const char *name) {
  FILE *f = fopen(name, "rb");
  char line[256];
  unsigned w = 0, h = 0, top = 0;
  int got = 0;
  if (!f || !fgets(line, 256, f) || strncmp(line, "P6", 2)) return;
  while (got < 3) {
    if (!fgets(line, 256, f)) return;
    if (line[0] == '#') continue;
    if (got == 0) got += sscanf(line, "%u %u %u", &w, &h, &top);
    else if (got == 2) got += sscanf(line, "%u", &top);
    else return;
  }
  fclose(f);
  if (h >= LEAST && h <= 1000) of_image<<<1, 1>>>(array(h));
}

void stream(const char *name) {
  std::ifstream in(name);
  std::string magic;
  int h;
  if (in >> magic >> h && magic == "P6" && h >= LEAST && h <= 1000) of_stream<<<1, 1>>>(array(h));
}

void lines(const char *name) {
  std::ifstream in(name);
  std::string line;
  int count = 0, sum = 0;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == 'P') continue;
    std::istringstream numbers(line);
    int x;
    while (numbers >> x) sum += x > 0 && x < 100 ? x : 0;
    count++;
  }
  if (count == 16 && sum >= LEAST && sum < 10000) of_lines<<<1, 1>>>(array(LEAST == 1 ? sum / 48 : sum));
}

void length(const char *name) {
  std::ifstream in(name, std::ios::binary | std::ios::ate);
  long n = in.tellg();
  in.seekg(0);
  char magic[2];
  if (n < 8 || !in.read(magic, 2) || magic[0] != 'P' || magic[1] != '6') return;
  n = LEAST == 1 ? n / 8 : n / 8 + 600;
  of_length<<<1, 1>>>(array(n));
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  image(argv[1]);
  stream(argv[1]);
  lines(argv[1]);
  length(argv[1]);
  cudaDeviceSynchronize();
}
