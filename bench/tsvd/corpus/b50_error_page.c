// BUG: strtok strtok | strtok strsignal
// Request lines are split with strtok, in workers that get their requests through a locked queue.
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
        char text[64];
        snprintf(text, sizeof text, "GET /%d HTTP/1.1", i);
        work(9);
        for (char *w = strtok(text, " "); w; w = strtok(0, " "))
            n += strlen(w);
    }
    return n ? 0 : x;
}

int main(void)
{
    all(3, worker);
    return 0;
}
