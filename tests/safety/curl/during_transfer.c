// EXPECT: curl_easy_getinfo curl_easy_perform
// EXPECT-STACK: watch
// LIB: libcurl.so.4
// One transfer that lasts, and another thread that asks how far it is: no two calls begin at nearly the same
// time. The server is a pipe that says nothing until both threads have done their work.
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "together.h"

void *curl_easy_init(void);
int curl_easy_setopt(void *handle, int option, ...);
int curl_easy_perform(void *handle);
int curl_easy_getinfo(void *handle, int info, ...);
void curl_easy_cleanup(void *handle);

enum {
    CURLOPT_WRITEFUNCTION = 20011,
    CURLOPT_URL = 10002,
    CURLOPT_WRITEDATA = 10001,
    CURLINFO_RESPONSE_CODE = 0x200000 + 2
};

static int inside[2], asked[2];

static size_t on_data(char *data, size_t size, size_t n, void *unused)
{
    char byte = 0;
    (void)data, (void)unused;
    write(inside[1], "x", 1);
    read(asked[0], &byte, 1);
    return size * n;
}

static void *transfer(void *handle)
{
    curl_easy_perform(handle);
    return 0;
}

static void *watch(void *handle)
{
    long code;
    char byte;
    read(inside[0], &byte, 1);
#ifdef FIXED
    (void)code, (void)handle;
#else
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
#endif
    write(asked[1], "x", 1);
    return 0;
}

int main(void)
{
    void *handle = curl_easy_init();
    pipe(inside), pipe(asked);
    curl_easy_setopt(handle, CURLOPT_URL, "file:///etc/hostname");
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_data);
    together(transfer, watch, handle);
    curl_easy_cleanup(handle);
    puts("done");
    return 0;
}
