// LIB: libcurl.so.4
// As b42; a handle is borrowed from a store under a lock, and brought back.
#include "module.h"

void *curl_easy_init(void);
int curl_easy_setopt(void *h, int option, ...);
int curl_easy_perform(void *h);
void curl_easy_cleanup(void *h);

enum { CURLOPT_URL = 10002, CURLOPT_WRITEFUNCTION = 20011 };

static void *handle[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t back = PTHREAD_COND_INITIALIZER;

static size_t drop(char *p, size_t size, size_t n, void *x)
{
    (void)p, (void)x;
    return size * n;
}

static void *borrow(void)
{
    void *h;
    LOCK(lock);
    while (!handle[0] && !handle[1])
        pthread_cond_wait(&back, &lock);
    int i = handle[0] == 0;
    h = handle[i];
    handle[i] = 0;
    UNLOCK(lock);
    return h;
}

static void bring_back(void *h)
{
    LOCK(lock);
    handle[handle[0] != 0] = h;
    pthread_cond_signal(&back);
    UNLOCK(lock);
}

static void *fetch(void *id)
{
    for (int i = 0; i < 15; i++) {
        work(20 + 3 * (unsigned)(intptr_t)id);
        void *h = borrow();
        curl_easy_setopt(h, CURLOPT_URL, "file:///etc/hostname");
        curl_easy_perform(h);
        bring_back(h);
    }
    return 0;
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        handle[i] = curl_easy_init();
        curl_easy_setopt(handle[i], CURLOPT_WRITEFUNCTION, drop);
    }
    all(3, fetch);
    curl_easy_cleanup(handle[0]);
    curl_easy_cleanup(handle[1]);
    return 0;
}
