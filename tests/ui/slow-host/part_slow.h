#pragma once
// More rounds than are followed, with the rounds of each call one by one and without.
static unsigned kilo(unsigned x) {
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) x = x & 1 ? (x >> 1) ^ 0xedb88320u : x >> 1;
    return x;
}
static unsigned four(unsigned x) { return kilo(kilo(kilo(kilo(x)))); }
static unsigned sixteen(unsigned x) { return four(four(four(four(x)))); }
static unsigned sixty_four(unsigned x) { return sixteen(sixteen(sixteen(sixteen(x)))); }
// A replay gets by with small numbers.
static unsigned slow(unsigned x) { return x < 1000000 ? x : sixty_four(sixty_four(sixty_four(sixty_four(x)))); }
