// As b50 with strtok_r.
#include "module.h"

enum { REQUESTS = 120 };

static int next_request;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int take(void)
{
    LOCK(lock);
    int i = next_request < REQUESTS ? next_request++ : -1;
    UNLOCK(lock);
    return i;
}

static void *worker(void *x)
{
    size_t n = 0;
    for (int i; (i = take()) >= 0;) {
        char text[64], *at;
        snprintf(text, sizeof text, "GET /%d HTTP/1.1", i);
        work(9);
        for (char *w = strtok_r(text, " ", &at); w; w = strtok_r(0, " ", &at))
            n += strlen(w);
    }
    return n ? 0 : x;
}

int main(void)
{
    all(3, worker);
    return 0;
}
