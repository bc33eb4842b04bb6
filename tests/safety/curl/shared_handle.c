// EXPECT: curl_easy_setopt curl_easy_setopt
// LIB: libcurl.so.4
#include <stdio.h>

#include "together.h"

void *curl_easy_init(void);
int curl_easy_setopt(void *handle, int option, ...);
void curl_easy_cleanup(void *handle);

enum { CURLOPT_TIMEOUT = 13 };

static void *configure(void *handle)
{
    arrive();
    for (long i = 0; i < ROUNDS; i++) {
        LOCK;
        curl_easy_setopt(handle, CURLOPT_TIMEOUT, i);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    void *handle = curl_easy_init();
    together(configure, configure, handle);
    curl_easy_cleanup(handle);
    puts("done");
    return 0;
}
