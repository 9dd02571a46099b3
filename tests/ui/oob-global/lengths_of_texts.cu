// Sizes that come from texts that the program itself wrote.
//@ decided
#include <cstdlib>
#include <cstring>

__global__ void last(char *text, int at) { text[at] = 0; }
__global__ void behind(char *text, int at) { text[at + 1] = 0; } //~ oob-global proved
// Another text since, and one that was cut off.
__global__ void longer(char *text, int at) { text[at] = 0; } //~ oob-global proved
__global__ void shorter(char *text, int at) { text[at + 1] = 0; }

int main() {
    char *host = (char *)malloc(16), *device;
    strcpy(host, "hello");
    cudaMalloc(&device, strlen(host) + 1);
    last<<<1, 1>>>(device, (int)strlen(host));
    behind<<<1, 1>>>(device, (int)strlen(host));
    strcpy(host, "longer");
    longer<<<1, 1>>>(device, (int)strlen(host));
    host[4] = 0;
    shorter<<<1, 1>>>(device, (int)strlen(host));
    return 0;
}
