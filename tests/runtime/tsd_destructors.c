// Thread-specific destructors: all rounds run, they may lock, allocate and set values again; a
// value that they hand to the joining thread is ordered before the join.
#include <threads.h>
#include "check.h"

enum { KEYS = 40, THREADS = 50 };
static pthread_key_t keys[KEYS], stubborn;
static tss_t c11_key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int destroyed, c11_destroyed;

struct state {
    int rounds, result;
};

static void destroy(void *p)
{
    free(p);
    pthread_mutex_lock(&mutex);
    destroyed++;
    pthread_mutex_unlock(&mutex);
}

/* As many rounds as POSIX promises; what it writes is read after the join, without a lock. */
static void destroy_again(void *p)
{
    struct state *s = p;
    s->result += 10;
    if (++s->rounds < 4)
        pthread_setspecific(stubborn, s);
}

static void destroy_c11(void *p)
{
    (void)p;
    pthread_mutex_lock(&mutex);
    c11_destroyed++;
    pthread_mutex_unlock(&mutex);
}

static void *use(void *arg)
{
    for (int i = 0; i < KEYS; i++)
        pthread_setspecific(keys[i], malloc(16));
    pthread_setspecific(stubborn, arg);
    tss_set(c11_key, arg);
    return arg;
}

int main(void)
{
    struct state states[THREADS] = {0};
    pthread_t t[THREADS];
    for (int i = 0; i < KEYS; i++)
        CHECK(pthread_key_create(&keys[i], destroy) == 0);
    CHECK(pthread_key_create(&stubborn, destroy_again) == 0);
    CHECK(tss_create(&c11_key, destroy_c11) == thrd_success);
    for (int i = 0; i < THREADS; i++)
        t[i] = start(use, &states[i]);
    for (int i = 0; i < THREADS; i++) {
        CHECK(join(t[i]) == &states[i]);
        CHECK(states[i].rounds == 4 && states[i].result == 40);
    }
    CHECK(destroyed == KEYS * THREADS && c11_destroyed == THREADS);
    puts("ok");
}
