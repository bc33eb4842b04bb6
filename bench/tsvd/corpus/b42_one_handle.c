// BUG: curl_easy_* curl_easy_*
// LIB: libcurl.so.4
// The handle is kept for the sake of its connections, and every thread fetches with it.
#include "module.h"

void *curl_easy_init(void);
int curl_easy_setopt(void *h, int option, ...);
int curl_easy_perform(void *h);
void curl_easy_cleanup(void *h);

enum { CURLOPT_URL = 10002, CURLOPT_WRITEFUNCTION = 20011 };

static void *handle;

static size_t drop(char *p, size_t size, size_t n, void *x)
{
    (void)p, (void)x;
    return size * n;
}

static void *fetch(void *id)
{
    for (int i = 0; i < 15; i++) {
        work(20 + 3 * (unsigned)(intptr_t)id);
        curl_easy_setopt(handle, CURLOPT_URL, "file:///etc/hostname");
        curl_easy_perform(handle);
    }
    return 0;
}

int main(void)
{
    handle = curl_easy_init();
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, drop);
    all(2, fetch);
    curl_easy_cleanup(handle);
    return 0;
}
