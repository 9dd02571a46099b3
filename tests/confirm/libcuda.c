/* A CUDA driver without a device, for the tests of templates/launch.cpp: memory is the host's, a module is any file, and a
   launch prints how it was made. Where RECORD is set, every row of the check's table that is on gets a record, by the thread
   that the row names. Where HANGS is set, no launch ever ends; where FAILS is set, all fail. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int64_t table[64][11], records[64][10], ranges[1024][2];
static int guarded;
/* Whether the kernel ends at a bad access: where GUARDED is set, all but those of a launch with the guard do. */
static int fails(void) { return getenv("FAILS") != NULL || (getenv("GUARDED") != NULL && !guarded); }

int cuInit(unsigned flags) { (void)flags; return 0; }
int cuDeviceGet(int *device, int n) { *device = n; return 0; }
int cuDeviceGetName(char *name, int length, int device) { (void)device; snprintf(name, (size_t)length, "no device"); return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { (void)device; *context = table; return 0; }
int cuCtxSetCurrent(void *context) { return context == NULL; }
int cuModuleLoad(void **module, const char *path) {
    FILE *file = fopen(path, "r");
    if (file == NULL) return 301;
    /* Where MODULE is set, what was loaded is kept there. */
    FILE *copy = getenv("MODULE") != NULL ? fopen(getenv("MODULE"), "w") : NULL;
    for (int c; copy != NULL && (c = fgetc(file)) != EOF;) fputc(c, copy);
    if (copy != NULL) fclose(copy);
    static char text[4 << 20];
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    guarded = strstr(text, "scuba_ranges") != NULL;
    fclose(file);
    *module = table;
    return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) { (void)module; printf("kernel %s\n", name); *function = table; return 0; }
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module, const char *name) {
    (void)module;
    *address = 0, *bytes = 0;
    if (strcmp(name, "scuba_table") == 0) *address = (uint64_t)table, *bytes = sizeof table;
    if (strcmp(name, "scuba_records") == 0) *address = (uint64_t)records, *bytes = sizeof records;
    if (strcmp(name, "scuba_ranges") == 0) *address = (uint64_t)ranges, *bytes = sizeof ranges;
    return *address == 0 ? 500 : 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) { (void)function; printf("attribute %d %d\n", attribute, value); return 0; }
int cuMemAlloc_v2(uint64_t *address, size_t bytes) { *address = (uint64_t)malloc(bytes); return *address == 0 ? 2 : 0; }
int cuMemFree_v2(uint64_t address) { free((void *)address); return 0; }
int cuMemsetD8_v2(uint64_t address, unsigned char byte, size_t bytes) { memset((void *)address, byte, bytes); return 0; }
int cuMemcpyHtoD_v2(uint64_t address, const void *from, size_t bytes) { memcpy((void *)address, from, bytes); return 0; }
int cuMemcpyDtoH_v2(void *to, uint64_t address, size_t bytes) { memcpy(to, (void *)address, bytes); return 0; }
int cuMemcpyDtoHAsync_v2(void *to, uint64_t address, size_t bytes, void *stream) { (void)stream; return cuMemcpyDtoH_v2(to, address, bytes); }
int cuStreamCreate(void **stream, unsigned flags) { *stream = table; return flags != 1; }
int cuStreamSynchronize(void *stream) { (void)stream; return 0; }
/* As cuCtxSynchronize, but it says at once that a launch has not ended. */
int cuStreamQuery(void *stream) { return stream == NULL ? 400 : getenv("HANGS") != NULL ? 600 : fails() ? 700 : 0; }
int cuGetErrorString(int error, const char **text) { (void)error; *text = "an error"; return 0; }
int cuCtxSynchronize(void) {
    while (getenv("HANGS") != NULL) pause();
    return fails() ? 700 : 0;
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
                   void **parameters, void **extra) {
    (void)function, (void)stream, (void)parameters, (void)extra;
    printf("launch (%u, %u, %u) (%u, %u, %u) %u\n", gx, gy, gz, bx, by, bz, shared);
    /* A launch with the guard leaves three accesses out, told behind all rows that are in use. */
    int used = 0;
    for (int row = 0; row < 64; ++row) if (table[row][0] != 0) used = row + 1;
    if (guarded) records[used][0] = 3;
    for (int row = 0; row < 64 && !fails() && getenv("RECORD") != NULL; ++row) {
        int64_t *t = table[row], *r = records[row];
        /* The array's start must be an address that can be read, unless the code itself knows it, or all of it is bad. */
        if (t[0] == 0 || t[3] < 0 || (t[1] != 0 && t[2] != 0 && *(volatile char *)t[1] != 0)) continue;
        r[0] = 5;
        r[1] = 1;
        r[2] = t[9];
        memcpy(r + 3, t + 3, 6 * sizeof *r);
        /* Where the code itself knows the start, it is somewhere in the window of shared or local memory. */
        r[9] = (t[1] != 0 ? t[1] : 0x7f5a00000400) + t[10] + t[9];
    }
    return 0;
}
