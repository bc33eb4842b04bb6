// A program that is not instrumented loads a library that is: threads that were there before are
// known from then on, and nothing is reported that is not a race.

// LIBRARY
#include <dlfcn.h>
#include <unistd.h>
#include "check.h"

#ifdef LIBRARY
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

int count(void);
int count(void)
{
    pthread_mutex_lock(&mutex);
    int n = ++counter;
    pthread_mutex_unlock(&mutex);
    return n;
}
#else
static int (*count)(void); /* null until it is loaded */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t loaded = PTHREAD_COND_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!count)
        pthread_cond_wait(&loaded, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 1000; i++)
        count();
    return arg;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        t[i] = start(work, NULL);
    void *library = dlopen("./library.so", RTLD_NOW);
    CHECK(library);
    pthread_mutex_lock(&mutex);
    count = (int (*)(void))dlsym(library, "count");
    CHECK(count);
    pthread_cond_broadcast(&loaded);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 4; i++)
        join(t[i]);
    CHECK(count() == 4001);
    CHECK(dlclose(library) == 0);
    for (int i = 0; i < 20; i++) {
        CHECK((library = dlopen("./library.so", RTLD_NOW)));
        CHECK(((int (*)(void))dlsym(library, "count"))() == 1);
        CHECK(dlclose(library) == 0);
    }
    puts("ok");
}
#endif
