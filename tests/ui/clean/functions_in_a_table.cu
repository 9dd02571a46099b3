// Functions in tables of constants, found by a search: a loop ends at the row whose key is the one that is asked for, in an array
// inside a larger structure as well, and a tag in the lowest bit of a pointer is taken off again.
//@ decided
#include <cstdint>

__global__ void fill(float *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i] = 1.0f;
}

template <int N> inline constexpr int key = N;
template <int N> static int times(int n) { return N * n; }

struct Row {
    const int *id;
    union {
        int (*f)(int);
        void *old;
    };
};
struct Base {
    unsigned char version = 1;
    unsigned short rows = 3;
    const Row *first = nullptr;
    constexpr Base(const Row *r) : first(r) {}
};
struct Table : Base {
    Row list[3];
    unsigned char more[16] = {};
    constexpr Table() : Base(list), list{{&key<0>, {times<1>}}, {&key<1>, {times<2>}}, {&key<2>, {times<9>}}} {}
};
inline constexpr Table table;

static int call(const Base *b, const int *id, int n) {
    for (unsigned long i = 0; i < b->rows; ++i)
        if (b->first[i].id == id) return b->version >= 1 ? b->first[i].f(n) : 0;
    return 0;
}

int main() {
    std::uintptr_t tagged = reinterpret_cast<std::uintptr_t>(&table) | std::uintptr_t(1);
    float *p;
    cudaMalloc(&p, 128);
    fill<<<1, 128>>>(p, call(reinterpret_cast<const Base *>(tagged & ~std::uintptr_t(1)), &key<1>, 16));
}
