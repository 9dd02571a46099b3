//@ with: part_fortran.cu
// A wrapper in another unit under the name that Fortran compilers give it, with arguments by address as they pass them.
#include <cstdlib>

extern "C" void fill_(const int *n, const int *m);

int main(int argc, char **argv) {
    if (argc != 3) return 1;
    int n = atoi(argv[1]), m = atoi(argv[2]);
    if (n < 1 || n > 4096 || m < 1 || m > 4096) return 1;
    fill_(&n, &m);
    return 0;
}
