// What takes long gives back, or keeps, the address of something else: in each of these ways its caller makes a size too large.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include "part_slow.h"

__global__ void middle(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; } //~ oob-global proved
__global__ void twice(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 2; } //~ oob-global proved
__global__ void elsewhere(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 3; } //~ oob-global proved
__global__ void again(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 4; } //~ oob-global proved
__global__ void called(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 5; } //~ oob-global proved
__global__ void numbered(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 6; } //~ oob-global proved
__global__ void held(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 8; } //~ oob-global proved

template <typename K> static void run(K kernel, float *a, int n) { kernel<<<(n + 255) / 256, 256>>>(a, n); }

// Into the middle of what it is given.
struct Sizes { int other, size; };
static int *member_of(unsigned seed, Sizes *s) { return slow(seed) == 5 ? nullptr : &s->size; }

// The same memory each time.
static int *one_of_two(unsigned seed) {
    static int *made;
    if (!made) made = (int *)calloc(2, sizeof(int));
    made[0] += slow(seed) & 1;
    return made;
}

// Stored elsewhere.
static int *last;
static void keep(unsigned seed, int *p) { last = p + (slow(seed) & 0); }
static int *kept(unsigned seed) { return slow(seed) == 5 ? nullptr : last; }

// Given to memory that it made, which is given back.
struct Node { int *value; Node *next; };
static Node *node(unsigned seed, int *value, Node *next) {
    Node *n = (Node *)malloc(sizeof(Node));
    n->value = slow(seed) == 5 ? nullptr : value;
    n->next = next;
    return n;
}

// By a function that it is given.
static int hidden;
static int *of_hidden() { return &hidden; }
static int *ask(unsigned seed, int *(*who)()) { return slow(seed) == 5 ? nullptr : who(); }

// As a number.
static int *at(unsigned seed, uintptr_t address) { return (int *)(address + (slow(seed) & 0)); }

int main(int argc, char **argv) {
    if (argc != 3) return 1;
    const int n = atoi(argv[1]), seed = atoi(argv[2]);
    if (n < 1 || n > 1 << 20) return 1;
    float *a;
    cudaMalloc(&a, n * sizeof(float));

    Sizes sizes = {n, n};
    int *p = member_of(seed, &sizes);
    sizes.size = n;
    if (p) *p += 1;
    run(middle, a, sizes.size);

    int *q = one_of_two(seed), *r = one_of_two(seed + 1);
    int *numbers = &sizes.other;
    *q = n;
    *r += 1;
    run(twice, a, *q);
    sizes.size = *numbers;

    int local = n;
    keep(seed, &local);
    int *l = kept(seed);
    local = n;
    if (l) *l += 1;
    run(elsewhere, a, local);

    int first = n, second = n;
    Node *list = node(seed, &second, node(seed, &first, nullptr));
    first = second = n;
    *list->next->value += 1;
    run(again, a, first);

    int *h = ask(seed, of_hidden);
    hidden = n;
    if (h) *h += 1;
    run(called, a, hidden);

    int exposed = n;
    int *e = at(seed, (uintptr_t)&exposed);
    exposed = n;
    *e += 1;
    run(numbered, a, exposed);

    int far = n;
    int *place = &far, **way = &place;
    Node *holder = node(seed, (int *)(void *)way, nullptr);
    far = n;
    **(int **)(void *)holder->value += 1;
    run(held, a, far);
    cudaFree(a);
    return 0;
}
